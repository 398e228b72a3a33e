"""How often players lose to random play, by the rule for ties and by what a network is told."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ttt_lib.evidence import store
from ttt_lib.game.board import Boards, Floats
from ttt_lib.game.exact import exact_match
from ttt_lib.game.policy import Agent, Ties, random_agent
from ttt_lib.game.stats import mean_interval
from ttt_lib.playout_mlp import ceilings
from ttt_lib.playout_mlp.data import GRID
from ttt_lib.playout_mlp.model import STORED_SEEDS, evaluator, net
from ttt_lib.playout_mlp.players import value_agent

RULES: dict[Ties, str] = {"first": "lowest index", "uniform": "ties at random"}
"""Rules for ties, in words."""


def losses(agent: Agent) -> tuple[float, float]:
    """Probability of losing to random play, as X and as O."""
    game, rival = ceilings.tree(), random_agent(GRID)
    as_x, as_o = exact_match(agent, rival, game), exact_match(rival, agent, game)
    return float(as_x.loss), float(as_o.win)


def of_networks(depth: int, ties: Ties) -> NDArray[np.float64]:
    """The stored networks' :func:`losses` at a depth and with a rule for ties, shape (20, 2)."""
    nets = (value_agent("net", evaluator(net(s)), depth, ties=ties) for s in STORED_SEEDS)
    return np.array([losses(agent) for agent in nets])


def saved_by_both() -> tuple[float, float]:
    """How much less networks lose as O at depth 1 if trained on the rows of both sides, by seed.

    Returns
    -------
    mean, half : float
        The mean, and half the width of its 95% interval (Student's t).
    """
    rows = store.read_table("playout_mlp_strength.csv").query(
        "opponent == 'random' and side == 'o' and depth == 1"
    )
    lost = rows.assign(lost=rows["loss"].map(lambda text: float(Fraction(text)))).pivot(
        index="seed", columns="values", values="lost"
    )
    less = (lost["net x"] - lost["net both"]).dropna()
    return float(less.mean()), mean_interval(less).high - float(less.mean())


def saved_by_both_text() -> str:
    """The same in a sentence."""
    less, half = saved_by_both()
    return (
        "As o at depth 1, networks trained on boards after both players' moves lose "
        f"{less:.4f} ± {half:.4f} less than those trained on boards after x's moves (95%, paired "
        "by seed)."
    )


def by_ties(depths: Iterable[int] = range(1, 5)) -> pd.DataFrame:
    """Mean losses as O, by depth: networks and exact expectations, by the same rule for ties."""
    rows = store.read_table("playout_mlp_strength.csv")
    rows = rows[(rows["opponent"] == "random") & (rows["side"] == "o")]
    stored = {(kind, depth): Fraction(loss)
              for kind, depth, loss in zip(rows["values"], rows["depth"], rows["loss"], strict=True)
              if str(kind).startswith("exact")}  # fmt: skip
    return pd.DataFrame({
        depth: {
            f"{who}, {told}": loss
            for ties, told in RULES.items()
            for who, loss in (("networks", of_networks(depth, ties)[:, 1].mean()),
                              ("exact", float(stored[f"exact, ties {ties}", depth])))
        }
        for depth in depths
    }).T  # fmt: skip


def told_of_ends(winner: bool) -> NDArray[np.float64]:
    """Losses, shape (20, 2), of networks also asked about finished games, but told of one kind.

    Parameters
    ----------
    winner : bool
        Whether they know the exact value of games with a winner, or else of drawn ones.
    """
    game = ceilings.tree()

    def told(seed: int) -> Agent:
        guess = evaluator(net(seed))

        def values(after: Boards) -> Floats:
            states = game.index(after)
            known = game.finished[states] & ((game.winner[states] != 0) == winner)
            return np.where(known, float(winner), guess(after))

        return value_agent("told", values, ends=False)

    return np.array([losses(told(seed)) for seed in STORED_SEEDS])
