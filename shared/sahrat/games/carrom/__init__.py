"""Carrom."""
