"""Grade a class of sixty in each exercise, and hold every mark to what it should be.

    python tests/class_of_sixty.py [EXERCISE ...] [--keep FOLDER] [--workers 2]

Right answers by several routes, typical mistakes, empty files and hostile programs, each student
with a variant of their own, graded by the command that a teacher uses.  Prints the time, the peak
of memory of all processes together, and each mark that differs; ends with status 1 if one does or
a limit is passed.  In a folder that is kept, grading goes on where it stopped.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

import nbformat
import pandas as pd
import psutil
from exercise_scores import MISTAKES, OTHERS, automatic, points_by, solved, tag
from test_grading import CALL, LOOK, STUBBORN, WRITE

from ttt_lib.people.grading import records, teach
from ttt_lib.people.grading.variants import parameters, variant_of

CLASS, RIGHT = 60, 14
LIMIT_SECONDS, LIMIT_BYTES = 20 * 60, 6e9
MASTERS = teach.exercises() / "masters"


@dataclass(frozen=True)
class Submission:
    """What a student hands in, the points that it should get, and words of a remark."""

    student: str
    kind: str
    text: str
    points: float
    remark: str = ""


# ---------------------------------------------------------------------------- what is handed in


def answering(exercise: str, student: str, task: str, code: str) -> str:
    """The right solution but for one task, whose answer is some code, in the student's variant."""
    notebook = solved(exercise, student)
    own = variant_of(student, parameters(MASTERS, exercise))
    (cell,) = [cell for cell in notebook.cells if cell.id == task]
    cell.source = own.of(task, code)
    return str(nbformat.writes(notebook))


def running(exercise: str, student: str, *codes: str) -> str:
    """The right solution, with cells of the student's own before the first task."""
    notebook = solved(exercise, student)
    first = next(n for n, cell in enumerate(notebook.cells) if tag(cell).get("solution"))
    notebook.cells[first:first] = [nbformat.v4.new_code_cell(code) for code in codes]
    return str(nbformat.writes(notebook))


def unsolved(exercise: str, student: str, *codes: str) -> str:
    """What the student was given, with nothing in it but cells of the student's own."""
    notebook = nbformat.reads(running(exercise, student, *codes), as_version=4)
    for cell in notebook.cells:
        if tag(cell).get("solution"):
            cell.source = "raise NotImplementedError()"
    return str(nbformat.writes(notebook))


STRIP = """
import ast

class Strip(ast.NodeTransformer):
    def visit_Assert(self, node):
        return ast.Pass()

get_ipython().ast_transformers.append(Strip())
"""
FORKS = """
import os, time

try:
    while True:
        os.fork() or time.sleep(600)
except OSError:
    pass
"""
PATCH = """
from ttt_lib.people.grading.marking import Marking

Marking.points = lambda self, typical=None: float("nan")
"""
TAMPERED = "a check that must fail has passed"
HOSTILE: tuple[tuple[str, str, str], ...] = (
    ("loops and catches", STUBBORN, "took too long"),
    ("hoards", "hoard = []\nwhile True:\n    hoard.append(b'x' * 10**8)", "of memory"),
    ("floods", "while True:\n    print('x' * 10**3)", "cell"),
    ("fills the disk", "for n in range(100):\n    open(f'f{n}', 'wb').write(bytes(10**7))",
     "MB of files"),
    ("dies", "import os\nos._exit(1)", "ended the program"),
    ("patches numpy", "import numpy\nnumpy.isclose = numpy.allclose = lambda *a, **k: True",
     TAMPERED),
    ("patches points", PATCH, TAMPERED),
)  # fmt: skip
"""Right solutions after a cell that ends in nothing."""


def harmless(folder: Path) -> tuple[str, ...]:
    """Tries to read, write and call out; fails, and what follows counts."""
    read = tuple(map(str, (folder / "*", f"{folder}-graded/*", MASTERS / "*", Path.home() / "*")))
    write = tuple(map(str, (folder / "x", "/tmp/stolen", "/usr/stolen", Path(sys.prefix) / "x")))
    return LOOK.format(places=read), WRITE.format(places=write), CALL, "import sys\nsys.exit()"


def submissions(exercise: str, folder: Path) -> Iterator[Submission]:
    """The sixty of an exercise: hostile and empty ones, right ones, and mistakes."""
    most = sum(automatic(nbformat.read(teach.masters()[exercise], as_version=4)).values())
    names = (f"s{number:02}" for number in range(1, CLASS + 1))
    for kind, code, remark in HOSTILE:
        name = next(names)
        yield Submission(name, kind, running(exercise, name, code), 0, remark)
    name = next(names)
    yield Submission(name, "strips asserts", unsolved(exercise, name, STRIP), 0, TAMPERED)
    name = next(names)
    yield Submission(name, "spies", running(exercise, name, *harmless(folder)), most)
    name = next(names)  # idle copies share their memory: they are refused at some number, no more
    yield Submission(name, "forks", running(exercise, name, FORKS), most)
    name = next(names)
    yield Submission(name, "unsolved", unsolved(exercise, name), 0)
    empty = str(nbformat.writes(nbformat.v4.new_notebook()))
    yield Submission(next(names), "no cells", empty, 0, "none of the tasks")
    for kind, text in (("empty file", ""), ("no notebook", "%PDF")):
        yield Submission(next(names), kind, text, 0, "not a notebook")
    other = cycle([one for one in OTHERS if one["notebook"] == exercise])
    name = next(names)
    yield Submission(name, "right", running(exercise, name), most)
    for entry in islice(other, RIGHT - 1):
        name = next(names)
        text = answering(exercise, name, entry["task"], entry["code"])
        yield Submission(name, f"right, {entry['task']} by another route", text, most)
    wrong = cycle([one for one in MISTAKES if one.notebook == exercise])
    for name, mistake in zip(names, wrong, strict=False):
        text = answering(exercise, name, mistake.task, mistake.code)
        left = points_by(nbformat.reads(text, as_version=4))  # a later task may use this answer
        assert left[mistake.check] == mistake.earns, (exercise, name, mistake.why)
        yield Submission(name, f"{mistake.task}: {mistake.why}", text, sum(left.values()))


# ---------------------------------------------------------------------------- grading and measuring


@contextmanager
def watched(root: psutil.Process) -> Iterator[Callable[[], float]]:
    """Samples the memory of a process and all below it; gives the peak in bytes."""
    peak, done = [0.0], threading.Event()

    def look() -> None:
        while not done.wait(0.25):
            peak[0] = max(peak[0], in_use(root))

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield lambda: peak[0]
    finally:
        done.set()
        watcher.join()


def in_use(root: psutil.Process) -> float:
    """Resident memory of a process and all below it, in bytes; shared pages count again."""
    total = 0
    try:
        for process in [root, *root.children(recursive=True)]:
            with suppress(psutil.Error):  # ended meanwhile
                total += process.memory_info().rss
    except psutil.NoSuchProcess:
        return 0
    return total


def differing(handed_in: list[Submission], graded: Path) -> Iterator[str]:
    """One line for each submission whose points or remark are not those expected."""
    table = pd.read_csv(graded / "grades.csv", keep_default_na=False)
    for one in handed_in:
        rows = table[table.student == one.student]
        points = float(pd.to_numeric(rows.points).sum())
        if points != one.points:
            yield f"{one.student} ({one.kind}): {points:g} points, not {one.points:g}"
        if one.remark and not any(one.remark in remark for remark in rows.remark):
            yield f"{one.student} ({one.kind}): no remark {one.remark!r}: {set(rows.remark)}"


def spied(graded: Path, student: str, exercise: str) -> bool:
    """Whether a submission has seen, written or called what it should not."""
    kept = records.folder_of(graded, student) / f"{exercise}.ipynb"
    cells = nbformat.read(kept, as_version=4).cells
    said = str([cell.get("outputs") for cell in cells])
    fine = "ALL SEEN" in said and "NO NETWORK" in said and "SystemError" not in said
    return not fine or Path("/tmp/stolen").exists()


def trial(exercise: str, folder: Path, workers: int) -> bool:
    """Grade the sixty of an exercise; whether all is as it should be."""
    place = folder.resolve() / exercise
    handed_in = list(submissions(exercise, place))
    for one in handed_in:
        (place / one.student).mkdir(parents=True, exist_ok=True)
        (place / one.student / f"{exercise}.ipynb").write_text(one.text, encoding="utf-8")
    begun = time.perf_counter()
    with watched(psutil.Process()) as peak:
        words = ["grade", str(place), "--variants", "--workers", str(workers)]
        status = teach.main(words)
    taken, graded = time.perf_counter() - begun, place.with_name(f"{exercise}-graded")
    if status:
        return False
    wrong = list(differing(handed_in, graded))
    (spy,) = [one.student for one in handed_in if one.kind == "spies"]
    wrong += ["a submission reached beyond its folder"] * spied(graded, spy, exercise)
    sys.stdout.write(
        f"{exercise}: {len(handed_in)} submissions in {taken / 60:.1f} min, "
        f"at most {peak() / 1e9:.2f} GB, {len(wrong)} not as expected\n"
    )
    sys.stdout.write("".join(f"  {line}\n" for line in wrong))
    sys.stdout.flush()
    return not wrong and taken < LIMIT_SECONDS and peak() < LIMIT_BYTES


def main() -> int:
    """Grade the named exercises, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("exercise", nargs="*", default=list(teach.masters()))
    parser.add_argument("--keep", type=Path, help="a folder for submissions and marks")
    parser.add_argument("--workers", type=int, default=2)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as spare:
        folder = chosen.keep or Path(spare)
        fine = [trial(exercise, folder, chosen.workers) for exercise in chosen.exercise]
    return int(not all(fine))


if __name__ == "__main__":
    sys.exit(main())
