"""The long runs of the comparison that ``data/manifest.toml`` declares, and samples of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ttt_lib.catalog import SAFETY, agent
from ttt_lib.comparison.ideas import formula_games
from ttt_lib.comparison.matrix import PLAYERS
from ttt_lib.evidence import store
from ttt_lib.evidence.clock import best_of
from ttt_lib.evidence.provenance import Sample, beside
from ttt_lib.game.board import Boards, Grid
from ttt_lib.game.exact import as_chances, float_values, policy_table
from ttt_lib.game.gametree import MAX_FULL_CELLS, GameTree, enumerate_states, solve
from ttt_lib.game.kept import read_only
from ttt_lib.game.match import match
from ttt_lib.game.policy import Agent
from ttt_lib.game.response import Soundness, soundness
from ttt_lib.game.worst import worst
from ttt_lib.ntuple.network import Patterns
from ttt_lib.ntuple.runs import network_4x4
from ttt_lib.ntuple.training import train
from ttt_lib.playout_mlp import model as mlp
from ttt_lib.spectral.handcrafted import train_hybrid
from ttt_lib.spectral.policy import trained

EXACT_4X4 = (
    *("random", "lookahead:depth=3", "minimax", "ntuple"),
    *("ising", "ising:b=0", "potential", "potential:base=3"),
)
"""Players that treat symmetric 4x4 boards alike, so that canonical forms suffice."""

PLAYED = {
    "3x3": ("random", "minimax", "uct:iterations=150", "uct:iterations=1000", "pmc:playouts=100"),
    "4x4": (
        *EXACT_4X4,
        *("uct:iterations=150", "uct:iterations=1000", "pmc:playouts=100"),
        *("spectral:labels=mc", "analytical", "ising:energy=published", "safety+random"),
    ),
    "3x3x3": (
        *("random", "lookahead:depth=2", "safety+random"),
        *("uct:iterations=150", "uct:iterations=1000", "pmc:playouts=100"),
        *("ising", "ising:b=0", "ising:energy=published", "potential", "potential:base=3"),
    ),
}
"""Which pairs play simulated games; pairs with an exact result are left out."""

KNOWN = {"3x3": ("random", "minimax"), "4x4": EXACT_4X4, "3x3x3": ()}
"""Players whose results among themselves are exact."""

GAMES = 1000
COSTED = {
    "3x3": (*PLAYERS, "uct:iterations=150", "uct:iterations=1000", "pmc:playouts=100"),
    "4x4": PLAYED["4x4"],
}
BATCH, SINGLE = 500, 50


def make_4x4() -> pd.DataFrame:
    """Results of all ordered pairs on the enumerated 4x4 game, by backward induction in floats.

    Rounding errors stay below 1e-12; `ntuple_4x4_exact.csv` holds fractions of some pairs.
    """
    tree = solve(Grid(4))
    chances = {name: as_chances(_table_4x4(name)) for name in EXACT_4X4}
    rows = [
        [x, o, *float_values(tree, chances[x], chances[o])[0].round(12)]
        for x, o in product(EXACT_4X4, repeat=2)
    ]
    return pd.DataFrame(rows, columns=["x", "o", "win", "draw", "loss"])


@cache
@read_only
def _table_4x4(name: str) -> NDArray[np.int64]:
    return policy_table(agent(name, "4x4"), solve(Grid(4)))


def make_4x4_soundness() -> pd.DataFrame:
    """Worst result of each 4x4 player on both sides, and states misplayed; empty if unknown."""
    return pd.DataFrame([_soundness_4x4(name, solve(Grid(4))) for name in PLAYED["4x4"]])


def _soundness_4x4(name: str, tree: GameTree) -> dict[str, object]:
    player = agent(name, tree.grid)
    row: dict[str, object] = {"player": name, "states": int((~tree.finished).sum())}
    if name in EXACT_4X4:
        return row | soundness(tree, _table_4x4(name))._asdict()
    unknown = dict.fromkeys(Soundness._fields)
    if player.weights is None:
        return row | unknown
    x, o = (worst(player, side).worst for side in (1, -1))
    return row | unknown | {"worst_x": x, "worst_o": o}


def make_games() -> pd.DataFrame:
    """A thousand games per ordered pair without an exact result; each pair has its own seed."""
    rows = [play(place) for place in range(len(fixtures()))]
    return pd.DataFrame(rows, columns=["board", "x", "o", "games", "win", "draw", "loss"])


def fixtures() -> list[tuple[str, str, str]]:
    """Board, X and O of every pair that is played."""
    return [
        (size, x, o)
        for size, names in PLAYED.items()
        for x, o in product(names, repeat=2)
        if not (x in KNOWN[size] and o in KNOWN[size])
    ]


def play(place: int) -> list[str | int]:
    """The row of one fixture, whose place is its seed's key: names, games, and X's results."""
    size, x, o = fixtures()[place]
    rng = np.random.default_rng(np.random.SeedSequence(8, spawn_key=(place,)))
    found = match(agent(x, size), agent(o, size), GAMES, rng=rng, sides="first")
    return [size, x, o, GAMES, found.win, found.draw, found.loss]


def make_formulas() -> pd.DataFrame:
    """Worst results of the potential over base and b, by every game: 4x4, and 3x3x3 as X."""
    boards = [(Grid(4), 1), (Grid(4), -1), (Grid(3, 3), 1)]
    return pd.concat([formula_games(grid, side) for grid, side in boards])


def make_cost() -> pd.DataFrame:
    """Processor seconds per move and of the training, and their ratio to random play.

    ``batch`` values up to 500 positions of random games at once, ``single`` some 50 of them one by
    one; both are per position and the best of three.  Training uses the default options;
    enumerating the game's states counts only for the perfect players, which need nothing else.
    The first of two runs compiles.
    """
    rows = []
    for size, names in COSTED.items():
        grid = Grid.parse(size)
        boards = _positions(grid)
        training = {name: best_of(work, 2) for name, work in _trainings(grid).items()}
        for name in names:
            spent = _move_times(agent(name, size), boards)
            rows.append([size, name, *spent, training.get(_base(name), 0.0)])
    table = pd.DataFrame(rows, columns=["board", "player", "batch", "single", "training"])
    for column in ("batch", "single"):
        unit = table[table.player == "random"].set_index("board")[column]
        table[f"{column}_ratio"] = table[column] / table.board.map(unit)
    return table


def _positions(grid: Grid) -> Boards:
    """Unfinished positions of random games, at most the same number of each length."""
    rng, found = np.random.default_rng(0), []
    for ply in range(grid.cells - 1):
        boards = grid.initial(BATCH)
        for _ in range(ply):
            boards = boards[~grid.finished(boards)]
            keys = np.where(grid.legal(boards), rng.random(boards.shape), -1.0)
            boards = grid.place(boards, keys.argmax(axis=1))
        found.append(boards[~grid.finished(boards)][: BATCH // grid.cells])
    return np.concatenate(found)


def _move_times(player: Agent, boards: Boards) -> tuple[float, float]:
    rng = np.random.default_rng(0)
    every = max(1, len(boards) // SINGLE)

    def one_by_one() -> None:
        for place in range(0, len(boards), every):
            player.policy(boards[place : place + 1], rng)

    one_by_one()  # compiles, trains, loads
    batch = best_of(lambda: player.policy(boards, rng)) / len(boards)
    return batch, best_of(one_by_one) / len(range(0, len(boards), every))


def _trainings(grid: Grid) -> dict[str, Callable[[], object]]:
    """What the players of a board have to do before their first move, by name without options."""
    small = grid.cells <= MAX_FULL_CELLS
    works: dict[str, Callable[[], object]] = {
        "minimax": lambda: enumerate_states(grid, canonical=not small).score,
        "spectral": partial(trained.__wrapped__, grid, labels="optimal" if small else "mc"),
        "ntuple": partial(train, Patterns(grid)) if small else partial(network_4x4, 0),
    }
    if small:
        data = mlp.run(0).train
        works["mlp"] = partial(mlp.train, data, 0)
        works["hybrid"] = partial(train_hybrid.__wrapped__, grid)
    return works


def _base(name: str) -> str:
    """A player's name without the safety rule and options."""
    return name.removeprefix(SAFETY).partition(":")[0]


# ---------------------------------------------------------------------------- samples


def sample_exact_4x4() -> Sample:
    """One of the pairs on 4x4."""
    x, o = "ising", "random"
    chances = [as_chances(_table_4x4(name)) for name in (x, o)]
    found = [[x, o, *float_values(solve(Grid(4)), *chances)[0].round(12)]]
    return beside("arena_4x4.csv", found, "x", "o")


def sample_soundness_4x4() -> Sample:
    """One player's worst results and misplayed states.

    Raises
    ------
    ValueError
        If the stored players are not those of ``PLAYED``, of whom the sample would tell nothing.
    """
    stored = store.read_table("arena_4x4_soundness.csv")["player"]
    if stored.to_list() != list(PLAYED["4x4"]):
        raise ValueError("arena_4x4_soundness.csv has other players than PLAYED: regenerate it")
    return beside("arena_4x4_soundness.csv", [_soundness_4x4("ising", solve(Grid(4)))], "player")


def sample_formulas() -> Sample:
    """One base and one b on every board."""
    table, boards = store.read_table("arena_formulas.csv"), ((Grid(4), 1), (Grid(4), -1))
    base, b = table.base.max(), table.b.max()
    found = pd.concat([formula_games(grid, side, [base], [b]) for grid, side in boards])
    return beside("arena_formulas.csv", found, "base", "b", "board")


def sample_games() -> Sample:
    """A thousand games of one pair.

    Raises
    ------
    ValueError
        If the stored pairs are not those of ``PLAYED``.
    """
    pairs = store.read_table("arena_games.csv")[["board", "x", "o"]]
    if [*pairs.itertuples(index=False, name=None)] != fixtures():
        raise ValueError("arena_games.csv has other pairs than PLAYED: regenerate it")
    found = [play(fixtures().index(("3x3x3", "random", "potential")))]
    return beside("arena_games.csv", found, "board", "x", "o", share=0)
