"""Files of the compendium: where they are, how they are written, who makes them.

Whatever a stored file, a figure or a claim needs is declared in a TOML file
beside it and names the function that makes it as ``"module:function"``.  So the
library below needs no list of its users.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


PACKAGE = Path(__file__).resolve().parents[1]
"""The library's folder."""


def root() -> Path:
    """The checkout this package runs from, or the copy of its files that a wheel brings along."""
    return PACKAGE.parent if is_checkout() else PACKAGE / "_share"


def is_checkout() -> bool:
    """Whether the package lies in a checkout, and was not installed from a wheel."""
    return (PACKAGE.parent / "pyproject.toml").exists()


def checkout(purpose: str) -> Path:
    """The checkout, for what an installed package can't do.

    Raises
    ------
    ValueError
        If the package was installed without one.
    """
    if not is_checkout():
        raise ValueError(f"{purpose} takes a checkout: clone the repository and run 'make env'")
    return root()


def data_dir() -> Path:
    """Folder of the data files; the variable ``TTT_DATA`` overrides it.

    Raises
    ------
    ValueError
        If ``TTT_DATA`` names no folder.
    """
    named = os.environ.get("TTT_DATA")
    if named and not Path(named).is_dir():
        raise ValueError(f"TTT_DATA names no folder: {named}")
    return Path(named) if named else root() / "data"


MANIFEST = "manifest.toml"
"""The file, beside the stored ones, that says what makes each."""


def override() -> str:
    """What a message adds to a path below :func:`data_dir`: the variable, if it is set."""
    named = os.environ.get("TTT_DATA")
    return f" (TTT_DATA={named})" if named else ""


def missing(path: Path) -> str:
    """Words for a message: that a file is missing, and the variable that names its folder."""
    return f"{path} is missing{override()}"


def present(file: str) -> Path:
    """The path of a stored file that is there.

    Raises
    ------
    ValueError
        If it is missing; the message says what to do.
    """
    path = data_dir() / file
    if not path.exists():
        elsewhere = override() and not (data_dir() / MANIFEST).exists()
        again = "unset TTT_DATA" if elsewhere else f"run {rebuild(file)}"
        raise ValueError(f"{missing(path)}: {again}")
    return path


def rebuild(file: str) -> str:
    """The command that rebuilds a stored file."""
    return f"python -m ttt_lib.evidence.reproduce --data {file}"


def write_atomic(path: Path, data: bytes | str) -> None:
    """Write a file beside its place and rename it, so that no reader sees half of it."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        beside.write_bytes(data.encode() if isinstance(data, str) else data)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def resolve(name: str) -> Callable[..., Any]:
    """Import a function named ``"module:function"``, or ``"module:Class.method"``.

    Raises
    ------
    ValueError
        If there is no such module or function.
    ModuleNotFoundError
        If a library that the module imports is not installed.
    """
    module, _, function = name.partition(":")
    try:
        found = reduce(getattr, function.split("."), importlib.import_module(module))
    except (ImportError, AttributeError, ValueError) as error:
        if isinstance(error, ModuleNotFoundError) and not f"{module}.".startswith(f"{error.name}."):
            raise
        raise ValueError(f"no function {name!r}: {error}") from error
    if not callable(found):
        raise ValueError(f"no function {name!r}: it can't be called")
    return found


@dataclass(frozen=True)
class Stored:
    """A data file and how it is made.

    Attributes
    ----------
    file : str
        Path below ``data/``.
    about, source, licence : str
        What it holds, where it comes from, under which terms.
    made_by : str
        ``"module:function"``; it returns a DataFrame (stored as CSV), text or bytes.
    quick : bool
        Whether ``make reproduce`` rebuilds it; otherwise only ``make full`` does.
    check, unchecked : str
        For a long run, ``"module:function"`` that recomputes part of it, or why there is none.
    unseen : list of str
        Modules of which the check sees nothing, since only a GPU runs what they do: a change there
        makes the run stale, whatever the check says.
    times : list of str
        Columns (or entries of a column ``quantity``) of measured times and speeds, which differ
        from run to run.
    gpu : bool
        Whether it can be made on a machine with a GPU only.
    """

    file: str
    about: str
    source: str
    licence: str
    made_by: str
    quick: bool
    check: str = ""
    unchecked: str = ""
    unseen: Sequence[str] = ()
    times: Sequence[str] = ()
    gpu: bool = False

    @property
    def command(self) -> str:
        """The command that rebuilds the file."""
        return rebuild(self.file)


def manifest() -> list[Stored]:
    """The stored files that ``data/manifest.toml`` declares.

    Raises
    ------
    ValueError
        If it is no TOML, declares no file, or an entry lacks a field or has an unknown one.
    """
    return list(_declared((data_dir() / MANIFEST).read_bytes()))


@cache
def _declared(text: bytes) -> tuple[Stored, ...]:
    try:
        entries = tomllib.loads(text.decode())
        declared = tuple(Stored(file=file, **entry) for file, entry in entries.items())
    except (ValueError, TypeError) as error:
        raise ValueError(f"manifest.toml can't be read: {error}") from error
    if not declared:
        raise ValueError("manifest.toml can't be read: it declares no file")
    return declared


def makeable(*, quick_only: bool) -> list[str]:
    """The files that can be made here: those that need a GPU only where there is one."""
    missing = [] if quick_only else without_gpu()
    entries = (entry for entry in manifest() if entry.quick or not quick_only)
    return [entry.file for entry in entries if entry.file not in missing]


def without_gpu() -> list[str]:
    """The files that can't be made here, for want of a GPU."""
    import torch  # takes a second, and reading tables needs none of it

    return [entry.file for entry in manifest() if entry.gpu and not torch.cuda.is_available()]


def make(entry: Stored, destination: Path) -> Path:
    """Rebuild a data file below ``destination``; return its path."""
    made = resolve(entry.made_by)()
    if not isinstance(made, str | bytes):
        made = csv_text(made)
    write_atomic(destination / entry.file, made)
    return destination / entry.file


def csv_text(table: pd.DataFrame) -> str:
    """A table as CSV with 12 significant digits, the same on every system."""
    return table.to_csv(index=False, lineterminator="\n", float_format="%.12g")


def read_table(file: str) -> pd.DataFrame:
    """Read a stored table.

    Raises
    ------
    ValueError
        If it is missing; the message says what to do.
    """
    import pandas as pd  # takes a second, and most commands need no table

    return pd.read_csv(present(file))


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file.

    Raises
    ------
    ValueError
        If it is no TOML.
    OSError
        If it can't be opened.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} can't be read: {error}") from error


def read_json(path: Path, is_sound: Callable[[Any], bool], needs: str) -> Any:
    """Read a JSON file and check what it holds.

    Parameters
    ----------
    is_sound : callable
        Says of what the file holds whether it is what it should be.
    needs : str
        What it should be, in words for the message.

    Raises
    ------
    ValueError
        If it is no JSON, or not sound.
    OSError
        If it can't be opened.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} can't be read: {error}") from None
    if not is_sound(found):
        raise ValueError(f"{path} can't be read: it needs {needs}")
    return found


def notebooks(root: Path) -> list[Path]:
    """List the numbered notebooks of a project, in reading order."""
    return sorted((root / "notebooks").glob("[0-9]*.ipynb"))


def cells(notebook: Path) -> list[dict[str, Any]]:
    """The cells of a stored notebook, with their outputs."""
    found: list[dict[str, Any]] = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return found


def checksums(files: Iterable[str]) -> str:
    """The text of ``data/SHA256SUMS``, one line per file, in the format of sha256sum."""
    return "".join(f"{sha256(data_dir() / file)}  {file}\n" for file in sorted(files))


def changed() -> list[str]:
    """Stored files that are missing, or not what ``data/SHA256SUMS``, if it is there, says."""
    sums = data_dir() / "SHA256SUMS"
    lines = sums.read_text(encoding="utf-8").splitlines() if sums.exists() else []
    known = {file: digest for digest, _, file in (line.partition("  ") for line in lines)}
    paths = {file: data_dir() / file for file in known}
    return [f for f, path in paths.items() if not path.exists() or sha256(path) != known[f]]


def sha256(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
