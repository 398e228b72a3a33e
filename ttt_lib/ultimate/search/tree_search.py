"""Tree search on Ultimate: UCT with random playouts, PUCT with any evaluator.

Both can keep their trees between moves (``advance``; the players search each position anew), give
the same result for the same seed, and recognise proven wins, draws and losses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game.board import Floats
from ttt_lib.game.policy import Agent, from_moves
from ttt_lib.ultimate.board import kernels
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.board.kernels import MOVE, RESULT, States
from ttt_lib.ultimate.network.evaluator import Evaluator
from ttt_lib.ultimate.search import trees

C_PUCT, FPU = 0.8, 0.4
"""How a trained network searches by default: exploration constant, and how much worse than its
parent an untried move is assumed to be.  Chosen by matches of the stored net's teacher against
UCT 5,000 and against itself with other settings, in games by which no strength is reported."""

ENOUGH, DOUBT = 0.25, 0.5
"""How a network picks its move, see :attr:`RootView.secure`: the share of the most visits that a
move needs, and what is subtracted from its value at one visit.  Chosen in the same way."""

NODES_PER_SIMULATION = 6
"""Nodes reserved at first; trees grow when they need more."""


MAX_SIMULATIONS = 20_000_000
"""Maximum number of simulations per call; a tree takes some 300 bytes per simulation."""


def check_search(simulations: int, c: float) -> None:
    """Raise ValueError unless 1 <= simulations <= MAX_SIMULATIONS and c is finite and >= 0."""
    if not 1 <= simulations <= MAX_SIMULATIONS:
        raise ValueError(f"a search needs iterations in 1..{MAX_SIMULATIONS}, not {simulations}")
    if not (np.isfinite(c) and c >= 0):
        raise ValueError(f"the exploration constant c must be a finite number >= 0, not {c}")


def check_player(simulations: int, c: float) -> None:
    """As :func:`check_search`, for a player: its first simulation only evaluates the root."""
    check_search(simulations, c)
    if simulations < 2:
        raise ValueError("alphazero needs 2 or more simulations: the first values the root alone")


@dataclass(frozen=True, eq=False)
class RootView:
    """What a search found about the moves at its root, for the side to move.

    Attributes
    ----------
    visits : ndarray of float64, shape (81,)
    values : ndarray of float64, shape (81,)
        Mean results, or proven ones; nan where nothing is known.
    low, high : ndarray of int8, shape (81,)
        Bounds of the results; -1 and -2 for illegal moves.
    """

    visits: Floats
    values: Floats
    low: NDArray[np.int8]
    high: NDArray[np.int8]

    @property
    def proven(self) -> int | None:
        """The result under best play, if the search proved it."""
        best, limit = int(self.low.max()), int(self.high.max())
        return best if best == limit else None

    @property
    def scores(self) -> Floats:
        """Visits, corrected by what is proven; higher is better, -inf where illegal.

        A proven win comes first; a proven draw comes before moves whose mean is worse;
        a move that is proven to be no better than another comes last.
        """
        return self._corrected(self.visits)

    @property
    def secure(self) -> Floats:
        """As :attr:`scores`, but by value: the *secure child* (Winands et al., 2008).

        Moves with at least ``ENOUGH`` times the most visits come first, ordered by a lower bound of
        their value, mean - ``DOUBT`` / sqrt(visits); the others follow by visits.
        """
        enough = (self.visits > 0) & (self.visits >= ENOUGH * self.visits.max())
        bounds = self.values - DOUBT / np.sqrt(np.maximum(self.visits, 1))
        return self._corrected(np.where(enough, self.visits.max() + 2 + bounds, self.visits))

    def _corrected(self, liking: Floats) -> Floats:
        """Preference for each move, corrected by what is proven."""
        known = self.low.max()
        scores = np.where(self.high > known, liking, liking - 1e12)
        safe = (self.low == known) & (self.low == self.high)
        if known == 1 or (self.high <= known).all() or not self._promising(known, liking):
            scores = np.where(safe, liking + 1e12, scores)
        return np.where(self.high < -1, -np.inf, scores)

    def _promising(self, known: int, liking: Floats) -> bool:
        """Whether the preferred one of the open moves looks better than the known result."""
        best = int(np.where(self.high > known, liking, -1).argmax())
        return bool(known == -1 or self.values[best] > known)


def view(forest: trees.Forest, row: int) -> RootView:
    """Read the root of one tree."""
    visits, values = np.zeros(81), np.full(81, np.nan)
    low, high = np.full(81, -1, dtype=np.int8), np.full(81, -2, dtype=np.int8)
    if forest.first[row, 0] >= 0:
        span = slice(forest.first[row, 0], forest.first[row, 0] + int(forest.size[row, 0]))
        move = MOVE[forest.place[row, span]]
        visits[move], low[move], high[move] = (
            forest.visits[row, span], forest.low[row, span], forest.high[row, span]
        )  # fmt: skip
        known, tried = low[move] == high[move], visits[move] > 0
        values[move] = np.where(known, low[move], np.where(tried, forest.mean[row, span], np.nan))
    return RootView(visits, values, low, high)


def _follow(forest: trees.Forest, row: int, move: int) -> trees.Forest:
    """Keep the branch below a move of the root; a bare tree if the move has no node."""
    begin, size = int(forest.first[row, 0]), int(forest.size[row, 0])
    moves = MOVE[forest.place[row, begin : begin + size]] if begin >= 0 else np.zeros(0, np.uint8)
    found = np.flatnonzero(moves == move)
    if not len(found):
        trees.clear(forest, row)
        return forest
    kept = trees.enlarge(forest, forest.capacity)
    trees.re_root(forest, kept, row, begin + int(found[0]))
    return kept


class TreeSearch:
    """A tree below one state that can be kept from move to move; base class of the searches.

    Parameters
    ----------
    state : ndarray of uint16, shape (24,)
        A running game.
    c : float
        Exploration constant.
    room : int
        Nodes that the tree has room for at first.

    Raises
    ------
    ValueError
        If the game is over.
    """

    def __init__(self, game: Ultimate, state: NDArray[np.uint16], c: float, room: int) -> None:
        self.game, self.c, self._forest = game, c, trees.allocate(1, room)
        self.restart(state)

    def run(self, simulations: int) -> RootView:
        """Run more simulations (fewer if the result is proven), and read the root.

        Raises
        ------
        ValueError
            If simulations are not from 1 to ``MAX_SIMULATIONS``, or c is not a finite number >= 0.
        """
        check_search(simulations, self.c)
        left = simulations
        while left > 0 and self._forest.low[0, 0] < self._forest.high[0, 0]:
            left -= self._grow(left)
        return view(self._forest, 0)

    def _grow(self, simulations: int) -> int:
        """Make room, then run simulations until it is full; returns how many were run."""
        raise NotImplementedError

    def restart(self, state: NDArray[np.uint16]) -> None:
        """Discard the tree and start again at another state.

        Raises
        ------
        ValueError
            If the game is over.
        """
        if state[RESULT]:
            raise ValueError("a finished game has no move to choose")
        self.state = state.copy()
        trees.clear(self._forest, 0)

    def advance(self, move: int) -> None:
        """Make a move and keep what the tree knows about the position after it."""
        after = self.game.play(self.state[None], np.array([move]))[0]
        forest = _follow(self._forest, 0, move)
        self.restart(after)
        self._forest = forest

    @property
    def simulations(self) -> int:
        """Simulations the tree remembers."""
        return int(self._forest.visits[0, 0])


class UctSearch(TreeSearch):
    """UCT from one state (Kocsis and Szepesvari, 2006), with a tree that can be kept.

    Parameters
    ----------
    state : ndarray of uint16, shape (24,)
        A running game.
    c : float
        Exploration constant: a child is worth its mean plus c sqrt(ln N / n).
    solve : bool
        Whether proven results are backed up.

    Raises
    ------
    ValueError
        If the game is over.
    """

    def __init__(
        self,
        game: Ultimate,
        state: NDArray[np.uint16],
        *,
        c: float = 1.414,
        rng: np.random.Generator | int = 0,
        solve: bool = True,
    ) -> None:
        super().__init__(game, state, c, 2 * trees.MOST)
        self.solve, self._bits = solve, kernels.seed(rng)

    def _grow(self, simulations: int) -> int:
        self._make_room(simulations)
        done, bits = trees.uct(
            self._forest, 0, self.state, simulations, self.c, self.solve, self.game.code,
            np.uint64(self._bits),
        )  # fmt: skip
        self._bits = int(bits)
        return int(done)

    def _make_room(self, simulations: int) -> None:
        needed = int(self._forest.used[0]) + 2 * trees.MOST
        if self._forest.capacity < needed + simulations:
            self._forest = trees.enlarge(self._forest, needed + NODES_PER_SIMULATION * simulations)


class PuctSearch:
    """PUCT from a batch of states, one tree each, whose leaves are evaluated in one batch.

    Every step descends each tree to one leaf, so that no leaf is evaluated
    twice and no virtual loss is needed.

    Parameters
    ----------
    states : ndarray of uint16, shape (B, 24)
        Running games.
    evaluator : callable
        See :data:`~ttt_lib.ultimate.network.evaluator.Evaluator`.
    c : float
        Exploration constant.
    fpu : float or None
        How much worse than its parent an untried move is assumed to be; None to value it at 0.

    Raises
    ------
    ValueError
        If a game is over.
    """

    def __init__(
        self,
        game: Ultimate,
        states: States,
        evaluator: Evaluator,
        *,
        c: float = 1.25,
        fpu: float | None = None,
    ) -> None:
        if states[:, RESULT].any():
            raise ValueError("a finished game has no move to choose")
        self.game, self.states, self.evaluator, self.c = game, states.copy(), evaluator, c
        self.fpu = np.nan if fpu is None else fpu
        self.forest = trees.allocate(len(states), 2 * trees.MOST)

    def run(self, simulations: int) -> list[RootView]:
        """Run simulations in every tree (fewer where the result is proven), and read the roots.

        Raises
        ------
        ValueError
            If simulations are not from 1 to ``MAX_SIMULATIONS``, or c is not a finite number >= 0.
        """
        check_search(simulations, self.c)
        for _ in range(simulations):
            if not self.step():
                break
        return [view(self.forest, row) for row in range(len(self.states))]

    def step(self) -> bool:
        """Run one simulation in every tree; False once all roots are proven."""
        size = len(self.states)
        self._make_room()
        paths = np.zeros((size, trees.PATH), dtype=np.int64)
        depths, leaves = np.zeros(size, dtype=np.int64), np.empty_like(self.states)
        asks = np.zeros(size, dtype=np.bool_)
        trees.descend(self.forest, self.states, self.c, self.game.code, paths, depths, leaves, asks)
        rows = np.flatnonzero(asks)
        if len(rows):
            priors, values = self.evaluator(leaves[rows])
            priors = np.ascontiguousarray(priors, dtype=np.float64)
            values = np.ascontiguousarray(values, dtype=np.float64)
            trees.attach(self.forest, rows, paths, depths, leaves, priors, values, self.fpu)
        return bool((self.forest.low[:, 0] < self.forest.high[:, 0]).any())

    def mix_root_priors(self, chances: Floats, share: float) -> None:
        """Blend noise (B, 81) into the priors at the roots, which must be expanded.

        What a root's legal moves get is divided by its sum, so independent exponential numbers
        are Dirichlet(1) noise.

        Raises
        ------
        ValueError
            If share is not in [0, 1].
        """
        if not 0 <= share <= 1:
            raise ValueError(f"the share of noise must be in [0, 1], not {share}")
        for row in range(len(self.states)):
            begin = int(self.forest.first[row, 0])
            span = slice(begin, begin + int(self.forest.size[row, 0]))
            noise = chances[row, MOVE[self.forest.place[row, span]]]
            mixed = (1 - share) * self.forest.prior[row, span] + share * noise / noise.sum()
            self.forest.prior[row, span] = mixed

    def advance(self, moves: NDArray[np.intp]) -> None:
        """Make a move in every game, none of which may end with it, and keep what the trees know.

        Raises
        ------
        ValueError
            If a move is illegal or ends its game.
        """
        after = self.game.play(self.states, moves)
        if after[:, RESULT].any():
            raise ValueError("a finished game has no move to choose")
        for row, move in enumerate(moves):
            self.forest = _follow(self.forest, row, int(move))
        self.states = after

    def _make_room(self) -> None:
        needed = int(self.forest.used.max()) + trees.MOST
        if needed > self.forest.capacity:
            self.forest = trees.enlarge(self.forest, 2 * needed)


def uct(game: Ultimate, iterations: int = 150, c: float = 1.414, *, solve: bool = True) -> Agent:
    """Play the most visited move (ties: the lowest index), corrected by proven results.

    ``solve`` says whether proven results are backed up.

    Raises
    ------
    ValueError
        If iterations are not from 1 to ``MAX_SIMULATIONS``, or c is not a finite number >= 0.
    """
    check_search(iterations, c)

    def moves(states: States, rng: np.random.Generator) -> NDArray[np.intp]:
        searches = (UctSearch(game, state, c=c, rng=rng, solve=solve) for state in states)
        return most_visited([search.run(iterations) for search in searches])

    return from_moves(f"uct:iterations={iterations}", game, moves)


def most_visited(roots: Sequence[RootView]) -> NDArray[np.intp]:
    """The move with the highest score at each root (ties: the lowest index), shape (B,)."""
    return np.array([root.scores.argmax() for root in roots], dtype=np.intp)


def most_secure(roots: Sequence[RootView]) -> NDArray[np.intp]:
    """As :func:`most_visited`, but by :attr:`RootView.secure`: the choice of network players."""
    return np.array([root.secure.argmax() for root in roots], dtype=np.intp)


Choice = Callable[[Sequence[RootView]], NDArray[np.intp]]
"""Searched roots -> moves, shape (B,)."""
