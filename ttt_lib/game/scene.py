"""What a person sees of a game: squares of cells, the stones on them, and the legal targets.

A game that can be drawn implements three methods (:class:`Drawable`).  Any other game is
played by move number and shown as one row of cells without stones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from numpy.typing import NDArray


@dataclass(frozen=True)
class Block:
    """A square of cells that are drawn together: a board, a layer or a sub-board."""

    name: str
    cells: tuple[int, ...]


@dataclass(frozen=True)
class Scene:
    """One state as it is drawn.

    Attributes
    ----------
    stones : tuple of int
        Whose stone is on each cell: +1, -1 or 0.
    owners : tuple of int
        Who owns each block; empty where blocks have no owners.
    targets : tuple of int
        The blocks in which a move is legal now; empty where blocks impose no restriction.
    line : frozenset of int
        The cells of every full line.
    """

    stones: tuple[int, ...]
    owners: tuple[int, ...] = ()
    targets: tuple[int, ...] = ()
    line: frozenset[int] = frozenset()


class Numbered(Protocol):
    """All that is required of a game that does not define how it looks."""

    @property
    def moves(self) -> int:
        """Number of different moves."""


@runtime_checkable
class Drawable(Protocol):
    """How a game can define its appearance, one state at a time."""

    def blocks(self) -> tuple[Block, ...]:
        """The squares of the game in reading order; ValueError if it can't be drawn in the plane.

        Every cell belongs to one of them.
        """

    def scene(self, state: NDArray[Any]) -> Scene:
        """What one state looks like."""

    def picture(self, state: NDArray[Any]) -> str:
        """One state as text, empty cells showing their move."""


def blocks(game: Numbered) -> tuple[Block, ...]:
    """The squares of a game in reading order; one row of all moves if it doesn't define any.

    Raises
    ------
    ValueError
        If the game can't be drawn in the plane.
    """
    if isinstance(game, Drawable):
        return game.blocks()
    return (Block("", tuple(range(game.moves))),)


def scene(game: Numbered, state: NDArray[Any]) -> Scene:
    """What one state looks like."""
    return game.scene(state) if isinstance(game, Drawable) else Scene((0,) * game.moves)


def picture(game: Numbered, state: NDArray[Any]) -> str:
    """One state as text."""
    return game.picture(state) if isinstance(game, Drawable) else str(state)
