"""Exact numbers of the field Q(c), where c is a real root of a whole number.

Every energy on an n^d board is a polynomial in c = (n + 1)^(1/n) with integer
coefficients.  In powers of c below its degree, the representation of such a number is
unique, so equality is equality of coefficients, and a sign is found by enclosing c in
ever smaller rational intervals: nothing is decided by floats.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import isqrt, lcm

Coefficients = tuple[Fraction, ...]


@dataclass(frozen=True)
class Root:
    """The number c = radicand^(1/degree), with x^degree - radicand irreducible.

    Irreducible means here that the radicand is not a p-th power for any prime p
    dividing the degree (Vahlen and Capelli); :func:`root_of` ensures it.
    """

    degree: int
    radicand: Fraction

    def polynomial(self, coefficients: Sequence[int | Fraction]) -> Surd:
        """The number sum_k coefficients[k] c^k."""
        reduced = [Fraction(0)] * self.degree
        for power, coefficient in enumerate(coefficients):
            turns, place = divmod(power, self.degree)
            reduced[place] += coefficient * self.radicand**turns
        return Surd(self, tuple(reduced))

    @property
    def text(self) -> str:
        """The number as text, e.g. ``4^(1/3)``."""
        return f"{self.radicand}^(1/{self.degree})" if self.degree > 1 else str(self.radicand)

    def enclosure(self, bits: int) -> tuple[Fraction, Fraction]:
        """Rational bounds of c that are 2^-bits apart."""
        return _enclosure(self, bits)


@cache
def _enclosure(root: Root, bits: int) -> tuple[Fraction, Fraction]:
    if root.degree == 1:
        return root.radicand, root.radicand
    scaled = int(root.radicand * 2 ** (bits * root.degree))
    low = integer_root(scaled, root.degree)
    return Fraction(low, 2**bits), Fraction(low + 1, 2**bits)


def integer_root(value: int, degree: int) -> int:
    """The largest whole number whose degree-th power is at most ``value``."""
    if degree == 2:
        return isqrt(value)
    low, high = 0, 1 << (value.bit_length() // degree + 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**degree <= value else (low, middle - 1)
    return low


@cache
def root_of(radicand: int, degree: int) -> Root:
    """The number radicand^(1/degree) in lowest terms: 9^(1/8) is 3^(1/4)."""
    for part in range(degree, 1, -1):
        base = integer_root(radicand, part)
        if degree % part == 0 and base**part == radicand:
            return Root(degree // part, Fraction(base))
    return Root(degree, Fraction(radicand))


@dataclass(frozen=True)
class Surd:
    """One number of the field: sum_k coefficients[k] c^k, k < degree."""

    root: Root
    coefficients: Coefficients

    def __add__(self, other: Surd) -> Surd:
        pairs = zip(self.coefficients, other.coefficients, strict=True)
        return Surd(self.root, tuple(a + b for a, b in pairs))

    def __neg__(self) -> Surd:
        return Surd(self.root, tuple(-a for a in self.coefficients))

    def __sub__(self, other: Surd) -> Surd:
        return self + (-other)

    def __mul__(self, other: Surd) -> Surd:
        product = [Fraction(0)] * (2 * self.root.degree - 1)
        for i, a in enumerate(self.coefficients):
            for j, b in enumerate(other.coefficients):
                product[i + j] += a * b
        return self.root.polynomial(product)

    def __truediv__(self, other: Surd) -> Surd:
        """The quotient; ZeroDivisionError for a divisor of 0."""
        return Surd(self.root, _solve(other, self.coefficients))

    def __lt__(self, other: Surd) -> bool:
        return (self - other).sign() < 0

    def sign(self) -> int:
        """-1, 0 or 1, decided by rational bounds."""
        if not any(self.coefficients):
            return 0
        bits = 64
        while True:
            low, high = self.bounds(bits)
            if low > 0 or high < 0:
                return 1 if low > 0 else -1
            bits *= 2

    def bounds(self, bits: int) -> tuple[Fraction, Fraction]:
        """Rational bounds, from c enclosed to ``bits`` binary places (c > 0)."""
        ends = self.root.enclosure(bits)
        low = sum(a * ends[a < 0] ** k for k, a in enumerate(self.coefficients))
        high = sum(a * ends[a > 0] ** k for k, a in enumerate(self.coefficients))
        return Fraction(low), Fraction(high)

    def __float__(self) -> float:
        bits = 128
        while True:
            low, high = map(float, self.bounds(bits))
            if low == high or not any(self.coefficients):
                return low
            bits *= 2

    @property
    def text(self) -> str:
        """The number as an expression, e.g. ``(-1 + 2*4^(1/3))/3``."""
        below = lcm(*(a.denominator for a in self.coefficients))
        whole = [int(a * below) for a in self.coefficients]
        terms = [_term(a, power, self.root) for power, a in enumerate(whole) if a]
        above = " + ".join(terms).replace("+ -", "- ") or "0"
        if below == 1:
            return above
        return f"({above})/{below}" if len(terms) > 1 else f"{above}/{below}"


def _term(factor: int, power: int, root: Root) -> str:
    if power == 0:
        return str(factor)
    symbol = f"{root.radicand}^({power}/{root.degree})"
    return {1: symbol, -1: f"-{symbol}"}.get(factor, f"{factor}*{symbol}")


def _solve(divisor: Surd, target: Coefficients) -> Coefficients:
    """Coefficients x with divisor * x = target, by elimination in the multiplication matrix."""
    root, size = divisor.root, divisor.root.degree
    shifted = [[0] * k + list(divisor.coefficients) for k in range(size)]
    columns = [root.polynomial(coefficients).coefficients for coefficients in shifted]
    rows = [[*(column[i] for column in columns), target[i]] for i in range(size)]
    for i in range(size):
        pivot = next((row for row in rows[i:] if row[i]), None)
        if pivot is None:
            raise ZeroDivisionError("division by 0 in Q(c)")
        rows.remove(pivot)
        pivot = [a / pivot[i] for a in pivot]
        rows = [[a - row[i] * p for a, p in zip(row, pivot, strict=True)] for row in rows]
        rows.insert(i, pivot)
    return tuple(row[-1] for row in rows)
