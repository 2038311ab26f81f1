-- 0008_analysts.sql: what analysts read: matches that are over, and nothing of those that are on.
-- All are views, so that they stand where the read models stand and a rebuild makes them anew.
-- `security_barrier`: no condition of a reader's is tried on a row of a match that is on, where an
-- error could tell of it. `day` is the UTC day on which a match ended: by it, and by match_id, a
-- reader's condition reaches the tables through each view; a whole match belongs to one day.
-- A record is searched for an event's name before it is parsed, which halves the time.

create index matches_by_day on matches (((ended_at at time zone 'UTC')::date))
    where ended_at is not null;

create view log_positions as
select topic, topic_partition, next_offset from projection_progress;

create view ended_matches with (security_barrier) as
select
    match_id, (ended_at at time zone 'UTC')::date as day, game, rules,
    phase as outcome, end_reason, seats, entry_coins,
    coalesce(options ->> 'teams' = 'on' or options ->> 'players' = '2v2', false) as partners,
    opened_at, started_at, ended_at,
    (extract(epoch from ended_at - started_at) * 1000)::bigint as play_ms,
    seq as records, commitment, secret
from matches
where ended_at is not null;

create view ended_seats with (security_barrier) as
select
    ended.match_id, (ended.ended_at at time zone 'UTC')::date as day, ended.game,
    ended.entry_coins, seated.seat,
    case ended.game
        when 'ludo' then (array['red', 'green', 'yellow', 'blue'])[seated.seat + 1]
        when 'pachisi' then (array['yellow', 'red', 'black', 'green'])[seated.seat + 1]
    end as colour,
    seated.player_id, seated.bot as ended_as_bot, seated.has_left, seated.sat_at, standing.place,
    (
        select sum(change.available_change_coins)::bigint
        from journal_entries as entered
        join wallet_changes as change on change.entry = entered.entry
        where entered.match_id = ended.match_id and change.player_id = seated.player_id
    ) as net_coins
from matches as ended
join match_seats as seated on seated.match_id = ended.match_id
left join match_standings as standing
    on standing.match_id = ended.match_id and standing.seat = seated.seat
where ended.ended_at is not null and ended.started_at is not null;

create view match_options with (security_barrier) as
select
    match_id, (ended_at at time zone 'UTC')::date as day, game, rules, phase as outcome,
    chosen.key as option, chosen.value
from matches
cross join lateral jsonb_each_text(options) as chosen
where ended_at is not null;

create view steps with (security_barrier) as
with marked as (
    select
        ended.match_id, (ended.ended_at at time zone 'UTC')::date as day, ended.game,
        case when ended.options ->> 'two_colours' = 'on' then 2 else 4 end as seats,
        stored.seq, stored.seq = ended.seq as is_last,
        (record ->> 'at_ms')::bigint as at_ms, record #>> '{caused_by,sender}' as sender,
        (opened ->> 'step')::bigint as step, (opened ->> 'seat')::smallint as seat,
        (opened ->> 'deadline_ms')::bigint as deadline_ms,
        case
            when position('"type":"step.timed_out"'::bytea in stored.value) > 0 then 'clock'
            when position('"type":"match.stopped"'::bytea in stored.value) > 0 then 'stop'
            when position('"type":"player.left"'::bytea in stored.value) > 0 then 'leaver'
        end as special,
        position('"type":"match.resumed"'::bytea in stored.value) > 0 as resumed
    from matches as ended
    join records as stored on stored.match_id = ended.match_id
    cross join lateral (select convert_from(stored.value, 'UTF8')::jsonb offset 0) as parsed (record)
    cross join lateral (
        select jsonb_path_query_first(record, '$.events[*] ? (@.type == "step.opened")') offset 0
    ) as found (opened)
    where ended.ended_at is not null and ended.started_at is not null
        and (
            position('"type":"step.opened"'::bytea in stored.value) > 0
            or position('"type":"match.resumed"'::bytea in stored.value) > 0
            or stored.seq = ended.seq
        )
), counted as (
    select *, count(*) filter (where resumed) over turns as resumes
    from marked
    window turns as (partition by day, match_id order by seq)
), followed as (
    select
        *, lead(at_ms) over turns as next_ms, lead(sender) over turns as next_sender,
        lead(special) over turns as next_special, lead(resumes) over turns as next_resumes
    from counted
    where step is not null or is_last
    window turns as (partition by day, match_id order by seq)
)
select
    followed.match_id, followed.day, followed.game, followed.step, followed.seat,
    seated.player_id,
    timestamptz 'epoch' + at_ms * interval '1 millisecond' as opened_at,
    timestamptz 'epoch' + deadline_ms * interval '1 millisecond' as deadline_at,
    timestamptz 'epoch' + next_ms * interval '1 millisecond' as ended_at,
    case
        when next_special is not null then next_special
        when next_sender = 'player:' || seated.player_id then 'player'
        when next_sender = 'system:bots' then 'bot'
        else 'other'
    end as ended_by,
    next_ms - at_ms as taken_ms,
    next_resumes > resumes as house_stood_still
from followed
left join match_seats as seated
    on seated.match_id = followed.match_id and seated.seat = followed.seat % followed.seats
where step is not null;

create view thinking_times as
select match_id, day, game, step, seat, player_id, opened_at, taken_ms as thinking_ms
from steps
where ended_by = 'player' and not house_stood_still;

create view rolls with (security_barrier) as
select
    ended.match_id, (ended.ended_at at time zone 'UTC')::date as day, ended.game,
    (event ->> 'index')::bigint as roll, (event ->> 'seat')::smallint as seat, seated.player_id,
    timestamptz 'epoch' + (record ->> 'at_ms')::bigint * interval '1 millisecond' as rolled_at,
    case
        when event ->> 'type' like '%.start\_%' then 'start'
        when record #>> '{caused_by,sender}' like 'player:%' then 'player'
        when record #>> '{caused_by,sender}' = 'system:bots' then 'bot'
        else 'clock'
    end as rolled_by,
    case when ended.game = 'ludo' then 'die' else 'cowries_' || (event ->> 'shells') end as dice,
    coalesce(event ->> 'mouths', event ->> 'value')::smallint as outcome,
    case
        when ended.game = 'ludo' then 1 / 6::float8
        else (
            select factorial(shells) / (factorial(mouths) * factorial(shells - mouths))
            from (select (event ->> 'shells')::int, (event ->> 'mouths')::int)
                as thrown (shells, mouths)
        )::float8 / 2 ^ (event ->> 'shells')::int
    end as probability,
    (event ->> 'value')::smallint as value, event ->> 'number' as number
from matches as ended
join records as stored on stored.match_id = ended.match_id
cross join lateral (select convert_from(stored.value, 'UTF8')::jsonb offset 0) as parsed (record)
cross join lateral jsonb_array_elements(record -> 'events') as listed (event)
left join match_seats as seated
    on seated.match_id = ended.match_id
    and seated.seat = (event ->> 'seat')::int
        % case when ended.options ->> 'two_colours' = 'on' then 2 else 4 end
where ended.ended_at is not null and ended.game in ('ludo', 'pachisi')
    and (
        position('rolled"'::bytea in stored.value) > 0
        or position('thrown"'::bytea in stored.value) > 0
    )
    and event ->> 'type' in (
        'ludo.rolled', 'ludo.start_rolled', 'pachisi.thrown', 'pachisi.start_thrown'
    );

create view captures with (security_barrier) as
select
    ended.match_id, (ended.ended_at at time zone 'UTC')::date as day, ended.game,
    ended.entry_coins, stored.seq,
    timestamptz 'epoch' + (record ->> 'at_ms')::bigint * interval '1 millisecond' as captured_at,
    (event ->> 'captor')::smallint as captor_seat, captor.player_id as captor_id,
    case
        when record #>> '{caused_by,sender}' like 'player:%' then 'player'
        when record #>> '{caused_by,sender}' = 'system:bots' then 'bot'
        else 'clock'
    end as captured_by,
    (event ->> 'seat')::smallint as victim_seat, victim.player_id as victim_id,
    coalesce(event ->> 'pawn', event ->> 'piece')::smallint as piece,
    (event ->> 'start')::smallint as start
from matches as ended
join records as stored on stored.match_id = ended.match_id
cross join lateral (select convert_from(stored.value, 'UTF8')::jsonb offset 0) as parsed (record)
cross join lateral jsonb_array_elements(record -> 'events') as listed (event)
cross join lateral (
    select case when ended.options ->> 'two_colours' = 'on' then 2 else 4 end
) as sitting (seats)
left join match_seats as captor
    on captor.match_id = ended.match_id and captor.seat = (event ->> 'captor')::int % sitting.seats
left join match_seats as victim
    on victim.match_id = ended.match_id and victim.seat = (event ->> 'seat')::int % sitting.seats
where ended.ended_at is not null and ended.game in ('ludo', 'pachisi')
    and position('captured"'::bytea in stored.value) > 0
    and event ->> 'type' in ('ludo.pawn_captured', 'pachisi.captured');

create view shots with (security_barrier) as
select
    ended.match_id, (ended.ended_at at time zone 'UTC')::date as day, stored.seq,
    (event ->> 'index')::bigint as shot, (event ->> 'seat')::smallint as seat, seated.player_id,
    timestamptz 'epoch' + (record ->> 'at_ms')::bigint * interval '1 millisecond' as shot_at,
    case
        when event ->> 'type' = 'carrom.striker_blocked' then 'nobody'
        when event ->> 'why' = 'clock' then 'clock'
        when record #>> '{caused_by,sender}' = 'system:bots' then 'bot'
        else 'player'
    end as shot_by,
    (event ->> 'x')::bigint as x_um, (event ->> 'dx')::bigint as dx, (event ->> 'dy')::bigint as dy,
    (event ->> 'speed')::bigint as speed_um_s,
    (rested ->> 'steps')::bigint as steps,
    (
        jsonb_array_length(rested -> 'pocketed') - (rested -> 'pocketed' @> '0')::int
    )::smallint as pocketed,
    rested -> 'pocketed' @> '0' as striker_fell,
    (judged ->> 'foul')::boolean as foul, judged ->> 'foul_reason' as foul_reason,
    judged ->> 'row' as judged_row, judged ->> 'queen' as queen
from matches as ended
join records as stored on stored.match_id = ended.match_id
cross join lateral (select convert_from(stored.value, 'UTF8')::jsonb offset 0) as parsed (record)
cross join lateral (
    select
        jsonb_path_query_first(record, '$.events[*] ? (@.type starts with "carrom.striker_")'),
        jsonb_path_query_first(record, '$.events[*] ? (@.type == "carrom.discs_rested")'),
        jsonb_path_query_first(record, '$.events[*] ? (@.type == "carrom.shot_judged")')
    offset 0
) as found (event, rested, judged)
left join match_seats as seated
    on seated.match_id = ended.match_id and seated.seat = (event ->> 'seat')::int
where ended.ended_at is not null and ended.game = 'carrom'
    and position('"type":"carrom.striker_'::bytea in stored.value) > 0;

create view coin_flows with (security_barrier) as
select
    entered.entry, moved.posting,
    (coalesce(ended.ended_at, entered.appended_at) at time zone 'UTC')::date as day,
    entered.appended_at as moved_at, entered.kind, entered.match_id,
    split_part(moved.source, ':', 1) as source,
    case when moved.source like 'player:%' then split_part(moved.source, ':', 2) end
        as source_player_id,
    split_part(moved.destination, ':', 1) as destination,
    case when moved.destination like 'player:%' then split_part(moved.destination, ':', 2) end
        as destination_player_id,
    moved.coins
from journal_entries as entered
join postings as moved on moved.entry = entered.entry
left join matches as ended on ended.match_id = entered.match_id
where entered.match_id is null or ended.ended_at is not null;

comment on view log_positions is 'Where the views stand: each record below next_offset is in them, if its match is over.';
comment on column log_positions.topic is 'The topic.';
comment on column log_positions.topic_partition is 'Its partition.';
comment on column log_positions.next_offset is 'The offset of the first record that is not in yet.';

comment on view ended_matches is 'Matches that are over: played to their end, stopped, or closed before play (rule T).';
comment on column ended_matches.match_id is 'UUIDv7: its order is that of opening.';
comment on column ended_matches.day is 'UTC day of the end.';
comment on column ended_matches.game is 'ludo, pachisi or carrom.';
comment on column ended_matches.rules is 'Game and version of its rules, such as ludo/2.';
comment on column ended_matches.outcome is 'ended: by its rules; stopped: by the house or an operator; closed: before play (rule T).';
comment on column ended_matches.end_reason is 'finished, or why it was stopped or closed.';
comment on column ended_matches.seats is 'Seats of the table.';
comment on column ended_matches.entry_coins is 'What each player paid to play, in coins; 0: a free table (rule M).';
comment on column ended_matches.partners is 'Two sides of two played; who spares his partner then does nothing wrong.';
comment on column ended_matches.opened_at is 'When the table was opened: append times of the log, as are all times.';
comment on column ended_matches.started_at is 'When play began; null: it never did.';
comment on column ended_matches.ended_at is 'When it was over.';
comment on column ended_matches.play_ms is 'From the beginning of play to its end, in ms; null without play.';
comment on column ended_matches.records is 'Records of the match in the log.';
comment on column ended_matches.commitment is 'To the secret of the dice (rule D.2).';
comment on column ended_matches.secret is 'Of the dice, in hex: public once the match is over (rule D.7).';

comment on view ended_seats is 'Who sat where in matches that were played and are over. Names are left out: an id is enough to count by.';
comment on column ended_seats.match_id is 'The match.';
comment on column ended_seats.day is 'UTC day of its end.';
comment on column ended_seats.game is 'Its game.';
comment on column ended_seats.entry_coins is 'Its entry, in coins; 0: a free table.';
comment on column ended_seats.seat is '0 to 3; dealt when play began (rule T.3).';
comment on column ended_seats.colour is 'The colour that the rules give this seat (L1, P5); null in Carrom.';
comment on column ended_seats.player_id is 'The player; null: a bot that filled the seat.';
comment on column ended_seats.ended_as_bot is 'A bot played the seat at the end (rules B, S.2).';
comment on column ended_seats.has_left is 'He got up, or lost the seat for good (rule S).';
comment on column ended_seats.sat_at is 'When he sat down.';
comment on column ended_seats.place is '1 is best; who drew shares one; null: stopped.';
comment on column ended_seats.net_coins is 'All that the journal moved for him in this match, in coins: prize or reward less entry; null: nothing, or the journal is not so far.';

comment on view match_options is 'The options of matches that are over, one a row.';
comment on column match_options.match_id is 'The match.';
comment on column match_options.day is 'UTC day of its end.';
comment on column match_options.game is 'Its game.';
comment on column match_options.rules is 'Game and version of its rules.';
comment on column match_options.outcome is 'As in ended_matches.';
comment on column match_options.option is 'Name of the option, as in the rules.';
comment on column match_options.value is 'What was chosen, as text.';

comment on view steps is 'Each time that a seat was awaited, and what ended it (rule K). A choice after a roll is a step of its own.';
comment on column steps.match_id is 'The match.';
comment on column steps.day is 'UTC day of its end.';
comment on column steps.game is 'Its game.';
comment on column steps.step is 'Number in the match, from 1.';
comment on column steps.seat is 'Who was awaited.';
comment on column steps.player_id is 'Whose seat it is; null: a bot''s.';
comment on column steps.opened_at is 'Append time of the intent that opened it.';
comment on column steps.deadline_at is 'When its time was to be over, as it was opened (rule K.1).';
comment on column steps.ended_at is 'Append time of the intent that ended it.';
comment on column steps.ended_by is 'player: he acted; bot: a bot for his seat; clock: the time was over (K.2); leaver: somebody left; stop; other.';
comment on column steps.taken_ms is 'From opened_at to ended_at, in ms.';
comment on column steps.house_stood_still is 'The house stood still meanwhile, and the time began afresh (rule K.4).';

comment on view thinking_times is 'How long players thought: steps that they ended themselves while the house ran. The way to and from the phone is in it.';
comment on column thinking_times.match_id is 'The match.';
comment on column thinking_times.day is 'UTC day of its end.';
comment on column thinking_times.game is 'Its game.';
comment on column thinking_times.step is 'As in steps.';
comment on column thinking_times.seat is 'As in steps.';
comment on column thinking_times.player_id is 'Who thought.';
comment on column thinking_times.opened_at is 'When he was first awaited.';
comment on column thinking_times.thinking_ms is 'In ms, between two append times.';

comment on view rolls is 'Every roll of a die and every throw of cowries (rule D.4), those that only said who starts too.';
comment on column rolls.match_id is 'The match.';
comment on column rolls.day is 'UTC day of its end.';
comment on column rolls.game is 'ludo or pachisi.';
comment on column rolls.roll is 'Index in the match, from 0: what the value is computed from.';
comment on column rolls.seat is 'The seat, which is the colour where a player has two (P5.6).';
comment on column rolls.player_id is 'Whose seat it is; null: a bot''s.';
comment on column rolls.rolled_at is 'Append time of the intent.';
comment on column rolls.rolled_by is 'player, bot, clock (the time was over, K.2), or start: for who starts.';
comment on column rolls.dice is 'die, or cowries_6 and cowries_7 by the number of shells.';
comment on column rolls.outcome is 'Of a die 1 to 6; of cowries how many lie mouth up.';
comment on column rolls.probability is 'Of this outcome with fair dice: 1/6, or binomial with 1/2.';
comment on column rolls.value is 'What the outcome is worth (rules L2, P2).';
comment on column rolls.number is 'The player''s own random number; empty: none was given (rule D.3).';

comment on view captures is 'Every pawn or piece that was sent back, one a row (rules L4, P4).';
comment on column captures.match_id is 'The match.';
comment on column captures.day is 'UTC day of its end.';
comment on column captures.game is 'ludo or pachisi.';
comment on column captures.entry_coins is 'Its entry, in coins; 0: a free table.';
comment on column captures.seq is 'Its record in the match.';
comment on column captures.captured_at is 'Append time of the intent.';
comment on column captures.captor_seat is 'Who captured.';
comment on column captures.captor_id is 'That player; null: a bot''s seat.';
comment on column captures.captured_by is 'player, bot or clock: what caused the record.';
comment on column captures.victim_seat is 'Whose it was.';
comment on column captures.victim_id is 'That player; null: a bot''s seat.';
comment on column captures.piece is 'Number of the pawn or piece, from 0.';
comment on column captures.start is 'Its progress before, in squares.';

comment on view shots is 'Every shot of Carrom. Lengths in the shooter''s frame.';
comment on column shots.match_id is 'The match.';
comment on column shots.day is 'UTC day of its end.';
comment on column shots.seq is 'Its record in the match.';
comment on column shots.shot is 'Index in the match, from 0.';
comment on column shots.seat is 'Who shot.';
comment on column shots.player_id is 'That player; null: a bot''s seat.';
comment on column shots.shot_at is 'Append time of the intent.';
comment on column shots.shot_by is 'player, bot, clock, or nobody: there was no place for the striker (K8).';
comment on column shots.x_um is 'Of the striker on its line, in um from the middle.';
comment on column shots.dx is 'With dy the direction, a vector of any length.';
comment on column shots.dy is 'See dx.';
comment on column shots.speed_um_s is 'Of the striker, in um/s.';
comment on column shots.steps is 'How long it ran, in 1/256 s.';
comment on column shots.pocketed is 'Discs that fell, the striker not counted.';
comment on column shots.striker_fell is 'The striker fell.';
comment on column shots.foul is 'It was a foul (rule K5).';
comment on column shots.foul_reason is 'Why; null: none.';
comment on column shots.judged_row is 'The row of the table in rule K5.';
comment on column shots.queen is 'Where the queen is after it: board, held, pending or covered.';

comment on view coin_flows is 'Every coin that moved: the postings of the ledger''s journal. Those of a match stand here once it is over.';
comment on column coin_flows.entry is 'Number in the journal.';
comment on column coin_flows.posting is 'Number in the entry, from 0.';
comment on column coin_flows.day is 'UTC day of the match''s end; of a grant the day on which it was stored.';
comment on column coin_flows.moved_at is 'When the command was stored.';
comment on column coin_flows.kind is 'hold, release, settle, refund, reward or grant (rule M).';
comment on column coin_flows.match_id is 'For which match; null: a grant.';
comment on column coin_flows.source is 'player, hold, fee or grants.';
comment on column coin_flows.source_player_id is 'That player; null: another source.';
comment on column coin_flows.destination is 'As source.';
comment on column coin_flows.destination_player_id is 'As source_player_id.';
comment on column coin_flows.coins is 'How many, above 0.';
