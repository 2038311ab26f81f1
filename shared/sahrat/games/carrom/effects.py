"""What a row of rule K5 says at a table with these options (rule K7)."""

from __future__ import annotations

from dataclasses import replace

from sahrat.games.carrom.messages import FoulReason, Queen, Row
from sahrat.games.carrom.options import CarromOptions
from sahrat.games.carrom.outcomes import EFFECTS, Effect, Shown, Turn


def effect_of(row: Row, shown: Shown, own: int, options: CarromOptions) -> Effect:
    """Return what a row says at a table with these options, where so many own coins fell."""
    effect = EFFECTS[row]
    if shown.striker:
        return _with_striker(effect, shown, own, options)
    if row in ("Q3", "Q4", "Q7"):
        effect = _with_queen(effect, shown, own, options)
    elif row == "Q1" and options.early_queen_turn == "again":
        effect = Effect("held", "again")
    elif effect.foul is not None and options.last_coin_early == "lose_board":
        effect = _lost(effect.foul, shown)  # all other fouls are a last coin too early
    elif shown.held and effect.turn == "again":
        effect = replace(effect, queen="held")
    return _with_other(effect, shown, options)


def _with_striker(effect: Effect, shown: Shown, own: int, options: CarromOptions) -> Effect:
    """Return what it means that the striker fell, alone or with coins."""
    keeps = options.striker_with_own == "keeps_turn" and own > 0
    turn: Turn = "again" if keeps else effect.turn
    effect = replace(effect, penalty=options.striker_penalty, turn=turn)
    if options.striker_with_opponent == "returns" or shown.other == "0":
        return effect
    if shown.other == "+":
        return replace(effect, other="none")
    if shown.before == "C":
        return replace(effect, other="none", turn="end", winner="other")
    if options.last_coin_early == "lose_board":
        return _lost("striker", shown)
    return replace(effect, other="last")


def _with_queen(effect: Effect, shown: Shown, own: int, options: CarromOptions) -> Effect:
    """Return what it means that own coins fell together with the queen."""
    if shown.before == "B0" and options.first_with_queen == "returns":
        return _too_early(shown) or Effect("board", "again")
    if options.same_shot_cover == "does_not_count" or (
        shown.before == "B0" and options.first_with_queen == "must_cover" and own == 1
    ):
        return _too_early(shown) or Effect("pending", "again")
    return effect


def _too_early(shown: Shown) -> Effect | None:
    """Return that last coins of the shot go back, and the queen with them; None if it has none."""
    match shown.own == "L", shown.other == "L":
        case True, True:
            return Effect("board", "pass", "last_of_both", own="last", other="last")
        case True, False:
            return Effect("board", "pass", "last_own", own="last")
        case False, True:
            return Effect("board", "pass", "last_other", other="last")
        case _:
            return None


def _lost(foul: FoulReason, shown: Shown) -> Effect:
    """Return that the board is lost by a last coin; nothing goes back, not the queen either."""
    queen: Queen = "held" if shown.held else "board"
    if shown.queen or shown.before == "P":
        queen = "pending"
    return Effect(queen, "end", foul, winner="other")


def _with_other(effect: Effect, shown: Shown, options: CarromOptions) -> Effect:
    """Return the same where coins of the opponent fall, with the striker still on the board."""
    match options.opponent_coin:
        case "returns":
            return replace(effect, other="all")
        case "stays_fine" if shown.other != "0" and effect.turn != "end" and effect.foul is None:
            return replace(effect, foul="other_coin", penalty=1)
        case _:
            return effect
