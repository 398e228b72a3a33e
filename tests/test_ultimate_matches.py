"""Who meets whom in the stored matches of Ultimate: what their rows say, told without a game."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

from ttt_lib.evidence.store import read_table
from ttt_lib.ultimate.config import Config
from ttt_lib.ultimate.learn.trainer import with_changes
from ttt_lib.ultimate.players import SOLVER
from ttt_lib.ultimate.studies import (
    ablations,
    curves,
    equal_time,
    gpu_training,
    hybrid,
    rating,
    resnet_against_tables,
    stored_nets,
    strength,
    uct_constant,
)

Row = dict[str, Any]
Note = tuple[Any, ...]

PLAYERS: dict[str, Callable[..., object]] = {
    "uct": lambda game, iterations, c=uct_constant.DEFAULT: ("UCT", iterations, c),
    "random_agent": lambda game: "random",
    "stored_tables": lambda path=None: "self-play" if path is None else path.stem,
    "endgame_tables": lambda game: "endgame",
    "stored_agent": lambda simulations, **how: ("stored", simulations, how),
    "table_agent": lambda tables, simulations: (tables, simulations),
    "trained_agent": lambda net, simulations, *, c: (net, simulations, c),
    "gumbel_agent": lambda tables, simulations, *, noise: ("Gumbel", tables, simulations, noise),
    "by_phase": lambda middle, late: (middle, late),
    "alphazero": lambda game, simulations, solver=SOLVER, shallow=0: (
        "hybrid", simulations, solver, shallow,
    ),
    "load_playable": lambda path: f"{path.parent.name} {int(path.stem)}",
}  # fmt: skip
"""Notes of how players are made, instead of players."""


@pytest.fixture
def met(monkeypatch: pytest.MonkeyPatch) -> list[Note]:
    """Players, games and seed of the matches that are asked for; their times are two and one."""
    noted: list[Note] = []

    def played(ours: object, theirs: object, games: int, *, rng: int) -> dict[str, int]:
        noted.append((ours, theirs, games, rng))
        return {"games": games}

    def timed(*players: Any, rng: int) -> tuple[dict[str, int], SimpleNamespace, SimpleNamespace]:
        mine, theirs = (SimpleNamespace(milliseconds=n, nanoseconds=n) for n in (2, 1))
        return played(*players, rng=rng), mine, theirs

    def match(*players: Any, rng: int, openings: int) -> SimpleNamespace:
        played(*players, rng=rng)
        return SimpleNamespace(score=float(len(noted)))

    known = PLAYERS | {"played": played, "timed": timed, "match": match}
    for study in (
        ablations, curves, equal_time, gpu_training, hybrid, rating, resnet_against_tables,
        stored_nets, strength, uct_constant,
    ):  # fmt: skip
        for name in known.keys() & vars(study).keys():
            monkeypatch.setattr(study, name, known[name])
    return noted


class Training:
    """A trainer that learns nothing: its network names the run, the seed and the iteration."""

    def __init__(self, config: Config, *, seed: int = 0, threads: int = 1) -> None:
        self.config, self.seed, self.iteration = config, seed, 0
        self.learner = SimpleNamespace(playable=lambda: self.tables)

    @property
    def tables(self) -> str:
        return f"{self.config.name} {self.seed} {self.iteration}"

    @property
    def cpu_seconds(self) -> float:
        return 60.0 * self.iteration

    def train_iteration(self, *_: int, **__: int) -> dict[str, float]:
        self.iteration += 1
        return {"cpu_minutes": float(self.iteration)}


def opponent(name: str) -> object:
    """Random play, or UCT with its playouts, by its name in a table."""
    if name == strength.RANDOM:
        return name
    return PLAYERS["uct"](None, int(name.removeprefix("UCT ").replace(",", "")))


def rated(name: str) -> object:
    """A player of the ladder."""
    kind, *about = name.split(", ")
    if kind == "net":
        how = [rating.VARIANTS[variant] for variant in about[1:]] or [{}]
        return ("stored", int(about[0].replace(",", "")), *how)
    return {
        rating.HYBRID: ("hybrid", 200, SOLVER, 0),
        rating.SELF_PLAY: ("self-play", 200),
        rating.TEACHER: ("ultimate_teacher", 200),
        rating.GUMBEL: tuple(("Gumbel", net, 200, 0.0) for net in ("self-play", "endgame")),
    }.get(name) or opponent(name)


class Study(NamedTuple):
    """A stored table of matches: rows made anew, and what they should be matches between."""

    file: str
    rows: Callable[[], Iterable[Row]]
    ours: Callable[[Row], object]
    theirs: Callable[[Row], object]
    seed: Callable[[Row], int]


def seed_of(row: Row) -> int:
    return int(row["seed"])


def first(row: Row) -> int:
    return 1


def constants() -> Iterable[Row]:
    """The rows of the UCT constants, those for the report as they are stored."""
    for row in read_table(uct_constant.FILE)[["c", "rival_c", "seed"]].to_dict("records"):
        c = None if np.isnan(row["c"]) else row["c"]
        yield uct_constant.play(c, row["rival_c"], row["seed"])


def gpu_rows() -> Iterable[Row]:
    table = read_table(gpu_training.FILE)
    asked = ["network", "seed", "iteration", "simulations", "opponent", "games"]
    for name, seed, iteration, *pairing in table[asked].to_numpy().tolist():
        found = gpu_training.play(
            name, seed, iteration, strength.Pairing(*pairing), Path("networks")
        )
        yield {"network": name, "seed": seed, "iteration": iteration, **found}


def gpu_rival(row: Row) -> object:
    name = row["opponent"]
    if name not in gpu_training.RUNS:
        return opponent(name)
    last = gpu_training.RUNS[name].training.num_iterations
    return (f"{name} {last}", row["simulations"], 1.5)


STUDIES = {
    "hybrid": Study(
        hybrid.FILE,
        hybrid.rows,
        lambda row: ("hybrid", row["simulations"], row["cells"], row["shallow"]),
        lambda row: (
            ("hybrid", row["budget"], 0, 0)
            if row["opponent"] == hybrid.NET
            else opponent(row["opponent"])
        ),
        first,
    ),
    "strength": Study(
        strength.FILE,
        lambda: [strength.play(one) for one in strength.plan() if one.opponent in KNOWN],
        lambda row: ("stored", row["simulations"], {}),
        lambda row: opponent(row["opponent"]),
        first,
    ),
    "rating": Study(
        rating.FILE,
        lambda: [rating.play(*pair) for pair in rating.ladder() if strength.OPENSPIEL not in pair],
        lambda row: rated(row["player"]),
        lambda row: rated(row["opponent"]),
        first,
    ),
    "equal time": Study(
        equal_time.FILE,
        lambda: [equal_time.play(n, s) for n in equal_time.RIVALS for s in equal_time.SEEDS],
        lambda row: ("stored", 200, {}),
        lambda row: ("self-play", row["rival_simulations"]),
        seed_of,
    ),
    "constant of UCT": Study(
        uct_constant.FILE,
        constants,
        lambda row: ("stored", 200, {}) if row["player"] == "net" else ("UCT", 10_000, row["c"]),
        lambda row: ("UCT", 10_000, row["rival_c"]),
        seed_of,
    ),
    "other seeds": Study(
        stored_nets.SEEDS_FILE,
        lambda: stored_nets.matches({seed: f"net {seed}" for seed in (1, 2, 3)}),  # type: ignore[misc]
        lambda row: (f"net {row['seed']}", row["simulations"]),
        lambda row: (
            opponent(row["opponent"])
            if row["opponent"].startswith("UCT")
            else (row["opponent"].replace("seed", "net"), row["simulations"])
        ),
        first,
    ),
    "on a GPU": Study(
        gpu_training.FILE,
        gpu_rows,
        lambda row: (f"{row['network']} {row['iteration']}", row["simulations"], 1.5),
        gpu_rival,
        seed_of,
    ),
}
KNOWN = {strength.RANDOM, *map(strength.uct_name, (100, 1000, 10_000, 100_000))}
"""Opponents that can be made here, whatever is installed."""

MEASURED = {"win", "draw", "loss", "ms", "opponent_ms", "time_ratio", "cpu_minutes", "minutes"}


@pytest.mark.parametrize("name", STUDIES)
def test_the_players_of_a_row_are_those_that_it_names(name: str, met: list[Note]) -> None:
    study = STUDIES[name]
    rows = list(study.rows())
    stored = read_table(study.file)
    stored = stored[~stored.isin([strength.OPENSPIEL]).any(axis=1)].reset_index(drop=True)
    about = [column for column in rows[0] if column not in MEASURED]
    pd.testing.assert_frame_equal(pd.DataFrame(rows)[about], stored[about], check_dtype=False)
    wanted = [(study.ours(r), study.theirs(r), r["games"], study.seed(r)) for r in rows]
    assert met == wanted
    times = {"time_ratio": 2, "ms": 2, "opponent_ms": 1}
    for column in times.keys() & rows[0].keys():
        assert {row[column] for row in rows} == {times[column]}


@pytest.mark.parametrize(
    ("study", "maker", "settings"),
    [
        (curves, curves.make_curves, [200]),
        (resnet_against_tables, resnet_against_tables.make_networks, [100, 1.5]),
    ],
)
def test_networks_along_a_training_are_measured_after_the_iterations_of_their_rows(
    study: Any,
    maker: Callable[[], pd.DataFrame],
    settings: list[float],
    met: list[Note],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each in the training of the row's seed, which is that of the openings, too."""
    monkeypatch.setattr(study, "Trainer", Training)
    found, stored = maker(), read_table(study.FILE)
    about = [column for column in found if column not in MEASURED]
    assert found[about].equals(stored[about])
    assert (found["cpu_minutes"] == found["iteration"]).all()
    for row, pair in zip(found.to_dict("records"), met, strict=True):
        run = resnet_against_tables.RUNS[row["network"]].name if "network" in row else "quick"
        ours = (f"{run} {row['seed']} {row['iteration']}", *settings)
        assert pair == (ours, ("UCT", row["opponent"], 1.414), study.GAMES, row["seed"])


def test_a_changed_training_meets_the_unchanged_one_of_its_own_seed(
    met: list[Note], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables are named by their settings and seed here."""

    def trained(config: Config, seed: int) -> SimpleNamespace:
        return SimpleNamespace(tables=(config, seed), cpu_seconds=120, log=[{"samples": 7}] * 3)

    monkeypatch.setattr(ablations, "trained", trained)
    found = ablations.make_ablations()
    stored, about = read_table(ablations.FILE), ["variant", "seed", "uct_games", "full_games"]
    assert found[about].equals(stored[about])
    assert (found[["cpu_minutes", "positions"]] == [2, 21]).all(axis=None)
    assert found["uct_score"].tolist() == [*range(1, len(met), 2)]
    assert (found["full_score"] == found["uct_score"] + 1).all()
    for row, *two in zip(found.to_dict("records"), met[::2], met[1::2], strict=True):
        seed = row["seed"]
        ours = (with_changes(ablations.BASE, **ablations.VARIANTS[row["variant"]]), seed)
        assert two == [
            ((ours, 200, 1.5), ("UCT", 1000, 1.414), 100, seed),
            ((ours, 100, 1.5), ((ablations.BASE, seed), 100, 1.5), 200, seed),
        ]
