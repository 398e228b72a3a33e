"""The endgame solver: exact results by alpha-beta search with a transposition table."""
