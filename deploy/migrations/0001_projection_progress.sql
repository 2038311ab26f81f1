-- 0001_projection_progress.sql: how far the read models have come in the topics.
-- A batch's rows and its place commit in one transaction, and only from where the last one ended,
-- so that of two projections at work on one partition one loses before it has written a row.
create table projection_progress (
    topic              text     not null,
    topic_partition    smallint not null check (topic_partition >= 0),
    next_offset        bigint   not null default 0 check (next_offset >= 0),
    -- Highest cause offset taken: a record that is not above it has been seen.
    high_cause_offset  bigint   not null default -1 check (high_cause_offset >= -1),
    -- SHA-256 of the value at next_offset - 1, to know the log again by; empty before the first.
    digest             text     not null default '',
    primary key (topic, topic_partition)
) with (fillfactor = 50); -- updated for ever: its few rows must stay where they are
