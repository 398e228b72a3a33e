"""Serve ``notebooks/play.ipynb`` alone, as a page: ``make play``.

Every visitor gets a kernel of their own.  Nothing is fetched from elsewhere: the
page's policy forbids it, so it works without a network.
"""

from __future__ import annotations

import argparse
import errno
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ttt_lib.evidence.command import Parser, run_command
from ttt_lib.evidence.store import root
from ttt_lib.people.play import insight
from ttt_lib.people.play import session as person

POLICY = "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:"
"""Content security policy: styles, scripts and connections of this server only."""

EXTENSIONS = ["@jupyter-widgets/jupyterlab-manager", "@voila-dashboards/widgets-manager8"]
"""What widgets need; other installed extensions of JupyterLab would only delay the page."""

IDLE, LOOK = 15 * 60, 60
"""Seconds after which an idle kernel is ended, also while its page is open, and between looks."""

PATIENCE = 60
"""Seconds that the server waits for the board once its cell has run.

By default 4: on an overloaded machine, the board may come later than the message that its cell is
done, and the visitor would get a page without a board.
"""

WARM = "from ttt_lib.people.play.server import warm; warm()"
"""What a process beside the server does while the first visitors come."""


def settings(port: int, address: str) -> dict[str, dict[str, Any]]:
    """What Voila is told."""
    return {
        "Voila": {
            "ip": address,
            "port": port,
            "port_retries": 0,
            "open_browser": False,
            "log_level": "ERROR",
            # A page that is closed asks for the end of its kernel by a beacon, which can't carry
            # the token against forged requests; nothing here depends on a login.
            "tornado_settings": {
                "headers": {"Content-Security-Policy": POLICY},
                "disable_check_xsrf": True,
            },
        },
        "VoilaConfiguration": {
            "extension_allowlist": EXTENSIONS,
            "multi_kernel_manager_class": "ttt_lib.people.play.jupyter_kernels.QuietKernels",
        },
        "VoilaExecutor": {"iopub_timeout": PATIENCE},
        "MappingKernelManager": {
            "cull_idle_timeout": IDLE,
            "cull_interval": LOOK,
            "cull_connected": True,
        },
    }


def _port(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"a port is a whole number, not {text!r}") from None


def main(argv: Sequence[str] | None = None) -> int:
    """Serve the page until it is interrupted; returns the exit status."""
    about = "Serve the board as a page."
    parser = Parser(prog="python -m ttt_lib.people.play.server", description=about)
    parser.add_argument("--port", type=_port, default=8866, help="default 8866")
    parser.add_argument(
        "--address", default="127.0.0.1", help="default 127.0.0.1; 0.0.0.0 lets others in"
    )
    parser.add_argument(
        "--net", type=Path, action="append", default=[], metavar="FILE",
        help="a checkpoint to play Ultimate against; may be given several times",
    )  # fmt: skip
    return run_command(parser, serve, argv)


def serve(options: argparse.Namespace) -> None:
    """Serve the page until it is interrupted.

    Raises
    ------
    ValueError
        If Voila is missing, the page can't be served there, or a checkpoint can't be offered.
    """
    try:
        from traitlets.config import Config
        from voila.app import Voila
    except ImportError:
        needs = "Voila is missing: the extra 'teach' installs it, as make env does"
        raise ValueError(needs) from None
    if reason := refusal(options.port, options.address):
        raise ValueError(reason)
    offer(options.net)
    print(f"Play at http://{options.address}:{options.port}/ (Ctrl+C ends it)", flush=True)
    page = str(root() / "notebooks" / "play.ipynb")
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        [sys.executable, "-c", WARM], stdout=quiet, stderr=quiet, start_new_session=True
    ) as warming:
        try:
            Voila.launch_instance([page], config=Config(settings(options.port, options.address)))
        finally:
            warming.terminate()


def offer(files: Sequence[Path]) -> None:
    """Let visitors play against some checkpoints, in kernels that begin from now on.

    Raises
    ------
    ValueError
        If two have the same name, a path can't be written in an agent's name, or a file can't be
        read.
    """
    paths = [file.absolute() for file in files]  # links keep their names
    if len({path.name for path in paths}) < len(paths):
        raise ValueError("--net: visitors can't tell files of the same name apart")
    for path in paths:
        if {",", os.pathsep} & {*str(path)}:
            raise ValueError(f"--net: a path with , or {os.pathsep} can't be offered: {path}")
    if paths:
        os.environ[person.NETS] = os.pathsep.join(map(str, paths))
    for path in paths:
        person.opponent(f"alphazero:net={path.name}", "ultimate")


def warm() -> None:
    """Let every opponent on offer make a move, so that its compiled code is in the cache."""
    if hasattr(os, "nice"):  # players go first
        os.nice(10)
    for board in person.BOARDS:
        for name in person.on_offer(board):
            session = person.start(person.opponent(name, board), -1)
            insight.look(person.answer(session, rng=0), "trap", np.random.default_rng(0))


def refusal(port: int, address: str) -> str:
    """Why the page can't be served there; empty if it can."""
    if not address.strip():
        return "the page needs an address, such as 127.0.0.1; 0.0.0.0 lets others in"
    if not 1 <= port <= 65535:
        return f"a port is a number in 1..65535, not {port}"
    try:
        socket.create_server((address, port)).close()
    except OSError as error:
        # A name that is not found has a negative error number, from another library.
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else "no such address"
        busy = error.errno in (errno.EADDRINUSE, errno.EACCES)
        meant = "another port, 8867 say" if busy else "an address of this machine, 127.0.0.1 say"
        return f"{address}:{port} can't be had ({reason}): choose {meant}"
    return ""


if __name__ == "__main__":
    sys.exit(main())
