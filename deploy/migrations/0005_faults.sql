-- 0005_faults.sql: what could not be projected and why, so that a gap is seen and not guessed.

-- Matches whose log is damaged: nothing of them is taken from that record on.
create table parked_matches (
    match_id         text        not null primary key,
    topic_partition  smallint    not null,
    topic_offset     bigint      not null,
    reason           text        not null,
    appended_at      timestamptz not null
);

-- Records that are no records; their bytes are in the dead letters.
create table unreadable_records (
    topic            text        not null,
    topic_partition  smallint    not null,
    topic_offset     bigint      not null,
    reason           text        not null,
    detail           text        not null,
    appended_at      timestamptz not null,
    primary key (topic, topic_partition, topic_offset)
);
