"""What holds of every training, whichever network it is of: its samples, and when two are one.

And a training for a process of its own; here, so that such a process imports little to find it.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
import torch

from ttt_lib import cli
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.config import CONFIGS, Config
from ttt_lib.ultimate.learn.replay_buffer import Samples
from ttt_lib.ultimate.learn.trainer import Trainer

GAME = Ultimate()


def check_positions(samples: Samples) -> None:
    """States are running positions, targets lie on legal moves and in the range of values."""
    legal = GAME.legal(samples.states)
    assert legal.any(axis=1).all()
    assert not samples.visits[~legal].any()
    assert (samples.visits.sum(axis=1) > 0).all()
    assert (np.abs(samples.values) <= 1).all()
    assert samples.values.std() > 0.2


def check_proven_wins(samples: Samples) -> None:
    """Where there are wins in one they share the target, and the value is 1."""
    count = 0
    for state, visits, value in zip(*samples, strict=True):
        moves = np.flatnonzero(GAME.legal(state[None])[0])
        after = GAME.play(np.repeat(state[None], len(moves), axis=0), moves)
        wins = moves[GAME.winner(after) == GAME.to_move(state[None])[0]]
        if len(wins):
            count += 1
            assert np.flatnonzero(visits).tolist() == wins.tolist()
            assert value == 1
    assert count > 5


def same(one: Trainer, other: Trainer) -> bool:
    """Whether two trainings have the same weights and the same window of samples."""
    weights = zip(one.net.state_dict().values(), other.net.state_dict().values(), strict=True)
    windows = zip(one.replay.state().values(), other.replay.state().values(), strict=True)
    return all(torch.equal(a, b) for a, b in weights) and all((a == b).all() for a, b in windows)


def command(
    configs: Mapping[str, Config], patch: str, arguments: list[str], said: Connection
) -> None:
    """``ttt`` with more configurations and a patch; what it writes to stderr goes into a pipe."""
    os.dup2(said.fileno(), sys.stderr.fileno())
    sys.dont_write_bytecode = True  # a limit on file sizes would cut it short
    CONFIGS.update(configs)
    exec(patch, {"Path": Path, "Trainer": Trainer, "time": time})
    sys.exit(cli.main(arguments))
