-- How many come back?
--
-- Of the players who began on the days asked about: the share that played again 1, 7 and 30 days
-- later, on that very day.
-- How to read it: only days that are over are counted, so the later numbers have fewer players.
-- `low` and `high` are the 95 % interval of the share (Wilson). Under thirty players: "too few".
with counted as (
    select day_number, sum(cohort_players)::float8 as began, sum(players)::float8 as back
    from retention
    cross join recent_days
    cross join asked_days
    where day_number in (1, 7, 30) and cohort_day + day_number < recent_days.to_day
        and cohort_day between asked_days.from_day and asked_days.to_day
    group by day_number
)
select
    day_number, began, back, round((back / began)::numeric, 4) as share,
    round(((back + 1.9208 - 1.96 * sqrt(back * (1 - back / began) + 0.9604))
        / (began + 3.8416))::numeric, 4) as low,
    round(((back + 1.9208 + 1.96 * sqrt(back * (1 - back / began) + 0.9604))
        / (began + 3.8416))::numeric, 4) as high,
    case when began < 30 then 'too few' else '' end as says
from counted
order by day_number;
