"""The solver without a search: every position that can follow, solved from the last ply back.

It has no window, no move order and no table, and compares whole positions instead of keys, so it
shares none of the faults that :mod:`ttt_lib.ultimate.solver.negamax` could have; the rules are
those of the kernels.  A test compares it with :mod:`ttt_lib.ultimate.solver.plain`.  Endgames of
15 playable cells take some 0.3 s on average.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.board.kernels import State, States

FAR = 100
"""A win in d plies is worth ``FAR - d``, a loss ``d - FAR``, a draw nothing."""

Layer = tuple[States, NDArray[np.intp], NDArray[np.intp]]
"""Positions of a ply; by move, the place of the position before and of the one after it."""


def solve(state: State, rules: str = "standard") -> tuple[int, int | None]:
    """Who wins under best play, and how soon; see :func:`ttt_lib.ultimate.solver.plain.solve`."""
    game = Ultimate(rules)
    layers, worth = list(_layers(state, game)), np.zeros(0, dtype=np.int64)
    for states, before, after in reversed(layers):
        over = game.winner(states).astype(np.int64) * game.to_move(states)
        now = np.where(game.finished(states), FAR * over, -FAR)
        reached = -worth[after]
        np.maximum.at(now, before, reached - np.sign(reached))
        worth = now
    value = int(worth[0])
    return int(np.sign(value)), FAR - abs(value) if value else None


def _layers(state: State, game: Ultimate) -> list[Layer]:
    """The positions that can follow, ply by ply."""
    layers, states = list[Layer](), state[None]
    while len(states):
        before, moves = np.nonzero(game.legal(states))
        after, places = _distinct(game.play(states[before], moves))
        layers.append((states, before, places))
        states = after
    return layers


def _distinct(states: States) -> tuple[States, NDArray[np.intp]]:
    """Every position once, and where each is found there."""
    whole = np.dtype((np.void, states.shape[1] * states.itemsize))
    rows = np.ascontiguousarray(states).view(whole).ravel()
    _, first, places = np.unique(rows, return_index=True, return_inverse=True)
    return states[first], places
