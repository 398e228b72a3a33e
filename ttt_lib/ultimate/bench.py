"""Speeds on Ultimate compared with C++ programs and OpenSpiel, measured in the same run."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ttt_lib.evidence import store
from ttt_lib.evidence.bench import cpp_program, row
from ttt_lib.evidence.clock import WALL, best_of, rate, timed
from ttt_lib.ultimate.board import kernels
from ttt_lib.ultimate.board.game import Ultimate, playable
from ttt_lib.ultimate.board.kernels import FORCED, FREE, State, seed
from ttt_lib.ultimate.learn import checkpoint
from ttt_lib.ultimate.players import stored_tables
from ttt_lib.ultimate.search.puct_table import TableSearch
from ttt_lib.ultimate.search.tree_search import UctSearch
from ttt_lib.ultimate.solver.solver import DTWSolver
from ttt_lib.ultimate.studies.endgames import FILE, time_solver, uct_games
from ttt_lib.ultimate.studies.strength import openspiel, openspiel_state

GAMES, DEPTH, SIMULATIONS, ROUNDS, ANEW = 300_000, 6, 10_000, 5, 2000
INPUTS = (checkpoint.STORED, FILE)
"""The stored files that are read."""


def measure() -> list[dict[str, Any]]:
    """Rows of the performance table; the rate of a reference that is unavailable is None."""
    with cpp_program("ultimate") as program:
        return [_playouts(program), _perft(program), *_uct(), _puct(), _lookup(), *_solver()]


def _reference(program: Path | None, mode: str, number: int) -> tuple[int, float] | None:
    """First number that the program prints, and its runs per second: the best of three."""
    if program is None:
        return None
    found = [
        subprocess.run([program, mode, str(number)], capture_output=True, text=True, check=True)
        for _ in range(3)
    ]
    fields = [run.stdout.split() for run in found]
    return int(fields[0][0]), 1 / min(float(field[-1]) for field in fields)


def _playouts(program: Path | None) -> dict[str, Any]:
    state, bits = Ultimate().initial()[0], np.uint64(seed(0))
    speed = rate(partial(kernels.playouts, state, GAMES, 0, bits), units=GAMES)
    other = _reference(program, "playouts", GAMES)
    return row(
        "random playouts, Ultimate", speed, _name(other), other and GAMES * other[1],
        unit="games/s", target="ratio >= 0.85 (aim 1)",
        note="the same bitboards and random numbers",
    )  # fmt: skip


def _perft(program: Path | None) -> dict[str, Any]:
    state = Ultimate().initial()[0]
    leaves = int(kernels.perft(state, DEPTH, 0))
    speed = rate(partial(kernels.perft, state, DEPTH, 0), units=leaves)
    other = _reference(program, "perft", DEPTH)
    if other is not None and other[0] != leaves:
        raise RuntimeError(f"perft counts {leaves} leaves, the reference {other[0]}")
    return row(
        "perft, every leaf played", speed, _name(other), other and leaves * other[1],
        unit="leaves/s", target="ratio >= 0.5", note=f"depth {DEPTH}",
    )  # fmt: skip


def _name(other: object) -> str:
    return "C++ -O3" if other else "none: no C++ compiler"


def _uct() -> Iterator[dict[str, Any]]:
    """UCT at OpenSpiel's settings, with a fresh tree each time: on the empty board, and later on.

    OpenSpiel makes two moves of a free one, so later there are states without a free move only.
    """
    later = [state for run in uct_games(2, rng=3, simulations=50) for state in run[6:40:6]]
    forced = [state for state in later if state[FORCED] != FREE]
    yield _beside_openspiel("empty board", [Ultimate().initial()[0]], "the start")
    yield _beside_openspiel("after 6 to 36 plies", forced, f"each of {len(forced)} states")


def _beside_openspiel(where: str, states: Sequence[State], about: str) -> dict[str, Any]:
    game, units = Ultimate(), SIMULATIONS * len(states)

    def ours() -> None:
        for state in states:
            UctSearch(game, state, rng=0, solve=False).run(SIMULATIONS)

    theirs = _openspiel(states)
    speed, other = _in_turn((ours, units), (theirs or ours, units))
    return row(
        f"UCT, Ultimate, {where}", speed, "OpenSpiel's MCTSBot (C++)", other if theirs else None,
        unit="iterations/s", target="ratio >= 20", note=f"{SIMULATIONS} iterations from {about}",
    )  # fmt: skip


def _openspiel(states: Sequence[State]) -> Callable[[], object] | None:
    """A search from each state by OpenSpiel, if it is installed."""
    pyspiel = openspiel()
    if pyspiel is None:
        return None
    game = pyspiel.load_game("ultimate_tic_tac_toe")
    evaluator = pyspiel.RandomRolloutEvaluator(1, 0)
    bot = pyspiel.MCTSBot(game, evaluator, 1.414, SIMULATIONS, 1000, False, 0, False)
    theirs = list(map(openspiel_state, states))
    return lambda: list(map(bot.mcts_search, theirs))


def _in_turn(*jobs: tuple[Callable[[], object], int]) -> list[float]:
    """Units per second of each job (a call and its units), the best of several rounds.

    In a round each job runs once, so that all of them run under the same conditions.
    """
    rounds = [[rate(work, units=units, seconds=0.3) for work, units in jobs] for _ in range(ROUNDS)]
    return [max(found) for found in zip(*rounds, strict=True)]


def _puct() -> dict[str, Any]:
    """Both searches as players run them, from the same states of UCT games, with fresh trees."""
    game, tables = Ultimate(), stored_tables()
    states = [state for run in uct_games(2, rng=3, simulations=50) for state in run[:40:6]]

    def net() -> int:
        return _simulations(TableSearch(game, state, tables) for state in states)

    def playouts() -> int:
        return _simulations(UctSearch(game, state, rng=0) for state in states)

    speed, other = _in_turn((net, net()), (playouts, playouts()))
    return row(
        "PUCT with the table net", speed, "our UCT, random playouts", other,
        unit="simulations/s", target="ratio >= 1 and >= 1 million/s (aim 1.5)",
        note=f"{SIMULATIONS} simulations from each of {len(states)} states, proofs on",
    )  # fmt: skip


def _simulations(searches: Iterable[TableSearch | UctSearch]) -> int:
    """Run each search to its end; returns the simulations made, fewer where a root was proven."""
    total = 0
    for search in searches:
        search.run(SIMULATIONS)
        total += search.simulations
    return total


def _lookup() -> dict[str, Any]:
    """Looking up a solved endgame, compared with solving it with an empty table."""
    solver, game = DTWSolver(), Ultimate()
    state = game.initial()
    rng = np.random.default_rng(5)
    while not solver.is_endgame(state[0]):
        state = game.play(state, np.array([rng.choice(np.flatnonzero(game.legal(state)[0]))]))
    solver.calculate_dtw(state[0])
    speed = 1 / best_of(partial(solver.lookup_cache, state[0]), ANEW, WALL)

    def solving() -> float:
        """Seconds with an empty table; emptying it takes longer, and does not count."""
        solver.table.clear()
        return timed(partial(solver.calculate_dtw, state[0]), WALL)[0]

    anew = 1 / min(solving() for _ in range(ANEW))
    return row(
        "look-up in the solver's table", speed, "solving it anew", anew, unit="calls/s",
        note=f"through Python, the fastest of {ANEW} calls; one endgame of "
             f"{playable(state)[0]} cells, {solver.searched} nodes",
    )  # fmt: skip


def _solver() -> list[dict[str, Any]]:
    """Times of the solver on positions of UCT games: stored ones as reference, new ones as rate.

    The positions are the same: the games played here are the first of those behind the stored
    table.

    Raises
    ------
    RuntimeError
        If they are not.
    """
    stored, fresh = store.read_table(FILE), time_solver(games=60)
    rows = []
    for cells, limit, aim in ((15, 1.5, 0.5), (20, 20, 8), (25, 250, 100)):
        here, there = (t[t["limit"] == cells].set_index("milliseconds") for t in (fresh, stored))
        there = there.head(len(here))
        if (here.to_numpy() != there.to_numpy()).any():
            raise RuntimeError(f"other positions of {cells} cells than those of {FILE}")
        new, old = (float(np.percentile(t.index, 99)) for t in (here, there))
        rows.append(
            row(
                f"solver, <= {cells} playable cells, p99",
                1e3 / new,
                "stored table",
                1e3 / old,
                unit="positions/s",
                target=f"<= {limit} ms (aim {aim})",
                note=f"p99 {new:.3g} ms here, {old:.3g} ms stored, of {len(here)} positions; "
                "empty table, processor time",
            )
        )
    return rows
