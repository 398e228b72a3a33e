"""A game between a person at the terminal and an agent."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

from ttt_lib.agents import Agent, States, choose
from ttt_lib.board import SYMBOLS, Grid


def play(agent: Agent, side: int, *, rng: np.random.Generator | int | None = None) -> int:
    """Play one game; moves are read from standard input, by their number.

    Parameters
    ----------
    side : int
        The person's side, +1 (X) or -1 (O).

    Returns
    -------
    int
        The result from the person's side.

    Raises
    ------
    ValueError
        If the input ends before the game does, or side is neither +1 nor -1.
    """
    if side not in (1, -1):
        raise ValueError(f"a side is +1 (X) or -1 (O), not {side}")
    rng, game = np.random.default_rng(rng), agent.game
    state = game.initial()
    while not game.finished(state)[0]:
        print(picture(game, state))
        mine = game.to_move(state)[0] == side
        move = ask(game.legal(state)[0], input) if mine else int(choose(agent, state, rng)[0])
        print(f"{'you' if mine else agent.name}: {move}\n")
        state = game.play(state, np.array([move]))
    result = int(game.winner(state)[0]) * side
    print(picture(game, state))
    print({1: "You win.", 0: "A draw.", -1: f"{agent.name} wins."}[result])
    return result


def ask(legal: np.ndarray[tuple[int], np.dtype[np.bool_]], read: Callable[[str], str]) -> int:
    """Read move numbers until one is legal."""
    while True:
        try:
            answer = read("your move: ").strip()
        except EOFError:
            raise ValueError("the input ended before the game did") from None
        if answer.isdecimal() and int(answer) < len(legal) and legal[int(answer)]:
            return int(answer)
        free = " ".join(map(str, np.flatnonzero(legal)))
        print(f"{answer!r} is no legal move: {free}", file=sys.stderr)


def picture(game: object, state: States) -> str:
    """A board as text, empty cells showing their numbers; layers stand below each other."""
    if not isinstance(game, Grid):
        return str(game.picture(state[0]) if hasattr(game, "picture") else state[0])
    wide = len(str(game.cells - 1)) + 1
    names = [
        f"{SYMBOLS[int(value)] if value else cell:>{wide}}" for cell, value in enumerate(state[0])
    ]
    rows = ["".join(names[i : i + game.n]) for i in range(0, game.cells, game.n)]
    blocks = [rows[i : i + game.n] for i in range(0, len(rows), game.n)]
    return "\n\n".join("\n".join(block) for block in blocks)
