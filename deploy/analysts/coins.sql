-- Where do coins come from, and where do they go?
--
-- All coins that moved, by what was asked of the ledger and from where to where (rule M).
-- How to read it: from `grants` coins are made, as rewards and grants; `fee` is what the house
-- keeps. What goes from players into holds comes out again as prizes, refunds, releases and the
-- fee, to the coin, once every match of these days is over: `sahrat audit` checks each one.
select kind, source, destination, count(*) as moves, sum(coins)::bigint as coins
from coin_flows
where day between (select from_day from asked_days) and (select to_day from asked_days)
group by kind, source, destination
order by kind, source, destination;
