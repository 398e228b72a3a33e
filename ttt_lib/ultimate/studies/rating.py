"""One rating for all players of Ultimate: Bradley and Terry's model of many stored matches.

The logarithm of the odds of scoring is the difference of two ratings, a draw counting half; on
Elo's scale 400 points are odds of ten to one.  Intervals come from resampling the pairs of games
of each match (bootstrap).  A rating depends on the opponents met, and one number per player can't
show a cycle of three players who each beat the next.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ttt_lib.evidence import store
from ttt_lib.evidence.parallel import resumable
from ttt_lib.game.board import Floats
from ttt_lib.game.policy import Agent
from ttt_lib.game.stats import Interval
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.learn import checkpoint
from ttt_lib.ultimate.players import (
    alphazero,
    by_phase,
    endgame_tables,
    stored_agent,
    stored_tables,
)
from ttt_lib.ultimate.search.gumbel import gumbel_agent
from ttt_lib.ultimate.search.puct_table import table_agent
from ttt_lib.ultimate.search.tree_search import most_visited
from ttt_lib.ultimate.studies import (
    curves,
    gpu_training,
    resnet_against_tables,
    stored_nets,
    strength,
)
from ttt_lib.ultimate.studies.matches import PAIRS, timed
from ttt_lib.ultimate.studies.strength import OPENSPIEL, RANDOM, SIMULATIONS, uct_name

FILE = "ultimate_rating.csv"
GAMES, SEED, DRAWS = 400, 1, 1000
"""Games of each match of the ladder; seed of its openings; samples of the bootstrap."""

ANCHOR = uct_name(1000)
"""Its rating is 0."""

EVEN = 0.5
"""Games won, and lost, added to each match: without them, a player who wins all has no rating."""

ITERATIONS = (10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000)
VARIANTS: dict[str, dict[str, Any]] = {
    "c = 0.5": {"c": 0.5},
    "c = 1.2": {"c": 1.2},
    "FPU 0.2": {"fpu": 0.2},
    "FPU 0.6": {"fpu": 0.6},
    "most visited": {"choice": most_visited},
    "as in training": {"c": 1.5, "fpu": 0.2, "choice": most_visited},
}
"""Settings of play other than ours; each of them plays ours, and ``TUNING``."""

TUNING = uct_name(5000)
"""An opponent that strength is not reported against."""


def net_name(simulations: int, variant: str = "") -> str:
    """Name of the stored table nets without the solver: simulations and, if not ours, settings."""
    return ", ".join(["net", f"{simulations:,}", *([variant] if variant else [])])


HYBRID, GUMBEL, TEACHER = "hybrid, 200", "Gumbel, 200", "teacher, 200"
SELF_PLAY = "self-play net, 200"
"""The self-play network, which plays endgames, too."""


def ladder() -> list[tuple[str, str]]:
    """Matches played for the rating alone: neighbours by budget, and single players."""
    uct = [RANDOM, *map(uct_name, ITERATIONS)]
    nets = list(map(net_name, SIMULATIONS))
    pairs = [(b, a) for players in (uct, nets) for a, b in pairwise(players)]
    pairs += [(HYBRID, net_name(200)), (GUMBEL, net_name(200)), (net_name(200), TUNING)]
    pairs += [(net_name(200), SELF_PLAY), (SELF_PLAY, TUNING)]
    pairs += [(net_name(200), TEACHER), (TEACHER, TUNING)]
    variants = [net_name(200, variant) for variant in VARIANTS]
    pairs += [(name, rival) for name in variants for rival in (TUNING, net_name(200))]
    return pairs + ([(OPENSPIEL, ANCHOR)] if strength.openspiel() is not None else [])


def player(name: str) -> Agent:
    """A player by its name in the table."""
    kind, *rest = name.split(", ")
    if kind == "net":
        settings = VARIANTS[rest[1]] if len(rest) > 1 else {}
        return stored_agent(int(rest[0].replace(",", "")), **settings)
    if name == HYBRID:
        return alphazero(Ultimate(), 200)
    if name == SELF_PLAY:
        return table_agent(stored_tables(), 200)
    if name == TEACHER:
        return table_agent(stored_tables(store.data_dir() / checkpoint.TEACHER), 200)
    if name == GUMBEL:
        nets = (stored_tables(), endgame_tables(Ultimate()))
        return by_phase(*(gumbel_agent(net, 200, noise=0.0) for net in nets))
    return strength.opponent(name)


def play(name: str, rival: str, games: int = GAMES) -> dict[str, Any]:
    """One match with the milliseconds of processor time that each player took per move."""
    counted, mine, other = timed(player(name), player(rival), games, rng=SEED)
    return {
        "player": name, "opponent": rival, **counted, "ms": mine.milliseconds,
        "opponent_ms": other.milliseconds,
    }  # fmt: skip


def make_rating(path: Path | None = None) -> pd.DataFrame:
    """Play the ladder, match by match; some 20 minutes.

    Parameters
    ----------
    path : Path or None
        A file that records finished matches, so that a killed run resumes where it stopped.
    """
    return pd.DataFrame(resumable(play, ladder(), path, about="match"))


# ---------------------------------------------------------------------------- all matches


def learner(kind: str, seed: float, iteration: float) -> str:
    """Name of a network that was measured during a training run."""
    return f"{kind} {seed:.0f}, iteration {iteration:.0f}"


def self_play_name(seed: int, simulations: int) -> str:
    """Name of a self-play network of the stored recipe; that of seed 1 is the stored one."""
    return f"self-play net{'' if seed == 1 else f' {seed}'}, {simulations:,}"


def gpu_name(network: str, seed: int, iteration: int) -> str:
    """Name of a network that was measured during a run on the machine with a GPU."""
    return learner(f"{network} (GPU run)", seed, iteration)


def matches() -> pd.DataFrame:
    """All matches that are rated: player, opponent, and ``PAIRS``.

    Those of the ladder, the strength table, the seeds of the stored recipe, and training runs.
    """
    budgets, runs = store.read_table(strength.FILE), _training_runs()
    tables = [
        store.read_table(FILE),
        budgets.assign(player=budgets["simulations"].map(net_name)),
        _seeds(),
        runs.assign(opponent=runs["opponent"].map(uct_name)),
        _gpu_runs(),
    ]
    return pd.concat(tables, ignore_index=True)[["player", "opponent", *PAIRS]]


def _seeds() -> pd.DataFrame:
    """Matches of the stored recipe's seeds, against UCT and each other, with the players' names."""

    def name_of(opponent: str, simulations: int) -> str:
        seed = opponent.removeprefix("seed ")
        return opponent if seed == opponent else self_play_name(int(seed), simulations)

    table = store.read_table(stored_nets.SEEDS_FILE)
    return table.assign(
        player=list(map(self_play_name, table["seed"], table["simulations"])),
        opponent=list(map(name_of, table["opponent"], table["simulations"])),
    )


def _gpu_runs() -> pd.DataFrame:
    """Matches along the runs on a GPU's machine; one's last network also meets the other's last."""
    table = store.read_table(gpu_training.FILE)
    ends = table.groupby(["network", "seed"])["iteration"].max()

    def name_of(opponent: str, seed: int) -> str:
        last = ends.get((opponent, seed))
        return opponent if last is None else gpu_name(opponent, seed, last)

    return table.assign(
        player=list(map(gpu_name, table["network"], table["seed"], table["iteration"])),
        opponent=list(map(name_of, table["opponent"], table["seed"])),
    )


def _training_runs() -> pd.DataFrame:
    """Matches during training, with the kind of run and the player's name."""
    long, short = (store.read_table(study.FILE) for study in (curves, resnet_against_tables))
    runs = [long.assign(kind="table net"), short.assign(kind=short["network"] + " (short run)")]
    table = pd.concat(runs, ignore_index=True)
    rows = zip(table["kind"], table["seed"], table["iteration"], strict=True)
    return table.assign(player=[learner(*row) for row in rows])


def fit(first: NDArray[np.intp], second: NDArray[np.intp], points: Floats, games: Floats) -> Floats:
    """Maximum-likelihood ratings, in natural units, relative to player 0.

    Parameters
    ----------
    first, second : ndarray of int, shape (M,)
        The players of each match.
    points, games : ndarray of float64, shape (M,)
        Points of the first player, and number of games.

    Raises
    ------
    ValueError
        If the matches don't connect all players, or a player won or lost every game.
    """
    sides = np.zeros((len(first), max(first.max(), second.max()) + 1))
    rows = np.arange(len(first))
    sides[rows, first], sides[rows, second] = 1, -1
    sides = sides[:, 1:]
    ratings = np.zeros(sides.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-sides @ ratings))
        slope = sides.T @ (points - games * chance)
        curvature = (sides * (games * chance * (1 - chance))[:, None]).T @ sides
        try:
            step = np.linalg.solve(curvature, slope)
        except np.linalg.LinAlgError:
            break
        ratings += np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-9:
            return np.concatenate([[0.0], ratings])
    raise ValueError("the matches give no rating: connect all players, and let nobody win all")


class Rating(NamedTuple):
    """Ratings of some players, in points of Elo above ``ANCHOR``.

    Attributes
    ----------
    found : Series
        By player, strongest first.
    again : DataFrame
        The same from resampled matches: a row per sample of the bootstrap, a column per player.
    games : Series
        Games of each player.
    """

    found: pd.Series[float]
    again: pd.DataFrame
    games: pd.Series[float]

    @property
    def table(self) -> pd.DataFrame:
        """Columns rating, low, high (95% interval), games: whole numbers."""
        low, high = (self.again.quantile(share) for share in (0.025, 0.975))
        columns = {"rating": self.found, "low": low, "high": high, "games": self.games}
        return pd.DataFrame(columns).loc[self.found.index].round().astype(int)

    def gain(self, name: str, other: str) -> tuple[float, Interval]:
        """By how much one player is rated above another, and the 95% interval."""
        low, high = (self.again[name] - self.again[other]).quantile([0.025, 0.975])
        return self.found[name] - self.found[other], Interval(low, high)


def rate(table: pd.DataFrame, *, rng: int = 0, draws: int = DRAWS, even: float = EVEN) -> Rating:
    """Rate all players of some matches.

    Parameters
    ----------
    table : DataFrame
        As returned by :func:`matches`; one of the players must be ``ANCHOR``.
    draws : int
        Samples of the bootstrap.
    even : float
        Games won, and lost, added to each match.

    Raises
    ------
    ValueError
        If the matches don't connect all players, or nothing is added and somebody won all.
    """
    names = [ANCHOR, *sorted({*table["player"], *table["opponent"]} - {ANCHOR})]
    first, second = (
        table[side].map(names.index).to_numpy(np.intp) for side in ("player", "opponent")
    )
    pairs = table[list(PAIRS)].to_numpy(np.int64)
    total, generator = pairs.sum(axis=1), np.random.default_rng(rng)
    drawn = (generator.multinomial(total, pairs / total[:, None]) for _ in range(draws))
    elo = 400 / np.log(10)
    found = pd.Series(elo * fit(first, second, *_points(pairs, even)), names)
    again = pd.DataFrame(
        [elo * fit(first, second, *_points(p, even)) for p in drawn], columns=names
    )
    games = sum(np.bincount(side, 2 * total, len(names)) for side in (first, second))
    order = found.round(6).sort_values(ascending=False, kind="stable").index  # equal ones by name
    return Rating(found[order], again, pd.Series(games, names))


def _points(pairs: NDArray[np.int64], even: float = EVEN) -> tuple[Floats, Floats]:
    """Points of the first player and number of games, with as many won and lost ones added."""
    return pairs @ np.arange(5) / 2 + even, 2.0 * pairs.sum(axis=1) + 2 * even


@cache
def read() -> Rating:
    """The rating of all players of :func:`matches`."""
    return rate(matches())


def milliseconds() -> pd.Series[float]:
    """Median processor time per move of the players of the ladder."""
    played = store.read_table(FILE)
    theirs = played[["opponent", "opponent_ms"]].set_axis(["player", "ms"], axis=1)
    times = pd.concat([played[["player", "ms"]], theirs])
    return times.groupby("player")["ms"].median()


def by_training(kind: str = "table net") -> pd.DataFrame:
    """Rating by processor time of training: columns seed, cpu_minutes, rating, low, high."""
    runs = _training_runs().query("kind == @kind").drop_duplicates("player", ignore_index=True)
    rated = read().table.loc[runs["player"], ["rating", "low", "high"]].reset_index(drop=True)
    return runs[["seed", "iteration", "cpu_minutes"]].join(rated)
