"""An endgame network: the stored one, fine-tuned on positions that are solved exactly.

Self-play learns from games, whose ends teach little about what was right a dozen plies
before.  Up to some 24 playable cells the solver knows: so the network learns its result of
each position, and as its policy all the moves that keep it.  What it knew of openings it may
forget, since it is asked about endgames only.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional
from tqdm import tqdm

from ttt_lib.evidence.parallel import run_parallel
from ttt_lib.ultimate.board.game import Ultimate, playable
from ttt_lib.ultimate.board.kernels import States
from ttt_lib.ultimate.learn.networks import Learner, TableLearner
from ttt_lib.ultimate.learn.replay_buffer import (
    Samples,
    joined,
    no_samples,
    transformed,
    weights_of,
)
from ttt_lib.ultimate.learn.selfplay import SelfPlaySettings, play_games
from ttt_lib.ultimate.learn.trainer import one_thread
from ttt_lib.ultimate.network.tablenet import TableNet, Tables
from ttt_lib.ultimate.solver.solver import BudgetExceededError, DTWSolver

STYLES = tuple(
    SelfPlaySettings(
        full=simulations, fast=simulations, share=1.0, temperature=temperature, noise=0.25,
        opening=opening, mix=0.0, c=1.5, fpu=0.2,
    )
    for simulations, temperature, opening in (
        (4, 1.0, 8), (32, 1.0, 6), (32, 0.5, 16), (8, 1.5, 12),
    )
)  # fmt: skip
"""Careless and careful players in turn: endgames arise from the games of all kinds of them."""

Shares = tuple[tuple[int, float], ...]
"""Fewest playable cells, and the share of such positions that is kept."""

BROAD: Shares = ((25, 0.0), (23, 0.12), (21, 0.3), (15, 0.8), (8, 0.35), (0, 0.0))
DEEP: Shares = ((27, 0.0), (25, 0.03), (23, 0.3), (21, 0.5), (15, 0.5), (8, 0.1), (0, 0.0))
"""Many positions that are solved at once; and more of those of many cells, where the network errs
and the solver takes a hundred times as long."""

GAMES = 200
"""Games of one style, before the next has its turn."""


class Stream(NamedTuple):
    """Games that one process plays, one group of ``GAMES`` after the other.

    Attributes
    ----------
    kept : Shares
        Of the positions met, ``BROAD`` or ``DEEP``.
    """

    seed: int
    groups: int
    kept: Shares


STREAMS = (
    Stream(10, 268, BROAD), Stream(11, 229, BROAD), Stream(12, 447, DEEP), Stream(13, 447, DEEP),
)  # fmt: skip

BUDGET, ENTRIES = 3_000_000, 1 << 20
"""The solver's nodes per move, beyond which a position is left out, and entries of its table."""

ROWS, VALUE = 256, 64
"""Widths of the endgame network, see :class:`~ttt_lib.ultimate.config.TableConfig`."""

BATCHES, SIZE, RATE, DECAY, SEED = 14_000, 1024, 0.0015, 1e-4, 0
"""Batches to learn from and their size, the learning rate at first, the weight decay, the seed."""


def positions(
    tables: Tables, style: SelfPlaySettings, games: int, kept: Shares, rng: np.random.Generator
) -> States:
    """Positions of self-play, each kept with the probability of its cells; shape (B, 24)."""
    found = play_games(tables, style, Ultimate(), games, rng).states
    return found[rng.random(len(found)) < weights_of(playable(found), kept)]


def results(
    state: NDArray[np.uint16], solver: DTWSolver
) -> tuple[NDArray[np.intp], NDArray[np.int8]]:
    """The legal moves of a state and their exact results for the side to move, both (C,).

    Raises
    ------
    BudgetExceededError
        If a move takes more nodes than the solver may use.
    """
    game = Ultimate(solver.rules)
    moves = np.flatnonzero(game.legal(state[None])[0])
    after = game.play(np.repeat(state[None], len(moves), axis=0), moves)
    return moves, np.array([-solver.calculate_result(one) for one in after], dtype=np.int8)


def solved(states: States, solver: DTWSolver) -> Samples:
    """States with their exact results, and all best moves as the policy; unsolved ones left out."""
    samples, count = no_samples(len(states)), 0
    for state in states:
        try:
            moves, found = results(state, solver)
        except BudgetExceededError:
            continue
        samples.states[count], samples.values[count] = state, found.max()
        samples.visits[count, moves[found == found.max()]] = 1
        count += 1
    return samples.take(slice(count))


def _stream(tables: Tables, stream: Stream, games: int) -> tuple[Samples, float]:
    """Solved positions of a stream of games, and the processor seconds that took."""
    begun, rng = time.process_time(), np.random.default_rng(stream.seed)
    solver = DTWSolver(hot_size=1 << 14, cold_size=ENTRIES, nodes=BUDGET)
    found = []
    for number in range(stream.groups):
        style = STYLES[number % len(STYLES)]
        found.append(solved(positions(tables, style, games, stream.kept, rng), solver))
    return joined(found), time.process_time() - begun


def make_samples(
    tables: Tables, streams: Sequence[Stream] = STREAMS, games: int = GAMES
) -> tuple[Samples, float]:
    """Solved positions of all streams, and the processor seconds they took."""
    jobs = [(tables, stream, games) for stream in streams]
    parts = run_parallel(_stream, jobs, about="stream of games")
    return joined([samples for samples, _ in parts]), sum(seconds for _, seconds in parts)


def losses(learner: Learner, samples: Samples) -> tuple[Tensor, Tensor]:
    """What a policy misses of the best moves, and the mean squared error of the value.

    The policy's loss is the mean of two: minus the logarithm of the chance of all best moves
    together, for one of them is enough; and the cross-entropy with an equal share for each, for
    the search should see them all.  It is taken where there is something to choose, that is
    where not all moves are best.
    """
    logits, values = learner.forward(samples.states)
    legal = torch.from_numpy(Ultimate().legal(samples.states))
    best = torch.from_numpy(samples.visits > 0)
    chances = functional.log_softmax(logits.masked_fill(~legal, -1e9), dim=1)
    one = torch.logsumexp(chances.masked_fill(~best, -1e9), dim=1)
    each = (chances * best).sum(dim=1) / best.sum(dim=1)
    matters = (best.sum(dim=1) < legal.sum(dim=1)).to(chances.dtype)
    policy = -((one + each) / 2 * matters).sum() / matters.sum().clamp(min=1)
    results = torch.from_numpy(samples.values).to(values.dtype)
    return policy, functional.mse_loss(values, results)


def widened(net: TableNet, rows: int = ROWS, value: int = VALUE) -> TableNet:
    """A wider network that still computes the same: nothing reads its new numbers yet.

    Only what is summed from the tables and the layer above become wider, whose width costs time in
    play; the new weights are drawn at random, but those that read them are zero.
    """
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        wide = TableNet(replace(net.config, rows=rows, value=value))
        narrow = net.state_dict()
        for layer in (wide.layer, wide.last, wide.globe):
            layer.weight.zero_()
        for name, tensor in wide.state_dict().items():
            corner = tuple(slice(length) for length in narrow[name].shape)
            tensor[corner] = narrow[name]
    return wide.eval()


def fine_tuned(net: TableNet, samples: Samples, *, batches: int = BATCHES) -> TableNet:
    """The network after it has gone on learning from solved positions, each turned at random.

    The learning rate falls along a cosine to a hundredth.
    """
    learner, rng = TableLearner(deepcopy(net).train()), np.random.default_rng(SEED)
    optimizer = torch.optim.AdamW(learner.net.parameters(), RATE, weight_decay=DECAY)
    with one_thread():
        for number in tqdm(range(batches), desc="batches"):
            for group in optimizer.param_groups:
                group["lr"] = RATE * (0.01 + 0.99 * (1 + math.cos(math.pi * number / batches)) / 2)
            rows = rng.integers(len(samples.states), size=SIZE)
            batch = transformed(samples.take(rows), rng.integers(8, size=SIZE))
            policy, value = losses(learner, batch)
            optimizer.zero_grad()
            (policy + value).backward()  # type: ignore[no-untyped-call]
            optimizer.step()
    return learner.net.eval()
