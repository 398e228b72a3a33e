"""Tree search with playouts that know the network or finished games alone (``make full``).

Pure Monte Carlo needs no games for these controls (:mod:`ttt_lib.playout_mlp.choices`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ttt_lib.evidence.parallel import run_parallel
from ttt_lib.evidence.provenance import Sample, beside
from ttt_lib.game.match import match
from ttt_lib.game.policy import Agent, minimax, random_agent
from ttt_lib.playout_mlp.choices import ASKED, ENDS, NETWORK, UNFINISHED, UNIFORM, kinds
from ttt_lib.playout_mlp.data import GRID
from ttt_lib.playout_mlp.model import STORED_SEEDS
from ttt_lib.playout_mlp.players import guided_uct
from ttt_lib.playout_mlp.runs import BUDGETS, GAMES

MANY = 100_000
"""Games of each kind of playouts in the match-up of :data:`CLOSER`."""
CLOSER = (1, "x", "minimax")
"""Playouts, side and opponent of the one match-up in which the network's are clearly better."""

EACH = 40_000
"""Games of each stored network in the same match-up."""
GUIDED = (NETWORK, ASKED, UNFINISHED)
"""The kinds of playouts that differ between networks."""

Job = tuple[str, int, str, str, int]


def jobs() -> list[Job]:
    """Kind of playouts, playouts per cell, side, opponent and games."""
    alone = [
        (ENDS, budget, side, opponent, GAMES)
        for budget in BUDGETS
        for side in "xo"
        for opponent in ("random", "minimax")
    ]
    closer = (UNIFORM, NETWORK, ENDS, ASKED, UNFINISHED)
    return [*alone, *((kind, *CLOSER, MANY) for kind in closer)]


def make_controls() -> pd.DataFrame:
    """Finished games only in every match-up, and all kinds of playouts in one, at length."""
    places = ((place,) for place in range(len(jobs())))
    return pd.DataFrame(run_parallel(_row, places, about="matches"))


def _row(place: int) -> dict[str, Any]:
    """One match of tree search; every job has its own seed."""
    return _match(jobs()[place], np.random.default_rng([2, place]))


def _match(job: Job, rng: np.random.Generator, network: int = 0) -> dict[str, Any]:
    kind, budget, side, opponent, games = job
    agent = searcher(kind, budget, network=network)
    rival = random_agent(GRID) if opponent == "random" else minimax(GRID)
    pair = (agent, rival) if side == "x" else (rival, agent)
    found = match(*pair, games, rng=rng, sides="first")
    won, lost = (found.win, found.loss) if side == "x" else (found.loss, found.win)
    return {
        "kind": kind,
        "playouts": budget,
        "side": side,
        "opponent": opponent,
        "games": games,
        "win": won,
        "draw": found.draw,
        "loss": lost,
    }


def searcher(kind: str, budget: int, c: float = 1.414, *, network: int = 0) -> Agent:
    """The tree search of ``players.uct_agent`` with one of the kinds of playouts of a network."""
    iterations = GRID.cells * budget
    name = f"uct, {kind}:iterations={iterations}"
    return guided_uct(name, kinds(network)[kind], iterations, c)


def sample_controls() -> Sample:
    """Finished games only, as X against minimax and O against random, and the last long match."""
    found = [_row(place) for place in (1, 2, len(jobs()) - 1)]
    return beside(
        "playout_mlp_controls.csv", found, "kind", "playouts", "side", "opponent", "games", share=0
    )


def make_controls_by_network() -> pd.DataFrame:
    """The match-up of :data:`CLOSER` with every stored network, in the kinds :data:`GUIDED`."""
    jobs = ((kind, seed) for kind in GUIDED for seed in STORED_SEEDS)
    return pd.DataFrame(run_parallel(_of_network, jobs, about="networks"))


def _of_network(kind: str, seed: int) -> dict[str, Any]:
    rng = np.random.default_rng([3, GUIDED.index(kind), seed])
    return {"seed": seed, **_match((kind, *CLOSER, EACH), rng, seed)}


def sample_controls_by_network() -> Sample:
    """One network, asked about finished games, too."""
    found = [_of_network(ASKED, 6)]
    return beside("playout_mlp_controls_by_network.csv", found, "kind", "seed", share=0)
