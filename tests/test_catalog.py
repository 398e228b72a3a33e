"""Agents by name: the contract's names, options and defaults, and clear refusals."""

from __future__ import annotations

import inspect
import re
from types import SimpleNamespace

import numpy as np
import pytest

import ttt_lib
from ttt_lib import catalog, cli
from ttt_lib.catalog import AGENTS
from ttt_lib.evidence import store
from ttt_lib.game.board import Grid, parse
from ttt_lib.game.exact import policy_table
from ttt_lib.game.gametree import GameTree
from ttt_lib.ising.energy import ENERGIES
from ttt_lib.people.play import insight
from ttt_lib.people.play import session as person
from ttt_lib.people.play import text as texts
from ttt_lib.playout_mlp.players import POLICIES
from ttt_lib.spectral import LABELS

CONTRACT = {
    "random": {},
    "minimax": {"ties": "uniform"},
    "lookahead": {"depth": 3},
    "uct": {"iterations": 150, "c": 1.414},
    "pmc": {"playouts": 100, "policy": "random"},
    "mlp": {"seed": 0, "depth": 1},
    "spectral": {"symmetric": "no", "safety": "yes", "labels": "optimal", "lam": 0.001, "seed": 0,
                 "samples": 400, "rollouts": 6},
    "ntuple": {"seed": 0, "depth": 1},
    "ising": {"b": 0.647, "energy": "equation"},
    "potential": {"base": 2, "b": 1},
    "analytical": {},
    "hybrid": {},
    "alphazero": {"simulations": 100, "net": "stored", "solver": 20, "shallow": 0,
                  "device": "cpu"},
}  # fmt: skip
"""Names, options and defaults as published for users."""


@pytest.mark.parametrize("name", AGENTS)
def test_names_options_and_defaults_are_the_contract(name: str) -> None:
    assert AGENTS[name].options == CONTRACT[name]
    assert AGENTS[name].about


def test_the_agents_that_need_no_document_are_there() -> None:
    assert {"random", "minimax", "lookahead", "uct"} <= set(AGENTS)


@pytest.mark.parametrize("name", AGENTS)
def test_factory_takes_the_options(name: str) -> None:
    families = (catalog.BOARDS, *catalog.GAMES)
    made = filter(None, map(AGENTS[name].builder, families))
    parameters = inspect.signature(store.resolve(next(made))).parameters
    assert set(AGENTS[name].options) <= set(parameters)


@pytest.mark.parametrize("name", AGENTS)
def test_usage_is_read_back(name: str) -> None:
    usage = AGENTS[name].usage
    assert catalog.options(name, usage) == AGENTS[name].options == catalog.options(name, "")


def test_the_values_that_are_listed_are_those_that_the_rooms_take() -> None:
    values = {(name, option): words for name, known in catalog.VALUES.items()
              for option, words in known.items()}  # fmt: skip
    assert values[("spectral", "labels")] == LABELS
    assert values[("pmc", "policy")] == POLICIES
    assert set(values[("ising", "energy")]) == set(ENERGIES)
    for (name, option), words in values.items():
        made = {one: builder for one in catalog.GAMES if (builder := AGENTS[name].builder(one))}
        where, builder = next(iter(made.items()))
        game = Grid(3) if where == catalog.BOARDS else catalog.game_of(where)
        factory = store.resolve(builder)
        for word in set(words) - {"mlp"}:  # which would train a network
            factory(game, **{option: word})
        with pytest.raises(ValueError, match=rf"unknown {option} 'other' of {name}: "):
            catalog.typed(f"{name}:{option}=other")
        with pytest.raises(ValueError, match="other"):
            factory(game, **{option: "other"})
    assert catalog.choices("minimax") == "ties: uniform, first or quick"


def test_every_word_among_the_options_has_its_values_listed() -> None:
    words = {(name, option) for name, entry in AGENTS.items()
             for option, value in entry.options.items() if isinstance(value, str)}  # fmt: skip
    listed = {(name, option) for name, known in catalog.VALUES.items() for option in known}
    assert words - listed == {("alphazero", "net"), ("alphazero", "device")}


def test_options_change_the_agent(tree: GameTree) -> None:
    board = parse("xx..o.o..", tree.grid)[None]
    one, two = (catalog.agent(f"lookahead:depth={d}").weights for d in (1, 2))
    assert one is not None
    assert two is not None
    assert one(board).sum() == 1
    tables = {
        name: policy_table(catalog.agent(name), tree).tobytes()
        for name in ("minimax", "minimax:ties=first", "minimax:ties=quick", "lookahead:depth=2",
                     "lookahead", "safety+random", "safety+lookahead")
    }  # fmt: skip
    assert len(set(tables.values())) == len(tables)
    default = policy_table(catalog.agent("lookahead:depth=3"), tree).tobytes()
    assert tables["lookahead"] == default


def test_name_and_game_of_what_is_built() -> None:
    built = catalog.agent("safety+uct:iterations=7,c=0.5", "4x4")
    assert built.name == "safety+uct:iterations=7,c=0.5"
    assert built.game == Grid(4)
    assert catalog.agent("random", Grid(2)).game == Grid(2)


def test_search_options_reach_the_search() -> None:
    """One iteration visits one move; many find the win."""
    board = parse("xx.oo....", Grid(3))[None]
    few, many = (
        [
            int(
                catalog.agent(f"uct:iterations={n}")
                .policy(board, np.random.default_rng(s))
                .argmax()
            )
            for s in range(30)
        ]
        for n in (1, 300)
    )
    assert len(set(few)) > 2
    assert set(many) == {2}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "unknown agent ''.*random, minimax"),
        ("Random", "unknown agent 'Random'.*random, minimax"),
        ("uct iterations=3", "unknown agent"),
        ("safety+", "unknown agent ''"),
        ("safety+nobody", "unknown agent 'nobody'"),
        ("random:depth=3", "unknown option 'depth=3' of random: it has none"),
        ("uct:depth=3", "unknown option 'depth=3' of uct: iterations=150,c=1.414"),
        ("uct:iterations", "unknown option 'iterations' of uct"),
        ("uct:iterations=many", "iterations of uct must be a whole number, not 'many'"),
        ("uct:iterations=1.5", "iterations of uct must be a whole number, not '1.5'"),
        ("uct:iterations=", "must be a whole number, not ''"),
        ("uct:c=wide", "c of uct must be a number, not 'wide'"),
        ("uct:iterations=5,iterations=6", "given twice"),
        ("uct:iterations=0", "iterations, not 0"),
        ("uct:c=-1", "constant c .* not -1"),
        ("uct:c=nan", "constant c .* not nan"),
        ("minimax:ties=last", "unknown tie rule 'last': uniform, first or quick"),
        ("lookahead:depth=0", "depth >= 1, not 0"),
        ("uct:", "option"),
        ("uct:iterations=5,", "option"),
    ],
)
def test_bad_names(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        catalog.agent(name)


@pytest.mark.parametrize(
    ("name", "board", "told"),
    [
        ("nobody", "ultimate", "random, uct, alphazero"),
        ("safety+nobody", "ultimate", "random, uct, alphazero"),
        ("minimx", "ultimate", "random, uct, alphazero"),
        ("alphazer", "ultimate", "random, uct, alphazero; did you mean alphazero?"),
        ("alphazer", "4x4", "random, minimax, .*, or safety[+]NAME"),
    ],
)
def test_an_unknown_agent_is_answered_with_those_of_that_kind_of_game(
    name: str, board: str, told: str
) -> None:
    with pytest.raises(ValueError, match=f"unknown agent '[a-z]+': {told.replace('?', '[?]')}$"):
        catalog.agent(name, board)


@pytest.mark.parametrize("size", ["3x4", "chess", "1x1", "", "99x99x99", "ultimate:"])
def test_bad_boards(size: str) -> None:
    with pytest.raises(ValueError, match="board"):
        catalog.agent("random", size)


def test_safety_rule_needs_a_grid() -> None:
    other = SimpleNamespace(name="chess", moves=1)
    with pytest.raises(ValueError, match=re.escape("needs an n^d board, not chess")):
        catalog.agent("safety+random", other)  # type: ignore[arg-type]


# ---------------------------------------------------------------------------- a third game


@pytest.fixture
def with_nim(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(catalog.GAMES, "nim", catalog.Family("toy_game:parse"))
    entry = catalog.Entry({"nim": "toy_game:perfect"}, "leaves a multiple of four")
    monkeypatch.setitem(catalog.AGENTS, "perfect", entry)


@pytest.mark.usefixtures("with_nim")
def test_a_third_game_needs_two_entries(capsys: pytest.CaptureFixture[str]) -> None:
    won = ttt_lib.match("perfect", "random", "nim:21", games=50, rng=1, sides="first")
    assert (won.win, won.loss) == (50, 0)
    assert ttt_lib.match("perfect", "perfect", "nim:20", games=4, sides="first").loss == 4
    assert cli.main(["match", "perfect", "random", "--board", "nim:9", "--games", "5"]) == 0
    assert "win" in capsys.readouterr().out


@pytest.mark.usefixtures("with_nim")
def test_a_third_game_is_played_at_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nim has no squares, no oracle and no search: it is played by numbers all the same."""
    typed = iter(["hint", "scores", "9", "0", "undo", "2", "0"])
    monkeypatch.setattr("builtins.input", lambda _: next(typed))
    assert cli.main(["play", "perfect", "--board", "nim:8", "--seed", "1"]) == 0
    out, err = capsys.readouterr()
    assert "cell 0 is what perfect itself would play" in out
    assert "perfect can't state its chances here" in out
    assert out.rstrip().endswith("perfect wins.")
    assert "'9' is not a legal move: 0 1 2" in err


@pytest.mark.usefixtures("with_nim")
def test_a_third_game_in_a_session() -> None:
    session = person.start(catalog.agent("perfect", "nim:2"))
    assert person.refusal(session, 2) == "2 is no move now: 0 1"
    assert texts.cell_names(session) == ["cell 0: empty", "cell 1: empty", "cell 2: not open"]
    assert insight.look(session, "exact", np.random.default_rng(0)).exact is None
    session = person.play(session, 1)
    assert texts.ending(session) == "You win."


@pytest.mark.usefixtures("with_nim")
def test_an_agent_of_another_game_is_refused() -> None:
    with pytest.raises(ValueError, match=r"minimax can't play nim:21; these can: random, perfect"):
        catalog.agent("minimax", "nim")
    with pytest.raises(ValueError, match="perfect can't play 3x3"):
        catalog.agent("perfect")
