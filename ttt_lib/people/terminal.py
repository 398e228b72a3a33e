"""A game between a person at the terminal and an agent."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import numpy as np

from ttt_lib.game.board import SYMBOLS, Grid
from ttt_lib.game.policy import Agent, States
from ttt_lib.people import session as person


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
    session, rng = person.start(agent, side), np.random.default_rng(rng)
    while not session.finished:
        print(picture(agent.game, session.state))
        mine = session.yours
        if mine:
            session = person.play(session, ask(session.legal, input))
        else:
            session = person.answer(session, rng=rng)
        print(f"{'you' if mine else agent.name}: {session.moves[-1]}\n")
    print(picture(agent.game, session.state))
    print(session.verdict)
    return session.result


def ask(legal: Sequence[int], read: Callable[[str], str]) -> int:
    """Read move numbers until one is legal."""
    while True:
        try:
            typed = read("your move: ").strip()
        except EOFError:
            raise ValueError("the input ended before the game did") from None
        if typed.isdecimal() and int(typed) in legal:
            return int(typed)
        print(f"{typed!r} is no legal move: {' '.join(map(str, legal))}", file=sys.stderr)


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
