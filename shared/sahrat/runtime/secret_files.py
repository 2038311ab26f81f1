"""Secrets in files of their own: read only if nobody else can, made once and never overwritten."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path
from typing import Final

from pydantic import SecretStr

MODE: Final = 0o600
OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
LIMIT_BYTES: Final = 64 * 1024  # a hundred keys are a tenth of this


class BadSecret(Exception):
    """A file of secrets can't be used; the message is one line and never quotes the file."""


def read_secret(path: Path) -> SecretStr:
    """Return a secret file's text.

    Raises:
        BadSecret: It is missing, no plain file, too large, no UTF-8, or somebody else may read or
            own it.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        raise BadSecret(f"{path} is missing") from None
    except OSError as fault:
        raise BadSecret(f"{path} can't be read: {fault.strerror}") from None
    try:
        _check(os.fstat(descriptor), path)
        data = os.read(descriptor, LIMIT_BYTES + 1)
    finally:
        os.close(descriptor)
    if len(data) > LIMIT_BYTES:
        raise BadSecret(f"{path} is longer than {LIMIT_BYTES} bytes")
    try:
        return SecretStr(data.decode())
    except UnicodeDecodeError:
        raise BadSecret(f"{path} is no UTF-8 text") from None


def _check(found: os.stat_result, path: Path) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise BadSecret(f"{path} is no plain file")
    if found.st_mode & OTHERS:
        raise BadSecret(f"{path} can be read by others than its owner: chmod 600 {path}")
    if found.st_uid not in {0, os.geteuid()}:
        raise BadSecret(f"{path} belongs to another user")


def make_secret(path: Path, text: SecretStr, *, replace: bool = False) -> bool:
    """Make a secret file that its owner alone can read, whole or not at all.

    Args:
        path: The file.
        text: What it is to hold.
        replace: Put it in the place of a file that is there already.

    Returns:
        Whether it was made; without `replace` a file that is there already is left as it is.

    Raises:
        BadSecret: It can't be written.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        part.unlink(missing_ok=True)
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, MODE)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text.get_secret_value())
                file.flush()
                os.fsync(
                    descriptor
                )  # a match may be committed to a key that a power cut would lose
            if replace:
                part.replace(path)
            else:
                try:
                    os.link(part, path)  # unlike a rename, it never replaces a file
                except FileExistsError:
                    return False
            _sync(path.parent)
        finally:
            part.unlink(missing_ok=True)
    except OSError as fault:
        raise BadSecret(f"{path} can't be written: {fault.strerror}") from None
    return True


def _sync(folder: Path) -> None:
    with contextlib.suppress(OSError):  # some file systems have no such thing for folders
        descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
