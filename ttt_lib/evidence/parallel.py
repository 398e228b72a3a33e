"""Many independent tasks, on one core, on all, or on a cluster: joblib decides where they run.

By default tasks run one after the other in this process.  Inside
``with joblib.parallel_config(backend="loky", n_jobs=4):`` they run in four processes, inside
``parallel_config(backend="dask")`` on the workers of a dask cluster.  Randomness in a task
depends only on a seed among its arguments, so the results are the same everywhere.  What
:func:`resumable` has done survives being killed and is not done again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from joblib import Parallel, delayed
from tqdm import tqdm

from ttt_lib.evidence.command import starts_workers
from ttt_lib.evidence.store import write_atomic

Result = TypeVar("Result")


class Pool(Parallel):  # type: ignore[misc]
    """joblib's, except that workers ignore Ctrl-C: who starts them ends them.

    :func:`run_parallel` does without, since the stored runs that need a GPU depend on it as it is.
    """

    def __call__(self, tasks: Iterable[Any]) -> Any:
        """Begin the tasks; with ``return_as="generator"`` it waits for none of them."""
        with starts_workers():
            return super().__call__(tasks)


def run_parallel(
    work: Callable[..., Result], jobs: Iterable[tuple[Any, ...]], *, about: str = ""
) -> list[Result]:
    """Do the work for every job.

    Parameters
    ----------
    work : callable
        A function of a module, so that another process finds it.
    jobs : iterable of tuple
        Its arguments, one tuple per task.
    about : str
        What a task is, shown beside a progress bar; no bar if empty.

    Returns
    -------
    list
        The results in the order of the jobs, whichever finished first.
    """
    tasks = list(jobs)
    done = Parallel(return_as="generator")(delayed(work)(*job) for job in tasks)
    return list(tqdm(done, total=len(tasks), desc=about, disable=not about))


def resumable(
    work: Callable[..., Any], jobs: Sequence[tuple[Any, ...]], path: Path | None, *, about: str = ""
) -> list[Any]:
    """Do the work for every job that the file doesn't hold yet.

    Each result is written the moment it comes, one line per task.

    Parameters
    ----------
    work : callable
        A function of a module; its results must be what JSON can hold.
    jobs : sequence of tuple
        Its arguments, one tuple per task; as text they name the task in the file.
    path : Path or None
        Where results are kept; None: nowhere.
    about : str
        What a task is, shown beside a progress bar; no bar if empty.

    Returns
    -------
    list
        The results in the order of the jobs.  Those read from the file are as JSON holds them:
        tuples have become lists.

    Raises
    ------
    ValueError
        If a line of the file is no pair of a task's name and its result (lines of other functions
        are passed over), or if two tasks have the same name: the text of a long array leaves out
        most of it.
    """
    if path is None:
        return run_parallel(work, jobs, about=about)
    names = [json.dumps([work.__name__, *map(str, job)]) for job in jobs]
    if len(set(names)) < len(names):
        raise ValueError("two tasks to resume have the same arguments, as text")
    done = _read(path)
    waiting = [i for i, name in enumerate(names) if name not in done]
    tasks = (delayed(_named)(work, i, jobs[i]) for i in waiting)
    results = Pool(return_as="generator_unordered")(tasks)
    for i, result in tqdm(results, total=len(waiting), desc=about, disable=not about):
        done[names[i]] = result
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([names[i], result]) + "\n")
    return [done[name] for name in names]


def _named(work: Callable[..., Any], place: int, job: tuple[Any, ...]) -> tuple[int, Any]:
    return place, work(*job)


def _read(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):  # the run was killed while it wrote
        write_atomic(path, "".join(lines[:-1]))
        lines = lines[:-1]
    try:
        return dict(json.loads(line) for line in lines)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path} holds no results of a resumable run: {error}") from error
