"""A game between a person at the terminal and an agent."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress

import numpy as np

from ttt_lib.evidence.command import stops_at_once
from ttt_lib.game.policy import Agent
from ttt_lib.game.scene import picture
from ttt_lib.people.play import insight, terminal_colour
from ttt_lib.people.play import session as person
from ttt_lib.people.play import text as texts
from ttt_lib.people.play.session import Session


def play(agent: Agent, side: int, *, rng: np.random.Generator | int | None = None) -> int:
    """Play one game; moves are read from standard input, by their number.

    ``undo``, ``hint``, ``scores``, ``quit`` and ``help`` (or their first letters, ``h`` for a hint)
    are understood, too; the scores are the exact chances against this agent.

    Parameters
    ----------
    side : int
        The person's side, +1 (X) or -1 (O).

    Returns
    -------
    int
        The result from the person's side; 0 for a game that was left.

    Raises
    ------
    ValueError
        If the input ends before the game does, or side is neither +1 nor -1.
    """
    with stops_at_once():  # not while input is read: the line editor puts the terminal right
        session, rng = person.start(agent, side), np.random.default_rng(rng)
    print(f"You are {person.NAMES[side].lower()}. {USAGE}\n")
    while not session.finished:
        _show(session)
        mine = session.yours
        if not mine:
            with stops_at_once():
                session = person.answer(session, rng=rng)
        else:
            asked = ask(session.legal, input)
            if asked == "quit":
                return 0
            if isinstance(asked, str):
                with stops_at_once():
                    session = _other(session, asked)
                continue
            session = person.play(session, asked)
        print(f"{'you' if mine else agent.name}: {session.moves[-1]}\n")
    _show(session)
    print(texts.ending(session))
    return session.result


def _show(session: Session) -> None:
    print(
        terminal_colour.painted(
            picture(session.game, session.state[0]), terminal_colour.STONES, sys.stdout
        )
    )


def _other(session: Session, word: str) -> Session:
    """Do what a person asked for instead of a move."""
    if word == "help":
        print(USAGE)
    elif word == "undo":
        try:
            return person.undo(session)
        except ValueError as error:
            print(error)
    elif word == "hint":
        print(f"hint: {insight.hint(session).reason}")
    else:
        print(_scores(session))
    return session


def _scores(session: Session) -> str:
    """How good each move of the person is against this agent, and what is measured."""
    known = insight.against(session)
    if known is None:
        return f"{session.agent.name} can't state its chances here"
    labels = insight.trap_marks(session, known).labels
    told = ", ".join(f"{move}: {labels[move]}" for move in session.legal)
    return (
        f"your exact chance to win, or the certain result, by the cell that you take now:\n{told}"
    )


WORDS = ("undo", "hint", "scores", "quit", "help")
USAGE = f"Type a cell's number, or {', '.join(WORDS[:-1])} or {WORDS[-1]}."


def ask(legal: Sequence[int], read: Callable[[str], str]) -> int | str:
    """Read until a legal move or one of ``WORDS``.

    Raises
    ------
    ValueError
        If the input ends before.
    """
    while True:
        try:
            typed = read("your move: ").strip()
        except EOFError:
            raise ValueError("the input ended before the game did") from None
        with suppress(ValueError):
            if (cell := person.read_cell(typed)) in legal:
                return cell
        if typed == "?":
            return "help"
        meant = [word for word in WORDS if typed and word.startswith(typed.lower())]
        if meant:
            return meant[0]
        moves = " ".join(map(str, legal))
        print(f"{typed!r} is not a legal move: {moves}; or {', '.join(WORDS)}", file=sys.stderr)
