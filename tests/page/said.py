"""What `sahrat verify` says where the Verify page has a word of its own."""

from __future__ import annotations

from typing import Final

BY_THE_RULES: Final = r"against the rules|by the rules it is|events, \d+ are due|can't follow"
"""What only `sahrat verify` says, which plays the game again."""
SAYS: Final = {
    "bom": "record 1 was changed: a byte order mark stands before it",
    "blank": "a blank line stands where record {record} is due",
    "twice": "record {record} is there twice, again where record {due} is due",
    "outOfPlace": "record {record} stands where record {due} is due, which comes after it",
    "missing": "record {record} is missing",
    "missingMany": "records {record} to {last} are missing",
    "notFirst": "record 1 is not the first of a match, or was changed",
    "changed": "record {record} was changed: its digest and what it continues do not fit",
    "changedBefore": "record {record} was changed: record {next} names another digest",
    "changedOrNext": (
        "record {record} was changed, or the digest that record {next} names: they do not fit"
    ),
    "head": "record {record} was changed or is not the last: its digest is not {head}",
    "unreadable": "record {record} can't be read: ",
    "otherBytes": "record {record} was changed: the house writes the same in other bytes",
    "number": "record {record} has the number {says}",
    "otherMatch": "record {record} belongs to another match, or to other rules",
    "earlier": "record {record} comes from an intent before that of record ",
    "otherPartition": "record {record} comes from a partition where its match is not",
    "goesOn": "record {record} ends the match, but it goes on",
    "unknownRules": "record 1: the rules {rules} are not known here",
    "notOpened": "record 1 does not open a table",
    "commitment": "the secret in the last record is not the one that record 1 commits to: ",
    "freedNobody": "record {record}: who got up did not sit there",
    "seating": "record {record}",
    "deal": "record {record}: the seats were dealt otherwise",
    "beforePlay": "record {record}: played before play began",
    "rollIndex": "record {record}: roll {index} where roll {due} is due",
    "roll": "record {record}: roll {index} of seat {seat} says {shown}, and the secret gives {due}",
    "shot": "record {record}",
    "start": "record {record} says {game}.start_decided ",
    "time": "record {record}",
    "sameIntent": "record {record} comes from the intent of record {first}",
    "sender": "record {record}",
    "numberGiven": "record {record}: {game}.",
    "numberMissing": "record {record}: {game}.",
    "places": "record {record} says match.ended ",
    "prizes": "record {record} says entries.settled ",
}
"""How the command begins what the page has a word for."""

ALIKE: Final = {"otherBytes": ["otherBytes", "unreadable"]}
"""JavaScript reads `1.0` and a field that is left out, and finds them when it writes them again."""
