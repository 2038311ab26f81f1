"""W1 to W8: any commands in any order, repeated and forged ones too, against a naive model.

The model keeps purses and piles of coins, and knows rule M as its page says it.
"""

from dataclasses import dataclass, field
from math import floor
from typing import Final

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from sahrat.ledger import snapshot
from sahrat.ledger.decide import Dropped
from sahrat.ledger.journal import Book
from sahrat.ledger.laws import check_all
from sahrat.ledger.state import DAY_MS
from sahrat.messages import wallet as w
from tests.unit.ledger.desk import Desk, granting, match, player, refunding, welcoming

R = w.WalletReason
WHO: Final = 5
MATCHES: Final = 4
AGAIN: Final = 10

whos = st.integers(0, WHO - 1)
matches = st.integers(1, MATCHES)
stales = st.sampled_from([False, False, False, True])
some = st.lists(whos, min_size=2, max_size=4, unique=True)
entries = st.sampled_from([10, 15, 33, 100, 250, 1000])


@dataclass
class Model:
    """Purses, piles and the house's box."""

    purses: dict[int, int] = field(default_factory=dict)
    piles: dict[int, tuple[int, int, list[int]]] = field(default_factory=dict)
    box: int = 0
    given: int = 0
    over: list[int] = field(default_factory=list)
    stopped: list[int] = field(default_factory=list)
    welcomed: list[int] = field(default_factory=list)
    earned: dict[tuple[int, int], int] = field(default_factory=dict)

    def give(self, who: int, coins: int) -> None:
        self.purses[who] = self.purses.get(who, 0) + coins
        self.given += coins

    def back(self, n: int) -> None:
        _, entry, players = self.piles.pop(n)
        for who in players:
            self.purses[who] += entry


def prizes_of(entry: int, order: list[int], stayed: int) -> tuple[int, list[tuple[int, int]]]:
    """The fee, and who of those in order gets what, if so many have stayed to the end."""
    pot = entry * len(order)
    fee = floor(pot / 10)
    net = pot - fee
    second = floor(net * 30 / 100)
    if len(order) == 2 or stayed == 1:
        return fee, [(order[0], net)]
    return fee, [(order[0], net - second), (order[1], second)]


class Wallet(RuleBasedStateMachine):
    """Each rule asks the ledger for something, and the model knows what must come of it."""

    def __init__(self) -> None:
        super().__init__()
        self.desk = Desk()
        self.model = Model()
        self.seqs: dict[int, int] = {}
        self.grants = 0
        self.told = Book()
        self.folded = 0

    def seq(self, n: int) -> int:
        self.seqs[n] = self.seqs.get(n, 10) + 1
        return self.seqs[n]

    def expect(self, entry: w.JournalEntry, reason: w.WalletReason | None) -> bool:
        assert entry.reason is reason, entry
        assert bool(entry.postings) == (reason is None)
        return reason is None

    @initialize(coins=st.integers(10, 500))
    def begin(self, coins: int) -> None:
        for who in range(3):
            self.grant(who, coins)

    # ---- what people ask for

    @rule(who=whos, coins=st.integers(1, 3000))
    def grant(self, who: int, coins: int) -> None:
        self.grants += 1
        assert self.expect(self.desk.grant(who, coins, n=self.grants), None)
        self.model.give(who, coins)

    @rule(who=whos)
    def welcome(self, who: int) -> None:
        outcome = self.desk.put(welcoming(who))
        if who in self.model.welcomed:
            assert isinstance(outcome, Dropped)
        else:
            assert isinstance(outcome, w.JournalEntry)
            assert outcome.reason is None
            self.model.welcomed.append(who)
            self.model.give(who, 1000)

    @rule(who=whos, coins=st.integers(1, 50))
    def grant_again_with_other_words(self, who: int, coins: int) -> None:
        self.grant(who, coins)
        for other in (
            granting(who, coins + 1, self.grants),
            granting(who, coins, self.grants, "x"),
        ):
            self.expect(self.desk.entry(other), R.ID_REUSED)

    @rule(n=matches)
    def operator_refunds(self, n: int) -> None:
        outcome = self.desk.put(refunding(n))
        if n in self.model.stopped:
            assert isinstance(outcome, Dropped)
            return
        assert isinstance(outcome, w.JournalEntry)
        reason = R.ALREADY_SETTLED if n in self.model.over else None
        if self.expect(outcome, reason or (None if n in self.model.piles else R.NOTHING_HELD)):
            self.model.back(n)
            self.model.over.append(n)
            self.model.stopped.append(n)

    # ---- what matches ask for

    @rule(n=matches, entry=entries, who=some, another=st.booleans())
    def fund(self, n: int, entry: int, who: list[int], another: bool) -> None:
        while another and n in self.model.over:
            n += MATCHES
        attempt, model = self.seq(n), self.model
        short = [one for one in who if model.purses.get(one, 0) < entry]
        held = self.desk.hold(n, entry, *who, attempt=attempt)
        if n in model.over:
            self.expect(held, R.ALREADY_SETTLED)
        elif n in model.piles:
            self.expect(held, R.ALREADY_HELD)
        elif self.expect(held, R.NOT_ENOUGH if short else None):
            model.piles[n] = (attempt, entry, who)
            for one in who:
                model.purses[one] -= entry
        else:
            assert held.short == tuple(player(one) for one in short)

    @rule(n=matches, entry=entries, who=some)
    def fund_for_certain(self, n: int, entry: int, who: list[int]) -> None:
        for one in who:
            if self.model.purses.get(one, 0) < entry:
                self.grant(one, entry)
        self.fund(n, entry, who, another=True)

    @rule(n=matches, stale=stales)
    def release(self, n: int, stale: bool) -> None:
        n = self.aim(n)
        attempt, seq = self.attempt(n, stale), self.seq(n)
        asked = w.ReleaseEntries(match_id=match(n), attempt=attempt)
        wanted = None if n in self.model.piles and not stale else R.NOTHING_HELD
        if self.expect(self.desk.ask(asked, seq), wanted):
            self.model.back(n)

    @rule(n=matches, stale=stales)
    def stop(self, n: int, stale: bool) -> None:
        n = self.aim(n)
        attempt, seq = self.attempt(n, stale), self.seq(n)
        asked = w.RefundEntries(match_id=match(n), attempt=attempt)
        if self.expect(self.desk.ask(asked, seq), self.end_of(n, stale)):
            self.model.back(n)
            self.model.over.append(n)

    @rule(data=st.data(), n=matches, error=st.sampled_from([0, 0, 0, 1, -1]), stale=stales)
    def end(self, data: st.DataObject, n: int, error: int, stale: bool) -> None:
        if not self.model.piles:
            return
        n = self.aim(n)
        _, entry, players = self.model.piles[n]
        order = data.draw(st.permutations(players))
        stayed = data.draw(st.integers(1, len(order)))
        fee, prizes = prizes_of(entry, order, stayed)
        attempt, seq = self.attempt(n, stale), self.seq(n)
        asked = w.SettleEntries(
            match_id=match(n),
            attempt=attempt,
            fee_coins=fee,
            prizes=tuple(
                w.PlayerCoins(player_id=player(who), coins=coins + (error if at == 0 else 0))
                for at, (who, coins) in enumerate(prizes)
            ),
        )
        wanted = self.end_of(n, stale) or (R.BAD_AMOUNTS if error else None)
        if self.expect(self.desk.ask(asked, seq), wanted):
            del self.model.piles[n]
            self.model.box += fee
            for who, coins in prizes:
                self.model.purses[who] += coins
            self.model.over.append(n)

    @rule(who=some, places=st.lists(st.sampled_from([5, 20]), min_size=4, max_size=4))
    def earn(self, who: list[int], places: list[int]) -> None:
        n = 1000 + len(self.desk.sent)
        day = self.desk.now_ms // DAY_MS
        paid = self.desk.reward(n, *zip(who, places, strict=False))
        fits = {}
        for one, coins in zip(who, places, strict=False):
            had = self.model.earned.get((one, day), 0)
            if min(coins, 200 - had) > 0:
                fits[one] = min(coins, 200 - had)
        if self.expect(paid, None if fits else R.DAY_IS_FULL):
            assert [p.coins for p in paid.postings] == list(fits.values())
            for one, coins in fits.items():
                self.model.earned[one, day] = self.model.earned.get((one, day), 0) + coins
                self.model.give(one, coins)

    # ---- faults

    @rule(data=st.data())
    def again(self, data: st.DataObject) -> None:
        """A router sends again what it has sent, from anywhere on; nothing is left of it."""
        before = list(self.desk.values)
        sent = list(self.desk.sent)
        first = data.draw(st.integers(0, len(sent) - 1))
        for command in sent[first : first + AGAIN]:
            if isinstance(command.cause, w.MatchCause):
                assert isinstance(self.desk.put(command), Dropped)
        assert self.desk.values == before

    @rule(n=matches, who=some)
    def forge(self, n: int, who: list[int]) -> None:
        """Coins for oneself, in an operator's name or a match's."""
        players = tuple(player(one) for one in who)
        holds = w.HoldEntries(match_id=match(n), attempt=3, entry_coins=10, players=players)
        cause = w.OperatorCause(operator="mallory", reason="mine")
        forged = w.WalletCommand(id=f"hold:{match(n)}:3", cause=cause, command=holds)
        self.expect(self.desk.entry(forged), R.WRONG_CAUSE)

    @rule()
    def start_again(self) -> None:
        """A new owner goes on from a snapshot, and whoever follows the journal holds the same."""
        for value in self.desk.values[self.folded :]:
            entry = w.JOURNAL.decode(value)
            assert isinstance(entry, w.JournalEntry)
            assert self.told.take(entry, value) is not None
        self.folded = len(self.desk.values)
        assert self.told.state == self.desk.book.state
        if self.folded:
            self.desk.book = Book(snapshot.load(snapshot.dump(self.told.state)))

    @rule(hours=st.integers(1, 7))
    def wait(self, hours: int) -> None:
        """So little that no match is forgotten in a run of sixty steps, on the average."""
        if self.desk.now_ms + hours * 3_600_000 < Desk().now_ms + 2 * DAY_MS:
            self.desk.now_ms += hours * 3_600_000

    # ---- what the model knows

    def aim(self, n: int) -> int:
        """A match of which something is held, if there is one."""
        piles = list(self.model.piles)
        return piles[n % len(piles)] if piles else n

    def attempt(self, n: int, stale: bool) -> int:
        right = self.model.piles[n][0] if n in self.model.piles else 3
        return right - 1 if stale else right

    def end_of(self, n: int, stale: bool) -> w.WalletReason | None:
        if n in self.model.over:
            return R.ALREADY_SETTLED
        return None if n in self.model.piles and not stale else R.NOTHING_HELD

    @invariant()
    def the_ledger_is_the_model(self) -> None:
        state, model = self.desk.book.state, self.model
        check_all(state)
        for who in range(WHO):
            assert state.available(player(who)) == model.purses.get(who, 0)
            held = {match(n): p[1] for n, p in model.piles.items() if who in p[2]}
            assert state.held(player(who)) == held
        piles = sum(entry * len(players) for _, entry, players in model.piles.values())
        assert state.balances.get(w.FEE, 0) == model.box
        assert -state.balances.get(w.GRANTS, 0) == model.given
        assert sum(model.purses.values()) + piles + model.box == model.given


TestWallet = Wallet.TestCase
TestWallet.settings = settings(max_examples=200, stateful_step_count=60, deadline=None)
