-- 0003_records.sql: the records as stored, for export and for whoever checks a match.
-- The value is the very bytes of the topic: digests are computed from nothing else.
create table records (
    match_id         text     not null,
    seq              bigint   not null check (seq >= 1),
    topic_partition  smallint not null,
    topic_offset     bigint   not null,
    value            bytea    not null,
    primary key (match_id, seq)
);
