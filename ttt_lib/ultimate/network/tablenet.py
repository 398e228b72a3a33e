"""The table net: a small network whose parts see few enough cases to be tabulated.

One network, the *body*, reads a single sub-board as the side to move sees it:
3^9 arrangements of own, other and no stones, with the cells that would complete
a line, or a sub-board won, lost or drawn.  A second one reads the meta-board.  Both are shared
by everything above them::

    total   nine rows + forced row + meta row, cut to [0, TOP]
    value   squash(layer(layer(total)))
    policy  cell's wish . (meta's care for its sub-board + total's care)
          + wish to send to a sub-board . (meta's care for that one + total's care) + place

Rows and wishes are functions of one sub-board, so after each training phase all
of them are listed once: an evaluation is then a dozen look-ups and one small
layer.  This is the N-tuple network's idea (document 3) with a learned body in
place of free entries, which lets arrangements learn from each other.

The listed numbers are whole multiples of powers of two, small enough that every
sum of them is exact: so an evaluation gives the same result on every processor,
whatever the order in which its vector instructions add.
"""

from __future__ import annotations

from copy import deepcopy
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import embedding

from ttt_lib.ultimate.board.kernels import (
    COMPLETES,
    FORCED,
    FREE,
    FULL,
    META,
    MOVE,
    OPEN,
    SIDE,
    States,
)
from ttt_lib.ultimate.config import TableConfig

Float32s = NDArray[np.float32]
Float64s = NDArray[np.float64]
Int16s = NDArray[np.int16]

ARRANGEMENTS = 3**9
WON, LOST, DRAWN = ARRANGEMENTS, ARRANGEMENTS + 1, ARRANGEMENTS + 2
CASES = ARRANGEMENTS + 3
"""Number of cases of a sub-board, as the side to move sees it."""

TERNARY = np.array(
    [sum(3**c for c in range(9) if mask >> c & 1) for mask in range(512)], dtype=np.uint16
)
"""Nine bits as a number in base 3, shape (512,); own + 2 other is an arrangement."""

TOP = 2047 / 256
"""Upper limit at which the sum of the rows is cut."""

ROW_UNIT, LAST_UNIT, CARE_UNIT, WISH_UNIT = 256, 4096, 64, 64
"""Number of units in 1, in the tables of rows, last layer, care and wishes."""

_MOST_ROW = (1 << 15) // 11 - 1
"""Eleven of them still fit into 16 bits."""

_EXACT = 1 << 24
"""Whole numbers up to here are exact in single precision."""

MOST_CARE, _MOST_WISH, _MOST_PLACE = 255, 511, 1 << 22
"""With these limits, two sums of sixteen products plus a place stay below ``_EXACT``."""


class Tables(NamedTuple):
    """A compiled table net; all numbers are whole.

    Attributes
    ----------
    rows : ndarray of int16, shape (R (18 CASES + 1 + ARRANGEMENTS),)
        Value rows one after the other, in 1/ROW_UNIT.  Sub-board b in case i has row
        b CASES + i; rows added for the forced sub-board follow in the same order, then
        the row of a free move, then the meta-board's.
    weights, bias : ndarray of float32, shapes (R V,) and (V,)
        Weight of row entry r in unit v at index V r + v.
    last : ndarray of float64, shape (V + 1,)
        Last layer, its bias at the end.
    scale : float
        What a unit of the last sum is worth.
    cells : ndarray of float32, shape (CASES, 9 K)
        Channel k of cell c in column 9 k + c, in 1/WISH_UNIT.
    sends : ndarray of float32, shape (CASES, K)
    care : ndarray of float32, shape (ARRANGEMENTS, 18 K)
        In 1/CARE_UNIT, at most MOST_CARE; channel k of sub-board b in column K b + k for its
        cells, 9 K later for being sent to.
    globe : ndarray of float32, shape (2 K R,)
        Weight of row entry r in channel k at index 2 K r + k; care that the total adds in every
        sub-board: for cells, then for being sent to.
    globe_scale : float
        What a unit of that sum is worth in 1/CARE_UNIT, a power of two.
    place : ndarray of float32, shape (9, 9)
        Bias of cell c of sub-board b, in 1/(CARE_UNIT WISH_UNIT).
    """

    rows: Int16s
    weights: Float32s
    bias: Float32s
    last: Float64s
    scale: float
    cells: Float32s
    sends: Float32s
    care: Float32s
    globe: Float32s
    globe_scale: float
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


def _digits() -> NDArray[np.int64]:
    """Cells of every arrangement, shape (ARRANGEMENTS, 9): 0 empty, 1 own, 2 the opponent's."""
    return np.arange(ARRANGEMENTS)[:, None] // 3 ** np.arange(9) % 3


def _one_hot() -> Tensor:
    """One-hot cells of every arrangement, shape (ARRANGEMENTS, 27)."""
    return torch.tensor(np.eye(3, dtype=np.float32)[_digits()].reshape(ARRANGEMENTS, 27))


def _threats(stone: int) -> Tensor:
    """Empty cells where a stone completes a line in every arrangement, (ARRANGEMENTS, 9)."""
    bits = 1 << np.arange(9)
    own, taken = ((_digits() == stone) @ bits), ((_digits() > 0) @ bits)
    found = COMPLETES[own].astype(np.int64) & FULL & ~taken
    return torch.tensor((found[:, None] >> np.arange(9) & 1).astype(np.float32))


def features() -> Tensor:
    """What the body reads of each case: 27 bits for cells, 3 for won, lost, drawn, 18 threats."""
    found = torch.zeros(CASES, 48)
    found[:ARRANGEMENTS, :27] = _one_hot()
    found[ARRANGEMENTS:, 27:30] = torch.eye(3)
    found[:ARRANGEMENTS, 30:] = torch.cat([_threats(1), _threats(2)], dim=1)
    return found


def squash(x: Tensor) -> Tensor:
    """Map into (-1, 1) by correctly rounded operations only, unlike tanh."""
    return x / torch.sqrt(1 + x * x)


class TableNet(nn.Module):
    """The network as it is trained; :func:`compile_tables` makes it fast."""

    def __init__(self, config: TableConfig) -> None:
        super().__init__()
        wide, parts, over = config.body, config.parts, config.over
        rows, channels = config.rows, config.channels
        self.config = config
        self.body = nn.Sequential(nn.Linear(48, wide), nn.ReLU(), nn.Linear(wide, parts), nn.ReLU())
        self.over = nn.Sequential(nn.Linear(27, over), nn.ReLU(), nn.Linear(over, over), nn.ReLU())
        self.rows = nn.Linear(9 * parts, rows, bias=False)
        self.forced = nn.Parameter(torch.randn(9, parts, rows) / (27 * parts) ** 0.5)
        self.free = nn.Parameter(torch.zeros(rows))
        self.meta = nn.Linear(over, rows)
        self.layer = nn.Linear(rows, config.value)
        self.last = nn.Linear(config.value, 1)
        self.cells = nn.Linear(parts, 9 * channels)
        self.sends = nn.Linear(parts, channels)
        self.care = nn.Linear(over, 18 * channels)
        self.globe = nn.Linear(rows, 2 * channels, bias=False)
        self.place = nn.Parameter(torch.zeros(9, 9))
        self.register_buffer("features", features(), persistent=False)
        self.register_buffer("digits", _one_hot(), persistent=False)
        for layer in (self.last, self.cells, self.sends, self.globe):
            nn.init.zeros_(layer.weight)

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
            By sub-board and cell; only those of legal moves are meaningful.
        values : Tensor, shape (B,)
            In (-1, 1).
        """
        seen, where = torch.unique(case, return_inverse=True)
        body = self.body(self.features[seen])  # type: ignore[index]
        metas, which = torch.unique(meta, return_inverse=True)
        over = self.over(self.digits[metas])  # type: ignore[index]
        rows = self.rows(embedding(where, body).flatten(1)) + self.meta(over)[which]
        total = (rows + self._forced(body, where, forced)).clamp(0, TOP)
        value = squash(self.last(torch.relu(self.layer(total))))[:, 0]
        care = self.care(over)[which] + self.globe(total).view(
            -1, 2, 1, self.config.channels
        ).expand(-1, -1, 9, -1).flatten(1)
        return self._policy(body, where, care, case, forced), value

    def _forced(self, body: Tensor, where: Tensor, forced: Tensor) -> Tensor:
        """Row added for the forced sub-board: samples grouped by it, in nine small products."""
        parts, order = [], []
        for place in range(10):
            chosen = (forced == place).nonzero()[:, 0]
            order.append(chosen)
            if place == FREE:
                parts.append(self.free.expand(len(chosen), -1))
            else:
                parts.append(body[where[chosen, place]] @ self.forced[place])
        return torch.cat(parts)[torch.argsort(torch.cat(order))]

    def _policy(
        self, body: Tensor, where: Tensor, care: Tensor, case: Tensor, forced: Tensor
    ) -> Tensor:
        """Logits, but only where the side to move may play: two sub-boards on average, not nine."""
        channels, boards = self.config.channels, torch.arange(9)
        here, there = care.view(-1, 2, 9, channels).unbind(1)
        send = (embedding(where, self.sends(body)) * there).sum(2)
        sample, board = torch.where(
            (forced[:, None] == boards) | (forced[:, None] == FREE) & (case < ARRANGEMENTS)
        )
        cells = embedding(where[sample, board], self.cells(body)).view(-1, channels, 9)
        wish = (cells * here[sample, board][:, :, None]).sum(1) + send[sample] + self.place[board]
        nothing = torch.zeros(len(case), 9, 9, dtype=wish.dtype)
        return nothing.index_put((sample, board), wish)


def _whole(found: Tensor, unit: float, most: int) -> Float64s:
    """Numbers as whole multiples of 1 / unit, clipped to ``most`` of them."""
    return np.clip(np.rint(found.numpy() * unit), -most, most)


def _summed(weight: Tensor, bias: Tensor | None, top: int) -> tuple[Float32s, Float32s, float]:
    """A layer in whole numbers, as fine as exact sums allow; shapes (R, V), (V,), and the unit."""
    zero = torch.zeros(len(weight), dtype=weight.dtype) if bias is None else bias
    heavy = float((weight.abs().sum(1) * top + zero.abs() * ROW_UNIT).max())
    spare = _EXACT - top * (weight.shape[1] + 1)  # rounding may add half a unit per weight
    unit = 2.0 ** np.floor(np.log2(spare / max(heavy, 1e-9)))
    weights, biases = np.rint(weight.numpy().T * unit), np.rint(zero.numpy() * unit * ROW_UNIT)
    return np.ascontiguousarray(weights, np.float32), biases.astype(np.float32), float(unit)


@torch.no_grad()
def compile_tables(net: TableNet) -> Tables:
    """Tabulate the network's output for every case, in double precision and then rounded."""
    net = deepcopy(net).double()
    body, over = net.body(net.features), net.over(net.digits)
    listed = np.empty((18 * CASES + 1 + ARRANGEMENTS, net.config.rows), dtype=np.int16)
    places = [part.T for part in torch.chunk(net.rows.weight, 9, dim=1)] + list(net.forced)
    for number, place in enumerate(places):
        listed[number * CASES : (number + 1) * CASES] = _whole(body @ place, ROW_UNIT, _MOST_ROW)
    listed[18 * CASES] = _whole(net.free, ROW_UNIT, _MOST_ROW)
    listed[18 * CASES + 1 :] = _whole(net.meta(over), ROW_UNIT, _MOST_ROW)
    top = round(TOP * ROW_UNIT)
    weights, bias, unit = _summed(net.layer.weight, net.layer.bias, top)
    globe, _, globe_unit = _summed(net.globe.weight, None, top)
    last = np.append(
        np.rint(net.last.weight.numpy()[0] * LAST_UNIT),
        np.rint(net.last.bias.numpy() * LAST_UNIT * unit * ROW_UNIT),
    )
    return Tables(
        rows=listed.reshape(-1), weights=weights.flatten(), bias=bias, last=last,
        scale=1 / (LAST_UNIT * unit * ROW_UNIT),
        cells=_whole(net.cells(body), WISH_UNIT, _MOST_WISH).astype(np.float32),
        sends=_whole(net.sends(body), WISH_UNIT, _MOST_WISH).astype(np.float32),
        care=_whole(net.care(over), CARE_UNIT, MOST_CARE).astype(np.float32),
        globe=globe.flatten(), globe_scale=CARE_UNIT / (globe_unit * ROW_UNIT),
        place=_whole(net.place, CARE_UNIT * WISH_UNIT, _MOST_PLACE).astype(np.float32),
    )  # fmt: skip


def inputs(states: States) -> tuple[Tensor, Tensor, Tensor]:
    """The arguments of :meth:`TableNet.forward` for packed states, shape (B, 24)."""
    case, meta = cases(states)
    forced = states[:, FORCED].astype(np.int64)
    return torch.from_numpy(case), torch.from_numpy(meta), torch.from_numpy(forced)


def by_move(logits: Tensor) -> Tensor:
    """Reorder (B, 9, 9) by sub-board and cell into (B, 81) by move."""
    found = torch.empty(len(logits), 81, dtype=logits.dtype)
    found[:, torch.from_numpy(MOVE.astype(np.int64))] = logits.flatten(1)
    return found
