"""A game tree that unfolds in the browser without a script: nested HTML ``details``."""

from __future__ import annotations

from html import escape

import numpy as np

from ttt_lib.game.board import Grid, notation, parse
from ttt_lib.game.exact import random_outcome, value_moves
from ttt_lib.game.gametree import GameTree, solve
from ttt_lib.game.policy import first
from ttt_lib.spectral.labels import good_moves

STYLE = "font-family:sans-serif;font-size:13px;line-height:1.5"
MONO = "font-family:monospace;white-space:pre"


def explorer(depth: int = 4, start: str = ".........") -> str:
    """The game tree of 3x3 as HTML to unfold, with one move per class of symmetric ones.

    Each line names the move, the board after it, P(X wins), P(draw) and P(O wins) under random
    play and the minimax value; it says which move document 2 labels and which keep the value.

    Parameters
    ----------
    depth : int
        Plies shown, 1 to 5: all nine would make a page of many megabytes.
    start : str
        The board at the top, from which the plies count.

    Raises
    ------
    ValueError
        If depth is outside 1..5, or no game leads to the board.
    """
    if depth not in range(1, 6):
        raise ValueError(f"the explorer shows 1 to 5 plies, not {depth}")
    tree = solve(Grid(3))
    marks = {"labelled": first(good_moves(tree)), "keeps the value": value_moves(tree)}
    state = int(tree.index(parse(start, tree.grid)[None])[0])
    name = start if any(tree.boards[state]) else "empty board"
    body = _moves(tree, marks, state, depth)
    return f'<div style="{STYLE}"><b>{name}</b> {_chances(tree, state)}{body}</div>'


def _moves(tree: GameTree, marks: dict[str, np.ndarray], state: int, depth: int) -> str:
    """The list of a state's moves, one for each class of boards that it leads to."""
    if depth == 0 or tree.finished[state]:
        return ""
    moves = np.flatnonzero(tree.legal[state])
    classes = tree.grid.canonical_codes(tree.boards[tree.children[state, moves]])
    _, places = np.unique(classes, return_index=True)
    shown = moves[np.sort(places)]
    return "".join(_move(tree, marks, state, int(move), depth) for move in shown)


def _move(tree: GameTree, marks: dict[str, np.ndarray], state: int, move: int, depth: int) -> str:
    after = int(tree.children[state, move])
    notes = "".join(f"; {name}" for name, mask in marks.items() if mask[state, move])
    board = notation(tree.boards[after])
    rows = "/".join(board[row : row + 3] for row in (0, 3, 6))
    head = f'{move} <span style="{MONO}">{rows}</span> {_chances(tree, after)}{escape(notes)}'
    inner = _moves(tree, marks, after, depth - 1)
    if not inner:
        return f'<div style="margin-left:2.6em">{head}</div>'
    return f'<details style="margin-left:1.5em"><summary>{head}</summary>{inner}</details>'


def _chances(tree: GameTree, state: int) -> str:
    x, draw, o = (f"{float(chance):.3f}" for chance in random_outcome(tree, state))
    value = {1: "X wins", 0: "draw", -1: "O wins"}[int(tree.value[state])]
    return f"X {x} draw {draw} O {o}; perfect play: {value}"
