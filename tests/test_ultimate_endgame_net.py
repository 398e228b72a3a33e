"""The endgame network: what it learns from, how it is taught, and when it is asked."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch

from ttt_lib.game.board import Grid
from ttt_lib.game.match import random_openings
from ttt_lib.game.policy import Agent, choose, first_free, from_moves, random_agent
from ttt_lib.ultimate import players
from ttt_lib.ultimate.board.game import Ultimate, playable
from ttt_lib.ultimate.board.kernels import States
from ttt_lib.ultimate.config import ENDGAME_CELLS, TableConfig
from ttt_lib.ultimate.learn import checkpoint, fine_tuning
from ttt_lib.ultimate.learn.fine_tuning import BROAD, DEEP, STYLES, Shares, Stream
from ttt_lib.ultimate.learn.networks import TableLearner
from ttt_lib.ultimate.learn.replay_buffer import Samples
from ttt_lib.ultimate.learn.selfplay import SelfPlaySettings
from ttt_lib.ultimate.network.tablenet import TableNet, Tables
from ttt_lib.ultimate.players import (
    ENDGAME_SEARCH,
    alphazero,
    by_phase,
    endgame_tables,
    stored_agent,
    stored_tables,
)
from ttt_lib.ultimate.search.puct_table import table_agent
from ttt_lib.ultimate.solver.solver import DTWSolver
from ttt_lib.ultimate.studies import stored_nets
from ttt_lib.ultimate.studies.yardstick import Yardstick

GAME = Ultimate()


@pytest.fixture(scope="module")
def late(measure: Yardstick) -> States:
    """Endgames of the yardstick, few cells."""
    return measure.states[measure.cells == 20][:40]


def mixed(late: States) -> States:
    """Openings and endgames in turn."""
    early = random_openings(GAME, 3, 8, np.random.default_rng(1))
    return np.concatenate([early[:1], late[:2], early[1:], late[2:4]])


# ---------------------------------------------------------------------------- what it learns from


@pytest.mark.parametrize(("kept", "most"), [(BROAD, 24), (DEEP, 26)])
def test_positions_are_endgames_of_self_play(kept: Shares, most: int) -> None:
    found, every = (
        fine_tuning.positions(stored_tables(), STYLES[0], 100, shares, np.random.default_rng(3))
        for shares in (kept, ((0, 1.0),))
    )
    cells, all_cells = playable(found), playable(every)
    assert cells.min() >= 8
    assert cells.max() == most
    for (above, _), (first, share) in pairwise(kept):
        among = ((all_cells >= first) & (all_cells < above)).sum()
        spread = np.sqrt(share * (1 - share) / among)
        assert ((cells >= first) & (cells < above)).sum() / among == pytest.approx(
            share, abs=4 * spread
        )


def test_results_are_the_yardsticks(measure: Yardstick) -> None:
    solver = DTWSolver()
    for row in np.flatnonzero(measure.cells <= 21)[:10]:
        moves, found = fine_tuning.results(measure.states[row], solver)
        assert moves.tolist() == np.flatnonzero(GAME.legal(measure.states[row][None])[0]).tolist()
        assert found.tolist() == measure.results[row, moves].tolist()


def test_samples_hold_the_result_and_all_best_moves(measure: Yardstick, late: States) -> None:
    rows = np.flatnonzero(measure.cells == 20)[:40]
    found = fine_tuning.solved(late, DTWSolver())
    assert (found.states == late).all()
    assert found.values.tolist() == measure.results[rows].max(axis=1).tolist()
    best = measure.results[rows] == measure.results[rows].max(axis=1, keepdims=True)
    assert ((found.visits > 0) == best).all()
    assert found.visits.max() == 1


def test_what_the_solver_gives_up_is_left_out(late: States) -> None:
    small = DTWSolver(nodes=200)
    found = fine_tuning.solved(late, small)
    assert len(found.states) < len(late)
    known = {state.tobytes() for state in late}
    assert all(state.tobytes() in known for state in found.states)


def test_streams_repeat_themselves_and_change_styles(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[tuple[SelfPlaySettings, Shares]]()
    made = fine_tuning.positions

    def noted(
        tables: Tables, style: SelfPlaySettings, games: int, kept: Shares, rng: np.random.Generator
    ) -> States:
        asked.append((style, kept))
        return made(tables, style, games, kept, rng)

    monkeypatch.setattr(fine_tuning, "positions", noted)
    streams = (Stream(5, 5, BROAD), Stream(6, 1, DEEP))
    (one, seconds), (two, _) = (fine_tuning.make_samples(stored_tables(), streams, 2) for _ in "ab")
    assert seconds > 0
    assert all((a == b).all() for a, b in zip(one, two, strict=True))
    assert len(one.states) > 0
    styles = [*fine_tuning.STYLES, fine_tuning.STYLES[0], fine_tuning.STYLES[0]]
    assert asked[:6] == list(zip(styles, [BROAD] * 5 + [DEEP], strict=True))


# ---------------------------------------------------------------------------- how it is taught


def test_the_loss_by_hand(late: States) -> None:
    class Fixed(TableLearner):
        def forward(self, states: States) -> tuple[torch.Tensor, torch.Tensor]:
            return logits, values

    samples = fine_tuning.solved(late[:3], DTWSolver())
    rng = np.random.default_rng(0)
    logits = torch.from_numpy(rng.normal(size=(3, 81)))
    values = torch.from_numpy(rng.uniform(-1, 1, size=3))
    policy, value = fine_tuning.losses(Fixed(TableNet(TableConfig())), samples)
    wanted = []
    for row, state in enumerate(samples.states):
        legal = np.flatnonzero(GAME.legal(state[None])[0])
        chances = np.exp(logits[row].numpy()[legal])
        chances /= chances.sum()
        best = samples.visits[row, legal] > 0
        each = -np.log(chances[best]).mean()
        wanted.append((each - np.log(chances[best].sum())) / 2)
    assert policy.item() == pytest.approx(np.mean(wanted))
    assert value.item() == pytest.approx(((values.numpy() - samples.values) ** 2).mean())


def test_positions_without_a_choice_teach_no_policy(late: States) -> None:
    samples = fine_tuning.solved(late[:3], DTWSolver())
    equal = Samples(samples.states, GAME.legal(samples.states).astype(np.uint16), samples.values)
    learner = TableLearner(TableNet(TableConfig()))
    policy, value = fine_tuning.losses(learner, equal)
    assert policy.item() == 0
    assert value.item() > 0


def loss(net: TableNet, samples: Samples) -> float:
    """Both losses of a network together."""
    with torch.no_grad():
        return sum(part.item() for part in fine_tuning.losses(TableLearner(net), samples))


def test_a_wider_network_begins_with_what_the_narrow_one_knows(late: States) -> None:
    samples = fine_tuning.solved(late, DTWSolver())
    net, _ = checkpoint.load_net(checkpoint.data_dir() / checkpoint.TEACHER)
    assert isinstance(net, TableNet)
    before = torch.random.get_rng_state()
    wide, again = (fine_tuning.widened(net, 96, 48) for _ in "ab")
    assert torch.equal(torch.random.get_rng_state(), before)
    assert all(
        torch.equal(a, b) for a, b in zip(wide.parameters(), again.parameters(), strict=True)
    )
    assert wide.config == replace(net.config, rows=96, value=48)
    with torch.no_grad():
        for ours, others in zip(
            TableLearner(wide).forward(samples.states),
            TableLearner(net).forward(samples.states),
            strict=True,
        ):
            assert torch.allclose(ours, others, atol=1e-5)
    taught = fine_tuning.fine_tuned(wide, samples, batches=3)
    new = [net.config.rows, net.config.value]
    assert taught.layer.weight[:, new[0] :].abs().max() > 0, "the new numbers are put to use"
    assert taught.last.weight[:, new[1] :].abs().max() > 0
    assert taught.globe.weight[:, new[0] :].abs().max() > 0


def test_the_file_says_how_wide_its_network_is(tmp_path: Path) -> None:
    net, about = checkpoint.load_net(checkpoint.data_dir() / checkpoint.TEACHER)
    assert isinstance(net, TableNet)
    wide = fine_tuning.widened(net, 96, 48)
    (tmp_path / "net.safetensors").write_bytes(stored_nets.endgame_file(wide, about, 90.0))
    found, told = checkpoint.load_net(tmp_path / "net.safetensors")
    assert isinstance(found, TableNet)
    assert found.config == wide.config
    assert all(
        torch.equal(a, b) for a, b in zip(found.parameters(), wide.parameters(), strict=True)
    )
    assert told["cpu_minutes"] == 1.5
    stored, _ = checkpoint.load_net(checkpoint.data_dir() / checkpoint.ENDGAME)
    assert isinstance(stored, TableNet)
    assert (stored.config.rows, stored.config.value) == (fine_tuning.ROWS, fine_tuning.VALUE)


def test_it_learns_what_it_is_taught(late: States) -> None:
    samples = fine_tuning.solved(late, DTWSolver())
    net, _ = checkpoint.load_net(checkpoint.data_dir() / checkpoint.TEACHER)
    assert isinstance(net, TableNet)
    before = loss(net, samples)
    taught, again = (fine_tuning.fine_tuned(net, samples, batches=12) for _ in range(2))
    assert loss(taught, samples) < before
    assert loss(net, samples) == before, "the network it came from stays as it is"
    pairs = zip(taught.parameters(), again.parameters(), strict=True)
    assert all(torch.equal(a, b) for a, b in pairs)


# ---------------------------------------------------------------------------- when it is asked


def test_each_phase_has_its_player(measure: Yardstick, late: States) -> None:
    first = from_moves("1", GAME, lambda s, rng: np.full(len(s), 1), deterministic=True)
    second = from_moves("2", GAME, lambda s, rng: np.full(len(s), 2), deterministic=True)
    both, states = by_phase(first, second), mixed(late)
    found = choose(both, states, np.random.default_rng(0))
    assert found.tolist() == [1, 2, 2, 1, 1, 2, 2]
    assert both.deterministic
    assert not by_phase(first, random_agent(GAME)).deterministic
    for cells, one in ((ENDGAME_CELLS, 2), (ENDGAME_CELLS + 1, 1)):
        edge = measure.states[measure.cells == cells][:1]
        assert choose(both, edge, np.random.default_rng(0)).tolist() == [one]
    with pytest.raises(ValueError, match="same game"):
        by_phase(first, first_free(Grid(3)))


def test_the_stored_player_changes_networks(late: States) -> None:
    states, rng = mixed(late), np.random.default_rng(0)
    ours = choose(stored_agent(40), states, rng)
    early, endgame = (
        choose(table_agent(net, 40, **how), states, rng)
        for net, how in ((stored_tables(), {}), (endgame_tables(GAME), ENDGAME_SEARCH))
    )
    assert ours.tolist() == np.where(playable(states) <= ENDGAME_CELLS, endgame, early).tolist()
    alone = alphazero(GAME, 40, solver=0)
    assert choose(alone, states, rng).tolist() == ours.tolist()


def test_settings_reach_both_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[dict[str, float]]()

    def noted(net: Tables, simulations: int, game: Ultimate, **settings: float) -> Agent:
        asked.append(settings)
        return table_agent(net, simulations, game, **settings)

    monkeypatch.setattr(players, "table_agent", noted)
    stored_agent(40)
    stored_agent(40, c=0.7, solve=False)
    stored_agent(40, Ultimate("codingame"))
    assert asked == [
        {}, ENDGAME_SEARCH,
        {"c": 0.7, "solve": False}, {**ENDGAME_SEARCH, "c": 0.7, "solve": False},
        {}, {},
    ]  # fmt: skip


def test_other_rules_keep_the_network_of_self_play() -> None:
    assert endgame_tables(Ultimate("codingame")) is stored_tables()
    assert endgame_tables(GAME) is not stored_tables()


def test_it_knows_endgames_better_than_the_network_it_came_from(measure: Yardstick) -> None:
    few = measure.take(measure.cells <= ENDGAME_CELLS).take(slice(400))
    first, second = (
        few.score(agent).share for agent in (table_agent(stored_tables(), 50), stored_agent(50))
    )
    assert second > first + 0.01
