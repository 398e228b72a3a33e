"""Exercises for a class: build the students' notebooks from the masters, grade what comes back.

    python -m ttt_lib.people.grading.teach build
    python -m ttt_lib.people.grading.teach build --seed STUDENT
    python -m ttt_lib.people.grading.teach grade FOLDER

A master holds solutions and hidden checks between nbgrader's markers.  The work is nbgrader's
(Blank et al., 2019): this module gives it a course in a temporary folder, with its database, and
takes the results out.  Submissions run in a sandbox; see :mod:`ttt_lib.people.grading.grade`.  Fill
your points into ``to_read.csv`` and grade again; they stay with the submission that you read.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pandas as pd
from joblib import parallel_config

from ttt_lib.evidence import store
from ttt_lib.evidence.command import INTERRUPTED, Parser, at_least, folder_named, run_command
from ttt_lib.evidence.parallel import run_parallel
from ttt_lib.people.grading.course import SECONDS, TOTAL_SECONDS, course
from ttt_lib.people.grading.execution import NOT_RUN, PARTLY
from ttt_lib.people.grading.grade import NO_PAGE, UNREADABLE, grade, release
from ttt_lib.people.grading.records import NOT_COUNTED, readable


def exercises() -> Path:
    """The folder of the exercises."""
    return store.root() / "notebooks" / "exercises"


def masters() -> dict[str, Path]:
    """The masters by name, e.g. ``01_playout_mlp``."""
    return {path.stem: path for path in sorted(exercises().glob("masters/*.ipynb"))}


# ---------------------------------------------------------------------------- building


def build(
    destination: Path,
    notebooks: Sequence[str] = (),
    seed: str | None = None,
    *,
    force: bool = False,
) -> list[Path]:
    """Write the students' versions of the masters, of all or of those named, into a folder.

    Parameters
    ----------
    seed : str or None
        Name of a student, who gets boards and numbers of their own.
    force : bool
        Whether to write over notebooks that differ, in which somebody may have worked.

    Raises
    ------
    ValueError
        If a name is unknown, the seed is no name of a folder, or a notebook is there that differs.
    """
    known = masters()
    if unknown := sorted(set(notebooks) - set(known)):
        raise ValueError(f"unknown exercise {unknown[0]!r}: {', '.join(known)}")
    if seed is not None and (not seed.strip() or Path(seed).name != seed or seed.startswith(".")):
        raise ValueError(f"the seed is the name of the student's folder, not {seed!r}")
    with course() as where:
        made = {n: release(where, n, known[n], seed).read_bytes() for n in notebooks or known}
    for path, data in ((destination / f"{name}.ipynb", data) for name, data in made.items()):
        if not force and path.exists() and path.read_bytes() != data:
            raise ValueError(f"{path} differs, somebody may have worked in it: --force replaces it")
    for name, data in made.items():
        store.write_atomic(destination / f"{name}.ipynb", data)
    return [destination / f"{name}.ipynb" for name in made]


# ---------------------------------------------------------------------------- the command


def summary(table: pd.DataFrame) -> str:
    """Points by student and notebook, as text."""
    table = table.assign(open=table.points.isna())
    sums = table.groupby(["student", "notebook"]).agg(
        points=("points", "sum"), maximum=("maximum", "sum"), to_read=("open", "sum")
    )
    return str(sums.to_string())


def parser() -> Parser:
    """The parser of the command line."""
    parser = Parser(prog="python -m ttt_lib.people.grading.teach", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("build", help="write the students' notebooks")
    make.add_argument("exercise", nargs="*", help="names such as 01_playout_mlp (all)")
    make.add_argument("--out", type=folder_named, help="folder (notebooks/exercises/student)")
    make.add_argument("--force", action="store_true", help="write over notebooks that differ")
    make.add_argument(
        "--seed", action="append", default=[],
        help="a student's name: writes that student's variant into a folder of this name;"
        " may be repeated",
    )  # fmt: skip
    make.add_argument(
        "--workers", type=at_least(1), default=2, help="students at the same time (2)"
    )
    make.set_defaults(run=_build)
    mark = commands.add_parser("grade", help="grade a folder of STUDENT/NOTEBOOK.ipynb")
    mark.add_argument("folder", type=folder_named, help="holds one folder per student")
    mark.add_argument(
        "--out", type=folder_named, help="folder for grades.csv and feedback (FOLDER-graded)"
    )
    most = "longest time of a {}, in seconds (%(default)s)"
    mark.add_argument("--seconds", type=float, default=SECONDS, help=most.format("cell"))
    mark.add_argument("--total", type=float, default=TOTAL_SECONDS, help=most.format("submission"))
    mark.add_argument(
        "--student",
        action="append",
        default=[],
        help="run this folder only; the tables keep the others as graded last; may be repeated",
    )
    mark.add_argument(
        "--workers", type=at_least(1), default=2, help="submissions at the same time (2)"
    )
    mark.add_argument(
        "--variants", action="store_true", help="each got the variant of their folder's name"
    )
    mark.add_argument("--unsafe", action="store_true", help="run them without a sandbox")
    mark.set_defaults(run=_grade)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    status = run_command(parser(), _tell, argv)
    if status == INTERRUPTED:
        sys.stderr.write("Interrupted: to finish, give the same command again.\n")
    return status


def _tell(chosen: argparse.Namespace) -> None:
    store.checkout("to build or grade exercises")
    sys.stdout.write(f"{chosen.run(chosen)}\n")


def _build(chosen: argparse.Namespace) -> str:
    folder = chosen.out or exercises() / "student"
    places = {folder / seed: seed for seed in chosen.seed} or {folder: None}
    jobs = [(place, chosen.exercise, seed) for place, seed in places.items()]
    write = partial(build, force=chosen.force)
    with parallel_config(n_jobs=min(chosen.workers, len(jobs))):
        made = run_parallel(write, jobs, about="student" if len(jobs) > 1 else "")
    count = sum(map(len, made))
    return f"{count} notebook{'s' * (count != 1)} in {folder}"


def _grade(chosen: argparse.Namespace) -> str:
    for name in ("seconds", "total"):
        if not getattr(chosen, name) > 0:
            raise ValueError(f"--{name} wants more than 0, not {getattr(chosen, name)}")
        if getattr(chosen, name) == float("inf"):
            raise ValueError(f"--{name} wants a finite number, not inf")
    folder = chosen.folder.resolve()
    destination = chosen.out or folder.with_name(f"{folder.name}-graded")
    table = grade(
        folder,
        destination,
        masters(),
        seconds=chosen.seconds,
        total=chosen.total,
        students=chosen.student,
        workers=chosen.workers,
        unsafe=chosen.unsafe,
        variants=chosen.variants,
    )
    made = f"grades.csv, to_read.csv and feedback in {destination}"
    told = attention(destination), absent(folder, table), misplaced(folder)
    return f"{summary(table)}\n\n{made}{''.join(told)}"


TOLD = {
    "this is the variant of": "not their own variant",
    NOT_RUN: "could not be run, and will be next time",
    PARTLY: "run only in part, without points for the checks after that",
    UNREADABLE: "could not be graded",
    NO_PAGE: "graded, but without a page of feedback",
    NOT_COUNTED: "rows of to_read.csv that are kept at its end, but not counted",
}
"""How notices begin that the command counts, and what it calls them."""


def attention(destination: Path) -> str:
    """A line on each kind of notice that a teacher should see, if there were any."""
    found = pd.read_csv(destination / "notices.csv").notice.astype(str)
    counts = {about: int(found.str.startswith(start).sum()) for start, about in TOLD.items()}
    lines = (f"\n{about}: {count} (notices.csv)" for about, count in counts.items() if count)
    return "".join(lines)


def absent(folder: Path, table: pd.DataFrame) -> str:
    """A line on students' folders that nothing in the tables is of, if there are any."""
    folders = {readable(path.name) for path in folder.glob("[!.]*") if path.is_dir()}
    names = folders - set(table.student)
    return (
        f"\nnot in the tables, as no file was graded: {', '.join(sorted(names))}" if names else ""
    )


def misplaced(folder: Path) -> str:
    """A line on notebooks that lie beside the students' folders or deeper, if there are any."""
    places = (path.relative_to(folder) for path in sorted(folder.rglob("*.ipynb")))
    seen = (place for place in places if not any(part.startswith(".") for part in place.parts))
    lost = [readable(str(place)) for place in seen if len(place.parts) != 2]
    return (
        f"\nnot graded, as they do not lie in a student's folder: {', '.join(lost)}" if lost else ""
    )


if __name__ == "__main__":
    sys.exit(main())
