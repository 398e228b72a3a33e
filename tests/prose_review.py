"""Which prose somebody has read beside the outputs since it was last changed.

A test can trace a number to an output; it can't tell that "wins" should be "loses".  So every
paragraph of the compendium has a fingerprint in ``prose_reviewed.json``: who changes a word reads
the paragraph again beside what it tells of, and says so with ``make review ARGS=--accept``.  A
paragraph is a block of text, of a script or of a style sheet (which may hold words), a cell of an
exercise, a figure's caption or alt text, a data file's description, a claim, or a text in code, of
the library or a notebook: one of more than a word, such as a docstring, an f-string, the two words
of a condition, or a line of a comment.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import io
import json
import re
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

from ttt_lib.evidence.command import Parser, run_command
from ttt_lib.evidence.readme import BLOCKS
from ttt_lib.people.book.lesson_facts import FIELD, facts

ROOT = Path(__file__).resolve().parents[1]
STORED = Path(__file__).with_name("prose_reviewed.json")
PAGES = (
    *("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "CITATION.cff", "LICENSE"),
    *("Makefile", "pyproject.toml", "tests/prose_allowed.toml", "tests/mutants.jsonl"),
    *("notebooks/book/*.bib", "notebooks/book/*.py", "notebooks/book/_static/*.js"),
    *("notebooks/book/_static/*.css", "ttt_lib/people/*/*.css", "ttt_lib/people/*/*.js"),
    "notebooks/exercises/class_server/*.py",
    *("notebooks/book/*.md", "notebooks/exercises/*.md"),
    *("notebooks/exercises/masters/*.md", "notebooks/exercises/masters/*.toml"),
    *("notebooks/exercises/lessons/*.md", "notebooks/exercises/lessons/*.toml"),
)
NOTEBOOKS = ("notebooks/[0-9]*.ipynb", "notebooks/play.ipynb",
             "notebooks/exercises/masters/*.ipynb")  # fmt: skip
TABLES = (
    "figures/manifest.toml",
    "data/manifest.toml",
    "data/claims/*.toml",
    "ttt_lib/documents.toml",
)
MODULES = ("ttt_lib/**/*.py",)
COMPUTED = re.compile(rf"<!-- ({'|'.join(BLOCKS)}):begin -->.*?<!-- \1:end -->", re.DOTALL)
NO_PROSE = re.compile(r"# (fmt|mypy|noqa|type):|# -")
"""Comments for tools, and rules between the parts of a module."""
SHOWN = 200
"""Characters of a paragraph that are shown."""


def blocks(text: str) -> list[str]:
    """The paragraphs of a text, without what code writes into it."""
    return [part for part in re.split(r"\n\s*\n", COMPUTED.sub("", text)) if part.strip()]


def in_page(path: Path) -> Iterator[str]:
    """Paragraphs of a page; of a lesson with the numbers that code fills in."""
    text = path.read_text(encoding="utf-8")
    if "lessons" in path.parts:
        known = facts()
        text = FIELD.sub(lambda field: known.get(field[1], field[0]), text)
    yield from blocks(text)


def in_notebook(path: Path) -> Iterator[str]:
    """Text cells, and the texts of code cells; of an exercise all cells."""
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            yield from blocks(source)
        elif "exercises" in path.parts:
            yield source
        else:
            yield from in_code(source)


def in_table(path: Path) -> Iterator[str]:
    """Each entry of a TOML table as one text, and its comments."""
    text = path.read_text(encoding="utf-8")
    table = tomllib.loads(text)
    yield from (line for line in text.splitlines() if line.startswith("#"))
    lists = [found for found in table.values() if isinstance(found, list)]
    named = [{"": k, **v} for k, v in table.items() if isinstance(v, dict)]
    entries = [*chain(*lists), *named]
    for entry in entries:
        yield json.dumps(entry, ensure_ascii=False, sort_keys=True)


def in_module(path: Path) -> Iterator[str]:
    """The texts of a module."""
    return in_code(path.read_text(encoding="utf-8"))


def in_code(source: str) -> Iterator[str]:
    """Texts of more than a word, docstrings and comments among them; f-strings and conditions."""
    texts = Texts()
    texts.visit(ast.parse(source))
    yield from texts.found
    yield from comments(source)


def comments(source: str) -> Iterator[str]:
    """Comments of more than a word, line by line, without those that are for tools."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and not NO_PROSE.match(token.string):
            words = token.string.lstrip("#").strip()
            if " " in words:
                yield words


class Texts(ast.NodeVisitor):
    """The texts of code: an f-string as a whole, with holes; the two words of a condition."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str) and " " in node.value.strip():
            self.found.append(node.value)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        self.found.append(said(node))
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.visit(part.value)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        words = [part.value for part in (node.body, node.orelse) if isinstance(part, ast.Constant)]
        if any(isinstance(word, str) for word in words):
            self.found.append(" or ".join(map(str, words)))
        self.generic_visit(node)


def said(node: ast.JoinedStr) -> str:
    """What an f-string says, with holes where values go: ``{:.3f} wins``."""
    parts = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            layout = part.format_spec
            parts.append(f"{{:{said(layout)}}}" if isinstance(layout, ast.JoinedStr) else "{}")
        elif isinstance(part, ast.Constant):
            parts.append(str(part.value))
    return "".join(parts)


def readers(root: Path = ROOT) -> dict[str, tuple[Callable[[Path], Iterator[str]], Path]]:
    """By file, what reads its paragraphs, and where it is."""
    kinds = ((PAGES, in_page), (NOTEBOOKS, in_notebook), (TABLES, in_table), (MODULES, in_module))
    return {
        str(path.relative_to(root)): (read, path)
        for patterns, read in kinds
        for pattern in patterns
        for path in sorted(root.glob(pattern))
    }


def paragraphs(root: Path = ROOT) -> dict[str, list[str]]:
    """All paragraphs, by file."""
    return {file: list(read(path)) for file, (read, path) in readers(root).items()}


def fingerprint(text: str) -> str:
    """Eight hexadecimal digits of a paragraph; layout doesn't matter."""
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:8]


def reviewed() -> dict[str, list[str]]:
    """The stored fingerprints by file."""
    found: dict[str, list[str]] = json.loads(STORED.read_text(encoding="utf-8"))
    return found


def unread(now: dict[str, list[str]], before: dict[str, list[str]]) -> list[str]:
    """Name each paragraph that is another than when it was read; what is gone, or elsewhere."""
    found = []
    for file in sorted(now.keys() | before.keys()):
        known = Counter(before.get(file, []))
        for text in now.get(file, []):
            mark = fingerprint(text)
            if known[mark]:
                known[mark] -= 1
            else:
                found.append(f"{file}: {' '.join(text.split())[:SHOWN]}")
        if gone := sum(known.values()):
            found.append(f"{file}: {gone} paragraphs that were read are gone")
        marks = list(map(fingerprint, now.get(file, [])))
        if Counter(marks) == Counter(before.get(file, [])) and marks != before.get(file, []):
            found.append(f"{file}: paragraphs have changed places")
    return found


def accept(now: dict[str, list[str]]) -> None:
    """Store that all paragraphs were read."""
    marks = {file: list(map(fingerprint, texts)) for file, texts in sorted(now.items())}
    STORED.write_text(json.dumps(marks, indent=0) + "\n", encoding="utf-8")


def review(options: argparse.Namespace) -> int:
    """List what is to be read; with ``--accept`` say that it was."""
    now = paragraphs()
    if options.accept:
        accept(now)
        return 0
    found = unread(now, reviewed())
    sys.stdout.write("\n".join([*found, f"{len(found)} to read beside the outputs", ""]))
    return 1 if found else 0


def main() -> int:
    """Run the command line."""
    parser = Parser(prog="python tests/prose_review.py", description=__doc__)
    parser.add_argument("--accept", action="store_true", help="I have read them; they are right")
    return run_command(parser, review)


if __name__ == "__main__":
    sys.exit(main())
