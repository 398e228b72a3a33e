"""The network: look-up tables over small groups of cells, summed and squashed.

After document 3 (jdermont, tictactoe-ntuple, 2021).  Every group of cells (a
*tuple*; here by default a line) reads its cells as a number in base 3, and
that number picks one weight from the tuple's table.  There is one table for
each side to move.  The value of a board is the tanh of the sum, from X's side.

A board is thus described by as many *features* as there are tuples: the
indices of the weights it picks.  One more, always the last, is the bias.
Tables may share their weights; then several entries are one feature.

The C library has several implementations of tanh, chosen by processor, whose last bits differ.
Training uses :func:`squash`, made of sums, products and one quotient, in which IEEE 754 defines
every step to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from math import factorial, log
from operator import index
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ttt_lib.evidence import store
from ttt_lib.evidence import weights as weight_files
from ttt_lib.game.board import Boards, Floats, Grid, Ints
from ttt_lib.game.kept import read_only

Sharing = Literal["none", "kind", "symmetric", "one"]

SHARINGS: tuple[str, ...] = get_args(Sharing)

MAX_ENTRIES = 10_000_000
"""More than the tables of any board that can be played here."""


@dataclass(frozen=True)
class Patterns:
    """Which cells the tables look at, and which tables are shared.

    Parameters
    ----------
    grid : Grid
        The game.
    tuples : tuple of tuples of int, optional
        Cells of every tuple; the lines of the grid unless given.
    sharing : {"none", "kind", "symmetric", "one"}
        ``none``: a table for every tuple.  ``kind``: one for all tuples that a
        symmetry maps to each other, read in the given order of cells.
        ``symmetric``: entries share a weight whenever a symmetry maps one to the
        other, so that symmetric boards get the same value.  ``one``: one table
        for all tuples of the same length.
    side : bool
        Whether the side to move doubles the tables.

    Raises
    ------
    ValueError
        If the sharing is unknown, a tuple is empty, longer than 14 cells, names
        a cell twice or one off the board, the tables would have more than
        ``MAX_ENTRIES`` entries, or (with ``kind`` and ``symmetric``) a symmetry
        maps a tuple to cells that are not a tuple.
    """

    grid: Grid
    tuples: tuple[tuple[int, ...], ...] = ()
    sharing: Sharing = "none"
    side: bool = True

    def __post_init__(self) -> None:
        if self.sharing not in SHARINGS:
            raise ValueError(f"unknown sharing {self.sharing!r}: {', '.join(SHARINGS)}")
        object.__setattr__(self, "tuples", as_tuples(self.tuples or self.grid.lines))
        for cells in self.tuples:
            self._check(cells)
        if sum(self.sizes) > MAX_ENTRIES:
            raise ValueError(f"the tables would have more than {MAX_ENTRIES} entries")
        if self.sharing in ("kind", "symmetric"):
            _ = self.images  # every image of a tuple must be a tuple

    def _check(self, cells: tuple[int, ...]) -> None:
        if not cells or len(set(cells)) < len(cells) or len(cells) > 14:
            raise ValueError(f"a tuple needs 1 to 14 different cells, not {list(cells)}")
        if min(cells) < 0 or max(cells) >= self.grid.cells:
            raise ValueError(f"tuple {list(cells)} leaves the cells 0..{self.grid.cells - 1}")

    @property
    def sides(self) -> int:
        """Tables per tuple: 2 with the side to move, else 1."""
        return 2 if self.side else 1

    @property
    def sizes(self) -> list[int]:
        """Entries of every tuple's table, both sides together."""
        return [int(self.sides * 3 ** len(cells)) for cells in self.tuples]

    @cached_property
    @read_only
    def starts(self) -> Ints:
        """Where each tuple's entries begin when all tables are concatenated, shape (T,)."""
        return np.cumsum([0, *self.sizes[:-1]]).astype(np.int64)

    @cached_property
    def images(self) -> list[list[tuple[int, list[int]]]]:
        """For every symmetry and tuple: the tuple it is mapped to, and how cells are reordered.

        Place ``order[i]`` of the image reads the image of the cell at place ``i`` of the tuple.

        Raises
        ------
        ValueError
            If a symmetry maps a tuple to cells that are not a tuple.
        """
        places = {frozenset(cells): t for t, cells in enumerate(self.tuples)}
        found = []
        for permutation in self.grid.symmetries:
            moved = [[int(permutation[cell]) for cell in cells] for cells in self.tuples]
            missing = [cells for cells in moved if frozenset(cells) not in places]
            if missing:
                raise ValueError(f"sharing needs the symmetric tuple {missing[0]}, too")
            at = [places[frozenset(cells)] for cells in moved]
            found.append(
                [(t, [self.tuples[t].index(c) for c in m]) for t, m in zip(at, moved, strict=True)]
            )
        return found

    @cached_property
    @read_only
    def shared(self) -> Ints:
        """The weight behind every entry of every table, shape (sum of sizes,)."""
        links = list(self._links())
        if not links:
            return np.arange(sum(self.sizes), dtype=np.int64)
        a, b = (np.concatenate(ends) for ends in zip(*links, strict=True))
        graph = coo_array((np.ones(len(a)), (a, b)), shape=(sum(self.sizes),) * 2)
        return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)

    def _links(self) -> Iterable[tuple[Ints, Ints]]:
        """Pairs of entries that share one weight."""
        if self.sharing == "symmetric":
            for moved in self.images:
                for t, (image, order) in enumerate(moved):
                    yield self.entries(t), self.entries(image)[self._reordered(order)]
        for t, first in enumerate(self._representatives()):
            yield self.entries(t), self.entries(first)

    def _representatives(self) -> list[int]:
        """For every tuple the first one that has the same table; [] when each has its own."""
        if self.sharing == "kind":
            kinds = [[moved[t][0] for moved in self.images] for t in range(len(self.tuples))]
            return [min(kind) for kind in kinds]
        if self.sharing == "one":
            lengths = [len(cells) for cells in self.tuples]
            return [lengths.index(length) for length in lengths]
        return []

    def entries(self, t: int) -> Ints:
        """Indices of the entries of one tuple, shape (sizes[t],)."""
        return np.arange(self.sizes[t], dtype=np.int64) + int(self.starts[t])

    def _reordered(self, order: list[int]) -> Ints:
        """For every code of a tuple, both sides: the code after its cells are reordered."""
        length = len(order)
        digits = np.indices((3,) * length).reshape(length, -1)
        powers = 3 ** np.arange(length)[::-1]
        codes = (digits * powers[order][:, None]).sum(axis=0)
        return np.concatenate([codes + side * 3**length for side in range(self.sides)])

    @property
    def parameters(self) -> int:
        """Number of distinct weights, excluding the bias."""
        return int(self.shared.max()) + 1

    def features(self, boards: Boards) -> Ints:
        """Indices of the weights that boards pick, shape (B, tuples + 1); the last is the bias."""
        codes = (self.entry_of(t, boards) for t in range(len(self.tuples)))
        bias = np.full(len(boards), self.parameters, dtype=np.int64)
        return np.stack([*(self.shared[code] for code in codes), bias], axis=1)

    def entry_of(self, t: int, boards: Boards) -> Ints:
        """The entry that boards pick in one tuple's table, shape (B,).

        Cells count 0 (empty), 1 (X), 2 (O), the first cell being the most significant
        digit; with O to move the second half of the table is read.
        """
        cells = list(self.tuples[t])
        powers = 3 ** np.arange(len(cells), dtype=np.int64)[::-1]
        code = (boards[:, cells] % 3).astype(np.int64) @ powers
        if self.side:
            code += (self.grid.to_move(boards) == -1) * 3 ** len(cells)
        return np.asarray(self.starts[t] + code, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Network:
    """Patterns and their trained weights.

    Attributes
    ----------
    patterns : Patterns
    weights : ndarray of float64, shape (parameters + 1,)
        The last one is the bias.

    Raises
    ------
    ValueError
        If the number of weights does not fit, or one is not finite.
    """

    patterns: Patterns
    weights: Floats

    def __post_init__(self) -> None:
        expected = (self.patterns.parameters + 1,)
        if self.weights.shape != expected:
            raise ValueError(
                f"weights of shape {self.weights.shape}: these patterns need {expected}"
            )
        if not np.isfinite(self.weights).all():
            raise ValueError("a weight is not a finite number")

    def predict(self, boards: Boards) -> Floats:
        """Values of boards from X's side, in (-1, 1), shape (B,)."""
        return np.asarray(np.tanh(self.weights[self.patterns.features(boards)].sum(axis=1)))

    def table(self, t: int) -> Floats:
        """The look-up table of one tuple, shape (sides, 3**length)."""
        weights = self.weights[self.patterns.shared[self.patterns.entries(t)]]
        return np.asarray(weights.reshape(self.patterns.sides, -1))


def as_tuples(cells: NDArray[np.intp] | Iterable[Iterable[int]]) -> tuple[tuple[int, ...], ...]:
    """Rows of cell indices as plain tuples."""
    return tuple(tuple(map(index, row)) for row in cells)


def neighbours(grid: Grid) -> tuple[tuple[int, ...], ...]:
    """All pairs of neighbouring cells of some line: the 2-tuples of a grid."""
    pairs = {tuple(sorted(pair)) for row in as_tuples(grid.lines) for pair in pairwise(row)}
    return tuple(sorted(pairs))


# ---------------------------------------------------------------------------- tanh

TERMS = 14
"""Terms of the exponential series: up to log(2) / 2 the next one is below 1e-17."""

SERIES = tuple(1 / factorial(k) for k in reversed(range(TERMS)))
HALVES = 0.5 ** np.arange(64)
LN2, FLAT = log(2), 20.0  # beyond 20, tanh rounds to 1


@njit(cache=True, inline="always")
def squash(x):  # type: ignore[no-untyped-def]
    """tanh(x), float64, with an absolute error below 3e-16; odd, and exactly 0 at 0.

    With ``e^(-2|x|) = 2^(-k) e^r`` and whole k, the series for ``e^r`` is short, and the
    power of two exact.

    Parameters
    ----------
    x : float64 or float32
    """
    size = min(abs(x), FLAT)
    k = int(2 * size / LN2 + 0.5)
    r = k * LN2 - 2 * size
    power = 0.0
    for coefficient in SERIES:
        power = power * r + coefficient
    power *= HALVES[k]
    value = (1 - power) / (1 + power)
    return value if x >= 0 else -value


# ---------------------------------------------------------------------------- as a file

FORMAT = "ttt-ntuple-2"
STORED_4X4 = "ntuple_4x4_seed{seed}.safetensors"
STORED_SEEDS = (0, 1, 2)


def to_bytes(network: Network) -> bytes:
    """The bytes of a stored network, the same for the same network."""
    patterns = network.patterns
    about = {
        "size": patterns.grid.name,
        "tuples": patterns.tuples,
        "sharing": patterns.sharing,
        "side": patterns.side,
    }
    return weight_files.to_bytes({"weights": network.weights}, FORMAT, about)


def load(path: Path | str) -> Network:
    """Read a network.

    Raises
    ------
    ValueError
        If the file is missing, damaged or of another kind, or its weights do not fit its
        patterns.
    """
    arrays, about = weight_files.read(Path(path), FORMAT)
    try:
        return Network(_patterns(about), arrays["weights"].astype(np.float64))
    except (LookupError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is no stored N-tuple network: {error}") from error


def _patterns(about: dict[str, Any]) -> Patterns:
    tuples = tuple(tuple(int(cell) for cell in cells) for cells in about["tuples"])
    return Patterns(Grid.parse(about["size"]), tuples, about["sharing"], bool(about["side"]))


@cache
@read_only
def read_stored(seed: int) -> Network:
    """The stored 4x4 network of a seed.

    Raises
    ------
    ValueError
        If there is none for that seed, or its file is missing or damaged.
    """
    if seed not in STORED_SEEDS:
        known = ", ".join(map(str, STORED_SEEDS))
        raise ValueError(f"no 4x4 ntuple network is stored for seed {seed}: {known}")
    return load(store.present(STORED_4X4.format(seed=int(seed))))
