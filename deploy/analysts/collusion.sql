-- Who plays together against the others at tables for coins?
--
-- The flagged pairs of the view collusion_pairs (T16), over the 90 days up to the newest match.
-- How to read it: `spared_z` is how many captures of each other are missing, in standard
-- deviations; at -4 or below they spare each other. Or `a_wins_z` says that the same one always
-- wins while the other spares him. It is a reason to look at their matches with `sahrat replay`,
-- and no more.
select
    player_a, player_b, matches, round(matches_by_chance::numeric, 1) as by_chance,
    captures_a_of_b + captures_b_of_a as captures,
    round((fair_captures_a_of_b + fair_captures_b_of_a)::numeric, 1) as fair_captures,
    round(spared_z::numeric, 1) as spared_z, a_before_b, b_before_a,
    round(a_wins_z::numeric, 1) as a_wins_z
from collusion_pairs
where flagged
order by collusion_pairs.spared_z, player_a, player_b;
