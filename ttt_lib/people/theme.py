"""The colours of X, of O and of what is good, on light and on dark ground, as CSS.

What is light is typed once, in :mod:`ttt_lib.game.draw`, and what is dark once here.
"""

from __future__ import annotations

from ttt_lib.game.draw import O_COLOUR, SHADE_COLOUR, X_COLOUR

LIGHT = {"x": X_COLOUR, "o": O_COLOUR, "good": SHADE_COLOUR}
DARK = {"x": "#56B4E9", "o": "#F59C5B", "good": "#35C796"}


def rule(selector: str, colours: dict[str, str]) -> str:
    """A CSS rule that names the colours: ``.play { --x: ...; --o: ...; }``."""
    named = " ".join(f"--{name}: {colour};" for name, colour in colours.items())
    return f"{selector} {{ {named} }}\n"


def book() -> str:
    """The rules of the book's pages, whose theme the reader chooses."""
    return rule(".play", LIGHT) + rule('html[data-theme="dark"] .play', DARK)


def widget(selector: str) -> str:
    """The rule of a widget, which follows the colour scheme of the page that it stands in."""
    both = {name: f"light-dark({colour}, {DARK[name]})" for name, colour in LIGHT.items()}
    return rule(selector, both)
