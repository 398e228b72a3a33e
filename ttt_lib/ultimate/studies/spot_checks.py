"""A part of each long run of document 5, recomputed to compare with what is stored."""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
import torch

from ttt_lib.evidence import store
from ttt_lib.evidence.provenance import Sample, beside
from ttt_lib.ultimate.config import Config, NetworkConfig, config
from ttt_lib.ultimate.learn import checkpoint
from ttt_lib.ultimate.learn.trainer import Trainer, csv_of, one_thread
from ttt_lib.ultimate.network.resnet import count_multiplications
from ttt_lib.ultimate.players import stored_tables
from ttt_lib.ultimate.studies import (
    ablations,
    agents,
    cost,
    curves,
    delays,
    endgames,
    equal_time,
    fault_costs,
    gpu_cost,
    gpu_training,
    gumbel,
    hybrid,
    probes,
    resnet_against_tables,
    stored_nets,
    transition,
    uct_constant,
    width,
    yardstick,
    yardstick_scores,
)
from ttt_lib.ultimate.studies.rating import FILE as RATING
from ttt_lib.ultimate.studies.rating import ladder, net_name
from ttt_lib.ultimate.studies.rating import play as play_rated
from ttt_lib.ultimate.studies.strength import FILE as STRENGTH
from ttt_lib.ultimate.studies.strength import RANDOM, plan, play
from ttt_lib.ultimate.studies.yardstick_scores import COLUMNS


def solver() -> Sample:
    """The positions of the first three games."""
    found = endgames.time_solver(3, endgames.LIMITS)
    table = store.read_table(endgames.FILE)
    return Sample(found, table.iloc[: len(found)], 3 / endgames.GAMES)


def variants() -> Sample:
    """The positions of the first three games."""
    found = endgames.make_variants(3)
    return beside("ultimate_variants.csv", found, "variant", "number", share=3 / 120)


def bounds() -> Sample:
    """The bounds of at most 35 plies, for a corner and an edge."""
    plies = [bound for bound in delays.PLIES if bound <= 35]
    found = [delays.ask(kind, bound) for kind in delays.LASTS for bound in plies]
    return beside(delays.FILE, found, "last", "plies")


def yardstick_positions() -> Sample:
    """The first games: position, status and the outcome of every move."""
    return beside(yardstick.FILE, yardstick.make_yardstick(6), "game")


def scores() -> Sample:
    """Three fast players, in all positions; not compared with the slow reference."""
    measure, asked, found = yardstick.read(), yardstick_scores.players(), []
    for who in [("random", 0), ("policy alone", 0), ("net", 25)]:
        regrets = measure.regrets(measure.ask(asked[who]))
        found += yardstick_scores.rows(*who, regrets, regrets, measure.cells)
    same, columns = beside(yardstick_scores.FILE, found, "player", "simulations"), COLUMNS[:-2]
    return Sample(same.found[columns], same.stored[columns])


def rating() -> Sample:
    """The matches of UCT with 10 iterations against random play, and of the two quickest nets."""
    found = [play_rated(*names) for names in (ladder()[0], (net_name(50), net_name(25)))]
    return beside(RATING, found, "player", "opponent", share=0)


def strength() -> Sample:
    """The first match but those against random play, which loses every game, whatever the seed."""
    pairing = next(one for one in plan() if one.opponent != RANDOM)
    return beside(STRENGTH, [play(pairing)], "opponent", "simulations", share=0)


def with_solver() -> Sample:
    """The quickest match of the hybrid against the net alone."""
    found = [hybrid.against_net(50, 15, 50)]
    return beside(hybrid.FILE, found, "simulations", "cells", share=0)


def equal_times() -> Sample:
    """The match against the most simulations, with the last seed."""
    found = [equal_time.play(equal_time.RIVALS[-1], equal_time.SEEDS[-1])]
    return beside(equal_time.FILE, found, "rival_simulations", "seed")


def met_agents() -> Sample:
    """The last match of every player."""
    found = [agents.play(name, agents.SEEDS[-1]) for name in agents.PLAYERS]
    return beside(agents.FILE, found, "player", "seed")


def uct_constants() -> Sample:
    """The last opening for tuning with the largest constant, and the table's last."""
    jobs = [(uct_constant.CONSTANTS[-1], uct_constant.TUNING[-1]), (None, uct_constant.REPORT[-1])]
    found = [uct_constant.play(c, uct_constant.DEFAULT, seed) for c, seed in jobs]
    return beside(uct_constant.FILE, found, "c", "rival_c", "seed")


def orders() -> Sample:
    """The positions of the first twenty games."""
    return beside(endgames.ORDERS, endgames.make_orders(20), "number", share=20 / 800)


def random_orders() -> Sample:
    """The positions of the first sixty games."""
    found = endgames.make_orders_random(60)
    return beside(endgames.RANDOM_ORDERS, found, "number", share=60 / 3000)


def all_faults() -> Sample:
    """Everything: it takes seconds."""
    return beside("ultimate_faults.csv", endgames.make_faults(), "fault")


def transitions() -> Sample:
    """The first games."""
    return beside(transition.FILE, transition.make_transition(40), "game")


def gumbel_roots() -> Sample:
    """PUCT roots with the fewest simulations, which play no match."""
    tables, fewest = stored_tables(), gumbel.SIMULATIONS[0]
    found = gumbel.compare(tables, gumbel.PUCT, fewest, yardstick.read())
    return beside(gumbel.FILE, [found], "root", "simulations", share=0)


def exhibited() -> Sample:
    """What is read off the games of self-play: temperatures and phases."""
    parts = (fault_costs.temperature_rows, fault_costs.phase_rows)
    found = [row for part in parts for row in part(stored_tables(), 1.0)]
    return beside(fault_costs.FILE, found, "exhibit", share=0)


# ---------------------------------------------------------------------------- trainings


DRIFT = 0.005
"""Relative difference of losses up to which an iteration is the same: within its 80 batches, last
digits that depend on the processor grow to a thousandth."""


VECTORIZED = torch.backends.cpu.get_cpu_capability() in ("AVX2", "AVX512")
"""Whether torch draws first weights by the vector instructions of the runs' machines: without
them their last digits are others, and a few table entries are rounded otherwise."""


@cache
def _begun(name: str) -> pd.DataFrame:
    """The log of a configuration's training after one iteration, rebuilt."""
    trainer = Trainer(config(name), seed=stored_nets.SEED)
    trainer.train_iteration()
    return pd.read_csv(io.StringIO(csv_of(trainer.log)))


def _first_iteration(name: str, log: str) -> Sample:
    """The first iteration of a log: the games, and what was learned from them."""
    stored = store.read_table(log).iloc[:1]
    return Sample(probes.with_close(_begun(name), stored, DRIFT), stored)


def _net(file: str, name: str, log: str) -> Sample:
    """The same, beside the settings, the seed and the length recorded in a network's file."""
    path = store.data_dir() / file
    about, nothing = checkpoint.read(path)[1], pd.DataFrame(index=[0])
    same = VECTORIZED or config(name).training.taught  # then a stored net plays the games
    first = _first_iteration(name, log) if same else Sample(nothing, nothing)
    last = int(store.read_table(log)["iteration"].max())
    trained, iterations = checkpoint.configured(about, path), about["iteration"]
    return Sample(
        _headed(first.found, stored_nets.SEED, last, config(name)),
        _headed(first.stored, about["seed"], iterations, trained),
    )


def _headed(rows: pd.DataFrame, seed: int, last: int, config: Config) -> pd.DataFrame:
    """Rows of a log without times, with the seed, length and settings of a network's header."""
    untimed = rows.drop(columns="cpu_minutes", errors="ignore")
    return untimed.assign(seed=seed, last=last, config=str(config.as_dict()))


first_iteration = partial(_first_iteration, "large", stored_nets.LOG)
stored_net = partial(_net, checkpoint.STORED, "large", stored_nets.LOG)
teacher = partial(_net, checkpoint.TEACHER, "lite", stored_nets.TEACHER_LOG)
"""The stored net's first iteration, whose games its teacher plays; the headers of both beside their
first iterations."""


def teacher_first_iteration() -> Sample:
    """The teacher's first iteration; where its first weights would be others, a probe."""
    first = partial(_first_iteration, "lite") if VECTORIZED else probes.sample
    return first(stored_nets.TEACHER_LOG)


def first_probe() -> Sample:
    """The first of all probes."""
    stored = store.read_table(probes.FILE).iloc[:1]
    found = pd.DataFrame([next(probes.probes())])
    return Sample(probes.with_close(found, stored), stored)


trained_alike = partial(probes.sample, stored_nets.SEEDS_FILE)
along_curves = partial(probes.sample, curves.FILE)
ablated = partial(probes.sample, ablations.FILE)
both_networks = partial(probes.sample, resnet_against_tables.FILE)
both_widths = partial(probes.sample, width.FILE)
beside_a_gpu = partial(probes.sample, gpu_training.TABLE_NET)
on_a_gpu = partial(probes.sample, gpu_training.RESIDUAL_NET)
solved_endgames = partial(probes.sample, checkpoint.ENDGAME)
"""Probes: of the training runs with other seeds, of the runs measured along the way, of those
with one part changed, of both kinds of network, of the wide net and of the narrow one; of the
table net that was trained while the residual network was, and of that network, on a CPU; and of
what the endgame network learned from."""


def timed_on_a_gpu() -> Sample:
    """The networks that were timed there, their multiplications, the tasks and the batches."""
    found = pd.DataFrame(row for shape in cost.SIZES for row in _timings(shape))
    stored = store.read_table(gpu_cost.FILE)[[*found.columns]]
    return Sample(found.merge(stored.drop_duplicates()), stored)  # what didn't fit has no row


def _timings(shape: tuple[int, int]) -> Iterator[dict[str, Any]]:
    """What is timed of a network, in the order of the table."""
    graphs = gpu_cost.GRAPHS if shape == gpu_cost.GRAPHED else ()
    tasks = {"evaluate": gpu_cost.EVALUATED, "as a graph": graphs, "learn": gpu_cost.LEARNED}
    multiplications = count_multiplications(NetworkConfig(*shape))
    about = {"network": "{} x {}".format(*shape), "multiplications": multiplications}
    for amp in (False, True):
        for task, batches in tasks.items():
            for batch in batches:
                yield {**about, "mixed_precision": amp, "task": task, "batch": batch}


def last_match() -> Sample:
    """The match of the table net at the end of its run: the net is stored."""
    name, seed, table = "table net", gpu_training.STORED, store.read_table(gpu_training.FILE)
    last = gpu_training.kept(name)[-1]
    with TemporaryDirectory() as place, one_thread():
        path = gpu_training.checkpoint_of(Path(place), name, last)
        path.parent.mkdir()
        copyfile(store.data_dir() / gpu_training.TABLE_NET, path)
        row = gpu_training.play(name, seed, last, gpu_training.ALONG, Path(place))
    found = pd.DataFrame([{"seed": seed, **row}])
    same = (table.network == name) & (table.seed == seed) & (table.iteration == last)
    return Sample(found, table[same][list(found.columns)])
