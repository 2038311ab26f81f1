-- 0004_player_matches.sql: what each player has played, newest first by one index scan.
-- A match is here from the moment its play begins; its end fills in the rest.
create table player_matches (
    player_id     text        not null,
    match_id      text        not null,
    seat          smallint    not null check (seat between 0 and 3),
    game          text        not null,
    entry_coins   bigint      not null,
    started_at    timestamptz not null,
    ended_at      timestamptz,
    end_reason    text,
    place         smallint    check (place between 1 and 4), -- null: stopped, or not over
    ended_as_bot  boolean,    -- a bot played the seat at the end; null: not over
    primary key (player_id, match_id)
);
