"""No number in prose is untraceable: notebooks, README, captions and alt texts; and it can fail."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from functools import cache, reduce
from pathlib import Path
from typing import Any

import prose_numbers as prose
import pytest
from prose_review import COMPUTED

from ttt_lib.evidence import claims, figures
from ttt_lib.evidence.documents import documents

ROOT = Path(__file__).parents[1]
NOTEBOOKS = {path.stem: path for path in sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))}
PAGES = ("README.md", "notebooks/book/using.md", "notebooks/book/glossary.md")
ALLOWED = tomllib.loads((Path(__file__).parent / "prose_allowed.toml").read_text())["allow"]
FIGURES = figures.manifest()


@cache
def notebook(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(NOTEBOOKS[name].read_text(encoding="utf-8"))
    return loaded


@cache
def ledger(name: str) -> list[dict[str, Any]]:
    """The rows of a notebook's, or a figure's, document; of all for those that stand above."""
    rows = claims.load_results()
    number = next((one.number for one in documents().values() if one.notebook[:2] == name[:2]), 0)
    return [row for row in rows if row["document"] == number] if number else rows


@cache
def in_notebook(name: str) -> tuple[prose.Stated, ...]:
    return tuple(prose.of_notebook(name, notebook(name), ledger(name)))


@cache
def in_figure(name: str) -> tuple[prose.Stated, ...]:
    table = (figures.folder() / f"{name}.csv").read_text(encoding="utf-8")
    return tuple(prose.of_figure(FIGURES[name], table, ledger(name)))


@cache
def in_page(name: str) -> tuple[prose.Stated, ...]:
    """Long numbers may come from the ledger or any notebook; short ones must be allowed."""
    text = (ROOT / name).read_text(encoding="utf-8")
    outputs = [prose.evidence(notebook(name)["cells"]) for name in NOTEBOOKS]
    known = [*outputs, prose.of_ledger(ledger(""))]
    return tuple(prose.stated(Path(name).stem, COMPUTED.sub("", text), [], known))


def allows(entry: dict[str, str], one: prose.Stated) -> bool:
    return (
        one.where.startswith(entry["where"])
        and one.number.text == entry["number"]
        and entry["phrase"] in one.context
    )


def untraced(stated: tuple[prose.Stated, ...] | list[prose.Stated]) -> list[str]:
    return [
        str(one)
        for one in stated
        if not one.traced and not any(allows(entry, one) for entry in ALLOWED)
    ]


# ---------------------------------------------------------------------------- what is committed


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_numbers_of_a_notebook_are_traced(name: str) -> None:
    assert untraced(in_notebook(name)) == []


@pytest.mark.parametrize("name", FIGURES)
def test_numbers_of_a_figures_texts_are_traced(name: str) -> None:
    assert untraced(in_figure(name)) == []


@pytest.mark.parametrize("name", PAGES)
def test_numbers_of_a_page_are_traced(name: str) -> None:
    assert untraced(in_page(name)) == []


# ---------------------------------------------------------------------------- what is allowed


def everything() -> Iterator[prose.Stated]:
    for name in NOTEBOOKS:
        yield from in_notebook(name)
    for name in FIGURES:
        yield from in_figure(name)
    for name in PAGES:
        yield from in_page(name)


@pytest.mark.parametrize("entry", ALLOWED, ids=lambda entry: f"{entry['where']} {entry['number']}")
def test_allowed_number(entry: dict[str, str]) -> None:
    """It is needed, has a reason, and equals what it is said to equal."""
    assert entry["number"] in entry["phrase"]
    assert len(entry["reason"]) > 5
    used = [one for one in everything() if allows(entry, one)]
    assert used, "nothing uses this entry"
    if "is" in entry:
        expected = eval(entry["is"], {"__builtins__": {}})
        assert used[0].number.value == pytest.approx(expected)
    if "same_as" in entry:
        assert used[0].number.value == pytest.approx(constant(entry["same_as"]))


def constant(name: str) -> float:
    """A constant named ``module:NAME.attribute``; of a collection its size."""
    module, _, path = name.partition(":")
    first, *rest = path.split(".")
    found = reduce(getattr, rest, vars(__import__(module, fromlist=[first]))[first])
    return float(len(found) if hasattr(found, "__len__") else found)


# ---------------------------------------------------------------------------- it can fail


def tries(name: str, *, long: bool) -> list[tuple[str, prose.Stated]]:
    """Traced numbers in the prose of a notebook: long ones have three digits, or a point."""
    return [
        (name, one)
        for one in in_notebook(name)
        if one.traced
        and not one.where.endswith("says")
        and (len(one.number.text) > 2 and one.number.text[0].isdigit()) == long
    ]


LONG = [name for name in NOTEBOOKS if name < "06"]
"""Notebooks whose prose states long numbers; that of a later one may."""


def test_notebooks_with_long_numbers() -> None:
    assert {*LONG} <= {name for name in NOTEBOOKS if tries(name, long=True)}


@pytest.mark.parametrize("name", LONG)
def test_a_wrong_number_in_a_copy_is_caught(name: str) -> None:
    """One long number of each notebook, changed; the complaint names it."""
    _, one = max(tries(name, long=True), key=lambda found: len(found[1].number.text))
    wrong = changed(one.number.text)
    complaints = untraced(prose.of_notebook(name, edited(name, one, wrong), ledger(name)))
    assert len(complaints) == 1
    assert complaints[0].startswith(f"{one.where}: {wrong!r} in ")


@pytest.mark.parametrize(("long", "least"), [(True, 0.85), (False, 0.38)])
def test_most_wrong_numbers_are_caught(long: bool, least: float) -> None:
    """How sharp the eye is: each number in turn off by one in its last digit.

    Some escape, short ones above all, because a wrong number may stand nearby as well.
    """
    found = [found for name in NOTEBOOKS for found in tries(name, long=long)]
    caught = 0
    for name, one in found:
        copied = edited(name, one, changed(one.number.text, last=True))
        place = None if in_heading(one) else cell_of(one)  # other cells are as they were
        caught += len(untraced(prose.of_notebook(name, copied, ledger(name), place))) > 0
    assert caught >= least * len(found), f"{caught} of {len(found)}"


def cell_of(one: prose.Stated) -> int:
    """The number of the cell that a number of a notebook stands in, from 1."""
    return int(one.where.split()[-1])


def in_heading(one: prose.Stated) -> bool:
    """Whether it stands in the heading of a section, by which rows of the ledger are found."""
    first = one.piece.partition("\n")[0]
    return first.startswith("#") and one.number.place < len(first)


def edited(name: str, one: prose.Stated, wrong: str) -> dict[str, Any]:
    """A copy of a notebook with another text in a number's place."""
    cells, number = list(notebook(name)["cells"]), cell_of(one) - 1
    text = "".join(cells[number]["source"])
    place = one.number.place + text.index(one.piece)
    assert text[place:].startswith(one.number.text)
    new = text[:place] + wrong + text[place + len(one.number.text) :]
    cells[number] = {**cells[number], "source": new}
    return {**notebook(name), "cells": cells}


def changed(number: str, *, last: bool = False) -> str:
    """The same number with its first (last) digit one higher; of words the next first word."""
    places = [found.start() for found in re.finditer(r"\d", number)]
    if not places:
        first, *rest = re.split(r"(?=[ -])", number.lower())
        words = ["a", *prose.UNITS.split()[1:], *prose.TENS.split(), "ninety-nine"]
        return "".join([words[words.index("a" if first in ("an", "one") else first) + 1], *rest])
    place = places[-1 if last else 0]
    digit = int(number[place])
    return number[:place] + str(digit + 1 if digit < 9 else 8) + number[place + 1 :]


def test_a_number_typed_into_say_is_no_evidence_of_itself() -> None:
    source = "games = 400\nsay(f'Of {games} games and 4000 more, {games / 7:.3} ' + 'in 57 rows')"
    outputs = [{"output_type": "display_data", "data": {"text/markdown": "400, 4000, 57.1, 57"}}]
    cell = {"cell_type": "code", "source": source, "outputs": outputs}
    assert prose.typed(source) == "Of ... games and 4000 more, ... in 57 rows"
    assert [
        (one.where, one.number.text, one.traced)
        for one in prose.of_notebook("n", {"cells": [cell]}, [])
    ] == [("n cell 1 says", "4000", False), ("n cell 1 says", "57", False)]


def test_wrong_captions_are_caught() -> None:
    from dataclasses import replace

    entry = FIGURES["00_by_ply"]
    table = (figures.folder() / "00_by_ply.csv").read_text()
    assert untraced(prose.of_figure(entry, table, [])) == []
    wrong = replace(entry, alt=entry.alt.replace("1520", "1521"))
    [complaint] = untraced(prose.of_figure(wrong, table, []))
    assert complaint.startswith(
        "00_by_ply alt: '1521' in ...line charts. On 3x3 the states rise to"
    )


# ---------------------------------------------------------------------------- its parts


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It won 5,478 of 10,000 games, 54.78 %.", [5478, 10000, 54.78]),
        ("two thousand games, fifteen trillion, a hundred", [2000, 15e12, 100]),
        ("a third of them, two thirds, six tenths", [1 / 3, 2 / 3, 0.6]),
        ("forty-eight rows and twenty networks", [48, 20]),
        ("five times as often, three seeds", [5, 3]),
        ("two rules and one player", []),
        ("866 in 945, or 737/1260", [866 / 945, 737 / 1260]),
        ("3x3, 4 x 4 and 5x5x5x5; document 3; cells 0, 3 and 6; ply 4; seed 7", []),
        ("(Beal, 1980; Nau, 1983), Brier (1950), CC BY 4.0, +1 or −1", []),
        ("`games=4000`, $x_2 + 3$, [text](a/b5678.html)", []),
        ("$b = 0.647$ and b = .5", [0.647, 0.5]),
        ("1. first\n2. second", []),
    ],
)
def test_numbers_are_found(text: str, found: list[float]) -> None:
    values = [number.value for number in prose.numbers(prose.masked(text))]
    assert values == pytest.approx(found)


@pytest.mark.parametrize(
    ("shown", "said", "traced"),
    [
        ("0.584921", "0.585", True),
        ("0.584921", "0.586", False),
        ("0.584921", "58 %", True),
        ("0.584921", "57 %", False),
        ("5,478 states", "5478", True),
        ("737/1260", "0.585", True),
        ("0.584920634921", "737/1260", True),
        ("829", "some eight hundred rows", True),
        ("829", "eight hundred rows", False),
        ("15,183,407,523,072", "fifteen trillion", True),
        ("15,783,407,523,072", "fifteen trillion", False),
        ("−0.25", "0.25", True),
    ],
)
def test_numbers_are_traced(shown: str, said: str, traced: bool) -> None:
    known = prose.Evidence()
    known.add_text(shown)
    [number] = prose.numbers(said)
    assert known.holds(number) is traced


def test_code_is_evidence() -> None:
    known = prose.Evidence()
    known.add_code(
        "assert x == Fraction(1, 8)\nplay(f'uct:c={2}', games=4_000, b=-0.5, size=2**20)"
    )
    assert {0.125, 4000.0, 0.5, 2.0, 1048576.0} <= known.values
