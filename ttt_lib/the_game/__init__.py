"""Notebook 00: the exact facts of the game, and pictures of them."""
