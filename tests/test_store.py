"""Files that appear whole or not at all, and functions found by name."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

from ttt_lib.evidence import store
from ttt_lib.ising import runs
from ttt_lib.ntuple import runs as ntuple_runs
from ttt_lib.playout_mlp import study
from ttt_lib.ultimate.config import LARGE
from ttt_lib.ultimate.studies import eviction, gpu_training, width


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of three files; the functions that make them are below."""
    entry = 'about = "a"\nsource = "b"\nlicence = "c"\nmade_by = "{}"\nquick = {}\n'
    names = {"table.csv": "table", "text.txt": "text", "long.bin": "raw"}
    (tmp_path / "manifest.toml").write_text(
        "".join(
            f'["{file}"]\n' + entry.format(f"made_here:{function}", str(file[0] == "t").lower())
            for file, function in names.items()
        )
    )
    monkeypatch.setenv("TTT_DATA", str(tmp_path))
    module = ModuleType("made_here")
    vars(module).update(table=table, text=text, raw=raw)
    monkeypatch.setitem(sys.modules, "made_here", module)
    return tmp_path


def table() -> pd.DataFrame:
    return pd.DataFrame({"k": [1, 2], "share": [1 / 3, 1e-20], "name": ["a,b", "ü"]})


def text() -> str:
    return "é\n"


def raw() -> bytes:
    return b"\x00\xff"


# ---------------------------------------------------------------------------- writing


def test_write_replaces_and_leaves_nothing_beside(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file.txt"
    store.write_atomic(path, "one")
    store.write_atomic(path, b"two")
    assert path.read_bytes() == b"two"
    assert [p.name for p in path.parent.iterdir()] == ["file.txt"]


def test_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file.txt"
    store.write_atomic(path, "old")

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        store.write_atomic(path, "new")
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["file.txt"]


# ---------------------------------------------------------------------------- finding functions


def test_resolve() -> None:
    assert store.resolve("ttt_lib.evidence.store:csv_text") is store.csv_text


@pytest.mark.parametrize(
    "name",
    [
        "",
        "ttt_lib.evidence.store",
        "ttt_lib.evidence.store:",
        ":root",
        "ttt_lib.evidence.store:no",
        "no_such:f",
        "ttt_lib.evidence.claims:KINDS",
    ],
)
def test_resolve_refuses(name: str) -> None:
    with pytest.raises(ValueError, match="function"):
        store.resolve(name)


# ---------------------------------------------------------------------------- the manifest


@pytest.mark.usefixtures("data")
def test_a_table_text_or_bytes_are_made_as_declared(tmp_path: Path) -> None:
    made = [store.make(entry, tmp_path / "out") for entry in store.manifest()]
    assert [path.name for path in made] == ["table.csv", "text.txt", "long.bin"]
    assert made[0].read_text() == 'k,share,name\n1,0.333333333333,"a,b"\n2,1e-20,ü\n'
    assert made[1].read_bytes() == "é\n".encode()
    assert made[2].read_bytes() == b"\x00\xff"


@pytest.mark.usefixtures("data")
def test_long_runs_are_made_when_asked() -> None:
    assert store.makeable(quick_only=True) == ["table.csv", "text.txt"]
    assert store.makeable(quick_only=False) == ["table.csv", "text.txt", "long.bin"]


@pytest.mark.parametrize("here", [False, True])
def test_what_needs_a_gpu_is_made_where_there_is_one(
    data: Path, monkeypatch: pytest.MonkeyPatch, here: bool
) -> None:
    manifest = data / "manifest.toml"
    manifest.write_text(
        manifest.read_text().replace("quick = false", "quick = false\ngpu = true"), "utf-8"
    )
    monkeypatch.setattr("torch.cuda.is_available", lambda: here)
    assert store.without_gpu() == ([] if here else ["long.bin"])
    made = store.makeable(quick_only=False)
    assert made == ["table.csv", "text.txt", "long.bin"][: 3 if here else 2]


def test_read_table_or_say_how_to_make_it(data: Path) -> None:
    with pytest.raises(ValueError, match=r"python -m ttt_lib.evidence.reproduce --data table.csv"):
        store.read_table("table.csv")
    store.make(store.manifest()[0], data)
    read = store.read_table("table.csv")
    assert read["share"].to_numpy() == pytest.approx(np.array([1 / 3, 1e-20]), rel=1e-11)


def test_checksums(data: Path) -> None:
    for entry in store.manifest():
        store.make(entry, data)
    expected = hashlib.sha256((data / "text.txt").read_bytes()).hexdigest()
    lines = store.checksums(["text.txt", "table.csv"]).splitlines()
    assert [line.split("  ")[1] for line in lines] == ["table.csv", "text.txt"]
    assert lines[1] == f"{expected}  text.txt"


# ---------------------------------------------------------------------------- what is committed


@pytest.mark.parametrize("entry", store.manifest(), ids=lambda entry: entry.file)
def test_declared_file(entry: store.Stored) -> None:
    assert all((entry.about, entry.source, entry.licence))
    assert isinstance(entry.quick, bool)
    assert callable(store.resolve(entry.made_by))
    assert (store.data_dir() / entry.file).stat().st_size > 0
    assert entry.command.endswith(entry.file)


def test_checksums_are_those_of_the_files() -> None:
    path = store.data_dir() / "SHA256SUMS"
    if not path.exists():
        pytest.skip("not written yet: 'make reproduce' does")
    assert path.read_text() == store.checksums(entry.file for entry in store.manifest())


def test_changed_and_missing_files_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "data_dir", lambda: tmp_path)
    for name in ("a.csv", "b.csv", "c.csv"):
        (tmp_path / name).write_text(name)
    (tmp_path / "SHA256SUMS").write_text(store.checksums(["a.csv", "b.csv", "c.csv"]))
    assert store.changed() == []
    (tmp_path / "b.csv").write_text("other")
    (tmp_path / "c.csv").unlink()
    assert store.changed() == ["b.csv", "c.csv"]
    (tmp_path / "SHA256SUMS").unlink()  # then nothing can be said
    assert store.changed() == []


QUICK = [e for e in store.manifest() if e.quick and e.file.endswith(".csv")]
LONGEST = {"3x3 fine": ("3x3", 0.5, 1, 11)}
"""The one sweep of a million games, shortened; what makes it makes the other six, too."""


@pytest.mark.parametrize("entry", QUICK, ids=lambda entry: entry.file)
def test_a_quick_table_is_what_its_maker_gives_today(
    entry: store.Stored, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long runs have records of their code; these are rebuilt."""
    monkeypatch.setattr(runs, "PROGRAM_SWEEPS", runs.PROGRAM_SWEEPS | LONGEST)
    made, stored = (
        table[~table["sweep"].isin(LONGEST)].reset_index(drop=True) if "sweep" in table else table
        for table in (pd.read_csv(store.make(entry, tmp_path)), store.read_table(entry.file))
    )
    assert len(made) > 0
    pd.testing.assert_frame_equal(made, stored, rtol=1e-9, atol=1e-12)


# ---------------------------------------------------------------------------- sizes and sums


@pytest.mark.parametrize(
    ("file", "column", "wanted"),
    [
        ("ntuple_curves.csv", "seed", range(ntuple_runs.CURVES)),
        ("playout_mlp_seeds.csv", "seed", study.SEEDS),
        ("playout_mlp_copying.csv", "seed", study.COPYING_SEEDS),
        ("ultimate_training.csv", "iteration", range(1, LARGE.training.num_iterations + 1)),
    ],
)
def test_a_long_table_has_the_rows_that_its_maker_makes_today(
    file: str, column: str, wanted: range
) -> None:
    assert store.read_table(file)[column].tolist() == list(wanted)


def test_every_sweep_was_replayed_as_often_as_today() -> None:
    table = store.read_table("ising_program_fits.csv")
    for name in runs.PROGRAM_SWEEPS:
        assert table[table["sweep"] == name]["replay"].tolist() == list(range(runs.REPLAYS))


def test_no_position_took_more_nodes_than_are_allowed() -> None:
    assert store.read_table("ultimate_eviction.csv")["nodes"].max() <= eviction.BUDGET


@pytest.mark.parametrize("name", gpu_training.RUNS)
def test_networks_trained_on_a_gpu_were_kept_and_matched_as_today(name: str) -> None:
    rows = store.read_table(gpu_training.FILE).query("network == @name")
    played = [
        (seed, iteration, match.opponent, match.simulations, match.games)
        for seed in gpu_training.SEEDS
        for iteration in gpu_training.kept(name)
        for match in (
            gpu_training.ALONG,
            *(gpu_training.LAST.get(name, ()) if iteration == gpu_training.kept(name)[-1] else ()),
        )
    ]
    columns = ["seed", "iteration", "opponent", "simulations", "games"]
    assert list(rows[columns].itertuples(index=False, name=None)) == played


def test_networks_of_two_widths_were_matched_as_today() -> None:
    table = store.read_table(width.FILE)
    assert set(table["games"]) == {width.GAMES}
    assert tuple(table["seed"].unique()) == width.SEEDS


def test_the_window_holds_the_latest_samples() -> None:
    table = store.read_table("ultimate_training.csv")
    most = LARGE.training.replay_buffer_size
    assert table["window"].tolist() == table["samples"].cumsum().clip(upper=most).tolist()


def test_counts_of_answers_add_up_to_the_test_rows_and_the_accuracy() -> None:
    table = store.read_table("playout_mlp_seeds.csv")
    assert (table.filter(like="count_").sum(axis=1) == table["test_rows"]).all()
    right = table[["count_oo", "count_dd", "count_xx"]].sum(axis=1)
    # Accuracies are stored with six digits.
    assert (right / table["test_rows"]).to_numpy() == pytest.approx(table["accuracy"], abs=5.1e-7)


def test_ratios_of_the_benchmark_are_those_of_its_rates() -> None:
    rows = json.loads((store.data_dir() / "benchmark.json").read_text(encoding="utf-8"))["rows"]
    compared = [row for row in rows if row["ratio"] is not None]
    assert len(compared) > 9
    for row in compared:
        assert row["ratio"] == row["rate"] / row["reference_rate"], row["name"]
    assert all(row["reference_rate"] is None for row in rows if row not in compared)


@pytest.mark.parametrize(
    ("file", "digest"),
    [
        # Read off mhahsler/CS7320-AI, jdermont/tictactoe-ntuple and an archived program.
        (
            "published_elsewhere.csv",
            "ac3ebd683744ca5569ea70f71d26a3ad58da395212e456f22a07093a1ee14083",
        ),
        # Read off the figures of Rao-mi/Tic_Tac_Toe.
        (
            "ising_published_sweeps_digitised.json",
            "e670f147be73ee7f6d24274728c2c6ee24b7399b159365a05b8539ec3f17d6ee",
        ),
    ],
)
def test_what_was_read_off_by_hand_is_as_it_was_read(file: str, digest: str) -> None:
    """Nothing computes it: who corrects a reading looks at the source, and sets this again."""
    assert store.sha256(store.data_dir() / file) == digest
