"""Make the stored tables of document 1 (``make full``; minutes each), and samples of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from ttt_lib.evidence.clock import WALL, timed
from ttt_lib.evidence.parallel import run_parallel
from ttt_lib.evidence.provenance import Sample, beside
from ttt_lib.game.exact import outcome_as, policy_table, worst_case
from ttt_lib.game.match import MatchResult, match
from ttt_lib.game.policy import Agent, minimax, random_agent, uct
from ttt_lib.playout_mlp import ceilings, players, study
from ttt_lib.playout_mlp.data import GRID
from ttt_lib.playout_mlp.model import STORED_SEEDS, Net, evaluator, net, pack_nets, run, train

GAMES = 4000
BUDGETS = (1, 3, 10, 30, 100)
"""Playouts for each move of the players that search by playouts."""
DEPTHS = (1, 2, 3, 4)
TEMPERATURES = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0)


def make_seeds() -> pd.DataFrame:
    """One row per seed: everything published or measured about its network."""
    return pd.DataFrame(run_parallel(_seed, ((seed,) for seed in study.SEEDS), about="seeds"))


def _seed(seed: int) -> dict[str, float]:
    # Processors differ from about the twelfth decimal on; six decimals hide nearly all of that.
    return {name: round(value, 6) for name, value in study.quantities(run(seed), seed).items()}


def make_copying() -> pd.DataFrame:
    """One row per seed: what a learner that copies similar rows gains from the leak."""
    jobs = ((seed,) for seed in study.COPYING_SEEDS)
    return pd.DataFrame(run_parallel(study.copying_quantities, jobs, about="seeds"))


def make_nets() -> bytes:
    """The networks of the first seeds: trained on X's rows, and on the rows of both sides."""
    return pack_nets(
        {
            record: [
                run(seed, record=record).net
                for seed in tqdm(STORED_SEEDS, desc=f"nets, rows of {record}", unit="net")
            ]
            for record in ("x", "both")
        }
    )


def make_strength() -> pd.DataFrame:
    """Exact results of every player that states its probabilities, on both sides."""
    jobs = tqdm(list(_players()), desc="exact matches", unit="player")
    return pd.DataFrame([row for job in jobs for row in _exact_rows(*job)])


def _exact_rows(names: dict[str, Any], agent: Agent) -> list[dict[str, Any]]:
    """A player's rows: both sides against both opponents."""
    return [
        {**names, **_exact_row(agent, side, opponent)}
        for side in ("x", "o")
        for opponent in (random_agent(GRID), minimax(GRID))
    ]


def _players() -> Iterable[tuple[dict[str, Any], Agent]]:
    """Each player with the columns that name it."""
    for seed in STORED_SEEDS:
        for record, depth in [("x", d) for d in DEPTHS] + [("both", 1), ("both", 2)]:
            values = evaluator(net(seed, record))
            row = {"values": f"net {record}", "seed": seed, "depth": depth}
            yield row, players.value_agent("net", values, depth)
        row = {"values": "net x, ends too", "seed": seed, "depth": 1}
        yield row, players.value_agent("net", evaluator(net(seed)), ends=False)
    for depth in range(1, 10):
        for ties in ("uniform", "first"):
            row = {"values": f"exact, ties {ties}", "seed": -1, "depth": depth}
            yield row, players.exact_agent(depth, ties="first" if ties == "first" else "uniform")
    for seed in STORED_SEEDS:
        for heat in TEMPERATURES:
            chances = players.playout_chances(evaluator(net(seed)), heat)
            row = {"values": f"pmc limit, T={heat}", "seed": seed, "depth": 1}
            yield row, players.monte_carlo_limit(chances)


def _exact_row(agent: Agent, side: str, opponent: Agent) -> dict[str, Any]:
    game, sign = ceilings.tree(), 1 if side == "x" else -1
    table = policy_table(agent, game)
    outcome = outcome_as(game, sign, table, policy_table(opponent, game))
    worst = worst_case(game, table, sign)
    return {
        "side": side,
        "opponent": opponent.name.partition(":")[0],
        **{name: str(value) for name, value in outcome._asdict().items()},
        "worst": worst.worst,
        "line": " ".join(map(str, worst.line)),
    }


def make_games() -> pd.DataFrame:
    """Matches of the players that can't state their probabilities, against random and minimax."""
    bar = tqdm(_matches(), desc="matches", unit="match")
    return pd.DataFrame([_match_row(*job) for job in bar])


def _matches() -> list[tuple[str, int, str, Agent, np.random.Generator]]:
    """Player, playouts, side, opponent and generator of every match."""
    jobs = [
        (kind, budget, side, opponent)
        for kind in ("pmc random", "pmc mlp", "uct random", "uct mlp")
        for budget in BUDGETS
        for side in ("x", "o")
        for opponent in (random_agent(GRID), minimax(GRID))
    ]
    # Every job has its own seed, so that omitting one changes no other.
    seeds = np.random.SeedSequence(1).spawn(len(jobs))
    return [(*job, np.random.default_rng(one)) for job, one in zip(jobs, seeds, strict=True)]


def _match_row(
    kind: str, budget: int, side: str, opponent: Agent, rng: np.random.Generator
) -> dict[str, Any]:
    agent = sampled_player(kind, budget)
    if side == "x":
        result = match(agent, opponent, GAMES, rng=rng, sides="first")
    else:
        other = match(opponent, agent, GAMES, rng=rng, sides="first")
        result = MatchResult(other.games, other.loss, other.draw, other.win, other.seconds)
    return {
        "player": kind,
        "playouts": budget,
        "side": side,
        "opponent": opponent.name.partition(":")[0],
        "games": result.games,
        **{name: getattr(result, name) for name in ("win", "draw", "loss")},
    }


def sampled_player(kind: str, budget: int) -> Agent:
    """A Monte Carlo player: ``pmc`` or ``uct``, with ``random`` or ``mlp`` playouts.

    For Pure Monte Carlo the budget is playouts per move; tree search gets nine times that per
    decision, so that both spend the same on the empty board.
    """
    search, _, policy = kind.partition(" ")
    if search == "pmc":
        return players.pmc_agent(GRID, budget, policy)
    if policy == "random":
        return uct(GRID, GRID.cells * budget)
    return players.uct_agent(GRID.cells * budget, net(0))


def make_timing() -> pd.DataFrame:
    """How long training and one prediction take here, called as in the document (medians)."""
    data = run(0).train
    training = [_both_clocks(partial(train, data, seed)) for seed in range(5)]
    model = train(data, 0)
    one = study.board(study.EXAMPLES[0]).tolist()
    predictions = [_both_clocks(lambda: model.predict(pd.DataFrame(one))) for _ in range(200)]
    rows = {"training": training, "one prediction": predictions}
    return pd.DataFrame([{"what": what, **_medians(times)} for what, times in rows.items()])


def _both_clocks(work: Callable[[], Any]) -> tuple[float, float]:
    wall, (cpu, _) = timed(partial(timed, work), WALL)
    return wall, cpu


def _medians(times: list[tuple[float, float]]) -> dict[str, float]:
    wall, cpu = (median(column) for column in zip(*times, strict=True))
    return {"repeats": len(times), "wall_seconds": wall, "cpu_seconds": cpu}


# ---------------------------------------------------------------------------- samples


def sample_seeds() -> Sample:
    """Everything about one network, retrained (seed 6 trains fastest)."""
    return beside("playout_mlp_seeds.csv", [_seed(6)], "seed")


def sample_copying() -> Sample:
    """The first two seeds."""
    found = [study.copying_quantities(seed) for seed in study.COPYING_SEEDS[:2]]
    return beside("playout_mlp_copying.csv", found, "seed")


def sample_nets() -> Sample:
    """One network, trained on the rows of both sides: all its weights (seed 0 trains fastest)."""
    found, kept = (_weights(n) for n in (run(0, record="both").net, net(0, "both")))
    return Sample(found, kept, 1 / 40)


def _weights(network: Net) -> pd.DataFrame:
    arrays = (network.hidden, network.hidden_bias, network.out, network.out_bias)
    return pd.DataFrame({"weight": np.concatenate([np.ravel(array) for array in arrays])})


def sample_strength() -> Sample:
    """One network that looks one ply ahead, against both opponents on both sides."""
    found = _exact_rows(*next(iter(_players())))
    return beside("playout_mlp_strength.csv", found, "values", "seed", "depth")


def sample_monte_carlo() -> Sample:
    """One playout per move as O, against random play."""
    found = [_match_row(*_matches()[2])]
    return beside("playout_mlp_games.csv", found, "player", "playouts", "side", "opponent", share=0)
