"""The command ``ttt``: the contract's keys, and exit status 2 with one line for bad input."""

from __future__ import annotations

import argparse
import inspect
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from ttt_lib import __version__, catalog, cli
from ttt_lib.cli import main, parser
from ttt_lib.evidence import bench, claims, figures, scorecard, store
from ttt_lib.evidence.command import stops_at_once
from ttt_lib.evidence.documents import documents
from ttt_lib.game import reference, worst
from ttt_lib.game.board import Grid
from ttt_lib.game.match import MatchResult
from ttt_lib.game.policy import Agent
from ttt_lib.game.stats import wilson
from ttt_lib.spectral.cli import DEFAULTS, settle
from ttt_lib.ultimate import cli_training
from ttt_lib.ultimate.board.rules import RULES
from ttt_lib.ultimate.solver import solver

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run one command in this process; exit status, stdout, stderr."""

    def command(*arguments: str) -> tuple[int, str, str]:
        try:
            status = main(arguments)
        except SystemExit as stop:
            status = int(stop.code or 0)
        shown = capsys.readouterr()
        return status, shown.out, shown.err

    return command


@pytest.fixture
def run_json(run: Run) -> Callable[..., dict[str, Any]]:
    """Run a command with --json: one object on stdout, nothing on stderr."""

    def command(*arguments: str) -> dict[str, Any]:
        status, out, err = run(*arguments, "--json")
        assert (status, err) == (0, "")
        assert out.endswith("}\n")
        found = json.loads(out)
        assert isinstance(found, dict)
        return found

    return command


# ---------------------------------------------------------------------------- results


def test_exact(run: Run, run_json: Callable[..., dict[str, Any]]) -> None:
    assert run_json("exact", "random", "random") == {
        "x": "random", "o": "random", "win": "737/1260", "draw": "8/63", "loss": "121/420",
    }  # fmt: skip
    found = run_json("exact", "minimax", "random")
    assert (found["x"], found["o"], found["loss"]) == ("minimax", "random", "0")
    assert Fraction(found["win"]) + Fraction(found["draw"]) == 1
    assert Fraction(run_json("exact", "random", "minimax")["win"]) == 0
    found = run_json("exact", "random", "minimax")
    status, out, err = run("exact", "random", "minimax")
    assert (status, err) == (0, "")
    for line, name in zip(out.splitlines(), ("win", "draw", "loss"), strict=True):
        assert line.split() == [name, found[name], "=", f"{float(Fraction(found[name])):.6f}"]


@pytest.mark.parametrize("side", ["x", "o"])
def test_worst(side: str, run_json: Callable[..., dict[str, Any]]) -> None:
    found = run_json("worst", "random", "--side", side)
    assert set(found) == {"worst", "line"}
    assert found["worst"] == -1
    board = (0,) * 9
    for move in found["line"]:
        board = reference.successors(board)[move]
    assert reference.winner(board) == (-1 if side == "x" else 1)
    assert len(found["line"]) == (6 if side == "x" else 5)
    assert run_json("worst", "minimax", "--side", side)["worst"] == 0


@pytest.mark.parametrize(
    ("line", "result", "words"),
    [
        ("worst random --side x --board 2x2", 1, "it wins every game"),
        ("worst minimax --side x", 0, "it can be held to a draw"),
        ("worst random --side o", -1, "it can lose"),
    ],
)
def test_worst_in_words(
    line: str, result: int, words: str, run: Run, run_json: Callable[..., dict[str, Any]]
) -> None:
    found = run_json(*line.split())
    assert found["worst"] == result
    assert run(*line.split()) == (0, f"{words}; moves {' '.join(map(str, found['line']))}\n", "")


MATCH = ["match", "safety+random", "random", "--games", "60", "--seed", "1"]


def test_match(run_json: Callable[..., dict[str, Any]]) -> None:
    found = run_json(*MATCH)
    assert set(found) >= {"games", "win", "draw", "loss", "intervals", "games_per_second"}
    assert found["games"] == 60 == found["win"] + found["draw"] + found["loss"]
    for name in ("win", "draw", "loss"):
        assert found["intervals"][name] == list(wilson(found[name], 60))
    assert found["games_per_second"] > 0
    assert found["win"] > found["loss"]


def counts(found: dict[str, Any]) -> list[int]:
    return [found[name] for name in ("win", "draw", "loss")]


def test_match_options(run_json: Callable[..., dict[str, Any]]) -> None:
    base = counts(run_json(*MATCH))
    assert counts(run_json(*MATCH, "--board", "3x3", "--sides", "alternate")) == base
    assert counts(run_json(*MATCH, "--sides", "first")) != base
    assert counts(run_json(*MATCH[:-1], "2")) != base
    assert counts(run_json("match", "random", "random", "--board", "2x2", "--games", "9")) == [
        5,
        0,
        4,
    ]
    first = ["match", "random", "random", "--board", "2x2", "--games", "9", "--sides", "first"]
    assert counts(run_json(*first)) == [9, 0, 0]


def test_match_defaults(run_json: Callable[..., dict[str, Any]]) -> None:
    found = run_json("match", "random", "random")
    assert (found["games"], found["seed"], found["board"]) == (1000, 0, "3x3")
    assert counts(found) == counts(run_json("match", "random", "random", "--seed", "0"))


def test_match_on_other_boards(run_json: Callable[..., dict[str, Any]]) -> None:
    search = ["match", "random", "uct:iterations=150", "--board", "4x4", "--games", "20"]
    found = run_json(*search, "--seed", "1")
    assert found["loss"] > found["win"]
    for board in ("4x4x4", "5x5x5x5"):
        assert run_json("match", "random", "random", "--board", board, "--games", "2")["games"] == 2


@pytest.mark.parametrize(
    ("function", "line", "given"),
    [
        (
            "ttt_lib.ultimate.cli_positions.perft",
            "perft --depth 3 --position P --rules codingame --leaves 7",
            ((3, "P", "codingame", 7), {}),
        ),
        (
            "ttt_lib.ultimate.cli_positions.solve",
            "solve --position P --rules codingame --nodes 7",
            (("P", "codingame", 7), {}),
        ),
        (
            "ttt_lib.ultimate.cli_training.evaluate",
            (
                "ultimate evaluate --checkpoint net --simulations 3 --iterations 4 --games 6 "
                "--seed 5 --solver 9 --device cuda"
            ),
            ((Path("net"), 3, 4, 6, 5), {"solver": 9, "device": "cuda"}),
        ),
        (
            "ttt_lib.ultimate.cli_training.run",
            (
                "ultimate train --config lite --seed 5 --out there --threads 2 --resume --games 8 "
                "--device cuda --history 3 --micro-batch 64"
            ),
            (("lite", 5, Path("there"), 2, True, 8, "cuda", 3, 64), {}),
        ),
    ],
    ids=["perft", "solve", "evaluate", "train"],
)
def test_every_option_arrives(
    monkeypatch: pytest.MonkeyPatch, run: Run, function: str, line: str, given: tuple[Any, ...]
) -> None:
    seen: list[Any] = []

    def told(*arguments: Any, **named: Any) -> tuple[dict[str, Any], str]:
        named.pop("begin", None)  # what is said to those who wait has a test of its own
        seen.append((arguments, named))
        return {}, "done"

    monkeypatch.setattr(function, told)
    status, out, _ = run(*line.split())
    assert (status, out.strip(), seen) == (0, "done", [given])


@pytest.mark.parametrize(
    ("line", "given"),
    [
        ("play random", ("random", "3x3", 1, None)),
        ("play minimax --board 2x2 --side o --seed 3", ("minimax", "2x2", -1, 3)),
        ("ultimate play --agent random --side o --seed 3", ("random", "ultimate", -1, 3)),
    ],
)
def test_a_game_begins_as_asked(
    line: str, given: tuple[Any, ...], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []

    def played(agent: Agent, side: int, *, rng: int | None) -> None:
        seen.append((agent.name, agent.game.name, side, rng))

    monkeypatch.setattr("ttt_lib.people.play.terminal.play", played)
    assert run(*line.split()) == (0, "", "")
    assert seen == [given]


@pytest.mark.parametrize(
    ("given", "sides", "openings"),
    [("--sides first", "first", 0), ("--openings 1", "alternate", 1)],
)
def test_a_match_is_the_one_that_was_asked_for(
    given: str, sides: str, openings: int,
    run: Run, run_json: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    result = MatchResult(
        games=8, win=5, draw=1, loss=2, seconds=0.5, distinct=7, pairs=(1, 0, 0, 3, 0)
    )
    seen: list[Any] = []

    def played(a: Agent, b: Agent, games: int, **how: Any) -> MatchResult:
        seen.append((a.name, b.name, a.game.name, games, how))
        return result

    monkeypatch.setattr("ttt_lib.game.match.match", played)
    line = f"match safety+random random --board 2x2 --games 8 --seed 7 {given}"
    asked = {"a": "safety+random", "b": "random", "board": "2x2", "seed": 7,
             "sides": sides, "openings": openings}  # fmt: skip
    assert run_json(*line.split()) == json.loads(json.dumps(result.as_dict())) | asked
    told = run(*line.split())[1]
    assert re.findall(r"([\d.]+%)  \[", told) == ["62.50%", "12.50%", "25.00%"]  # of all 8 games
    assert told.splitlines()[-1] == "16 games per second"
    how = {"rng": 7, "sides": sides, "openings": openings, "progress": False}
    assert seen == [("safety+random", "random", "2x2", 8, how)] * 2


@pytest.mark.parametrize(("seconds", "speed"), [(64, "0.125"), (0.65, "12.3"), (0.0065, "1231")])
def test_a_speed_has_three_digits_or_all_before_the_point(
    seconds: float, speed: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = MatchResult(games=8, win=5, draw=1, loss=2, seconds=seconds, distinct=7)
    monkeypatch.setattr("ttt_lib.game.match.match", lambda *_, **__: found)
    assert run(*MATCH)[1].splitlines()[-1] == f"{speed} games per second"


@pytest.mark.parametrize("files", [(), ("net.safetensors",)])
def test_a_folder_for_a_checkpoint_is_told(
    files: tuple[str, ...], run: Run, tmp_path: Path
) -> None:
    for name in files:
        (tmp_path / name).write_bytes(b"")
    meant = f": its network is {tmp_path / files[0]}" if files else ""
    told = f"ttt: {tmp_path} is a folder, not a checkpoint's file{meant}\n"
    assert run("ultimate", "evaluate", "--checkpoint", str(tmp_path)) == (2, "", told)
    line = ("match", f"alphazero:net={tmp_path}", "random", "--board", "ultimate")
    assert run(*line) == (2, "", told)


def test_match_in_words(run: Run) -> None:
    status, out, err = run(*MATCH)
    assert (status, err) == (0, "")
    found = json.loads(run(*MATCH, "--json")[1])
    lines = [line.split() for line in out.splitlines()]
    for line, name in zip(lines, ("win", "draw", "loss"), strict=False):
        low, high = found["intervals"][name]
        share = f"{found[name] / 60:.2%}"
        assert line == [name, str(found[name]), share, f"[{low:.2%},", f"{high:.2%}]"]
    score = (found["win"] + found["draw"] / 2) / 60
    low, high = found["score_interval"]
    assert lines[3] == ["score", f"{score:.3f}", f"[{low:.3f},", f"{high:.3f}]"]
    assert lines[4][1:] == ["games", "per", "second"]
    assert len(lines) == 5


def test_a_match_over_pairs_says_so(run: Run) -> None:
    out = run(*MATCH, "--openings", "2")[1]
    assert out.splitlines()[3].endswith("] over pairs")


@pytest.mark.parametrize(("board", "plies"), [("2x2", "2"), ("3x3", "4"), ("4x4", "4")])
def test_the_openings_that_are_advised_are_accepted(run: Run, board: str, plies: str) -> None:
    command = ["match", "analytical", "analytical", "--board", board, "--games", "4"]
    status, _, err = run(*command)
    assert (status, err.count("\n")) == (0, 1)
    assert re.findall(r"--openings (\d+)", err) == [plies]
    assert run(*command, "--openings", plies)[0] == 0


@pytest.mark.parametrize(
    ("options", "enough"),
    [(["--games", "4"], True), (["--games", "5"], False),
     (["--games", "4", "--sides", "first"], False)],
)  # fmt: skip
def test_openings_are_advised_with_what_they_need(
    run: Run, options: list[str], enough: bool
) -> None:
    _, _, err = run("match", "analytical", "analytical", *options)
    assert ("with an even number of --games and --sides alternate" in err) is not enough


def test_agents(run: Run, run_json: Callable[..., dict[str, Any]]) -> None:
    found = run_json("agents")["agents"]
    known = catalog.AGENTS.items()
    assert found == {
        name: {
            "options": e.options,
            "values": {k: list(words) for k, words in catalog.VALUES.get(name, {}).items()},
            "about": e.about,
        }
        for name, e in known
    }
    lines = iter(run("agents")[1].splitlines())
    for name, entry in known:
        assert next(lines).split(maxsplit=1) == [name, entry.about]
        assert next(lines).strip() == entry.usage or not entry.options
        if name in catalog.VALUES:
            assert next(lines).strip() == catalog.choices(name)
    assert [line.split()[0] for line in lines] == ["safety+NAME"]


def test_claims(
    run: Run,
    run_json: Callable[..., dict[str, Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TTT_DATA", str(tmp_path))
    assert run("claims")[0] == 2  # an empty scorecard would be a false answer
    keys = ("id", "document", "where", "quantity", "published", "ours", "interval", "verdict",
            "reason", "kind", "n", "p_value", "accepts", "quote")  # fmt: skip
    one = {**dict.fromkeys(keys, "?"), "id": "one", "document": 1, "verdict": "reproduced"}
    one |= {"published": "0.85", "accepts": [0.8, 0.9]}
    two = {**one, "id": "two", "document": 2, "verdict": "refuted", "published": "0.851"}
    (tmp_path / "claims").mkdir()
    stored = [row | {"section": "01_playout_mlp#start"} for row in (one, two)]
    claims.results_path().write_text(claims.to_json(stored))
    assert run_json("claims") == {"claims": [one, two]}
    assert run_json("claims", "--document", "2") == {"claims": [two]}
    assert run("claims")[1] == scorecard.as_text([one, two]) + "\n"
    listed = run("claims", "--document", "1")[1]
    assert listed.startswith("one: ")
    assert "two" not in listed
    assert run_json("claims", "--find", "0.85") == {"claims": [one]}
    assert run_json("claims", "--find", "0.85", "--document", "2") == {"claims": []}
    assert run("claims", "--find", "0.85")[1] == listed
    assert run_json("claims", "--verdict", "refuted") == {"claims": [two]}
    assert run_json("claims", "--verdict", "Refuted") == {"claims": [two]}
    table = run("claims", "--csv")[1].splitlines()
    assert table[0].startswith("id,document,")
    assert [line.split(",")[0] for line in table[1:]] == ["one", "two"]
    assert run("claims", "--find", "0.8")[:2] == (0, "no claim in the ledger matches\n")


def test_figures(
    run: Run, run_json: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def build(names: list[str] | None, destination: Path) -> list[Path]:
        asked.append((names, destination))
        return [Path("a.svg")]

    monkeypatch.setattr(figures, "build", build)
    known = list(figures.manifest())
    assert run("figures", known[0]) == (0, "a.svg\n", "")
    assert run("figures") == (0, "a.svg\n", "")
    assert asked == [([known[0]], figures.folder()), (None, figures.folder())]
    assert run_json("figures", known[0]) == {"files": ["a.svg"]}
    monkeypatch.setattr(store, "changed", lambda: ["ising_law.csv"])
    status, out, told = run("figures", "04_law")
    assert (status, out) == (2, "")
    assert "figure 04_law is not drawn" in told
    assert [one["name"] for one in run_json("figures", "--list")["figures"]] == known
    listed = run("figures", "--list")[1].splitlines()
    assert [line.split(":")[0] for line in listed if line[0] != " "] == known
    entry = figures.entry(known[0])
    told = [entry.caption, entry.notebook, entry.function, entry.data, entry.n, entry.alt]
    for part in (*told, f"as wide as a {entry.width}"):
        assert part in "\n".join(listed[:4])
    assert len(asked) == 3


def test_bench(
    run: Run, run_json: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [bench.row("fast thing", 100.0, "slow thing", 4.0)]
    found = {"rows": rows, "versions": {}, "machine": "m"}
    monkeypatch.setattr(bench, "run", lambda progress: found)
    assert run_json("bench") == found
    assert found["rows"][0]["ratio"] == 25.0
    assert "fast thing" in run("bench")[1]


def test_play(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["0", "1", "2"])
    monkeypatch.setattr("builtins.input", lambda prompt="": next(answers))
    status, out, _ = run("play", "random", "--board", "2x2", "--side", "x", "--seed", "1")
    assert status == 0
    assert "You win." in out


def test_version_and_help(run: Run) -> None:
    assert run("--version") == (0, f"ttt {__version__}\n", "")
    status, out, _ = run("--help")
    assert status == 0
    for command in ("exact", "worst", "match", "claims", "figures", "bench", "play", "agents"):
        assert command in out
        assert run(command, "--help")[0] == 0


def test_every_argument_has_a_help_text() -> None:
    silent = [
        f"{command}: {action.dest}"
        for command, action in arguments_of(parser())
        if not (action.help or "").strip()
    ]
    assert silent == []


STATED = re.compile(r"default ([\w.-]+)(?: (million|billion))?|([\w-]+) \(default\)")
SCALE = {"million": 10**6, "billion": 10**9}


def stated(text: str) -> str | None:
    """The default in a help text: "default 7", "default 4 billion" or "3x3 (default)"."""
    found = STATED.search(text)
    if found is None:
        return None
    value, scale, before = found.groups()
    return before or (str(int(value) * SCALE[scale]) if scale else value)


def test_help_states_the_default_of_every_argument() -> None:
    """Except where it is to do nothing; one that hangs on other arguments follows a colon."""
    settled = settle(parser().parse_args(["spectral"]))
    found = {(command, action.dest): action for command, action in arguments_of(parser())}
    set_later = {
        ("ttt worst", "nodes"): worst.NODES,
        ("ttt solve", "nodes"): solver.NODES,
        ("ttt spectral", "n"): settled.n,
        ("ttt spectral", "games_perfect"): settled.games_perfect,
        **{("ttt spectral", name): getattr(settled, name) for name in DEFAULTS},
        ("ttt ultimate train", "config"): cli_training.DEFAULT,
        ("ttt ultimate train", "games"): cli_training.MEASURED,
        ("ttt ultimate train", "seed"): 0,
    }
    assert all(found[key].default is None for key in set_later)
    defaults = {key: action.default for key, action in found.items()} | set_later
    assert {key: stated(action.help or "") for key, action in found.items()} == {
        key: None if default in (None, argparse.SUPPRESS) or default is False else str(default)
        for key, default in defaults.items()
    }


def arguments_of(of: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.Action]]:
    """The arguments of a parser's commands, with their names."""
    for action in of._actions:
        if isinstance(action, argparse._SubParsersAction):
            for part in action.choices.values():
                yield from arguments_of(part)
        else:
            yield of.prog, action


# ---------------------------------------------------------------------------- bad input

FINISHED = "xooxxooxx.xoo...xx.xooooxoooxxo.ox..oxx..ooxox.x..o.oxxoxoxoxoxoxxoxxxxooxoxoxoxo o -"
BAD = [
    ([], "COMMAND"),
    (["nothing"], "invalid choice: 'nothing'"),
    (["exact"], "X_AGENT, O_AGENT"),
    (["exact", "random"], "O_AGENT"),
    (["exact", "random", "random", "random"], "unrecognized"),
    (["exact", "random", "nobody"], "unknown agent 'nobody': random, minimax"),
    (["exact", "minimax:ties=last", "random"], "uniform, first or quick"),
    (["exact", "random:depth=1", "random"], "unknown option 'depth=1'"),
    (["exat", "random", "random"], "did you mean exact?"),
    (["exact", "minmax", "random"], "did you mean minimax?"),
    (["exact", "uct:iter=3", "random"], "c=1.414; did you mean iterations?"),
    (["claims", "--verdict", "refused"], "unknown verdict 'refused': reproduced"),
    (["claims", "--find", " "], "nothing to find: name a number or words"),
    (["match", "random", "random", "--games", "99999999999999"], "at most 100,000,000 games"),
    (["perft", "--depth", "81"], "(--leaves)"),
    (["exact", "uct", "random"], "ttt match"),
    (["exact", "random", "safety+uct"], "ttt match"),
    (
        ["exact", "random", "random", "--board", "4x4"],
        "unrecognized arguments: --board 4x4; 'ttt exact --help' lists what there is",
    ),
    (["worst", "random"], "--side"),
    (["worst", "random", "--side", "z"], "invalid choice: 'z'"),
    (["worst", "nobody", "--side", "x"], "unknown agent 'nobody'"),
    (["worst", "uct", "--side", "x"], "ttt match"),
    (["match", "random"], "B"),
    (["match", "random", "random", "--games", "0"], "at least 1 game, not 0"),
    (["match", "random", "random", "--games", "-5"], "at least 1 game, not -5"),
    (
        ["match", "random", "random", "--games", "many"],
        "many: this must be a whole number in plain digits",
    ),
    (["match", "random", "random", "--games", "1.5"], "must be a whole number in plain digits"),
    (["match", "random", "random", "--seed", "-1"], "seed can't be negative: -1"),
    (["match", "random", "random", "--seed", "x"], "must be a whole number in plain digits"),
    (["match", "random", "random", "--sides", "both"], "invalid choice: 'both'"),
    (["match", "random", "random", "--board", "3x4"], "all edges must be equal"),
    (["match", "random", "random", "--board", "chess"], "unknown board size 'chess'"),
    (["match", "random", "random", "--board", "1x1"], "n >= 2"),
    (["match", "random", "random", "--board", "500x500"], "too large: at most"),
    (["match", "random", "random", "--board", "1000x1000"], "too large: at most"),
    (["match", "random", "random", "--board", "10000x10000"], "an edge has at most four digits"),
    (["match", "random", "minimax", "--board", "5x5"], "too large to enumerate: at most 16"),
    (["match", "random", "uct:iterations=0"], "iterations, not 0"),
    (
        ["match", "random", "uct:iterations=99999999999999999999"],
        "iterations of uct must be at most",
    ),
    (["match", "random", "uct:c=-1"], "constant c"),
    (["claims", "--document", "99"], "no document 99; choose one of 1, 2, 3, 4, 5"),
    (["figures", "no_such_figure"], "unknown figure 'no_such_figure'"),
    (["figures", "no_such_figure", "--list"], "unknown figure 'no_such_figure'"),
    (["play"], "AGENT"),
    (["play", "nobody"], "unknown agent 'nobody'"),
    (["play", "nobody", "--board", "ultimate"], "'nobody': random, uct, alphazero\n"),
    (["match", "nobody", "random", "--board", "ultimate"], "'nobody': random, uct, alphazero\n"),
    (["ultimate", "play", "--agent", "nobody"], "'nobody': random, uct, alphazero\n"),
    (["play", "random", "--side", "z"], "invalid choice: 'z'"),
    (["play", "random", "--seed", "-1"], "negative"),
    (["agents", "random"], "unrecognized"),
    (["--nonsense"], "COMMAND"),
    (["claims", "--csv", "--json"], "--csv and --json exclude each other"),
    (["spectral", "--samples", "400"], "--samples needs --labels mc"),
    (["exact", "spectral:samples=3", "random"], "samples of spectral needs labels=mc"),
    (
        ["exact", "random", "spectral:labels=value,rollouts=3"],
        "rollouts of spectral needs labels=mc",
    ),
    (["spectral", "--labels", "value", "--rollouts", "6"], "--rollouts needs --labels mc"),
    (["spectral", "--mcts-iters", "150"], "--mcts-iters needs --games-mcts"),
    (["spectral", "--mcts-iters", "0"], "--mcts-iters needs --games-mcts"),
    (["match", "random", "random", "--openings", "2", "--games", "11"], "an even --games, not 11"),
    (
        ["match", "random", "random", "--openings", "2", "--sides", "first"],
        "--openings needs --sides alternate",
    ),
    (["match", "random", "random", "--games", "1,00"], "must be a whole number in plain digits"),
    (["match", "random", "random", "--games", "0,100"], "must be a whole number in plain digits"),
    (["worst", "random", "--side", "x", "--nodes", "10"], "within 10 positions: raise --nodes"),
    (["exact", "alphazero", "random"], "alphazero can't play 3x3; these can: random, minimax"),
    (["exact", "safety+alphazero", "random"], "alphazero can't play 3x3; these can: random"),
    (
        ["exact", "minimax:tie=first", "random"],
        "ties=uniform (ties: uniform, first or quick); did you mean ties?",
    ),
    (["figures", "01_calibratoin"], "; did you mean 01_calibration?"),
    (["perft", "--depth", "30"], "depth 30 has about 1e+29 leaves: at most 4,000,000,000 (--le"),
    (["match", "random", "random", "--b", "4x4"], "unrecognized arguments: --b 4x4"),
    (["exact", "potential:base=1e300", "random"], "base of potential must be at most 100,000,000"),
    (["exact", "ising:b=-1e308", "random"], "must be at most 100,000,000 in size, not -1e308"),
    (["exact", "ising:b=0_5", "random"], "b=0_5: this must be a number in plain digits"),
    (["exact", "ising:b= 0.5", "random"], "b= 0.5: this must be a number in plain digits"),
    (["exact", "mlp:seed=4294967296", "random"], "seed of mlp must be at most 4,294,967,295"),
    (["exact", "safety+safety+ising:b=1e308", "random"], "is applied once: safety+NAME"),
    (["exact", "minimax:ties", "random"], "option ties of minimax has no value: ties=uniform"),
    (["match", "pmc:playouts=99999999999", "random"], "playouts of pmc must be at most"),
    (
        ["match", "random", "random", "--games", "1_0"],
        "1_0: this must be a whole number in plain digits",
    ),
    (
        ["match", "random", "random", "--games", "\u0661\u0660"],
        "must be a whole number in plain digits",
    ),
    (["spectral", "--n", "\u0663"], "must be a whole number in plain digits"),
    (["spectral", "--n", "1_0"], "1_0: this must be a whole number in plain digits"),
    (["spectral", "--lam", "1_0"], "1_0: this must be a number in plain digits"),
    (["spectral", "--lam", "\u0663"], "must be a number in plain digits"),
    (["match", "minimax", "random", "--openings", "5"], "5 is too many for 3x3: at most 4"),
    (["perft", "--depth", "2", "--leaves", "80"], "depth 1 has 81 leaves: at most 80"),
    (["perft", "--depth", "2", "--leaves", "0"], "at least 1, not 0"),
    (["perft", "--depth", "82", "--position", FINISHED], "no game has more than 81 plies"),
    (["spectral", "--labels", "mc", "--samples", "1000001"], "--samples must be at most 1,000,000"),
    (["match", "random", "random", "--games", "nan"], "nan: this must be a whole number in plain"),
    (["match", "random", "random", "--board", "Ultimate"], "4x4 or 4x4x4, or ultimate[:RULES]"),
    (["match", "random", "random", "--board", "999999x999999"], "999999x999999 is too large"),
    (["play", "random", "--board", "3x3x"], "unknown board size '3x3x'"),
    (
        ["solve", "--position", "." * 81, "x", "-"],
        "ttt solve: unrecognized arguments: x -; a value of several words goes in quotation marks",
    ),
    (
        ["claims", "--document", "1", "2"],
        "ttt claims: unrecognized arguments: 2; 'ttt claims --help'",
    ),
    (
        ["match", "alphazero:net=", "random", "--board", "ultimate"],
        "net= names no file: net=stored",
    ),
    *(
        (
            ["match", f"alphazero:{name}={value}", "random", "--board", "ultimate"],
            f"option {name} of alphazero must be in {least}..{most}, not {value}",
        )
        for name, value, least, most in (
            ("simulations", 1, 2, "20,000,000"),
            ("solver", 82, 0, 81),
            ("shallow", -1, 0, 81),
        )
    ),
    (
        ["ultimate", "evaluate", "--simulations", "0"],
        "--simulations must be in 2..20,000,000, not 0",
    ),
    (
        ["ultimate", "evaluate", "--iterations", "-1"],
        "--iterations must be in 0..20,000,000, not -1",
    ),
    (["ultimate", "evaluate", "--games", "0"], "--games must be in 2..100,000,000, not 0"),
    (["ultimate", "evaluate", "--games", "3"], "--games must be even, for paired openings, not 3"),
    (
        ["ultimate", "evaluate", "--games", "1" + "0" * 16],
        "--games must be in 2..100,000,000, not 1",
    ),
    (["ultimate", "evaluate", "--solver", "82"], "--solver must be in 0..81, not 82"),
    (["ultimate", "train", "--threads", "0"], "--threads must be in 1..1,024, not 0"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD)
def test_bad_input(
    arguments: list[str], message: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def draw(*_: object) -> None:
        raise AssertionError("nothing is drawn")

    monkeypatch.setattr(figures, "build", draw)
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert err.startswith("ttt")
    assert message in err
    assert "Traceback" not in err


@pytest.mark.parametrize("command", ["exact", "worst", "match"])
def test_bad_input_with_json_prints_no_object(command: str, run: Run) -> None:
    more = {"exact": ["random"], "worst": ["--side", "x"], "match": ["random"]}[command]
    status, out, err = run(command, "nobody", *more, "--json")
    assert (status, out) == (2, "")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("stream", "arguments", "message"),
    [
        ("stdin", ["play", "random"], "no standard input"),
        ("stdout", ["exact", "random", "random"], "no standard output"),
    ],
)
def test_closed_streams(
    stream: str, arguments: list[str], message: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, stream, None)
    status, _, err = run(*arguments)
    assert status == 2
    assert message in err
    assert err.count("\n") == 1


def test_numbers_too_large_to_compute_with(run: Run) -> None:
    status, out, err = run(
        "match", "potential:base=1e8", "random", "--board", "50x50", "--games", "2"
    )
    assert (status, out) == (2, "")
    assert "is too large for an edge of 50" in err


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (MemoryError(), "out of memory"),
        (
            MemoryError("Unable to allocate 64.0 GiB for an array with shape (9,) and data type"),
            "out of memory: it would take 64.0 GiB at once",
        ),
        (
            RuntimeError("cannot cache function 'advance': no locator available for file"),
            "compiled code can't be stored here: NUMBA_CACHE_DIR must name a writable folder",
        ),
        (OSError("no space"), "no space"),
        (OverflowError(), "a number among the options is too large to compute with"),
    ],
    ids=["memory", "array", "cache", "disk", "numbers"],
)
def test_what_the_machine_lacks_is_told_in_one_line(
    error: Exception, told: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("ttt_lib.ultimate.cli_positions.perft", fail)
    assert run("perft", "--depth", "1") == (2, "", f"ttt: {told}\n")


def test_a_fault_of_the_program_keeps_its_traceback(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("something else")

    monkeypatch.setattr("ttt_lib.ultimate.cli_positions.perft", fail)
    with pytest.raises(RuntimeError, match="something else"):
        run("perft", "--depth", "1")


def test_output_that_cannot_be_encoded(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ttt_lib", "claims", "--csv"], cwd=tmp_path, capture_output=True,
        text=True, check=False, env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.endswith("needs UTF-8, not ascii: set PYTHONIOENCODING=utf-8\n")


def test_input_that_ends_too_soon(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def end(prompt: str = "") -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", end)
    status, _, err = run("play", "random")
    assert (status, err) == (2, "ttt: the input ended before the game did\n")


def test_interruption_is_no_traceback(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(prompt: str = "") -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", stop)
    status, _, err = run("play", "random")
    assert (status, err) == (130, "")


def test_a_training_that_is_interrupted_gives_no_result(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else scikit-learn would return the network half trained, and its results would be told."""
    from sklearn.neural_network import MLPClassifier

    def stop(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(MLPClassifier, "_backprop", stop)
    assert run("exact", "mlp:seed=77777", "random") == (130, "", "")


USING = Path(__file__).parents[1] / "notebooks/book/using.md"


def commands_of_the_page() -> list[list[str]]:
    """The commands that the book's page on use shows."""
    text = USING.read_text(encoding="utf-8").replace("\\\n", "")
    lines = re.findall(r"^ttt (.*)$", text, re.MULTILINE)
    return [shlex.split(line, comments=True) for line in lines]


def test_commands_of_the_page_can_be_read_and_the_position_solved(run: Run) -> None:
    shown = commands_of_the_page()
    assert len(shown) >= 15
    for arguments in shown:
        parser().parse_args(arguments)
    [solve] = [arguments for arguments in shown if arguments[0] == "solve"]
    status, out, err = run(*solve)
    assert (status, err) == (0, "")
    assert out == "a loss in 24 plies; best move 55 (row 6, column 1)\n"


def test_a_game_that_cannot_be_searched_is_refused_before_anything_is_loaded(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog, "typed", None)
    status, out, err = run("worst", "alphazero", "--side", "x", "--board", "ultimate")
    assert (status, out) == (2, "")
    assert "'ultimate': write it like 3x3, 4x4 or 4x4x4; no other game can be searched here" in err


@pytest.mark.parametrize("text", ["4000000", "4_000_000", "4,000,000"])
def test_thousands_may_be_set_apart(text: str) -> None:
    assert cli.whole(text) == 4_000_000
    assert cli.whole(f"-{text}") == -4_000_000


def test_a_board_may_be_written_with_a_capital(run_json: Callable[..., dict[str, Any]]) -> None:
    line = ("match", "random", "random", "--games", "2", "--board")
    assert run_json(*line, "2X2")["board"] == "2x2"
    assert run_json("ising-curve", "--board", "3X3") == run_json("ising-curve")


def test_a_curve_says_what_its_columns_are(run: Run) -> None:
    for more in ((), ("--board", "4x4")):
        head, first, *_ = run("ising-curve", *more)[1].splitlines()
        assert head.startswith("range of b; the player's chances")
        assert first.startswith("[0.000000, ")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            "ising-curve --board 4x4",
            "{}/ising_curve_4x4.csv is missing (TTT_DATA={}): unset TTT_DATA",
        ),
        ("claims", "no ledger here: {}/claims/results.json is missing (TTT_DATA={})"),
        ("data", "{}/manifest.toml is missing (TTT_DATA={})"),
        ("bench", "{}/ultimate_table.safetensors is missing (TTT_DATA={}): unset TTT_DATA"),
        (
            "ultimate evaluate",
            "{}/ultimate_table.safetensors is missing (TTT_DATA={}): unset TTT_DATA",
        ),
        (
            "match alphazero random --board ultimate",
            "{}/ultimate_table.safetensors is missing (TTT_DATA={}): unset TTT_DATA",
        ),
    ],
)
def test_what_is_missing_is_named_with_the_variable_that_names_its_folder(
    line: str, told: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TTT_DATA", str(tmp_path))
    monkeypatch.setattr(bench, "run", None)  # nothing is measured before
    status, out, err = run(*line.split())
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("ttt: " + told.format(tmp_path, tmp_path))


def test_a_damaged_manifest_is_told_with_its_folder(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TTT_DATA", str(tmp_path))
    (tmp_path / "manifest.toml").write_text("[")
    assert run("data")[2].endswith(f", in {tmp_path} (TTT_DATA={tmp_path})\n")


def test_a_checkpoint_that_is_not_there_is_told_with_the_folder_it_was_looked_for_in(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for path, told in (("data/net", f"data/net in {tmp_path}"), (tmp_path / "net",) * 2):
        for line in (
            ("ultimate", "evaluate", "--checkpoint", str(path)),
            ("match", f"alphazero:net={path}", "random", "--board", "ultimate"),
        ):
            assert run(*line) == (2, "", f"ttt: there is no file {told}\n")


ENDGAME = ("solve", "--position",
           "xo.xx...x...oxxo.oxoxoo.o.xo.o.oxooo....ox.xox.x.o..xx.x..xxoo.xx.xox.oooox.xo.ox x -"
           )  # fmt: skip


def test_a_budget_beyond_what_can_be_counted_is_none(run: Run) -> None:
    status, out, _ = run(*ENDGAME, "--nodes", str(2**63))
    assert status == 0
    assert out.startswith("a loss in 8 plies")


def test_who_waits_at_a_terminal_is_told_how_to_stop(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    told = "ttt: solving; Ctrl-C stops it\n"
    assert run(*ENDGAME) == (0, "a loss in 8 plies; best move 28 (row 3, column 1)\n", told)
    assert run("perft", "--depth", "0")[2] == "ttt: counting; Ctrl-C stops it\n"
    bad = (("perft", "--depth", "-1"), ("solve", "--position", "nothing"))
    for line in (*bad, (*ENDGAME, "--nodes", "0")):
        assert "Ctrl-C" not in run(*line)[2]  # what can't be done does not begin


@pytest.mark.parametrize("shown", [False, True])
def test_an_evaluation_shows_its_progress_on_a_terminal(
    shown: bool, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def played(*_: object, progress: bool, **how: object) -> MatchResult:
        seen.append(progress)
        return MatchResult(
            games=2, win=1, draw=0, loss=1, seconds=1, distinct=2, pairs=(0, 0, 1, 0, 0)
        )

    monkeypatch.setattr(sys.stderr, "isatty", lambda: shown)
    monkeypatch.setattr(cli_training, "match", played)
    assert run("ultimate", "evaluate", "--games", "2", "--iterations", "0")[0] == 0
    assert seen == [shown]


@pytest.mark.parametrize(
    "command",
    [
        *(["claims", "--verdict", ""], ["spectral", "--show", ""]),
        ["ultimate", "evaluate", "--games", "2", "--checkpoint", ""],
        ["ultimate", "evaluate", "--games", "2", "--device", "tpu"],
        ["ultimate", "train", "--config", "", "--out", "never"],
        ["ultimate", "train", "--seed", str(2**63), "--out", "never"],
        ["ultimate", "train", "--micro-batch", "0", "--out", "never"],
        ["ultimate", "train", "--threads", "1025", "--out", "never"],
    ],
    ids=" ".join,
)
def test_what_is_empty_or_not_there_is_no_default(
    command: list[str], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, err = run(*command)
    assert (status, out) == (2, "")
    assert err.startswith("ttt: ")
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_line_break_in_an_argument_is_told_in_one_line(run: Run) -> None:
    status, _, err = run("agents", "a\nb")
    assert status == 2
    assert err.count("\n") == 1


def test_a_table_of_no_claims_has_its_head(run: Run) -> None:
    status, out, _ = run("claims", "--csv", "--find", "none of the claims says so")
    assert status == 0
    assert out.startswith("id,document,")
    assert out.count("\n") == 1


@pytest.mark.parametrize(
    ("command", "file", "text"),
    [
        *(
            ("claims", "claims/results.json", text)
            for text in ("{ none", "[]", '{"claims": {}}', '{"claims": [3]}', '{"claims": [{}]}')
        ),
        *(
            ("data", "manifest.toml", text)
            for text in ("", "[", "[a]", "a = 3", "\xff", "[a]\nkind = 3")
        ),
        *(
            ("data", "provenance.json", text)
            for text in ("{ none", "[]", '{"a": 3}', '{"a": {}}', '{"a": {"sha256": ""}}')
        ),
    ],
)
def test_a_damaged_file_is_named_in_one_line(
    command: str, file: str, text: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TTT_DATA", str(tmp_path))
    (tmp_path / "claims").mkdir()
    entry = dict.fromkeys(("about", "source", "licence", "made_by"), "a")
    declared = "".join(f'{key} = "{value}"\n' for key, value in entry.items())
    (tmp_path / "manifest.toml").write_text(f"[a]\n{declared}quick = false\n")
    (tmp_path / file).write_text(text, encoding="latin-1")
    status, out, err = run(command)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert f"{Path(file).name} can't be read" in err


def test_a_damaged_table_of_documents_is_told(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it is read; commands that need none of it go on."""
    (tmp_path / "documents.toml").write_text("[[document]]\nnumber = 1\n")
    monkeypatch.setattr("ttt_lib.evidence.documents.TABLE", tmp_path / "documents.toml")
    documents.cache_clear()
    status, out, err = run("claims", "--document", "1")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert f"{tmp_path / 'documents.toml'} can't be read: KeyError('players')" in err
    assert run("agents")[0] == 0
    documents.cache_clear()


@pytest.mark.parametrize("minutes", [None, float("nan"), "abc"])
def test_a_checkpoint_without_its_minutes_is_refused_before_it_plays(
    minutes: object, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ttt_lib.ultimate.learn import checkpoint

    monkeypatch.setattr(checkpoint, "load_net", lambda path: (None, {"cpu_minutes": minutes}))
    status, out, err = run("ultimate", "evaluate", "--games", "2000000")
    assert (status, out) == (2, "")
    assert "CPU-minutes" in err


# ---------------------------------------------------------------------------- as a program


@pytest.mark.parametrize("seed", ["1"])
def test_from_another_folder(seed: str, tmp_path: Path) -> None:
    """``python -m ttt_lib`` elsewhere: one object, nothing else, and no file is left."""
    command = [sys.executable, "-m", "ttt_lib", "match", "random", "uct:iterations=20"]
    done = subprocess.run(
        [*command, "--board", "4x4", "--games", "10", "--seed", seed, "--json"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["games"] == 10
    assert list(tmp_path.iterdir()) == []
    assert Grid.parse(json.loads(done.stdout)["board"]) == Grid(4)


def test_bad_input_to_the_program(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ttt_lib", "exact", "random", "nobody"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


# ---------------------------------------------------------------------------- as a process


START = (
    "import runpy, signal\n"
    "signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a background job\n"
    "runpy.run_module('ttt_lib', run_name='__main__', alter_sys=True)\n"
)


@contextmanager
def process(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """The program as if it were started by hand; it doesn't outlive its test."""
    command = [sys.executable, "-c", START, *arguments]
    with subprocess.Popen(
        command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        try:
            yield running
        finally:
            running.kill()


@pytest.mark.parametrize("line", ["--version", "--help", "match --help", "exact random random"])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_output_that_nobody_can_take(line: str, unbuffered: str) -> None:
    """A full disk is told in one line; nothing is said to a reader who has gone."""
    read, write = os.pipe()
    os.close(read)
    for output, status, told in (
        (os.open("/dev/full", os.O_WRONLY), 2, "No space left on device\n"),
        (write, 141, ""),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "ttt_lib", *line.split()], stdout=output, text=True,
            stderr=subprocess.PIPE, check=False,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        )  # fmt: skip
        os.close(output)
        assert done.returncode == status
        assert done.stderr[-len(told) :] == told
        assert done.stderr.count("\n") == bool(told)


@pytest.mark.parametrize("command", ["match", "perft", "solve"])
def test_help_names_the_rule_sets_of_the_table(command: str) -> None:
    """One that is added, too."""
    code = (
        "import sys; from ttt_lib.ultimate.board import rules\n"
        "rules.RULES += ('misere',)\n"
        "from ttt_lib.cli import main; main(sys.argv[1:])"
    )
    asked = [sys.executable, "-c", code, command, "--help"]
    wide = {**os.environ, "COLUMNS": "1000"}
    told = subprocess.run(asked, capture_output=True, text=True, env=wide).stdout
    assert f"{RULES[0]} (default), {', '.join(RULES[1:])}, misere" in told


@pytest.mark.parametrize("arguments", [["agents"], ["claims"], ["--help"], ["figures", "--list"]])
def test_what_only_lists_loads_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys; from ttt_lib.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print(*{'pandas', 'scipy', 'numba', 'torch', 'matplotlib', 'sklearn'} & set(sys.modules),"
        " file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True)
    assert done.stdout
    assert done.stderr == "\n"


def test_a_reader_who_goes_away_is_no_error() -> None:
    with process("claims", "--csv") as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == ""
        assert running.wait(20) == 128 + signal.SIGPIPE


@pytest.mark.parametrize(
    ("before", "within"),
    [(signal.default_int_handler, signal.SIG_DFL), (signal.SIG_IGN, signal.SIG_IGN)],
)
def test_what_is_ignored_stays_so(before: Any, within: Any) -> None:
    """A shell script's background jobs ignore Ctrl-C; else it ends the process inside."""
    usual = signal.signal(signal.SIGINT, before)
    try:
        with stops_at_once():
            assert signal.getsignal(signal.SIGINT) is within
        assert signal.getsignal(signal.SIGINT) is before
    finally:
        signal.signal(signal.SIGINT, usual)


def test_ctrl_c_in_a_notebook_does_not_end_its_kernel(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Arguments given in Python are not those of a process of its own."""
    met = []
    monkeypatch.setattr(cli, "_agents", lambda _: met.append(signal.getsignal(signal.SIGINT)))
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        run("agents")
        monkeypatch.setattr(sys, "argv", ["ttt", "agents"])
        cli.main()
    finally:
        signal.signal(signal.SIGINT, usual)
    assert met == [signal.default_int_handler, signal.SIG_DFL]


@pytest.mark.parametrize(
    "arguments",
    [
        ["solve", "--position", "." * 81 + " x -"],
        ["match", "uct:iterations=11000000", "random", "--games", "2"],
        ["play", "uct:iterations=11000000", "--side", "o"],
        ["ultimate", "evaluate", "--iterations", "90000000"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_ctrl_c_ends_a_compiled_search(arguments: list[str]) -> None:
    with process(*arguments) as running:
        deadline = time.monotonic() + 400  # the solver may have to be compiled first
        while not busy_in_one_call(running.pid) and time.monotonic() < deadline:
            assert running.poll() is None
            time.sleep(0.5)
        assert busy_in_one_call(running.pid)
        running.send_signal(signal.SIGINT)
        assert running.wait(30) == -signal.SIGINT  # the search itself would take hours


def test_help_tells_the_level_of_the_intervals(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["match", "--help"])
    level = inspect.signature(wilson).parameters["confidence"].default
    told = f"simulated match with {100 * level:g}% Wilson intervals, from A's side"
    assert told in " ".join(capsys.readouterr().out.split())


def busy_in_one_call(pid: int) -> bool:
    """Whether Ctrl-C does what the system does by default, as /proc tells, and not Python's."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        pytest.skip("no /proc here")
    text = status.read_text()
    caught, ignored = (int(text.partition(f"{name}:")[2].split()[0], 16)
                       for name in ("SigCgt", "SigIgn"))  # fmt: skip
    loaded = "numba" in Path(f"/proc/{pid}/maps").read_text()
    return loaded and not (caught | ignored) & (1 << (signal.SIGINT - 1))


@pytest.mark.parametrize("command", ["ising-curve", "ising-curve --board 4x4", "spectral"])
def test_results_stand_under_their_names(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What is printed for people is what ``--json`` says, each number behind its own name."""
    assert main(command.split()) == 0
    printed = re.findall(r"win (\S+) +draw (\S+) +loss (\S+)", capsys.readouterr().out)
    assert main([*command.split(), "--json"]) == 0
    told = list(results(json.loads(capsys.readouterr().out)))
    assert len(printed) > 1
    assert printed == told


def results(found: Any) -> Iterator[tuple[str, ...]]:
    """Every win, draw and loss of a JSON object, as it is written there."""
    if isinstance(found, dict) and {"win", "draw", "loss"} <= set(found):
        yield tuple(str(found[name]) for name in ("win", "draw", "loss"))
    else:
        for part in found.values() if isinstance(found, dict) else found:
            if isinstance(part, dict | list):
                yield from results(part)


def test_completion_offers_commands(tmp_path: Path) -> None:
    answers = tmp_path / "answers"
    more = {"_ARGCOMPLETE": "1", "COMP_LINE": "ttt cl", "COMP_POINT": "6", "IFS": " ",
            "_ARGCOMPLETE_STDOUT_FILENAME": str(answers)}  # fmt: skip
    command = [sys.executable, "-m", "ttt_lib"]
    subprocess.run(command, env=os.environ | more, timeout=60, check=True)
    assert "claims" in answers.read_text()
