"""The endgame yardstick: made, stored, refused when damaged, and used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from ultimate_positions import endgames, exact

from ttt_lib.evidence import store
from ttt_lib.game.policy import from_moves, random_agent
from ttt_lib.ultimate.board import symmetry
from ttt_lib.ultimate.board.game import Ultimate, playable
from ttt_lib.ultimate.board.kernels import States
from ttt_lib.ultimate.search.tree_search import uct
from ttt_lib.ultimate.solver import negamax
from ttt_lib.ultimate.solver.solver import DTWSolver
from ttt_lib.ultimate.studies import yardstick, yardstick_scores
from ttt_lib.ultimate.studies.yardstick import Outcome, Score, Yardstick, read

GAME = Ultimate()


def solved(states: States, rng: np.random.Generator) -> Any:
    """The solver's move in every state, shape (B,)."""
    return np.array([DTWSolver().calculate_dtw(state).best_move for state in states])


PERFECT = from_moves("solver", GAME, solved)


# ---------------------------------------------------------------------------- the stored set


def test_the_set_is_what_it_says(measure: Yardstick) -> None:
    assert len(measure) >= 1000
    assert measure.cells.min() >= yardstick.CELLS[0]
    assert measure.cells.max() <= yardstick.CELLS[1]
    assert ((measure.results != yardstick.ILLEGAL) == GAME.legal(measure.states)).all()
    worst = np.where(measure.results == yardstick.ILLEGAL, 9, measure.results).min(axis=1)
    assert (measure.results.max(axis=1) > worst).all()
    assert 0.2 < measure.chance < 0.8


def test_no_position_is_an_image_of_another(measure: Yardstick) -> None:
    assert len(np.unique(symmetry.canonical(measure.states), axis=0)) == len(measure)


def test_every_game_has_one_fate() -> None:
    table = yardstick.candidates()
    assert table["game"].tolist() == list(range(yardstick.GAMES))
    assert (table["moves"].notna() == (table["status"] == "kept")).all()
    assert (table["position"].isna() == (table["status"] == "over")).all()


def test_the_set_comes_out_again() -> None:
    """Spawned seeds: the first games don't depend on how many follow."""
    stored = yardstick.candidates().fillna("")
    again = yardstick.make_yardstick(12)
    assert "kept" in set(again["status"])
    pd.testing.assert_frame_equal(again, stored.head(12), check_dtype=False)


def test_an_image_of_a_position_that_was_met_is_a_duplicate(
    measure: Yardstick, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever of the eight images came first, and whichever comes next."""
    state, other = measure.states[:2]
    images = [symmetry.transform(state[None], turn)[0] for turn in range(8)]
    assert len({image.tobytes() for image in images}) == 8
    met = iter([*images, other, *images, other])
    monkeypatch.setattr(yardstick, "reach", lambda wanted, rng, game: next(met))
    monkeypatch.setattr(yardstick, "judge", lambda state, solver: ("kept", "its moves"))
    statuses = yardstick.make_yardstick(18)["status"].tolist()
    assert statuses == ["kept", *["duplicate"] * 7, "kept", *["duplicate"] * 9]


def test_what_a_position_is_judged_to_be_does_not_depend_on_those_before() -> None:
    """What takes too many nodes stays unsolved; with what the table holds by then it would not."""
    seen, usual = 0, DTWSolver()
    for state in endgames(GAME, 60, 15):
        usual.table.clear()
        needed = []
        for move in np.flatnonzero(GAME.legal(state[None])[0]):
            usual.calculate_dtw(GAME.play(state[None], np.array([move]))[0])
            needed.append(usual.searched)
        if max(needed) > 50:
            few, seen = DTWSolver(nodes=max(needed) - 1), seen + 1
            assert [yardstick.judge(state, few) for _ in range(3)] == [("unsolved", "")] * 3
            enough = DTWSolver(nodes=max(needed))
            assert yardstick.judge(state, enough)[0] != "unsolved"
    assert seen > 10


def test_stored_rows_solved_again_in_another_way(measure: Yardstick) -> None:
    """Keys shared by symmetric positions and a fixed move order instead of ours."""
    other = DTWSolver(symmetric=True, order=negamax.BY_PLACE, cold_size=1 << 21)
    rows = np.flatnonzero(measure.cells == 20)[::11][:15]  # each cell more doubles the time
    assert len(rows) == 15
    for row in rows:
        found = yardstick.outcomes(measure.states[row], other)
        for move, outcome in found.items():
            assert outcome == (measure.results[row, move], measure.distances[row, move])


def test_outcomes_by_brute_force(measure: Yardstick) -> None:
    """Play stored positions down to nine cells, where every line of play can be tried."""
    rng, solver = np.random.default_rng(0), DTWSolver()
    for state in measure.states[:8]:
        while playable(state[None])[0] > 9 and not GAME.finished(state[None])[0]:
            moves = np.flatnonzero(GAME.legal(state[None])[0])
            state = GAME.play(state[None], rng.choice(moves, 1))[0]
        for move, outcome in yardstick.outcomes(state, solver).items():
            after = GAME.play(state[None], np.array([move]))[0]
            result, distance = (
                (int(GAME.winner(after[None])[0] * GAME.to_move(after[None])[0]), 0)
                if GAME.finished(after[None])[0]
                else exact(after, GAME)
            )
            assert outcome == (-result, distance + 1 if result and distance is not None else 0)


def test_the_best_outcome_is_the_solution(measure: Yardstick) -> None:
    solver = DTWSolver()
    for state, results, distances in zip(
        measure.states[:40], measure.results, measure.distances, strict=False
    ):
        found = solver.calculate_dtw(state)
        assert found.result == results.max()
        if found.result == 1:
            assert found.distance == distances[results == 1].min()
        if found.result == -1:
            assert found.distance == distances[results == -1].max()


# ---------------------------------------------------------------------------- damage


def test_outcomes_as_text() -> None:
    found = {3: Outcome(1, 7), 12: Outcome(0, 0), 40: Outcome(-1, 8)}
    assert yardstick.write(found) == "3+7 12= 40-8"
    assert yardstick.read_outcomes("3+7 12= 40-8") == found
    for text in ("3", "3+", "3+0", "3~4", "3=5", "x", "3+8", "3-7", "-3+7"):
        with pytest.raises(ValueError, match="is no outcome"):
            yardstick.read_outcomes(text)


def damaged(table: pd.DataFrame, column: str, text: str) -> str:
    """The stored table as CSV with another text in the first kept row."""
    table = table.copy()
    table.loc[table.index[table["status"] == "kept"][0], column] = text
    return store.csv_text(table)


def test_damaged_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = yardstick.candidates().head(40)
    kept = whole[whole["status"] == "kept"].iloc[0]
    results = [w.replace("-", "=").split("=")[0].split("+")[0] + "=" for w in kept["moves"].split()]
    long = " ".join([results[0].replace("=", "+99"), *results[1:]])
    contents = {
        "needs columns": "a,b\n1,2\n",
        "it needs columns": store.csv_text(whole.replace({"status": {"kept": "keep"}})),
        "holds no position": store.csv_text(whole[whole["status"] != "kept"]),
        "81 cells, not 80": damaged(whole, "position", kept["position"][1:]),
        "not the legal ones": damaged(whole, "moves", " ".join(kept["moves"].split()[1:])),
        "don't differ": damaged(whole, "moves", " ".join(results)),
        "beyond the end": damaged(whole, "moves", long),
        "is no outcome": damaged(whole, "moves", "nan"),
    }
    monkeypatch.setenv("TTT_DATA", str(tmp_path))
    with pytest.raises(ValueError, match=r"yardstick.csv is missing .*: unset TTT_DATA"):
        read()
    for message, content in contents.items():
        (tmp_path / yardstick.FILE).write_text(content)
        with pytest.raises(ValueError, match=message) as caught:
            read()
        assert "\n" not in str(caught.value)
    (tmp_path / yardstick.FILE).write_text(store.csv_text(whole))
    assert len(read()) == (whole["status"] == "kept").sum()


# ---------------------------------------------------------------------------- scoring


def test_a_perfect_player_has_no_regret(measure: Yardstick) -> None:
    few = measure.take(slice(25))
    assert few.score(PERFECT) == Score(25, 0, 0)


def test_regrets_by_hand() -> None:
    results = np.full((3, 81), yardstick.ILLEGAL, dtype=np.int8)
    results[:, :3] = [[1, 0, -1], [0, -1, -1], [-1, 0, 1]]
    three = Yardstick(GAME.initial(3), results, np.zeros((3, 81), np.int8))
    assert three.regrets(np.array([0, 0, 0])).tolist() == [0, 0, 2]
    assert three.regrets(np.array([1, 2, 1])).tolist() == [1, 1, 1]
    assert three.chance == pytest.approx(1 / 3)
    with pytest.raises(ValueError, match="illegal move 7 in position 0: 0 1 2"):
        three.regrets(np.array([7, 0, 0]))


def test_scores_by_hand() -> None:
    score = Score(60, 30, 10)
    regrets = np.repeat([0, 1, 2], [60, 30, 10])
    reach = 1.9842169515 * regrets.std(ddof=1) / 10  # Student's t, 99 degrees of freedom
    assert (score.n, score.share, score.regret) == (100, 0.6, 0.5)
    assert score.regret_interval == pytest.approx((0.5 - reach, 0.5 + reach))
    assert score.interval.low < 0.6 < score.interval.high
    assert Score(10, 0, 0).regret_interval == (0, 0)


def test_random_play_scores_its_exact_chance(measure: Yardstick) -> None:
    found = measure.score(random_agent(Ultimate()), rng=3)
    reach = 4 * (measure.chance * (1 - measure.chance) / len(measure)) ** 0.5
    assert abs(found.share - measure.chance) < reach


def test_search_helps_and_seeds_repeat(measure: Yardstick) -> None:
    few = measure.take(slice(150))
    little, more = (few.score(uct(Ultimate(), n), rng=1) for n in (20, 2000))
    assert more.share > little.share + 0.1
    assert few.score(uct(Ultimate(), 20), rng=1) == little
    assert (few.ask(uct(Ultimate(), 20), rng=1) != few.ask(uct(Ultimate(), 20), rng=2)).any()


def test_rows_compare_with_the_reference() -> None:
    own, other = np.array([0, 0, 1, 2, 0, 1, 2]), np.array([0, 1, 0, 0, 2, 2, 1])
    cells = np.array([20, 20, 20, 21, 21, 22, 22])
    found = pd.DataFrame(yardstick_scores.rows("a", 5, own, other, cells))
    assert found[yardstick_scores.COLUMNS[2:]].to_numpy().tolist() == [
        [20, 2, 1, 0, 1, 1],
        [21, 1, 0, 1, 1, 1],
        [22, 0, 1, 1, 0, 0],
    ]


def test_players_of_the_stored_scores_are_what_they_are_called(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With every player replaced by a note of how it is made."""
    for name, value in {
        "stored_tables": lambda: "self-play",
        "endgame_tables": lambda game: "endgame",
        "endgame_search": lambda game: {"late": True},
        "random_agent": lambda game: "random",
        "prior_agent": lambda tables: f"policy of {tables}",
        "by_phase": lambda middle, late: (middle, late),
        "uct": lambda game, n, **how: ("uct", n, how),
        "stored_agent": lambda n, **how: ("stored", n, how),
        "table_agent": lambda tables, n, **how: (tables, n, how),
    }.items():
        monkeypatch.setattr(yardstick_scores, name, value)
    stored = yardstick_scores.summary().index.tolist()
    found = yardstick_scores.players()
    assert [*found] == stored
    wanted = {
        "random": lambda n: "random",
        "policy alone": lambda n: ("policy of self-play", "policy of endgame"),
        "uct": lambda n: ("uct", n, {}),
        "uct without proofs": lambda n: ("uct", n, {"solve": False}),
        "net": lambda n: ("stored", n, {}),
        "net without proofs": lambda n: ("stored", n, {"solve": False}),
        "self-play net": lambda n: ("self-play", n, {}),
        "self-play net, endgame settings": lambda n: ("self-play", n, {"late": True}),
    }
    assert found == {(name, n): wanted[name](n) for name, n in stored}


def test_every_player_is_compared_in_the_positions_that_it_was_asked_in(
    measure: Yardstick, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The slow one in every fourth of them: where it plays as the reference, nothing differs."""

    def lowest(states: States, rng: np.random.Generator) -> Any:
        return GAME.legal(states).argmax(axis=1)

    plain, names = from_moves("lowest", GAME, lowest), [("random", 0), ("uct", 10_000)]
    asked = dict.fromkeys((*names, yardstick_scores.SLOW), plain) | {names[0]: random_agent(GAME)}
    monkeypatch.setattr(yardstick_scores, "players", lambda: asked)
    found = yardstick_scores.make_yardstick_scores(measure.take(slice(82)))
    sums = found.groupby(["player", "simulations"])[yardstick_scores.COLUMNS[3:]].sum()
    counts = sums[["optimal", "one", "two"]]
    assert counts.sum(axis=1).to_dict() == {
        names[0]: 82, names[1]: 82, yardstick_scores.SLOW: 21,
    }  # fmt: skip
    assert 0 < counts.loc[yardstick_scores.SLOW, "optimal"] < 21
    for who in asked:
        assert (sums.loc[who, ["better", "worse"]] > 0).all() == (who == names[0])
        assert (sums.loc[who, ["better", "worse"]] == 0).all() == (who != names[0])


def test_the_stored_scores_fit_the_set(measure: Yardstick) -> None:
    table = yardstick_scores.summary()
    few = len(measure.take(slice(None, None, yardstick_scores.EVERY)))
    sizes = {who: few if who == yardstick_scores.SLOW else len(measure) for who in table.index}
    assert table["n"].to_dict() == sizes
    assert (table.loc[yardstick_scores.REFERENCE, ["better", "worse"]] == 0).all()
    low, high = table.loc[("random", 0), ["low", "high"]]
    assert low - 0.02 < measure.chance < high + 0.02
    assert table.loc[("net", 200), "share"] > table.loc[("net", 2), "share"]
    assert table.loc[("uct", 10_000), "share"] > table.loc[("uct", 100), "share"]
    by_cells = yardstick_scores.by_cells("uct", 10_000)
    assert sum(score.n for score in by_cells.values()) == len(measure)
    few, both = yardstick_scores.up_to(21, "uct", 10_000), (by_cells[20], by_cells[21])
    assert few.n == (measure.cells <= 21).sum()
    assert few == tuple(map(sum, zip(*both, strict=True)))
    with pytest.raises(ValueError, match="no scores of nobody 3: random 0"):
        yardstick_scores.by_cells("nobody", 3)
