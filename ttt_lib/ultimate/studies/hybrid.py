"""What the solver is worth in play: by threshold and simulations, and at about equal time.

Each row is a match against the same net without a solver, with equally many simulations or with
as many as take about the hybrid's time, or a match of either against UCT; all from the same
openings.  Both players' processor time is measured in the same games.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from tqdm import tqdm

from ttt_lib.game.policy import Agent
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.board.kernels import State, States
from ttt_lib.ultimate.board.rules import Position
from ttt_lib.ultimate.learn.networks import evaluator_of
from ttt_lib.ultimate.network.evaluator import Evaluator
from ttt_lib.ultimate.players import alphazero, quick_win, stored_tables, with_lookup
from ttt_lib.ultimate.search.puct import PuctSearch, uct
from ttt_lib.ultimate.solver.solver import DTWSolver, Solution
from ttt_lib.ultimate.studies.matches import timed

FILE = "ultimate_hybrid.csv"
CELLS, SIMULATIONS = (15, 20, 25), (50, 200, 800)
GAMES, SEED, UCT = 400, 1, 10_000
SHALLOW = 8
"""The document's depth of the shallow search."""

EQUAL_TIME = ((200, 20, 230), (200, 25, 450), (800, 25, 1050))
"""Simulations and threshold of the hybrid; simulations that take the net about as long."""

NET = "net alone"


def pairing(
    label: str, rival: str, ours: Agent, theirs: Agent, games: int = GAMES
) -> dict[str, Any]:
    """One match with the processor time of both players' moves."""
    counted, mine, other = timed(ours, theirs, games, rng=SEED)
    ratio = mine.nanoseconds / other.nanoseconds
    return {"player": label, "opponent": rival, **counted, "time_ratio": ratio}


def against_net(simulations: int, cells: int, budget: int, shallow: int = 0) -> dict[str, Any]:
    """The hybrid against the net alone, which gets ``budget`` simulations."""
    game = Ultimate()
    ours = alphazero(game, simulations, solver=cells, shallow=shallow)
    label = "published settings" if shallow else "hybrid"
    found = pairing(label, NET, ours, alphazero(game, budget, solver=0))
    return {
        "simulations": simulations, "cells": cells, "shallow": shallow, "budget": budget, **found
    }  # fmt: skip


def against_uct(cells: int) -> dict[str, Any]:
    """The hybrid with 200 simulations, or the net alone, against ``UCT`` iterations."""
    game = Ultimate()
    ours = alphazero(game, 200, solver=cells)
    label = "hybrid" if cells else NET
    found = pairing(label, f"UCT {UCT:,}", ours, uct(game, UCT), GAMES // 2)
    return {"simulations": 200, "cells": cells, "shallow": 0, "budget": UCT, **found}


def rows() -> Iterator[dict[str, Any]]:
    """All matches."""
    for simulations in SIMULATIONS:
        for cells in CELLS:
            yield against_net(simulations, cells, simulations)
    for settings in EQUAL_TIME:
        yield against_net(*settings)
    yield against_net(200, 15, 200, shallow=SHALLOW)
    for cells in (0, 20):
        yield against_uct(cells)


def make_hybrid() -> pd.DataFrame:
    """Regenerate the stored table, with the stored networks."""
    return pd.DataFrame(list(tqdm(rows(), unit="match")))


class Lookups(DTWSolver):
    """A solver for many games that counts what look-ups in its table find.

    Its own table holds what earlier games left, that of a second solver what the present game has
    solved; as in the document, the eight images of a position share one entry.

    Attributes
    ----------
    asked, own, earlier : int
        Look-ups; those that the present game's table answers; and those that only what earlier
        games left answers.
    roots : set of bytes
        States that don't count.
    """

    asked = own = earlier = 0
    roots: Collection[bytes] = ()

    def __init__(self) -> None:
        super().__init__(symmetric=True)
        self._present, self._solved = DTWSolver(symmetric=True), list[Position | State]()

    def begin_game(self) -> None:
        """What was solved up to now belongs to earlier games."""
        for position in self._solved:
            super().calculate_dtw(position)
        self._solved.clear()
        self._present.table.clear()

    def calculate_dtw(self, position: Position | State, *, nodes: int | None = None) -> Solution:
        """As the solver's own."""
        self._solved.append(position)
        return self._present.calculate_dtw(position, nodes=nodes)

    def lookup_cache(self, position: Position | State) -> Solution | None:
        """As the solver's own."""
        own = self._present.lookup_cache(position)
        found = super().lookup_cache(position) if own is None else own
        if self._state(position).tobytes() not in self.roots:
            self.asked, self.own = self.asked + 1, self.own + (own is not None)
            self.earlier += own is None and found is not None
        return found


class Hits(NamedTuple):
    """Look-ups below the roots, and how many of them were answered."""

    asked: int
    own: int
    earlier: int


def hits(games: int, simulations: int) -> Hits:
    """Look-ups below the root that the solver's tables answer: the game's own, and that of others.

    As published: an endgame at the root is solved before it is searched, a win within
    ``QUICK_WIN`` plies is played at once, other moves are drawn by visits; leaves are looked up in
    what that left, in all games so far, and never searched.
    """
    game, solver, rng = Ultimate(), Lookups(), np.random.default_rng(0)
    look = with_lookup(evaluator_of(stored_tables()), solver)
    for _ in range(games):
        solver.begin_game()
        state = game.initial()
        while not game.finished(state)[0]:
            state = game.play(state, _move(game, solver, look, state, simulations, rng))
    return Hits(solver.asked, solver.own, solver.earlier)


def _move(
    game: Ultimate,
    solver: Lookups,
    look: Evaluator,
    state: States,
    simulations: int,
    rng: np.random.Generator,
) -> NDArray[np.intp]:
    """The move in one state: a near win, or one drawn by visits; shape (1,)."""
    win = quick_win(solver, state[0])
    if win is not None:
        return np.array([win], dtype=np.intp)
    solver.roots = {state[0].tobytes()}
    [root] = PuctSearch(game, state, look).run(simulations)
    visits = np.array(root.visits, dtype=np.float64)
    weights = visits if visits.any() else game.legal(state)[0]
    return np.array([rng.choice(game.moves, p=weights / weights.sum())], dtype=np.intp)
