"""By how much a result file changed: its numbers, its text, its pictures."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])")
"""A number in text; digits inside a word, a path or a checksum are text."""

PICTURES = (".svg", ".pdf", ".png")


def describe(path: Path, old: bytes | None, new: bytes) -> str:
    """Say what differs between two versions of a file.

    Returns
    -------
    str
        ``"new"``, or what changed: ``"numbers up to 3e-05"`` (the largest relative difference),
        ``"text (4 lines)"``, ``"picture"``, ``"arrays up to 1e-07"``, joined by commas.
    """
    if old is None:
        return "new"
    if path.suffix in PICTURES:
        return "picture"
    if path.suffix == ".safetensors":
        return _arrays(old, new)
    if path.suffix == ".ipynb":
        return _notebooks(old, new)
    return _texts(old.decode(), new.decode())


def relative(old: float, new: float) -> float:
    """The distance of two numbers, relative to the larger one; 0 if they are equal."""
    return abs(old - new) / max(abs(old), abs(new)) if old != new else 0.0


def _texts(old: str, new: str) -> str:
    if NUMBER.sub("#", old) != NUMBER.sub("#", new):
        changed = set(new.splitlines()) ^ set(old.splitlines())
        return f"text ({len(changed)} lines)"
    pairs = zip(NUMBER.findall(old), NUMBER.findall(new), strict=True)
    return _numbers(max((relative(float(a), float(b)) for a, b in pairs), default=0.0))


def _numbers(most: float, name: str = "numbers") -> str:
    return f"{name} up to {most:.1g}" if most else "bytes"


def _notebooks(old: bytes, new: bytes) -> str:
    pictures = [list(_pictures(json.loads(data))) for data in (old, new)]
    count = sum(a != b for a, b in zip(*pictures, strict=False))
    count += abs(len(pictures[0]) - len(pictures[1]))
    bare = [_without_pictures(data.decode()) for data in (old, new)]
    parts = [_texts(*bare)] if bare[0] != bare[1] else []
    return ", ".join([*parts, *([f"{count} pictures"] if count else [])]) or "bytes"


def _pictures(notebook: Mapping[str, Any]) -> Iterator[str]:
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                yield "".join(output["data"]["image/png"])


def _without_pictures(text: str) -> str:
    return re.sub(r'"image/png": "[^"]*"', '"image/png": ""', text)


def _arrays(old: bytes, new: bytes) -> str:
    from safetensors.numpy import load

    before, after = load(old), load(new)
    if {k: v.shape for k, v in before.items()} != {k: v.shape for k, v in after.items()}:
        return "arrays (other names or shapes)"
    most = 0.0
    for name, array in before.items():
        a, b = array.astype(float), after[name].astype(float)
        scale = np.maximum(np.maximum(abs(a), abs(b)), 1e-300)
        most = max(most, float(np.max(abs(a - b) / scale, initial=0.0)))
    return _numbers(most, "arrays")
