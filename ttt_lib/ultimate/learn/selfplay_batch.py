"""Self-play by an evaluator: many games side by side, so that leaves are evaluated in batches.

:mod:`~ttt_lib.ultimate.learn.selfplay` does the same for a table net, whose evaluations are
too cheap to be worth batching.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game.board import Floats
from ttt_lib.game.policy import draw
from ttt_lib.ultimate.board.game import Ultimate, playable
from ttt_lib.ultimate.board.kernels import States
from ttt_lib.ultimate.learn.replay_buffer import Samples
from ttt_lib.ultimate.learn.selfplay import (
    ADJUDICATE,
    MOST_VISITS,
    PLAY,
    Record,
    SelfPlaySettings,
    blank,
    samples_of,
    weigh,
)
from ttt_lib.ultimate.network.evaluator import Evaluator
from ttt_lib.ultimate.search.tree_search import PuctSearch, RootView

CHUNK = 64
"""Games per task, side by side."""


class Turn(NamedTuple):
    """What the searches of one ply found, for B running games.

    Attributes
    ----------
    weights : ndarray of float64, shape (B, 81)
        Policy targets up to a factor.
    values : ndarray of float64, shape (B,)
        The searches' own values for the sides to move.
    trust : ndarray of float64, shape (B,)
        Share of that value in the value target: all of it once the result is proven.
    """

    weights: Floats
    values: Floats
    trust: Floats


def targets_of(found: RootView) -> Floats:
    """The weight of each move as a target, shape (81,), see :func:`.selfplay.weigh`."""
    legal, weights = np.flatnonzero(found.high >= -1), np.zeros(len(found.high))
    part = np.empty(len(legal))
    weigh(found.visits[legal], found.low[legal], found.high[legal], part)
    weights[legal] = part
    return weights


def search_roots(
    states: States,
    evaluator: Evaluator,
    settings: SelfPlaySettings,
    fully: bool,
    rng: np.random.Generator,
    game: Ultimate,
) -> Turn:
    """Search running states, shape (B, 24), from bare roots: quickly, or fully and with noise.

    The noise at a root is Dirichlet(1): exponential numbers, divided by their sum over its moves.
    """
    search = PuctSearch(game, states, evaluator, c=settings.c, fpu=settings.fpu)
    views = search.run(1)  # expands the roots
    if fully and settings.noise > 0:
        search.mix_root_priors(rng.exponential(size=(len(states), game.moves)), settings.noise)
    if (left := (settings.full if fully else settings.fast) - 1) > 0:
        views = search.run(left)
    proven = np.array([np.nan if view.proven is None else view.proven for view in views])
    unknown = np.isnan(proven)
    values = np.where(unknown, -search.forest.mean[:, 0], proven)
    weights = np.array([targets_of(view) for view in views])
    return Turn(weights, values, np.where(unknown, settings.mix, 1.0))


def drawn(weights: Floats, temperature: float, rng: np.random.Generator) -> NDArray[np.intp]:
    """A move for each row of weights, in proportion to weights^(1 / temperature)."""
    return draw((weights / weights.max(axis=1, keepdims=True)) ** (1 / temperature), rng)


def begun(games: int, plies: int, rng: np.random.Generator, game: Ultimate) -> States:
    """Games after 0 to ``plies`` random moves each, shape (games, 24)."""
    states, wanted = game.initial(games), rng.integers(plies + 1, size=games)
    for ply in range(plies):
        rows = np.flatnonzero((wanted > ply) & ~game.finished(states))
        if len(rows):
            moves = drawn(game.legal(states[rows]).astype(np.float64), 1.0, rng)
            states[rows] = game.play(states[rows], moves)
    return states


def play_games(
    evaluator: Evaluator,
    settings: SelfPlaySettings,
    game: Ultimate,
    games: int,
    rng: np.random.Generator,
) -> Samples:
    """Play games side by side to their ends; fully searched positions are learned from."""
    states = begun(games, settings.opening, rng, game)
    seen: list[tuple[NDArray[Any], ...]] = [blank(0, games)[:-1]]
    last, judged = states.copy(), np.zeros(games, np.bool_)
    while True:
        running = ~game.finished(states)
        if settings.endgame != PLAY:
            late = running & ~judged & (playable(states) <= settings.cells)
            last[late], judged[late] = states[late], True
            if settings.endgame == ADJUDICATE:
                running &= ~judged
        rows = np.flatnonzero(running)
        if not len(rows):
            break
        weights = np.empty((len(rows), game.moves))
        full = rng.random(len(rows)) < settings.share
        for fully in (True, False):
            which = np.flatnonzero(full == fully)
            if len(which):
                turn = search_roots(states[rows[which]], evaluator, settings, fully, rng, game)
                weights[which] = turn.weights
                if fully:
                    visits = np.minimum(turn.weights, MOST_VISITS).astype(np.uint16)
                    before = states[rows[which]]
                    seen.append((before, visits, turn.values, turn.trust, rows[which]))
        states[rows] = game.play(states[rows], drawn(weights, settings.temperature, rng))
    last[~judged] = states[~judged]
    found = Record._make([*map(np.concatenate, zip(*seen, strict=True)), last])
    return samples_of(found, settings, game)
