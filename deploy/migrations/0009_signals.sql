-- 0009_signals.sql: who comes back, and who may be cheating with coins: for people to look at.
-- A signal proves nothing and does nothing by itself. Each has a least number of matches, below
-- which it says nothing, and looks at the 90 days up to the newest match, so that it is quick and
-- says the same whenever it is asked at the same place of the log.
-- What the log does not hold no signal can tell: devices and addresses are not in it.

create view asked_days as
select
    coalesce(nullif(current_setting('sahrat.from_day', true), '')::date, date '0001-01-01') as from_day,
    coalesce(nullif(current_setting('sahrat.to_day', true), '')::date, date '9999-12-31') as to_day;

create view recent_days as
select max(day) - 89 as from_day, max(day) as to_day from ended_matches;

create view player_days as
select
    player_id, (ended_at at time zone 'UTC')::date as day,
    count(*) as matches, count(*) filter (where entry_coins > 0) as coin_matches
from player_matches
where ended_at is not null
group by 1, 2;

create view retention as
with began as (
    select player_id, min(day) as cohort_day from player_days group by 1
), cohorts as (
    select cohort_day, count(*) as cohort_players from began group by 1
), back as (
    select cohort_day, day - cohort_day as day_number, count(*) as players
    from began join player_days using (player_id)
    group by 1, 2
)
select
    cohort_day, numbered.day_number, cohort_players, coalesce(players, 0) as players,
    coalesce(players, 0)::float8 / cohort_players as share
from cohorts
cross join recent_days
cross join lateral generate_series(0, least(to_day - cohort_day, 90)) as numbered (day_number)
left join back using (cohort_day, day_number);

-- T16. At a table for coins with three or four seats, everybody for himself, each capture hits one
-- of the others. Two who play together spare each other and meet at the others' cost, or one loses
-- to the other on purpose. Friends who only meet often do neither.
-- In simulated honest matches of four the captures of a pair spread 1.05 times as wide as the
-- binomial law says, since they come in runs; 1.4 leaves room for habit and skill.
create view collusion_pairs as
with sat as materialized (
    select seated.match_id, seated.player_id, seated.place, ended.seats
    from ended_seats as seated
    join ended_matches as ended on ended.match_id = seated.match_id
    where seated.day >= (select from_day from recent_days)
        and ended.day >= (select from_day from recent_days)
        and seated.entry_coins > 0 and ended.seats >= 3 and not ended.partners
        and ended.outcome = 'ended' and ended.game in ('ludo', 'pachisi')
), played as (
    select player_id, count(*) as matches, sum(seats - 1) as others from sat group by 1
), hits as materialized (
    select match_id, captor_id, victim_id, count(*) as captures
    from captures
    where day >= (select from_day from recent_days) and entry_coins > 0
    group by 1, 2, 3
), strikes as (
    select match_id, captor_id, sum(captures) as captures from hits group by 1, 2
), met as (
    select
        a.player_id as player_a, b.player_id as player_b, count(*) as matches,
        count(*) filter (where a.place < b.place) as a_before_b,
        count(*) filter (where b.place < a.place) as b_before_a,
        coalesce(sum(ab.captures), 0) as a_of_b, coalesce(sum(ba.captures), 0) as b_of_a,
        coalesce(sum(of_a.captures / (a.seats - 1)::float8), 0) as fair_a_of_b,
        coalesce(sum(of_b.captures / (a.seats - 1)::float8), 0) as fair_b_of_a,
        coalesce(sum(of_a.captures * (a.seats - 2) / (a.seats - 1)::float8 ^ 2), 0) as spread_ab,
        coalesce(sum(of_b.captures * (a.seats - 2) / (a.seats - 1)::float8 ^ 2), 0) as spread_ba
    from sat as a
    join sat as b on b.match_id = a.match_id and b.player_id > a.player_id
    left join hits as ab on ab.match_id = a.match_id
        and ab.captor_id = a.player_id and ab.victim_id = b.player_id
    left join hits as ba on ba.match_id = a.match_id
        and ba.captor_id = b.player_id and ba.victim_id = a.player_id
    left join strikes as of_a on of_a.match_id = a.match_id and of_a.captor_id = a.player_id
    left join strikes as of_b on of_b.match_id = a.match_id and of_b.captor_id = b.player_id
    group by 1, 2
    having count(*) >= 10
), judged as (
    select
        met.*,
        as_a.others * as_b.matches::float8 / ((select count(*) from sat) - as_a.matches)
            as by_chance,
        (a_of_b + b_of_a - fair_a_of_b - fair_b_of_a)
            / nullif(1.4 * sqrt(spread_ab + spread_ba), 0) as spared_z,
        (a_of_b - fair_a_of_b) / nullif(1.4 * sqrt(spread_ab), 0) as a_spares_z,
        (b_of_a - fair_b_of_a) / nullif(1.4 * sqrt(spread_ba), 0) as b_spares_z,
        (a_before_b - b_before_a) / sqrt(nullif(a_before_b + b_before_a, 0)) as a_wins_z
    from met
    join played as as_a on as_a.player_id = player_a
    join played as as_b on as_b.player_id = player_b
)
select
    player_a, player_b, matches, by_chance as matches_by_chance,
    a_of_b as captures_a_of_b, fair_a_of_b as fair_captures_a_of_b,
    b_of_a as captures_b_of_a, fair_b_of_a as fair_captures_b_of_a,
    spared_z, a_before_b, b_before_a, a_wins_z,
    coalesce(
        spared_z <= -4 or (a_wins_z >= 3 and b_spares_z <= -3)
        or (a_wins_z <= -3 and a_spares_z <= -3),
        false
    ) as flagged
from judged;

-- T18. Two accounts that play for coins against each other and hardly anybody else, where the same
-- one always wins, or the other one gets up: coins carried from one to the other. Friends who play
-- it out win now and then, both of them.
create view coin_loops as
with sat as materialized (
    select seated.match_id, ended.seats, seated.player_id, seated.place, seated.has_left, net_coins
    from ended_seats as seated
    join ended_matches as ended on ended.match_id = seated.match_id
    where seated.day >= (select from_day from recent_days)
        and ended.day >= (select from_day from recent_days)
        and seated.entry_coins > 0 and ended.outcome = 'ended'
), played as (
    select player_id, count(*) as matches from sat group by 1
), met as (
    select
        a.player_id as player_a, b.player_id as player_b, count(*) as matches,
        count(*) filter (where a.place < b.place) as a_before_b,
        count(*) filter (where b.place < a.place) as b_before_a,
        count(*) filter (where a.has_left or b.has_left) as left_early,
        sum(a.net_coins) as a_net_coins, sum(b.net_coins) as b_net_coins
    from sat as a
    join sat as b on b.match_id = a.match_id and b.player_id > a.player_id
    where a.seats = 2
    group by 1, 2
    having count(*) >= 10
)
select
    player_a, player_b, met.matches,
    met.matches::float8 / as_a.matches as share_of_a, met.matches::float8 / as_b.matches
        as share_of_b,
    a_before_b, b_before_a, left_early, a_net_coins, b_net_coins,
    greatest(met.matches::float8 / as_a.matches, met.matches::float8 / as_b.matches) >= 0.8
        and (
            left_early >= met.matches * 0.5
            or abs(a_before_b - b_before_a) >= 3 * sqrt(a_before_b + b_before_a)
        ) as flagged
from met
join played as as_a on as_a.player_id = player_a
join played as as_b on as_b.player_id = player_b;

-- T17. Several accounts that lose nearly all they lose to one and the same, and hardly ever win
-- anything back: what one person's accounts earn, gathered on one of them.
create view coin_funnels as
with sat as materialized (
    select match_id, player_id, net_coins
    from ended_seats
    where day >= (select from_day from recent_days) and entry_coins > 0 and net_coins <> 0
), won as (
    select match_id, sum(net_coins) as coins from sat where net_coins > 0 group by 1
), flows as (
    select
        loser.player_id as source_id, winner.player_id as receiver_id, count(*) as matches,
        sum(-loser.net_coins * winner.net_coins / won.coins::float8) as coins
    from sat as loser
    join sat as winner on winner.match_id = loser.match_id and winner.net_coins > 0
    join won on won.match_id = loser.match_id
    where loser.net_coins < 0
    group by 1, 2
), lost as (
    select source_id, sum(coins) as coins from flows group by 1
), sources as (
    select flows.*
    from flows
    join lost on lost.source_id = flows.source_id
    left join flows as back
        on back.source_id = flows.receiver_id and back.receiver_id = flows.source_id
    where flows.matches >= 5 and flows.coins >= 0.8 * lost.coins
        and coalesce(back.coins, 0) <= 0.2 * flows.coins
)
select
    receiver_id, count(*) as sources, sum(matches) as matches,
    round(sum(coins))::bigint as coins, count(*) >= 3 as flagged
from sources
group by 1;

-- T18. Coins are earned at free tables, 200 a day at most (rule M.2). Who comes to that again and
-- again, alone with bots or always with the same one, earns and does not play.
create view reward_farmers as
with earned as (
    select destination_player_id as player_id, day, sum(coins) as coins
    from coin_flows
    where kind = 'reward' and destination = 'player' and day >= (select from_day from recent_days)
    group by 1, 2
), days as (
    select
        player_id, count(*) as days, count(*) filter (where coins >= 200) as full_days,
        sum(coins) as coins
    from earned
    group by 1
), sat as materialized (
    select match_id, player_id
    from ended_seats
    where day >= (select from_day from recent_days) and entry_coins = 0
        and player_id is not null and not ended_as_bot and place is not null
), played as (
    select player_id, count(*) as matches from sat group by 1
), met as (
    select a.player_id, b.player_id as other_id, count(*) as matches
    from sat as a join sat as b on b.match_id = a.match_id and b.player_id <> a.player_id
    group by 1, 2
), favourites as (
    select player_id, max(matches) as matches, count(*) as others from met group by 1
), accompanied as (
    select player_id, count(*) as matches
    from sat as a
    where exists (
        select from sat as b where b.match_id = a.match_id and b.player_id <> a.player_id
    )
    group by 1
)
select
    days.player_id, days.days, full_days, days.coins::bigint as coins, played.matches,
    played.matches - coalesce(accompanied.matches, 0) as alone_matches,
    coalesce(favourites.matches, 0) as favourite_matches, coalesce(others, 0) as others,
    full_days >= 5 and full_days >= 0.5 * days.days
        and played.matches - coalesce(accompanied.matches, 0) + coalesce(favourites.matches, 0)
            >= 0.9 * played.matches as flagged
from days
join played on played.player_id = days.player_id
left join favourites on favourites.player_id = days.player_id
left join accompanied on accompanied.player_id = days.player_id;

comment on view asked_days is 'The days that a question is asked about: the settings sahrat.from_day and sahrat.to_day of the session.';
comment on column asked_days.from_day is 'The first one (UTC); 0001-01-01 unless set.';
comment on column asked_days.to_day is 'The last one (UTC); 9999-12-31 unless set.';

comment on view recent_days is 'The days that signals look at: 90, up to the newest match that is over.';
comment on column recent_days.from_day is 'The first one (UTC).';
comment on column recent_days.to_day is 'The last one (UTC).';

comment on view player_days is 'The days on which a match of a player ended, bots not counted.';
comment on column player_days.player_id is 'The player.';
comment on column player_days.day is 'UTC day.';
comment on column player_days.matches is 'His matches that ended on it, stopped ones too.';
comment on column player_days.coin_matches is 'Those at tables for coins.';

comment on view retention is 'How many come back: players by the day of their first match, and by the days since.';
comment on column retention.cohort_day is 'UTC day of their first match.';
comment on column retention.day_number is 'Days since, 0 to 90; the newest day is not over yet.';
comment on column retention.cohort_players is 'Players who began on cohort_day.';
comment on column retention.players is 'Those of them who played on that day.';
comment on column retention.share is 'players / cohort_players, 0 to 1.';

comment on view collusion_pairs is 'Signal T16: pairs with ten matches or more together at tables for coins with 3 or 4 seats.';
comment on column collusion_pairs.player_a is 'The one of the two whose id is lower.';
comment on column collusion_pairs.player_b is 'The other one.';
comment on column collusion_pairs.matches is 'Matches together.';
comment on column collusion_pairs.matches_by_chance is 'As many as there would be if tables were filled by lot. More is no fault: friends meet.';
comment on column collusion_pairs.captures_a_of_b is 'Pieces of b that a captured in them.';
comment on column collusion_pairs.fair_captures_a_of_b is 'As many as if a''s captures had hit all others alike.';
comment on column collusion_pairs.captures_b_of_a is 'Likewise.';
comment on column collusion_pairs.fair_captures_b_of_a is 'Likewise.';
comment on column collusion_pairs.spared_z is 'Captures of each other less the fair number, in standard deviations: -4 is no chance.';
comment on column collusion_pairs.a_before_b is 'Matches in which a had the better place.';
comment on column collusion_pairs.b_before_a is 'Likewise.';
comment on column collusion_pairs.a_wins_z is 'Their difference in standard deviations, had both the same skill.';
comment on column collusion_pairs.flagged is 'They spare each other (spared_z <= -4); or one wins always (3) and the other spares him (-3).';

comment on view coin_loops is 'Signal T18: pairs with ten matches or more against each other at tables of two for coins.';
comment on column coin_loops.player_a is 'The one of the two whose id is lower.';
comment on column coin_loops.player_b is 'The other one.';
comment on column coin_loops.matches is 'Matches of the two.';
comment on column coin_loops.share_of_a is 'Of all matches for coins that a played, 0 to 1.';
comment on column coin_loops.share_of_b is 'Likewise.';
comment on column coin_loops.a_before_b is 'Matches that a won.';
comment on column coin_loops.b_before_a is 'Matches that b won.';
comment on column coin_loops.left_early is 'Matches that somebody left.';
comment on column coin_loops.a_net_coins is 'What a won less what he paid, in coins.';
comment on column coin_loops.b_net_coins is 'Likewise; the fee makes the sum negative.';
comment on column coin_loops.flagged is 'One of them plays 80 % of his coin matches against the other, and half were left or one wins always (3 standard deviations).';

comment on view coin_funnels is 'Signal T17: players to whom others lose 80 % of all they lose, in five matches or more, and win back a fifth at most.';
comment on column coin_funnels.receiver_id is 'Who wins.';
comment on column coin_funnels.sources is 'How many such others there are.';
comment on column coin_funnels.matches is 'Matches in which one of them lost to him.';
comment on column coin_funnels.coins is 'What they lost to him; where several won, by what each won.';
comment on column coin_funnels.flagged is 'Three sources or more.';

comment on view reward_farmers is 'Signal T18: what players earn at free tables, and with whom.';
comment on column reward_farmers.player_id is 'The player.';
comment on column reward_farmers.days is 'Days on which he earned.';
comment on column reward_farmers.full_days is 'Days on which he earned 200, the most there is.';
comment on column reward_farmers.coins is 'All that he earned, in coins.';
comment on column reward_farmers.matches is 'Free matches that he played to the end.';
comment on column reward_farmers.alone_matches is 'Those with bots alone.';
comment on column reward_farmers.favourite_matches is 'Those with the player whom he met most.';
comment on column reward_farmers.others is 'Players whom he met.';
comment on column reward_farmers.flagged is 'Five full days or more, half of his days at least, and nine matches in ten alone or with the favourite.';
