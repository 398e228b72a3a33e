"""The exact answer to "what is b?" on a small board: the result as a function of b.

A move is worth P + b Q, a straight line in b whose coefficients are polynomials in c.
In each position the best moves change only where two such lines cross, at
b = (P - P') / (Q' - Q), a number of the field Q(c).  Between two neighbouring
crossings of any position the player's whole table is constant, so the result
is piecewise constant: on open intervals and at single points, each with its exact
fractions.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property, cmp_to_key
from typing import Any

import numpy as np

from ttt_lib.evidence.store import present, read_table
from ttt_lib.game.board import Grid, Ints
from ttt_lib.game.exact import Outcome, Worst, outcome_as, policy_table, worst_case
from ttt_lib.game.gametree import MAX_FULL_CELLS, GameTree, enumerate_states
from ttt_lib.game.kept import read_only
from ttt_lib.game.policy import Agent, minimax, random_agent
from ttt_lib.ising.energy import Energy, energy_of, gains
from ttt_lib.ising.surd import Root, Surd

Line = tuple[tuple[int, ...], tuple[int, ...]]
"""The worth of a move as coefficients (P, Q) of the powers of c: P + b Q."""

Choice = frozenset[int]
"""Indices of the best among a position's distinct worths."""

Span = tuple[Fraction, Fraction]

COLUMNS = ("from", "to", "from_closed", "to_closed", "win", "draw", "loss", "from_form", "to_form")
"""What a piece of a curve is stored as."""

Rows = Sequence[Mapping[Any, Any]]
"""Pieces of a curve, by column."""

UNIT: Span = (Fraction(0), Fraction(1))
"""The range of b that the document tries."""


@dataclass(frozen=True)
class Piece:
    """A stretch of b with one result: an interval, or a point if both ends are equal.

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
    def interval(self) -> str:
        """Its ends as text, such as ``[0.222613, 1.000000)``: square where they belong to it."""
        return _interval(*self._ends, self.closed)

    @cached_property
    def _ends(self) -> tuple[float, float]:
        return float(self.start), float(self.end)

    def holds(self, b: float) -> bool:
        """Whether b lies in it (floats: exact ends are hit only by chance)."""
        low, high = self._ends
        return low < b < high or (b == low and self.closed[0]) or (b == high and self.closed[1])


def _interval(low: float, high: float, closed: tuple[bool, bool]) -> str:
    opening, closing = "[" if closed[0] else "(", "]" if closed[1] else ")"
    return f"{opening}{low:.6f}, {high:.6f}{closing}"


@dataclass(frozen=True)
class Slot:
    """One table of the player: a point, or the open interval after it."""

    at: Surd
    point: bool
    end: Surd
    weights: Ints


@cache
@read_only
def canonical_tree(grid: Grid) -> GameTree:
    """The enumerated game with one row per class of symmetric states (3x3: 765 rows)."""
    return enumerate_states(grid, canonical=True)


def order(numbers: Iterable[Surd]) -> list[Surd]:
    """Distinct numbers in ascending order, compared exactly."""
    return sorted(set(numbers), key=cmp_to_key(_compare))


def _compare(a: Surd, b: Surd) -> int:
    return (a - b).sign()


@cache
def envelope(
    lines: tuple[Line, ...], root: Root, span: Span = UNIT
) -> tuple[tuple[Surd, Choice, Choice], ...]:
    """The best among straight lines P + b Q, for b from 0 to 1 unless told otherwise.

    Parameters
    ----------
    lines : tuple
        Distinct lines.
    span : tuple of Fraction
        The least and the largest b.

    Returns
    -------
    tuple of (b, best at b, best just after b)
        At the least b and wherever the best lines change; as indices into ``lines``.
    """
    p, q = ([root.polynomial(line[i]) for line in lines] for i in (0, 1))
    at, end = (root.polynomial([b]) for b in span)
    here = _largest(range(len(lines)), lambda i: p[i] + at * q[i])
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
        if end < at:
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


def kinds(energy: Energy, tree: GameTree, side: int) -> tuple[Ints, Ints, list[Line]]:
    """What each move is worth in every state where a side is to move.

    Returns
    -------
    rows : ndarray of int64, shape (R,)
        The running states with that side to move.
    kind : ndarray of int64, shape (R, cells)
        Index of each move's worth, -1 where it is not legal.
    worths : list of Line
        The worths by index; different indices may have the same worth.
    """
    turn = (tree.ply % 2 == 0) == (side == 1)
    rows = np.flatnonzero(turn & ~tree.finished)
    known: dict[Line, int] = {}
    kind = np.full((len(rows), tree.grid.cells), -1, dtype=np.int64)
    for state, row in zip(rows, kind, strict=True):
        for move in gains(energy, tree.boards[state].tolist(), side):
            row[move.move] = known.setdefault((move.own, move.other), len(known))
    return rows, kind, list(known)


def counted_kinds(energy: Energy, tree: GameTree, side: int) -> tuple[Ints, Ints, list[Line]]:
    """Like :func:`kinds`, for a counted energy: a move is identified by the states of its lines.

    An open line has k stones of the mover, or k of the other: 2n - 1 states.  How many
    lines are in each state is one number in base (most lines through a cell + 1).
    """
    grid, turn = tree.grid, (tree.ply % 2 == 0) == (side == 1)
    rows = np.flatnonzero(turn & ~tree.finished)
    base = 1 + max(map(len, grid.lines_through))
    holds = np.array([[cell in line for cell in range(grid.cells)] for line in grid.lines.tolist()])
    stones = tree.boards[rows][:, grid.lines] * side
    own, other = ((stones == s).sum(axis=2) for s in (1, -1))
    way = np.where(other == 0, own, np.where(own == 0, grid.n - 1 + other, 0))
    open_line = ((own == 0) | (other == 0)) & (np.maximum(own, other) < grid.n)
    codes = np.where(open_line, base**way, 0) @ holds.astype(np.int64)
    codes = np.where(tree.boards[rows] == 0, codes, -1)
    found, kind = np.unique(codes, return_inverse=True)
    worths = [_decode(energy, int(code), base) for code in found if code >= 0]
    return rows, kind.reshape(codes.shape) - int(found[0] < 0), worths


def _decode(energy: Energy, code: int, base: int) -> Line:
    """The worth (P, Q) of a move, by the number that encodes the states of its lines."""
    n = energy.grid.n
    steps = np.zeros((n, n + 1), dtype=object)
    for stones in range(n):
        for sign, k in ((1, stones + 1), (-1, stones)):
            coefficient, power = energy.term((1,) * k + (0,) * (n - k))
            steps[stones, power] += sign * coefficient
    counts = [code // base**way % base for way in range(2 * n - 1)]
    own = sum(counts[k] * steps[k] for k in range(n))
    other = counts[0] * steps[0] + sum(counts[n - 1 + k] * steps[k] for k in range(1, n))
    return tuple(map(int, own)), tuple(map(int, other))


def slots(energy: Energy, tree: GameTree, side: int, span: Span = UNIT) -> Iterator[Slot]:
    """The Ising player's table for every b: the least b, the interval after it, a point, ...

    The weights are a single array, updated in place from slot to slot: copy what you keep.
    """
    find = counted_kinds if energy.counted else kinds
    rows, kind, worths = find(energy, tree, side)
    sets, group = np.unique(np.sort(kind, axis=1), axis=0, return_inverse=True)
    members = np.split(np.argsort(group, kind="stable"), np.cumsum(np.bincount(group))[:-1])
    changes: dict[Surd, list[tuple[Ints, Choice, Choice]]] = defaultdict(list)
    for members_of, row in zip(members, sets, strict=True):
        choices = sorted({int(k) for k in row if k >= 0})
        lines = tuple(worths[k] for k in choices)
        for where, here, after in envelope(lines, energy.root, span):
            best = [frozenset(choices[i] for i in found) for found in (here, after)]
            changes[where].append((members_of, best[0], best[1]))
    weights = np.zeros(tree.children.shape, dtype=np.int64)
    points = order([*changes, energy.root.polynomial([span[1]])])
    for i, start in enumerate(points):
        for point in (True, False):
            for chosen, here, after in changes.get(start, ()):
                weights[rows[chosen]] = np.isin(kind[chosen], list(here if point else after))
            if point or i + 1 < len(points):
                yield Slot(start, point, start if point else points[i + 1], weights)


@cache
@read_only
def tables(energy: Energy, side: int) -> tuple[GameTree, tuple[Slot, ...]]:
    """The game tree and all slots of a board of at most 9 cells.

    Parameters
    ----------
    side : int
        +1 to play X, -1 to play O.

    Raises
    ------
    ValueError
        If the board has more than 9 cells.
    """
    tree = canonical_tree(energy.grid)
    if energy.grid.cells > MAX_FULL_CELLS:
        raise ValueError(
            f"a {energy.grid.name} board has too many states to keep a table for each b"
        )
    return tree, kept_slots(energy, tree, side)


def kept_slots(energy: Energy, tree: GameTree, side: int) -> tuple[Slot, ...]:
    """All :func:`slots`, each with weights of its own."""
    found = slots(energy, tree, side)
    return tuple(replace(slot, weights=slot.weights.copy()) for slot in found)


def curve(
    energy: Energy,
    side: int,
    opponent: Agent | None = None,
    span: Span = UNIT,
    tree: GameTree | None = None,
) -> list[Piece]:
    """The exact result of the Ising player as a function of b, in [0, 1] unless told otherwise.

    Parameters
    ----------
    side : int
        +1 if it plays X, -1 if O.
    opponent : Agent or None
        An agent that states its weights and plays symmetric boards alike; None
        for the same energy with the same b, in [0, 1].
    span : tuple of Fraction
        The least and the largest b.
    tree : GameTree or None
        The game against the opponent; None for the true one's canonical forms.

    Returns
    -------
    list of Piece
        Contiguous; neighbours of equal result are merged.

    Raises
    ------
    ValueError
        If the board is too large to enumerate, the opponent can't be used, or the span runs
        backwards.
    """
    if span[0] > span[1]:
        raise ValueError(f"a span runs from the least b to the largest, not {span[0]} to {span[1]}")
    if opponent is None:
        return merged(_against_itself(energy, side))
    tree = tree or canonical_tree(energy.grid)
    other = policy_table(opponent, tree)
    return merged(
        Piece(slot.at, slot.end, outcome_as(tree, side, slot.weights, other), (slot.point,) * 2)
        for slot in slots(energy, tree, side, span)
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
                a, b = (table_at(table, at, point) for table in (mine, theirs))
                end = at if point else points[i + 1]
                yield Piece(at, end, outcome_as(tree, side, a, b), (point, point))


def table_at(table: Sequence[Slot], at: Surd, point: bool) -> Ints:
    """A player's table at a point, or just after it; by bisection: comparisons are exact."""
    place = bisect_right(table, (at, not point), key=lambda slot: (slot.at, not slot.point))
    return table[place - 1].weights


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
    """The worst result that some opponent can reach, for every slot of b, on at most 9 cells.

    Returns
    -------
    list of (Slot, Worst)
        In order of b, with a shortest game that reaches it.
    """
    tree = enumerate_states(energy.grid)
    own = (tree.grid.to_move(tree.boards) == side)[:, None]
    found = []
    for slot in slots(energy, tree, side):
        table = np.where(own, slot.weights, tree.legal)
        found.append((replace(slot, weights=table), worst_case(tree, table, side)))
    return found


def at(pieces: Sequence[Piece], b: float) -> Piece:
    """The piece that holds b.

    Raises
    ------
    ValueError
        If b is outside the curve's span.
    """
    for piece in pieces:
        if piece.holds(b):
            return piece
    (low, _), (_, high) = pieces[0]._ends, pieces[-1]._ends
    raise ValueError(f"the curve runs from b = {low:g} to b = {high:g}, not to {b}")


def rows_of(pieces: Sequence[Piece]) -> Rows:
    """Pieces by column, as a table stores them; ends carry 12 significant digits."""
    ends = [[float(f"{float(end):.12g}") for end in (p.start, p.end)] for p in pieces]
    rows = [
        (*at, *p.closed, *map(str, p.outcome), p.start.text, p.end.text)
        for at, p in zip(ends, pieces, strict=True)
    ]
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows]


def as_json(rows: Rows) -> dict[str, list[dict[str, Any]]]:
    """The JSON object of ``ttt ising-curve``."""
    return {
        "pieces": [
            {"from": row["from"], "to": row["to"]}
            | {name: str(row[name]) for name in ("win", "draw", "loss")}
            | {"closed_form": {"from": row["from_form"], "to": row["to_form"]}}
            for row in rows
        ]
    }


def as_text(rows: Rows) -> str:
    """One line per piece, with its ends, chances and the closed form of its start."""
    return "\n".join(map(_line, rows))


def _line(row: Mapping[Any, Any]) -> str:
    closed = (row["from_closed"], row["to_closed"])
    results = "  ".join(f"{name} {row[name]}" for name in ("win", "draw", "loss"))
    return f"{_interval(row['from'], row['to'], closed)}  {results}  from {row['from_form']}"


# ---------------------------------------------------------------------------- 4x4

STORED_4X4 = "ising_curve_4x4.csv"


def stored(energy: str, side: str, opponent: str) -> Rows:
    """The curve of the 4x4 board by names, from its stored table.

    Raises
    ------
    ValueError
        If the curve is not the stored one, of the text's energy against random play, the side is
        not x or o, or the table is missing or damaged.
    """
    if (energy, opponent) != ("equation", "random"):
        raise ValueError("on 4x4 only energy 'equation' against opponent 'random' is stored")
    if side not in ("x", "o"):
        raise ValueError(f"a side is x or o, not {side!r}")
    from pandas.errors import EmptyDataError, ParserError

    path = present(STORED_4X4)
    try:
        table = read_table(STORED_4X4)
    except (EmptyDataError, ParserError, UnicodeError) as error:
        raise ValueError(f"{path} can't be read: {error}") from error
    if not {"side", *COLUMNS} <= set(table):
        raise ValueError(f"{path} is damaged: it needs columns {', '.join(('side', *COLUMNS))}")
    rows = table[table["side"] == side].to_dict("records")
    forms = table[table["side"] == side][["from_form", "to_form"]]
    if not (_is_whole(rows) and all(map(_is_certain, rows)) and forms.notna().all(axis=None)):
        raise ValueError(
            f"{path} is damaged: its pieces of side {side} must go from b = 0 to b = 1 "
            "without a gap, each with the forms of its ends, and with fractions of wins, draws and "
            "losses that add up to 1"
        )
    return rows


def _is_whole(rows: Rows) -> bool:
    """Whether stored pieces go from 0 to 1, each from where the one before it ends."""
    joints = [(0, False), *((row["to"], bool(row["to_closed"])) for row in rows)]
    begins = [*((row["from"], not row["from_closed"]) for row in rows), (1, True)]
    return joints == begins


def _is_certain(row: Mapping[Any, Any]) -> bool:
    """Whether the chances of a stored piece are fractions that add up to 1."""
    try:
        chances = [Fraction(str(row[name])) for name in ("win", "draw", "loss")]
    except (ValueError, ZeroDivisionError):
        return False
    return min(chances) >= 0 and sum(chances) == 1
