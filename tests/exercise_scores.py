"""Score answers to the exercises here, without kernels; with the stored mistakes and answers."""

from __future__ import annotations

import ast
import io
import tomllib
import warnings
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import Any
from unittest import mock

import nbformat
import scipy.stats
from nbformat import NotebookNode

from ttt_lib.people.grading import execution, grade, teach
from ttt_lib.people.grading.locked_cells import LockedNames
from ttt_lib.ultimate.board import rules

MISTAKES = grade.mistakes(teach.exercises() / "masters")
OTHERS = tomllib.loads((teach.exercises() / "masters" / "mistakes.toml").read_text())["right"]


@dataclass(frozen=True)
class Result:
    """What became of a graded cell: points, whether it raised, and what it printed."""

    points: float
    silent: bool
    said: str


def solved(exercise: str, student: str | None = None) -> Any:
    """The right solution of a student's variant, or of the master; its checks know the mistakes."""
    return nbformat.reads(grade.with_mistakes(teach.masters()[exercise], student), as_version=4)


def score(notebook: Any) -> dict[str, Result]:
    """The checks by nbgrader's rule, run here: nothing for an exception, the last value, or all.

    Kernels would take minutes for all mistakes; test_teach.py holds masters and empty
    notebooks to nbgrader itself.
    """
    space: dict[str, Any] = {"__name__": "__main__"}
    locked, earned = LockedNames(space, execution.locked(notebook.cells)), {}
    space["get_ipython"] = lambda: SimpleNamespace(locked_names=locked)
    with mock.patch.multiple(rules, **RULES), mock.patch.object(scipy.stats, "binomtest", TESTED):
        for cell in notebook.cells:
            if cell.cell_type == "code":
                fine, value, said = runs(execution.as_run(cell), space)
                locked.keep(SimpleNamespace(info=SimpleNamespace(raw_cell=cell.source)))
                if graded(cell):
                    points = tag(cell)["points"] if value is None else value
                    earned[cell.id] = Result(points if fine else 0, fine, said)
    return earned


# All answers are asked about the same positions and counts, so what the libraries say is kept.
LEGAL = cache(rules.legal_moves)
RULES: dict[str, Any] = {
    "result": cache(rules.result),
    "play": cache(rules.play),
    "playable": cache(rules.playable),
    "legal_moves": lambda position: list(LEGAL(position)),  # an answer may change its list
}
TESTED = cache(scipy.stats.binomtest)


def runs(source: str, space: dict[str, Any]) -> tuple[bool, Any, str]:
    """Run a cell: whether it raised nothing, the value of its last line, what it printed."""
    (body, last), said, value = compiled(source), io.StringIO(), None
    with warnings.catch_warnings(action="ignore"), redirect_stdout(said):
        try:
            exec(body, space)
            if last:
                value = eval(last, space)
        except Exception:
            return False, None, said.getvalue()
    return True, value, said.getvalue()


@cache
def compiled(source: str) -> tuple[Any, Any]:
    """The code of a cell, and that of its last line if it is an expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    value = compile(ast.Expression(last.value), "cell", "eval") if last else None
    return compile(tree, "cell", "exec"), value


def points_by(notebook: Any) -> dict[str, float]:
    return {name: result.points for name, result in score(notebook).items()}


UNNAMED = {
    ("split", "global random numbers"),  # answers otherwise each time
    ("witness", "a block in place of a win"),  # two boards and two cells, no function
    ("witness", "o is to move"),
    ("witness", "the same cell wins on both boards"),
    ("witness", "both cells win on the first board"),
    ("witness", "the two cells exchanged"),
}
"""Mistakes that only the item of the rubric names."""


def tag(cell: Any) -> dict[str, Any]:
    return dict(cell.metadata.get("nbgrader", {}))


def graded(cell: Any) -> bool:
    return bool(tag(cell).get("grade"))


def automatic(notebook: Any) -> dict[str, int]:
    """Points of the cells that code grades."""
    return {
        tag(cell)["grade_id"]: tag(cell)["points"]
        for cell in notebook.cells
        if graded(cell) and cell.cell_type == "code"
    }


def answered(notebook: Any, task: str, code: str) -> dict[str, Result]:
    """The score of a master with another answer to one task.

    Further checks of other tasks are left out, and so are cells that only show something.
    """
    cells = {cell.id: cell for cell in notebook.cells if tag(cell)}
    for further in [name for name in cells if name.endswith("-more") and name != f"{task}-more"]:
        del cells[further]
    cells[task] = NotebookNode({**cells[task], "source": code})
    return score(SimpleNamespace(cells=cells.values()))
