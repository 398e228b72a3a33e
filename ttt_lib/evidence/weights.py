"""Arrays in a file: networks, training runs and solver tables, all as safetensors.

The file's header has one entry, ``about``: JSON that says in ``format`` what kind of thing the file
holds, and what a reader has to know of it.  (With two entries the library would write them in
random order, and the same arrays would have two checksums.)  Reading runs no code, and a file of
another kind is refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_lib.evidence import store

Array = NDArray[Any]


def to_bytes(arrays: Mapping[str, Array], kind: str, about: Mapping[str, Any]) -> bytes:
    """The bytes of a file, the same for the same arrays and header."""
    from safetensors.numpy import save  # loaded only to read or write such a file

    header = {"about": json.dumps({**about, "format": kind}, sort_keys=True)}
    return save({name: np.asarray(a, order="C") for name, a in arrays.items()}, header)


def write(path: Path, arrays: Mapping[str, Array], kind: str, about: Mapping[str, Any]) -> None:
    """Write a file beside its place, then rename it there.

    Raises
    ------
    ValueError
        If it can't be written; an earlier file is then still in its place.
    """
    try:
        store.write_atomic(path, to_bytes(arrays, kind, about))
    except OSError as error:
        raise ValueError(f"{path} was not written: {error.strerror}") from None


def read(path: Path, kind: str) -> tuple[dict[str, Array], dict[str, Any]]:
    """The arrays of a file, and what its header says about them.

    Raises
    ------
    ValueError
        If the file is missing, can't be read, is damaged, or of another kind.
    """
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        raise ValueError(f"{path} is missing")
    try:
        with safe_open(path, "np") as file:
            header = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except OSError as error:
        raise ValueError(f"{path} can't be read: {error.strerror or error}") from None
    except SafetensorError as error:
        raise ValueError(f"{path} is damaged or no safetensors file: {error}") from None
    about = _about(header)
    if about.get("format") != kind:
        raise ValueError(f"{path} is no file of format {kind}")
    return arrays, about


TYPES = {"BOOL", "I8", "I16", "I32", "I64", "U8", "U16", "U32", "U64", "F16", "F32", "F64"}
"""The format's names of the types that NumPy knows."""


def check_types(path: Path) -> None:
    """Reject a file of numbers that NumPy has no type for, such as bfloat16.

    Any other fault is left for :func:`read` to tell.

    Raises
    ------
    ValueError
        If it holds such numbers.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, "np") as file:
            found = {file.get_slice(name).get_dtype() for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError):
        return
    if strange := sorted(found - TYPES):
        raise ValueError(f"{path} holds numbers of type {strange[0]}, which can't be read here")


def _about(header: Mapping[str, str]) -> dict[str, Any]:
    try:
        about = json.loads(header["about"])
    except (KeyError, json.JSONDecodeError):
        return {}
    return about if isinstance(about, dict) else {}
