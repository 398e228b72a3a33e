"""What grading leaves: marks, records to resume from, points that a person gives, tables.

A folder of marks holds ``grades.csv`` (one row per task), ``to_read.csv`` (the open questions, for
a person to fill in), ``notices.csv`` (what was repaired, variants of somebody else, and what a
person filled in that is not counted), ``moodle.csv`` and ``canvas.csv`` (one row per student), the
pages of feedback, and in ``.records`` what each submission was and did.  Submissions never see this
folder.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import pandas as pd

from ttt_lib.evidence import store

TO_READ = "to_read.csv"
COLUMNS = ("student", "notebook", "task", "submission", "maximum", "points", "comment")

Name = tuple[str, str, str, str, float]
"""An answer that a person reads: student, notebook, task, submission and maximum."""

NOT_COUNTED = "not counted: "
"""How a notice begins about points that a person gave to something else."""


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
        Checksum of the submission, and of the master and the limits: same key, no new run.
    marks : tuple of Mark
        As code gave them.
    notices : tuple of str
        What was repaired, for the student.
    """

    key: str
    marks: tuple[Mark, ...]
    notices: tuple[str, ...] = ()

    @property
    def submission(self) -> str:
        """A name of what was handed in, whatever it was graded by.

        It begins with a letter, lest a spreadsheet read ``4e074085`` as a number.
        """
        return f"s{self.key[:8]}"


@dataclass(frozen=True)
class Reading:
    """What a person gave for an open question."""

    points: float | None
    comment: str = ""


def readable(name: str) -> str:
    r"""The name of a file or folder as text; letters from an old archive, not in UTF-8, as numbers.

    Examples
    --------
    >>> readable("M\udcfcller"), readable("Müller")
    ('M\\xfcller', 'Müller')
    """
    return os.fsencode(name).decode(errors="backslashreplace")


def student_of(file: Path) -> str:
    """The name of the student whose folder a file is in."""
    return readable(file.parent.name)


def folder_of(destination: Path, student: str) -> Path:
    """Where the records of a student are."""
    return destination / ".records" / student


def load(destination: Path, file: Path) -> Record | None:
    """The record of a submission, or None if it is missing or torn."""
    path = folder_of(destination, file.parent.name) / f"{file.name}.json"
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        marks = tuple(Mark(**mark) for mark in found["marks"])
        return Record(found["key"], marks, tuple(found["notices"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def save(destination: Path, file: Path, record: Record) -> None:
    """Write a record."""
    path = folder_of(destination, file.parent.name) / f"{file.name}.json"
    store.write_atomic(path, json.dumps(asdict(record), indent=1, ensure_ascii=False) + "\n")


# ---------------------------------------------------------------------------- a person's points


def read_points(destination: Path) -> dict[Name, Reading]:
    """What a person has filled into ``to_read.csv``; rows without points and comment are left out.

    Raises
    ------
    ValueError
        If it is no such table, if points are not a number or not between 0 and the maximum, or if
        two rows give different ones to one answer; it names the line.
    """
    path, found = destination / TO_READ, dict[Name, Reading]()
    for line, row in _filled_rows(path) if path.is_file() else ():
        name, reading = _read(path, line, row)
        if found.setdefault(name, reading) != reading:
            raise ValueError(f"{path}, line {line}: a line above says otherwise about this answer")
    return found


def _filled_rows(path: Path) -> Iterator[tuple[int, Mapping[str, str]]]:
    """The rows with points or a comment, and the numbers that a spreadsheet shows for them."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        separator = max(",;\t", key=text.partition("\n")[0].count)
        table = csv.DictReader(io.StringIO(text), delimiter=separator, restval="", strict=True)
        rows = list(enumerate(table, start=2))
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not in UTF-8: save it in that encoding") from None
    except csv.Error as error:
        raise ValueError(f"{path} is no table: {error}") from error
    if missing := sorted(set(COLUMNS) - set(table.fieldnames or ())):
        raise ValueError(f"{path}: no column {missing[0]!r}")
    for line, row in rows:
        if any("".join(cell) for name, cell in row.items() if name not in COLUMNS):
            raise ValueError(f"{path}, line {line}: something stands beside {', '.join(COLUMNS)}")
        if row["points"].strip() or row["comment"].strip():
            yield line, row


def _read(path: Path, line: int, row: Mapping[str, str]) -> tuple[Name, Reading]:
    text, most = (row[name].strip().replace(",", ".") for name in ("points", "maximum"))
    try:
        points, maximum = float(text) if text else None, float(most)
        fine = points is None or 0 <= points <= maximum
    except ValueError:
        fine = False
    if not fine:
        raise ValueError(f"{path}, line {line}: points from 0 to {row['maximum']}, not {text!r}")
    comment = re.sub(f"^'{FORMULA[1:]}", "", row["comment"].strip())
    name = (row["student"], row["notebook"], row["task"], row["submission"], maximum)
    return name, Reading(points, comment)


def with_reading(record: Record, read: Mapping[Name, Reading]) -> tuple[Mark, ...]:
    """The marks of a record with what a person gave for the open questions."""
    return tuple(_filled(mark, read.get(_name(mark, record))) for mark in record.marks)


def _filled(mark: Mark, found: Reading | None) -> Mark:
    if mark.points is not None or found is None or found.points is None:
        return mark
    return replace(mark, points=found.points, remark=found.comment)


def _name(mark: Mark, record: Record) -> Name:
    return mark.student, mark.notebook, mark.task, record.submission, mark.maximum


def _asked(found: Iterable[Record]) -> list[Name]:
    """The answers that a person has to read."""
    return [
        _name(mark, record)
        for record in found
        for mark in record.marks
        if mark.points is None and mark.task
    ]


def _not_counted(found: Iterable[Record], read: Mapping[Name, Reading]) -> list[Name]:
    """What a person filled in for anything but the answers there are now, such as earlier ones."""
    asked = set(_asked(found))
    return [name for name in read if name not in asked]


# ---------------------------------------------------------------------------- tables


def write_tables(
    destination: Path, found: Sequence[Record], read: Mapping[Name, Reading]
) -> pd.DataFrame:
    """Write all tables; return that of the marks."""
    marks = [mark for record in found for mark in with_reading(record, read)]
    table = pd.DataFrame([asdict(mark) for mark in marks], columns=[f.name for f in fields(Mark)])
    store.write_atomic(destination / "grades.csv", store.csv_text(as_text(table)))
    to_read = store.csv_text(as_text(_to_read(found, read)))
    store.write_atomic(destination / TO_READ, f"{UTF_8}{to_read}")
    sheets = {
        "moodle.csv": moodle(table),
        "canvas.csv": canvas(table),
        "notices.csv": as_text(notices(found, read)),
    }
    for name, sheet in sheets.items():
        store.write_atomic(destination / name, store.csv_text(sheet))
    return table


FORMULA = r"^(?=[=+\-@\t\r])"
"""Where a text begins that a spreadsheet would compute."""

UTF_8 = "\ufeff"
"""What tells a spreadsheet how letters are encoded: it saves the names as they were."""


def as_text(table: pd.DataFrame) -> pd.DataFrame:
    """A table for a spreadsheet, in which no text of a student's, and no comment, is a formula.

    An apostrophe before such a text tells a spreadsheet that it is one.
    """
    texts = [name for name in ("remark", "notebook", "notice", "comment") if name in table]
    quoted = {name: table[name].str.replace(FORMULA, "'", regex=True) for name in texts}
    return table.assign(**quoted)


def _to_read(found: Sequence[Record], read: Mapping[Name, Reading]) -> pd.DataFrame:
    """The answers to be read, and below them what is not counted, so that nothing typed is lost."""
    names = [*_asked(found), *_not_counted(found, read)]
    given = [read.get(name, Reading(None)) for name in names]
    rows = [(*name, one.points, one.comment) for name, one in zip(names, given, strict=True)]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"points": "float64"})


def notices(found: Sequence[Record], read: Mapping[Name, Reading]) -> pd.DataFrame:
    """What was repaired, whose variant was not their own, and which points are not counted."""
    rows = [
        (record.marks[0].student, record.marks[0].notebook, notice)
        for record in found
        for notice in record.notices
    ]
    rows += [(name[0], name[1], _left(*name[2:])) for name in _not_counted(found, read)]
    rows += _alike(found)
    return pd.DataFrame(rows, columns=["student", "notebook", "notice"])


def _alike(found: Sequence[Record]) -> Iterator[tuple[str, str, str]]:
    """Files that are the same, byte by byte, in several folders; those worth nothing aside."""
    same = defaultdict[tuple[str, str], list[str]](list)
    for record in found:
        if any(mark.points != 0 for mark in record.marks):
            same[record.marks[0].notebook, record.key.split("-")[0]].append(record.marks[0].student)
    for (notebook, _), students in same.items():
        for student in students:
            if others := sorted({*students} - {student}):
                yield student, notebook, f"the same file as that of {', '.join(others)}"


def _left(task: str, submission: str, maximum: float) -> str:
    what = f"{task} of submission {submission}, out of {maximum:g}"
    return f"{NOT_COUNTED}what {TO_READ} says about {what}, which is not what was graded"


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
