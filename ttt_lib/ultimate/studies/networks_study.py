"""Residual network against table net: strength by processor time, the same trainer for both."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from ttt_lib.evidence import store
from ttt_lib.game.match import MatchResult
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.board.kernels import SIDE
from ttt_lib.ultimate.learn.config import LITE, RESNET, Config
from ttt_lib.ultimate.learn.networks import Playable, evaluator_of
from ttt_lib.ultimate.learn.tablenet import Tables
from ttt_lib.ultimate.learn.trainer import Trainer, one_thread, shortened
from ttt_lib.ultimate.search.puct import FPU, Evaluator, PuctSearch
from ttt_lib.ultimate.studies.strength import Mover, openings, paired, table_mover, uct_mover

TABLE = "ultimate_networks.csv"
RUNS: dict[str, Config] = {
    "table net": shortened(LITE, num_iterations=20),
    "residual net": shortened(RESNET, num_iterations=4),
}
"""Settings of about 80 CPU-seconds each, the learning rate falling to its end within them."""

SEEDS, MEASURED = (1, 2, 3), (0.0, 0.5, 1.0)
"""Seeds of training; shares of a run after which strength is measured."""

OPPONENTS, SIMULATIONS, GAMES, C = (100, 1000), 100, 20, LITE.training.c_puct


def batch_score(
    evaluate: Evaluator,
    opponent: Mover,
    games: int,
    simulations: int,
    *,
    rng: np.random.Generator | int = 0,
) -> MatchResult:
    """As :func:`~ttt_lib.ultimate.studies.strength.paired`, all games searched at once.

    Raises
    ------
    ValueError
        If games is odd or < 2.
    """
    if games < 2 or games % 2:
        raise ValueError(f"paired openings need an even number of games, not {games}")
    game, rng = Ultimate(), np.random.default_rng(rng)
    states = np.repeat(openings(games // 2, 4, rng, game), 2, axis=0)
    sides = states[:, SIDE] ^ np.arange(games) % 2  # the network begins the even games
    while len(rows := np.flatnonzero(~game.finished(states))):
        ours = states[rows, SIDE] == sides[rows]
        moves = np.empty(len(rows), dtype=np.int64)
        if ours.any():
            search = PuctSearch(game, states[rows[ours]], evaluate, c=C, fpu=FPU)
            moves[ours] = [view.scores.argmax() for view in search.run(simulations)]
        moves[~ours] = [opponent(state, rng) for state in states[rows[~ours]]]
        states[rows] = game.play(states[rows], moves)
    results = game.winner(states) * (1 - 2 * sides.astype(np.int64))
    win, draw, loss = (int((results == value).sum()) for value in (1, 0, -1))
    return MatchResult(games, win, draw, loss, 0.0)


def score(network: Playable, iterations: int, seed: int) -> MatchResult:
    """Match of a network against UCT with so many iterations."""
    other = uct_mover(iterations)
    if isinstance(network, Tables):
        return paired(table_mover(network, SIMULATIONS, c=C), other, GAMES, rng=seed)
    return batch_score(evaluator_of(network), other, GAMES, SIMULATIONS, rng=seed)


def run(name: str, seed: int) -> Iterator[dict[str, float | int | str]]:
    """Train one network; a row for each measurement.  Compilation is not counted."""
    Trainer(RUNS[name]).train_iteration(2, 1, num_simulations=4)
    trainer = Trainer(RUNS[name], seed=seed)
    last = trainer.config.training.num_iterations
    stops = [round(share * last) for share in MEASURED]
    for stop in stops:
        while trainer.iteration < stop:
            trainer.train_iteration()
        with one_thread():
            network = trainer.learner.playable()
            for iterations in OPPONENTS:
                found = score(network, iterations, seed)
                yield {
                    "seed": seed, "network": name, "iteration": stop,
                    "cpu_minutes": round(trainer.cpu_seconds / 60, 3), "opponent": iterations,
                    "score": found.score, "n": found.games,
                }  # fmt: skip


def networks() -> pd.DataFrame:
    """Strength against UCT by CPU-minute of training, of both networks; some ten minutes."""
    return pd.DataFrame([row for seed in SEEDS for name in RUNS for row in run(name, seed)])


def stored_networks() -> pd.DataFrame:
    """The stored table of :func:`networks`."""
    return store.read_table(TABLE)


def final_scores(opponent: int) -> pd.DataFrame:
    """Scores at the end of training: a row a seed, a column a network."""
    table = stored_networks().query("opponent == @opponent")
    ends = table.loc[table.groupby(["seed", "network"])["iteration"].idxmax()]
    return ends.pivot(index="seed", columns="network", values="score")
