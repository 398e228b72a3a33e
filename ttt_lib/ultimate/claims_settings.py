"""Settings of document 5, each with a run which shows whether it has an effect."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import torch

from ttt_lib.evidence.answers import Setting
from ttt_lib.ultimate import players
from ttt_lib.ultimate.board.game import Ultimate, playable
from ttt_lib.ultimate.board.kernels import States
from ttt_lib.ultimate.board.rules import MOVES, Position
from ttt_lib.ultimate.config import (
    LARGE,
    LITE,
    NOTEBOOK,
    Config,
    DTWConfig,
    NetworkConfig,
    Stage,
    TableConfig,
    TrainingConfig,
)
from ttt_lib.ultimate.config import QUICK as QUICK_RUN
from ttt_lib.ultimate.learn import selfplay
from ttt_lib.ultimate.learn import trainer as trainer_module
from ttt_lib.ultimate.learn.trainer import Trainer, train, with_changes
from ttt_lib.ultimate.players import (
    AlphaZeroAgent,
    create_prediction_agent,
    create_strong_agent,
    stored_tables,
)
from ttt_lib.ultimate.search.hybrid import COLD, HOT, QUICK, SOLVED, Hybrid
from ttt_lib.ultimate.search.puct_table import TableSearch
from ttt_lib.ultimate.solver import table
from ttt_lib.ultimate.solver.solver import DTWSolver
from ttt_lib.ultimate.studies import ablations, cost, gpu_training, resnet_against_tables
from ttt_lib.ultimate.studies.endgames import nodes_of, sample
from ttt_lib.ultimate.studies.eviction import LIMIT, ratios, total_ratios

SMALL = Config(
    "check",
    TrainingConfig(
        num_iterations=4, num_self_play_games=6, num_simulations=8, num_train_epochs=2,
        batch_size=32, replay_buffer_size=10_000, save_interval=2, stages=(Stage(1.0, 8, 6, 1.0),),
    ),
    TableConfig(4, 4, 4, 4, 4, 1),
)  # fmt: skip
"""A run of a second or two, in which a changed setting has a visible effect."""


@cache
def _run(dtw: DTWConfig | None = None, **changes: Any) -> tuple[float, float, float, int]:
    """Samples, losses and number of stored networks of a small run with some settings changed."""
    config = replace(with_changes(SMALL, **changes), dtw=dtw or SMALL.dtw)
    trainer, kept = Trainer(config, seed=1), list[Path]()
    save = trainer.save_net

    def counting(path: Path, **more: Any) -> None:
        kept.append(path)
        save(path, **more)

    trainer.save_net = counting  # type: ignore[method-assign]
    with TemporaryDirectory() as folder:
        train(trainer, Path(folder))
    rows = trainer.log
    return (
        sum(row["samples"] for row in rows), rows[-1]["policy_loss"], rows[-1]["value_loss"],
        len(kept),
    )  # fmt: skip


RECORDED = (
    *(LITE, LARGE, QUICK_RUN, NOTEBOOK),
    *resnet_against_tables.RUNS.values(),
    *gpu_training.RUNS.values(),
    ablations.BASE,
)
"""Configurations of runs whose networks or scores are stored, and of the notebook's own."""


HAVING = "recorded training runs that have it (by the names of our configurations)"


def _taken(value_of: Callable[[Config], Any]) -> tuple[Any, str]:
    """The published value if a recorded training has it, else the stored network's; and which."""
    published = value_of(Config())
    having = dict.fromkeys(f"`{run.name}`" for run in RECORDED if value_of(run) == published)
    if having:
        return published, f"{HAVING}: {', '.join(having)}"
    return value_of(LARGE), (
        "no recorded training has the published value; ours is the stored network's"
    )


def training(name: str, other: float) -> Setting:
    """A setting of training; a small run with another value differs."""
    usual = getattr(SMALL.training, name)
    one, two = _run(), _run(**{name: other})
    value, which = _taken(lambda run: getattr(run.training, name))
    found = f"small runs with {other} and with {usual} come out {_alike(one, two)}; {which}"
    return Setting(value, one != two, found)


def mixed_precision() -> Setting:
    """Whether it changes what a trainer learns, and only on a device that counts as a GPU."""
    on_gpu, on_cpu = ([_losses(amp, device) for amp in (True, False)] for device in ("cuda", "cpu"))
    found = (
        f"trainers with and without it learn {_alike(*on_gpu)} if the device counts as a GPU "
        f"(here a processor, in bfloat16), {_alike(*on_cpu)} if it does not"
    )
    read = on_gpu[0] != on_gpu[1] and on_cpu[0] == on_cpu[1]
    value, which = _taken(lambda run: run.training.use_amp)
    return Setting(value, read, f"{found}; {which}")


def _losses(use_amp: bool, device: str) -> tuple[float, float]:
    """Losses of one iteration on the CPU while the trainer takes it for such a device."""
    config = with_changes(replace(SMALL, network=NetworkConfig(1, 8, 4)), use_amp=use_amp)
    with (
        patch.object(trainer_module, "check_device", lambda _: device),
        patch.object(torch.cuda, "is_available", lambda: False),  # no scaler for a GPU
        warnings.catch_warnings(action="ignore"),
    ):
        row = Trainer(config, seed=1).train_iteration()
    return row["policy_loss"], row["value_loss"]


def _alike(one: object, other: object) -> str:
    return "alike" if one == other else "differently"


def stage(number: int) -> Setting:
    """Simulations, games and temperature of a stage; a small run changes with each of them."""
    stages = Config().training.stages
    chosen = stages[number]
    middle = ((stages[number - 1].until if number else 0.0) + chosen.until) / 2

    def halfway(run: Config) -> Stage:
        """What a run does where it has come as far as in the middle of the published stage."""
        return run.training.stage(int(middle * run.training.num_iterations))

    value, which = _taken(lambda run: _described(halfway(run)))
    small = Stage(1.0, 8, 6, chosen.temperature)
    one = _run(stages=(small,))
    others = {
        "simulations": _run(stages=(replace(small, simulations=4),)),
        "games": _run(stages=(replace(small, games=3),)),
        "temperature": _run(stages=(replace(small, temperature=chosen.temperature + 0.5),)),
    }
    changing = " and ".join(
        ", ".join(name for name, other in others.items() if other != one).rsplit(", ", 1)
    )
    read = halfway(Config()) == chosen and all(other != one for other in others.values())
    return Setting(value, read, f"a small run changes with its {changing}; {which}")


def _described(stage: Stage) -> str:
    return f"{stage.simulations}, {stage.games}, {stage.temperature}"


@cache
def _positions() -> list[Position]:
    """Some positions of random games; on the empty board a confident net always plays one move."""
    return [Ultimate().unpack(state) for state in _states(12)]


def _gap(one: AlphaZeroAgent, two: AlphaZeroAgent) -> float:
    """The largest difference between two agents' probabilities of a move."""
    each = [np.abs(one.get_action_probs(p) - two.get_action_probs(p)).max() for p in _positions()]
    return float(max(each))


def agent(name: str, other: Any) -> Setting:
    """A default of the document's agent; its move probabilities differ with another value."""
    made = AlphaZeroAgent(stored_tables())
    gap = _gap(made, _changed(made, **{name: other}))
    found = f"with {other} instead, the moves' probabilities {_how(gap)}"
    return Setting(getattr(made, name), gap > 0, found)


def simulations_of(strong: bool) -> Setting:
    """Simulations of the standard or the strong agent; the moves' probabilities depend on them."""
    made = (create_strong_agent if strong else create_prediction_agent)()
    gap = _gap(made, _changed(made, num_simulations=made.num_simulations // 2))
    found = f"with half as many, the moves' probabilities {_how(gap)}"
    return Setting(made.num_simulations, gap > 0, found)


def strong_temperature() -> Setting:
    """The strong agent's temperature against the standard one's; the document gives no number."""
    made, usual = create_strong_agent(), create_prediction_agent().temperature
    gap = _gap(made, _changed(made, temperature=usual))
    value = "lower temperature" if made.temperature < usual else "no lower temperature"
    found = f"{made.temperature} against {usual}; with {usual} the moves' probabilities {_how(gap)}"
    return Setting(value, gap > 0, found)


def _how(gap: float) -> str:
    return "differ" if gap > 0 else "stay the same"


def _changed(made: AlphaZeroAgent, **changes: Any) -> AlphaZeroAgent:
    """The same agent, without its solver, with some settings changed."""
    names = ("num_simulations", "c_puct", "temperature")
    return AlphaZeroAgent(made.network, **({name: getattr(made, name) for name in names} | changes))


# ---------------------------------------------------------------------------- the solver in play


@cache
def _states(count: int = 120) -> States:
    """Running states of random games with 10 to 50 playable cells."""
    states = cost.sample_states(1500, rng=5)
    cells = playable(states)
    return states[(cells >= 10) & (cells <= 50)][:count]


def _hybrid(dtw: DTWConfig) -> Hybrid:
    """The hybrid player with these settings of the solver, and hardly any search."""
    game, tables = Ultimate(), stored_tables()
    return Hybrid(
        game, lambda state: TableSearch(game, state, tables).run(2), dtw.endgame_threshold,
        dtw.shallow_depth, midgame=dtw.midgame_threshold,
    )  # fmt: skip


def _ways(dtw: DTWConfig) -> dict[str, int]:
    """Number of the hybrid's moves in those states, by the way they were found."""
    player = _hybrid(dtw)
    for state in _states():
        player.move(state)
    return player.counts


def hybrid(name: str, other: int) -> Setting:
    """A threshold or depth of the published solver: the hybrid player plays by it."""
    dtw = Config().dtw
    usual = getattr(dtw, name)

    def count(settings: DTWConfig) -> str:
        ways = _ways(settings)
        return (
            f"{ways.get(SOLVED, 0)} are solved and in {ways.get(QUICK, 0)} the shallow search "
            "finds a win"
        )

    one, two = count(dtw), count(replace(dtw, **{name: other}))
    found = f"of {len(_states())} positions {one}; with {other} instead of {usual}, {two}"
    return Setting(usual, one != two, found)


def self_play_solver(other: int = 5) -> Setting:
    """What plays in the recorded trainings, and which self-play asks the solver."""
    dtw = Config().dtw
    changed = replace(dtw, endgame_threshold=other)
    published, relabelled = (
        _alike(*(_run(dtw=one, endgame=way) for one in (dtw, changed)))
        for way in (Config().training.endgame, "relabel")
    )
    found = (
        f"small runs with an endgame threshold of {dtw.endgame_threshold} and of {other} end "
        f"{published} if games are played out as in our configuration `published`, and "
        f"{relabelled} where the solver relabels endgames, as in that of the stored network"
    )
    asked = any(run.training.endgame != "play" for run in RECORDED)
    value = "MCTS; the solver relabels" if asked else "MCTS"
    return Setting(value, relabelled == "differently", found)


CACHED = "caches DTW results in transposition table"


def cached_in_self_play() -> Setting:
    """What becomes of results that the solver finds in a small training whose endgames it relabels.

    They are cached as published if they are in one table, and the search looks them up.
    """
    made, asked = list[DTWSolver](), list[object]()

    def solver(*args: Any, **settings: Any) -> DTWSolver:
        made.append(DTWSolver(*args, **settings))
        return made[-1]

    with (
        patch.object(selfplay, "DTWSolver", solver),
        patch.object(DTWSolver, "lookup_cache", lambda _, state: asked.append(state)),
    ):
        _run.__wrapped__(endgame="relabel")
    kept = sum(sum(one.table.used) for one in made)
    text = (
        f"in a small run whose endgames the solver relabels, {kept:,} entries are kept in "
        f"{len(made)} tables, one for the games of each task, and the search looks up "
        f"{len(asked) or 'none'}"
    )
    value = CACHED if asked and len(made) == 1 else "a table for labels alone"
    return Setting(value, kept > 0, text)


def near_win_limit(other: int = 3) -> Setting:
    """Up to which distance our agent plays a won endgame at once; another limit shows."""
    limit = players.QUICK_WIN
    (near, far), (fewer, _) = (_won_at_once(limit, by) for by in (limit, other))
    text = (
        f"our agent plays wins within {limit} plies at once: {sum(near)} of {len(near)}, and "
        f"{sum(far)} of {len(far)} later ones; with {other} instead, {sum(fewer)}"
    )
    read = all(near) and bool(far) and not any(far) and sum(fewer) < len(near)
    return Setting(limit, read, text)


def _won_at_once(limit: int, by: int) -> tuple[list[bool], list[bool]]:
    """Of endgames won within ``limit`` plies and of later wins, which the agent plays at once.

    Parameters
    ----------
    by : int
        The agent's own limit.
    """
    states, solver = cost.sample_states(3000, rng=5), DTWSolver()
    agent = _Asking(stored_tables(), 2, dtw_calculator=solver)
    found: tuple[list[bool], list[bool]] = ([], [])
    for state in states[playable(states) <= solver.endgame_threshold]:
        result, distance, move = solver.calculate_dtw(state)
        if result == 1:
            with patch.object(players, "QUICK_WIN", by):
                before, played = agent.searches, agent.select_action(Ultimate().unpack(state))
            at_once = agent.searches == before and played == move
            found[(distance or 0) > limit].append(at_once)
    return found


class _Asking(AlphaZeroAgent):
    """The document's agent, counting its searches."""

    searches = 0

    def _search(self, state: Any) -> Any:
        self.searches += 1
        return super()._search(state)


def cache_interval(iterations: int = 20) -> Setting:
    """How often small runs, of twice the document's interval, save a solver's table.

    One of them asks no solver, as our configuration ``published``; in the other it relabels.
    """
    alone, relabelling = (_tables_saved(iterations, way) for way in ("play", "relabel"))
    most = max(alone, relabelling)
    text = (
        f"in small runs of {iterations} iterations a solver's table is saved {alone} times if "
        f"self-play asks no solver, and {relabelling} times if a solver relabels endgames"
    )
    return Setting(iterations // most if most else "never", most > 0, text)


def _tables_saved(iterations: int, endgame: str) -> int:
    """How often a small run whose endgames are played or relabelled saves a solver's table."""
    saved: list[Path] = []
    with patch.object(table.Table, "save", lambda _, path, header: saved.append(path)):
        _run.__wrapped__(num_iterations=iterations, endgame=endgame)
    return len(saved)


def table_size(tier: str) -> Setting:
    """Entries of a tier of the solver's table in play, and what more of them in both would save."""
    sizes = {"hot": HOT, "cold": COLD}
    ours, fewest = _nodes(**sizes), _nodes(**{**sizes, tier: table.SMALLEST})
    saved = 1 - sum(_nodes(**{name: 16 * size for name, size in sizes.items()})) / sum(ours)
    text = (
        f"the hybrid's {tier} table has {sizes[tier]:,} entries; with 16 times as many in the hot "
        f"and in the cold table, {len(ours)} endgames of 20 cells take {saved:.1%} fewer nodes, "
        f"with {table.SMALLEST:,} in this one {sum(fewest) / sum(ours) - 1:.1%} more"
    )
    return Setting(sizes[tier], ours != fewest, text)


@cache
def _nodes(hot: int, cold: int) -> tuple[int, ...]:
    """Nodes that it takes to solve each of some endgames of 20 cells, with tables of such sizes."""
    solver = DTWSolver(hot_size=hot, cold_size=cold)
    return tuple(nodes_of(solver, state) for _, state in sample(40, (20,), rng=1))


def eviction() -> Setting:
    """Which of two entries a full pair of the solver's table evicts, and what either rule costs.

    The first of two entries took more work; a third one evicts the second, or under LRU the first.
    """
    it, keys = table.Table(1, 1), [5 + (number << 40) for number in range(4)]
    for key, work in zip(keys, (7, 1, 7, 7), strict=True):
        table.store(it.hot, it.cold, np.uint64(key), table.pack(1, table.EXACT, 2, work))
    rule = "LRU" if it.get(keys[0]) is None else "least work"
    nodes = ratios()
    sizes = [size for size, name in nodes.index if name == "least recently used"]
    (lru, ours), last = (
        [nodes.loc[size, name] for name in ("least recently used", "least work")]
        for size in (sizes[0], sizes[-1])
    )
    found = (
        f"against a table that evicts nothing, a search with {sizes[0]:,} entries takes "
        f"{_factor(lru)} times the nodes with LRU, {_factor(ours)} with least work; with "
        f"{sizes[-1]:,} entries {_factor(last[0])} and {_factor(last[1])}"
    )
    of, all_ = total_ratios()
    many, few = (f"{all_[size, 'least recently used']:.2f} and {all_[size, 'least work']:.2f}"
                 for size in (sizes[0], sizes[-1]))  # fmt: skip
    why = (
        f"Geometric means over {of} endgames of at most {LIMIT} playable cells; by the sum of "
        f"their nodes, which the hardest dominate, {many}, and {few}. Only this study's solver "
        "evicts by LRU; none of our players does. A table of the published size would hold all "
        "that any of these searches stored."
    )
    return Setting(rule, bool(lru["mean"] != ours["mean"]), found, why)


def _factor(row: pd.Series[float]) -> str:
    return f"{row['mean']:.2f} [{row['low']:.2f}, {row['high']:.2f}]"


def phase_weight(number: int) -> Setting:
    """A weight of the document's table; a small run samples by it."""
    weights = Config().training.phase_weights
    least = weights[number][0]
    value, which = _taken(lambda run: dict(run.training.phase_weights).get(least))
    most = weights[number - 1][0] - 1 if number else MOVES
    changed = tuple((low, w * (3 if k == number else 1)) for k, (low, w) in enumerate(weights))
    one, two = _run(), _run(phase_weights=changed)
    found = (
        f"small runs with and without three times the weight from {least} to {most} empty cells "
        f"end {_alike(one, two)}; {which}"
    )
    return Setting(value, one != two, found)
