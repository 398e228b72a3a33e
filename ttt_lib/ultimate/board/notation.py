"""Positions as one line of text; those whose stones or last move are impossible are rejected.

The line holds 81 cells row by row, the side to move, and the forced sub-board or ``-``;
under ``keep-playing`` nine letters may follow, which say who won each sub-board first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from ttt_lib.ultimate.board.rules import (
    BOARD_OF,
    CELL_OF,
    FREE,
    MOVE_OF,
    MOVES,
    Position,
    check_rules,
    has_line,
    is_open,
    result,
    send,
)

SYMBOLS = {1: "x", -1: "o", 0: "."}
VALUES = {symbol: value for value, symbol in SYMBOLS.items()}


def write(position: Position) -> str:
    """The text of a position; under ``keep-playing`` with a fourth field if it is needed."""
    stones = "".join(SYMBOLS[value] for value in position.cells)
    forced = "-" if position.forced == FREE else str(position.forced)
    fields = [stones, SYMBOLS[position.side], forced]
    if position.rules == "keep-playing" and any(_both(position, board) for board in range(9)):
        fields.append("".join(_letter(position, board) for board in range(9)))
    return " ".join(fields)


def draw(position: Position) -> str:
    """A text diagram: empty cells show their move, but those of closed sub-boards a dot."""
    names = [
        f"{SYMBOLS[stone] if stone or not is_open(position, BOARD_OF[move]) else move:>3}"
        for move, stone in enumerate(position.cells)
    ]
    rows = [
        "  |".join("".join(names[9 * row + column : 9 * row + column + 3]) for column in (0, 3, 6))
        for row in range(9)
    ]
    line = "\n" + "+".join(["-" * 11, "-" * 11, "-" * 10]) + "\n"
    text = line.join("\n".join(rows[row : row + 3]) for row in (0, 3, 6))
    where = "anywhere" if position.forced == FREE else f"in sub-board {position.forced}"
    return f"{text}\n{SYMBOLS[position.side]} moves {where}"


def _both(position: Position, board: int) -> bool:
    cells = position.sub_board(board)
    return has_line(cells, 1) and has_line(cells, -1)


def _letter(position: Position, board: int) -> str:
    full = 0 not in position.sub_board(board)
    owner = position.owners[board]
    return "d" if full and not owner else SYMBOLS[owner]


def parse(text: str, rules: str = "standard") -> Position:
    """Read a position.

    It need not be one that a game can lead to: which sub-board each move but the last sent the
    next one to is not checked.  The forced sub-board of a finished game is read as none.

    Parameters
    ----------
    text : str
        As returned by :func:`write`; the fourth field may be left out where only one is possible.
    rules : str
        The rules it was played under.

    Raises
    ------
    ValueError
        If the text is malformed, or the numbers of stones, the owners, the forced sub-board or the
        last move show that no game under these rules can lead there.
    """
    stones, side, forced, letters = _fields(text, check_rules(rules))
    cells = tuple(VALUES[symbol] for symbol in stones)
    _check_counts(cells, side)
    wanted = FREE if forced == "-" else int(forced)
    bare = Position(cells, side, wanted, (0,) * 9, rules)
    position = _only_possible([replace(bare, owners=owners) for owners in _owners(bare, letters)])
    return position if result(position) is None else replace(position, forced=FREE)


def _only_possible(readings: list[Position]) -> Position:
    """The one position of several, with different owners, that a game can lead to."""
    possible, faults = list[Position](), list[ValueError]()
    for reading in readings:
        try:
            _check_owners(reading)
            _check_last_move(reading)
        except ValueError as fault:
            faults.append(fault)
        else:
            possible.append(reading)
    if not possible:
        raise faults[0]
    if len(possible) > 1:
        owners = zip(*(position.owners for position in possible), strict=True)
        board = [len(set(found)) > 1 for found in owners].index(True)
        raise ValueError(
            f"both players have a line in sub-board {board}: a fourth field must say who won it"
        )
    return possible[0]


def _fields(text: str, rules: str) -> tuple[str, int, str, str | None]:
    fields = text.split(" ")
    most = 4 if rules == "keep-playing" else 3
    if not 3 <= len(fields) <= most:
        raise ValueError(
            f"a position needs 3{' or 4' if most == 4 else ''} fields under {rules} (81 cells, "
            f"side x or o, forced sub-board 0-8 or -), one space apart, not {len(fields)}"
        )
    stones, side, forced = fields[:3]
    if len(stones) != MOVES:
        raise ValueError(f"a position needs 81 cells, not {len(stones)}")
    if wrong := sorted(set(stones) - set(VALUES)):
        raise ValueError(f"unknown cell {wrong[0]!r}: x, o or .")
    if side not in ("x", "o"):
        raise ValueError(f"unknown side to move {side!r}: x or o")
    if forced not in [*"012345678-"]:
        raise ValueError(f"unknown forced sub-board {forced!r}: 0 to 8, or - for a free move")
    return stones, VALUES[side], forced, fields[3] if len(fields) == 4 else None


def _check_counts(cells: tuple[int, ...], side: int) -> None:
    x, o = cells.count(1), cells.count(-1)
    if x - o != (1 if side == -1 else 0):
        expected = "as many x as o" if side == 1 else "one x more than o"
        raise ValueError(
            f"with {SYMBOLS[side]} to move there must be {expected}, not {x} x and {o} o"
        )


def _owners(position: Position, letters: str | None) -> Iterator[tuple[int, ...]]:
    """All that the owners may be by the stones and, if given, the letters."""
    if letters is not None and (len(letters) != 9 or set(letters) - set("xod.")):
        raise ValueError(f"the fourth field needs nine letters x, o, d or ., not {letters!r}")
    return product(*(_owner(position, board, letters and letters[board]) for board in range(9)))


def _owner(position: Position, board: int, letter: str | None) -> list[int]:
    """Who may have won a sub-board first, from its stones and, if given, its letter."""
    cells = position.sub_board(board)
    able = [side for side in (1, -1) if has_line(cells, side)]
    if len(able) == 2 and position.rules != "keep-playing":
        raise ValueError(f"both players have a line in sub-board {board}")
    possible = [SYMBOLS[side] for side in able] or ["." if 0 in cells else "d"]
    if letter is not None and letter not in possible:
        raise ValueError(
            f"the fourth field says {letter!r} of sub-board {board}, its stones say "
            f"{' or '.join(possible)}"
        )
    return [VALUES.get(each, 0) for each in ([letter] if letter else possible)]


def _check_owners(position: Position) -> None:
    if has_line(position.owners, 1) and has_line(position.owners, -1):
        raise ValueError("both players have a line of sub-boards")
    if has_line(position.owners, position.side):
        raise ValueError(
            f"{SYMBOLS[position.side]} is to move but has already won: the loser's turn never comes"
        )
    if position.rules == "keep-playing":
        return
    for board, owner in enumerate(position.owners):
        if owner and not any(_unwon(position, move) for move in MOVE_OF[board]):
            raise ValueError(
                f"sub-board {board} holds a stone played after it was won, "
                f"which {position.rules} rules don't allow"
            )


def _unwon(position: Position, move: int) -> bool:
    """Whether taking back the owner's stone at ``move`` reopens its sub-board."""
    board = BOARD_OF[move]
    owner = position.owners[board]
    return position.cells[move] == owner and not has_line(_without(position, move), owner)


def _without(position: Position, move: int) -> tuple[int, ...]:
    return tuple(0 if at == move else position.cells[at] for at in MOVE_OF[BOARD_OF[move]])


def _check_last_move(position: Position) -> None:
    """Check that some last move of the opponent explains the position and its forced sub-board."""
    forced = position.forced
    if not any(position.cells):
        if forced != FREE:
            raise ValueError("the first move is free: the forced sub-board must be -")
        return
    if forced != FREE and result(position) is None and not is_open(position, forced):
        raise ValueError(
            f"sub-board {forced} is closed under {position.rules} rules: no one plays there"
        )
    sent = {CELL_OF[move] for move in _last_moves(position)}
    if not sent:
        raise ValueError("no last move leads to this position: the game was over before")
    over = result(position) is not None
    allowed = sorted({board if over else send(position, board).forced for board in sent})
    if forced not in allowed and not (over and forced == FREE):
        names = ", ".join("-" if board == FREE else str(board) for board in allowed)
        raise ValueError(
            f"no last move of {SYMBOLS[-position.side]} forces {'-' if forced == FREE else forced}"
            f" under {position.rules} rules: {names} would be possible"
        )


def _last_moves(position: Position) -> Iterator[int]:
    """Moves of the opponent that may have been the last one."""
    for move, stone in enumerate(position.cells):
        before = _taken_back(position, move) if stone == -position.side else None
        if before is not None and result(before) is None:
            yield move


def _taken_back(position: Position, move: int) -> Position | None:
    """The position before a given last move; None if its sub-board was already out of play."""
    board, mover = BOARD_OF[move], -position.side
    cells = (*position.cells[:move], 0, *position.cells[move + 1 :])
    owner = position.owners[board]
    if owner == mover and not has_line(_without(position, move), mover):
        owner = 0
    owners = (*position.owners[:board], owner, *position.owners[board + 1 :])
    before = Position(cells, mover, FREE, owners, position.rules)
    return before if is_open(before, board) else None
