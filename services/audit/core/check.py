"""One entry of the journal against the laws, its command and the record that this comes from."""

from __future__ import annotations

from sahrat.messages import wallet as w
from services.audit.core.books import Books, Move, Outcome, course
from services.audit.core.fault import Fault, Law, Place
from services.audit.core.table import Ask

R = w.WalletReason
_REASONS: dict[w.WalletReason, Law] = {
    R.WRONG_CAUSE: "W8",
    R.ID_REUSED: "W8",
    R.ALREADY_SETTLED: "W4",
    R.ALREADY_HELD: "W3",
    R.NOTHING_HELD: "W3",
    R.NOT_ENOUGH: "W2",
    R.DAY_IS_FULL: "M2",
    R.TOO_MUCH: "W1",
}


def match_of(command: w.Command) -> str | None:
    """Return the match that a command is about."""
    return None if isinstance(command, w.GrantCoins) else command.match_id


def check_command(entry: w.JournalEntry, command: w.WalletCommand, at_ms: int) -> None:
    """Check that an entry is of the command which stands at its offset.

    Raises:
        Fault: W8.
    """
    said = w.WalletCommand(id=entry.id, cause=entry.cause, command=entry.command)
    if said != command:
        names = [n for n in ("id", "cause", "command") if getattr(said, n) != getattr(command, n)]
        raise _fault(entry, "W8", f"{' and '.join(names)} not as in the command at {entry.offset}")
    if entry.at_ms != at_ms:
        raise _fault(entry, "W8", f"says {entry.at_ms} ms, its command was stored at {at_ms} ms")


def check_record(entry: w.JournalEntry, ask: Ask | None, books: Books) -> None:
    """Check that a match's command is what the record asks that it names.

    Args:
        entry: Of a match's command.
        ask: What the record asks that has this cause; None: there is none.
        books: Before the entry.

    Raises:
        Fault: It is not: which law, by what it does.
    """
    asked = entry.command
    if isinstance(asked, w.GrantCoins) or not isinstance(entry.cause, w.MatchCause):
        raise _fault(entry, "W8", "a grant that no person has given")
    if ask is not None and (ask.cause, ask.id, ask.command) == (entry.cause, entry.id, asked):
        return
    ends = w.SettleEntries | w.RefundEntries | w.RewardPlayers
    if entry.reason is None and isinstance(asked, ends) and books.is_closed(asked.match_id):
        raise _fault(
            entry, "W4", "the match was settled, refunded or rewarded before, and no record asks"
        )
    if ask is None or ask.cause.match_id != entry.cause.match_id:
        raise _fault(entry, "W8", "no record of the match asks for this")
    if ask.cause != entry.cause:
        raise _fault(entry, "W8", f"its record is {ask.cause}, not {entry.cause}")
    if type(ask.command) is not type(asked):
        law: Law = "W4" if isinstance(ask.command, ends) and isinstance(asked, ends) else "W8"
        raise _fault(entry, law, f"it does a {asked.type}, its record asks for {ask.command.type}")
    raise _fault(entry, law_of(asked), f"its record asks for {ask.id}: {ask.command}")


def check_entry(entry: w.JournalEntry, outcome: Outcome, books: Books) -> None:
    """Check what an entry moves and says.

    Args:
        entry: The entry.
        outcome: What its command must come to.
        books: Before it.

    Raises:
        Fault: A law is broken.
    """
    said = {balance.account: balance.coins for balance in entry.balances}
    moves = [(p.source, p.destination, p.coins) for p in entry.postings]
    after, below = course(books.coins, moves)
    if below.startswith("player:"):  # a hold's is told by what is paid out of it: see `law_of`
        raise _fault(entry, "W2", f"{below} is below zero")
    law = _law_of_reasons(entry, outcome)
    if law is not None:
        raise _fault(entry, law, f"{_told(entry.reason)}, must be {_told(outcome.reason)}")
    if tuple(moves) != outcome.moves:
        raise _fault(entry, law_of(entry.command), _difference(moves, outcome.moves))
    for account, coins in said.items():
        if coins < 0 and account != w.GRANTS:
            raise _fault(entry, "W2", f"{account} is said to have {coins}")
    if entry.short != outcome.short:
        raise _fault(entry, "W2", f"short are {outcome.short}, said are {entry.short}")
    change = sum(coins - books.coins.get(account, 0) for account, coins in said.items())
    if books.total + change:
        raise _fault(entry, "W1", f"all accounts are {books.total + change} together, not 0")
    if [*said.items()] != [*after.items()] or len(said) != len(entry.balances):
        raise _fault(entry, "W8", f"balances are said as {said}, the postings make {after}")


def law_of(command: w.Command) -> Law:
    """Return the law that a command of this kind breaks by moving something else."""
    match command:
        case w.HoldEntries():
            return "W3"
        case w.SettleEntries():
            return "W5"
        case w.ReleaseEntries() | w.RefundEntries():
            return "W6"
        case w.RewardPlayers():
            return "M2"
        case w.GrantCoins():
            return "W8"


def _law_of_reasons(entry: w.JournalEntry, outcome: Outcome) -> Law | None:
    if entry.reason == outcome.reason:
        return None
    if outcome.reason is not None:
        return _REASONS.get(outcome.reason, "W8")
    return law_of(entry.command)


def _told(reason: w.WalletReason | None) -> str:
    return "it moves coins" if reason is None else f"it is refused as {reason.value}"


def _difference(are: list[Move], due: tuple[Move, ...]) -> str:
    for number, (one, other) in enumerate(zip(are, due, strict=False), 1):
        if one != other:
            return f"posting {number} is {_move(one)}, due is {_move(other)}"
    return f"it has {len(are)} postings, due are {len(due)}"


def _move(move: Move) -> str:
    return f"{move[2]} from {move[0]} to {move[1]}"


def _fault(entry: w.JournalEntry, law: Law, what: str) -> Fault:
    record = entry.cause.seq if isinstance(entry.cause, w.MatchCause) else None
    return Fault(law, what, Place(entry.entry, match_of(entry.command), record))
