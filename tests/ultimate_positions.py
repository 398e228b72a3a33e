"""Positions of Ultimate for the tests, and the plainest search that can judge them."""

from __future__ import annotations

import numpy as np
from numba import njit

from ttt_lib.ultimate.board import kernels
from ttt_lib.ultimate.board.game import Ultimate, playable

RULES = ("standard", "keep-playing", "codingame")


def random_game(game: Ultimate, rng: np.random.Generator) -> list[np.ndarray]:
    """The running states of a random game, each of shape (24,)."""
    state, found = game.initial(), []
    while not game.finished(state)[0]:
        found.append(state[0])
        state = game.play(state, np.array([rng.choice(np.flatnonzero(game.legal(state)[0]))]))
    return found


def endgames(game: Ultimate, number: int, most: int, *, seed: int = 0) -> np.ndarray:
    """Running states with at most ``most`` playable cells, shape (number, 24)."""
    rng, found = np.random.default_rng(seed), []
    while len(found) < number:
        states = np.array(random_game(game, rng))
        found += list(states[playable(states) <= most])
    return np.array(found[:number])


@njit
def brute(s, ply, rules):  # type: ignore[no-untyped-def]
    """100 - plies for a win, plies - 100 for a loss, 0: every line of play, no table, no window."""
    if s[kernels.RESULT] == 3:
        return 0
    if s[kernels.RESULT] != 0:
        return 100 - ply if s[kernels.RESULT] == 1 + s[kernels.SIDE] else ply - 100
    best = -1000
    boards = kernels.targets(s)
    for place in range(81):
        board, cell = place // 9, place % 9
        if boards >> board & 1 and kernels.vacant(s, board) >> cell & 1:
            before = kernels.do(s, board, cell, rules)
            best = max(best, -brute(s, ply + 1, rules))
            kernels.undo(s, board, cell, before)
    return best


def exact(state: np.ndarray, game: Ultimate) -> tuple[int, int | None]:
    """Result and distance of a state by ``brute``."""
    score = int(brute(state.copy(), 0, game.code))
    return (score > 0) - (score < 0), 100 - abs(score) if score else None
