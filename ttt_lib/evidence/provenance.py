"""Dependencies of each stored long run, and whether they changed: ``make status``, ``ttt data``.

``data/provenance.json`` keeps a record for every long run: the fingerprint of all that its maker
can reach in the library (:mod:`ttt_lib.evidence.dependencies`), the stored files it read, versions,
processor, date and seconds.  A run whose maker reaches other definitions today is stale, unless a
sample of it, or all of it, was rebuilt since and came out the same: then it is *checked*.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import platform
import sys
import tempfile
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from ttt_lib.evidence import store
from ttt_lib.evidence.changes import describe
from ttt_lib.evidence.command import Parser, run_command
from ttt_lib.evidence.dependencies import dependencies
from ttt_lib.evidence.staging import Contents, exclusive

FILE = "provenance.json"
LIBRARIES = ("numpy", "scipy", "numba", "pandas", "scikit-learn", "torch")
VECTORS = {"avx512f": "AVX-512", "avx2": "AVX2"}
"""Names of vector instructions by the system's flags, the widest first."""
STATES = ("current", "checked", "stale", "unrecorded")
FIELDS = ("sha256", "made", "code", "modules", "inputs")
"""What every record has."""
NOTES = ("checked", "repeated")
"""What a record may have besides."""

Record = dict[str, Any]


class Sample(NamedTuple):
    """A part of a long run, recomputed, beside the same part as it is stored.

    Attributes
    ----------
    found, stored : DataFrame
        The recomputed and the stored rows.
    share : float
        How much of the run's work this was; 0 where it tells nothing about the time.
    """

    found: pd.DataFrame
    stored: pd.DataFrame
    share: float = 0.0


def beside(file: str, rows: Any, *by: str, share: float | None = None) -> Sample:
    """Recomputed rows beside the stored ones that are equal to them in some columns.

    Parameters
    ----------
    rows : DataFrame or sequence
        Of dicts, or of lists in the order of the table's columns.
    by : str
        Columns that tell which rows were recomputed.
    share : float or None
        Of the run's work; None: that of the rows.
    """
    table, found = store.read_table(file), pd.DataFrame(rows)
    if 0 in found.columns:  # rows of lists
        found.columns = table.columns
    try:
        stored = table.merge(found[[*by]].round(12).drop_duplicates())
    except (KeyError, ValueError):  # a key is missing, or of another kind: nothing is beside
        stored = table.iloc[:0]
    return Sample(found, stored, len(found) / len(table) if share is None else share)


@dataclass(frozen=True)
class Status:
    """How a long run stands today.

    Attributes
    ----------
    state : str
        ``current``: today's code made it; ``checked``: a sample, or all of it, was rebuilt by it;
        ``stale``: the code, or a file that it reads, has changed; ``unrecorded``.
    why : str
        What changed.
    minutes : float or None
        Expected minutes of a new run, as recorded, or extrapolated from the sample.
    command : str
        What rebuilds the file.
    """

    file: str
    state: str
    why: str
    minutes: float | None
    command: str


# ---------------------------------------------------------------------------- records


def long_runs() -> list[store.Stored]:
    """The declared files that only ``make full`` rebuilds."""
    return [entry for entry in store.manifest() if not entry.quick]


def records() -> dict[str, Record]:
    """The stored records by file; none before the first.

    Raises
    ------
    ValueError
        If the file is damaged.
    """
    return _read(store.data_dir() / FILE)


def _read(path: Path) -> dict[str, Record]:
    if not path.exists():
        return {}
    needs = f"records with {', '.join(FIELDS)}"
    found: dict[str, Record] = store.read_json(path, _are_records, needs)
    return found


def _are_records(stored: Any) -> bool:
    return isinstance(stored, dict) and all(map(_is_record, stored.values()))


def _is_record(stored: Any) -> bool:
    """Whether it has all that is read of a record."""
    if not isinstance(stored, dict) or not set(FIELDS) <= stored.keys():
        return False
    notes = [stored[name] for name in NOTES if name in stored]
    parts = [stored["made"], stored["modules"], stored["inputs"], *notes]
    return (
        all(isinstance(part, dict) for part in parts)
        and "seconds" in stored["made"]
        and all("inputs" in note for note in notes)
    )


def write(found: Mapping[str, Record]) -> None:
    """Store records, leaving out those of files that are not long runs."""
    kept = {entry.file: found[entry.file] for entry in long_runs() if entry.file in found}
    _write(store.data_dir() / FILE, kept)


def _write(path: Path, found: Mapping[str, Record]) -> None:
    text = json.dumps(found, indent=1, sort_keys=True, ensure_ascii=False)
    store.write_atomic(path, text + "\n")


def put(file: str, found: Record) -> None:
    """Store the record of one file; what others store at the same time stays."""
    with exclusive(store.data_dir()):
        write(records() | {file: found})


def merge(folder: Path, root: Path, before: Contents) -> Contents:
    """Take over, into a staging folder with new records, those that others have stored since.

    Parameters
    ----------
    folder : Path
        The staging folder; of its records, those that are not as they were `before` stay.
    root : Path
        The project's folder, with the records as they are by now.
    before : mapping
        The results as they were when the staging folder was made.

    Returns
    -------
    mapping
        The same, but with the records as they are by now if any were taken over.
    """
    path = Path("data", FILE)
    old = json.loads(before.get(path, b"{}"))
    new = {file: one for file, one in _read(folder / path).items() if one != old.get(file)}
    if not new or not (root / path).exists():
        return before
    _write(folder / path, _read(root / path) | new)
    return {**before, path: (root / path).read_bytes()}


def sha256(file: str) -> str:
    """Checksum of a stored file; empty if it is missing."""
    path = store.data_dir() / file
    return store.sha256(path) if path.exists() else ""


def basis(entry: store.Stored) -> Record:
    """What a file depends on today: code by module, stored files that its maker reads."""
    others = [one.file for one in store.manifest() if one.file != entry.file]
    found = dependencies(entry.made_by, others)
    inputs = {file: sha256(file) for file in found.files}
    return {"code": found.code, "modules": found.modules, "inputs": inputs}


def machine() -> Record:
    """Versions and processor of this process."""
    return {
        "versions": {"python": platform.python_version()} | {n: version(n) for n in LIBRARIES},
        "processor": _processor(),
    }


def _processor() -> str:
    """Name of the processor and its widest vectors: makers give one name to several kinds."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    told = {name.strip(): text.strip() for name, _, text in (line.partition(":") for line in lines)}
    name = told.get("model name") or platform.processor() or platform.machine()
    flags = told.get("flags", "").split()
    widest = [text for flag, text in VECTORS.items() if flag in flags]
    return ", ".join([name, *widest[:1]])


def today() -> str:
    """The date, in UTC."""
    return datetime.now(UTC).date().isoformat()


def record(entry: store.Stored, seconds: float) -> Record:
    """The record of a run that just ended."""
    made = {"date": today(), "seconds": round(seconds, 1), **machine()}
    return {"sha256": sha256(entry.file), "made": made, **basis(entry)}


def rebuild(names: Sequence[str] | None, folder: Path, *, quick_only: bool = True) -> list[Path]:
    """Rebuild data files, each after those it reads, and record the long runs; return the paths.

    A run that comes out as it was stored, measured times aside, has thereby been repeated.

    Parameters
    ----------
    names : sequence of str or None
        Files to make; None for all that can be made here.
    folder : Path
        The data folder in use.
    quick_only : bool
        Leave out the long runs (unless named).
    """
    known, written = {entry.file: entry for entry in store.manifest()}, []
    for name in by_need(names or store.makeable(quick_only=quick_only)):
        entry = known[name]
        path, began = folder / entry.file, time.perf_counter()
        old = path.read_bytes() if path.exists() else b""
        written.append(store.make(entry, folder))
        spent = time.perf_counter() - began
        if not entry.quick:
            again = _repeats(entry, old, path.read_bytes())
            put(entry.file, record(entry, spent) | again)
    return written


def _repeats(entry: store.Stored, old: bytes, new: bytes) -> Record:
    """The note that a run came out as it was recorded, or nothing, as of nothing but times.

    An earlier note from another processor stays: it says more.
    """
    before = records().get(entry.file, {})
    recorded = before.get("sha256") == hashlib.sha256(old).hexdigest()
    if only_times(entry) or not recorded or unlike(entry, old, new):
        return {}
    note = before.get("repeated", {})
    elsewhere = note.get("processor", _processor()) != _processor()
    return {"repeated": note if elsewhere else seen(basis(entry))}


# ---------------------------------------------------------------------------- samples


def differences(it: Sample, times: Sequence[str] = ()) -> list[str]:
    """Name the columns, but for times, in which the part differs; both went through CSV text."""
    found, stored = (_through_text(untimed(table, times)) for table in (it.found, it.stored))
    if found.shape != stored.shape or not len(found):
        return [f"{found.shape} rows and columns, stored {stored.shape}"]
    faults = []
    for name in stored.columns:
        try:
            pd.testing.assert_series_equal(found[name], stored[name], rtol=1e-9, atol=1e-12)
        except (AssertionError, KeyError) as error:
            faults.append(f"{name}: {' '.join(str(error).split())[:160]}")
    return faults


def untimed(table: pd.DataFrame, times: Sequence[str]) -> pd.DataFrame:
    """The table without measured times: columns of these names, and rows whose ``quantity`` is."""
    kept = table.drop(columns=[*times], errors="ignore")
    return kept[~kept["quantity"].isin(times)] if "quantity" in kept else kept


def _through_text(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table as it reads after being stored: 12 digits, types guessed again."""
    return pd.read_csv(io.StringIO(store.csv_text(table)))


def confirm(names: Collection[str]) -> list[str]:
    """Recompute samples; note which long runs today's code still gives, and return the faults.

    Runs without a sample are passed over.  A file that isn't the recorded one is a fault: a sample
    tells nothing of its other rows.
    """
    faults = []
    for entry in long_runs():
        if entry.file not in names or not entry.check:
            continue
        old = records().get(entry.file)
        if old and old["sha256"] != sha256(entry.file):
            faults.append(f"{entry.file}: the file was changed since it was recorded: use --repeat")
            continue
        if other := unseen(entry, old or {"modules": {}}, basis(entry)):
            faults.append(f"{entry.file}: its sample sees nothing of {', '.join(other)}")
            continue
        began = time.process_time()
        it: Sample = store.resolve(entry.check)()
        spent = time.process_time() - began
        wrong = differences(it, entry.times)
        faults += [f"{entry.file}: {fault}" for fault in wrong]
        if not wrong:
            put(entry.file, _confirmed(entry, old, spent, it.share))
    return faults


def _confirmed(entry: store.Stored, old: Record | None, spent: float, share: float) -> Record:
    """A record with a note that today's code gives the sample; the file as it is now."""
    now, made = basis(entry), {"date": None, "seconds": None, "versions": None, "processor": None}
    checked = seen(now) | {"modules": now["modules"]}
    if share:
        checked["minutes"] = float(f"{spent / share / 60:.2g}")
    old = old or {"made": made, "code": None, "modules": {}, "inputs": {}}
    return {**old, "sha256": sha256(entry.file), "checked": checked}


# ---------------------------------------------------------------------------- whole runs


def repeat(names: Collection[str]) -> list[str]:
    """Rebuild runs beside what is stored; note which come out the same, and say what differs.

    Tables of nothing but times are passed over: of these nothing is left to compare.
    """
    faults = []
    for entry in long_runs():
        if entry.file not in names or only_times(entry):
            continue
        if entry.file not in records():
            faults.append(f"{entry.file}: no record of how it was made")
            continue
        with tempfile.TemporaryDirectory() as folder:
            made = store.make(entry, Path(folder)).read_bytes()
        fault = unlike(entry, (store.data_dir() / entry.file).read_bytes(), made)
        if fault:
            faults.append(f"{entry.file}: {fault}")
        else:
            # Measured times are not compared: they stay the recorded ones, or are not vouched for.
            same = {} if entry.times else {"sha256": sha256(entry.file)}
            put(entry.file, records()[entry.file] | same | {"repeated": seen(basis(entry))})
    return faults


def only_times(entry: store.Stored) -> bool:
    """Whether a run holds nothing but times, as the manifest says."""
    return entry.unchecked.startswith("times only")


def unlike(entry: store.Stored, old: bytes, new: bytes) -> str:
    """How a new run differs from an old one, but for measured times; empty if it does not."""
    if entry.times:
        tables = (pd.read_csv(io.BytesIO(data), dtype=str) for data in (old, new))
        old, new = (store.csv_text(untimed(t, entry.times)).encode() for t in tables)
    return "" if old == new else describe(Path(entry.file), old, new)


def seen(now: Record) -> Record:
    """A note that a run, or its part, came out the same: when, where, by which code and files."""
    return {"date": today(), "processor": _processor(), "code": now["code"],
            "inputs": now["inputs"]}  # fmt: skip


# ---------------------------------------------------------------------------- status


def status(entry: store.Stored, found: Record | None) -> Status:
    """How a long run stands today, given its record."""
    if found is None or found["sha256"] != sha256(entry.file):
        why = "no record" if found is None else "the file is not the recorded one"
        return Status(entry.file, "unrecorded", why, None, entry.command)
    now, checked = basis(entry), found.get("checked", {})
    minutes = found["made"]["seconds"] / 60 if found["made"]["seconds"] else checked.get("minutes")
    whole, other = found.get("repeated", {}), unseen(entry, found, now)
    part = {} if other else checked
    for state, past in (("current", found), ("checked", part), ("checked", whole)):
        if past.get("code") == now["code"] and past["inputs"] == now["inputs"]:
            return Status(entry.file, state, "", minutes, entry.command)
    past = checked if checked.get("modules") else found
    why = ", ".join(other) or changed(past, now)
    return Status(entry.file, "stale", why, minutes, entry.command)


def unseen(entry: store.Stored, found: Record, now: Record) -> list[str]:
    """Modules that the run's sample sees nothing of, and that are not as they were when it ran."""
    return [name for name in entry.unseen if found["modules"].get(name) != now["modules"].get(name)]


def changed(past: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Say which modules and stored files have changed; a moved module has not."""
    if not past.get("modules"):
        return "made before records were kept"
    known = set(past.get("modules", {}).values())
    modules = [name for name, digest in now["modules"].items() if digest not in known]
    files = [name for name, digest in now["inputs"].items() if past["inputs"].get(name) != digest]
    return ", ".join([*modules, *files]) or "fewer definitions"


def statuses() -> list[Status]:
    """How every long run stands today."""
    found = records()
    return [status(entry, found.get(entry.file)) for entry in long_runs()]


def by_need(files: Collection[str]) -> list[str]:
    """Long runs in the order to make them: each after those it reads, however they are given.

    Of two whose makers reach the names of each other's files, the manifest's order decides.

    Raises
    ------
    KeyError
        If a file is not in the manifest.
    """
    known = {entry.file: entry.made_by for entry in store.manifest()}
    if unknown := [file for file in files if file not in known]:
        raise KeyError(unknown[0])
    seen, found = set(), []

    def visit(file: str) -> None:
        if file not in seen:
            seen.add(file)
            for other in dependencies(known[file], [*known]).files:
                visit(other)
            found.append(file)

    for file in known:  # all of them, so that a part is made in the order of the whole
        visit(file)
    return [file for file in found if file in files]


def ordered() -> list[Status]:
    """How every long run stands today, in the order in which to make them."""
    found = {one.file: one for one in statuses()}
    return [found[file] for file in by_need(found)]


def as_text(found: Sequence[Status]) -> str:
    """One line for each run that is not current, then the number of runs in each state."""
    lines = [
        f"{one.file}: {one.state}: {one.why}\n  {one.command}{_expected(one.minutes)}"
        for one in found
        if one.state not in ("current", "checked")
    ]
    counts = (f"{sum(one.state == state for one in found)} {state}" for state in STATES)
    whole = sum("repeated" in one for one in records().values())
    total = f"{len(found)} long runs: {', '.join(counts)}; {whole} repeated, with the same result"
    return "\n".join([*lines, total])


def _expected(minutes: float | None) -> str:
    return f"  (about {minutes:.2g} minutes)" if minutes else "  (unknown time)"


def as_json(found: Sequence[Status]) -> str:
    """The same as one JSON object."""
    return json.dumps({"runs": [asdict(one) for one in found]}, allow_nan=False)


def parser() -> Parser:
    """The parser of the command line."""
    parser = Parser(prog="python -m ttt_lib.evidence.provenance", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument(
        "--confirm", nargs="*", metavar="FILE",
        help="recompute samples (of these files; of all if none is named) and note the result",
    )  # fmt: skip
    parser.add_argument(
        "--repeat", nargs="+", metavar="FILE", default=[],
        help="rebuild these whole runs beside what is stored, and note which come out the same",
    )  # fmt: skip
    return parser


def tell(options: argparse.Namespace) -> int:
    """Do what is asked and print the status; return 1 if a sample, or a whole run, differs.

    Raises
    ------
    ValueError
        If there is no such long run, if it has no sample, or nothing but times to repeat.
    """
    faults, known = [], {entry.file: entry for entry in long_runs()}
    unknown = [name for name in [*(options.confirm or ()), *options.repeat] if name not in known]
    if unknown:
        raise ValueError(f"no long run {unknown[0]!r}; there are {', '.join(known)}")
    for entry in (known[name] for name in options.confirm or () if not known[name].check):
        instead = _again(entry) if only_times(entry) else "use --repeat"
        raise ValueError(f"{entry.file} has no sample to recompute ({entry.unchecked}): {instead}")
    for entry in (known[name] for name in options.repeat if only_times(known[name])):
        raise ValueError(f"{entry.file} can't be compared ({entry.unchecked}): {_again(entry)}")
    if options.confirm is not None:
        faults += confirm(options.confirm or known)
    faults += repeat(options.repeat)
    found = ordered()
    print(as_json(found) if options.json else "\n".join([*faults, as_text(found)]))
    return 1 if faults else 0


def _again(entry: store.Stored) -> str:
    return f"regenerate it by {entry.command}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    return run_command(parser(), tell, arguments)


if __name__ == "__main__":
    sys.exit(main())
