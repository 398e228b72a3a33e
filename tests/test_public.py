"""The public surface: ``from ttt_lib import Grid, agent, exact, match, solve, worst``."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import ttt_lib
from ttt_lib.game.exact import exact_match
from ttt_lib.game.gametree import solve
from ttt_lib.game.policy import minimax, random_agent

ROOT = Path(__file__).parents[1]


def test_the_example_of_the_docstring_is_true() -> None:
    found = doctest.testmod(ttt_lib)
    assert found.failed == 0
    assert found.attempted >= 5


def test_names_and_agents_give_the_same() -> None:
    grid = ttt_lib.Grid(3)
    one, other = minimax(grid), random_agent(grid)
    assert ttt_lib.exact("minimax", "random") == ttt_lib.exact(one, other)
    assert ttt_lib.exact(one, other) == exact_match(one, other, solve(grid))


def test_a_larger_board() -> None:
    assert ttt_lib.exact("random", "random", "2x2") == (1, 0, 0)
    assert ttt_lib.match("random", "random", "2x2", games=7).win == 4  # who begins wins
    assert ttt_lib.worst("random", "x", "2x2") == (1, [0, 1, 2])


def test_an_agent_brings_its_own_board() -> None:
    small = ttt_lib.agent("random", "2x2")
    assert ttt_lib.agent(small) is ttt_lib.agent(small, "2x2") is small
    assert ttt_lib.match(small, small, games=7).win == 4
    assert ttt_lib.match(small, "random", "2x2", games=7).win == 4
    assert ttt_lib.worst(small, "x") == ttt_lib.worst("random", "x", "2x2")


@pytest.mark.parametrize(
    ("board", "said"),
    [("4x4", "random plays 3x3, not 4x4"), ("nonsense", "nonsense"), (4, "not 4"),
     ("ultimate", "random plays 3x3, not ultimate")],
)  # fmt: skip
def test_a_board_that_is_given_is_the_one_agents_play(board: str, said: str) -> None:
    own = ttt_lib.agent("random")
    calls = (
        lambda: ttt_lib.agent(own, board),
        lambda: ttt_lib.match(own, own, board, games=2),
        lambda: ttt_lib.worst(own, "o", board),
    )
    for call in calls:
        with pytest.raises(ValueError, match=said):
            call()


def test_openings_make_more_games_of_deterministic_players() -> None:
    fixed = "spectral", "analytical"
    assert ttt_lib.match(*fixed, games=20).distinct == 2
    opened = ttt_lib.match(*fixed, games=20, openings=4, rng=1)
    assert opened.distinct > 2
    assert opened == replace(ttt_lib.match(*fixed, games=20, openings=4, rng=1),
                             seconds=opened.seconds)  # fmt: skip


def test_a_budget_of_positions_is_kept() -> None:
    assert ttt_lib.worst("random", "x", "2x2", nodes=100) == ttt_lib.worst("random", "x", "2x2")
    with pytest.raises(ValueError, match="within 3 positions"):
        ttt_lib.worst("random", "x", nodes=3)


def test_whole_numbers_of_numpy_and_the_longest_openings_are_taken() -> None:
    two = np.int64(2)
    assert ttt_lib.match("random", "random", games=two, openings=two + 2).games == 2
    assert ttt_lib.worst("random", "x", "2x2", nodes=50 * two).worst == 1


def test_a_board_may_be_a_game() -> None:
    small = ttt_lib.Grid(2)
    assert ttt_lib.agent("random", small).game is small
    assert ttt_lib.exact("random", "random", small).win == 1
    assert ttt_lib.match("random", "random", small, 2).games == 2
    assert ttt_lib.solve(small) is ttt_lib.solve("2x2") is solve(small)
    assert ttt_lib.match("random", "random", rng=np.random.default_rng(1), games=2).games == 2
    assert ttt_lib.worst("random", "x", small).worst == 1


def test_every_name_of_the_surface_is_there() -> None:
    assert all(callable(getattr(ttt_lib, name)) for name in ttt_lib.__all__)
    assert set(ttt_lib.__all__) <= set(dir(ttt_lib))  # Grid too, which is loaded when wanted
    assert isinstance(ttt_lib.exact("random", "random").win, Fraction)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: ttt_lib.agent("nobody"), "unknown agent"),
        (lambda: ttt_lib.agent(3), "a player is a name or an Agent, not 3"),
        (lambda: ttt_lib.match(None, "random"), "a name or an Agent, not None"),
        (lambda: ttt_lib.worst(None, "x"), "a name or an Agent, not None"),
        (lambda: ttt_lib.match(ttt_lib.agent("random", "4x4"), "random"), "4x4 but random plays"),
        (lambda: ttt_lib.exact("uct", "random"), "can't state its move probabilities"),
        (lambda: ttt_lib.exact("random", "random", "9x9"), "9x9"),
        (
            lambda: ttt_lib.exact("random", "random", "ultimate"),
            r"an n\^d board of at most 16 cells, such as 3x3 or 4x4, not ultimate: use match",
        ),
        (lambda: ttt_lib.exact("minimax", "random", "ultimate"), "of at most 16 cells"),
        (lambda: ttt_lib.solve("ultimate"), "an enumeration needs .* not ultimate"),
        (lambda: ttt_lib.solve(3), "a game or its name, such as '3x3', not 3"),
        (lambda: ttt_lib.match("random", "random", games=0), "at least 1 game"),
        (lambda: ttt_lib.match("random", "random", games=10**9), "at most 100,000,000 games"),
        (lambda: ttt_lib.match("random", "random", rng=-1), "a seed of at least 0, not -1"),
        (lambda: ttt_lib.match("random", "random", rng=None), "a numpy Generator or a seed"),
        (lambda: ttt_lib.match("random", "random", rng=1.5), "at least 0, not 1.5"),
        (lambda: ttt_lib.match("random", "random", rng=np.random.Generator), "or a seed of at"),
        (lambda: ttt_lib.match("random", "random", rng=np.random.SeedSequence(1)), "or a seed of"),
        (lambda: ttt_lib.match("random", "random", games=3, openings=2), "an even number of games"),
        (lambda: ttt_lib.match("random", "random", openings=-1), "0 or more moves, not -1"),
        (lambda: ttt_lib.worst("random", "x", nodes=0), "at least 1 position, not 0"),
        (lambda: ttt_lib.worst("random", "x", "4x4", nodes=9), r"allow more \(nodes, or --nodes"),
        (lambda: ttt_lib.worst("random", "first"), "a side is x or o, not 'first'"),
        (lambda: ttt_lib.agent("random", 3), "a game or its name, such as '3x3', not 3"),
        (
            lambda: ttt_lib.agent("random", ttt_lib.agent("ising")),
            "a game or its name, .* not Agent",
        ),
        (lambda: ttt_lib.worst("random", "x", ttt_lib.Grid), "a game or its name, .* not <class"),
        (lambda: ttt_lib.solve(type(ttt_lib.agent("random"))), "a game or its name, .* not <class"),
        (lambda: ttt_lib.exact("random", "random", 4), "a game or its name, such as '3x3', not 4"),
        (lambda: ttt_lib.exact("random", "random", None), "such as '3x3', not None"),
        (
            lambda: ttt_lib.match("random", "random", games=2.0),
            "games must be a whole number, not 2.0",
        ),
        (
            lambda: ttt_lib.match("random", "random", games=None),
            "games must be a whole n.* not None",
        ),
        (
            lambda: ttt_lib.match("random", "random", games=True),
            "games must be a whole n.* not True",
        ),
        (
            lambda: ttt_lib.match("random", "random", games=2, openings=0.5),
            "openings must be .* not 0.5",
        ),
        (
            lambda: ttt_lib.match("random", "random", games=2, openings=10),
            "openings of 10 moves are too long for 3x3: at most 4",
        ),
        (lambda: ttt_lib.worst("random", "x", nodes=1.5), "nodes must be a whole number, not 1.5"),
        (lambda: ttt_lib.agent("uct:iterations=1_0"), "whole number in plain digits"),
        (lambda: ttt_lib.agent("ising:b=1e308"), "must be at most 100,000,000, not 1e308"),
        (lambda: ttt_lib.agent("safety+safety+random"), "the safety rule is applied once"),
    ],
)
def test_bad_input_is_refused_in_one_line(call, said) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=said) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_importing_loads_nothing_heavy() -> None:
    code = "import sys, ttt_lib; print([m for m in ('numpy', 'numba') if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_no_other_attribute() -> None:
    with pytest.raises(AttributeError, match="no attribute 'tournament'"):
        _ = ttt_lib.tournament


def test_the_readme_shows_what_is_there() -> None:
    code = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert code is not None
    lines = code[1].replace("games=100", "games=2").replace('"uct"', '"random"').splitlines()
    space: dict[str, object] = {}
    for line in lines:
        before, _, comment = line.partition("#")
        if "=" in before.split("(")[0] or before.startswith("from") or not before.strip():
            exec(before, space)
            continue
        found = eval(before, space)
        expected = comment.split(":")[0].split(", from")[0].strip()
        if expected.isdigit() or expected.startswith("Fraction"):
            assert repr(found) in (expected, f"np.int8({expected})"), line
        elif expected.startswith("shape"):
            assert f"shape {found.shape}" == expected  # type: ignore[attr-defined]
