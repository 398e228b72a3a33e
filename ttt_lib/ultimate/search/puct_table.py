"""PUCT with a compiled table net inside the loop, in flat trees; it releases the GIL.

A node is evaluated when it is first reached and expanded when it is reached again: a node
that is not reached again needs no policy.  In these trees the ``width`` of a node is
prior / (1 + visits), its part of the bonus: one division when a node changes instead of
one whenever it is read.  Below the root, the children that were tried stand in front, then
the one to try next, so that selection can skip the rest.

Arguments of the kernels
------------------------
Those of :mod:`ttt_lib.ultimate.search.trees` and :mod:`ttt_lib.ultimate.network.tablenet_kernels`.
"""
# mypy: no-check-untyped-defs
# Kernels carry no types: numba infers them.

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ttt_lib.game.board import Floats
from ttt_lib.game.jit import INLINE, LEAF, advance
from ttt_lib.game.policy import Agent, from_moves
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.board.kernels import (
    COUNT,
    NTH,
    RESULT,
    SIDE,
    States,
    do,
    put,
    targets,
    vacant,
    winnable,
)
from ttt_lib.ultimate.network.evaluator import Evaluator
from ttt_lib.ultimate.network.tablenet import Tables
from ttt_lib.ultimate.network.tablenet_kernels import (
    cell_logits,
    evaluate,
    liking,
    look,
    meta_logits,
    scratch,
    value_of,
)
from ttt_lib.ultimate.search import trees
from ttt_lib.ultimate.search.tree_search import (
    C_PUCT,
    FPU,
    Choice,
    TreeSearch,
    check_player,
    most_secure,
)
from ttt_lib.ultimate.search.trees import MOST, PATH, one_of, prove, result_for, spot_wins

_U = np.uint64
_UNIT = 1.0 / (1 << 53)


@njit(**INLINE)
def bring_forward(tree, begin, end):  # type: ignore[no-untyped-def]
    """Put the child with the highest prior (ties: the lowest place) in front of other untried ones.

    Parameters
    ----------
    begin, end : uint64
        Range of the untried children; may be empty.
    """
    best = begin
    for child in range(begin + _U(1), end):
        lead = tree.prior[child] - tree.prior[best]
        if lead > 0 or (lead == 0 and tree.place[child] < tree.place[best]):
            best = child
    if best < end:
        tree.place[begin], tree.place[best] = tree.place[best], tree.place[begin]
        tree.prior[begin], tree.prior[best] = tree.prior[best], tree.prior[begin]
        tree.width[begin], tree.width[best] = tree.width[best], tree.width[begin]


@njit(**INLINE)
def table_child(tree, begin, end, scale, arranged):  # type: ignore[no-untyped-def]
    """The child, uint64, with the largest mean + scale * width (ties: the lowest place).

    Where children are so arranged, it looks no further than the first untried one: the others have
    the same mean, and no higher prior.  (So with a scale too small to count, the highest prior
    comes first among them.)  No untried child is out of the running (mean -inf): only a
    sibling's proven win could do that, and then the node itself is proven.

    Parameters
    ----------
    begin, end : uint64
        Range of the children.
    scale : float64
        Factor of the width.
    arranged : bool
        Whether tried ones come first, and then the one that :func:`bring_forward` has put in
        front of the rest, as below the root.
    """
    chosen, best = begin, -np.inf
    for child in range(begin, end):
        bound = tree.mean[child] + scale * tree.width[child]
        if bound > best or (bound == best and tree.place[child] < tree.place[chosen]):
            chosen, best = child, bound
        if arranged and tree.visits[child] == 0:
            break
    return chosen


@njit(**INLINE)
def expand(tree, node, s, tables, scratch, fpu):  # type: ignore[no-untyped-def]
    """Expand an evaluated node; a move is valued ``fpu`` below its parent until it is tried."""
    boards, begin, top = targets(s), _U(tree.used[0]), np.float32(-1e30)
    meta, child, guess = look(tables, s, scratch), begin, -tree.mean[node] - fpu
    meta_logits(tables, meta, scratch)
    while boards:
        board = np.int64(NTH[boards, 0])
        boards &= boards - 1
        cell_logits(tables, board, meta, scratch)
        cells = vacant(s, board)
        for k in range(np.int64(COUNT[cells])):
            cell = np.int64(NTH[cells, k])
            tree.place[child], tree.prior[child] = 9 * board + cell, scratch.wish[cell]
            top = max(top, scratch.wish[cell])
            tree.first[child], tree.visits[child], tree.mean[child] = -1, 0, guess
            tree.low[child], tree.high[child] = -1, 1
            child += _U(1)
    total = 0.0
    for at in range(begin, child):
        tree.width[at] = liking(top - tree.prior[at])
        total += tree.width[at]
    for at in range(begin, child):
        tree.width[at] /= total
        tree.prior[at] = tree.width[at]
    tree.first[node], tree.size[node], tree.used[0] = begin, child - begin, child
    if node > _U(0):  # the root's noise is drawn child by child, in the order of the moves
        bring_forward(tree, begin, child)


@njit(**INLINE)
def back_up(tree, path, depth, value):  # type: ignore[no-untyped-def]
    """Add a result along the path; ``value`` is for the player who moved into its last node."""
    for at in range(depth, -1, -1):
        node = _U(path[_U(at)])
        visits = tree.visits[node] + 1
        tree.visits[node] = visits
        tree.mean[node] += (value - tree.mean[node]) / visits
        tree.width[node] = tree.prior[node] / (1 + visits)
        value = -value


@njit(**INLINE)
def descend(tree, s, path, tables, scratch, c, fpu, rules, solve):  # type: ignore[no-untyped-def]
    """Descend from the root, making moves in ``s``, to a node to evaluate; returns its depth."""
    node, depth = _U(0), 0
    while s[RESULT] == 0 and tree.low[node] < tree.high[node]:
        if tree.first[node] < 0:
            if tree.visits[node] == 0:
                break
            expand(tree, node, s, tables, scratch, fpu)
            if solve and depth == 0 and spot_wins(tree, node, s):
                prove(tree, path, 1)
                break
        begin, scale = _U(tree.first[node]), c * np.sqrt(tree.visits[node])
        end = begin + _U(tree.size[node])
        node = table_child(tree, begin, end, scale, depth > 0)
        if depth > 0 and tree.visits[node] == 0:
            bring_forward(tree, node + _U(1), end)
        depth += 1
        path[depth] = node
        move = np.int64(tree.place[node])
        do(s, move // 9, move % 9, rules)
    return depth


@njit(**INLINE)
def valued(tree, s, path, depth, tables, scratch, solve):  # type: ignore[no-untyped-def]
    """Value of the path's last node, float64, for the player who moved there; a result if known."""
    node = _U(path[depth])
    if tree.low[node] == tree.high[node]:
        return np.float64(tree.low[node])
    if s[RESULT] != 0 or (solve and depth > 0 and winnable(s, np.int64(s[SIDE])) & targets(s)):
        known = result_for(s, 1 - np.int64(s[SIDE])) if s[RESULT] != 0 else -1
        if solve:
            tree.low[node] = tree.high[node] = known
        return np.float64(known)
    return -value_of(tables, s, scratch)


@njit(**LEAF)
def simulate(tree, root, s, path, tables, scratch, simulations, c, fpu, rules, solve):  # type: ignore[no-untyped-def]
    """The loop of :func:`search`, given its working memory."""
    for done in range(simulations):
        if tree.used[0] + MOST > len(tree.first) or tree.low[0] == tree.high[0]:
            return done
        put(s, root)
        depth = descend(tree, s, path, tables, scratch, c, fpu, rules, solve)
        value = valued(tree, s, path, depth, tables, scratch, solve)
        back_up(tree, path, depth, value)
        if depth > 0 and tree.low[path[depth]] == tree.high[path[depth]]:
            prove(tree, path, depth)  # last: back_up can't average over its -inf
    return simulations


@njit(cache=True, nogil=True)
def search(forest, row, root, tables, simulations, c, fpu, rules, solve):  # type: ignore[no-untyped-def]
    """Run simulations; returns their number, fewer if the root is proven or room runs out."""
    path, tree, s = np.zeros(PATH, np.int64), one_of(forest, row), root.copy()
    room = scratch(tables)
    return simulate(tree, root, s, path, tables, room, simulations, c, fpu, rules, solve)


@njit(cache=True)
def uniform(bits):  # type: ignore[no-untyped-def]
    """A number in (0, 1), float64, from the generator's state."""
    top = (bits * np.uint64(0x2545F4914F6CDD1D)) >> np.uint64(11)
    return (np.float64(top) + 0.5) * _UNIT


@njit(cache=True, nogil=True)
def add_noise(forest, row, share, bits):  # type: ignore[no-untyped-def]
    """Blend a uniformly random distribution, Dirichlet(1), into the priors of an expanded root.

    Returns the generator's state, uint64.

    Parameters
    ----------
    share : float64
        Share of the noise in the mixture.
    """
    begin = np.int64(forest.first[row, 0])
    size, total = np.int64(forest.size[row, 0]), 0.0
    noise = np.empty(size, np.float64)
    for i in range(size):
        bits = advance(bits)
        noise[i] = -np.log(uniform(bits))
        total += noise[i]
    for i in range(size):
        child = begin + i
        mixed = (1 - share) * forest.prior[row, child] + share * noise[i] / total
        forest.prior[row, child] = mixed
        forest.width[row, child] = mixed / (1 + forest.visits[row, child])
    return bits


def check_rules(game: Ultimate) -> Ultimate:
    """Return the game.

    Raises
    ------
    ValueError
        Under ``keep-playing``, where decided sub-boards stay in play.
    """
    if game.rules == "keep-playing":
        raise ValueError("a table net knows standard and codingame rules, not keep-playing")
    return game


def evaluator(tables: Tables) -> Evaluator:
    """The table net as an :data:`~ttt_lib.ultimate.network.evaluator.Evaluator`."""

    def batch(states: States) -> tuple[Floats, Floats]:
        logits, values = np.empty((len(states), 81)), np.empty(len(states))
        evaluate(states, tables, logits, values)
        return np.exp(logits - logits.max(axis=1, keepdims=True)), values

    return batch


class TableSearch(TreeSearch):
    """PUCT from one state with a compiled table net; the tree can be kept.

    Parameters
    ----------
    game : Ultimate
        Under standard or codingame rules.
    state : ndarray of uint16, shape (24,)
        A running game.
    c, fpu : float
        Exploration constant; how much worse than its parent an untried move is assumed to be.
    solve : bool
        Whether wins in one are looked for and proven results are backed up.

    Raises
    ------
    ValueError
        If the game is over, or a table net doesn't know its rules.
    """

    def __init__(
        self,
        game: Ultimate,
        state: NDArray[np.uint16],
        tables: Tables,
        *,
        c: float = C_PUCT,
        fpu: float = FPU,
        solve: bool = True,
    ) -> None:
        super().__init__(check_rules(game), state, c, 8 * MOST)
        self.tables, self.fpu, self.solve = tables, fpu, solve

    def _grow(self, simulations: int) -> int:
        self._make_room()
        done = search(
            self._forest, 0, self.state, self.tables, simulations, self.c, self.fpu,
            self.game.code, self.solve,
        )  # fmt: skip
        return int(done)

    def _make_room(self) -> None:
        if int(self._forest.used[0]) + 8 * MOST > self._forest.capacity:
            self._forest = trees.enlarge(self._forest, 3 * self._forest.capacity)


def table_agent(
    tables: Tables,
    simulations: int,
    game: Ultimate | None = None,
    *,
    c: float = C_PUCT,
    fpu: float = FPU,
    solve: bool = True,
    choice: Choice = most_secure,
) -> Agent:
    """Play the move that looks best after PUCT with a table net; ``solve`` backs up proofs.

    Raises
    ------
    ValueError
        If simulations < 2 (the first only evaluates the root), c is not a finite number >= 0, or
        a table net doesn't know the rules.
    """
    check_player(simulations, c)
    game = check_rules(game or Ultimate())

    def moves(states: States, rng: np.random.Generator) -> NDArray[np.intp]:
        searches = (TableSearch(game, state, tables, c=c, fpu=fpu, solve=solve) for state in states)
        return choice([search.run(simulations) for search in searches])

    return from_moves(f"table net, {simulations} simulations", game, moves, deterministic=True)
