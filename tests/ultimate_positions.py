"""Positions of Ultimate for the tests, and the plainest search that can judge them."""

from __future__ import annotations

import numpy as np
from numba import njit

from ttt_lib.ultimate.board import kernels
from ttt_lib.ultimate.board.game import Ultimate, pack, playable
from ttt_lib.ultimate.board.rules import RULES, Position, start
from ttt_lib.ultimate.network.evaluator import Evaluator


def random_game(game: Ultimate, rng: np.random.Generator) -> list[np.ndarray]:
    """The running states of a random game, each of shape (24,); many are wanted, hence kernels."""
    state, found, legal = game.initial(), [], np.empty((1, game.moves), dtype=np.bool_)
    while state[0, kernels.RESULT] == 0:
        found.append(state[0])
        kernels.legal(state, legal)
        moves, state = np.flatnonzero(legal[0]), state.copy()
        kernels.play(state, rng.choice(moves, 1), game.code)
    return found


def endgames(game: Ultimate, number: int, most: int, *, seed: int = 0) -> np.ndarray:
    """Running states with at most ``most`` playable cells, shape (number, 24)."""
    rng, found = np.random.default_rng(seed), []
    while len(found) < number:
        states = np.array(random_game(game, rng))
        found += list(states[playable(states) <= most])
    return np.array(found[:number])


@njit(cache=True)
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


def random_games(
    games: int, *, rng: np.random.Generator | int = 0, position: Position | None = None
) -> np.ndarray:
    """Results of uniformly random games: X won, O won, drawn, shape (3,).

    Raises
    ------
    ValueError
        If games < 0.
    """
    if games < 0:
        raise ValueError(f"the number of games can't be negative: {games}")
    position = position or start()
    code = RULES.index(position.rules)
    bits = np.uint64(kernels.seed(rng))
    return np.asarray(kernels.playouts(pack(position), games, code, bits))


def uniform_evaluator(game: Ultimate, *, rng: np.random.Generator | int = 0) -> Evaluator:
    """Know nothing: all moves alike, the value that of one random playout."""
    rng = np.random.default_rng(rng)

    def evaluate(states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values = np.empty(len(states))
        for row, state in enumerate(states):
            counts = kernels.playouts(state, 1, game.code, np.uint64(kernels.seed(rng)))
            side = 1 if state[kernels.SIDE] == 0 else -1
            values[row] = side * (counts[0] - counts[1])
        return np.ones((len(states), game.moves)), values

    return evaluate
