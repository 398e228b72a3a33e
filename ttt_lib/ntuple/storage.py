"""Networks as files: the weights, and in the header the patterns they belong to."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ttt_lib.evidence import store, weights
from ttt_lib.game.board import Grid
from ttt_lib.ntuple.network import Network, Patterns

FORMAT = "ttt-ntuple-2"
STORED_4X4 = "ntuple_4x4_seed{seed}.safetensors"
STORED_SEEDS = (0, 1, 2)


def to_bytes(network: Network) -> bytes:
    """The bytes of a stored network, the same for the same network."""
    patterns = network.patterns
    about = {
        "size": patterns.grid.name,
        "tuples": patterns.tuples,
        "sharing": patterns.sharing,
        "side": patterns.side,
    }
    return weights.to_bytes({"weights": network.weights}, FORMAT, about)


def save(network: Network, path: Path | str) -> None:
    """Write a network, whole or not at all.

    Raises
    ------
    ValueError
        If it can't be written; an earlier file is then still in its place.
    """
    try:
        store.write_atomic(Path(path), to_bytes(network))
    except OSError as error:
        raise ValueError(f"{path} was not written: {error.strerror}") from None


def load(path: Path | str) -> Network:
    """Read a network.

    Raises
    ------
    ValueError
        If the file is missing, damaged or of another kind, or its weights do not fit its
        patterns.
    """
    arrays, about = weights.read(Path(path), FORMAT)
    try:
        return Network(_patterns(about), arrays["weights"].astype(np.float64))
    except (LookupError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is no stored N-tuple network: {error}") from error


def _patterns(about: dict[str, Any]) -> Patterns:
    tuples = tuple(tuple(int(cell) for cell in cells) for cells in about["tuples"])
    return Patterns(Grid.parse(about["size"]), tuples, about["sharing"], bool(about["side"]))


@cache
def read_stored(seed: int) -> Network:
    """The stored 4x4 network of a seed.

    Raises
    ------
    ValueError
        If there is none for that seed, or its file is damaged.
    """
    if seed not in STORED_SEEDS:
        known = ", ".join(map(str, STORED_SEEDS))
        raise ValueError(f"no 4x4 ntuple network is stored for seed {seed}: {known}")
    return load(store.data_dir() / STORED_4X4.format(seed=seed))
