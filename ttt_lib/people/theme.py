"""The colours of X, of O, of what is good, and of verdicts, as CSS.

Of the first three, what is light is typed once, in :mod:`ttt_lib.game.draw`, and what is dark once
here.
"""

from __future__ import annotations

from ttt_lib.evidence.verdicts import VERDICTS
from ttt_lib.game.draw import O_COLOUR, SHADE_COLOUR, X_COLOUR

LIGHT = {"x": X_COLOUR, "o": O_COLOUR, "good": SHADE_COLOUR}
DARK = {"x": "#56B4E9", "o": "#F59C5B", "good": "#35C796"}


def rule(selector: str, colours: dict[str, str]) -> str:
    """A CSS rule that names the colours: ``.play { --x: ...; --o: ...; }``."""
    named = " ".join(f"--{name}: {colour};" for name, colour in colours.items())
    return f"{selector} {{ {named} }}\n"


def book() -> str:
    """The rules of the book's pages, whose theme the reader chooses."""
    marks = (
        f".verdict.{verdict.replace(' ', '-')} {{ border-color: {look.mark}; }}\n"
        for verdict, look in VERDICTS.items()
    )
    return "".join([rule(".play", LIGHT), rule('html[data-theme="dark"] .play', DARK), *marks])


def widget(selector: str) -> str:
    """The rule of a widget, which follows the colour scheme of the page that it stands in."""
    both = {name: f"light-dark({colour}, {DARK[name]})" for name, colour in LIGHT.items()}
    return rule(selector, both)
