"""Whole-number weights of products of stones from the player's own mistakes (Rosenblatt, 1958).

A least-squares fit may play badly where other weights of the same products would not.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from ttt_lib.game.board import Ints
from ttt_lib.game.gametree import solve
from ttt_lib.game.response import reachable
from ttt_lib.spectral.spectrum import GRID, Product, monomials


def never_losing(
    chosen: tuple[frozenset[Product], ...], sides: Collection[int], *, rounds: int = 100
) -> Ints | None:
    """One polynomial that nobody beats as the player of these sides, or None if none turns up.

    In every position that the player meets, and where it may pick a losing move though another
    holds, the weights move by the difference of the two boards' products.

    Parameters
    ----------
    chosen : tuple of classes
        The products, as of :func:`~ttt_lib.spectral.spectrum.classes`.
    sides : collection of int
        +1 for X, -1 for O.
    rounds : int
        How often the player is corrected at most. None proves nothing.

    Returns
    -------
    ndarray of int64, shape (classes,)
    """
    tree, weights = solve(GRID), np.zeros(len(chosen), dtype=np.int64)
    side = GRID.to_move(tree.boards)[:, None].astype(np.int64)
    features = monomials(tree.boards, chosen).astype(np.int64)
    holds = tree.legal & (side * tree.value[tree.children] >= 0)
    for _ in range(rounds):
        lead = np.where(tree.legal, side * (features @ weights)[tree.children], -(2**40))
        top = tree.legal & (lead == lead.max(axis=1, keepdims=True))
        met = [(side[:, 0] == s) & reachable(tree, top.astype(np.int64), s) for s in sides]
        wrong = np.any(met, axis=0) & (top & ~holds).any(axis=1) & holds.any(axis=1)
        if not wrong.any():
            return weights
        right = np.where(holds, lead, -(2**41)).argmax(axis=1)
        for row in np.flatnonzero(wrong):
            good, bad = tree.children[row, [right[row], (top & ~holds)[row].argmax()]]
            weights = weights + side[row] * (features[good] - features[bad])
    return None
