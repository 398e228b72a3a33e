"""The worst that can happen to a fixed player on any n^d board, by exhaustive play.

Against a fixed player, the opponent's moves are not the only freedom: where the player has ties,
each tied move is played in some game.  So the question is reachability, not minimax: can a lost
position be reached?  :func:`worst` tries all moves of the opponent and all tied moves of the
player, layer by layer, each position once; the first layer in which a game is lost yields a
shortest loss.  If no game can be lost, it repeats the search for a draw.

Two searches give the same answers.  :func:`reach` is the readable one; it asks the player for its
weights and so accepts any player that states them.  For a player that counts stones on lines
(``Agent.counted``), :mod:`ttt_lib.game.worst_counted` is compiled and visits far fewer states
(where its integers tie moves that the player tells apart, the readable one decides):

- on square boards up to 7 x 7, positions are equivalent if their live lines hold the same stones
  and cross alike in empty cells (:mod:`ttt_lib.game.worst_lines_kernels`);
- on others, they are equivalent if a permutation of the cells that preserves lines maps one to
  the other (rotations, reflections, and permutations of the planes, the same on every axis, that
  keep mirror planes mirrored), and cells on no open line are interchangeable;
- a position is abandoned as soon as the opponent can no longer complete a line.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game.board import Boards, Floats, Grid, Mask, grid_of
from ttt_lib.game.budget import CHUNK, Meter, check_room
from ttt_lib.game.exact import Worst, check_side
from ttt_lib.game.gametree import MAX_FULL_CELLS
from ttt_lib.game.policy import Agent

NODES = 20_000_000
"""Positions visited before a search gives up, by default."""

BEAM = 2000
"""Positions per layer that the beam search before the complete one keeps."""

TOGETHER = 1 << 28
"""Cells on lines that :func:`reach` looks at together; each takes a few bytes of memory."""


def worst(agent: Agent, side: int, *, nodes: int = NODES, progress: bool = False) -> Worst:
    """The worst result some opponent reaches with positive probability, by exhaustive play.

    Parameters
    ----------
    agent : Agent
        A player on an n^d board that states its weights.
    side : int
        +1 if it plays X, -1 if O.
    nodes : int
        Maximum number of positions visited.  On boards of more than a thousand cells the first may
        take a minute each: nearly all moves are tied there, and all are tried.
    progress : bool
        Whether to show a bar on stderr.

    Returns
    -------
    Worst
        The result from the agent's side, and both players' moves of a shortest such game.

    Raises
    ------
    ValueError
        If the side, the budget or the agent is invalid, the budget is exhausted
        (:class:`OutOfNodesError`), or the positions of a ply take too much memory.
    """
    _check(agent, side, nodes)
    meter = Meter(nodes, progress)
    try:
        for goal in (-1, 0):
            line = shortest(agent, side, goal, meter)
            if line is not None:
                return Worst(goal, line)
        return Worst(1, _quickest_win(agent, side, meter))
    finally:
        meter.close()


def _check(agent: Agent, side: int, nodes: int) -> None:
    check_side(side)
    if nodes < 1:
        raise ValueError(f"a search needs a budget of at least 1 position, not {nodes}")
    _grid(agent)
    if agent.weights is None:
        raise ValueError(f"{agent.name} doesn't state its probabilities: use match (ttt match)")


def _grid(agent: Agent) -> Grid:
    return grid_of(agent.game, "exhaustive play")


def shortest(agent: Agent, side: int, goal: int, meter: Meter) -> list[int] | None:
    """A shortest game that the agent loses (goal -1), or some draw (goal 0); None if there is none.

    A beam search runs first: the length of what it finds bounds the complete search.
    """
    large = agent.game.moves > MAX_FULL_CELLS
    search = _reach_counted if large and agent.counted is not None else reach
    grid = _grid(agent)
    line, complete = search(agent, side, goal, meter, width=BEAM)
    if complete or (line is not None and goal == 0):
        return line  # all draws are equally long
    last = grid.cells if line is None else len(line) - 1
    return search(agent, side, goal, meter, last=last)[0] or line


def _reach_counted(
    agent: Agent, side: int, goal: int, meter: Meter, *, last: int | None = None, width: int = 0
) -> tuple[list[int] | None, bool]:
    """The compiled search, or the readable one where only the agent can tell its moves apart."""
    from ttt_lib.game.worst_counted import reach_counted  # numba loads only when wanted

    found = reach_counted(agent, side, goal, meter, last=last, width=width)
    return reach(agent, side, goal, meter, last=last, width=width) if found is None else found


def _quickest_win(agent: Agent, side: int, meter: Meter) -> list[int]:
    """A shortest game that the agent wins, for an agent that wins every game."""
    grid = _grid(agent)
    for last in range(2 * grid.n - (side == 1), grid.cells + 1, 2):
        line, _ = reach(agent, side, 1, meter, last=last)
        if line is not None:
            return line
    raise AssertionError("a player that neither loses nor draws wins some game")


# ------------------------------------------------------------------ any player


def reach(
    agent: Agent, side: int, goal: int, meter: Meter, *, last: int | None = None, width: int = 0
) -> tuple[list[int] | None, bool]:
    """Search for a game with a given result, ply by ply, all positions of a ply at once.

    Parameters
    ----------
    goal : int
        -1: the agent loses, 0: a draw, 1: it wins.
    last : int, optional
        Maximum length of the game, in plies; the whole board by default.
    width : int
        Beam width: keep only this many positions per ply, the most promising for the opponent;
        0: all.

    Returns
    -------
    line, complete : list of int or None, bool
        A game (a shortest one if no position was dropped), or None; and whether none was dropped.
    """
    grid = _grid(agent)
    assert agent.weights is not None
    last, complete = grid.cells if last is None else last, True
    boards: Boards = grid.initial()
    steps: list[tuple[NDArray[np.intp], NDArray[np.intp]]] = []
    for ply in range(min(last, grid.cells)):
        meter.add(len(boards), f"ply {ply}, {grid.name}")
        own = (ply % 2 == 0) == (side == 1)
        state, move = np.nonzero(_allowed(agent, boards, own))
        check_room(
            len(move) * grid.cells,
            f"of {agent.name} on {grid.name}",
            f"{len(move):,} positions after ply {ply + 1}",
        )
        after = grid.place(boards[state], move)
        winner = _in_parts(grid, after, grid.winner)
        ended = winner == side * goal if goal else (winner == 0) & (ply + 1 == grid.cells)
        if ended.any():
            place = int(np.argmax(ended))
            return [*_trace(steps, int(state[place])), int(move[place])], complete
        hope = _in_parts(
            grid, after, partial(_hope, grid, side=side, goal=goal, ply=ply + 1, last=last)
        )
        kept = _once(agent, after, np.flatnonzero((winner == 0) & (hope > -np.inf)))
        if width and len(kept) > width:
            kept = np.sort(kept[np.argsort(-hope[kept], kind="stable")[:width]])
            complete = False
        boards = after[kept]
        steps.append((state[kept], move[kept]))
        if len(boards) == 0:
            break
    return None, complete


def _in_parts(grid: Grid, boards: Boards, look: Callable[[Boards], NDArray[Any]]) -> NDArray[Any]:
    """What a function of boards gives, row by row, for a few boards at a time."""
    step = max(TOGETHER // grid.lines.size, 1)
    parts = [look(boards[i : i + step]) for i in range(0, len(boards), step)]
    return np.concatenate(parts) if parts else look(boards)


def _allowed(agent: Agent, boards: Boards, own: bool) -> Mask:
    """Moves that may be played, shape (B, cells): the agent's of positive weight, or all."""
    assert agent.weights is not None
    if not own:
        return agent.game.legal(boards)
    parts = [agent.weights(boards[i : i + CHUNK]) > 0 for i in range(0, len(boards), CHUNK)]
    return np.concatenate(parts)


def _hope(grid: Grid, boards: Boards, side: int, goal: int, ply: int, last: int) -> Floats:
    """How close the wanted result is, shape (B,); -inf if unreachable by ply ``last``."""
    stones = boards[:, grid.lines] * side
    mine, theirs = ((stones == s).sum(axis=2) for s in (1, -1))
    wanted, spoiling = (mine, theirs) if goal == 1 else (theirs, mine)
    seeker = side if goal == 1 else -side
    # The seeker's moves among the plies ply, ..., last - 1; X moves at even ones.
    moves = sum((at % 2 == 0) == (seeker == 1) for at in range(ply, last))
    open_line = spoiling == 0
    score = np.where(open_line, 4.0**wanted, 0.0).sum(axis=1)
    if goal == 0:
        return np.asarray(score - np.where(theirs == 0, 4.0**mine, 0.0).sum(axis=1))
    able = (open_line & (grid.n - wanted <= moves)).any(axis=1)
    return np.where(able, score, -np.inf)


def _once(agent: Agent, boards: Boards, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """One row per set of equivalent positions, in the given order."""
    grid = _grid(agent)
    if grid.cells > 33:
        _, first = np.unique(boards[rows], axis=0, return_index=True)
    else:
        codes = grid.canonical_codes if agent.symmetric else grid.codes
        _, first = np.unique(codes(boards[rows]), return_index=True)
    return rows[np.sort(first)]


def _trace(steps: list[tuple[NDArray[np.intp], NDArray[np.intp]]], place: int) -> list[int]:
    """The moves that led to a position of the last ply."""
    line: list[int] = []
    for parents, moves in reversed(steps):
        line.append(int(moves[place]))
        place = int(parents[place])
    return line[::-1]
