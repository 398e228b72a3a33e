"""Document 2's matches replayed pick by pick: beside a plain program, and as the ledger judges."""

from __future__ import annotations

import json
import random
import re
from dataclasses import asdict
from functools import partial

import ledger
import numpy as np
import pandas as pd
import pytest
from scipy.fft import dctn

from ttt_lib.evidence.answers import Chances, Value
from ttt_lib.evidence.claims import declared, judge, load, to_json
from ttt_lib.game.board import Grid, parse
from ttt_lib.spectral import claims_replay, rounding, seeded_replay
from ttt_lib.spectral.alternatives import remembering_search, stones_of
from ttt_lib.spectral.claims_games import by_seed, exact_record
from ttt_lib.spectral.features import dct_features
from ttt_lib.spectral.policy import fit, trained

Patch = pytest.MonkeyPatch
Cells = list[int]

# ---------------------------------------------------------------------------- a plain program


def completed(grid: Grid, cells: Cells) -> int:
    """Whose line stands on the board: 1, -1 or 0."""
    sums = {sum(cells[i] for i in line) for line in grid.lines}
    return 1 if grid.n in sums else -1 if -grid.n in sums else 0


def over(grid: Grid, cells: Cells) -> bool:
    return completed(grid, cells) != 0 or 0 not in cells


def free(cells: Cells) -> list[int]:
    return [m for m, stone in enumerate(cells) if stone == 0]


def moved(cells: Cells, move: int) -> Cells:
    side = 1 if cells.count(1) == cells.count(-1) else -1
    return [*cells[:move], side, *cells[move + 1 :]]


def played_out(grid: Grid, cells: Cells) -> int:
    while not over(grid, cells):
        cells = moved(cells, random.choice(free(cells)))
    return completed(grid, cells)


def plain_rows(
    grid: Grid, states: int, playouts: int, worth: seeded_replay.Worth = (1, 0, -1)
) -> list[tuple[Cells, float]]:
    """Boards after each move of each state, and what the results count for the side that moved."""
    rows = []
    for _ in range(states):
        cells = [0] * grid.cells
        for _ in range(random.randint(0, grid.cells - 1)):
            if over(grid, cells):
                break
            cells = moved(cells, random.choice(free(cells)))
        if over(grid, cells):
            continue
        for move in free(cells):
            after = moved(cells, move)
            ends = [after[move] * played_out(grid, after) for _ in range(playouts)]
            points = dict(zip((1, 0, -1), worth, strict=True))
            rows.append((after, sum(points[end] for end in ends) / playouts))
    return rows


def plain_search(grid: Grid, cells: Cells, iterations: int, memory: dict[str, list[float]]) -> int:
    """The move of a search that remembers visits and results by board, wrong sign and all."""

    def seen(board: Cells) -> list[float]:
        return memory.setdefault(str(board), [0, 0.0])

    for _ in range(iterations):
        node, path = cells, [cells]
        while not over(grid, node):
            children = [moved(node, move) for move in free(node)]
            unseen = [child for child in children if seen(child)[0] == 0]
            total = seen(node)[0] + 1e-9
            node = random.choice(unseen) if unseen else children[int(np.argmax([
                seen(child)[1] / seen(child)[0]
                + 1.414 * np.sqrt(np.log(total) / (seen(child)[0] + 1e-9))
                for child in children
            ]))]  # fmt: skip
            path.append(node)
            if unseen:
                break
        winner = played_out(grid, node)
        for board in path:
            seen(board)[0] += 1
            seen(board)[1] += winner * (1 if board.count(1) == board.count(-1) else -1)
    return free(cells)[int(np.argmax([seen(moved(cells, move))[0] for move in free(cells)]))]


@pytest.mark.parametrize("n", [3, 4])
@pytest.mark.parametrize("seed", [7, 42])
def test_the_training_rows_are_those_of_a_plain_program(n: int, seed: int) -> None:
    grid = Grid(n)
    ours = seeded_replay.training_rows(grid, 12, 3, seeded_replay.picks(seed))
    random.seed(seed)
    theirs = plain_rows(grid, 12, 3)
    assert ours.after.tolist() == [after for after, _ in theirs]
    assert ours.target.tolist() == [target for _, target in theirs]
    assert len(ours.states) < 12  # some games were over


def test_results_count_in_the_labels_what_they_are_said_to_be_worth() -> None:
    grid, worth = Grid(3), (4, 2, 1)
    ours = seeded_replay.training_rows(grid, 12, 3, seeded_replay.picks(7), worth)
    random.seed(7)
    assert ours.target.tolist() == [target for _, target in plain_rows(grid, 12, 3, worth)]
    run = seeded_replay.ON_4X4._replace(search_games=0)
    assert seeded_replay.sampled_labels(run) != seeded_replay.sampled_labels(
        run._replace(worth=worth)
    )


@pytest.mark.parametrize(("n", "iterations"), [(3, 150), (4, 60)])
def test_the_search_is_that_of_a_plain_program(n: int, iterations: int) -> None:
    grid, pick = Grid(n), seeded_replay.picks(42)
    choose, memory, cells = remembering_search(grid, iterations), {}, [0] * n * n
    random.seed(42)
    games: dict[str, list[float]] = memory
    for _ in range(2):  # what the first game taught is used in the second
        cells = [0] * n * n
        while not over(grid, cells):
            ours = choose(stones_of(cells), pick)
            assert ours == plain_search(grid, cells, iterations, games)
            cells = moved(cells, ours)


def test_a_match_is_that_of_a_plain_program() -> None:
    run = seeded_replay.Command(3, 60, 4, games=9)
    weights = fit(
        seeded_replay.training_rows(Grid(3), 60, 4, seeded_replay.picks(5))
    ).cells.reshape(2, 9)
    random.seed(5)
    plain_rows(Grid(3), 60, 4)
    results = []
    for game in range(9):
        cells: Cells = [0] * 9
        while not over(Grid(3), cells):
            mine = (cells.count(0) % 2 == 1) == (game % 2 == 0)
            side = 1 if cells.count(0) % 2 == 1 else -1
            won, blocked = (
                [m for m in free(cells) if completed(Grid(3), [*cells[:m], who, *cells[m + 1 :]])]
                for who in (side, -side)
            )
            best = max(free(cells), key=lambda m: (weights[0 if side == 1 else 1, m], -m))
            ruled = (won or blocked or [best])[0]
            cells = moved(cells, ruled if mine else random.choice(free(cells)))
        results.append(completed(Grid(3), cells) * (-1 if game % 2 else 1))
    assert seeded_replay.sampled_labels(run, 5)[0] == seeded_replay.tally(results)


def test_the_picks_are_those_of_random_choice() -> None:
    pick = seeded_replay.picks(42)
    random.seed(42)
    assert [pick(n) for n in range(1, 200)] == [random.choice(range(n)) for n in range(1, 200)]
    pick, since_python_3_2 = (
        seeded_replay.picks(42),
        [1, 0, 4, 3, 3, 2, 1, 8, 1, 6, 0, 0, 1, 3, 3, 8, 0],
    )
    assert [pick(9) for _ in since_python_3_2] == since_python_3_2


def test_a_run_without_a_training_state_is_refused() -> None:
    with pytest.raises(ValueError, match="no training state is left: in all 0 games"):
        seeded_replay.training_rows(Grid(3), 0, 1, seeded_replay.picks(0))


# ---------------------------------------------------------------------------- what was printed


def test_every_match_comes_out_as_printed_with_the_documents_seed_and_no_other() -> None:
    printed = {match: declared(match).published for match in seeded_replay.printed_matches()}
    assert seeded_replay.printed_matches() == printed
    rows = claims_replay.as_printed()
    assert rows.index[rows.all(axis=1)].tolist() == [seeded_replay.SEED]
    assert (rows.mean() < 0.9).all()  # each of them could have come out otherwise
    stored = claims_replay.table("spectral_replays.csv").set_index("seed")
    assert seeded_replay.printed_matches(7) == stored.loc[7].to_dict()


def test_every_match_that_depends_on_chance_is_replayed() -> None:
    """Those against random play, and those against the search, in which choices are random."""
    kinds = re.compile(r"dct-\S*(random|mcts)$")
    rows = [one.id for one in load() if one.document == 2 and kinds.match(one.id) and one.n]
    assert sorted(rows) == sorted([*claims_replay.PROGRAMS, *claims_replay.OPEN])
    assert {declared(match).ours for match in claims_replay.PROGRAMS} == {
        "ttt_lib.spectral.claims_replay:replayed"
    }


def test_the_options_of_the_replays_are_the_printed_ones() -> None:
    four, quick = (str(declared(f"dct-samples{n}").published).split() for n in ("", "-n3"))
    for run, options in (
        (seeded_replay.ON_4X4, four),
        (seeded_replay.QUICK_3, quick),
        (seeded_replay.QUICK_4, quick),
    ):
        assert [str(run.states), str(run.playouts)] == options
    games = {
        "dct-4-random": seeded_replay.ON_4X4.games,
        "dct-4-mcts": seeded_replay.ON_4X4.search_games,
        "dct-n3-random": seeded_replay.QUICK_3.games,
        "dct-n4-random": seeded_replay.QUICK_4.games,
        "dct-n4-mcts": seeded_replay.QUICK_4.search_games,
    }
    assert {match: declared(match).n for match in games} == games
    for match, run in (
        ("dct-4-mcts", seeded_replay.ON_4X4),
        ("dct-n4-mcts", seeded_replay.QUICK_4),
    ):
        assert declared(match).args["opponent"] == f"uct@{run.iterations}"


def test_with_its_sign_put_right_the_search_no_longer_loses() -> None:
    runs = [seeded_replay.ON_4X4._replace(mended=mended) for mended in (False, True)]
    bad, good = (seeded_replay.sampled_labels(run)[1] for run in runs)
    assert (bad, good) == ("10-0-0", "0-10-0")


@pytest.mark.parametrize("run", [seeded_replay.ON_4X4, seeded_replay.QUICK_4])
def test_the_printed_matches_hardly_show_memory_and_constant(
    run: seeded_replay.Command, monkeypatch: Patch
) -> None:
    """As notebook 02 says: other constants, or no memory, lead to the same results."""
    printed, ours = seeded_replay.sampled_labels(run), seeded_replay.remembering_search

    def forgetful(grid: Grid, iterations: int, *, mended: bool) -> seeded_replay.Player:
        return lambda stones, pick: ours(grid, iterations, mended=mended)(stones, pick)

    for c in (0.5, 2.0):
        other = partial(ours, c=c)
        monkeypatch.setattr(seeded_replay, "remembering_search", other)
        assert seeded_replay.sampled_labels(run) == printed
    monkeypatch.setattr(seeded_replay, "remembering_search", forgetful)
    assert seeded_replay.sampled_labels(run) == printed


def test_where_cells_are_equal_the_replay_depends_on_their_order() -> None:
    cells = trained(Grid(3), symmetric=True).cells
    assert len(np.unique(cells[0])) == 3
    found = {
        seeded_replay.tally(
            [
                seeded_replay.play(Grid(3), listed(order), seeded_replay.at_random(Grid(3)), pick)
                for pick in [seeded_replay.picks(42)]
                for _ in range(30)
            ]
        )
        for order in ([4, 0, 2, 6, 8, 1, 3, 5, 7], [4, 8, 6, 2, 0, 7, 5, 3, 1])
    }
    assert seeded_replay.exact_labels(30, symmetric="yes") in found
    assert len(found) == 2


def listed(order: list[int]) -> seeded_replay.Player:
    """Wins, else blocks, else takes the first free cell of a list."""
    won, full = seeded_replay.as_bits(Grid(3))

    def choose(stones: seeded_replay.Stones, pick: seeded_replay.Pick) -> int:
        cells = seeded_replay.free_cells(stones, full)
        threats = [m for held in stones for m in cells if won(held | 1 << m)]
        return (threats or [m for m in order if m in cells])[0]

    return choose


# ---------------------------------------------------------------------------- the ledger


def test_a_row_whose_replay_prints_something_else_has_another_value(monkeypatch: Patch) -> None:
    claim = declared("dct-4-random")
    assert claims_replay.replayed(**claim.args).value == claim.published
    monkeypatch.setattr(claims_replay, "printed_matches", lambda: {"dct-4-random": "16-9-0"})
    found = claims_replay.replayed(**claim.args)
    assert isinstance(found, Value)
    assert found.value == "16-9-0"


def test_a_replayed_match_tells_its_exact_chances_and_its_archive_once() -> None:
    claim = declared("dct-3-random")
    reason = claims_replay.replayed(**{**claim.args, "printed": claim.published}).reason
    told = (
        "by our exact chances (win 373/384, draw 11/384, loss 0), the printed match has p = 0.58."
    )
    assert f"As a sample, without the seed, {told} Exact chances as X" in reason
    assert reason.count(claims_replay.ARCHIVED) == 1


def test_how_rare_a_result_is_comes_from_the_stored_replays(monkeypatch: Patch) -> None:
    rows = pd.DataFrame(
        {"dct-4-random": [True, True, False, False], "b": [True, False, False, False]}
    )
    monkeypatch.setattr(claims_replay, "as_printed", lambda: rows)
    found = claims_replay.replayed(**declared("dct-4-random").args)
    assert "Of the seeds from 0 to 3, 2 give the printed result." in found.reason
    assert "exact chances" not in found.reason
    assert claims_replay.by_chance("dct-4-random") == 1 / 2
    assert claims_replay.by_chance(*rows) == 1 / 8


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("dct-n3-random", "9-1-0 on 200 states with 6 playouts; "),
        ("dct-n4-random", "4-6-0 on 400 states with 6 playouts; 8-2-0 on 600 states with 8 "),
        ("dct-n4-mcts", "42: 5-0-0 on 200"),
        ("dct-on-random", "10-0-0 by `spectral_policy_3x3.py`; 8-2-0 by `spectral_policy_nxn.py` "),
        ("dct-off-random", "9-0-1 by `spectral_policy_3x3.py`; 9-1-0 by `spectral_policy_nxn.py` "),
        ("dct-3-sym-random", "29-1-0 if the lowest index is taken"),
        ("dct-4-sym-random", "20-5-0 if the lowest index is taken"),
        ("dct-4-sym-mcts", "9-1-0 if the lowest index is taken; 10-0-0 in 7 of 60 orders of "),
        ("dct-4-sym-mcts", "11 of these 60 orders give this match as printed and the printed 20-"),
        ("dct-off-mcts", "10-0-0 after 0 games; 10-0-0 after 10 games; "),
    ],
)
def test_the_reasons_of_other_rows_tell_their_replays(row: str, told: str) -> None:
    claim = declared(row)
    printed = {"printed": claim.published} if "printed" in claim.args else {}
    found = claims_replay.with_readings(**claim.args | printed)
    assert told in found.reason
    assert "  " not in found.reason


@pytest.mark.parametrize(
    ("row", "careful", "gives"), [("on", "yes", "does not give it"), ("off", "no", "gives it")]
)
def test_a_match_whose_program_is_not_told_is_read_in_three_ways(
    row: str, careful: str, gives: str
) -> None:
    claim = declared(f"dct-{row}-random")
    found = claims_replay.with_readings(**{**claim.args, "printed": claim.published})
    assert isinstance(found, Chances)
    names = ["as X", "with alternating sides", "with sampled labels"]
    assert [name for name, _ in found.readings] == names
    as_x, alternating, sampled = (one for _, one in found.readings)
    assert (tuple(as_x.chances), as_x.as_o) == (tuple(found.chances), None)
    both = [tuple(exact_record(careful=careful).matches[side, "random"]) for side in "xo"]
    assert [alternating.chances, alternating.as_o] == both
    assert sampled == by_seed(careful)
    assert sampled.as_o is not None
    assert sampled.as_o != sampled.chances
    assert f"beside this match; its replay {gives}." in found.reason


def test_rounding_decides_between_equal_cells_of_4x4(monkeypatch: Patch) -> None:
    """In some orders of the sum; exact cosines, alike for mirror images, leave them equal."""
    run = claims_replay.AVERAGED
    found, lowest = seeded_replay.by_order(run, 9), seeded_replay.sampled_labels(run)
    assert len(set(found)) > 1
    assert lowest in found
    exact = lambda n: dctn(np.eye(n), axes=0, norm="ortho")  # noqa: E731
    monkeypatch.setattr(rounding, "basis", exact)
    rounding._after_each.cache_clear()
    assert set(seeded_replay.by_order(run, 3)) == {lowest}
    rounding._after_each.cache_clear()


def test_float_features_are_the_averaged_ones() -> None:
    grid = Grid(4)
    board = parse("x..." + "o..." + ".x.." + "....", grid)
    legal, ours = rounding._after_each(grid, board.tobytes())
    after = grid.play(np.repeat(board[None], len(legal), axis=0), legal)
    np.testing.assert_allclose(ours, dct_features(after, grid, symmetric=True), atol=1e-12)


def test_the_stored_rows_are_those_of_todays_replays() -> None:
    """All that the ledger has from this module, without the rest of the document."""
    rows = {one.id: one for one in load() if one.ours.startswith(claims_replay.__name__)}
    other = ("dct-representative", "dct-vary-slightly")  # of other seeds
    assert sorted(rows) == sorted([*claims_replay.PROGRAMS, *claims_replay.OPEN, *other])
    assert all(row.args["match"] == name for name, row in rows.items() if name not in other)
    stored = [row for row in ledger.stored(2) if row["id"] in rows]
    judged = json.loads(to_json(asdict(row) for row in judge([*rows.values()])))["claims"]
    for row in (*judged, *stored):  # Holm's correction runs within the whole document
        del row["verdict"]
        row["reason"] = re.sub(r" As X \d+ to \d+ wins .* can't tell\.$", "", row["reason"])
    assert ledger.differences(judged, stored) == []


def test_readings_that_fit_stand_apart_from_those_that_do_not(monkeypatch: Patch) -> None:
    ways = {"so": lambda: "9-1-0", "or so": lambda: "9-1-0", "else": lambda: "8-2-0"}
    monkeypatch.setattr(claims_replay, "OPEN", {"dct-n3-random": claims_replay.Readings("", ways)})
    claims_replay.results.cache_clear()
    [found] = claims_replay.readings().to_dict("records")
    claims_replay.results.cache_clear()
    assert found == {"printed": "9-1-0", "as printed": "so; or so", "otherwise": "8-2-0 else"}


def test_sets_to_choose_from_leave_out_what_rounding_decides(monkeypatch: Patch) -> None:
    tied = sum(one.why == claims_replay.TIES for one in claims_replay.OPEN.values())
    free = len(claims_replay.PROGRAMS) + len(claims_replay.OPEN) - tied
    assert tied == 3
    for chosen, sets in ((free, 1), (free - 1, free), (1, free)):
        rows = pd.DataFrame({f"dct-{place}": [True] for place in range(chosen)})
        monkeypatch.setattr(claims_replay, "as_printed", lambda rows=rows: rows)
        assert claims_replay.selections_to_choose_from() == sets
