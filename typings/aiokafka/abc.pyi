import abc
from collections.abc import Coroutine, Set

from aiokafka.structs import TopicPartition

class ConsumerRebalanceListener(abc.ABC):
    # Called as plain functions; a coroutine (no other awaitable) is awaited. What either raises is
    # logged by the client and forgotten, so a listener that must not fail ends the process itself.
    @abc.abstractmethod
    def on_partitions_revoked(
        self, revoked: Set[TopicPartition]
    ) -> Coroutine[object, object, None] | None: ...
    @abc.abstractmethod
    def on_partitions_assigned(
        self, assigned: Set[TopicPartition]
    ) -> Coroutine[object, object, None] | None: ...
