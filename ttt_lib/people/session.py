"""A game between a person and an agent, and what can be said about it: no widgets, no terminal.

A :class:`Session` never changes; a move, an answer or an undo makes a new one.  The
terminal and the notebook's board show sessions and add nothing to the rules.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ttt_lib.game import scene as scenes
from ttt_lib.game.policy import Agent, Game, States, choose
from ttt_lib.game.scene import Scene

Rng = np.random.Generator | int | None

NAMES = {1: "X", -1: "O"}

LONGEST_NAME = 200


@dataclass(frozen=True, eq=False)
class Session:
    """A game so far, and who plays it.

    Attributes
    ----------
    agent : Agent
        The person's opponent.
    side : int
        The person's side, +1 (X) or -1 (O).
    states : tuple of States
        The states so far, each a batch of one; the last is the present one.
    moves : tuple of int
        The moves between them.
    """

    agent: Agent
    side: int
    states: tuple[States, ...]
    moves: tuple[int, ...] = ()

    @property
    def game(self) -> Game:
        """The game they play."""
        return self.agent.game

    @property
    def state(self) -> States:
        """The present state, a batch of one."""
        return self.states[-1]

    @property
    def legal(self) -> list[int]:
        """The legal moves, whoever is to move; none once the game is over."""
        return [int(move) for move in np.flatnonzero(self.game.legal(self.state)[0])]

    @property
    def finished(self) -> bool:
        """Whether the game is over."""
        return bool(self.game.finished(self.state)[0])

    @property
    def to_move(self) -> int:
        """Side to move, +1 or -1."""
        return int(self.game.to_move(self.state)[0])

    @property
    def yours(self) -> bool:
        """Whether the person is to move."""
        return not self.finished and self.to_move == self.side

    @property
    def answered(self) -> States | None:
        """The state in which the agent made its last move; None before its first."""
        plies = range(self.side == 1, len(self.moves), 2)
        return self.states[plies[-1]] if plies else None

    @property
    def result(self) -> int:
        """The result from the person's side; 0 also while the game goes on."""
        return int(self.game.winner(self.state)[0]) * self.side

    @property
    def verdict(self) -> str:
        """The result in words."""
        return {1: "You win.", 0: "A draw.", -1: f"{self.agent.name} wins."}[self.result]


def start(agent: Agent, side: int = 1) -> Session:
    """Begin a game.

    Raises
    ------
    ValueError
        If side is neither +1 nor -1.
    """
    if side not in NAMES:
        raise ValueError(f"a side is +1 (X) or -1 (O), not {side}")
    return Session(agent, side, (agent.game.initial(),))


def play(session: Session, move: int) -> Session:
    """The session after the person's move.

    Raises
    ------
    ValueError
        If it is not the person's turn, or the move is not legal; the message says why.
    """
    if complaint := refusal(session, move):
        raise ValueError(complaint)
    return _after(session, move)


def answer(session: Session, *, rng: Rng = None) -> Session:
    """The session after the agent's move; the session itself where the agent is not to move."""
    if session.finished or session.yours:
        return session
    chosen = choose(session.agent, session.state, np.random.default_rng(rng))
    return _after(session, int(chosen[0]))


def undo(session: Session) -> Session:
    """Take back the person's last move, and what the agent answered.

    Raises
    ------
    ValueError
        If the person has not moved yet.
    """
    own = range(session.side == -1, len(session.moves), 2)
    if not own:
        raise ValueError("there is no move of yours to take back")
    return replace(session, states=session.states[: own[-1] + 1], moves=session.moves[: own[-1]])


def _after(session: Session, move: int) -> Session:
    state = session.game.play(session.state, np.array([move]))
    return replace(session, states=(*session.states, state), moves=(*session.moves, move))


def refusal(session: Session, move: int) -> str:
    """Why the person can't play a move now; empty if it is fine."""
    if session.finished:
        return "the game is over: begin a new one, or undo"
    if not session.yours:
        return f"it is the turn of {session.agent.name}"
    if not 0 <= move < session.game.moves:
        return f"there is no cell {move}: 0 to {session.game.moves - 1}"
    if move in session.legal:
        return ""
    seen = scene(session)
    if seen.stones[move]:
        return f"cell {move} is taken"
    if not seen.targets:
        return f"{move} is no move now: {' '.join(map(str, session.legal))}"
    return f"cell {move} is not open: play in sub-board {' or '.join(map(str, seen.targets))}"


def read_cell(text: str) -> int:
    """Read the number of a cell as a person types it.

    Raises
    ------
    ValueError
        If the text is no whole number.
    """
    if not (text.strip().isdecimal() and text.strip().isascii() and len(text) < 10):
        raise ValueError(f"{text.strip()[:20]!r} is no cell: type its number")
    return int(text)


# ---------------------------------------------------------------------------- the board


def scene(session: Session) -> Scene:
    """What is to be seen of the present state: stones, owners, where to move, full lines."""
    return scenes.scene(session.game, session.state[0])


# ---------------------------------------------------------------------------- opponents

BOARDS = ("3x3", "4x4", "3x3x3", "ultimate")
"""Boards to choose from."""

OPPONENTS: dict[str, dict[str, str]] = {
    "3x3": {
        "ising": "stones that like company (document 4; medium)",
        "minimax:ties=quick": "never loses (cannot be beaten)",
        "mlp": "a network taught by random games (document 1; medium)",
        "spectral": "sees the board as a picture (document 2; medium)",
        "ntuple": "adds up eight small tables (document 3; hard)",
        "uct": "tries random games and learns from them (hard)",
        "safety+random": "wins, blocks, else throws dice (easy)",
        "random": "throws dice (very easy)",
    },
    "4x4": {
        "uct:iterations=2000": "tries random games and learns from them (hard)",
        "ntuple": "adds up tables over the lines (document 3; medium)",
        "ising": "stones that like company (document 4; medium)",
        "potential": "counts open lines (medium)",
        "safety+random": "wins, blocks, else throws dice (easy)",
        "random": "throws dice (very easy)",
    },
    "3x3x3": {
        "uct:iterations=2000": "tries random games and learns from them (hard)",
        "lookahead:depth=3": "sees three moves ahead (medium)",
        "ising": "stones that like company (document 4; medium)",
        "safety+random": "wins, blocks, else throws dice (easy)",
        "random": "throws dice (very easy)",
    },
    "ultimate": {
        "alphazero": "searches with a learned network (document 5; hard)",
        "alphazero:simulations=1000": "the same, searching longer (very hard)",
        "uct:iterations=2000": "tries random games and learns from them (hard)",
        "random": "throws dice (very easy)",
    },
}
"""Good opponents of each board, with a few words; the first is the one to begin with."""

LIMITS = {"iterations": 50_000, "simulations": 10_000, "playouts": 10_000, "samples": 1000,
          "rollouts": 20}  # fmt: skip
"""What more than this asks for, nobody would wait for."""

DEEPEST = {"3x3": 9, "4x4": 4, "3x3x3": 3}


def opponent(name: str, board: str) -> Agent:
    """Build the agent of a name, as long as it answers while one waits.

    Raises
    ------
    ValueError
        If the name, an option or the board is unknown, or an option would take too long.
    """
    from ttt_lib import catalog

    name = name.strip()
    if board not in BOARDS:
        raise ValueError(f"unknown board {board!r}: {', '.join(BOARDS)}")
    if len(name) > LONGEST_NAME:
        raise ValueError(f"an agent's name has at most {LONGEST_NAME} characters")
    bare, _, text = name.split(catalog.SAFETY)[-1].partition(":")
    if bare in catalog.AGENTS:
        limits = LIMITS | {"depth": DEEPEST.get(board, 1)}
        for option, value in catalog.options(bare, text).items():
            if option in limits and float(value) > limits[option]:
                raise ValueError(f"{option}={value} would take too long: at most {limits[option]}")
    return catalog.agent(name, board)
