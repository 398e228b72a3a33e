"""The residual network: folded, in self-play, trained, stored, played; what it costs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from torch import nn
from trainings import check_positions, check_proven_wins, same
from ultimate_positions import uniform_evaluator

from ttt_lib import cli
from ttt_lib.game.board import Floats
from ttt_lib.game.match import match
from ttt_lib.game.policy import choose, random_agent
from ttt_lib.ultimate import cli_training
from ttt_lib.ultimate.board.game import Ultimate, playable
from ttt_lib.ultimate.board.kernels import SIDE
from ttt_lib.ultimate.board.rules import legal_moves, play, start
from ttt_lib.ultimate.config import (
    CONFIGS,
    LITE,
    Config,
    NetworkConfig,
    Stage,
    TableConfig,
    TrainingConfig,
)
from ttt_lib.ultimate.learn import checkpoint, selfplay_batch
from ttt_lib.ultimate.learn.driver import self_play
from ttt_lib.ultimate.learn.networks import (
    ResidualLearner,
    evaluator_of,
    load_playable,
    network_agent,
)
from ttt_lib.ultimate.learn.replay_buffer import Samples, joined
from ttt_lib.ultimate.learn.selfplay import ADJUDICATE, PLAY, RELABEL
from ttt_lib.ultimate.learn.trainer import Trainer, losses, play_settings, train
from ttt_lib.ultimate.network.resnet import AlphaZeroNet, count_parameters, folded, planes
from ttt_lib.ultimate.players import (
    QUICK_WIN,
    AlphaZeroAgent,
    create_strong_agent,
    quick_win,
    with_lookup,
)
from ttt_lib.ultimate.search.tree_search import PuctSearch, RootView
from ttt_lib.ultimate.solver.solver import BudgetExceededError, DTWSolver
from ttt_lib.ultimate.studies import cost, matches, replay_sampling, resnet_against_tables

GAME = Ultimate()
TINY = Config(
    "tiny-resnet",
    replace(
        LITE.training, num_iterations=3, num_train_epochs=4, batch_size=32,
        replay_buffer_size=60, stages=(Stage(1.0, 6, 4, 1.0),), save_interval=2,
        fast_simulations=2, use_amp=True, endgame="play", q_scale=0.0,
    ),
    NetworkConfig(1, 4, 2),
)  # fmt: skip
HOW = play_settings(TINY, TINY.training.stages[0])


@pytest.fixture(scope="module")
def trained() -> Trainer:
    trainer = Trainer(TINY, seed=3)
    trainer.train_iteration()
    return trainer


@pytest.fixture(scope="module")
def samples() -> Samples:
    return self_play(uniform_evaluator(GAME), 40, HOW, rng=1)


def restless(shape: NetworkConfig) -> AlphaZeroNet:
    """A network whose normalisations do something."""
    torch.manual_seed(0)
    net = AlphaZeroNet(shape)
    for part in net.modules():
        if isinstance(part, nn.BatchNorm2d):
            for parameter in (part.weight, part.bias, part.running_mean):
                nn.init.normal_(parameter)
            nn.init.uniform_(part.running_var, 0.5, 2)
    return net.eval()


def test_folded_network_says_the_same() -> None:
    net, x = restless(NetworkConfig(2, 6, 3)), torch.from_numpy(planes(cost.sample_states(40)))
    before = {name: t.clone() for name, t in net.state_dict().items()}
    light = folded(net)
    assert not any(isinstance(part, nn.BatchNorm2d) for part in light.modules())
    for one, other in zip(net(x), light(x), strict=True):
        assert torch.allclose(one, other, atol=1e-4)
        assert one.std() > 1e-3
    assert all(torch.equal(t, before[name]) for name, t in net.state_dict().items())


# ---------------------------------------------------------------------------- self-play


def view(visits: list[float], low: list[int], high: list[int]) -> RootView:
    """A root of three moves."""
    parts = [np.array([*part, *[rest] * 78]) for part, rest in ((visits, 0), (low, -1), (high, -2))]
    return RootView(parts[0], np.zeros(81), *(p.astype(np.int8) for p in parts[1:]))


@pytest.mark.parametrize(
    ("visits", "low", "high", "wanted"),
    [
        ([5, 3, 0], [-1, -1, -1], [1, 1, 1], [5, 3, 0]),  # nothing proven
        ([5, 3, 2], [-1, 1, 1], [1, 1, 1], [0, 1, 1]),  # proven wins share all
        ([5, 3, 2], [-1, 0, -1], [-1, 0, 1], [0, 3, 2]),  # a loss and a draw
        ([5, 3, 2], [-1, -1, -1], [-1, 1, 1], [0, 3, 2]),  # a proven loss
        ([5, 3, 2], [-1, -1, -1], [-1, -1, -1], [1, 1, 1]),  # all is lost
        ([0, 0, 0], [-1, -1, -1], [1, 1, 1], [1, 1, 1]),  # nothing tried
    ],
)
def test_targets(visits: list[float], low: list[int], high: list[int], wanted: list[int]) -> None:
    found = selfplay_batch.targets_of(view(visits, low, high))
    assert found[:3].tolist() == wanted
    assert not found[3:].any()


def test_samples_are_positions_of_games_and_wins_in_one_are_proven(samples: Samples) -> None:
    check_positions(samples)
    check_proven_wins(samples)
    assert 0.2 < len(samples.states) / (40 * 50) < 0.4  # a share of 0.3 is searched fully


def test_all_outcome_targets_are_results() -> None:
    how = HOW._replace(mix=0.0, share=1.0)
    found = self_play(uniform_evaluator(GAME), 4, how, rng=0)
    assert set(np.unique(found.values)) <= {-1, 0, 1}
    assert len(found.states) > 4 * 30


@pytest.mark.parametrize("endgame", [RELABEL, ADJUDICATE])
def test_endgames_teach_what_they_teach_a_table_net(endgame: int) -> None:
    """Relabelled: the same games, late values the solver's; cut off: late states aren't there."""
    how = HOW._replace(mix=0.0, share=1.0, endgame=endgame, cells=12)
    played = self_play(uniform_evaluator(GAME), 4, how._replace(endgame=PLAY), rng=0)
    found, solver = self_play(uniform_evaluator(GAME), 4, how, rng=0), DTWSolver()
    late = playable(found.states) <= 12
    truth = [solver.calculate_result(state) for state in found.states[late]]
    assert found.values[late].tolist() == truth
    if endgame == RELABEL:
        assert (played.states == found.states).all()
        assert (played.visits == found.visits).all()
        assert late.sum() > 10
    else:
        assert not late.any()
        assert len(found.states) < len(played.states)


def still(states: np.ndarray) -> tuple[Floats, Floats]:
    """An evaluator without any chance in it."""
    return np.ones((len(states), 81)), np.zeros(len(states))


def test_a_task_is_64_games() -> None:
    """Each task has a random generator of its own, so its size decides which games a seed gives."""
    rngs = np.random.default_rng(1).spawn(2)
    parts = [
        selfplay_batch.play_games(still, HOW, GAME, games, rng)
        for games, rng in zip((64, 1), rngs, strict=True)
    ]
    together, found = joined(parts), self_play(still, 65, HOW, rng=1)
    assert all((a == b).all() for a, b in zip(together, found, strict=True))


def test_any_number_of_threads_plays_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selfplay_batch, "CHUNK", 5)
    one, three = (self_play(still, 12, HOW, rng=1, threads=t) for t in (1, 3))
    assert all((a == b).all() for a, b in zip(one, three, strict=True))
    other = self_play(still, 12, HOW, rng=2)
    assert len(other.states) != len(one.states) or (other.states != one.states).any()
    with pytest.raises(ValueError, match="games and threads >= 1, not 0 and 1"):
        self_play(still, 0, HOW)


def test_moves_are_drawn_by_weight_and_temperature() -> None:
    weights = np.zeros((60_000, 81))
    weights[:, [3, 7, 80]] = 1, 2, 4
    for temperature in (1.0, 0.5):
        moves = selfplay_batch.drawn(weights, temperature, np.random.default_rng(0))
        shares = np.bincount(moves, minlength=81)[[3, 7, 80]] / len(moves)
        wanted = np.array([1, 2, 4]) ** (1 / temperature)
        assert shares == pytest.approx(wanted / wanted.sum(), abs=0.01)


def test_games_begin_after_any_number_of_random_moves_up_to_the_most() -> None:
    states = selfplay_batch.begun(4000, 3, np.random.default_rng(0), GAME)
    plies = np.bincount(np.bitwise_count(states[:, :18]).sum(axis=1))
    assert len(plies) == 4
    assert (np.abs(plies - 1000) < 140).all()  # five standard deviations


def test_each_position_is_searched_once_and_fully_if_all_are() -> None:
    asked = []

    def counted(states: np.ndarray) -> tuple[Floats, Floats]:
        asked.append(len(states))
        return still(states)

    how = HOW._replace(full=2, fast=50, share=1.0, opening=0)
    selfplay_batch.play_games(counted, how, GAME, 2, np.random.default_rng(0))
    assert len(asked) <= 2 * 81


def test_noise_and_full_searches_are_seen() -> None:
    states, rng = GAME.initial(3), np.random.default_rng
    how = HOW._replace(full=40, fast=10)
    quick = selfplay_batch.search_roots(states, still, how, False, rng(0), GAME)
    plain = selfplay_batch.search_roots(states, still, how._replace(noise=0.0), True, rng(0), GAME)
    noisy = selfplay_batch.search_roots(states, still, how, True, rng(0), GAME)
    assert quick.weights.sum(axis=1).tolist() == [9] * 3
    assert plain.weights.sum(axis=1).tolist() == [39] * 3
    assert (plain.weights[0] == plain.weights[1]).all()
    assert (noisy.weights[0] != noisy.weights[1]).any()
    assert (noisy.trust == TINY.training.value_mix).all()


def test_untried_moves_count_a_little_less_than_their_parent() -> None:
    """With a good value at the root, only `fpu` lets a search leave its first favourite alone."""
    good = np.full(1, 0.9)

    def pleased(states: np.ndarray) -> tuple[Floats, Floats]:
        return np.ones((len(states), 81)), np.where(states[:, SIDE] == 0, 1, -1) * good

    greedy = PuctSearch(GAME, GAME.initial(), pleased, c=0.5).run(30)[0]
    wide = PuctSearch(GAME, GAME.initial(), pleased, c=0.5, fpu=0.0).run(30)[0]
    assert (greedy.visits > 0).sum() < (wide.visits > 0).sum()


# ---------------------------------------------------------------------------- training


def test_learning_lowers_the_losses(samples: Samples) -> None:
    trainer = Trainer(TINY, seed=1, replay_buffer_size=1000)
    trainer.replay.add(samples)
    trainer.net.train()
    before = sum(part.item() for part in losses(trainer.learner, samples))
    for number in range(20):
        trainer.learn(np.random.default_rng(number))
    trainer.net.train()
    assert sum(part.item() for part in losses(trainer.learner, samples)) < before - 0.05


def test_batch_normalisation_alone_tells_parts_of_a_batch_from_the_whole(
    samples: Samples, monkeypatch: pytest.MonkeyPatch
) -> None:
    def learned(micro_batch: int | None, fixed: bool) -> list[torch.Tensor]:
        trainer = Trainer(TINY, seed=1, replay_buffer_size=1000)
        trainer.micro_batch = micro_batch
        trainer.replay.add(samples)
        if fixed:
            trainer.net.eval()
            monkeypatch.setattr(trainer.net, "train", lambda mode=True: trainer.net)
        trainer.learn(np.random.default_rng(0), 1)
        found = [p.grad for p in trainer.net.parameters() if p.grad is not None]
        assert len(found) == len(list(trainer.net.parameters()))
        return found

    def apart(fixed: bool) -> float:
        pairs = zip(learned(None, fixed), learned(12, fixed), strict=True)
        return max((a - b).abs().max().item() for a, b in pairs)

    assert apart(fixed=True) < 1e-6
    assert apart(fixed=False) > 1e-3


def test_resumed_is_uninterrupted(tmp_path: Path) -> None:
    whole, first = Trainer(TINY, seed=5), Trainer(TINY, seed=5, threads=2)
    for _ in range(3):
        whole.train_iteration()
    first.train_iteration()
    first.save(tmp_path / "run.safetensors")
    second = Trainer.resume(tmp_path / "run.safetensors")
    train(second, tmp_path)
    assert same(whole, second)
    assert not same(whole, first)
    third = Trainer(TINY, seed=9)
    third.load(tmp_path / "run.safetensors")  # the run to its end, in place
    assert third.iteration == 3
    assert third.seed == 5
    assert same(third, whole)
    net = load_playable(tmp_path / "net.safetensors")
    assert isinstance(net, AlphaZeroNet)
    assert all(torch.equal(a, b) for a, b in zip(net.parameters(), whole.net.parameters(),
                                                 strict=True))  # fmt: skip


def test_under_the_documents_names() -> None:
    """As in its API reference, but at a tiny size and on the CPU."""
    trainer = Trainer(
        replace(Config(), network=NetworkConfig(1, 4, 2)), lr=0.001, batch_size=16,
        num_simulations=4, replay_buffer_size=200, use_amp=True, device="cpu",
    )  # fmt: skip
    result = trainer.train_iteration(
        num_self_play_games=2, num_train_epochs=2, temperature=1.0, num_simulations=4
    )
    assert result["samples"] == trainer.replay.size > 60  # all moves are searched fully
    assert trainer.config.training.batch_size == 16
    assert not trainer.amp, "mixed precision is for a GPU"


def test_training_leaves_the_global_generator_alone() -> None:
    torch.manual_seed(1)
    before = torch.random.get_rng_state()
    Trainer(TINY, seed=4)
    assert torch.equal(before, torch.random.get_rng_state())


@pytest.mark.parametrize("micro_batch", [None, 12])
def test_mixed_precision_path_runs_on_a_cpu(samples: Samples, micro_batch: int | None) -> None:
    """No GPU is needed to run autocast and the gradient scaler, in bfloat16."""
    trainer, plain = Trainer(TINY, seed=1), Trainer(TINY, seed=1)
    trainer.micro_batch = plain.micro_batch = micro_batch
    trainer.amp, trainer.scaler = True, torch.amp.GradScaler("cpu", enabled=True)
    trainer.learner = ResidualLearner(trainer.net, "cpu", amp=True)  # type: ignore[arg-type]
    for one in (trainer, plain):
        one.replay.add(samples)
        one.learn(np.random.default_rng(0))
    assert not same(trainer, plain)
    for one, other in zip(trainer.net.parameters(), plain.net.parameters(), strict=True):
        assert torch.isfinite(one).all()
        assert torch.allclose(one, other, atol=0.05)
    states = cost.sample_states(8)
    mixed = evaluator_of(trainer.net, amp=True)(states)  # type: ignore[arg-type]
    exact = evaluator_of(trainer.net)(states)  # type: ignore[arg-type]
    assert all(np.allclose(a, b, atol=0.05) for a, b in zip(mixed, exact, strict=True))
    assert any((a != b).any() for a, b in zip(mixed, exact, strict=True))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU here")
def test_trains_on_a_gpu(tmp_path: Path) -> None:
    trainer = Trainer(TINY, seed=1, device="cuda")
    assert trainer.amp
    trainer.train_iteration()
    trainer.save(tmp_path / "run")
    again = Trainer.resume(tmp_path / "run", device="cuda")
    assert again.scaler.state_dict() == trainer.scaler.state_dict()
    assert np.isfinite(list(again.train_iteration().values())).all()


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
def test_a_missing_gpu_is_named() -> None:
    with pytest.raises(ValueError, match="no device 'cuda' here: cpu"):
        Trainer(TINY, device="cuda")
    with pytest.raises(ValueError, match="no device 'abacus' here: cpu"):
        Trainer(TINY, device="abacus")


def test_other_architectures_are_refused(trained: Trainer, tmp_path: Path) -> None:
    path = tmp_path / "run.safetensors"
    trained.save(path)
    for shape in (
        NetworkConfig(2, 4, 2),
        NetworkConfig(1, 6, 2),
        TableConfig(body=8, parts=4, over=4, rows=8),
    ):
        other = Trainer(replace(TINY, network=shape))
        with pytest.raises(ValueError, match="another architecture") as caught:
            other.load(path)
        assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match="has no tables"):
        _ = trained.tables


def test_damaged_runs_are_refused(trained: Trainer, tmp_path: Path) -> None:
    path = tmp_path / "run.safetensors"
    trained.save(path)
    tensors, about = checkpoint.read(path)

    def refused(message: str, tensors: dict[str, torch.Tensor], **change: object) -> None:
        checkpoint.write(path, tensors, {**about, **change})
        with pytest.raises(ValueError, match=message):
            Trainer.resume(path)

    refused("not a run to go on with", tensors, seed="five")
    refused("unknown rules", tensors, rules="chess")
    refused("no replay window", {**tensors, "replay.values": tensors["replay.values"][:-1]})
    narrow = tensors["replay.visits"][:, :-1].contiguous()
    refused("no replay window", {**tensors, "replay.visits": narrow})
    refused("no replay window", {k: t for k, t in tensors.items() if k != "replay.visits"})
    refused("no optimiser", {**tensors, "optimizer.0.exp_avg": torch.zeros(3, 3)})
    refused("no optimiser", {**tensors, "optimizer.x.step": torch.zeros(())})


def test_command_names_the_cost_and_refuses_another_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(CONFIGS, "tiny-resnet", TINY)
    out = str(tmp_path / "run")
    train_it = ["ultimate", "train", "--config", "tiny-resnet", "--out", out, "--seed", "2"]
    assert cli.main([*train_it, "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["iteration"] == 3
    lines = captured.err.splitlines()
    assert lines[0].startswith(f"{count_parameters(NetworkConfig(1, 4, 2)):,} parameters")
    assert "for those of all 3" in lines[0]
    assert len(lines) == 4
    (tmp_path / "run" / ".run.safetensors.1.part").write_bytes(b"half")
    resume = ["ultimate", "train", "--resume", "--out", out]
    assert cli.main([*resume, "--config", "lite"]) == 2
    assert "run holds a run of tiny-resnet, not of lite" in capsys.readouterr().err
    assert cli.main(resume) == 0
    assert not list((tmp_path / "run").glob(".*")), "what a kill left is cleared"
    net = str(tmp_path / "run" / "net.safetensors")
    capsys.readouterr()
    evaluate = ["ultimate", "evaluate", "--checkpoint", net, "--games", "2", "--simulations", "4"]
    assert cli.main([*evaluate, "--iterations", "0", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["games"] == 2


@pytest.mark.parametrize("device", ["abacus", "meta", "hpu", "privateuseone", "", "cpu:x"])
def test_commands_refuse_a_device_that_networks_cannot_use(
    device: str, trained: Trainer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    net = tmp_path / "net.safetensors"
    trained.save_net(net)
    few = "--games", "2", "--simulations", "2", "--iterations", "0"
    players = [f"alphazero:{more}simulations=2,device={device}" for more in ("", f"net={net},")]
    for command in (
        ["ultimate", "train", "--config", "resnet", "--device", device, "--out", str(net) + "x"],
        ["ultimate", "evaluate", "--checkpoint", str(net), *few, "--device", device],
        *(["match", player, "random", "--board", "ultimate", "--games", "2"] for player in players),
    ):
        assert cli.main(command) == 2
        err = capsys.readouterr().err
        assert f"no device '{device}'" in err
        assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == [net]


def test_commands_refuse_numbers_that_they_cannot_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.safetensors"
    for dtype, name in ((torch.bfloat16, "BF16"), (torch.float8_e5m2, "F8_E5M2")):
        save_file({"x": torch.zeros(3, dtype=dtype)}, path)
        for command in (
            ["ultimate", "train", "--resume", "--out", str(tmp_path)],
            ["ultimate", "evaluate", "--checkpoint", str(path)],
            ["match", f"alphazero:net={path}", "random", "--board", "ultimate"],
        ):
            assert cli.main(command) == 2
            err = capsys.readouterr().err
            assert f"{path} holds numbers of type {name}" in err
            assert err.count("\n") == 1
        with pytest.raises(ValueError, match=f"numbers of type {name}"):
            create_strong_agent(path)


# ---------------------------------------------------------------------------- agents, matches


def endgames(count: int) -> np.ndarray:
    states = cost.sample_states(600, rng=3)
    return states[playable(states) <= 10][:count]


def test_agent_with_either_network(trained: Trainer, tmp_path: Path) -> None:
    path = tmp_path / "net"
    trained.save_net(path)
    agent = create_strong_agent(path)
    assert agent.num_simulations == 800
    agent = AlphaZeroAgent(load_playable(path), 12)
    board = play(start(), 40)
    chances = agent.get_action_probs(board)
    assert chances.sum() == pytest.approx(1)
    assert set(np.flatnonzero(chances)) <= set(legal_moves(board))
    player = network_agent(load_playable(path), 12)
    assert choose(player, GAME.initial(), np.random.default_rng(0))[0] < 81


def test_what_the_solver_knows_is_looked_up_and_never_searched() -> None:
    solver, states = DTWSolver(), endgames(30)
    for state in states[:15]:
        solver.calculate_dtw(state)
    known = [solver.lookup_cache(state) for state in states]
    searched, evaluate = solver.searched, with_lookup(still, solver)
    assert evaluate(states)[1].tolist() == [0 if found is None else found.result for found in known]
    assert solver.searched == searched
    assert {found.result for found in known if found is not None} >= {-1, 1}
    assert not with_lookup(still, DTWSolver())(states)[1].any()


def test_a_residual_net_searches_all_games_of_a_match_at_once(trained: Trainer) -> None:
    asked: list[int] = []
    ours = network_agent(trained.learner.playable(), 8)

    def moves(states: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        asked.append(len(states))
        assert ours.moves is not None
        return ours.moves(states, rng)

    found = match(replace(ours, moves=moves), random_agent(GAME), 12, rng=0, openings=4)
    assert found.games == found.win + found.draw + found.loss == 12
    assert max(asked) == 6, "half of them are at their move in each ply"
    alone = replace(ours, side_by_side=False)
    apart = match(alone, replace(random_agent(GAME), side_by_side=False), 12, rng=0, openings=4)
    assert apart.games == 12


# ---------------------------------------------------------------------------- cost


def test_schedule_in_numbers() -> None:
    """By hand: 60, 90, 90 and 60 iterations of the four stages."""
    training = TrainingConfig()
    games = 60 * 83 + 90 * 133 + 90 * 183 + 60 * 250
    work = 60 * 83 * 200 + 90 * 133 * 380 + 90 * 183 * 560 + 60 * 250 * 800
    assert cost.games(training) == games
    assert cost.simulations(training, plies=50) == 50 * work
    assert cost.simulations(training, 1, plies=50) == 50 * 83 * 200
    assert cost.draws(training) == 300 * 40 * 4096
    quick = replace(training, full_share=0.25, fast_simulations=100)
    assert cost.simulations(quick, 1, plies=50) == pytest.approx(50 * 83 * (50 + 75))
    # A move that is to be quick never takes more simulations than one that is not.
    late = replace(training, full_share=0.25, fast_simulations=500)
    assert cost.simulations(late, 1, plies=50) == 50 * 83 * 200


def test_published_cost_adds_up() -> None:
    found = cost.published_cost(plies=50, peak=1e14, used=0.5)
    assert found["weights"] == count_parameters(NetworkConfig())
    assert found["multiplications"] == cost.count_multiplications(NetworkConfig())
    assert found["evaluations"] == found["simulations"] + 3 * found["drawn"]
    work = 2 * found["multiplications"] * found["evaluations"]
    assert found["gpu_days"] == pytest.approx(work / 5e13 / 86400)
    years = found["evaluations"] / cost.stored_rate("30 x 512", "batch_64") / (365.25 * 86400)
    assert found["cpu_years"] == pytest.approx(years)
    assert found["samples"] == 50 * found["games"]


def test_stored_runs_are_of_both_networks() -> None:
    """The same seeds, stops, opponents and games for both; every figure is drawn from them."""
    table = matches.read(resnet_against_tables.FILE)
    names = set(resnet_against_tables.RUNS)
    assert set(table["network"]) == names
    sizes = table.groupby(["network", "seed", "opponent"]).size()
    assert (sizes == len(resnet_against_tables.MEASURED)).all()
    assert len(sizes) == 2 * len(resnet_against_tables.SEEDS) * len(resnet_against_tables.OPPONENTS)
    assert set(table["games"]) == {resnet_against_tables.GAMES}
    assert (table["low"] <= table["score"]).all()
    assert (table["score"] <= table["high"]).all()
    for _, run in table.groupby(["network", "seed", "opponent"]):
        assert run["cpu_minutes"].is_monotonic_increasing
    ends = resnet_against_tables.final_scores(100)
    assert set(ends.columns) == names
    assert (
        ends.loc[1, "table net"]
        == table.query("seed == 1 and network == 'table net' and opponent == 100")["score"].iloc[-1]
    )


def test_drawing_in_proportion_to_weights_three_ways() -> None:
    replay = replay_sampling.window(700, rng=1)
    wanted = replay.weights / replay.weights.sum()
    heavy = replay.weights == replay.weights.max()
    for name, draw in replay_sampling.ways(replay).items():
        places = np.concatenate([draw(np.random.default_rng(n)) for n in range(10)])
        assert heavy[places].mean() == pytest.approx(wanted[heavy].sum(), abs=0.01), name
        assert len(np.unique(places)) > 690


def test_activations_are_counted() -> None:
    """By hand, a number of the batch: what convolutions, normalisations and layers must keep."""
    stem = 7 * 81 + 2 * 4 * 81
    heads = 2 * 2 * 81 + 2 * 81 + 256 + 1
    shape = NetworkConfig(0, 4, 2)
    assert cost.activation_bytes(shape, 10, amp=False) == 40 * (stem + heads)
    assert cost.activation_bytes(shape, 10, amp=True) == 20 * (stem + heads)
    assert 1 < cost.amp_saving(NetworkConfig(2, 8, 2), 64) < 2


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(5, "5 seconds"), (200, "3.33 minutes"), (8000, "2.22 hours"), (3e5, "3.47 days"),
     (1e9, "31.7 years")],
)  # fmt: skip
def test_durations(seconds: float, text: str) -> None:
    assert cost.duration(seconds) == text


def test_speed_is_counted_in_positions() -> None:
    calls = []

    def evaluate(states: np.ndarray) -> tuple[Floats, Floats]:
        calls.append(len(states))
        return still(states)

    assert cost.positions_per_second(evaluate, 16, seconds=0.003) > 100
    assert set(calls) == {16}


def test_the_outlook_tells_one_iteration_before_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "positions_per_second", lambda *_, **__: 1.0)
    monkeypatch.setattr(cost, "duration", lambda seconds: f"{seconds:.0f} s")
    trainer = Trainer(TINY)
    first, whole = (cost.simulations(TINY.training, stop) for stop in (1, None))
    assert first < whole
    assert cli_training.outlook(trainer).endswith(
        f"about {first:.0f} s for the first iteration's games, {whole:.0f} s for those of all 3"
    )


def test_a_searching_agent_heeds_its_exploration_with_a_solver_too() -> None:
    state = cost.sample_states(1, rng=5)[0]
    board = Ultimate().unpack(state)
    net = AlphaZeroNet(NetworkConfig(1, 4, 2)).eval()
    visits = [
        AlphaZeroAgent(net, 40, c).get_action_probs(board, temperature=1.0) for c in (0.2, 5.0)
    ]
    assert not np.array_equal(*visits)


def test_only_quick_wins_are_played_at_once() -> None:
    solver, states, kinds = DTWSolver(), cost.sample_states(3000, rng=3), set()
    for state in states[playable(states) <= 15][:150]:
        result, distance, move = solver.calculate_dtw(state)
        quick = result == 1 and distance is not None and distance <= QUICK_WIN
        kinds.add((result == 1, quick))
        assert quick_win(solver, GAME.unpack(state)) == (move if quick else None)
    assert {(True, False), (True, True)} <= kinds


def test_an_endgame_beyond_the_budget_is_searched(trained: Trainer) -> None:
    states = cost.sample_states(3000, rng=3)
    boards = [GAME.unpack(state) for state in states[playable(states) <= 15][:20]]
    solver = DTWSolver(nodes=1)
    for board in boards:
        agent = AlphaZeroAgent(trained.net, 8, dtw_calculator=solver)
        with pytest.raises(BudgetExceededError):
            solver.calculate_dtw(board)
        assert agent.select_action(board, temperature=0) in legal_moves(board)


@pytest.mark.parametrize("temperature", [-1.0, np.inf, np.nan])
def test_a_temperature_out_of_range_is_refused_at_once(
    temperature: float, trained: Trainer
) -> None:
    with pytest.raises(ValueError, match="a temperature must be a finite number >= 0"):
        AlphaZeroAgent(trained.net, 8, temperature=temperature)
