"""A position as a picture: forced sub-boards are shaded, decided ones bear their owner's mark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from ttt_lib.game.draw import SHADE_COLOUR, content, stone
from ttt_lib.ultimate.board.notation import SYMBOLS, parse, write
from ttt_lib.ultimate.board.rules import FREE, MOVES, Position, is_open, open_boards, result

CELL = 30
GAP = 10
SIDE = 9 * CELL + 2 * GAP + 4


@dataclass(frozen=True)
class UltimateBoard:
    """A position that is displayed as a picture in a notebook.

    Parameters
    ----------
    text : str
        One-line notation, see :mod:`ttt_lib.ultimate.board.notation`.
    rules : str
        The rules it was played under.
    labels : sequence of str, optional
        A short text per move, drawn where the cell is empty.
    marks : sequence of int, optional
        Moves to draw a frame around.
    width : int
        Its width and height on the page, in pixels.

    Raises
    ------
    ValueError
        If the text is not a position under these rules, or there are not 81 labels.
    """

    text: str
    rules: str = "standard"
    labels: Sequence[str] = field(default=(), repr=False)
    marks: Sequence[int] = field(default=(), repr=False)
    width: int = field(default=SIDE, repr=False)

    def __post_init__(self) -> None:
        parse(self.text, self.rules)
        if len(self.labels) not in (0, MOVES):
            raise ValueError(f"labels: {len(self.labels)} given for {MOVES} cells")

    @classmethod
    def of(cls, position: Position, **options: Sequence[str]) -> UltimateBoard:
        """Make a picture of a position."""
        return cls(write(position), position.rules, **options)  # type: ignore[arg-type]

    @property
    def position(self) -> Position:
        """The position it shows."""
        return parse(self.text, self.rules)

    def _repr_svg_(self) -> str:
        return draw(self)


def draw(board: UltimateBoard) -> str:
    """Return the SVG text of a position."""
    title = escape(f"Ultimate position {board.text}")
    position = board.position
    parts = [_sub_board(position, place) for place in range(9)]
    parts += [_cell(board, move, position.cells[move]) for move in range(MOVES)]
    parts += [_owner(position, place) for place in range(9)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{board.width}" height="{board.width}" '
        f'viewBox="0 0 {SIDE} {SIDE}" role="img" aria-label="{title}">'
        f"<title>{title}</title>{''.join(parts)}</svg>"
    )


def _corner(place: int) -> tuple[int, int]:
    """Upper left corner of a sub-board."""
    return tuple(2 + part * (3 * CELL + GAP) for part in (place % 3, place // 3))  # type: ignore[return-value]


def _sub_board(position: Position, place: int) -> str:
    """The background of a sub-board, shaded where the side to move may play."""
    forced = position.forced == place or (
        position.forced == FREE and place in open_boards(position)
    )
    shade = 0.3 if forced and result(position) is None else 0.0
    left, top = _corner(place)
    return (
        f'<rect x="{left}" y="{top}" width="{3 * CELL}" height="{3 * CELL}" '
        f'fill="{SHADE_COLOUR}" fill-opacity="{shade}" stroke="#222" stroke-width="2.5"/>'
    )


def _cell(board: UltimateBoard, move: int, stone: int) -> str:
    row, column = divmod(move, 9)
    left = 2 + column * CELL + column // 3 * GAP
    top = 2 + row * CELL + row // 3 * GAP
    frame, colour = (3, "#222") if move in board.marks else (0.6, "#777")
    label = board.labels[move] if len(board.labels) else ""
    square = (
        f'<rect x="{left}" y="{top}" width="{CELL}" height="{CELL}" fill="none" '
        f'stroke="{colour}" stroke-width="{frame}"/>'
    )
    return square + content(SYMBOLS[stone], label, left + CELL // 2, top + CELL // 2)


def _owner(position: Position, place: int) -> str:
    """A large, pale mark of the owner over a decided sub-board, grey over a drawn one."""
    left, top = _corner(place)
    x, y, arm = left + 3 * CELL // 2, top + 3 * CELL // 2, 5 * CELL // 4
    veil = (
        f'<rect x="{left}" y="{top}" width="{3 * CELL}" height="{3 * CELL}" '
        'fill="#fff" fill-opacity="0.55"/>'
    )
    owner = position.owners[place]
    if owner == 0:
        return "" if is_open(position, place) else veil
    return veil + stone(SYMBOLS[owner], x, y, arm, 'stroke-opacity="0.8" stroke-width="9"')
