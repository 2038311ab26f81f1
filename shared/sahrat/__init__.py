"""Sahrat: board games at one table, whose every match can be replayed from its log."""
