"""What ``make env`` compiles is what a first game calls."""

from __future__ import annotations

import subprocess
import sys

COMPILED_BY_GAMES = """
import gc

from numba.core.registry import CPUDispatcher

from ttt_lib import catalog, match
from ttt_lib.people import warmup


def compiled():
    ours = [one for one in gc.get_objects() if isinstance(one, CPUDispatcher)]
    return {f"{one.__name__}{types}" for one in ours for types in one.signatures}


warmup.call_all(warmup.on_boards)
warmup.call_all(warmup.on_ultimate)
before = compiled()
few = {"uct": ":iterations=3", "pmc": ":playouts=2", "alphazero": ":simulations=3,solver=8"}
for name in catalog.AGENTS:
    for board in ("3x3", "ultimate"):
        if catalog.builder(name, catalog.game_of(board)):
            match(name + few.get(name, ""), "random", board, games=4, rng=1)
print(len(before), *sorted(compiled() - before), sep="\\n")
"""


def test_a_first_game_of_any_agent_compiles_nothing() -> None:
    """Signatures are counted, not compilations: other tests may have filled the cache."""
    command = [sys.executable, "-c", COMPILED_BY_GAMES]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    kernels, *later = done.stdout.split("\n")[:-1]
    assert int(kernels) > 20
    assert later == []
