"""The exercises: masters pass, empty notebooks don't, and a mistake loses what it should."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import nbformat
import notebook_guard as guard
import numpy as np
import pandas as pd
import pytest
from exercise_mistakes import MISTAKES, Mistake
from scipy.optimize import linprog

from ttt_lib.game.board import Boards, Grid
from ttt_lib.game.gametree import solve
from ttt_lib.game.policy import Floats, winning_cells
from ttt_lib.people import teach
from ttt_lib.people.course import Course, course

NAMES = sorted(teach.masters())
POINTS = 20
REGION = re.compile(r"### BEGIN (SOLUTION|HIDDEN TESTS)\n(.*?)### END \1", re.DOTALL)


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def tag(cell: Any) -> dict[str, Any]:
    return dict(cell.metadata.get("nbgrader", {}))


def worth(notebook: Any) -> dict[str, int]:
    """Points of the graded cells, in order."""
    return {tag(cell)["grade_id"]: tag(cell)["points"] for cell in notebook.cells if graded(cell)}


def graded(cell: Any) -> bool:
    return bool(tag(cell).get("grade"))


def automatic(notebook: Any) -> dict[str, int]:
    """Points of the cells that code grades."""
    return {
        tag(cell)["grade_id"]: tag(cell)["points"]
        for cell in notebook.cells
        if graded(cell) and cell.cell_type == "code"
    }


# ---------------------------------------------------------------------------- the masters


@pytest.fixture(scope="module")
def where() -> Iterator[Course]:
    """A course with all exercises released; kernels start in it, so it is made once."""
    with course() as made:
        for name in NAMES:
            teach.release(made, name)
        yield made


def student_version(where: Course, name: str) -> Path:
    return where.folder / "release" / name / f"{name}.ipynb"


def test_every_document_has_an_exercise() -> None:
    numbered = [path.stem for path in sorted(teach.exercises().parent.glob("0[1-5]_*.ipynb"))]
    assert numbered == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_master_is_in_nbgraders_form(name: str) -> None:
    notebook = read(teach.masters()[name])
    keys = {"grade", "grade_id", "locked", "schema_version", "solution", "task"}
    for cell in notebook.cells:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None
        if tag(cell):
            assert keys <= set(tag(cell))
            assert tag(cell)["schema_version"] == 3
            assert tag(cell)["grade_id"] == cell.id
    assert sum(worth(notebook).values()) == POINTS


@pytest.mark.parametrize("name", NAMES)
def test_headings_say_what_tasks_are_worth(name: str) -> None:
    notebook, promised = read(teach.masters()[name]), []
    for cell in notebook.cells:
        if found := re.search(r"^## \d\. .*\((\d+) points", cell.source, re.MULTILINE):
            promised.append([int(found[1]), 0])
        elif graded(cell):
            promised[-1][1] += tag(cell)["points"]
    assert 4 <= len(promised) <= 6
    assert all(said == given for said, given in promised)


@pytest.mark.parametrize("name", NAMES)
def test_opening_names_objectives_minutes_and_points(name: str) -> None:
    opening = read(teach.masters()[name]).cells[0].source
    for words in (
        "**When you are done you can**",
        "**You need**",
        "**Minutes:**",
        "**Points:** 20",
    ):
        assert words in opening


@pytest.mark.parametrize("name", NAMES)
def test_opening_names_a_section_of_the_companion(name: str) -> None:
    (section,) = re.findall(r'up to "([^"]+)"', read(teach.masters()[name]).cells[0].source)
    companion = read(teach.exercises().parent / f"{name}.ipynb")
    assert any(f"## {section}\n" in cell.source + "\n" for cell in companion.cells)


@pytest.mark.parametrize("name", NAMES)
def test_every_open_question_has_a_rubric(name: str) -> None:
    rubric = (teach.exercises() / "masters" / "rubric.md").read_text()
    notebook = read(teach.masters()[name])
    for task in set(worth(notebook)) - set(automatic(notebook)):
        assert f"`{task}`" in rubric


KEPT = (
    guard.no_magics,
    guard.no_machine_paths,
    guard.stable_metadata,
    guard.starts_with_title,
    guard.short_cells,
    guard.enough_prose,
    guard.small,
)


@pytest.mark.parametrize("check", KEPT, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", NAMES)
def test_student_version_keeps_the_rules_of_notebooks(
    where: Course, name: str, check: guard.Check
) -> None:
    notebook = json.loads(student_version(where, name).read_text(encoding="utf-8"))
    assert check(notebook) == []


def ranked(features: Callable[[Boards], Floats], *, blocks: bool) -> bool:
    """Whether some weights put X's wins (else its blocks) before all other moves, everywhere."""
    tree = solve(Grid(3))
    states = tree.boards[~tree.finished & (tree.ply % 2 == 0)]
    x = np.ones(len(states), dtype=np.int8)
    wins, threats = (winning_cells(tree.grid, states, side) for side in (x, -x))
    good = np.where(wins.any(axis=1, keepdims=True) | (not blocks), wins, threats)
    gaps = []
    for board, wanted in zip(states, good, strict=True):
        after = features(np.where(np.eye(9, dtype=np.bool_), 1, board).astype(np.int8))
        rest = np.flatnonzero((board == 0) & ~wanted)
        gaps += [after[cell] - after[rest] for cell in np.flatnonzero(wanted)]
    rows = np.unique(np.concatenate(gaps), axis=0)
    found = linprog(np.zeros(rows.shape[1]), -rows, -np.ones(len(rows)), bounds=(None, None))
    assert found.status in (0, 2), "solved, or without a solution"
    return bool(found.status == 0)


def stones(boards: Boards) -> Floats:
    return np.concatenate([boards == 1, boards == -1], axis=1).astype(np.float64)


def pairs(boards: Boards) -> Floats:
    both = stones(boards)
    return np.stack(
        [both[:, i] * both[:, j] for i, j in combinations_with_replacement(range(18), 2)], 1
    )


def triples(boards: Boards) -> Floats:
    x, o = stones(boards)[:, :9], stones(boards)[:, 9:]
    own = [x[:, line].prod(axis=1) for line in Grid(3).lines]
    turns = [np.roll(line, turn) for line in Grid(3).lines for turn in range(3)]
    return np.stack(own + [x[:, a] * o[:, b] * o[:, c] for a, b, c in turns], 1)


def test_what_exercise_2_says_about_products() -> None:
    assert triples(Grid(3).initial()).shape == (1, 32)
    assert ranked(triples, blocks=True)
    assert not ranked(pairs, blocks=False)


# ---------------------------------------------------------------------------- building


@pytest.mark.parametrize("name", NAMES)
def test_student_version_holds_no_solution(where: Course, name: str) -> None:
    student = student_version(where, name).read_text(encoding="utf-8")
    assert not re.search("SOLUTION|HIDDEN|model answer", student)
    cells = read(teach.masters()[name]).cells
    kept = "\n".join(REGION.sub("", cell.source) for cell in cells if not is_answer(cell))
    secret = [line for cell in cells for line in secrets(cell)]
    assert len(secret) > 40
    shown = "\n".join(cell.source for cell in read(student_version(where, name)).cells)
    assert [line for line in secret if line not in kept and line in shown] == []


def is_answer(cell: Any) -> bool:
    return cell.cell_type == "markdown" and bool(tag(cell).get("solution"))


def secrets(cell: Any) -> list[str]:
    """Lines that students must not see, short ones left out."""
    hidden = (
        cell.source if is_answer(cell) else "\n".join(m[2] for m in REGION.finditer(cell.source))
    )
    return [line.strip() for line in hidden.splitlines() if len(line.strip()) > 11]


@pytest.mark.parametrize("name", NAMES)
def test_student_version_keeps_every_graded_cell(where: Course, name: str) -> None:
    master, student = read(teach.masters()[name]), read(student_version(where, name))
    assert worth(student) == worth(master)
    locked = [cell for cell in student.cells if tag(cell).get("locked")]
    assert all(cell.metadata["editable"] is False for cell in locked)
    stubs = [c for c in student.cells if tag(c).get("solution") and c.cell_type == "code"]
    assert all("raise NotImplementedError()" in cell.source for cell in stubs)


def test_build_writes_the_named_ones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert teach.main(["build", NAMES[0], "--out", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"1 notebooks in {tmp_path}\n"
    assert [path.name for path in tmp_path.iterdir()] == [f"{NAMES[0]}.ipynb"]


# ---------------------------------------------------------------------------- grading, in kernels


def points(
    where: Course, student: str, notebook: Any, name: str, folder: Path
) -> dict[str, teach.Mark]:
    """Grade one notebook in a kernel."""
    file = folder / student / f"{name}.ipynb"
    file.parent.mkdir(parents=True)
    nbformat.write(notebook, file)
    marks = teach.grade_one(where, student, file, folder / "out")
    return {mark.task: mark for mark in marks}


@pytest.mark.parametrize("name", NAMES)
def test_master_passes_its_own_grading(where: Course, name: str, tmp_path: Path) -> None:
    notebook = read(teach.masters()[name])
    marks = points(where, f"master{name}", notebook, name, tmp_path)
    assert {task: mark.maximum for task, mark in marks.items()} == worth(notebook)
    earned = {task: mark.points for task, mark in marks.items() if mark.points is not None}
    assert earned == automatic(notebook)
    assert {marks[task].remark for task in set(marks) - set(earned)} == {"to be read"}
    page = (tmp_path / "out" / f"master{name}" / f"{name}.html").read_text(encoding="utf-8")
    assert notebook.cells[0].source.splitlines()[0].strip("# ") in page
    assert re.findall(r'<(?:script|link|img)[^>]*="https?:[^>]*>', page) == [], "from the network"
    assert 'src="../mathjax.js"' in page


@pytest.mark.parametrize("name", NAMES)
def test_empty_submission_scores_nothing(where: Course, name: str, tmp_path: Path) -> None:
    marks = points(where, f"empty{name}", read(student_version(where, name)), name, tmp_path)
    assert {mark.points for mark in marks.values()} == {0}


def solved(name: str, **cells: str) -> Any:
    """A master as a student might hand it in, with other sources in some cells."""
    notebook = read(teach.masters()[name])
    for cell in notebook.cells:
        cell.source = cells.get(cell.id.replace("-", "_"), cell.source)
    return notebook


def test_what_a_student_changed_is_put_back(where: Course, tmp_path: Path) -> None:
    notebook = solved(
        "01_playout_mlp",
        rows="def rows(plies):\n    return plies // 2",
        rows_check="pass",
        rows_more="pass",
    )
    (own,) = [cell for cell in notebook.cells if cell.id == "ceiling"]
    own.id, own.metadata = "mine", {}  # solved in a new cell, the given one deleted
    for cell in notebook.cells:
        if cell.id.startswith("best-cell"):
            cell.metadata = {}  # saved by a program that drops them
    gone = ("split", "chances-more")
    notebook.cells = [cell for cell in notebook.cells if cell.id not in gone]
    marks = points(where, "changed", notebook, "01_playout_mlp", tmp_path)
    lost = {task for task, mark in marks.items() if mark.points == 0}
    assert lost == {"rows-check", "rows-more", "split-check", "split-more"}


def test_blank_notebook_scores_nothing(where: Course, tmp_path: Path) -> None:
    blank = nbformat.v4.new_notebook(cells=[])
    marks = points(where, "blank", blank, "01_playout_mlp", tmp_path)
    assert {mark.points for mark in marks.values()} == {0}
    assert {mark.remark for mark in marks.values()} == {""}


def test_endless_loop_is_stopped(where: Course, tmp_path: Path) -> None:
    loops = solved("01_playout_mlp", tools="while True:\n    pass")
    for cell in loops.cells:
        if cell.id == "rows":
            cell.source = "while True:\n    pass"
    limited = replace(where, seconds=3, total=4)
    marks = points(limited, "endless", loops, "01_playout_mlp", tmp_path)
    assert marks["rows-check"].points == marks["rows-more"].points == 0


def test_kernel_that_dies_scores_nothing(where: Course, tmp_path: Path) -> None:
    notebook = solved("01_playout_mlp", rows="import os\nos._exit(1)")
    marks = points(where, "dead", notebook, "01_playout_mlp", tmp_path)
    assert set(marks) == set(worth(notebook))
    assert {mark.points for mark in marks.values()} == {0}
    assert all("Kernel died" in mark.remark for mark in marks.values())


# ---------------------------------------------------------------------------- the command


def test_files_that_are_no_notebooks_get_a_remark(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "handed in"
    for student, name, text in (
        ("Ada [1]", "01_playout_mlp", "not json"),
        ("Ben", "my homework", "{}"),
        ("Cleo", "01_playout_mlp", "x" * (teach.MAX_BYTES + 1)),
    ):
        (folder / student).mkdir(parents=True)
        (folder / student / f"{name}.ipynb").write_text(text)
    (folder / "Dan").symlink_to(folder / "Ben")
    assert teach.main(["grade", str(folder)]) == 0
    table = pd.read_csv(tmp_path / "handed in-graded" / "grades.csv")
    assert set(table.student) == {"Ada [1]", "Ben", "Cleo"}
    remarks = table.groupby("student").remark.first()
    assert remarks["Ada [1]"].startswith("not a notebook")
    assert remarks["Ben"].startswith("unknown exercise: 01_playout_mlp")
    assert remarks["Cleo"].startswith("larger than")
    assert table.points.sum() == 0
    assert "grades.csv" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["build", "07_chess"], "unknown exercise '07_chess': 01_playout_mlp, "),
        (["grade", "nowhere"], "no folder "),
        (["grade", "."], "nothing to grade in "),
        (["grade", ".", "--seconds", "0"], "a cell needs more than 0 seconds"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str],
    complaint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert teach.main(arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(complaint)
    assert said.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------------------- mistakes


def score(notebook: Any) -> dict[str, int]:
    """Points of the checks by nbgrader's rule, run here: a cell without an exception earns them.

    Kernels would take minutes for all mistakes; the tests above hold masters and empty
    notebooks to nbgrader itself.
    """
    space: dict[str, Any] = {"__name__": "__main__"}
    earned = {}
    for cell in notebook.cells:
        if cell.cell_type == "code":
            fine = runs(cell.source, space)
            if graded(cell):
                earned[cell.id] = tag(cell)["points"] if fine else 0
    return earned


def runs(source: str, space: dict[str, Any]) -> bool:
    with warnings.catch_warnings(action="ignore"):
        try:
            exec(source, space)
        except Exception:
            return False
    return True


@pytest.fixture(scope="module")
def opened() -> dict[str, Any]:
    return {name: read(teach.masters()[name]) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_scores_here_agree_with_kernels(where: Course, name: str) -> None:
    student = read(student_version(where, name))
    stubs = {cell.id: cell.source for cell in student.cells if tag(cell).get("solution")}
    master, empty = read(teach.masters()[name]), read(teach.masters()[name])
    for cell in empty.cells:
        cell.source = stubs.get(cell.id, cell.source)
    assert score(master) == automatic(master)
    assert set(score(empty).values()) == {0}


@pytest.mark.parametrize("mistake", MISTAKES, ids=str)
def test_mistake_loses_its_points_and_no_others(opened: dict[str, Any], mistake: Mistake) -> None:
    notebook = deepcopy(opened[mistake.notebook])
    (cell,) = [cell for cell in notebook.cells if cell.id == mistake.task]
    cell.source = mistake.code
    earned = score(notebook)
    lost = dict.fromkeys(mistake.loses, 0)
    assert earned == automatic(notebook) | lost


@pytest.mark.parametrize("name", NAMES)
def test_every_task_has_a_mistake_that_visible_checks_let_pass(name: str) -> None:
    notebook = read(teach.masters()[name])
    tasks = {tag(c)["grade_id"] for c in notebook.cells if tag(c).get("solution")}
    coded = tasks - set(worth(notebook))
    hidden = {m.task for m in MISTAKES if m.notebook == name and m.loses == (f"{m.task}-more",)}
    assert hidden == coded
