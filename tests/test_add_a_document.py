"""The recipe of ``notebooks/book/add_a_document.md``, followed in a copy of the project."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import pytest

from ttt_lib.evidence import claims, figures, provenance, store

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "notebooks/book/add_a_document.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
NUMBER = int(re.findall(r"^number = (\d+)$", PAGE, re.MULTILINE)[0])
[NOTEBOOK] = re.findall(r'^notebook = "(\w+)"$', PAGE, re.MULTILINE)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with the page's files and entries in it, instead of its number's."""
    place = tmp_path_factory.mktemp("copy") / "project"
    unwanted = shutil.ignore_patterns(".git", ".venv", "_build", "__pycache__", ".staging-*")
    shutil.copytree(ROOT, place, ignore=unwanted)
    claimed = place.glob(f"data/claims/{NUMBER}_*.toml")
    for path in (*claimed, place / f"notebooks/{NOTEBOOK}.ipynb"):
        path.unlink(missing_ok=True)
    for found in re.finditer(r"New file `([^`]+)`:\n\n```\w+\n(.*?)```", PAGE, re.DOTALL):
        path = place / found[1]
        path.parent.mkdir(exist_ok=True)
        path.write_text(found[2], encoding="utf-8")
    table = place / "ttt_lib/documents.toml"
    known = table.read_text().partition(f"\n[[document]]\nnumber = {NUMBER}\n")[0]
    table.write_text(f"{known}\n{block_after('documents.toml`:')}", encoding="utf-8")
    catalog = place / "ttt_lib/catalog.py"
    head, brace, tail = catalog.read_text().partition("\n}\n\n\ndef agent(")
    entry = block_after("before the closing brace of the table:").rstrip()
    catalog.write_text(f"{head}\n{entry}{brace}{tail}", encoding="utf-8")
    contract = place / "tests/test_catalog.py"
    named = block_after("The same name in")
    contract.write_text(
        contract.read_text().replace("CONTRACT = {\n", f"CONTRACT = {{\n{named}", 1)
    )
    return place


def block_after(words: str) -> str:
    """The first code block after some words of the page."""
    found = BLOCK.search(PAGE, PAGE.index(words))
    assert found is not None
    return found[2]


def run(copy: Path, command: str) -> str:
    """Run a command of the page in the copy; its output."""
    words = shlex.split(command)
    start = {"ttt": ["-m", "ttt_lib"], "python": []}[words[0]]
    found = subprocess.run(
        [sys.executable, *start, *words[1:]],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy), "TTT_DATA": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, (command, found.stdout, found.stderr)
    return found.stdout


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "notebooks/book/add_a_document.md"])
def test_tables_to_add_a_name_to_are_where_the_pages_say(page: str) -> None:
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    named = re.findall(r"`([A-Z]+)` (?:of|in) `([\w/]+\.py)`", text)
    assert {"AGENTS", "CONTRACT", "PLAYERS"} <= {name for name, _ in named}
    for name, path in named:
        assert re.search(
            rf"^{name}\b.* = ", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE
        )


@pytest.mark.parametrize(
    ("page", "kinds"),
    [
        ("CONTRIBUTING.md", [store.Stored, figures.Entry, claims.Claim]),
        ("notebooks/book/add_a_document.md", [store.Stored, figures.Entry]),
    ],
)
def test_the_pages_name_the_fields_that_an_entry_needs(page: str, kinds: list[Any]) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    given = {"file", "name", "document"}  # by the entry's place
    for kind in kinds:
        needed = {
            one.name
            for one in fields(kind)
            if one.default is MISSING and one.default_factory is MISSING
        }
        told = {name for name in needed - given if re.search(rf"`{name}(?: = [^`]*)?`", text)}
        assert told == needed - given


@pytest.mark.parametrize(
    ("page", "last"),
    [
        ("CONTRIBUTING.md", "a board or a game"),
        ("README.md", "| add a board or a game"),
        ("notebooks/book/add_a_document.md", "Add the document to"),
    ],
)
def test_times_are_measured_before_what_shows_them_is_written(page: str, last: str) -> None:
    """A new player makes them stale, they can't be confirmed, and a figure shows them."""
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    steps = text[: text.index(last)]
    assert steps.rindex("`arena_cost.csv`") < steps.rindex("`make reproduce ARGS=--accept`")
    (entry,) = [one for one in provenance.long_runs() if one.file == "arena_cost.csv"]
    assert provenance.only_times(entry)
    assert "ttt_lib.catalog" in provenance.basis(entry)["modules"]
    assert "arena_cost.csv" in figures.manifest()["06_strength_for_cost"].data


def test_every_command_of_the_page_runs(copy: Path) -> None:
    commands = [line for kind, text in BLOCK.findall(PAGE) if kind == "console"
                for line in text.splitlines()]  # fmt: skip
    said = {command: run(copy, command) for command in commands}
    assert len(said) == 5
    assert "win" in said["ttt exact corners random"]
    assert "corners-random" in said[f"ttt claims --document {NUMBER}"]
    results = json.loads((copy / "data/claims/results.json").read_text())["claims"]
    row = next(row for row in results if row["id"] == "corners-random")
    assert row["document"] == NUMBER
    assert row["verdict"] in ("within sampling error", "differs")
    assert row["n"] == 100


def test_scorecard_book_and_readme_know_the_new_document(copy: Path) -> None:
    code = (
        "from ttt_lib.evidence import claims, readme, scorecard\n"
        "from ttt_lib.people.book import pages\n"
        "rows = claims.load_results()\n"
        "print(scorecard.as_markdown(rows))\n"
        "print(len(scorecard.picture().data))\n"
        f"new = [row for row in rows if row['document'] == {NUMBER}]\n"
        "ours = {'corners-random': 'ttt_lib.corners.claims:wins'}\n"
        f"print(pages.document_page({NUMBER}, new, ours))\n"
        "print(readme.notebooks())\n"
    )
    (copy / "look.py").write_text(code, encoding="utf-8")
    said = run(copy, "python look.py")
    assert f"{NUMBER} Corners" in said
    assert f"# Claims of document {NUMBER}: Corners" in said
    assert "## how-far-corners-carry" in said, "its notebook comes with step 5"
    assert NOTEBOOK in said


def test_the_package_is_typed(copy: Path) -> None:
    run(copy, "python -m mypy --strict ttt_lib/corners")


def test_the_conformance_tests_and_the_rules_of_the_house_know_it(copy: Path) -> None:
    told = run(copy, "python -m pytest -q -p no:cacheprovider tests/test_catalog.py "
                     "tests/test_conformance.py tests/test_architecture.py "
                     "-k 'corners or floor or point_down or another_document'")  # fmt: skip
    assert re.search(r"^\d+ passed", told.splitlines()[-1])
