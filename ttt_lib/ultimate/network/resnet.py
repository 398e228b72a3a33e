"""Document 5's network at any size: a residual tower with squeeze-and-excitation and two heads.

The document states channels, depth, width and the kinds of layers; it leaves the
heads' inner widths open.  Ours are named below, and change the parameter count of
the published size by less than a thousandth.
"""

from __future__ import annotations

import copy

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from ttt_lib.game.board import Floats
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.board.kernels import BOARD, CELL, META, OPEN, SIDE, States
from ttt_lib.ultimate.board.rules import MOVES
from ttt_lib.ultimate.config import NetworkConfig
from ttt_lib.ultimate.network.evaluator import Evaluator

PLANES = 7
POLICY_CHANNELS, VALUE_CHANNELS, VALUE_HIDDEN = 2, 1, 256
"""Channels after the heads' 1 x 1 convolutions, and the value head's hidden layer."""


def planes(states: States, last: NDArray[np.int64] | None = None) -> NDArray[np.float32]:
    """The document's seven planes from the mover's view, shape (B, 7, 9, 9).

    Own stones, other stones, sub-boards won, lost, drawn, the last move, and the
    sub-boards where the next move is allowed.

    Parameters
    ----------
    states : ndarray of uint16, shape (B, 24)
    last : ndarray of int64, shape (B,), or None
        The previous move, 9 row + column, -1 for none; a packed state doesn't hold it,
        and the game doesn't need it: the seventh plane shows what follows from it.
    """
    rows, side = np.arange(len(states))[:, None], states[:, SIDE].astype(np.int64)[:, None]
    found = np.zeros((len(states), PLANES, MOVES), dtype=np.float32)
    board, cell = BOARD.astype(np.int64)[None], CELL.astype(np.int64)[None]
    mine, yours = states[rows, META + side], states[rows, META + 1 - side]
    found[:, 0] = states[rows, 9 * side + board] >> cell & 1
    found[:, 1] = states[rows, 9 - 9 * side + board] >> cell & 1
    found[:, 2], found[:, 3] = mine >> board & 1, yours >> board & 1
    open_here = states[:, OPEN, None] >> board & 1
    found[:, 4] = (1 - open_here) * (1 - found[:, 2]) * (1 - found[:, 3])
    if last is not None:
        known = np.flatnonzero(last >= 0)
        found[known, 5, last[known]] = 1
    legal = Ultimate().legal(states)
    allowed = np.zeros((len(states), 9), dtype=np.bool_)
    for number in range(9):
        allowed[:, number] = legal[:, board[0] == number].any(axis=1)
    found[:, 6] = allowed[:, board[0]]
    return found.reshape(-1, PLANES, 9, 9)


class SEBlock(nn.Module):
    """Squeeze-and-excitation (Hu et al., 2018): channels scaled by gates from their means."""

    def __init__(self, channels: int, reduction: int) -> None:
        super().__init__()
        inner = max(1, channels // reduction)
        self.squeeze, self.excite = nn.Linear(channels, inner), nn.Linear(inner, channels)

    def forward(self, x: Tensor) -> Tensor:
        """Scale the channels of x, shape (B, C, 9, 9)."""
        scale = torch.sigmoid(self.excite(torch.relu(self.squeeze(x.mean(dim=(2, 3))))))
        return x * scale[:, :, None, None]


class ResidualBlock(nn.Module):
    """Two 3 x 3 convolutions, squeeze-and-excitation, and a skip connection."""

    def __init__(self, channels: int, reduction: int) -> None:
        super().__init__()
        self.first, self.second = _conv(channels, channels, 3), _conv(channels, channels, 3)
        self.gate = SEBlock(channels, reduction)

    def forward(self, x: Tensor) -> Tensor:
        """Shape (B, C, 9, 9) in and out."""
        return torch.relu(x + self.gate(self.second(torch.relu(self.first(x)))))


def _conv(begin: int, end: int, size: int) -> nn.Sequential:
    """Convolution and batch normalisation, whose shift serves as the bias."""
    return nn.Sequential(
        nn.Conv2d(begin, end, size, padding=size // 2, bias=False), nn.BatchNorm2d(end)
    )


class AlphaZeroNet(nn.Module):
    """The document's network."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        wide, reduction = config.num_channels, config.reduction
        self.config = config
        self.stem = nn.Sequential(_conv(PLANES, wide, 3), nn.ReLU())
        self.tower = nn.Sequential(
            *(ResidualBlock(wide, reduction) for _ in range(config.num_res_blocks))
        )
        self.policy = nn.Sequential(
            _conv(wide, POLICY_CHANNELS, 1), nn.ReLU(), nn.Flatten(),
            nn.Linear(POLICY_CHANNELS * MOVES, MOVES),
        )  # fmt: skip
        self.value = nn.Sequential(
            _conv(wide, VALUE_CHANNELS, 1), nn.ReLU(), nn.Flatten(),
            nn.Linear(VALUE_CHANNELS * MOVES, VALUE_HIDDEN), nn.ReLU(),
            nn.Linear(VALUE_HIDDEN, 1), nn.Tanh(),
        )  # fmt: skip

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Logits by move, (B, 81), and values, (B,), of planes (B, 7, 9, 9)."""
        hidden = self.tower(self.stem(x))
        return self.policy(hidden), self.value(hidden)[:, 0]


def count_parameters(config: NetworkConfig) -> int:
    """Trainable parameters of a size; nothing is allocated, so even the published one is quick."""
    with torch.device("meta"):
        net = AlphaZeroNet(config)
    return sum(parameter.numel() for parameter in net.parameters())


def count_multiplications(config: NetworkConfig) -> int:
    """Multiplications of one evaluation in convolutions and fully connected layers."""
    with torch.device("meta"):
        net = AlphaZeroNet(config)
    total = 0
    for part in net.modules():
        if isinstance(part, nn.Conv2d):
            total += part.weight.numel() * MOVES
        elif isinstance(part, nn.Linear):
            total += part.weight.numel()
    return total


def folded(net: AlphaZeroNet) -> AlphaZeroNet:
    """A copy for evaluation: each normalisation, now a fixed map, is folded into its layer."""
    found = copy.deepcopy(net).eval()
    for part in list(found.modules()):
        match list(part.children()):
            case [nn.Conv2d() as conv, nn.BatchNorm2d() as norm] if isinstance(part, nn.Sequential):
                part[0], part[1] = fuse_conv_bn_eval(conv, norm), nn.Identity()
    return found.requires_grad_(False)


def evaluator(net: AlphaZeroNet, *, device: str = "cpu", amp: bool = False) -> Evaluator:
    """The network as it is now, behind the common interface; mixed precision on a GPU if wanted.

    The sixth plane stays empty: a packed state doesn't hold the last move.
    """
    net = folded(net).to(device)
    kind = torch.device(device).type

    @torch.inference_mode()
    def evaluate(states: States) -> tuple[Floats, Floats]:
        with torch.autocast(kind, enabled=amp):
            logits, values = net(torch.from_numpy(planes(states)).to(device))
        chances = torch.softmax(logits.float(), dim=1).double().cpu().numpy()
        return chances, values.double().cpu().numpy()

    return evaluate
