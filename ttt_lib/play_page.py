"""Serve ``notebooks/play.ipynb`` alone, as a page: ``python -m ttt_lib.play_page --port 8866``.

Every visitor gets a kernel of their own.  Nothing is fetched from elsewhere: the
page's policy forbids it, so it works without a network.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from ttt_lib.store import root

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
            "open_browser": False,
            "log_level": "ERROR",
            "tornado_settings": {"headers": {"Content-Security-Policy": POLICY}},
        },
        "VoilaConfiguration": {"extension_allowlist": EXTENSIONS},
        "MappingKernelManager": {"cull_idle_timeout": IDLE},
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Serve the page until it is interrupted; returns the exit status."""
    parser = argparse.ArgumentParser(prog="ttt_lib.play_page", description="Serve the board.")
    parser.add_argument("--port", type=int, default=8866)
    parser.add_argument("--address", default="127.0.0.1", help="0.0.0.0 to let others in")
    options = parser.parse_args(argv)
    try:
        from traitlets.config import Config
        from voila.app import Voila
    except ImportError:
        print("play_page: Voila is missing: make env, or pip install voila", file=sys.stderr)
        return 2
    print(f"Play at http://{options.address}:{options.port}/ (Ctrl+C ends it)", flush=True)
    page = str(root() / "notebooks" / "play.ipynb")
    Voila.launch_instance([page], config=Config(settings(options.port, options.address)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
