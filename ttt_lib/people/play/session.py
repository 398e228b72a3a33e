"""A game between a person and an agent, its opponents and links to it: no widgets, no terminal.

A :class:`Session` never changes; a move, an answer or an undo makes a new one.  The
terminal and the notebook's board show sessions and add nothing to the rules.
"""

from __future__ import annotations

import os
import re
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import parse_qs, urlencode

import numpy as np

from ttt_lib.game import scene as scenes
from ttt_lib.game.policy import Agent, Game, States, choose
from ttt_lib.game.scene import Scene

Rng = np.random.Generator | int | None

NAMES = {1: "X", -1: "O"}

MAX_NAME, MAX_LINK = 200, 2000
"""Characters that a person may send."""


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
    dice : tuple of (Generator or None)
        For each move the generator as it was before the agent drew from it, so that its search
        can be looked at again; None for a person's move, and for one that a link told.
    """

    agent: Agent
    side: int
    states: tuple[States, ...]
    moves: tuple[int, ...] = ()
    dice: tuple[np.random.Generator | None, ...] = ()

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
        """The legal moves of the side to move; none once the game is over."""
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
    def answered(self) -> int | None:
        """The ply at which the agent made its last move; None before its first."""
        plies = range(self.side == 1, len(self.moves), 2)
        return plies[-1] if plies else None

    @property
    def result(self) -> int:
        """The result from the person's side; 0 also while the game goes on."""
        return int(self.game.winner(self.state)[0]) * self.side


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
    rng = np.random.default_rng(rng)
    before = deepcopy(rng)
    return _after(session, int(choose(session.agent, session.state, rng)[0]), before)


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
    return until(session, own[-1])


def until(session: Session, ply: int) -> Session:
    """The session as it was after ``ply`` moves, from none to all of them."""
    return replace(
        session,
        states=session.states[: ply + 1],
        moves=session.moves[:ply],
        dice=session.dice[:ply],
    )


def _after(session: Session, move: int, dice: np.random.Generator | None = None) -> Session:
    state = session.game.play(session.state, np.array([move]))
    return replace(
        session,
        states=(*session.states, state),
        moves=(*session.moves, move),
        dice=(*session.dice, dice),
    )


def refusal(session: Session, move: int) -> str:
    """Why the person can't play a move now; empty if it is fine."""
    if session.finished:
        return "the game is over: begin a new one, or undo"
    if not session.yours:
        return f"it is the turn of {title(session.agent)}"
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
    """What the present state looks like: stones, owners, where to move, full lines."""
    return scenes.scene(session.game, session.state[0])


# ---------------------------------------------------------------------------- opponents

BOARDS = ("3x3", "4x4", "3x3x3", "ultimate")
"""Boards to choose from."""


@dataclass(frozen=True)
class Opponent:
    """How an agent is introduced to a person: a title, a sentence and a difficulty.

    The title is as it stands inside a sentence.  The difficulty is "cannot be beaten" where nobody
    wins a game from the empty board; otherwise it grows with the player's strength among those on
    offer.  An agent that is not on offer has none.
    """

    title: str
    about: str
    level: str


ISING = Opponent(
    "Ising player", "Values its own lines, and b times as much its opponent's.", "medium"
)
SEARCH = Opponent(
    "tree search",
    "Plays out random games from here, and looks deeper where they went well.",
    "hard",
)
CAREFUL = Opponent(
    "careful beginner", "Wins if it can, blocks if it must, else moves at random.", "easy"
)
RANDOM = Opponent("random player", "Takes any open cell.", "very easy")

OPPONENTS: dict[str, dict[str, Opponent]] = {
    "3x3": {
        "ising": ISING,
        "minimax:ties=quick": Opponent(
            "perfect player",
            "Knows every result: you can hold the draw at best.",
            "cannot be beaten",
        ),
        "mlp": Opponent(
            "small network", "Has watched random games and how they ended.",
            "medium",
        ),
        "spectral": Opponent(
            "pattern reader", "Sees the board as a sum of waves.", "medium"
        ),
        "ntuple": Opponent(
            "table player", "Adds up eight small tables, one per line.",
            "cannot be beaten",
        ),
        "uct": SEARCH,
        "safety+random": CAREFUL,
        "random": RANDOM,
    },
    "4x4": {
        "uct:iterations=2000": SEARCH,
        "ntuple": Opponent(
            "table player", "Adds up one small table per line.", "cannot be beaten"
        ),
        "ising": replace(ISING, level="cannot be beaten"),
        "potential": Opponent(
            "line counter", "Counts its open lines; the more stones, the more they count.", "medium"
        ),
        "safety+random": CAREFUL,
        "random": RANDOM,
    },
    "3x3x3": {
        "uct:iterations=2000": SEARCH,
        "lookahead:depth=3": Opponent(
            "three-move player", "Sees three moves ahead and no farther.", "medium"
        ),
        "ising": replace(ISING, level="hard"),
        "safety+random": CAREFUL,
        "random": RANDOM,
    },
    "ultimate": {
        "alphazero": Opponent(
            "learned search",
            "Searches with a network that learned by playing itself.",
            "hard",
        ),
        "alphazero:simulations=1000": Opponent(
            "longer learned search",
            "The same network with ten times the search.",
            "very hard",
        ),
        "uct:iterations=2000": replace(SEARCH, level="medium"),
        "random": RANDOM,
    },
}  # fmt: skip
"""Good opponents of each board, by their names in the catalog; a page begins with the first."""

NETS = "TTT_NETS"
"""Environment variable: files of checkpoints to play Ultimate against, separated as in ``PATH``."""

UNMEASURED = "not measured"
"""Instead of their difficulty."""


def checkpoints() -> dict[str, Path]:
    """The checkpoints that ``NETS`` names, by the names of their files."""
    files = map(Path, filter(None, os.environ.get(NETS, "").split(os.pathsep)))
    return {file.name: file for file in files}


def on_offer(board: str) -> dict[str, Opponent]:
    """The opponents of a board by name: ``OPPONENTS``, and in Ultimate the checkpoints."""
    added = {
        f"alphazero:net={name}": Opponent(
            f"network {file.stem}", "Searches with a network of whoever serves this page.",
            UNMEASURED,
        )
        for name, file in checkpoints().items()
    }  # fmt: skip
    return OPPONENTS.get(board, {}) | (added if board == "ultimate" else {})


LIMITS = {"iterations": 50_000, "simulations": 10_000, "playouts": 10_000, "samples": 1000,
          "rollouts": 20, "solver": 27, "shallow": 14}  # fmt: skip
"""Largest values of options; more would take too long to wait for."""

MAX_OFFERED = 1000
"""Largest number of simulations with a network on offer: a residual one takes seconds for them."""

MAX_DEPTH = {"3x3": 9, "4x4": 4, "3x3x3": 3}

SERVERS = ("net", "device")
"""Options that name files and devices: a page has visitors, and these are the server's; of files,
a visitor may choose among those on offer."""


def opponent(name: str, board: str) -> Agent:
    """Build an agent by its name, if it answers fast enough to play against.

    Raises
    ------
    ValueError
        If the name, an option or the board is unknown, an option would take too long, or it names
        a device, or a file that is not on offer or can't be read.
    """
    from ttt_lib import catalog

    name = name.strip()
    if board not in BOARDS:
        raise ValueError(f"unknown board {board!r}: {', '.join(BOARDS)}")
    if len(name) > MAX_NAME:
        raise ValueError(f"an agent's name has at most {MAX_NAME} characters")
    files, (bare, text) = checkpoints(), _parts(name)
    found = name
    if bare in catalog.AGENTS:
        given = catalog.options(bare, text)
        limits = LIMITS | {"depth": MAX_DEPTH.get(board, 1)}
        limits |= {"simulations": MAX_OFFERED} if given.get("net") in files else {}
        found = re.sub("(?<=net=)[^,]+", lambda net: str(files.get(net[0], net[0])), name)
        for option, value in given.items():
            if option in limits and float(value) > limits[option]:
                raise ValueError(f"{option}={value} would take too long: at most {limits[option]}")
            allowed = {catalog.AGENTS[bare].options[option], *(files if option == "net" else ())}
            if option in SERVERS and value not in allowed:
                raise ValueError(f"option {option} of {bare} can't be set here")
    return replace(catalog.agent(found, board), name=name)


def _parts(name: str) -> tuple[str, str]:
    """The name of an agent without the safety rule before it, and its options."""
    from ttt_lib.catalog import SAFETY

    while name.startswith(SAFETY):
        name = name.removeprefix(SAFETY)
    bare, _, text = name.partition(":")
    return bare, text


def introduced(name: str, board: str) -> Opponent:
    """How an agent is introduced; one that is not on offer by its name in the catalog."""
    from ttt_lib import catalog

    if known := on_offer(board).get(name):
        return known
    bare, _ = _parts(name)
    about = catalog.AGENTS[bare].about if bare in catalog.AGENTS else ""
    return Opponent(name, re.sub(r"^document \d: ", "", about), "")


def title(agent: Agent) -> str:
    """What a person calls an agent inside a sentence."""
    known = introduced(agent.name, agent.game.name)
    return f"the {known.title}" if known.level else known.title


# ---------------------------------------------------------------------------- links


@dataclass(frozen=True)
class Link:
    """What a link carries: a board, an opponent by its name, the person's side, and all moves."""

    board: str = BOARDS[0]
    name: str = ""
    side: int = 1
    moves: tuple[int, ...] = ()


def link(session: Session) -> str:
    """The address of a position, to stand after a question mark; :func:`read_link` reads it."""
    parts = {
        "board": session.game.name,
        "opponent": session.agent.name,
        "side": NAMES[session.side].lower(),
        "moves": ",".join(map(str, session.moves)),
    }
    return urlencode(parts, safe=",:=")


def read_link(text: str) -> Link:
    """Read the part of an address after its question mark; what is left out is as at the start.

    Raises
    ------
    ValueError
        If the board or the side is unknown, the moves are no numbers, or it is too long.
    """
    if len(text) > MAX_LINK:
        raise ValueError(f"a link has at most {MAX_LINK} characters")
    given = {key: values[-1] for key, values in parse_qs(text).items()}
    board, side = given.get("board", BOARDS[0]), given.get("side", "x")
    if board not in BOARDS:
        raise ValueError(f"unknown board {board[:20]!r}: {', '.join(BOARDS)}")
    if side not in ("x", "o"):
        raise ValueError(f"a side is x or o, not {side[:20]!r}")
    name = given.get("opponent", next(iter(OPPONENTS[board])))
    moves = tuple(map(read_cell, given["moves"].split(","))) if given.get("moves") else ()
    return Link(board, name, 1 if side == "x" else -1, moves)


def resume(found: Link) -> Session:
    """The session at the position of a link.

    Raises
    ------
    ValueError
        If there is no such opponent, or a move is not legal.
    """
    session = start(opponent(found.name, found.board), found.side)
    for number, move in enumerate(found.moves, start=1):
        if move not in session.legal:
            raise ValueError(f"move {number}, cell {move}, is not legal there")
        session = _after(session, move)
    return session
