"""Played matches: games in batches, reported with intervals.

Games may start from random openings, each of which is played from both sides.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from ttt_lib.game.policy import Agent, Game, States, draw
from ttt_lib.game.stats import Interval, games_interval, pairs_interval, wilson

Sides = Literal["alternate", "first"]

MAX_GAMES = 100_000_000
"""Largest number of games of a match."""

BATCH = 1000
"""Games per batch; fixed, so that results don't depend on memory or workers."""


@dataclass(frozen=True)
class MatchResult:
    """Counts of a simulated match from the first-named agent's side.

    Attributes
    ----------
    games, win, draw, loss : int
        All games played.
    seconds : float
        Time they took, excluding compilation.
    distinct : int
        Number of distinct games: any two differ in moves, sides or opening.
    counted : tuple of int
        Wins, draws and losses that the intervals are based on (default: all); where no player had
        a choice in any game, each different game once.
    pairs : tuple of int
        How many openings yielded 0, 1/2, 1, 3/2 and 2 points in their two games; where copies don't
        count (see above), only pairs with a game that does.  Empty without paired openings.
    """

    games: int
    win: int
    draw: int
    loss: int
    seconds: float
    distinct: int = 0
    counted: tuple[int, ...] = ()
    pairs: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not self.counted:
            object.__setattr__(self, "counted", (self.win, self.draw, self.loss))

    @property
    def intervals(self) -> dict[str, Interval]:
        """95% Wilson intervals of the three shares."""
        names, total = ("win", "draw", "loss"), sum(self.counted)
        return {name: wilson(n, total) for name, n in zip(names, self.counted, strict=True)}

    @property
    def score(self) -> float:
        """Mean points: a win 1, a draw 1/2."""
        return (self.win + self.draw / 2) / self.games

    @property
    def score_interval(self) -> Interval:
        """95% interval of the score; over pairs of games if openings are paired."""
        if self.pairs:
            return pairs_interval(self.pairs)
        win, draw, loss = self.counted
        return games_interval(win, draw, win + draw + loss)

    @property
    def warning(self) -> str:
        """One line if games were copies of each other, else empty."""
        if sum(self.counted) == self.games:
            return ""
        return (
            f"only {sum(self.counted)} games that could come out differently: neither player "
            "draws its moves, so intervals count each of them once; random openings make more"
        )

    def as_dict(self) -> dict[str, Any]:
        """The JSON object of the command line."""
        rate = self.games / max(self.seconds, 1e-9)
        return {
            "games": self.games, "win": self.win, "draw": self.draw, "loss": self.loss,
            "intervals": self.intervals, "games_per_second": rate, "score": self.score,
            "score_interval": self.score_interval, "distinct_games": self.distinct,
            "counted": list(self.counted), "pairs": list(self.pairs),
            "warning": self.warning or None,
        }  # fmt: skip


def match(
    a: Agent,
    b: Agent,
    games: int = 1000,
    *,
    rng: np.random.Generator | int = 0,
    sides: Sides = "alternate",
    openings: int = 0,
    progress: bool = False,
) -> MatchResult:
    """Play games between two agents of one game.

    Parameters
    ----------
    games : int
        Number of games, at least 1.
    rng : Generator or int
        Random number generator, or its seed.
    sides : {"alternate", "first"}
        The agents take turns moving first, or ``a`` always does.
    openings : int
        Up to so many random moves before the agents take over (see :func:`random_openings`), 0
        for none.  Each opening is played twice, with sides swapped; ``games`` must then be even.
    progress : bool
        Show a progress bar on stderr.

    Raises
    ------
    ValueError
        If games < 1 or > ``MAX_GAMES``, openings < 0, or openings can't be paired; sides is
        unknown, or the agents play different games.
    """
    _check_match(a, b, games, sides, openings)
    rng = np.random.default_rng(rng)
    _ask_once(a, b)
    start = time.perf_counter()
    with tqdm(total=games, disable=not progress, unit="game") as bar:
        if openings:
            played = _play_pairs(a, b, games // 2, openings, rng, bar)
        else:
            lead = games if sides == "first" else (games + 1) // 2
            played = _joined_games(
                _play_all(a, b, lead, 1, rng, bar), _play_all(a, b, games - lead, -1, rng, bar)
            )
    return _counts(played, time.perf_counter() - start, paired=bool(openings))


def _check_match(a: Agent, b: Agent, games: int, sides: str, openings: int) -> None:
    if games < 1:
        raise ValueError(f"a match needs at least 1 game, not {games}")
    if games > MAX_GAMES:
        raise ValueError(f"a match has at most {MAX_GAMES:,} games, not {games:,}")
    if sides not in ("alternate", "first"):
        raise ValueError(f"unknown sides {sides!r}: alternate or first")
    if openings < 0:
        raise ValueError(f"openings take 0 or more moves, not {openings}")
    if openings and (games % 2 or sides == "first"):
        raise ValueError("paired openings need an even number of games and alternate sides")
    if a.game != b.game:
        raise ValueError(f"{a.name} plays {a.game.name} but {b.name} plays {b.game.name}")


def longest_opening(game: Game) -> int:
    """How many random moves ``ttt_lib.match`` and ``ttt match`` allow: half of all cells."""
    return game.moves // 2


def warm_up(agent: Agent) -> None:
    """Let an agent move early and late in a random game.

    So it compiles and loads what it needs later in games before :func:`match`, which asks for a
    first move alone, would count that as time of play.
    """
    game, rng = agent.game, np.random.default_rng(0)
    states = [game.initial()]
    while not game.finished(states[-1])[0]:
        moves = np.flatnonzero(game.legal(states[-1])[0])
        states.append(game.play(states[-1], rng.choice(moves, 1)))
    game.winner(states.pop())
    for state in states[-1 :: -max(len(states) // 4, 1)][:4]:
        agent.policy(state, rng)


def _ask_once(*agents: Agent) -> None:
    """Ask each agent for its first move, so that compilation for it is not timed as play."""
    for agent in agents:
        _ask(agent, agent.game.initial(), np.random.default_rng(0))


class Games(NamedTuple):
    """Outcomes of a batch of games.

    Attributes
    ----------
    results : ndarray of int8, shape (games,)
        +1, 0 or -1 for the first-named agent.
    prints : ndarray of uint64, shape (games,)
        Fingerprints: equal for equal moves from the same state and side.
    forced : ndarray of bool, shape (games,)
        Whether both agents are known to have had no choice in any move.
    """

    results: NDArray[np.int8]
    prints: NDArray[np.uint64]
    forced: NDArray[np.bool_]


def _joined_games(*parts: Games) -> Games:
    return Games(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _counts(played: Games, seconds: float, *, paired: bool) -> MatchResult:
    """Count results, with and without copies."""
    results, fresh = played.results, _fresh(played)
    win, draw, loss = (int((results == value).sum()) for value in (1, 0, -1))
    counted = tuple(int((results[fresh] == value).sum()) for value in (1, 0, -1))
    pairs: tuple[int, ...] = ()
    if paired:
        sums = results.reshape(-1, 2).sum(axis=1)[fresh.reshape(-1, 2).any(axis=1)]
        pairs = tuple(int((sums == value).sum()) for value in (-2, -1, 0, 1, 2))
    distinct = len(np.unique(played.prints))
    return MatchResult(len(results), win, draw, loss, seconds, distinct, counted, pairs)


def _fresh(played: Games) -> NDArray[np.bool_]:
    """The games that count: all, or each once if no player ever had a choice in any of them."""
    first = np.zeros(len(played.prints), dtype=np.bool_)
    first[np.unique(played.prints, return_index=True)[1]] = True
    return first | ~played.forced.all()


def random_openings(game: Game, count: int, plies: int, rng: np.random.Generator) -> States:
    """Running states after up to ``plies`` uniformly random moves, shape (count, ...).

    A move that would end the game is not played; the opening is then one ply shorter.
    """
    states = game.initial(count)
    for row in range(count):
        state = states[row : row + 1]
        for _ in range(plies):
            move = rng.choice(np.flatnonzero(game.legal(state)[0]))
            after = game.play(state, np.array([move]))
            if not game.finished(after)[0]:
                states[row : row + 1] = state = after
    return states


def _play_pairs(
    a: Agent, b: Agent, pairs: int, plies: int, rng: np.random.Generator, bar: tqdm[Any]
) -> Games:
    """Both games of each opening, one after the other; ``a`` is to move in the first."""
    states = np.repeat(random_openings(a.game, pairs, plies, rng), 2, axis=0)
    seats = a.game.to_move(states) * np.tile(np.array([1, -1], dtype=np.int8), pairs)
    size = BATCH if a.side_by_side or b.side_by_side else 1
    spans = [slice(at, at + size) for at in range(0, 2 * pairs, size)]
    parts = [_play_on(a, b, states[span], seats[span], rng, bar) for span in spans]
    return _joined_games(*parts)


def _play_all(
    a: Agent, b: Agent, games: int, seat: int, rng: np.random.Generator, bar: tqdm[Any]
) -> Games:
    """Play games from the start; ``a`` is X (``seat`` 1) or O (-1) in all of them."""
    sizes = [min(BATCH, games - done) for done in range(0, games, BATCH)] or [0]
    seats = [np.full(size, seat, dtype=np.int8) for size in sizes]
    return _joined_games(*(_play_on(a, b, a.game.initial(len(s)), s, rng, bar) for s in seats))


def play_games(
    x: Agent, o: Agent, games: int, *, rng: np.random.Generator | int
) -> NDArray[np.int8]:
    """Play a batch of games to the end and return the winners, +1, 0 or -1, shape (games,)."""
    seats, rng = np.ones(games, dtype=np.int8), np.random.default_rng(rng)
    return _play_on(x, o, x.game.initial(games), seats, rng, None).results


def _play_on(
    a: Agent, b: Agent, states: States, seats: NDArray[np.int8], rng: np.random.Generator,
    bar: tqdm[Any] | None,
) -> Games:  # fmt: skip
    """Play running states to the end; ``seats``, shape (B,), holds the side of ``a`` in each."""
    game, winners = a.game, np.zeros(len(states), dtype=np.int8)
    prints = _first_prints(states, seats)
    forced, running = np.ones(len(states), dtype=np.bool_), np.arange(len(states))
    while len(running):
        moves, sure = _one_ply(game, a, b, states, seats[running], rng)
        states = game.play(states, moves)
        prints[running], forced[running] = _mixed(prints[running], moves), forced[running] & sure
        over = game.finished(states)
        winners[running[over]] = game.winner(states[over])
        running, states = running[~over], states[~over]
        if bar is not None:
            bar.update(int(over.sum()))
    return Games(winners * seats, prints, forced)


def _one_ply(
    game: Game, a: Agent, b: Agent, states: States, seats: NDArray[np.int8],
    rng: np.random.Generator,
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:  # fmt: skip
    """A move for every running game by its side to move, and whether that side had no choice."""
    moves, sure = np.zeros(len(states), dtype=np.intp), np.zeros(len(states), dtype=np.bool_)
    turn = game.to_move(states) == seats
    for agent, mine in ((a, turn), (b, ~turn)):
        if mine.any():
            moves[mine], sure[mine] = _ask(agent, states[mine], rng)
    return moves, sure


def _ask(
    agent: Agent, states: States, rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """The agent's moves, and whether it is certain to play each of them again."""
    if agent.moves is not None:
        return agent.moves(states, rng), np.full(len(states), agent.deterministic)
    chances = agent.policy(states, rng)
    stated = agent.deterministic or agent.weights is not None
    return draw(chances, rng), (np.count_nonzero(chances, axis=1) == 1) & stated


_ODD = np.uint64(0x9E3779B97F4A7C15)


def _mixed(prints: NDArray[np.uint64], numbers: NDArray[Any]) -> NDArray[np.uint64]:
    """Mix one more number into each fingerprint."""
    bits = (prints ^ (numbers.astype(np.uint64) + np.uint64(1))) * _ODD
    return np.asarray(bits ^ (bits >> np.uint64(29)))


def _first_prints(states: States, seats: NDArray[np.int8]) -> NDArray[np.uint64]:
    prints = np.zeros(len(states), dtype=np.uint64)
    for column in states.reshape(len(states), math.prod(states.shape[1:])).T.astype(np.int64) + 1:
        prints = _mixed(prints, column)
    return _mixed(prints, seats.astype(np.int64) + 1)
