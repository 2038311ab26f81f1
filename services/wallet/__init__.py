"""The wallet worker: asks the ledger for what matches say of coins, keeps it, and answers them."""
