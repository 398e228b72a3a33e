"""Regenerate everything the compendium stores: ``make reproduce`` and ``make full``.

All work happens in a staging folder beside the results, which starts as a copy of ``data/``.
Library and notebooks look there while it lasts, so a new claim is what a notebook shows.  Only when
every step has succeeded do changed files move into place, each by a rename; an error or an
interruption leaves notebooks, data and figures as they were.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tqdm import tqdm

from ttt_lib.evidence import claims, figures, readme, store
from ttt_lib.evidence.staging import changed, contents, publish, staged

Row = Mapping[str, Any]


# ---------------------------------------------------------------------------- the steps


def clear_numba_cache() -> int:
    """Delete compiled kernels below ``NUMBA_CACHE_DIR``, if that is set; return how many files.

    numba notices an edit in a kernel's own file only, so a cache could serve stale results.
    """
    folder = os.environ.get("NUMBA_CACHE_DIR")
    files = [*Path(folder).rglob("*.nbi"), *Path(folder).rglob("*.nbc")] if folder else []
    for file in files:
        file.unlink(missing_ok=True)
    return len(files)


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


def notebooks(root: Path) -> list[Path]:
    """List the numbered notebooks, in reading order."""
    return sorted((root / "notebooks").glob("[0-9]*.ipynb"))


def write_checksums() -> None:
    """Write ``SHA256SUMS`` beside the data files in use."""
    files = [entry.file for entry in store.catalogue()]
    store.write_atomic(store.data_dir() / "SHA256SUMS", store.checksums(files))


def rebuild(root: Path, folder: Path, full: bool) -> list[dict[str, Any]]:
    """Make data, claims, notebooks and figures anew inside `folder`; return the claims' rows."""
    store.rebuild(None, folder / "data", quick_only=not full)
    rows = claims.compute(progress=True)
    store.write_atomic(claims.results_path(), claims.to_json(rows))
    write_checksums()
    bar = tqdm(notebooks(root), desc="notebooks", unit="notebook")
    for source in bar:
        bar.set_postfix_str(source.stem)
        execute(source, folder / "notebooks" / source.name)
    figures.build(None, folder / "figures")
    readme.write(root, folder)
    return rows


def reproduce(full: bool = False, accept: bool = False) -> int:
    """Regenerate all results, put them in place, and print the scorecard.

    Parameters
    ----------
    full
        Also compute the stored long runs again.
    accept
        Put results in place although a verdict changed.

    Returns
    -------
    int
        Exit status: 0, or 1 when a verdict changed.
    """
    root = store.root()
    clear_numba_cache()
    old_rows, before = claims.load_results(), contents(root)
    with staged(root) as folder:
        rows = rebuild(root, folder, full)
        verdicts = changed_verdicts(old_rows, rows)
        paths = changed(folder, before)
        if accept or not verdicts:
            publish(folder, root, before, paths)
    print(claims.scorecard(rows))
    print(report(paths, verdicts, accept))
    return 1 if verdicts and not accept else 0


def rebuild_data(names: Sequence[str]) -> int:
    """Make the named data files anew, long runs too, and put them in place; return status 0."""
    root = store.root()
    before = contents(root)
    with staged(root) as folder:
        store.rebuild(names, folder / "data")
        write_checksums()
        paths = changed(folder, before)
        publish(folder, root, before, paths)
    print(report(paths, [], accept=False))
    return 0


def report(paths: Sequence[Path], verdicts: Sequence[str], accept: bool) -> str:
    """Say in a few lines what changed, and what was done about it."""
    if verdicts and not accept:
        tail = "Nothing was written. If the new verdicts are right: make reproduce ARGS=--accept"
        return "\n".join(["Verdicts changed:", *(f"  {line}" for line in verdicts), tail])
    if not paths:
        return "Every file came out as it was."
    return "\n".join([*verdicts, f"{len(paths)} files changed:", *(f"  {path}" for path in paths)])


def data_file(name: str) -> str:
    """Check an argument: the name of a data file that can be made."""
    known = [entry.file for entry in store.catalogue()]
    if name not in known:
        raise argparse.ArgumentTypeError(f"no data file {name!r}; there are {', '.join(known)}")
    return name


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m ttt_lib.evidence.reproduce", description=__doc__
    )
    parser.add_argument("--full", action="store_true", help="recompute the stored long runs too")
    parser.add_argument("--accept", action="store_true", help="write results of changed verdicts")
    parser.add_argument(
        "--data", nargs="+", type=data_file, metavar="FILE", help="make only these data files anew"
    )
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status: 2 for an unknown file, 130 after Ctrl-C."""
    options = parse(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # an exit cleans up, a kill does not
    try:
        if options.data:
            return rebuild_data(options.data)
        return reproduce(full=options.full, accept=options.accept)
    except KeyboardInterrupt:
        print("Interrupted: the stored results are all old or all new.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
