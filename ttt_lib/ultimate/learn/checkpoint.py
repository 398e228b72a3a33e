"""Checkpoints: safetensors with a JSON header, written whole or not at all, and free of code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ttt_lib.evidence import weights
from ttt_lib.evidence.store import data_dir
from ttt_lib.ultimate.config import Config, NetworkConfig, TableConfig
from ttt_lib.ultimate.learn.replay_buffer import no_samples

FORMAT = "ttt-ultimate-1"
STORED = "ultimate_table.safetensors"
"""The trained table net in ``data/``."""

TEACHER = "ultimate_teacher.safetensors"
"""The smaller net beside it, from whose games it learned at first."""

ENDGAME = "ultimate_endgame.safetensors"
"""The net for endgames: the trained table net, trained further on solved positions."""


def write(path: Path, tensors: Mapping[str, Tensor], about: Mapping[str, Any]) -> None:
    """Write a checkpoint beside its place, then rename it there.

    Raises
    ------
    ValueError
        If it can't be written; an earlier file there is left as it was.
    """
    arrays = {name: tensor.detach().cpu().numpy() for name, tensor in tensors.items()}
    weights.write(path, arrays, FORMAT, about)


def read(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Read a checkpoint: its tensors, and what its header says.

    Raises
    ------
    ValueError
        If it is missing, truncated, or not one of our checkpoints.
    """
    if not path.is_file():
        raise ValueError(f"no checkpoint {path}: train one with ttt ultimate train")
    arrays, about = weights.read(path, FORMAT)
    return {name: torch.from_numpy(array) for name, array in arrays.items()}, about


def configured(about: Mapping[str, Any], path: Path) -> Config:
    """The configuration a checkpoint was made with.

    Raises
    ------
    ValueError
        If its header holds none.
    """
    found = about.get("config")
    if not isinstance(found, dict):
        raise ValueError(f"{path} names no configuration")
    return Config.from_dict(found)


def load_weights(module: nn.Module, tensors: Mapping[str, Tensor], path: Path) -> None:
    """Load weights into a network of exactly these names and shapes, all finite.

    Raises
    ------
    ValueError
        If a name or shape differs, or a weight isn't finite.
    """
    wanted = {name: tuple(tensor.shape) for name, tensor in module.state_dict().items()}
    found = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
    if wanted != found:
        names = sorted(k for k in {*wanted, *found} if wanted.get(k) != found.get(k))
        raise ValueError(
            f"{path} belongs to another architecture: {names[0]} is "
            f"{found.get(names[0], 'missing')}, not {wanted.get(names[0], 'there')}"
        )
    if not all(bool(torch.isfinite(t).all()) for t in tensors.values() if t.is_floating_point()):
        raise ValueError(f"{path} holds weights that are no finite numbers")
    module.load_state_dict(dict(tensors))


class Run(NamedTuple):
    """What the header of a run's checkpoint says beyond its configuration."""

    seed: int
    rules: str
    iteration: int
    cpu_minutes: float
    begin: int
    log: list[dict[str, float]]
    scaler: dict[str, Any]


_TYPES: dict[str, type | tuple[type, ...]] = {
    "seed": int, "rules": str, "iteration": int, "cpu_minutes": (int, float), "begin": int,
    "log": list, "scaler": dict,
}  # fmt: skip


def run_of(about: Mapping[str, Any], path: Path) -> Run:
    """What a run needs to resume, from its header.

    Raises
    ------
    ValueError
        If any of it is missing.
    """
    for name, kind in _TYPES.items():
        if not isinstance(about.get(name), kind):
            raise ValueError(f"{path} holds a network alone, not a run to go on with")
    return Run(**{name: about[name] for name in _TYPES})


def window(tensors: Mapping[str, Tensor], path: Path) -> dict[str, NDArray[Any]]:
    """The replay buffer of a run: arrays by name, all of the shapes and types of samples.

    Raises
    ------
    ValueError
        If one is missing, or has another shape or type.
    """
    wanted = no_samples(len(tensors.get("values", ())))._asdict()
    found = {name: tensor.numpy() for name, tensor in tensors.items()}
    if {k: (a.shape, a.dtype) for k, a in found.items()} != {
        k: (a.shape, a.dtype) for k, a in wanted.items()
    }:
        raise ValueError(f"{path} holds no replay window to go on with")
    return found


@contextmanager
def precision(dtype: torch.dtype) -> Iterator[None]:
    """Temporarily set torch's default floating-point type."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def build_network(config: Config) -> nn.Module:
    """A new network of the configured kind and precision."""
    if isinstance(config.network, TableConfig):
        from ttt_lib.ultimate.network.tablenet import TableNet

        dtype = torch.float64 if config.training.double else torch.float32
        with precision(dtype):  # its initial weights are drawn in it, too
            return TableNet(config.network).to(dtype)
    from ttt_lib.ultimate.network.resnet import AlphaZeroNet

    assert isinstance(config.network, NetworkConfig)
    return AlphaZeroNet(config.network)


PREFIX = "network."


def load_net(path: Path | None = None) -> tuple[nn.Module, dict[str, Any]]:
    """The network of a checkpoint (the stored table net by default), and its header.

    Raises
    ------
    ValueError
        As :func:`read` and :func:`load_weights`.
    """
    path = path or data_dir() / STORED
    tensors, about = read(path)
    net = build_network(configured(about, path))
    load_weights(net, part(tensors, PREFIX), path)
    return net.eval(), about


def part(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """The tensors whose names begin with a prefix, without it."""
    return {k.removeprefix(prefix): t for k, t in tensors.items() if k.startswith(prefix)}
