"""Self-play of either kind of network, in tasks of a few games, each with its own generator.

The games don't depend on the workers: threads of this process by ``threads``, else whatever
joblib is configured to use, such as a dask cluster (:mod:`ttt_lib.evidence.parallel`).
"""

from __future__ import annotations

from functools import partial

import numpy as np
from joblib import parallel_config

from ttt_lib.evidence.parallel import run_parallel
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.learn import selfplay, selfplay_batch
from ttt_lib.ultimate.learn.replay_buffer import Samples, joined
from ttt_lib.ultimate.learn.selfplay import SelfPlaySettings
from ttt_lib.ultimate.network.evaluator import Evaluator
from ttt_lib.ultimate.network.tablenet import Tables
from ttt_lib.ultimate.search.puct_table import check_rules


def tasks(
    games: int, chunk: int, rng: np.random.Generator | int
) -> list[tuple[int, np.random.Generator]]:
    """Divide games into tasks of at most ``chunk``, each with a random generator of its own."""
    sizes = [min(chunk, games - done) for done in range(0, games, chunk)]
    return list(zip(sizes, np.random.default_rng(rng).spawn(len(sizes)), strict=True))


def self_play(
    network: Tables | Evaluator,
    games: int,
    settings: SelfPlaySettings,
    *,
    game: Ultimate | None = None,
    rng: np.random.Generator | int = 0,
    threads: int = 1,
) -> Samples:
    """Play games and return what there is to learn from.

    Parameters
    ----------
    network : Tables or callable
        Tables play whole games in compiled code; any other network is an evaluator, and evaluates
        the leaves of many games in one batch.
    rng : Generator or int
        The same seed gives the same games on any number of threads, processes or machines.
    threads : int
        Threads of this process; with 1, joblib's configuration determines the workers.

    Raises
    ------
    ValueError
        If games < 1 or threads < 1, or a table net doesn't know the rules.
    """
    if games < 1 or threads < 1:
        raise ValueError(f"self-play needs games and threads >= 1, not {games} and {threads}")
    game = game or Ultimate()
    if isinstance(network, Tables):
        chunk, play = selfplay.CHUNK, partial(selfplay.play_games, network)
        check_rules(game)
    else:
        chunk, play = selfplay_batch.CHUNK, partial(selfplay_batch.play_games, network)
    work, jobs = partial(play, settings, game), tasks(games, chunk, rng)
    if threads == 1:
        return joined(run_parallel(work, jobs))
    with parallel_config(backend="threading", n_jobs=threads):
        return joined(run_parallel(work, jobs))
