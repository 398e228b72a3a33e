"""What grading rests on, piece by piece and without a kernel: defaults, keys, canaries, pages."""

from __future__ import annotations

import asyncio
import builtins
import re
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import quote

import nbformat
import pandas as pd
import pytest
from nbclient.exceptions import DeadKernelError
from nbconvert import HTMLExporter
from nbgrader.converters import GenerateFeedback
from nbgrader.preprocessors import Execute

from ttt_lib.people.grading import (
    course,
    execution,
    locked_cells,
    records,
    repair,
    sandbox,
    slips,
    teach,
)
from ttt_lib.people.grading import grade as grading


@pytest.fixture
def where(tmp_path: Path) -> course.Course:
    return course.Course(tmp_path)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A submission."""
    path = tmp_path / "in" / "ada" / "mine.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"first")
    return path


# ---------------------------------------------------------------------------- defaults


def test_submissions_are_sandboxed_unless_somebody_says_otherwise(where: course.Course) -> None:
    assert execution.Run().sandboxed is True
    assert where.sandboxed is True
    assert where._config().Run.sandboxed is True


def test_the_page_states_the_limits() -> None:
    text = (teach.exercises() / "README.md").read_text(encoding="utf-8")
    most, gigabyte = sandbox.LIMITS, 1000 * sandbox.MIB
    output = execution.Run().output_limit // 10**6
    assert (
        f"at most {most.processes} processes, {most.memory / gigabyte:g} GB of memory, "
        f"{most.disk / sandbox.MIB:g} MB of files (deleted ones count while they are open), "
        f"{output} MB of output and, for each process, {most.seconds} s of processor time"
    ) in text
    assert (
        "`--seconds` and `--total` limit a cell and a submission "
        f"({course.SECONDS} and {course.TOTAL_SECONDS})"
    ) in text
    assert f"takes more than {grading.PAGE_SECONDS} s of processor time" in text


# ---------------------------------------------------------------------------- same key, no new run


def test_points_of_a_person_are_not_given_to_another_answer() -> None:
    read = {("ada", "mine", "why", "s" + "1" * 8, 3.0): records.Reading(2.0, "Well put.")}
    mark = records.Mark("ada", "mine", "why", None, 3.0)
    (same,), (other,) = (
        records.with_reading(records.Record(digit * 64, (mark,)), read) for digit in "12"
    )
    assert (same.points, same.remark) == (2.0, "Well put.")
    assert other == mark
    more = records.Mark("ada", "mine", "why", None, 5.0)
    assert records.with_reading(records.Record("1" * 64, (more,)), read) == (more,)


def test_points_of_a_person_do_not_replace_those_of_code() -> None:
    record = records.Record("1" * 64, (records.Mark("ada", "mine", "rows", 1.0, 3.0),))
    read = {("ada", "mine", "rows", record.submission, 3.0): records.Reading(3.0)}
    assert records.with_reading(record, read) == record.marks
    assert records.notices([record], read).notice.str.startswith(records.NOT_COUNTED).all()


def test_copies_are_told_unless_they_are_worth_nothing() -> None:
    """One task without points does not hide a copy."""
    for points, told in (((1.0, 0.0), 2), ((0.0, 0.0), 0), ((None, 0.0), 2)):
        found = [
            records.Record(
                "1" * 64, tuple(records.Mark(name, "mine", task, got, 3.0)
                                for task, got in zip(("rows", "why"), points, strict=True)),
            )
            for name in ("ada", "ben")
        ]  # fmt: skip
        assert len(records.notices(found, {})) == told


def test_the_key_changes_with_the_file_and_with_each_limit(
    where: course.Course, file: Path
) -> None:
    first = grading.key_of(file, None, where)
    assert grading.key_of(file, None, where) == first
    for change in (
        {"seconds": where.seconds + 1},
        {"total": where.total + 1},
        {"sandboxed": False},
    ):
        other = course.Course(where.folder, **change)
        assert grading.key_of(file, None, other) != first, change
    file.write_bytes(b"First")
    assert grading.key_of(file, None, where) != first


def test_only_what_was_handed_in_anew_is_graded_again(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graded, once = list[bytes](), grading.grade_one

    def grade_one(*given: Any) -> tuple[Path, records.Record]:
        graded.append(file.read_bytes())
        return once(*given)

    monkeypatch.setattr(grading, "grade_one", grade_one)
    for text in (b"first", b"first", b"second"):
        file.write_bytes(text)
        grading.grade(tmp_path / "in", tmp_path / "out", {}, unsafe=True)
    assert graded == [b"first", b"second"]


# ---------------------------------------------------------------------------- a person's points

Grade = Callable[..., pd.DataFrame]
GRADE_ONE = grading.grade_one


@pytest.fixture
def grade(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Grade:
    """Grade ``in``, where every file has one answer to be read; returns ``to_read.csv``."""

    def grade_one(_: Any, file: Path, key: str, out: Path, *__: Any) -> tuple[Path, records.Record]:
        mark = records.Mark(file.parent.name, file.stem, "why", None, 3.0, "to be read")
        records.save(out, file, records.Record(key, (mark,)))
        return file, records.Record(key, (mark,))

    monkeypatch.setattr(grading, "grade_one", grade_one)

    def run(**how: Any) -> pd.DataFrame:
        grading.grade(tmp_path / "in", tmp_path / "out", {}, unsafe=True, **how)
        return to_read(tmp_path)

    for student in ("ada", "ben"):
        hand_in(tmp_path, student, "first")
    return run


def hand_in(top: Path, student: str, text: str) -> None:
    path = top / "in" / student / "mine.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def to_read(top: Path) -> pd.DataFrame:
    return pd.read_csv(top / "out" / records.TO_READ, keep_default_na=False, dtype=str)


def fill(top: Path, student: str, points: str, comment: str = "") -> None:
    """What a person does to every row of a student."""
    table = to_read(top)
    table.loc[table.student == student, ["points", "comment"]] = [points, comment]
    table.to_csv(top / "out" / records.TO_READ, index=False)


def points(top: Path) -> dict[str, str]:
    """Those in the table of marks, by student."""
    table = pd.read_csv(top / "out" / "grades.csv", keep_default_na=False, dtype=str)
    return dict(zip(table.student, table.points, strict=True))


def test_grading_one_student_leaves_the_others_in_the_tables(grade: Grade, tmp_path: Path) -> None:
    grade()
    fill(tmp_path, "ben", "2.5", "Well put.")
    hand_in(tmp_path, "ada", "second")
    hand_in(tmp_path, "ben", "second")  # not run yet, so the points for the first count
    found = grade(students=["ada"])
    assert found.student.tolist() == ["ada", "ben"]
    assert found.points.tolist() == ["", "2.5"]
    assert points(tmp_path) == {"ada": "", "ben": "2.5"}
    assert pd.read_csv(tmp_path / "out" / "moodle.csv").username.tolist() == ["ada", "ben"]


def test_no_page_is_written_about_what_was_handed_in_since(
    grade: Grade, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until it is run, its earlier page stands as it is."""
    grade()
    hand_in(tmp_path, "ada", "second")
    told: list[tuple[str, str]] = []

    def write_page(_: Any, file: Path, record: records.Record, *__: Any) -> None:
        told.append((file.parent.name, record.submission))

    monkeypatch.setattr(grading, "write_page", write_page)
    found = grade(students=["ben"])
    assert found.student.tolist() == ["ada", "ben"]
    assert told == [("ben", found.submission[1])]


@pytest.mark.parametrize("limits", [{"seconds": 7}, {"total": 7}])
def test_points_stay_when_a_limit_changes(
    limits: dict[str, float], grade: Grade, tmp_path: Path
) -> None:
    grade()
    fill(tmp_path, "ben", "2.5")
    assert grade(**limits).points.tolist() == ["", "2.5"]
    assert teach.attention(tmp_path / "out") == ""


@pytest.mark.parametrize("digits", ["4e074085", "00012345", "12345678", "1e999999", "infinity"])
def test_no_spreadsheet_takes_the_name_of_a_submission_for_a_number(
    digits: str, tmp_path: Path
) -> None:
    mark = records.Mark("ada", "mine", "why", None, 3.0)
    records.write_tables(tmp_path, [records.Record(digits + "0" * 56, (mark,))], {})
    assert pd.read_csv(tmp_path / records.TO_READ).submission.tolist() == [f"s{digits}"]


def test_points_for_an_earlier_submission_are_kept_and_not_counted(
    grade: Grade, tmp_path: Path
) -> None:
    earlier = grade().submission[0]
    fill(tmp_path, "ada", "2.5", "Well put.")
    hand_in(tmp_path, "ada", "second")
    for _ in range(2):
        found = grade()
        assert found.student.tolist() == ["ada", "ben", "ada"]
        assert found.points.tolist() == ["", "", "2.5"]
        assert found.comment.tolist() == ["", "", "Well put."]
        assert found.submission[2] == earlier != found.submission[0]
        assert points(tmp_path)["ada"] == ""
        said = teach.attention(tmp_path / "out")
        assert said == (
            "\nrows of to_read.csv that are kept at its end, but not counted: 1 (notices.csv)"
        )
    told = pd.read_csv(tmp_path / "out" / "notices.csv")
    what = f"why of submission {earlier}, out of 3, which is not what was graded"
    assert told.to_numpy().tolist() == [
        ["ada", "mine", f"not counted: what to_read.csv says about {what}"]
    ]
    hand_in(tmp_path, "ada", "first")
    assert grade().points.tolist() == ["2.5", ""]
    assert teach.attention(tmp_path / "out") == ""


def test_points_of_a_student_whose_file_is_gone_stay(grade: Grade, tmp_path: Path) -> None:
    grade()
    fill(tmp_path, "ben", "", "Ask about the last line.")
    (tmp_path / "in" / "ben" / "mine.ipynb").unlink()
    found = grade()
    assert found.comment.tolist() == ["", "Ask about the last line."]
    assert list(points(tmp_path)) == ["ada"]


def test_points_that_came_in_while_grading_ran_stay(
    grade: Grade, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grade()
    hand_in(tmp_path, "ada", "second")
    once = grading.grade_one

    def meanwhile(*given: Any) -> tuple[Path, records.Record]:
        fill(tmp_path, "ben", "2.5")
        return once(*given)

    monkeypatch.setattr(grading, "grade_one", meanwhile)
    assert grade().points.tolist() == ["", "2.5"]


def table_of(top: Path, *rows: str, name: str = records.TO_READ) -> None:
    (top / name).write_text("\n".join([",".join(records.COLUMNS), *rows]) + "\n", encoding="utf-8")


ROW = "ada,mine,why,s1,3,"


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([ROW + "2,", ROW + "1,"], "line 3: a line above says otherwise about this answer"),
        ([ROW + "2,", ROW + "2,Well put."], "line 3: a line above says otherwise"),
        ([ROW + "2,5,Well put."], "line 2: something stands beside student, notebook, task"),
        ([ROW + '2,"Well put.'], "is no table: unexpected end of data"),
    ],
)
def test_a_table_that_would_lose_points_is_refused(
    rows: list[str], complaint: str, tmp_path: Path
) -> None:
    table_of(tmp_path, *rows)
    with pytest.raises(ValueError, match=complaint):
        records.read_points(tmp_path)


def test_a_column_of_ones_own_is_refused_unless_it_is_empty(tmp_path: Path) -> None:
    table = pd.DataFrame([[*ROW.split(",")[:5], "2", "", "Ben"]])
    table.columns = [*records.COLUMNS, "reader"]
    table.to_csv(tmp_path / records.TO_READ, index=False)
    with pytest.raises(ValueError, match="line 2: something stands beside"):
        records.read_points(tmp_path)
    table.assign(reader="").to_csv(tmp_path / records.TO_READ, index=False)
    assert list(records.read_points(tmp_path).values()) == [records.Reading(2.0)]


def test_an_empty_row_takes_no_points_away(tmp_path: Path) -> None:
    """As when the tables of two people are put below each other."""
    table_of(tmp_path, ROW + "2,Well put.", ROW + ",", ",,,,,,")
    given = {("ada", "mine", "why", "s1", 3.0): records.Reading(2.0, "Well put.")}
    assert records.read_points(tmp_path) == given


def test_another_encoding_is_told(tmp_path: Path) -> None:
    text = ",".join(records.COLUMNS) + "\n" + ROW.replace("ada", "Jürgen") + "2,\n"
    (tmp_path / records.TO_READ).write_text(text, encoding="cp1252")
    with pytest.raises(ValueError, match="is not in UTF-8: save it in that encoding"):
        records.read_points(tmp_path)


def test_a_spreadsheet_is_told_the_encoding_and_that_comments_are_texts(tmp_path: Path) -> None:
    mark = records.Mark("Jürgen", "mine", "why", None, 3.0)
    record = records.Record("1" * 64, (mark,))
    name = ("Jürgen", "mine", "why", record.submission, 3.0)
    for comment in ("- no leak", "=1+1", "'twas luck"):
        given = {name: records.Reading(2.0, comment)}
        records.write_tables(tmp_path, [record], given)
        text = (tmp_path / records.TO_READ).read_bytes()
        assert text.startswith("\ufeffstudent".encode())
        assert f",{comment}".encode() not in text or comment[0] == "'"
        assert records.read_points(tmp_path) == given


def test_a_machine_that_fails_leaves_the_last_word_to_the_next_run(
    where: course.Course, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is stored, so that the submission is run again."""
    (where.folder / "source" / "mine").mkdir(parents=True)
    mark = records.Mark("ada", "mine", "rows", 0.0, 2.0, "could not be run: no kernel: timeout")
    for found, stored in ((mark, False), (replace(mark, remark="too slow"), True)):
        done = records.Record("key", (found,))
        monkeypatch.setattr(grading, "_graded", lambda *_, done=done: done)
        _, record = grading.grade_one(where, file, "key", tmp_path / "out", {})
        assert (records.load(tmp_path / "out", file) is not None) == stored
        assert record.notices == (() if stored else (mark.remark,))
        records.write_tables(tmp_path / "out", [record], {})
        said = teach.attention(tmp_path / "out")
        told = "\ncould not be run, and will be next time: 1 (notices.csv)"
        assert said == ("" if stored else told)


@pytest.fixture
def ready(where: course.Course, monkeypatch: pytest.MonkeyPatch) -> course.Course:
    """A course with one exercise of one task."""
    (where.folder / "source" / "mine").mkdir(parents=True)
    monkeypatch.setattr(grading, "tasks", lambda *_: {"rows": 2.0})
    monkeypatch.setattr(course.Course, "copy", lambda self, *_: self)
    monkeypatch.setattr(grading, "place_submission", lambda *_: [])
    return where


def breaks(*_: Any, **__: Any) -> Any:
    raise KeyError("a key")


@pytest.mark.parametrize("step", ["copy", "run", "place_submission", "release"])
def test_whatever_step_fails_is_a_remark(
    ready: course.Course, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    place = course.Course if step in ("copy", "run") else grading
    (ready.folder / "release").mkdir()
    monkeypatch.setattr(grading, "release", lambda *_: None)
    monkeypatch.setattr(place, step, breaks)
    _, record = grading.grade_one(ready, file, "key", tmp_path / "out", {}, tmp_path / "mine.ipynb")
    said = "could not be run: 'a key'"
    assert record.marks == (records.Mark("ada", "mine", "rows", 0, 2.0, said),)
    assert record.notices == (said,)


def test_a_file_that_no_attempt_would_read_is_told_apart(
    ready: course.Course, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(*_: Any) -> Any:
        raise grading.UnreadableError("no notebook")

    monkeypatch.setattr(grading, "place_submission", refuses)
    _, record = grading.grade_one(ready, file, "key", tmp_path / "out", {})
    assert record.notices == ("could not be graded: no notebook",)
    assert records.load(tmp_path / "out", file) == record


def test_a_page_that_cannot_be_made_stops_nobody_and_is_told_with_the_name(
    grade: Grade, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write_page(_: Any, file: Path, *__: Any) -> None:
        if file.parent.name == "ada":
            raise ValueError("no\nway")

    stale = tmp_path / "out" / "ada" / "mine.html"
    stale.parent.mkdir(parents=True)
    stale.touch()
    monkeypatch.setattr(grading, "write_page", write_page)
    for _ in range(2):  # nothing of it is stored
        assert grade().student.tolist() == ["ada", "ben"]
        notices = pd.read_csv(tmp_path / "out" / "notices.csv")
        told = notices[notices.notice.str.startswith("has no page")]
        assert told.to_numpy().tolist() == [["ada", "mine", "has no page of feedback: no way"]]
        assert not stale.exists()
    said = teach.attention(tmp_path / "out")
    assert "\ngraded, but without a page of feedback: 1 (notices.csv)" in said


def test_a_name_or_a_file_that_the_system_reads_badly_stops_nobody(
    grade: Grade, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder of an old archive, and a file that must not be read."""
    hand_in(tmp_path, "M\udcfcller", "first")
    monkeypatch.setattr(grading, "grade_one", GRADE_ONE)
    read = Path.read_bytes

    def read_bytes(self: Path) -> bytes:
        if self.parent.name == "ben":
            raise PermissionError(13, "no")
        return read(self)

    monkeypatch.setattr(Path, "read_bytes", read_bytes)
    grade()
    marks = pd.read_csv(tmp_path / "out" / "grades.csv")
    assert marks.student.tolist() == ["M\\xfcller", "ada", "ben"]
    assert teach.absent(tmp_path / "in", marks) == ""


def test_a_name_too_long_to_keep_a_record_stops_nobody(
    where: course.Course, tmp_path: Path
) -> None:
    file = tmp_path / f"{240 * 'x'}.pdf"
    file.touch()
    _, record = grading.grade_one(where, file, "key", tmp_path / "out", {})
    assert record.notices[0].startswith("could not be graded: not a notebook")


def test_what_ended_a_step_is_told_by_the_last_line_of_its_traceback() -> None:
    log = "There was an error: x\nTraceback (most recent call last):\n  x: y\na.b.Bad: why\nSee"
    assert course._last_error(log) == "a.b.Bad: why"


def test_a_kernel_that_does_not_start_is_no_fault_of_the_submission() -> None:
    run = execution.Run()
    run.at, run.watch, run.written = -1, None, 0
    for error in (RuntimeError("no answer"), DeadKernelError("no answer")):
        assert run._reason(error) == f"{execution.NOT_RUN}: no kernel: no answer"
    run.at = 0
    ended = "cell 1 ended the program that runs the notebook, or used up its processor time"
    assert run._reason(error) == ended


def test_too_much_output_is_the_reason_also_if_nobody_watches_the_kernel() -> None:
    run = execution.Run()
    run.at, run.watch, run.written = 0, None, run.output_limit + 1
    told = "stopped in cell 1: more than 10 MB of output"
    assert run._reason(DeadKernelError("Kernel died")) == told


def test_who_asks_for_a_kernel_that_was_stopped_hears_that_it_is_dead() -> None:
    """The client's task that asks outlives a failed cell; its traceback would be printed."""
    run = execution.Run()
    run.kc = None
    with pytest.raises(DeadKernelError):
        asyncio.run(run._async_check_alive())


def test_marks_do_not_go_among_the_submissions(tmp_path: Path) -> None:
    hand_in(tmp_path, "ada", "first")
    for out in (tmp_path / "in", tmp_path / "in" / "marks"):
        with pytest.raises(ValueError, match="it would be graded like a student"):
            grading.grade(tmp_path / "in", out, {}, unsafe=True)
    assert [path.name for path in (tmp_path / "in").iterdir()] == ["ada"]


# ---------------------------------------------------------------------------- checks and canaries


@pytest.mark.parametrize(
    ("outputs", "refused"),
    [
        (["2"], False),
        (["1.5"], False),
        (["nan"], True),
        (["99"], True),
        (["-1"], True),
        ([], True),
        (["2", "2"], True),
    ],
)
def test_a_check_that_answers_no_sum_gives_no_points(outputs: list[str], refused: bool) -> None:
    found = [
        nbformat.v4.new_output("execute_result", {"text/plain": text}, execution_count=1)
        for text in outputs
    ]
    own = {"grade_id": "rows-more", "points": 2}
    cell = nbformat.v4.new_code_cell("mark.points()", outputs=found, metadata={"nbgrader": own})
    execution._refuse(cell)
    assert [out.get("ename") for out in cell.outputs[:1]] == (
        [execution.STOPPED] if refused else [None]
    )


def agrees(*_: Any) -> bool:
    return True


@pytest.mark.parametrize(
    "patched",
    [
        {"abs": lambda _: 0},
        {"all": agrees},
        {"any": lambda _: False},
        {"sum": lambda given: given[0]},
        {"len": lambda _: 2},
        {"isinstance": agrees},
    ],
    ids="".join,
)
def test_a_canary_survives_where_builtins_agree_to_anything(
    patched: dict[str, Callable[..., Any]],
) -> None:
    assert survivors(patched) == 1
    assert survivors({}) == 0


def survivors(patched: dict[str, Callable[..., Any]]) -> int:
    """How many canaries of one assertion pass with other builtins."""
    found = 0
    for text in execution.canaries():
        if text.startswith("assert"):
            try:
                exec(text, {"__builtins__": vars(builtins) | patched})
            except AssertionError:
                continue
            found += 1
    return found


@pytest.mark.parametrize("points", [1.0, 2.0, None])
def test_a_machine_on_which_the_solution_loses_points_is_refused(
    points: float | None, where: course.Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = records.Mark("student", "mine", "rows", points, 2.0, "too slow")
    for name, found in (("place_submission", []), ("read_marks", [mark])):
        monkeypatch.setattr(grading, name, lambda *_, found=found: found)
    monkeypatch.setattr(course.Course, "copy", lambda self, *_: self)
    monkeypatch.setattr(course.Course, "run", lambda *_: None)
    if points == 1:
        with pytest.raises(ValueError, match="the solution of mine itself fails: rows too slow"):
            grading.warmed(where, "mine", Path("mine.ipynb"))
    else:
        warm = grading.warmed(where, "mine", Path("mine.ipynb"))
        assert warm.cache == where.folder / "cache" / "mine"


def test_compiled_functions_are_kept_of_the_solution_only(
    where: course.Course, tmp_path: Path
) -> None:
    """It runs first, when there is no folder for them yet; students' runs copy what it left."""
    cache = tmp_path / "cache"
    assert where._config().Run.fills is False
    assert course.Course(tmp_path, cache=cache)._config().Run.fills is True
    cache.mkdir()
    config = course.Course(tmp_path, cache=cache)._config()
    assert (config.Run.fills, config.Run.cache) == (False, str(cache))


# ---------------------------------------------------------------------------- time


def test_a_cell_may_take_what_is_left_of_the_total(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execution.time, "monotonic", lambda: 1000.0)
    run, cell = execution.Run(), nbformat.v4.new_code_cell()
    for timeout, end, most in ((30, 1100.0, 30), (30, 1007.0, 7), (5, 1007.0, 5), (30, 990.0, 0.1)):
        run.timeout, run.end = timeout, end
        assert run._left(cell) == most


MODULES = (course, execution, grading, locked_cells, repair, slips)
"""Those that read what a student has typed."""

PATTERNS = {
    f"{module.__name__.rpartition('.')[2]}.{name}": value
    for module in MODULES
    for name, value in vars(module).items()
    if isinstance(value, re.Pattern)
}
PIECES = (
    "\n", " ", "\t", "a", "a ", "a=", "1\n", "?", "a?", "%", "#", "# ", "=", ".", ", ", "def ", "(",
    "mark.points({", 'Marking("', 'Marking("a', "-Copy", " (1", "_check()",
)  # fmt: skip


@pytest.mark.parametrize("name", PATTERNS)
def test_no_pattern_takes_long_on_a_text_that_repeats_something(name: str) -> None:
    """They run outside the sandbox, where nothing else limits a submission's time."""
    with course.limited(20):  # of the processor; squares of these lengths take minutes
        for piece in PIECES:
            for start, end in product(("", "x"), ("", "x", "\nx y")):
                PATTERNS[name].sub("", f"{start}{100_000 * piece}{end}")


@pytest.mark.parametrize("piece", PIECES)
def test_no_cell_takes_long_outside_of_the_sandbox(piece: str) -> None:
    """Patterns that have no name are in here, too."""
    sources = [f"{start}{100_000 * piece}x" for start in ("1", "#")]
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    cells += [nbformat.v4.new_markdown_cell(source) for source in sources]
    told = {"grade_id": "rows-more", "grade": True}
    cells += [nbformat.v4.new_code_cell(one, metadata={"nbgrader": told}) for one in sources]
    notebook, empty = (nbformat.v4.new_notebook(cells=one) for one in (cells, []))
    with course.limited(30):
        grading.written(notebook, empty)
        slips.clear(cells)
        repair.repair(notebook, empty)
        grading.without_mistakes(nbformat.writes(notebook))


def test_what_takes_too_long_is_stopped_even_within_one_call() -> None:
    """And what comes later is not."""

    def goes_on() -> None:  # as a library may, after an error
        with suppress(TimeoutError):
            endless()
        endless()

    def endless() -> None:
        re.search("(a|a)*b", 40 * "a")

    for work in (endless, goes_on):
        with pytest.raises(TimeoutError, match=r"it took more than 0\.1 s"), course.limited(0.1):
            work()
    with course.limited(0.01):
        pass
    start = time.process_time()
    while time.process_time() < start + 0.05:
        pass


def test_a_page_that_takes_nbconvert_hours_is_not_made(
    where: course.Course, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the square of a text's length."""
    out, record = tmp_path / "out", records.Record("key", ())
    executed = records.folder_of(out, "ada") / file.name
    executed.parent.mkdir(parents=True)
    nbformat.write(nbformat.v4.new_notebook(), executed)

    def feedback(self: course.Course, *_: str) -> None:
        course.harmless_html({}, 100_000 * "\\\\(")

    monkeypatch.setattr(course.Course, "copy", lambda self, *_: self)
    monkeypatch.setattr(course.Course, "run", feedback)
    monkeypatch.setattr(grading, "enter", lambda *_: None)
    monkeypatch.setattr(grading, "PAGE_SECONDS", 0.2)
    [told] = grading.page_trouble(where, file, record, out, {})
    assert told == "has no page of feedback: it took more than 0.2 s"


# ---------------------------------------------------------------------------- pages of feedback


def test_of_output_only_plain_text_is_kept() -> None:
    cell = nbformat.v4.new_code_cell()
    run, notebook = execution.Run(), nbformat.v4.new_notebook(cells=[cell])
    execution.steps_of_client(run, notebook, None)
    run.written, run.watch, run.clear_before_next_output = 0, None, False
    forms = {"text/plain": "plain", "text/html": "<b>", "image/svg+xml": "<svg>"}
    for kind in ("display_data", "execute_result"):
        content = {"data": dict(forms), "metadata": {}, "execution_count": 1}
        run.process_message(
            {
                "msg_type": kind,
                "content": content,
                "parent_header": {},
                "header": {"msg_type": kind},
            },
            cell,
            0,
        )
    assert [output.data for output in cell.outputs] == 2 * [{"text/plain": "plain"}]


def page(where: course.Course, cell: nbformat.NotebookNode, **about: Any) -> str:
    """A notebook of one cell as a page of feedback."""
    made = GenerateFeedback(config=where._config())  # with the template of such pages
    marks = {"score": 0, "max_score": 0, "late_penalty": 0}
    text, _ = HTMLExporter(config=made.config).from_notebook_node(
        nbformat.v4.new_notebook(cells=[cell], metadata=about), {"nbgrader": marks}
    )
    return str(text)


def test_an_answer_handed_in_anew_gets_a_page_of_its_own_for_the_same_marks(
    where: course.Course, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page shows the answer, so equal marks do not make it the same page."""
    out, done = tmp_path / "out", (records.Mark("ada", "mine", "rows", 2.0, 2.0),)
    executed = records.folder_of(out, "ada") / file.name
    executed.parent.mkdir(parents=True)

    def feedback(self: course.Course, _: str, notebook: str, student: str) -> None:
        answer = self.folder / "autograded" / student / notebook / f"{notebook}.ipynb"
        made = self.folder / "feedback" / student / notebook / f"{notebook}.html"
        made.parent.mkdir(parents=True)
        made.write_text(f"<h4></h4>{answer.read_text()}")

    def copy(self: course.Course, _: str, folder: Path) -> course.Course:
        return replace(self, folder=folder)

    monkeypatch.setattr(course.Course, "copy", copy)
    monkeypatch.setattr(course.Course, "run", feedback)
    monkeypatch.setattr(grading, "enter", lambda *_: None)
    for text in ("first", "second"):
        answer = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(f"my {text}")])
        nbformat.write(answer, executed)
        grading.write_page(where, file, records.Record(text, done), out, {})
        assert f"my {text}" in (out / "ada" / "mine.html").read_text()


def test_a_page_begins_with_what_lost_points_and_the_sum_of_what_was_read() -> None:
    """Praise for all points is no loss, and an unread answer neither lost points nor has any."""
    given = (("rows", 2.0, 2.0, "well put"), ("split", 1.0, 3.0, "2 points, odd"),
             ("why", None, 4.0, "to be read"))  # fmt: skip
    marks = [records.Mark("ada", "mine", *mark) for mark in given]
    tasks = "".join(f'<a href="#{task}">{task}</a> (Score: {points or 0.0} / {most})'
                    for task, points, most, _ in given)  # fmt: skip
    shown = grading.feedback_page(f"<h4>mine (Score: 3.0 / 9.0)</h4>{tasks}", marks, ["repaired"])
    assert shown.startswith(
        "<h4>mine (Score: 3.0 / 5.0, the rest to be read)</h4>"
        "<ul><li>repaired</li><li>split: 2 points, odd</li></ul>"
    )
    assert re.findall(r"\((.*?)\)", shown.partition("</ul>")[2]) == [
        "Score: 2.0 / 2.0", "Score: 1.0 / 3.0", "to be read: ? / 4.0",
    ]  # fmt: skip


def test_a_page_shows_checks_without_the_mistakes_that_they_know() -> None:
    checked = [cell_of("rows-more"), nbformat.v4.new_code_cell("mark.points({'mine': 1})")]
    code = "'def rows(n):\\n    return {n}'"
    checked[0].source = f"    return mark.points({{'halves': {code}}})\n"
    lines = f"\x1b[32m  17\x1b[39m mark\x1b[38;5;66m.\x1b[39mpoints({{'halves': {code}}})\nlast"
    checked[0].outputs = [nbformat.v4.new_output("error", ename="E", evalue="", traceback=[lines])]
    shown = grading.without_mistakes(nbformat.writes(nbformat.v4.new_notebook(cells=checked)))
    one, own = nbformat.reads(shown, as_version=4).cells
    assert one.source == "    return mark.points()\n"
    assert one.outputs[0].traceback == ["  17 mark.points()\nlast"]
    assert own.source == "mark.points({'mine': 1})", "a student's own cell"


def test_a_remark_has_room_for_what_a_check_says() -> None:
    """Four hundred characters, with a semicolon for the end of a line."""
    said = [f"1 point, check {number:02} of the rubric" for number in range(1, 30)]
    output = nbformat.v4.new_output("stream", text="\n".join(said))
    told = {"grade": True, "grade_id": "rows-more"}
    cells = [
        nbformat.v4.new_code_cell("1", outputs=[output], metadata={"nbgrader": told | more})
        for more in ({}, {"grade": False, "grade_id": "rows"})
    ]
    remarks = grading._said(nbformat.v4.new_notebook(cells=cells))
    assert remarks.keys() == {"rows-more"}
    assert len(remarks["rows-more"]) == 400
    assert remarks["rows-more"].split("; ")[:12] == said[:12]


def cell_of(name: str, *outputs: nbformat.NotebookNode, **about: Any) -> nbformat.NotebookNode:
    told = {"grade_id": name, "grade": True} | about
    return nbformat.v4.new_code_cell("1", outputs=list(outputs), metadata={"nbgrader": told})


def test_a_remark_joins_all_that_a_check_says() -> None:
    """A kernel may send it in several pieces."""
    pieces = [nbformat.v4.new_output("stream", text=text) for text in ("1 point, o", "dd\n", "x")]
    cells = [cell_of("rows-more", *pieces), cell_of("rows-check")]
    assert grading._said(nbformat.v4.new_notebook(cells=cells)) == {"rows-more": "1 point, odd; x"}


def test_a_check_that_did_not_end_in_time_has_a_remark() -> None:
    late = nbformat.v4.new_output("error", ename=Execute().error_on_timeout["ename"], evalue="")
    wrong = nbformat.v4.new_output("error", ename="AssertionError", evalue="no")
    graver = nbformat.v4.new_output("error", ename=execution.STOPPED, evalue="tampered")
    cells = [
        cell_of("rows-more", late),
        cell_of("split-more", graver, late),
        cell_of("chances-more", wrong),
        cell_of("rows", late, grade=False),
        nbformat.v4.new_code_cell("1", outputs=[late]),
    ]
    notebook, said = nbformat.v4.new_notebook(cells=cells), "stopped at the time limit of a cell"
    assert execution.stopped(notebook) == {"rows-more": said, "split-more": "tampered"}
    assert execution.overrun(notebook) == [f"cell 'rows' was {said}", f"cell '1' was {said}"]


@pytest.mark.parametrize("name", teach.masters())
def test_a_notebook_of_another_exercise_is_told(name: str) -> None:
    """All masters share the cell of tools; none of the tasks."""
    read = {one: nbformat.read(path, as_version=4) for one, path in teach.masters().items()}
    assert grading._belongs(read[name], read[name]) == []
    for other in read.keys() - {name}:
        with pytest.raises(grading.ForeignError):
            grading._belongs(read[other], read[name])


def test_a_picture_that_is_mentioned_often_is_on_the_page_once(where: course.Course) -> None:
    """Else a small file would become a page of gigabytes."""
    text, pictures = 400 * "![x](attachment:x) ", {"x": {"image/png": "A" * 1_000_000}}
    cells = [nbformat.v4.new_markdown_cell(text, attachments=pictures) for _ in range(2)]
    for cell in cells:
        shown = page(where, cell)
        assert shown.count("data:image/png") == 1
        assert shown.count("[the picture above: x]") == 399
        assert len(shown) < 2_000_000


LONG = 100_000 * "A"
MENTIONS = {
    "picture": ("![x][a] ", f"data:image/png;base64,{LONG}"),
    "link": ("[x][a] ", f"https://a.b/{LONG}"),
    "title of a link": ("[x][a] ", f"https://a.b '{LONG}'"),
    "title of a picture": ("![x][a] ", f"https://a.b '{LONG}'"),
    "name": ("![x][a] ", f"attachment:{LONG}"),
    "many titles": ("![x](attachment:x '{}') ", ""),
}


@pytest.mark.parametrize("kind", MENTIONS)
def test_a_page_grows_with_what_was_handed_in_not_with_how_often_it_is_mentioned(kind: str) -> None:
    mention, stated = MENTIONS[kind]
    text = "".join(mention.format(number) for number in range(1000)) + f"\n\n[a]: {stated}"
    cell = {"attachments": {"x": {"image/png": LONG}}}
    shown = course.harmless_html({"cell": cell}, text)
    assert len(shown) < 2 * course.REPEATED * (len(text) + len(LONG))


def test_a_link_may_be_given_twice() -> None:
    shown = course.harmless_html({}, "[here][a], [there][a]\n\n[a]: https://a.b/a/long/address")
    assert shown.count('<a href="https://a.b/a/long/address">') == 2


@pytest.mark.parametrize("form", ["png", "jpeg", "gif", "webp"])
def test_a_picture_of_each_form_that_the_page_of_exercises_names_is_shown(form: str) -> None:
    pictures = {"x": {f"image/{form}": "AA"}}
    shown = course.harmless_html({"cell": {"attachments": pictures}}, "![sketch](attachment:x)")
    assert f'src="data:image/{form};base64,AA" alt="sketch"' in shown
    assert len(course.PICTURES) == 4
    assert "(PNG, JPEG, GIF, WebP)" in (teach.exercises() / "README.md").read_text(encoding="utf-8")


HARMFUL = "<script>steal()</script>"


@pytest.mark.parametrize("pictures", [{}, {HARMFUL: {"image/png": LONG}}])
def test_the_name_of_a_picture_runs_no_script_in_a_page(pictures: dict[str, Any]) -> None:
    text = 2 * f"![x](attachment:{quote(HARMFUL)}) "
    shown = course.harmless_html({"cell": {"attachments": pictures}}, text)
    assert "&lt;script&gt;steal()" in shown
    assert "<script>" not in shown


def test_a_picture_that_could_run_something_is_named_in_words(where: course.Course) -> None:
    for form in ("image/svg+xml", "text/html", "image/png,<script>"):
        cell = nbformat.v4.new_markdown_cell("![x](attachment:x)", attachments={"x": {form: "AA"}})
        text = page(where, cell)
        assert "a picture that is not shown: x" in text
        assert 'alt="x"' not in text
    harm = {"x": {"image/png": '"><script>steal()</script>'}}
    text = page(where, nbformat.v4.new_markdown_cell("![x](attachment:x)", attachments=harm))
    assert "<script>steal" not in text


def test_an_output_of_a_student_runs_no_script_in_a_page(where: course.Course) -> None:
    """Should one get there that is not plain text."""
    output = nbformat.v4.new_output("display_data", {"text/html": "fine <script>steal()</script>"})
    text = page(where, nbformat.v4.new_code_cell("1", outputs=[output]))
    assert "fine" in text
    assert "<script>steal" not in text


def test_the_text_of_a_student_runs_no_script_in_a_page(where: course.Course) -> None:
    text = page(
        where,
        nbformat.v4.new_markdown_cell(
            "**fine**, $a<b$ <script>steal()</script> <b onclick='steal()'>x</b>\n\n"
            "<img src=x onerror='steal()'>\n\n[here](javascript:steal()), [there](https://a.b)\n\n"
            "```mermaid\n<script>steal()</script>\n```\n"
        ),
    )
    for shown in (
        "<strong>fine</strong>",
        "$a&lt;b$",
        "&lt;script&gt;steal()",
        'href="https://a.b"',
    ):
        assert shown in text
    for harmful in ("<script>steal", "<b onclick", "<img src=x", '"javascript:steal'):
        assert harmful not in text


def test_names_that_a_student_gives_run_no_script_in_a_page(where: course.Course) -> None:
    """Of the language, which becomes a class of the page, and of tags of cells."""
    harm = 'x"><script>steal()</script>'
    cell = nbformat.v4.new_code_cell("1", metadata={"tags": [harm], "magics_language": harm})
    with pytest.warns(UserWarning, match="No lexer found"):
        text = page(where, cell, title=harm, language_info={"name": harm, "pygments_lexer": harm})
    assert "steal()" in text
    assert "<script>steal" not in text
