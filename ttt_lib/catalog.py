"""Every agent by name: the one module that knows all documents.

``agent("uct:iterations=500", "4x4")`` reads a name with options and builds the
player.  Factories are named as text and imported when asked for, so that
listing the agents loads nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ttt_lib.evidence import store
from ttt_lib.evidence.command import did_you_mean
from ttt_lib.spectral import LABELS

if TYPE_CHECKING:
    from ttt_lib.game.oracle import Oracle
    from ttt_lib.game.policy import Agent, Game

Option = int | float | str

SAFETY = "safety+"

# The largest number that is taken for an option, in either direction, and the largest seed.
MAX_OPTION = 100_000_000
MAX_SEED = 2**32 - 1

BOARDS, ANY = "boards", "any"
"""The family of all n^d boards, and every game that has no entry of its own."""


@dataclass(frozen=True)
class Family:
    """Games that are told apart by the rest of their names.

    Attributes
    ----------
    parse : str
        ``"module:function"`` that reads the name of a game.
    oracle : str or None
        What returns the :class:`ttt_lib.game.oracle.Oracle` of these games, if they have one.
    """

    parse: str
    oracle: str | None = None


GAMES: dict[str, Family] = {
    BOARDS: Family("ttt_lib.game.board:Grid.parse", "ttt_lib.game.oracle:oracle"),
    "ultimate": Family(
        "ttt_lib.ultimate.board.game:Ultimate.parse", "ttt_lib.ultimate.solver.oracle:oracle"
    ),
}
"""Families of games by the first word of their names; ``BOARDS`` are all others."""


@dataclass(frozen=True)
class Entry:
    """How an agent is built: ``factory(game, **options)``, with the options' defaults.

    Attributes
    ----------
    factory : str or dict
        ``"module:function"`` that builds it for an n^d board, or one for each family of games
        that it can play: ``BOARDS``, a key of ``GAMES``, or ``ANY``.
    """

    factory: str | dict[str, str]
    about: str
    options: dict[str, Option] = field(default_factory=dict)

    def builder(self, family: str) -> str | None:
        """What builds the agent for a family of games; None if it can't play them."""
        known = {BOARDS: self.factory} if isinstance(self.factory, str) else self.factory
        return known.get(family) or known.get(ANY)

    @property
    def usage(self) -> str:
        """The options with their defaults, as written after the agent's name."""
        return ",".join(f"{name}={value}" for name, value in self.options.items())


AGENTS: dict[str, Entry] = {
    "random": Entry({ANY: "ttt_lib.game.policy:random_agent"}, "uniform over the legal moves"),
    "minimax": Entry(
        "ttt_lib.game.policy:minimax",
        "perfect play; ties uniform, first (lowest index) or quick (quickest win, latest loss)",
        {"ties": "uniform"},
    ),
    "lookahead": Entry(
        "ttt_lib.game.policy:lookahead",
        "minimax over a few plies; the horizon counts 0; ties uniform",
        {"depth": 3},
    ),
    "uct": Entry(
        {BOARDS: "ttt_lib.game.policy:uct", "ultimate": "ttt_lib.ultimate.search.tree_search:uct"},
        "tree search with uniform playouts; most visits, then lowest index",
        {"iterations": 150, "c": 1.414},
    ),
    "pmc": Entry(
        "ttt_lib.playout_mlp.players:pmc_agent",
        "Pure Monte Carlo: the move whose playouts end best on average; policy random or mlp",
        {"playouts": 100, "policy": "random"},
    ),
    "mlp": Entry(
        "ttt_lib.playout_mlp.players:mlp_agent",
        "document 1: a network trained on random playouts, with look-ahead",
        {"seed": 0, "depth": 1},
    ),
    "spectral": Entry(
        "ttt_lib.spectral.policy:spectral",
        "document 2: ridge regression on cosine features; lowest index; beyond 3x3 labels=mc",
        {
            "symmetric": "no",
            "safety": "yes",
            "labels": "optimal",
            "lam": 0.001,
            "seed": 0,
            "samples": 400,
            "rollouts": 6,
        },
    ),
    "analytical": Entry(
        "ttt_lib.spectral.handcrafted:analytical",
        "hand-crafted line features and weights; lowest index",
    ),
    "hybrid": Entry(
        "ttt_lib.spectral.handcrafted:hybrid",
        "cosine and line features together, learned from expected results; lowest index",
    ),
    "ntuple": Entry(
        "ttt_lib.ntuple.players:ntuple",
        "document 3: look-up tables over the lines, with look-ahead; ties uniform",
        {"seed": 0, "depth": 1},
    ),
    "ising": Entry(
        "ttt_lib.ising.players:ising",
        "document 4: largest gain of E_own + b E_other; energy equation or published; ties uniform",
        {"b": 0.647, "energy": "equation"},
    ),
    "potential": Entry(
        "ttt_lib.ising.players:potential",
        "Erdős and Selfridge's potential: base^k for an open line with k stones; ties uniform",
        {"base": 2.0, "b": 1.0},
    ),
    "alphazero": Entry(
        {"ultimate": "ttt_lib.ultimate.players:alphazero"},
        "document 5: tree search with a network (net=stored, or a checkpoint's file); solver: "
        "playable cells up to which endgames are solved, 0 for the net alone; shallow: plies of "
        "the midgame's shallow search; Ultimate only",
        {"simulations": 100, "net": "stored", "solver": 20, "shallow": 0, "device": "cpu"},
    ),
}


def agent(name: str, size: str | Game = "3x3") -> Agent:
    """Build an agent from its name.

    Parameters
    ----------
    name : str
        ``name``, ``name:option=value,option=value`` or ``safety+`` before one of these.
    size : str or Game
        The game to play, or its name: a board size such as ``"4x4"``,
        ``"ultimate"``, or ``"ultimate:RULES"``.

    Raises
    ------
    ValueError
        If the name or an option is unknown, a value has the wrong type, or the
        agent can't play that game; the message lists what is known.
    """
    game = game_of(size) if isinstance(size, str) else size
    if name.startswith(SAFETY):
        from ttt_lib.game.policy import safety

        return safety(agent(name.removeprefix(SAFETY), game))
    base, _, text = name.partition(":")
    factory = _factory(base, game)
    if name.endswith((":", ",")):
        raise ValueError(f"an option is missing at the end of {name!r}")
    built = store.resolve(factory)(game, **options(base, text))
    return replace(built, name=name)  # type: ignore[no-any-return]


def game_of(size: str) -> Game:
    """The game of a name: a board size such as ``4x4``, ``ultimate``, or ``ultimate:RULES``.

    Raises
    ------
    ValueError
        If there is no such board.
    """
    if size.endswith(":"):
        raise ValueError(f"something is missing at the end of board {size!r}")
    return store.resolve(GAMES[family(size)].parse)(size)  # type: ignore[no-any-return]


def oracle(game: Game) -> Oracle | None:
    """What knows exact results of a game; None if nothing does."""
    name = GAMES[family(game.name)].oracle
    return store.resolve(name)() if name else None


def builder(base: str, game: Game) -> str | None:
    """What builds an agent for a game, ``"module:function"``; None if it can't play it."""
    return AGENTS[base].builder(family(game.name))


def _factory(base: str, game: Game) -> str:
    """As :func:`builder`, for an agent that must be known and play the game."""
    able = [name for name in AGENTS if builder(name, game)]
    if base not in AGENTS:
        safe = f", or {SAFETY}NAME" * (family(game.name) == BOARDS)
        listed = f"{', '.join(able)}{safe}{did_you_mean(base, able)}"
        raise ValueError(f"unknown agent {base!r}: {listed}")
    found = builder(base, game)
    if found is None:
        raise ValueError(f"{base} can't play {game.name}; these can: {', '.join(able)}")
    return found


def family(name: str) -> str:
    """The key of ``GAMES`` that a game's name begins with, or ``BOARDS``."""
    first = name.partition(":")[0]
    return first if first in GAMES else BOARDS


def options(base: str, text: str) -> dict[str, Option]:
    """Read ``option=value,...`` against the defaults of an agent.

    Raises
    ------
    ValueError
        If an option is unknown, given twice, or its value has the wrong type.
    """
    known, found = AGENTS[base].options, {}
    for part in text.split(",") if text else []:
        name, equals, value = part.partition("=")
        if name not in known or not equals:
            listed, words = AGENTS[base].usage or "it has none", choices(base)
            meant = "" if name in known else did_you_mean(name, known)
            told = f"{listed}{words and f' ({words})'}{meant}"
            raise ValueError(f"unknown option {part!r} of {base}: {told}")
        if name in found:
            raise ValueError(f"option {name} of {base} is given twice")
        found[name] = _convert(base, name, value, known[name])
    return {**known, **found}


YES_NO = ("no", "yes")
VALUES: dict[str, dict[str, tuple[str, ...]]] = {
    "minimax": {"ties": ("uniform", "first", "quick")},
    "pmc": {"policy": ("random", "mlp")},
    "spectral": {"symmetric": YES_NO, "safety": YES_NO, "labels": LABELS},
    "ising": {"energy": ("equation", "published")},
}
"""All values of those options that are words, but for files and devices, by agent."""

CHECKS = {
    "mlp": "ttt_lib.playout_mlp.model:check_typed",
    "pmc": "ttt_lib.playout_mlp.model:check_typed",
    "spectral": "ttt_lib.spectral.policy:check_typed",
    "alphazero": "ttt_lib.ultimate.players:check_typed",
}
"""What checks the typed options of an agent that doesn't check all of them itself."""


def typed(name: str) -> str:
    """The name of an agent that somebody typed, if its options are plain and of a sane size.

    Raises
    ------
    ValueError
        If an option lacks its value, or has none of ``VALUES``, or a number is not in plain digits
        or is too large; if a file can't be read or a device isn't there; if the safety rule is
        applied twice.
    """
    if name.startswith(2 * SAFETY):
        raise ValueError(f"the safety rule is applied once: {SAFETY}NAME")
    base, _, text = name.removeprefix(SAFETY).partition(":")
    entry = AGENTS.get(base, Entry("", ""))
    for part in text.split(",") if text else []:
        option, equals, value = part.partition("=")
        if option not in entry.options:
            continue  # for :func:`options` to complain about
        if not equals:
            raise ValueError(f"option {option} of {base} has no value: {entry.usage}")
        kind, most = type(entry.options[option]), MAX_SEED if option == "seed" else MAX_OPTION
        number = 0 if kind is str else abs(plain_number(value, kind, part))
        if most < number < float("inf"):
            told = f"at most {most:,} in size" if value.startswith("-") else f"at most {most:,}"
            raise ValueError(f"option {option} of {base} must be {told}, not {value}")
        words = VALUES.get(base, {}).get(option, (value,))
        if value not in words:
            raise ValueError(f"unknown {option} {value!r} of {base}: {_alternatives(words)}")
    if base in CHECKS:
        store.resolve(CHECKS[base])(options(base, text))
    return name


def typed_agent(name: str, size: str | Game = "3x3") -> Agent:
    """The agent of a name that somebody typed.

    Raises
    ------
    ValueError
        As :func:`typed` and :func:`agent`.
    """
    game = game_of(size) if isinstance(size, str) else size
    _factory(name.replace(SAFETY, "").partition(":")[0], game)  # before any file is looked for
    return agent(typed(name), game)


def choices(base: str) -> str:
    """The values of an agent's options that are words, for people; empty if there are none."""
    known = VALUES.get(base, {}).items()
    return "; ".join(f"{option}: {_alternatives(words)}" for option, words in known)


def _alternatives(words: Sequence[str]) -> str:
    """Words as alternatives: ``a, b or c``."""
    return " or ".join(part for part in (", ".join(words[:-1]), words[-1]) if part)


def plain_number(text: str, kind: Any, about: str) -> float:
    """A number in plain digits: no underscores, no digits of other scripts, no spaces.

    Raises
    ------
    ValueError
        If it is none.
    """
    try:
        if "_" in text or not text.isascii() or text != text.strip():
            raise ValueError
        return kind(text)  # type: ignore[no-any-return]
    except ValueError:
        words = {int: "a whole number", float: "a number"}[kind]
        raise ValueError(f"{about}: this must be {words} in plain digits") from None


def _convert(base: str, name: str, value: str, default: Option) -> Option:
    kind: Any = type(default)
    try:
        return kind(value)  # type: ignore[no-any-return]
    except ValueError:
        words = {int: "a whole number", float: "a number"}[kind]
        raise ValueError(f"option {name} of {base} must be {words}, not {value!r}") from None
