"""What is kept for a process can't be written to, wherever its arrays are."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import _lru_cache_wrapper, cached_property
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np
import pytest

import ttt_lib
from ttt_lib.comparison import matrix
from ttt_lib.game import record, search
from ttt_lib.game.board import Grid
from ttt_lib.game.exact import exact_match
from ttt_lib.game.gametree import solve
from ttt_lib.game.kept import read_only
from ttt_lib.game.policy import minimax, random_agent
from ttt_lib.ising import curve, diagonals, plane, program, tables
from ttt_lib.ising.diagonals import weighted
from ttt_lib.ising.energy import energy_of, power_energy
from ttt_lib.ntuple import network, players, training
from ttt_lib.playout_mlp import ceilings, model
from ttt_lib.spectral import features, handcrafted, labels, policy

GRID = Grid(3)
ENERGY = energy_of("equation", GRID)
PATTERNS = network.Patterns(GRID)

KEPT: dict[str, Callable[[], Any]] = {
    "grid": lambda: GRID,
    "3x3": lambda: solve(GRID),
    "canonical": lambda: curve.canonical_tree(GRID),
    "opponent": lambda: record.opponent_table("random"),
    "lines": lambda: search.lines_of(GRID),
    "player": lambda: matrix.table("random"),
    "equation": lambda: ENERGY,
    "published": lambda: energy_of("published", GRID),
    "potential": lambda: power_energy(GRID, Fraction(2)),
    "weighted": lambda: weighted(ENERGY, (1, 2)),
    "slots": lambda: curve.tables(ENERGY, 1),
    "margins": lambda: diagonals.margins("equation"),
    "plane": lambda: plane.plane("equation", -1),
    "line tables": lambda: tables.line_tables(GRID),
    "rules": lambda: (tables.true_rules(GRID), program.program_rules(GRID)),
    "walks": lambda: (tables.walks_of(ENERGY), tables.pattern_gains(ENERGY)),
    "patterns": lambda: PATTERNS,
    "trained network": lambda: players.trained(GRID, 0),
    "stored network": lambda: network.read_stored(0),
    "positions": lambda: training.positions(PATTERNS),
    "population": ceilings.population,
    "mlp": model.net,
    "cosines": features.basis,
    "rows": lambda: labels.training_rows(GRID, "optimal"),
    "spectral": lambda: policy.trained(GRID),
    "hybrid": lambda: handcrafted.train_hybrid(GRID),
}


def arrays(value: Any) -> Iterator[np.ndarray]:
    """All arrays of a kept result: its own, its parts' and those of its cached properties."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple | list):
        for part in value:
            yield from arrays(part)
    elif is_dataclass(value):
        names = [field.name for field in fields(value)]
        names += [n for n, p in vars(type(value)).items() if isinstance(p, cached_property)]
        for name in names:
            yield from arrays(getattr(value, name))


@pytest.mark.parametrize("name", KEPT)
def test_writing_into_what_is_kept_raises(name: str) -> None:
    found = list(arrays(KEPT[name]()))
    assert found
    for array in found:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_a_student_s_move_falsifies_no_later_match() -> None:
    players = minimax(GRID), random_agent(GRID)
    before = exact_match(*players, solve(GRID))
    with pytest.raises(ValueError, match="read-only"):
        solve(GRID).boards[0][4] = 1
    assert exact_match(*players, solve(GRID)) == before


# ---------------------------------------------------------------------------- all caches

KERNELS = {
    "ttt_lib.ultimate.players.stored_tables",
    "ttt_lib.ultimate.claims_settings._states",
    "ttt_lib.ultimate.studies.random_games._records",
    "ttt_lib.ultimate.studies.delays.stones_short",
}
"""Kernels of Ultimate take these; they would be compiled once more for read-only arrays."""


def holds_arrays(kind: Any, above: tuple[Any, ...] = ()) -> bool:
    """Whether values of an annotated type are or contain arrays."""
    if np.ndarray in (kind, get_origin(kind)):
        return True
    if kind in above or get_origin(kind) is Callable:
        return False
    composed = isinstance(kind, type) and (is_dataclass(kind) or hasattr(kind, "_fields"))
    parts = hints(kind).values() if composed else get_args(kind)
    return any(holds_arrays(part, (*above, kind)) for part in parts)


def hints(it: Any) -> dict[str, Any]:
    """The annotations of a function or class; none if some are for type checkers only."""
    try:
        return get_type_hints(it)
    except (NameError, TypeError):
        return {}


def caches() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every function and property of the library whose results are kept, by its full name."""
    for info in pkgutil.walk_packages(ttt_lib.__path__, "ttt_lib."):
        if not info.name.endswith("__main__"):
            module = importlib.import_module(info.name)
            own = [v for v in vars(module).values() if getattr(v, "__module__", "") == info.name]
            for value in own:
                members = vars(value).values() if isinstance(value, type) else [value]
                for it in members:
                    if isinstance(it, cached_property):
                        yield f"{info.name}.{it.func.__qualname__}", it.func
                    elif isinstance(it, _lru_cache_wrapper):
                        yield f"{info.name}.{it.__wrapped__.__qualname__}", it.__wrapped__


def test_all_that_keeps_arrays_keeps_them_read_only() -> None:
    frozen = read_only(int).__code__
    loose = {
        name
        for name, function in caches()
        if function.__code__ is not frozen and holds_arrays(hints(function).get("return"))
    }
    assert loose == KERNELS
