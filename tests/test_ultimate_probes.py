"""Probes recognise the code of trainings that are too long to repeat."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
import pytest

from ttt_lib.evidence import provenance, store
from ttt_lib.evidence.provenance import Sample
from ttt_lib.ultimate.learn import checkpoint
from ttt_lib.ultimate.studies import (
    ablations,
    gpu_cost,
    gpu_training,
    probes,
    spot_checks,
    stored_nets,
)

STORED = store.read_table(probes.FILE)


def test_every_change_of_the_ablations_shows_in_its_probe() -> None:
    """A setting that a probe could not see would be vouched for without being looked at."""
    seen = STORED[STORED["file"] == ablations.FILE].drop(columns=["training"])
    assert len(seen) == len(ablations.VARIANTS)
    assert not seen.duplicated().any()


@pytest.mark.parametrize("change", [{"lr": 0.002}, {"fpu": 0.5}, {"c_puct": 1.4}])
def test_a_probe_sees(change: dict[str, float]) -> None:
    config = probes.with_changes(ablations.BASE, **change)
    training = probes.Training(ablations.FILE, ablations.FULL, config, ablations.SEEDS[0])
    [middle] = training.iterations
    assert middle == ablations.ITERATIONS // 2
    found = pd.DataFrame([probes.probe(training, middle)])
    stored = STORED[(STORED["file"] == ablations.FILE) & (STORED["training"] == ablations.FULL)]
    close = probes.with_close(found, stored)
    assert provenance.differences(provenance.Sample(close, stored))


def test_every_training_whose_part_is_a_probe_has_one() -> None:
    for entry in provenance.long_runs():
        if entry.file in set(STORED["file"]):
            assert entry.check.startswith("ttt_lib.ultimate.studies.spot_checks:")
            assert not entry.unchecked
    assert set(STORED["file"]) <= {entry.file for entry in provenance.long_runs()}
    taught = STORED[STORED["iteration"] == 1]
    assert set(taught["training"]) == {"large", "wide", "narrow"}, "those with a teacher"


@pytest.mark.parametrize(("factor", "same"), [(1 + 9e-5, True), (1 - 9e-5, True), (1.0002, False)])
def test_losses_are_the_same_to_four_digits(factor: float, same: bool) -> None:
    stored = STORED.iloc[:3]
    found = stored.assign(value_loss=stored["value_loss"] * factor)
    close = probes.with_close(found, stored)
    assert close.equals(stored) is same
    assert probes.with_close(found.iloc[:2], stored).equals(found.iloc[:2])


@pytest.mark.parametrize(
    ("file", "factor", "same"),
    [
        (gpu_training.RESIDUAL_NET, 1.0009, True),
        (gpu_training.RESIDUAL_NET, 1.0011, False),
        (gpu_training.TABLE_NET, 1.0002, False),
    ],
)
def test_losses_of_a_deep_network_are_the_same_to_three_digits(
    monkeypatch: pytest.MonkeyPatch, file: str, factor: float, same: bool
) -> None:
    rows = STORED[STORED["file"] == file]
    rows = rows.assign(policy_loss=rows["policy_loss"] * factor)
    monkeypatch.setattr(probes, "probes", lambda file: rows.to_dict("records"))
    assert (not provenance.differences(probes.sample(file))) is same


@pytest.mark.parametrize("loss", probes.LOSSES)
@pytest.mark.parametrize(("factor", "same"), [(1.004, True), (0.996, True), (1.006, False)])
def test_a_first_iteration_is_the_same_if_its_losses_are_to_half_a_per_cent(
    monkeypatch: pytest.MonkeyPatch, loss: str, factor: float, same: bool
) -> None:
    begun = store.read_table(stored_nets.LOG).iloc[:1]
    begun = begun.assign(**{loss: begun[loss] * factor})
    monkeypatch.setattr(spot_checks, "_begun", lambda name: begun)
    assert (not provenance.differences(spot_checks.first_iteration())) is same


@pytest.mark.parametrize(
    ("file", "sample"),
    [(checkpoint.STORED, spot_checks.stored_net), (checkpoint.TEACHER, spot_checks.teacher)],
)
@pytest.mark.parametrize("change", [{"seed": 7}, {"iteration": 3}, {"config": {"name": "quick"}}])
def test_a_network_of_another_run_is_noticed(
    monkeypatch: pytest.MonkeyPatch, file: str, sample: Callable[[], Sample],
    change: dict[str, Any],
) -> None:  # fmt: skip
    log = stored_nets.LOG if file == checkpoint.STORED else stored_nets.TEACHER_LOG
    monkeypatch.setattr(spot_checks, "_begun", lambda name: store.read_table(log).iloc[:1])
    assert not provenance.differences(sample())
    tensors, about = checkpoint.read(store.data_dir() / file)
    config = about["config"] | change.get("config", {})
    changed = about | change | {"config": config}
    monkeypatch.setattr(checkpoint, "read", lambda path: (tensors, changed))
    assert provenance.differences(sample())


def test_where_first_weights_are_others_the_teacher_is_known_by_a_probe(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On a processor without vector instructions; a header still tells which run a file is of."""
    monkeypatch.setattr(spot_checks, "VECTORIZED", False)
    found = spot_checks.teacher_first_iteration()
    assert set(found.found["file"]) == {stored_nets.TEACHER_LOG}
    assert not provenance.differences(found)
    monkeypatch.setattr(spot_checks, "_begun", None)  # nothing is trained
    assert not provenance.differences(spot_checks.teacher())
    tensors, about = checkpoint.read(store.data_dir() / checkpoint.TEACHER)
    monkeypatch.setattr(checkpoint, "read", lambda path: (tensors, about | {"iteration": 3}))
    assert provenance.differences(spot_checks.teacher())


def test_probes_of_stale_runs_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The code of today did not make them: only those that did can say what they depend on."""
    rows = [{"file": "new.csv", "digest": "today"}, {"file": "old.csv", "digest": "today"}]
    stored = pd.DataFrame(rows).assign(digest="then")
    states = {"new.csv": "checked", "old.csv": "stale", "other.csv": "stale"}

    def statuses() -> Iterator[provenance.Status]:
        for file, state in states.items():
            yield provenance.Status(file, state, "", None, "")

    monkeypatch.setattr(provenance, "statuses", statuses)
    monkeypatch.setattr(probes, "probes", lambda: iter(rows))
    monkeypatch.setattr(store, "read_table", lambda file: stored)
    found = probes.make_probes()
    assert found.to_dict("records") == [rows[0], {"file": "old.csv", "digest": "then"}]
    states["old.csv"] = "current"
    assert probes.make_probes().to_dict("records") == rows


@pytest.mark.parametrize(
    ("column", "value"),
    [("multiplications", 866_211), ("batch", 65), ("task", "learn"), ("network", "2 x 17")],
)
def test_a_change_of_what_was_timed_on_a_gpu_is_noticed(
    monkeypatch: pytest.MonkeyPatch, column: str, value: object
) -> None:
    table = store.read_table(gpu_cost.FILE)
    table.loc[1, column] = value
    monkeypatch.setattr(store, "read_table", lambda name: table)
    assert provenance.differences(spot_checks.timed_on_a_gpu())
