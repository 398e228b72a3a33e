"""Studies: long runs that measure solver, search and learning, and how their tables are read."""

OPENING_PLIES = 4
"""Random moves at the beginning of each pair of games, in all studies."""
