"""codecheck.yml and the RO-Crate list every output with the checksum it has."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import yaml

from ttt_lib.evidence import crate, store

ROOT = store.root()
PATHS = [one.path for one in crate.outputs(ROOT)]


def listed(root: Path) -> set[tuple[str, str]]:
    """Every output that a folder's RO-Crate lists, with its checksum."""
    graph = json.loads((root / crate.CRATE).read_text(encoding="utf-8"))["@graph"]
    return {(one["@id"], one["sha256"]) for one in graph if "sha256" in one}


def test_every_output_is_what_is_listed() -> None:
    """Any changed digit, picture or output of a notebook ends here."""
    today = {(path, store.sha256(ROOT / path)) for path in PATHS}
    differing = sorted({path for path, _ in listed(ROOT) ^ today})
    assert differing == [], "run make reproduce, or python -m ttt_lib.evidence.crate"


def test_every_file_of_the_folders_is_an_output_or_an_input() -> None:
    inputs = {"manifest.toml", *(path.name for path in (ROOT / "data/claims").glob("*.toml"))}
    files = [path for name in ("data", "figures") for path in (ROOT / name).rglob("*")]
    found = {str(path.relative_to(ROOT)) for path in files if path.is_file()}
    assert {path for path in found if Path(path).name not in inputs} == {
        path for path in PATHS if not path.startswith("notebooks")
    }


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the checkout's outputs."""
    for name in (*PATHS, crate.CRATE, crate.CODECHECK):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_what_has_changed_is_listed_anew(copied: Path) -> None:
    figures = [path for path in PATHS if path.endswith(".svg")]
    first, second = (copied / path for path in figures[:2])
    shutil.copy(first, second)
    table = copied / "data/probabilities.csv"
    table.write_text(table.read_text().replace("1", "2", 1))
    crate.write([copied], copied)
    differing = {path for path, _ in listed(ROOT) ^ listed(copied)}
    assert differing == {figures[1], "data/probabilities.csv"}
    codechecks = ((root / crate.CODECHECK).read_text() for root in (ROOT, copied))
    assert sum(a != b for a, b in zip(*map(str.splitlines, codechecks), strict=True)) == 2


def test_what_is_made_anew_is_looked_for_first(tmp_path: Path) -> None:
    """Before it is in place: in the first folder given, and all else in the last."""
    name = "data/probabilities.csv"
    made = tmp_path / name
    made.parent.mkdir()
    made.write_text("made anew")
    crate.write([tmp_path, ROOT], tmp_path)
    assert (name, store.sha256(made)) in listed(tmp_path)
    assert store.sha256(made) in (tmp_path / crate.CODECHECK).read_text()


def test_a_figure_that_is_not_drawn_yet_is_left_out(copied: Path) -> None:
    [drawing, *_] = [path for path in PATHS if path.endswith(".svg")]
    files = [path for path in PATHS if Path(path).stem == Path(drawing).stem]
    for path in files:
        (copied / path).unlink()
    crate.write([copied], copied)
    assert {path for path, _ in listed(ROOT) ^ listed(copied)} == {*files}
    assert len(files) > 1


@pytest.mark.parametrize("lost", ["data/probabilities.csv", "figures/scorecard.svg"])
def test_a_file_that_is_lost_is_missed(copied: Path, lost: str) -> None:
    (copied / lost).unlink()
    with pytest.raises(FileNotFoundError):
        crate.write([copied], copied)


def test_written_anew_it_is_the_same(copied: Path) -> None:
    crate.write([copied], copied)
    for name in (crate.CRATE, crate.CODECHECK):
        assert (copied / name).read_bytes() == (ROOT / name).read_bytes()


def test_codecheck_is_as_its_specification_wants() -> None:
    found = yaml.safe_load((ROOT / crate.CODECHECK).read_text(encoding="utf-8"))
    assert found["version"] == "https://codecheck.org.uk/spec/config/1.0/"
    assert [one["file"] for one in found["manifest"]] == PATHS
    assert all("sha256" in one["comment"] for one in found["manifest"])
    assert found["codechecker"] == []


def test_the_crate_reads_back() -> None:
    from rocrate.rocrate import ROCrate

    found = ROCrate(ROOT)
    files = {one.id: one for one in found.data_entities}
    assert set(PATHS) <= set(files)
    graph = json.loads((ROOT / crate.CRATE).read_text(encoding="utf-8"))["@graph"]
    actions = [one for one in graph if one["@type"] == "CreateAction"]
    made = [file["@id"] for one in actions for file in _many(one["result"])]
    assert sorted(made) == PATHS, "every output is made by one command"


def _many(found: object) -> list[dict[str, str]]:
    return found if isinstance(found, list) else [found]  # type: ignore[list-item]
