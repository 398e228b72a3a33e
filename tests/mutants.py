"""Change one operator, comparison or branch of the core at a time; its tests should notice.

Mutants are made by cosmic-ray (https://github.com/sixty-north/cosmic-ray); this file only draws a
sample of them, runs each in a copy of the checkout, and writes the table.  Mutants that change
nothing but annotations or docstrings are not counted.  A mutant is *killed* if a test fails, or
runs out of time.
"""

from __future__ import annotations

import argparse
import ast
import multiprocessing
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "notebooks" / "book" / "mutants.md"
SECONDS = 180
"""After so long a mutant is taken to run forever."""

LOG = "pytest.log"
"""In the copy: what the last tests printed."""

CORE: dict[str, tuple[str, ...]] = {
    "game/board.py": ("test_board.py",),
    "game/gametree.py": ("test_gametree.py",),
    "game/policy.py": ("test_policy.py",),
    "game/exact.py": ("test_match.py",),
    "game/match.py": ("test_match.py",),
    "game/stats.py": ("test_sampling.py", "test_match.py"),
    "evidence/claims.py": ("test_claims.py", "test_sampling.py"),
    "evidence/sampling.py": ("test_sampling.py", "test_claims.py"),
    "ultimate/board/rules.py": ("test_ultimate_rules.py",),
}
"""Modules that are measured, each with the tests that should notice."""

COPIED = ("ttt_lib", "tests", "data", "pyproject.toml", "README.md", "CITATION.cff")
SLOW = "not declared and not openspiel and not perft"
"""Tests that are left out: they look at stored files, or take long."""


@dataclass(frozen=True)
class Mutant:
    """A change of a module: which of an operator's places, and what it gives."""

    module: str
    operator: str
    place: int
    source: str
    line: int
    text: str


# ---------------------------------------------------------------------------- making them


def mutants(module: str, source: str) -> Iterator[tuple[str, int]]:
    """List all mutants of a module as operator and place."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.plugins import get_operator, operator_names

    tree = get_ast(source)
    nodes = list(ast_nodes(tree))
    for name in sorted(name for name in operator_names() if "Variable" not in name):
        kind = get_operator(name)
        for arguments in (dict(one.operator_args or {}) for one in kind.examples()[:1] or ()):
            operator = kind(**arguments)
            count = sum(1 for node in nodes for _ in operator.mutation_positions(node))
            yield from ((name, place) for place in range(count))


def mutated(source: str, name: str, place: int) -> str | None:
    """A module's source with one mutation."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    kind = get_operator(name)
    arguments = dict(kind.examples()[0].operator_args or {})
    changed: str | None = mutate_code(source, kind(**arguments), place)
    return changed


def bare(source: str) -> str:
    """What a source computes: its tree without annotations and docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef():
                node.returns = None
            case ast.arg() | ast.AnnAssign():
                node.annotation = ast.Constant(None)
            case ast.Expr(value=ast.Constant(value=str())):
                node.value = ast.Constant(None)
    return ast.dump(tree)


def sample(module: str, count: int, seed: int) -> tuple[list[Mutant], int]:
    """Draw so many mutants of a module that compute something else; and how many there are."""
    source = (ROOT / "ttt_lib" / module).read_text(encoding="utf-8")
    everything = list(mutants(module, source))
    random.Random(f"{seed} {module}").shuffle(everything)
    found: list[Mutant] = []
    for name, place in everything:
        if len(found) == count:
            break
        changed = mutated(source, name, place)
        try:
            if changed is None or bare(changed) == bare(source):
                continue
        except SyntaxError:
            continue
        pairs = zip(source.splitlines(), changed.splitlines(), strict=False)
        line, text = next((n, b) for n, (a, b) in enumerate(pairs, start=1) if a != b)
        found.append(Mutant(module, name.partition("/")[2], place, changed, line, text.strip()))
    return found, len(everything)


# ---------------------------------------------------------------------------- running them


def notices(folder: Path, tests: Sequence[str]) -> bool:
    """Whether one of the tests fails in a copy of the checkout, in a process of its own."""
    process = multiprocessing.get_context("fork").Process(target=_run, args=(folder, tests))
    process.start()
    process.join(SECONDS)
    if process.is_alive():
        process.kill()
        process.join()
    return process.exitcode != 0


def _run(folder: Path, tests: Sequence[str]) -> None:
    import pytest

    os.chdir(folder)
    sys.path[:] = [str(folder), *(p for p in sys.path if Path(p).resolve() != ROOT)]
    sys.dont_write_bytecode = True
    log = os.open(LOG, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", SLOW]
    os._exit(int(pytest.main([*options, *(f"tests/{name}" for name in tests)])))


def preload() -> None:
    """Import what all tests import, once; nothing of the library itself."""
    for name in ("matplotlib", "numba", "pandas", "pytest", "scipy.stats", "joblib"):
        __import__(name)


def measure(module: str, count: int, seed: int, folder: Path) -> dict[str, Any]:
    """Score one module in a copy of the checkout.

    Raises
    ------
    RuntimeError
        If its tests fail without any mutant.
    """
    tests, path = CORE[module], folder / "ttt_lib" / module
    drawn, total = sample(module, count, seed)
    original = path.read_text(encoding="utf-8")
    if notices(folder, tests):
        raise RuntimeError(f"the tests of {module} fail as it is: {(folder / LOG).read_text()}")
    survived = []
    for mutant in drawn:
        path.write_text(mutant.source, encoding="utf-8")
        if not notices(folder, tests):
            survived.append(mutant)
        sys.stderr.write("." if mutant not in survived else "S")
        sys.stderr.flush()
    path.write_text(original, encoding="utf-8")
    sys.stderr.write(f" {module}: {len(drawn) - len(survived)} of {len(drawn)}\n")
    return {"module": module, "drawn": len(drawn), "all": total, "survived": survived}


# ---------------------------------------------------------------------------- the table


def page(found: Sequence[dict[str, Any]], seed: int) -> str:
    """The book's page: score by module, and each survivor."""
    drawn = sum(one["drawn"] for one in found)
    killed = drawn - sum(len(one["survived"]) for one in found)
    lines = [
        "# Would the tests notice a wrong line of code?",
        "",
        "Made by `make mutants`. A *mutant* is the library with one operator, comparison, constant",
        "or branch changed; its module's tests should fail. The mutants are cosmic-ray's, drawn at",
        f"random (seed {seed}), not counting those that change annotations or docstrings only.",
        "",
        f"**{killed} of {drawn} mutants were noticed.**",
        "",
        "| module | mutants tried | of | noticed |",
        "| --- | ---: | ---: | ---: |",
    ]
    for one in found:
        seen = one["drawn"] - len(one["survived"])
        lines.append(f"| `{one['module']}` | {one['drawn']} | {one['all']} | {seen} |")
    lines += ["", "## Not noticed", ""]
    for mutant in (m for one in found for m in one["survived"]):
        lines.append(f"- `{mutant.module}:{mutant.line}` {mutant.operator}: `{mutant.text}`")
    return "\n".join([*lines, ""])


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=20, help="mutants of each module (default 20)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--modules", nargs="+", choices=CORE, default=list(CORE), metavar="MODULE")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name} of the book")
    options = parser.parse_args()
    preload()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "checkout"
        folder.mkdir()
        os.environ["NUMBA_CACHE_DIR"] = str(Path(name) / "numba")
        os.environ["PYTHONPATH"] = str(folder)
        for part in COPIED:
            copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
            copy(ROOT / part, folder / part)
        found = [measure(one, options.each, options.seed, folder) for one in options.modules]
    text = page(found, options.seed)
    sys.stdout.write(text)
    if options.write:
        PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
