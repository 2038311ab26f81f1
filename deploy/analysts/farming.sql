-- Who farms coins?
--
-- What the views coin_loops, coin_funnels (T17) and reward_farmers (T18) flag, over the 90 days up
-- to the newest match.
-- How to read it: `loop`: two who hardly play anybody else, and coins go one way; `funnel`:
-- several accounts lose to this one alone; `rewards`: the full daily reward again and again, alone
-- with bots or with one other. `coins` is what came to the player. The log has no devices: whether
-- two accounts are one person's it can't say.
select
    'loop' as signal, case when a_net_coins > b_net_coins then player_a else player_b end as player,
    case when a_net_coins > b_net_coins then player_b else player_a end as other, matches,
    greatest(a_net_coins, b_net_coins)::bigint as coins
from coin_loops
where flagged
union all
select 'funnel', receiver_id, sources || ' accounts', matches, coins from coin_funnels where flagged
union all
select
    'rewards', player_id, alone_matches || ' alone, ' || favourite_matches || ' with one', matches,
    coins
from reward_farmers
where flagged
order by 1, 5 desc, 2;
