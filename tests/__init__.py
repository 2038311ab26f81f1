"""The tests; a package by name, so that no installed `tests` can stand in its place."""
