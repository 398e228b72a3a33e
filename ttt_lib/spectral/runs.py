"""Long runs, kept as tables below ``data/``, and samples of them: lists, networks, games, times."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from ttt_lib.evidence.clock import WALL, timed
from ttt_lib.evidence.provenance import Sample, beside
from ttt_lib.game.board import Grid
from ttt_lib.game.match import MatchResult, match
from ttt_lib.game.policy import Agent, Evaluator, from_evaluator, random_agent, safety, uct
from ttt_lib.game.record import Record, record
from ttt_lib.spectral.alternatives import kept_search, train_network, wrong_sign_uct
from ttt_lib.spectral.features import transfer
from ttt_lib.spectral.fidelity import best_move_accuracy, heatmaps
from ttt_lib.spectral.labels import Rows, exact_rows, training_rows
from ttt_lib.spectral.policy import Model, fit, player, spectral, trained
from ttt_lib.spectral.seeded_replay import SEED, printed_matches

Row = dict[str, Any]

SEEDS = 20
"""Training runs behind each figure that depends on sampled labels."""

GAMES = 100
"""Games per training against one opponent."""


# ---------------------------------------------------------------------------- every list


def make_orderings() -> pd.DataFrame:
    """The best fixed lists by side and with or without the safety rule, over all of them."""
    return pd.DataFrame(_ordering_row(side, safe) for side in (1, -1) for safe in (False, True))


def _ordering_row(side: int, safe: bool) -> Row:
    from ttt_lib.spectral.cell_orders import all_orders, play_lists

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


# ---------------------------------------------------------------------------- networks


def make_networks() -> pd.DataFrame:
    """Networks and ridge regression on the same features and labels, judged exactly."""
    rows = []
    for labels in ("optimal", "value"):
        data = exact_rows(Grid(3), labels)
        rows.append(_contest_row("ridge", labels, 0, 0, fit(data)))
        rows += [_network_row(data, labels, *job) for job in product((10, 100), range(SEEDS))]
    return pd.DataFrame(rows)


def _network_row(data: Rows, labels: str, hidden: int, seed: int) -> Row:
    network = train_network(data, hidden=hidden, seed=seed)
    return _contest_row("network", labels, hidden, seed, network)


def _contest_row(kind: str, labels: str, hidden: int, seed: int, scorer: Evaluator) -> Row:
    agent = from_evaluator(kind, Grid(3), scorer, ends=False, ties="first")
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


def make_games() -> pd.DataFrame:
    """Matches on 4x4 against random play and tree searches, training by training."""
    return pd.DataFrame([*_search_rows(), *_trained_rows(), *_quick_checks()])


def _row(name: str, grid: Grid, opponent: str, sides: str, seed: int, found: MatchResult) -> Row:
    head = {"player": name, "board": grid.name, "opponent": opponent, "sides": sides}
    counts = {"win": found.win, "draw": found.draw, "loss": found.loss}
    return {**head, "seed": seed, "games": sum(counts.values()), **counts}


def _search_rows() -> Iterator[Row]:
    """Is the search a search?  It must beat random play; with its sign wrong it must not."""
    for grid in (Grid(3), Grid(4)):
        for name, agent in (("uct", uct(grid)), ("uct, wrong sign", wrong_sign_uct(grid))):
            found = match(agent, random_agent(grid), 1000, rng=1, sides="alternate")
            yield _row(name, grid, "random", "alternate", 1, found)


def opponents(grid: Grid) -> dict[str, Agent]:
    """The opponents of the document, and the search it seems to have played against."""
    return {
        "random": random_agent(grid),
        "uct@100": uct(grid, 100),
        "uct@150": uct(grid, 150),
        "uct@150, wrong sign": wrong_sign_uct(grid, 150),
    }


def _trained_rows() -> Iterator[Row]:
    """Players trained on sampled labels: one match per training and opponent."""
    grid = Grid(4)
    for name, build in _players(grid):
        for seed in range(SEEDS):
            for opponent in opponents(grid):
                yield _trained_row(name, build, opponent, seed)


def _trained_row(name: str, build: Callable[[int], Agent], opponent: str, seed: int) -> Row:
    grid = Grid(4)
    found = match(build(seed), opponents(grid)[opponent], GAMES, rng=seed, sides="alternate")
    return _row(name, grid, opponent, "alternate", seed, found)


def _players(grid: Grid) -> list[tuple[str, Callable[[int], Agent]]]:
    def build(symmetric: str, careful: str) -> Callable[[int], Agent]:
        return lambda seed: spectral(grid, symmetric, careful, "mc", seed=seed)

    named: list[tuple[str, Callable[[int], Agent]]] = [
        (f"spectral:symmetric={symmetric},safety={careful}", build(symmetric, careful))
        for symmetric in ("no", "yes")
        for careful in ("yes", "no")
    ]
    return [*named, ("safety+random", lambda seed: safety(random_agent(grid)))]


def _quick_checks() -> Iterator[Row]:
    """The quick check on 4x4 with its program's defaults: 600 states, 8 playouts."""
    for seed in range(SEEDS):
        yield _trained_row("quick check", quick_checked, "random", seed)


def quick_checked(seed: int) -> Agent:
    """The player of :func:`_quick_checks` from a seed."""
    return spectral(Grid(4), "no", "yes", "mc", samples=600, rollouts=8, seed=seed)


# ---------------------------------------------------------------------------- transfer


def make_transfer() -> pd.DataFrame:
    """Weights transferred to a larger board and their controls, against random play."""
    cases = ((n, name, careful) for n in (3, 4) for name in MOVED for careful in (False, True))
    return pd.DataFrame(
        _transfer_row(n, name, careful, seed)
        for n, name, careful in cases
        for seed in range(MOVED[name])
    )


MOVED = {"carried": SEEDS, "trained there": SEEDS, "random weights": 2 * SEEDS, "first free": SEEDS}
"""Number of seeds of each player on the larger board."""


def moved_model(name: str, small: Grid, large: Grid, seed: int) -> Model:
    """The model of a player of ``MOVED``: all rank cells by symmetric weights, ties by index."""
    if name == "carried":
        return carried(small, large, seed)
    if name == "trained there":
        return trained(large, symmetric=True, labels="mc", seed=seed)
    drawn = np.random.default_rng(seed).normal(size=2 * large.cells)
    return Model(large, drawn if name == "random weights" else 0 * drawn, symmetric=True)


def carried(small: Grid, large: Grid, seed: int = 0) -> Model:
    """A symmetric model of a small board, its weights transferred to a larger one by frequency."""
    model = trained(small, symmetric=True, labels="mc", seed=seed)
    return Model(large, transfer(model.weights, small, large), symmetric=True)


def _transfer_row(n: int, name: str, careful: bool, seed: int) -> Row:
    large = Grid(n + 1)
    agent = player(moved_model(name, Grid(n), large, seed))
    chosen = safety(agent) if careful else agent
    found = match(chosen, random_agent(large), GAMES, rng=seed, sides="alternate")
    row = _row(name, large, "random", "alternate", seed, found)
    return {"from": Grid(n).name, "safety": "yes" if careful else "no", **row}


# ---------------------------------------------------------------------------- the document's search

MATCHES = 2
"""Matches per training against the document's search, each with a fresh memory."""

KEPT = (
    ("no", "yes", 150, 10),
    ("yes", "yes", 150, 10),
    ("no", "no", 150, 10),
    ("no", "yes", 100, 5),
)
"""The document's matches: symmetric features, safety rule, iterations, games."""


def make_kept() -> pd.DataFrame:
    """The document's matches against its own search, whose memory lasts for a whole match."""
    return pd.DataFrame(
        _kept_row(case, seed, match)
        for case in KEPT
        for seed in range(SEEDS)
        for match in range(MATCHES)
    )


def _kept_row(case: tuple[str, str, int, int], seed: int, place: int) -> Row:
    symmetric, careful, iterations, games = case
    grid, rng = Grid(4), np.random.default_rng([seed, place])
    agent = spectral(grid, symmetric, careful, "mc", seed=seed)
    counts = _one_by_one(agent, kept_search(grid, iterations), games, rng)
    head = {"symmetric": symmetric, "safety": careful, "iterations": iterations, "seed": seed}
    return {**head, "match": place, "games": games, **counts}


def _one_by_one(agent: Agent, rival: Agent, games: int, rng: np.random.Generator) -> dict[str, int]:
    """Results of games on alternating sides, each played to its end, as a search's memory grows."""
    results = []
    for number in range(games):
        pair = (agent, rival) if number % 2 == 0 else (rival, agent)
        found = match(*pair, 1, rng=rng, sides="first")
        results.append(found.win - found.loss if number % 2 == 0 else found.loss - found.win)
    return {name: results.count(value) for name, value in (("win", 1), ("draw", 0), ("loss", -1))}


ITERATIONS = (15, 50, 150, 500, 1500)
"""Those of the document's search that are tried; its own commands have 100 to 200."""

SEARCH_MATCHES, SEARCH_GAMES = 20, 20
"""Matches of each, every one with a fresh memory, and games per match, as in its commands."""


def make_search() -> pd.DataFrame:
    """The document's own search against random play on 4x4, by its number of iterations."""
    return pd.DataFrame(
        _search_row(iterations, place)
        for iterations in ITERATIONS
        for place in range(SEARCH_MATCHES)
    )


def _search_row(iterations: int, place: int) -> Row:
    grid, rng = Grid(4), np.random.default_rng([iterations, place])
    counts = _one_by_one(kept_search(grid, iterations), random_agent(grid), SEARCH_GAMES, rng)
    return {"iterations": iterations, "match": place, "games": SEARCH_GAMES, **counts}


# ---------------------------------------------------------------------------- replays

REPLAYS = 400
"""Seeds, from 0: how often do the printed results come out by chance?"""


def make_replays() -> pd.DataFrame:
    """The document's matches replayed with its seed, 42, and with others."""
    return pd.DataFrame(_replay_row(seed) for seed in range(REPLAYS))


def _replay_row(seed: int) -> Row:
    return {"seed": seed, **printed_matches(seed)}


# ---------------------------------------------------------------------------- times


def make_timing() -> pd.DataFrame:
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
        {"job": name, "seconds": _median_seconds(job)} for name, job in jobs.items()
    )


def _search(iterations: int) -> None:
    from ttt_lib.game.search import search

    search(Grid(4), Grid(4).initial(), iterations, 1.414, rng=0)


def _train_anew(grid: Grid) -> Model:
    return fit(training_rows.__wrapped__(grid, "mc"))


def _median_seconds(job: Callable[[], object], repeats: int = 7) -> float:
    job()  # compiles, loads
    return float(np.median([timed(job, WALL)[0] for _ in range(repeats)]))


# ---------------------------------------------------------------------------- samples


def sample_orderings() -> Sample:
    """All fixed lists of one side, without the safety rule."""
    return beside("spectral_orderings.csv", [_ordering_row(1, False)], "side", "safety")


def sample_networks() -> Sample:
    """Ridge regression and a small network on the expected result."""
    rows = exact_rows(Grid(3), "value")
    found = [
        _contest_row("ridge", "value", 0, 0, fit(rows)),
        _network_row(rows, "value", hidden=10, seed=3),
    ]
    return beside("spectral_networks.csv", found, "labels", "hidden", "seed", share=0)


def sample_games() -> Sample:
    """The safety rule alone against random play and tree search, all its seeds."""
    name = "safety+random"
    build = dict(_players(Grid(4)))[name]
    found = [
        _trained_row(name, build, opponent, seed)
        for seed in range(SEEDS)
        for opponent in opponents(Grid(4))
    ]
    return beside("spectral_games.csv", found, "player", share=1 / 5)


def sample_transfers() -> Sample:
    """Random weights on 4x4, without the safety rule."""
    name = "random weights"
    found = [_transfer_row(3, name, False, seed) for seed in range(MOVED[name])]
    return beside("spectral_transfer.csv", found, "player", "board", "safety", share=1 / 10)


def sample_kept() -> Sample:
    """The first match of the first training, for each case."""
    found = [_kept_row(case, 0, 0) for case in KEPT]
    return beside("spectral_kept.csv", found, "seed", "match", share=1 / 40)


def sample_search() -> Sample:
    """All matches with the fewest iterations."""
    found = [_search_row(ITERATIONS[0], place) for place in range(SEARCH_MATCHES)]
    return beside("spectral_search.csv", found, "iterations", share=1 / 150)


def sample_replays() -> Sample:
    """The document's seed and the first two."""
    found = [_replay_row(seed) for seed in (0, 1, SEED)]
    return beside("spectral_replays.csv", found, "seed")
