"""Variants of the exercises: other boards, numbers and conventions for each student, one master.

``masters/variants.toml`` states what may differ.  A *parameter* has a list of values, of which the
first is the master's own; a *place* is a piece of a cell's text in which names in ``«»`` stand for
values.  Filled with the master's values it is what the master says; filled with a student's it
replaces that::

    [[parameter]]
    notebook = "04_ising_bias"
    values = [{ base = 3 }, { base = 4 }, { base = 5 }]
    [parameter.places]
    worth = ["«base» ** "]

The places of a task hold for its solution, typical mistakes and other right answers alike.  Which
values a student gets follows from a hash of the student's name, when exercises are built and again
when they are graded: what a submission says about itself is never asked.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from ttt_lib.game.board import Grid

FIELD = re.compile("«(.+?)»")
FILE = "variants.toml"


@dataclass(frozen=True)
class Parameter:
    """Something that may differ from student to student.

    Attributes
    ----------
    notebook : str
        The master.
    values : sequence of dict
        Each gives a value to the same names; the first is the master's own.
    places : dict
        By cell, the templates that contain these names, or those of other parameters.
    """

    notebook: str
    values: Sequence[Mapping[str, Any]]
    places: Mapping[str, Sequence[str]]


def parameters(masters: Path, notebook: str) -> list[Parameter]:
    """The parameters of a master that are stated in the folder of the masters."""
    stated = (Parameter(**entry) for entry in entries(masters / FILE, "parameter"))
    return [parameter for parameter in stated if parameter.notebook == notebook]


def entries(path: Path, kind: str) -> Sequence[dict[str, Any]]:
    """The tables of a kind in a TOML file beside the masters; none if there is no such file."""
    return _table(path.read_text(encoding="utf-8")).get(kind, ()) if path.is_file() else ()


@lru_cache(maxsize=4)
def _table(text: str) -> Mapping[str, Any]:
    """A text in TOML as a table; a class of students asks for the same text many times."""
    return tomllib.loads(text)


@dataclass(frozen=True)
class Variant:
    """A master's texts with the values of one student.

    Attributes
    ----------
    own, values : dict
        The master's value of every name, and the student's.
    places : dict
        By cell, all templates.
    """

    own: Mapping[str, Any]
    values: Mapping[str, Any]
    places: Mapping[str, Sequence[str]]

    def of(self, cell: str, text: str) -> str:
        """The text of a cell, or an answer that stands in its place, with the student's values.

        Raises
        ------
        ValueError
            If two templates say different things about the same text.
        """
        pairs = self._pairs.get(cell, {})
        longest_first = sorted(pairs, key=len, reverse=True)
        pattern = "|".join(map(re.escape, longest_first)) or "(?!)"
        return re.sub(pattern, lambda found: pairs[found[0]], text)

    @cached_property
    def _pairs(self) -> dict[str, dict[str, str]]:
        """By cell, the student's text for each of the master's."""
        found = dict[str, dict[str, str]]()
        for cell, templates in self.places.items():
            for template in templates:
                old, new = filled(template, self.own), filled(template, self.values)
                if found.setdefault(cell, {}).setdefault(old, new) != new:
                    raise ValueError(f"{cell}: two templates for {old!r}")
        return found


def variant(stated: Sequence[Parameter], places: Sequence[int]) -> Variant:
    """The variant in which each parameter has the value at the given place in its list."""
    own, values = dict[str, Any](), dict[str, Any]()
    templates = dict[str, list[str]]()
    for parameter, place in zip(stated, places, strict=True):
        own |= parameter.values[0]
        values |= parameter.values[place]
        for cell, texts in parameter.places.items():
            templates.setdefault(cell, []).extend(texts)
    return Variant(own, values, templates)


def variant_of(seed: str, stated: Sequence[Parameter]) -> Variant:
    """The variant of a student.

    Parameters
    ----------
    seed : str
        The student's name, as the folder of the submissions has it.
    """
    return variant(stated, [_place(seed, parameter) for parameter in stated])


def _place(seed: str, parameter: Parameter) -> int:
    name = "\n".join([seed, parameter.notebook, *parameter.values[0]])
    number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
    return number % len(parameter.values)


def filled(template: str, values: Mapping[str, Any]) -> str:
    """A template with the values of its fields, which are expressions in Python."""
    known = {"turned": turned, "cell": cell, **values}
    return FIELD.sub(lambda found: str(eval(found[1], dict(known))), template)


# ---------------------------------------------------------------------------- turned boards


def turned(text: str, turn: int) -> str:
    """A 3x3 board under one of the eight symmetries of the square; 0 leaves it as it is."""
    return "".join(text[place] for place in Grid(3).symmetries[turn])


def cell(number: int, turn: int) -> int:
    """Where a cell goes under the symmetry."""
    return int(Grid(3).symmetries[turn].tolist().index(number))
