"""The exercises: masters pass, empty notebooks don't, and a mistake loses what it should."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import symtable
import sys
import tracemalloc
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement, permutations
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
import notebook_guard as guard
import numpy as np
import pandas as pd
import pytest
from confined import can_be_confined
from exercise_scores import (
    MISTAKES,
    OTHERS,
    UNNAMED,
    answered,
    automatic,
    graded,
    points_by,
    score,
    solved,
    tag,
)
from scipy.optimize import linprog

from ttt_lib.catalog import agent
from ttt_lib.evidence import store
from ttt_lib.game.board import Boards, Floats, Grid
from ttt_lib.game.exact import policy_table
from ttt_lib.game.gametree import solve
from ttt_lib.game.policy import winning_cells
from ttt_lib.people.grading import execution, grade, slips, teach
from ttt_lib.people.grading.course import Course, course
from ttt_lib.people.grading.locked_cells import bound, used
from ttt_lib.people.grading.marking import Marking, near, same
from ttt_lib.people.grading.records import Mark
from ttt_lib.playout_mlp import ceilings

NAMES = sorted(teach.masters())
POINTS = 20
LINES = Grid(3).lines.tolist()
REGION = re.compile(r"### BEGIN (SOLUTION|HIDDEN TESTS)\n(.*?)### END \1", re.DOTALL)


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def worth(notebook: Any) -> dict[str, int]:
    """Points of the graded cells, in order."""
    return {tag(cell)["grade_id"]: tag(cell)["points"] for cell in notebook.cells if graded(cell)}


# ---------------------------------------------------------------------------- the masters


@pytest.fixture(scope="module")
def where() -> Iterator[Course]:
    """A course with all exercises released; kernels start in it, so it is made once."""
    with course(sandboxed=can_be_confined()) as made:
        for name in NAMES:
            grade.release(made, name, teach.masters()[name])
        yield made


def student_version(where: Course, name: str) -> Path:
    return where.folder / "release" / name / f"{name}.ipynb"


def test_notebooks_0_to_6_have_an_exercise() -> None:
    numbered = [path.stem for path in sorted(teach.exercises().parent.glob("0[0-6]_*.ipynb"))]
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
def test_the_page_of_exercises_tells_the_minutes_of_each(name: str) -> None:
    [minutes] = re.findall(r"\*\*Minutes:\*\* (\d+)\.", read(teach.masters()[name]).cells[0].source)
    page = (teach.exercises() / "README.md").read_text(encoding="utf-8")
    [said] = re.findall(rf"^\| `{name}` \|.*\| (\d+) \|$", page, re.MULTILINE)
    assert said == minutes


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


@pytest.mark.parametrize("name", NAMES)
def test_every_stated_objective_has_a_graded_task(name: str) -> None:
    notebook = read(teach.masters()[name])
    said = notebook.cells[0].source.partition("**When you are done you can**")[2]
    stated = re.findall(r"^- ", said.partition("**You need**")[0], re.MULTILINE)
    rubric = (teach.exercises() / "masters" / "rubric.md").read_text(encoding="utf-8")
    rows = re.findall(rf"^\| `{name}` (\d) \| (.*) \|$", rubric, re.MULTILINE)
    assert [int(number) for number, _ in rows] == [*range(1, len(stated) + 1)]
    named = {task for _, tasks in rows for task in re.findall(r"`(.+?)`", tasks)}
    points = worth(notebook)
    assert all(points.get(f"{task}-more", points.get(task)) for task in named)


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


def test_about_one_row_in_six_is_of_a_finished_game() -> None:
    """As the bet of lesson 1 and its exercise say; a judge of running games can expect less."""
    people = ceilings.population()
    over, rows = ceilings.tree().finished[people.states], people.joint.sum(axis=1)
    assert round(rows.sum() / rows[over].sum()) == 6
    assert ceilings.ceiling(people.where(~over)) < ceilings.ceiling(people) - Fraction(1, 20)
    said = "".join(cell.source for cell in read(teach.masters()["01_playout_mlp"]).cells)
    assert "finished ones among them (about one row in six)" in said
    bet = (teach.exercises() / "lessons" / "slides_1.md").read_text(encoding="utf-8")
    assert "after some move of x, which may have ended the game" in bet


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
    own = [x[:, line].prod(axis=1) for line in LINES]
    turns = [(*line[turn:], *line[:turn]) for line in LINES for turn in range(3)]
    return np.stack(own + [x[:, a] * o[:, b] * o[:, c] for a, b, c in turns], 1)


def test_what_exercise_2_says_about_products() -> None:
    assert triples(Grid(3).initial()).shape == (1, 32)
    assert ranked(triples, blocks=True)
    assert not ranked(pairs, blocks=False)
    said = "".join(cell.source for cell in read(teach.masters()["02_spectral_dct"]).cells)
    assert "Pairs are not enough: a move that starts pairs" in said
    assert "for X, a linear program finds no weights on all pairs that take every win" in said
    assert "and finds some on these 32 that win and block" in said


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
    assert capsys.readouterr().out == f"1 notebook in {tmp_path}\n"
    assert [path.name for path in tmp_path.iterdir()] == [f"{NAMES[0]}.ipynb"]


# ---------------------------------------------------------------------------- grading, in kernels


def points(where: Course, student: str, notebook: Any, name: str, folder: Path) -> dict[str, Mark]:
    """Grade one notebook in a kernel."""
    file = folder / student / f"{name}.ipynb"
    file.parent.mkdir(parents=True)
    nbformat.write(notebook, file)
    _, record = grade.grade_one(where, file, "key", folder / "out", {})
    return {mark.task: mark for mark in record.marks}


def test_building_does_not_write_over_somebodys_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["build", NAMES[0], "--out", str(tmp_path)]
    assert teach.main(words) == teach.main(words) == 0  # the same again is no loss
    path = tmp_path / f"{NAMES[0]}.ipynb"
    given = path.read_bytes()
    path.write_bytes(given + b" ")
    assert teach.main(words) == 2
    assert "somebody may have worked in it: --force replaces it" in capsys.readouterr().err
    assert path.read_bytes() == given + b" "
    assert teach.main([*words, "--force"]) == 0
    assert path.read_bytes() == given


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


# ---------------------------------------------------------------------------- the command


@pytest.mark.parametrize(("arguments", "complaint"), [
    (["grade", ""], "folder: names no folder"),
    (["grade", str(store.root())], "folder: is the folder of this project"),
    (["grade", "class", "--workers", "-1"], "--workers: wants a whole number from 1 on, not '-1'"),
    (["build", "--workers", "0"], "--workers: wants a whole number from 1 on, not '0'"),
])  # fmt: skip
def test_bad_arguments_are_one_line(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        teach.main(arguments)
    told = capsys.readouterr().err
    assert complaint in told
    assert told.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["build", "07_chess"], "unknown exercise '07_chess': 00_the_game, "),
        (["grade", "nowhere"], "no folder "),
        (["grade", "."], "nothing to grade in "),
        (["grade", ".", "--seconds", "0"], "--seconds wants more than 0"),
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
    assert said.err.startswith(f"python -m ttt_lib.people.grading.teach: {complaint}")
    assert said.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_is_one_line_that_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(teach, "grade", stop)
    assert teach.main(["grade", str(tmp_path)]) == 130
    assert capsys.readouterr() == ("", "Interrupted: to finish, give the same command again.\n")


def test_the_summary_adds_points_possible_points_and_what_is_to_be_read() -> None:
    given = [
        ("ada", "01", 1.5, 2), ("ada", "01", None, 4), ("ada", "01", None, 5),
        ("ada", "02", 3, 8), ("bob", "01", 0, 11),
    ]  # fmt: skip
    table = pd.DataFrame(given, columns=["student", "notebook", "points", "maximum"])
    heads, _, *rows = teach.summary(table).splitlines()
    assert heads.split() == ["points", "maximum", "to_read"]
    numbers = [[float(one) for one in row.split()[-3:]] for row in rows]
    assert numbers == [[1.5, 11, 2], [3, 8, 0], [0, 11, 0]]
    assert [row.split()[0] for row in rows] == ["ada", "02", "bob"], "as pandas groups them"


def test_students_without_a_graded_file_are_named(tmp_path: Path) -> None:
    """As one whose notebook lies a folder too deep, or who has not been run yet."""
    for name in ("ada/week 1", "ben", "cleo", ".ipynb_checkpoints"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "notes.txt").touch()
    table = pd.DataFrame({"student": ["cleo", "cleo"]})
    said = "\nnot in the tables, as no file was graded: ada, ben"
    assert teach.absent(tmp_path, table) == said
    assert teach.absent(tmp_path / "ada" / "week 1", table) == ""


def test_notebooks_that_lie_elsewhere_are_named(tmp_path: Path) -> None:
    for name in (
        "01.ipynb",
        "ada/01.ipynb",
        "ben/week 1/01.ipynb",
        "ada/.ipynb_checkpoints/0.ipynb",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    said = "\nnot graded, as they do not lie in a student's folder: 01.ipynb, ben/week 1/01.ipynb"
    assert teach.misplaced(tmp_path) == said
    assert teach.misplaced(tmp_path / "ben") == ""


def test_limits_of_a_course_reach_the_run_of_its_cells(tmp_path: Path) -> None:
    config = Course(tmp_path, seconds=2.5, total=70)._config()
    assert (config.Run.timeout, config.Run.total) == (3, 70)


# ---------------------------------------------------------------------------- mistakes


@pytest.fixture(scope="module")
def opened() -> dict[str, Any]:
    """The masters as they grade, with the mistakes that they know."""
    return {name: solved(name) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_scores_here_agree_with_kernels(where: Course, name: str) -> None:
    student = read(student_version(where, name))
    stubs = {cell.id: cell.source for cell in student.cells if tag(cell).get("solution")}
    master, empty = read(teach.masters()[name]), read(teach.masters()[name])
    for notebook in (master, empty):
        notebook.cells = [cell for cell in notebook.cells if tag(cell)]  # no cell that only shows
    for cell in empty.cells:
        cell.source = stubs.get(cell.id, cell.source)
    assert points_by(master) == automatic(master)
    assert set(points_by(empty).values()) == {0}


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: f"{m.notebook[:2]}-{m.task}: {m.why}")
def test_mistake_loses_its_points_and_is_named(
    opened: dict[str, Any], mistake: grade.Mistake
) -> None:
    notebook = opened[mistake.notebook]
    found = answered(notebook, mistake.task, mistake.code)
    assert found[mistake.check].points == mistake.earns
    assert found[f"{mistake.task}-check"].silent == mistake.silent
    if mistake.silent:
        assert all(result.silent for result in found.values())
    said = found[mistake.check].said
    assert said.count("point") >= 1
    if (mistake.task, mistake.why) not in UNNAMED:
        assert f"this mistake: {mistake.why}" in said


@pytest.mark.parametrize("entry", OTHERS, ids=lambda e: f"{e['notebook'][:2]}-{e['task']}")
def test_right_answer_by_another_route_gets_all_points(
    opened: dict[str, Any], entry: dict[str, str]
) -> None:
    found = answered(opened[entry["notebook"]], entry["task"], entry["code"])
    check = f"{entry['task']}-more"
    assert found[check].points == automatic(opened[entry["notebook"]])[check], found[check].said
    assert all(result.silent for result in found.values())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("nothing", ["None", "0", "[]", "''"])
def test_an_answer_that_is_always_the_same_nothing_earns_no_point_by_chance(
    opened: dict[str, Any], name: str, nothing: str
) -> None:
    """A tie, or a comparison with nothing, must not count."""
    for cell in opened[name].cells:
        if task := re.search(r'Marking\("(\w+)"', cell.source):
            if task[1] == "witness":
                continue
            code = f"def {task[1]}(*given):\n    return {nothing}"
            found = answered(opened[name], cell.id.removesuffix("-more"), code)[cell.id]
            assert found.points == 0, (cell.id, found.said)


@pytest.mark.parametrize("name", NAMES)
def test_every_task_has_a_mistake_that_visible_checks_let_pass(name: str) -> None:
    notebook = read(teach.masters()[name])
    tasks = {tag(c)["grade_id"] for c in notebook.cells if tag(c).get("solution")}
    coded = tasks - set(worth(notebook))
    assert {m.task for m in MISTAKES if m.notebook == name and m.silent} == coded


@pytest.mark.parametrize("name", NAMES)
def test_every_task_was_tried_with_three_right_answers_and_five_mistakes(name: str) -> None:
    tasks = {c.id for c in read(teach.masters()[name]).cells if tag(c).get("solution")}
    for task in tasks - set(worth(read(teach.masters()[name]))):
        wrong = {m.code for m in MISTAKES if (m.notebook, m.task) == (name, task)}
        right = {e["code"] for e in OTHERS if (e["notebook"], e["task"]) == (name, task)}
        assert len(wrong) >= 5
        assert len(right) >= 2, "and the master's own"


SCRATCH = (
    ("00_the_game", "worst-check", "result = worst(finisher, 'o', 'x........')"),
    ("01_playout_mlp", "chances-check", "result = chances('xo.......')"),
    ("01_playout_mlp", "split-check", "data = examples(5, rng=5)"),
    ("01_playout_mlp", "best-cell-check", "exact = expected('x........')"),
    ("02_spectral_dct", "witness-check", "first, second = 'xx.oo....', 'x.xo.o...'; a, b = 2, 1"),
    ("03_ntuple_network", "step-check", "entries = entries(board)"),
    ("04_ising_bias", "crossings-check", "F = 3"),
    ("04_ising_bias", "worth-more", "gains = [worth(empty, cell, 1, 0) for cell in range(9)]"),
    ("04_ising_bias", "text-7", "def gains(board):\n    return board"),
    ("05_alphazero_lite", "score-check", "late = random_game(3)[-4:]"),
    ("06_arena", "verdict-check", "CLAIMS = CLAIMS[:1]"),
)
"""Exercise, cell, and a cell of a student's own below it that takes a name of a locked cell."""


@pytest.mark.parametrize("name", NAMES)
def test_every_check_with_points_is_called_apart(name: str) -> None:
    cells = nbformat.read(teach.masters()[name], as_version=4).cells
    checks = [cell for cell in cells if cell.id.endswith("-more")]
    assert checks
    assert all(execution.as_run(cell).count(execution.APART) == 1 for cell in checks)


@pytest.mark.parametrize(("name", "below", "code"), SCRATCH)
def test_a_name_that_a_student_takes_costs_no_points(name: str, below: str, code: str) -> None:
    notebook = nbformat.read(teach.masters()[name], as_version=4)
    place = [cell.id for cell in notebook.cells].index(below) + 1
    notebook.cells.insert(place, nbformat.v4.new_code_cell(code))
    assert points_by(notebook) == automatic(notebook)


def test_names_of_a_cell_are_those_that_it_binds_outside_of_functions() -> None:
    code = (
        "import a.b as c\nd, (e, f) = 1, (2, 3)\nfor g in c:\n    h = i\n\n\ndef j(k):\n    m = k"
    )
    assert sorted(bound(code)) == list("cdefghj")
    for magic in ("%matplotlib inline", "%%time", "!ls", "files = !ls -la", "j?", "?j", "  %pdb"):
        assert bound(f"{magic}\n{code}") == bound(code), magic
    assert bound(f"{code}\nif") == []


def test_names_that_a_cell_uses_are_those_of_the_notebook_also_within_functions() -> None:
    code = "a = b + 1\n\n\ndef f(c):\n    d = c\n    return lambda e: d + e + g(h=a)"
    assert used(code) == {"a", "b", "g"}
    assert all(used(text) == set() for text in ("%time rows(9)", "\0", "\ud800"))
    for nested in ("(", "[", "-", "not ", "a.", "a("):
        assert used(100_000 * nested + "1") <= {"a"}, "more than Python reads is no crash"


def checked(task: str, *said: str) -> Any:
    """A check that has printed something, in pieces."""
    outputs = [nbformat.v4.new_output("stream", text=text) for text in said]
    told = {"grade_id": f"{task}-more", "grade": True}
    source = f'mark = Marking("{task}", globals())'
    return nbformat.v4.new_code_cell(source, outputs=outputs, metadata={"nbgrader": told})


SAID = ("1 point, odd\nyour answers are those", " of this mistake: halves\n")


@pytest.mark.parametrize(
    ("code", "stays"),
    [
        ("def second(n): return first(n)", False),
        ("def helper(n): return first(n)\ndef second(n): return helper(n)", False),
        ("second = first", False),
        ("%%time\ndef second(n): return first(n)", False),
        ("def second(n): return (7\n    % first(n))", False),
        ("files = !ls -la\ndef second(n): return first(n)\nsecond?", False),
        ("def second(n):\n    first = n\n    return first  # not first()", True),
        ("def second(n): return third(n)", True),
    ],
)
def test_a_mistake_is_named_where_nothing_below_lost_points(code: str, stays: bool) -> None:
    said = SAID
    other = nbformat.v4.new_markdown_cell("first, second")
    cells = [checked("first", "1 point, odd\n"), other, checked("second", *said)]
    cells.insert(2, nbformat.v4.new_code_cell(code))
    slips.clear(cells)
    assert cells[0].outputs[0].text == "1 point, odd\n"
    assert "".join(out.text for out in cells[3].outputs) == (
        "".join(said) if stays else "1 point, odd\n"
    )


def is_named(*codes: str, stopped: bool = False) -> bool:
    """Whether the second check still names a mistake, with cells between it and the first."""
    first = checked("first", *(() if stopped else ("1 point, odd\n",)))
    if stopped:
        first.outputs = [nbformat.v4.new_output("error", ename="E", evalue="", traceback=[])]
    cells = [first, *map(nbformat.v4.new_code_cell, codes), checked("second", *SAID)]
    slips.clear(cells)
    return "halves" in "".join(out.text for out in cells[-1].outputs)


def test_a_slip_is_seen_through_helpers_in_cells_of_their_own() -> None:
    helpers = "def near(n): return first(n)", "def far(n): return near(n)"
    assert not is_named(*helpers, "def second(n): return far(n)")
    assert is_named(*helpers, "def second(n): return n")


def test_a_check_that_was_stopped_lost_points() -> None:
    assert not is_named("second = first", stopped=True)
    assert is_named("second = 2", stopped=True)


def test_a_chain_of_many_cells_fills_no_memory() -> None:
    """A submission may have tens of thousands, and all are read outside the sandbox."""
    chain = [f"a{number + 1} = a{number}" for number in range(2000)]
    tracemalloc.start()
    try:
        assert not is_named("a0 = first", *chain, f"second = a{len(chain)}")
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("student", [None, "ada"])
def test_nothing_that_runs_beside_an_answer_holds_a_right_one(
    name: str, student: str | None
) -> None:
    """A student's cell can print all that ran before, and a traceback shows lines of a check."""
    notebook = solved(name, student)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    answers = [
        re.sub(r"(?m)^ *### .*\n", "", cell.source) for cell in cells if tag(cell).get("solution")
    ]
    bare = [re.sub(r'(?s) *"""(.*?)"""\n', "", text) for text in answers]
    others = [entry["code"] for entry in OTHERS if entry["notebook"] == name]
    beside = [cell.source for cell in cells if not tag(cell).get("solution")]
    ran = "\n".join(map(spaced, [*beside, execution.START, *execution.canaries()]))
    assert not [text for text in [*answers, *bare, *others] if spaced(text) in ran]


@pytest.mark.parametrize("name", NAMES)
def test_no_check_with_points_is_known_before_it_runs(name: str) -> None:
    """It may hold a helper that is a right answer, and lists typical mistakes."""
    cells = [cell for cell in solved(name).cells if cell.cell_type == "code"]
    start = execution.START.format(locked=execution.locked(cells))
    (tools,) = [cell for cell in cells if cell.id == "tools"]
    assert repr(tools.source) in start
    checks = [cell.source for cell in cells if tag(cell).get("points")]
    assert checks
    assert not [check for check in checks if repr(check) in start]
    assert "Marking(" not in start
    readme = (teach.exercises() / "README.md").read_text(encoding="utf-8")
    assert "the checks that give points stay outside: such a check is sent in when it is" in readme


def spaced(code: str) -> str:
    """Code, or code within a string, with one blank wherever there are some."""
    return " ".join(code.replace("\\n", "\n").split())


@pytest.mark.parametrize("name", teach.masters())
def test_pythons_own_names_may_be_taken_in_cells_of_ones_own(name: str) -> None:
    """Between a visible check and the hidden one below it; the student's names are still there."""
    notebook = nbformat.read(teach.masters()[name], as_version=4)
    expected, cells = automatic(notebook), []
    for cell in notebook.cells:
        hidden = str(tag(cell).get("grade_id")).endswith("-more")
        scratch = [
            nbformat.v4.new_code_cell(code) for code in (f"{TAKEN} = range(8)", f"del {TAKEN}")
        ]
        cells += [scratch[0], cell, scratch[1]] if hidden else [cell]
    notebook.cells = cells
    assert points_by(notebook) == expected


TAKEN = "sum, list, len, max, min, set, all, range"


def test_an_answer_may_take_a_name_of_a_locked_cell() -> None:
    notebook = nbformat.read(teach.masters()["01_playout_mlp"], as_version=4)
    [cell] = [cell for cell in notebook.cells if cell.id == "chances"]
    cell.source = cell.source.replace("after(text, cell)", "after(cell, text)")
    cell.source += "\n\n\ndef after(cell, text, given=after):\n    return given(text, cell)"
    assert points_by(notebook)["chances-more"] == 4


@pytest.mark.parametrize("emptied", ["CLAIMS = []", "CLAIMS.clear()", "CLAIMS[:] = []"])
def test_an_answer_that_empties_what_it_is_checked_on_gains_nothing(emptied: str) -> None:
    notebook = nbformat.read(teach.masters()["06_arena"], as_version=4)
    [cell] = [cell for cell in notebook.cells if cell.id == "p-value"]
    cell.source = f"{emptied}\n\n\ndef p_value(count, n, p):\n    return 1"
    [verdict] = [cell for cell in notebook.cells if cell.id == "verdict"]
    verdict.source = "def verdict(count, n, p, alpha):\n    return 'undecided'"
    found = points_by(notebook)
    assert (found["p-value-more"], found["verdict-more"]) == (0, 0)


@pytest.mark.parametrize("name", NAMES)
def test_rubric_is_visible_and_is_the_one_that_counts(name: str) -> None:
    for cell in read(teach.masters()[name]).cells:
        if cell.id.endswith("-more"):
            shown, hidden = cell.source.split("### BEGIN HIDDEN TESTS")
            said = re.findall(r"^# (\d) points?: (.*)$", shown, re.MULTILINE)
            assert said == re.findall(r'mark\.item\((\d), "(.*)"\)', hidden)
            assert sum(int(points) for points, _ in said) == tag(cell)["points"]


@pytest.mark.parametrize("name", NAMES)
def test_a_hidden_check_binds_no_name_but_its_own(name: str) -> None:
    """It runs among the names of the student, whose helpers may be called as those of a check."""
    for cell in read(teach.masters()[name]).cells:
        for kind, hidden in REGION.findall(cell.source):
            if kind == "HIDDEN TESTS":
                table = symtable.symtable(hidden, "hidden", "exec")
                bound = {one.get_name() for one in table.get_symbols() if one.is_assigned()}
                imported = {one.get_name() for one in table.get_symbols() if one.is_imported()}
                assert bound | imported == {"_check"}, cell.id
                walked = ast.walk(ast.parse(hidden))
                assert not [node for node in walked if isinstance(node, ast.Global)], cell.id


@pytest.mark.parametrize("kind", [int, np.float64])
def test_an_answer_that_equals_anything_is_no_answer(kind: type) -> None:
    class Anything(kind):  # type: ignore[misc]
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = kind.__hash__

    mark = Marking("rows", {"rows": lambda plies: Anything(1)})
    with mark.item(1, "odd"):
        assert mark.ask(9) == 5
    assert mark.points() == 0


def test_a_class_whose_type_equals_anything_gives_no_answer() -> None:
    class Every(type):
        def __eq__(cls, other: object) -> bool:
            return True

        __hash__ = type.__hash__

    class Anything(metaclass=Every):
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = object.__hash__

    mark = Marking("rows", {"rows": lambda plies: Anything()})
    with mark.item(1, "odd"):
        assert mark.ask(9) == 5
    assert mark.points() == 0


def marked(function: Callable[[], Any], expected: Any) -> float:
    mark = Marking("rows", {"rows": function})
    with mark.item(1, "one answer"):
        found = mark.ask()
        assert type(found) is type(expected)
        assert len(found) == len(expected)
        assert np.array_equal(found, expected)
    return mark.points()


class Pair(NamedTuple):
    one: int
    two: int


HELD: list[tuple[type, tuple[Any, ...], Any]] = [
    (Pair, (1, 2), (1, 2)),
    (Counter, ({1: 2},), {1: 2}),
    (OrderedDict, ({1: 2},), {1: 2}),
    (defaultdict, (int, {1: 2}), {1: 2}),
    (np.matrix, ([[1, 2]],), np.array([[1, 2]])),
    (pd.Series, ([True, False],), np.array([True, False])),
    (pd.Index, ([1, 2],), np.array([1, 2])),
]
"""Types of libraries, what makes an object of them, and what it holds."""

WANTED = {tuple: (3, 4, 5), dict: {3: 4, 5: 6}, np.ndarray: np.array([[3, 4], [5, 6]])}


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize(("kind", "start", "held"), HELD)
def test_an_answer_of_a_librarys_type_is_what_it_holds(
    kind: type, start: tuple[Any, ...], held: Any
) -> None:
    assert marked(lambda: kind(*start), held) == 1
    assert marked(lambda: kind(*start), WANTED[type(held)]) == 0


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize(("kind", "start", "held"), [*HELD, (tuple, ((1, 2),), (1, 2))])
def test_an_answer_that_lies_about_what_it_holds_gains_nothing(
    kind: type, start: tuple[Any, ...], held: Any
) -> None:
    wanted = WANTED[type(held)]
    lies: dict[str, Any] = {
        "__eq__": lambda self, other: True,
        "__hash__": lambda self: 0,
        "__iter__": lambda self: iter(wanted),
        "__len__": lambda self: len(wanted),
        "__getitem__": lambda self, place: wanted[place],
        "__array__": lambda self, *_, **__: np.asarray(wanted),
        "__class__": property(lambda self: type(wanted)),
        "items": lambda self: WANTED[dict].items(),
    }
    for names in [*([name] for name in lies), [*lies]]:
        liar = type(kind.__name__, (kind,), {name: lies[name] for name in names})
        assert marked(partial(liar, *start), wanted) == 0, names


@pytest.mark.parametrize(("text", "value"), [("0.1", Fraction(1, 10)), ("Infinity", np.inf)])
def test_a_decimal_number_is_a_number(text: str, value: Any) -> None:
    mark = Marking("rows", {"rows": lambda: [Decimal(text)]})
    with mark.item(1, "one answer"):
        assert mark.ask() == [value]
    assert mark.points() == 1


def test_what_checks_do_not_read_is_told() -> None:
    mark = Marking("rows", {"rows": object})
    with mark.item(1, "one answer"):
        mark.ask()
    said = "the answer is a object, which checks don't read: return a number, text or list"
    assert mark.lost == [f"1 point, one answer: {said}"]


KINDS = {
    ("01_playout_mlp", "rows"): "import numpy as np\ndef rows(n): return np.ceil(n / 2)",
    ("04_ising_bias", "crossings"): "def {0}(*a): return tuple(map(float, given(*a)))",
    ("04_ising_bias", "plateau"): "def {0}(*a): return list(map(float, given(*a)))",
    ("05_alphazero_lite", "legal"): "def {0}(*a): return tuple(map(list, given(*a)))",
}


@pytest.mark.parametrize(("name", "task"), KINDS)
def test_visible_checks_accept_what_is_graded_as_right(
    opened: dict[str, Any], name: str, task: str
) -> None:
    (cell,) = [cell for cell in opened[name].cells if cell.id == task]
    own = KINDS[name, task].format(task)
    code = f"{cell.source}\n\n\ngiven = {task}\n\n\n{own}"
    found = answered(opened[name], task, code)
    assert found[f"{task}-more"].points == automatic(opened[name])[f"{task}-more"]
    assert all(result.silent for result in found.values())


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("01_playout_mlp", "def rows(plies):\n    return f'{plies // 2} rows'"),
        ("06_arena", "def accepts(n, p, alpha):\n    return '6 to 14'"),
    ],
)
def test_a_number_with_its_unit_is_told_to_be_a_text(
    opened: dict[str, Any], name: str, code: str
) -> None:
    task = code[4:].partition("(")[0]
    said = answered(opened[name], task, code)[f"{task}-more"].said
    assert "a text stands where a number is asked for" in said


def test_of_two_mistakes_that_answer_alike_the_first_is_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    mark = Marking("rows", {"rows": lambda plies: plies})
    with mark.item(1, "half of them"):
        assert mark.ask(9) == 5
    typical = {"none": "def rows(plies):\n    return 0", "all": "rows = abs", "whole": "rows = int"}
    assert mark.points(typical) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        "your answers are those of this mistake: all"
    ]


@pytest.mark.parametrize(("factor", "named"), [(1 + 1e-12, True), (1 + 1e-6, False)])
def test_a_mistake_is_named_if_it_answers_alike_up_to_rounding_only(
    factor: float, named: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    mark = Marking("share", {"share": lambda plies: plies / 7})
    with mark.item(1, "a third"):
        assert mark.ask(9) == 3
    mark.points({"sevenths": f"def share(plies):\n    return plies / 7 * {factor!r}"})
    assert ("this mistake: sevenths" in capsys.readouterr().out) == named


@pytest.mark.parametrize(("error", "named"), [("ZeroDivisionError", True), ("KeyError", False)])
def test_a_mistake_that_fails_is_named_if_an_answer_fails_alike(
    error: str, named: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    mark = Marking("share", {"share": lambda plies: 1 / plies})
    for plies in (4, 0):
        with mark.item(1, "a third"):
            assert mark.ask(plies) == 3
    fails = f"def share(plies):\n    if not plies:\n        raise {error}\n    return 1 / plies"
    mark.points({"upside down": fails})
    assert ("this mistake: upside down" in capsys.readouterr().out) == named


def test_a_mistake_that_is_tried_changes_neither_the_answer_nor_what_is_asked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    space = {"last": lambda given: given.pop() + 1}
    before = dict(space)
    mark = Marking("last", space)
    with mark.item(1, "the end"):
        assert mark.ask([1, 2]) == 2
    empties = "def last(given):\n    given.clear()\n    return 0"
    mark.points({"empties": empties, "one more": "def last(given):\n    return given.pop() + 1"})
    assert "this mistake: one more" in capsys.readouterr().out
    assert space == before


def test_who_has_all_points_is_told_no_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    mark = Marking("rows", {"rows": lambda plies: plies})
    with mark.item(1, "all of them"):
        assert mark.ask(9) == 9
    assert mark.points({"all": "rows = abs"}) == 1
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("space", "said"),
    [({"rows": lambda _: sys.exit()}, "SystemExit"), ({}, "NameError the function is missing")],
)
def test_what_ends_python_or_is_missing_costs_its_points_only(
    space: dict[str, Any], said: str
) -> None:
    mark = Marking("rows", space)
    with mark.item(1, "none"):
        assert mark.ask(9) == 0
    with mark.item(2, "nothing asked"):
        pass
    assert mark.points() == 2
    assert mark.lost[0].startswith(f"1 point, none: {said}")


@pytest.mark.parametrize(
    ("part", "whole"),
    [([1], [1, 2]), ({"x": 1}, {"x": 1, "o": None}), (0.5, [0.5, 0.5]), ((), ([],))],
)
def test_a_part_of_an_answer_is_not_the_same(part: Any, whole: Any) -> None:
    assert same(part, part)
    assert same(whole, whole)
    assert not same(part, whole)
    assert not same(whole, part)


SLIPS = {
    "p-value": """def p_value(count, n, p):
    side = range(count, n + 1) if count >= n * p else range(count + 1)
    return sum(chance(k, n, p) for k in side)""",
    "chance": """def chance(count, n, p):
    return round(float(comb(n, count) * p**count * (1 - p) ** (n - count)), 4)""",
    "accepts": """def accepts(n, p, alpha):
    kept = [k for k in range(n + 1) if p_value(k, n, p) > alpha]
    return kept[0], kept[-1]""",
}
BUILT_ON = {  # what is right in exercise 6, if what it calls is
    "p-value": """def p_value(count, n, p):
    mine = chance(count, n, p)
    return sum(c for c in (chance(k, n, p) for k in range(n + 1)) if c <= mine)""",
    "accepts": """def accepts(n, p, alpha):
    kept = [k for k in range(n + 1) if p_value(k, n, p) >= alpha]
    return kept[0], kept[-1]""",
}
POWERS = {
    "by p-values": """def power(n, p, q, alpha):
    return sum(chance(k, n, q) for k in range(n + 1) if p_value(k, n, p) < alpha)""",
    "by the ends": """def power(n, p, q, alpha):
    low, high = accepts(n, p, alpha)
    return sum(chance(k, n, q) for k in range(n + 1) if not low <= k <= high)""",
}


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("slip", SLIPS)
def test_only_the_slip_itself_is_named_in_exercise_6(slip: str, power: str) -> None:
    assert named(BUILT_ON | {"power": POWERS[power], slip: SLIPS[slip]}) <= {f"{slip}-more"}


def test_of_slips_that_do_not_build_on_each_other_each_is_named() -> None:
    first = {m.task: m.code for m in reversed(MISTAKES) if m.notebook == "06_arena"}
    assert named({task: first[task] for task in ("p-value", "holm")}) == {
        "p-value-more",
        "holm-more",
    }


def named(answers: dict[str, str]) -> set[str]:
    """The checks of exercise 6 that name a mistake to who hands in some answers."""
    notebook = solved("06_arena")
    for cell in notebook.cells:
        cell.source = answers.get(cell.id, cell.source)
    for name, result in score(notebook).items():
        (cell,) = [cell for cell in notebook.cells if cell.id == name]
        cell.outputs = [nbformat.v4.new_output("stream", text=result.said)] if result.said else []
    slips.clear(notebook.cells)
    return {cell.id for cell in notebook.cells if "this mistake" in str(cell.get("outputs"))}


CALLS = {"calls": "def rows(plies):\n    return half(plies)"}
"""A mistake that calls a function of the student's own."""


def refuses(*_: Any) -> Any:
    raise NotImplementedError


@pytest.mark.parametrize("rows", [refuses, lambda plies: None, None])
def test_an_answer_that_says_nothing_is_no_mistake_that_is_known(
    rows: Callable[[int], Any] | None, capsys: pytest.CaptureFixture[str]
) -> None:
    """The mistake says nothing either, because it calls what is not written yet."""
    mark = Marking("rows", {"rows": rows, "half": rows} if rows else {})
    with mark.item(1, "odd"):
        assert mark.ask(9) == 5
    assert mark.points(CALLS) == 0
    assert "this mistake" not in capsys.readouterr().out


def test_what_an_answer_prints_does_not_bury_why_points_are_lost(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def rows(plies: int) -> int:
        sys.stdout.write("so far so good\n" * 100)
        sys.stderr.write("a warning\n")
        return plies

    mark = Marking("rows", {"rows": rows})
    with mark.item(1, "odd"):
        assert mark.ask(9) == 5, "nine plies"
    assert mark.points({"all": "rows = abs"}) == 0
    said = capsys.readouterr()
    assert said.out.splitlines() == [
        "1 point, odd: nine plies",
        "your answers are those of this mistake: all",
    ]
    assert said.err == ""


def test_what_returns_nothing_is_told_so() -> None:
    """Unless it changes an argument, as it may be asked to."""

    def changes(given: list[int]) -> None:
        given.append(1)

    for rows, said in ((print, ": the function returned nothing (None)"), (changes, "")):
        mark = Marking("rows", {"rows": rows})
        with mark.item(1, "odd"):
            mark.ask([9])
            raise AssertionError  # as a kernel raises it, without a word
        with mark.item(1, "none asked"):
            raise AssertionError
        assert mark.lost[0].startswith(f"1 point, odd{said}")
        assert mark.lost[0].endswith("is not to return" if said else "odd")
        assert mark.lost[1] == "1 point, none asked"


def test_half_a_letter_in_an_error_is_no_reason_to_say_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A kernel can't send it, and would send its own traceback."""

    def rows(_: int) -> int:
        raise ValueError("\ud800 half")

    mark = Marking("rows", {"rows": rows})
    with mark.item(1, "odd"):
        assert mark.ask(9) == 5
    assert mark.points() == 0
    assert capsys.readouterr().out == "1 point, odd: ValueError ? half\n"


@pytest.mark.parametrize("given", ["0.5", b"0.5", ["0.5"], np.array(["0.5"]), [0, "0.5"]])
def test_a_text_is_near_no_number(given: Any) -> None:
    for pair in ((given, 0.5), (0.5, given)):
        with pytest.raises(AssertionError, match="a text stands where a number is asked for"):
            near(*pair)
    assert near([Fraction(1, 2)], np.array([0.5]))
    assert not near([0.5], 0.5)


def test_a_function_that_changes_its_own_marks_gains_nothing() -> None:
    def rows(_: int) -> int:
        mark.earned = 2
        mark.lost.clear()
        return 0

    mark = Marking("rows", {"rows": rows})
    for about in ("odd", "even"):
        with mark.item(1, about):
            assert mark.ask(9) == 5
    assert mark.lost == [
        f"1 point, {about}: the function changes its own marks" for about in ("odd", "even")
    ]
    assert mark.points() == 0


@pytest.mark.parametrize(
    ("items", "total"), [((0.1, 0.2), "0.3"), ((1.1, 2.2), "3.3"), ((1, 2), "3")]
)
def test_a_sum_of_fractions_is_one_that_counts(items: tuple[float, ...], total: str) -> None:
    mark = Marking("rows", {})
    for points in items:
        with mark.item(points, "a part"):
            pass
    assert repr(mark.points()) == total
    assert execution._is_sum(total, 4)


@pytest.mark.parametrize(("points", "said"), [(0.5, "0.5 points"), (1, "1 point"), (2, "2 points")])
def test_what_a_failed_item_cost_is_said(points: float, said: str) -> None:
    mark = Marking("rows", {"rows": lambda plies: plies})
    with mark.item(points, "half a row"):
        assert mark.ask(9) == 5
    with mark.item(3, "all rows"):
        assert mark.ask(5) == 5
    assert mark.lost[0].startswith(f"{said}, half a row")
    assert (len(mark.lost), mark.earned) == (1, 3)


# ---------------------------------------------------------------------------- the ends of notebooks


def end_exercises(path: Path) -> int:
    """How many exercises stand at the end of a notebook."""
    cells = nbformat.read(path, as_version=4).cells
    [text] = [c.source for c in cells if c.cell_type == "markdown" and "## Exercises" in c.source]
    own = re.split(r"^## ", text.partition("## Exercises")[2], flags=re.MULTILINE)[0]
    return len(re.findall(r"^\d+\. ", own, re.MULTILINE))


def test_every_exercise_at_the_end_of_a_notebook_has_a_hint() -> None:
    text = (teach.exercises() / "hints.md").read_text(encoding="utf-8")
    hints = [len(re.findall(r"^\d+\. ", part, re.MULTILINE)) for part in text.split("\n## ")[1:]]
    numbered = sorted(teach.exercises().parent.glob("0[0-6]_*.ipynb"))
    assert hints == [end_exercises(path) for path in numbered]
    answers = (teach.exercises() / "masters" / "end_exercises.md").read_text(encoding="utf-8")
    for notebook, number in re.findall(r"^\| 0(\d)\.(\d) \|", answers, re.MULTILINE):
        assert 1 <= int(number) <= hints[int(notebook)]
    assert f"{sum(hints)} whose" in answers


def test_answers_that_can_be_computed_are_right() -> None:
    tree = solve(Grid(3))
    assert (tree.ply == 4).sum() == 756  # 00.2
    deep, perfect = (policy_table(agent(name), tree) for name in ("lookahead:depth=9", "minimax"))
    assert np.array_equal(deep > 0, perfect > 0)  # 00.4
    two = Grid(2)
    lines = {frozenset(line.tolist()) for line in two.lines}
    kept = [
        p for p in permutations(range(4)) if {frozenset(p[c] for c in at) for at in lines} == lines
    ]
    assert len(kept) == 24  # 00.6
    for b in (0.1, 0.647, 1.0):  # 04.5
        small = solve(two)
        weights = policy_table(agent(f"ising:b={b}", "2x2"), small)
        assert np.array_equal(weights > 0, small.legal)


IMPORTS = """
import importlib.abc, sys

class Only(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {missing!r}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Only())
for source in {sources!r}:
    exec(source, {{}})
"""
HEAVY = [
    "torch",
    "sklearn",
    "matplotlib",
    "seaborn",
    "pandas",
    "numba",
    "joblib",
    "networkx",
    "tqdm",
]


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("03")])
def test_students_need_numpy_and_scipy_only(name: str) -> None:
    """What the notebook that students get imports, in a Python without the other packages."""
    sources = [
        REGION.sub("", cell.source) for cell in read(teach.masters()[name]).cells
        if cell.cell_type == "code"
    ]  # fmt: skip
    lines = [
        ast.unparse(node)
        for source in sources
        for node in ast.parse(source or "pass").body
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert lines
    program = IMPORTS.format(missing=HEAVY, sources=lines)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-600:]
