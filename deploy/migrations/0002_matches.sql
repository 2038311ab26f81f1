-- 0002_matches.sql: each match, who sat there and who came in where: for lists, histories, audits.
-- Rebuilt from sahrat.match.events.v1 alone: dropping these tables loses nothing.
-- Match ids are UUIDv7, so their order is that of opening and needs no index of its own.
create table matches (
    match_id         text        not null primary key,
    topic_partition  smallint    not null,
    game             text        not null,
    rules            text        not null,
    options          jsonb       not null,
    seats            smallint    not null check (seats between 1 and 4),
    entry_coins      bigint      not null check (entry_coins >= 0),
    key_id           text        not null,
    commitment       text        not null,
    phase            text        not null
        check (phase in ('open', 'playing', 'ended', 'stopped', 'closed')),
    opened_at        timestamptz not null,
    started_at       timestamptz,
    ended_at         timestamptz,
    end_reason       text,
    stopped_by       text,
    end_detail       text,
    secret           text,
    -- The last record taken: the next one must continue it.
    seq              bigint      not null check (seq >= 1),
    digest           text        not null,
    check ((phase in ('ended', 'stopped', 'closed')) = (ended_at is not null)),
    -- The dice secret is public once the match is over, and never before.
    check ((secret is null) = (ended_at is null))
) with (fillfactor = 70); -- seq and digest move with every batch: leave them room on the page

-- In order of sitting down; the seat's number is known once the seats are dealt.
create table match_seats (
    match_id   text        not null,
    sitter     smallint    not null check (sitter between 0 and 3),
    seat       smallint    check (seat between 0 and 3),
    player_id  text,       -- null: a bot that filled the seat
    nickname   text        not null,
    bot        boolean     not null, -- a bot plays the seat now
    has_left   boolean     not null, -- the player got up, or lost the seat for good
    sat_at     timestamptz not null,
    primary key (match_id, sitter)
);

-- Places of a match that was played to its end: 1 is best.
create table match_standings (
    match_id  text     not null,
    seat      smallint not null check (seat between 0 and 3),
    place     smallint not null check (place between 1 and 4),
    primary key (match_id, seat)
);
