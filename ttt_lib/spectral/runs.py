"""Long runs, kept as tables below ``data/``: every list, networks, games on 4x4 and 5x5, times."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ttt_lib.game.board import Grid
from ttt_lib.game.gametree import solve
from ttt_lib.game.match import match
from ttt_lib.game.policy import Agent, random_agent, safety, uct
from ttt_lib.spectral.exhibits import network_player, train_network, wrong_sign_uct
from ttt_lib.spectral.features import raw_features, transfer
from ttt_lib.spectral.fidelity import best_move_accuracy, heatmaps
from ttt_lib.spectral.labels import Rows, exact_rows, first, good_moves, training_rows
from ttt_lib.spectral.policy import Model, fit, player, spectral, trained
from ttt_lib.spectral.record import Record, record
from ttt_lib.spectral.ridge import ridge

Floats = NDArray[np.float64]
Row = dict[str, Any]

SEEDS = 20
"""Trainings behind each figure that depends on sampled labels."""


# ---------------------------------------------------------------------------- every list


def orderings() -> pd.DataFrame:
    """The best fixed lists by side and with or without the safety rule, over all of them."""
    return pd.DataFrame(_ordering_row(side, safe) for side in (1, -1) for safe in (False, True))


def _ordering_row(side: int, safe: bool) -> Row:
    from ttt_lib.spectral.orderings import all_orders, play_lists

    found = play_lists(all_orders(up_to_symmetry=not safe), side, safe=safe)
    margin = found.wins - found.losses
    best = int(margin.argmax())
    model = trained(Grid(3), symmetric=True).priorities()[0 if side == 1 else 1]
    ours = play_lists(model[None].astype(np.int64), side, safe=safe)
    return {
        "side": "x" if side == 1 else "o",
        "safety": "yes" if safe else "no",
        "lists": len(found.orders),
        "never_lose": int((found.worst >= 0).sum()),
        "choices": found.total,
        "best_list": " ".join(map(str, found.orders[best])),
        "best_wins": int(found.wins[best]),
        "best_losses": int(found.losses[best]),
        "fewest_losses": int(found.losses.min()),
        "model_wins": int(ours.wins[0]),
        "model_losses": int(ours.losses[0]),
        "lists_above_model": int((margin > ours.wins[0] - ours.losses[0]).sum()),
    }


# ---------------------------------------------------------------------------- rounding


def rounding() -> pd.DataFrame:
    """Accuracy when symmetric cells are told apart by rounding alone.

    Cosine features averaged image by image differ in their last digits between cells that
    are exactly alike; taking the largest number without a tolerance lets those digits choose.
    """
    grid = Grid(3)
    rows = exact_rows(grid, "optimal")
    features = _averaged_afterwards(rows)
    return pd.DataFrame(
        {"lam": lam, **_raw_accuracy(rows, features @ ridge(features, rows.target, lam))}
        for lam in np.logspace(-6, 2, 33)
    )


def _averaged_afterwards(rows: Rows) -> Floats:
    from scipy.fft import dctn

    shape, axes = (len(rows.after), 2, 3, 3), (2, 3)
    images = [raw_features(rows.after[:, image], rows.grid) for image in rows.grid.symmetries]
    turned = [dctn(image.reshape(shape), axes=axes, norm="ortho") for image in images]
    return np.asarray(np.mean(turned, axis=0).reshape(len(rows.after), -1))


def _raw_accuracy(rows: Rows, scores: Floats) -> Row:
    tree = solve(rows.grid)
    good = good_moves(tree)[~tree.finished]
    moves = rows.table(scores).argmax(axis=1)
    states = np.arange(len(moves))
    return {
        "single": first(good)[states, moves].mean(),
        "tie_aware": good[states, moves].mean(),
    }


# ---------------------------------------------------------------------------- networks


def networks() -> pd.DataFrame:
    """Networks and ridge regression on the same features and labels, judged exactly."""
    rows = []
    for labels in ("optimal", "value"):
        data = exact_rows(Grid(3), labels)
        rows.append(_contest_row("ridge", labels, 0, 0, fit(data)))
        for hidden in (10, 100):
            for seed in range(5):
                network = train_network(data, hidden=hidden, seed=seed)
                rows.append(_contest_row("network", labels, hidden, seed, network))
    return pd.DataFrame(rows)


def _contest_row(kind: str, labels: str, hidden: int, seed: int, scorer: Any) -> Row:
    agent = player(scorer) if kind == "ridge" else network_player(scorer)
    found = best_move_accuracy(heatmaps(scorer))
    head = {"model": kind, "labels": labels, "hidden": hidden, "seed": seed}
    bare = {"accuracy": found.single, "tie_aware": found.tie_aware, **_exact(record(agent), "")}
    return {**head, **bare, **_exact(record(safety(agent)), "safe_")}


def _exact(found: Record, prefix: str) -> Row:
    row: Row = {}
    for side in ("x", "o"):
        for opponent in ("random", "minimax"):
            outcome = found.matches[side, opponent]
            row[f"{prefix}{side}_{opponent}_win"] = float(outcome.win)
            row[f"{prefix}{side}_{opponent}_loss"] = float(outcome.loss)
    return {**row, f"{prefix}misplayed": found.misplayed}


# ---------------------------------------------------------------------------- games


def games() -> pd.DataFrame:
    """Matches against random play, tree search, and tree search with its sign wrong."""
    return pd.DataFrame([*_search_rows(), *_trained_rows()])


def _row(name: str, grid: Grid, opponent: str, sides: str, counts: NDArray[np.int64]) -> Row:
    win, draw, loss = (int(count) for count in counts)
    head = {"player": name, "board": grid.name, "opponent": opponent, "sides": sides}
    return {**head, "games": win + draw + loss, "win": win, "draw": draw, "loss": loss}


def _counts(a: Agent, b: Agent, number: int, seed: int, sides: Any) -> NDArray[np.int64]:
    found = match(a, b, number, rng=seed, sides=sides)
    return np.array([found.win, found.draw, found.loss])


def _search_rows() -> Iterator[Row]:
    """Is the search a search?  It must beat random play; with its sign wrong it must not."""
    for grid in (Grid(3), Grid(4)):
        for name, agent in (("uct", uct(grid)), ("uct, wrong sign", wrong_sign_uct(grid))):
            counts = _counts(agent, random_agent(grid), 1000, 1, "alternate")
            yield _row(name, grid, "random", "alternate", counts)


def opponents(grid: Grid) -> list[tuple[str, Agent, str]]:
    """The opponents of the document, each with the sides we read into it."""
    return [
        ("random", random_agent(grid), "first"),
        ("uct@100", uct(grid, 100), "alternate"),
        ("uct@150", uct(grid, 150), "alternate"),
        ("uct@150, wrong sign", wrong_sign_uct(grid, 150), "alternate"),
        ("uct@100, wrong sign", wrong_sign_uct(grid, 100), "alternate"),
    ]


def _trained_rows() -> Iterator[Row]:
    """Players trained on sampled labels, 100 games for each of ``SEEDS`` trainings."""
    for grid in (Grid(4), Grid(5)):
        for name, build in _players(grid):
            for opponent, other, sides in opponents(grid):
                counts = sum(_counts(build(seed), other, 100, seed, sides) for seed in range(SEEDS))
                yield _row(name, grid, opponent, sides, np.asarray(counts))


def _players(grid: Grid) -> list[tuple[str, Callable[[int], Agent]]]:
    def build(symmetric: str, careful: str) -> Callable[[int], Agent]:
        return lambda seed: spectral(grid, symmetric, careful, "mc", seed=seed)

    named: list[tuple[str, Callable[[int], Agent]]] = [
        (f"spectral:symmetric={symmetric},safety={careful}", build(symmetric, careful))
        for symmetric in ("no", "yes")
        for careful in ("yes", "no")
    ]
    return [*named, ("safety+random", lambda seed: safety(random_agent(grid)))]


# ---------------------------------------------------------------------------- transfer


def transfers() -> pd.DataFrame:
    """Weights carried to a larger board, beside weights trained there, against random play."""
    return pd.DataFrame(row for n in (3, 4) for row in _transfer_rows(Grid(n), Grid(n + 1)))


def _transfer_rows(small: Grid, large: Grid) -> Iterator[Row]:
    models: dict[str, Callable[[int], Model]] = {
        "carried": lambda seed: carried(small, large, seed),
        "trained there": lambda seed: trained(large, symmetric=True, labels="mc", seed=seed),
        "nothing (lowest index)": lambda seed: Model(large, np.zeros(2 * large.cells)),
    }
    for name, build in models.items():
        for careful in (False, True):
            counts = sum(_against_random(build(seed), careful, seed) for seed in range(SEEDS))
            row = _row(name, large, "random", "alternate", np.asarray(counts))
            yield {"from": small.name, "safety": "yes" if careful else "no", **row}


def carried(small: Grid, large: Grid, seed: int = 0) -> Model:
    """A symmetric model of a small board, its weights moved to a larger one by frequency."""
    model = trained(small, symmetric=True, labels="mc", seed=seed)
    return Model(large, transfer(model.weights, small, large), symmetric=True)


def _against_random(model: Model, careful: bool, seed: int) -> NDArray[np.int64]:
    agent = player(model)
    chosen = safety(agent) if careful else agent
    return _counts(chosen, random_agent(model.grid), 100, seed, "alternate")


# ---------------------------------------------------------------------------- times


def timings() -> pd.DataFrame:
    """Median seconds of training, exact evaluation and games, on one thread."""
    grid, rows = Grid(3), exact_rows(Grid(3), "optimal")
    four = spectral(Grid(4), labels="mc")
    jobs: dict[str, Callable[[], object]] = {
        "3x3: features and ridge at one lambda": lambda: fit(rows),
        "3x3: the same, symmetric": lambda: fit(rows, symmetric=True),
        "3x3: exact results, both sides, random and perfect": lambda: record(
            spectral(grid), ("random", "minimax")
        ),
        "4x4: labels, features and ridge": lambda: _train_anew(Grid(4)),
        "4x4: 200 games against uct@150": lambda: match(four, uct(Grid(4)), 200),
        "4x4: one search, 150 iterations": lambda: _search(150),
        "4x4: one search, 1500 iterations": lambda: _search(1500),
    }
    return pd.DataFrame(
        {"job": name, "rows": len(rows.after), "seconds": _median_seconds(job)}
        for name, job in jobs.items()
    )


def _search(iterations: int) -> None:
    from ttt_lib.game.search import search

    search(Grid(4), Grid(4).initial(), iterations, 1.414, rng=0)


def _train_anew(grid: Grid) -> Model:
    return fit(training_rows.__wrapped__(grid, "mc"))


def _median_seconds(job: Callable[[], object], repeats: int = 7) -> float:
    seconds = []
    for _ in range(repeats + 1):  # the first warms up
        start = time.perf_counter()
        job()
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds[1:]))
