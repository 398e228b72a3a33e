"""Boards of n^d cells: lines, symmetries, legal moves, outcome, notation.

A board is a row of ``n**d`` cells in index order, the last coordinate varying
fastest, with X = +1, O = -1 and empty = 0.  X moves first, so the side to move
follows from the stones.  Every function takes a whole batch of boards, an
``int8`` array of shape ``(B, cells)``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game.kept import read_only
from ttt_lib.game.scene import Block, Scene

Boards = NDArray[np.int8]
"""A batch of boards, shape (B, cells), values +1 (X), -1 (O), 0 (empty)."""

Moves = NDArray[np.intp]
"""One cell index per board, shape (B,)."""

Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MAX_CELLS = 10_000
MAX_LINES = 100_000
MAX_TABLE = 10_000_000
SYMBOLS = {0: ".", 1: "x", -1: "o"}
_VALUES = {symbol: value for value, symbol in SYMBOLS.items()}


@dataclass(frozen=True)
class Grid:
    """The game of completing a line on an n^d board.

    Parameters
    ----------
    n : int
        Cells along an edge, and the length of a line; at least 2.
    d : int
        Number of dimensions; at least 1.

    Raises
    ------
    ValueError
        If n < 2, d < 1, or the board has more than ``MAX_CELLS`` cells or
        ``MAX_LINES`` lines.
    """

    n: int
    d: int = 2

    def __post_init__(self) -> None:
        for name, number in (("n", self.n), ("d", self.d)):
            if isinstance(number, bool) or not isinstance(number, int | np.integer):
                raise ValueError(f"{name} of a board is a whole number, not {number!r}")
            object.__setattr__(self, name, int(number))  # numpy's small integers overflow
        if self.n < 2:
            raise ValueError(f"a board needs n >= 2 cells along an edge, not {self.n}")
        if self.d < 1:
            raise ValueError(f"a board needs d >= 1 dimensions, not {self.d}")
        # d is checked first: n**d itself may be astronomically large.
        if self.d > 64 or self.cells > MAX_CELLS or line_count(self.n, self.d) > MAX_LINES:
            raise ValueError(
                f"a {self.n}^{self.d} board is too large: at most {MAX_CELLS} cells "
                f"and {MAX_LINES} lines"
            )

    @classmethod
    def parse(cls, size: str) -> Grid:
        """Read a board size such as ``3x3`` or ``4x4x4``.

        Raises
        ------
        ValueError
            If the text is not one edge length repeated.
        """
        if not re.fullmatch(r"[1-9][0-9]{0,3}(x[1-9][0-9]{0,3})*", size):
            raise ValueError(f"unknown board size {size!r}: write it like 3x3, 4x4 or 4x4x4")
        edges = [int(edge) for edge in size.split("x")]
        if len(set(edges)) > 1:
            raise ValueError(f"unknown board size {size!r}: all edges must be equal, as in 4x4x4")
        return cls(edges[0], len(edges))

    @property
    def name(self) -> str:
        """The size as text, e.g. ``4x4x4``."""
        return "x".join([str(self.n)] * self.d)

    @property
    def cells(self) -> int:
        """Number of cells, n**d; also the number of moves."""
        return int(self.n**self.d)

    @property
    def moves(self) -> int:
        """Number of different moves, one per cell."""
        return self.cells

    @cached_property
    @read_only
    def coordinates(self) -> NDArray[np.intp]:
        """Coordinates of every cell, shape (cells, d)."""
        return np.indices((self.n,) * self.d).reshape(self.d, -1).T

    @cached_property
    @read_only
    def lines(self) -> NDArray[np.intp]:
        """All winning lines as cell indices, shape (L, n): rows first, long diagonals last.

        There are ((n + 2)^d - n^d) / 2 of them (Golomb and Hales, 2002): on each
        axis a line stays at one of n coordinates, rises, or falls; reversing
        it gives the same line.
        """
        found = [self._line(axes) for axes in _line_kinds(self.n, self.d)]
        return np.array(found, dtype=np.intp)

    def _line(self, axes: tuple[int, ...]) -> list[int]:
        steps = range(self.n)
        walks = [
            {self.n: steps, self.n + 1: steps[::-1]}.get(axis, [axis] * self.n) for axis in axes
        ]
        strides = [self.n ** (self.d - 1 - axis) for axis in range(self.d)]
        return [sum(s * w[step] for s, w in zip(strides, walks, strict=True)) for step in steps]

    @cached_property
    @read_only
    def lines_through(self) -> list[NDArray[np.intp]]:
        """For every cell, the indices of the lines that contain it."""
        return [np.flatnonzero((self.lines == cell).any(axis=1)) for cell in range(self.cells)]

    @cached_property
    @read_only
    def symmetries(self) -> NDArray[np.intp]:
        """The hyperoctahedral group (D4 on a square), shape (2^d d!, cells).

        Each row is a permutation ``p`` of the cells; ``boards[:, p]`` are the
        transformed boards.  The first row is the identity.

        Raises
        ------
        ValueError
            If the table would have more than ``MAX_TABLE`` entries.
        """
        if 2**self.d * factorial(self.d) * self.cells > MAX_TABLE:
            raise ValueError(f"a {self.name} board has too many symmetries to list")
        cube = np.arange(self.cells).reshape((self.n,) * self.d)
        images = [
            np.flip(cube.transpose(order), tuple(a for a in range(self.d) if flips[a])).ravel()
            for order in permutations(range(self.d))
            for flips in product((False, True), repeat=self.d)
        ]
        return np.array(images, dtype=np.intp)

    def initial(self, batch: int = 1) -> Boards:
        """Empty boards, shape (batch, cells)."""
        return np.zeros((batch, self.cells), dtype=np.int8)

    def to_move(self, boards: Boards) -> NDArray[np.int8]:
        """Side to move, +1 for X and -1 for O, shape (B,)."""
        self._check(boards)
        return _to_move(boards)

    def winner(self, boards: Boards) -> NDArray[np.int8]:
        """Owner of a full line, shape (B,): +1, -1, or 0 for nobody.

        Zero does not tell whether the game is over: see :meth:`finished`.

        Raises
        ------
        ValueError
            If the boards are not of this size, hold anything but +1, -1 and 0, or are of an
            unsigned dtype (as in every method that takes boards, but for :meth:`place`).
        """
        self._check(boards)
        sums = boards[:, self.lines].sum(axis=2, dtype=np.int64)
        x_wins, o_wins = (sums == self.n).any(axis=1), (sums == -self.n).any(axis=1)
        return np.asarray(x_wins, dtype=np.int8) - np.asarray(o_wins, dtype=np.int8)

    def finished(self, boards: Boards) -> Mask:
        """Whether the game is over (a line or a full board), shape (B,)."""
        return np.asarray((self.winner(boards) != 0) | (boards != 0).all(axis=1))

    def legal(self, boards: Boards) -> Mask:
        """Legal moves, shape (B, cells); none where the game is over."""
        return np.asarray((boards == 0) & ~self.finished(boards)[:, None])

    def play(self, boards: Boards, moves: Moves) -> Boards:
        """The boards after one move each (copies), shape (B, cells).

        Raises
        ------
        ValueError
            If the boards are refused (see :meth:`winner`), a move is outside the board, its cell is
            taken, or the game is over.
        """
        over = self.finished(boards)  # this checks them, too
        given, moves = np.asarray(moves), np.asarray(moves, dtype=np.intp)
        if moves.shape != (len(boards),):
            raise ValueError(f"{len(boards)} boards need one move each, not moves {moves.shape}")
        if given.dtype.kind not in "iu" and (moves != given).any():
            raise ValueError(f"a move is the index of a cell, not {given[moves != given][0]}")
        outside = (moves < 0) | (moves >= self.cells)
        if outside.any():
            raise ValueError(f"move {moves[outside][0]} is outside 0..{self.cells - 1}")
        taken = boards[np.arange(len(boards)), moves] != 0
        if taken.any():
            raise ValueError(f"cell {moves[taken][0]} is taken")
        if over.any():
            raise ValueError("the game is over: no move is legal")
        return self.place(boards, moves)

    def place(self, boards: Boards, moves: Moves) -> Boards:
        """Like :meth:`play`, for moves known to be legal: nothing is checked, which is faster."""
        after = boards.copy()
        after[np.arange(len(boards)), moves] = _to_move(boards)
        return after

    def _check(self, boards: Boards) -> None:
        if boards.ndim != 2 or boards.shape[1] != self.cells:
            raise ValueError(
                f"a {self.name} board has {self.cells} cells, a batch shape (B, {self.cells}), "
                f"not {boards.shape}"
            )
        if boards.dtype.kind in "bu":  # -1 would become 255, or True
            raise ValueError(f"boards need a signed dtype such as int8, not {boards.dtype}")
        if np.count_nonzero(boards != np.sign(boards)):  # faster than any() on a single board
            raise ValueError("a cell of a board holds 1 (X), -1 (O) or 0, nothing else")

    def codes(self, boards: Boards) -> NDArray[np.int64]:
        """One number per board in base 3 (empty 0, X 1, O 2), shape (B,).

        Raises
        ------
        ValueError
            If the board has more than 33 cells (the code must be an exact float), or the boards
            are refused (see :meth:`winner`).
        """
        self._check(boards)
        return np.asarray((boards % 3).astype(np.float64) @ self._powers, dtype=np.int64)

    def canonical_codes(self, boards: Boards) -> NDArray[np.int64]:
        """The smallest code among all symmetric images, shape (B,)."""
        self._check(boards)
        weights = np.stack([self._powers[np.argsort(p)] for p in self.symmetries], axis=1)
        images = (boards % 3).astype(np.float64) @ weights
        return np.asarray(images.min(axis=1), dtype=np.int64)

    def decode(self, codes: NDArray[np.int64]) -> Boards:
        """The boards that the codes stand for, shape (B, cells); the inverse of :meth:`codes`."""
        digits = codes[:, None] // self._powers.astype(np.int64) % 3
        return np.where(digits == 2, -1, digits).astype(np.int8)

    @cached_property
    @read_only
    def _powers(self) -> NDArray[np.float64]:
        if self.cells > 33:
            raise ValueError(f"a {self.name} board has no code: at most 33 cells")
        return np.power(3.0, np.arange(self.cells)[::-1], dtype=np.float64)

    def blocks(self) -> tuple[Block, ...]:
        """The board, or its layers.

        Raises
        ------
        ValueError
            Unless it has two or three dimensions.
        """
        if self.d not in (2, 3):
            raise ValueError(f"a {self.name} board can't be drawn here: two or three dimensions")
        layers = np.arange(self.cells).reshape(-1, self.n**2)
        return tuple(
            Block(f"layer {place}" if self.d == 3 else "", tuple(map(int, layer)))
            for place, layer in enumerate(layers)
        )

    def scene(self, board: NDArray[np.int8]) -> Scene:
        """Stones and full lines of one board, shape (cells,)."""
        full = self.lines[np.abs(board[self.lines].sum(axis=1, dtype=np.int64)) == self.n]
        return Scene(tuple(map(int, board)), line=frozenset(map(int, full.ravel())))

    def picture(self, board: NDArray[np.int8]) -> str:
        """One board, shape (cells,), as text: empty cells show their index, layers are stacked."""
        wide = len(str(self.cells - 1)) + 1
        names = [
            f"{SYMBOLS[int(value)] if value else cell:>{wide}}" for cell, value in enumerate(board)
        ]
        rows = ["".join(names[i : i + self.n]) for i in range(0, self.cells, self.n)]
        layers = [rows[i : i + self.n] for i in range(0, len(rows), self.n)]
        return "\n\n".join("\n".join(layer) for layer in layers)


def _to_move(boards: Boards) -> NDArray[np.int8]:
    return np.asarray(1 - boards.sum(axis=1, dtype=np.int64) * 2, dtype=np.int8)


def line_count(n: int, d: int) -> int:
    """Number of lines of an n^d board, ((n + 2)^d - n^d) / 2."""
    return int(((n + 2) ** d - n**d) // 2)


def _line_kinds(n: int, d: int) -> list[tuple[int, ...]]:
    """One tuple per line: per axis its fixed coordinate, n (rising) or n + 1 (falling)."""

    def moving(axes: tuple[int, ...]) -> list[int]:
        return [axis for axis, kind in enumerate(axes) if kind >= n]

    kinds = [axes for axes in product(range(n + 2), repeat=d) if moving(axes)]
    once = [axes for axes in kinds if axes[moving(axes)[0]] == n]
    return sorted(once, key=lambda axes: (len(moving(axes)), [-a for a in moving(axes)], axes))


def grid_of(game: Any, what: str) -> Grid:
    """Return the game if it is an n^d board.

    Parameters
    ----------
    what : str
        What needs such a board, as the beginning of a sentence.

    Raises
    ------
    ValueError
        If it is not an n^d board.
    """
    if not isinstance(game, Grid):
        raise ValueError(f"{what} needs an n^d board, not {game.name}")
    return game


def parse(text: str, grid: Grid) -> NDArray[np.int8]:
    """Read one board in one-line notation.

    Parameters
    ----------
    text : str
        ``n**d`` characters of ``x``, ``o`` and ``.`` in cell order.

    Returns
    -------
    ndarray of int8, shape (cells,)

    Raises
    ------
    ValueError
        If the length, a character or the number of stones is wrong, or play
        continued after a line was complete.
    """
    if len(text) != grid.cells:
        raise ValueError(f"a {grid.name} board has {grid.cells} characters, not {len(text)}")
    wrong = sorted(set(text) - set(_VALUES))
    if wrong:
        raise ValueError(f"unknown character {wrong[0]!r} in a board: only x, o and . are allowed")
    board = np.array([_VALUES[symbol] for symbol in text], dtype=np.int8)
    _check_stones(board, grid)
    return board


def _check_stones(board: NDArray[np.int8], grid: Grid) -> None:
    x, o = int((board == 1).sum()), int((board == -1).sum())
    if x - o not in (0, 1):
        raise ValueError(
            f"{x} x and {o} o can't be: X moves first, so there are as many or one more"
        )
    sums = board[grid.lines].sum(axis=1, dtype=np.int64)
    for side, moved_last in ((1, x == o + 1), (-1, x == o)):
        full = grid.lines[sums == side * grid.n]
        # The last stone completed every full line, so it lies on all of them.
        if len(full) and not (moved_last and np.bincount(full.ravel()).max() == len(full)):
            raise ValueError("a line was complete before the last move: no game goes on after it")


def notation(board: NDArray[np.int8]) -> str:
    """One-line notation of one board, shape (cells,); the inverse of :func:`parse`."""
    return "".join(SYMBOLS[int(cell)] for cell in board)
