"""Ultimate Tic-Tac-Toe as agents and matches see it: batches of packed states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game.board import Mask
from ttt_lib.game.scene import Block, Scene
from ttt_lib.ultimate.board import kernels
from ttt_lib.ultimate.board.kernels import META, OPEN, RESULT, SIDE, States
from ttt_lib.ultimate.board.notation import draw, parse, write
from ttt_lib.ultimate.board.rules import (
    BOARD_OF,
    CELL_OF,
    LINES,
    MOVE_OF,
    MOVES,
    RULES,
    Position,
    check_rules,
    open_boards,
    result,
    start,
)


@dataclass(frozen=True)
class Ultimate:
    """The game, always for a batch of states, see :mod:`ttt_lib.ultimate.board.kernels`.

    Parameters
    ----------
    rules : str
        ``standard``, ``keep-playing`` or ``codingame``.

    Raises
    ------
    ValueError
        If there are no such rules.
    """

    rules: str = "standard"

    def __post_init__(self) -> None:
        check_rules(self.rules)

    @property
    def name(self) -> str:
        """The name on the command line; rules other than standard follow a colon."""
        return "ultimate" if self.rules == "standard" else f"ultimate:{self.rules}"

    @property
    def moves(self) -> int:
        """Number of different moves, 9 row + column."""
        return MOVES

    @property
    def code(self) -> int:
        """The rules as the kernels number them."""
        return RULES.index(self.rules)

    @classmethod
    def parse(cls, size: str) -> Ultimate:
        """Read ``ultimate`` or ``ultimate:RULES``.

        Raises
        ------
        ValueError
            If the text is neither.
        """
        name, _, rules = size.partition(":")
        if name != "ultimate":
            raise ValueError(f"unknown game {size!r}: ultimate, or ultimate:RULES")
        return cls(rules or "standard")

    def initial(self, batch: int = 1) -> States:
        """Empty boards, X to move, shape (batch, 24)."""
        return np.repeat(pack(start(self.rules))[None], batch, axis=0)

    def to_move(self, states: States) -> NDArray[np.int8]:
        """Side to move, +1 (X) or -1 (O), shape (B,)."""
        return 1 - 2 * states[:, SIDE].astype(np.int8)

    def winner(self, states: States) -> NDArray[np.int8]:
        """+1, -1 or 0 for nobody (yet), shape (B,)."""
        return np.array([0, 1, -1, 0], dtype=np.int8)[states[:, RESULT]]

    def finished(self, states: States) -> Mask:
        """Whether the game is over, shape (B,)."""
        return np.asarray(states[:, RESULT] != 0)

    def legal(self, states: States) -> Mask:
        """Legal moves, shape (B, 81); none where the game is over."""
        found = np.empty((len(states), MOVES), dtype=np.bool_)
        kernels.legal(states, found)
        return found

    def play(self, states: States, moves: NDArray[np.intp]) -> States:
        """States after one move each.

        Raises
        ------
        ValueError
            If a move is not legal.
        """
        moves = np.asarray(moves, dtype=np.int64)
        inside = (moves >= 0) & (moves < MOVES)
        wrong = ~inside | ~self.legal(states)[np.arange(len(states)), np.where(inside, moves, 0)]
        if wrong.any():
            first = int(np.flatnonzero(wrong)[0])
            free = " ".join(map(str, np.flatnonzero(self.legal(states[first : first + 1])[0])))
            raise ValueError(f"illegal move {moves[first]}: {free or 'none, the game is over'}")
        after = states.copy()
        kernels.play(after, moves, self.code)
        return after

    def parse_state(self, text: str) -> States:
        """Read one position, see :mod:`ttt_lib.ultimate.board.notation`; shape (1, 24)."""
        return pack(parse(text, self.rules))[None]

    def write_state(self, state: NDArray[np.uint16]) -> str:
        """Write one position, shape (24,), as text."""
        return write(self.unpack(state))

    def blocks(self) -> tuple[Block, ...]:
        """The sub-boards, row by row."""
        return tuple(Block(f"sub-board {board}", cells) for board, cells in enumerate(MOVE_OF))

    def scene(self, state: NDArray[np.uint16]) -> Scene:
        """Stones, owners, legal sub-boards and winning lines of one state, shape (24,)."""
        position = self.unpack(state)
        targets = {BOARD_OF[move] for move in np.flatnonzero(self.legal(state[None])[0])}
        full = [line for line in LINES if abs(sum(position.owners[board] for board in line)) == 3]
        cells = (cell for line in full for board in line for cell in MOVE_OF[board])
        return Scene(position.cells, position.owners, tuple(sorted(targets)), frozenset(cells))

    def picture(self, state: NDArray[np.uint16]) -> str:
        """One state, shape (24,), as text, empty cells showing their move."""
        return draw(self.unpack(state))

    def unpack(self, state: NDArray[np.uint16]) -> Position:
        """The readable form of one packed state, shape (24,)."""
        return unpack(state, self.rules)


def pack(position: Position) -> NDArray[np.uint16]:
    """The packed form of a position, uint16, shape (24,)."""
    state = np.zeros(kernels.WIDTH, dtype=np.uint16)
    for move, stone in enumerate(position.cells):
        if stone:
            state[BOARD_OF[move] + (0 if stone > 0 else 9)] |= 1 << CELL_OF[move]
    for board, owner in enumerate(position.owners):
        if owner:
            state[META + (0 if owner > 0 else 1)] |= 1 << board
    state[OPEN] = sum(1 << board for board in open_boards(position))
    state[kernels.FORCED], state[SIDE] = position.forced, 0 if position.side > 0 else 1
    state[RESULT] = {None: 0, 1: 1, -1: 2, 0: 3}[result(position)]
    return state


def unpack(state: NDArray[np.uint16], rules: str = "standard") -> Position:
    """The position that a packed state, shape (24,), stands for."""

    def bit(word: Any, place: int) -> int:
        return int(word) >> place & 1

    cells = tuple(
        bit(state[b], c) - bit(state[9 + b], c) for b, c in zip(BOARD_OF, CELL_OF, strict=True)
    )
    owners = tuple(bit(state[META], b) - bit(state[META + 1], b) for b in range(9))
    return Position(cells, 1 - 2 * int(state[SIDE]), int(state[kernels.FORCED]), owners, rules)


def playable(states: States) -> NDArray[np.int64]:
    """Empty cells of the sub-boards still in play, shape (B,)."""
    vacant = 511 & ~(states[:, :9] | states[:, 9:18])
    in_play = states[:, OPEN, None] >> np.arange(9) & 1
    return np.asarray((kernels.COUNT[vacant] * in_play).sum(axis=1), dtype=np.int64)


def empty(states: States) -> NDArray[np.int64]:
    """Empty cells of the whole grid, shape (B,), including those nobody can play any more."""
    return np.asarray(81 - np.bitwise_count(states[:, :18]).sum(axis=1, dtype=np.int64))


def perft(position: Position, depth: int) -> list[int]:
    """Number of move sequences of 0, 1, ..., ``depth`` moves.

    Raises
    ------
    ValueError
        If depth < 0.
    """
    if depth < 0:
        raise ValueError(f"a depth can't be negative: {depth}")
    return [leaves(position, plies) for plies in range(depth + 1)]


def leaves(position: Position, depth: int) -> int:
    """Number of move sequences of ``depth`` moves.

    Raises
    ------
    ValueError
        If depth < 0.
    """
    if depth < 0:
        raise ValueError(f"a depth can't be negative: {depth}")
    return int(kernels.perft(pack(position), depth, RULES.index(position.rules)))
