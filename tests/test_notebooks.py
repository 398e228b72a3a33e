"""Every stored notebook keeps the guard's rules, and every rule can fail."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import notebook_guard as guard
import pytest

FOLDER = Path(__file__).parents[1] / "notebooks"

# Notebooks that are not held to the rules, as patterns inside notebooks/, with the reason.
EXCLUDED: dict[str, str] = {
    ".ipynb_checkpoints/*": "JupyterLab's own copies",
    "book/_build/*": "build products",
    "play.ipynb": "a board without its kernel does not answer; test_play_browser.py plays on it",
    "exercises/masters/*": "stored without outputs, and graded in test_teach.py",
    "exercises/student/*": "build products; test_teach.py holds them to the rules that apply",
}


def stored() -> list[Path]:
    """List the notebooks that are held to the rules."""
    found = (path.relative_to(FOLDER) for path in sorted(FOLDER.rglob("*.ipynb")))
    return [path for path in found if not any(path.match(pattern) for pattern in EXCLUDED)]


@pytest.mark.parametrize("check", guard.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", stored(), ids=str)
def test_stored_notebook(name: Path, check: guard.Check) -> None:
    notebook = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    assert check(notebook) == []


def test_notebooks_are_numbered_from_00() -> None:
    numbers = [path.name[:2] for path in stored() if path.parent == Path()]
    assert numbers[:1] == ["00"]
    assert len(set(numbers)) == len(numbers)
    assert all(number.isdigit() for number in numbers)


# ---------------------------------------------------------------------------- the rules can fail


def markdown(source: str, **changes: Any) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": source[:8], "metadata": {}, "source": source} | changes


def code(
    source: str, *outputs: dict[str, Any], count: int | None = 1, **changes: Any
) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "id": f"code-{count}",
        "metadata": {},
        "execution_count": count,
        "source": source.splitlines(keepends=True),
        "outputs": list(outputs),
    } | changes


def stream(shown: str, name: str = "stdout") -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": [shown]}


def result(shown: str, kind: str = "text/plain") -> dict[str, Any]:
    return {
        "output_type": "execute_result",
        "execution_count": 1,
        "metadata": {},
        "data": {kind: shown},
    }


def notebook(*cells: dict[str, Any], prose: int = 400, **metadata: Any) -> dict[str, Any]:
    """Make a miniature that keeps every rule, but for what `cells` and `metadata` break."""
    return {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"kernelspec": {"name": "python3"}, "language_info": {"name": "python"}}
        | metadata,
        "cells": [markdown("# Solve the game\n\n" + "word " * prose), *cells],
    }


ERROR = {"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": []}

GOOD = {
    "value": notebook(code("1 + 1", result("2"))),
    "print": notebook(code("for i in range(2):\n    print(i)", stream("0\n1\n"))),
    "silent": notebook(code("x = 1\n"), code("def f():\n    print(1)\n", count=2)),
    "empty cell": notebook(code("x = 1"), code("", count=None)),
    "marker": notebook(code("# NBVAL_IGNORE_OUTPUT\n1", result("1"))),
    "fractions and links": notebook(code("1", result("1/2/3 https://example.org/home/x </g>"))),
    "braces of code and formulas": notebook(
        code("1", result("`{x}` and $\\frac{1}{2}$", "text/markdown"))
    ),
    "forty lines": notebook(code("x = 1\n" * 40)),
    "hidden check": notebook(
        code("x = 1"),
        code("assert x\n" * 30, count=2, metadata={"tags": ["remove-cell"]}),
        prose=20,
    ),
    "ten names": notebook(code("import os, re\nfrom math import " + ", ".join("abcdefgh"))),
    "prose at the limit": notebook(code("x = 1"), prose=7),
}

BAD = {
    "never ran": (guard.executed_in_order, notebook(code("x = 1", count=None))),
    "ran twice": (guard.executed_in_order, notebook(code("x = 1", count=2))),
    "left out": (guard.executed_in_order, notebook(code("x = 1"), code("y = 1", count=3))),
    "stripped value": (guard.outputs_stored, notebook(code("x = 1\nx"))),
    "no f": (
        guard.sentences_filled_in,
        notebook(code("1", result("**any {len(chosen)} of 7**", "text/markdown"))),
    ),
    "a name in braces": (
        guard.sentences_filled_in,
        notebook(code("1", result("`x` is {x}, `{y}`", "text/markdown"))),
    ),
    "stripped print": (guard.outputs_stored, notebook(code("if True:\n    print(1)\nx = 2"))),
    "exception": (guard.no_errors, notebook(code("int('x')", ERROR))),
    "warning": (guard.no_stderr, notebook(code("f()", stream("UserWarning", "stderr")))),
    "marker with a typo": (guard.known_markers, notebook(code("# NBVAL_IGNORE_OUTPUTS\nx = 1"))),
    "marker with a tail": (guard.known_markers, notebook(code("# NBVAL_SKIP slow\nx = 1"))),
    "marker for exceptions": (
        guard.known_markers,
        notebook(code("# NBVAL_RAISES_EXCEPTION\nx = 1")),
    ),
    "marker as a tag": (
        guard.known_markers,
        notebook(code("x = 1", metadata={"tags": ["nbval-skip"]})),
    ),
    "line magic": (guard.no_magics, notebook(code("%matplotlib inline\nx = 1"))),
    "cell magic": (guard.no_magics, notebook(code("%%time\nx = 1"))),
    "shell": (guard.no_magics, notebook(code("!ls"))),
    "help": (guard.no_magics, notebook(code("len?"))),
    "hidden magic": (guard.no_magics, notebook(code("get_ipython().run_line_magic('time', '')"))),
    "address": (guard.no_addresses, notebook(code("f", result("<function f at 0x7f3a10>")))),
    "address in HTML": (
        guard.no_addresses,
        notebook(code("f", result("<b>at 0x7f3a10</b>", "text/html"))),
    ),
    "path in code": (guard.no_machine_paths, notebook(code("p = '/home/ada/game.npz'"))),
    "path in text": (guard.no_machine_paths, notebook(markdown("Look into C:\\Users there"))),
    "path in output": (guard.no_machine_paths, notebook(code("p", result("'/tmp/x/y'")))),
    "kernel": (guard.stable_metadata, notebook(kernelspec={"name": "ttt"})),
    "patch version": (
        guard.stable_metadata,
        notebook(language_info={"name": "python", "version": "3.11.7"}),
    ),
    "widget state": (guard.stable_metadata, notebook(widgets={})),
    "no cell id": (guard.stable_metadata, notebook(markdown("Text", id=None))),
    "same cell id": (
        guard.stable_metadata,
        notebook(code("x = 1"), code("y = 1", count=2, id="code-1")),
    ),
    "no title": (guard.starts_with_title, notebook() | {"cells": [markdown("Solve the game")]}),
    "no cells": (guard.starts_with_title, notebook() | {"cells": []}),
    "long cell": (guard.short_cells, notebook(code("x = 1\n" * 41))),
    "many names": (
        guard.few_first_names,
        notebook(code("import os\nfrom math import " + ", ".join("abcdefghij"))),
    ),
    "little prose": (guard.enough_prose, notebook(code("x = 1\n" * 10), prose=60)),
    "words in fences": (
        guard.enough_prose,
        notebook(code("x = 1\n" * 2), markdown("```\n" + "word " * 99 + "\n```"), prose=0),
    ),
    "hidden work": (
        guard.hidden_cells_only_check,
        notebook(code("x = 1", metadata={"tags": ["remove-cell"]})),
    ),
    "hidden name": (
        guard.hidden_cells_only_check,
        notebook(
            code("x = 1\nassert x", metadata={"tags": ["remove-cell"]}),
            code("print(x)", count=2),
        ),
    ),
    "large": (guard.small, notebook(code("1", result("x" * guard.MAX_BYTES)))),
}


@pytest.mark.parametrize("good", GOOD.values(), ids=GOOD)
def test_good_miniature_passes_every_check(good: dict[str, Any]) -> None:
    assert [complaint for check in guard.CHECKS for complaint in check(good)] == []


@pytest.mark.parametrize(("check", "bad"), BAD.values(), ids=BAD)
def test_bad_miniature_fails_its_check(check: guard.Check, bad: dict[str, Any]) -> None:
    assert len(check(bad)) == 1


def test_every_check_has_a_failing_miniature() -> None:
    assert {check for check, _ in BAD.values()} == set(guard.CHECKS)
