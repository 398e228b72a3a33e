"""Solving endgames: what it costs, what its parts are worth, and what faults do to it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, partial

import numpy as np
import pandas as pd
from numba import njit

from ttt_lib.evidence import store
from ttt_lib.evidence.clock import best_of, timed
from ttt_lib.evidence.faults import with_parts
from ttt_lib.game.jit import mix
from ttt_lib.ultimate.board import symmetry
from ttt_lib.ultimate.board.game import Ultimate, playable
from ttt_lib.ultimate.board.kernels import FORCED, FREE, State, States
from ttt_lib.ultimate.search.tree_search import UctSearch
from ttt_lib.ultimate.solver import negamax
from ttt_lib.ultimate.solver.negamax import (
    BY_INDEX,
    BY_PLACE,
    list_moves,
    parts,
    probe_entry,
    store_entry,
    tail,
    turn_move,
)
from ttt_lib.ultimate.solver.solver import BudgetExceededError, DTWSolver
from ttt_lib.ultimate.solver.table import EXACT
from ttt_lib.ultimate.studies.random_games import first_endgames

FILE = "ultimate_solver.csv"
ORDERS = "ultimate_orders.csv"
RANDOM_ORDERS = "ultimate_orders_random.csv"
LIMITS = (5, 10, 15, 20, 25, 30)
"""Limits of playable cells: the first position of each game within each limit is taken."""

GAMES = 300
SIMULATIONS = 300
BUDGET = 5_000_000


def uct_games(
    games: int, *, rng: np.random.Generator | int = 0, simulations: int = SIMULATIONS
) -> Iterator[States]:
    """Running states of games between UCT players whose first four moves are random."""
    game, rng = Ultimate(), np.random.default_rng(rng)
    for _ in range(games):
        state, states = game.initial(), []
        search = UctSearch(game, state[0], rng=rng)
        while not game.finished(state)[0]:
            states.append(state[0])
            if len(states) <= 4:
                move = int(rng.choice(np.flatnonzero(game.legal(state)[0])))
            else:
                search.restart(state[0])
                move = int(search.run(simulations).scores.argmax())
            state = game.play(state, np.array([move]))
        yield np.array(states)


def sample(
    games: int, limits: tuple[int, ...] = LIMITS, *, rng: np.random.Generator | int = 0
) -> list[tuple[int, State]]:
    """(limit, state): of each game the first state with at most ``limit`` playable cells."""
    found = []
    for states in uct_games(games, rng=rng):
        cells = playable(states)
        reached = [limit for limit in limits if (cells <= limit).any()]
        found += [(limit, states[int((cells <= limit).argmax())]) for limit in reached]
    return found


def time_solver(games: int = GAMES, limits: tuple[int, ...] = (15, 20, 25)) -> pd.DataFrame:
    """Solve positions of UCT games, each with an empty table; milliseconds of processor time."""
    solver = DTWSolver(nodes=BUDGET)
    rows = sample(games, limits)
    _warm(solver, rows[0][1])
    return pd.DataFrame([_timed(solver, limit, state) for limit, state in rows])


def _warm(solver: DTWSolver, state: State) -> DTWSolver:
    """The solver, after it has solved a state once: what that takes at first is not timed."""
    solver.calculate_dtw(state)
    return solver


def _timed(solver: DTWSolver, limit: int, state: State) -> dict[str, float | int | str]:
    solver.table.clear()
    seconds, (result, distance) = timed(partial(_solved, solver, state))
    hot, cold = solver.table.used
    stones = int(sum(bin(word).count("1") for word in state[:18].tolist()))
    return {
        "limit": limit,
        "playable": int(playable(state[None])[0]),
        "empties": 81 - stones,
        "result": result,
        "distance": distance,
        "nodes": solver.searched,
        "milliseconds": 1e3 * seconds,
        "entries": hot + cold,
    }


def _solved(solver: DTWSolver, state: State) -> tuple[int, int]:
    try:
        found = solver.calculate_dtw(state)
    except BudgetExceededError:
        return 9, 0
    return found.result, found.distance or 0


def make_solver() -> pd.DataFrame:
    """The solver's reach: all limits; ``result`` 9 where the budget ran out."""
    return time_solver(GAMES, LIMITS)


VARIANTS: dict[str, dict[str, object]] = {
    "ours": {},
    "symmetric keys": {"symmetric": True},
    "no table": {"use_cache": False},
    "centre, corners, edges": {"order": negamax.BY_PLACE},
    "lowest index": {"order": negamax.BY_INDEX},
}


def make_variants(games: int = 120, names: Collection[str] = tuple(VARIANTS)) -> pd.DataFrame:
    """Nodes and milliseconds of the same positions with other keys and move orders."""
    rows = sample(games, (10, 15, 20), rng=1)
    return pd.DataFrame(
        [
            {"variant": name, "number": number, **_timed(made, limit, state)}
            for name in names
            for made in [_warm(DTWSolver(nodes=BUDGET, **VARIANTS[name]), rows[0][1])]  # type: ignore[arg-type]
            for number, (limit, state) in enumerate(rows)
        ]
    )


@njit
def list_edges_first(s, side, first, buffer, at, order, rules):  # type: ignore[no-untyped-def]
    """List the moves with the ranks of edges, corners and centre the other way round.

    The arguments are those of :func:`ttt_lib.ultimate.solver.negamax.list_moves`.
    """
    size = list_moves(s, side, first, buffer, at, BY_PLACE, rules)
    for i in range(at, at + size):
        rank = buffer[i] >> 14
        if 1 <= rank <= 3:
            buffer[i] += (4 - 2 * rank) << 14
    return size


@njit
def list_at_random(s, side, first, buffer, at, order, rules):  # type: ignore[no-untyped-def]
    """List the moves with ranks that are drawn anew for each position.

    Drawn means hashed from the position and the move: a position always gets the same order.  The
    arguments are those of :func:`ttt_lib.ultimate.solver.negamax.list_moves`.
    """
    size = list_moves(s, side, first, buffer, at, BY_INDEX, rules)
    key = parts(s, 0) ^ tail(s, 0)
    for i in range(at, at + size):
        if buffer[i] >> 14 == 1:
            drawn = mix(key + np.uint64(buffer[i])) >> np.uint64(52)
            buffer[i] += np.int64(drawn) << 14
    return size


EDGES_FIRST, AT_RANDOM = "edges, corners, centre", "random"
ORDERED: dict[str, tuple[int, Callable[..., int] | None]] = {
    "ours": (negamax.BY_THREATS, None),
    "centre, corners, edges": (BY_PLACE, None),
    "lowest index": (BY_INDEX, None),
    EDGES_FIRST: (BY_PLACE, list_edges_first),
    AT_RANDOM: (BY_INDEX, list_at_random),
}
"""Move orders, and what lists the moves where that is not the solver's own part."""


def make_orders(games: int = 800) -> pd.DataFrame:
    """Nodes of the same positions with each of the move orders, each time with an empty table."""
    return _ordered(sample(games, (15,), rng=11))


def make_orders_random(positions: int = 3000) -> pd.DataFrame:
    """The same for positions of games that are played at random, one from each game."""
    return _ordered([(15, state) for state in first_endgames(positions)])


def _ordered(rows: list[tuple[int, State]]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"variant": name, "number": number, "limit": limit, "nodes": nodes_of(made, state)}
            for name in ORDERED
            for made in [ordered_solver(name)]
            for number, (limit, state) in enumerate(rows)
        ]
    )


def ordered_solver(name: str) -> DTWSolver:
    """A solver with one of the move orders, and a small table."""
    order, listed = ORDERED[name]
    solver = DTWSolver(nodes=BUDGET, order=order, hot_size=1 << 12, cold_size=1 << 16)
    if listed is not None:
        solver.negamax = with_parts(negamax.negamax, list_moves=listed)
    return solver


def nodes_of(solver: DTWSolver, state: State) -> int:
    """Number of nodes it takes to solve a position, starting with an empty table."""
    solver.table.clear()
    solver.calculate_dtw(state)
    return solver.searched


# ---------------------------------------------------------------------------- faults


@njit
def probe_without_forced_board(s, key, image_keys, ply, hot, cold, flags):  # type: ignore[no-untyped-def]
    """Ask the table for the position as if the next move were free, whichever sub-board is forced.

    The arguments are those of :func:`ttt_lib.ultimate.solver.negamax.probe_entry`.
    """
    free = s.copy()
    free[FORCED] = FREE
    return probe_entry(free, key, image_keys, ply, hot, cold, flags)


@njit
def store_as_exact(mark, turn, best, bound, move, nodes, ply, hot, cold):  # type: ignore[no-untyped-def]
    """Store every score as exact, even a mere bound.

    The arguments are those of :func:`ttt_lib.ultimate.solver.negamax.store_entry`.
    """
    store_entry(mark, turn, best, EXACT, move, nodes, ply, hot, cold)


@njit
def probe_without_turning(s, key, image_keys, ply, hot, cold, flags):  # type: ignore[no-untyped-def]
    """Read and store moves as they lie on the board at hand, not as on the canonical one.

    The arguments are those of :func:`ttt_lib.ultimate.solver.negamax.probe_entry`.
    """
    mark, turn, score, bound, move = probe_entry(s, key, image_keys, ply, hot, cold, flags)
    return mark, 0, score, bound, turn_move(move, turn)


FAULTS = {
    "key without forced sub-board": {"probe_entry": probe_without_forced_board},
    "bounds stored as exact": {"store_entry": store_as_exact},
    "move not turned back": {"probe_entry": probe_without_turning},
}
"""The faulty parts of each fault, by the names of the sound ones."""


@cache
def _negamax(fault: str):  # type: ignore[no-untyped-def]
    return with_parts(negamax.negamax, **FAULTS[fault])


def faulty_solver(fault: str) -> DTWSolver:
    """A solver with one of the faults; its keys are canonical where the fault needs it.

    Raises
    ------
    KeyError
        If no fault has that name.
    """
    solver = DTWSolver(symmetric=FAULTS[fault].get("probe_entry") is probe_without_turning)
    solver.negamax = _negamax(fault)
    return solver


NO_FAULT = "none"


def make_faults(faults: Sequence[str] = (*FAULTS, NO_FAULT)) -> pd.DataFrame:
    """How often the document's three faults make an answer wrong, on the same endgames.

    The faulty solver meets the positions of whole games, as in self-play, with one table.
    """
    states = np.concatenate([s[playable(s) <= 15] for s in uct_games(150, rng=2)])[:1000]
    turned = np.array([symmetry.transform(s[None], i % 8)[0] for i, s in enumerate(states)])
    sound = DTWSolver()
    solvers = {f: DTWSolver() if f == NO_FAULT else faulty_solver(f) for f in faults}
    return pd.DataFrame(
        [
            {"fault": name, **wrong_answers(solver, sound, turned)}
            for name, solver in solvers.items()
        ]
    )


def wrong_answers(faulty: DTWSolver, sound: DTWSolver, states: States) -> dict[str, int]:
    """Number of positions on which a solver's result, distance or move is wrong."""
    game, wrong = Ultimate(), {"positions": len(states), "result": 0, "distance": 0, "move": 0}
    for state in states:
        truth, found = sound.calculate_dtw(state), faulty.calculate_dtw(state)
        wrong["result"] += found.result != truth.result
        wrong["distance"] += found.distance != truth.distance
        if game.legal(state[None])[0, found.best_move]:
            after = game.play(state[None], np.array([found.best_move]))[0]
            wrong["move"] += sound.calculate_dtw(after).result != -truth.result
        else:
            wrong["move"] += 1
    return wrong


# ---------------------------------------------------------------------------- copies


class _Board:
    """A position in lists of lists, as in document 5's program, for timing copies."""

    def __init__(self) -> None:
        self.cells = [[0] * 9 for _ in range(9)]
        self.owners = [[0] * 3 for _ in range(3)]
        self.side, self.last, self.winner = 1, None, None

    def clone(self) -> _Board:
        other = object.__new__(_Board)
        other.cells = [row[:] for row in self.cells]
        other.owners = [row[:] for row in self.owners]
        other.side, other.last, other.winner = self.side, self.last, self.winner
        return other


def make_copies() -> pd.DataFrame:
    """Microseconds of one copy of a board in lists: by deepcopy, by hand; and of a packed state."""
    board, state = _Board(), Ultimate().initial()[0]
    tasks: dict[str, Callable[[], object]] = {
        "deepcopy": lambda: copy.deepcopy(board),
        "by hand": board.clone,
        "packed state": state.copy,
    }
    return pd.DataFrame(
        [{"way": name, "microseconds": _microseconds(task)} for name, task in tasks.items()]
    )


def _microseconds(task: Callable[[], object], calls: int = 3000) -> float:
    """Microseconds per call, the best of seven spans of ``calls`` calls."""

    def span() -> None:
        for _ in range(calls):
            task()

    return 1e6 * best_of(span, 7) / calls


# ---------------------------------------------------------------------------- what the tables say


def solver_times() -> pd.DataFrame:
    """Stored times of the solver, one row per limit of playable cells.

    A position whose search was cut off takes longer than that, nobody knows how much: a quantile
    or greatest number that would need it is missing (NaN).
    """
    table = store.read_table(FILE)
    spent, unsolved = ["nodes", "milliseconds"], table["result"] == 9
    known = table.assign(**table[spent].astype(float).mask(unsolved, np.inf))
    groups = known.groupby("limit")
    return pd.DataFrame(
        {
            "positions": groups.size(),
            "solved": groups["result"].apply(lambda r: float((r != 9).mean())),
            "median nodes": groups["nodes"].median(),
            "p99 nodes": groups["nodes"].quantile(0.99),
            "median ms": groups["milliseconds"].median(),
            "p99 ms": groups["milliseconds"].quantile(0.99),
            "most ms": groups["milliseconds"].max(),
        }
    ).replace(np.inf, np.nan)


def mean_milliseconds(limit: int) -> float:
    """Stored mean time of the solver at a limit of playable cells."""
    table = store.read_table(FILE)
    return float(table.loc[table["limit"] == limit, "milliseconds"].mean())


def variants() -> pd.DataFrame:
    """Nodes, milliseconds and table entries by limit and variant, relative to ours."""
    table = store.read_table("ultimate_variants.csv")
    sums = table.groupby(["limit", "variant"])[["nodes", "milliseconds", "entries"]].sum()
    ours = sums.xs("ours", level="variant")
    return sums / ours.reindex(sums.index, level="limit")


def variant(name: str, limit: int) -> dict[str, float]:
    """One row of :func:`variants`."""
    row = variants().to_dict("index")[limit, name]
    return {str(key): float(value) for key, value in row.items()}


@cache
def node_ratio(name: str, other: str, limit: int, file: str = ORDERS) -> tuple[float, float, float]:
    """:func:`mean_ratio` of one variant's nodes to those of another."""
    nodes = _nodes(limit, file)
    return mean_ratio(nodes[name], nodes[other])


def total_ratio(
    name: str, other: str, limit: int, file: str = ORDERS
) -> tuple[float, float, float]:
    """Ratio of the sums of nodes over positions, and its 95% bootstrap interval over positions."""
    nodes = _nodes(limit, file)
    ours, theirs = (nodes[variant].to_numpy(float) for variant in (name, other))
    rows = np.random.default_rng(0).integers(len(ours), size=(10_000, len(ours)))
    low, high = np.quantile(ours[rows].sum(axis=1) / theirs[rows].sum(axis=1), [0.025, 0.975])
    return float(ours.sum() / theirs.sum()), float(low), float(high)


def node_counts(name: str, other: str, limit: int, file: str = ORDERS) -> tuple[int, int, int]:
    """On how many positions one variant takes fewer nodes than another, as many, and more."""
    nodes = _nodes(limit, file)
    ours, theirs = nodes[name], nodes[other]
    return int((ours < theirs).sum()), int((ours == theirs).sum()), int((ours > theirs).sum())


def _nodes(limit: int, file: str = ORDERS) -> pd.DataFrame:
    """Nodes by position and variant, at most ``limit`` cells."""
    table = store.read_table(file).query("limit == @limit")
    return table.pivot(index="number", columns="variant", values="nodes")


def mean_ratio(ours: pd.Series[int], theirs: pd.Series[int]) -> tuple[float, float, float]:
    """Geometric mean of ratios, position by position, and its bounds.

    The bounds are a 95% bootstrap interval over positions.
    """
    logs = np.log((ours / theirs).to_numpy())
    rows = np.random.default_rng(0).integers(len(logs), size=(10_000, len(logs)))
    low, high = np.quantile(logs[rows].mean(axis=1), [0.025, 0.975])
    return float(np.exp(logs.mean())), float(np.exp(low)), float(np.exp(high))


def positions_of(limit: int, file: str = ORDERS) -> int:
    """Positions behind :func:`node_ratio`."""
    return int(store.read_table(file).query("limit == @limit")["number"].nunique())


def faults() -> pd.DataFrame:
    """Wrong answers caused by each fault, and the number of positions."""
    return store.read_table("ultimate_faults.csv").set_index("fault")


def copies() -> dict[str, float]:
    """Stored microseconds of a copy of the board, for each way of copying it."""
    table = store.read_table("ultimate_copies.csv").set_index("way")["microseconds"]
    return {str(way): float(time) for way, time in table.items()}
