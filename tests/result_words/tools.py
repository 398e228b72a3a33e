"""What the functions that build phrases share: texts, words, evidence, and the table of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import prose_numbers as prose

from ttt_lib import Grid, solve
from ttt_lib.comparison.matrix import soundness, table
from ttt_lib.evidence import claims, figures
from ttt_lib.evidence.store import read_table
from ttt_lib.game.exact import Outcome
from ttt_lib.ising import curve
from ttt_lib.people.book import lesson_facts

ROOT = Path(__file__).parents[2]
GRID = Grid(3)
TREE = solve(GRID)
KINDS = {4: "centre", 0: "corner", 1: "edge"}
"""The three kinds of cells, by one cell of each."""
ENERGIES = ("equation", "published")
"""The energy of document 4's text, and that of its program."""
MASTERS = "notebooks/exercises/masters"
GUIDE = "notebooks/exercises/instructor_guide.md"
LESSONS = "notebooks/exercises/lessons"
SLIDES = f"{LESSONS}/slides_4.md"
ANSWERS = f"{MASTERS}/end_exercises.md"
NOTEBOOKS = sorted((ROOT / "notebooks").glob("0*.ipynb"))


# ---------------------------------------------------------------------------- texts


@cache
def text_of(file: str) -> str:
    """The text of a file in one line; of a notebook its text cells, of a figure caption and alt."""
    if file.startswith("figures/"):
        entry = figures.manifest()[file.removeprefix("figures/")]
        return f"{entry.caption} | {entry.alt}"
    text = markdown(ROOT / file) if file.endswith(".ipynb") else raw(file)
    return " ".join(text.split())


def markdown(path: Path) -> str:
    """The text cells of a notebook, line by line."""
    return "\n".join("".join(c["source"]) for c in cells_of(path) if c["cell_type"] == "markdown")


def code_of(path: Path) -> str:
    """The code of a notebook, line by line."""
    return "\n".join("".join(c["source"]) for c in cells_of(path) if c["cell_type"] == "code")


def cells_of(path: Path) -> list[dict[str, Any]]:
    """The cells of a notebook."""
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return found


def raw(file: str) -> str:
    """The text of a file as it is."""
    return (ROOT / file).read_text(encoding="utf-8")


def astray(phrases: Iterable[str], text: str) -> list[str]:
    """The phrases that don't stand exactly once in a text."""
    return [phrase for phrase in phrases if text.count(phrase) != 1]


# ---------------------------------------------------------------------------- words


SMALL = {value: name for name, value in prose.SMALL.items()} | {0: "no"}
ORDINALS = ("zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


def word(number: float) -> str:
    """A whole number below a hundred in words."""
    value = int(number)
    assert value == number
    tens, units = value - value % 10, value % 10
    return SMALL[value] if value in SMALL else f"{SMALL[tens]}-{SMALL[units]}"


def capital(number: float) -> str:
    """The same at the beginning of a sentence."""
    return word(number).capitalize()


def listed(parts: Iterable[Any], last: str = "and") -> str:
    """Some things in a row: 1, 3 and 4."""
    *most, end = map(str, parts)
    return f"{', '.join(most)} {last} {end}" if most else end


def so(phrase: str, holds: object) -> str:
    """A phrase if it holds, else words that stand nowhere."""
    return phrase if holds else f"(not so:) {phrase}"


def way(condition: object, one: str, other: str) -> str:
    """One of two words."""
    return one if condition else other


# ---------------------------------------------------------------------------- evidence


def stored(file: str) -> Any:
    """A stored table."""
    return read_table(file)


@cache
def drawn(name: str) -> Any:
    """The table behind a figure."""
    return pd.read_csv(ROOT / "figures" / f"{name}.csv", keep_default_na=False, na_values=[""])


@cache
def ledger() -> dict[str, dict[str, Any]]:
    """The stored rows of the ledger, by their names."""
    return {row["id"]: row for row in claims.load_results()}


def counted(claim: str) -> list[int]:
    """The published counts of a claim."""
    return [int(count) for count in re.findall(r"\d+", str(ledger()[claim]["published"]))]


def header_number(file: str, name: str) -> float:
    """A number in the header of a stored network."""
    pattern = rf'\\"{name}\\": ([\d.]+)'
    [found] = re.findall(pattern.encode(), (ROOT / "data" / file).read_bytes()[:20_000])
    return float(found)


def told(notebook: str, pattern: str) -> list[float]:
    """The numbers in the groups of a pattern, in what a stored notebook printed."""
    found = re.search(pattern, lesson_facts._outputs(notebook))
    assert found, f"{notebook} prints nothing like {pattern}"
    return [float(group.replace(",", "").replace("−", "-")) for group in found.groups()]


@cache
def piece(name: str, b: float) -> curve.Piece:
    """A piece of the exact curve of b, as second player against random play on 3x3."""
    return curve.at(curve.named(name, "o", "random"), b)


@cache
def all_met() -> dict[tuple[str, str], Outcome]:
    """The exact results of all players of notebook 06, from X's side."""
    rows = drawn("06_all_players").itertuples(index=False)
    return {(x, o): Outcome(*map(Fraction, map(str, result))) for x, o, *result in rows}


def met(x: str, o: str) -> Outcome:
    return all_met()[x, o]


def margin(one: str, other: str) -> Fraction:
    """The mean result of two games, one on each side."""
    return (met(one, other).expected - met(other, one).expected) / 2


@cache
def arena() -> Any:
    """Cost and strength of the players of notebook 06."""
    return drawn("06_strength_for_cost").set_index("player")


def misplays(name: str) -> int:
    return soundness(table(name)).misplayed


def safe_as_x(name: str) -> bool:
    """Whether nobody can beat the player as X."""
    return arena().never_loses[name] or soundness(table(name)).worst_x == 0


# ---------------------------------------------------------------------------- the table of phrases


Phrases = Callable[[], Iterator[str]]
SAID: list[tuple[str, Phrases]] = []
"""Files, and what builds the phrases that they should hold."""


def says(file: str) -> Callable[[Phrases], Phrases]:
    """Enter a function as one that builds phrases of a file."""

    def entered(phrases: Phrases) -> Phrases:
        SAID.append((file, phrases))
        return phrases

    return entered


@cache
def built(place: int) -> tuple[str, ...]:
    """The phrases of an entry."""
    return tuple(SAID[place][1]())
