"""PUCT with a compiled table net inside the loop, in flat trees; it releases the GIL.

A node is valued when it is first reached and expanded when it is reached again:
most nodes never are, and so most never pay for a policy.  In these trees the
``width`` of a node is prior / (1 + visits), its part of the bonus: one division
when a node changes instead of one whenever it is looked at.
"""
# mypy: no-check-untyped-defs
# Kernels carry no types: numba infers them.

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ttt_lib.ultimate import kernels, trees
from ttt_lib.ultimate.game import Ultimate
from ttt_lib.ultimate.kernels import (
    COUNT,
    FORCED,
    FREE,
    META,
    MOVE,
    NTH,
    OPEN,
    RESULT,
    SIDE,
    States,
    do,
    step,
    targets,
    vacant,
    winnable,
)
from ttt_lib.ultimate.search import Evaluator, Floats, RootView, _follow, check_search, view
from ttt_lib.ultimate.tablenet import CASES, DRAWN, LOST, TERNARY, WON, Tables
from ttt_lib.ultimate.trees import MOST, PATH, Forest, prove, result_for, spot_wins, uct_child

_UNIT = 1.0 / (1 << 53)


@njit(cache=True)
def read(s, case):  # type: ignore[no-untyped-def]
    """Write what the side to move sees in each sub-board; returns the same of the meta-board."""
    side = np.int64(s[SIDE])
    mine, yours, playing = np.int64(s[META + side]), np.int64(s[META + 1 - side]), np.int64(s[OPEN])
    for board in range(9):
        if playing >> board & 1:
            own, other = s[9 * side + board], s[9 - 9 * side + board]
            case[board] = np.int64(TERNARY[own]) + 2 * np.int64(TERNARY[other])
        else:
            case[board] = WON if mine >> board & 1 else (LOST if yours >> board & 1 else DRAWN)
    return np.int64(TERNARY[mine]) + 2 * np.int64(TERNARY[yours])


@njit(cache=True, fastmath=True)
def value_of(tables, s, case, total):  # type: ignore[no-untyped-def]
    """Value for the side to move; ``total``, shape (R,), is scratch."""
    meta, board = read(s, case), np.int64(s[FORCED])
    top = 9 * CASES if board == FREE else board * CASES + np.int64(case[board])
    a, b, c = np.int64(case[0]), CASES + np.int64(case[1]), 2 * CASES + np.int64(case[2])
    d, e, f = (
        3 * CASES + np.int64(case[3]),
        4 * CASES + np.int64(case[4]),
        5 * CASES + np.int64(case[5]),
    )
    g, h, i = (
        6 * CASES + np.int64(case[6]),
        7 * CASES + np.int64(case[7]),
        8 * CASES + np.int64(case[8]),
    )
    rows = tables.rows
    # One pass over nine rows at once: half the time of nine passes.
    for r in range(len(total)):
        nine = rows[a, r] + rows[b, r] + rows[c, r] + rows[d, r] + rows[e, r]
        nine += rows[f, r] + rows[g, r] + rows[h, r] + rows[i, r]
        total[r] = max(nine + tables.forced[top, r] + tables.meta[meta, r], np.float32(0))
    width = len(tables.bias)
    value = tables.last[width]
    for unit in range(width):
        inner = tables.bias[unit]
        for r in range(len(total)):
            inner += tables.weights[unit, r] * total[r]
        value += tables.last[unit] * max(inner, np.float32(0))
    return np.tanh(np.float64(value))


@njit(cache=True, fastmath=True)
def wishes(tables, board, meta, case, send, wish):  # type: ignore[no-untyped-def]
    """Logits of the nine cells of a sub-board, to ``wish``, given the wishes to ``send``."""
    channels, here = tables.sends.shape[1], np.int64(case[board])
    for cell in range(9):
        wish[cell] = tables.place[board, cell] + send[cell]
    for k in range(channels):
        care = tables.care_here[meta, channels * board + k]
        for cell in range(9):
            wish[cell] += care * tables.cells[here, 9 * k + cell]


@njit(cache=True, fastmath=True)
def sendings(tables, meta, case, send):  # type: ignore[no-untyped-def]
    """Logits of sending the opponent to each sub-board."""
    channels = tables.sends.shape[1]
    for cell in range(9):
        total = np.float32(0)
        for k in range(channels):
            care = tables.care_there[meta, channels * cell + k]
            total += care * tables.sends[np.int64(case[cell]), k]
        send[cell] = total


@njit(cache=True, fastmath=True)
def open_up(tree, node, s, tables, case, send, wish, fpu):  # type: ignore[no-untyped-def]
    """Expand a valued node; an untried move counts a little less than its parent until tried."""
    meta, boards, begin, top = read(s, case), targets(s), tree.used[0], np.float32(-1e30)
    child, guess = begin, -tree.mean[node] - fpu
    sendings(tables, meta, case, send)
    while boards:
        board = np.int64(NTH[boards, 0])
        boards &= boards - 1
        wishes(tables, board, meta, case, send, wish)
        cells = vacant(s, board)
        for k in range(np.int64(COUNT[cells])):
            cell = np.int64(NTH[cells, k])
            tree.place[child], tree.prior[child] = 9 * board + cell, wish[cell]
            top = max(top, wish[cell])
            tree.first[child], tree.visits[child], tree.mean[child] = -1, 0, guess
            tree.low[child], tree.high[child] = -1, 1
            child += 1
    total = np.float32(0)
    for at in range(begin, child):
        tree.prior[at] = np.exp(tree.prior[at] - top)
        total += tree.prior[at]
    for at in range(begin, child):
        tree.prior[at] /= total
        tree.width[at] = tree.prior[at]
    tree.first[node], tree.size[node], tree.used[0] = begin, child - begin, child


@njit(cache=True)
def back_up(tree, path, depth, value):  # type: ignore[no-untyped-def]
    """Add a result along the path; ``value`` is seen by the player who moved into its end."""
    for at in range(depth, -1, -1):
        node = path[at]
        visits = tree.visits[node] + 1
        tree.visits[node] = visits
        tree.mean[node] += (value - tree.mean[node]) / visits
        tree.width[node] = tree.prior[node] / (1 + visits)
        value = -value


@njit(cache=True)
def one_of(forest, row):  # type: ignore[no-untyped-def]
    """One tree as a forest of flat arrays, quicker to index."""
    return Forest(
        forest.first[row], forest.size[row], forest.place[row], forest.visits[row],
        forest.mean[row], forest.width[row], forest.prior[row], forest.low[row], forest.high[row],
        forest.used[row : row + 1],
    )  # fmt: skip


@njit(cache=True, nogil=True)
def search(forest, row, root, tables, simulations, c, fpu, rules, solve=True):  # type: ignore[no-untyped-def] # noqa: C901
    """Make simulations; returns their number, less if the root is proven or room runs out."""
    path, case, s = np.zeros(PATH, np.int64), np.zeros(9, np.uint16), root.copy()
    total, send = np.zeros(tables.meta.shape[1], np.float32), np.zeros(9, np.float32)
    wish, tree = np.zeros(9, np.float32), one_of(forest, row)
    for done in range(simulations):
        if tree.used[0] + MOST > len(tree.first) or tree.low[0] == tree.high[0]:
            return done
        s[:] = root
        node, depth = 0, 0
        while s[RESULT] == 0 and tree.low[node] < tree.high[node]:
            if tree.first[node] < 0:
                if tree.visits[node] == 0:
                    break
                open_up(tree, node, s, tables, case, send, wish, fpu)
                if solve and depth == 0 and spot_wins(forest, row, node, s):
                    prove(forest, row, path, 1)
                    break
            begin, scale = np.int64(tree.first[node]), c * np.sqrt(tree.visits[node])
            end = begin + np.int64(tree.size[node])
            node = uct_child(tree.mean, tree.width, begin, end, scale)
            depth += 1
            path[depth] = node
            move = np.int64(tree.place[node])
            do(s, move // 9, move % 9, rules)
        if tree.low[node] == tree.high[node]:
            value = np.float64(tree.low[node])
        elif s[RESULT] != 0 or (
            solve and depth > 0 and winnable(s, np.int64(s[SIDE])) & targets(s)
        ):
            known = result_for(s, 1 - np.int64(s[SIDE])) if s[RESULT] != 0 else -1
            if solve:
                tree.low[node] = tree.high[node] = known
                prove(forest, row, path, depth)
            value = np.float64(known)
        else:
            value = -value_of(tables, s, case, total)
        back_up(tree, path, depth, value)
    return simulations


@njit(cache=True)
def uniform(bits):  # type: ignore[no-untyped-def]
    """A number in (0, 1) from the generator's state."""
    top = (bits * np.uint64(0x2545F4914F6CDD1D)) >> np.uint64(11)
    return (np.float64(top) + 0.5) * _UNIT


@njit(cache=True, nogil=True)
def stir(forest, row, share, bits):  # type: ignore[no-untyped-def]
    """Blend a uniformly random distribution, Dirichlet(1), into the priors of an expanded root."""
    begin = np.int64(forest.first[row, 0])
    size, total = np.int64(forest.size[row, 0]), 0.0
    noise = np.empty(size, np.float64)
    for i in range(size):
        bits = step(bits)
        noise[i] = -np.log(uniform(bits))
        total += noise[i]
    for i in range(size):
        child = begin + i
        mixed = (1 - share) * forest.prior[row, child] + share * noise[i] / total
        forest.prior[row, child] = mixed
        forest.width[row, child] = mixed / (1 + forest.visits[row, child])
    return bits


@njit(cache=True, nogil=True)
def evaluate(states, tables, logits, values):  # type: ignore[no-untyped-def]
    """Values, (B,), and logits of all moves, (B, 81), for running states."""
    case, total = np.zeros(9, np.uint16), np.zeros(tables.meta.shape[1], np.float32)
    send, wish = np.zeros(9, np.float32), np.zeros(9, np.float32)
    for i in range(len(states)):
        values[i] = value_of(tables, states[i], case, total)
        meta = read(states[i], case)
        sendings(tables, meta, case, send)
        for board in range(9):
            wishes(tables, board, meta, case, send, wish)
            for cell in range(9):
                logits[i, MOVE[9 * board + cell]] = wish[cell]


def check_rules(game: Ultimate) -> Ultimate:
    """Return the game.

    Raises
    ------
    ValueError
        Under ``keep-playing``, where a decided sub-board is still played in.
    """
    if game.rules == "keep-playing":
        raise ValueError("a table net knows standard and codingame rules, not keep-playing")
    return game


def evaluator(tables: Tables) -> Evaluator:
    """The table net behind the common interface, see :data:`~ttt_lib.ultimate.search.Evaluator`."""

    def batch(states: States) -> tuple[Floats, Floats]:
        logits, values = np.empty((len(states), 81)), np.empty(len(states))
        evaluate(states, tables, logits, values)
        return np.exp(logits - logits.max(axis=1, keepdims=True)), values

    return batch


class TableSearch:
    """PUCT from one state with a compiled table net; the tree can be kept.

    Parameters
    ----------
    game : Ultimate
        Under standard or codingame rules.
    state : ndarray of uint16, shape (24,)
        A running game.
    tables : Tables
    c, fpu : float
        Exploration constant; what an untried move loses against its parent.
    noise : float
        Share of noise at the root, 0 for none.
    solve : bool
        Whether wins in one are looked for and proven results are backed up.
    rng : Generator or int
        Where the noise comes from.

    Raises
    ------
    ValueError
        If the game is over, or its rules are not for a table net.
    """

    def __init__(
        self,
        game: Ultimate,
        state: NDArray[np.uint16],
        tables: Tables,
        *,
        c: float = 1.5,
        fpu: float = 0.2,
        noise: float = 0.0,
        solve: bool = True,
        rng: np.random.Generator | int = 0,
    ) -> None:
        self.game, self.tables = check_rules(game), tables
        self.c, self.fpu, self.noise, self.solve = c, fpu, noise, solve
        self._bits, self._stirred = kernels.seed(rng), False
        self._forest = trees.plant(1, 8 * MOST)
        self.restart(state)

    def restart(self, state: NDArray[np.uint16]) -> None:
        """Forget the tree and begin anew at another state."""
        if state[RESULT]:
            raise ValueError("a finished game has no move to search for")
        self.state, self._stirred = state, False
        trees.clear(self._forest, 0)

    def run(self, simulations: int) -> RootView:
        """Make more simulations (fewer if the result is proven), and read the root.

        Raises
        ------
        ValueError
            If simulations < 1.
        """
        check_search(simulations, self.c)
        left = simulations
        while left > 0 and self._forest.low[0, 0] < self._forest.high[0, 0]:
            self._make_room()
            # The root's priors exist from the second simulation on; noise goes in before the third.
            stir_now = self.noise > 0 and not self._stirred
            done = self._search(min(left, 2) if stir_now else left)
            if stir_now and self._forest.first[0, 0] >= 0:
                bits = stir(self._forest, 0, self.noise, np.uint64(self._bits))
                self._bits, self._stirred = int(bits), True
            left -= done
        return view(self._forest, 0)

    def _search(self, simulations: int) -> int:
        return int(
            search(
                self._forest, 0, self.state, self.tables, simulations, self.c, self.fpu,
                self.game.code, self.solve,
            )
        )  # fmt: skip

    def advance(self, move: int) -> None:
        """Make a move and keep what the tree knows about the position after it."""
        after = self.game.play(self.state[None], np.array([move]))[0]
        forest: Forest = _follow(self._forest, 0, move)
        self.restart(after)
        self._forest = forest

    @property
    def simulations(self) -> int:
        """Simulations the tree remembers."""
        return int(self._forest.visits[0, 0])

    def _make_room(self) -> None:
        if int(self._forest.used[0]) + 8 * MOST > self._forest.capacity:
            self._forest = trees.enlarge(self._forest, 3 * self._forest.capacity)
