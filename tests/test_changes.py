"""What is said of a changed file: numbers by how much, text by how many lines, pictures."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from ttt_lib.evidence import changes, weights


def arrays(**found: list[float]) -> bytes:
    return weights.to_bytes({name: np.array(a) for name, a in found.items()}, "test", {})


def notebook(shown: str, *pictures: str) -> bytes:
    outputs = [{"data": {"text/plain": [shown]}}]
    outputs += [{"data": {"image/png": picture}} for picture in pictures or ("AAAA",)]
    return json.dumps({"cells": [{"outputs": outputs}, {"source": "text"}]}).encode()


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("a.csv", None, b"1", "new"),
        ("a.csv", b"x,1.5,-2\n", b"x,1.5,-2.5\n", "numbers up to 0.2"),
        ("a.csv", b"x,0\n", b"x,1e-9\n", "numbers up to 1"),
        ("a.csv", b"x,1.0\n", b"x,1\n", "bytes"),
        ("a.csv", b"x,1\ny,2\n", b"x,1\nz,2\n", "text (2 lines)"),
        ("a.csv", b"x1,1\n", b"x2,1\n", "text (2 lines)"),
        ("README.md", b"of 100 games\n", b"of 101 games\n", "numbers up to 0.01"),
        ("a.svg", b"<svg>", b"<svg/>", "picture"),
        ("a.pdf", b"\x00", b"\xff", "picture"),
        ("a.safetensors", arrays(w=[1.0, 4.0]), arrays(w=[1.0, 5.0]), "arrays up to 0.2"),
        ("a.safetensors", arrays(w=[1.0]), arrays(v=[1.0]), "arrays (other names or shapes)"),
        ("a.safetensors", arrays(w=[1.0]), arrays(w=[1]), "bytes"),
        ("a.ipynb", notebook("0.50"), notebook("0.25"), "numbers up to 0.5"),
        ("a.ipynb", notebook("0.50"), notebook("0.50", "AAAB"), "1 pictures"),
        ("a.ipynb", notebook("a"), notebook("b", "AAAB"), "text (2 lines), 1 pictures"),
        ("a.ipynb", notebook("a"), notebook("a", "A", "B", "C"), "text (2 lines), 3 pictures"),
    ],
)
def test_said(name: str, old: bytes | None, new: bytes, said: str) -> None:
    assert changes.describe(Path(name), old, new) == said


def test_relative() -> None:
    assert changes.relative(0.0, 0.0) == 0
    assert changes.relative(-1.0, 1.0) == 2
    assert changes.relative(4.0, 5.0) == changes.relative(5.0, 4.0) == pytest.approx(0.2)
