"""Networks as plain ``.npz`` files: the weights, and the patterns as JSON text; never pickle."""

from __future__ import annotations

import io
import json
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ttt_lib.evidence import store
from ttt_lib.game.board import Grid
from ttt_lib.ntuple.network import Network, Patterns

FORMAT = "ttt_lib ntuple 1"
STORED_4X4 = "ntuple_4x4_seed{seed}.npz"
STORED_SEEDS = (0, 1, 2)


def to_bytes(network: Network) -> bytes:
    """The bytes of a stored network, the same for the same network."""
    patterns = network.patterns
    config = {
        "format": FORMAT,
        "size": patterns.grid.name,
        "tuples": patterns.tuples,
        "sharing": patterns.sharing,
        "side": patterns.side,
    }
    arrays = {"config": np.array(json.dumps(config)), "weights": network.weights}
    stream = io.BytesIO()
    # np.savez stamps the time of day on each member; a fixed date keeps the checksum.
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, array, allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), member.getvalue())
    return stream.getvalue()


def save(network: Network, path: Path | str) -> None:
    """Write a network, whole or not at all."""
    store.write_atomic(Path(path), to_bytes(network))


def load(path: Path | str) -> Network:
    """Read a network.

    Raises
    ------
    ValueError
        If the file is missing, is no such archive, is truncated, or its
        weights do not fit its patterns.
    """
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"no network in {path.name}: the file is missing")
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as archive:
            config, weights = json.loads(str(archive["config"])), archive["weights"]
        return Network(_patterns(config), weights.astype(np.float64))
    except (OSError, LookupError, TypeError, EOFError, ValueError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path.name} is no stored N-tuple network: {error}") from error


def _patterns(config: dict[str, Any]) -> Patterns:
    if config["format"] != FORMAT:
        raise ValueError(f"format {config['format']!r}, not {FORMAT!r}")
    tuples = tuple(tuple(int(cell) for cell in cells) for cells in config["tuples"])
    return Patterns(Grid.parse(config["size"]), tuples, config["sharing"], bool(config["side"]))


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
