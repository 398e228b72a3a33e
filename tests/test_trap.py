"""The README's picture is drawn from exact tables, and what stands in the tree is today's."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from matplotlib.colors import to_rgb

from ttt_lib.comparison.figures import contrast_on_white
from ttt_lib.people.play import trap

ROOT = Path(__file__).parents[1]


def test_the_stored_picture_is_todays() -> None:
    stored = (ROOT / trap.PLACE).read_text(encoding="utf-8")
    assert stored == trap.svg(), "python -m ttt_lib.people.play.trap"
    ElementTree.fromstring(stored)


def test_every_position_offers_a_win_that_is_taken() -> None:
    positions = trap.game()
    assert positions[-1].finished
    assert positions[-1].result == 1
    for session in positions[:-1]:
        said = int(re.findall(r"(\d+) of", trap.words(session)[1])[0])
        assert 1 <= said < len(session.legal)


def test_its_words_can_be_read_on_white() -> None:
    assert all(contrast_on_white(np.array(to_rgb(c))) >= 4.5 for c in trap.COLOURS.values())


def test_alt_text_and_readme_name_the_file() -> None:
    assert f"]({trap.PLACE})" in (ROOT / "README.md").read_text(encoding="utf-8")
