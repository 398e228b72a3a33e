"""The document's programs replayed: the same random draws in the same order, from the same seed.

They take every random number from Python's `random`, whose sequence depends on nothing but the
seed, and the document says that its results are of "runs with seed 42".  So a printed match whose
settings are printed, too, need not be compared with a distribution: it can be computed.

The order of the draws is that of `spectral_policy_3x3.py`, `spectral_policy_4x4.py` and
`spectral_policy_nxn.py`, found in an archive of public source files that names neither repository
nor commit.  Where symmetric features make cells equal, the programs leave the choice to rounding;
here the lowest index is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import NamedTuple

import numpy as np

from ttt_lib.game.board import Boards, Grid
from ttt_lib.game.policy import Agent, safety
from ttt_lib.spectral.exhibits import (
    Draw,
    Stones,
    as_bits,
    free_cells,
    kept_choice,
    play_out,
)
from ttt_lib.spectral.labels import Rows
from ttt_lib.spectral.policy import fit, player, spectral

SEED = 42
"""Of all results that the document prints."""

Player = Callable[[Stones, Draw], int]
"""From the stones and a source of draws to a move."""


def draws(seed: int) -> Draw:
    """What `random.choice` takes its index from, after `random.seed(seed)`."""
    return Random(seed).randrange


# ---------------------------------------------------------------------------- 3x3, exact labels


def exact_labels(games: int, symmetric: str = "no", careful: str = "yes", seed: int = SEED) -> str:
    """A match of `spectral_policy_3x3.py` against random play: it is X in every game.

    Parameters
    ----------
    symmetric, careful : {"no", "yes"}
        As the options ``symmetric`` and ``safety`` of :func:`ttt_lib.spectral.policy.spectral`.

    Returns
    -------
    str
        Wins, draws and losses: ``"29-1-0"``.
    """
    grid, draw = Grid(3), draws(seed)
    agent = deterministic(grid, spectral(grid, symmetric, careful))
    return tally([play(grid, agent, at_random(grid), draw) for _ in range(games)])


# ---------------------------------------------------------------------------- sampled labels


class Run(NamedTuple):
    """One run of `spectral_policy_4x4.py` or `spectral_policy_nxn.py`, which are alike.

    Attributes
    ----------
    n : int
        Edge of the board.
    states, playouts : int
        Training states drawn (those where the game is over are dropped), and playouts per move.
    games, search_games : int
        Against random play, then against the search, on alternating sides.
    iterations : int
        Of the search.
    symmetric, careful : bool
        Whether features are averaged over the symmetries; whether the safety rule is on.
    """

    n: int
    states: int
    playouts: int
    games: int
    search_games: int = 0
    iterations: int = 150
    symmetric: bool = False
    careful: bool = True


def sampled_labels(run: Run, seed: int = SEED) -> tuple[str, str]:
    """Train and play as the program does: its matches against random play and its own search."""
    grid, draw = Grid(run.n), draws(seed)
    model = fit(training_rows(grid, run.states, run.playouts, draw), symmetric=run.symmetric)
    agent = deterministic(grid, safety(player(model)) if run.careful else player(model))
    rivals = ((at_random(grid), run.games), (kept_choice(grid, run.iterations), run.search_games))
    won, drawn = (alternating(grid, agent, rival, games, draw) for rival, games in rivals)
    return won, drawn


def training_rows(grid: Grid, states: int, playouts: int, draw: Draw) -> Rows:
    """The program's training rows: every move of states met in random games, with sampled results.

    Parameters
    ----------
    states : int
        States drawn: the number of stones first, then random moves; where the game is over
        before its last move, or with it, the state is dropped.
    """
    (won, full), found, targets = as_bits(grid), [], []
    for _ in range(states):
        stones = _random_stones(draw(grid.cells), won, full, draw)
        if stones is None:
            continue
        found.append(stones)
        for move in free_cells(stones, full):
            after = (stones[1], stones[0] | 1 << move)
            ends = [play_out(after, won, full, draw) for _ in range(playouts)]
            total = sum((-1 if turns % 2 else 1) * decided for turns, decided in ends)
            targets.append(total / playouts)
    boards = np.concatenate([board_of(stones, grid) for stones in found])
    state, moves = np.nonzero(grid.legal(boards))
    return Rows(grid, boards, state, moves, grid.play(boards[state], moves), np.array(targets))


def _random_stones(moves: int, won: Callable[[int], bool], full: int, draw: Draw) -> Stones | None:
    """Stones after random moves; None if they end the game."""
    stones, free = (0, 0), free_cells((0, 0), full)
    for _ in range(moves):
        stones = (stones[1], stones[0] | 1 << free.pop(draw(len(free))))
        if won(stones[1]):
            return None
    return stones


LARGER = Run(4, 400, 6, games=25, search_games=10)
"""The document's matches on 4x4 with standard features."""

QUICK = Run(3, 200, 6, games=10)
"""Its quick check for N = 3, as by the command that it calls a quick run."""

QUICK_LARGER = Run(4, 200, 6, games=10, search_games=5, iterations=100)
"""Its quick check for N = 4 with the same numbers of states and playouts, which it doesn't name."""


def printed_matches(seed: int = SEED) -> dict[str, str]:
    """Replays of the document's matches in which no tie is left to rounding.

    Returns
    -------
    dict
        Wins, draws and losses by claim.  All settings are printed but those of ``dct-n4-random``
        and ``dct-n4-mcts`` (:data:`QUICK_LARGER`), and the program of ``dct-off-random``.
    """
    larger, quick = sampled_labels(LARGER, seed), sampled_labels(QUICK_LARGER, seed)
    return {
        "dct-3-random": exact_labels(30, seed=seed),
        "dct-4-random": larger[0],
        "dct-4-mcts": larger[1],
        "dct-n3-random": sampled_labels(QUICK, seed)[0],
        "dct-n4-random": quick[0],
        "dct-n4-mcts": quick[1],
        "dct-off-random": exact_labels(10, careful="no", seed=seed),
    }


# ---------------------------------------------------------------------------- games


def board_of(stones: Stones, grid: Grid) -> Boards:
    """The board of these stones, shape (1, cells)."""
    taken = np.array([[held >> m & 1 for m in range(grid.cells)] for held in stones], dtype=np.int8)
    side = 1 if taken[0].sum() == taken[1].sum() else -1
    return np.asarray(side * (taken[:1] - taken[1:]), dtype=np.int8)


def deterministic(grid: Grid, agent: Agent) -> Player:
    """The moves of an agent that has only one in each state."""
    unused = np.random.default_rng(0)
    return lambda stones, draw: int(agent.policy(board_of(stones, grid), unused).argmax())


def at_random(grid: Grid) -> Player:
    """Random play: one draw per move."""
    full = (1 << grid.cells) - 1

    def choose(stones: Stones, draw: Draw) -> int:
        free = free_cells(stones, full)
        return free[draw(len(free))]

    return choose


def play(grid: Grid, first: Player, second: Player, draw: Draw) -> int:
    """The result of one game for the player that begins: 1, 0 or -1."""
    (won, _), stones = as_bits(grid), (0, 0)
    for turn in range(grid.cells):
        move = (first, second)[turn % 2](stones, draw)
        stones = (stones[1], stones[0] | 1 << move)
        if won(stones[1]):
            return 1 - 2 * (turn % 2)
    return 0


def alternating(grid: Grid, agent: Player, rival: Player, games: int, draw: Draw) -> str:
    """Wins, draws and losses of an agent that begins every other game, the first one too."""
    return tally(
        [
            -play(grid, rival, agent, draw) if game % 2 else play(grid, agent, rival, draw)
            for game in range(games)
        ]
    )


def tally(results: list[int]) -> str:
    """Wins, draws and losses as the document prints them: ``"29-1-0"``."""
    return "-".join(str(results.count(result)) for result in (1, 0, -1))
