-- Who plays with whom?
--
-- Pairs of players who sat at one table five times or more, the closest first, and how often they
-- would have met if tables were filled by lot.
-- How to read it: `times` is together / by_chance, `low` and `high` its 95 % interval. `z` is the
-- difference in standard deviations (Poisson). A high one is friends or a small house, and no
-- fault; `sahrat ask collusion` says who also spares whom.
with sat as materialized (
    select match_id, player_id
    from ended_seats
    where player_id is not null
        and day between (select from_day from asked_days) and (select to_day from asked_days)
), tables as (
    select match_id, count(*) - 1 as others from sat group by 1
), played as (
    select player_id, count(*) as matches, sum(others) as others
    from sat join tables using (match_id)
    group by 1
), met as (
    select a.player_id as player_a, b.player_id as player_b, count(*) as together
    from sat as a join sat as b on b.match_id = a.match_id and b.player_id > a.player_id
    group by 1, 2
    having count(*) >= 5
), compared as (
    select
        met.*, as_a.matches as matches_a, as_b.matches as matches_b,
        as_a.others * as_b.matches::float8
            / nullif((select count(*) from sat) - as_a.matches, 0) as by_chance
    from met
    join played as as_a on as_a.player_id = player_a
    join played as as_b on as_b.player_id = player_b
)
select
    player_a, player_b, together, matches_a, matches_b, round(by_chance::numeric, 2) as by_chance,
    round((together / by_chance)::numeric, 1) as times,
    round(((sqrt(together) - 0.98) ^ 2 / by_chance)::numeric, 1) as low,
    round(((sqrt(together + 1) + 0.98) ^ 2 / by_chance)::numeric, 1) as high,
    round(((together - by_chance) / sqrt(by_chance))::numeric, 1) as z
from compared
order by compared.together - by_chance desc, player_a, player_b
limit 200;
