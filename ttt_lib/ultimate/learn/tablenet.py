"""The table net: a small network whose parts see few enough cases to be written down in tables.

One network, the *body*, reads a single sub-board as the side to move sees it:
3^9 arrangements of own, other and no stones, or won, lost, drawn.  A second one
reads the meta-board.  Both are shared by everything above them::

    value   tanh(layer(layer(sum of nine rows + forced row + meta row)))
    policy  cell's wish . meta's care for its sub-board
          + wish to send to a sub-board . meta's care for that one + place

Rows and cell_logits are functions of one sub-board, so after each training phase all
of them are listed once: an evaluation is then a dozen look-ups and one small
layer.  It is the N-tuple network's idea (document 3) with a learned body in
place of free entries, which lets arrangements learn from each other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ttt_lib.ultimate.board.kernels import FORCED, FREE, META, MOVE, OPEN, SIDE, States
from ttt_lib.ultimate.learn.config import TableConfig

Float32s = NDArray[np.float32]

ARRANGEMENTS = 3**9
WON, LOST, DRAWN = ARRANGEMENTS, ARRANGEMENTS + 1, ARRANGEMENTS + 2
CASES = ARRANGEMENTS + 3
"""What a sub-board may look like to the side to move."""

TERNARY = np.array(
    [sum(3**c for c in range(9) if mask >> c & 1) for mask in range(512)], dtype=np.uint16
)
"""Nine bits as a number in base 3, shape (512,); own + 2 other is an arrangement."""


class Tables(NamedTuple):
    """A compiled table net; all arrays float32.

    Attributes
    ----------
    rows : ndarray, shape (R (18 CASES + 1 + ARRANGEMENTS),)
        Value rows one after the other.  Place b and case i stand in row b CASES + i; what comes
        on top for the forced sub-board follows in the same order, then the row of a free
        move, then the meta-board's.
    weights, bias : ndarray, shapes (V, R) and (V,)
    last : ndarray, shape (V + 1,)
        Last layer, its bias at the end.
    cells : ndarray, shape (CASES, 9 K)
        Channel k of cell c in column 9 k + c.
    sends : ndarray, shape (CASES, K)
    care_here, care_there : ndarray, shape (ARRANGEMENTS, 9 K)
        Channel k of sub-board b in column K b + k.
    place : ndarray, shape (9, 9)
        Liking for cell c of sub-board b.
    """

    rows: Float32s
    weights: Float32s
    bias: Float32s
    last: Float32s
    cells: Float32s
    sends: Float32s
    care_here: Float32s
    care_there: Float32s
    place: Float32s


def cases(states: States) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What the side to move sees in each sub-board, (B, 9), and on the meta-board, (B,)."""
    side = states[:, SIDE].astype(np.int64)
    row, board = np.arange(len(states))[:, None], np.arange(9)
    own = states[row, 9 * side[:, None] + board]
    other = states[row, 9 - 9 * side[:, None] + board]
    found = TERNARY[own].astype(np.int64) + 2 * TERNARY[other].astype(np.int64)
    mine = states[np.arange(len(states)), META + side]
    yours = states[np.arange(len(states)), META + 1 - side]
    closed = states[:, OPEN, None] >> board & 1 == 0
    not_won = np.where(yours[:, None] >> board & 1, LOST, DRAWN)
    label = np.where(mine[:, None] >> board & 1, WON, not_won)
    meta = TERNARY[mine].astype(np.int64) + 2 * TERNARY[yours].astype(np.int64)
    return np.where(closed, label, found), meta


def _digits() -> Tensor:
    """One-hot cells of every arrangement, shape (ARRANGEMENTS, 27)."""
    digit = np.arange(ARRANGEMENTS)[:, None] // 3 ** np.arange(9) % 3
    return torch.tensor(np.eye(3, dtype=np.float32)[digit].reshape(ARRANGEMENTS, 27))


def features() -> Tensor:
    """What the body reads of each case: 27 bits for cells, 3 for won, lost, drawn."""
    found = torch.zeros(CASES, 30)
    found[:ARRANGEMENTS, :27] = _digits()
    found[ARRANGEMENTS:, 27:] = torch.eye(3)
    return found


class TableNet(nn.Module):
    """The network as it is trained; :func:`compile_tables` makes it quick.

    Parameters
    ----------
    config : TableConfig
    """

    def __init__(self, config: TableConfig) -> None:
        super().__init__()
        wide, rows, channels = config.body, config.rows, config.channels
        self.config = config
        self.body = nn.Sequential(nn.Linear(30, wide), nn.ReLU(), nn.Linear(wide, wide), nn.ReLU())
        self.over = nn.Sequential(nn.Linear(27, wide), nn.ReLU(), nn.Linear(wide, wide), nn.ReLU())
        self.rows = nn.Linear(9 * wide, rows, bias=False)
        self.forced = nn.Linear(9 * wide, rows, bias=False)
        self.free = nn.Parameter(torch.zeros(rows))
        self.meta = nn.Linear(wide, rows)
        self.layer = nn.Linear(rows, config.value)
        self.last = nn.Linear(config.value, 1)
        self.cells = nn.Linear(wide, 9 * channels)
        self.sends = nn.Linear(wide, channels)
        self.care_here = nn.Linear(wide, 9 * channels)
        self.care_there = nn.Linear(wide, 9 * channels)
        self.place = nn.Parameter(torch.zeros(9, 9))
        self.register_buffer("features", features(), persistent=False)
        self.register_buffer("digits", _digits(), persistent=False)
        nn.init.zeros_(self.last.weight)
        nn.init.zeros_(self.cells.weight)
        nn.init.zeros_(self.sends.weight)

    def forward(self, case: Tensor, meta: Tensor, forced: Tensor) -> tuple[Tensor, Tensor]:
        """Value and policy for the side to move.

        Parameters
        ----------
        case : Tensor of int64, shape (B, 9)
        meta, forced : Tensor of int64, shape (B,)
            As :func:`cases` gives them; forced 9 for a free move.

        Returns
        -------
        logits : Tensor, shape (B, 9, 9)
            By sub-board and cell; only the legal ones mean something.
        values : Tensor, shape (B,)
            In [-1, 1].
        """
        seen, where = torch.unique(case, return_inverse=True)
        body = self.body(self.features[seen])  # type: ignore[index]
        metas, which = torch.unique(meta, return_inverse=True)
        over = self.over(self.digits[metas])  # type: ignore[index]
        value = self._value(body[where], over[which], forced)
        return self._policy(body, where, over, which), value

    def _value(self, body: Tensor, over: Tensor, forced: Tensor) -> Tensor:
        chosen = torch.arange(9) == forced[:, None]
        forced_row = self.forced((body * chosen[:, :, None]).flatten(1))
        free_row = (forced == FREE)[:, None] * self.free
        total = self.rows(body.flatten(1)) + forced_row + free_row + self.meta(over)
        return torch.tanh(self.last(torch.relu(self.layer(torch.relu(total)))))[:, 0]

    def _policy(self, body: Tensor, where: Tensor, over: Tensor, which: Tensor) -> Tensor:
        channels = self.config.channels
        cells = self.cells(body).view(-1, channels, 9)[where]
        sends = self.sends(body)[where]
        here = self.care_here(over).view(-1, 9, channels)[which]
        there = self.care_there(over).view(-1, 9, channels)[which]
        wish = torch.einsum("bikc,bik->bic", cells, here)
        logits: Tensor = wish + (sends * there).sum(2)[:, None, :] + self.place
        return logits


@torch.no_grad()
def compile_tables(net: TableNet) -> Tables:
    """List what the network says of every case."""
    body, over = net.body(net.features), net.over(net.digits)

    def by_place(layer: nn.Linear) -> Tensor:
        parts = torch.stack(torch.chunk(layer.weight, 9, dim=1))
        rows: Tensor = (body @ parts.transpose(1, 2)).flatten(0, 1)
        return rows

    def table(found: Tensor) -> Float32s:
        # A copy, or it would change under a search when the network learns on.
        return np.array(found.numpy(), dtype=np.float32, order="C")

    return Tables(
        rows=table(torch.cat(
            [by_place(net.rows), by_place(net.forced), net.free[None], net.meta(over)]
        ).flatten()),
        weights=table(net.layer.weight), bias=table(net.layer.bias),
        last=table(torch.cat([net.last.weight[0], net.last.bias])),
        cells=table(net.cells(body)), sends=table(net.sends(body)),
        care_here=table(net.care_here(over)), care_there=table(net.care_there(over)),
        place=table(net.place),
    )  # fmt: skip


def inputs(states: States) -> tuple[Tensor, Tensor, Tensor]:
    """The arguments of :meth:`TableNet.forward` for packed states, shape (B, 24)."""
    case, meta = cases(states)
    forced = states[:, FORCED].astype(np.int64)
    return torch.from_numpy(case), torch.from_numpy(meta), torch.from_numpy(forced)


def by_move(logits: Tensor) -> Tensor:
    """Reorder (B, 9, 9) by sub-board and cell into (B, 81) by move."""
    found = torch.empty(len(logits), 81)
    found[:, torch.from_numpy(MOVE.astype(np.int64))] = logits.flatten(1)
    return found
