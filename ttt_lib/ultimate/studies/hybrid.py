"""What the solver is worth in play: by threshold and simulations, and at equal time.

Each row is a match against the same net without a solver, or of both against UCT,
from the same openings; both players' processor time is taken in the same games.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from tqdm import tqdm

from ttt_lib.evidence import store
from ttt_lib.game.policy import Agent
from ttt_lib.ultimate.board.game import Ultimate, playable
from ttt_lib.ultimate.learn.networks import evaluator_of
from ttt_lib.ultimate.learn.tablenet import Tables
from ttt_lib.ultimate.players import alphazero, stored_tables, with_lookup
from ttt_lib.ultimate.search.puct import PuctSearch, uct
from ttt_lib.ultimate.solver.solver import DTWSolver, Solution
from ttt_lib.ultimate.studies import OPENING_PLIES
from ttt_lib.ultimate.studies.matches import timed, with_score

FILE = "ultimate_hybrid.csv"
CELLS, SIMULATIONS = (15, 20, 25), (50, 200, 800)
GAMES, SEED, UCT = 200, 1, 10_000
SHALLOW = 8
"""The document's depth of the shallow search."""

NET = "net alone"


def pairing(label: str, rival: str, ours: Agent, theirs: Agent, games: int) -> dict[str, Any]:
    """One match with the processor time of both players' moves."""
    counted, mine, other = timed(ours, theirs, games, rng=SEED)
    ratio = mine.nanoseconds / other.nanoseconds
    return {"player": label, "opponent": rival, **counted, "time_ratio": ratio}


def rows(scale: float = 1.0) -> Iterator[dict[str, Any]]:
    """All matches; ``scale`` multiplies the games."""
    game, games = Ultimate(), 2 * max(1, round(scale * GAMES / 2))
    for simulations in SIMULATIONS:
        alone = alphazero(game, simulations, solver=0)
        for cells in CELLS:
            found = pairing("hybrid", NET, alphazero(game, simulations, solver=cells), alone, games)
            yield {"simulations": simulations, "cells": cells, "shallow": 0, **found}
    published = alphazero(game, 200, solver=15, shallow=SHALLOW)
    few = 2 * max(1, round(games / 8))
    found = pairing("as published", NET, published, alphazero(game, 200, solver=0), few)
    yield {"simulations": 200, "cells": 15, "shallow": SHALLOW, **found}
    for cells in (0, 20):
        found = pairing(
            "hybrid" if cells else NET, f"UCT {UCT:,}", alphazero(game, 200, solver=cells),
            uct(game, UCT), 2 * max(1, round(games / 4)),
        )  # fmt: skip
        yield {"simulations": 200, "cells": cells, "shallow": 0, **found}


def make_hybrid(scale: float = 1.0) -> pd.DataFrame:
    """Make the stored table anew, with the stored network."""
    return pd.DataFrame(list(tqdm(rows(scale), unit="match")))


def read(found: pd.DataFrame | None = None) -> pd.DataFrame:
    """The stored table with scores and their 95 % intervals over pairs: score, low, high."""
    found = store.read_table(FILE) if found is None else found
    return with_score(found)


class Lookups:
    """A solver that counts how often its table is asked, and how often it knows."""

    def __init__(self, solver: DTWSolver) -> None:
        self.endgame_threshold, self._solver = solver.endgame_threshold, solver
        self.asked = self.known = 0

    def lookup_cache(self, position: NDArray[np.uint16]) -> Solution | None:
        """As the solver's own."""
        found = self._solver.lookup_cache(position)
        self.asked, self.known = self.asked + 1, self.known + (found is not None)
        return found


def hit_rate(
    tables: Tables | None = None, games: int = 10, simulations: int = 200, *, rng: int = 0
) -> tuple[int, int]:
    """Look-ups at leaves that the solver's table answers, and all look-ups, as published.

    The document solves endgames of self-play at the root, and looks leaves up in what that
    left in the table, never searching them.
    """
    game, solver = Ultimate(), DTWSolver()
    counter = Lookups(solver)
    look = with_lookup(evaluator_of(tables or stored_tables()), counter)
    generator = np.random.default_rng(rng)
    for _ in range(games):
        state = game.initial()
        for ply in range(81):
            if game.finished(state)[0]:
                break
            found = PuctSearch(game, state, look).run(simulations)[0]
            if playable(state)[0] <= solver.endgame_threshold:
                solver.calculate_dtw(state[0])
            weights = found.visits if found.visits.any() else game.legal(state)[0] * 1.0
            warm = ply < OPENING_PLIES
            move = generator.choice(81, p=weights / weights.sum()) if warm else weights.argmax()
            state = game.play(state, np.array([move]))
    return counter.known, counter.asked
