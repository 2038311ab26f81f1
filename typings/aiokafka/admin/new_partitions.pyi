class NewPartitions:
    total_count: int
    new_assignments: list[list[int]] | None
    def __init__(
        self, total_count: int, new_assignments: list[list[int]] | None = None
    ) -> None: ...
