"""Numbers as documents print them: equal to the published digits, found in a sentence, listed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from math import ceil, floor
from typing import Any

NUMBER = re.compile(r"(?<![\w.])(?:(?<!\d)[-−])?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?")
"""A number in text, with its sign unless a digit stands before it (as in 2023-24)."""

UNITS = {"M": 10**6, "k": 10**3}
"""Letters that multiply a number they follow."""


def agrees(published: str, ours: Fraction | float | int) -> bool:
    """Whether our value rounds to the published one at its number of decimals.

    Raises
    ------
    ValueError
        If the published text is no decimal number.
    """
    try:
        half = Fraction(Decimal(1).scaleb(int(Decimal(published).as_tuple().exponent))) / 2
    except (InvalidOperation, ValueError):
        raise ValueError(f"published {published!r} is no number to compare ours with") from None
    return abs(Fraction(ours) - Fraction(published)) <= half


def round_down(value: Fraction | float, decimals: int) -> float:
    """A lower bound with so many decimals, rounded down, so that it holds as it is printed."""
    unit: int = 10**decimals
    return floor(round(Fraction(value) * unit, 9)) / unit


def round_up(value: Fraction | float, decimals: int) -> float:
    """An upper bound with so many decimals, rounded up, so that it holds as it is printed."""
    unit: int = 10**decimals
    return ceil(round(Fraction(value) * unit, 9)) / unit


def numbers_of(text: Any) -> set[float]:
    """The values of all numbers in a text; 1,000 and 1M are one thousand and one million."""
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", str(text)).replace("−", "-")
    found = set()
    for match in NUMBER.finditer(plain):
        value = float(match[0])
        found |= {value, value * UNITS.get(plain[match.end() : match.end() + 1], 1)}
    return found


def format_range(low: Any, high: Any) -> str:
    """Two values for reading, with as many decimals each if both have some."""
    ends = [format_value(end) for end in (low, high)]
    if all(re.fullmatch(r"-?\d+\.\d+", end) for end in ends):
        most = max(len(end.partition(".")[2]) for end in ends)
        ends = [end + "0" * (most - len(end.partition(".")[2])) for end in ends]
    return " to ".join(ends)


def format_value(value: Any) -> str:
    """A value for reading: floats with 4 significant digits, ``any`` for None (no limit).

    A whole-number float below a billion in size is written in full, since counts may be kept as
    floats.
    """
    if value is None:
        return "any"
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() and abs(value) < 1e9 else f"{value:.4g}"
    return str(value)


def listed(parts: Iterable[str]) -> str:
    """Parts of a sentence with commas and a final *and*."""
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last
