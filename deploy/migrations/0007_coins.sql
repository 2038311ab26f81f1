-- 0007_coins.sql: the ledger's journal as tables: who has what, and why.
-- Rebuilt from sahrat.wallet.journal.v1 alone: dropping these tables loses nothing.

-- Every command that the ledger has taken, a refused one too.
create table journal_entries (
    entry           bigint      not null primary key check (entry >= 1),
    topic_offset    bigint      not null, -- where it stands in the journal
    appended_at     timestamptz not null, -- when its command was stored
    command_offset  bigint      not null,
    command_id      text        not null,
    kind            text        not null
        check (kind in ('hold', 'release', 'settle', 'refund', 'reward', 'grant')),
    match_id        text,                 -- null: a grant
    cause           jsonb       not null, -- a match's record, an operator or the welcome
    command         jsonb       not null,
    reason          text,                 -- why nothing moved
    short           text[]      not null, -- of a refused hold: the players who have not enough
    digest          text        not null  -- SHA-256 of the stored value: the next entry's prev
);
create index journal_entries_by_match on journal_entries (match_id, entry)
    where match_id is not null;
create index journal_entries_by_command on journal_entries (command_id);

-- What an entry moved, in order.
create table postings (
    entry        bigint   not null,
    posting      smallint not null check (posting >= 0),
    source       text     not null,
    destination  text     not null,
    coins        bigint   not null check (coins > 0),
    primary key (entry, posting),
    check (source <> destination)
);

-- What every account holds now: `player:ID`, `hold:MATCH:N` while it is open, `fee`, `grants`.
-- The grants are where all coins come from, and alone below zero: all accounts together are 0.
create table accounts (
    account     text   not null primary key,
    coins       bigint not null,
    -- Of a player: his entries that are held, each of which also stands in its hold's account.
    held_coins  bigint not null default 0 check (held_coins >= 0),
    entry       bigint not null check (entry >= 1), -- the last one that changed it
    check (coins >= 0 or account = 'grants'),
    check (held_coins = 0 or account like 'player:%')
);

-- Each player's part of each hold: begun once, ended once.
create table holds (
    match_id      text   not null,
    attempt       bigint not null, -- the record that began the funding
    player_id     text   not null,
    amount_coins  bigint not null check (amount_coins > 0),
    held_entry    bigint not null,
    outcome       text   check (outcome in ('released', 'settled', 'refunded')), -- null: open
    closed_entry  bigint,
    primary key (match_id, attempt, player_id),
    check ((outcome is null) = (closed_entry is null)),
    check (closed_entry > held_entry)
);
create index holds_open on holds (match_id) where outcome is null;
create index holds_by_player on holds (player_id, held_entry);

-- What an entry did to one player: his history, newest first by one index scan.
create table wallet_changes (
    player_id               text   not null,
    entry                   bigint not null,
    available_change_coins  bigint not null,
    held_change_coins       bigint not null,
    available_coins         bigint not null check (available_coins >= 0),
    held_coins              bigint not null check (held_coins >= 0),
    primary key (player_id, entry)
);
