"""The long runs of the study that ``data/manifest.toml`` declares, and samples of them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from ttt_lib.evidence import store
from ttt_lib.evidence.parallel import run_parallel
from ttt_lib.evidence.provenance import Sample, beside
from ttt_lib.game.board import Grid
from ttt_lib.game.exact import as_chances, float_values, outcome_as, policy_table, table_of_values
from ttt_lib.game.gametree import solve
from ttt_lib.game.match import match
from ttt_lib.game.policy import Agent, lookahead, random_agent, uct
from ttt_lib.game.response import soundness
from ttt_lib.ntuple import analysis
from ttt_lib.ntuple.network import (
    Network,
    Patterns,
    Sharing,
    as_tuples,
    neighbours,
    read_stored,
    to_bytes,
)
from ttt_lib.ntuple.optimum import minimise, random_start
from ttt_lib.ntuple.players import play_with, table_of
from ttt_lib.ntuple.selfplay import Schedule, SelfPlay
from ttt_lib.ntuple.training import mean_squared_error, named_orders, positions, train

SEEDS = 100
CURVES = 500
"""Training runs for which only the printed errors are kept."""
PRINTED = 5
"""Epochs between two printed errors."""
ENUMERATED = 20
RANDOM_ORDERS = 20
"""Random orders that are kept in all epochs: the first shuffles of seeds 0, 1, ..."""
SQUARES = tuple((c, c + 1, c + 3, c + 4) for c in (0, 1, 3, 4))
VARIANTS: dict[str, Patterns] = {
    "document": Patterns(Grid(3)),
    "by kind": Patterns(Grid(3), sharing="kind"),
    "symmetric": Patterns(Grid(3), sharing="symmetric"),
    "one table": Patterns(Grid(3), sharing="one"),
    "no side to move": Patterns(Grid(3), side=False),
    "lines and squares": Patterns(Grid(3), as_tuples(Grid(3).lines) + SQUARES, sharing="symmetric"),
}
SELF_PLAY = Schedule(rate=0.02, half=20_000, epsilon=0.4)
SELF_PLAY_4X4 = Schedule(rate=0.01, half=100_000, epsilon=0.3)
GAMES_4X4 = 200_000


def make_epochs() -> pd.DataFrame:
    """Error and verdict after every epoch, one row per seed and epoch."""
    return pd.DataFrame([row for seed in range(SEEDS) for row in _epochs_of(seed)])


def make_curves() -> pd.DataFrame:
    """The error after every fifth epoch, one row per seed: how much one training differs."""
    jobs = ((seed,) for seed in range(CURVES))
    return pd.DataFrame(run_parallel(_curve, jobs, about="training runs"))


def _curve(seed: int) -> dict[str, float]:
    errors = train(VARIANTS["document"], rng=seed).errors[PRINTED - 1 :: PRINTED]
    names = range(PRINTED, len(errors) * PRINTED + 1, PRINTED)
    return {"seed": seed} | {
        f"epoch_{epoch}": round(float(error), 9) for epoch, error in zip(names, errors, strict=True)
    }


def _epochs_of(seed: int) -> Iterator[dict[str, Any]]:
    tree, patterns = analysis.tree3(), VARIANTS["document"]
    run, features = train(patterns, rng=seed), positions(patterns).features
    for epoch, (error, weights) in enumerate(zip(run.errors, run.history, strict=True), start=1):
        values = np.tanh(weights[features].sum(axis=1))
        found = soundness(tree, table_of_values(tree, values))
        yield {"seed": seed, "epoch": epoch, "error": round(float(error), 9), **found._asdict()}


def make_orders() -> pd.DataFrame:
    """The error curve for orders that are the same in every epoch, regular ones and random ones."""
    tree = analysis.tree3()
    orders = {("regular", name): order for name, order in named_orders(tree).items()}
    for seed in range(RANDOM_ORDERS):
        shuffled = np.random.default_rng(seed).permutation(len(tree))
        orders["random", f"random {seed}"] = shuffled
    return pd.DataFrame(
        [
            {"kind": kind, "order": name, "epoch": epoch, "error": error}
            for (kind, name), order in orders.items()
            for epoch, error in enumerate(train(order=order).errors, start=1)
        ]
    )


def make_starts() -> pd.DataFrame:
    """Each variant from zeros, trained and random tables, and where minimising its error ends."""
    kinds = ("trained", "random")
    starts = ["zero", *(f"{kind} {seed}" for kind in kinds for seed in range(ENUMERATED))]
    return pd.DataFrame(run_parallel(_ended, product(VARIANTS, starts), about="minimisations"))


def _ended(name: str, start: str) -> dict[str, Any]:
    patterns = VARIANTS[name]
    kind, _, seed = start.partition(" ")
    if kind == "trained":
        weights = train(patterns, rng=int(seed)).history[-1]
    elif kind == "random":
        weights = random_start(patterns, int(seed))
    else:
        weights = np.zeros(patterns.parameters + 1)
    best = minimise(patterns, weights)
    first = round(mean_squared_error(positions(patterns), weights), 9)
    return {
        "variant": name,
        "parameters": patterns.parameters,
        "start": start,
        **_judged("_start", Network(patterns, weights), first),
        "converged": best.slope < 1e-6,
        **_judged("", best.network, round(best.error, 7)),
    }


def _judged(where: str, network: Network, error: float) -> dict[str, Any]:
    tree = analysis.tree3()
    found = soundness(tree, table_of(network, tree))
    return {
        f"error{where}": error,
        f"never_loses{where}": found.never_loses,
        f"misplayed{where}": found.misplayed,
    }


def make_self_play() -> pd.DataFrame:
    """Verdicts during self-play, one row per check: four ways of learning, two of sharing."""
    checks = np.unique(np.geomspace(100, 1_000_000, 81).round(-2).astype(int))
    sharings: tuple[Sharing, ...] = ("none", "symmetric")
    jobs = product(sharings, (np.inf, SELF_PLAY.half), range(ENUMERATED), [checks])
    return pd.concat(run_parallel(_self_play_of, jobs), ignore_index=True)


def _self_play_of(sharing: Sharing, half: float, seed: int, checks: Any) -> pd.DataFrame:
    tree, rows = analysis.tree3(), []
    schedule = Schedule(SELF_PLAY.rate, half, SELF_PLAY.epsilon)
    game = SelfPlay(Patterns(Grid(3), sharing=sharing), schedule, rng=seed)
    steps = "constant" if np.isinf(half) else "falling"
    for games in checks:
        game.play(int(games) - game.games)
        for way, network in ((steps, game.network), (f"{steps}, averaged", game.averaged)):
            found = soundness(tree, table_of(network, tree))
            rows.append([sharing, way, seed, games, int(found.never_loses), found.misplayed])
    columns = ["sharing", "way", "seed", "games", "never_loses", "misplayed"]
    return pd.DataFrame(rows, columns=columns)


def network_4x4(seed: int) -> Network:
    """A 4x4 network that played against itself: ten lines, weights shared by symmetry."""
    game = SelfPlay(Patterns(Grid(4), sharing="symmetric"), SELF_PLAY_4X4, rng=seed)
    game.play(GAMES_4X4)
    return game.averaged


def make_4x4_seed0() -> bytes:
    """The stored 4x4 network of seed 0."""
    return to_bytes(network_4x4(0))


def make_4x4_seed1() -> bytes:
    """The stored 4x4 network of seed 1."""
    return to_bytes(network_4x4(1))


def make_4x4_seed2() -> bytes:
    """The stored 4x4 network of seed 2."""
    return to_bytes(network_4x4(2))


def make_4x4_exact() -> pd.DataFrame:
    """Exact results of the stored 4x4 networks on the enumerated 4x4 game, as fractions."""
    tree, grid = solve(Grid(4)), Grid(4)
    others = {"random": random_agent(grid), "lookahead:depth=3": lookahead(grid, 3)}
    tables = {name: policy_table(agent, tree) for name, agent in others.items()}
    rows = []
    for seed in range(3):
        table = policy_table(play_with(read_stored(seed)), tree)
        found = soundness(tree, table)
        for name, other in tables.items():
            for side, sign in (("x", 1), ("o", -1)):
                outcome = outcome_as(tree, sign, table, other)
                worst = [found.worst_x, found.worst_o, len(tree), found.misplayed]
                row = [seed, *worst, name, side, *map(str, outcome)]
                rows.append(row)
    columns = "seed worst_x worst_o states misplayed opponent side win draw loss"
    return pd.DataFrame(rows, columns=columns.split())


def make_4x4_matches() -> pd.DataFrame:
    """Games of 4x4 networks against tree search and others, sides alternating."""
    grid = Grid(4)
    pairs = neighbours(grid)
    games = {
        "lines, by symmetry": play_with(read_stored(0)),
        "lines, 10 x 162": _trained_4x4(Patterns(grid)),
        "2-tuples, by symmetry": _trained_4x4(Patterns(grid, pairs, sharing="symmetric")),
        "lines, by symmetry, 2 plies": play_with(read_stored(0), depth=2),
    }
    opponents = [random_agent(grid), lookahead(grid, 3), *(uct(grid, n) for n in (150, 1000, 5000))]
    rows = [_match_row(name, a, b) for name, a in games.items() for b in opponents]
    rows += [_match_row("random", random_agent(grid), b) for b in opponents[1:]]
    return pd.DataFrame(rows)


def _trained_4x4(patterns: Patterns) -> Agent:
    game = SelfPlay(patterns, SELF_PLAY_4X4, rng=0)
    game.play(GAMES_4X4)
    return play_with(game.averaged)


def _match_row(name: str, a: Agent, b: Agent, games: int = 1000) -> dict[str, Any]:
    found = match(a, b, games, rng=2014)
    ends = {f"{key}_{end}": getattr(interval, end)
            for key, interval in found.intervals.items() for end in ("low", "high")}  # fmt: skip
    return {"network": name, "opponent": b.name, "games": games, "win": found.win,
            "draw": found.draw, "loss": found.loss, **ends}  # fmt: skip


# ---------------------------------------------------------------------------- samples


def sample_network_4x4_0() -> Sample:
    """The whole network of seed 0, retrained by self-play; its weights and the stored ones."""
    networks = (network_4x4(0), read_stored(0))
    found, stored = (pd.DataFrame({"weight": network.weights}) for network in networks)
    return Sample(found, stored, 1.0)


def sample_exact_4x4() -> Sample:
    """One network against random play, in floats; its worst results and misplayed states."""
    table, tree = store.read_table("ntuple_4x4_exact.csv"), solve(Grid(4))
    # The same table as from the player's policy, computed from the tree's children.
    mine, other = table_of(read_stored(1), tree), policy_table(random_agent(Grid(4)), tree)
    x, o, wrong = soundness(tree, mine)
    win = float_values(tree, as_chances(mine), as_chances(other))[0][0].round(12)
    row = [1, x, o, len(tree), wrong, win]
    kept = table[(table.seed == 1) & (table.opponent == "random") & (table.side == "x")]
    kept = kept.assign(win=[round(float(Fraction(text)), 12) for text in kept.win])
    columns = ["seed", "worst_x", "worst_o", "states", "misplayed", "win"]
    return Sample(pd.DataFrame([row], columns=columns), kept[columns])


def sample_matches_4x4() -> Sample:
    """Random play and a stored network against look-ahead."""
    grid = Grid(4)
    pairs = {"lines, by symmetry": play_with(read_stored(0)), "random": random_agent(grid)}
    rows = [_match_row(name, agent, lookahead(grid, 3)) for name, agent in pairs.items()]
    return beside("ntuple_4x4_matches.csv", rows, "network", "opponent")


def sample_epochs() -> Sample:
    """One seed, all epochs."""
    return beside("ntuple_epochs.csv", list(_epochs_of(71)), "seed")


def sample_self_play() -> Sample:
    """One seed up to its 1000th game, decaying learning rate, weights shared by symmetry."""
    table = store.read_table("ntuple_self_play.csv")
    same = (table.sharing == "symmetric") & table.way.str.startswith("falling") & (table.seed == 3)
    kept = table[same & (table.games <= 1000)]
    checks = np.sort(kept.games.unique())
    return Sample(_self_play_of("symmetric", SELF_PLAY.half, 3, checks), kept)


def sample_starts() -> Sample:
    """Lines and squares, from zero and from one trained network."""
    rows = [_ended("lines and squares", start) for start in ("zero", "trained 0")]
    return beside("ntuple_starts.csv", rows, "variant", "start")


def sample_curves() -> Sample:
    """The curves of two seeds."""
    return beside("ntuple_curves.csv", [_curve(seed) for seed in (3, 499)], "seed", share=0)
