"""A database of one's own keeps what it has written, and changes nothing that is not its own."""

import contextlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import psycopg
import pytest

from services.house.local import account, binaries, cluster, home
from services.house.local.account import Account, server_account
from services.house.local.errors import LocalError
from services.house.local.lock import Busy
from services.house.local.postgres import LocalPostgres
from services.house.local.process import command_line
from tests import servers

pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("own_postgres")]

GONE_S: Final = 90

# Starts a server in the folder given, says which it is and waits to be ended from outside.
OWNER: Final = """
import sys, time
from pathlib import Path
from services.house.local import account
from services.house.local.postgres import LocalPostgres
account.COMMON_FOLDERS = (Path(sys.argv[2]),)
server = LocalPostgres(Path(sys.argv[1]))
server.start()
if "unguarded" in sys.argv:
    server._guard.dismiss()
sys.stdout.write(f"{server.pid}\\n")
sys.stdout.flush()
time.sleep(600)
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user can enter, as pytest's own is not."""
    with tempfile.TemporaryDirectory(prefix="sahrat-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(autouse=True)
def common(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Root's common folder, so that no test leaves anything in the machine's."""
    monkeypatch.setattr(account, "COMMON_FOLDERS", (open_folder / "common",))
    return open_folder / "common"


@pytest.fixture
def plain_user() -> Account:
    """Whom root's servers run as."""
    if os.geteuid() != 0:
        pytest.skip("only root has servers run as somebody else")
    return server_account()


@contextlib.contextmanager
def owner(folder: Path, common: Path, *words: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Run a process that has a server in the folder; yield it and the server's process id."""
    command = [sys.executable, "-c", OWNER, str(folder), str(common), *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process, int(process.stdout.readline())
        finally:
            process.kill()


def runs(pid: int) -> bool:
    """Tell whether a server does; one that is dead but not yet buried does not."""
    return "postgres" in command_line(pid)


def wait_gone(pid: int) -> None:
    deadline = time.monotonic() + GONE_S
    while runs(pid):
        assert time.monotonic() < deadline, f"server {pid} still runs"
        time.sleep(0.05)


def write(dsn: str, value: str) -> None:
    with psycopg.connect(dsn) as connection:
        # A test asks for what a projection does without: the answer only once it is on disk.
        connection.execute("set synchronous_commit = on")
        connection.execute("create table if not exists kept (value text)")
        connection.execute("insert into kept values (%s)", [value])


def read(dsn: str) -> list[str]:
    with psycopg.connect(dsn) as connection:
        return [value for (value,) in connection.execute("select value from kept order by value")]


def setting(dsn: str, name: str) -> str:
    with psycopg.connect(dsn) as connection:
        row = connection.execute("select current_setting(%s)", [name]).fetchone()
        assert row is not None
        return str(row[0])


def modes(*paths: Path) -> dict[Path, tuple[int, int, int]]:
    """Return mode and owners of folders and of all that lie above them."""
    above = {parent for path in paths for parent in (path, *path.parents)}
    found = {path: path.stat() for path in above}
    return {path: (stat.st_mode, stat.st_uid, stat.st_gid) for path, stat in found.items()}


@pytest.mark.parametrize(
    "name", ["plain", "سهرة, with 'every' $kind of \"name\"", "x" * 120], ids=["", "odd", "long"]
)
def test_what_was_written_is_kept(open_folder: Path, name: str) -> None:
    server = LocalPostgres(open_folder / name)
    try:
        dsn = server.start()
        write(dsn, "one")
        server.kill()
        assert server.pid is None
        assert server.start() == dsn
        assert read(dsn) == ["one"]
        write(dsn, "two")

        pid = server.pid
        assert server.start() == dsn, "one that runs stays"
        assert server.pid == pid
        server.stop()
        server.stop()
        assert server.pid is None
        assert server.start() == dsn
        assert read(dsn) == ["one", "two"]
    finally:
        server.stop()


def test_it_listens_on_no_network_and_keeps_its_word_to_the_disk(tmp_path: Path) -> None:
    with LocalPostgres(tmp_path) as server:
        assert setting(server.dsn, "listen_addresses") == ""
        assert setting(server.dsn, "fsync") == "on"
        assert setting(server.dsn, "server_encoding") == "UTF8"
        folder = Path(setting(server.dsn, "unix_socket_directories"))
        assert folder.stat().st_mode & 0o077 == 0
        with psycopg.connect(server.dsn) as connection:
            row = connection.execute("select upper('é'), lower('Ç')").fetchone()
        assert row == ("É", "ç")


def test_two_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    both = [LocalPostgres(tmp_path / name) for name in ("a", "b")]
    with ThreadPoolExecutor() as pool:
        first, second = pool.map(LocalPostgres.start, both)
    try:
        write(first, "first")
        write(second, "second")
        both[0].kill()
        both[0].start()
        assert (read(first), read(second)) == (["first"], ["second"])
    finally:
        for server in both:
            server.stop()


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL])
def test_the_server_ends_with_its_owner_however_that_ends(
    tmp_path: Path, common: Path, ending: signal.Signals
) -> None:
    with owner(tmp_path, common) as (process, pid):
        with pytest.raises(Busy, match=str(process.pid)):
            LocalPostgres(tmp_path).start()
        assert runs(pid), "the refused one left it alone"
        assert os.getsid(pid) != os.getsid(process.pid), "Ctrl-C is for the owner alone"
        process.send_signal(ending)
        process.wait()
        with LocalPostgres(tmp_path) as server:  # at once: the guard is at work
            assert server.pid != pid
            write(server.dsn, "taken over")
        wait_gone(pid)


def test_a_server_that_still_runs_is_adopted(tmp_path: Path, common: Path) -> None:
    with owner(tmp_path, common, "unguarded") as (process, pid):
        process.kill()
        process.wait()
        with LocalPostgres(tmp_path) as server:
            assert server.pid == pid
            write(server.dsn, "adopted")
        wait_gone(pid)


def test_a_number_that_became_another_process_is_left_alone(tmp_path: Path) -> None:
    server = LocalPostgres(tmp_path)
    write(server.start(), "kept")
    data = server.log.parent
    notes = (data / cluster.PID).read_text()
    server.stop()
    whose = server_account()
    with subprocess.Popen(["sleep", "600"], user=whose.user) as stranger:
        try:
            (data / cluster.PID).write_text(notes.replace(notes.split()[0], str(stranger.pid), 1))
            with server:
                assert read(server.dsn) == ["kept"]
                assert stranger.poll() is None
        finally:
            stranger.kill()


def test_a_start_that_was_cut_short_is_made_anew(tmp_path: Path) -> None:
    server = LocalPostgres(tmp_path)
    server.start()
    data = server.log.parent
    server.stop()
    data.rename(data.with_name(f"{data.name}.new"))
    (data.with_name(f"{data.name}.new") / "PG_VERSION").unlink()
    with server:
        assert data.exists()


def test_a_server_that_does_not_come_up_says_why_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = LocalPostgres(tmp_path)
    server.start()
    log = server.log
    server.stop()
    with monkeypatch.context() as broken:
        broken.setitem(cluster.SETTINGS, "shared_buffers", "none")
        with pytest.raises(LocalError, match="shared_buffers") as caught:
            server.start()
    assert "\n" not in str(caught.value)
    assert str(log) in str(caught.value)
    with server:  # and not Busy
        assert server.pid


def test_a_machine_without_postgresql_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(binaries, "PACKAGE", "sahrat_has_no_such_package")
    monkeypatch.setattr(binaries, "SYSTEM_FOLDERS", ())
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LocalError, match=binaries.WHEEL):
        LocalPostgres(tmp_path).start()


def test_the_machines_own_postgresql_does_where_the_wheel_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(binaries, "PACKAGE", "sahrat_has_no_such_package")
    try:
        found = binaries.find_binaries(server_account())
    except LocalError as fault:
        pytest.skip(str(fault))
    with LocalPostgres(tmp_path) as server:
        assert setting(server.dsn, "server_version").startswith(str(found.major))


def test_root_changes_no_permission_and_is_not_whom_it_runs_as(
    tmp_path: Path, plain_user: Account
) -> None:
    folder = tmp_path / "closed" / "database"
    folder.parent.mkdir(mode=0o700)
    spec = importlib.util.find_spec(binaries.PACKAGE)
    wheel = [Path(place) for place in (spec and spec.submodule_search_locations) or ()]
    before = modes(tmp_path, folder.parent, Path(tempfile.gettempdir()), *wheel)
    with LocalPostgres(folder) as server:
        assert server.pid is not None
        assert Path(f"/proc/{server.pid}").stat().st_uid == plain_user.uid
        assert modes(*before) == before
        write(server.dsn, "kept")
    assert modes(*before) == before
    assert binaries.PACKAGE not in sys.modules, "its server's code was not run"


def test_root_keeps_the_data_in_its_folder_where_the_plain_user_can_reach_it(
    open_folder: Path, common: Path, plain_user: Account
) -> None:
    with LocalPostgres(open_folder / "database") as server:
        data = server.log.parent
        assert data.parent == open_folder / "database"
        assert data.parent.stat().st_uid == 0
        assert (data.stat().st_uid, data.stat().st_mode & 0o777) == (plain_user.uid, 0o700)
    assert not common.exists()


def test_a_folder_that_was_removed_takes_its_database_along(
    tmp_path: Path, common: Path, plain_user: Account
) -> None:
    assert plain_user.user is not None
    folder = tmp_path / "database"
    with owner(folder, common, "unguarded") as (process, pid):
        kept = LocalPostgres(tmp_path / "kept")
        kept.start()  # and does not touch the other's
        kept.stop()
        assert runs(pid)
        process.kill()
        process.wait()
        shutil.rmtree(folder)
        with LocalPostgres(folder) as server:
            wait_gone(pid)
            with pytest.raises(psycopg.errors.UndefinedTable):
                read(server.dsn)
    assert len(list((common / home.HOMES).glob(f"*/{home.OWNER}"))) == 2


def test_a_wheel_that_the_plain_user_cannot_reach_is_copied_once(
    tmp_path: Path, common: Path, plain_user: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = importlib.util.find_spec(binaries.PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        pytest.skip(f"the package {binaries.WHEEL} is not installed")
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    real = Path(spec.submodule_search_locations[0])
    for part in (real, real.with_name(f"{real.name}.libs")):
        (closed / part.name).symlink_to(part)
    monkeypatch.syspath_prepend(closed)
    assert not plain_user.reaches(closed / real.name)
    for _ in range(2):
        with LocalPostgres(tmp_path / "database") as server:
            assert server.pid is not None
            program = Path(f"/proc/{server.pid}/exe").readlink()
            assert program.is_relative_to(common)
    assert [path.name for path in common.iterdir() if real.name in path.name]


PYTHONS: Final = (sys.executable, "/usr/bin/python3")
"""The tests' own may lie in a home that is closed to others; what is run needs no more than 3.11's
own library."""


def _ours() -> list[str]:
    """The search path without the standard library, which each Python brings itself."""
    return [path for path in sys.path if Path(path) == Path.cwd() or "site-packages" in path]


def test_an_owner_who_is_not_root_needs_no_common_folder(
    open_folder: Path, common: Path, plain_user: Account
) -> None:
    python = next((path for path in PYTHONS if plain_user.reaches(Path(path))), None)
    if python is None:
        servers.missing("Python", f"{plain_user.name} can run none of {', '.join(PYTHONS)}")
    folder = open_folder / "theirs"
    plain_user.own(folder)
    script = (
        "import sys; from pathlib import Path\n"
        "from services.house.local.postgres import LocalPostgres\n"
        "with LocalPostgres(Path(sys.argv[1])) as server:\n"
        "    print(Path(f'/proc/{server.pid}').stat().st_uid)\n"
    )
    said = plain_user.run(
        [python, "-c", script, str(folder / "a database, in a folder with a comma")],
        environment={"TMPDIR": str(open_folder), "PYTHONPATH": os.pathsep.join(_ours())},
        folder=Path.cwd(),
    )
    assert said.stdout.split() == [str(plain_user.uid)], said.stdout
    assert not common.exists()
