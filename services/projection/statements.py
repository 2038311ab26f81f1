"""The statements of the projection. Rows travel as one JSON array, whose keys are `rows`'
fields; only the records' bytes go as they are.

Unqualified names: the connection's search path says which schema is meant.
"""

from __future__ import annotations

from typing import Final

PLACES: Final = """
insert into projection_progress (topic, topic_partition)
select %s, generate_series(0, %s - 1)
on conflict do nothing
"""
PLACE: Final = """
select next_offset, high_cause_offset, digest from projection_progress
where topic = %s and topic_partition = %s
"""
FENCE: Final = """
select 1 from projection_progress
where topic = %s and topic_partition = %s and next_offset = %s
for update
"""
ADVANCE: Final = """
update projection_progress set next_offset = %s, high_cause_offset = %s, digest = %s
where topic = %s and topic_partition = %s and next_offset = %s
"""

VIEWS: Final = """
select
    asked.match_id, parked.match_id is not null,
    found.topic_partition, found.game, found.rules, found.options::text, found.seats,
    found.entry_coins, found.key_id, found.commitment, found.phase,
    (extract(epoch from found.opened_at) * 1000)::bigint,
    (extract(epoch from found.started_at) * 1000)::bigint,
    (extract(epoch from found.ended_at) * 1000)::bigint,
    found.end_reason, found.stopped_by, found.end_detail, found.secret, found.seq, found.digest,
    (
        select json_agg(
            json_build_array(
                seat, coalesce(player_id, ''), nickname, bot, has_left,
                (extract(epoch from sat_at) * 1000)::bigint
            ) order by sitter
        )
        from match_seats where match_seats.match_id = asked.match_id
    )
from unnest(%s::text[]) as asked (match_id)
left join matches as found on found.match_id = asked.match_id
left join parked_matches as parked on parked.match_id = asked.match_id
"""
DIGESTS: Final = """
select match_id, seq, encode(sha256(value), 'hex')
from records
join unnest(%s::text[], %s::bigint[]) as asked (match_id, seq) using (match_id, seq)
"""

RECORDS: Final = """
insert into records (match_id, seq, topic_partition, topic_offset, value)
select * from unnest(%s::text[], %s::bigint[], %s::smallint[], %s::bigint[], %b::bytea[])
"""

# What a match was opened with stays; the rest moves.
MATCHES: Final = """
insert into matches (
    match_id, topic_partition, game, rules, options, seats, entry_coins, key_id, commitment,
    phase, opened_at, started_at, ended_at, end_reason, stopped_by, end_detail, secret, seq, digest
)
select
    match_id, partition, game, rules, options::jsonb, size, entry_coins, key_id, commitment,
    phase,
    timestamptz 'epoch' + opened_ms * interval '1 millisecond',
    timestamptz 'epoch' + started_ms * interval '1 millisecond',
    timestamptz 'epoch' + ended_ms * interval '1 millisecond',
    end_reason, stopped_by, end_detail, secret, seq, digest
from jsonb_to_recordset(%s::jsonb) as row (
    match_id text, partition smallint, game text, rules text, options text, size smallint,
    entry_coins bigint, key_id text, commitment text, phase text, opened_ms bigint,
    started_ms bigint, ended_ms bigint, end_reason text, stopped_by text, end_detail text,
    secret text, seq bigint, digest text
)
on conflict (match_id) do update set
    phase = excluded.phase, started_at = excluded.started_at, ended_at = excluded.ended_at,
    end_reason = excluded.end_reason, stopped_by = excluded.stopped_by,
    end_detail = excluded.end_detail, secret = excluded.secret,
    seq = excluded.seq, digest = excluded.digest
"""

UNSEAT: Final = """
delete from match_seats using jsonb_to_recordset(%s::jsonb) as row (match_id text)
where match_seats.match_id = row.match_id
"""
SEAT: Final = """
insert into match_seats (match_id, sitter, seat, player_id, nickname, bot, has_left, sat_at)
select
    row.match_id, (sitter - 1)::smallint, (seat ->> 'seat')::smallint,
    nullif(seat ->> 'player_id', ''), seat ->> 'nickname', (seat ->> 'bot')::boolean,
    (seat ->> 'left')::boolean,
    timestamptz 'epoch' + (seat ->> 'sat_ms')::bigint * interval '1 millisecond'
from
    jsonb_to_recordset(%s::jsonb) as row (match_id text, seats jsonb),
    jsonb_array_elements(row.seats) with ordinality as seated (seat, sitter)
"""
STANDINGS: Final = """
insert into match_standings (match_id, seat, place)
select row.match_id, (standing ->> 0)::smallint, (standing ->> 1)::smallint
from
    jsonb_to_recordset(%s::jsonb) as row (match_id text, places jsonb),
    jsonb_array_elements(row.places) as standing
"""
PLAYED: Final = """
insert into player_matches (
    player_id, match_id, seat, game, entry_coins, started_at, ended_at, end_reason, place,
    ended_as_bot
)
select
    seat ->> 'player_id', row.match_id, (seat ->> 'seat')::smallint, game, entry_coins,
    timestamptz 'epoch' + started_ms * interval '1 millisecond',
    timestamptz 'epoch' + ended_ms * interval '1 millisecond',
    end_reason,
    (
        select (standing ->> 1)::smallint from jsonb_array_elements(places) as standing
        where standing -> 0 = seat -> 'seat'
    ),
    case when ended_ms is not null then (seat ->> 'bot')::boolean end
from
    jsonb_to_recordset(%s::jsonb) as row (
        match_id text, game text, entry_coins bigint, started_ms bigint, ended_ms bigint,
        end_reason text, seats jsonb, places jsonb
    ),
    jsonb_array_elements(row.seats) as seat
where seat ->> 'player_id' <> ''
on conflict (player_id, match_id) do update set
    ended_at = excluded.ended_at, end_reason = excluded.end_reason, place = excluded.place,
    ended_as_bot = excluded.ended_as_bot
"""
PARKED: Final = """
insert into parked_matches (match_id, topic_partition, topic_offset, reason, appended_at)
select
    match_id, partition, "offset", reason,
    timestamptz 'epoch' + appended_ms * interval '1 millisecond'
from jsonb_to_recordset(%s::jsonb) as row (
    match_id text, partition smallint, "offset" bigint, reason text, appended_ms bigint
)
"""
UNREADABLE: Final = """
insert into unreadable_records (
    topic, topic_partition, topic_offset, reason, detail, appended_at
)
select
    topic, partition, "offset", reason, detail,
    timestamptz 'epoch' + appended_ms * interval '1 millisecond'
from jsonb_to_recordset(%s::jsonb) as row (
    topic text, partition smallint, "offset" bigint, reason text, detail text,
    appended_ms bigint
)
"""
