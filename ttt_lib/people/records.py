"""What grading leaves: marks, records to resume from, points that a person gives, tables.

A folder of marks holds ``grades.csv`` (one row per task), ``to_read.csv`` (the open questions, for
a person to fill in), ``notices.csv`` (what was repaired, and variants of somebody else),
``moodle.csv`` and ``canvas.csv`` (one row per student), the pages of feedback, and in ``.records``
what each submission was and did.  Submissions never see this folder.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import pandas as pd

from ttt_lib.evidence import store

TO_READ = "to_read.csv"
COLUMNS = ("student", "notebook", "task", "submission", "maximum", "points", "comment")


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
        Why points were lost, what went wrong with the file, or what is left to do.

    Raises
    ------
    ValueError
        If the points are not between 0 and the maximum.
    """

    student: str
    notebook: str
    task: str
    points: float | None
    maximum: float
    remark: str = ""

    def __post_init__(self) -> None:
        if self.points is not None and not 0 <= self.points <= self.maximum:
            raise ValueError(f"{self.points} points for {self.task}: 0 to {self.maximum:g}")


@dataclass(frozen=True)
class Record:
    """What became of one submission.

    Attributes
    ----------
    key : str
        Checksum of the submission, the master and the limits: same key, no new run.
    marks : tuple of Mark
        As code gave them.
    notices : tuple of str
        What was mended, for the student.
    """

    key: str
    marks: tuple[Mark, ...]
    notices: tuple[str, ...] = ()

    def to_json(self) -> str:
        """The record as the text of a file."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Record:
        """Back from :meth:`to_json`."""
        found = json.loads(text)
        marks = tuple(Mark(**mark) for mark in found["marks"])
        return cls(found["key"], marks, tuple(found["notices"]))


@dataclass(frozen=True)
class Reading:
    """What a person gave for an open question."""

    points: float | None
    comment: str = ""


def folder_of(destination: Path, student: str) -> Path:
    """Where the records of a student are."""
    return destination / ".records" / student


def load(destination: Path, file: Path) -> Record | None:
    """The record of a submission, or None if it is missing or torn."""
    path = folder_of(destination, file.parent.name) / f"{file.name}.json"
    try:
        return Record.from_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def save(destination: Path, file: Path, record: Record) -> None:
    """Write a record."""
    path = folder_of(destination, file.parent.name) / f"{file.name}.json"
    store.write_atomic(path, record.to_json())


# ---------------------------------------------------------------------------- a person's points


def read_points(destination: Path) -> dict[tuple[str, str, str, str], Reading]:
    """What a person has filled into ``to_read.csv``, by student, notebook, task and submission.

    Raises
    ------
    ValueError
        If points are not a number or not between 0 and the maximum; it names the line.
    """
    path = destination / TO_READ
    if not path.is_file():
        return {}
    table = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig", sep=None,
                        engine="python")  # fmt: skip
    if missing := sorted(set(COLUMNS) - set(table.columns)):
        raise ValueError(f"{path}: no column {missing[0]!r}")
    return {
        (row["student"], row["notebook"], row["task"], row["submission"]): _read(path, line, row)
        for line, row in enumerate(table.to_dict("records"), start=2)
    }


def _read(path: Path, line: int, row: Mapping[Any, str]) -> Reading:
    text = row["points"].strip().replace(",", ".")
    try:
        points = float(text) if text else None
        fine = points is None or 0 <= points <= float(row["maximum"])
    except ValueError:
        fine = False
    if not fine:
        raise ValueError(f"{path}, line {line}: points from 0 to {row['maximum']}, not {text!r}")
    return Reading(points, row["comment"].strip())


def with_reading(
    record: Record, read: Mapping[tuple[str, str, str, str], Reading]
) -> tuple[Mark, ...]:
    """The marks of a record with what a person gave for the open questions."""
    return tuple(_filled(mark, read.get(_name(mark, record))) for mark in record.marks)


def _filled(mark: Mark, found: Reading | None) -> Mark:
    if mark.points is not None or found is None or found.points is None:
        return mark
    return replace(mark, points=found.points, remark=found.comment)


def _name(mark: Mark, record: Record) -> tuple[str, str, str, str]:
    return mark.student, mark.notebook, mark.task, record.key[:8]


# ---------------------------------------------------------------------------- tables


def write_tables(
    destination: Path, found: Sequence[Record], read: Mapping[tuple[str, str, str, str], Reading]
) -> pd.DataFrame:
    """Write all tables; return that of the marks."""
    marks = [mark for record in found for mark in with_reading(record, read)]
    table = pd.DataFrame([asdict(mark) for mark in marks], columns=[f.name for f in fields(Mark)])
    store.write_atomic(destination / "grades.csv", store.csv_text(as_text(table)))
    store.write_atomic(destination / TO_READ, store.csv_text(_to_read(found, read)))
    sheets = {
        "moodle.csv": moodle(table),
        "canvas.csv": canvas(table),
        "notices.csv": as_text(notices(found)),
    }
    for name, sheet in sheets.items():
        store.write_atomic(destination / name, store.csv_text(sheet))
    return table


FORMULA = r"^(?=[=+\-@\t\r])"
"""Where a text begins that a spreadsheet would compute."""


def as_text(table: pd.DataFrame) -> pd.DataFrame:
    """A table for a spreadsheet, in which no text of a student's is a formula.

    An apostrophe before such a text tells a spreadsheet that it is one.
    """
    theirs = [name for name in ("remark", "notebook", "notice") if name in table]
    quoted = {name: table[name].str.replace(FORMULA, "'", regex=True) for name in theirs}
    return table.assign(**quoted)


def _to_read(
    found: Iterable[Record], read: Mapping[tuple[str, str, str, str], Reading]
) -> pd.DataFrame:
    rows = []
    for record in found:
        for mark in record.marks:
            if mark.points is None and mark.task:
                given = read.get(_name(mark, record), Reading(None))
                rows.append((*_name(mark, record), mark.maximum, given.points, given.comment))
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"points": "float64"})


def notices(found: Iterable[Record]) -> pd.DataFrame:
    """What was mended, and whose variant was not their own: one row per notice."""
    rows = [
        (record.marks[0].student, record.marks[0].notebook, notice)
        for record in found
        for notice in record.notices
    ]
    return pd.DataFrame(rows, columns=["student", "notebook", "notice"])


def sums(table: pd.DataFrame) -> pd.DataFrame:
    """Points by student (rows) and notebook; empty while a person still has something to read."""
    known = table[table.task != ""]
    by = [known["student"], known["notebook"]]
    total, waits = known["points"].groupby(by).sum(), known["points"].isna().groupby(by).any()
    return total.mask(waits).unstack("notebook")


def moodle(table: pd.DataFrame) -> pd.DataFrame:
    """For Moodle's import of grades: one row per student; ``username`` is the folder's name."""
    return sums(table).rename_axis("username").rename_axis(None, axis=1).reset_index()


def canvas(table: pd.DataFrame) -> pd.DataFrame:
    """For Canvas's import: its five columns, and a row with the points that are possible."""
    points = sums(table)
    most = table[table.task != ""].groupby(["student", "notebook"]).maximum.sum()
    possible = most.groupby("notebook").max()
    head = pd.DataFrame({"Student": ["    Points Possible", *points.index]})
    for column in ("ID", "SIS User ID"):
        head[column] = ""
    head["SIS Login ID"] = ["", *points.index]
    head["Section"] = ""
    for notebook in points.columns:
        head[notebook] = [possible[notebook], *points[notebook]]
    return head
