"""Five ways to teach a machine Tic-Tac-Toe, reproduced, checked and explained.

The library behind the numbered notebooks.  One idea holds it together: a
*policy* maps a batch of boards to a batch of move distributions.  Evaluated on
every state of a finite game it is a table, and two tables give an exact match;
evaluated during play it gives a simulated one.

>>> from ttt_lib import Grid, agent, exact, match, solve, worst
>>> int(solve(Grid(3)).value[0])                # a draw under perfect play
0
>>> exact("minimax", "random").win              # from the first-named side, which begins
Fraction(75257, 77760)
>>> worst("minimax", "o").worst                 # nobody beats it
0
>>> match("random", "uct", board="4x4", games=10, rng=1).games
10

From the ground up: :mod:`~ttt_lib.game`, :mod:`~ttt_lib.evidence`, a package for each
document (``ttt_lib/documents.toml``) and for notebook 00, :mod:`~ttt_lib.catalog`,
:mod:`~ttt_lib.comparison`, :mod:`~ttt_lib.people`, and the command line on top.
"""

from __future__ import annotations

import os
from importlib import import_module
from operator import index
from typing import TYPE_CHECKING, Any, Literal

# One thread is the default everywhere: it is faster on small arrays, and sums
# keep their order, so results repeat bit for bit.  Set before numpy loads BLAS;
# a value the user chose is left alone.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

if TYPE_CHECKING:
    import numpy as np

    from ttt_lib.game.board import Grid
    from ttt_lib.game.exact import Outcome, Worst
    from ttt_lib.game.gametree import GameTree
    from ttt_lib.game.match import MatchResult, Sides
    from ttt_lib.game.policy import Agent, Game

__version__ = "0.1.0"
__all__ = ["Grid", "agent", "exact", "match", "solve", "worst"]


def __getattr__(name: str) -> Any:
    """Load ``Grid`` when it is asked for, so that importing stays cheap."""
    if name == "Grid":
        return import_module("ttt_lib.game.board").Grid
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """All names, ``Grid`` too, for completion."""
    return sorted({*globals(), *__all__})


def agent(player: str | Agent, board: str | Game | None = None) -> Agent:
    """Build an agent from its name, such as ``"minimax:ties=quick"``; an agent is passed through.

    Parameters
    ----------
    board : str or Game, optional
        The board; by default an Agent's own, and ``"3x3"`` for a player given by its name.

    Raises
    ------
    ValueError
        If the player is neither a name nor an Agent, the name, an option or the board is unknown,
        a number is too large, or the agent can't play that board or plays another.
    """
    if isinstance(player, str):
        from ttt_lib import catalog

        return catalog.typed_agent(player, _game("3x3" if board is None else board))
    from ttt_lib.game.policy import Agent

    if not isinstance(player, Agent):
        raise ValueError(f"a player is a name or an Agent, not {player!r}")
    if board is not None and player.game != (game := _game(board)):
        raise ValueError(f"{player.name} plays {player.game.name}, not {game.name}")
    return player


def exact(x: str | Agent, o: str | Agent, board: str | Game = "3x3") -> Outcome:
    """Exact probabilities of win, draw and loss, as fractions, from X's side.

    Parameters
    ----------
    x, o : str or Agent
        The player that begins, and the other.
    board : str or Game
        An n^d board small enough to enumerate: ``"3x3"`` and others of at most 9 cells; of at
        most 16, such as ``"4x4"``, for players that treat symmetric boards alike.

    Raises
    ------
    ValueError
        If a player can't state its move probabilities (then use :func:`match`), or the
        board is too large to enumerate, or of another game.
    """
    from ttt_lib.game.exact import exact_match

    grid = _grid_of("an exact match", board, "use match")
    return exact_match(agent(x, grid), agent(o, grid), solve(grid))


def solve(board: str | Game = "3x3") -> GameTree:
    """Every state of a small board with its value under perfect play, enumerated once per process.

    See :func:`ttt_lib.game.gametree.solve`.

    Parameters
    ----------
    board : str or Game
        An n^d board of at most 16 cells.  Up to 9 cells every state is a row; beyond, as on
        ``"4x4"``, one row stands for all symmetric images of a state.

    Raises
    ------
    ValueError
        If the board is unknown, too large to enumerate, or of another game.
    """
    from ttt_lib.game.gametree import solve as enumerated

    return enumerated(_grid_of("an enumeration", board, "ttt solve takes its endgames"))


def match(
    a: str | Agent,
    b: str | Agent,
    board: str | Game | None = None,
    games: int = 1000,
    *,
    rng: np.random.Generator | int = 0,
    sides: Sides = "alternate",
    openings: int = 0,
) -> MatchResult:
    """Play games and report them with intervals (:mod:`ttt_lib.game.stats`).

    See :func:`ttt_lib.game.match.match`.

    Parameters
    ----------
    board : str or Game, optional
        ``"3x3"``, ``"4x4"``, ``"3x3x3"``, ..., or ``"ultimate"``; by default an Agent's own, and
        ``"3x3"`` for players given by name.
    games : int
        Number of games, at least 1.
    rng : Generator or int
        Random number generator, or its seed.
    sides : {"alternate", "first"}
        The players take turns moving first, or ``a`` always does.
    openings : int
        Up to so many random moves before the players take over, 0 for none; a move that would
        end the game is not played, and the opening is then one ply shorter.  Each opening is
        played from both sides, so ``games`` must then be even; deterministic players need
        openings to play more than one game (``MatchResult.warning`` says so).  At most half as
        many as the board has cells.

    Raises
    ------
    ValueError
        If a player, the board, the number of games (at most 100,000,000), the generator, the
        sides or the openings are invalid, or the players' boards differ.
    """
    from numpy.random import Generator

    from ttt_lib.game.match import longest_opening, warm_up
    from ttt_lib.game.match import match as play

    one, other = agent(a, board), agent(b, board)
    games, openings = _whole("games", games), _whole("openings", openings)
    rng = rng if isinstance(rng, Generator) else _seed(rng)
    if openings > (most := longest_opening(one.game)):
        raise ValueError(
            f"openings of {openings} moves are too long for {one.game.name}: at most {most}"
        )
    for player in (one, other):
        warm_up(player)
    return play(one, other, games, rng=rng, sides=sides, openings=openings)


def worst(
    player: str | Agent,
    side: Literal["x", "o"],
    board: str | Game | None = None,
    *,
    nodes: int | None = None,
) -> Worst:
    """Worst result that some opponent reaches, and a shortest such game, by exhaustive play.

    Parameters
    ----------
    side : {"x", "o"}
        The player's side.
    board : str or Game, optional
        Any n^d board, such as ``"3x3"`` or ``"4x4x4"``; by default an Agent's own, and ``"3x3"``
        for a player given by name.
    nodes : int, optional
        Positions to visit before giving up; :data:`ttt_lib.game.worst.NODES` by default.

    Raises
    ------
    ValueError
        If the player, the side or the board is invalid, the search runs out of its budget of
        positions, or those of a ply take too much memory.
    """
    from ttt_lib.game.worst import NODES
    from ttt_lib.game.worst import worst as search

    if side not in ("x", "o"):
        raise ValueError(f"a side is x or o, not {side!r}")
    most = NODES if nodes is None else _whole("nodes", nodes)
    return search(agent(player, board), 1 if side == "x" else -1, nodes=most)


def _game(board: str | Game) -> Game:
    """The game of a name; a game is passed through."""
    if isinstance(board, str):
        from ttt_lib.catalog import game_of

        return game_of(board)
    if isinstance(board, type) or not hasattr(board, "legal"):  # an Agent has moves, too
        told = " ".join(repr(board).split())
        raise ValueError(f"a board is a game or its name, such as '3x3', not {told}")
    return board


def _grid_of(what: str, board: str | Game, instead: str) -> Grid:
    """The grid of a name, whose size is checked when it is enumerated; no other game."""
    from ttt_lib.game.board import Grid
    from ttt_lib.game.gametree import MAX_CANONICAL_CELLS

    game = _game(board)
    if not isinstance(game, Grid):
        most = f"an n^d board of at most {MAX_CANONICAL_CELLS} cells, such as 3x3 or 4x4"
        raise ValueError(f"{what} needs {most}, not {game.name}: {instead}")
    return game


def _seed(value: int) -> int:
    """A seed of any integer type."""
    try:
        seed = index(value)
    except TypeError:
        seed = -1
    if seed < 0:
        told = " ".join(repr(value).split())
        raise ValueError(f"rng must be a numpy Generator or a seed of at least 0, not {told}")
    return seed


def _whole(name: str, value: int) -> int:
    """A whole number of any integer type; booleans and floats are refused."""
    try:
        if isinstance(value, bool):
            raise TypeError
        return index(value)
    except TypeError:
        raise ValueError(f"{name} must be a whole number, not {value!r}") from None
