"""Tasks on other processes: the same results as here, also when a worker dies at work."""

from __future__ import annotations

import multiprocessing.forkserver
import os
import signal
import threading
import time
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from scale_tasks import short_training, slow_number

from ttt_lib.evidence.parallel import Pool, run_parallel
from ttt_lib.ising.sweep import sweep
from ttt_lib.ultimate.config import NOTEBOOK
from ttt_lib.ultimate.learn import selfplay
from ttt_lib.ultimate.learn.driver import self_play
from ttt_lib.ultimate.learn.trainer import Trainer, play_settings, with_changes
from ttt_lib.ultimate.network.tablenet import Tables

CONFIG = with_changes(NOTEBOOK, fast_simulations=4)


@cache
def tables() -> Tables:
    return Trainer(CONFIG, seed=1).tables


def self_play_samples(games: int, *, threads: int = 1) -> Any:
    few = play_settings(CONFIG, CONFIG.training.stage(0))._replace(full=8, fast=4)
    return self_play(tables(), games, few, rng=5, threads=threads)


# ---------------------------------------------------------------------------- here


def test_results_come_in_the_order_of_the_jobs() -> None:
    assert run_parallel(divmod, [(7, 2), (9, 3), (5, 4)]) == [(3, 1), (3, 0), (1, 1)]
    assert run_parallel(divmod, []) == []


def test_a_failing_task_fails_the_run() -> None:
    with pytest.raises(ZeroDivisionError):
        run_parallel(divmod, [(1, 1), (1, 0)])


def test_workers_ignore_an_interrupt_and_their_starter_does_not() -> None:
    """Each would print a traceback; joblib ends them where the interrupt is raised."""
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        joblib.externals.loky.get_reusable_executor().shutdown()  # none of an earlier test
        with joblib.parallel_config(backend="loky", n_jobs=2):
            jobs = 2 * [joblib.delayed(signal.getsignal)(signal.SIGINT)]
            done = Pool(return_as="generator_unordered")(jobs)
            assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
            assert list(done) == 2 * [signal.SIG_IGN]
    finally:
        signal.signal(signal.SIGINT, usual)


def test_threads_play_the_same_games() -> None:
    """Threads of joblib's and those of the ``threads`` keyword."""
    alone = self_play_samples(2 * selfplay.CHUNK + 1)
    with joblib.parallel_config(backend="threading", n_jobs=2):
        threads = self_play_samples(2 * selfplay.CHUNK + 1)
    own = self_play_samples(2 * selfplay.CHUNK + 1, threads=2)
    for here, there, again in zip(alone, threads, own, strict=True):
        np.testing.assert_array_equal(here, there)
        np.testing.assert_array_equal(here, again)


def test_self_play_needs_a_game() -> None:
    with pytest.raises(ValueError, match="games and threads >= 1, not 0 and 1"):
        self_play_samples(0)


# ---------------------------------------------------------------------------- on a cluster


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Two worker processes of one thread each, as a cluster would give them.

    They are forked by a process that has imported the slow libraries once.
    """
    distributed = pytest.importorskip("distributed")
    import dask

    forking = multiprocessing.get_context("forkserver")
    forking.set_forkserver_preload(["distributed", "ttt_lib.ultimate.learn.driver"])
    multiprocessing.forkserver.ensure_running()  # before distributed has its own list
    with (
        warnings.catch_warnings(),
        dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}),
    ):
        warnings.simplefilter("ignore")  # of the cluster's own libraries
        with (
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            client.wait_for_workers(2)
            yield client


pytestmark = pytest.mark.filterwarnings("ignore")


def kill_a_worker(folder: Path, started: int, killed: list[int]) -> None:
    """Wait until so many tasks have begun, then end the worker that began the newest one."""
    while len(begun := list(folder.iterdir())) < started:
        time.sleep(0.01)
    newest = max(begun, key=lambda path: path.stat().st_mtime_ns)
    killed.append(int(newest.name.partition("-")[2]))
    os.kill(killed[0], signal.SIGKILL)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system knows no SIGKILL")
def test_nothing_is_lost_when_a_worker_is_killed(client: Any, tmp_path: Path) -> None:
    jobs = [(seed, tmp_path) for seed in range(24)]
    killed: list[int] = []
    killer = threading.Thread(target=kill_a_worker, args=(tmp_path, 6, killed), daemon=True)
    killer.start()
    with joblib.parallel_config(backend="dask"):
        found = run_parallel(slow_number, jobs)
    killer.join()
    workers = {pid for _, pid in found}
    assert os.getpid() not in workers
    assert killed
    assert killed[0] not in set(client.run(os.getpid).values())
    # Every number is there once and right, and some task was begun again by another worker.
    assert [value for value, _ in found] == [np.random.default_rng(s).random() for s, _ in jobs]
    assert len(list(tmp_path.iterdir())) > len(jobs)


def test_sweeps_seeds_and_self_play_are_the_same_on_a_cluster(client: Any) -> None:
    client.wait_for_workers(2)

    def all_three() -> tuple[pd.DataFrame, Any, Any]:
        table = sweep("3x3", "equation", [0.0, 0.3, 0.647], 400, rng=7, chunk=150)
        networks = run_parallel(short_training, [(0,), (1,), (2,)])
        return table, networks, self_play_samples(selfplay.CHUNK + 1)

    table, networks, samples = all_three()
    with joblib.parallel_config(backend="dask"):
        table_there, networks_there, samples_there = all_three()
    pd.testing.assert_frame_equal(table, table_there)
    for here, there in zip(networks, networks_there, strict=True):
        np.testing.assert_array_equal(here, there)
    for array, array_there in zip(samples, samples_there, strict=True):
        np.testing.assert_array_equal(array, array_there)
