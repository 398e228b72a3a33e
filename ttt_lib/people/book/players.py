"""Players as the book's scripts read them: tables of whole numbers, and a network's weights.

Every 3x3 player whose chances are exact is a table of weights on the 4520 running states, in the
order of :class:`~ttt_lib.game.gametree.GameTree`.  Nearly all choose uniformly among some moves, so
nine bits per state say everything; where a document has a parameter, the tables of its settings
follow one another, and each but the first is written as what has changed.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_lib import catalog
from ttt_lib.evidence import store
from ttt_lib.game.board import Grid, Ints
from ttt_lib.game.exact import policy_table, random_expected, scores_of_values, table_of_values
from ttt_lib.game.gametree import GameTree, solve
from ttt_lib.game.kept import read_only
from ttt_lib.ultimate.learn.checkpoint import load_net
from ttt_lib.ultimate.network import tablenet
from ttt_lib.ultimate.search.tree_search import C_PUCT, DOUBT, ENOUGH, FPU

Setting = tuple[str, Ints]
"""What the parameter says, and the weights there, shape (S, 9)."""

TOTAL = 252
"""Sum of the weights of a state that can't be written as nine bits; it divides 2520."""

TEMPERATURES = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
EPOCHS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100)


@dataclass(frozen=True)
class Family:
    """A player with its parameter.

    Attributes
    ----------
    name, title : str
        In the address of a position, and for reading.
    about, level : str
        A sentence on it, and how hard it is to beat.
    parameter : str
        What the parameter sets; empty if there is none.
    settings : callable
        Makes its tables, at least one.
    start : int
        The setting to begin with.
    """

    name: str
    title: str
    about: str
    level: str
    parameter: str
    settings: Callable[[GameTree], Iterator[Setting]]
    start: int = 0


def named(*names: str, label: Sequence[str] = ()) -> Callable[[GameTree], Iterator[Setting]]:
    """Settings that are agents of the catalog."""

    def settings(tree: GameTree) -> Iterator[Setting]:
        for name, shown in zip(names, label or names, strict=True):
            yield shown, policy_table(catalog.agent(name), tree)

    return settings


# ---------------------------------------------------------------------------- parameters


def ising(energy: str) -> Callable[[GameTree], Iterator[Setting]]:
    """The tables of document 4's player for every b in [0, 1]: points, and intervals between."""

    def settings(tree: GameTree) -> Iterator[Setting]:
        from ttt_lib.ising.curve import kept_slots, order, table_at
        from ttt_lib.ising.energy import energy_of

        sides = [kept_slots(energy_of(energy, tree.grid), tree, side) for side in (1, -1)]
        points = order(slot.at for side in sides for slot in side)
        for start, end in pairwise([*points, points[-1]]):
            for point in (True, False) if start != end else (True,):
                weights = np.sum([table_at(side, start, point) for side in sides], axis=0)
                low, high = (f"{float(one):.4g}" for one in (start, end))
                yield (f"b = {low}" if point else f"{low} < b < {high}"), weights

    return settings


def ntuple_epochs(tree: GameTree) -> Iterator[Setting]:
    """Document 3's player of seed 0, by the number of epochs."""
    from ttt_lib.ntuple.network import Network, Patterns
    from ttt_lib.ntuple.players import table_of
    from ttt_lib.ntuple.training import train

    patterns = Patterns(tree.grid)
    history = train(patterns, rng=0).history
    for epoch in EPOCHS:
        network = Network(patterns, history[epoch - 1])
        yield f"{epoch} epoch{'s' * (epoch > 1)}", table_of(network, tree)


def playouts(tree: GameTree) -> Iterator[Setting]:
    """Moves by their expected result under random play: the best, then at rising temperatures."""
    expected = random_expected(tree)
    yield "temperature 0 (the best)", table_of_values(tree, expected)
    running = ~tree.finished
    scores = scores_of_values(tree, expected)[running]
    for heat in TEMPERATURES:
        table = np.zeros(tree.children.shape, dtype=np.int64)
        table[running] = apportioned(np.exp((scores - scores.max(axis=1, keepdims=True)) / heat))
        yield f"temperature {heat:g}", table


def apportioned(liking: NDArray[np.float64]) -> Ints:
    """Integer weights with sum ``TOTAL`` per row, by largest remainders (equal ones: lowest index).

    Parameters
    ----------
    liking : ndarray of float64, shape (B, moves)
        At least 0; 0 where a move is not legal.
    """
    shares = np.round(liking / liking.sum(axis=1, keepdims=True) * TOTAL, 9)
    whole = np.floor(shares).astype(np.int64)
    rank = np.argsort(np.argsort(-(shares - whole), axis=1, kind="stable"), axis=1, kind="stable")
    return np.asarray(whole + (rank < TOTAL - whole.sum(axis=1, keepdims=True)))


# ---------------------------------------------------------------------------- the players

DEPTHS = tuple(range(1, 10))

FAMILIES = (
    Family(
        "ising", "Ising player (notebook 04)",
        "Values its own lines, and b times its opponent's. Another b can mean other moves.",
        "medium", "b", ising("equation"), start=31,
    ),
    Family(
        "ising-program", "Ising player, as its program computes (notebook 04)",
        "The same idea, with the energy that the published program computes.",
        "medium", "b", ising("published"),
    ),
    Family(
        "ntuple", "Eight small tables (notebook 03)",
        "Adds up eight numbers, one per line. Trained enough, it never loses.",
        "hard to unbeatable", "training", ntuple_epochs, start=12,
    ),
    Family(
        "spectral", "A board as an image (notebook 02)",
        "Sees a picture made of waves. It always takes the same move: lead it.",
        "medium", "taught by",
        named(*(f"spectral:labels={kind},safety={safety}" for safety in ("yes", "no")
                for kind in ("optimal", "value", "minimax")),
              label=[f"{kind}{more}" for more in ("", ", without the safety rule")
                     for kind in ("win chances", "expected results", "minimax")]),
    ),
    Family(
        "mlp", "A network taught by chance games (notebook 01)",
        "A small network that has watched random games end. Deeper is not always safer.",
        "medium", "looks ahead",
        named(*(f"mlp:depth={depth}" for depth in range(1, 7)),
              label=[f"{depth} pl{'y' if depth == 1 else 'ies'}" for depth in range(1, 7)]),
    ),
    Family(
        "playouts", "Expected results of chance games",
        "Asks how random games would end after each move. The warmer, the more careless.",
        "medium", "temperature", playouts,
    ),
    Family(
        "lookahead", "Sees a few plies ahead",
        "Sees that far and no farther; beyond it all is alike.",
        "easy to hard", "depth",
        named(*(f"lookahead:depth={depth}" for depth in DEPTHS),
              label=[f"{depth} pl{'y' if depth == 1 else 'ies'}" for depth in DEPTHS]), start=2,
    ),
    Family(
        "hand-crafted", "Hand-crafted features", "Counts lines as people do, by three recipes.",
        "medium", "kind", named("analytical", "hybrid", "potential"),
    ),
    Family(
        "safety", "Wins and blocks, else by chance",
        "Wins if it can, blocks if it must, and else moves at random.",
        "easy", "", named("safety+random"),
    ),
    Family(
        "minimax", "Perfect play", "Never loses: you can only hold the draw.",
        "cannot be beaten", "among perfect moves",
        named("minimax:ties=quick", "minimax:ties=uniform", "minimax:ties=first",
              label=["the quickest", "any", "the first"]),
    ),
    Family("random", "By chance", "Takes any free cell.", "very easy", "", named("random")),
)  # fmt: skip


@cache
@read_only
def tables(name: str) -> tuple[Setting, ...]:
    """All settings of a family, with their weights on every state.

    Raises
    ------
    ValueError
        If there is no such family.
    """
    for family in FAMILIES:
        if family.name == name:
            return tuple(family.settings(solve(Grid(3))))
    raise ValueError(f"unknown family {name!r}: {', '.join(f.name for f in FAMILIES)}")


def exported() -> list[dict[str, Any]]:
    """The families as the page's script reads them.

    Returns
    -------
    list of dict
        ``name, title, about, level, parameter, start``, and ``settings``: ``[label, kind, text]``
        with kind ``bits`` (nine bits per running state), ``more`` (places and bits that differ from
        the setting before) or ``sums`` (nine bytes per state), little-endian in base 64.
    """
    running = ~solve(Grid(3)).finished
    return [
        {
            "name": family.name,
            "title": family.title,
            "about": family.about,
            "level": family.level,
            "parameter": family.parameter,
            "start": family.start,
            "settings": _packed([(label, w[running]) for label, w in tables(family.name)]),
        }
        for family in FAMILIES
    ]


def cell_lists() -> list[dict[str, Any]]:
    """Document 2's lists of cells, ``title, side, order`` each, for the page on threats.

    The learned ones, those with the largest margin over random play, and the cells in index order.
    """
    from ttt_lib.spectral.policy import trained

    best = store.read_table("spectral_orderings.csv").query("safety == 'no'").set_index("side")
    found = []
    for place, (side, name) in enumerate(((1, "x"), (-1, "o"))):
        learned = (trained(Grid(3), symmetric=kind).priorities()[place] for kind in (False, True))
        orders = [*learned, str(best.loc[name, "best_list"]).split(), range(9)]
        for kind, order in zip(LISTS, orders, strict=True):
            title = f"{kind}, playing {name.upper()}"
            found.append({"title": title, "side": side, "order": [int(cell) for cell in order]})
    return found


LISTS = (
    "learned, standard features",
    "learned, symmetric features",
    "the best against random play",
    "cells in order",
)


def _packed(settings: Sequence[Setting]) -> list[tuple[str, str, str]]:
    found, before = [], None
    for label, weights in settings:
        if weights.max() > 1:
            found.append((label, "sums", _text(weights.astype(np.uint8))))
            before = None
            continue
        bits = (weights @ (1 << np.arange(9))).astype("<u2")
        changed = np.flatnonzero(bits != before) if before is not None else np.arange(len(bits))
        if len(changed) < len(bits) // 2:
            found.append(
                (label, "more", _text(np.stack([changed, bits[changed]], 1).astype("<u2")))
            )
        else:
            found.append((label, "bits", _text(bits)))
        before = bits
    return found


def _text(array: NDArray[Any]) -> str:
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()


# ---------------------------------------------------------------------------- document 5


def ultimate_net() -> dict[str, Any]:
    """The stored table net for ``ultimate.js``, which lists rows of the tables when it meets them.

    So what is stored stays as small as the network.

    Returns
    -------
    dict
        ``sizes``: parts, rows, channels, layer. ``top``: where the total is cut. ``search``: how
        its player searches and chooses. ``arrays``: by name ``[offset, length]`` in ``data``,
        little-endian float32 in base 64.
    """
    net: Any = load_net()[0]
    arrays = {name: np.ascontiguousarray(found, "<f4") for name, found in _arrays(net).items()}
    places, at = {}, 0
    for name, array in arrays.items():
        places[name] = [at, array.size]
        at += array.size
    data = b"".join(array.tobytes() for array in arrays.values())
    config = net.config
    return {
        "sizes": {"parts": config.parts, "rows": config.rows, "channels": config.channels,
                  "layer": config.value},
        "top": tablenet.TOP,
        "search": {"c": C_PUCT, "fpu": FPU, "enough": ENOUGH, "doubt": DOUBT},
        "arrays": places,
        "data": base64.b64encode(data).decode(),
    }  # fmt: skip


def _arrays(net: Any) -> dict[str, NDArray[np.float32]]:
    found = {name: t.detach().numpy() for name, t in net.state_dict().items()}
    listed = {
        f"{name}{k}{end}": found[f"{name}.{2 * k}.{end}"]
        for name in ("body", "over") for k in (0, 1) for end in ("weight", "bias")
    }  # fmt: skip
    for name in ("meta", "layer", "last", "cells", "sends", "care"):
        listed |= {f"{name}{end}": found[f"{name}.{end}"] for end in ("weight", "bias")}
    rows = found["rows.weight"].reshape(net.config.rows, 9, -1).transpose(1, 2, 0)
    return {**listed, "rows": rows, "globe": found["globe.weight"],
            **{name: found[name] for name in ("forced", "free", "place")}}  # fmt: skip
