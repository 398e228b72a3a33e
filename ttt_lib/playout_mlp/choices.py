"""What Pure Monte Carlo chooses with finitely many playouts, exactly.

The playouts after a move are independent, so the sum of their results is a convolution, and a move
is chosen if its sum is the best.  So a control needs no games.  Tree search has no such form:
where a playout begins depends on those before.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from ttt_lib.game.board import Floats, Mask
from ttt_lib.game.exact import as_chances, float_values, policy_table
from ttt_lib.game.policy import Evaluator, minimax, move_scores
from ttt_lib.playout_mlp import exact, players
from ttt_lib.playout_mlp.data import GRID
from ttt_lib.playout_mlp.model import evaluator, net
from ttt_lib.playout_mlp.runs import BUDGETS

UNIFORM, NETWORK, ENDS, ASKED = (
    "uniform",
    "the network's",
    "finished games only",
    "the network's, also asked about finished games",
)
"""Kinds of playouts: the second know network and finished games, the others at most one of them."""


def kinds() -> dict[str, Floats]:
    """The chances of the moves in each kind of playouts, shape (S, 9)."""
    network = evaluator(net(0))
    return {
        UNIFORM: players.uniform_chances(),
        NETWORK: players.playout_chances(net(0)),
        ENDS: drawn_by_score(lambda after: np.zeros(len(after))),
        ASKED: drawn_by_score(network, ends=False),
    }


def drawn_by_score(values: Evaluator, *, ends: bool = True) -> Floats:
    """Chances of the moves in playouts guided by any evaluator; as ``players.playout_chances``.

    Parameters
    ----------
    ends : bool
        Whether a move that ends the game scores its exact result, else what the evaluator says.
    """
    game = exact.tree()
    running = ~game.finished
    scores = move_scores(GRID, values, ends=ends)(game.boards[running])
    powers = np.exp(scores / players.TEMPERATURE)
    chances = np.zeros(game.children.shape)
    chances[running] = powers / powers.sum(axis=1, keepdims=True)
    return chances


def pmc_chances(playouts: Floats, games: int) -> Floats:
    """The chance of each move of Pure Monte Carlo on every state; ties go to the lowest index.

    Parameters
    ----------
    playouts : ndarray of float, shape (S, 9)
        The playout policy of both sides.
    games : int
        Playouts after each move.

    Returns
    -------
    ndarray of float64, shape (S, 9)
        0 on finished states.
    """
    game = exact.tree()
    results = float_values(game, playouts, playouts)
    chances = np.zeros(game.children.shape)
    for side in (1, -1):
        states = np.flatnonzero(~game.finished & (GRID.to_move(game.boards) == side))
        sums = sum_chances(results[:, ::-side], games)
        chances[states] = first_best(sums[game.children[states]], game.legal[states])
    return chances


def sum_chances(results: Floats, games: int) -> Floats:
    """How likely each sum of independent results is, in rising order, shape (S, 2 games + 1).

    Parameters
    ----------
    results : ndarray of float, shape (S, 3)
        Chances of -1, 0 and 1.
    """
    size = 2 * games + 1
    powers = np.fft.rfft(results, size, axis=1) ** games
    return np.clip(np.fft.irfft(powers, size, axis=1), 0, None)


def first_best(sums: Floats, legal: Mask) -> Floats:
    """How likely each move has the largest sum, the first of equal ones, shape (B, 9).

    Parameters
    ----------
    sums : ndarray of float, shape (B, 9, M)
        Chances of the sums of each move in rising order; ignored where it is not legal.
    """
    here = legal[:, :, None]
    chances = np.where(here, sums, 0)
    at_most = np.where(here, chances.cumsum(axis=2), 1)
    below = np.where(here, at_most - chances, 1)
    won = [
        chances[:, move] * below[:, :move].prod(axis=1) * at_most[:, move + 1 :].prod(axis=1)
        for move in range(legal.shape[1])
    ]
    found = np.stack([one.sum(axis=1) for one in won], axis=1)
    return np.asarray(found / found.sum(axis=1, keepdims=True))


@cache
def matches() -> pd.DataFrame:
    """Chances to win, draw and lose with each kind of playouts, in the matches that were played.

    Returns
    -------
    pandas.DataFrame
        Indexed by kind, playouts, side and opponent.
    """
    game = exact.tree()
    perfect = as_chances(policy_table(minimax(GRID), game))
    rivals = {"random": players.uniform_chances(), "minimax": perfect}
    rows = {}
    for kind, playouts in kinds().items():
        for budget in BUDGETS:
            mine = pmc_chances(playouts, budget)
            for name, rival in rivals.items():
                rows[kind, budget, "x", name] = float_values(game, mine, rival)[0]
                rows[kind, budget, "o", name] = float_values(game, rival, mine)[0, ::-1]
    names = ["kind", "playouts", "side", "opponent"]
    index = pd.MultiIndex.from_tuples(rows, names=names)
    return pd.DataFrame(list(rows.values()), index, ["win", "draw", "loss"])


def gains(kind: str, other: str) -> pd.Series[float]:
    """How much larger the mean result is with one kind of playouts than another, by match."""
    means = matches()["win"] - matches()["loss"]
    gained: pd.Series[float] = means[kind] - means[other]
    return gained
