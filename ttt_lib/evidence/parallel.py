"""Many independent tasks, on one core, on all, or on a cluster: joblib decides where they run.

By default tasks run one after the other in this process.  Inside
``with joblib.parallel_config(backend="loky", n_jobs=4):`` they run in four processes, inside
``parallel_config(backend="dask")`` on the workers of a dask cluster.  Randomness in a task
depends only on a seed among its arguments, so the results are the same everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from joblib import Parallel, delayed
from tqdm import tqdm

Result = TypeVar("Result")


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
