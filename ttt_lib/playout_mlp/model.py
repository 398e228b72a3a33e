"""The network: training with scikit-learn, its weights as arrays, and its predictions."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_lib.evidence import store, weights
from ttt_lib.game.board import Boards, Floats
from ttt_lib.game.kept import read_only
from ttt_lib.game.policy import Evaluator, for_last_mover
from ttt_lib.playout_mlp.data import GRID, Examples, examples, split_rows

HIDDEN = 100
MAX_ITERATIONS = 1000
STORED_SEEDS = range(20)
FILE = "playout_mlp_nets.safetensors"
FORMAT = "ttt-playout-mlp-1"
ARRAYS = {"hidden": (9, HIDDEN), "hidden_bias": (HIDDEN,), "out": (HIDDEN, 3), "out_bias": (3,)}


@dataclass(frozen=True, eq=False)
class Net:
    """A trained classifier: 9 cells, one hidden layer of rectified units, three chances.

    Attributes
    ----------
    hidden, hidden_bias : ndarray of float64, shapes (9, H) and (H,)
    out, out_bias : ndarray of float64, shapes (H, 3) and (3,)
        The three columns are X win, draw, O win.
    """

    hidden: Floats
    hidden_bias: Floats
    out: Floats
    out_bias: Floats

    def chances(self, boards: Boards) -> Floats:
        """Predicted chances of X win, draw and O win, shape (B, 3)."""
        active = np.maximum(boards @ self.hidden + self.hidden_bias, 0.0)
        logits = active @ self.out + self.out_bias
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))

    def classes(self, boards: Boards) -> NDArray[np.int8]:
        """Likeliest outcome from X's side, +1, 0 or -1, shape (B,)."""
        return np.asarray(1 - self.chances(boards).argmax(axis=1), dtype=np.int8)

    def expected(self, boards: Boards) -> Floats:
        """Expected outcome from X's side, in [-1, 1], shape (B,)."""
        chances = self.chances(boards)
        return np.asarray(chances[:, 0] - chances[:, 2])


def train(data: Examples, seed: int) -> Any:
    """Fit the document's classifier; reaching the iteration limit raises no warning here.

    Parameters
    ----------
    data : Examples
        The training rows.
    seed : int
        Seed of the initial weights and of the order of the rows.

    Returns
    -------
    sklearn.neural_network.MLPClassifier
        ``n_iter_`` equals ``MAX_ITERATIONS`` where it did not converge.
    """
    from sklearn.neural_network import MLPClassifier

    model = MLPClassifier(hidden_layer_sizes=(HIDDEN,), max_iter=MAX_ITERATIONS, random_state=seed)
    return _fit(model, data)


def train_regressor(data: Examples, seed: int) -> Any:
    """Fit a network of the same size to the outcome as a number, by least squares."""
    from sklearn.neural_network import MLPRegressor

    model = MLPRegressor(hidden_layer_sizes=(HIDDEN,), max_iter=MAX_ITERATIONS, random_state=seed)
    return _fit(model, data)


def _fit(model: Any, data: Examples) -> Any:
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        # Arrays, not data frames: then scikit-learn expects no column names when it predicts.
        return model.fit(data.boards.astype(np.float64), data.outcomes)


def as_net(model: Any) -> Net:
    """The weights of a fitted classifier, its columns reordered to X win, draw, O win.

    Raises
    ------
    ValueError
        If the training rows lacked one of the three outcomes.
    """
    if model.classes_.tolist() != [-1, 0, 1]:
        raise ValueError(f"the training rows hold the outcomes {model.classes_.tolist()} only")
    (hidden, out), (hidden_bias, out_bias) = model.coefs_, model.intercepts_
    return Net(hidden, hidden_bias, out[:, ::-1], out_bias[::-1])


@dataclass(frozen=True, eq=False)
class Run:
    """One seed's data set, its split by rows, and the classifier fitted to the training rows."""

    train: Examples
    test: Examples
    model: Any

    @property
    def net(self) -> Net:
        """The trained network."""
        return as_net(self.model)


def run(seed: int, *, record: str = "x") -> Run:
    """Repeat the document's experiment with a seed: playouts, split, training (takes seconds).

    Raises
    ------
    ValueError
        If the seed is negative or record is unknown.
    """
    if seed < 0:
        raise ValueError(f"a seed can't be negative: {seed}")
    data = examples(rng=seed, record=record)
    train_rows, test_rows = split_rows(data, seed)
    return Run(data[train_rows], data[test_rows], train(data[train_rows], seed))


@cache
@read_only
def net(seed: int = 0, record: str = "x") -> Net:
    """The network of a seed: stored for the first seeds, else trained now (takes seconds).

    Raises
    ------
    ValueError
        As :func:`run`, and if the stored weights are damaged.
    """
    if seed in STORED_SEEDS and (store.data_dir() / FILE).exists():
        return stored_nets(record)[seed]
    return run(seed, record=record).net


def stored_nets(record: str = "x") -> list[Net]:
    """The stored networks of seeds 0, 1, ...

    Raises
    ------
    ValueError
        If the file is missing or damaged, or record is not ``x`` or ``both``.
    """
    if record not in ("x", "both"):
        raise ValueError(f"networks of record {record!r} are not stored: x or both")
    path = store.data_dir() / FILE
    if not path.exists():
        raise ValueError(
            f"data/{FILE} is missing: run python -m ttt_lib.evidence.reproduce --data {FILE}"
        )
    return read_nets(path, record)


def pack_nets(nets: dict[str, list[Net]]) -> bytes:
    """Networks as the bytes of a file, seeds along the first axis of each array."""
    arrays = {
        f"{record}_{name}": np.stack([getattr(one, name) for one in some])
        for record, some in nets.items()
        for name in ARRAYS
    }
    return weights.to_bytes(arrays, FORMAT, {"records": list(nets)})


def read_nets(path: Path, record: str = "x") -> list[Net]:
    """The networks of one record, from a file written with :func:`pack_nets`.

    Raises
    ------
    ValueError
        If the file is missing, damaged or of another kind, or its arrays have other names or
        shapes.
    """
    found, _ = weights.read(path, FORMAT)
    arrays = {name: found.get(f"{record}_{name}", np.empty(0)) for name in ARRAYS}
    if any(arrays[name].shape[1:] != shape for name, shape in ARRAYS.items()):
        raise ValueError(f"{path} holds no networks of record {record!r}")
    return [Net(*rows) for rows in zip(*arrays.values(), strict=True)]


def check_typed(options: Mapping[str, Any]) -> None:
    """Check the stored networks, if a player that somebody typed asks them.

    Raises
    ------
    ValueError
        If the file is damaged or of another kind, or holds weights that are no finite numbers.
    """
    path = store.data_dir() / FILE
    if options.get("policy", "mlp") == "mlp" and path.exists():
        arrays, _ = weights.read(path, FORMAT)
        if not all(np.isfinite(array).all() for array in arrays.values()):
            raise ValueError(f"{path} holds weights that are no finite numbers")


def evaluator(network: Net) -> Evaluator:
    """Value boards after a move by the expected outcome for the player who made it."""
    return for_last_mover(GRID, network.expected)
