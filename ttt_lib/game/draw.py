"""Pictures of boards as SVG, for notebooks and figures without a plotting library.

X and O differ in shape as well as in colour, so the picture is legible in greyscale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game.board import Grid, notation, parse

CELL = 36
GAP = 14
LABEL = 11
"""Size of a short label's letters."""
X_COLOUR = "#0072B2"
O_COLOUR = "#D55E00"
SHADE_COLOUR = "#009E73"


class Picture(Protocol):
    """Anything that draws itself in a notebook."""

    def _repr_svg_(self) -> str: ...


@dataclass(frozen=True)
class Board:
    """One board, displayed as a picture in a notebook.

    Parameters
    ----------
    text : str
        One-line notation, e.g. ``"xx.ox.o.."``.
    size : str
        Board size, e.g. ``"3x3"`` or ``"4x4x4"``.
    labels : sequence of str, optional
        A short text per cell, drawn where the cell is empty (a move's number or score).
    shades : sequence of float, optional
        A number in 0..1 per cell; the larger, the darker its background.
    marks : sequence of int, optional
        Cells to draw a frame around (a chosen move, a winning line).
    title : str
        The picture's text alternative.

    Raises
    ------
    ValueError
        If the text is not a board of that size, or labels, shades or marks do not fit it.
    """

    text: str
    size: str = "3x3"
    labels: Sequence[str] = field(default=(), repr=False)
    shades: Sequence[float] = field(default=(), repr=False)
    marks: Sequence[int] = field(default=(), repr=False)
    title: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        parse(self.text, self.grid)
        for name, values in (("labels", self.labels), ("shades", self.shades)):
            if len(values) not in (0, self.grid.cells):
                raise ValueError(f"{name}: {len(values)} given for {self.grid.cells} cells")
        if not all(0 <= shade <= 1 for shade in self.shades):
            raise ValueError("a shade is a number in 0..1")
        if not all(0 <= mark < self.grid.cells for mark in self.marks):
            raise ValueError(f"a mark is a cell in 0..{self.grid.cells - 1}")

    @classmethod
    def of(cls, cells: NDArray[np.int8], size: str = "3x3", **options: Sequence[str]) -> Board:
        """Make a picture of a row of cells, shape (cells,)."""
        return cls(notation(cells), size, **options)  # type: ignore[arg-type]

    @property
    def grid(self) -> Grid:
        """The game this board belongs to."""
        return Grid.parse(self.size)

    @property
    def cells(self) -> NDArray[np.int8]:
        """The cells as numbers, int8, shape (cells,)."""
        return parse(self.text, self.grid)

    def _repr_svg_(self) -> str:
        return draw(self)


def draw(board: Board) -> str:
    """Return the SVG text of a board; layers of a cube are drawn side by side.

    Axes beyond the plane alternate between right and down, so that a 4-D board
    is a square of squares.
    """
    origins = [_origin(board.grid, cell) for cell in range(board.grid.cells)]
    width, height = (max(corner[axis] for corner in origins) + CELL + 2 for axis in (0, 1))
    title = escape(board.title or f"{board.size} board {board.text}")
    parts = [_cell(board, cell, *origins[cell]) for cell in range(board.grid.cells)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="{title}">'
        f"<title>{title}</title>{''.join(parts)}</svg>"
    )


def row_of(boards: Sequence[Picture], captions: Sequence[str] = ()) -> str:
    """Return HTML that shows boards side by side with a caption under each.

    Raises
    ------
    ValueError
        If there are more captions than boards.
    """
    if len(captions) > len(boards):
        raise ValueError(f"{len(captions)} captions given for {len(boards)} boards")
    texts = [*captions, *[""] * (len(boards) - len(captions))]
    figures = [
        f'<figure style="margin:0 18px 12px 0;text-align:center">{board._repr_svg_()}'
        f'<figcaption style="font-size:smaller">{escape(text)}</figcaption></figure>'
        for board, text in zip(boards, texts, strict=True)
    ]
    return f'<div style="display:flex;flex-wrap:wrap;align-items:flex-end">{"".join(figures)}</div>'


def _origin(grid: Grid, cell: int) -> tuple[int, int]:
    """Upper left corner of a cell: the last axis runs rightwards, the one before it downwards."""
    corner, block = [1, 1], [CELL, CELL]
    for step, place in enumerate(grid.coordinates[cell][::-1]):
        corner[step % 2] += int(place) * block[step % 2]
        block[step % 2] = grid.n * block[step % 2] + GAP
    return corner[0], corner[1]


def _cell(board: Board, cell: int, left: int, top: int) -> str:
    shade = board.shades[cell] if len(board.shades) else 0.0
    frame = 3 if cell in board.marks else 1
    square = (
        f'<rect x="{left}" y="{top}" width="{CELL}" height="{CELL}" '
        f'fill="{SHADE_COLOUR}" fill-opacity="{0.75 * shade:.3f}" '
        f'stroke="#444" stroke-width="{frame}"/>'
    )
    label = board.labels[cell] if len(board.labels) else ""
    middle = left + CELL // 2, top + CELL // 2
    return square + content(board.text[cell], label, *middle, _label_size(board))


def _label_size(board: Board) -> int:
    """One size for all labels of a board: with more than four letters they would fill a cell."""
    shown = (label for label, stone in zip(board.labels, board.text, strict=False) if stone == ".")
    longest = max(map(len, shown), default=0)
    return LABEL if longest <= 4 else 5 * CELL // (4 * longest)


def content(symbol: str, label: str, x: int, y: int, size: int = LABEL) -> str:
    """A stone, or the label of an empty cell, centred on a point."""
    if symbol != ".":
        return stone(symbol, x, y, CELL // 4 + 1, 'stroke-width="4"')
    return (
        f'<text x="{x}" y="{y}" font-family="sans-serif" font-size="{size}" fill="#222" '
        f'text-anchor="middle" dominant-baseline="central">{escape(label)}</text>'
    )


def stone(symbol: str, x: int, y: int, arm: int, look: str) -> str:
    """A cross or a ring that reaches ``arm`` to each side of a point; ``look``: SVG attributes."""
    if symbol == "x":
        return (
            f'<path d="M{x - arm} {y - arm}l{2 * arm} {2 * arm}m0 {-2 * arm}l{-2 * arm} {2 * arm}" '
            f'stroke="{X_COLOUR}" {look} stroke-linecap="round"/>'
        )
    return f'<circle cx="{x}" cy="{y}" r="{arm}" fill="none" stroke="{O_COLOUR}" {look}/>'
