"""Serve ``notebooks/play.ipynb`` alone, as a page: ``python -m ttt_lib.people.page --port 8866``.

Every visitor gets a kernel of their own.  Nothing is fetched from elsewhere: the
page's policy forbids it, so it works without a network.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Sequence
from typing import Any

from ttt_lib.cli import Parser
from ttt_lib.evidence.store import root

POLICY = "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:"
"""Content security policy: styles, scripts and connections of this server only."""

EXTENSIONS = ["@jupyter-widgets/jupyterlab-manager", "@voila-dashboards/widgets-manager8"]
"""What widgets need; other installed extensions of JupyterLab would only delay the page."""

IDLE = 2 * 3600
"""Seconds after which the kernel of a visitor who has gone is ended."""


def settings(port: int, address: str) -> dict[str, dict[str, Any]]:
    """What Voila is told."""
    return {
        "Voila": {
            "ip": address,
            "port": port,
            "port_retries": 0,
            "open_browser": False,
            "log_level": "ERROR",
            "tornado_settings": {"headers": {"Content-Security-Policy": POLICY}},
        },
        "VoilaConfiguration": {"extension_allowlist": EXTENSIONS},
        "MappingKernelManager": {"cull_idle_timeout": IDLE},
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Serve the page until it is interrupted; returns the exit status."""
    parser = Parser(prog="play_page", description="Serve the board as a page.")
    parser.add_argument("--port", type=int, default=8866)
    parser.add_argument("--address", default="127.0.0.1", help="0.0.0.0 lets others in")
    options = parser.parse_args(argv)
    try:
        from traitlets.config import Config
        from voila.app import Voila
    except ImportError:
        parser.error("Voila is missing: the extra 'teach' installs it, as make env does")
    if reason := refusal(options.port, options.address):
        parser.error(reason)
    print(f"Play at http://{options.address}:{options.port}/ (Ctrl+C ends it)", flush=True)
    page = str(root() / "notebooks" / "play.ipynb")
    Voila.launch_instance([page], config=Config(settings(options.port, options.address)))
    return 0


def refusal(port: int, address: str) -> str:
    """Why nothing can be served there; empty if it can."""
    if not 1 <= port <= 65535:
        return f"a port is a number in 1..65535, not {port}"
    try:
        socket.create_server((address, port)).close()
    except OSError as error:
        reason = os.strerror(error.errno or 0)
        return f"{address}:{port} can't be had ({reason}): choose another port, 8867 say"
    return ""


if __name__ == "__main__":
    sys.exit(main())
