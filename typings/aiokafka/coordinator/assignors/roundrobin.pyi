from aiokafka.coordinator.assignors.abstract import AbstractPartitionAssignor

class RoundRobinPartitionAssignor(AbstractPartitionAssignor):
    name: str
