from aiokafka.coordinator.assignors.abstract import AbstractPartitionAssignor

class RangePartitionAssignor(AbstractPartitionAssignor):
    name: str
