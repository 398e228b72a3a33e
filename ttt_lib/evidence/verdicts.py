"""The seven verdicts, and how they look in the scorecard, in the book and at a terminal."""

from __future__ import annotations

from typing import NamedTuple

from ttt_lib.evidence.figures import BLUE, GREY, ORANGE


class Look(NamedTuple):
    """How a verdict looks.

    Attributes
    ----------
    ground, hatch, ink : str
        Its area in the scorecard; the grounds differ in grey as well.
    mark : str
        The colour of its mark in the book's tables.
    terminal : str
        The name of its colour at a terminal.
    """

    ground: str
    hatch: str
    ink: str
    mark: str
    terminal: str


VERDICTS = {
    "reproduced": Look("#08306B", "", "white", BLUE, "green"),
    "within sampling error": Look("#5BA3CF", "", "black", BLUE, "green"),
    "undecided": Look("#CFE1F2", "....", "black", GREY, "grey"),
    "adopted": Look("#4D4D4D", "", "white", GREY, "blue"),
    "differs": Look("#F4B073", "", "black", ORANGE, "orange"),
    "refuted": Look(ORANGE, "////", "black", ORANGE, "red"),
    "not testable": Look("#FFFFFF", "....", "black", GREY, "grey"),
}
