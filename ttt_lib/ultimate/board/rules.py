"""The rules of Ultimate Tic-Tac-Toe in plain Python, for reading and for checking the kernels.

Nine sub-boards of 3 x 3 cells form a 3 x 3 meta-board.  The cell of a move
within its sub-board determines the sub-board in which the opponent must reply.
The first player to complete a line in a sub-board owns it; a line of owned
sub-boards wins the game.  Three variants of the finer points have names:

standard
    Nobody plays in a decided or full sub-board; a player who is sent to one moves
    freely, in any other.  If there is no line at the end, the game is drawn.
keep-playing
    A won sub-board stays in play until it is full, and its first owner keeps it.
    A player who is sent to a full one moves freely, in any that is not full.
codingame
    Moves as in ``standard``; if there is no line at the end, the player with more
    sub-boards wins.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

RULES = ("standard", "keep-playing", "codingame")

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
"""The lines of three, both in a sub-board and on the meta-board."""

MOVES = 81
FREE = 9
"""Value of the forced sub-board if there is none, which makes the move free."""

MOVE_OF = tuple(
    tuple(9 * (3 * (b // 3) + c // 3) + 3 * (b % 3) + c % 3 for c in range(9)) for b in range(9)
)
"""The move 9 row + column of cell ``c`` in sub-board ``b``: ``MOVE_OF[b][c]``."""

BOARD_OF = tuple(3 * (move // 27) + move % 9 // 3 for move in range(MOVES))
"""The sub-board of each move."""

CELL_OF = tuple(3 * (move // 9 % 3) + move % 3 for move in range(MOVES))
"""The place of each move within its sub-board."""


@dataclass(frozen=True)
class Position:
    """A state of the game.

    Attributes
    ----------
    cells : tuple of 81 int
        The 9 x 9 grid row by row, X = +1, O = -1, empty = 0.
    side : int
        Side to move, +1 or -1; in a finished game the side whose turn it would be.
    forced : int
        The forced sub-board 0 to 8, or ``FREE``.
    owners : tuple of 9 int
        Who won each sub-board first, +1, -1, or 0 for nobody.
    rules : str
        One of ``RULES``.
    """

    cells: tuple[int, ...]
    side: int
    forced: int
    owners: tuple[int, ...]
    rules: str = "standard"

    def sub_board(self, board: int) -> tuple[int, ...]:
        """The nine cells of one sub-board."""
        return tuple(self.cells[move] for move in MOVE_OF[board])


def check_rules(rules: str) -> str:
    """Return the name of the rules.

    Raises
    ------
    ValueError
        If there are no such rules.
    """
    if rules not in RULES:
        raise ValueError(f"unknown rules {rules!r}: {', '.join(RULES)}")
    return rules


def start(rules: str = "standard") -> Position:
    """The empty board; X moves first, anywhere."""
    return Position((0,) * MOVES, 1, FREE, (0,) * 9, check_rules(rules))


def has_line(cells: tuple[int, ...], side: int) -> bool:
    """Whether ``side`` holds a line among nine cells (or nine owners)."""
    return any(cells[a] == cells[b] == cells[c] == side for a, b, c in LINES)


def is_open(position: Position, board: int) -> bool:
    """Whether a sub-board is still in play under the rules, unless the game is over."""
    decided = position.owners[board] != 0 and position.rules != "keep-playing"
    return not decided and 0 in position.sub_board(board)


def open_boards(position: Position) -> tuple[int, ...]:
    """The sub-boards still in play."""
    return tuple(board for board in range(9) if is_open(position, board))


def result(position: Position) -> int | None:
    """+1, -1 or 0 (a draw) once the game is over, else None."""
    for side in (1, -1):
        if has_line(position.owners, side):
            return side
    if open_boards(position):
        return None
    lead = sum(position.owners) if position.rules == "codingame" else 0
    return (lead > 0) - (lead < 0)


def legal_moves(position: Position) -> list[int]:
    """Legal moves 9 row + column in ascending order; none once the game is over."""
    if result(position) is not None:
        return []
    boards = open_boards(position) if position.forced == FREE else (position.forced,)
    moves = (MOVE_OF[board][cell] for board, cell in product(boards, range(9)))
    return sorted(move for move in moves if position.cells[move] == 0)


def play(position: Position, move: int) -> Position:
    """The position after a move.

    Raises
    ------
    ValueError
        If the move is not legal.
    """
    legal = legal_moves(position)
    if move not in legal:
        allowed = " ".join(map(str, legal)) or "none, the game is over"
        raise ValueError(f"illegal move {move}: {allowed}")
    board, side = BOARD_OF[move], position.side
    cells = (*position.cells[:move], side, *position.cells[move + 1 :])
    owners = position.owners
    after = Position(cells, -side, FREE, owners, position.rules)
    if owners[board] == 0 and has_line(after.sub_board(board), side):
        owners = (*owners[:board], side, *owners[board + 1 :])
        after = Position(cells, -side, FREE, owners, position.rules)
    return send(after, CELL_OF[move])


def send(position: Position, board: int) -> Position:
    """Force the side to move into a sub-board if it is in play; else the move is free."""
    if result(position) is not None or not is_open(position, board):
        board = FREE
    return Position(position.cells, position.side, board, position.owners, position.rules)


def playable(position: Position) -> int:
    """Empty cells of the sub-boards still in play: an upper bound on the plies left."""
    return sum(position.sub_board(board).count(0) for board in open_boards(position))
