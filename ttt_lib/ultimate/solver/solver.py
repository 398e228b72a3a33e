"""Distance to win: endgames played perfectly; the names are those of document 5.

A position gets its result under best play, the number of plies until then, and
a best move; the winner wins as quickly and the loser loses as late as possible.
A search that runs out of nodes raises an exception; nothing is ever guessed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_lib.ultimate.board.game import pack, playable
from ttt_lib.ultimate.board.kernels import MOVE, RESULT, SIDE, State
from ttt_lib.ultimate.board.rules import RULES, Position, check_rules
from ttt_lib.ultimate.solver import negamax
from ttt_lib.ultimate.solver.negamax import WIN
from ttt_lib.ultimate.solver.table import EXACT, NO_MOVE, Table
from ttt_lib.ultimate.solver.table import unpack as unpack_entry

HOT_SIZE, COLD_SIZE = 1 << 14, 1 << 20
NODES = 200_000_000
"""Default node budget of one solution, a minute or so."""

MAX_NODES = 2**63 - 1
"""Number of nodes up to which the compiled search can count; no search takes so many."""

ORDERS = (negamax.BY_INDEX, negamax.BY_PLACE, negamax.BY_THREATS)
"""The move orders that the compiled search knows."""


class BudgetExceededError(ValueError):
    """The node budget ran out before the position was solved."""


class Solution(NamedTuple):
    """What best play leads to, for the side to move.

    Attributes
    ----------
    result : int
        1 a win, 0 a draw, -1 a loss.
    distance : int or None
        Plies to the end; 0 for a finished game, None for a running one that is drawn.
    best_move : int or None
        9 row + column; None once the game is over.
    """

    result: int
    distance: int | None
    best_move: int | None

    @property
    def cell(self) -> tuple[int, int] | None:
        """The best move as (row, column)."""
        return None if self.best_move is None else divmod(self.best_move, 9)


class DTWSolver:
    """A solver with its memory, for one set of rules.

    Parameters
    ----------
    rules : str
        The rules of the game.
    use_cache : bool
        Whether to remember positions.
    hot_size, cold_size : int
        Entries of the two tiers, see :class:`~ttt_lib.ultimate.solver.table.Table`.
    endgame_threshold, midgame_threshold : int
        Playable empty cells up to which a position counts as an endgame, or as a midgame.
    shallow_depth : int
        Plies within which a win is looked for in the midgame.
    symmetric : bool
        Whether the eight images of a position share one entry.
    nodes : int
        Node budget of each call.
    order : int
        Move order, see :mod:`~ttt_lib.ultimate.solver.negamax`.

    Attributes
    ----------
    searched : int
        Nodes of the last call.

    Raises
    ------
    ValueError
        If the rules or the order are unknown, or a size, threshold or budget is too small or not
        whole.
    """

    def __init__(
        self,
        rules: str = "standard",
        *,
        use_cache: bool = True,
        hot_size: int = HOT_SIZE,
        cold_size: int = COLD_SIZE,
        endgame_threshold: int = 15,
        midgame_threshold: int = 45,
        shallow_depth: int = 8,
        symmetric: bool = False,
        nodes: int = NODES,
        order: int = negamax.BY_THREATS,
    ) -> None:
        self.rules = check_rules(rules)
        _at_least(nodes=(nodes, 1), shallow_depth=(shallow_depth, 1))
        _at_least(endgame_threshold=(endgame_threshold, 0))
        _at_least(midgame_threshold=(midgame_threshold, endgame_threshold))
        if order not in ORDERS:
            raise ValueError(f"order must be one of {', '.join(map(str, ORDERS))}, not {order}")
        self.endgame_threshold, self.midgame_threshold = endgame_threshold, midgame_threshold
        self.shallow_depth, self.nodes, self.order = shallow_depth, nodes, order
        self.flags = negamax.SYMMETRIC * symmetric | negamax.NO_TABLE * (not use_cache)
        self.negamax = negamax.negamax
        self.table = Table(hot_size, cold_size)
        self.searched = 0
        self._image_keys = np.zeros((negamax.DEPTH, 8), dtype=np.uint64)
        self._buffer = np.zeros(negamax.BUFFER, dtype=np.int64)

    def is_endgame(self, position: Position | State) -> bool:
        """Whether few enough playable cells are left to search to the end."""
        return int(playable(self._state(position)[None])[0]) <= self.endgame_threshold

    def is_midgame(self, position: Position | State) -> bool:
        """Whether a position is in the midgame, where a shallow search looks for wins."""
        cells = int(playable(self._state(position)[None])[0])
        return self.endgame_threshold < cells <= self.midgame_threshold

    def calculate_dtw(self, position: Position | State, *, nodes: int | None = None) -> Solution:
        """Solve a position completely.

        The first search asks only who wins; the second, with a window on that
        side, how quickly.

        Raises
        ------
        BudgetExceededError
            If that takes more than ``nodes`` nodes.
        """
        state = self._state(position)
        if state[RESULT]:
            self.searched = 0
            return _finished(state)
        work = self._work(nodes)
        score = self._search(state, -1, 1, work)
        if score:
            window = (0, WIN) if score > 0 else (-WIN, 0)
            score = self._search(state, *window, work)
        return _solution(score, int(work[negamax.BEST]))

    def calculate_result(self, position: Position | State, *, nodes: int | None = None) -> int:
        """Who wins under best play, 1, 0 or -1, without the second search, for distances.

        Raises
        ------
        BudgetExceededError
            If that takes more than ``nodes`` nodes.
        """
        state = self._state(position)
        if state[RESULT]:
            self.searched = 0
            return _finished(state).result
        score = self._search(state, -1, 1, self._work(nodes))
        return (score > 0) - (score < 0)

    def get_best_winning_move(
        self, position: Position | State, *, nodes: int | None = None
    ) -> tuple[int, int] | None:
        """A quickest winning move and its distance in plies, or None if there is none.

        Outside the endgame only wins within ``shallow_depth`` plies are found.

        Raises
        ------
        BudgetExceededError
            If the node budget runs out.
        """
        state = self._state(position)
        if state[RESULT]:
            self.searched = 0
            return None
        if self.is_endgame(state):
            found = self.calculate_dtw(state, nodes=nodes)
            return (
                None if found.result < 1 else (int(found.best_move or 0), int(found.distance or 0))
            )
        work = self._work(nodes)
        # Only where sub-boards are counted can the opponent's own move be the one that loses.
        step = 1 if self.rules == "codingame" else 2
        for plies in range(1, self.shallow_depth + 1, step):
            if self._search(state, WIN - plies - 1, WIN - plies, work) >= WIN - plies:
                return int(MOVE[work[negamax.BEST]]), plies
        return None

    def lookup_cache(self, position: Position | State) -> Solution | None:
        """What the table knows exactly, without any search; None if it knows nothing.

        At most three entries are read, however full the table is.
        """
        state = self._state(position)
        if state[RESULT]:
            return _finished(state)
        word = negamax.remembered(
            state, self._image_keys, self.table.hot, self.table.cold, self.flags
        )
        score, bound, move = unpack_entry.py_func(np.uint64(word))  # type: ignore[no-untyped-call]
        if bound != EXACT or move == NO_MOVE:
            return None
        return _solution(int(score), int(move))

    def save(self, path: Path) -> None:
        """Write the table to a file."""
        self.table.save(path, self._header)

    def load(self, path: Path) -> None:
        """Read a table that a solver of the same rules and keys saved.

        Raises
        ------
        ValueError
            If the file is damaged or is for other rules or keys.
        """
        self.table = Table.load(path, self._header)

    @property
    def _header(self) -> dict[str, Any]:
        return {"rules": self.rules, "symmetric": bool(self.flags & negamax.SYMMETRIC)}

    def _state(self, position: Position | State) -> State:
        if isinstance(position, Position):
            if position.rules != self.rules:
                raise ValueError(f"this solver plays {self.rules}, not {position.rules}")
            return pack(position)
        return position.astype(position.dtype.newbyteorder("="), copy=False)

    def _work(self, nodes: int | None) -> NDArray[np.int64]:
        budget = self.nodes if nodes is None else nodes
        _at_least(nodes=(budget, 1))
        self._buffer[negamax.HISTORY :] = 0
        most = min(int(budget), MAX_NODES)
        return np.array([0, most, 0, 0, self.flags, self.order], dtype=np.int64)

    def _search(self, state: State, low: int, high: int, work: NDArray[np.int64]) -> int:
        key = np.uint64(negamax.root_keys(state, self._image_keys, self.flags))
        tiers, code = (self.table.hot, self.table.cold), RULES.index(self.rules)
        score = self.negamax(
            state.copy(), key, self._image_keys, low, high, 0, *tiers, self._buffer, work, code
        )
        self.searched = int(work[negamax.NODES])
        if work[negamax.ABORTED]:
            raise BudgetExceededError(
                f"not solved within {work[negamax.BUDGET]} nodes: allow more (--nodes)"
            )
        return int(score)


def _at_least(**limits: tuple[int, int]) -> None:
    for name, (value, least) in limits.items():
        if value % 1 != 0:  # nor is nan equal to it
            raise ValueError(f"{name} must be a whole number, not {value}")
        if value < least:
            raise ValueError(f"{name} must be at least {least}, not {value}")


def _finished(state: State) -> Solution:
    if state[RESULT] == 3:
        return Solution(0, 0, None)
    return Solution(1 if state[RESULT] == 1 + state[SIDE] else -1, 0, None)


def _solution(score: int, place: int) -> Solution:
    result = (score > 0) - (score < 0)
    return Solution(result, WIN - abs(score) if result else None, int(MOVE[place]))
