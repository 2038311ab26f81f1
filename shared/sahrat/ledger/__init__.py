"""The ledger, pure: who has how many coins and why, as one fold over commands (rule M)."""
