-- Are the dice uniform, by seat and by hour?
--
-- Every roll and throw that was a fair one's (rule D), compared with what fair dice give: 1/6 a
-- face, and for cowries the binomial law. Once for all, once for each seat, each UTC hour, and by
-- who rolled.
-- How to read it: `chi2` with `df` degrees of freedom; `z` is the same in standard deviations (by
-- Wilson and Hilferty). There are some forty rows for each kind of dice, so only z over 4, which
-- chance brings once in thirty thousand, is "look at it". `worst` is the outcome that is furthest
-- off, and `off` how far its share is from the fair one. Fewer than 5 expected of an outcome: "too
-- few".
with asked as materialized (
    select dice, seat, extract(hour from rolled_at)::int as hour, rolled_by, outcome, count(*) as n
    from rolls
    where day between (select from_day from asked_days) and (select to_day from asked_days)
    group by 1, 2, 3, 4, 5
), grouped as (
    select dice, 'all' as part, '' as value, outcome, sum(n) as n from asked group by 1, 4
    union all
    select dice, 'seat', seat::text, outcome, sum(n) from asked group by 1, 3, 4
    union all
    select dice, 'hour', to_char(hour, 'FM00'), outcome, sum(n) from asked group by 1, 3, 4
    union all
    select dice, 'rolled by', rolled_by, outcome, sum(n) from asked group by 1, 3, 4
), sizes as (
    select dice, part, value, sum(n) as total from grouped group by 1, 2, 3
), fair as (
    select 'die' as dice, face as outcome, 1 / 6.0::float8 as share
    from generate_series(1, 6) as face
    union all
    select
        'cowries_' || shells, mouths,
        (factorial(shells) / (factorial(mouths) * factorial(shells - mouths)))::float8 / 2 ^ shells
    from generate_series(6, 7) as shells
    cross join lateral generate_series(0, shells) as mouths
), compared as (
    select
        dice, part, value, total, outcome, coalesce(n, 0)::float8 / total - share as off,
        total * share as expected, (coalesce(n, 0) - total * share) ^ 2 / (total * share) as part_of
    from sizes
    join fair using (dice)
    left join grouped using (dice, part, value, outcome)
), tested as (
    select
        dice, part, value, total as rolls, sum(part_of)::float8 as chi2,
        (count(*) - 1)::float8 as df, min(expected) as least,
        (array_agg(outcome order by part_of desc))[1] as worst,
        (array_agg(off order by part_of desc))[1] as off
    from compared
    group by 1, 2, 3, 4
), measured as (
    select
        *, ((chi2 / df) ^ (1 / 3.0) - (1 - 2 / (9 * df))) / sqrt(2 / (9 * df)) as z
    from tested
)
select
    dice, part, value, rolls, round(chi2::numeric, 2) as chi2, df, round(z::numeric, 2) as z, worst,
    round(off::numeric, 4) as off,
    case when least < 5 then 'too few' when z > 4 then 'look at it' else 'nothing seen' end as says
from measured
order by dice, part, value;
