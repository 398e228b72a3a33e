"""Every ``python -m ttt_lib...``: bad input is one line and exit status 2, Ctrl-C is 130."""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ttt_lib.evidence import claims, store
from ttt_lib.evidence.command import Parser, run_command

OTHERWISE = {
    "ttt_lib.people.grading.confined": "runs inside a sandbox with the standard library alone",
}
"""Programs that don't end as the others do, and why."""

NO_NETS = {"TTT_NETS": ""}
NO_FOLDER, OTHER_FOLDER = {"TTT_DATA": "nowhere"}, {"TTT_DATA": "."}
ITSELF = store.PACKAGE.parent
BAD: dict[str, list[tuple[str, dict[str, str], str]]] = {
    "ttt_lib.evidence.crate": [("", NO_FOLDER, "TTT_DATA names no folder: nowhere")],
    "ttt_lib.evidence.profiles": [("pdp11", {}, "can't imitate 'pdp11' here: ")],
    "ttt_lib.evidence.provenance": [
        ("", NO_FOLDER, "TTT_DATA names no folder: nowhere"),
        ("", OTHER_FOLDER, "manifest.toml: No such file or directory"),
        ("--confirm x.csv", {}, "no long run 'x.csv'; there are "),
        ("--confirm benchmark.json", {}, "benchmark.json has no sample to recompute (times only"),
    ],
    "ttt_lib.evidence.reproduce": [
        ("--data x.csv", NO_FOLDER, "TTT_DATA names no folder: nowhere"),
        ("--data x.csv", OTHER_FOLDER, "manifest.toml: No such file or directory"),
        ("--data x.csv", {}, "no data file 'x.csv'; there are "),
        ("--claims 9", {}, "invalid choice: 9"),
        ("--acc", {}, "unrecognized arguments: --acc"),
        ("--workers 0", {}, "--workers: wants a whole number from 1 on, not '0'"),
        ("--workers 1.5", {}, "--workers: wants a whole number from 1 on, not '1.5'"),
    ],
    "ttt_lib.evidence.robustness": [
        ("nowhere.ipynb", {}, "no notebook nowhere.ipynb"),
        ("--run nowhere.ipynb out.ipynb", {}, "no notebook nowhere.ipynb"),
        ("--read-only", {}, "--read-only needs two things: ENVIRONMENT, and the COMMAND"),
        ("--read-only env", {}, "--read-only needs two things: ENVIRONMENT, and the COMMAND"),
    ],
    "ttt_lib.people.book.site": [
        ("--out file/below", {}, "Not a directory"),
        ("--ou here", {}, "unrecognized arguments: --ou here"),
        (f"--out {ITSELF}", {}, "--out: is the folder of this project"),
    ],
    "ttt_lib.people.book.lessons": [
        ("--out file/below", {}, "Not a directory"),
        (f"--out {ITSELF}", {}, "--out: is the folder of this project"),
    ],
    "ttt_lib.people.play.server": [
        ("--port 0", {}, "a port is a number in 1..65535, not 0"),
        ("--address ''", {}, "the page needs an address, such as 127.0.0.1"),
        ("--address 999.1.1.1", {}, "choose an address of this machine, 127.0.0.1 say"),
        ("--net nowhere.safetensors", NO_NETS, "nowhere.safetensors: train one with"),
        ("--net a,b", NO_NETS, "--net: a path with , or : can't be offered"),
        (
            "--net a/net --net b/net",
            NO_NETS,
            "--net: visitors can't tell files of the same name apart",
        ),
    ],
    "ttt_lib.people.grading.teach": [
        ("grade nowhere", {}, "no folder "),
        ("grade . --seconds inf", {}, "--seconds wants a finite number, not inf"),
    ],
    "ttt_lib.people.play.trap": [("--out here.svg", {}, "unrecognized arguments: --out")],
    "ttt_lib.ultimate.studies.gpu_training": [("pdp11 1 x", {}, "invalid choice: 'pdp11'")],
    "ttt_lib.people.warmup": [("twice", {}, "unrecognized arguments: twice")],
}
"""What each is given, with which variables, and what it says of it."""


def test_every_program_is_tried() -> None:
    root = store.PACKAGE.parent
    programs = {
        ".".join(path.relative_to(root).with_suffix("").parts)
        for path in store.PACKAGE.rglob("*.py")
        if 'if __name__ == "__main__"' in path.read_text(encoding="utf-8")
    }
    assert programs == BAD.keys() | OTHERWISE.keys()


@pytest.mark.parametrize("name", BAD)
def test_it_ends_with_the_status_that_it_returns(name: str) -> None:
    source = Path(str(importlib.import_module(name).__file__)).read_text(encoding="utf-8")
    assert source.endswith('\nif __name__ == "__main__":\n    sys.exit(main())\n')


@pytest.mark.parametrize(
    ("name", "line", "variables", "told"),
    [(name, *case) for name, cases in BAD.items() for case in cases],
)
def test_bad_input_is_one_line(
    name: str, line: str, variables: dict[str, str], told: str,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    (tmp_path / "file").write_text("")
    monkeypatch.chdir(tmp_path)
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    try:
        status = importlib.import_module(name).main(shlex.split(line))
    except SystemExit as stop:
        status = stop.code
    shown = capsys.readouterr()
    assert (status, shown.out) == (2, "")
    assert shown.err.startswith(f"python -m {name}: ")
    assert told in shown.err
    assert shown.err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("name", BAD)
def test_ctrl_c_is_no_traceback(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", stop)
    assert importlib.import_module(name).main([]) == 130
    assert "Traceback" not in capsys.readouterr().err


LOST = """
import signal, sys, time
from ttt_lib.evidence.command import Parser, run_command

class Gone:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)

def work(_):
    Gone()
    time.sleep(60)

signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a background job
sys.exit(run_command(Parser(), work, []))
"""


@pytest.mark.parametrize("seconds", [0, 60])
def test_ctrl_c_in_a_finalizer_is_not_lost(seconds: int) -> None:
    code = LOST.replace("60", str(seconds))
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=30)
    assert (found.returncode, found.stderr) == (130, b"")


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("evidence.profiles", ""),
        ("evidence.reproduce", ""),
        ("evidence.robustness", ""),
        ("people.grading.teach", "build"),
        ("people.grading.teach", "grade ."),
    ],
)
def test_what_takes_a_checkout_says_so(
    name: str, line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(store, "is_checkout", lambda: False)
    assert importlib.import_module(f"ttt_lib.{name}").main(line.split()) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.endswith("takes a checkout: clone the repository and run 'make env'\n")


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("people.grading.teach", ["build"]),
        ("people.grading.teach", ["grade", "class"]),
        ("people.book.lessons", []),
        ("people.book.site", []),
    ],
)
def test_an_empty_folder_name_is_not_the_current_folder(
    name: str, line: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        importlib.import_module(f"ttt_lib.{name}").main([*line, "--out", ""])
    assert stopped.value.code == 2
    assert capsys.readouterr().err.endswith("argument --out: names no folder\n")


def test_the_book_empties_no_folder_but_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    thesis = tmp_path / "source" / "thesis.txt"
    thesis.parent.mkdir()
    thesis.write_text("two years")
    assert importlib.import_module("ttt_lib.people.book.site").main(["--out", str(tmp_path)]) == 2
    assert "source is not the book's: remove it, or choose another --out" in capsys.readouterr().err
    assert thesis.read_text() == "two years"


def test_players_are_asked_late_in_a_game_before_the_clock_starts() -> None:
    from ttt_lib import agent
    from ttt_lib.game.match import warm_up

    asked = []
    slow = agent("random", "ultimate")
    spied = dataclasses.replace(slow, policy=lambda s, rng: asked.append(s) or slow.policy(s, rng))
    warm_up(spied)
    stones = [int((slow.game.legal(state)).sum()) for state in asked]
    assert len(asked) == 4
    assert not any(slow.game.finished(state)[0] for state in asked)
    assert min(stones) < max(stones)


def test_no_match_counts_what_agents_compile_late_in_a_game(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import ttt_lib
    from ttt_lib import cli

    warm: list[str] = []
    monkeypatch.setattr("ttt_lib.game.match.warm_up", lambda agent: warm.append(agent.name))
    ttt_lib.match("random", "minimax", games=2)
    assert cli.main(["match", "random", "lookahead", "--games", "2"]) == 0
    assert warm == ["random", "minimax", "random", "lookahead"]
    capsys.readouterr()


def test_a_developer_gets_the_traceback() -> None:
    command = [sys.executable, "-X", "dev", "-m", "ttt_lib", "claims", "--verdict", "so-so"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stderr.startswith("Traceback")
    assert "ValueError: unknown verdict 'so-so'" in done.stderr


# ---------------------------------------------------------------------------- what is missing


def told_of(error: Exception, capsys: pytest.CaptureFixture[str]) -> str:
    """What is told where a command ends with an error."""

    def fail(_: argparse.Namespace) -> None:
        raise error

    assert run_command(Parser(prog="it"), fail, []) == 2
    return capsys.readouterr().err


def of_resolving(name: str) -> Exception:
    with pytest.raises((ValueError, ModuleNotFoundError)) as caught:
        store.resolve(name)
    return caught.value


def test_a_library_that_is_not_installed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Wherever it is first imported; what no library could help with stays as it is."""
    (tmp_path / "players_of_mine.py").write_text("import nowhere.below\n")
    monkeypatch.syspath_prepend(tmp_path)
    wanted = "it: this needs nowhere: pip install 'ttt-lib[full]'\n"
    assert told_of(of_resolving("players_of_mine:best"), capsys) == wanted
    assert told_of(ModuleNotFoundError("No module named 'x'", name="nowhere"), capsys) == wanted
    for name in ("nowhere:f", "nowhere.below:f", "ttt_lib.nowhere:f"):
        told = told_of(of_resolving(name), capsys)
        assert re.match(rf"it: no function '{name}': ", told), told


def test_kernels_of_another_version_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    """They are stored with the names of modules, which may have moved since."""
    moved = ModuleNotFoundError("No module named 'ttt_lib.gone'", name="ttt_lib.gone")
    wanted = "it: compiled code of another version is stored: delete *.nbi and *.nbc (make clean)\n"
    assert told_of(moved, capsys) == wanted


def test_a_claim_that_names_no_module_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    claim = claims.Claim("c", 1, "here", "wins", "exact", "nowhere:f", quote="7")
    with pytest.raises(ValueError, match="claim c") as caught:
        claims.judge([claim])
    told = "it: claim c: no function 'nowhere:f': No module named 'nowhere'\n"
    assert told_of(caught.value, capsys) == told


def test_a_fault_of_the_system_is_told_with_its_file(capsys: pytest.CaptureFixture[str]) -> None:
    full = "No space left on device"
    for error, told in (
        (OSError(28, full, "there/.net.safetensors.4711.part"), f"there/net.safetensors: {full}"),
        (OSError(28, full, ".log.csv.1.part"), f"log.csv: {full}"),
        (OSError(28, full, ".hidden.part"), f".hidden.part: {full}"),
        (OSError(28, full), full),
        (OSError("none left"), "none left"),
        (
            shutil.Error([("a", "b", "no room"), ("c", "d", "no")]),
            "a folder can't be copied: no room",
        ),
    ):
        assert told_of(error, capsys) == f"it: {told}\n"


@pytest.mark.parametrize("where", ["2>&-", "2>/dev/full"])
def test_messages_that_nobody_can_take_change_no_status(where: str) -> None:
    for words, status in (
        ("match random random --games 4", 0),
        ("exact minimax bad", 2),
        ("exact minimax", 2),
    ):
        line = f'exec "{sys.executable}" -m ttt_lib {words} {where}'
        ended = subprocess.run(["sh", "-c", line], stdout=subprocess.PIPE, text=True, check=False)
        assert ended.returncode == status, words
        assert bool(ended.stdout) == (status == 0), words
