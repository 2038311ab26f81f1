"""Kafka's jars, fetched once for each user with Maven and shared between checkouts."""

from __future__ import annotations

import hashlib
import logging
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from services.house.local.errors import LocalError
from services.house.local.lock import wait_for
from services.house.local.process import tail

_logger = logging.getLogger(__name__)

RECIPE: Final = Path(__file__).parents[3] / "deploy" / "local" / "kafka"
POM: Final = RECIPE / "pom.xml"
FETCH_LIMIT_S: Final = 900.0  # 44 MB over a slow line
FETCH_LOG: Final = "kafka-fetch.log"
_TEMPORARY: Final = ".fetching-"


def cache_folder() -> Path:
    """Return where this user's downloads are kept; the folder may not exist yet.

    Raises:
        LocalError: The user has no home folder and names no cache folder either.

    Source: XDG Base Directory Specification 0.8: a relative XDG_CACHE_HOME is to be ignored.
    """
    named = os.environ.get("XDG_CACHE_HOME", "")
    if Path(named).is_absolute():
        return Path(named) / "sahrat"
    try:
        return Path.home() / ".cache" / "sahrat"
    except RuntimeError:
        raise LocalError("no home folder to keep downloads in: set XDG_CACHE_HOME") from None


def kafka_jars() -> Path:
    """Return the folder with Kafka's jars, fetching them if this user has none of this version.

    Raises:
        LocalError: Maven is missing or the fetch failed.
        OSError: The cache folder cannot be written to.
    """
    recipe = POM.read_text(encoding="utf-8")
    found = re.search(r"<kafka\.version>([\w.]+)</kafka\.version>", recipe)
    if found is None:
        raise LocalError(f"{POM} does not name Kafka's version")
    # Another checkout may want the same Kafka with another logger: the whole recipe is the key.
    key = hashlib.sha256(recipe.encode()).hexdigest()[:8]
    cache = cache_folder()
    jars = cache / f"kafka-{found[1]}-{key}"
    if jars.is_dir():
        return jars
    # The lock also keeps two Mavens from writing into the same ~/.m2 at once.
    with wait_for(cache / "kafka.lock", f"another process is fetching Kafka {found[1]}"):
        if not jars.is_dir():
            _fetch(found[1], jars)
    return jars


def _fetch(version: str, jars: Path) -> None:
    """Fill a temporary folder and give it its name at the end: half a fetch is never found."""
    maven = shutil.which("mvn")
    if maven is None:
        raise LocalError(f"Maven is needed once, to fetch Kafka {version}, and mvn is not on PATH")
    for abandoned in jars.parent.glob(f"{_TEMPORARY}*"):  # the lock is ours, so nobody fills them
        shutil.rmtree(abandoned, ignore_errors=True)
    _logger.info("fetching Kafka %s with Maven into %s", version, jars)
    log = jars.parent / FETCH_LOG
    temporary = Path(tempfile.mkdtemp(prefix=_TEMPORARY, dir=jars.parent))
    try:
        _run_maven(maven, temporary, log, version)
        temporary.rename(jars)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _run_maven(maven: str, target: Path, log: Path, version: str) -> None:
    command = [maven, "--quiet", "--batch-mode", "--strict-checksums", "--file", str(POM)]
    command += ["dependency:copy-dependencies", "-DincludeScope=runtime"]
    command += [f"-DoutputDirectory={target}"]
    with log.open("wb") as output:
        try:
            code = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=target,
                timeout=FETCH_LIMIT_S,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            raise LocalError(
                f"Maven did not fetch Kafka {version} within {FETCH_LIMIT_S:.0f} s; see {log}"
            ) from None
    if code != 0:
        errors = [
            line.removeprefix("[ERROR]").strip()
            for line in log.read_text(errors="replace").splitlines()
            if line.startswith("[ERROR]")
        ]
        said = errors[0] if errors else tail(log)
        raise LocalError(f"Maven could not fetch Kafka {version} (code {code}): {said}; see {log}")
    if not any(target.glob(f"kafka_*-{version}.jar")):
        raise LocalError(f"Maven fetched no Kafka {version}; see {log}")
