"""The endgame solver: exact results by alpha-beta search with a transposition table.

``solver`` is what others call, ``negamax`` the compiled search and move order, ``table`` the
transposition table.  ``plain`` and ``layers`` solve the same positions in other ways, to check
it; ``oracle`` answers for the playing page.
"""
