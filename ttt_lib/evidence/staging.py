"""Change many files or none: work on a copy, then rename what changed into place.

The copy lies beside the results, inside the project, because a rename is atomic only within one
file system.  An error or an interruption before the last step leaves the results as they were.
Runs may overlap: each has its own copy, and they put files in place one after the other.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

PREFIX = ".staging-"
FOLDERS = ("data", "figures", "notebooks")
FILES = ("README.md", "codecheck.yml", "ro-crate-metadata.json")

Contents = Mapping[Path, bytes]


class RefusedError(ValueError):
    """What was made could not be put in place, and lies where the message says."""


@contextmanager
def staged(root: Path) -> Iterator[Path]:
    """Lend a copy of the results to work on, and remove it afterwards, unless it was refused.

    While it is lent, ``TTT_DATA`` points the library, and every kernel it starts, to the copy.

    Parameters
    ----------
    root
        Project folder.

    Yields
    ------
    Path
        A folder that holds a copy of ``data/`` and takes new files under the places they have
        in `root`.
    """
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=root))
    before, refused = os.environ.get("TTT_DATA"), False
    try:
        shutil.copytree(root / "data", folder / "data")
        os.environ["TTT_DATA"] = str(folder / "data")
        yield folder
    except RefusedError:
        refused = True
        raise
    finally:
        os.environ.pop("TTT_DATA", None)
        if before is not None:
            os.environ["TTT_DATA"] = before
        if not refused:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def kept(folder: Path) -> Iterator[None]:
    """Keep the staging folder, and what took so long to make, if it can't be put in place.

    Raises
    ------
    RefusedError
        For whatever is wrong; its message names the folder.
    """
    try:
        yield
    except (OSError, ValueError) as error:
        raise RefusedError(f"{error}; what was made is kept in {folder}") from error


@contextmanager
def exclusive(folder: Path, busy: str = "") -> Iterator[None]:
    """Let one process at a time change a folder, where the system can lock folders.

    The lock is on the folder itself and ends with the process: a kill leaves nothing to clear away.

    Parameters
    ----------
    busy : str
        What is wrong if another process is within such a block; by default, it is waited for.

    Raises
    ------
    ValueError
        If another process is, with that message.
    """
    handle = _locked(folder, busy)
    try:
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _locked(folder: Path, busy: str) -> int | None:
    """An open handle that holds a folder's lock; None where the system can't lock folders."""
    try:
        import fcntl  # not on Windows

        handle = os.open(folder, os.O_RDONLY)
    except (ModuleNotFoundError, OSError):
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (fcntl.LOCK_NB if busy else 0))
    except OSError as error:
        os.close(handle)
        if isinstance(error, BlockingIOError):
            raise ValueError(busy) from None
        return None
    return handle


def contents(root: Path) -> Contents:
    """Return every result file below `root` with its bytes, by path from `root`."""
    below = (path for name in FOLDERS for path in (root / name).rglob("*") if path.is_file())
    files = [*below, *(root / name for name in FILES if (root / name).is_file())]
    return {path.relative_to(root): path.read_bytes() for path in files}


def changed(folder: Path, before: Contents) -> list[Path]:
    """List the files of `folder` that are new, or other than they were `before`."""
    return [path for path, data in sorted(contents(folder).items()) if before.get(path) != data]


def refuse_edits(root: Path, before: Contents, paths: Iterable[Path]) -> None:
    """Check that replacing `paths` undoes nobody's edit.

    Raises
    ------
    ValueError
        If one of them is no longer what it was `before`.
    """
    now = contents(root)
    edited = [str(path) for path in paths if now.get(path) != before.get(path)]
    if edited:
        raise ValueError(f"edited while it ran, so nothing was written: {', '.join(edited)}")


def publish(folder: Path, root: Path, before: Contents, paths: Sequence[Path]) -> None:
    """Move `paths` from `folder` into `root`, uninterrupted, each by one rename.

    Raises
    ------
    ValueError
        If somebody changed one of them since `before`; then nothing is moved.
    """
    refuse_edits(root, before, paths)
    signals = {signal.SIGINT, signal.SIGTERM}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        for path in paths:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).replace(root / path)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
