"""A game at the terminal, with a person played by the test."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

import numpy as np
import pytest

from ttt_lib.evidence.verdicts import VERDICTS
from ttt_lib.game.board import Grid, parse
from ttt_lib.game.policy import Agent, minimax, random_agent
from ttt_lib.people.play import terminal, terminal_colour


def typed(monkeypatch: pytest.MonkeyPatch, *answers: str) -> None:
    left: Iterator[str] = iter(answers)

    def read(prompt: str = "") -> str:
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("builtins.input", read)


def lowest(grid: Grid) -> Agent:
    """Takes the lowest free cell."""
    return Agent("lowest", grid, lambda b, rng: np.eye(grid.cells)[grid.legal(b).argmax(axis=1)])


@pytest.mark.parametrize(
    ("side", "answers", "result", "last"),
    [
        (1, ["4", "2", "6"], 1, "You win."),
        (-1, ["8", "7", "3"], -1, "lowest wins."),
        (-1, ["3", "4", "5"], -1, "lowest wins."),
    ],
)
def test_a_game_to_its_end(
    side: int,
    answers: list[str],
    result: int,
    last: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    typed(monkeypatch, *answers)
    assert terminal.play(lowest(Grid(3)), side) == result
    shown = capsys.readouterr().out
    assert shown.splitlines()[-1] == last
    assert "you: " + answers[0] in shown


def test_a_draw(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """On a line of three cells nobody can win."""
    typed(monkeypatch, "0", "2")
    assert terminal.play(lowest(Grid(3, 1)), 1) == 0
    assert capsys.readouterr().out.endswith("A draw.\n")


def test_undo_hint_scores_and_quit(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, "u", "scores", "hint", "4", "undo", "h", "q")
    assert terminal.play(minimax(Grid(3), "first"), 1) == 0
    shown = capsys.readouterr().out
    assert "no move of yours to take back" in shown
    heading = "your exact chance to win, or the certain result, by the cell that you take now:"
    assert f"{heading}\n0: draw, 1: draw" in shown
    assert (
        shown.count("hint: cell 0: against minimax:ties=first you win with probability 0, draw 1")
        == 2
    )


@pytest.mark.parametrize("asked", ["help", "HELP", "he", "?"])
def test_help(
    asked: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, asked, "q")
    assert terminal.play(lowest(Grid(3)), 1) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"You are x. {terminal.USAGE}\n")
    assert shown.count(terminal.USAGE) == 2


def test_what_is_shown_move_by_move(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Against a player that can't state its chances, so that no scores can be told."""
    grid, moves = Grid(3), [0, 4, 1, 2, 3, 6]
    typed(monkeypatch, "scores", "4", "2", "6")
    assert terminal.play(lowest(grid), -1) == 1
    boards = [grid.initial()]
    for move in moves:
        boards.append(grid.play(boards[-1], np.array([move])))
    pictures = [f"{grid.picture(board[0])}\n" for board in boards]
    who = ["lowest", "you"] * 3
    told = [f"{name}: {move}\n\n" for name, move in zip(who, moves, strict=True)]
    shown = [a + b for a, b in zip(pictures, [*told, "You win.\n"], strict=True)]
    shown[1] = f"{pictures[1]}lowest can't state its chances here\n{shown[1]}"
    usage = "You are o. Type a cell's number, or undo, hint, scores, quit or help.\n\n"
    assert capsys.readouterr().out == usage + "".join(shown)


def test_bad_answers_are_asked_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, "", "nine", "-1", "9", "1.0", "²", "٣", "1" * 5000, "0", "0", "1", "2")
    with pytest.raises(ValueError, match="the input ended"):
        terminal.play(minimax(Grid(3), "first"), 1)
    complaints = capsys.readouterr().err.splitlines()
    assert len(complaints) >= 9
    told = "'' is not a legal move: 0 1 2 3 4 5 6 7 8; or undo, hint, scores, quit, help"
    assert complaints[0] == told


def test_the_agents_moves_come_from_the_seed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = []
    for seed in (1, 1, 2, 3, 4):
        typed(monkeypatch, *(str(cell) for cell in list(range(9)) * 9))
        terminal.play(random_agent(Grid(3)), 1, rng=seed)
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1]
    assert len(set(shown)) > 1


def test_picture_of_a_board_and_of_a_cube() -> None:
    assert Grid(3).picture(parse("x...o....", Grid(3))) == " x 1 2\n 3 o 5\n 6 7 8"
    cube = Grid(2, 3).picture(Grid(2, 3).initial()[0])
    assert cube == " 0 1\n 2 3\n\n 4 5\n 6 7"


def test_side_must_be_one_of_two() -> None:
    with pytest.raises(ValueError, match="not 0"):
        terminal.play(random_agent(Grid(3)), 0)


# ---------------------------------------------------------------------------- colour


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_colour_is_for_terminals_only(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a: refuted, not within sampling error: X1 x 2"
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    assert terminal_colour.painted(text, terminal_colour.VERDICTS, io.StringIO()) == text
    shown = terminal_colour.painted(text, terminal_colour.VERDICTS, Screen())
    assert shown.count("\x1b[0m") == 2
    assert "\x1b[32mwithin sampling error\x1b[0m" in shown
    assert terminal_colour.painted(text, terminal_colour.STONES, Screen()).count("\x1b[0m") == 1
    assert re.sub(r"\x1b\[\d+m", "", shown) == text
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        monkeypatch.setenv(name, value)
        assert terminal_colour.painted(text, terminal_colour.VERDICTS, Screen()) == text
        monkeypatch.delenv(name)


def test_stones_are_coloured_in_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("NO_COLOR", ""), ("TERM", "xterm")):
        monkeypatch.setenv(name, value)
    screen = Screen()
    monkeypatch.setattr("sys.stdout", screen)
    typed(monkeypatch, "4", "2", "6")
    terminal.play(lowest(Grid(3)), 1)
    blue, orange = (f"\x1b[{code}m{stone}\x1b[0m" for code, stone in (("34", "x"), ("33", "o")))
    last = screen.getvalue().split("you: 6")[1]
    assert (last.count(blue), last.count(orange)) == (3, 2)


ANSI = {"31": "red", "32": "green", "33": "yellow", "34": "blue", "90": "grey"}
"""The colours of terminals, by the numbers of ECMA-48 and, for the grey, of xterm."""


def test_every_verdict_has_its_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    """What agrees is green, what is wrong red; nothing else is either."""
    for name, value in (("NO_COLOR", ""), ("TERM", "xterm")):
        monkeypatch.setenv(name, value)
    shown = terminal_colour.painted(", ".join(VERDICTS), terminal_colour.VERDICTS, Screen())
    seen = {word: ANSI[code] for code, word in re.findall("\x1b\\[(\\d+)m(.*?)\x1b\\[0m", shown)}
    assert seen.keys() == set(VERDICTS)
    green = {word for word, hue in seen.items() if hue == "green"}
    assert green == {"reproduced", "within sampling error"}
    assert {word for word, hue in seen.items() if hue == "red"} == {"refuted"}
    assert {seen[word] for word in ("undecided", "not testable")} == {"grey"}
