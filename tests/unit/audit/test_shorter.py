"""Topics cut off at their ends, and padded: what bookmarks say was there must be there."""

from dataclasses import replace

import pytest

from sahrat.log.follow import Horizon
from sahrat.log.journal import JournalPlace
from sahrat.log.port import Bookmark, LogFault
from sahrat.log.store import Mark
from sahrat.messages import topics
from sahrat.messages import wallet as w
from services.audit.marks import LEDGER, ROUTER, RULES
from services.house.simulation.partitions import FEW
from tests.unit.audit.story import COMMANDS, JOURNAL, Copy, story


def marked() -> Copy:
    """A log with the bookmarks that its workers kept at its end."""
    copy = story()
    journal, commands = len(copy.records[JOURNAL]), len(copy.commands)
    place = JournalPlace(snapshot=0, end=journal).dump()
    copy.marks = [Mark(LEDGER, *COMMANDS, Bookmark(commands, place))]
    for n in range(FEW):
        end = len(copy.records[topics.EVENTS.name, n])
        routed = Horizon(horizon=0, high=-1, end=commands).dump()
        copy.marks.append(Mark(ROUTER, topics.EVENTS.name, n, Bookmark(end, routed)))
        judged = Horizon(horizon=0, high=-1, end=end).dump()
        copy.marks.append(Mark(RULES, topics.INTENTS.name, n, Bookmark(0, judged)))
    return copy


def test_a_log_as_long_as_its_bookmarks_say_is_balanced() -> None:
    assert marked().audit().entries == 19


@pytest.mark.parametrize(
    ("entries", "commands", "events"),
    [
        pytest.param(18, None, None, id="the-last-entry"),
        pytest.param(8, 0, None, id="entries-and-their-commands"),
        pytest.param(4, 4, None, id="all-but-the-welcomes"),
        pytest.param(0, 0, 0, id="everything"),
    ],
)
def test_F25_what_became_shorter_can_not_be_audited(
    entries: int, commands: int | None, events: int | None
) -> None:
    copy = marked()
    behind = copy.entries[entries - 1].offset + 1 if entries else 0
    del copy.records[JOURNAL][entries:]
    if commands is not None:
        del copy.records[COMMANDS][behind:]
    for place, records in copy.records.items():
        if events is not None and place[0] == topics.EVENTS.name:
            del records[events:]
    with pytest.raises(LogFault, match="had ended"):
        copy.audit()


def test_F25_records_that_are_gone_are_told_by_what_rules_wrote() -> None:
    copy = marked()
    copy.marks = [mark for mark in copy.marks if mark.group == RULES]
    longest = max(range(FEW), key=lambda n: len(copy.records[topics.EVENTS.name, n]))
    del copy.records[topics.EVENTS.name, longest][-1]
    with pytest.raises(LogFault, match="had ended"):
        copy.audit()


def test_W8_a_command_and_its_entry_replaced_by_older_ones_are_missed() -> None:
    """All is as long as it was; but the router has come past a record that nothing came of."""
    copy = marked()
    last, first = copy.entries[-1], copy.records[JOURNAL][0]
    for offset, stored in enumerate(copy.records[JOURNAL]):
        said = w.JOURNAL.decode(stored.value)
        if isinstance(said, w.JournalEntry) and said.entry == last.entry:
            copy.records[JOURNAL][offset] = replace(first, offset=offset)
    for offset, stored in enumerate(copy.commands):
        if w.COMMANDS.decode(stored.value).id == last.id:
            copy.commands[offset] = replace(copy.commands[0], offset=offset)
    found = copy.fault()
    assert (found.law, found.place.match_id) == ("W8", copy.named["on"])
    copy.marks = [mark for mark in copy.marks if mark.group != ROUTER]
    assert len(copy.audit().pending) == 1  # the router had been a little slow


def test_what_waits_for_the_ledger_was_sent() -> None:
    copy = marked()
    short = copy.journal(copy.entries[:-1])
    short.marks = [mark for mark in copy.marks if mark.group != LEDGER]
    report = short.audit()
    assert (report.waiting_commands, len(report.pending)) == (1, 1)


def test_a_bookmark_of_somebody_else_is_said() -> None:
    copy = story()
    copy.marks = [Mark(LEDGER, *COMMANDS, Bookmark(0, "{}"))]
    with pytest.raises(LogFault, match="somebody else"):
        copy.audit()
