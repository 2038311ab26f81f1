import pytest

from sahrat.log.port import AppendFailed, LogFault, OwnershipLost
from sahrat.messages.codec import FromTheFuture, Poison
from sahrat.runtime.exits import MEANINGS, Exit
from sahrat.runtime.failures import exit_of, reason_of
from sahrat.runtime.settings import BadSetting


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (AppendFailed("no"), Exit.LOG),
        (LogFault("away"), Exit.LOG),
        (OwnershipLost("rules[3]"), Exit.LOG),
        (FromTheFuture("unknown", "rules ludo/9"), Exit.NEWER),
        (Poison("json", "no"), Exit.FAULT),
        (BadSetting("SAHRAT_KAFKA"), Exit.USAGE),
        (AssertionError(), Exit.FAULT),
        (ExceptionGroup("two", [ValueError("bug"), AppendFailed("no")]), Exit.LOG),
        (ExceptionGroup("two", [LogFault("away"), FromTheFuture("unknown", "v")]), Exit.NEWER),
        (BaseExceptionGroup("deep", [ExceptionGroup("er", [LogFault("away")])]), Exit.LOG),
    ],
)
def test_each_failure_has_its_code(failure: BaseException, code: Exit) -> None:
    assert exit_of(failure) is code


def test_every_code_has_a_meaning() -> None:
    assert set(MEANINGS) == set(Exit)


def test_a_reason_is_one_line_without_repeats() -> None:
    group = ExceptionGroup("x", [LogFault("away\n  for good"), LogFault("away for good")])
    assert reason_of(group) == "away for good"
    assert reason_of(ValueError()) == "ValueError"
