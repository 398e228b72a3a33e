"""A residual network on a GPU beside a table net, for about as many minutes, from three seeds.

Both train at once on one machine, each in a process of its own: the residual network on the GPU,
with self-play in several processes, the table net with self-play on several threads.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from ttt_lib.evidence.clock import WALL
from ttt_lib.evidence.command import Parser, run_command
from ttt_lib.evidence.store import write_atomic
from ttt_lib.game.policy import Agent
from ttt_lib.ultimate.config import QUICK, Config, NetworkConfig, Stage
from ttt_lib.ultimate.learn.graphs import GraphTrainer
from ttt_lib.ultimate.learn.networks import check_device, load_playable
from ttt_lib.ultimate.learn.trainer import Row, Trainer, csv_of, one_thread, with_changes
from ttt_lib.ultimate.studies import matches
from ttt_lib.ultimate.studies.cost import schedule
from ttt_lib.ultimate.studies.gpu_cost import GRAPHED
from ttt_lib.ultimate.studies.matches import played, trained_agent
from ttt_lib.ultimate.studies.strength import Pairing, opponent, uct_name

FILE = "ultimate_gpu_training.csv"
TABLE_NET, RESIDUAL_NET = "ultimate_gpu_table.safetensors", "ultimate_gpu_residual.safetensors"
DEVICE = "cuda"

SEEDS = (1, 2, 3)
"""Each trains both networks at once; the seeds take turns."""

STORED = SEEDS[-1]
"""The seed whose networks are stored."""

NAME = "{} x {}".format(*GRAPHED)
"""Blocks and channels of the residual network."""

RUNS: dict[str, Config] = {
    "table net": with_changes(QUICK, num_iterations=335),
    "residual net": Config(
        NAME,
        replace(
            QUICK.training, num_iterations=29, num_self_play_games=1024, lr=0.002, use_amp=True,
            q_scale=0.0, stages=(Stage(0.1, 64, 1024, 1.0), Stage(1.0, 96, 1024, 1.0)),
        ),
        NetworkConfig(*GRAPHED),
    ),
}  # fmt: skip
"""The same recipe but for games and number of iterations, the learning rate, mixed precision and
the policy's target, which for the residual network are the visits.  The numbers of iterations
were chosen to fill the time that we had."""

WORKERS = {"table net": 8, "residual net": 4}
"""Threads of self-play of the one, processes of the other."""

KEPT = (0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0)
"""Shares of a run after which its network is kept."""

LOG = "log.csv"


ALONG = Pairing(100, uct_name(1000), 100)
"""The match of every network that is kept."""

LAST = {"residual net": (Pairing(100, "table net", 400),)}
"""More matches of a network at the end of its run, with the other one at the end of its own."""


# ---------------------------------------------------------------------------- training


def trainer_of(name: str, seed: int) -> Trainer:
    """A new trainer of a run."""
    if name == "table net":
        return Trainer(RUNS[name], seed=seed, threads=WORKERS[name])
    return GraphTrainer(RUNS[name], seed=seed, threads=WORKERS[name], device=DEVICE)


def kept(name: str) -> list[int]:
    """The iterations after which a run's network is kept."""
    return [round(share * RUNS[name].training.num_iterations) for share in KEPT]


def checkpoint_of(folder: Path, name: str, iteration: int) -> Path:
    """File of a network after an iteration."""
    return folder / name / f"{iteration:04}.safetensors"


def train_one(name: str, seed: int, folder: Path) -> None:
    """Train one network; its log gives the minutes of wall time.  Compilation is not counted."""
    _compile(name, seed)
    trainer, rows, began = trainer_of(name, seed), list[Row](), WALL()
    while trainer.iteration < trainer.config.training.num_iterations:
        row = trainer.train_iteration()
        rows.append({"minutes": (WALL() - began) / 60, **row})
        write_atomic(folder / name / LOG, csv_of(rows))
        if trainer.iteration in kept(name):
            trainer.save_net(checkpoint_of(folder, name, trainer.iteration))


def _compile(name: str, seed: int) -> None:
    """Play and learn a little, in every process that will play."""
    trainer = trainer_of(name, seed)
    if isinstance(trainer, GraphTrainer):
        trainer.side_by_side = 1
    trainer.train_iteration(WORKERS[name], 1, num_simulations=4)


def train_both(seed: int, folder: Path) -> None:
    """Train both networks at once, from one seed.

    Raises
    ------
    ValueError
        If one of the training runs fails, or there is no GPU here.
    """
    check_device(DEVICE)
    here = [sys.executable, "-m", __name__]
    jobs = [subprocess.Popen([*here, name, str(seed), str(folder)]) for name in RUNS]
    failed = [job.wait() for job in jobs]
    if any(failed):
        raise ValueError("a training failed; what it said stands above")


# ---------------------------------------------------------------------------- strength


def player(path: Path, simulations: int) -> Agent:
    """A network as it is measured, by the settings of training."""
    return trained_agent(load_playable(path), simulations, c=QUICK.training.c_puct)


def play(name: str, seed: int, iteration: int, pairing: Pairing, folder: Path) -> dict[str, Any]:
    """One match, as columns of the table; ``folder`` holds the networks of this seed."""
    ours = player(checkpoint_of(folder, name, iteration), pairing.simulations)
    if pairing.opponent in RUNS:
        last = checkpoint_of(folder, pairing.opponent, kept(pairing.opponent)[-1])
        theirs = player(last, pairing.simulations)
    else:
        theirs = opponent(pairing.opponent)
    found = played(ours, theirs, pairing.games, rng=seed)
    return {"simulations": pairing.simulations, "opponent": pairing.opponent, **found}


def measured(seed: int, folder: Path) -> Iterator[dict[str, Any]]:
    """All matches of both training runs; on a CPU, an hour per seed for the residual network."""
    for name, config in RUNS.items():
        log = pd.read_csv(folder / name / LOG).set_index("iteration")["minutes"].round(2)
        for iteration in kept(name):
            begin = {
                "network": name, "seed": seed, "iteration": iteration,
                "minutes": log[iteration],
                "self_play_games": sum(n for n, _ in schedule(config.training)[:iteration]),
            }  # fmt: skip
            last = LAST.get(name, ()) if iteration == config.training.num_iterations else ()
            for pairing in (ALONG, *last):
                yield begin | play(name, seed, iteration, pairing, folder)


@cache
def _made() -> tuple[pd.DataFrame, dict[str, bytes]]:
    rows = list[dict[str, Any]]()
    with TemporaryDirectory() as place, one_thread():
        for seed in SEEDS:
            folder = Path(place) / str(seed)
            train_both(seed, folder)
            rows += measured(seed, folder)
        ends = {n: checkpoint_of(folder, n, kept(n)[-1]).read_bytes() for n in RUNS}
        return pd.DataFrame(rows), ends


def make_gpu_training() -> pd.DataFrame:
    """Train both networks from scratch with every seed and measure them along the way; needs a GPU.

    Raises
    ------
    ValueError
        If there is none here.
    """
    return _made()[0]


def make_gpu_residual() -> bytes:
    """The residual network at the end of its last run, retrained."""
    return _made()[1]["residual net"]


def make_gpu_table() -> bytes:
    """The table net at the end of its last run, retrained."""
    return _made()[1]["table net"]


def along(name: str) -> pd.DataFrame:
    """The stored matches of a network along its runs, with scores."""
    table = matches.read(FILE)
    return table[(table["network"] == name) & (table["opponent"] == ALONG.opponent)]


def final_scores(name: str) -> pd.DataFrame:
    """The last of these matches (see :func:`along`) of each seed, at the end of its run."""
    return along(name).groupby("seed", as_index=False).last()


def against_rival() -> pd.DataFrame:
    """The stored matches of the two networks at the end of their runs, with scores."""
    table = matches.read(FILE)
    return table[table["opponent"].isin(list(RUNS))]


def main(arguments: Sequence[str] | None = None) -> int:
    """Train one of the two networks."""
    parser = Parser(
        prog="python -m ttt_lib.ultimate.studies.gpu_training", description=main.__doc__
    )
    parser.add_argument("name", choices=tuple(RUNS), help="which network")
    parser.add_argument("seed", type=int, help="seed of its training")
    parser.add_argument("folder", type=Path, help="where its checkpoints are written")

    def train(options: argparse.Namespace) -> None:
        train_one(options.name, options.seed, options.folder)

    return run_command(parser, train, arguments)


if __name__ == "__main__":
    sys.exit(main())
