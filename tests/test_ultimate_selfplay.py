"""The kernels that self-play writes its samples with, each against its definition."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.stats import binomtest, chisquare

from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.board.kernels import RESULT
from ttt_lib.ultimate.config import LITE
from ttt_lib.ultimate.learn import selfplay
from ttt_lib.ultimate.learn.trainer import play_settings
from ttt_lib.ultimate.network import tablenet
from ttt_lib.ultimate.network.tablenet import MOVE
from ttt_lib.ultimate.players import stored_tables
from ttt_lib.ultimate.search import trees

GAME = Ultimate()


def root_of(
    visits: list[int], means: list[float], *, value: float, low: int = -1, high: int = 1
) -> trees.Forest:
    """A tree of a root and its children; ``value`` is the root's, for who moved into it."""
    forest, moves = trees.allocate(1, 1 + len(visits)), slice(1, 1 + len(visits))
    forest.first[0, 0], forest.size[0, 0], forest.mean[0, 0] = 1, len(visits), value
    forest.visits[0, moves], forest.mean[0, moves] = visits, means
    forest.low[0, 0], forest.high[0, 0] = low, high
    forest.low[0, moves], forest.high[0, moves] = -1, 1
    forest.place[0, moves] = np.arange(len(visits)) * 7
    return forest


def test_arrangements_are_numbered_in_base_three() -> None:
    cells = tablenet._digits()
    assert set(np.unique(cells)) == {0, 1, 2}
    assert (cells @ 3 ** np.arange(9) == np.arange(tablenet.ARRANGEMENTS)).all()


def test_no_search_of_a_game_runs_out_of_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tree without room stops its search early; with ten times as much the games are the same."""
    tables = stored_tables()
    how = play_settings(LITE, LITE.training.stages[-1])._replace(full=300)
    usual = selfplay.play_games(tables, how, GAME, 2, np.random.default_rng(0))
    allocate = trees.allocate
    monkeypatch.setattr(trees, "allocate", lambda count, room: allocate(count, 10 * room))
    roomy = selfplay.play_games(tables, how, GAME, 2, np.random.default_rng(0))
    assert all((a == b).all() for a, b in zip(usual, roomy, strict=True))


def test_games_begin_with_any_number_of_random_moves_up_to_the_limit() -> None:
    made, bits = Counter[int](), np.uint64(3)
    for _ in range(2000):
        state = GAME.initial()[0]
        bits = np.uint64(selfplay.begin_at_random(state, 3, GAME.code, bits))
        made[int(np.bitwise_count(state[:18]).sum())] += 1
    assert set(made) == {0, 1, 2, 3}
    assert chisquare(list(made.values())).pvalue > 1e-4


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_moves_are_drawn_by_their_weights_to_the_inverse_temperature(temperature: float) -> None:
    weights, bits, drawn = np.array([9.0, 1.0, 0.0, 5.0]), np.uint64(5), Counter[int]()
    for _ in range(3000):
        place, state = selfplay.sample(weights, 3, temperature, bits)
        bits, drawn[int(place)] = np.uint64(state), drawn[int(place)] + 1
    assert set(drawn) == {0, 1}, "neither what weighs nothing nor what is left out"
    share = 9 ** (1 / temperature) / (9 ** (1 / temperature) + 1)
    assert binomtest(drawn[0], 3000, share).pvalue > 1e-4


def test_an_improved_policy_adds_to_the_logits_what_the_values_say() -> None:
    """A move without a visit is worth what the root is, a proven one its result."""
    forest = root_of([4, 0, 1, 2], [0.5, 0.9, -0.2, 0.1], value=-0.3)
    forest.low[0, 4] = forest.high[0, 4] = -1
    clean, targets = np.ones(81), np.zeros(81)
    clean[:4] = 0.4, 0.3, 0.2, 0.1
    selfplay.improved(forest, clean, 0.1, targets)
    worth = np.array([0.5, 0.3, -0.2, -1.0])
    wanted = clean[:4] * np.exp((50 + 4) * 0.1 * (worth + 1) / 2)
    assert targets[:4] == pytest.approx(60_000 * wanted / wanted.sum(), abs=1)
    assert (targets[:4] == np.rint(targets[:4])).all()


@pytest.mark.parametrize(
    ("low", "high", "value", "trust"),
    [(-1, 1, 0.3, 0.25), (1, 1, -1.0, 1.0), (-1, -1, 1.0, 1.0), (0, 0, 0.0, 1.0)],
)
def test_a_sample_holds_the_value_for_the_side_to_move(
    low: int, high: int, value: float, trust: float
) -> None:
    """The root's mean and bounds are those of who moved into it; what is proven counts alone."""
    forest = root_of([4, 70_000, 1], [0.0, 0.0, 0.0], value=-0.3, low=low, high=high)
    record, state = selfplay.blank(3, 1), GAME.initial()[0]
    weights = np.zeros(81)
    weights[:3] = 4.0, 70_000.0, 1.0
    selfplay.record_sample(record, 1, 8, state, forest, weights, 0.25)
    assert (record.values[1], record.trust[1]) == pytest.approx((value, trust))
    assert record.number[1] == 8
    assert (record.states[1] == state).all()
    wanted = np.zeros(81, int)
    wanted[MOVE[[0, 7, 14]]] = 4, selfplay.MOST_VISITS, 1
    assert record.visits[1].tolist() == wanted.tolist()
    assert not record.visits[[0, 2]].any()
    assert state[RESULT] == 0
