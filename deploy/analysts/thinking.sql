-- How long do players think, and how often is the time over?
--
-- By game: the steps of players' seats, how many of them the clock ended (rule K.2), and how long
-- those took that the player ended himself.
-- How to read it: `timeouts` is a share, `low` and `high` its 95 % interval (Wilson). Times are in
-- ms, from append time to append time, so the way to and from the phone is in them. Steps in which
-- the house stood still are left out. Under a hundred steps: "too few".
with counted as (
    select
        game, count(*) as steps, count(*) filter (where ended_by = 'clock') as over,
        percentile_cont(array[0.1, 0.5, 0.9, 0.99]) within group (order by taken_ms)
            filter (where ended_by = 'player') as ms
    from steps
    where day between (select from_day from asked_days) and (select to_day from asked_days)
        and player_id is not null and not house_stood_still and ended_by in ('player', 'clock')
    group by game
)
select
    game, steps, round((over / steps::float8)::numeric, 4) as timeouts,
    round(((over + 1.9208 - 1.96 * sqrt(over * (1 - over / steps::float8) + 0.9604))
        / (steps + 3.8416))::numeric, 4) as low,
    round(((over + 1.9208 + 1.96 * sqrt(over * (1 - over / steps::float8) + 0.9604))
        / (steps + 3.8416))::numeric, 4) as high,
    round(ms[1]::numeric) as p10_ms, round(ms[2]::numeric) as p50_ms,
    round(ms[3]::numeric) as p90_ms, round(ms[4]::numeric) as p99_ms,
    case when steps < 100 then 'too few' else '' end as says
from counted
order by game;
