-- 0006_funding.sql: a coin table whose entries are being held is in a phase of its own.
alter table matches drop constraint matches_phase_check;
alter table matches add constraint matches_phase_check
    check (phase in ('open', 'funding', 'playing', 'ended', 'stopped', 'closed'));
