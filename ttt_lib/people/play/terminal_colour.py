"""Colour at the terminal, where it is supported and nobody opted out (https://no-color.org)."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import IO

from ttt_lib.evidence import verdicts

CODES = {"blue": "34", "orange": "33", "green": "32", "grey": "90", "red": "31"}
VERDICTS = {verdict: CODES[look.terminal] for verdict, look in verdicts.VERDICTS.items()}
STONES = {stone: CODES["blue" if stone in "xX" else "orange"] for stone in "xoXO"}


def wanted(stream: IO[str]) -> bool:
    """Whether a stream is a terminal that may be coloured."""
    forbidden = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not forbidden


def painted(text: str, colours: Mapping[str, str], stream: IO[str]) -> str:
    """Text with some words in colour, longest first; unchanged where colour is not wanted."""
    if not wanted(stream):
        return text
    words = "|".join(re.escape(word) for word in sorted(colours, key=len, reverse=True))
    pattern = rf"(?<![\w-])({words})(?![\w-])"
    return re.sub(pattern, lambda found: f"\x1b[{colours[found[1]]}m{found[1]}\x1b[0m", text)
