"""What Pure Monte Carlo chooses with finitely many playouts, exactly.

The playouts after a move are independent, so the sum of their results is a convolution, and a move
is chosen if its sum is the best.  So a control needs no games.  Tree search has no such form:
where a playout begins depends on those before.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from ttt_lib.evidence import store
from ttt_lib.evidence.parallel import run_parallel
from ttt_lib.evidence.provenance import Sample, beside
from ttt_lib.game.board import Floats, Mask
from ttt_lib.game.exact import as_chances, float_values, policy_table
from ttt_lib.game.policy import Evaluator, minimax
from ttt_lib.playout_mlp import ceilings, players
from ttt_lib.playout_mlp.data import GRID
from ttt_lib.playout_mlp.model import STORED_SEEDS, evaluator, net
from ttt_lib.playout_mlp.runs import BUDGETS

UNIFORM, NETWORK, ENDS, ASKED, UNFINISHED = (
    "uniform",
    "the network's",
    "finished games only",
    "the network's, also asked about finished games",
    "the network's, of unfinished games only",
)
"""Kinds of playouts: the second know finished games and the network, the third finished games only.

The network of the fourth is asked about finished games, which it may recognise; the fifth know its
opinion of unfinished games, and treat moves that end the game as uniform ones do.
"""
FIXTURES = ["playouts", "side", "opponent"]
RESULTS = ["win", "draw", "loss"]
STORED_KINDS = (NETWORK, UNFINISHED)
"""The kinds that are stored for every network."""


def kinds(seed: int = 0) -> dict[str, Floats]:
    """The chances of the moves in each kind of playouts, shape (S, 9)."""
    network = evaluator(net(seed))
    return {
        UNIFORM: players.uniform_chances(),
        NETWORK: players.playout_chances(network),
        ENDS: players.playout_chances(lambda after: np.zeros(len(after))),
        ASKED: players.playout_chances(network, ends=False),
        UNFINISHED: drawn_unless_ended(network),
    }


def drawn_unless_ended(values: Evaluator) -> Floats:
    """Chances of the moves in playouts guided by an evaluator of unfinished games only.

    A move that ends the game has the chance that it has in uniform playouts; the others share the
    rest as in :func:`ttt_lib.playout_mlp.players.playout_chances`.
    """
    game, uniform = ceilings.tree(), players.uniform_chances()
    ends = game.legal & game.finished[game.children]
    guided = np.where(ends, 0, players.playout_chances(values))
    left = np.where(ends, 0, uniform).sum(axis=1, keepdims=True)
    shared = guided.sum(axis=1, keepdims=True)
    return np.where(ends, uniform, guided * left / np.where(shared > 0, shared, 1))


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
    game = ceilings.tree()
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
    return pd.concat({kind: by_match(one) for kind, one in kinds().items()}, names=["kind"])


def by_match(playouts: Floats) -> pd.DataFrame:
    """Chances to win, draw and lose with one kind of playouts, indexed by :data:`FIXTURES`."""
    game = ceilings.tree()
    perfect = as_chances(policy_table(minimax(GRID), game))
    rivals = {"random": players.uniform_chances(), "minimax": perfect}
    rows = {}
    for budget in BUDGETS:
        mine = pmc_chances(playouts, budget)
        for name, rival in rivals.items():
            rows[budget, "x", name] = float_values(game, mine, rival)[0]
            rows[budget, "o", name] = float_values(game, rival, mine)[0, ::-1]
    index = pd.MultiIndex.from_tuples(rows, names=FIXTURES)
    return pd.DataFrame(list(rows.values()), index, RESULTS)


def make_choices() -> pd.DataFrame:
    """The matches of :func:`by_match` for every stored network, with :data:`STORED_KINDS`."""
    jobs = ((seed,) for seed in STORED_SEEDS)
    return pd.concat(run_parallel(_of_network, jobs, about="networks"), ignore_index=True)


def _of_network(seed: int) -> pd.DataFrame:
    """A network's rows; nine decimals, as processors differ in later ones."""
    known = kinds(seed)
    parts = {(kind, seed): by_match(known[kind]) for kind in STORED_KINDS}
    return pd.concat(parts, names=["kind", "seed"]).round(9).reset_index()


def sample_choices() -> Sample:
    """One network."""
    found = _of_network(6).to_dict("records")
    return beside("playout_mlp_choices.csv", found, "kind", "seed", *FIXTURES)


@cache
def stored_matches(kind: str) -> pd.DataFrame:
    """The stored chances with one of :data:`STORED_KINDS`, indexed by seed and fixture."""
    rows = store.read_table("playout_mlp_choices.csv")
    return rows[rows["kind"] == kind].set_index(["seed", *FIXTURES])[RESULTS]


def gains(kind: str, other: str) -> pd.Series[float]:
    """How much larger the mean result is with one kind of playouts than another, by match."""
    means = matches()["win"] - matches()["loss"]
    gained: pd.Series[float] = means[kind] - means[other]
    return gained


def matches_improved(kind: str, other: str) -> pd.Series[int]:
    """In how many matches the mean result is better with one kind than another, by network.

    Parameters
    ----------
    kind : str
        One of :data:`STORED_KINDS`.
    other : str
        ``UNIFORM`` or ``ENDS``, which are the same for all networks.

    Returns
    -------
    Series of int
        Indexed by seed.
    """
    table = stored_matches(kind)
    means = (table["win"] - table["loss"]).unstack("seed")
    rival = matches()["win"] - matches()["loss"]
    more: pd.Series[int] = means.sub(rival[other], axis=0).gt(0).sum()
    return more
