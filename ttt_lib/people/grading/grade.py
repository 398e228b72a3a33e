"""Grade a folder of submissions: each by itself, in a sandbox, going on where it stopped.

All marks are made out here, by nbgrader, from what a kernel in the sandbox answered: a submission
sees neither masters nor others nor the marks (:mod:`ttt_lib.people.grading.sandbox`).  Each has a
course of its own while it is graded.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
import shutil
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
from joblib import delayed
from nbconvert.filters import strip_ansi
from nbgrader.api import Gradebook
from nbgrader.utils import is_grade, is_solution

from ttt_lib.evidence import store
from ttt_lib.evidence.parallel import Pool
from ttt_lib.people.formulas import mathjax, offline
from ttt_lib.people.grading import execution, sandbox
from ttt_lib.people.grading.course import (
    SECONDS,
    TOTAL_SECONDS,
    Course,
    course,
    environment,
    limited,
)
from ttt_lib.people.grading.locked_cells import MAGIC
from ttt_lib.people.grading.records import (
    Mark,
    Name,
    Reading,
    Record,
    folder_of,
    load,
    read_points,
    readable,
    save,
    student_of,
    with_reading,
    write_tables,
)
from ttt_lib.people.grading.repair import by_grade_id, grade_id, grade_ids, is_read_only, repair
from ttt_lib.people.grading.variants import FILE as VARIANTS
from ttt_lib.people.grading.variants import Variant, entries, parameters, variant_of

MISTAKES = "mistakes.toml"
"""The file beside the masters with typical mistakes, and other right answers."""

MAX_BYTES = 5_000_000
"""Largest submission, outputs not counted."""

MAX_RAW = 100_000_000
"""Largest file that is opened at all."""

PAGE_SECONDS = 60
"""Longest time of the processor for a page of feedback; some texts would take nbconvert hours."""

SCRIPT = "mathjax.js"
"""The script beside the students' folders that sets the formulas of their pages."""

UNSAFE = """{reason}; submissions would run with your own permissions. Install bubblewrap, or \
grade inside a container and pass --unsafe"""


def grade(
    submissions: Path,
    destination: Path,
    masters: dict[str, Path],
    *,
    seconds: float = SECONDS,
    total: float = TOTAL_SECONDS,
    students: Sequence[str] = (),
    workers: int = 1,
    unsafe: bool = False,
    variants: bool = False,
) -> pd.DataFrame:
    """Grade a folder that holds one folder per student with notebooks in it.

    What was graded before is not run again unless the submission, the master or the limits
    changed; points that a person filled into ``to_read.csv`` are taken over.  The tables are about
    all files in the folder, as they were graded last.

    Parameters
    ----------
    destination : Path
        Gets the tables (:mod:`ttt_lib.people.grading.records`) as results come, and
        ``STUDENT/NOTEBOOK.html`` with the checks and their outcome.
    masters : dict
        The master of each notebook's name.
    seconds, total : float
        Longest time of one cell, and of all cells of a submission.
    students : sequence of str
        Folders in which files are run; all if empty.
    workers : int
        Submissions at the same time.
    unsafe : bool
        Run submissions without a sandbox.
    variants : bool
        Each student got the variant of their folder's name, and is graded by its checks.

    Returns
    -------
    DataFrame
        One row per task, columns as the attributes of
        :class:`~ttt_lib.people.grading.records.Mark`.

    Raises
    ------
    ValueError
        If there is no such folder, no student's folder with a file in it, no sandbox, if the
        destination lies among the submissions, or if ``to_read.csv`` can't be read.
    """
    files, chosen = (submitted_files(submissions, who, masters) for who in ((), students))
    if destination.resolve().is_relative_to(submissions.resolve()):
        raise ValueError(f"{destination} lies in {submissions}: it would be graded like a student")
    read_points(destination)  # complains before anything runs
    if not unsafe:
        _needs_sandbox()
    with course(seconds=seconds, total=total, sandboxed=not unsafe) as where:
        for name in _names(files, masters):
            release(where, name, masters[name])
        keys = {f: key_of(f, masters.get(f.stem), where, variants=variants) for f in files}
        known = {f: record for f in files if (record := load(destination, f))}
        open_ = {f: keys[f] for f in chosen if f not in known or known[f].key != keys[f]}
        records = {f: record for f, record in known.items() if f not in open_}
        for file, record in _run(
            where, open_, destination, masters, workers=workers, variants=variants
        ):
            records[file] = record
            _write_tables(destination, files, records)
        read = read_points(destination)
        for file, record in records.items():  # earlier ones too, if a person's points came in
            if record.key == keys[file]:
                told = page_trouble(where, file, record, destination, read)
                records[file] = replace(record, notices=(*record.notices, *told))
    store.write_atomic(destination / SCRIPT, mathjax().read_bytes())
    return _write_tables(destination, files, records)


def _names(files: Iterable[Path], masters: Mapping[str, Path]) -> list[str]:
    """The exercises that files have the names of."""
    return sorted({file.stem for file in files} & set(masters))


def _run(
    where: Course,
    open_: Mapping[Path, str],
    destination: Path,
    masters: Mapping[str, Path],
    *,
    workers: int,
    variants: bool,
) -> Iterator[tuple[Path, Record]]:
    """Grade files, given with their keys, after their masters; each record as it comes."""
    notebooks = [file for file in open_ if file.suffix == ".ipynb"]
    ready = {name: warmed(where, name, masters[name]) for name in _names(notebooks, masters)}
    own, read = masters if variants else {}, read_points(destination)
    jobs = (
        delayed(grade_one)(ready.get(f.stem, where), f, key, destination, read, own.get(f.stem))
        for f, key in open_.items()
    )
    yield from Pool(workers, return_as="generator_unordered")(jobs)


def _write_tables(
    destination: Path, files: Iterable[Path], records: Mapping[Path, Record]
) -> pd.DataFrame:
    """Write the tables, with what a person has filled in by now, also during a long run."""
    found = [records[file] for file in files if file in records]
    return write_tables(destination, found, read_points(destination))


def _needs_sandbox() -> None:
    try:
        sandbox.as_root()
    except sandbox.NoSandboxError as error:
        raise ValueError(UNSAFE.format(reason=error)) from error


def release(where: Course, notebook: str, master: Path, seed: str | None = None) -> Path:
    """Make the students' version of a master, or one student's, in a course; return its path."""
    source = where.folder / "source" / notebook / f"{notebook}.ipynb"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(with_mistakes(master, seed), encoding="utf-8")
    where.run("GenerateAssignment", notebook)
    return where.folder / "release" / notebook / f"{notebook}.ipynb"


def with_mistakes(master: Path, seed: str | None = None) -> str:
    """A master whose hidden checks know typical mistakes, and which says its edition.

    With a seed, the student's name, it has that student's values and says so.
    """
    notebook, stated = nbformat.read(master, as_version=4), [master]
    own = None if seed is None else variant_of(seed, parameters(master.parent, master.stem))
    if own is not None:
        stated.append(master.parent / VARIANTS)
        notebook.metadata["variant"] = {"seed": seed, "values": dict(own.values)}
    edition = hashlib.sha256(b"".join(path.read_bytes() for path in stated))
    notebook.metadata["edition"] = edition.hexdigest()[:8]
    return str(nbformat.writes(filled_in(notebook, master, own)))


def filled_in(notebook: Any, master: Path, own: Variant | None) -> Any:
    """The master with the values of a variant; its hidden checks know typical mistakes.

    They never hold a right answer: a traceback of a student's own cell could show it.
    """
    known = mistakes(master.parent)
    if own is not None:
        known = [varied(mistake, own) for mistake in known if mistake.notebook == master.stem]
        for cell in notebook.cells:
            cell.source = own.of(cell.id, cell.source)
    for cell in notebook.cells:
        typical = {m.why: m.code for m in known if (m.notebook, m.check) == (master.stem, cell.id)}
        cell.source = cell.source.replace("mark.points()", f"mark.points({typical!r})")
    return notebook


@dataclass(frozen=True)
class Mistake:
    """A typical wrong answer.

    Attributes
    ----------
    notebook, task : str
        The master, and the ``grade_id`` of the solution cell that the code replaces.
    why : str
        The misconception, for feedback.
    earns : float
        Points that it still earns for the task.
    silent : bool
        Whether the checks that students see pass nevertheless.
    code : str
        The whole cell.
    """

    notebook: str
    task: str
    why: str
    earns: float
    silent: bool
    code: str

    @property
    def check(self) -> str:
        """The cell that finds it."""
        return f"{self.task}-more"


def mistakes(masters: Path) -> list[Mistake]:
    """The typical mistakes stored beside the masters."""
    return [Mistake(**entry) for entry in entries(masters / MISTAKES, "mistake")]


def varied(mistake: Mistake, own: Variant) -> Mistake:
    """The mistake in a student's variant."""
    code, why = (own.of(mistake.task, text) for text in (mistake.code, mistake.why))
    return replace(mistake, code=code, why=why)


def warmed(where: Course, notebook: str, master: Path) -> Course:
    """The course after its master has been graded like a submission.

    So what numba compiles is compiled once, and a machine on which the right solution does not get
    all points is found before anybody loses some.

    Raises
    ------
    ValueError
        If the master does not get all points.
    """
    cached = replace(where, cache=where.folder / "cache" / notebook)
    with tempfile.TemporaryDirectory(prefix="ttt-teach-") as folder, environment():
        own = cached.copy(notebook, Path(folder).resolve())
        place_submission(master, own)
        own.run("Autograde", notebook, "student")
        executed = own.folder / "autograded" / "student" / notebook / f"{notebook}.ipynb"
        for mark in read_marks(own, master, executed):
            if mark.points is not None and mark.points < mark.maximum:
                raise ValueError(
                    f"the solution of {notebook} itself fails: {mark.task} {mark.remark}"
                )
    return cached


COPY = re.compile(r"(?: \(\d+\)|-Copy\d*)$")
"""What browsers and JupyterLab add to the name of a copy."""


def handed_in(file: Path) -> Path:
    """The file itself that a path of :func:`submitted_files` stands for."""
    copies = sorted(one for one in file.parent.glob(f"[!.]*{file.suffix}") if _is_own(one))
    alike = (one for one in copies if COPY.sub("", one.stem) == file.stem)
    return file if file in copies else next(alike, file)


def _is_own(path: Path) -> bool:
    """Whether it is a file itself, in a folder itself: no link to something else."""
    return path.is_file() and not path.is_symlink() and not path.parent.is_symlink()


def submitted_files(
    submissions: Path, students: Sequence[str] = (), known: Iterable[str] = ()
) -> list[Path]:
    """The files of all students, sorted; links and hidden files are left out.

    A copy, such as ``01_playout_mlp (1).ipynb``, gets the path that it would have under a known
    name, if nothing else in its folder has that (:func:`handed_in`).

    Raises
    ------
    ValueError
        As :func:`grade`.
    """
    if not submissions.is_dir():
        raise ValueError(
            f"no folder {submissions}: name the folder that holds one folder per student"
        )
    found = [path for path in sorted(submissions.glob("[!.]*/[!.]*")) if _is_own(path)]
    own = [path.with_stem(COPY.sub("", path.stem)) for path in found]
    found = sorted(
        name if name.stem in {*known} and own.count(name) == 1 else path
        for path, name in zip(found, own, strict=True)
    )
    if unknown := sorted(set(students) - {path.parent.name for path in found}):
        raise ValueError(f"no file of a student {unknown[0]!r} in {submissions}")
    chosen = [path for path in found if not students or path.parent.name in students]
    if not chosen:
        raise ValueError(f"nothing to grade in {submissions}: STUDENT/NOTEBOOK.ipynb is expected")
    return chosen


def key_of(file: Path, master: Path | None, where: Course, *, variants: bool = False) -> str:
    """Checksums of a submission, and of all else that its marks depend on.

    The first stays if only the others change: what a person has read is still the same.
    """
    there = handed_in(file)
    try:
        raw = there.read_bytes() if there.stat().st_size <= MAX_RAW else b""
    except OSError:  # told when the file is graded
        raw = b""
    how = hashlib.sha256(repr((file.name, where.seconds, where.total, where.sandboxed)).encode())
    if master is not None:
        how.update(with_mistakes(master, student_of(file) if variants else None).encode())
    return f"{hashlib.sha256(raw).hexdigest()}-{how.hexdigest()}"


# ---------------------------------------------------------------------------- one submission


def grade_one(
    where: Course,
    file: Path,
    key: str,
    destination: Path,
    read: Mapping[Name, Reading],
    master: Path | None = None,
) -> tuple[Path, Record]:
    """Grade one file; one that can't be graded gets its marks and a remark, never an exception.

    With a master, the checks are those of the variant of the student whose folder the file is in.
    """
    if file.suffix != ".ipynb" or not (where.folder / "source" / file.stem).is_dir():
        remark = "not a notebook of this course: hand in NAME.ipynb under the name it had"
        mark = Mark(student_of(file), readable(file.name), "", 0, 0, remark)
        record = Record(key, (mark,), (f"{UNREADABLE}: {remark}",))
    else:
        record = _graded(where, file, key, destination, master)
    failed = [mark.remark for mark in record.marks if mark.remark.startswith(execution.NOT_RUN)]
    record = replace(record, notices=(*record.notices, *failed[:1]))
    if not failed:  # else it is run again next time
        with suppress(OSError):  # as then
            save(destination, file, record)
    page_trouble(where, file, record, destination, read)  # told after the last attempt
    return file, record


UNREADABLE = "could not be graded"
"""How the notice begins of a file that no other attempt would read either."""

NO_PAGE = "has no page of feedback"
"""How the notice begins of a submission whose page could not be made."""


def _graded(where: Course, file: Path, key: str, destination: Path, master: Path | None) -> Record:
    """The record of one submission; whatever fails, it is a record."""
    kept = folder_of(destination, file.parent.name) / file.name
    try:
        with tempfile.TemporaryDirectory(prefix="ttt-teach-") as folder, environment():
            own = where.copy(file.stem, Path(folder).resolve())
            if master is not None:  # same tasks, other numbers: the grade book serves as it is
                shutil.rmtree(own.folder / "release")
                release(own, file.stem, master, student_of(file))
            return _run_in(own, file, key, kept)
    except Exception as error:
        for earlier in (kept, _page_of(destination, file)):
            earlier.unlink(missing_ok=True)  # of another submission than these marks
        unreadable = isinstance(error, UnreadableError)
        remark = _in_a_line(error) if unreadable else f"{execution.NOT_RUN}: {_in_a_line(error)}"
        most = tasks(where, file.stem).items()
        marks = tuple(Mark(student_of(file), file.stem, t, 0, m, remark) for t, m in most)
        return Record(key, marks, (f"{UNREADABLE}: {remark}",) if unreadable else ())


def _in_a_line(error: Exception) -> str:
    """What an error says, or else what it is called."""
    return " ".join(str(error).split()) or type(error).__name__


def _run_in(own: Course, file: Path, key: str, kept: Path) -> Record:
    """Run one submission in a course of its own, and keep what it became."""
    notices = place_submission(file, own)
    own.run("Autograde", file.stem, "student")
    executed = own.folder / "autograded" / "student" / file.stem / file.name
    store.write_atomic(kept, executed.read_bytes())
    ran = nbformat.read(kept, as_version=4)
    notices += execution.unfinished(ran) + execution.overrun(ran)
    if elsewhere(own, file, kept):
        notices.append("the answer stands outside its cell: to be read")
    return Record(key, tuple(read_marks(own, file, kept)), tuple(notices))


def place_submission(file: Path, where: Course) -> list[str]:
    """Copy a submission into the course if it is a notebook; return what was repaired.

    Raises
    ------
    UnreadableError
        If it is not a notebook, is too large, or belongs to something else.
    """
    there = handed_in(file)
    if there.stat().st_size > MAX_RAW:
        raise UnreadableError(f"larger than {MAX_RAW} bytes")
    released = nbformat.read(where.folder / "release" / file.stem / file.name, as_version=4)
    try:
        with warnings.catch_warnings(action="ignore"):  # older programs write no cell ids
            notebook = nbformat.reads(there.read_text(encoding="utf-8-sig"), as_version=4)
            for cell in notebook.cells:
                cell.pop("outputs", None) if cell.cell_type != "code" else cell.outputs.clear()
            notebook.nbformat_minor = max(notebook.nbformat_minor, 5)  # which cell ids came with
            said = _belongs(notebook, released) + repair(notebook, released)
            nbformat.validate(notebook)
    except UnreadableError:
        raise
    except (nbformat.reader.NotJSONError, UnicodeDecodeError) as error:
        raise UnreadableError(f"not a notebook: the file is {_damage(there, error)}") from error
    except Exception as error:
        kind = type(error).__name__
        raise UnreadableError(f"not a notebook: its cells can't be read ({kind})") from error
    if len(text := nbformat.writes(notebook)) > MAX_BYTES:
        raise UnreadableError(f"larger than {MAX_BYTES} bytes without its outputs")
    place = where.folder / "submitted" / "student" / file.stem / file.name
    place.parent.mkdir(parents=True)
    place.write_text(text, encoding="utf-8", errors="replace")  # half a letter, which JSON allows
    return said if there == file else [f"handed in as {there.name!r}", *said]


def _damage(file: Path, error: ValueError) -> str:
    """Why a file holds no JSON, in words."""
    if isinstance(error, UnicodeDecodeError) and error.reason != "unexpected end of data":
        return "not text in UTF-8"
    return "cut off or damaged" if file.read_bytes().strip() else "empty"


class UnreadableError(ValueError):
    """A file that no other attempt would read either."""


class ForeignError(UnreadableError):
    """A notebook that belongs to something else."""


def _belongs(notebook: Any, released: Any) -> list[str]:
    """What to say about a notebook that differs from the one handed out.

    Raises
    ------
    ForeignError
        If none of the tasks is in it.
    """
    wanted = by_grade_id(released)
    tasks = {name for name, c in wanted.items() if not is_read_only(c)}  # all have a cell "tools"
    if tasks.isdisjoint(grade_ids(notebook, wanted)):
        raise ForeignError(
            "none of the tasks is in this notebook: another exercise, or another year's?"
        )
    return list(other_version(notebook.metadata, released.metadata))


def other_version(handed_in: Mapping[str, Any], given: Mapping[str, Any]) -> Iterator[str]:
    """One line if a notebook lacks the numbers, or the tasks, that the student was given."""
    found, own = (_seed(metadata) for metadata in (handed_in, given))
    if found != own:
        whose = (
            "the exercise without a seed" if seed is None else repr(seed) for seed in (found, own)
        )
        yield "this is the variant of {}, graded by the checks of {}".format(*whose)
    elif given.get("edition") and handed_in.get("edition", given["edition"]) != given["edition"]:
        yield "handed out in another version (another year's)"


def _seed(metadata: Mapping[str, Any]) -> str | None:
    """Whose variant a notebook says it is."""
    stated = metadata.get("variant")
    return None if not isinstance(stated, dict) else str(stated.get("seed", ""))[:80]


def tasks(where: Course, notebook: str) -> dict[str, float]:
    """The graded cells of a released notebook, and what each is worth."""
    with Gradebook(where.database) as book:
        found = book.find_notebook(notebook, notebook)
        return {cell.name: cell.max_score for cell in [*found.grade_cells, *found.task_cells]}


def read_marks(where: Course, file: Path, executed: Path) -> list[Mark]:
    """What the grade book says about a submission, in the order of the master's tasks."""
    notebook = nbformat.read(executed, as_version=4)
    remarks = _said(notebook) | execution.stopped(notebook)
    with Gradebook(where.database) as book:
        grades = book.find_submission_notebook(file.stem, file.stem, "student").grades
        found = {entry.name: entry.auto_score for entry in grades}
    found |= dict.fromkeys(elsewhere(where, file, executed))
    return [
        Mark(
            student_of(file),
            file.stem,
            task,
            None if found[task] is None else min(max(found[task], 0), most),
            most,
            "to be read" if found[task] is None else remarks.get(task, ""),
        )
        for task, most in tasks(where, file.stem).items()
    ]


def elsewhere(where: Course, file: Path, executed: Path) -> set[str]:
    """Answers in words whose cell is as it was handed out, while somebody wrote in other cells."""
    released = nbformat.read(where.folder / "release" / file.stem / file.name, as_version=4)
    notebook = nbformat.read(executed, as_version=4)
    stubs = {name: _words(c) for name, c in by_grade_id(released).items() if is_solution(c)}
    same = {
        grade_id(cell)
        for cell in notebook.cells
        if cell.cell_type == "markdown" and _words(cell) in ("", stubs.get(grade_id(cell)))
    }
    return same & set(stubs) if written(notebook, released) else set()


def written(notebook: Any, released: Any) -> bool:
    """Whether somebody wrote words of their own outside the cells that are graded.

    A line that keeps half of the words of one handed out is that line, in another variant or with
    a slip of the keyboard; beside a cell for words any change is somebody's own.
    """
    given, far = (set(_lines(cells)) for cells in (released.cells, _far(released.cells)))
    own = (cell for cell in notebook.cells if not grade_id(cell) and _is_text(cell))
    new = set(_lines(own)) - given
    return any(not any(_alike(line, other) for other in far) for line in new)


COMMENT = re.compile(r"^[^\S\n]*#+ ?", re.MULTILINE)
"""How a line that is a comment begins."""

PROSE = re.compile(r"[^\W\d_][,.;:]?\s+[^\W\d_]")
"""Where a word follows another."""


def _is_text(cell: Any) -> bool:
    """Whether a cell is text, or of code that holds nothing else: no Python, or strings alone."""
    if cell.cell_type != "code":
        return True
    source = cell.source if _parsed(cell.source) else MAGIC.sub("", cell.source)
    code = _parsed(source)
    if code is not None and not code.body:  # comments, which may be code that was taken out
        source = COMMENT.sub("", source)
        code = _parsed(source)
    return bool(PROSE.search(source if code is None else _strings(code)))


def _parsed(source: str) -> ast.Module | None:
    """The source as Python, if it is any."""
    try:
        with warnings.catch_warnings(action="ignore"):
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _strings(code: ast.Module) -> str:
    """The strings of code that does no more than print or name them; nothing of other code."""
    parts = [*ast.walk(code)]
    names = [one for one in parts if isinstance(one, ast.Name)]
    given = {one.id for one in names if isinstance(one.ctx, ast.Store)}
    used = {one.id for one in names} - given
    plain = ast.Expr | ast.Assign | ast.AnnAssign
    if used - {"print", "str"} or not all(isinstance(one, plain) for one in code.body):
        return ""
    texts = (one.value for one in parts if isinstance(one, ast.Constant))
    return " | ".join(text for text in texts if isinstance(text, str))


def _far(cells: Sequence[Any]) -> Iterator[Any]:
    """The cells of text that don't stand next to an answer in words."""
    words = [cell.cell_type == "markdown" for cell in cells]
    asked = [text and is_solution(cell) for text, cell in zip(words, cells, strict=True)]
    for at, cell in enumerate(cells):
        if words[at] and not any(asked[max(at - 1, 0) : at + 2]):
            yield cell


def _lines(cells: Iterable[Any]) -> Iterator[str]:
    """The lines of cells that are not empty, however they are spaced."""
    lines = (" ".join(line.split()) for cell in cells for line in cell.source.splitlines())
    yield from filter(None, lines)


def _alike(one: str, other: str) -> bool:
    """Whether a line is another with a slip: half of the longer's words, and no sentence added.

    Where a word of the other is gone, too, a sentence has more than 12 words: so many more has a
    paragraph in one variant than in another.
    """
    words, more = Counter(one.split()), Counter(other.split())
    kept = more <= words or other in one
    added = words.total() > more.total() + (2 if kept else 12)
    return not added and 2 * (words & more).total() >= max(words.total(), more.total())


def _words(cell: Any) -> str:
    """The text of a cell, however it is spaced."""
    return " ".join(cell.source.split())


def _said(notebook: Any) -> dict[str, str]:
    """What graded cells printed, by name: their checks say there why points are lost."""
    printed = {
        grade_id(cell): [out.text for out in cell.get("outputs", ()) if out.output_type == "stream"]
        for cell in notebook.cells
        if is_grade(cell)
    }
    return {
        name: "; ".join("".join(texts).strip().splitlines())[:400]
        for name, texts in printed.items()
        if texts
    }


# ---------------------------------------------------------------------------- feedback


def _page_of(destination: Path, file: Path) -> Path:
    """Where the page of feedback on a submission is."""
    return destination / file.parent.name / f"{file.stem}.html"


def write_page(
    where: Course, file: Path, record: Record, destination: Path, read: Mapping[Name, Reading]
) -> None:
    """Write a page of feedback, unless that for the same hand-in and marks stands there already."""
    executed = folder_of(destination, file.parent.name) / file.name
    page = _page_of(destination, file)
    marks = with_reading(record, read)
    stamp = hashlib.sha256(json.dumps([repr(marks), record.key]).encode()).hexdigest()
    if not executed.is_file() or (page.is_file() and stamp in page.read_text(encoding="utf-8")):
        return
    with tempfile.TemporaryDirectory(prefix="ttt-teach-") as folder:
        own = where.copy(file.stem, Path(folder).resolve())
        place = own.folder / "autograded" / "student" / file.stem / file.name
        place.parent.mkdir(parents=True)
        place.write_text(without_mistakes(executed.read_text(encoding="utf-8")), encoding="utf-8")
        enter(own, file.stem, marks)
        with limited(PAGE_SECONDS):
            own.run("GenerateFeedback", file.stem, "student")
        made = own.folder / "feedback" / "student" / file.stem / page.name
        text = offline(made.read_text(encoding="utf-8"), f"../{SCRIPT}")
    store.write_atomic(page, f"{feedback_page(text, marks, record.notices)}\n<!-- {stamp} -->\n")


def page_trouble(
    where: Course, file: Path, record: Record, destination: Path, read: Mapping[Name, Reading]
) -> tuple[str, ...]:
    """Write a page of feedback; if that fails there is none, and the notice says why."""
    try:
        write_page(where, file, record, destination, read)
    except Exception as error:
        _page_of(destination, file).unlink(missing_ok=True)  # of other marks than these
        return (f"{NO_PAGE}: {_in_a_line(error)}",)
    return ()


def without_mistakes(text: str) -> str:
    """An executed notebook whose checks, and tracebacks of them, list no typical mistakes."""
    notebook = nbformat.reads(text, as_version=4)
    for cell in notebook.cells:
        if grade_id(cell):
            cell.source = _without_list(cell.source)
            for output in cell.get("outputs", ()):
                if "traceback" in output:  # colours stand between the words of code
                    output.traceback = [_without_list(strip_ansi(t)) for t in output.traceback]
    return str(nbformat.writes(notebook))


LISTED = re.compile(r"mark\.points\(\{.*")
"""A list of typical mistakes, and what stands behind it."""


def _without_list(code: str) -> str:
    return LISTED.sub("mark.points()", code)


def enter(where: Course, notebook: str, marks: Sequence[Mark]) -> None:
    """Enter marks, a person's comments among them, into the grade book of a course."""
    with warnings.catch_warnings(action="ignore"), Gradebook(where.database) as book:
        book.update_or_create_student("student")
        book.update_or_create_submission(notebook, "student")
        answers = {cell.name for cell in book.find_notebook(notebook, notebook).solution_cells}
        for mark in marks:
            entry = book.find_grade(mark.task, notebook, notebook, "student")
            entry.auto_score, entry.needs_manual_grade = mark.points, mark.points is None
            if mark.task in answers:  # which can have a comment
                comment = book.find_comment(mark.task, notebook, notebook, "student")
                comment.manual_comment = mark.remark if mark.points is not None else None
        book.db.commit()


def feedback_page(page: str, marks: Sequence[Mark], notices: Sequence[str]) -> str:
    """A page of feedback that calls unread answers unread, and begins with what went wrong."""
    for mark in (mark for mark in marks if mark.points is None):
        for start in (f'<a href="#{mark.task}">', f'<a name="{mark.task}"></a>'):
            pattern = re.escape(start) + r"(.*?)Score: 0.0 /"
            page = re.sub(pattern, rf"{start}\1to be read: ? /", page, count=1, flags=re.DOTALL)
    if any(mark.points is None for mark in marks):
        most = sum(mark.maximum for mark in marks if mark.points is not None)
        page = re.sub(r"(<h4>.*?\(Score: \S+) / \S+\)", rf"\1 / {most}, the rest to be read)", page)
    return re.sub("(</h4>)", rf"\1{_list([*notices, *_lost(marks)])}", page, count=1)


def _lost(marks: Sequence[Mark]) -> Iterator[str]:
    for mark in marks:
        if mark.points is not None and mark.points < mark.maximum and mark.remark:
            yield f"{mark.task}: {mark.remark}"


def _list(lines: Sequence[str]) -> str:
    items = "".join(f"<li>{escape(line)}</li>" for line in dict.fromkeys(lines))
    return (f"<ul>{items}</ul>" if items else "").replace("\\", "\\\\")
