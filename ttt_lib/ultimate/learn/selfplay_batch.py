"""Games of any network against itself, many side by side, so that it values leaves in batches.

:mod:`~ttt_lib.ultimate.learn.selfplay` does the same for a table net, whose evaluations are
too cheap to wait for company.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.board.kernels import States
from ttt_lib.ultimate.learn.replay import Samples, joined
from ttt_lib.ultimate.learn.selfplay import MOST_VISITS, Manner
from ttt_lib.ultimate.search.puct import Evaluator, Floats, PuctSearch, RootView

CHUNK = 64
"""Games side by side; each chunk has its own seed, so the number of threads changes nothing."""


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
    """The weight of each move as a target, shape (81,), not all of them 0.

    Visits; but proven wins share all, and what is proven to be worse than
    another move gets nothing.
    """
    known, legal = int(found.low.max()), found.high >= -1
    if known == 1:
        return np.asarray(found.low == 1, dtype=np.float64)
    worse = (found.high < known) | (found.high == -1)
    weights = np.where(worse, 0.0, found.visits)
    return weights if weights.any() else legal.astype(np.float64)


def think(
    states: States, evaluator: Evaluator, manner: Manner, fully: bool, rng: np.random.Generator,
    game: Ultimate,
) -> Turn:  # fmt: skip
    """Search running states, shape (B, 24), anew: fully and with noise, or quickly."""
    search = PuctSearch(game, states, evaluator, c=manner.c, fpu=manner.fpu)
    views = search.run(1)  # expands the roots
    if fully and manner.noise > 0:
        search.mix_root_priors(rng.exponential(size=(len(states), game.moves)), manner.noise)
    if (left := (manner.full if fully else manner.fast) - 1) > 0:
        views = search.run(left)
    proven = np.array([np.nan if view.proven is None else view.proven for view in views])
    unknown = np.isnan(proven)
    values = np.where(unknown, -search.forest.mean[:, 0], proven)
    weights = np.array([targets_of(view) for view in views])
    return Turn(weights, values, np.where(unknown, manner.mix, 1.0))


def drawn(weights: Floats, temperature: float, rng: np.random.Generator) -> NDArray[np.intp]:
    """A move for each row of weights, in proportion to weights^(1 / temperature)."""
    chances = (weights / weights.max(axis=1, keepdims=True)) ** (1 / temperature)
    sums = chances.cumsum(axis=1)
    place = rng.random((len(weights), 1)) * sums[:, -1:]
    return np.asarray((sums > place).argmax(axis=1))


def begun(games: int, plies: int, rng: np.random.Generator, game: Ultimate) -> States:
    """Games after 0 to ``plies`` random moves each, shape (games, 24)."""
    states, wanted = game.initial(games), rng.integers(plies + 1, size=games)
    for ply in range(plies):
        rows = np.flatnonzero((wanted > ply) & ~game.finished(states))
        if len(rows):
            moves = drawn(game.legal(states[rows]).astype(np.float64), 1.0, rng)
            states[rows] = game.play(states[rows], moves)
    return states


def play(
    evaluator: Evaluator, games: int, manner: Manner, game: Ultimate, rng: np.random.Generator
) -> Samples:
    """Play games side by side to their ends; what was searched fully is learned from."""
    states, seen = begun(games, manner.opening, rng, game), []
    while len(rows := np.flatnonzero(~game.finished(states))):
        weights = np.empty((len(rows), game.moves))
        full = rng.random(len(rows)) < manner.share
        for fully in (True, False):
            which = np.flatnonzero(full == fully)
            if len(which):
                turn = think(states[rows[which]], evaluator, manner, fully, rng, game)
                weights[which] = turn.weights
                if fully:
                    seen.append((rows[which], states[rows[which]], turn))
        states[rows] = game.play(states[rows], drawn(weights, manner.temperature, rng))
    return joined([_samples(states[rows], before, turn, game) for rows, before, turn in seen])


def _samples(ends: States, before: States, turn: Turn, game: Ultimate) -> Samples:
    """Samples of one ply, now that the results of its games are known."""
    results = game.winner(ends) * game.to_move(before)
    values = turn.trust * turn.values + (1 - turn.trust) * results
    visits = np.minimum(turn.weights, MOST_VISITS).astype(np.uint16)
    return Samples(before, visits, values.astype(np.float32))


def self_play(
    evaluator: Evaluator,
    games: int,
    manner: Manner,
    *,
    game: Ultimate | None = None,
    rng: np.random.Generator | int = 0,
    threads: int = 1,
) -> Samples:
    """Play games and return what there is to learn from, the same for any number of threads.

    Raises
    ------
    ValueError
        If games < 1 or threads < 1.
    """
    if games < 1 or threads < 1:
        raise ValueError(f"self-play needs games and threads >= 1, not {games} and {threads}")
    game, rng = game or Ultimate(), np.random.default_rng(rng)
    sizes = [min(CHUNK, games - done) for done in range(0, games, CHUNK)]

    def run(size: int, child: np.random.Generator) -> Samples:
        return play(evaluator, size, manner, game, child)

    with ThreadPoolExecutor(threads) as pool:
        return joined(list(pool.map(run, sizes, rng.spawn(len(sizes)))))
