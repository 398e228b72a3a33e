"""Claims on other data than the stored: what is put in place, and what is answered then."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from itertools import cycle
from types import SimpleNamespace
from typing import Any

import pytest

from ttt_lib.evidence.answers import Finding, Setting, Value

Patch = pytest.MonkeyPatch
Claim = Callable[[], Finding | Setting | Value]
Parts = dict[str, Any]
"""What is put in place of a module's parts."""

Row = tuple[str, Claim, Callable[..., Parts], Iterable[tuple[Any, ...]]]
"""A sentence, what answers, what it is given, and of each case the data and the answer."""


def always(value: object) -> Callable[..., Any]:
    return lambda *_, **__: value


def made(**parts: object) -> Callable[..., Any]:
    """A class all of whose objects have these parts."""
    return always(SimpleNamespace(**parts))


def in_turn(*values: object) -> Callable[..., Any]:
    """One after the other, over and over."""
    left = cycle(values)
    return lambda *_, **__: next(left)


def patch(monkeypatch: Patch, module: str, parts: Parts) -> None:
    """Replace parts of a module, or of what it imports, by their names there."""
    for name, part in parts.items():
        *path, last = name.split(".")
        place: Any = sys.modules[module]
        for step in path:
            place = getattr(place, step)
        monkeypatch.setattr(place, last, part)


def answer(monkeypatch: Patch, claim: Claim, parts: Parts) -> Any:
    """What a claim answers with these parts in the place of its module's."""
    patch(monkeypatch, getattr(claim, "func", claim).__module__, parts)
    return claim()


ADDRESS = re.compile(r" at 0x[0-9a-f]+")
"""Where an object lies: tests must have the same names in every process."""


def checks_of(rows: Iterable[Row]) -> Callable[..., None]:
    """A test that runs :func:`check` with each case of each row."""
    found = [
        pytest.param(claim, given, case, id=f"{about}-{ADDRESS.sub('', str(case))}")
        for about, claim, given, cases in rows
        for case in cases
    ]

    @pytest.mark.parametrize(("claim", "given", "case"), found)
    def checks(
        monkeypatch: Patch, claim: Claim, given: Callable[..., Parts], case: tuple[Any, ...]
    ) -> None:
        check(monkeypatch, claim, given, case)

    return checks


def check(
    monkeypatch: Patch, claim: Claim, given: Callable[..., Parts], case: tuple[Any, ...]
) -> None:
    """The last of a case is the verdict, or whether a setting is read.

    Or both the verdict and whether it was tested, or a setting's value and whether it is read.
    """
    *data, expected = case
    found = answer(monkeypatch, claim, given(*data))
    if isinstance(found, Setting):
        told: Any = found.read, (found.value, found.read)
    else:
        told = found.holds, (found.holds, found.tested)
    assert told[isinstance(expected, tuple)] == expected
