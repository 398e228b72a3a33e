"""Regenerate everything the compendium stores: ``make reproduce`` and ``make full``.

All work happens in a staging folder beside the results, which starts as a copy of ``data/``.
Library and notebooks look there while it lasts, so a new claim is what a notebook shows.  Only when
every step has succeeded, and if nothing changed or the changes are accepted, do changed files move
into place, each by a rename; an error or an interruption leaves notebooks, data and figures as they
were.  Whatever changed is listed with by how much, and the exit status is 1 unless it is accepted.
(``--data`` puts each file in place as soon as it is made, since it may have taken an hour.)  If
what was made can't be put in place, say because somebody edited it meanwhile, its folder is kept.
"""

from __future__ import annotations

import argparse
import json
import operator
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any

from joblib import parallel_config

from ttt_lib.evidence import changes, claims, crate, figures, provenance, readme, scorecard, store
from ttt_lib.evidence.command import INTERRUPTED, Parser, at_least, run_command
from ttt_lib.evidence.parallel import run_parallel
from ttt_lib.evidence.staging import Contents, changed, contents, exclusive, kept, publish, staged

Row = Mapping[str, Any]
Job = tuple[Any, ...]
"""A function and its arguments."""

WORKERS = min(2, os.cpu_count() or 1)
"""Processes that judge claims, run notebooks and draw figures side by side."""

LONGEST = ("05", "02", "03", "04", "06", "01", "00")
"""Notebooks, the longest first, so that no worker waits at the end.

Only a hint for their order: a notebook that isn't listed begins at once.
"""


# ---------------------------------------------------------------------------- the steps


def execute(source: Path, destination: Path) -> None:
    """Run the notebook `source` in a fresh kernel and write it with its outputs to `destination`.

    The written bytes depend on code and outputs alone: no timings, no patch version of Python,
    streams joined however they arrived.

    Raises
    ------
    nbclient.exceptions.CellExecutionError
        When a cell fails; nothing is written.
    """
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(source, as_version=4)
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        store_widget_state=False,
        extra_arguments=["--log-level=ERROR"],  # else a note on local transport breaks the bar
        resources={"metadata": {"path": str(source.parent)}},
    )
    try:
        client.execute(env=kernel_environment())
    except Exception as error:
        error.add_note(f"while running {source.name}")
        raise
    drop_widget_views(notebook)
    notebook.metadata.update(stable_metadata())
    destination.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, destination)


def kernel_environment() -> dict[str, str]:
    """Return this process's environment as a stored run needs it.

    No progress bars, whose text differs from run to run, and no backend, so that figures land
    in the notebook.
    """
    return {k: v for k, v in os.environ.items() if k != "MPLBACKEND"} | {"TQDM_DISABLE": "1"}


def drop_widget_views(notebook: Mapping[str, Any]) -> None:
    """Remove, in place, the random ids of live widgets; their text stays as output."""
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            output.get("data", {}).pop("application/vnd.jupyter.widget-view+json", None)


def stable_metadata() -> dict[str, Any]:
    """Return the notebook metadata that any Python 3 writes alike."""
    return {
        "kernelspec": {
            "display_name": "Python 3 (ipykernel)",
            "language": "python",
            "name": "python3",
        },
        "language_info": {"name": "python"},
    }


def changed_verdicts(before: Sequence[Row], after: Sequence[Row]) -> list[str]:
    """Describe each claim of `before` whose verdict is another, or gone, in `after`."""
    new = {row["id"]: row["verdict"] for row in after}
    return [
        f"{row['id']}: {row['verdict']} -> {new.get(row['id'], 'no longer there')}"
        for row in before
        if row["verdict"] != new.get(row["id"])
    ]


# ---------------------------------------------------------------------------- the whole


def judged(document: int) -> list[dict[str, Any]]:
    """Judge all claims of one document, whose correction for many tests is its own."""
    mine = [claim for claim in claims.load() if claim.document == document]
    return [asdict(row) for row in claims.judge(mine)]


def judge(documents: Sequence[int], beside: Sequence[Job] = ()) -> list[dict[str, Any]]:
    """Judge the claims of these documents again and store all rows; return them all.

    Jobs that need no verdict may be done `beside`, so that no worker waits for the longest.
    """
    longest = sorted(documents, reverse=True)  # the last document's take longest
    asked = [(judged, document) for document in longest]
    about = "claims and figures" if beside else "claims"
    found = run_parallel(operator.call, [*asked, *beside], about=about)
    kept = [row for row in claims.load_results() if row["document"] not in documents]
    fresh = [row for part in found[: len(asked)] for row in part]
    rows = sorted([*kept, *fresh], key=lambda row: row["document"])
    store.write_atomic(claims.results_path(), claims.to_json(rows))
    return claims.load_results()


def drawings(folder: Path, *, of_verdicts: bool) -> list[Job]:
    """List the figures, those of a notebook together: those drawn from verdicts, or the others."""
    ledger, known = claims.results_path().name, figures.manifest()
    names = sorted(name for name in known if (ledger in known[name].data) == of_verdicts)
    groups = (list(group) for _, group in groupby(names, lambda name: name[:2]))
    return [(figures.build, group, folder / "figures") for group in groups]


def readings(root: Path, folder: Path) -> list[Job]:
    """List the notebooks, the longest first."""
    rank = {name: place for place, name in enumerate(LONGEST)}
    sources = sorted(store.notebooks(root), key=lambda path: rank.get(path.name[:2], -1))
    return [(execute, source, folder / "notebooks" / source.name) for source in sources]


def rebuild(
    root: Path, folder: Path, full: bool = False, chosen: tuple[str, ...] = ("",)
) -> list[dict[str, Any]]:
    """Rebuild data, claims, notebooks and figures inside `folder`; return the claims' rows.

    Only notebooks whose names begin with one of ``chosen`` are run.
    """
    if full and (missing := store.without_gpu()):
        print(f"for want of a GPU these stay as they are: {', '.join(missing)}", file=sys.stderr)
    provenance.rebuild(None, folder / "data", quick_only=not full)
    rows = judge(claims.DOCUMENTS, drawings(folder, of_verdicts=False))
    chapters = [job for job in readings(root, folder) if job[1].name.startswith(chosen)]
    rest = [*chapters, *drawings(folder, of_verdicts=True)]
    run_parallel(operator.call, rest, about="notebooks")
    finish(root, folder)
    return rows


def rejudge(root: Path, folder: Path, documents: Sequence[int]) -> list[dict[str, Any]]:
    """Judge claims again inside `folder`, and redo what counts them; return all rows."""
    rows = judge(documents)
    figures.build(["scorecard"], folder / "figures")
    finish(root, folder)
    return rows


def finish(root: Path, folder: Path) -> None:
    """Write what is computed from the other results: checksums and tables in prose."""
    files = [entry.file for entry in store.manifest()]
    store.write_atomic(store.data_dir() / "SHA256SUMS", store.checksums(files))
    readme.write(root, folder)
    crate.write([folder, root], folder)


def stale_notebooks(root: Path, before: Sequence[Row], after: Sequence[Row]) -> list[str]:
    """Name the notebooks whose stored outputs show a claim that has changed."""
    new = {row["id"]: row for row in after}
    moved = [row for row in before if new.get(row["id"]) != row]
    found = []
    for path in store.notebooks(root):
        outputs = [cell.get("outputs") for cell in store.cells(path)]
        shown = json.dumps(outputs, ensure_ascii=False)
        if any(row["id"] in shown or row.get("quantity", row["id"]) in shown for row in moved):
            found.append(path.name)
    return found


def reproduce(
    full: bool = False, accept: bool = False, documents: Sequence[int] | None = None
) -> int:
    """Regenerate all results, put them in place if they are to be, and print the scorecard.

    Parameters
    ----------
    full
        Also compute the stored long runs again.
    accept
        Put results in place although they changed.
    documents
        Judge only the claims of these documents, and run no notebook; all if None.

    Returns
    -------
    int
        Exit status: 0, or 1 when a file or a verdict changed and that is not accepted.
    """
    root = store.root()
    old_rows, before = claims.load_results(), contents(root)
    with staged(root) as folder:
        if documents is None:
            rows = rebuild(root, folder, full)
        else:
            rows = rejudge(root, folder, documents)
        amounts = put_in_place(folder, root, before) if accept else differences(folder, before)
    print(scorecard.as_text(rows))
    again = "" if accept else accepting(full, documents)
    print(report(amounts, changed_verdicts(old_rows, rows), again))
    if documents is not None and (stale := stale_notebooks(root, old_rows, rows)):
        print(f"These notebooks show a changed claim and need make reproduce: {', '.join(stale)}")
    return 1 if amounts and not accept else 0


def differences(folder: Path, before: Contents) -> dict[Path, str]:
    """Say by how much each changed file of `folder` differs."""
    return {
        path: changes.describe(path, before.get(path), (folder / path).read_bytes())
        for path in changed(folder, before)
    }


def put_in_place(folder: Path, root: Path, before: Contents) -> dict[Path, str]:
    """Put in place what changed in a staging folder since `before`, and say by how much it did.

    Raises
    ------
    RefusedError
        If that can't be; the folder is then kept.
    """
    with kept(folder), exclusive(root / "data"):
        return replace(folder, root, before)


def replace(folder: Path, root: Path, before: Contents) -> dict[Path, str]:
    """Do so while no other run can, taking over what others have recorded since `before`."""
    before = provenance.merge(folder, root, before)
    amounts = differences(folder, before)
    publish(folder, root, before, list(amounts))
    return amounts


def make(name: str, root: Path) -> dict[Path, str]:
    """Rebuild one data file, and put it in place with its record."""
    before = contents(root)
    with staged(root) as folder:
        provenance.rebuild([name], folder / "data")
        return put_in_place(folder, root, before)


def finish_alone(root: Path) -> dict[Path, str]:
    """Write what is computed from the other results, while no other run changes them."""
    with exclusive(root / "data"):
        before = contents(root)
        with staged(root) as folder:
            finish(root, folder)
            return replace(folder, root, before)


def rebuild_data(names: Sequence[str]) -> int:
    """Rebuild the named data files, long runs too, and put them in place; return status 0.

    Raises
    ------
    ValueError
        If there is no data file of such a name.
    """
    known = [entry.file for entry in store.manifest()]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"no data file {unknown[0]!r}; there are {', '.join(known)}")
    root, amounts = store.root(), dict[Path, str]()
    for name in names:  # each at once: a later failure must not cost a long run
        amounts |= make(name, root)
    amounts |= finish_alone(root)
    print(report(amounts, []))
    return 0


def accepting(full: bool, documents: Sequence[int] | None) -> str:
    """The command that does the same and accepts it."""
    words = ["--full"] if full else []
    if documents is not None:
        some = [] if set(documents) == set(claims.DOCUMENTS) else map(str, documents)
        words += ["--claims", *some]
    given = " ".join([*words, "--accept"])
    return f'make reproduce ARGS="{given}"' if words else f"make reproduce ARGS={given}"


def report(amounts: Mapping[Path, str], verdicts: Sequence[str], again: str = "") -> str:
    """Say what changed and by how much, and the command that accepts it if that was not done."""
    if not amounts:
        return "Every file came out as it was."
    lines = ["Verdicts changed:", *(f"  {line}" for line in verdicts)] if verdicts else []
    lines += [f"{len(amounts)} files changed:"]
    lines += [f"  {path}: {how}" for path, how in amounts.items()]
    if again:
        lines += [f"Nothing was written. If this is right: {again}"]
    return "\n".join(lines)


def parser() -> Parser:
    """The parser of the command line."""
    parser = Parser(prog="python -m ttt_lib.evidence.reproduce", description=__doc__)
    parser.add_argument("--full", action="store_true", help="recompute the stored long runs too")
    parser.add_argument("--accept", action="store_true", help="write what changed; exit status 0")
    parser.add_argument(
        "--workers", type=at_least(1), default=WORKERS, help="processes (default: 2)"
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--data", nargs="+", metavar="FILE", help="rebuild only these data files")
    what.add_argument(
        "--claims",
        nargs="*",
        type=at_least(1),
        choices=list(claims.DOCUMENTS),
        metavar="DOCUMENT",
        help="judge only the claims (of these documents; all if none is named)",
    )
    return parser


def carry_out(options: argparse.Namespace) -> int:
    """Do what the options ask for, in that many processes; return the exit status.

    Raises
    ------
    ValueError
        If there is no checkout, or no such file, or if everything and a part are asked for.
    """
    store.checkout("to rebuild stored results")
    if options.full and (options.data or options.claims is not None):
        raise ValueError("--full is everything: it goes with neither --data nor --claims")
    if options.data:
        return rebuild_data(options.data)
    documents = options.claims if options.claims is None else options.claims or claims.DOCUMENTS
    with parallel_config(backend="loky", n_jobs=options.workers):
        return reproduce(options.full, options.accept, documents)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status: 2 for an unknown file, 130 after Ctrl-C."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # an exit cleans up, a kill does not
    status = run_command(parser(), carry_out, arguments)
    if status == INTERRUPTED:
        print("Interrupted: the stored results are all old or all new.", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
