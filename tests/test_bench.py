"""The performance table measures what its rows say."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from contextlib import nullcontext
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ttt_lib.evidence import bench, store
from ttt_lib.game.board import Grid
from ttt_lib.ising import bench as ising_bench
from ttt_lib.ntuple import bench as ntuple_bench
from ttt_lib.ultimate import bench as ultimate_bench
from ttt_lib.ultimate.board import kernels
from ttt_lib.ultimate.board.game import Ultimate

TOLD = ("name", "unit", "reference", "target", "note")


def rows(found: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    """What the rows say, without what was measured: of the notes, the first time in them."""
    told = [row | {"note": re.sub(r"[\d.]+ m?s\b", "", row["note"], count=1)} for row in found]
    return [tuple(row[key] for key in TOLD) for row in told]


def stored(begins: int, ends: int | None) -> list[tuple[str, ...]]:
    return rows(bench.read()["rows"][begins:ends])


def test_every_room_that_measures_is_in_the_table() -> None:
    """They are spelt out, not found by name, so that the table's record sees what it depends on."""
    library = Path(bench.__file__).parents[1]
    rooms = {path.parent.name for path in library.glob("*/bench.py")}
    assert {measure.split(".")[1] for measure in bench.MEASURES} == rooms


def test_a_ratio_is_ours_over_the_reference() -> None:
    assert bench.row("fast", 100.0, "slow", 4.0)["ratio"] == 25.0
    assert bench.row("fast", 100.0, "none", None)["ratio"] is None


def test_stored_ratios_are_those_of_the_stored_rates() -> None:
    for row in bench.read()["rows"]:
        if row["reference_rate"] is None:
            assert row["ratio"] is None, row["name"]
        else:
            assert row["ratio"] == pytest.approx(row["rate"] / row["reference_rate"]), row["name"]


def test_rows_of_the_game_time_the_match_that_they_name(monkeypatch: pytest.MonkeyPatch) -> None:
    timed: list[Callable[[], Any]] = []

    def rate(work: Callable[[], Any], *, units: int = 1) -> float:
        timed.append(work)
        return float(len(timed) * units)

    monkeypatch.setattr(bench, "rate", rate)
    found = bench.core()
    assert rows(found) == stored(0, 5)
    plain, floats, fractions, perfect = (work() for work in timed[:4])
    assert plain[0] == Fraction(737, 1260)
    assert fractions[0][0] == plain[0]
    assert floats[0][0] == pytest.approx(float(plain[0]))
    assert perfect[0][0] == Fraction(75257, 77760)
    assert [row["ratio"] for row in found] == [2.0, 3.0, 4.0, 6 / 5, 7 * 200_000 / 8]


def test_rows_of_the_documents_say_what_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is timed: only words, and the ratios of times that are given."""
    ultimate_table = store.read_table(ultimate_bench.TABLE)
    for room in (ising_bench, ultimate_bench):
        monkeypatch.setattr(room, "cpp_program", lambda name: nullcontext(Path(name)))
    monkeypatch.setattr(ising_bench, "best_rate", lambda *_, **__: 1.0)
    monkeypatch.setattr(ising_bench, "_printed_rate", lambda call: 1.0)
    monkeypatch.setattr(ntuple_bench, "ours", lambda orders: (1.0, None))
    monkeypatch.setattr(ntuple_bench, "cpp", lambda orders: ntuple_bench.Reference(2.0, orders))
    monkeypatch.setattr(ultimate_bench, "rate", lambda *_, **__: 1.0)
    monkeypatch.setattr(ultimate_bench, "_in_turn", lambda *jobs: [6.0, 3.0])
    monkeypatch.setattr(ultimate_bench, "_reference", lambda program, mode, n: (PERFT, 1.0))
    monkeypatch.setattr(ultimate_bench, "time_solver", lambda games: ultimate_table)
    ntuple, ising, ultimate = (
        room.measure() for room in (ntuple_bench, ising_bench, ultimate_bench)
    )
    assert rows([*ntuple, *ising, *ultimate]) == stored(5, None)
    assert ntuple[0]["ratio"] == 2.0
    assert [row["ratio"] for row in ultimate[2:4]] == [2.0, 2.0]
    assert [row["ratio"] for row in ultimate[-3:]] == pytest.approx([1.0] * 3)


PERFT = 4_020_960
"""Sequences of six moves from the empty board."""


def test_perft_of_another_engine_must_count_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ultimate_bench, "rate", lambda *_, **__: 1.0)
    monkeypatch.setattr(ultimate_bench, "_reference", lambda program, mode, n: (PERFT - 1, 1.0))
    with pytest.raises(RuntimeError, match=f"leaves, the reference {PERFT - 1}"):
        ultimate_bench._perft(Path("program"))


BITS = 88172645463325252
"""State of the generator with which the C++ program begins."""


def test_the_reference_for_ultimate_does_the_same_work() -> None:
    """The same games by the same random numbers, as its row says, and the same leaves."""
    state = Ultimate().initial()[0]
    with bench.cpp_program("ultimate") as program:
        if program is None:
            pytest.skip("no C++ compiler")

        def printed(mode: str, number: int) -> list[int]:
            run = subprocess.run(
                [program, mode, str(number)], capture_output=True, text=True, check=True
            )
            return [int(field) for field in run.stdout.split()[:-1]]

        assert (
            printed("playouts", 1000) == kernels.playouts(state, 1000, 0, np.uint64(BITS)).tolist()
        )
        assert printed("perft", 4) == [kernels.perft(state, 4, 0)]


def test_the_reference_for_tuples_learns_the_same() -> None:
    """After two epochs weights agree up to rounding: C++ may fuse products and sums."""
    size = len(ntuple_bench.positions(ntuple_bench.Patterns(Grid(3))).targets)
    orders = np.stack([np.random.default_rng(seed).permutation(size) for seed in (0, 1)])
    theirs = ntuple_bench.cpp(orders)
    if theirs is None:
        pytest.skip("no C++ compiler")
    assert np.abs(theirs.weights).max() > 0.01
    np.testing.assert_allclose(theirs.weights, ntuple_bench.ours(orders)[1], rtol=0, atol=1e-12)


def test_the_best_of_three_runs_of_a_reference_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reference is timed at its fastest, so that no ratio of ours is flattered."""
    seconds = iter(("0.5", "0.25", "1.0"))
    asked: list[list[str]] = []

    def run(command: list[Any], **_: Any) -> Any:
        asked.append([str(word) for word in command])
        return subprocess.CompletedProcess(command, 0, f"7 {next(seconds)}\n", "")

    monkeypatch.setattr(subprocess, "run", run)
    assert ultimate_bench._reference(Path("engine"), "perft", 6) == (7, 4.0)
    assert asked == [["engine", "perft", "6"]] * 3
    assert ultimate_bench._reference(None, "perft", 6) is None


def test_the_table_is_read_by_people() -> None:
    row = bench.row("fast thing", 1234.5, "slow thing", 4.0, unit="games/s", target=">= 10")
    text = bench.as_text({"rows": [row], "versions": {"python": "3"}, "machine": "m"})
    assert text.splitlines()[1].split() == [
        "fast", "thing", "1,234", "games/s", "308.6", "slow", "thing;", ">=", "10",
    ]  # fmt: skip
