"""Strength by games: paired openings, both sides, every game another one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ttt_lib.game.match import MatchResult
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.board.kernels import RESULT, SIDE, States
from ttt_lib.ultimate.learn.tablenet import Tables
from ttt_lib.ultimate.search.puct import C_PUCT, FPU, UctSearch
from ttt_lib.ultimate.search.puct_table import TableSearch

Mover = Callable[[States, np.random.Generator], int]
"""A running state, shape (24,), -> a move."""


def table_mover(
    tables: Tables,
    simulations: int,
    game: Ultimate | None = None,
    *,
    c: float = C_PUCT,
    fpu: float = FPU,
    solve: bool = True,
) -> Mover:
    """Play the move of most simulations by PUCT with a table net; ``solve`` backs up proofs."""
    game = game or Ultimate()

    def move(state: States, rng: np.random.Generator) -> int:
        search = TableSearch(game, state, tables, c=c, fpu=fpu, solve=solve)
        return int(search.run(max(2, simulations)).scores.argmax())

    return move


def uct_mover(iterations: int, game: Ultimate | None = None, *, solve: bool = True) -> Mover:
    """Play the move of most simulations by UCT with random playouts; ``solve`` backs up proofs."""
    game = game or Ultimate()

    def move(state: States, rng: np.random.Generator) -> int:
        search = UctSearch(game, state, rng=rng, solve=solve)
        return int(search.run(iterations).scores.argmax())

    return move


def random_mover(game: Ultimate | None = None) -> Mover:
    """Play uniformly."""
    game = game or Ultimate()

    def move(state: States, rng: np.random.Generator) -> int:
        return int(rng.choice(np.flatnonzero(game.legal(state[None])[0])))

    return move


def openings(count: int, plies: int, rng: np.random.Generator, game: Ultimate) -> States:
    """Running states after uniformly random moves, shape (count, 24)."""
    states, move = game.initial(count), random_mover(game)
    for row in range(count):
        for _ in range(plies):
            after = game.play(states[row : row + 1], np.array([move(states[row], rng)]))
            if after[0, RESULT] == 0:
                states[row] = after[0]
    return states


def result(
    first: Mover, second: Mover, state: States, rng: np.random.Generator, game: Ultimate
) -> int:
    """Play on from a state, ``first`` being to move; +1 if it wins, -1 if it loses, 0 a draw."""
    state, side, movers = state.copy(), int(state[SIDE]), (first, second)
    while state[RESULT] == 0:
        move = movers[int(state[SIDE]) ^ side](state, rng)
        state = game.play(state[None], np.array([move]))[0]
    return {3: 0, 1 + side: 1}.get(int(state[RESULT]), -1)


def paired(
    a: Mover,
    b: Mover,
    games: int,
    *,
    plies: int = 4,
    rng: np.random.Generator | int = 0,
    game: Ultimate | None = None,
) -> MatchResult:
    """Match of two movers: each random opening is played twice, with sides changed.

    Raises
    ------
    ValueError
        If games is odd or < 2.
    """
    if games < 2 or games % 2:
        raise ValueError(f"paired openings need an even number of games, not {games}")
    rng, game = np.random.default_rng(rng), game or Ultimate()
    results = []
    for state in openings(games // 2, plies, rng, game):
        results += [result(a, b, state, rng, game), -result(b, a, state, rng, game)]
    win, draw, loss = (results.count(value) for value in (1, 0, -1))
    return MatchResult(games, win, draw, loss, 0.0)
