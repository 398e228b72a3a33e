"""Players for comparison: a network on the same labels, and the document's two searches."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ttt_lib.evidence.faults import with_parts
from ttt_lib.game.board import Boards, Floats, Grid
from ttt_lib.game.policy import Agent, Evaluator, from_visits
from ttt_lib.spectral.features import dct_features
from ttt_lib.spectral.labels import Rows

if TYPE_CHECKING:
    from ttt_lib.game.search import SearchResult


@cache
def wrong_sign_search() -> Callable[..., SearchResult]:
    """:func:`ttt_lib.game.search.search`, but every result is credited to the other player."""
    from numba import njit

    from ttt_lib.game import search_kernels
    from ttt_lib.game.search import search

    back_up = search_kernels.back_up

    @njit
    def wrong(tree, path, depth, side, winner):  # type: ignore[no-untyped-def]
        """The arguments are those of :func:`ttt_lib.game.search_kernels.back_up`."""
        back_up(tree, path, depth, side, -winner)

    return with_parts(search, grow_tree=with_parts(search_kernels.grow_tree, back_up=wrong))


def wrong_sign_uct(grid: Grid, iterations: int = 150, c: float = 1.414) -> Agent:
    """For comparison, not a player: UCT that credits each result to the wrong side.

    It looks for the moves that are best for its opponent, as the document's search does
    (:func:`kept_search` follows that search more closely, and says how we know).

    Raises
    ------
    ValueError
        As :func:`ttt_lib.game.search.check_search`.
    """
    from ttt_lib.game.search import check_search

    check_search(grid, iterations, c)
    search = wrong_sign_search()

    def visits(boards: Boards, rng: np.random.Generator) -> Floats:
        return search(grid, boards, iterations, c, rng=rng).visits

    return from_visits("uct with the wrong sign", grid, visits)


Pick = Callable[[int], int]
"""Picks one of the whole numbers below its argument at random."""

Stones = tuple[int, int]
"""The stones of the side to move and those of the other, each as the bits of their cells."""


def kept_search(grid: Grid, iterations: int = 150, c: float = 1.414) -> Agent:
    """For comparison, not a player: :func:`remembering_search` as an agent.

    Returns
    -------
    Agent
        With a memory of its own: make a new one for each match.
    """
    choose = remembering_search(grid, iterations, c)

    def policy(boards: Boards, rng: np.random.Generator) -> Floats:
        chosen = np.zeros(boards.shape)
        for row, board in enumerate(boards.tolist()):
            chosen[row, choose(stones_of(board), below(rng))] = 1
        return chosen

    return Agent("uct of the document's program", grid, policy)


def remembering_search(
    grid: Grid, iterations: int = 150, c: float = 1.414, *, mended: bool = False
) -> Callable[[Stones, Pick], int]:
    """UCT as the document's programs have it, with a memory: from stones and a choice to a move.

    Reimplemented from `MCTSNxN` in `spectral_policy_nxn.py` and `MCTSPlayer4x4` in
    `spectral_policy_4x4.py`, which are alike.  Both were found in an archive of public source
    files that names neither repository nor commit.  Statistics belong to boards, not to branches,
    and are kept from move to move and from game to game.  A result is credited to the side to move
    at a board (in the former `elif winner==player_to_move: val=1.0`), but the parent, where the
    other side chooses, takes the child with the largest mean (`q=(w/n) if n>0 else 0.0`): the sign
    is wrong.

    Parameters
    ----------
    mended : bool
        Whether results are credited to the side that moved to a board, as is right.
    """
    (won, full), memory, sign = as_bits(grid), _Memory({}, {}), -1.0 if mended else 1.0

    def choose(root: Stones, pick: Pick) -> int:
        for _ in range(iterations):
            _visit(root, memory, won, full, c, pick, sign)
        free = free_cells(root, full)
        counts = [memory.visits.get((root[1], root[0] | 1 << m), 0) for m in free]
        return free[int(np.argmax(counts))]

    return choose


def below(rng: np.random.Generator) -> Pick:
    """Picks by a generator of numpy's."""
    return lambda count: int(count * rng.random())


def stones_of(board: Sequence[int]) -> Stones:
    """A board of 1 (X), -1 (O) and 0 as the stones of the side to move and of the other."""
    x, o = (sum(1 << i for i, stone in enumerate(board) if stone == side) for side in (1, -1))
    return (x, o) if x.bit_count() == o.bit_count() else (o, x)


def free_cells(stones: Stones, full: int) -> list[int]:
    """The free cells in index order."""
    taken = stones[0] | stones[1]
    return [m for m in range(full.bit_length()) if not taken >> m & 1]


Won = Callable[[int], bool]
"""Whether stones, as bits, hold a line."""


class _Memory(NamedTuple):
    """Visits and summed results of boards."""

    visits: dict[Stones, int]
    results: dict[Stones, float]


def _visit(
    root: Stones, memory: _Memory, won: Won, full: int, c: float, pick: Pick, sign: float = 1.0
) -> int:
    """One iteration: descend, play out, back up; returns the moves made.

    Parameters
    ----------
    sign : float
        Of what a board is credited if the side to move there wins.
    """
    path, fresh = [root], False
    while not (_ended(*path[-1], won, full) or fresh):
        mine, other = path[-1]
        children = [(other, mine | 1 << m) for m in free_cells(path[-1], full)]
        unseen = [child for child in children if child not in memory.visits]
        fresh = bool(unseen)
        path.append(unseen[pick(len(unseen))] if fresh else _best(path[-1], children, memory, c))
    turns, decided = play_out(path[-1], won, full, pick)
    for back, board in enumerate(reversed(path)):
        value = (sign if (turns + back) % 2 else -sign) if decided else 0.0
        memory.visits[board] = memory.visits.get(board, 0) + 1
        memory.results[board] = memory.results.get(board, 0.0) + value
    return len(path) - 1 + turns


def play_out(stones: Stones, won: Won, full: int, pick: Pick) -> tuple[int, bool]:
    """Random moves to the end: how many, and whether whoever moved last has won."""
    mine, other = stones
    turns, free = 0, free_cells(stones, full)
    while not _ended(mine, other, won, full):
        mine, other = other, mine | 1 << free.pop(pick(len(free)))
        turns += 1
    return turns, won(other)


def moves_made(
    grid: Grid, iterations: int, *, rng: np.random.Generator | int, c: float = 1.414
) -> int:
    """Moves that :func:`kept_search` makes, down its tree and in playouts, on the empty board."""
    pick, memory = below(np.random.default_rng(rng)), _Memory({}, {})
    won, full = as_bits(grid)
    return sum(_visit((0, 0), memory, won, full, c, pick) for _ in range(iterations))


@cache
def as_bits(grid: Grid) -> tuple[Won, int]:
    """Whether stones hold a line of a grid, asked once for each arrangement; and all its cells."""
    lines = [sum(1 << int(cell) for cell in line) for line in grid.lines]
    return cache(lambda stones: any(line & stones == line for line in lines)), (1 << grid.cells) - 1


TINY = 1e-9
"""Added to counts, as in the programs: on a board's second visit it decides between equal means."""


def _best(board: Stones, children: list[Stones], memory: _Memory, c: float) -> Stones:
    """The child with the largest upper bound on the mean, for the side to move *at the child*."""
    total = math.log(memory.visits[board] + TINY)

    def bound(child: Stones) -> float:
        visits = memory.visits[child]
        return memory.results[child] / visits + c * math.sqrt(total / (visits + TINY))

    return max(children, key=bound)


def _ended(mine: int, other: int, won: Won, full: int) -> bool:
    """Whether the side that has just moved holds a line, or no cell is free."""
    return (mine | other) == full or won(other)


def train_network(rows: Rows, *, hidden: int = 100, seed: int = 0) -> Evaluator:
    """Fit a network to the features and labels that the ridge regression gets.

    Parameters
    ----------
    hidden : int
        Neurons in the hidden layer.
    seed : int
        Of the initial weights and of the order of the rows.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPRegressor

    regressor = MLPRegressor(hidden_layer_sizes=(hidden,), max_iter=100, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the budget of 100 epochs is intended
        regressor.fit(dct_features(rows.after, rows.grid), rows.target)
    return lambda after: np.asarray(regressor.predict(dct_features(after, rows.grid)))
