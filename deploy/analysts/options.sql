-- Which options do tables choose, and are they played to the end?
--
-- For each game, option and value: matches that were played, and how many came to their end by the
-- rules.
-- How to read it: `share` is among the matches of that game in which the option was there;
-- `finished` is a share of them, `low` and `high` its 95 % interval (Wilson). Under thirty
-- matches: "too few".
with counted as (
    select
        game, option, value, count(*) as matches, count(*) filter (where outcome = 'ended') as whole
    from match_options
    where day between (select from_day from asked_days) and (select to_day from asked_days)
        and outcome in ('ended', 'stopped')
    group by game, option, value
)
select
    game, option, value, matches,
    round(matches / sum(matches) over (partition by game, option), 4) as share,
    round((whole / matches::float8)::numeric, 4) as finished,
    round(((whole + 1.9208 - 1.96 * sqrt(whole * (1 - whole / matches::float8) + 0.9604))
        / (matches + 3.8416))::numeric, 4) as low,
    round(((whole + 1.9208 + 1.96 * sqrt(whole * (1 - whole / matches::float8) + 0.9604))
        / (matches + 3.8416))::numeric, 4) as high,
    case when matches < 30 then 'too few' else '' end as says
from counted
order by game, option, matches desc, value;
