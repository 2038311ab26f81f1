from aiokafka.coordinator.assignors.abstract import AbstractPartitionAssignor

class StickyPartitionAssignor(AbstractPartitionAssignor):
    name: str
