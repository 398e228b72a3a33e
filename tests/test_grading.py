"""Grading strangers' notebooks: every trick ends as a remark and the right marks, others go on."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import pandas as pd
import pytest
from confined import can_be_confined, needs_sandbox
from nbconvert.filters import strip_ansi

from ttt_lib.people.grading import execution, grade, records, sandbox, teach
from ttt_lib.people.grading.course import Course
from ttt_lib.people.grading.locked_cells import LockedNames
from ttt_lib.people.grading.repair import grade_id, repair

NAME = "01_playout_mlp"


def solved(**cells: str) -> Any:
    """A master as a student might hand it in, with other sources in some cells."""
    notebook = nbformat.read(teach.masters()[NAME], as_version=4)
    for cell in notebook.cells:
        cell.source = cells.get(cell.id.replace("-", "_"), cell.source)
    return notebook


def before(code: str) -> Any:
    """A right solution after which a cell of the student's own is run first."""
    notebook = solved()
    own = nbformat.v4.new_code_cell(code)
    place = [cell.id for cell in notebook.cells].index("rows")
    notebook.cells.insert(place, own)
    return notebook


def tampering(last: str = "") -> Any:
    """Nothing solved; checks are made to pass, and a cell of the student's own is run last."""
    nothing = dict.fromkeys(
        ("rows", "chances", "ceiling", "split", "best_cell"),
        "rows = chances = ceiling = split = best_cell = lambda *a: 1",
    )
    notebook = solved(**nothing)
    notebook.cells.insert(
        1,
        nbformat.v4.new_code_cell(
            "import ast\n\n"
            "class Strip(ast.NodeTransformer):\n"
            "    def visit_Assert(self, node):\n"
            "        return ast.Pass()\n\n"
            "get_ipython().ast_transformers.append(Strip())"
        ),
    )
    notebook.cells.append(nbformat.v4.new_code_cell(last))
    return notebook


def copied() -> Any:
    """Solution and check copied, the copies behind; the last copy of the solution is unsolved."""
    notebook = solved()
    kept = {cell.id: cell for cell in notebook.cells}
    for name in ("rows", "rows-check", "chances"):
        twin = nbformat.from_dict(json.loads(json.dumps(kept[name])))
        twin.id = f"{name}-twin"
        if name == "chances":
            twin.source = stub("chances")
        notebook.cells.insert(notebook.cells.index(kept[name]) + 1, twin)
    return notebook


def stub(name: str) -> str:
    """What students see in a solution cell."""
    return STUBS[name]


STUBS: dict[str, str] = {}


def split_up() -> Any:
    """A solution cell split, both halves marked as JupyterLab leaves them; another one merged."""
    notebook = solved(rows="def half(plies):\n    return (plies + 1) // 2")
    place = [cell.id for cell in notebook.cells].index("rows")
    twin = nbformat.from_dict(json.loads(json.dumps(notebook.cells[place])))
    twin.id, twin.source = "rows-b", "def rows(plies):\n    return half(plies)"
    notebook.cells.insert(place + 1, twin)
    cells = {cell.id: cell for cell in notebook.cells}  # and one merged with its check
    cells["ceiling"].source += "\n\n" + cells["ceiling-check"].source
    notebook.cells.remove(cells["ceiling-check"])
    return notebook


def changed() -> Any:
    """Checks emptied, deleted and unmarked; one solution in a cell of the student's own."""
    notebook = solved(
        rows="def rows(plies):\n    return plies // 2", rows_check="pass", rows_more="pass"
    )
    (own,) = [cell for cell in notebook.cells if cell.id == "ceiling"]
    own.id, own.metadata = "mine", {}
    for cell in notebook.cells:
        if cell.id.startswith("best-cell"):
            cell.metadata = {}
    gone = ("split", "chances-more")
    notebook.cells = [cell for cell in notebook.cells if cell.id not in gone]
    return notebook


def other_year() -> Any:
    notebook = solved()
    for cell in notebook.cells:
        cell.id = f"old-{cell.id}"
        if grade_id(cell):
            cell.metadata["nbgrader"]["grade_id"] = f"old-{grade_id(cell)}"
    return notebook


STUBBORN = """
import time

while True:
    try:
        while True:
            time.sleep(0.01)
    except BaseException:
        pass
"""
LOOK = """
import glob, os
found = []
for place in ({places!r}):
    found += glob.glob(place)
assert not found, found
for folder, below, names in os.walk("/"):
    assert not [name for name in names if name.endswith("gradebook.db")], folder
    below[:] = {{*below}} - {{"proc", "sys", "nbgrader"}}  # nbgrader's own tests have one
print("ALL SEEN")
"""

WRITE = """
for place in ({places!r}):
    try:
        open(place, "w")
    except OSError:
        pass
    else:
        raise SystemError(place)
"""
CALL = """
import socket

try:
    socket.create_connection(("127.0.0.1", 22), timeout=2)
except OSError as error:
    print("NO NETWORK", error)
"""


def mischief(top: Path, places: tuple[str, ...]) -> Any:
    """All that the sandbox makes harmless, with a right solution; points changed in the file."""
    below = (top, Path("/tmp"), Path("/usr"), Path(sys.prefix), *map(Path, sandbox.compiled()))
    outside = tuple(str(folder / "stolen") for folder in below)
    notebook = solved()
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("points"):
            cell.metadata["nbgrader"]["points"] = 1000
    for code in (
        LOOK.format(places=places),
        WRITE.format(places=outside),
        CALL,
        "import subprocess\nsubprocess.Popen(['sleep', '4321'])",
        "print('x' * 10**6)",
        "import sys\nsys.exit()",
        "print('a warning', file=sys.stderr)",
    ):
        notebook.cells.insert(3, nbformat.v4.new_code_cell(code))
    return notebook


def of_an_older_program(minor: int) -> Any:
    """As a program writes it that knows no ids of cells, such as Google Colab."""
    notebook = solved()
    notebook.nbformat_minor = minor
    for cell in notebook.cells:
        cell.metadata["id"] = cell.pop("id")
    return notebook


def stripped() -> Any:
    """Without marks and ids of cells, as some programs leave a notebook."""
    notebook = solved()
    notebook.nbformat_minor = 0
    for cell in notebook.cells:
        cell.metadata = {}
        del cell["id"]
    for cell, given in zip(notebook.cells, STUBS, strict=True):
        if given.endswith(("-check", "-more")):
            cell.source = STUBS[given]
    return notebook


def rebinding() -> Any:
    """A right solution with examples of one's own below checks, in names that others define."""
    notebook = solved()
    for below, code in (
        ("chances-check", "result = chances('xo.......')"),
        ("split-check", "data = examples(5, rng=5)"),
        ("best-cell-check", "exact = expected('x........')"),
    ):
        place = [cell.id for cell in notebook.cells].index(below) + 1
        notebook.cells.insert(place, nbformat.v4.new_code_cell(code))
    return notebook


STEAL = """import re
import sys
from ttt_lib.playout_mlp import ceilings

SEEN = "\\n".join(get_ipython().locked_names.locked)
(inner,) = re.findall(r"(?s)    game = ceilings.*?(?=    def right)", SEEN)
exec(f"def chances(text):\\n{inner}\\n    return expected(text)")"""
"""Takes an answer from the check of it."""


def leaving(place: int, word: str = "exit") -> Any:
    """A right solution with a cell that asks the kernel to end."""
    notebook = solved()
    notebook.cells.insert(place, nbformat.v4.new_code_cell(f"{word}()"))
    return notebook


def answer_in(place: str) -> Any:
    """A right solution whose answer in words stands beside its own cell, which is as handed out."""
    notebook = solved(open_ceiling="YOUR ANSWER HERE")
    at = [cell.id for cell in notebook.cells].index("open-ceiling")
    if place == "the question":
        notebook.cells[at - 1].source += "\n\nLuck, or a leak."
    elif place == "a cell below":
        notebook.cells.insert(at + 1, nbformat.v4.new_markdown_cell("Luck, or a leak."))
    elif place == "a cell of code":
        notebook.cells[at] = nbformat.v4.new_code_cell("Luck, or a leak.")
    return notebook


def with_a_picture() -> Any:
    """A right solution with a picture, and with one that isn't there."""
    notebook = solved()
    text = "![sketch](attachment:sk%20%C3%BC.png) ![](attachment:none.png)"
    notebook.cells.append(nbformat.v4.new_markdown_cell(text))
    notebook.cells[-1].attachments = {"sk ü.png": {"image/png": "iVBORw0KGgo="}}
    return notebook


def untouched(task: str = "", text: str = "{}", seed: str | None = None) -> Any:
    """Nothing is answered; a text may come back otherwise, or all may be somebody else's."""
    master = teach.masters()[NAME]
    notebook = nbformat.reads(grade.with_mistakes(master, seed), as_version=4)
    for cell in notebook.cells:
        cell.source = STUBS[cell.id] if grade_id(cell) else cell.source
        if cell.id == task:
            cell.source = text.format(cell.source)
    return notebook


def above_its_stub() -> Any:
    """A right answer in a cell above the one that is meant for it, which is as handed out."""
    notebook = solved()
    place = [cell.id for cell in notebook.cells].index("rows")
    own = nbformat.v4.new_code_cell(notebook.cells[place].source)
    notebook.cells[place].source = stub("rows")
    notebook.cells.insert(place, own)
    return notebook


def unanswered() -> Any:
    notebook = answer_in("no cell")
    notebook.cells.append(nbformat.v4.new_code_cell("# rows(9)"))
    return notebook


def slips() -> Any:
    """Three mistakes that are known, of which the last uses the function of the first."""
    known = grade.mistakes(teach.exercises() / "masters")
    code = {one.task: one.code for one in known if one.notebook == NAME}
    last = f"{code['best-cell']}\n\n\nuses = rows"
    return solved(rows=code["rows"], chances=code["chances"], best_cell=last)


ALL, ROWS = 17, 2


@dataclass(frozen=True)
class Case:
    """A submission, its points, and words of a remark."""

    notebook: Callable[[], Any]
    points: float
    remark: str = ""
    notice: str = ""


TOOLS = next(cell.source for cell in solved().cells if cell.id == "tools")

ENDLESS = (
    "def rows(plies):\n    while plies % 2 == 0:\n        plies += 2\n    return (plies + 1) // 2"
)
"""Right for odd numbers, and without an end in the last item of its check."""

HUGE = """
import mmap, time
kept = mmap.mmap(-1, 10**9, mmap.MAP_PRIVATE, mmap.PROT_READ)
sender = get_ipython().kernel.iopub_thread
sender.schedule(lambda: sender.socket.send(kept, copy=False))
time.sleep(1)
"""
"""A message of memory that costs its sender nothing, as nobody has written to it."""

CASES = {
    "right": Case(solved, ALL),
    "empty": Case(lambda: nbformat.v4.new_notebook(cells=[]), 0, "none of the tasks"),
    "dies": Case(lambda: solved(chances="import os\nos._exit(1)"), ROWS, "ended the program"),
    "loops": Case(
        lambda: solved(rows="import time\nwhile True:\n    time.sleep(0.01)"),
        ALL - ROWS,
        "the function is missing",
        "cell 'rows' was stopped at the time limit of a cell",
    ),
    "loops-in-a-check": Case(lambda: solved(rows=ENDLESS), ALL - ROWS, execution.TOO_LONG),
    "loops-in-a-cell-of-its-own": Case(
        lambda: before("while True:\n    pass"),
        ALL,
        notice="cell 'while True:' was stopped at the time limit",
    ),
    "loops-and-catches": Case(
        lambda: before(STUBBORN),
        0,
        "took too long",
    ),
    "forks": Case(  # so many are refused, and the rest goes on; idle copies share their memory
        lambda: before(
            "import os, time\ntry:\n    while True:\n        os.fork() or time.sleep(600)\n"
            "except OSError:\n    pass"
        ),
        ALL,
    ),
    "forks-and-hoards": Case(
        lambda: before(
            "import os, time\nwhile os.fork():\n    time.sleep(0.02)\n"
            "hoard = b'x' * 10**8\ntime.sleep(600)"
        ),
        0,
        "of memory",
    ),
    "hoards": Case(  # what was kept stays kept after the error, so the watch sees it for certain
        lambda: before("hoard = []\nwhile True:\n    hoard.append(b'x' * 10**8)"), 0, "of memory"
    ),
    "shares": Case(
        lambda: before(
            "import mmap\nshared = mmap.mmap(-1, 3 * 10**9)\n"
            "while shared.tell() < len(shared):\n    shared.write(bytes(10**8))"
        ),
        0,
        "of memory",
    ),
    "reserves": Case(  # memory that is asked for and never used: refused, and the rest goes on
        lambda: before("hoard = [np.empty(10**8) for _ in range(100)]"), ALL
    ),
    "floods": Case(
        lambda: before("while True:\n    print('x' * 10**3)"),
        0,
        "stopped in cell 6: more than 10 MB of output",
    ),
    "floods-at-once": Case(lambda: before(HUGE), 0, "or wrote too much at once"),
    "writes": Case(
        lambda: before("for n in range(100):\n    open(f'f{n}', 'wb').write(bytes(10**7))"),
        0,
        "MB of files",
    ),
    "deletes": Case(
        lambda: before(
            "import os\nkept = []\nfor n in range(100):\n    kept.append(open('f', 'wb', 0))\n"
            "    os.remove('f')\n    kept[-1].write(bytes(10**7))"
        ),
        0,
        "MB of files",
    ),
    "tampers": Case(tampering, 0, "a check that must fail has passed"),
    "tampers-and-exits": Case(
        lambda: tampering("import os\nos._exit(1)"), 0, "a check that must fail has passed"
    ),
    "tampers-and-repairs": Case(
        lambda: tampering("get_ipython().ast_transformers.clear()"),
        0,
        "a check that must fail has passed",
    ),
    "patches-numpy": Case(
        lambda: before("import numpy\nnumpy.isclose = numpy.allclose = lambda *a, **k: True"),
        0,
        "a check that must fail has passed",
    ),
    "patches-points": Case(
        lambda: before(
            "from ttt_lib.people.grading.marking import Marking\n"
            "Marking.points = lambda self, typical=None: float('nan')"
        ),
        0,
        "a check that must fail has passed",
    ),
    "patches-given": Case(
        lambda: before("get_ipython().locked_names.check = lambda check: 2"),
        0,
        "a check that must fail has passed",
    ),
    "steals": Case(lambda: solved(chances=STEAL), ALL - 4),
    "copied": Case(copied, ALL, notice="'chances' was there 2 times"),
    "split": Case(split_up, ALL, notice="'rows' was there 2 times"),
    "changed": Case(changed, ALL - 6, notice="'split' was deleted"),
    "other-year": Case(other_year, 0, "another year's"),
    **{f"minor-{n}": Case(partial(of_an_older_program, n), ALL) for n in (0, 2, 4)},
    "stripped": Case(stripped, ALL, "to be read", "your own cell counts"),
    "rebinds": Case(rebinding, ALL),
    **{f"exits-{n}": Case(partial(leaving, n), ALL) for n in (0, 9, 99)},
    "changes-tools": Case(
        lambda: solved(tools=f"import math\n{TOOLS}"), ALL, notice="cell 'tools' was changed"
    ),
    "above-its-cell": Case(above_its_stub, ALL, notice="your own cell counts"),
    "quits": Case(partial(leaving, 9, "quit"), ALL),
    "untouched": Case(untouched, 0),
    "somebody-elses": Case(partial(untouched, seed="ada"), 0, notice="the variant of 'ada'"),
    "a-word-before-a-task": Case(partial(untouched, "text-5", "DONE {}"), 0),
    "in-another-task": Case(
        partial(untouched, "text-5", "{}\n\nLuck, or a leak."), 0, "to be read", "outside its cell"
    ),
    "in-question": Case(
        partial(answer_in, "the question"), ALL, "to be read", "outside its cell: to be read"
    ),
    "in-code": Case(
        partial(answer_in, "a cell of code"), ALL, "to be read", "outside its cell: to be read"
    ),
    "picture": Case(with_a_picture, ALL),
    "below-its-cell": Case(
        partial(answer_in, "a cell below"), ALL, "to be read", "outside its cell: to be read"
    ),
}
"""Submissions of exercise 1, run in one grading."""


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All cases graded at once, two at a time, beside files that are no notebooks."""
    top = tmp_path_factory.mktemp("class")
    folder = top / "handed in"
    secret = top / "handed in-graded" / "grades.csv"
    released = teach.build(top / "released", [NAME])[0]
    for cell in nbformat.read(released, as_version=4).cells:
        STUBS[cell.id] = cell.source
    for student, case in CASES.items():
        hand_in(folder, student, case.notebook())
    kept = Path(sys.pycache_prefix or "/nowhere") / str(Path(__file__).parent)[1:]
    seen = (folder / "*", secret, teach.exercises() / "*", Path.home() / "*", kept / "*")
    places = tuple(map(str, (*seen, sandbox.CACHES / "ipython")))
    hand_in(folder, "mischief", mischief(top, places))
    for student, name, text in (
        ("Ada [1]", f"{NAME}.ipynb", "not json"),
        ("Ben", "my homework.ipynb", "{}"),
        ("Cleo", "answers.pdf", "%PDF"),
        ("Dora", f"{NAME}.ipynb", json.dumps([[[]]])),
        ("Gus", f"{NAME}.ipynb", '{"cells": 3}'),
        ("Flo", f"{NAME}.ipynb", "\n"),
        ("marked", f"{NAME}.ipynb", f"\ufeff{nbformat.writes(solved())}"),
    ):
        (folder / student).mkdir(parents=True)
        (folder / student / name).write_text(text)
    for student, encoding in (("Hal", "utf-16"), ("Ida", "latin-1")):
        (folder / student).mkdir()
        (folder / student / f"{NAME}.ipynb").write_text('{"cells": "é"}', encoding)
    (folder / "Jo").mkdir()
    (folder / "Jo" / f"{NAME}.ipynb").write_bytes('{"cells": "é'.encode()[:-1])
    hand_in(folder, "Eve", big(solved()))
    hand_in(folder, "unanswered", unanswered())
    hand_in(folder, "slips", slips())
    hand_in(folder, "copy", solved(), f"{NAME} (1)")
    for name in (f"{NAME} (1)", f"{NAME}-Copy1"):
        hand_in(folder, "copies", solved(), name)
    (folder / "Dan").symlink_to(folder / "Ben")
    (folder / "right").joinpath("notes.txt").symlink_to("/etc/passwd")
    words = ["grade", str(folder), "--seconds", "6", "--total", "40", "--workers", "2"]
    assert teach.main([*words, *([] if can_be_confined() else ["--unsafe"])]) == 0
    return top / "handed in-graded"


def hand_in(folder: Path, student: str, notebook: Any, name: str = NAME) -> None:
    (folder / student).mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, folder / student / f"{name}.ipynb")


def big(notebook: Any) -> Any:
    """Too large, in its own text."""
    notebook.cells[0].source += "x" * (grade.MAX_BYTES + 1)
    return notebook


def marks_of(folder: Path, student: str) -> pd.DataFrame:
    table = pd.read_csv(folder / "grades.csv", keep_default_na=False)
    return table[table.student == student]


def points_of(folder: Path, student: str) -> float:
    return float(pd.to_numeric(marks_of(folder, student).points).sum())


@needs_sandbox
@pytest.mark.parametrize("student", CASES)
def test_trick_ends_as_a_remark_and_the_right_marks(graded: Path, student: str) -> None:
    case, found = CASES[student], marks_of(graded, student)
    assert found.maximum.sum() == 20
    assert points_of(graded, student) == case.points, found.to_string()
    if case.remark:
        assert any(case.remark in remark for remark in found.remark), found.to_string()
    if case.notice:
        page = (graded / student / f"{NAME}.html").read_text(encoding="utf-8")
        assert case.notice.replace("'", "&#x27;") in page


@pytest.mark.parametrize(
    "student", ["unanswered", "untouched", "somebody-elses", "a-word-before-a-task"]
)
def test_who_answers_nowhere_has_nothing_to_be_read(graded: Path, student: str) -> None:
    """Not even with notes in cells of code, another variant, or a word in the text of a task."""
    found = marks_of(graded, student).set_index("task").points["open-ceiling"]
    assert float(found) == 0
    assert "outside its cell" not in (graded / student / f"{NAME}.html").read_text(encoding="utf-8")


@needs_sandbox
def test_a_copy_is_graded_if_it_is_the_only_one(graded: Path) -> None:
    assert points_of(graded, "copy") == ALL
    assert set(marks_of(graded, "copy").notebook) == {NAME}
    told = pd.read_csv(graded / "notices.csv").set_index("student").notice
    assert f"handed in as '{NAME} (1).ipynb'" in set(told.loc[["copy"]])
    assert points_of(graded, "copies") == 0
    assert set(marks_of(graded, "copies").notebook) == {f"{NAME} (1).ipynb", f"{NAME}-Copy1.ipynb"}


@needs_sandbox
def test_a_byte_order_mark_costs_nothing(graded: Path) -> None:
    assert points_of(graded, "marked") == ALL


@needs_sandbox
def test_the_same_file_of_two_students_is_told_to_the_teacher_only(graded: Path) -> None:
    told = pd.read_csv(graded / "notices.csv").set_index("student").notice
    said = {name: set(told.loc[[name]]) for name in ("right", "copy")}
    assert "the same file as that of copy" in said["right"]
    assert "the same file as that of right" in said["copy"]
    assert "the same file" not in (graded / "copy" / f"{NAME}.html").read_text(encoding="utf-8")


@needs_sandbox
def test_who_was_stopped_on_the_way_is_told_to_the_teacher(graded: Path) -> None:
    told = pd.read_csv(graded / "notices.csv")
    partly = told[told.notice.str.startswith(execution.PARTLY)].set_index("student").notice
    assert partly.dies.startswith("run only in part: cell 10 ended the program")
    for student in ("floods", "floods-at-once", "hoards", "writes", "loops-and-catches"):
        [remark] = {text for text in marks_of(graded, student).remark if "cell" in text}
        assert partly[student] == f"run only in part: {remark}"
    assert not {"right", "loops", "loops-in-a-check", "tampers", "empty"} & set(partly.index)
    assert f"after that: {len(partly)} (notices.csv)" in teach.attention(graded)


@needs_sandbox
def test_a_page_shows_a_picture_and_names_one_that_is_missing(graded: Path) -> None:
    page = (graded / "picture" / f"{NAME}.html").read_text(encoding="utf-8")
    assert 'alt="sketch" src="data:image/png;base64,iVBORw0KGgo="' in page
    assert "[a picture that is not shown: none.png]" in page


@needs_sandbox
def test_a_page_lists_no_mistakes(graded: Path) -> None:
    page = (graded / "right" / f"{NAME}.html").read_text(encoding="utf-8")
    known = grade.mistakes(teach.exercises() / "masters")
    assert "boards whose games are all equally long" in page
    assert not [one.why for one in known if one.notebook == NAME and one.why in page]


@needs_sandbox
def test_no_mistake_is_named_for_a_function_that_uses_one_that_lost_points(graded: Path) -> None:
    marks = marks_of(graded, "slips").set_index("task")
    lost = ["rows-more", "chances-more", "best-cell-more"]
    assert (marks.points[lost].astype(float) < marks.maximum[lost]).all()
    assert ["this mistake" in remark for remark in marks.remark[lost]] == [True, True, False]
    page = (graded / "slips" / f"{NAME}.html").read_text(encoding="utf-8")
    assert page.count("your answers are those of this mistake") == 2 * 2, "above, and at the check"


@needs_sandbox
def test_a_check_that_is_stopped_shows_neither_mistakes_nor_the_solution(graded: Path) -> None:
    """Its traceback shows the lines around the last item."""
    student = "loops-in-a-check"
    text = (graded / student / f"{NAME}.html").read_text(encoding="utf-8")
    page = re.sub(r"<[^>]*>", "", text)
    kept = nbformat.read(graded / ".records" / student / f"{NAME}.ipynb", as_version=4)
    (check,) = [cell for cell in kept.cells if grade_id(cell) == "rows-more"]
    lines = page + strip_ansi("\n".join(check.outputs[0].traceback))
    assert "mark.points({" in lines
    assert "mark.points({" not in page
    assert '"""The number of boards' not in lines.replace("\\n", "\n")
    known = grade.mistakes(teach.exercises() / "masters")
    assert not [one.why for one in known if one.notebook == NAME and one.why in page]


@needs_sandbox
def test_nothing_outside_is_seen_or_changed(graded: Path) -> None:
    assert points_of(graded, "mischief") == ALL
    kept = (graded / ".records" / "mischief" / f"{NAME}.ipynb").read_text()
    own = [cell for cell in json.loads(kept)["cells"] if cell.get("outputs")]
    said = json.dumps([cell["outputs"] for cell in own])
    assert "ALL SEEN" in said
    assert "AssertionError" not in said
    assert "SystemError" not in said
    assert "SystemExit" in said
    assert "NO NETWORK" in said
    assert not Path("/tmp/stolen").exists()


@needs_sandbox
def test_nothing_is_left_running(graded: Path) -> None:
    running = subprocess.run(["ps", "axo", "args"], capture_output=True, text=True, check=True)
    assert "sleep 4321" not in running.stdout


@pytest.mark.parametrize(
    ("student", "remark"),
    [
        ("Ada [1]", "not a notebook: the file is cut off or damaged"),
        ("Flo", "not a notebook: the file is empty"),
        ("Ben", "not a notebook of this course"),
        ("Cleo", "not a notebook of this course"),
        ("Dora", "not a notebook: its cells can't be read (AttributeError)"),
        ("Gus", "not a notebook: its cells can't be read (TypeError)"),
        ("Hal", "not a notebook: the file is not text in UTF-8"),
        ("Ida", "not a notebook: the file is not text in UTF-8"),
        ("Jo", "not a notebook: the file is cut off or damaged"),
        ("Eve", "larger than 5000000 bytes without its outputs"),
    ],
)
def test_files_that_are_no_notebooks_get_a_remark(graded: Path, student: str, remark: str) -> None:
    found = marks_of(graded, student)
    assert len(found)
    assert points_of(graded, student) == 0
    assert all(text.startswith(remark) for text in found.remark)
    told = pd.read_csv(graded / "notices.csv").set_index("student").notice.loc[student]
    assert told.startswith(f"could not be graded: {remark}")


def test_who_has_no_notebook_of_an_exercises_name_is_in_no_table_to_import(graded: Path) -> None:
    """As exercises/README.md says; of others there is a row, even if theirs could not be graded."""
    marks, listed = pd.read_csv(graded / "grades.csv"), pd.read_csv(graded / "moodle.csv").username
    assert set(marks.student) - set(listed) == {"Ben", "Cleo", "copies"}
    assert "one row per student of whom a notebook has the name of an exercise" in (
        teach.exercises() / "README.md"
    ).read_text(encoding="utf-8")


@pytest.mark.parametrize("link", [f"{NAME}.ipynb", f"{NAME} (1).ipynb"])
def test_a_link_beside_a_copy_is_not_followed(tmp_path: Path, link: str) -> None:
    (tmp_path / "secret").write_text("of somebody else")
    (tmp_path / "in" / "ada").mkdir(parents=True)
    (tmp_path / "in" / "ada" / f"{NAME}-Copy1.ipynb").write_text("of Ada")
    (tmp_path / "in" / "ada" / link).symlink_to(tmp_path / "secret")
    [file] = grade.submitted_files(tmp_path / "in", known=[NAME])
    assert file.name == f"{NAME}.ipynb"
    assert grade.handed_in(file).read_text() == "of Ada"


def test_links_are_not_followed(graded: Path) -> None:
    table = pd.read_csv(graded / "grades.csv")
    assert "Dan" not in set(table.student)
    assert set(marks_of(graded, "right").notebook) == {NAME}


@pytest.mark.parametrize("variants", [False, True])
def test_another_word_about_a_mistake_is_graded_anew(tmp_path: Path, variants: bool) -> None:
    """The hidden checks say it, so they are others."""
    masters, file = tmp_path / "masters", tmp_path / "ada" / f"{NAME}.ipynb"
    shutil.copytree(teach.exercises() / "masters", masters)
    hand_in(tmp_path, "ada", solved())

    def key() -> str:
        where = Course(tmp_path)
        return grade.key_of(file, masters / f"{NAME}.ipynb", where, variants=variants)

    first, stated = key(), (masters / "mistakes.toml").read_text(encoding="utf-8")
    assert key() == first
    why = next(m.why for m in grade.mistakes(masters) if m.notebook == NAME)
    (masters / "mistakes.toml").write_text(stated.replace(why, "another word"), encoding="utf-8")
    assert key() != first
    one, other = (records.Record(k, ()).submission for k in (first, key()))
    assert one == other, "what a person gave it stays"


def test_large_outputs_do_not_count(tmp_path: Path) -> None:
    notebook = solved()
    code = next(cell for cell in notebook.cells if cell.cell_type == "code")
    code.outputs = [nbformat.v4.new_output("stream", text="x" * (2 * grade.MAX_BYTES))]
    hand_in(tmp_path, "Ada", notebook)
    with grade.course() as where:
        grade.release(where, NAME, teach.masters()[NAME])
        assert grade.place_submission(tmp_path / "Ada" / f"{NAME}.ipynb", where) == []


def test_half_a_letter_is_no_reason_not_to_grade(tmp_path: Path) -> None:
    """JSON can say one, UTF-8 can't."""
    notebook = solved()
    notebook.cells.append(nbformat.v4.new_markdown_cell("half"))
    file = tmp_path / "Ada" / f"{NAME}.ipynb"
    hand_in(tmp_path, "Ada", notebook)
    file.write_text(
        file.read_text(encoding="utf-8").replace('"half"', r'"\ud800"'), encoding="utf-8"
    )
    with grade.course() as where:
        grade.release(where, NAME, teach.masters()[NAME])
        assert grade.place_submission(file, where) == []
        placed = where.folder / "submitted" / "student" / NAME / file.name
        assert nbformat.read(placed, as_version=4).cells[-1].source == "?"


def test_no_page_of_an_earlier_submission_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor its executed notebook, if the marks are those of one that can't be graded."""
    file, out = tmp_path / "ada" / f"{NAME}.ipynb", tmp_path / "out"
    page, executed = out / "ada" / f"{NAME}.html", out / ".records" / "ada" / file.name

    def fails(*_: Any) -> None:
        raise ValueError("no space")

    with grade.course() as where:
        grade.release(where, NAME, teach.masters()[NAME])
        monkeypatch.setattr(Course, "run", fails)
        right = nbformat.writes(solved())
        for text, remark in (("no json", "not a notebook"), (right, "could not be run: no space")):
            for path, content in ((file, text), (page, "earlier"), (executed, "earlier")):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content, encoding="utf-8")
            _, record = grade.grade_one(where, file, "key", out, {})
            assert {mark.points for mark in record.marks} == {0}
            assert all(mark.remark.startswith(remark) for mark in record.marks)
            assert not page.exists()
            assert not executed.exists()


# ---------------------------------------------------------------------------- going on


def again(graded: Path, *more: str) -> float:
    """Grade once more; the time it took."""
    start = time.monotonic()
    folder = graded.with_name("handed in")
    words = ["grade", str(folder), "--seconds", "6", "--total", "40", *more]
    assert teach.main([*words, *([] if can_be_confined() else ["--unsafe"])]) == 0
    return time.monotonic() - start


def test_grading_goes_on_where_it_stopped(graded: Path) -> None:
    before_ = (graded / "grades.csv").read_bytes()
    executed = graded / ".records" / "split" / f"{NAME}.ipynb"
    when = executed.stat().st_mtime_ns
    torn = graded / ".records" / "copied" / f"{NAME}.ipynb.json"
    torn.write_text(torn.read_text()[:100])  # as if the power had failed
    again(graded)
    assert (graded / "grades.csv").read_bytes() == before_
    assert executed.stat().st_mtime_ns == when, "not run again"
    assert records.load(graded, graded.with_name("handed in") / "copied" / f"{NAME}.ipynb")


def test_points_of_a_person_come_back(graded: Path) -> None:
    page = graded / "right" / f"{NAME}.html"
    text = page.read_text(encoding="utf-8")
    assert "to be read: ? / 3.0" in text
    assert "Score: 17.0 / 17.0, the rest to be read" in text
    table = pd.read_csv(graded / records.TO_READ, dtype={"points": object, "comment": object})
    mine = table.student == "right"
    table.loc[mine, ["points", "comment"]] = ["2,5", "Isn't it luck & <the> leak?"]
    table.to_csv(graded / records.TO_READ, index=False)
    again(graded)
    assert points_of(graded, "right") == 19.5
    text = page.read_text(encoding="utf-8")
    assert "Score: 19.5 / 20.0" in text
    assert "<p>Isn't it luck &amp; &lt;the&gt; leak?</p>" in text
    moodle = pd.read_csv(graded / "moodle.csv").set_index("username")[NAME]
    assert moodle["right"] == 19.5
    assert pd.isna(moodle["split"]), "somebody has to read it first"
    canvas = pd.read_csv(graded / "canvas.csv")
    assert list(canvas.columns[:5]) == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    assert canvas[NAME][0] == 20
    kept = pd.read_csv(graded / records.TO_READ)
    assert kept[kept.student == "right"].points.tolist() == [2.5]


@pytest.mark.parametrize("separator", [",", ";"])
def test_points_are_read_as_a_spreadsheet_saves_them(separator: str, tmp_path: Path) -> None:
    """With a byte order mark, and semicolons where the comma is the decimal point."""
    row = ["ada", NAME, "why", "1", "3", "2.5" if separator == "," else "2,5", "Well put."]
    known = dict(zip(("student", "notebook", "task", "submission", "maximum", "points", "comment"),
                     row, strict=True))  # fmt: skip
    lines = [records.COLUMNS, [known.get(name, "") for name in records.COLUMNS]]
    text = "\n".join(separator.join(line) for line in lines)
    (tmp_path / records.TO_READ).write_text(text, encoding="utf-8-sig")
    assert records.read_points(tmp_path) == {
        ("ada", NAME, "why", "1", 3.0): records.Reading(2.5, "Well put.")
    }


def test_all_points_may_be_given_and_no_more(tmp_path: Path) -> None:
    for points, taken in (("0", True), ("3", True), ("3.01", False)):
        row = dict(zip(records.COLUMNS, [""] * len(records.COLUMNS), strict=True))
        row |= {"student": "ada", "maximum": "3", "points": points}
        lines = [",".join(records.COLUMNS), ",".join(row.values())]
        (tmp_path / records.TO_READ).write_text("\n".join(lines))
        if taken:
            [found] = records.read_points(tmp_path).values()
            assert found.points == float(points)
        else:
            with pytest.raises(ValueError, match=r"points from 0 to 3, not '3\.01'"):
                records.read_points(tmp_path)


def test_points_possible_are_those_of_the_whole_notebook() -> None:
    """Also where somebody handed in a part of it, or nothing."""
    rows = [("ada", "rows", 2.0, 2.0), ("ada", "split", 1.0, 3.0), ("ben", "rows", 1.0, 2.0),
            ("cleo", "", 0.0, 0.0)]  # fmt: skip
    columns = ["student", "task", "points", "maximum"]
    found = records.canvas(pd.DataFrame(rows, columns=columns).assign(notebook=NAME))
    assert dict(zip(found.Student, found[NAME], strict=True)) == {
        "    Points Possible": 5.0, "ada": 3.0, "ben": 1.0,
    }  # fmt: skip


def test_no_text_of_a_student_is_a_formula(tmp_path: Path) -> None:
    said = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "fine = 1", ""]
    marks = tuple(records.Mark("ada", text, "", 0.0, 0.0, text) for text in said)
    found = records.write_tables(tmp_path, [records.Record("key", marks, tuple(said))], {})
    shown = [f"'{text}" for text in said[:5]] + said[5:]
    grades, notices = (pd.read_csv(tmp_path / name, keep_default_na=False)
                       for name in ("grades.csv", "notices.csv"))  # fmt: skip
    assert grades.remark.tolist() == grades.notebook.tolist() == notices.notice.tolist() == shown
    assert found.remark.tolist() == said


@pytest.mark.parametrize("points", ["4", "-1", "two", "nan"])
def test_points_out_of_range_are_refused(
    tmp_path: Path, points: str, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_in(tmp_path / "in", "Ada", solved())
    row = ["Ada", NAME, "open-ceiling", "abc", "3", points, ""]
    (tmp_path / "in-graded").mkdir()
    (tmp_path / "in-graded" / records.TO_READ).write_text(
        ",".join(records.COLUMNS) + "\n" + ",".join(row) + "\n"
    )
    assert teach.main(["grade", str(tmp_path / "in")]) == 2
    said = capsys.readouterr().err
    assert f"line 2: points from 0 to 3, not '{points}'" in said
    assert said.count("\n") == 1


def test_one_student_is_graded(graded: Path, tmp_path: Path) -> None:
    folder = tmp_path / "handed in"
    shutil.copytree(graded.with_name("handed in"), folder, symlinks=True)
    with pytest.raises(ValueError, match="no file of a student 'Zoe'"):
        grade.submitted_files(folder, ["Zoe"])
    assert [f.parent.name for f in grade.submitted_files(folder, ["right"])] == ["right"]


# ---------------------------------------------------------------------------- by construction


@pytest.mark.parametrize("points", [-1, 20.5, float("nan")])
def test_no_mark_above_its_maximum_exists(points: float) -> None:
    with pytest.raises(ValueError, match="0 to 20"):
        records.Mark("Ada", NAME, "rows", points, 20)


def test_without_a_sandbox_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_in(tmp_path / "in", "Ada", solved())
    monkeypatch.setattr(sandbox.shutil, "which", lambda _: None)
    sandbox.as_root.cache_clear()
    try:
        assert teach.main(["grade", str(tmp_path / "in")]) == 2
    finally:
        sandbox.as_root.cache_clear()
    said = capsys.readouterr().err
    assert ": no sandbox: the program bwrap" in said
    assert "--unsafe" in said
    assert said.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]


def test_canaries_fail_where_nobody_tampers() -> None:
    for _ in range(50):
        for text in execution.canaries():
            if text.endswith(execution.APART):
                space: dict[str, Any] = {}
                shell = SimpleNamespace(locked_names=LockedNames(space, ()))
                space["get_ipython"] = lambda shell=shell: shell
                exec(text.removesuffix(execution.APART), space)
                assert eval(execution.APART, space) == 0
            else:
                with pytest.raises(AssertionError):
                    exec(text, {})


def test_checks_go_behind_what_they_check() -> None:
    notebook, released = solved(), solved()
    order = [grade_id(cell) for cell in released.cells if grade_id(cell)]
    notebook.cells.reverse()
    assert repair(notebook, released)
    assert [grade_id(cell) for cell in notebook.cells if grade_id(cell)] == order


EMPTY = "def {}(*given):\n    raise NotImplementedError()"


@pytest.mark.parametrize(
    ("gone", "said"),
    [
        (("tools", "chances-check", "chances-more"), []),
        (("chances",), ["cell 'chances' was deleted: put back as handed out"]),
    ],
)
def test_what_is_put_back_without_a_word(gone: tuple[str, ...], said: list[str]) -> None:
    """As exercises/README.md says: checks and locked cells, not answers."""
    notebook, released = solved(), solved()
    notebook.cells = [cell for cell in notebook.cells if cell.id not in gone]
    assert repair(notebook, released) == said
    assert [grade_id(c) for c in notebook.cells if grade_id(c)] == [
        grade_id(c) for c in released.cells if grade_id(c)
    ]


def test_of_copies_the_last_that_was_written_in_counts() -> None:
    notebook, released = solved(), solved(rows=EMPTY.format("rows"))
    place = [cell.id for cell in notebook.cells].index("rows")
    written = notebook.cells[place].source
    twin = nbformat.from_dict(json.loads(json.dumps(notebook.cells[place])))
    twin.source = EMPTY.format("rows")
    notebook.cells.insert(place + 1, twin)
    said = repair(notebook, released)
    assert said == ["cell 'rows' was there 2 times: the last one that you wrote in counts"]
    assert [cell.source for cell in notebook.cells if grade_id(cell) == "rows"] == [written]
    twins = solved(rows=EMPTY.format("rows"))
    twins.cells.insert(place, nbformat.from_dict(json.loads(json.dumps(twins.cells[place]))))
    assert repair(twins, released) == ["cell 'rows' was there 2 times: one is left"]


def test_of_two_written_copies_the_last_counts_and_the_first_stays_as_an_own_cell() -> None:
    notebook, released = solved(), solved(rows=EMPTY.format("rows"))
    place = [cell.id for cell in notebook.cells].index("rows")
    first = nbformat.from_dict(json.loads(json.dumps(notebook.cells[place])))
    first.source = "rows = len"
    notebook.cells.insert(place, first)
    assert repair(notebook, released)
    assert [grade_id(cell) for cell in notebook.cells[place : place + 2]] == ["", "rows"]
    assert notebook.cells[place].source == "rows = len"


def test_an_own_cell_below_an_answer_left_as_handed_out_changes_nothing() -> None:
    empty = EMPTY.format("rows")
    notebook, released = solved(rows=empty), solved(rows=empty)
    place = [cell.id for cell in notebook.cells].index("rows")
    notebook.cells.insert(place + 1, nbformat.v4.new_code_cell("rows = len"))
    before = list(notebook.cells)
    assert repair(notebook, released) == []
    assert notebook.cells == before


def test_an_own_cell_may_repeat_a_check() -> None:
    notebook, released = solved(), solved()
    [check] = (cell for cell in notebook.cells if cell.id == "rows-check")
    notebook.cells.append(nbformat.v4.new_code_cell(check.source))
    assert repair(notebook, released) == []
    assert [notebook.cells[-1].source, grade_id(notebook.cells[-1])] == [check.source, ""]


@pytest.mark.parametrize("where", ["above all", "in its place", "behind its checks", "nowhere"])
def test_a_deleted_answer_comes_back_before_the_cell_that_defines_it(where: str) -> None:
    notebook, released = solved(), solved(ceiling=EMPTY.format("ceiling"))
    names = [grade_id(cell) for cell in notebook.cells]
    answer = notebook.cells.pop(names.index("ceiling"))
    own = nbformat.v4.new_code_cell(f"%time 1 + 1\n{answer.source}")
    above, behind = names.index("ceiling"), names.index("ceiling-more")
    place = {"above all": 1, "in its place": above, "behind its checks": behind}.get(where)
    if place:
        notebook.cells.insert(place, own)
    said = repair(notebook, released)
    told = "cell 'ceiling' was deleted: put back as handed out"
    assert said[0] == told + ("; your own cell counts" if place else "")
    assert len(said) == 1 or where == "behind its checks"
    order = ["own" if cell is own else grade_id(cell) for cell in notebook.cells]
    wanted = ["ceiling", *(["own"] if place else []), "ceiling-check", "ceiling-more"]
    assert [one for one in order if one in wanted] == wanted


# ---------------------------------------------------------------------------- nbgrader's own course

CONFIG = """
from ttt_lib.people.grading.execution import AUTOGRADE

c = get_config()
c.CourseDirectory.course_id = "ttt"
c.Exchange.root = {exchange!r}
c.Autograde.autograde_preprocessors = AUTOGRADE
c.Run.sandboxed = {sandboxed}
"""


def test_works_in_a_course_of_nbgrader(tmp_path: Path) -> None:
    """Release, collect, autograde, feedback and export by nbgrader's own commands."""
    course, exchange, student = (tmp_path / name for name in ("course", "exchange", "student"))
    for folder in (course / "source" / NAME, exchange, student):
        folder.mkdir(parents=True)
    exchange.chmod(0o777)
    source = course / "source" / NAME / f"{NAME}.ipynb"
    source.write_text(grade.with_mistakes(teach.masters()[NAME]), encoding="utf-8")
    text = CONFIG.format(exchange=str(exchange), sandboxed=can_be_confined())
    for folder in (course, student):
        (folder / "nbgrader_config.py").write_text(text)
    with commands(tmp_path / "said") as call:
        call("generate_assignment", NAME, cwd=course)
        call("release_assignment", NAME, cwd=course)
        call("fetch_assignment", NAME, "--course", "ttt", cwd=student)
        assert "NotImplementedError" in (student / NAME / f"{NAME}.ipynb").read_text()
        nbformat.write(solved(), student / NAME / f"{NAME}.ipynb")
        call("submit", NAME, "--course", "ttt", cwd=student)
        call("collect", NAME, cwd=course)
        call("autograde", NAME, cwd=course)
        call("generate_feedback", NAME, cwd=course)
        call("release_feedback", NAME, cwd=course)
        call("export", cwd=course)
    table = pd.read_csv(course / "grades.csv")
    assert table.raw_score.tolist() == [ALL]
    assert table.max_score.tolist() == [20]


COMMANDS = """
import atexit, json, os, runpy, sys, traceback

import nbgrader.apps

for line in sys.stdin:
    folder, words = json.loads(line)
    child = os.fork()
    if not child:
        os.chdir(folder)
        os.dup2(2, 1)
        sys.argv = ["nbgrader", *words]
        status = 0
        try:
            runpy.run_module("nbgrader", run_name="__main__", alter_sys=True)
        except SystemExit as end:
            status = end.code or 0
        except BaseException:
            traceback.print_exc()
            status = 1
        atexit._run_exitfuncs()
        sys.stderr.flush()
        os._exit(status)  # at once: taking all modules down takes longer than most commands
    print(os.waitpid(child, 0)[1], flush=True)
"""
"""What ``python -m nbgrader`` does, for one command a line, with nbgrader loaded once for all."""


@contextmanager
def commands(said: Path) -> Iterator[Callable[..., None]]:
    """A function that runs a command of nbgrader, which calls alembic by its name."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    with (
        said.open("w") as log,
        subprocess.Popen(
            [sys.executable, "-c", COMMANDS],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env={**os.environ, "PATH": path},
        ) as server,
    ):
        assert server.stdin is not None
        assert server.stdout is not None

        def call(*words: str, cwd: Path) -> None:
            server.stdin.write(json.dumps([str(cwd), words]) + "\n")
            server.stdin.flush()
            assert server.stdout.readline() == "0\n", said.read_text()[-2000:]

        yield call
