"""Why an intent is refused: the closed list, in the order in which the checks are made."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Reason(StrEnum):
    """Wire values, only ever added to. The order of definition is the order of the checks."""

    # The gateway, before anything is written.
    TOO_LARGE = "too_large"
    BAD_JSON = "bad_json"
    UNKNOWN_TYPE = "unknown_type"
    UNKNOWN_FIELD = "unknown_field"
    MISSING_FIELD = "missing_field"
    WRONG_TYPE = "wrong_type"
    OUT_OF_BOUNDS = "out_of_bounds"
    NOT_SIGNED_IN = "not_signed_in"
    TOO_FAST = "too_fast"
    BAD_NICKNAME = "bad_nickname"
    NOT_IN_CONTROL = "not_in_control"
    NOT_ENOUGH_COINS = "not_enough_coins"
    HOUSE_BUSY = "house_busy"
    # Rules, in this order for every intent.
    UNREADABLE = "unreadable"
    PARKED = "parked"
    LATE = "late"
    WRONG_SENDER = "wrong_sender"
    UNKNOWN_RULES = "unknown_rules"
    STALE_OPENING = "stale_opening"
    MATCH_EXISTS = "match_exists"
    BAD_OPTIONS = "bad_options"
    BAD_ENTRY = "bad_entry"
    UNKNOWN_MATCH = "unknown_match"
    NOT_DUE = "not_due"
    NO_CAUSE = "no_cause"
    STALE_LINE = "stale_line"
    ALREADY_SEATED = "already_seated"
    NOT_OPEN = "not_open"
    TABLE_FULL = "table_full"
    NOT_SEATED = "not_seated"
    NOT_PLAYING = "not_playing"
    STALE_STEP = "stale_step"
    STALE_FUNDING = "stale_funding"
    NOT_YOUR_TURN = "not_your_turn"
    SEAT_NOT_BOT = "seat_not_bot"
    SEAT_IS_BOT = "seat_is_bot"
    WRONG_GAME = "wrong_game"
    BAD_NUMBER = "bad_number"
    # A game's own.
    ROLL_FIRST = "roll_first"
    MOVE_EXPECTED = "move_expected"
    ILLEGAL_MOVE = "illegal_move"
    STRIKER_OFF_LINE = "striker_off_line"
    STRIKER_ON_COIN = "striker_on_coin"
    BAD_DIRECTION = "bad_direction"
    NOT_FORWARD = "not_forward"
    BAD_SPEED = "bad_speed"
    # The game raised: a fault of ours. The match is unchanged.
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Refused:
    """The answer to an intent that may not happen; `detail` is for people."""

    reason: Reason
    detail: str = ""
