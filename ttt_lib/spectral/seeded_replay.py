"""The document's programs replayed: the same random choices in the same order, from its seed.

They choose at random by Python's `random` alone, whose choices have been the same for the same seed
since Python 3.2, and the document says that its results are of "runs with seed 42".  So a printed
match whose options are printed, too, need not be compared with a distribution: it can be computed.

The order of the choices is that of `spectral_policy_3x3.py`, `spectral_policy_4x4.py` and
`spectral_policy_nxn.py`, found in an archive of public source files that names neither repository
nor commit; what is no option (the exploration constant, who begins) is theirs, too.
Where symmetric features make cells equal, the programs leave the choice to rounding; here the
lowest index is taken, except by :func:`by_order`.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import NamedTuple

import numpy as np

from ttt_lib.game.board import Boards, Grid
from ttt_lib.game.policy import Agent, safety
from ttt_lib.spectral.alternatives import (
    Pick,
    Stones,
    as_bits,
    free_cells,
    play_out,
    remembering_search,
)
from ttt_lib.spectral.labels import Rows
from ttt_lib.spectral.policy import fit, player, spectral
from ttt_lib.spectral.rounding import by_rounding

SEED = 42
"""Of all results that the document prints."""

Player = Callable[[Stones, Pick], int]
"""From the stones and a source of random choices to a move."""


def picks(seed: int) -> Pick:
    """What `random.choice` takes its index from, after `random.seed(seed)`."""
    return Random(seed).randrange


# ---------------------------------------------------------------------------- 3x3, exact labels


def exact_labels(
    games: int,
    symmetric: str = "no",
    careful: str = "yes",
    seed: int = SEED,
    *,
    alternate: bool = False,
) -> str:
    """A match against random play on 3x3, the labels being exact.

    Parameters
    ----------
    symmetric, careful : {"no", "yes"}
        As the options ``symmetric`` and ``safety`` of :func:`ttt_lib.spectral.policy.spectral`.
    alternate : bool
        Whether sides alternate, as in `spectral_policy_nxn.py`; in `spectral_policy_3x3.py` the
        policy is X in every game.

    Returns
    -------
    str
        Wins, draws and losses: ``"29-1-0"``.
    """
    grid, pick = Grid(3), picks(seed)
    agent = deterministic(grid, spectral(grid, symmetric, careful))
    if alternate:
        return alternating(grid, agent, at_random(grid), games, pick)
    return tally([play(grid, agent, at_random(grid), pick) for _ in range(games)])


# ---------------------------------------------------------------------------- sampled labels


Worth = tuple[float, float, float]
"""What a win, a draw and a loss of the mover count."""


class Command(NamedTuple):
    """The options of `spectral_policy_4x4.py` or `spectral_policy_nxn.py`, which are alike.

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
    mended : bool
        No option of theirs: whether the search credits results to the right side.
    worth : (win, draw, loss)
        No option of theirs: what the results of playouts count in the labels.
    """

    n: int
    states: int
    playouts: int
    games: int
    search_games: int = 0
    iterations: int = 150
    symmetric: bool = False
    careful: bool = True
    mended: bool = False
    worth: Worth = (1, 0, -1)


def sampled_labels(run: Command, seed: int = SEED) -> tuple[str, str]:
    """Train and play as the program does: its matches against random play and its own search.

    Raises
    ------
    ValueError
        As :func:`training_rows`.
    """
    grid, pick = Grid(run.n), picks(seed)
    rows = training_rows(grid, run.states, run.playouts, pick, run.worth)
    model = fit(rows, symmetric=run.symmetric)
    return _both_matches(run, player(model), pick)


def _both_matches(run: Command, bare: Agent, pick: Pick) -> tuple[str, str]:
    """The matches of an agent, given without the safety rule."""
    grid = Grid(run.n)
    agent = deterministic(grid, safety(bare) if run.careful else bare)
    search = remembering_search(grid, run.iterations, mended=run.mended)
    against_random = alternating(grid, agent, at_random(grid), run.games, pick)
    return against_random, alternating(grid, agent, search, run.search_games, pick)


def training_rows(
    grid: Grid, states: int, playouts: int, pick: Pick, worth: Worth = (1, 0, -1)
) -> Rows:
    """The program's training rows: every move of states met in random games, with sampled results.

    Parameters
    ----------
    states : int
        States drawn: the number of stones first, then random moves; where the game is over
        before its last move, or with it, the state is dropped.
    playouts : int
        Per move.
    worth : (win, draw, loss)
        What their results count.

    Raises
    ------
    ValueError
        If no state is left.
    """
    (won, full), found, targets = as_bits(grid), [], []
    for _ in range(states):
        stones = _random_stones(pick(grid.cells), won, full, pick)
        if stones is None:
            continue
        found.append(stones)
        for move in free_cells(stones, full):
            after = (stones[1], stones[0] | 1 << move)
            ends = [play_out(after, won, full, pick) for _ in range(playouts)]
            total = sum(worth[1 - (-1 if turns % 2 else 1) * decided] for turns, decided in ends)
            targets.append(total / playouts)
    if not found:
        raise ValueError(f"no training state is left: in all {states} games the game was over")
    boards = np.concatenate([board_of(stones, grid) for stones in found])
    state, moves = np.nonzero(grid.legal(boards))
    return Rows(grid, boards, state, moves, grid.play(boards[state], moves), np.array(targets))


def by_order(run: Command, orders: int) -> tuple[tuple[str, str], ...]:
    """The matches of :func:`sampled_labels` with symmetric features, ties being left to rounding.

    Parameters
    ----------
    orders : int
        In how many orders to sum a score, drawn at random: each gives a pair of matches.
    """
    grid, source, found = Grid(run.n), Random(SEED), []
    pick = source.randrange
    model = fit(training_rows(grid, run.states, run.playouts, pick, run.worth), symmetric=True)
    trained = source.getstate()
    for order in range(orders):
        source.setstate(trained)
        found.append(_both_matches(run, by_rounding(model, rng=order), pick))
    return tuple(found)


def _random_stones(moves: int, won: Callable[[int], bool], full: int, pick: Pick) -> Stones | None:
    """Stones after random moves; None if they end the game."""
    stones, free = (0, 0), free_cells((0, 0), full)
    for _ in range(moves):
        stones = (stones[1], stones[0] | 1 << free.pop(pick(len(free))))
        if won(stones[1]):
            return None
    return stones


ON_4X4 = Command(4, 400, 6, games=25, search_games=10)
"""The document's matches on 4x4 with standard features."""

QUICK_3 = Command(3, 200, 6, games=10)
"""Its quick check for N = 3, as by the command that it calls a quick run."""

QUICK_4 = Command(4, 200, 6, games=10, search_games=5, iterations=100)
"""Its quick check for N = 4 with the same numbers of states and playouts, which it doesn't name."""


def printed_matches(seed: int = SEED) -> dict[str, str]:
    """Replays of seven of the document's twelve matches that depend on chance.

    Returns
    -------
    dict
        Wins, draws and losses by claim: of three all options are printed and no tie is left to
        rounding; of the others a reading is taken that fits
        (:data:`ttt_lib.spectral.claims_replay.OPEN` has all readings).
    """
    larger, quick = sampled_labels(ON_4X4, seed), sampled_labels(QUICK_4, seed)
    return {
        "dct-3-random": exact_labels(30, seed=seed),
        "dct-4-random": larger[0],
        "dct-4-mcts": larger[1],
        "dct-n3-random": sampled_labels(QUICK_3, seed)[0],
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
    return lambda stones, pick: int(agent.policy(board_of(stones, grid), unused).argmax())


def at_random(grid: Grid) -> Player:
    """Random play: one pick per move."""
    full = (1 << grid.cells) - 1

    def choose(stones: Stones, pick: Pick) -> int:
        free = free_cells(stones, full)
        return free[pick(len(free))]

    return choose


def play(grid: Grid, first: Player, second: Player, pick: Pick) -> int:
    """The result of one game for the player that begins: 1, 0 or -1."""
    (won, _), stones = as_bits(grid), (0, 0)
    for turn in range(grid.cells):
        move = (first, second)[turn % 2](stones, pick)
        stones = (stones[1], stones[0] | 1 << move)
        if won(stones[1]):
            return 1 - 2 * (turn % 2)
    return 0


def alternating(grid: Grid, agent: Player, rival: Player, games: int, pick: Pick) -> str:
    """Wins, draws and losses of an agent that begins every other game, the first one too."""
    return tally(
        [
            -play(grid, rival, agent, pick) if game % 2 else play(grid, agent, rival, pick)
            for game in range(games)
        ]
    )


def tally(results: list[int]) -> str:
    """Wins, draws and losses as the document prints them: ``"29-1-0"``."""
    return "-".join(str(results.count(result)) for result in (1, 0, -1))
