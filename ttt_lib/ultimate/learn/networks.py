"""The two kinds of network as training and matches see them, behind common interfaces.

A table net is compiled before it plays; a residual network plays as it is.
Everything that differs between them is here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ttt_lib.game.policy import Agent, from_moves
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.board.kernels import States
from ttt_lib.ultimate.config import Config, TableConfig
from ttt_lib.ultimate.learn import checkpoint
from ttt_lib.ultimate.network import tablenet
from ttt_lib.ultimate.network.evaluator import Evaluator
from ttt_lib.ultimate.network.resnet import AlphaZeroNet, planes
from ttt_lib.ultimate.network.resnet import evaluator as residual_evaluator
from ttt_lib.ultimate.network.tablenet import TableNet, Tables, compile_tables
from ttt_lib.ultimate.search import puct_table
from ttt_lib.ultimate.search.puct_table import table_agent
from ttt_lib.ultimate.search.tree_search import (
    C_PUCT,
    FPU,
    Choice,
    PuctSearch,
    check_player,
    most_secure,
)

Playable = Tables | AlphaZeroNet
"""A network as it plays."""


class Learner(Protocol):
    """What training requires of a network."""

    @property
    def net(self) -> nn.Module:
        """The network with its weights."""

    def forward(self, states: States) -> tuple[Tensor, Tensor]:
        """Logits by move, (B, 81), and values for the sides to move, (B,), to learn from."""

    def playable(self) -> Playable:
        """The network as it plays now."""

    def searched(self) -> Tables | Evaluator:
        """The network as self-play searches with it, see :mod:`.driver`."""


@dataclass(frozen=True)
class TableLearner:
    """A table net: trained as a network, played as tables."""

    net: TableNet

    def forward(self, states: States) -> tuple[Tensor, Tensor]:
        """See :class:`Learner`."""
        logits, values = self.net(*tablenet.inputs(states))
        return tablenet.by_move(logits), values

    def playable(self) -> Tables:
        """Compile the tables anew."""
        return compile_tables(self.net)

    def searched(self) -> Tables:
        """See :class:`Learner`."""
        return self.playable()


@dataclass(frozen=True)
class ResidualLearner:
    """The document's network on a device, in mixed precision if wanted."""

    net: AlphaZeroNet
    device: str = "cpu"
    amp: bool = False

    def forward(self, states: States) -> tuple[Tensor, Tensor]:
        """See :class:`Learner`; the tensors stay on the device."""
        found: tuple[Tensor, Tensor] = self.net(torch.from_numpy(planes(states)).to(self.device))
        return found

    def playable(self) -> AlphaZeroNet:
        """The network itself."""
        return self.net

    def searched(self) -> Evaluator:
        """See :class:`Learner`."""
        return residual_evaluator(self.net, device=self.device, amp=self.amp)


def new_learner(config: Config, *, device: str = "cpu", amp: bool = False) -> Learner:
    """A new network of the configured kind, on its device.

    Raises
    ------
    ValueError
        If the device isn't available, or a table net is asked to leave the CPU.
    """
    check_device(device)
    net = checkpoint.build_network(config)
    if isinstance(net, TableNet):
        if device != "cpu":
            raise ValueError(f"a table net trains on the cpu, not on {device!r}")
        return TableLearner(net)
    assert isinstance(net, AlphaZeroNet)
    return ResidualLearner(net.to(device), device, amp)


def check_device(device: str) -> str:
    """The kind of a device, ``cpu`` or ``cuda``.

    Raises
    ------
    ValueError
        If PyTorch doesn't find it on this machine.
    """
    try:
        return torch.empty(1, device=device).device.type
    except (AssertionError, RuntimeError):
        known = "cpu, cuda" if torch.cuda.is_available() else "cpu"
        raise ValueError(f"no device {device!r} here: {known}") from None


def is_table(config: Config) -> bool:
    """Whether a configuration is for a table net."""
    return isinstance(config.network, TableConfig)


def load_playable(path: Path | None = None) -> Playable:
    """The network of a checkpoint, the stored table net by default, ready to play.

    Raises
    ------
    ValueError
        If it can't be read.
    """
    net, _ = checkpoint.load_net(path)
    if isinstance(net, TableNet):
        return compile_tables(net)
    assert isinstance(net, AlphaZeroNet)
    return net


def evaluator_of(network: Playable, *, device: str = "cpu", amp: bool = False) -> Evaluator:
    """Either kind as an evaluator for :class:`~ttt_lib.ultimate.search.tree_search.PuctSearch`."""
    if isinstance(network, Tables):
        return puct_table.evaluator(network)
    return residual_evaluator(network, device=device, amp=amp)


def network_agent(
    network: Playable,
    simulations: int,
    game: Ultimate | None = None,
    *,
    c: float = C_PUCT,
    fpu: float = FPU,
    choice: Choice = most_secure,
    device: str = "cpu",
) -> Agent:
    """Play the move that looks best after PUCT with either kind of network.

    A residual network searches all games of a match at once and evaluates their leaves in one
    batch, on ``device``.

    Raises
    ------
    ValueError
        As :func:`~ttt_lib.ultimate.search.puct_table.table_agent`.
    """
    if isinstance(network, Tables):
        return table_agent(network, simulations, game, c=c, fpu=fpu, choice=choice)
    check_player(simulations, c)
    game, evaluate = game or Ultimate(), evaluator_of(network, device=device)

    def moves(states: States, rng: np.random.Generator) -> NDArray[np.intp]:
        return choice(PuctSearch(game, states, evaluate, c=c, fpu=fpu).run(simulations))

    name = f"residual net, {simulations} simulations"
    return from_moves(name, game, moves, deterministic=True, side_by_side=True)
