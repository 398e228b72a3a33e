"""The dependencies of stored runs are recorded, and a part of each is recomputed."""

from __future__ import annotations

import inspect
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pandas as pd
import pytest

from ttt_lib.evidence import dependencies, provenance, store
from ttt_lib.evidence.provenance import Sample
from ttt_lib.ultimate.studies import probes

RUNS = provenance.long_runs()

# ---------------------------------------------------------------------------- what is reached

SOURCE = '''
"""A module."""
from typing import TYPE_CHECKING
from ttt_lib.evidence.store import csv_text
import numpy as np

if TYPE_CHECKING:
    from ttt_lib.game.board import Grid

LIMIT = 3
"""How many."""
SIZE = 5
LOW, HIGH = 1, 2


class Pair:
    def one(self) -> int:
        SIZE = 1  # hides the constant here, and in no other method
        return SIZE

    def other(self) -> int:
        return SIZE


def outer(n: int) -> int:
    """Say it."""
    found = inner(n)  # a comment
    return found + LIMIT + Pair().other()


def inner(k: int) -> int:
    return k * np.int64(LOW - HIGH)


def apart() -> str:
    return csv_text(f"table_{LIMIT}.csv")
'''


CACHED = (
    dependencies.module,
    dependencies._compared,
    dependencies.definition,
    dependencies.reached,
    dependencies._own,
)


def forget() -> None:
    for cached in CACHED:
        cached.cache_clear()


@pytest.fixture
def code() -> Iterator[None]:
    """Forget what was parsed, so that a test may change it."""
    yield
    forget()


def dependencies_of(
    monkeypatch: pytest.MonkeyPatch, source: str, function: str = "outer"
) -> dependencies.Dependencies:
    """What a function in a made-up module of the library depends on."""
    name, real = "ttt_lib.made_up", CACHED[0].__wrapped__
    forget()
    made_up = {name: dependencies.parse(name, source)}
    monkeypatch.setattr(dependencies, "module", lambda key: made_up.get(key) or real(key))
    return dependencies.dependencies(f"{name}:{function}", ["table_3.csv", "other.csv"])


@pytest.mark.usefixtures("code")
@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("# a comment", "# another one", True),
        ("LOW - HIGH", "HIGH - LOW", False),
        ("LOW, HIGH = 1, 2", "HIGH, LOW = 1, 2", False),
        ("import numpy as np", "import numpy.ma as np", False),
        ('"""Say it."""', '"""Say something else."""', True),
        ('"""How many."""', '"""So many."""', True),
        ('"""How many."""', "", True),
        ("if TYPE_CHECKING:\n    from ttt_lib.game.board import Grid\n", "", True),
        ("n: int", "n: float", True),
        ("inner", "innermost", True),
        ("found", "result", True),
        ("LIMIT", "MOST", True),
        ("csv_text(", "str(", True),
        ("Pair", "Couple", True),
        ("SIZE = 5", "SIZE = 6", False),
        ("SIZE = 1", "SIZE = 2", False),
        ("LIMIT = 3", "LIMIT = 4", False),
        ("k * np", "k + np", False),
        ("found + LIMIT", "found - LIMIT", False),
        ("np.int64", "np.int32", False),
    ],
)
def test_what_changes_the_dependencies(
    old: str, new: str, same: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert old in SOURCE
    before, after = (dependencies_of(monkeypatch, s) for s in (SOURCE, SOURCE.replace(old, new)))
    assert (before.code == after.code) is same
    assert before.files == ()


@pytest.mark.usefixtures("code")
def test_files_and_modules_that_are_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    found = dependencies_of(monkeypatch, SOURCE, "apart")
    assert found.files == ("table_3.csv",)
    assert set(found.modules) == {"ttt_lib.made_up", "ttt_lib.evidence.store"}
    assert set(dependencies_of(monkeypatch, SOURCE).modules) == {"ttt_lib.made_up"}
    with pytest.raises(ValueError, match=r"no definition 'ttt_lib\.made_up:nowhere'"):
        dependencies.dependencies("ttt_lib.made_up:nowhere")


def test_a_package_is_its_first_file() -> None:
    assert (
        dependencies.path_of("ttt_lib.game")
        == Path(dependencies.__file__).parents[1] / "game/__init__.py"
    )
    assert dependencies.path_of("ttt_lib.evidence.dependencies") == Path(dependencies.__file__)
    assert dependencies.path_of("ttt_lib.nowhere") is None


@pytest.mark.parametrize("file", ["ultimate_table.safetensors", "ultimate_strength.csv"])
def test_to_know_where_files_lie_is_not_to_stand_on_all_of_the_library(file: str) -> None:
    [entry] = [one for one in RUNS if one.file == file]
    modules = dependencies.dependencies(entry.made_by).modules
    assert "ttt_lib.evidence.store" in modules
    assert not {"ttt_lib.catalog", "ttt_lib.game.worst", "ttt_lib.ising.energy"} & modules.keys()


def test_a_makers_dependencies_reach_the_game() -> None:
    """Through functions, classes and constants of other modules; not what it never names."""
    [entry] = [one for one in RUNS if one.file == "ntuple_epochs.csv"]
    modules = dependencies.dependencies(entry.made_by).modules
    assert any(name.endswith(".gametree") for name in modules)
    assert not any("ultimate" in name or name.endswith(".figures") for name in modules)


# ---------------------------------------------------------------------------- records


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> store.Stored:
    """A data folder with one long run."""
    monkeypatch.setenv("TTT_DATA", str(tmp_path))
    (tmp_path / "manifest.toml").write_text(
        '["run.csv"]\nabout="a"\nsource="b"\nlicence="c"\nquick=false\n'
        'made_by="ttt_lib.evidence.store:csv_text"\ncheck="test_provenance:good"\n'
        'times=["seconds"]\n'
    )
    (tmp_path / "run.csv").write_text("k,v,seconds\n1,0.5,9\n")
    [entry] = provenance.long_runs()
    return entry


def good() -> Sample:
    table = pd.DataFrame({"k": [1], "v": [0.5], "seconds": [8]})
    return Sample(table, store.read_table("run.csv"), 0.25)


def wrong() -> Sample:
    table = pd.DataFrame({"k": [1], "v": [0.6], "seconds": [8]})
    return Sample(table, store.read_table("run.csv"), 0.25)


def test_a_run_that_was_just_made_is_current(data: store.Stored) -> None:
    assert provenance.statuses()[0].state == "unrecorded"
    provenance.write({data.file: provenance.record(data, 90.0), "no run": {}})
    [found] = provenance.statuses()
    assert (found.state, found.minutes) == ("current", 1.5)
    made = provenance.records()[data.file]["made"]
    assert made["versions"]["numpy"]
    assert made["processor"]
    assert len(made["date"]) == 10


NOT_NOTED = {"joblib", "networkx", "pyspiel", "safetensors", "tqdm"}
"""Libraries that share out work, hold graphs, play as an opponent, store or show progress."""


def test_every_library_that_computes_in_stored_runs_has_its_version_noted() -> None:
    modules = {name for one in provenance.records().values() for name in one["modules"]}
    sources = (Path(store.root(), *name.split(".")).with_suffix(".py") for name in modules)
    text = "\n".join(path.read_text("utf-8") for path in sources if path.exists())
    line = r"^ *(?:import (\w+)(?:\.\w+)*(?: as \w+)?|from (\w+)(?:\.\w+)* import .*)$"
    named = {one or other for one, other in re.findall(line, text, re.MULTILINE)}
    others = named - {*sys.stdlib_module_names, "ttt_lib"} - NOT_NOTED
    noted = {{"scikit-learn": "sklearn"}.get(name, name) for name in provenance.LIBRARIES}
    assert noted == others
    versions = provenance.machine()["versions"]
    assert versions["torch"] == version("torch")


def test_a_processor_is_told_with_its_widest_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    for flags, told in (("avx2 avx512f", ", AVX-512"), ("avx avx2", ", AVX2"), ("avx", "")):
        text = f"processor\t: 0\nmodel name\t: Some CPU\nflags\t\t: fpu {flags}\n"
        monkeypatch.setattr(Path, "exists", lambda self: True)
        monkeypatch.setattr(Path, "read_text", lambda self, text=text, **_: text)
        assert provenance._processor() == f"Some CPU{told}"


def test_what_is_made_anew_is_recorded(data: store.Stored, monkeypatch: pytest.MonkeyPatch) -> None:
    """If it is a long run, which is made when it is named, or with all of them."""
    folder = store.data_dir()
    monkeypatch.setattr(store, "resolve", lambda name: lambda: good().found)
    assert provenance.rebuild(None, folder) == []
    assert provenance.records() == {}
    for names in ([data.file], None):
        provenance.write({})
        assert provenance.rebuild(names, folder, quick_only=False) == [folder / data.file]
        assert provenance.statuses()[0].state == "current"


def test_runs_come_after_those_they_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that none is made that becomes stale again; names of both ways are no dead end."""
    reads = {"a": ["d", "b"], "b": [], "c": ["quick"], "d": ["f"], "e": ["f"], "f": ["e"],
             "quick": ["d"]}  # fmt: skip
    entries = [replace(RUNS[0], file=file, made_by=file) for file in reads]
    monkeypatch.setattr(store, "manifest", lambda: entries)
    found = {file: dependencies.Dependencies("", {}, tuple(files)) for file, files in reads.items()}
    monkeypatch.setattr(provenance, "dependencies", lambda name, _: found[name])
    assert provenance.by_need(["a", "b", "c", "d", "e"]) == ["e", "d", "b", "a", "c"]
    assert provenance.by_need(["b", "c"]) == ["b", "c"]
    assert provenance.by_need(["f", "e"]) == provenance.by_need(["e", "f"])
    with pytest.raises(KeyError, match="'g'"):
        provenance.by_need(["a", "g"])


def test_the_teacher_comes_before_the_table_net_that_learns_from_its_games() -> None:
    """Their makers reach each other's names; the net needs the teacher, not the other way round."""
    files = ["ultimate_teacher.safetensors", "ultimate_table.safetensors"]
    assert provenance.by_need(files) == provenance.by_need(files[::-1]) == files


def test_the_stored_runs_are_listed_after_those_they_read() -> None:
    files = [one.file for one in provenance.ordered()]
    assert sorted(files) == sorted(entry.file for entry in RUNS)
    reads = {entry.file: provenance.basis(entry)["inputs"] for entry in RUNS}
    late = [
        (file, other)
        for place, file in enumerate(files)
        for other in reads[file]
        if other in files[place:] and file not in reads[other]
    ]
    assert not late


def test_other_code_makes_it_stale_and_a_sample_confirms_it(data: store.Stored) -> None:
    old = provenance.record(data, 90.0)
    old |= {"code": "0", "modules": old["modules"] | {"ttt_lib.evidence.store": "0"}}
    provenance.write({data.file: old})
    [found] = provenance.statuses()
    assert (found.state, found.why) == ("stale", "ttt_lib.evidence.store")
    assert "run.csv: stale: ttt_lib.evidence.store" in provenance.as_text([found])
    assert "(about 1.5 minutes)" in provenance.as_text([found])
    assert provenance.main([]) == 0
    assert provenance.main(["--confirm", data.file]) == 0
    assert provenance.statuses()[0].state == "checked"


@pytest.mark.parametrize("entry", [run for run in RUNS if run.check], ids=lambda run: run.file)
def test_no_sample_seeds_its_games_itself(entry: store.Stored) -> None:
    """Seeds come from what the maker calls, too: else a maker with others would be confirmed."""
    sample = store.resolve(entry.check)
    text = inspect.getsource(getattr(sample, "func", sample))
    assert re.search(r"np\.random|SeedSequence|\brng=", text) is None


def test_a_sample_does_not_vouch_for_code_that_it_sees_nothing_of(data: store.Stored) -> None:
    """It comes out as stored, but a GPU would run other code than it did."""
    path, module = store.data_dir() / "manifest.toml", "ttt_lib.evidence.store"
    old = provenance.record(data, 90.0) | {"code": "0"}
    path.write_text(path.read_text() + f'unseen=["{module}"]\n')
    provenance.write({data.file: old})
    assert provenance.confirm([data.file]) == []
    assert provenance.statuses()[0].state == "checked"
    confirmed = provenance.records()[data.file]
    confirmed |= {"modules": confirmed["modules"] | {module: "0"}}
    provenance.write({data.file: confirmed})
    [found] = provenance.statuses()
    assert (found.state, found.why) == ("stale", module)
    assert provenance.confirm([data.file]) == [f"{data.file}: its sample sees nothing of {module}"]
    assert provenance.records()[data.file] == confirmed


def test_a_whole_run_vouches_for_what_its_sample_does_not_see(
    data: store.Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, module = store.data_dir() / "manifest.toml", "ttt_lib.evidence.store"
    path.write_text(path.read_text() + f'unseen=["{module}"]\n')
    old = provenance.record(data, 90.0)
    provenance.write({data.file: old | {"code": "0", "modules": old["modules"] | {module: "0"}}})
    assert provenance.statuses()[0].state == "stale"
    monkeypatch.setattr(store, "resolve", lambda name: lambda: good().found)
    assert provenance.repeat([data.file]) == []
    assert provenance.statuses()[0].state == "checked"


def test_a_run_without_a_record_has_no_code_that_its_sample_need_not_see(
    data: store.Stored,
) -> None:
    path, module = store.data_dir() / "manifest.toml", "ttt_lib.evidence.store"
    path.write_text(path.read_text() + f'unseen=["{module}"]\n')
    assert provenance.confirm([data.file]) == [f"{data.file}: its sample sees nothing of {module}"]
    assert provenance.records() == {}


GRAPHS = "ttt_lib.ultimate.learn.graphs"


@pytest.mark.parametrize("entry", [one for one in RUNS if one.gpu], ids=lambda one: one.file)
def test_samples_of_runs_on_a_gpu_say_what_they_do_not_see(entry: store.Stored) -> None:
    """Graphs above all, where the file hangs on them: a table net beside them learned on a CPU."""
    modules = set(provenance.records()[entry.file]["modules"])
    assert entry.check
    assert set(entry.unseen) <= modules
    assert (GRAPHS in entry.unseen) is not entry.file.endswith("_table.safetensors")


def test_only_runs_on_a_gpu_have_code_that_no_sample_sees() -> None:
    assert all(one.gpu for one in RUNS if one.unseen)


def test_a_sample_foretells_the_time_of_its_run(
    data: store.Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the record has no time: 4.8 seconds for a quarter of it are 19.2 for all."""
    clock = iter([10.0, 14.8])
    monkeypatch.setattr(provenance.time, "process_time", lambda: next(clock))
    assert provenance.confirm([]) == [], "no sample is computed that nobody asked for"
    assert provenance.records() == {}
    assert provenance.confirm([data.file]) == []
    [found] = provenance.statuses()
    assert (found.state, found.minutes) == ("checked", 0.32)


def test_the_status_counts_the_runs_in_each_state(data: store.Stored) -> None:
    """After a line for each that today's code isn't known to give."""
    states = ["current", "stale", "checked", "stale", "current", "unrecorded", "current"]
    found = [provenance.Status(f"{i}", it, "", None, "make") for i, it in enumerate(states)]
    *lines, total = provenance.as_text(found).splitlines()
    assert total.startswith("7 long runs: 3 current, 1 checked, 2 stale, 1 unrecorded; 0 repeated")
    assert [line.split(":")[0] for line in lines[::2]] == ["1", "3", "5"]


def test_another_input_makes_it_stale(data: store.Stored, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether today's code made it or a sample of it was checked: both read the file as it was."""
    basis = provenance.basis(data)
    for read in ({"net.npz": "new"}, {}):
        monkeypatch.setattr(provenance, "basis", lambda entry: basis | {"inputs": {"net.npz": "x"}})
        made = provenance.record(data, 90.0)
        checked = made | {"code": "0", "checked": {"code": made["code"], "inputs": made["inputs"]}}
        monkeypatch.setattr(provenance, "basis", lambda entry, read=read: basis | {"inputs": read})
        for old in (made, checked):
            assert provenance.status(data, old).state == "stale"


def test_a_sample_that_differs_is_no_confirmation(
    data: store.Stored, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = store.data_dir() / "manifest.toml"
    path.write_text(path.read_text().replace("good", "wrong"))
    assert provenance.main(["--confirm"]) == 1
    assert "run.csv: v: " in capsys.readouterr().out
    assert provenance.records() == {}


def test_a_sample_does_not_vouch_for_a_file_that_was_changed(data: store.Stored) -> None:
    """Its own row is as it was; the one that was changed lies outside it."""
    (store.data_dir() / "manifest.toml").write_text(
        (store.data_dir() / "manifest.toml").read_text().replace("good", "first_row")
    )
    path = store.data_dir() / data.file
    path.write_text("k,v,seconds\n1,0.5,9\n2,0.7,9\n")
    provenance.put(data.file, provenance.record(data, 90.0))
    old = provenance.records()
    assert provenance.confirm([data.file]) == []
    confirmed = provenance.records()
    assert confirmed[data.file]["sha256"] == old[data.file]["sha256"]
    path.write_text("k,v,seconds\n1,0.5,9\n2,0.8,9\n")
    told = "run.csv: the file was changed since it was recorded: use --repeat"
    assert provenance.confirm([data.file]) == [told]
    assert provenance.records() == confirmed
    assert provenance.statuses()[0].state == "unrecorded"


def first_row() -> Sample:
    table = pd.DataFrame({"k": [1], "v": [0.5], "seconds": [8]})
    return Sample(table, store.read_table("run.csv").head(1), 0.5)


@pytest.mark.parametrize("value", [0.5, 0.6])
@pytest.mark.parametrize("known", [True, False])
def test_a_run_that_is_made_anew_and_comes_out_the_same_is_repeated(
    data: store.Stored, monkeypatch: pytest.MonkeyPatch, value: float, known: bool
) -> None:
    """Its times may differ; what it is compared with must be what was recorded."""
    (store.data_dir() / data.file).write_text(f"k,v,seconds\n1,{value},9\n")
    if known:
        provenance.put(data.file, provenance.record(data, 90.0))
    monkeypatch.setattr(store, "resolve", lambda name: lambda: good().found)
    provenance.rebuild([data.file], store.data_dir(), quick_only=False)
    found = provenance.records()[data.file]
    assert ("repeated" in found) is (known and value == 0.5)
    assert provenance.statuses()[0].state == "current"


@pytest.mark.parametrize("elsewhere", [True, False])
def test_a_repetition_on_another_processor_stays_noted(
    data: store.Stored, monkeypatch: pytest.MonkeyPatch, elsewhere: bool
) -> None:
    note = provenance.seen(provenance.basis(data)) | {"date": "2026-01-01"}
    note |= {"processor": "another"} if elsewhere else {}
    provenance.put(data.file, provenance.record(data, 90.0) | {"repeated": note})
    monkeypatch.setattr(store, "resolve", lambda name: lambda: good().found)
    provenance.rebuild([data.file], store.data_dir(), quick_only=False)
    assert (provenance.records()[data.file]["repeated"] == note) is elsewhere


def test_a_table_of_nothing_but_times_is_never_repeated(
    data: store.Stored, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nor does a command compare it with itself: both name the one that regenerates it."""
    path = store.data_dir() / "manifest.toml"
    path.write_text(re.sub("check=.*", 'unchecked="times only: others"', path.read_text()))
    provenance.put(data.file, provenance.record(data, 90.0))
    monkeypatch.setattr(store, "resolve", lambda name: lambda: good().found)
    provenance.rebuild([data.file], store.data_dir(), quick_only=False)
    before = provenance.records()
    assert "repeated" not in before[data.file]
    told = {"--confirm": "no sample to recompute", "--repeat": "can't be compared"}
    for how, why in told.items():
        assert provenance.main([how, data.file]) == 2
        assert f"{why} (times only: others): regenerate it by {data.command}" in (
            capsys.readouterr().err
        )
    assert provenance.repeat([data.file]) == []
    assert provenance.records() == before


@pytest.mark.parametrize("timed", [False, True])
def test_a_changed_file_that_a_whole_run_gives_is_the_recorded_one_again(
    data: store.Stored, monkeypatch: pytest.MonkeyPatch, timed: bool
) -> None:
    """Unless it has measured times, of which another run tells nothing."""
    path = store.data_dir() / "manifest.toml"
    path.write_text(path.read_text().replace('times=["seconds"]', 'times=["seconds"]' * timed))
    monkeypatch.setattr(store, "resolve", lambda name: lambda: good().found)
    provenance.put(data.file, provenance.record(data, 90.0))
    (store.data_dir() / data.file).write_text("k,v,seconds\n1,0.5,8\n")
    assert provenance.repeat([data.file]) == []
    assert provenance.statuses()[0].state == ("unrecorded" if timed else "current")


def test_a_run_without_a_sample_is_not_confirmed_in_silence(
    data: store.Stored, capsys: pytest.CaptureFixture[str]
) -> None:
    path = store.data_dir() / "manifest.toml"
    path.write_text(re.sub("check=.*", 'unchecked="it takes a day"', path.read_text()))
    assert provenance.main(["--confirm", data.file]) == 2
    told = capsys.readouterr().err
    assert "run.csv has no sample to recompute (it takes a day): use --repeat" in told
    assert provenance.main(["--confirm"]) == 0


def test_a_whole_run_that_comes_out_the_same_is_noted(
    data: store.Stored, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its times aside; of one that does not it is told what differs, and the stored one stays."""
    path = store.data_dir() / data.file
    stored = path.read_bytes()
    monkeypatch.setattr(store, "resolve", lambda name: lambda: good().found)
    assert provenance.main(["--repeat", data.file]) == 1
    assert "run.csv: no record" in capsys.readouterr().out
    provenance.write({data.file: provenance.record(data, 90.0)})
    assert provenance.main(["--repeat", data.file]) == 0
    assert "; 1 repeated" in capsys.readouterr().out
    assert {"date", "processor", "code"} < set(provenance.records()[data.file]["repeated"])
    known = provenance.records()
    provenance.write({data.file: known[data.file] | {"code": "made by other code"}})
    [status] = provenance.statuses()
    assert status.state == "checked"
    note = known[data.file]["repeated"] | {"code": "also other"}
    provenance.write({data.file: known[data.file] | {"code": "other", "repeated": note}})
    [status] = provenance.statuses()
    assert status.state == "stale"
    provenance.write(known)
    provenance.write({data.file: provenance.record(data, 90.0)})
    monkeypatch.setattr(store, "resolve", lambda name: lambda: wrong().found)
    assert provenance.main(["--repeat", data.file]) == 1
    told = capsys.readouterr().out
    assert "run.csv: numbers up to 0.2" in told
    assert "; 0 repeated" in told
    assert path.read_bytes() == stored


def test_the_record_of_one_file_leaves_the_others(
    data: store.Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = replace(data, file="other.csv")
    monkeypatch.setattr(provenance, "long_runs", lambda: [data, other])
    one = provenance.record(data, 1.0)
    provenance.put(data.file, one)
    provenance.put(other.file, one | {"code": "0"})
    assert provenance.records() == {data.file: one, other.file: one | {"code": "0"}}


def test_records_of_a_staging_folder_are_put_beside_those_that_others_stored(
    tmp_path: Path,
) -> None:
    """Of a run made anew its new record counts, and of one that is as it was the others'."""
    one = {field: {} for field in provenance.FIELDS} | {"made": {"seconds": 1}}
    two, three = one | {"code": "2"}, one | {"code": "3"}
    path = Path("data", provenance.FILE)
    before = {"anew.csv": one, "theirs.csv": one, "both.csv": one}
    staged = {"anew.csv": two, "theirs.csv": one, "both.csv": two, "first.csv": two}
    stored = {"anew.csv": one, "theirs.csv": three, "both.csv": three, "new.csv": three}
    merged = {"anew.csv": two, "theirs.csv": three, "both.csv": two, "first.csv": two,
              "new.csv": three}  # fmt: skip
    folder, root = tmp_path / "staged", tmp_path / "stored"
    for place, records in ((folder, staged), (root, stored)):
        (place / "data").mkdir(parents=True)
        (place / path).write_text(json.dumps(records))
    old = {path: json.dumps(before).encode(), Path("x"): b""}
    assert provenance.merge(folder, root, old) == {
        path: json.dumps(stored).encode(),
        Path("x"): b"",
    }
    assert json.loads((folder / path).read_text()) == merged


@pytest.mark.parametrize("entry", [one for one in RUNS if one.times], ids=lambda one: one.file)
def test_times_are_columns_or_quantities(entry: store.Stored) -> None:
    table = store.read_table(entry.file)
    assert set(entry.times) <= {*table.columns, *table.get("quantity", ())}


@pytest.mark.usefixtures("data")
def test_recomputed_rows_lie_beside_the_stored_ones_of_the_same_name(tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_text("k,b,v\n1,0.1,5\n1,0.3,6\n2,0.3,7\n1,0.3,8\n")
    third = 0.1 + 0.2  # not quite what 0.3 is
    lists = provenance.beside("run.csv", [[1, third, 6], [1, third, 8]], "k", "b")
    assert lists.stored["v"].tolist() == [6, 8]
    assert (provenance.differences(lists), lists.share) == ([], 0.5)
    dicts = provenance.beside("run.csv", [{"k": 2, "b": 0.3, "v": 7}], "k", share=0)
    assert (provenance.differences(dicts), dicts.share) == ([], 0)
    assert provenance.differences(provenance.beside("run.csv", [[1, 0.3, 6]], "k", "b"))
    more = [{"k": 2, "b": 0.3, "v": 7, "new": 0}]
    assert provenance.differences(provenance.beside("run.csv", more, "k"))
    twice = [[1, third, 6], [1, 0.3, 8]]  # two ways to one key
    assert provenance.differences(provenance.beside("run.csv", twice, "k", "b")) == []
    unlike = ({"key": 2, "b": 0.3, "v": 7}, {"k": "two", "b": 0.3, "v": 7})
    assert all(provenance.differences(provenance.beside("run.csv", [row], "k")) for row in unlike)


def test_rows_of_measured_times_are_not_compared() -> None:
    def measured(seconds: float, share: float) -> pd.DataFrame:
        return pd.DataFrame({"quantity": ["seconds", "share"], "value": [seconds, share]})

    stored = measured(2.0, 0.5)
    assert provenance.differences(Sample(measured(3.0, 0.5), stored), ["seconds"]) == []
    assert provenance.differences(Sample(measured(2.0, 0.4), stored), ["seconds"])
    assert provenance.differences(Sample(measured(3.0, 0.5), stored))


@pytest.mark.parametrize(
    ("found", "stored", "alike"),
    [
        ([0.5], [0.5], True),
        ([0.5 * (1 + 1e-10)], [0.5], True),
        ([0.5 * (1 + 1e-8)], [0.5], False),
        ([0.5, 0.0], [0.5, 1e-13], True),
        ([0.5, 0.0], [0.5, 1e-11], False),
        ([], [], False),
        ([0.5, 0.5], [0.5], False),
    ],
)
def test_a_part_is_the_same_to_nine_digits(
    found: list[float], stored: list[float], alike: bool
) -> None:
    """And no part at all confirms nothing."""
    tables = (pd.DataFrame({"v": values}, dtype=float) for values in (found, stored))
    assert (provenance.differences(Sample(*tables)) == []) is alike


def test_an_edited_file_is_not_the_recorded_one(data: store.Stored) -> None:
    provenance.write({data.file: provenance.record(data, 1.0)})
    (store.data_dir() / data.file).write_text("k,v,seconds\n1,0.4,9\n")
    assert provenance.statuses()[0].state == "unrecorded"


@pytest.mark.parametrize(
    "gone", [*provenance.FIELDS, "seconds", *(f"inputs of {note}" for note in provenance.NOTES)]
)
def test_a_record_that_lacks_a_field_is_damaged(data: store.Stored, gone: str) -> None:
    whole = provenance.record(data, 1.0)
    whole |= {note: provenance.seen(whole) for note in provenance.NOTES}
    provenance.write({data.file: whole})
    assert provenance.records()[data.file] == whole
    field, _, note = gone.partition(" of ")
    del (whole[note] if note else whole["made"] if field == "seconds" else whole)[field]
    provenance.write({data.file: whole})
    with pytest.raises(ValueError, match=r"provenance\.json can't be read: it needs records with"):
        provenance.records()


def test_an_input_that_changed_is_named() -> None:
    past = {"modules": {"a": "1"}, "inputs": {"net.npz": "x"}}
    assert provenance.changed(past, {"modules": {"b": "1"}, "inputs": {"net.npz": "y"}}) == (
        "net.npz"
    )
    assert provenance.changed(past, {"modules": {"b": "2"}, "inputs": {"net.npz": "x"}}) == "b"


def test_status_as_json(data: store.Stored, capsys: pytest.CaptureFixture[str]) -> None:
    assert provenance.main(["--json"]) == 0
    [run] = json.loads(capsys.readouterr().out)["runs"]
    assert run["file"] == "run.csv"
    assert run["command"].endswith("--data run.csv")
    assert provenance.main(["--confirm", "other.csv"]) == 2


# ---------------------------------------------------------------------------- what is stored


@pytest.mark.parametrize("entry", RUNS, ids=lambda entry: entry.file)
def test_every_long_run_has_a_record_and_a_sample_or_says_why_not(entry: store.Stored) -> None:
    assert bool(entry.check) != bool(entry.unchecked)
    record = provenance.records()[entry.file]
    assert record["sha256"] == provenance.sha256(entry.file), "edited: make it, or repeat it"
    if entry.check:
        assert callable(store.resolve(entry.check))
        assert dependencies.dependencies(entry.check, [entry.file]).files, (
            "a sample of something else"
        )
    else:
        assert len(entry.unchecked.split()) >= 5
        for name in re.findall(r"test_\w+\.py", entry.unchecked):
            assert (Path(__file__).parent / name).is_file()


def test_every_long_run_has_a_status() -> None:
    """With a sample or without."""
    declared = tomllib.loads((store.data_dir() / "manifest.toml").read_text(encoding="utf-8"))
    long = [file for file, entry in declared.items() if not entry["quick"]]
    assert [one.file for one in provenance.statuses()] == long


def test_no_run_depends_on_other_code_than_todays() -> None:
    """Who changes what a long run depends on rebuilds it, or confirms a part of it."""
    assert not [one for one in provenance.statuses() if one.state not in ("current", "checked")]


SAMPLED = [entry for entry in RUNS if entry.check]


def test_no_two_runs_have_the_same_sample() -> None:
    assert len({entry.check for entry in SAMPLED}) == len(SAMPLED)


class Read(pd.DataFrame):
    """A table that was read from the stored data, and any part of it."""

    @property
    def _constructor(self) -> type[Read]:
        return Read


@pytest.mark.parametrize("entry", SAMPLED, ids=lambda entry: entry.file)
def test_a_part_of_the_run_comes_out_as_stored(
    entry: store.Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And it is computed: stored rows beside stored rows would always agree."""
    read_table = store.read_table
    monkeypatch.setattr(store, "read_table", lambda file: Read(read_table(file)))
    found: Sample = store.resolve(entry.check)()
    assert provenance.differences(found, entry.times) == []
    assert not isinstance(found.found, Read)
    if "digest" in found.stored and entry.file != probes.FILE:  # it names the run it is a probe of
        assert isinstance(found.stored, Read)
        assert set(found.stored["file"]) == {entry.file}
    elif entry.file.endswith(".csv"):
        assert isinstance(found.stored, Read)
        assert set(found.stored.columns) <= set(read_table(entry.file).columns), "of another run"
