"""Speeds: the compiled epoch against a plain C++ loop with the same updates, and self-play."""

from __future__ import annotations

import subprocess
from typing import Any, NamedTuple

import numpy as np

from ttt_lib.evidence.bench import cpp_program, row
from ttt_lib.evidence.clock import WALL, best_of
from ttt_lib.game.board import Floats, Grid, Ints
from ttt_lib.ntuple.network import Patterns
from ttt_lib.ntuple.selfplay import SelfPlay
from ttt_lib.ntuple.training import EPOCHS, RATE, positions, sgd_epoch

REPEATS = 7
GAMES = 50_000
MAX_SECONDS = 0.5
MAX_RATIO = 1.5
MIN_GAMES = 20_000


class Reference(NamedTuple):
    """Result of the C++ loop: its time in seconds and its final weights, the bias last."""

    seconds: float
    weights: Floats


def measure() -> list[dict[str, Any]]:
    """Measure both kernels on one core.

    Returns
    -------
    list of dict
        Keys name, unit, rate, reference, reference_rate, ratio, target and note.
        The ratio is our rate over the reference's; larger is better.
    """
    return [_training(), _self_play()]


def _training() -> dict[str, Any]:
    orders = np.stack([np.random.default_rng(0).permutation(5478) for _ in range(EPOCHS)])
    updates = orders.size
    seconds, _ = ours(orders)
    reference = cpp(orders)
    found = updates / reference.seconds if reference else None
    note = f"{EPOCHS} epochs in {seconds:.3f} s (target {MAX_SECONDS} s)"
    return row(
        "N-tuple training, one update per position",
        updates / seconds,
        "plain C++ loop, g++ -O3 -march=native" if found else "none: no C++ compiler",
        found,
        unit="updates/s",
        target=f">= 1/{MAX_RATIO} of the C++ loop",
        note=note if found else f"{note}; no C++ compiler (or it failed), so no comparison",
    )


def _self_play() -> dict[str, Any]:
    game = SelfPlay(Patterns(Grid(3)))
    game.play(1)
    rate = GAMES / best_of(lambda: game.play(GAMES))
    return row(
        "N-tuple self-play with TD(0), 3x3",
        rate,
        "the target",
        MIN_GAMES,
        unit="games/s",
        target=f">= {MIN_GAMES} games/s",
        note="epsilon 0.1, learning included",
    )


def ours(orders: Ints) -> tuple[float, Floats]:
    """Seconds for the given orders, shape (epochs, S), and the trained weights."""
    patterns = Patterns(Grid(3))
    data = positions(patterns)
    weights = np.zeros(patterns.parameters + 1)

    def run() -> None:
        weights[:] = 0
        for order in orders:
            sgd_epoch(data.features, data.targets, order, weights, RATE)

    run()
    return best_of(run, REPEATS, WALL), weights


def cpp(orders: Ints) -> Reference | None:
    """Compile and run the C++ loop on the same orders; None without a compiler or its source."""
    with cpp_program("ntuple_sgd") as program:
        if program is None:
            return None
        text = _as_text(orders)
        runs = [subprocess.run([program], input=text, capture_output=True, text=True, check=True)
                for _ in range(REPEATS)]  # fmt: skip
    numbers = [np.array(run.stdout.split(), dtype=np.float64) for run in runs]
    return Reference(min(float(run[0]) for run in numbers), numbers[0][1:])


def _as_text(orders: Ints) -> str:
    """The input of the C++ program."""
    patterns = Patterns(Grid(3))
    data = positions(patterns)
    rows = np.column_stack([data.features[:, :-1], data.targets.astype(np.int64)])
    head = [len(rows), rows.shape[1] - 1, patterns.parameters, len(orders)]
    return " ".join(map(str, [*head, *rows.ravel(), *orders.ravel()]))
