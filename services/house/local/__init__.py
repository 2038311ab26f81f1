"""A broker and a database of one's own, for a machine where none is installed or reachable.

Both keep their data in a folder of their own, so that two checkouts never disturb each other.
"""
