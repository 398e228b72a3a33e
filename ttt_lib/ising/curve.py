"""The exact answer to "what is b?" on a small board: the result as a function of b.

A move is worth P + b Q, a straight line in b whose ends are polynomials in c.
In each position the best moves change only where two such lines cross, at
b = (P - P') / (Q' - Q), a number of the field Q(c).  Between two neighbouring
crossings of any position the player's whole table stands still, so the result
is piecewise constant: open intervals and single points, each with its exact
fractions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cmp_to_key

import numpy as np

from ttt_lib.agents import Agent, Ints, minimax, random_agent
from ttt_lib.arena import Outcome, Worst, exact_values, policy_table, worst_case
from ttt_lib.board import Grid
from ttt_lib.gametree import GameTree, enumerate_states
from ttt_lib.ising.energy import Energy, Gain, energy_of, gains
from ttt_lib.ising.surd import Root, Surd

Line = tuple[tuple[int, ...], tuple[int, ...]]
"""The worth of a move as coefficients (P, Q) of the powers of c: P + b Q."""

Choice = frozenset[int]
"""Places of the best among a position's different worths."""


@dataclass(frozen=True)
class Piece:
    """A stretch of b with one result: an open interval, or a point if both ends are equal.

    After merging, an end may belong to the piece (``closed``).

    Attributes
    ----------
    start, end : Surd
        Where it begins and ends.
    outcome : Outcome
        Exact chances from the Ising player's side.
    closed : tuple of bool
        Whether the start and the end belong to it.
    """

    start: Surd
    end: Surd
    outcome: Outcome
    closed: tuple[bool, bool]

    @property
    def is_point(self) -> bool:
        """Whether it is a single b."""
        return self.start == self.end

    @property
    def middle(self) -> float:
        """A b inside it."""
        return (float(self.start) + float(self.end)) / 2

    def holds(self, b: float) -> bool:
        """Whether b lies in it (floats: exact ends are hit only by chance)."""
        low, high = float(self.start), float(self.end)
        return low < b < high or (b == low and self.closed[0]) or (b == high and self.closed[1])


@dataclass(frozen=True)
class Slot:
    """One table of the player: a point, or the open interval after it."""

    at: Surd
    point: bool
    end: Surd
    weights: Ints


@cache
def canonical_tree(grid: Grid) -> GameTree:
    """The enumerated game with one row for all symmetric images (3x3: 765 rows)."""
    return enumerate_states(grid, canonical=True)


def order(numbers: Iterable[Surd]) -> list[Surd]:
    """Different numbers in rising order, decided exactly."""
    return sorted(set(numbers), key=cmp_to_key(_compare))


def _compare(a: Surd, b: Surd) -> int:
    return (a - b).sign()


@cache
def envelope(lines: tuple[Line, ...], root: Root) -> tuple[tuple[Surd, Choice, Choice], ...]:
    """The best among straight lines P + b Q, for b from 0 to 1.

    Parameters
    ----------
    lines : tuple
        Different lines.

    Returns
    -------
    tuple of (b, best at b, best just after b)
        From b = 0 on, wherever the best change; places in ``lines``.
    """
    p, q = ([root.polynomial(line[i]) for line in lines] for i in (0, 1))
    at, one = root.polynomial([0]), root.polynomial([1])
    here = _largest(range(len(lines)), lambda i: p[i])
    found = []
    while True:
        after = _largest(here, lambda i: q[i])
        found.append((at, frozenset(here), frozenset(after)))
        top = after[0]
        steeper = [i for i in range(len(lines)) if q[top] < q[i]]
        crossings = {i: (p[top] - p[i]) / (q[i] - q[top]) for i in steeper}
        if not crossings:
            return tuple(found)
        at = order(crossings.values())[0]
        if one < at:
            return tuple(found)
        here = after + [i for i, crossing in crossings.items() if crossing == at]


def _largest(places: Iterable[int], number: Callable[[int], Surd]) -> list[int]:
    best: list[int] = []
    for place in places:
        sign = (number(place) - number(best[0])).sign() if best else 1
        if sign > 0:
            best = [place]
        elif sign == 0:
            best.append(place)
    return best


@cache
def tables(energy: Energy, side: int) -> tuple[GameTree, tuple[Slot, ...]]:
    """The Ising player's table of integer weights for every b in [0, 1].

    Parameters
    ----------
    side : int
        +1 to play X, -1 to play O.

    Returns
    -------
    tuple
        The canonical game tree, and the slots in order: the point 0, the open
        interval after it, the next point, ...
    """
    tree = canonical_tree(energy.grid)
    weights = np.zeros(tree.children.shape, dtype=np.int64)
    changes: dict[Surd, list[tuple[int, Ints, Ints]]] = defaultdict(list)
    for state in _states(tree, side):
        moves = gains(energy, tree.boards[state].tolist(), side)
        for at, here, after in _steps(moves, energy.root, tree.grid.cells):
            changes[at].append((state, here, after))
    return tree, tuple(_slots(weights, changes, energy.root))


def _states(tree: GameTree, side: int) -> list[int]:
    turn = (tree.ply % 2 == 0) == (side == 1)
    return [int(state) for state in np.flatnonzero(turn & ~tree.finished)]


def _steps(moves: list[Gain], root: Root, cells: int) -> Iterator[tuple[Surd, Ints, Ints]]:
    """Where a position's best moves change, with its weights at that b and just after."""
    lines = sorted({(move.own, move.other) for move in moves})
    place = {line: i for i, line in enumerate(lines)}
    for at, here, after in envelope(tuple(lines), root):
        rows = []
        for best in (here, after):
            row = np.zeros(cells, dtype=np.int64)
            row[[m.move for m in moves if place[m.own, m.other] in best]] = 1
            rows.append(row)
        yield at, rows[0], rows[1]


def _slots(
    weights: Ints, changes: dict[Surd, list[tuple[int, Ints, Ints]]], root: Root
) -> Iterator[Slot]:
    one = root.polynomial([1])
    points = order([*changes, one])
    for i, at in enumerate(points):
        for state, here, _ in changes.get(at, ()):
            weights[state] = here
        yield Slot(at, True, at, weights.copy())
        for state, _, after in changes.get(at, ()):
            weights[state] = after
        if i + 1 < len(points):
            yield Slot(at, False, points[i + 1], weights.copy())


def curve(energy: Energy, side: int, opponent: Agent | None = None) -> list[Piece]:
    """The exact result of the Ising player as a function of b in [0, 1].

    Parameters
    ----------
    side : int
        +1 if it plays X, -1 if O.
    opponent : Agent or None
        An agent that states its weights and plays symmetric boards alike; None
        for the same energy with the same b.

    Returns
    -------
    list of Piece
        Contiguous; neighbours of equal result are merged.

    Raises
    ------
    ValueError
        If the board is too large to enumerate, or the opponent can't be used.
    """
    if opponent is None:
        return merged(_against_itself(energy, side))
    tree, slots = tables(energy, side)
    other = policy_table(opponent, tree)
    return merged(
        Piece(slot.at, slot.end, _result(tree, slot.weights, other, side), (slot.point, slot.point))
        for slot in slots
    )


@cache
def named(name: str, side: str, opponent: str) -> tuple[Piece, ...]:
    """The curve of the 3x3 board by names.

    Parameters
    ----------
    name : str
        ``equation`` or ``published``.
    side : str
        ``x`` or ``o``.
    opponent : str
        ``random``, ``minimax`` (all optimal moves alike) or ``ising``.

    Raises
    ------
    ValueError
        If a name is unknown.
    """
    grid = Grid(3)
    players: dict[str, Agent | None] = {
        "random": random_agent(grid),
        "minimax": minimax(grid),
        "ising": None,
    }
    for kind, value, known in (("side", side, ("x", "o")), ("opponent", opponent, tuple(players))):
        if value not in known:
            raise ValueError(f"unknown {kind} {value!r}: {', '.join(known)}")
    return tuple(curve(energy_of(name, grid), 1 if side == "x" else -1, players[opponent]))


def _against_itself(energy: Energy, side: int) -> Iterator[Piece]:
    tree, mine = tables(energy, side)
    _, theirs = tables(energy, -side)
    points = order([slot.at for slot in (*mine, *theirs)])
    for i, at in enumerate(points):
        for point in (True, False):
            if point or i + 1 < len(points):
                a, b = (_table_at(slots, at, point) for slots in (mine, theirs))
                end = at if point else points[i + 1]
                yield Piece(at, end, _result(tree, a, b, side), (point, point))


def _table_at(slots: Sequence[Slot], at: Surd, point: bool) -> Ints:
    """A player's table at a point, or just after it."""
    best = slots[0]
    for slot in slots:
        if at < slot.at or (slot.at == at and not slot.point and point):
            break
        best = slot
    return best.weights


def _result(tree: GameTree, mine: Ints, theirs: Ints, side: int) -> Outcome:
    x, o = (mine, theirs) if side == 1 else (theirs, mine)
    outcome = exact_values(tree, x, o)[0]
    return outcome if side == 1 else outcome.reversed()


def merged(pieces: Iterable[Piece]) -> list[Piece]:
    """Join neighbours of equal result."""
    joined: list[Piece] = []
    for piece in pieces:
        if joined and joined[-1].outcome == piece.outcome:
            last = joined[-1]
            joined[-1] = replace(last, end=piece.end, closed=(last.closed[0], piece.closed[1]))
        else:
            joined.append(piece)
    return joined


def worst_pieces(energy: Energy, side: int) -> list[tuple[Slot, Worst]]:
    """The worst result some opponent can reach, for every slot of b.

    Returns
    -------
    list of (Slot, Worst)
        In order of b; the line of :class:`~ttt_lib.arena.Worst` runs through
        canonical boards.
    """
    tree, slots = tables(energy, side)
    return [(slot, worst_case(tree, slot.weights, side)) for slot in slots]


def at(pieces: Sequence[Piece], b: float) -> Piece:
    """The piece that holds b.

    Raises
    ------
    ValueError
        If b is outside [0, 1].
    """
    for piece in pieces:
        if piece.holds(b):
            return piece
    raise ValueError(f"the curve runs from b = 0 to b = 1, not to {b}")


def losing_mean(pieces: Sequence[Piece], low: float = 0.0, high: float = 1.0) -> float:
    """Mean chance of a loss over b in [low, high]."""
    lengths = [max(0.0, min(float(p.end), high) - max(float(p.start), low)) for p in pieces]
    weighted = sum(n * float(p.outcome.loss) for n, p in zip(lengths, pieces, strict=True))
    return weighted / (high - low)


def as_json(pieces: Sequence[Piece]) -> dict[str, list[dict[str, object]]]:
    """The JSON object of ``ttt ising-curve``; ends carry 12 significant digits."""
    return {"pieces": [_piece_json(piece) for piece in pieces]}


def as_text(pieces: Sequence[Piece]) -> str:
    """One line a piece, with its ends, chances and the closed form of its start."""
    return "\n".join(
        f"{'[' if p.closed[0] else '('}{float(p.start):.6f}, {float(p.end):.6f}"
        f"{']' if p.closed[1] else ')'}  win {p.outcome.win}  draw {p.outcome.draw}"
        f"  loss {p.outcome.loss}  from {p.start.text}"
        for p in pieces
    )


def _piece_json(piece: Piece) -> dict[str, object]:
    ends = {"from": piece.start, "to": piece.end}
    numbers: dict[str, object] = {name: float(f"{float(end):.12g}") for name, end in ends.items()}
    fractions = {name: str(Fraction(value)) for name, value in piece.outcome._asdict().items()}
    closed = {name: end.text for name, end in ends.items()}
    return {**numbers, **fractions, "closed_form": closed}
