"""Points by rubric inside a hidden check, and the misconception behind an answer that is wrong.

A hidden check of a master is a list of items, each worth points.  What fails is named, and if the
answers are those of a *typical mistake* (``notebooks/exercises/masters/mistakes.toml``), so is the
mistake; neither tells the answer.  The last line of the check is the sum, which nbgrader takes as
partial credit::

    mark = Marking("rows", globals())
    with mark.item(1, "odd numbers of moves"):
        assert mark.ask(9) == 5
    mark.points()
"""

from __future__ import annotations

import copy
import os
import sys
import types
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

PLAIN = (type(None), bool, int, float, complex, str, bytes, Fraction)
SCALARS = frozenset(np.sctypeDict.values())
"""Numpy's own types of numbers and texts."""

GROUPS = (list, tuple, set, frozenset)
TABLES = (dict, Counter, OrderedDict, defaultdict)
ONE_BY_ONE: tuple[type, ...] = (
    range,
    types.GeneratorType,
    map,
    filter,
    zip,
    type({}.keys()),
    type({}.values()),
)
NOTHING = "the function returned nothing (None), and to print is not to return"
"""Said where an answer is nothing, and a bare comparison gives no reason."""

NAMED = "your answers are those of this mistake: "
"""How the last line of a check begins if it names a mistake."""

FAILED = (Exception, SystemExit)
"""What an answer may raise; a time limit is not among these."""


class Marking:
    """The items of one task.

    Parameters
    ----------
    task : str
        Name of the function that a student was asked to write.
    space : mapping
        The names of the notebook.
    """

    def __init__(self, task: str, space: Mapping[str, Any]) -> None:
        self.task, self.space = task, space
        self.earned: float = 0
        self.lost: list[str] = []
        self.asked: list[tuple[Any, ...]] = []
        self.answers: list[Any] = []

    @contextmanager
    def item(self, points: float, about: str) -> Iterator[None]:
        """An item of the rubric: its points are earned if nothing is raised."""
        before = len(self.answers)
        try:
            yield
        except FAILED as error:
            idle = before < len(self.answers) and self._idle()
            said = "; ".join(filter(None, (_line(error), NOTHING * idle)))
            why = f": {said}" if said else ""
            self.lost.append(f"{points:g} point{'s' * (points != 1)}, {about}{why}")
        else:
            self.earned += points

    def ask(self, *arguments: Any) -> Any:
        """What the student's function answers, as plain numbers, texts and lists.

        Raises
        ------
        AssertionError
            If it is an object of a class of the student's own, which may equal anything, or if
            the function has changed what is earned and lost.
        """
        self.asked.append(copy.deepcopy(arguments))
        earned, lost = self.earned, tuple(self.lost)
        found = answer(self.space.get(self.task), arguments)
        self.answers.append((found, left(arguments)))
        if (self.earned, tuple(self.lost)) != (earned, lost):
            self.earned, self.lost = earned, [*lost]
            raise AssertionError("the function changes its own marks")
        if isinstance(found, Raised):
            raise found.error
        return found

    def points(self, typical: Mapping[str, str] | None = None) -> float:
        """The sum; prints what was lost, and the typical mistake that answers alike."""
        for line in self.lost:
            sys.stdout.write(f"{line}\n")
        known = (why for why, code in (typical or {}).items() if self.lost and self.like(code))
        for why in islice(known, 1):
            sys.stdout.write(f"{NAMED}{why}\n")
        return round(self.earned, 3)  # 0.1 + 0.2 as 0.3: longer numbers are no sums to the grader

    def like(self, code: str) -> bool:
        """Whether some code gives the student's answers to all that was asked."""
        space = dict(self.space)
        try:
            exec(code, space)
        except FAILED:
            return False
        return self._says_something() and all(
            same((answer(space.get(self.task), again), left(again)), given)
            for again, given in zip(copy.deepcopy(self.asked), self.answers, strict=True)
        )

    def _idle(self) -> bool:
        """Whether the last answer is nothing, and the arguments are as they were."""
        found, changed = self.answers[-1]
        return found is None and same(left(self.asked[-1]), changed)

    def _says_something(self) -> bool:
        """Whether any answer is more than an error or nothing, neither of which tells a mistake."""
        return any(
            not isinstance(found, Raised) and (found is not None or not same(left(given), changed))
            for given, (found, changed) in zip(self.asked, self.answers, strict=True)
        )


class Raised:
    """The answer of a function that raises."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


def answer(function: Callable[..., Any] | None, arguments: Sequence[Any]) -> Any:
    """What a function returns, or what it raises; what it prints would bury what checks say."""
    if function is None:
        return Raised(NameError("the function is missing: did its cell run without an error?"))
    with (
        Path(os.devnull).open("w", encoding="utf-8") as nowhere,
        redirect_stdout(nowhere),
        redirect_stderr(nowhere),
    ):
        try:
            return plain(function(*arguments))
        except FAILED as error:
            return Raised(error)


def left(arguments: Sequence[Any]) -> list[Any]:
    """Copies of the arguments that a function may have changed."""
    return [copy.deepcopy(one) for one in arguments if isinstance(one, (list, dict, np.ndarray))]


def plain(value: Any) -> Any:
    """A value of plain types only.

    Named tuples, tables of ``collections``, matrices and series become tuples, dictionaries and
    arrays, decimal numbers fractions.  Their contents are read by what these types inherit, never
    by what a class of the student's own says about itself.

    Raises
    ------
    AssertionError
        If it contains any other type.
    """
    kind = type(value)
    if _is_one_of(kind, PLAIN) or _is_one_of(kind, SCALARS):
        return value
    if _is_one_of(kind, GROUPS):
        return kind(plain(part) for part in value)
    if _is_one_of(kind, ONE_BY_ONE):
        return [plain(part) for part in value]
    if issubclass(kind, tuple):
        return tuple(plain(part) for part in tuple.__iter__(value))
    if _is_one_of(kind, TABLES):
        return {plain(key): plain(part) for key, part in dict.items(value)}
    if _is_one_of(kind, (np.ndarray, np.matrix, *_series())):
        return _plain_array(np.asarray(value))
    if kind is Decimal:
        return Fraction(value) if value.is_finite() else float(value)
    raise AssertionError(
        f"the answer is a {kind.__name__}, which checks don't read: return a number, text or list"
    )


def _series() -> tuple[type, ...]:
    """The series of pandas where somebody has imported it; not everybody has it."""
    pandas = sys.modules.get("pandas")
    return () if pandas is None else (pandas.Series, pandas.Index)


def _is_one_of(kind: type, kinds: Iterable[type]) -> bool:
    """Whether a type is one of some; ``in`` would ask the type itself, and its class may lie."""
    return any(kind is one for one in kinds)


def _plain_array(value: Any) -> Any:
    if value.dtype != object:
        return value
    return np.array([plain(part) for part in value.ravel()], dtype=object).reshape(value.shape)


def same(one: Any, two: Any) -> bool:
    """Whether two answers are the same up to rounding."""
    if type(one) is type(two) and type(one) in PLAIN and one == two:
        return True
    if isinstance(one, Raised) or isinstance(two, Raised):
        return type(one) is type(two) and type(one.error) is type(two.error)
    if isinstance(one, (list, tuple)) and isinstance(two, (list, tuple)):
        return len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(same(one[key], two[key]) for key in one)
    try:
        found, wanted = (np.asarray(value, dtype=float) for value in (one, two))
        alike = np.allclose(found, wanted, rtol=1e-9, atol=1e-12, equal_nan=True)
        return bool(found.shape == wanted.shape and alike)
    except (TypeError, ValueError):
        return bool(one == two)


def near(one: Any, two: Any) -> bool:
    """Whether numbers, or lists and arrays of numbers, agree up to rounding.

    Raises
    ------
    AssertionError
        If one is a text, or holds one: numpy would read it as a number.
    """
    for part in (*np.asarray(one, dtype=object).ravel(), *np.asarray(two, dtype=object).ravel()):
        assert not isinstance(part, (str, bytes)), "a text stands where a number is asked for"
    found, wanted = (np.asarray(value, dtype=float) for value in (one, two))
    return bool(found.shape == wanted.shape and np.allclose(found, wanted, rtol=1e-9, atol=1e-12))


def _line(error: BaseException) -> str:
    """The first line of what an error says; half a letter, which can't be printed, as ``?``."""
    text = str(error).encode(errors="replace").decode().strip().splitlines()
    said = text[0] if text else ""
    return said if isinstance(error, AssertionError) else f"{type(error).__name__} {said}".strip()
