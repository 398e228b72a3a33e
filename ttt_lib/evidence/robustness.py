"""The same outputs under other conditions: ``make robust``.

Every notebook runs again under two conditions that differ in all that should not matter: hash seed,
time zone, number of threads, working directory, and whether there is a network.  Its bytes must be
the stored ones both times.  ``make robust`` then runs all tests on a read-only
checkout.
"""

from __future__ import annotations

import argparse
import ctypes
import fcntl
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ttt_lib.evidence import store
from ttt_lib.evidence.command import Parser, run_command

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
NEW_NETWORK, NEW_USER = 0x40000000, 0x10000000  # flags of unshare(2)
SET_FLAGS, UP = 0x8914, 0x1  # SIOCSIFFLAGS and IFF_UP of netdevice(7)


ANSI = re.compile(r"\x1b\[[\d;]*m")


@dataclass(frozen=True)
class Condition:
    """What should not matter.

    Attributes
    ----------
    name : str
        For reports.
    seed, zone, threads : str
        ``PYTHONHASHSEED``, ``TZ``, and the number of threads of BLAS, OpenMP and numba.
    elsewhere, offline : bool
        Whether the kernel's working directory is another one, and whether it has no network.
    """

    name: str
    seed: str
    zone: str
    threads: str
    elsewhere: bool
    offline: bool

    def environment(self) -> dict[str, str]:
        """The environment of this process, changed as the condition says."""
        changed = {"PYTHONHASHSEED": self.seed, "TZ": self.zone, "PYTHONPATH": str(store.root())}
        return {**os.environ, **changed, **dict.fromkeys(THREADS, self.threads)}


CONDITIONS = (
    Condition("at home", "0", "UTC", "1", elsewhere=False, offline=False),
    Condition("abroad", "4711", "Pacific/Auckland", "2", elsewhere=True, offline=True),
)
"""Each of the five takes both of its values; if one matters, one of the runs differs."""


# ---------------------------------------------------------------------------- one run


def run(source: Path, condition: Condition, folder: Path) -> Path:
    """Execute a notebook under a condition and return where its outputs were written.

    Parameters
    ----------
    source : Path
        The notebook; it is not changed.
    folder : Path
        An empty folder for the result, and for the kernel if it is to work elsewhere.

    Raises
    ------
    RuntimeError
        If the notebook fails.
    """
    place = folder / source.name
    if condition.elsewhere:
        source = Path(shutil.copy(source, folder / f"copy_{source.name}"))
    me = [sys.executable, "-m", "ttt_lib.evidence.robustness"]
    command = [*me, "--run", str(source), str(place)]
    command += ["--offline"] if condition.offline else []
    work = folder if condition.elsewhere else store.root()
    done = subprocess.run(
        command, cwd=work, env=condition.environment(), capture_output=True, text=True
    )
    if done.returncode:
        told = ANSI.sub("", done.stderr).strip()[-1000:]
        raise RuntimeError(f"{source.name} {condition.name}: {told}")
    return place


def cut_network() -> None:
    """Move this process, and all it starts, to a network namespace with only the loopback.

    Raises
    ------
    OSError
        If the system allows no network namespaces (Linux does, unless told otherwise).
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(NEW_NETWORK) and libc.unshare(NEW_USER | NEW_NETWORK):
        raise OSError(ctypes.get_errno(), "can't cut the network off: no namespaces here")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, SET_FLAGS, struct.pack("16sh14x", b"lo", UP))


def differences(stored: Path, fresh: Path) -> list[str]:
    """Say which cells of two notebooks differ; an empty list means equal to the byte."""
    if stored.read_bytes() == fresh.read_bytes():
        return []
    pairs = enumerate(zip(store.cells(stored), store.cells(fresh), strict=False), start=1)
    cells = [f"cell {place}" for place, (before, after) in pairs if before != after]
    return cells or ["the notebook around its cells"]


# ---------------------------------------------------------------------------- the whole


def compare(notebooks: Sequence[Path]) -> dict[str, list[str]]:
    """Run notebooks under every condition; what differs from the stored outputs, by run."""
    found = {}
    for condition in CONDITIONS:
        for source in notebooks:
            with tempfile.TemporaryDirectory() as folder:
                faults = differences(source, run(source, condition, Path(folder)))
            found[f"{source.stem} {condition.name}"] = faults
            told = ", ".join(faults) or "the same bytes"
            print(f"{source.stem:<24}{condition.name:<10}{told}")
    return found


READ_ONLY = """
mount --bind "$1" "$1"
mkdir -p "$2" && mount --bind "$2" "$2"
mount -o remount,bind,ro "$1" "$1"
cd "$1" && shift 2
if touch written 2>/dev/null; then echo "the checkout is not read-only" >&2; exit 3; fi
exec "$@"
"""
"""Makes a folder ($1) read-only except for one in or beside it ($2), for one command."""


def read_only(command: Sequence[str], environment: Path) -> int:
    """Run a command in the checkout while nobody can write to it; return its exit status.

    Parameters
    ----------
    command : sequence of str
        What to run there.
    environment : Path
        Where environment and caches lie (``TTT_ENV``): it stays writable.

    Raises
    ------
    OSError
        If there is no ``unshare`` (Linux has it).
    """
    script = ["sh", "-euc", READ_ONLY, "sh", str(store.root()), str(environment)]
    return subprocess.run(["unshare", "-rm", *script, *command]).returncode


def parser() -> Parser:
    """The parser of the command line."""
    parser = Parser(prog="python -m ttt_lib.evidence.robustness", description=__doc__)
    parser.add_argument("notebooks", nargs="*", type=Path, help="all numbered ones by default")
    parser.add_argument("--read-only", nargs=argparse.REMAINDER, metavar=("ENVIRONMENT", "COMMAND"),
                        help="run COMMAND on the read-only checkout instead, where only the folder "
                        "ENVIRONMENT can be written to")  # fmt: skip
    parser.add_argument("--run", nargs=2, type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--offline", action="store_true", help=argparse.SUPPRESS)
    return parser


def try_out(options: argparse.Namespace) -> int:
    """Do what the options ask for; return the exit status: 1 if anything differs.

    Raises
    ------
    ValueError
        If there is no such notebook, a command lacks a part, or there is no checkout.
    """
    from ttt_lib.evidence import reproduce

    store.checkout("to run notebooks under other conditions")
    for source in [*options.notebooks, *(options.run or ())[:1]]:
        if not source.is_file():
            raise ValueError(f"no notebook {source}")
    if options.offline:
        cut_network()
    if options.run:
        reproduce.execute(*options.run)
        return 0
    if options.read_only is not None:
        if len(options.read_only) < 2:
            raise ValueError("--read-only needs two things: ENVIRONMENT, and the COMMAND to run")
        environment, *command = options.read_only
        return read_only(command, Path(environment))
    found = compare(options.notebooks or store.notebooks(store.root()))
    return int(any(found.values()))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    return run_command(parser(), try_out, arguments)


if __name__ == "__main__":
    sys.exit(main())
