import abc

class AbstractPartitionAssignor(abc.ABC):
    @property
    @abc.abstractmethod
    def name(self) -> str: ...
