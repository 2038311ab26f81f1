"""Logs: one JSON object a line on standard error, or lines for people on a terminal.

A line has `at`, `level`, `service` (the process), `logger` (the part) and `event`; whoever writes
it adds `match`, `seq`, `intent`, `partition`, `offset`. Nothing secret is ever a field, and names
that could hold a secret are masked all the same.
"""

from __future__ import annotations

import logging
import sys
from typing import Final, TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger
from typing_extensions import override

from sahrat.runtime.settings import LogForm, LogLevel

MASKED: Final = frozenset(
    {"account", "authorization", "code", "dsn", "keys", "password", "secret", "secrets", "token"}
)
FIRST: Final = ("at", "level", "service", "logger", "event")
QUIET: Final = ("aiokafka", "aiohttp", "asyncio", "kafka", "psycopg")  # warnings and worse alone
KAFKA: Final = "aiokafka"
USUAL: Final = frozenset(
    {
        "Group Coordinator Request failed: %s",
        "Marking the coordinator dead (node %s)for group %s.",
    }
)
"""What Kafka's client says at the first start on any new broker, whose groups are not made yet."""
SELDOM_S: Final = 5.0  # a library says the same again after so long at the earliest
KINDS: Final = 1_000  # of such sayings that are remembered


def configure(
    service: str,
    *,
    level: LogLevel = "info",
    form: LogForm | None = None,
    stream: TextIO | None = None,
) -> None:
    """Send everything that is logged in this process, by libraries too, to one stream.

    Args:
        service: The process's name.
        level: The lowest level that is written.
        form: None: for people if the stream is a terminal, else JSON.
        stream: Standard error by default.
    """
    out = sys.stderr if stream is None else stream
    form = form or ("console" if out.isatty() else "json")

    def name_service(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
        event["service"] = service
        return event

    before: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
        name_service,
        _mask,
        structlog.processors.format_exc_info,  # the plain traceback: no values of variables
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.stdlib.PositionalArgumentsFormatter(),
            *before,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    root = logging.getLogger()
    root.setLevel(level.upper())
    handler = logging.StreamHandler(out)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.ExtraAdder(), *before],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                _order,
                _renderer(form, colors=out.isatty()),
            ],
        )
    )
    handler.addFilter(_Transient(root.level))
    handler.addFilter(_Seldom())
    root.handlers[:] = [handler]
    for name in QUIET:
        logging.getLogger(name).setLevel(max(root.level, logging.WARNING))


class _Transient(logging.Filter):
    """Lowers what Kafka's client calls an error though it tries again by itself, as it says in the
    fault's `retriable`. Where that never helps, the log's own watch ends the process.

    Args:
        least: The lowest level that is written.
    """

    def __init__(self, least: int) -> None:
        super().__init__()
        self._least = least

    @override
    def filter(self, record: logging.LogRecord) -> bool:
        if record.name.partition(".")[0] == KAFKA and _is_tried_again(record):
            usual = record.msg in USUAL
            record.levelno = logging.DEBUG if usual else logging.WARNING
            record.levelname = logging.getLevelName(record.levelno)
        return record.levelno >= self._least


def _is_tried_again(record: logging.LogRecord) -> bool:
    """Return whether what is logged is a fault that goes away, or what follows from one."""
    if record.levelno == logging.WARNING:
        return record.msg in USUAL
    values = record.args if isinstance(record.args, tuple) else ()
    return record.levelno == logging.ERROR and any(
        getattr(value, "retriable", False) is True for value in values
    )


class _Seldom(logging.Filter):
    """Lets what a library says over and over through now and then, with how often it was said.

    While a broker is away its client says so at each of its many tries: hundreds of lines a second
    for as long as it lasts, whose writing alone keeps a small machine busy.
    """

    def __init__(self) -> None:
        super().__init__()
        self._said: dict[tuple[str, str], float] = {}
        self._held: dict[tuple[str, str], int] = {}

    @override
    def filter(self, record: logging.LogRecord) -> bool:
        if record.name.partition(".")[0] not in QUIET:
            return True
        what = (record.name, str(record.msg))  # the text before its values are put in
        if record.created - self._said.get(what, -SELDOM_S) < SELDOM_S:
            self._held[what] = self._held.get(what, 0) + 1
            return False
        if len(self._said) >= KINDS:
            self._said.clear()
        self._said[what] = record.created
        if what in self._held:
            record.__dict__["held_back"] = self._held.pop(what)
        return True


def _renderer(form: LogForm, *, colors: bool) -> Processor:
    if form == "json":
        return structlog.processors.JSONRenderer()
    return structlog.dev.ConsoleRenderer(
        colors=colors, timestamp_key="at", exception_formatter=structlog.dev.plain_traceback
    )


def _mask(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    for name in event.keys() & MASKED:
        event[name] = "(masked)"
    return event


def _order(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Put first what every line has, in one order, so that lines can be compared by eye."""
    return {**{name: event[name] for name in FIRST if name in event}, **event}
