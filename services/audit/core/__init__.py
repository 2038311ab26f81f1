"""The audit of the coins, pure: its own folds of matches and accounts, its own formulas.

It takes nothing from the ledger, the match or the games: what two pieces of code say alike, of the
same topics, is so; what they say differently is a fault of one of them. The laws, checked at every
entry of the journal:

- chain: entries are numbered 1, 2, 3 .., each names the digest of the one before, and their bytes
  are those that the ledger writes.
- W1: what players may spend, what is held and the fees are together what was granted.
- W2: no account but the grants is ever below zero, not even between two postings.
- W3: a hold is the entry of every player of a funding; it begins once and ends once.
- W4: a match is settled at its end or refunded at its stop, one of the two, once; rewarded once.
- W5: prizes and fee are the pot, shared out as rules M.5 to M.7 say, by the match's own events.
- W6: whoever gets his entry back gets all of it, and no fee is taken.
- W7: nobody plays for coins without a hold, and nothing is held for whom nobody plays.
- W8: every change has a cause: a record of a match, an operator with a reason, a welcome; and it is
  what follows from it. Balances are what the postings make them.
- B2, M2, M3: rules of `match/rules.md` that a match's records, or a reward, break.
"""
