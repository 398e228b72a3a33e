"""Exercises for a class: build the students' notebooks from the masters, grade what comes back.

    python -m ttt_lib.people.teach build
    python -m ttt_lib.people.teach grade FOLDER

A master holds solutions and hidden checks between nbgrader's markers.  All the work is nbgrader's
(Blank et al., 2019): this module gives it a course in a temporary folder, with its database, and
takes the results out.  A submission runs in a kernel of its own, in that folder, within a time.
nbgrader is no jail, though: a kernel has the rights of whoever grades.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import pandas as pd

from ttt_lib.evidence import store
from ttt_lib.people.course import SECONDS, TOTAL_SECONDS, Course, course
from ttt_lib.people.formulas import mathjax, offline

MAX_BYTES = 5_000_000
"""Largest submission."""

SCRIPT = "mathjax.js"
"""The script beside the students' folders that sets the formulas of their pages."""


@dataclass(frozen=True)
class Mark:
    """Points of one task of one submission.

    Attributes
    ----------
    student, notebook, task : str
        Names of the student's folder, the notebook, and the graded cell (its ``grade_id``).
    points : float or None
        None where a person has to read the answer.
    maximum : float
        Points that the task is worth.
    remark : str
        What went wrong with the file, or what is left to do.
    """

    student: str
    notebook: str
    task: str
    points: float | None
    maximum: float
    remark: str = ""


def exercises() -> Path:
    """The folder of the exercises."""
    return store.root() / "notebooks" / "exercises"


def masters() -> dict[str, Path]:
    """The masters by name, e.g. ``01_playout_mlp``."""
    return {path.stem: path for path in sorted(exercises().glob("masters/*.ipynb"))}


# ---------------------------------------------------------------------------- building


def release(where: Course, notebook: str) -> Path:
    """Make the students' version of a master within a course; return its path."""
    source = where.folder / "source" / notebook / f"{notebook}.ipynb"
    source.parent.mkdir(parents=True)
    shutil.copyfile(masters()[notebook], source)
    where.run("GenerateAssignment", notebook)
    return where.folder / "release" / notebook / f"{notebook}.ipynb"


def build(destination: Path, notebooks: Sequence[str] = ()) -> list[Path]:
    """Write the students' versions of the masters, of all or of those named, into a folder.

    Raises
    ------
    ValueError
        If a name is unknown.
    """
    known = masters()
    if unknown := sorted(set(notebooks) - set(known)):
        raise ValueError(f"unknown exercise {unknown[0]!r}: {', '.join(known)}")
    with course() as where:
        made = {name: release(where, name).read_bytes() for name in notebooks or known}
    for name, data in made.items():
        store.write_atomic(destination / f"{name}.ipynb", data)
    return [destination / f"{name}.ipynb" for name in made]


# ---------------------------------------------------------------------------- grading


def grade(
    submissions: Path, destination: Path, *, seconds: float = SECONDS, total: float = TOTAL_SECONDS
) -> pd.DataFrame:
    """Grade a folder that holds one folder a student with notebooks in it.

    Parameters
    ----------
    destination : Path
        Gets ``grades.csv``, and ``STUDENT/NOTEBOOK.html`` with the checks and their outcome, and
        beside the students' folders the script that sets formulas in these pages.
    seconds, total : float
        Longest time of one cell, and of all cells of a submission.

    Returns
    -------
    DataFrame
        One row a task, columns as the attributes of :class:`Mark`.

    Raises
    ------
    ValueError
        If there is no such folder, or no student's folder with a notebook in it.
    """
    found = handed_in(submissions)
    marks: list[Mark] = []
    with course(seconds=seconds, total=total) as where:
        for name in sorted({file.stem for file in found} & set(masters())):
            release(where, name)
        for number, file in enumerate(found):
            marks += grade_one(where, f"s{number}", file, destination)
    table = pd.DataFrame([asdict(mark) for mark in marks], columns=[f.name for f in fields(Mark)])
    store.write_atomic(destination / "grades.csv", store.csv_text(table))
    store.write_atomic(destination / SCRIPT, mathjax().read_bytes())
    return table


def handed_in(submissions: Path) -> list[Path]:
    """The notebooks of all students, sorted; links are left out.

    Raises
    ------
    ValueError
        As :func:`grade`.
    """
    if not submissions.is_dir():
        raise ValueError(
            f"no folder {submissions}: name the folder that holds one folder a student"
        )
    found = [
        path
        for path in sorted(submissions.glob("[!.]*/*.ipynb"))
        if path.is_file() and not path.is_symlink() and not path.parent.is_symlink()
    ]
    if not found:
        raise ValueError(f"nothing to grade in {submissions}: STUDENT/NOTEBOOK.ipynb is expected")
    return found


def grade_one(where: Course, student: str, file: Path, destination: Path) -> list[Mark]:
    """Grade one file; a file that can't be graded gets its marks and a remark, never an exception.

    Parameters
    ----------
    student : str
        The student's name within the course: folders may have names that nbgrader can't take.
    """
    name = file.stem
    if name not in masters():
        remark = f"unknown exercise: {', '.join(masters())}"
        return [Mark(file.parent.name, name, "", None, 0, remark)]
    try:
        hand_over(file, where, student)
        where.run("Autograde", name, student)
        where.run("GenerateFeedback", name, student)
    except ValueError as error:
        remark = " ".join(str(error).split())
        return [
            Mark(file.parent.name, name, task, 0, most, remark)
            for task, most in tasks(where, name).items()
        ]
    feedback = where.folder / "feedback" / student / name / f"{name}.html"
    page = offline(feedback.read_text(encoding="utf-8"), f"../{SCRIPT}")
    store.write_atomic(destination / file.parent.name / feedback.name, page)
    return read_marks(where, student, file)


def hand_over(file: Path, where: Course, student: str) -> None:
    """Copy a submission into the course if it is a notebook.

    Raises
    ------
    ValueError
        If it is not, or too large.
    """
    import nbformat

    if file.stat().st_size > MAX_BYTES:
        raise ValueError(f"larger than {MAX_BYTES} bytes")
    released = where.folder / "release" / file.stem / file.name
    try:
        with warnings.catch_warnings(action="ignore"):  # older programs write no cell ids
            notebook = nbformat.read(file, as_version=4)
            mend(notebook, nbformat.read(released, as_version=4))
            nbformat.validate(notebook)
    except Exception as error:
        raise ValueError(f"not a notebook: {type(error).__name__}") from error
    place = where.folder / "submitted" / student / file.stem / file.name
    place.parent.mkdir(parents=True)
    nbformat.write(notebook, place)


def mend(notebook: Any, released: Any) -> None:
    """Put back, in place, what nbgrader needs and a student's program or hand has removed.

    A cell that lost its marks gets them by its id; a cell that is gone comes back as it was
    released, right after the one before it, so that a student's own cell in its place counts.
    """
    wanted = {cell.id: cell for cell in released.cells if "nbgrader" in cell.metadata}
    for cell in notebook.cells:
        if cell.get("id") in wanted and "nbgrader" not in cell.metadata:
            cell.metadata["nbgrader"] = wanted[cell.id].metadata["nbgrader"]
    place = 0
    for name, cell in wanted.items():
        found = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells]
        if name not in found:
            notebook.cells.insert(place, cell)
            found.insert(place, name)
        place = found.index(name) + 1


def tasks(where: Course, notebook: str) -> dict[str, float]:
    """The graded cells of a released notebook, and what each is worth."""
    from nbgrader.api import Gradebook

    with Gradebook(where.database) as book:
        found = book.find_notebook(notebook, notebook)
        return {cell.name: cell.max_score for cell in [*found.grade_cells, *found.task_cells]}


def read_marks(where: Course, student: str, file: Path) -> list[Mark]:
    """What the grade book says about one submission, in the order of the master's tasks."""
    from nbgrader.api import Gradebook

    with Gradebook(where.database) as book:
        grades = book.find_submission_notebook(file.stem, file.stem, student).grades
        found = {entry.name: entry.auto_score for entry in grades}
    return [
        Mark(file.parent.name, file.stem, task, found[task], most, unread(found[task]))
        for task, most in tasks(where, file.stem).items()
    ]


def unread(points: float | None) -> str:
    """The remark on a task: without automatic points a person has to read it."""
    return "to be read" if points is None else ""


# ---------------------------------------------------------------------------- the command


def summary(table: pd.DataFrame) -> str:
    """Points by student and notebook, as text."""
    table = table.assign(open=table.points.isna())
    sums = table.groupby(["student", "notebook"]).agg(
        points=("points", "sum"), maximum=("maximum", "sum"), to_read=("open", "sum")
    )
    return str(sums.to_string())


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m ttt_lib.people.teach", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("build", help="write the students' notebooks")
    make.add_argument("exercise", nargs="*", help="names such as 01_playout_mlp (all)")
    make.add_argument("--out", type=Path, help="folder (notebooks/exercises/student)")
    make.set_defaults(run=_build)
    mark = commands.add_parser("grade", help="grade a folder of STUDENT/NOTEBOOK.ipynb")
    mark.add_argument("folder", type=Path, help="holds one folder a student")
    mark.add_argument("--out", type=Path, help="folder for grades.csv and feedback (FOLDER-graded)")
    mark.add_argument("--seconds", type=float, default=SECONDS, help="longest time of a cell")
    mark.set_defaults(run=_grade)
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """The command; bad input ends with status 2 and one line."""
    chosen = arguments(argv)
    try:
        said = chosen.run(chosen)
    except (ValueError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write(f"{said}\n")
    return 0


def _build(chosen: argparse.Namespace) -> str:
    folder = chosen.out or exercises() / "student"
    made = build(folder, chosen.exercise)
    return f"{len(made)} notebooks in {folder}"


def _grade(chosen: argparse.Namespace) -> str:
    if not chosen.seconds > 0:
        raise ValueError(f"a cell needs more than 0 seconds, not {chosen.seconds}")
    folder = chosen.folder.resolve()
    destination = chosen.out or folder.with_name(f"{folder.name}-graded")
    table = grade(folder, destination, seconds=chosen.seconds)
    return f"{summary(table)}\n\ngrades.csv and feedback in {destination}"


if __name__ == "__main__":
    sys.exit(main())
