"""Compile ahead what people would otherwise wait for: ``make env`` runs this once.

numba compiles a kernel when it is first called, and keeps the machine code.  Most kernels are
called here with tiny arguments, so that a first game need not wait, and notebooks wait less.
Whatever an edit invalidates, or is missing here, is compiled on first use.

Kernels are named by their module: one that stood here by its own name would be sent to the other
process as a copy, which compiles without keeping anything.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from ttt_lib.catalog import agent
from ttt_lib.evidence.command import Parser, run_command
from ttt_lib.game.board import Grid
from ttt_lib.game.match import MatchResult, match
from ttt_lib.game.policy import choose
from ttt_lib.game.worst import worst
from ttt_lib.ising.alpha_beta import alpha_beta
from ttt_lib.ising.sweep import games_at
from ttt_lib.ntuple.network import Patterns
from ttt_lib.ntuple.selfplay import SelfPlay
from ttt_lib.ntuple.training import train
from ttt_lib.spectral.cell_orders import all_orders, play_lists
from ttt_lib.ultimate.board import kernels
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.config import NetworkConfig, config
from ttt_lib.ultimate.learn.driver import self_play
from ttt_lib.ultimate.learn.networks import evaluator_of
from ttt_lib.ultimate.learn.trainer import play_settings
from ttt_lib.ultimate.network.resnet import AlphaZeroNet
from ttt_lib.ultimate.players import stored_tables
from ttt_lib.ultimate.search.gumbel import gumbel_search
from ttt_lib.ultimate.search.puct_table import evaluator
from ttt_lib.ultimate.solver.solver import DTWSolver
from ttt_lib.ultimate.studies import delays, eviction

Calls = Sequence[Callable[[], Any]]


def on_boards() -> Calls:
    """What plays, learns and searches on n^d boards."""
    pairs = (("uct:iterations=2", "pmc:playouts=1"), ("ising", "ntuple"))
    players = [agent("ising", size) for size in ("4x4", "3x3x3")]
    empty = np.zeros((1, 9), dtype=np.int8)
    return (
        *(partial(play, a, b) for a, b in pairs),
        *(partial(games_at, "3x3", name, "RI", 0.5, 2, 0) for name in ("equation", "published")),
        *(partial(worst, player, side) for player in players for side in (1, -1)),
        partial(SelfPlay(Patterns(Grid(3))).play, 2),
        partial(play_lists, all_orders(up_to_symmetry=True)[:1], 1, safe=True),
        partial(choose, agent("ising:energy=published"), empty, np.random.default_rng(0)),
        partial(alpha_beta, Grid(3), empty[0]),
        partial(train, epochs=1, dtype=np.float32),
    )


def on_ultimate() -> Calls:
    """What plays, learns and searches on Ultimate."""
    nets = [f"alphazero:simulations=2,solver={cells}" for cells in (0, 9)]
    notebook, start = config("notebook"), Ultimate().initial()
    settings = play_settings(notebook, notebook.training.stage(0))
    residual = evaluator_of(AlphaZeroNet(NetworkConfig(1, 4, 2)).eval())
    table, one = eviction.LeastRecentlyUsed(1), np.uint64(1)
    return (
        partial(kernels.perft, start[0], 2, 0),
        partial(kernels.records, start[0], 2, 0, np.uint64(1)),
        partial(play, "uct:iterations=2", "random", "ultimate"),
        *(partial(play, net, net, "ultimate") for net in nets),
        lambda: self_play(stored_tables(), 1, settings),
        partial(self_play, residual, 1, settings._replace(full=2, fast=2, q_scale=0.0)),
        lambda: gumbel_search(Ultimate(), start[0], stored_tables(), 2),
        lambda: evaluator(stored_tables())(start),
        partial(DTWSolver().lookup_cache, start[0]),
        partial(delays.ask, "corner", 3),
        partial(eviction.store_lru, table.hot, table.cold, one, one),
        partial(eviction.probe_lru, table.hot, table.cold, one),
    )


def play(a: str, b: str, board: str = "3x3") -> MatchResult:
    """Play two games, one from each side."""
    return match(agent(a, board), agent(b, board), 2)


def call_all(calls: Callable[[], Calls]) -> None:
    """Call each, for the sake of what that compiles."""
    for one in calls():
        one()


def compile_all() -> None:
    """Compile what stands on boards and what stands on Ultimate, side by side."""
    Parallel(n_jobs=2)(delayed(call_all)(calls) for calls in (on_boards, on_ultimate))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    parser = Parser(prog="python -m ttt_lib.people.warmup", description=__doc__)
    return run_command(parser, lambda _: compile_all(), arguments)


if __name__ == "__main__":
    sys.exit(main())
