"""A yardstick that needs no opponent: endgames in which every move is solved exactly.

Each game of a stored run gives at most one position: the first with no more than
a random number of playable cells.  It is kept if its moves differ in result, so
that a share of optimal moves is meaningful, and if no symmetric image of it was met
before.  The same file records what became of the others.

Strength measured by games mixes openings, middlegames and endgames, and depends on
the opponent.  Here a player is asked for one move in each position, and the move is
right or wrong.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ttt_lib.evidence import store
from ttt_lib.game.match import random_openings
from ttt_lib.game.policy import Agent, choose
from ttt_lib.game.stats import Interval, mean_interval, wilson
from ttt_lib.ultimate.board import symmetry
from ttt_lib.ultimate.board.game import Ultimate, playable
from ttt_lib.ultimate.board.kernels import RESULT, States
from ttt_lib.ultimate.board.rules import MOVES
from ttt_lib.ultimate.search.tree_search import uct
from ttt_lib.ultimate.solver.solver import BudgetExceededError, DTWSolver

FILE = "ultimate_yardstick.csv"

CELLS = (20, 28)
"""Minimum and maximum playable cells of a position."""

GAMES, ROLLOUTS, OPENING, SEED = 3600, 1000, 6, 7
"""Games behind the set, playouts per move of both players, random opening plies, and the seed."""

BUDGET, ENTRIES = 50_000_000, 1 << 22
"""The solver's nodes per move, and the entries of its table."""

ILLEGAL = -2
STATUSES = ("kept", "won", "drawn", "lost", "over", "duplicate", "unsolved")
"""What becomes of a game's position: kept; all its moves win, draw or lose; the game was over
before there was one; a symmetric image was met before; the solver's budget ran out."""


class Outcome(NamedTuple):
    """What a move leads to under best play, for the side that makes it.

    Attributes
    ----------
    result : int
        1 a win, 0 a draw, -1 a loss.
    distance : int
        Plies to the end, the move included; 0 for a draw.
    """

    result: int
    distance: int


# ---------------------------------------------------------------------------- making the set


def reach(wanted: int, rng: np.random.Generator, game: Ultimate) -> NDArray[np.uint16] | None:
    """Play until at most ``wanted`` cells are playable; None if the set can't use the result."""
    state, player = random_openings(game, 1, OPENING, rng)[0], uct(game, ROLLOUTS)
    while state[RESULT] == 0 and playable(state[None])[0] > wanted:
        state = game.play(state[None], choose(player, state[None], rng))[0]
    return state if state[RESULT] == 0 and playable(state[None])[0] >= CELLS[0] else None


def outcomes(state: NDArray[np.uint16], solver: DTWSolver) -> dict[int, Outcome]:
    """Result and distance of every legal move.

    Raises
    ------
    BudgetExceededError
        If one of them takes more nodes than the solver may use.
    """
    game, found = Ultimate(solver.rules), {}
    for move in np.flatnonzero(game.legal(state[None])[0]).tolist():
        after = solver.calculate_dtw(game.play(state[None], np.array([move]))[0])
        distance = 0 if after.distance is None else after.distance + 1
        found[move] = Outcome(-after.result, distance)
    return found


def write(found: dict[int, Outcome]) -> str:
    """Outcomes as text: ``12+7`` wins in seven plies, ``13=`` draws, ``40-8`` loses in eight."""
    signs = {1: "+", 0: "=", -1: "-"}
    return " ".join(f"{m}{signs[o.result]}{o.distance or ''}" for m, o in found.items())


def judge(state: NDArray[np.uint16], solver: DTWSolver) -> tuple[str, str]:
    """The status of a position, and the outcomes of its moves if it is kept."""
    solver.table.clear()
    try:
        found = outcomes(state, solver)
    except BudgetExceededError:
        return "unsolved", ""
    results = {outcome.result for outcome in found.values()}
    if len(results) > 1:
        return "kept", write(found)
    return {1: "won", 0: "drawn", -1: "lost"}[results.pop()], ""


def make_yardstick(games: int = GAMES) -> pd.DataFrame:
    """The stored set: one row per game with status, playable cells, position, and moves if kept."""
    game, solver = Ultimate(), DTWSolver(nodes=BUDGET, cold_size=ENTRIES)
    seen, rows = set[bytes](), []
    for number, rng in enumerate(np.random.default_rng(SEED).spawn(games)):
        state = reach(int(rng.integers(CELLS[0], CELLS[1] + 1)), rng, game)
        status, cells, text, moves = "over", 0, "", ""
        if state is not None:
            cells, text = int(playable(state[None])[0]), game.write_state(state)
            image = symmetry.canonical(state[None]).tobytes()
            status, moves = ("duplicate", "") if image in seen else judge(state, solver)
            seen.add(image)
        rows.append((number, status, cells, text, moves))
    return pd.DataFrame(rows, columns=["game", "status", "cells", "position", "moves"])


# ---------------------------------------------------------------------------- using it


@dataclass(frozen=True, eq=False)
class Yardstick:
    """N positions with the exact outcome of every move.

    Attributes
    ----------
    states : ndarray of uint16, shape (N, 24)
    results : ndarray of int8, shape (N, 81)
        For the side to move; ``ILLEGAL`` where there is no such move.
    distances : ndarray of int8, shape (N, 81)
        Plies to the end, the move included; 0 for a draw or no move.
    """

    states: States
    results: NDArray[np.int8]
    distances: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.states)

    @property
    def cells(self) -> NDArray[np.int64]:
        """Playable cells, shape (N,)."""
        return playable(self.states)

    @property
    def chance(self) -> float:
        """Exact share of optimal moves of a player who moves uniformly at random."""
        right = (self.results == self.results.max(axis=1, keepdims=True)).sum(axis=1)
        return float((right / (self.results != ILLEGAL).sum(axis=1)).mean())

    def take(self, rows: slice | NDArray[np.bool_]) -> Yardstick:
        """A part of the set."""
        return Yardstick(self.states[rows], self.results[rows], self.distances[rows])

    def regrets(self, moves: NDArray[np.int64]) -> NDArray[np.int64]:
        """What one move per position, (N,), gives away: 0, 1 (half a point) or 2 (the game).

        Raises
        ------
        ValueError
            If a move is illegal.
        """
        found = self.results[np.arange(len(self)), moves]
        if (found == ILLEGAL).any():
            row = int(np.flatnonzero(found == ILLEGAL)[0])
            legal = " ".join(map(str, np.flatnonzero(self.results[row] != ILLEGAL)))
            raise ValueError(f"illegal move {moves[row]} in position {row}: {legal}")
        return np.asarray(self.results.max(axis=1) - found, dtype=np.int64)

    def ask(self, agent: Agent, *, rng: np.random.Generator | int = 0) -> NDArray[np.int64]:
        """The agent's move in every position, (N,); each position has its own spawned seed."""
        seeds = np.random.default_rng(rng).spawn(len(self))
        asked = zip(self.states, seeds, strict=True)
        return np.array([choose(agent, s[None], r)[0] for s, r in asked], np.int64)

    def score(self, agent: Agent, *, rng: np.random.Generator | int = 0) -> Score:
        """Count an agent's optimal moves and mistakes."""
        counts = np.bincount(self.regrets(self.ask(agent, rng=rng)), minlength=3)
        return Score(*counts.tolist())


class Score(NamedTuple):
    """How many moves of a player were optimal, gave away one half point, or two."""

    optimal: int
    one: int
    two: int

    @property
    def n(self) -> int:
        """Positions."""
        return self.optimal + self.one + self.two

    @property
    def share(self) -> float:
        """Share of optimal moves."""
        return self.optimal / self.n

    @property
    def interval(self) -> Interval:
        """95% Wilson interval of the share."""
        return wilson(self.optimal, self.n)

    @property
    def regret(self) -> float:
        """Mean of the best result minus that of the move, on the scale from -1 to 1."""
        return (self.one + 2 * self.two) / self.n

    @property
    def regret_interval(self) -> Interval:
        """95% interval of the mean regret, by Student's t; no lower than 0."""
        low, high = mean_interval(np.repeat([0, 1, 2], self))
        return Interval(max(low, 0.0), high)


_OUTCOME = re.compile(r"(\d+)(?:([+-])([1-9]\d*)|=)")


def read_outcomes(text: str) -> dict[int, Outcome]:
    """Read what :func:`write` wrote.

    Raises
    ------
    ValueError
        If a word is malformed, or a win takes an even or a loss an odd number of plies.
    """
    found = {}
    for word in text.split():
        if (match := _OUTCOME.fullmatch(word)) is None:
            raise ValueError(f"{word!r} is no outcome: a move with +plies, = or -plies")
        move, sign, plies = match.groups()
        outcome = Outcome({"+": 1, "-": -1, None: 0}[sign], int(plies or 0))
        if outcome.result and (outcome.result == 1) != (outcome.distance % 2 == 1):
            raise ValueError(f"{word!r} is no outcome: wins take odd, losses even numbers of plies")
        found[int(move)] = outcome
    return found


def _row(position: str, moves: str) -> tuple[States, dict[int, Outcome]]:
    """Read one stored row and check whatever needs no solving."""
    game, found = Ultimate(), read_outcomes(moves)
    state = game.parse_state(position)
    legal = np.flatnonzero(game.legal(state)[0]).tolist()
    if sorted(found) != legal:
        raise ValueError("its moves are not the legal ones")
    if len({outcome.result for outcome in found.values()}) < 2:
        raise ValueError("its moves don't differ in result")
    if max(outcome.distance for outcome in found.values()) > playable(state)[0]:
        raise ValueError("an outcome lies beyond the end of the game")
    return state[0], found


def assemble(rows: Sequence[tuple[States, dict[int, Outcome]]]) -> Yardstick:
    """States and their outcomes as arrays."""
    results = np.full((len(rows), MOVES), ILLEGAL, dtype=np.int8)
    distances = np.zeros((len(rows), MOVES), dtype=np.int8)
    for row, (_, found) in enumerate(rows):
        for move, outcome in found.items():
            results[row, move], distances[row, move] = outcome
    return Yardstick(np.array([state for state, _ in rows], np.uint16), results, distances)


def candidates() -> pd.DataFrame:
    """The stored file: kept positions and the status of the others.

    Raises
    ------
    ValueError
        If it is missing, or doesn't have the columns and statuses it should.
    """
    table = store.read_table(FILE)
    wanted = ["game", "status", "cells", "position", "moves"]
    if list(table) != wanted or not set(table["status"]) <= set(STATUSES):
        raise ValueError(f"data/{FILE} is damaged: it needs columns {', '.join(wanted)}")
    return table


def read() -> Yardstick:
    """The stored set, each row checked against the rules.

    Raises
    ------
    ValueError
        If the file is missing or damaged.
    """
    table, rows = candidates(), []
    for row in table[table["status"] == "kept"].itertuples():
        try:
            rows.append(_row(str(row.position), str(row.moves)))
        except ValueError as error:
            raise ValueError(f"data/{FILE} is damaged: game {row.game}: {error}") from None
    if not rows:
        raise ValueError(f"data/{FILE} is damaged: it holds no position")
    return assemble(rows)
