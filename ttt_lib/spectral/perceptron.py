"""Whole-number weights of products of stones from the player's own mistakes (Rosenblatt, 1958).

A least-squares fit may play badly where other weights of the same products would not.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from ttt_lib.game.board import Ints
from ttt_lib.game.gametree import solve
from ttt_lib.game.response import reachable
from ttt_lib.spectral.degrees import GRID, Product, monomials

ROUNDS = 100
"""How often a player is corrected before it is given up."""
NEVER = -(2**40)
"""Less than any move's worth."""


def never_losing(chosen: tuple[frozenset[Product], ...], sides: Collection[int]) -> Ints | None:
    """Weights of one polynomial that never loses on these sides, or None if none turned up.

    In every position that the player meets, and where it may pick a losing move though another
    holds, the weights move by the difference of the two boards' products.  None proves nothing.

    Parameters
    ----------
    chosen : tuple of classes
        The products, as from :func:`~ttt_lib.spectral.degrees.classes`.
    sides : collection of int
        +1 for X, -1 for O.

    Returns
    -------
    ndarray of int64, shape (classes,), or None
    """
    tree, weights = solve(GRID), np.zeros(len(chosen), dtype=np.int64)
    mover = GRID.to_move(tree.boards).astype(np.int64)
    features = monomials(tree.boards, chosen).astype(np.int64)
    holds = tree.legal & (mover[:, None] * tree.value[tree.children] >= 0)
    for _ in range(ROUNDS):
        worth = np.where(tree.legal, mover[:, None] * (features @ weights)[tree.children], NEVER)
        top = tree.legal & (worth == worth.max(axis=1, keepdims=True))
        met = [(mover == side) & reachable(tree, top.astype(np.int64), side) for side in sides]
        fails = top & ~holds
        wrong = np.any(met, axis=0) & fails.any(axis=1) & holds.any(axis=1)
        if not wrong.any():
            return weights
        right = np.where(holds, worth, NEVER).argmax(axis=1)
        for row in np.flatnonzero(wrong):
            good, bad = tree.children[row, [right[row], fails[row].argmax()]]
            weights = weights + mover[row] * (features[good] - features[bad])
    return None
