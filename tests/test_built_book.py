"""The book that all workers share: built once, failing alike, and left by none half built."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from built_book import built_once

HERE = Path(__file__).parent
ASK = """
import sys, time
from pathlib import Path
from built_book import built_once

def build(out):
    print("builds", flush=True)
    time.sleep(float(sys.argv[2]))
    return ""

print(built_once(Path(sys.argv[1]), build))
"""


def ask(shared: Path, seconds: float) -> subprocess.Popen[str]:
    """A process that asks for the book, whose build would take it so long."""
    command = [sys.executable, "-c", ASK, str(shared), str(seconds)]
    return subprocess.Popen(command, cwd=HERE, stdout=subprocess.PIPE, text=True)


def test_who_comes_while_another_builds_waits_for_that_book(tmp_path: Path) -> None:
    first = ask(tmp_path, 2)
    assert first.stdout.readline() == "builds\n"
    second = ask(tmp_path, 0)
    assert second.communicate()[0] == first.communicate()[0]
    assert len(list(tmp_path.glob("book-*"))) == 1


def test_a_book_that_cannot_be_built_fails_everybody_with_the_same_words(tmp_path: Path) -> None:
    reasons = iter(["a warning", ""])
    for _ in range(2):
        with pytest.raises(pytest.fail.Exception, match=r"^a warning$"):
            built_once(tmp_path, lambda _: next(reasons))
    assert next(reasons) == ""


def test_a_process_that_is_killed_keeps_nobody_waiting(tmp_path: Path) -> None:
    killed = ask(tmp_path, 60)
    assert killed.stdout.readline() == "builds\n"
    killed.kill()
    killed.communicate()
    built = built_once(tmp_path, lambda _: "")
    assert built.parent in tmp_path.glob("book-*")
    assert len(list(tmp_path.glob("book-*"))) == 2
