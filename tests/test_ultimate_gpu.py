"""Self-play and training on a GPU: what can be tested without one, and what a GPU measured."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from joblib.parallel import get_active_backend
from torch import nn

from ttt_lib.evidence import store
from ttt_lib.game.policy import choose
from ttt_lib.ultimate import cli_training
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.board.kernels import RESULT, States
from ttt_lib.ultimate.config import LITE, Config, NetworkConfig, Stage
from ttt_lib.ultimate.learn import checkpoint, graphs, selfplay_batch
from ttt_lib.ultimate.learn.graphs import DevicePlanes, GraphTrainer
from ttt_lib.ultimate.learn.replay_buffer import Samples
from ttt_lib.ultimate.learn.trainer import Trainer
from ttt_lib.ultimate.network.evaluator import Evaluator
from ttt_lib.ultimate.network.resnet import AlphaZeroNet, count_parameters, evaluator, planes
from ttt_lib.ultimate.studies import cost, gpu_cost, gpu_training

GAME = Ultimate()
TINY = Config(
    "tiny",
    replace(
        LITE.training, num_iterations=8, num_train_epochs=2, batch_size=16, double=False,
        replay_buffer_size=500, stages=(Stage(1.0, 6, 6, 1.0),), fast_simulations=2, q_scale=0.0,
    ),
    NetworkConfig(1, 4, 2),
)  # fmt: skip
needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU here")


def all_states() -> States:
    """Running and finished states of random games, from the first move to the last."""
    rng, states = np.random.default_rng(0), GAME.initial(60)
    found = [states]
    while not GAME.finished(states).all():
        running = ~GAME.finished(states)
        legal = GAME.legal(states[running]) * rng.random((running.sum(), GAME.moves))
        states = states.copy()
        states[running] = GAME.play(states[running], legal.argmax(axis=1))
        found.append(states)
    return np.concatenate(found)


def test_planes_made_on_a_device_are_the_planes() -> None:
    states = all_states()
    assert (states[:, RESULT] > 0).any()
    found = DevicePlanes()(torch.from_numpy(states.astype(np.int64)))
    np.testing.assert_array_equal(found.numpy(), planes(states))


def plain(net: AlphaZeroNet, largest: int, *, amp: bool = False) -> Evaluator:
    """In place of the evaluator that needs a GPU."""
    return evaluator(net, amp=amp)


@pytest.fixture
def no_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphs, "graphed", plain)


@pytest.mark.usefixtures("no_graphs")
def test_self_play_is_the_usual_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """With as many games side by side, the same games as any other trainer's."""
    monkeypatch.setattr(selfplay_batch, "CHUNK", 4)
    trainer = GraphTrainer(TINY, seed=3)
    trainer.side_by_side = 4
    usual = Trainer(TINY, seed=3).play(np.random.default_rng(1))
    for ours, theirs in zip(trainer.play(np.random.default_rng(1)), usual, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    trainer.side_by_side = 3
    other = trainer.play(np.random.default_rng(1))
    assert len(other.values) != len(usual.values) or (other.states != usual.states).any()


@pytest.mark.usefixtures("no_graphs")
def test_processes_play_the_same_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """What they are sent can be sent, and they get the games that one process gets."""
    backends = []

    def sent(work: Callable[..., Samples], jobs: Iterable[tuple[object, ...]]) -> list[Samples]:
        backends.append((type(get_active_backend()[0]).__name__, get_active_backend()[1]))
        return [pickle.loads(pickle.dumps(work))(*job) for job in jobs]

    monkeypatch.setattr(graphs, "run_parallel", sent)
    alone, two = (GraphTrainer(TINY, seed=2, threads=threads) for threads in (1, 2))
    alone.side_by_side = two.side_by_side = 4
    first, second = (trainer.play(np.random.default_rng(5)) for trainer in (alone, two))
    for ours, theirs in zip(first, second, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert backends[0] != backends[1] == ("LokyBackend", 2)


def test_a_teacher_plays_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with any other trainer."""
    taught = replace(TINY, training=replace(TINY.training, taught=1))
    monkeypatch.setattr(Trainer, "play", lambda *_: "the teacher's games")
    assert GraphTrainer(taught).play(np.random.default_rng(0)) == "the teacher's games"  # type: ignore[comparison-overlap]


@pytest.mark.parametrize(("largest", "wanted"), [(1, 64), (64, 64), (65, 128), (150, 256)])
def test_a_batch_is_filled_up_to_the_next_graph(
    monkeypatch: pytest.MonkeyPatch, largest: int, wanted: int
) -> None:
    """With the network itself in place of what a GPU records."""
    made = []

    def recorded(net: nn.Module, given: torch.Tensor) -> graphs.Step:
        made.append(len(given))

        @torch.inference_mode()
        def step() -> tuple[torch.Tensor, torch.Tensor]:
            used.append(len(given))
            logits, values = net(given)
            return torch.softmax(logits, dim=1), values

        return step

    used: list[int] = []
    monkeypatch.setattr(graphs, "DEVICE", "cpu")
    monkeypatch.setattr(graphs, "_recorded", recorded)
    torch.manual_seed(0)
    net = AlphaZeroNet(NetworkConfig(1, 4, 2)).eval()
    found, states = graphs.graphed(net, largest), cost.sample_states(largest)
    for part in (states, states[:1]):
        for ours, theirs in zip(found(part), evaluator(net)(part), strict=True):
            np.testing.assert_allclose(ours, theirs, atol=1e-6)
    assert max(made) == wanted
    assert used == [wanted, 64]
    with pytest.raises(ValueError, match=f"at most {wanted}"):
        found(cost.sample_states(wanted + 1))


def test_the_default_gpu_gets_the_trainer_with_graphs() -> None:
    kinds = [cli_training._kind(device) for device in ("cpu", "cuda", "cuda:1")]
    assert all(issubclass(kind, Trainer) for kind in kinds)
    assert [issubclass(kind, GraphTrainer) for kind in kinds] == [False, True, False]


def test_the_outlook_times_what_self_play_does(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def timed(evaluate: Evaluator, batch: int, **_: object) -> float:
        asked.append((evaluate(GAME.initial(2))[1].shape, batch))
        return 1.0

    monkeypatch.setattr(cost, "positions_per_second", timed)
    monkeypatch.setattr(graphs, "graphed", plain)
    trainer = GraphTrainer(TINY)
    for size in (4, 256):
        trainer.side_by_side = size
        cli_training.outlook(trainer)
    cli_training.outlook(Trainer(TINY))
    assert asked == [((2,), 4), ((2,), TINY.training.stage(0).games), ((2,), 8)]


@needs_gpu
@pytest.mark.parametrize("amp", [False, True])
def test_graphs_evaluate_as_the_network_does(amp: bool) -> None:
    torch.manual_seed(0)
    net = AlphaZeroNet(NetworkConfig(2, 16)).eval()
    wanted, states = evaluator(net), cost.sample_states(200)
    found = graphs.graphed(net, 150, amp=amp)
    for part in (states[:1], states[:64], states[64:200]):
        for ours, theirs in zip(found(part), wanted(part), strict=True):
            np.testing.assert_allclose(ours, theirs, atol=1e-2 if amp else 1e-4)


@needs_gpu
def test_a_run_with_graphs_goes_on_where_it_stopped(tmp_path: Path) -> None:
    trainer = GraphTrainer(TINY, seed=1, device="cuda")
    trainer.train_iteration()
    trainer.save(tmp_path / "run")
    again = GraphTrainer.resume(tmp_path / "run", device="cuda")
    assert again.iteration == 1
    assert np.isfinite(again.train_iteration()["policy_loss"])


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
@pytest.mark.parametrize(
    "make",
    [gpu_cost.make_gpu_cost, gpu_training.make_gpu_training, gpu_training.make_gpu_residual,
     gpu_training.make_gpu_table],
)  # fmt: skip
def test_without_a_gpu_one_line_says_so(make: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match="no device 'cuda' here: cpu"):
        make()


# ---------------------------------------------------------------------------- speed and memory


@pytest.mark.parametrize("amp", [False, True])
@pytest.mark.parametrize("batch", [1024, 2048, 4096])
def test_memory_is_what_the_arithmetic_says(amp: bool, batch: int) -> None:
    """At the published size; in smaller batches what else a GPU needs shows."""
    network = NetworkConfig()
    wanted = cost.parameter_bytes(count_parameters(network), amp=amp)
    wanted += cost.activation_bytes(network, batch, amp=amp)
    assert gpu_cost.gib(batch, amp=amp) == pytest.approx(wanted / 2**30, rel=0.02)


INVENTED = pd.DataFrame(
    {
        "device": "a GPU", "network": "30 x 512", "mixed_precision": [False, True] * 2,
        "task": ["evaluate"] * 2 + ["learn"] * 2, "batch": [64, 1024, 256, 256],
        "per_second": [1000.0, 500.0, 20.0, 50.0], "gib": [np.nan, np.nan, 4.0, 3.0],
    }
)  # fmt: skip


def test_speeds_become_days_and_a_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "read_table", lambda _: INVENTED)
    monkeypatch.setattr(cost, "simulations", lambda _: 1000.0 * 3600 * 24)
    monkeypatch.setattr(cost, "draws", lambda _: 50 * 3600 * 12)
    monkeypatch.setattr(gpu_cost, "count_multiplications", lambda _: 10)
    assert gpu_cost.published_days() == pytest.approx(1.5)
    assert gpu_cost.published_days(1024) == pytest.approx(2.5)
    assert gpu_cost.used() == pytest.approx(20_000 / gpu_cost.PEAK)
    assert (gpu_cost.best("evaluate"), gpu_cost.best_batch("evaluate")) == (1000, 64)
    assert (gpu_cost.gib(256, amp=False), gpu_cost.gib(256, amp=True)) == (4, 3)
    assert gpu_cost.device() == "a GPU"


def test_samples_to_time_are_ordinary_ones() -> None:
    found = gpu_cost.samples(30)
    assert [len(part) for part in found] == [30, 30, 30]
    np.testing.assert_array_equal(found.visits > 0, GAME.legal(found.states))


def test_stored_speeds_cover_every_size() -> None:
    table = store.read_table(gpu_cost.FILE)
    sizes = {"{} x {}".format(*size) for size in cost.SIZES}
    assert set(table["network"]) == sizes
    for (_, task, _), part in table.groupby(["network", "task", "mixed_precision"]):
        batches = {"evaluate": gpu_cost.EVALUATED, "as a graph": gpu_cost.GRAPHS,
                   "learn": gpu_cost.LEARNED}[task]  # fmt: skip
        assert tuple(part["batch"]) == batches
    assert set(table.query("task == 'as a graph'")["network"]) == {
        "{} x {}".format(*gpu_cost.GRAPHED)
    }


# ---------------------------------------------------------------------------- the recorded run


@pytest.mark.usefixtures("no_graphs")
def test_a_small_run_is_trained_and_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu_training, "RUNS", {"residual net": TINY})
    monkeypatch.setattr(gpu_training, "DEVICE", "cpu")
    monkeypatch.setattr(gpu_training, "WORKERS", {"residual net": 1})
    monkeypatch.setattr(gpu_training, "ALONG", gpu_training.Pairing(3, "UCT 2", 2))
    last = gpu_training.Pairing(2, "residual net", 4)
    monkeypatch.setattr(gpu_training, "LAST", {"residual net": (last,)})
    gpu_training.main(["residual net", "5", str(tmp_path)])
    rows = list(gpu_training.measured(5, tmp_path))
    assert {row["seed"] for row in rows} == {5}
    path = gpu_training.checkpoint_of(tmp_path, "residual net", 8)
    assert checkpoint.load_net(path)[1]["seed"] == 5
    assert [row["iteration"] for row in rows] == [1, 2, 3, 4, 5, 6, 7, 8, 8]
    assert [row["self_play_games"] for row in rows][:2] == [6, 12]
    assert {row["opponent"] for row in rows[:-1]} == {"UCT 2"}
    assert rows[-1]["opponent"] == "residual net"
    assert rows[-1]["games"] == 4
    path = tmp_path / "residual net" / gpu_training.LOG
    path.write_text("iteration,minutes\n" + "".join(f"{n},{n / 4}\n" for n in range(1, 9)))
    rows = list(gpu_training.measured(5, tmp_path))
    assert [row["minutes"] for row in rows] == [row["iteration"] / 4 for row in rows]


@pytest.mark.parametrize("name", gpu_training.RUNS)
def test_the_stored_network_of_a_run_is_its_own(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ends = {one: one.encode() for one in gpu_training.RUNS}
    monkeypatch.setattr(gpu_training, "_made", lambda: (pd.DataFrame(), ends))
    file = f"ultimate_gpu_{name.removesuffix(' net')}.safetensors"
    made_by = {entry.file: entry.made_by for entry in store.manifest()}
    assert store.resolve(made_by[file])() == name.encode()


def test_a_failed_training_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Job:
        def __init__(self, command: list[str]) -> None:
            self.failed = command[-3:-1] == ["table net", "7"]

        def wait(self) -> int:
            return int(self.failed)

    monkeypatch.setattr(gpu_training, "check_device", lambda _: "cuda")
    monkeypatch.setattr(gpu_training.subprocess, "Popen", Job)
    with pytest.raises(ValueError, match="a training failed"):
        gpu_training.train_both(7, tmp_path)
    gpu_training.train_both(8, tmp_path)


@pytest.mark.parametrize("name", gpu_training.RUNS)
def test_stored_networks_are_those_of_the_runs(name: str) -> None:
    path = store.data_dir() / f"ultimate_gpu_{name.removesuffix(' net')}.safetensors"
    _, about = checkpoint.load_net(path)
    wanted = gpu_training.RUNS[name]
    assert Config.from_dict(about["config"]) == wanted
    assert (about["seed"], about["iteration"]) == (
        gpu_training.STORED, wanted.training.num_iterations
    )  # fmt: skip
    moves = choose(gpu_training.player(path, 2), GAME.initial(2), np.random.default_rng(0))
    assert GAME.legal(GAME.initial(2))[[0, 1], moves].all()


def test_stored_matches_are_those_of_the_plan() -> None:
    table = store.read_table(gpu_training.FILE)
    assert tuple(table["seed"].unique()) == gpu_training.SEEDS
    for (name, _), rows in table.groupby(["network", "seed"]):
        along = rows[rows["opponent"] == "UCT 1,000"]
        assert along["iteration"].tolist() == gpu_training.kept(str(name))
        assert along["minutes"].is_monotonic_increasing
        last = rows[rows["opponent"] != "UCT 1,000"]
        wanted = [(p.simulations, p.games) for p in gpu_training.LAST.get(str(name), ())]
        assert list(zip(last["simulations"], last["games"], strict=True)) == wanted
        games = gpu_training.RUNS[str(name)].training.stage(0).games
        assert (table.loc[rows.index, "self_play_games"] == rows["iteration"] * games).all()
