"""The computed answers to the exercises at the ends of the notebooks print what they say."""

import contextlib
import io
import re
from collections.abc import Iterator

import pytest

from ttt_lib.people.grading import teach

TEXT = (teach.exercises() / "masters" / "end_exercises.md").read_text(encoding="utf-8")
NOTEBOOKS = dict(re.findall(r"(?ms)^## (0\d) [^\n]+\n(.*?)(?=^## |\Z)", TEXT))
BLOCK = re.compile(r"(?ms)^```python\n(.*?)^```(?:\n\n```text\n(.*?)^```)?")


def answers(notebook: str) -> Iterator[tuple[str, str]]:
    """Number and text of each answer of a notebook."""
    parts = re.split(r"(?m)^### (\d\d\.\d)\n", NOTEBOOKS[notebook])
    return zip(parts[1::2], parts[2::2], strict=True)


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_the_code_of_an_answer_prints_what_is_shown(notebook: str) -> None:
    scope: dict[str, object] = {}
    for source, shown in BLOCK.findall(NOTEBOOKS[notebook]):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(source, scope)
        assert printed.getvalue() == shown


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_a_bold_number_of_an_answer_is_a_printed_one(notebook: str) -> None:
    for number, text in answers(notebook):
        printed = "\n".join(shown for _, shown in BLOCK.findall(text))
        for said in re.findall(r"\*\*([^*]+)\*\*", BLOCK.sub("", text)):
            assert re.search(rf"(?<![\d.]){re.escape(said)}(?![\d/]|\.\d)", printed), (number, said)


def test_an_answer_stands_once() -> None:
    rows = re.findall(r"(?m)^\| (0\d\.\d) \|", TEXT)
    found = rows + [number for notebook in NOTEBOOKS for number, _ in answers(notebook)]
    assert len(found) == len(set(found)) > 7
    for notebook in NOTEBOOKS:
        assert all(number.startswith(notebook) for number, _ in answers(notebook))
