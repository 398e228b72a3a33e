"""Played matches: games in batches, reported with intervals."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from ttt_lib.game.policy import Agent, Game, States, choose
from ttt_lib.game.stats import Interval, wilson

Sides = Literal["alternate", "first"]

BATCH = 1000
"""Games played side by side; fixed, so that results don't depend on memory or workers."""


@dataclass(frozen=True)
class MatchResult:
    """Counts of a simulated match from the first-named agent's side."""

    games: int
    win: int
    draw: int
    loss: int
    seconds: float

    @property
    def intervals(self) -> dict[str, Interval]:
        """95 % Wilson intervals of the three shares."""
        counts = {"win": self.win, "draw": self.draw, "loss": self.loss}
        return {name: wilson(count, self.games) for name, count in counts.items()}

    @property
    def score(self) -> float:
        """Mean points: a win 1, a draw 1/2."""
        return (self.win + self.draw / 2) / self.games

    def as_dict(self) -> dict[str, Any]:
        """The JSON object of the command line."""
        counts = {k: v for k, v in asdict(self).items() if k != "seconds"}
        rate = self.games / max(self.seconds, 1e-9)
        return {**counts, "intervals": self.intervals, "games_per_second": rate}


def match(
    a: Agent,
    b: Agent,
    games: int = 1000,
    *,
    rng: np.random.Generator | int = 0,
    sides: Sides = "alternate",
    progress: bool = False,
) -> MatchResult:
    """Play games between two agents of one game.

    Parameters
    ----------
    games : int
        Number of games, at least 1.
    rng : Generator or int
        Random numbers, or their seed.
    sides : {"alternate", "first"}
        The agents take turns to begin, or ``a`` always begins.
    progress : bool
        Show a progress bar on stderr.

    Raises
    ------
    ValueError
        If games < 1, sides is unknown, or the agents play different games.
    """
    _check_match(a, b, games, sides)
    rng = np.random.default_rng(rng)
    _warm_up(a, b)
    start = time.perf_counter()
    lead = games if sides == "first" else (games + 1) // 2
    with tqdm(total=games, disable=not progress, unit="game") as bar:
        results = np.concatenate(
            [_play_all(a, b, lead, rng, bar), -_play_all(b, a, games - lead, rng, bar)]
        )
    seconds = time.perf_counter() - start
    win, draw, loss = (int((results == result).sum()) for result in (1, 0, -1))
    return MatchResult(games, win, draw, loss, seconds)


def _check_match(a: Agent, b: Agent, games: int, sides: str) -> None:
    if games < 1:
        raise ValueError(f"a match needs at least 1 game, not {games}")
    if sides not in ("alternate", "first"):
        raise ValueError(f"unknown sides {sides!r}: alternate or first")
    if a.game != b.game:
        raise ValueError(f"{a.name} plays {a.game.name} but {b.name} plays {b.game.name}")


def _warm_up(*agents: Agent) -> None:
    """Ask each agent for one move, so that compilation is not counted as playing."""
    for agent in agents:
        agent.policy(agent.game.initial(), np.random.default_rng(0))


def _play_all(
    x: Agent, o: Agent, games: int, rng: np.random.Generator, bar: tqdm[Any]
) -> NDArray[np.int8]:
    sizes = [min(BATCH, games - done) for done in range(0, games, BATCH)]
    batches = [play_games(x, o, size, rng=rng, bar=bar) for size in sizes]
    return np.concatenate([np.zeros(0, dtype=np.int8), *batches])


def play_games(
    x: Agent, o: Agent, games: int, *, rng: np.random.Generator | int, bar: tqdm[Any] | None = None
) -> NDArray[np.int8]:
    """Play a batch of games to the end and return the winners, +1, 0 or -1, shape (games,)."""
    rng = np.random.default_rng(rng)
    game: Game = x.game
    states, winners = game.initial(games), np.zeros(games, dtype=np.int8)
    running = np.arange(games)
    while len(running):
        states = _one_ply(game, x, o, states, rng)
        over = game.finished(states)
        winners[running[over]] = game.winner(states[over])
        running, states = running[~over], states[~over]
        if bar is not None:
            bar.update(int(over.sum()))
    return winners


def _one_ply(game: Game, x: Agent, o: Agent, states: States, rng: np.random.Generator) -> States:
    """Let every running game make one move, whoever is to move in it."""
    moves = np.zeros(len(states), dtype=np.intp)
    side = game.to_move(states)
    for agent, sign in ((x, 1), (o, -1)):
        mine = side == sign
        if mine.any():
            moves[mine] = choose(agent, states[mine], rng)
    return game.play(states, moves)
