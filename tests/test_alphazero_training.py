"""Self-play, replay, training, checkpoints and settings of the table net, at tiny sizes."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from trainings import check_positions, check_proven_wins, same

from ttt_lib import catalog, cli
from ttt_lib.evidence import store
from ttt_lib.game.match import MatchResult, match, random_openings
from ttt_lib.game.policy import Agent, random_agent
from ttt_lib.ultimate import cli_training
from ttt_lib.ultimate.board import symmetry
from ttt_lib.ultimate.board.game import Ultimate, playable
from ttt_lib.ultimate.board.kernels import RESULT
from ttt_lib.ultimate.board.rules import legal_moves, play, start
from ttt_lib.ultimate.config import (
    CONFIGS,
    LITE,
    QUICK,
    Config,
    DTWConfig,
    NetworkConfig,
    Stage,
    TableConfig,
    TrainingConfig,
    config,
)
from ttt_lib.ultimate.learn import checkpoint
from ttt_lib.ultimate.learn import trainer as trainer_module
from ttt_lib.ultimate.learn.driver import self_play
from ttt_lib.ultimate.learn.replay_buffer import Replay, Samples, phase_weights, transformed
from ttt_lib.ultimate.learn.trainer import (
    Trainer,
    csv_of,
    learning_rate,
    losses,
    play_settings,
    train,
    with_changes,
)
from ttt_lib.ultimate.network.resnet import AlphaZeroNet
from ttt_lib.ultimate.network.tablenet import compile_tables
from ttt_lib.ultimate.players import AlphaZeroAgent, create_prediction_agent, stored_tables
from ttt_lib.ultimate.search.tree_search import uct
from ttt_lib.ultimate.solver.solver import DTWSolver
from ttt_lib.ultimate.studies import OPENING_PLIES

GAME = Ultimate()
TINY = Config(
    "tiny",
    replace(
        LITE.training, num_iterations=4, num_train_epochs=3, batch_size=32,
        replay_buffer_size=150, stages=(Stage(1.0, 12, 8, 1.0),), save_interval=1,
        fast_simulations=6,
    ),
    TableConfig(body=8, parts=4, over=4, rows=8, value=4, channels=2),
)  # fmt: skip


@pytest.fixture(scope="module")
def trained() -> Trainer:
    trainer = Trainer(TINY, seed=3)
    trainer.train_iteration()
    return trainer


@pytest.fixture(scope="module")
def samples(trained: Trainer) -> Samples:
    return self_play(trained.tables, 60, play_settings(TINY, TINY.training.stages[0]), rng=1)


# ---------------------------------------------------------------------------- settings


def test_published_defaults() -> None:
    training, network, solver = TrainingConfig(), NetworkConfig(), DTWConfig()
    assert (network.num_res_blocks, network.num_channels, network.reduction) == (30, 512, 16)
    assert (training.num_iterations, training.num_self_play_games) == (300, 250)
    assert (training.num_simulations, training.batch_size, training.lr) == (800, 4096, 0.002)
    assert (training.replay_buffer_size, training.num_train_epochs) == (1_000_000, 40)
    assert training.use_amp
    assert (solver.endgame_threshold, solver.midgame_threshold, solver.shallow_depth) == (15, 45, 8)
    assert (solver.hot_cache_size, solver.cold_cache_size) == (5_000_000, 20_000_000)


def test_published_schedule_by_share_of_the_run() -> None:
    found = [TrainingConfig().stage(i) for i in (0, 59, 60, 149, 150, 239, 240, 299)]
    assert [s.simulations for s in found] == [200, 200, 380, 380, 560, 560, 800, 800]
    assert [s.games for s in found] == [83, 83, 133, 133, 183, 183, 250, 250]
    assert [s.temperature for s in found] == [1, 1, 1, 1, 0.65, 0.65, 0.3, 0.3]
    with pytest.raises(ValueError, match="0 to 299, not 300"):
        TrainingConfig().stage(300)


@pytest.mark.parametrize("name", CONFIGS)
def test_no_stage_is_cut(name: str) -> None:
    """Simulations and games at full strength are those of the largest stage."""
    training = config(name).training
    assert max(stage.simulations for stage in training.stages) == training.num_simulations
    assert max(stage.games for stage in training.stages) == training.num_self_play_games


def test_a_taught_network_learns_from_its_teachers_games_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    players = list[str]()

    def play(network: object, games: int, settings: object, **more: object) -> Samples:
        players.append("teacher" if network is teacher else "itself")
        return self_play(network, games, settings, **more)  # type: ignore[arg-type]

    teacher = Trainer(TINY, seed=9).tables
    monkeypatch.setattr(trainer_module, "self_play", play)
    monkeypatch.setattr(trainer_module, "load_playable", lambda path: teacher)
    taught = Trainer(TINY, seed=1, taught=2)
    for _ in range(4):
        taught.train_iteration()
    assert players == ["teacher", "teacher", "itself", "itself"]
    assert (store.data_dir() / checkpoint.TEACHER).exists()
    with pytest.raises(ValueError, match="taught must be in"):
        with_changes(TINY, taught=TINY.training.num_iterations + 1)


def test_full_strength_is_a_limit() -> None:
    stage = TrainingConfig(num_simulations=300, num_self_play_games=100).stage(299)
    assert (stage.simulations, stage.games, stage.temperature) == (300, 100, 0.3)


@pytest.mark.parametrize("name", CONFIGS)
def test_settings_survive_json(name: str) -> None:
    found = Config.from_dict(json.loads(json.dumps(config(name).as_dict())))
    assert found == config(name)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: config("huge"),
            "unknown configuration 'huge': published, lite, large, quick, notebook, resnet",
        ),
        (lambda: TrainingConfig(batch_size=0), "batch_size must be at least 1, not 0"),
        (lambda: TrainingConfig(lr=float("nan")), "lr must be in"),
        (lambda: TrainingConfig(noise=1.5), r"noise must be in \[0, 1\], not 1.5"),
        (lambda: TrainingConfig(stages=()), "stages must rise to 1.0"),
        (lambda: TrainingConfig(stages=(Stage(0.5, 1, 1, 1.0),)), "stages must rise to 1.0"),
        (lambda: TrainingConfig(phase_weights=((10, 1.0),)), "fall to 0"),
        (lambda: TrainingConfig(phase_weights=((0, 0.0),)), "positive"),
        (lambda: NetworkConfig(num_channels=0), "num_channels must be in"),
        (lambda: TableConfig(rows=0), "rows must be in"),
        (lambda: DTWConfig(midgame_threshold=3), "midgame_threshold must be in"),
        (lambda: Stage(0.5, 0, 1, 1.0), "simulations must be at least 1"),
        (lambda: Config.from_dict({"name": "x"}), "not a configuration"),
        (lambda: Config.from_dict({**Config().as_dict(), "dtw": {"x": 1}}), "not a configuration"),
        (lambda: Trainer(TINY, device="meta"), "a table net trains on the cpu, not on 'meta'"),
        (lambda: Trainer(TINY, lr=-1), "lr must be in"),
        (lambda: Trainer(TINY).train_iteration(num_simulations=0), "simulations must be at least"),
        (lambda: Trainer(TINY).train_iteration(num_train_epochs=0), "num_train_epochs must be"),
        (lambda: Trainer(TINY, threads=0), "threads >= 1"),
        (lambda: with_changes(config("resnet"), double=True), "double precision is for table nets"),
        (lambda: Replay(0), "not 0"),
        (lambda: match(random_agent(GAME), random_agent(GAME), 3, openings=4), "even number"),
    ],
)
def test_bad_settings(make: object, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        make()  # type: ignore[operator]
    assert "\n" not in str(caught.value)


def test_learning_rate_is_a_falling_cosine() -> None:
    rates = [learning_rate(QUICK, i) for i in range(QUICK.training.num_iterations)]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] == QUICK.training.lr
    assert rates[-1] == pytest.approx(QUICK.training.lr / 100)
    assert sum(rates) / len(rates) == pytest.approx(QUICK.training.lr * 0.505)


def test_an_optimizer_begins_with_the_rate_and_the_decay_of_its_settings() -> None:
    for decay in (1e-4, 0.03):
        [group] = Trainer(with_changes(QUICK, weight_decay=decay)).optimizer.param_groups
        assert (group["lr"], group["weight_decay"]) == (QUICK.training.lr, decay)


def test_a_learning_rate_falls_along_a_cosine() -> None:
    """At a quarter of the run it has lost an eighth and a bit, not a quarter, of its way."""
    quarter = QUICK.training.num_iterations // 4
    way = (1 + np.cos(np.pi * quarter / (QUICK.training.num_iterations - 1))) / 2
    rate = QUICK.training.lr * (0.01 + 0.99 * way)
    assert learning_rate(QUICK, quarter) == pytest.approx(rate)


def test_a_restart_is_a_short_run_and_the_rest_of_a_long_one() -> None:
    """So that one run repeats what two did, the second going on from the first."""
    assert LITE.training.restarts == (220,)
    short, long = (with_changes(LITE, restarts=(), num_iterations=n) for n in (220, 700))
    for i in range(700):
        assert learning_rate(LITE, i) == learning_rate(short if i < 220 else long, i)
    assert learning_rate(LITE, 220) > 50 * learning_rate(LITE, 219)
    cut = with_changes(LITE, num_iterations=40)
    assert learning_rate(cut, 39) == pytest.approx(LITE.training.lr / 100)
    with pytest.raises(ValueError, match="restarts must rise"):
        with_changes(LITE, restarts=(30, 30))


def test_stages_of_lite_are_those_of_its_two_runs() -> None:
    first = (Stage(0.1, 64, 1000, 1.0), Stage(0.5, 128, 1000, 1.0), Stage(1.0, 192, 1000, 1.0))
    then = (Stage(0.7, 192, 1000, 1.0), Stage(1.0, 256, 1000, 1.0))
    runs = (with_changes(LITE, num_iterations=220, stages=first), with_changes(LITE, stages=then))
    for i in range(700):
        simulations = runs[i >= 220].training.stage(i).simulations
        assert LITE.training.stage(i).simulations == simulations


# ---------------------------------------------------------------------------- self-play, replay


def test_samples_are_positions_of_games_and_wins_in_one_are_proven(samples: Samples) -> None:
    check_positions(samples)
    check_proven_wins(samples)
    assert len(samples.states) > 400


def test_self_play_is_the_same_on_any_number_of_threads(trained: Trainer, samples: Samples) -> None:
    how, tables = play_settings(TINY, TINY.training.stages[0]), trained.tables
    again = self_play(tables, 60, how, rng=1, threads=3)
    assert all((a == b).all() for a, b in zip(samples, again, strict=True))
    other = self_play(tables, 60, how, rng=2)
    assert len(other.states) != len(samples.states) or (other.states != samples.states).any()


def test_all_outcome_targets_are_results(trained: Trainer) -> None:
    """Without the search's part, an unproven value is that of the game: a whole number."""
    how = play_settings(TINY, TINY.training.stages[0])._replace(mix=0.0, share=1.0)
    found = self_play(trained.tables, 4, how, rng=0)
    assert set(np.unique(found.values)) <= {-1, 0, 1}


def test_turned_samples_agree_with_the_game(samples: Samples) -> None:
    which = np.arange(len(samples.states)) % 8
    found = transformed(samples, which)
    assert (found.values == samples.values).all()
    assert not found.visits[~GAME.legal(found.states)].any()
    assert (found.visits.sum(axis=1) == samples.visits.sum(axis=1)).all()
    back = transformed(found, symmetry.INVERSE[which])
    assert (back.states == samples.states).all()
    assert (back.visits == samples.visits).all()
    assert (transformed(samples, which).states != samples.states).any(axis=1).mean() > 0.8


def test_phases_count_playable_cells(samples: Samples) -> None:
    table = {9: 0.4, 10: 0.6, 19: 0.6, 20: 1.0, 25: 1.0, 26: 1.2, 29: 1.2, 30: 1.0, 81: 1.0}
    weights, cells = phase_weights(samples.states), playable(samples.states)
    for count, weight in zip(cells, weights, strict=True):
        assert weight == table[min(k for k in table if k >= count)]
    assert set(weights) == {0.4, 0.6, 1.0, 1.2}


def test_draws_follow_the_weights(samples: Samples) -> None:
    window = Replay(1000)
    window.add(Samples(*(array[:400] for array in samples)))
    draws = 200_000
    counts = np.bincount(window.draw(draws, np.random.default_rng(0)), minlength=400)
    expected = draws * window.weights[:400] / window.weights[:400].sum()
    chi2 = ((counts - expected) ** 2 / expected).sum()
    assert 399 - 5 * np.sqrt(2 * 399) < chi2 < 399 + 5 * np.sqrt(2 * 399)
    assert len(counts) == 400
    with pytest.raises(ValueError, match="empty"):
        Replay(5).draw(1, np.random.default_rng(0))


def test_the_window_slides(samples: Samples) -> None:
    window = Replay(50)
    for begin in range(0, 210, 30):
        window.add(Samples(*(array[begin : begin + 30] for array in samples)))
    assert window.size == 50
    for name, array in window.state().items():
        assert (array == getattr(samples, name)[160:210]).all()
    window.add(Samples(*(array[:120] for array in samples)))
    assert (window.state()["values"] == samples.values[70:120]).all()


@pytest.mark.parametrize("room", [30, 50, 80, 300])
def test_a_window_is_restored_with_less_room_or_more(samples: Samples, room: int) -> None:
    """Every sample that fits can be drawn, oldest first, and new ones take the oldest's places."""
    old, new = Replay(50), Replay(room)
    for begin in (0, 40):
        old.add(Samples(*(array[begin : begin + 40] for array in samples)))
    new.restore(old.state(), old.begin)
    first = max(30, 80 - room)
    assert (new.state()["values"] == samples.values[first:80]).all()
    assert (new.weights[: new.size] > 0).all()
    new.add(Samples(*(array[80:90] for array in samples)))
    assert (new.state()["values"] == samples.values[max(30, 90 - room) : 90]).all()


# ---------------------------------------------------------------------------- training


def test_learning_lowers_the_losses(samples: Samples) -> None:
    trainer = Trainer(TINY, seed=1)
    trainer.replay.add(samples)
    before = sum(part.item() for part in losses(trainer.learner, samples))
    for number in range(30):
        trainer.learn(np.random.default_rng(number))
    assert sum(part.item() for part in losses(trainer.learner, samples)) < before - 0.05


def in_parts(size: int | None, **settings: Any) -> Trainer:
    """A trainer that learns batches in parts, or, for None, whole."""
    trainer = Trainer(TINY, **settings)
    if size is not None:
        trainer.limit(size)
    return trainer


def gradients(samples: Samples, double: bool, micro_batch: int | None) -> Trainer:
    """A trainer that has made one step, on 32 samples."""
    trainer = in_parts(micro_batch, seed=1, double=double)
    trainer.replay.add(samples)
    trainer.learn(np.random.default_rng(0), 1)
    return trainer


@pytest.mark.parametrize(("double", "near"), [(False, 1e-6), (True, 1e-14)])
@pytest.mark.parametrize("micro_batch", [16, 12, 31, 1])
def test_a_batch_in_parts_teaches_what_it_teaches_at_once(
    samples: Samples, double: bool, near: float, micro_batch: int
) -> None:
    """Also where the last part is a smaller one; the weights move by far more than that."""
    whole, parts = (gradients(samples, double, size) for size in (None, micro_batch))
    begun = Trainer(TINY, seed=1, double=double)
    triples = zip(*(t.net.parameters() for t in (whole, parts, begun)), strict=True)
    for one, other, before in triples:
        assert one.grad is not None
        assert other.grad is not None
        assert torch.allclose(one.grad, other.grad, rtol=0, atol=near)
        # Adam's first step is the gradient's sign: where there is one, it must be the same.
        seen = one.grad.abs() > 1e-4
        assert torch.allclose(one[seen], other[seen], rtol=0, atol=1e-6)
        assert ((one - before).abs()[seen] > 1e-3).all()
    rng = np.random.default_rng
    assert whole.learn(rng(1), 1) == pytest.approx(parts.learn(rng(1), 1), abs=1e-5)


def test_no_more_than_a_micro_batch_is_learned_from_at_once(
    samples: Samples, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = list[int]()

    def counted(learner: object, part: Samples) -> tuple[torch.Tensor, torch.Tensor]:
        seen.append(len(part.states))
        return losses(learner, part)  # type: ignore[arg-type]

    monkeypatch.setattr(trainer_module, "losses", counted)
    gradients(samples, False, None)
    gradients(samples, False, 12)
    assert seen == [32, 12, 12, 8]


def test_a_run_goes_on_with_another_micro_batch(tmp_path: Path) -> None:
    first, whole = in_parts(20, seed=5), Trainer(TINY, seed=5)
    for trainer in (first, whole):
        trainer.train_iteration()
    first.save(tmp_path / "run.safetensors")
    _, about = checkpoint.read(tmp_path / "run.safetensors")
    assert Config.from_dict(about["config"]) == TINY
    second = Trainer.resume(tmp_path / "run.safetensors")
    second.limit(7)
    assert (second.micro_batch, second.iteration) == (7, 1)
    second.train_iteration()
    for one, other in zip(first.net.parameters(), whole.net.parameters(), strict=True):
        assert torch.allclose(one, other, atol=1e-4)
    for wrong in (-1, 0, 33):
        with pytest.raises(ValueError, match=f"in 1 to the batch_size, 32, not {wrong}"):
            second.limit(wrong)


@pytest.mark.parametrize("double", [False, True])
def test_resumed_is_uninterrupted(tmp_path: Path, double: bool) -> None:
    """The window (150 samples) overflows on the way, so its order counts too."""
    whole = Trainer(TINY, seed=5, double=double)
    first = Trainer(TINY, seed=5, threads=2, double=double)
    for _ in range(4):
        whole.train_iteration()
    for _ in range(2):
        first.train_iteration()
    first.save(tmp_path / "run.safetensors")
    second = Trainer.resume(tmp_path / "run.safetensors")
    assert second.replay.size == 150
    train(second, tmp_path)
    assert second.iteration == whole.iteration == 4
    assert same(whole, second)
    keys = [k for k in whole.log[0] if k != "cpu_minutes"]
    assert [[r[k] for k in keys] for r in whole.log] == [[r[k] for k in keys] for r in second.log]
    assert not same(whole, first)
    lines = (tmp_path / "log.csv").read_text().splitlines()
    assert len(lines) == 5
    net, about = checkpoint.load_net(tmp_path / "net.safetensors")
    assert about["seed"] == 5
    assert about["cpu_minutes"] > 0
    assert Config.from_dict(about["config"]) == with_changes(TINY, double=double)
    assert {p.dtype for p in net.parameters()} == {torch.float64 if double else torch.float32}
    tables = compile_tables(net)  # type: ignore[arg-type]
    assert all(np.array_equal(a, b) for a, b in zip(tables, whole.tables, strict=True))


def test_log_as_csv() -> None:
    assert csv_of([{"a": 1.0}, {"a": 2.0, "b": 0.5}]) == "a,b\n1,\n2,0.5\n"


# ---------------------------------------------------------------------------- checkpoints


def test_failing_writes_leave_the_last_checkpoint(
    trained: Trainer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.safetensors"
    trained.save(path)
    before = path.read_bytes()

    def full_disk(self: Path, data: bytes) -> int:
        with self.open("wb") as file:
            file.write(data[: len(data) // 2])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full_disk)
        with pytest.raises(ValueError, match="No space left"):
            trained.save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    # Killed half way: the part that lies beside is never read.
    (tmp_path / ".run.safetensors.1.part").write_bytes(before[:100])
    assert same(Trainer.resume(path), trained)


@pytest.mark.parametrize("keep", [0, 4, 100, 0.5, 0.999])
def test_truncated_checkpoints_are_refused(trained: Trainer, tmp_path: Path, keep: float) -> None:
    path = tmp_path / "net.safetensors"
    trained.save_net(path)
    data = path.read_bytes()
    path.write_bytes(data[: int(keep * len(data)) if isinstance(keep, float) else keep])
    with pytest.raises(ValueError, match="damaged") as caught:
        checkpoint.load_net(path)
    assert "\n" not in str(caught.value)


def test_foreign_checkpoints_are_refused(trained: Trainer, tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    with pytest.raises(ValueError, match=re.escape(f"no checkpoint {path}: train")):
        checkpoint.load_net(path)
    save_file({"x": torch.zeros(3)}, path)
    with pytest.raises(ValueError, match="no file of format ttt-ultimate-1"):
        checkpoint.load_net(path)
    checkpoint.write(path, {"x": torch.zeros(3)}, {})
    with pytest.raises(ValueError, match="no configuration"):
        checkpoint.load_net(path)
    torch.save(trained.net.state_dict(), path)
    with pytest.raises(ValueError, match="damaged or no safetensors"):
        checkpoint.load_net(path)
    trained.save_net(path)
    with pytest.raises(ValueError, match="not a run to go on with"):
        Trainer.resume(path)


def test_other_architectures_are_refused(trained: Trainer, tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    weights = {checkpoint.PREFIX + k: t for k, t in trained.net.state_dict().items()}
    other = replace(TINY, network=replace(TINY.network, rows=12))
    checkpoint.write(path, weights, {"config": other.as_dict()})
    with pytest.raises(ValueError, match="another architecture: forced is"):
        checkpoint.load_net(path)
    residual = replace(with_changes(TINY, q_scale=0.0), network=NetworkConfig(1, 4, 2))
    checkpoint.write(path, weights, {"config": residual.as_dict()})
    with pytest.raises(ValueError, match="another architecture"):
        checkpoint.load_net(path)
    broken = {k: t * float("nan") for k, t in weights.items()}
    checkpoint.write(path, broken, {"config": TINY.as_dict()})
    with pytest.raises(ValueError, match="no finite numbers"):
        checkpoint.load_net(path)


def test_residual_networks_are_stored_too(tmp_path: Path) -> None:
    shape = replace(with_changes(TINY, q_scale=0.0), network=NetworkConfig(1, 4, 2))
    net = AlphaZeroNet(NetworkConfig(1, 4, 2))
    weights = {checkpoint.PREFIX + k: t for k, t in net.state_dict().items()}
    checkpoint.write(tmp_path / "r", weights, {"config": shape.as_dict()})
    found, _ = checkpoint.load_net(tmp_path / "r")
    assert all(torch.equal(a, b) for a, b in zip(net.parameters(), found.parameters(), strict=True))
    with pytest.raises(ValueError, match="residual network"):
        stored_tables(tmp_path / "r")


def test_a_player_that_reads_a_network_leaves_the_global_generator_alone(
    trained: Trainer, tmp_path: Path
) -> None:
    table, residual = tmp_path / "t", tmp_path / "r"
    trained.save(table)
    shape = replace(with_changes(TINY, q_scale=0.0), network=NetworkConfig(1, 4, 2))
    weights = AlphaZeroNet(NetworkConfig(1, 4, 2)).state_dict()
    named = {checkpoint.PREFIX + name: tensor for name, tensor in weights.items()}
    checkpoint.write(residual, named, {"config": shape.as_dict()})
    before = torch.random.get_rng_state()
    for path in (table, residual):
        catalog.agent(f"alphazero:simulations=4,net={path}", "ultimate")
    stored_tables(table)
    create_prediction_agent(residual)
    assert torch.equal(torch.random.get_rng_state(), before)


# ---------------------------------------------------------------------------- agents, matches


def test_agent_under_the_documents_names(trained: Trainer) -> None:
    agent = AlphaZeroAgent(trained.net, num_simulations=30, dtw_calculator=DTWSolver())
    board = play(start(), 40)
    chances = agent.get_action_probs(board, temperature=1.0)
    assert chances.sum() == pytest.approx(1)
    assert agent.get_action_probs(board, temperature=0).max() == 1
    assert agent.select_action(board, temperature=0) == agent.select_action(board, temperature=0)
    assert agent.select_action(board) in legal_moves(board)
    with pytest.raises(ValueError, match="temperature"):
        agent.get_action_probs(board, temperature=-1)
    with pytest.raises(ValueError, match="2 or more"):
        AlphaZeroAgent(trained.net, num_simulations=1)


def test_openings_are_running_games_and_pairs_change_sides() -> None:
    found = random_openings(GAME, 6, 5, np.random.default_rng(0))
    assert (found[:, RESULT] == 0).all()
    assert len(np.unique(found, axis=0)) > 1
    better = match(uct(GAME, 60), random_agent(GAME), 20, rng=0, openings=4)
    worse = match(random_agent(GAME), uct(GAME, 60), 20, rng=0, openings=4)
    assert better.score > 0.8
    assert worse.score < 0.2


def test_networks_on_the_way_are_kept_and_can_be_played(tmp_path: Path) -> None:
    config = with_changes(TINY, num_iterations=3)
    train(Trainer(config, seed=1), tmp_path, history=2)
    assert [path.name for path in (tmp_path / "history").iterdir()] == ["0002.safetensors"]
    old, new = tmp_path / "history" / "0002.safetensors", tmp_path / "net.safetensors"
    names = [f"alphazero:simulations=4,net={path},solver=8" for path in (old, new)]
    players = [catalog.agent(name, "ultimate") for name in names]
    assert match(*players, 2, openings=4).games == 2
    with pytest.raises(ValueError, match="history"):
        train(Trainer(config), tmp_path / "other", history=-1)


def test_command_trains_goes_on_and_evaluates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(CONFIGS, "tiny", TINY)
    out = str(tmp_path / "run")
    train_it = ["ultimate", "train", "--config", "tiny", "--out", out, "--seed", "2"]
    assert cli.main([*train_it, "--json", "--games", "2"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["iteration"] == 4
    assert captured.err.count("min left") == 4
    log = (tmp_path / "run" / "log.csv").read_text()
    assert "uct_1000" in log
    assert cli.main(train_it) == 2
    assert "--resume" in capsys.readouterr().err
    assert cli.main([*train_it, "--resume"]) == 0
    assert (tmp_path / "run" / "log.csv").read_text() == log
    net = str(tmp_path / "run" / "net.safetensors")
    evaluate = ["ultimate", "evaluate", "--checkpoint", net, "--games", "2", "--simulations", "8"]
    capsys.readouterr()
    assert cli.main([*evaluate, "--iterations", "0", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["games"] == 2
    assert told["trainings"] == {"net.safetensors": told["cpu_minutes"]}, "it had no teacher"
    assert cli.main(["ultimate", "evaluate", "--checkpoint", str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_stored_network_is_small_and_says_where_it_is_from() -> None:
    path = store.data_dir() / checkpoint.STORED
    assert path.stat().st_size <= 5_000_000
    _, about = checkpoint.load_net()
    assert {"seed", "config", "cpu_minutes", "command"} <= set(about)


# ---------------------------------------------------------------------------- words of commands


def test_evaluation_heeds_solver_and_seed_and_its_words_are_its_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[object] = []
    player, played = cli_training.alphazero, cli_training.match

    def alphazero(*arguments: object, device: str) -> object:
        asked.append((*arguments[1:], device))
        return player(*arguments)

    monkeypatch.setattr(cli_training, "check_typed_device", lambda device: None)

    def a_match(
        one: Agent, other: Agent, games: int, *, rng: int, openings: int, progress: bool
    ) -> object:
        asked.append((other.name, games, rng, openings))
        assert not progress
        return played(one, other, games, rng=rng, openings=openings)

    monkeypatch.setattr(cli_training, "alphazero", alphazero)
    monkeypatch.setattr(cli_training, "match", a_match)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    cli_training.evaluate(None, 4, 0, 2, 8, solver=3, device="cuda")
    found, text = cli_training.evaluate(None, 4, 5, 6, 7, solver=9)
    assert asked == [
        (4, "stored", 3, "cuda"),
        ("random", 2, 8, OPENING_PLIES),
        (4, "stored", 9, "cpu"),
        ("uct:iterations=5", 6, 7, OPENING_PLIES),
    ]
    told: dict[str, Any] = {"games": 6, "simulations": 4, "iterations": 5, "seed": 7}
    files = checkpoint.STORED, checkpoint.ENDGAME, checkpoint.TEACHER
    headers = {file: checkpoint.load_net(store.data_dir() / file)[1] for file in files}
    trainings = {file: about["cpu_minutes"] for file, about in headers.items()}
    told |= {"cpu_minutes": sum(trainings.values()), "trainings": trainings}
    assert found.items() >= told.items()
    low, high = found["score_interval"]
    score = (found["win"] + found["draw"] / 2) / 6
    lines = text.splitlines()
    assert lines[-1] == f"score {score:.3f}  [{low:.3f}, {high:.3f}] over pairs"
    for line, name in zip(lines, ("win", "draw", "loss"), strict=False):
        low, high = found["intervals"][name]
        assert line.split() == [name, str(found[name]), f"[{low:.2%},", f"{high:.2%}]"]


def test_strength_is_measured_against_the_opponent_that_its_column_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked, network = list[object](), AlphaZeroNet(NetworkConfig(1, 4, 2))

    def agent(network: object, simulations: int) -> str:
        asked.append((network, simulations))
        return "the network"

    def a_match(one: object, other: Agent, games: int, *, rng: int, openings: int) -> MatchResult:
        asked.append((one, other.name, games, rng, openings))
        return MatchResult(games, games, 0, 0, 1.0)

    monkeypatch.setattr(cli_training, "network_agent", agent)
    monkeypatch.setattr(cli_training, "match", a_match)
    [column] = cli_training.measured(8, network)
    opponent = f"uct:iterations={column.removeprefix('uct_')}"
    assert asked == [(network, 200), ("the network", opponent, 8, 1, OPENING_PLIES)]


RESIDUAL = replace(with_changes(TINY, q_scale=0.0), network=NetworkConfig(1, 4, 2))


@pytest.mark.parametrize(
    ("shape", "games", "measured"),
    [(TINY, None, cli_training.MEASURED), (TINY, 6, 6), (TINY, 0, None), (RESIDUAL, None, None),
     (RESIDUAL, 6, 6)],
)  # fmt: skip
def test_a_training_is_the_one_that_was_asked_for(
    shape: Config,
    games: int | None,
    measured: int | None,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    asked: list[Any] = []

    def trains(trainer: Trainer, folder: Path, **how: Any) -> Path:
        asked.append((trainer, folder, how))
        trainer.log.append({"iteration": 4.0})
        return folder / "net"

    monkeypatch.setattr(cli_training, "train", trains)
    monkeypatch.setattr(cli_training, "outlook", lambda trainer: "")
    monkeypatch.setitem(CONFIGS, "tiny", shape)
    found, text = cli_training.run("tiny", 5, tmp_path, 2, False, games, "cpu", 3, 16)
    [(trainer, folder, how)] = asked
    assert found == {"network": "net", "seed": 5, "iteration": 4.0}
    assert [line.split() for line in text.splitlines()] == [[k, str(v)] for k, v in found.items()]
    assert (trainer.config, trainer.seed, trainer.threads) == (shape, 5, 2)
    assert (folder, how["history"]) == (tmp_path, 3)
    assert (how["measure"] and how["measure"].args) == (measured and (measured,))


def test_progress_names_each_loss_by_its_name() -> None:
    row = {"iteration": 3.0, "cpu_minutes": 1.5, "policy_loss": 2.25, "value_loss": 0.5,
           "uct_1000": 0.25}  # fmt: skip
    assert cli_training.progress(row, 4, 90.0) == (
        "3/4  1.5 CPU-min  policy 2.250  value 0.500  uct_1000 0.25  1.5 min left"
    )
