"""Self-play of a table net as tasks for joblib, so that a cluster can play.

:func:`ttt_lib.ultimate.learn.selfplay.self_play` uses the threads of one machine.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ttt_lib.evidence.parallel import spread
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.learn.replay import Samples, joined
from ttt_lib.ultimate.learn.selfplay import CHUNK, Manner
from ttt_lib.ultimate.learn.selfplay import self_play as play_here
from ttt_lib.ultimate.learn.tablenet import Tables


def self_play(
    tables: Tables,
    games: int,
    manner: Manner,
    *,
    game: Ultimate | None = None,
    rng: np.random.Generator | int = 0,
) -> Samples:
    """Play games in tasks of ``CHUNK``, each with a generator of its own.

    The samples depend neither on the number of workers nor on where they run.

    Raises
    ------
    ValueError
        If games < 1, or the rules are not for a table net.
    """
    if games < 1:
        raise ValueError(f"self-play needs games >= 1, not {games}")
    sizes = [min(CHUNK, games - done) for done in range(0, games, CHUNK)]
    children = np.random.default_rng(rng).spawn(len(sizes))
    work = partial(_task, tables, manner, game)
    return joined(spread(work, zip(sizes, children, strict=True)))


def _task(
    tables: Tables, manner: Manner, game: Ultimate | None, games: int, rng: np.random.Generator
) -> Samples:
    return play_here(tables, games, manner, game=game, rng=rng)
