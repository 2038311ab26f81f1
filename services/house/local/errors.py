"""What goes wrong on a machine, said in one line to whoever started the part."""


class LocalError(Exception):
    """A local part cannot run here; the message is one line and says what to do or where to look.

    Args:
        message: Any text; its lines are joined.
    """

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))
