"""What grading rests on, piece by piece and without a kernel: defaults, keys, canaries, pages."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbconvert import HTMLExporter
from nbgrader.converters import GenerateFeedback

from ttt_lib.people import course, execution, grading, records, sandbox, teach

ROOT = Path(__file__).parents[1]


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


# ---------------------------------------------------------------------------- same key, no new run


def test_points_of_a_person_are_not_given_to_another_answer() -> None:
    read = {("ada", "mine", "why", "1" * 8): records.Reading(2.0, "Well put.")}
    mark = records.Mark("ada", "mine", "why", None, 3.0)
    (same,), (other,) = (
        records.with_reading(records.Record(digit * 64, (mark,)), read) for digit in "12"
    )
    assert (same.points, same.remark) == (2.0, "Well put.")
    assert other == mark


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
            "<img src=x onerror='steal()'>\n\n[here](javascript:steal()), [there](https://a.b)"
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
