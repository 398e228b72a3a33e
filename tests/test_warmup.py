"""What ``make env`` compiles is what a first game calls."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from numba.core.registry import CPUDispatcher

from ttt_lib.people import warmup

COMPILED = """
import gc, json

from numba.core.registry import CPUDispatcher

from ttt_lib import catalog, match
from ttt_lib.people import warmup


def compiled():
    ours = [one for one in gc.get_objects() if type(one) is CPUDispatcher]
    return {f"{one.__name__}{types}" for one in ours for types in one.signatures}


found, by_call = compiled(), []
for call in (*warmup.on_boards(), *warmup.on_ultimate()):
    call()
    by_call.append(len(compiled() - found))
    found |= compiled()
few = {"uct": ":iterations=3", "pmc": ":playouts=2", "alphazero": ":simulations=3,solver=12"}
for name in catalog.AGENTS:
    for board in ("3x3", "ultimate"):
        if catalog.builder(name, catalog.game_of(board)):
            player = name + few.get(name, "")
            match(player, player, board, games=2, rng=1)
print(json.dumps({"by call": by_call, "by games": sorted(compiled() - found)}))
"""


@pytest.fixture(scope="module")
def found() -> Any:
    """What is compiled, or read from the cache, by each call and then by games.

    Signatures are counted, not compilations: other tests may have filled the cache.
    """
    command = [sys.executable, "-c", COMPILED]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def test_a_first_game_of_any_agent_compiles_nothing(found: Any) -> None:
    assert found["by games"] == []


def test_every_call_compiles_something(found: Any) -> None:
    assert 0 not in found["by call"]


def test_no_kernel_is_sent_to_the_other_process_as_a_copy() -> None:
    """What a function of ``__main__`` names is copied, and a copied kernel keeps nothing."""
    assert [name for name, it in vars(warmup).items() if isinstance(it, CPUDispatcher)] == []
