"""Files of arrays: written whole and always alike, and refused where they are not ours."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import safetensors

from ttt_lib.evidence import weights

ARRAYS = {
    "b": np.arange(6.0).reshape(2, 3),
    "a": np.array(7),
    "c": np.array([1 << 63], np.uint64),
}


def test_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "file.safetensors"
    weights.write(path, ARRAYS, "test", {"size": "3x3"})
    arrays, about = weights.read(path, "test")
    assert about == {"size": "3x3", "format": "test"}
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        assert arrays[name].shape == array.shape
        np.testing.assert_array_equal(arrays[name], array)


def test_arrays_are_stored_by_value_not_by_layout() -> None:
    turned = {**ARRAYS, "b": np.asfortranarray(ARRAYS["b"])}
    assert weights.to_bytes(turned, "test", {}) == weights.to_bytes(ARRAYS, "test", {})


def test_every_process_writes_the_same_bytes() -> None:
    """The library writes a header of several entries in random order."""
    work = (
        "import hashlib, numpy; from ttt_lib.evidence import weights;"
        "found = weights.to_bytes({'b': numpy.ones(2)}, 'test', dict.fromkeys('hgfe'));"
        "print(hashlib.sha256(found).hexdigest())"
    )
    found = {
        subprocess.check_output([sys.executable, "-c", work], env={**os.environ}) for _ in range(4)
    }
    assert len(found) == 1


@pytest.mark.parametrize("keep", [0, 4, 40, -1])
def test_truncated_files_are_refused(tmp_path: Path, keep: int) -> None:
    path = tmp_path / "file.safetensors"
    path.write_bytes(weights.to_bytes(ARRAYS, "test", {})[:keep])
    with pytest.raises(ValueError, match="damaged or no safetensors") as caught:
        weights.read(path, "test")
    assert "\n" not in str(caught.value)


def test_a_file_that_may_not_be_read_is_not_called_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    path = tmp_path / "file.safetensors"
    weights.write(path, ARRAYS, "test", {})
    monkeypatch.setattr(safetensors, "safe_open", refuse)
    with pytest.raises(ValueError, match="can't be read: Permission denied"):
        weights.read(path, "test")


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "file.safetensors"
    with pytest.raises(ValueError, match="is missing"):
        weights.read(path, "test")
    weights.write(path, ARRAYS, "test", {})
    with pytest.raises(ValueError, match="no file of format other"):
        weights.read(path, "other")
    from safetensors.numpy import save_file

    for header in (None, {"x": "y"}, {"about": "{"}, {"about": "[]"}):
        save_file(ARRAYS, path, header)
        with pytest.raises(ValueError, match="no file of format test"):
            weights.read(path, "test")


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "file.safetensors"
    path.mkdir()
    with pytest.raises(ValueError, match="was not written"):
        weights.write(path, ARRAYS, "test", {})
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
