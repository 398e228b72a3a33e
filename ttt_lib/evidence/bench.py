"""The performance table: speeds, most of them beside a reference measured in the same run.

Only ratios are comparable between machines; a rate or time alone says as much
about the machine as about the code.
"""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from ttt_lib.evidence import store
from ttt_lib.evidence.clock import rate
from ttt_lib.game import exact, reference
from ttt_lib.game.board import Grid
from ttt_lib.game.gametree import enumerate_states, solve
from ttt_lib.game.policy import minimax, random_agent

MEASURES = (
    "ttt_lib.evidence.bench:core",
    "ttt_lib.ntuple.bench:measure",
    "ttt_lib.ising.bench:measure",
    "ttt_lib.ultimate.bench:measure",
)
"""Functions that return the rows of one room, see :func:`row`."""

FILE = "benchmark.json"


def row(
    name: str,
    rate: float,
    reference_name: str,
    reference_rate: float | None,
    *,
    unit: str = "runs/s",
    target: str = "",
    note: str = "",
) -> dict[str, Any]:
    """One line of the table; rates are per second, so a larger ratio is faster.

    A reference that could not be measured here (no compiler, say) is None.
    """
    return {
        "name": name,
        "unit": unit,
        "rate": rate,
        "reference": reference_name,
        "reference_rate": reference_rate,
        "ratio": rate / reference_rate if reference_rate else None,
        "target": target,
        "note": note,
    }


@contextmanager
def cpp_program(name: str) -> Iterator[Path | None]:
    """Compile ``tests/bench/NAME.cpp`` for the duration of a measurement.

    Yields
    ------
    Path or None
        The program; None if there is no C++ compiler or source, or compilation fails.
    """
    compiler = shutil.which("c++") or shutil.which("g++")
    source = store.root() / "tests" / "bench" / f"{name}.cpp"
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / name
        command = [str(compiler), "-O3", "-march=native", "-o", str(program), str(source)]
        built = compiler and subprocess.run(command, capture_output=True).returncode == 0
        yield program if built else None


def core() -> list[dict[str, Any]]:
    """Exact matches, enumeration and playouts on 3x3."""
    return [*_exact_rows(), _enumeration_row(), _playout_row()]


def _exact_rows() -> list[dict[str, Any]]:
    tree = solve(Grid(3))
    random, perfect = (
        exact.policy_table(a, tree) for a in (random_agent(Grid(3)), minimax(Grid(3)))
    )
    floats = random / np.maximum(random.sum(axis=1, keepdims=True), 1)
    plain = rate(lambda: reference.exact_match(reference.uniform, reference.uniform))
    name = "plain recursion over Fractions"
    cases = (
        ("exact match in floats", lambda: exact.float_values(tree, floats, floats), "<= 1 ms"),
        ("exact match in fractions", lambda: exact.exact_values(tree, random, random), "<= 100 ms"),
        ("exact match, perfect", lambda: exact.exact_values(tree, perfect, random), "<= 50 ms"),
    )
    return [row(case, rate(task), name, plain, target=target) for case, task, target in cases]


def _enumeration_row() -> dict[str, Any]:
    def everything() -> None:
        tree = enumerate_states(Grid(3))
        _ = tree.value, tree.distance, tree.random_play

    plain = rate(reference.states)
    return row("3x3 enumerated, all values", rate(everything), "set of tuples, no values", plain,
               target="<= 0.5 s")  # fmt: skip


def _playout_row() -> dict[str, Any]:
    from ttt_lib.game.search import playouts

    rng = np.random.default_rng(0)
    fast = rate(lambda: playouts(Grid(3), 200_000, rng=1), units=200_000)
    slow = rate(lambda: reference.playout(rng))
    return row("random playouts, 3x3", fast, "loop in the manner of document 1", slow,
               unit="games/s", target="ratio >= 1000")  # fmt: skip


def run(*, progress: bool = False) -> dict[str, Any]:
    """Measure everything; returns rows, versions and the kind of machine."""
    bar = tqdm(MEASURES, desc="bench", disable=not progress)
    rows = [line for measure in bar for line in store.resolve(measure)()]
    packages = ("numpy", "numba", "scipy", "scikit-learn", "torch")
    return {
        "rows": rows,
        "versions": {"python": platform.python_version(), **{p: version(p) for p in packages}},
        "machine": f"{platform.system()} {platform.machine()}",
    }


def as_text(found: dict[str, Any]) -> str:
    """The table for reading."""
    lines = [f"{'':<46}{'rate':>12} {'unit':<14}{'ratio':>9}  to reference; target"]
    lines += [
        f"{r['name']:<46}{r['rate']:>12,.4g} {r['unit']:<14}{_ratio(r['ratio']):>9}"
        f"  {r['reference']}; {r['target']}"
        for r in found["rows"]
    ]
    return "\n".join([*lines, f"{found['machine']}, {found['versions']}"])


def _ratio(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio:.4g}"


def read() -> dict[str, Any]:
    """The stored table that claims about time are judged by."""
    found: dict[str, Any] = json.loads((store.data_dir() / FILE).read_text(encoding="utf-8"))
    return found


def make_benchmark() -> str:
    """Measure and return the text of ``data/benchmark.json``."""
    return json.dumps(run(progress=True), indent=1) + "\n"
