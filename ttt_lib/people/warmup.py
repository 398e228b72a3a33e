"""Compile ahead what people would wait for: ``make env`` runs this once.

numba compiles a kernel when it is first called, and keeps the machine code.  Here most kernels are
called on next to nothing, so that neither a first game nor a notebook's first cell takes a minute.
What an edit changes, and what is missing here, is compiled when it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from joblib import Parallel, delayed

from ttt_lib.catalog import agent
from ttt_lib.game.board import Grid
from ttt_lib.game.match import MatchResult, match
from ttt_lib.game.worst import worst
from ttt_lib.ising.sweep import games_at
from ttt_lib.ntuple.network import Patterns
from ttt_lib.ntuple.selfplay import SelfPlay
from ttt_lib.spectral.orderings import all_orders, play_lists
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.board.kernels import perft
from ttt_lib.ultimate.learn.config import config
from ttt_lib.ultimate.learn.driver import self_play
from ttt_lib.ultimate.learn.trainer import play_settings
from ttt_lib.ultimate.players import stored_tables

Calls = Sequence[Callable[[], Any]]


def on_boards() -> Calls:
    """What plays, learns and searches on n^d boards."""
    pairs = (("uct:iterations=2", "pmc:playouts=1"), ("ising", "ntuple"))
    players = [agent("ising", size) for size in ("4x4", "3x3x3")]
    return (
        *(partial(play, a, b) for a, b in pairs),
        *(partial(games_at, "3x3", name, "RI", 0.5, 2, 0) for name in ("equation", "published")),
        *(partial(worst, player, side) for player in players for side in (1, -1)),
        partial(SelfPlay(Patterns(Grid(3))).play, 2),
        partial(play_lists, all_orders(up_to_symmetry=True)[:1], 1, safe=True),
    )


def on_ultimate() -> Calls:
    """What plays, learns and searches on Ultimate."""
    net, notebook = "alphazero:simulations=2", config("notebook")
    settings = play_settings(notebook, notebook.training.stage(0))
    return (
        partial(perft, Ultimate().initial()[0], 2, 0),
        partial(play, "uct:iterations=2", "random", "ultimate"),
        *(partial(play, f"{net},solver={cells}", "random", "ultimate") for cells in (0, 9)),
        lambda: self_play(stored_tables(), 1, settings),
    )


def play(a: str, b: str, board: str = "3x3") -> MatchResult:
    """Play two games, one from each side."""
    return match(agent(a, board), agent(b, board), 2)


def call_all(calls: Callable[[], Calls]) -> None:
    """Call each, for the sake of what that compiles."""
    for one in calls():
        one()


if __name__ == "__main__":
    Parallel(n_jobs=2)(delayed(call_all)(calls) for calls in (on_boards, on_ultimate))
