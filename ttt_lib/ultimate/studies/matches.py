"""A match as a row of a table: its counts, its score with an interval, its time."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from time import thread_time_ns

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ttt_lib.evidence.store import read_table
from ttt_lib.game.match import MatchResult, match
from ttt_lib.game.policy import Agent, choose
from ttt_lib.game.stats import pairs_interval
from ttt_lib.ultimate.board.kernels import States
from ttt_lib.ultimate.learn.networks import network_agent
from ttt_lib.ultimate.search.tree_search import most_visited
from ttt_lib.ultimate.studies import OPENING_PLIES

PAIRS = ("pairs_0", "pairs_half", "pairs_1", "pairs_3_halves", "pairs_2")
"""Columns: how many openings brought 0, 1/2, 1, 3/2 or 2 points in their two games."""

Counts = dict[str, int]

trained_agent = partial(network_agent, fpu=0.2, choice=most_visited)
"""How networks of training runs are compared: they play by visits, as in self-play.  Written out,
so that the stored tables keep their meaning when players are tuned."""


class Clock:
    """Adds up the processor time that an agent takes for its moves.

    Attributes
    ----------
    agent : Agent
        The same player, timed.
    nanoseconds, moves : int
        Total processor time, and number of moves.
    """

    def __init__(self, agent: Agent) -> None:
        self._play = partial(choose, agent)
        self.nanoseconds = self.moves = 0
        self.agent = replace(agent, moves=self._moves)

    def _moves(self, states: States, rng: np.random.Generator) -> NDArray[np.intp]:
        began = thread_time_ns()
        moves = self._play(states, rng)
        self.nanoseconds += thread_time_ns() - began
        self.moves += len(states)
        return moves

    @property
    def milliseconds(self) -> float:
        """Milliseconds of processor time per move."""
        return self.nanoseconds / max(self.moves, 1) / 1e6


def counts(found: MatchResult) -> Counts:
    """Columns games, win, draw, loss and those of ``PAIRS``."""
    pairs = dict(zip(PAIRS, found.pairs or (0,) * len(PAIRS), strict=True))
    return {"games": found.games, "win": found.win, "draw": found.draw, "loss": found.loss, **pairs}


def played(ours: Agent, theirs: Agent, games: int, *, rng: int) -> Counts:
    """A match from paired random openings."""
    return counts(match(ours, theirs, games, rng=rng, openings=OPENING_PLIES))


def timed(ours: Agent, theirs: Agent, games: int, *, rng: int) -> tuple[Counts, Clock, Clock]:
    """A match from paired random openings, and the time of both; compilation isn't counted."""
    mine, other = Clock(ours), Clock(theirs)
    match(mine.agent, other.agent, 2, openings=OPENING_PLIES)  # compiles
    for clock in (mine, other):
        clock.nanoseconds = clock.moves = 0
    return played(mine.agent, other.agent, games, rng=rng), mine, other


def read(file: str) -> pd.DataFrame:
    """A stored table of matches, with scores as :func:`with_score` adds them."""
    return with_score(read_table(file))


def summed(table: pd.DataFrame, by: str) -> pd.DataFrame:
    """The matches of each value of a column together, with scores; indexed by that column."""
    return with_score(table.groupby(by)[["games", "win", "draw", "loss", *PAIRS]].sum())


def with_score(table: pd.DataFrame) -> pd.DataFrame:
    """The same rows with score, low and high: its 95% interval over pairs of games.

    The score is of all games; a pair from an opening that was drawn twice counts once in the
    interval if neither player draws its moves.
    """
    bounds = [pairs_interval(row) for row in table[list(PAIRS)].to_numpy(int).tolist()]
    return table.assign(
        score=(table["win"] + table["draw"] / 2) / table["games"],
        low=[b.low for b in bounds], high=[b.high for b in bounds],
    )  # fmt: skip
