"""What notebook 05 shows of network, search and self-play is what they do."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from ttt_lib.game.stats import score_interval, wilson
from ttt_lib.ultimate import figures, figures_strength
from ttt_lib.ultimate.board.kernels import FORCED, FREE, SIDE
from ttt_lib.ultimate.config import TableConfig
from ttt_lib.ultimate.learn.replay_buffer import Samples
from ttt_lib.ultimate.network import tablenet
from ttt_lib.ultimate.network.tablenet import TableNet, Tables, compile_tables
from ttt_lib.ultimate.search import puct_table
from ttt_lib.ultimate.studies import strength, walkthrough, yardstick
from ttt_lib.ultimate.studies.matches import PAIRS
from ttt_lib.ultimate.studies.plain_search import Node, grow, untrained
from ttt_lib.ultimate.studies.yardstick import Yardstick


@pytest.fixture(scope="module")
def measure(measure: Yardstick) -> Yardstick:
    return measure.take(slice(200))


def by_hand(tables: Tables, rows: np.ndarray) -> float:
    total = rows.sum(axis=0).clip(0, tablenet.TOP) * tablenet.ROW_UNIT
    layer = np.maximum(total @ tables.weights.reshape(len(total), -1) + tables.bias, 0)
    score = float(tables.last[:-1] @ layer + tables.last[-1]) * tables.scale
    return score / np.sqrt(1 + score * score)


def test_rows_sum_to_the_networks_value(measure: Yardstick, tables: Tables) -> None:
    """For forced and free moves; and a row left out gives another value."""
    assert {state[FORCED] == FREE for state in measure.states[:40]} == {False, True}
    values = puct_table.evaluator(tables)(measure.states[:40])[1]
    for state, value in zip(measure.states[:40], values, strict=True):
        rows = walkthrough.value_rows(tables, state).to_numpy()
        assert by_hand(tables, rows) == pytest.approx(value, abs=1e-9)
        assert by_hand(tables, rows[1:]) != pytest.approx(value, abs=1e-5)


def test_a_corrected_position_is_one(measure: Yardstick, tables: Tables) -> None:
    judge = puct_table.evaluator(tables)
    row = walkthrough.corrected(measure, judge, 50)
    children = grow(measure.states[row], judge, 50)[0].children
    results = measure.results[row]
    assert results[max(children, key=lambda m: children[m].prior)] < results.max()
    assert results[max(children, key=lambda m: children[m].visits)] == results.max()
    with pytest.raises(ValueError, match="at most 0 moves"):
        walkthrough.corrected(measure, judge, 50, most=0)


def test_a_search_that_finds_a_better_move_but_not_the_best_corrects_nothing(
    measure: Yardstick, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Policy and search agree in neither position; the search draws one and wins the other."""
    results = np.full((2, 81), yardstick.ILLEGAL, dtype=np.int8)
    results[:, :3] = [[-1, 0, 1], [-1, 1, 0]]
    two = Yardstick(measure.states[:2], results, np.zeros((2, 81), dtype=np.int8))
    root = Node(two.states[0])
    root.children = {0: Node(root.state, 0.8, 5), 1: Node(root.state, 0.1, 40),
                     2: Node(root.state, 0.1, 5)}  # fmt: skip
    monkeypatch.setattr(walkthrough, "grow", lambda *_: (root,))
    assert walkthrough.corrected(two, untrained, 50) == 1


def test_moves_and_labels_are_the_legal_ones(measure: Yardstick) -> None:
    root = grow(measure.states[0], untrained, 40)[0]
    table = walkthrough.moves(measure, 0, root)
    assert set(table.index) == set(walkthrough.outcomes(measure, 0)) == set(root.children)
    assert table["visits"].sum() == 40
    best = {1: "+", 0: "=", -1: "-"}[int(measure.results[0].max())]
    assert any(text.startswith(best) for text in table["exact"])


def test_a_tree_shows_each_move_below_the_one_it_answers(measure: Yardstick) -> None:
    root = grow(measure.states[0], untrained, 60)[0]
    lines = walkthrough.tree_text(root, depth=2, least=1).splitlines()
    children = [child for child in root.children.values() if child.visits]
    below = sum(1 for child in children for c in child.children.values() if c.visits)
    assert len(lines) == 1 + len(children) + below
    assert [line.startswith("  move") for line in lines].count(True) == len(children)


def test_lessons_show_shares_of_the_visits(measure: Yardstick) -> None:
    visits = np.zeros((1, 81), dtype=np.uint16)
    legal = np.flatnonzero(measure.results[0] != yardstick.ILLEGAL)
    visits[0, legal[:2]] = 3, 1
    samples = Samples(measure.states[:1], visits, np.array([-0.5], np.float32))
    [board], [caption] = walkthrough.sample_boards(samples, [0])
    assert (board.labels[legal[0]], board.labels[legal[1]]) == ("75", "25")
    side = "X" if measure.states[0, SIDE] == 0 else "O"
    assert caption == f"ply 0, {side} to move: value -0.50 for {side}"


def test_a_new_network_is_measured() -> None:
    tables = compile_tables(TableNet(TableConfig(8, 4, 4, 4, 4, 2)))
    found = walkthrough.measured(tables, simulations=20, games=2)
    assert set(found) == set(walkthrough.RIVALS)
    assert all(one.games == 2 and one.pairs for one in found.values())
    one = found["random"]
    low, high = one.score_interval
    assert walkthrough.with_interval(one) == f"{one.score:.2f} ({low:.2f} to {high:.2f})"


def test_strengths_are_the_stored_ones() -> None:
    table, stored = walkthrough.strengths([200]), strength.summary()
    rows = stored[stored["simulations"] == 200].set_index("opponent")
    assert list(table.index) == list(rows.index)
    for name, text in table[200].items():
        assert text.startswith(f"{rows.loc[name, 'score']:.2f} (")


def test_planes_are_seven() -> None:
    drawing = figures.input_planes()
    assert list(drawing.data["plane"]) == list(walkthrough.PLANE_NAMES)
    assert drawing.data.set_index("plane").loc["allowed", "cells"] == 9
    plt.close(drawing.figure)


def test_the_pictured_position_fills_every_plane() -> None:
    found = walkthrough.full_planes(rng=7)
    own, others, won, lost, drawn, last, allowed = found.astype(bool)
    assert found.any(axis=(1, 2)).all()
    assert (last.sum(), allowed.sum()) == (1, 9)
    assert (others & last).any(), "the other side moved last"
    assert not (own & others).any()
    for decided in (won, lost, drawn):
        assert decided.sum() % 9 == 0
        assert not (allowed & decided).any()


def test_the_widest_interval_of_a_score_is_that_of_wins_and_losses() -> None:
    assert figures_strength.widest(0.25, 20) == pytest.approx(wilson(5, 20))
    assert figures_strength.widest(0.0, 20) == pytest.approx(wilson(0, 20))
    some, none = figures_strength.widest(0.5, 20), score_interval(10, 5, 20)
    assert some.low < none.low < none.high < some.high, "draws make it narrower"


@pytest.mark.parametrize(
    ("interval", "standing"),
    [((0.4, 0.4999), "behind"), ((0.4, 0.5), "about level"), ((0.5, 0.6), "about level"),
     ((0.4, 0.6), "about level"), ((0.5001, 0.6), "ahead")],
)  # fmt: skip
def test_a_score_is_ahead_or_behind_if_its_interval_leaves_out_a_half(
    interval: tuple[float, float], standing: str
) -> None:
    assert walkthrough.standing(*interval) == standing


def test_pairs_that_end_level_say_nothing_about_who_is_ahead() -> None:
    """A fair coin falls the same way four times in four with probability 1/8."""
    rows = pd.DataFrame([[0, 0, 9, 0, 0], [0, 0, 9, 3, 1], [2, 1, 0, 1, 0]], columns=PAIRS)
    found = walkthrough.unequal_pairs(rows)
    assert found[["won", "lost"]].to_numpy().tolist() == [[0, 0], [4, 0], [1, 3]]
    assert found["p"].tolist() == pytest.approx([1, 1 / 8, 5 / 8])
