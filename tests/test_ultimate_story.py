"""What notebook 05 shows of network, search and self-play is what they do."""

from __future__ import annotations

import numpy as np
import pytest

from ttt_lib.ultimate.board.kernels import FORCED, FREE
from ttt_lib.ultimate.learn.config import TableConfig
from ttt_lib.ultimate.learn.replay import Samples
from ttt_lib.ultimate.learn.tablenet import TableNet, Tables, compile_tables
from ttt_lib.ultimate.players import stored_tables
from ttt_lib.ultimate.search import puct_table
from ttt_lib.ultimate.studies import story, strength_table, yardstick
from ttt_lib.ultimate.studies.exhibits import grow, untrained
from ttt_lib.ultimate.studies.yardstick import Yardstick


@pytest.fixture(scope="module")
def measure() -> Yardstick:
    return yardstick.load().take(slice(200))


@pytest.fixture(scope="module")
def tables() -> Tables:
    return stored_tables()


def test_rows_sum_to_the_networks_value(measure: Yardstick, tables: Tables) -> None:
    """For forced and free moves; and a row left out gives another value."""
    assert {state[FORCED] == FREE for state in measure.states[:40]} == {False, True}
    values = puct_table.evaluator(tables)(measure.states[:40])[1]
    for state, value in zip(measure.states[:40], values, strict=True):
        rows = story.value_rows(tables, state)
        assert story.value_of_rows(tables, rows) == pytest.approx(value, abs=1e-9)
        assert story.value_of_rows(tables, rows[1:]) != pytest.approx(value, abs=1e-5)


def test_a_corrected_position_is_one(measure: Yardstick, tables: Tables) -> None:
    judge = puct_table.evaluator(tables)
    row = story.corrected(measure, judge, 50)
    children = grow(measure.states[row], judge, 50)[0].children
    results = measure.results[row]
    assert results[max(children, key=lambda m: children[m].prior)] < results.max()
    assert results[max(children, key=lambda m: children[m].visits)] == results.max()
    with pytest.raises(ValueError, match="at most 0 moves"):
        story.corrected(measure, judge, 50, most=0)


def test_moves_and_labels_are_the_legal_ones(measure: Yardstick) -> None:
    root = grow(measure.states[0], untrained, 40)[0]
    table = story.moves(measure, 0, root)
    assert set(table.index) == set(story.outcomes(measure, 0)) == set(root.children)
    assert table["visits"].sum() == 40
    best = {1: "+", 0: "=", -1: "-"}[int(measure.results[0].max())]
    assert any(text.startswith(best) for text in table["exact"])


def test_a_tree_shows_each_move_below_the_one_it_answers(measure: Yardstick) -> None:
    root = grow(measure.states[0], untrained, 60)[0]
    lines = story.tree_text(root, depth=2, least=1).splitlines()
    children = [child for child in root.children.values() if child.visits]
    below = sum(1 for child in children for c in child.children.values() if c.visits)
    assert len(lines) == 1 + len(children) + below
    assert [line.startswith("  move") for line in lines].count(True) == len(children)


def test_lessons_show_shares_of_the_visits(measure: Yardstick) -> None:
    visits = np.zeros((1, 81), dtype=np.uint16)
    legal = np.flatnonzero(measure.results[0] != yardstick.ILLEGAL)
    visits[0, legal[:2]] = 3, 1
    samples = Samples(measure.states[:1], visits, np.array([-0.5], np.float32))
    [board], [caption] = story.lessons(samples, [0])
    assert (board.labels[legal[0]], board.labels[legal[1]]) == ("75", "25")
    assert caption == "ply 0: value -0.50"


def test_a_new_network_is_measured() -> None:
    tables = compile_tables(TableNet(TableConfig(8, 4, 4, 4, 4, 2)))
    scores = story.measured(tables, simulations=20, games=2)
    assert set(scores) == set(story.RIVALS)
    assert all(0 <= score <= 1 for score in scores.values())


def test_strengths_are_the_stored_ones() -> None:
    table, stored = story.strengths([200]), strength_table.summary()
    rows = stored[stored["simulations"] == 200].set_index("opponent")
    assert list(table.index) == list(rows.index)
    for name, text in table[200].items():
        assert text.startswith(f"{rows.loc[name, 'score']:.2f} (")


def test_planes_are_seven() -> None:
    drawing = story.input_planes()
    assert list(drawing.data["plane"]) == list(story.PLANE_NAMES)
    assert drawing.data.set_index("plane").loc["allowed", "cells"] == 9
