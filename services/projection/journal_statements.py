"""The statements of the journal's read models, in the manner of `statements`."""

from __future__ import annotations

from typing import Final

DIGESTS: Final = "select entry, digest from journal_entries where entry = any(%s::bigint[])"
HOLDS: Final = """
select match_id, attempt, player_id, amount_coins, held_entry
from holds where outcome is null and match_id = any(%s::text[])
order by match_id, player_id
"""
PURSES: Final = """
select account, coins, held_coins from accounts where account = any(%s::text[])
"""

ENTRIES: Final = """
insert into journal_entries (
    entry, topic_offset, appended_at, command_offset, command_id, kind, match_id, cause, command,
    reason, short, digest
)
select
    entry, "offset", timestamptz 'epoch' + appended_ms * interval '1 millisecond', command_offset,
    command_id, kind, match_id, cause::jsonb, command::jsonb, reason, short, digest
from jsonb_to_recordset(%s::jsonb) as row (
    entry bigint, "offset" bigint, appended_ms bigint, command_offset bigint, command_id text,
    kind text, match_id text, cause text, command text, reason text, short text[], digest text
)
"""
POSTINGS: Final = """
insert into postings (entry, posting, source, destination, coins)
select entry, posting, source, destination, coins
from jsonb_to_recordset(%s::jsonb) as row (
    entry bigint, posting smallint, source text, destination text, coins bigint
)
"""
ACCOUNTS: Final = """
insert into accounts (account, coins, held_coins, entry)
select account, coins, held_coins, entry
from jsonb_to_recordset(%s::jsonb) as row (
    account text, coins bigint, held_coins bigint, entry bigint
)
on conflict (account) do update set
    coins = excluded.coins, held_coins = excluded.held_coins, entry = excluded.entry
"""
CLOSED: Final = """
delete from accounts using jsonb_to_recordset(%s::jsonb) as row (account text)
where accounts.account = row.account
"""
HELD: Final = """
insert into holds (
    match_id, attempt, player_id, amount_coins, held_entry, outcome, closed_entry
)
select match_id, attempt, player_id, amount_coins, held_entry, outcome, closed_entry
from jsonb_to_recordset(%s::jsonb) as row (
    match_id text, attempt bigint, player_id text, amount_coins bigint, held_entry bigint,
    outcome text, closed_entry bigint
)
on conflict (match_id, attempt, player_id) do update set
    outcome = excluded.outcome, closed_entry = excluded.closed_entry
"""
CHANGES: Final = """
insert into wallet_changes (
    player_id, entry, available_change_coins, held_change_coins, available_coins, held_coins
)
select player_id, entry, available_change, held_change, available, held
from jsonb_to_recordset(%s::jsonb) as row (
    player_id text, entry bigint, available_change bigint, held_change bigint, available bigint,
    held bigint
)
"""
