-- Is any colour favoured?
--
-- For each game and number of seats: how often each seat came in first, at tables where everybody
-- plays for himself, in matches that were played to their end. A row with seat `all` tests them
-- together.
-- How to read it: `expected` is the same for all; `low` and `high` are the 95 % interval of the
-- share (Wilson). `z` is the test's result in standard deviations: chi-square over the seats, made
-- normal by Wilson and Hilferty; for one seat its own. Over 3.29, which chance brings once in a
-- thousand questions, `says` is "look at it". Fewer than 5 expected wins a seat: "too few". Seat 0
-- begins (rule T.3), so that an honest house favours it a little in many thousand matches.
with played as (
    select seated.match_id, seated.game, ended.seats, seated.seat, seated.colour, seated.place
    from ended_seats as seated
    join ended_matches as ended on ended.match_id = seated.match_id
    cross join asked_days
    where seated.day between from_day and to_day and ended.day between from_day and to_day
        and ended.outcome = 'ended' and not ended.partners and ended.seats > 1
), sole as (
    select match_id from played where place = 1 group by match_id having count(*) = 1
), counted as (
    select
        game, seats, seat, min(colour) as colour, count(*) as matches,
        count(*) filter (where place = 1) as wins
    from played join sole using (match_id)
    group by game, seats, seat
), measured as (
    select *, matches::float8 / seats as expected from counted
), tested as (
    select
        game, seats, sum(wins)::bigint as matches, min(expected) as least,
        sum((wins - expected) ^ 2 / expected) as chi2, (seats - 1)::float8 as df
    from measured
    group by game, seats
), rows as (
    select
        game, seats, 'all' as seat, null as colour, matches, matches as wins, null as expected,
        null::float8 as low, null::float8 as high, chi2, least,
        ((chi2 / df) ^ (1 / 3.0) - (1 - 2 / (9 * df))) / sqrt(2 / (9 * df)) as z
    from tested
    union all
    select
        game, seats, seat::text, colour, matches, wins, expected,
        (wins + 1.9208 - 1.96 * sqrt(wins * (1 - wins / matches::float8) + 0.9604))
            / (matches + 3.8416),
        (wins + 1.9208 + 1.96 * sqrt(wins * (1 - wins / matches::float8) + 0.9604))
            / (matches + 3.8416),
        null, expected, abs(wins - expected) / sqrt(expected * (1 - 1.0 / seats))
    from measured
)
select
    game, seats, seat, colour, matches, wins, round(expected::numeric, 1) as expected,
    round(low::numeric, 3) as low, round(high::numeric, 3) as high,
    round(chi2::numeric, 2) as chi2, round(z::numeric, 2) as z,
    case when least < 5 then 'too few' when z > 3.29 then 'look at it' else 'nothing seen' end
        as says
from rows
order by game, seats, seat = 'all' desc, seat;
