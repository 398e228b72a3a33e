"""Variants: other numbers for each student, the same marks for the same understanding."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from copy import deepcopy
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pandas as pd
import pytest
from confined import can_be_confined
from exercise_scores import MISTAKES, OTHERS, UNNAMED, answered, automatic, points_by, solved, tag

from ttt_lib.people.grading import grade, teach, variants

MASTERS = teach.exercises() / "masters"
NAMES = sorted(teach.masters())
STATED = {name: variants.parameters(MASTERS, name) for name in NAMES}
READ = {name: nbformat.read(path, as_version=4) for name, path in teach.masters().items()}
NUMBER = {name: max(len(one.values) for one in STATED[name]) for name in NAMES}


def nth(name: str, number: int) -> variants.Variant:
    """A variant in which each parameter has its value of that number; all turn up by and by."""
    return variants.variant(STATED[name], [number % len(one.values) for one in STATED[name]])


def opened(name: str, number: int) -> Any:
    """A master as it grades that variant."""
    notebook = grade.filled_in(deepcopy(READ[name]), teach.masters()[name], nth(name, number))
    notebook.cells = [cell for cell in notebook.cells if tag(cell)]  # no cell that only shows
    return notebook


CASES = [(name, number) for name in NAMES for number in range(1, NUMBER[name])]


@pytest.fixture(scope="module")
def notebooks() -> dict[tuple[str, int], Any]:
    return {case: opened(*case) for case in CASES}


@pytest.mark.parametrize("name", NAMES)
def test_every_place_is_found_in_the_master_or_an_answer(name: str) -> None:
    sources = {cell.id: cell.source for cell in READ[name].cells}
    for mistake in MISTAKES:
        if mistake.notebook == name:
            sources[mistake.task] += f"\n{mistake.code}\n{mistake.why}"
    for entry in OTHERS:
        if entry["notebook"] == name:
            sources[entry["task"]] += f"\n{entry['code']}"
    own = nth(name, 0)
    for cell, templates in own.places.items():
        for template in templates:
            assert variants.filled(template, own.own) in sources[cell], (cell, template)


def test_of_texts_that_begin_alike_the_longest_is_replaced() -> None:
    parameter = variants.Parameter(
        "mine", [{"short": "ab", "long": "abc"}, {"short": "x", "long": "y"}],
        {"rows": ["«short»", "«long»"]},
    )  # fmt: skip
    assert variants.variant([parameter], [1]).of("rows", "abc, ab") == "y, x"


@pytest.mark.parametrize("name", NAMES)
def test_without_a_seed_it_is_the_master(name: str) -> None:
    own = nth(name, 0)
    assert all(own.of(cell.id, cell.source) == cell.source for cell in READ[name].cells)
    assert "variant" not in nbformat.reads(grade.with_mistakes(teach.masters()[name]), 4).metadata


@pytest.mark.parametrize(("name", "number"), CASES)
def test_solution_gets_all_points_in_every_variant(
    notebooks: dict[tuple[str, int], Any], name: str, number: int
) -> None:
    notebook = notebooks[name, number]
    assert points_by(notebook) == automatic(notebook)


@pytest.mark.parametrize("number", range(NUMBER["06_arena"]))
def test_both_limits_of_the_verdict_are_the_same_share(number: int) -> None:
    own = nth("06_arena", number)
    (text,) = [own.of(c.id, c.source) for c in READ["06_arena"].cells if c.id == "text-20"]
    share = own.values["share"]
    assert f"**more than {share}** of all counts" in text
    assert f"at most {share} of the counts" in text
    assert ("half" in text) == (share == "half")


@pytest.mark.parametrize("number", range(2))
def test_totals_that_are_not_those_of_the_task_before_are_told(number: int) -> None:
    own = nth("05_alphazero_lite", number)
    (text,) = [own.of(c.id, c.source) for c in READ["05_alphazero_lite"].cells if c.id == "text-11"]
    told = "(this program keeps its totals otherwise than that of task 2)"
    assert (told in text) == ("the player not to move" in text) == bool(own.values["mine"])


GRADIENT = "03_ntuple_network"
FACTOR = re.compile(r"squared error \$(?:\\tfrac(\d)(\d) )?(\d?)\(t - v\)\^2\$")
"""The error that the task of the step states: a fraction, a whole number or nothing before it."""


@pytest.mark.parametrize("number", range(NUMBER[GRADIENT]))
def test_a_step_follows_the_derivative_of_the_stated_error_and_nobody_is_told_it(
    number: int,
) -> None:
    cells = {cell.id: cell.source for cell in texts_of(GRADIENT, number).cells}
    shown = "\n".join(re.sub(r"### BEGIN.*?### END", "", c, flags=re.S) for c in cells.values())
    assert not re.search(r"1 - v|one minus|\(t - v\)(?!\^2)", shown)
    [(over, under, whole)] = FACTOR.findall(cells["text-11"])
    factor = int(over or whole or 1) / int(under or 1)
    space: dict[str, Any] = {}
    exec("\n".join(cells[name] for name in ("tools", "value", "step")), space)
    board, weights = space["parse"]("x...o....", space["GRID"]), np.full((8, 54), 0.05)

    def error(bias: float) -> float:
        return float(factor * (1 - space["value"](weights, bias, board)) ** 2)

    expected = -0.01 * (error(0.2 + 1e-6) - error(0.2 - 1e-6)) / 2e-6
    moved, bias = space["step"](weights, 0.2, board, 1.0, 0.01)
    assert np.allclose([*(moved - weights)[moved != weights], bias - 0.2], [expected] * 9)


def texts_of(name: str, number: int) -> Any:
    """A master in a variant, all cells."""
    return grade.filled_in(deepcopy(READ[name]), teach.masters()[name], nth(name, number))


@pytest.mark.parametrize("name", NAMES)
def test_the_tasks_of_another_variant_are_nobodys_answer(name: str) -> None:
    handed_out = [texts_of(name, number) for number in range(NUMBER[name])]
    assert len({nbformat.writes(notebook) for notebook in handed_out}) > 1
    assert not any(grade.written(one, other) for one in handed_out for other in handed_out)


SLIPS = {
    "done": lambda text: f"DONE {text}",
    "a letter": lambda text: text.replace("e", "", 1),
    "a word": lambda text: " ".join(text.split(" ")[1:]),
    "spaces": lambda text: text.replace(" ", "  "),
}


@pytest.mark.parametrize("slip", SLIPS)
@pytest.mark.parametrize("name", NAMES)
def test_a_slip_in_a_task_is_no_answer(name: str, slip: str) -> None:
    for at in places_of_texts(name):
        notebook = deepcopy(READ[name])
        notebook.cells[at].source = SLIPS[slip](notebook.cells[at].source)
        assert not grade.written(notebook, READ[name]), notebook.cells[at].source


def places_of_texts(name: str) -> list[int]:
    """Cells of text that don't stand next to the cell for an answer in words."""
    cells = READ[name].cells
    (answer,) = [
        at for at, c in enumerate(cells) if c.cell_type == "markdown" and tag(c).get("solution")
    ]
    texts = [at for at, cell in enumerate(cells) if cell.cell_type == "markdown"]
    return [at for at in texts if abs(at - answer) > 1]


ANSWER = "Luck, or a leak."


@pytest.mark.parametrize("name", NAMES)
def test_an_answer_in_any_text_is_found(name: str) -> None:
    """After a text, or in its place, anywhere; beside its cell also before it, or a word."""
    given, far = READ[name], places_of_texts(name)
    for at, cell in enumerate(given.cells):
        if cell.cell_type != "markdown" or tag(cell):
            continue
        texts = [f"{cell.source}\n\n{ANSWER}", f"{ANSWER}\n\n{cell.source}", ANSWER]
        texts += [f"{cell.source} {ANSWER}"]
        texts += [] if at in far else [f"{cell.source} Luck.", f"{ANSWER} {cell.source}"]
        for text in texts:
            notebook = deepcopy(given)
            notebook.cells[at].source = text
            assert grade.written(notebook, given), text


INSERTED = " ".join(f"answer{number}" for number in range(25))


@pytest.mark.parametrize("name", NAMES)
def test_an_answer_within_a_paragraph_is_found(name: str) -> None:
    """Between two sentences; and after the last, whose full stop has become a comma."""
    for at in places_of_texts(name):
        lines = READ[name].cells[at].source.splitlines()
        if len(lines[-1].split()) < 12 or tag(READ[name].cells[at]):
            continue
        texts = [f"{lines[-1][:-1]}, {INSERTED}."]
        texts += [lines[-1].replace(". ", f". {part} ", 1) for part in (INSERTED, ANSWER)]
        for text in texts:
            notebook = deepcopy(READ[name])
            notebook.cells[at].source = "\n".join([*lines[:-1], text])
            assert grade.written(notebook, READ[name]) == (text != lines[-1]), text


def own(text: str, *, beside: int = 10) -> bool:
    """Whether a paragraph that was one of so many words counts as somebody's own."""
    cells = [nbformat.v4.new_markdown_cell(one) for one in (words("w", beside), "ask", "stub")]
    cells[2].metadata["nbgrader"] = {"grade_id": "open", "solution": True}
    given = nbformat.v4.new_notebook(cells=cells)
    notebook = deepcopy(given)
    notebook.cells[0].source = text
    return grade.written(notebook, given)


def words(name: str, number: int) -> str:
    return " ".join(f"{name}{one}" for one in range(number))


def test_half_of_the_words_make_a_line_the_same() -> None:
    assert not own(f"{words('w', 5)} {words('v', 5)}")
    assert own(f"{words('w', 4)} {words('v', 6)}")


@pytest.mark.parametrize(("lost", "added", "found"), [
    (0, 2, False), (0, 3, True), (1, 12, False), (1, 13, True),
])  # fmt: skip
def test_an_answer_has_more_words_than_a_slip_or_a_variant(
    lost: int, added: int, found: bool
) -> None:
    """Three more where all others are kept; else more than a variant has beside another."""
    kept = words("w", 40).split()
    text = " ".join([*kept[:20], *words("v", added + lost).split(), *kept[20 + lost :]])
    assert own(text, beside=40) == found
    if not lost:
        assert own(f"{' '.join(kept)}.{words('v', added + 1)}", beside=40) == found, "no blank"


IN_CODE = {
    "Der Rest ist Glück, denn die Ziehungen sind zufällig.": True,
    '"""Luck, or\na leak."""': True,
    "# My answer: luck, or a leak.": True,
    "print('luck,', 'or a leak')": True,
    "answer = 'luck, or a leak'\nprint(answer)": True,
    "rows = 'luck, or a leak'\nrows(answer)": False,
    "from math import comb\n# luck, or a leak": False,
    "# luck, not skill": False,
    "# luck,or-a-leak!": False,
    "answer = 'luck, or a leak'": True,
    "%%markdown\nLuck, or a leak.": True,
    "f = 'luck, or a leak'.split()\nlen(f)": False,
    "rows(9)  # is it five, as it should be?": False,
    "def f():\n    'Luck, or a leak.'": False,
    "# rows(9)\n# for plies in range(9):\n#     print(rows(plies))": False,
    "board = 'xo.......'": False,
    "%time rows(9)\n!ls data\nrows?\n?rows": False,
    "rows(9": False,
    "n = (9 # a number of moves\n    % len(rows))": False,
    "files = !ls -la folder": False,
    "answer: str = 'luck, or a leak'": True,
    "print(str('luck, or a leak'))": True,
    "---": False,
    "# ---": False,
    "": False,
}


@pytest.mark.parametrize("source", IN_CODE)
def test_words_in_a_cell_of_code_are_an_answer(source: str) -> None:
    given = READ[NAMES[1]]
    notebook = deepcopy(given)
    notebook.cells.append(nbformat.v4.new_code_cell(source))
    assert grade.written(notebook, given) == IN_CODE[source]


def touched(name: str, task: str) -> bool:
    """Whether a task differs between variants; if not, test_teach.py has tried its answers."""
    return any({task, f"{task}-check", f"{task}-more"} & set(one.places) for one in STATED[name])


VARIED = [(n, m) for n, m in enumerate(MISTAKES) if touched(m.notebook, m.task)]
RIGHT = [(n, e) for n, e in enumerate(OTHERS) if touched(e["notebook"], e["task"])]


@pytest.mark.parametrize(
    ("place", "mistake"), VARIED, ids=[f"{m.notebook[:2]}-{m.task}: {m.why}" for _, m in VARIED]
)
def test_mistake_gets_what_it_gets_for_the_master(
    notebooks: dict[tuple[str, int], Any], place: int, mistake: grade.Mistake
) -> None:
    number = 1 + place % (NUMBER[mistake.notebook] - 1)
    own = grade.varied(mistake, nth(mistake.notebook, number))
    notebook = notebooks[mistake.notebook, number]
    found = answered(notebook, mistake.task, own.code)
    assert found[mistake.check].points == mistake.earns, (number, found[mistake.check].said)
    assert found[f"{mistake.task}-check"].silent == mistake.silent
    if (mistake.task, mistake.why) not in UNNAMED:
        assert f"this mistake: {own.why}" in found[mistake.check].said


@pytest.mark.parametrize(
    ("place", "entry"), RIGHT, ids=[f"{e['notebook'][:2]}-{e['task']}-{n}" for n, e in RIGHT]
)
def test_other_right_answer_gets_all_points(
    notebooks: dict[tuple[str, int], Any], place: int, entry: dict[str, str]
) -> None:
    number = 1 + place % (NUMBER[entry["notebook"]] - 1)
    code = nth(entry["notebook"], number).of(entry["task"], entry["code"])
    notebook = notebooks[entry["notebook"], number]
    found = answered(notebook, entry["task"], code)
    check = f"{entry['task']}-more"
    assert found[check].points == automatic(notebook)[check], (number, found[check].said)
    assert all(result.silent for result in found.values())


# ---------------------------------------------------------------------------- by the student's name


HIDDEN = re.compile(r"### BEGIN (SOLUTION|HIDDEN TESTS)\n.*?### END \1", re.DOTALL)


def shown(name: str, seed: str) -> str:
    """What a student reads: hidden checks and solutions may differ without showing it."""
    own = variants.variant_of(seed, STATED[name])
    texts = [own.of(cell.id, cell.source) for cell in READ[name].cells]
    return "\n".join(HIDDEN.sub("", text) for text in texts)


@pytest.mark.parametrize("name", NAMES)
def test_students_get_different_exercises_and_each_always_the_same(name: str) -> None:
    class_ = [f"s{number:02}" for number in range(30)]
    assert len({shown(name, seed) for seed in class_}) > 20
    path = teach.masters()[name]
    assert grade.with_mistakes(path, "ada") == grade.with_mistakes(path, "ada")
    assert "«" not in grade.with_mistakes(path, "ada")


@pytest.mark.parametrize("seed", ["", " ", "../ben", ".records", "a/b"])
def test_a_seed_is_the_name_of_a_folder(
    tmp_path: Path, seed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert teach.main(["build", NAMES[0], "--seed", seed, "--out", str(tmp_path)]) == 2
    assert ": the seed is the name of the student's folder, not " in capsys.readouterr().err


NAME = "04_ising_bias"


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Ada hands in hers, and so does Ben, whose own has other numbers."""
    top = tmp_path_factory.mktemp("variants")
    handed_in = {"ada": solved(NAME, "ada"), "ben": solved(NAME, "ada")}
    for student, notebook in handed_in.items():
        (top / "in" / student).mkdir(parents=True)
        nbformat.write(notebook, top / "in" / student / f"{NAME}.ipynb")
    words = ["grade", str(top / "in"), "--variants", "--workers", "2"]
    said = io.StringIO()
    with redirect_stdout(said):
        assert teach.main([*words, *([] if can_be_confined() else ["--unsafe"])]) == 0
    return top / "in-graded", said.getvalue()


def test_each_is_graded_by_the_checks_of_their_own(graded: tuple[Path, str]) -> None:
    table = pd.read_csv(graded[0] / "grades.csv").set_index("student")
    points = table.groupby("student").points.sum()
    assert points["ada"] == sum(automatic(solved(NAME, "ada")).values())
    assert points["ben"] == sum(points_by(with_answers_of("ada", "ben")).values()) < points["ada"]


def with_answers_of(student: str, other: str) -> Any:
    """The variant of one with the solutions of the other."""
    own = solved(NAME, other)
    answers = {
        cell.id: cell.source for cell in solved(NAME, student).cells if tag(cell).get("solution")
    }
    for cell in own.cells:
        cell.source = answers.get(cell.id, cell.source)
    return own


def test_another_students_variant_is_told_in_one_line(graded: tuple[Path, str]) -> None:
    notices = pd.read_csv(graded[0] / "notices.csv")[["student", "notice"]]
    said = "this is the variant of {}, graded by the checks of {}"
    same = "the same file as that of {}"
    assert sorted(map(tuple, notices.to_numpy().tolist())) == [
        ("ada", same.format("ben")),
        ("ben", same.format("ada")),
        ("ben", said.format("'ada'", "'ben'")),
    ]
    assert said.format("'ada'", "'ben'").replace("'", "&#x27;") in (
        graded[0] / "ben" / f"{NAME}.html"
    ).read_text(encoding="utf-8")
    assert "not their own variant: 1 (notices.csv)" in graded[1]


def test_a_notebook_without_a_variant_is_told_too() -> None:
    plain, own = solved(NAME).metadata, solved(NAME, "ada").metadata
    said = "this is the variant of {}, graded by the checks of {}".format
    nobody = "the exercise without a seed"
    assert list(grade.other_version(plain, own)) == [said(nobody, "'ada'")]
    assert list(grade.other_version(own, plain)) == [said("'ada'", nobody)]
    assert list(grade.other_version(own, own)) == []
    assert list(grade.other_version({**plain, "edition": "0"}, plain)) == [
        "handed out in another version (another year's)"
    ]


def test_build_writes_a_folder_for_each_seed(tmp_path: Path) -> None:
    words = ["build", NAME, "--seed", "ada", "--seed", "ben", "--out", str(tmp_path)]
    assert teach.main(words) == 0
    texts = {}
    for seed in ("ada", "ben"):
        student = nbformat.read(tmp_path / seed / f"{NAME}.ipynb", as_version=4)
        assert student.metadata["variant"]["seed"] == seed
        own = variants.variant_of(seed, STATED[NAME])
        assert student.metadata["variant"]["values"] == own.values
        texts[seed] = "\n".join(cell.source for cell in student.cells)
        assert f"weighs ${own.values['base']}^k$" in texts[seed]
        assert not re.search("SOLUTION|HIDDEN|model answer", texts[seed])
    assert texts["ada"] != texts["ben"]
