"""The document's data files, rebuilt from exact counts.

``optimal_decision_tree.json`` has one entry for each of the 4520 running states of 3x3, in
the layout of the document's sample; ``probabilities.json`` and ``probabilities.csv`` have
one for each of all 5478.  The parts of the layout that the document does not show are ours;
``optimal_decision_tree.schema.json`` describes them.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ttt_lib.game.board import Grid, notation
from ttt_lib.game.exact import random_outcome
from ttt_lib.game.gametree import GameTree, solve
from ttt_lib.game.policy import first
from ttt_lib.spectral.labels import good_moves

DECIMALS = 15
"""Decimals of every probability, as in the document's sample."""

Entry = dict[str, Any]


def key(board: NDArray[np.int8]) -> str:
    """The document's key for a board: its list of numbers as text."""
    return str(board.tolist())


def chances(tree: GameTree, state: int) -> Entry:
    """P(X wins), P(O wins) and P(draw) under random play from one state."""
    x, draw, o = (round(float(chance), DECIMALS) for chance in random_outcome(tree, state))
    return {"p_x_win": x, "p_o_win": o, "p_draw": draw}


def mover(tree: GameTree, state: int) -> str:
    """``X`` or ``O``: the side to move."""
    return "XO"[int(tree.ply[state]) % 2]


def detail(tree: GameTree, state: int, move: int) -> Entry:
    """One legal move: P(mover wins) after it, the three chances, and its minimax value."""
    player, after = mover(tree, state), int(tree.children[state, move])
    found = chances(tree, after)
    value = int(tree.value[after]) * (1 if player == "X" else -1)
    return {"move": move, "score": found[f"p_{player.lower()}_win"], **found, "minimax": value}


def decision(tree: GameTree, state: int, good: NDArray[np.bool_]) -> Entry:
    """The entry of one running state, keys in the order of the document's sample.

    Parameters
    ----------
    good : ndarray of bool, shape (cells,)
        The moves that maximise P(mover wins).
    """
    move = int(first(good[None])[0].argmax())
    details = {int(m): detail(tree, state, int(m)) for m in np.flatnonzero(tree.legal[state])}
    return {
        "move": move,
        "player": mover(tree, state),
        "score": details[move]["score"],
        "move_count": len(details),
        "good_moves": int(good.sum()),
        **chances(tree, state),
        "move_details": list(details.values()),
    }


def make_optimal_decision_tree() -> str:
    """The text of ``optimal_decision_tree.json``."""
    tree = solve(Grid(3))
    good = good_moves(tree)
    running = np.flatnonzero(~tree.finished)
    return as_json({key(tree.boards[s]): decision(tree, int(s), good[s]) for s in running})


def situation(tree: GameTree, state: int) -> Entry:
    """The side to move (none when the game is over), and the three chances."""
    player = None if tree.finished[state] else mover(tree, state)
    return {"player": player, **chances(tree, state)}


def make_probabilities_json() -> str:
    """The text of ``probabilities.json``."""
    tree = solve(Grid(3))
    return as_json({key(tree.boards[s]): situation(tree, s) for s in range(len(tree))})


def make_probabilities_csv() -> str:
    """The text of ``probabilities.csv``: board in one-line notation, player, three chances."""
    tree = solve(Grid(3))
    rows = [{"board": notation(tree.boards[s]), **situation(tree, s)} for s in range(len(tree))]
    return pd.DataFrame(rows).to_csv(index=False, lineterminator="\n")


def as_json(entries: dict[str, Entry]) -> str:
    """One entry per line, so that the file can be read and compared by line."""
    lines = [f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in entries.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


# ---------------------------------------------------------------------------- the schema

CHANCE = {"type": "number", "minimum": 0, "maximum": 1}
MOVE = {"type": "integer", "minimum": 0, "maximum": 8, "description": "cell, row by row"}
BOARD = r"^\[(-1|0|1)(, (-1|0|1)){8}\]$"


def _object(description: str, properties: Entry) -> Entry:
    return {
        "type": "object",
        "description": description,
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _by_board(description: str, entry: Entry, count: int) -> Entry:
    return {
        "type": "object",
        "description": f"{description}; the key is the list of cells, 1 (X), -1 (O), 0 (empty)",
        "patternProperties": {BOARD: entry},
        "additionalProperties": False,
        "minProperties": count,
        "maxProperties": count,
    }


def make_schema() -> str:
    """The text of ``optimal_decision_tree.schema.json`` (JSON Schema 2020-12)."""
    three = {"p_x_win": CHANCE, "p_o_win": CHANCE, "p_draw": CHANCE}
    move = _object(
        "one legal move: P(mover wins) after it, chances after it, minimax value for the mover",
        {"move": MOVE, "score": CHANCE, **three, "minimax": {"enum": [-1, 0, 1]}},
    )
    entry = _object(
        "a running state: the first move that maximises P(mover wins) under random play, that "
        "chance, the numbers of legal and of maximising moves, and the chances of the state",
        {
            "move": MOVE,
            "player": {"enum": ["X", "O"]},
            "score": CHANCE,
            "move_count": {"type": "integer", "minimum": 1, "maximum": 9},
            "good_moves": {"type": "integer", "minimum": 1, "maximum": 9},
            **three,
            "move_details": {"type": "array", "items": move, "minItems": 1, "maxItems": 9},
        },
    )
    state = _object(
        "any state: side to move (null when the game is over) and chances under random play",
        {"player": {"enum": ["X", "O", None]}, **three},
    )
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "optimal_decision_tree.json; probabilities.json under $defs",
        **_by_board("all running states of 3x3", entry, 4520),
        "$defs": {"probabilities": _by_board("all states of 3x3", state, 5478)},
    }
    return json.dumps(whole, indent=1) + "\n"
