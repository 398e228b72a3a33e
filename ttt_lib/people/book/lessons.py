"""The lessons: slides to show, a quiz for the book, and a handout to print.

    python -m ttt_lib.people.book.lessons

The texts lie in ``notebooks/exercises/lessons/``; :mod:`ttt_lib.people.book.slides` makes pages of
them, and the book takes the quizzes in.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from ttt_lib.evidence import store
from ttt_lib.evidence.command import Parser, folder_named, run_command
from ttt_lib.people.book import slides
from ttt_lib.people.book.lesson_facts import filled

FOLDER = "notebooks/exercises/lessons"
QUESTIONS = 5
"""Questions per lesson."""


@dataclass(frozen=True)
class Choice:
    """One answer to a question, and why it is right or wrong."""

    text: str
    why: str
    right: bool = False


@dataclass(frozen=True)
class Question:
    """A question with several answers, one of them right."""

    ask: str
    choices: tuple[Choice, ...]
    board: str = ""

    def __post_init__(self) -> None:
        if sum(choice.right for choice in self.choices) != 1:
            raise ValueError(f"one answer has to be right: {self.ask}")
        if not all(choice.why for choice in self.choices):
            raise ValueError(f"each answer needs a reason: {self.ask}")


@dataclass(frozen=True)
class Lesson:
    """A lesson of the plan: its texts and its questions."""

    number: int
    title: str
    notebook: str
    summary: str
    questions: tuple[Question, ...]

    def __post_init__(self) -> None:
        if len(self.questions) != QUESTIONS:
            raise ValueError(f"lesson {self.number} has {len(self.questions)} questions")

    def text(self, kind: str) -> str:
        """The Markdown of its slides or its handout; ``[summary]`` stands for the summary."""
        path = store.root() / FOLDER / f"{kind}_{self.number}.md"
        return path.read_text(encoding="utf-8").replace("[summary]", self.summary)


def load() -> list[Lesson]:
    """The lessons in order.

    Raises
    ------
    ValueError
        If a question does not have exactly one right answer, or a reason is missing.
    """
    path = store.checkout("to show the lessons") / FOLDER / "lessons.toml"
    return [_lesson(entry) for entry in store.read_toml(path)["lesson"]]


def _lesson(entry: dict[str, Any]) -> Lesson:
    asked = tuple(
        Question(**one | {"choices": tuple(Choice(**choice) for choice in one["choices"])})
        for one in entry["questions"]
    )
    return Lesson(**entry | {"questions": asked})


# ---------------------------------------------------------------------------- slides, handouts


def pages() -> dict[str, str]:
    """Slides and handout of every lesson by file name."""
    made = {}
    for lesson in load():
        title = f"Lesson {lesson.number}: {lesson.title}"
        made[f"lesson_{lesson.number}.html"] = slides.deck(title, lesson.text("slides"))
        made[f"handout_{lesson.number}.html"] = slides.handout(title, lesson.text("handout"))
    return made


# ---------------------------------------------------------------------------- the book


def book_page(lesson: Lesson) -> str:
    """A lesson in the book: where its parts are, and its quiz."""
    place, number = "../_static/lessons", lesson.number
    links = (
        f'<a href="{place}/lesson_{number}.html">Slides</a>',
        f'<a href="{place}/handout_{number}.html">Handout to print</a>',
        f"[](../{lesson.notebook}.ipynb)",
        "[Instructor guide](../exercises/instructor_guide.md)",
    )
    lines = [
        f"# Lesson {number}: {lesson.title}",
        "",
        lesson.summary,
        "",
        " · ".join(links),
        "",
        "## Five questions",
        "",
        HOW_TO_ANSWER,
        "",
        "```{raw} html",
        f'<div class="quiz">{"".join(map(as_html, lesson.questions))}',
        '<p class="tally" role="status"></p></div>',
        '<script src="../_static/quiz.js"></script>',
        "```",
        "",
    ]
    return "\n".join(lines)


HOW_TO_ANSWER = """\
Choose an answer by click or key (Tab, then Enter). Each explains itself, the wrong ones too."""


def in_order(question: Question) -> list[Choice]:
    """The answers in alphabetical order, which doesn't tell which of them is right."""
    return sorted(question.choices, key=lambda choice: filled(choice.text))


def as_html(question: Question) -> str:
    """A question as the book asks it."""
    asked = slides.html_of(question.ask)
    if question.board:
        asked += slides.html_of(f"```boards\n{question.board}\n```")
    buttons = "".join(
        f'<li><button type="button" data-right="{int(choice.right)}" '
        f'data-why="{escape(filled(choice.why))}">{escape(filled(choice.text))}</button></li>'
        for choice in in_order(question)
    )
    answer = '<p class="why" role="status"></p>'
    return f'<section class="question">{asked}<ol>{buttons}</ol>{answer}</section>'


# ---------------------------------------------------------------------------- the command


def build(chosen: argparse.Namespace) -> None:
    """Write slides and handouts."""
    folder = chosen.out or store.checkout("to build slides") / FOLDER / "_build"
    made = pages()
    slides.write(folder, made)
    sys.stdout.write(f"{len(made)} pages in {folder}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    parser = Parser(prog="python -m ttt_lib.people.book.lessons", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--out", type=folder_named, help=f"folder ({FOLDER}/_build)")
    return run_command(parser, build, arguments)


if __name__ == "__main__":
    sys.exit(main())
