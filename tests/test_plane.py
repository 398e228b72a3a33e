"""All weights of a diagonal and all b at once: the proof by rectangles, and what it rests on."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import numpy as np
import pytest

from ttt_lib import worst
from ttt_lib.game.board import Grid
from ttt_lib.ising import diagonals, plane
from ttt_lib.ising.energy import ENERGIES, energy_of
from ttt_lib.ising.plane import QUADRANT, Rectangle, prove


def squeezed(x: float) -> Fraction:
    """x/(1 + x), exactly."""
    return Fraction(1) if x == inf else Fraction(x) / (1 + Fraction(x))


def inner(part: Rectangle, rng: np.random.Generator, count: int) -> list[tuple[float, float]]:
    """Random points inside a rectangle."""
    ends = [[float(squeezed(x)) for x in ends] for ends in (part.d, part.b)]
    found = rng.uniform(*np.transpose(ends), (count, 2))
    return [(d / (1 - d), b / (1 - b)) for d, b in found.tolist()]


@pytest.fixture(scope="module", params=ENERGIES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def parts(name: str) -> list[Rectangle]:
    return list(prove(plane.plane(name, -1)))


def test_every_rectangle_is_settled_and_they_fill_the_quadrant(parts: list[Rectangle]) -> None:
    sides = [[squeezed(high) - squeezed(low) for low, high in (p.d, p.b)] for p in parts]
    assert sum(d * b for d, b in sides) == 1
    assert "open" not in {part.found for part in parts}
    assert {"beaten", "border"} <= {part.found for part in parts}


def test_what_is_proved_of_a_rectangle_is_what_the_conditions_say_in_it(
    name: str, parts: list[Rectangle]
) -> None:
    rng = np.random.default_rng(0)
    for part in parts:
        held = {all(diagonals.conditions(d, b, name)) for d, b in inner(part, rng, 20)}
        assert held <= {"safe": {True}, "beaten": {False}, "border": {True, False}}[part.found]


def test_exhaustive_play_agrees_at_random_pairs_and_near_borders(name: str) -> None:
    rng = np.random.default_rng(1)
    pairs = [tuple(pair) for pair in np.exp(rng.uniform((-2.5, -2.5), (2, 5), (20, 2)))]
    energy = energy_of(name, Grid(3))
    for k, kd, kb, kdb in diagonals.margins(name).tolist():
        ends = (0.2, 0.8) if name == "equation" else (1.6, 4.5)
        for d in rng.uniform(*ends, 3):
            turn = -(k + kd * d) / (kb + kdb * d) if kb + kdb * d else 0.0
            pairs += [(d, turn * gap) for gap in (0.998, 1.002) if turn > 0]
    found = []
    for d, b in pairs:
        share = Fraction(d).limit_denominator(10_000)
        held = all(diagonals.conditions(float(share), b, name))
        counts = share.denominator, share.numerator
        there = diagonals.player(diagonals.weighted(energy, counts), b)
        assert (worst(there, "o").worst >= 0) is held, (d, b)
        assert not held or worst(there, "x").worst >= 0
        found.append(held)
    assert 3 < sum(found) < len(found) - 3


def test_inside_the_borders_nobody_beats_the_player_as_x_either(name: str) -> None:
    found = {part.found for part in prove(plane.plane(name, 1), beyond=False)}
    assert "border" in found
    assert found <= {"safe", "border", "outside"}


@pytest.mark.parametrize("number", range(5))
def test_without_one_of_the_conditions_more_stays_open(
    name: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, right = diagonals.CONDITIONS[name], plane.plane(name, -1)
    fewer = {name: (*known[:number], *known[number + 1 :])}
    monkeypatch.setattr(plane, "CONDITIONS", fewer)
    monkeypatch.setattr(plane, "FINEST", 2.0**-5)
    left, more = (
        {part[:2] for part in prove(one) if part.found == "open"}
        for one in (right, plane.plane.__wrapped__(name, -1))
    )
    assert more - left


@pytest.mark.parametrize("way", [1, -1])
def test_with_a_border_a_little_beside_its_place_something_stays_open(
    name: str, way: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too far out, where somebody beats the player, or too far in, where nobody does."""
    known, right = diagonals.CONDITIONS[name], plane.plane(name, -1)
    factors = tuple(tuple(10 * n for n in row) for row in known[1].margin)
    moved = ((factors[0][0] + way, *factors[0][1:]), *factors[1:])
    beside = known[0], known[1]._replace(margin=moved), *known[2:]
    monkeypatch.setattr(plane, "CONDITIONS", {name: beside})
    monkeypatch.setattr(plane, "FINEST", 2.0**-8)
    found = [
        {part.found for part in prove(one)} for one in (right, plane.plane.__wrapped__(name, -1))
    ]
    assert ["open" in one for one in found] == [False, True]


@pytest.mark.parametrize(("name", "d", "b"), [("equation", 0.5, 0.3), ("published", 2.5, 5.0)])
def test_nobody_beats_the_player_inside_and_somebody_does_outside(
    name: str, d: float, b: float
) -> None:
    known = plane.plane(name, -1)
    for share in (d, 1.0):  # of all lines alike, and so outside
        interior = known.signs(Rectangle((share, share + 1e-6), (b, b + 1e-6)), interior=True)
        assert (known.safe(interior), known.beaten(interior)) == (share == d, share != d)


def test_ties_on_an_edge_count_inside_all_borders() -> None:
    known, part = plane.plane("published", -1), Rectangle((2.5, 2.6), (5.0, 5.1))
    interior = known.signs(part)
    closed = np.zeros_like(interior)
    closed[known.border] = interior[known.border]
    assert plane._settle(known, part, interior, interior, True) == "safe"
    assert plane._settle(known, part, closed, interior, True) == ""


def test_a_sign_on_a_rectangle_is_the_sign_at_all_points_in_it(name: str) -> None:
    known, rng = plane.plane(name, -1), np.random.default_rng(2)
    terms = np.array([[float(a) for a in curve] for curve in known.curves])
    parts = [QUADRANT]
    for _ in range(60):
        parts.extend(parts[int(rng.integers(len(parts)))].halves())
    for part in parts:
        closed, interior = known.signs(part), known.signs(part, interior=True)
        assert ((closed == 0) | (closed == interior)).all()
        for d, b in inner(part, rng, 5):
            there = np.sign(terms @ [1, d, b, d * b])
            assert ((interior == 0) | (interior == there)).all()


def test_where_a_curve_may_vanish_at_a_corner() -> None:
    """The line b = 1: zero at corners of a rectangle beside it, so known inside only."""
    known = plane.plane("published", -1)
    line = int(known.border[4])
    above = Rectangle((1.0, 2.0), (1.0, 2.0))
    assert known.signs(above)[line] == 0
    assert known.sides(known.signs(above, interior=True))[4] == 1
    assert known.sides(known.signs(above._replace(b=(2.0, inf))))[4] == 1


def test_halves_share_the_longer_side() -> None:
    first, second = Rectangle((0.0, 1.0), (1.0, inf)).halves()
    assert (first.d, second.d) == ((0.0, 0.5), (0.5, 1.0)) or (first.b, second.b) == (
        (1.0, 3.0), (3.0, inf),
    )  # fmt: skip
    assert Rectangle((0.0, 0.25), (1.0, inf)).halves()[0].b == (1.0, 3.0)
    assert Rectangle((0.0, inf), (1.0, 2.0)).halves()[1].d == (1.0, inf)


def test_two_borders_of_the_program_meet_in_one_point_at_b_1() -> None:
    """Their margins add up to 2 w1 (b - 1)(d - 1): inside, both d and b are above 1, or neither."""
    known = plane.plane("published", -1)
    total = [a + c for a, c in zip(*known.borders[:2], strict=True)]
    double = total[0]
    assert [t == s for t, s in zip(total, (double, -double, -double, double), strict=True)] == [
        True
    ] * 4
    sides = np.array([1, 1, 0, 0, 0], dtype=np.int8)
    assert known.void(Rectangle((1.5, 2.0), (0.5, 1.0)), sides)
    assert not known.void(Rectangle((1.5, 2.0), (0.5, 1.1)), sides)
    assert known.void(Rectangle((1.5, 2.0), (1.0, 2.0)), -sides)


def test_a_margin_compares_two_moves_of_the_game_that_is_lost_beyond_it(name: str) -> None:
    """All but the program's b > 1, which follows from others and d > 1."""
    known, grid = plane.plane(name, -1), Grid(3)
    compared = []
    for place, one in zip(known.border, diagonals.CONDITIONS[name], strict=True):
        boards, found = [grid.initial()], False
        for cell in one.game:
            boards.append(grid.play(boards[-1], np.array([cell])))
        for board in boards[1:-1:2]:
            images = board[0][grid.symmetries]
            row = next(w for w, r in zip(known.worth, known.rows, strict=True)
                       if (images == known.tree.boards[r]).all(axis=1).any())  # fmt: skip
            worths = np.unique(row[row >= 0])
            pairs = np.ix_(worths, worths)
            found |= bool(((known.curve[pairs] == place) & (known.sign[pairs] != 0)).any())
        compared.append(found)
    assert compared == [True] * 4 + [name == "equation"]
