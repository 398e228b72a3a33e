"""The solver against brute force, its table, and the faults it must not have."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numba import njit
from safetensors import safe_open
from ultimate_positions import RULES, endgames, exact, random_game

from ttt_lib.evidence import weights
from ttt_lib.evidence.faults import with_parts
from ttt_lib.ultimate.board import kernels, rules, symmetry
from ttt_lib.ultimate.board.game import Ultimate, pack, playable, unpack
from ttt_lib.ultimate.board.kernels import META, OPEN, RESULT
from ttt_lib.ultimate.solver import layers, negamax, plain
from ttt_lib.ultimate.solver.solver import BudgetExceededError, DTWSolver, Solution
from ttt_lib.ultimate.solver.table import NO_MOVE, Table, _demote, probe, store
from ttt_lib.ultimate.solver.table import pack as entry
from ttt_lib.ultimate.studies.endgames import (
    AT_RANDOM,
    EDGES_FIRST,
    FAULTS,
    ORDERED,
    faulty_solver,
    ordered_solver,
    solver_times,
    wrong_answers,
)

every_rules = pytest.mark.parametrize("name", RULES)


def judge(solver: DTWSolver, states: np.ndarray) -> dict[str, int]:
    """How often result, distance and move of a solver are wrong."""
    game, wrong = Ultimate(solver.rules), {"value": 0, "distance": 0, "move": 0, "lookup": 0}
    for state in states:
        truth, found = exact(state, game), solver.calculate_dtw(state)
        wrong["value"] += found.result != truth[0]
        wrong["distance"] += found.distance != truth[1]
        wrong["move"] += not keeps(state, found, truth, game)
        known = solver.lookup_cache(state)
        if known is not None:
            wrong["lookup"] += known[:2] != truth or not keeps(state, known, truth, game)
    return wrong


def keeps(state: np.ndarray, found: Solution, truth: tuple, game: Ultimate) -> bool:
    """Whether the move is legal and leads one ply nearer to the same end."""
    if not game.legal(state[None])[0, found.best_move]:
        return False
    result, distance = exact(game.play(state[None], np.array([found.best_move]))[0], game)
    return (-result, distance) == (truth[0], truth[1] and truth[1] - 1) or (truth[0] == 0 == result)


@every_rules
def test_value_distance_and_move_against_brute_force(name: str) -> None:
    states = endgames(Ultimate(name), 3000, 9)
    assert judge(DTWSolver(name), states) == dict.fromkeys(
        ("value", "distance", "move", "lookup"), 0
    )


@every_rules
@pytest.mark.parametrize(
    "options",
    [{"symmetric": True}, {"use_cache": False}, {"order": 0}, {"hot_size": 1, "cold_size": 1}],
    ids=str,
)
def test_the_same_with_other_settings(name: str, options: dict) -> None:
    states = endgames(Ultimate(name), 400, 10, seed=1)
    assert not any(judge(DTWSolver(name, **options), states).values())


@every_rules
def test_reference_agrees_with_brute_force(name: str) -> None:
    """The readable solver searches by the readable rules, so that no kernel judges itself."""
    for state in endgames(Ultimate(name), 100, 7, seed=2):
        truth = plain.solve(unpack(state, name))
        assert exact(state, Ultimate(name)) == truth
        assert layers.solve(state, name) == truth
        assert DTWSolver(name).calculate_dtw(state)[:2] == truth
        assert DTWSolver(name).calculate_result(state) == truth[0]


@every_rules
def test_distance_falls_by_one_ply_by_ply(name: str) -> None:
    """From larger endgames, solved by fresh and by filled tables alike."""
    game, filled = Ultimate(name), DTWSolver(name)
    for state in endgames(game, 25, 18, seed=3):
        found = filled.calculate_dtw(state)
        while found.best_move is not None:
            assert found[:2] == DTWSolver(name, cold_size=1).calculate_dtw(state)[:2]
            state = game.play(state[None], np.array([found.best_move]))[0]
            after = filled.calculate_dtw(state)
            assert after.result == -found.result
            if found.distance is not None:
                assert after.distance == found.distance - 1
            found = after


@every_rules
def test_symmetric_positions_have_symmetric_solutions(name: str) -> None:
    usual, shared = DTWSolver(name), DTWSolver(name, symmetric=True)
    for state in endgames(Ultimate(name), 40, 13, seed=4):
        truth = usual.calculate_dtw(state)
        for turn in range(8):
            image = symmetry.transform(state[None], turn)[0]
            found = shared.calculate_dtw(image)
            assert found[:2] == truth[:2] == usual.calculate_dtw(image)[:2]
            back = symmetry.MOVE_IMAGES[symmetry.INVERSE[turn]][found.best_move]
            assert Ultimate(name).legal(state[None])[0, back]


@pytest.mark.parametrize(
    ("fault", "kind"), [*zip(FAULTS, ("result", "distance", "move"), strict=True)], ids=str
)
def test_faults_show(fault: str, kind: str) -> None:
    """Each of the document's three faults makes answers wrong, so the tests above can fail."""
    states = endgames(Ultimate(), 400, 16, seed=5)
    if kind == "move":
        states = np.concatenate([states[:60], symmetry.transform(states[:60], 3)])
    assert wrong_answers(faulty_solver(fault), DTWSolver(), states)[kind] > 0


# ---------------------------------------------------------------------------- the names


def listed(state: np.ndarray, name: str) -> tuple[list[int], list[int]]:
    """Moves that lose at once, and all others as this order lists them; none is to come first."""
    order, lister = ORDERED[name]
    buffer = np.zeros(negamax.BUFFER, dtype=np.int64)
    side = int(state[kernels.SIDE])
    size = (lister or negamax.list_moves)(state, side, NO_MOVE, buffer, 0, order, 0)
    found = sorted(buffer[:size].tolist(), reverse=True)
    return (
        [word & 127 for word in found if word >> 14 == 0],
        [word & 127 for word in found if word >> 14 > 0],
    )


@pytest.mark.parametrize(
    ("name", "ranks"),
    [("centre, corners, edges", [1, 2, 1, 2, 0, 2, 1, 2, 1]), ("lowest index", [0] * 9),
     (EDGES_FIRST, [1, 0, 1, 0, 2, 0, 1, 0, 1])],
)  # fmt: skip
def test_moves_are_listed_in_the_order_of_the_name(name: str, ranks: list[int]) -> None:
    for state in endgames(Ultimate(), 300, 30):
        losing, others = listed(state, name)
        assert others == sorted(others, key=lambda move: (ranks[move % 9], move))
        assert losing == listed(state, "lowest index")[0]


def test_at_random_any_move_comes_first_and_a_position_always_has_the_same_order() -> None:
    firsts, count = np.zeros(2, dtype=int), 0
    for state in endgames(Ultimate(), 2000, 30):
        (losing, others), usual = listed(state, AT_RANDOM), listed(state, "lowest index")
        assert (losing, sorted(others)) == usual
        assert listed(state, AT_RANDOM)[1] == others
        if len(others) == 2:
            firsts[usual[1].index(others[0])] += 1
            count += 1
    assert count > 50
    assert abs(firsts[0] - firsts[1]) < 4 * count**0.5


@pytest.mark.parametrize("name", list(ORDERED))
def test_with_any_order_the_solver_finds_the_same(name: str) -> None:
    states = endgames(Ultimate(), 200, 9)
    assert not any(judge(ordered_solver(name), states).values())


def test_lookup_finds_only_what_was_solved() -> None:
    state = endgames(Ultimate(), 1, 14, seed=6)[0]
    solver = DTWSolver()
    assert solver.lookup_cache(state) is None
    found = solver.calculate_dtw(state)
    searched = solver.searched
    assert solver.lookup_cache(state) in (None, found)
    assert solver.searched == searched, "a look-up searches nothing"
    over = state.copy()
    over[RESULT] = 1
    for ask in (solver.calculate_dtw, solver.calculate_result, solver.get_best_winning_move):
        solver.searched = searched
        ask(over)
        assert solver.searched == 0, "neither does a finished game"


def test_endgame_counts_playable_cells() -> None:
    solver = DTWSolver()
    states = np.array(random_game(Ultimate(), np.random.default_rng(2)))
    assert [solver.is_endgame(s) for s in states] == (playable(states) <= 15).tolist()
    assert [solver.is_midgame(s) for s in states] == [15 < p <= 45 for p in playable(states)]
    ends = [unpack(s) for s in endgames(Ultimate(), 100, 15)]
    assert all(rules.playable(p) <= 15 for p in ends)
    hidden = sum(p.cells.count(0) > 15 for p in ends)
    assert hidden > 50, "counted on all 81 cells, most of these would not be endgames"


def test_a_search_for_a_quick_win_looks_no_farther() -> None:
    """No win within seven plies of the start: a budget that a few plies more would exceed does."""
    assert DTWSolver(nodes=100_000).get_best_winning_move(Ultimate().initial()[0]) is None


def test_a_quick_win_may_be_eleven_plies_away() -> None:
    solver = DTWSolver(endgame_threshold=0, shallow_depth=11)
    for state in endgames(Ultimate(), 40, 12)[::4]:
        full = DTWSolver().calculate_dtw(state)
        wanted = full.distance if full.result == 1 and (full.distance or 0) <= 11 else None
        found = solver.get_best_winning_move(state)
        assert (found and found[1]) == wanted


@every_rules
def test_best_winning_move(name: str) -> None:
    game, solver = Ultimate(name), DTWSolver(name)
    shallow = DTWSolver(name, endgame_threshold=0, shallow_depth=5)
    for state in endgames(game, 300, 12, seed=7):
        truth = solver.calculate_dtw(state)
        won = truth.result == 1
        found, near = solver.get_best_winning_move(state), shallow.get_best_winning_move(state)
        assert (found is not None) == won
        assert (near is not None) == (won and (truth.distance or 0) <= 5)
        for pair in filter(None, (found, near)):
            assert pair[1] == truth.distance
            after = solver.calculate_dtw(game.play(state[None], np.array([pair[0]]))[0])
            assert (after.result, after.distance) == (-1, truth.distance - 1)


def test_finished_games() -> None:
    over = unpack(random_game(Ultimate(), np.random.default_rng(1))[-1])
    while rules.result(over) is None:
        over = rules.play(over, rules.legal_moves(over)[0])
    solver = DTWSolver()
    expected = Solution(int(rules.result(over) or 0) * over.side, 0, None)
    assert solver.calculate_dtw(over) == solver.lookup_cache(over) == expected
    assert solver.get_best_winning_move(over) is None
    assert expected.cell is None
    assert Solution(1, 3, 40).cell == (4, 4)


def test_a_spent_budget_is_an_error() -> None:
    state = endgames(Ultimate(), 1, 25, seed=3)[0]
    solver = DTWSolver(nodes=50)
    with pytest.raises(BudgetExceededError, match="not solved within 50 nodes"):
        solver.calculate_dtw(state)
    with pytest.raises(BudgetExceededError):
        solver.get_best_winning_move(rules.start())
    found = solver.calculate_dtw(state, nodes=10**8)
    assert found == DTWSolver().calculate_dtw(state), "an unfinished search leaves nothing wrong"
    with pytest.raises(BudgetExceededError):
        DTWSolver(nodes=10_000).calculate_dtw(rules.start())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rules": "chess"}, "unknown rules"),
        ({"nodes": 0}, "nodes must be at least 1, not 0"),
        ({"hot_size": 0}, "hot table needs at least 1 entry"),
        ({"cold_size": -5}, "cold table needs at least 1 entry"),
        ({"endgame_threshold": -1}, "endgame_threshold must be at least 0"),
        ({"midgame_threshold": 3}, "midgame_threshold must be at least 15"),
        ({"shallow_depth": 0}, "shallow_depth must be at least 1"),
        ({"nodes": 1.5}, "nodes must be a whole number, not 1.5"),
        ({"nodes": float("nan")}, "nodes must be a whole number, not nan"),
        ({"order": 3}, "order must be one of 0, 1, 2, not 3"),
        ({"order": -1}, "order must be one of 0, 1, 2, not -1"),
    ],
    ids=str,
)
def test_bad_settings(options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DTWSolver(**options)


def test_a_budget_is_whole_and_may_be_beyond_what_can_be_counted() -> None:
    solver, state = DTWSolver(), endgames(Ultimate(), 1, 10, seed=3)[0]
    expected = solver.calculate_dtw(state)
    assert solver.calculate_dtw(state, nodes=2**70) == expected
    with pytest.raises(ValueError, match=r"nodes must be a whole number, not 1\.5"):
        solver.calculate_dtw(state, nodes=1.5)  # type: ignore[arg-type]


def test_a_state_in_another_byte_order_is_solved_alike() -> None:
    state = endgames(Ultimate(), 1, 10, seed=3)[0]
    assert DTWSolver().calculate_dtw(state.astype(">u2")) == DTWSolver().calculate_dtw(state)


def test_rules_must_fit() -> None:
    with pytest.raises(ValueError, match="plays standard, not codingame"):
        DTWSolver().calculate_dtw(rules.start("codingame"))


# ---------------------------------------------------------------------------- the table


def test_memory_of_the_table() -> None:
    table = Table(5000, 20_000)
    assert (len(table.hot), len(table.cold)) == (8192, 32768)
    assert table.nbytes == 8192 * 16 + 32768 * 8
    assert table.used == (0, 0)


def test_entries_come_back_from_both_tiers() -> None:
    """More keys than the hot tier holds: what is found is what was stored, and much is found."""
    table, rng = Table(1024, 8192), np.random.default_rng(0)
    keys = rng.integers(1, 2**64, 4000, dtype=np.uint64, endpoint=False)
    contents = {
        int(key): (int(s), int(b), int(m))
        for key, s, b, m in zip(
            keys, rng.integers(-99, 100, 4000), rng.integers(1, 4, 4000),
            rng.integers(0, 81, 4000), strict=True,
        )
    }  # fmt: skip
    for key, (score, bound, move) in contents.items():
        packed = np.uint64(entry.py_func(score, bound, move, 1))
        store(table.hot, table.cold, np.uint64(key), packed)
    found = {key: table.get(key) for key in contents}
    assert all(value in (None, contents[key]) for key, value in found.items())
    assert sum(value is not None for value in found.values()) > 3500
    assert min(table.used) > 500
    assert probe(table.hot, table.cold, np.uint64(12345)) == 0
    table.clear()
    assert table.used == (0, 0)


@pytest.mark.parametrize(
    ("works", "kept"), [((1, 2), {2, 3}), ((2, 1), {1, 3}), ((2, 2), {2, 3})], ids=str
)
def test_of_a_full_pair_the_entry_that_took_less_work_goes(
    works: tuple[int, int], kept: set[int]
) -> None:
    """Of two that took as much, the older."""
    cold = np.zeros(2, np.uint64)
    for key, work in enumerate([*works, 1], start=1):
        _demote(cold, np.uint64(key << 40), np.uint64(work << 17 | 1))
    assert set((cold >> np.uint64(40)).tolist()) == kept
    _demote(cold, np.uint64(3 << 40), np.uint64(1 << 17 | 5))
    assert set((cold >> np.uint64(40)).tolist()) == kept, "an entry goes over itself"
    assert 5 in (cold & np.uint64((1 << 17) - 1)).tolist()


def test_a_saved_table_is_used_again(tmp_path: Path) -> None:
    first, second = DTWSolver(cold_size=1 << 12), DTWSolver()
    state = endgames(Ultimate(), 1, 20, seed=9)[0]
    truth = first.calculate_dtw(state)
    first.save(tmp_path / "table.safetensors")
    second.load(tmp_path / "table.safetensors")
    assert second.calculate_dtw(state) == truth
    assert second.searched < first.searched
    for other in (DTWSolver("codingame"), DTWSolver(symmetric=True)):
        with pytest.raises(ValueError, match=r"table\.safetensors holds for"):
            other.load(tmp_path / "table.safetensors")


def test_damaged_tables_are_refused(tmp_path: Path) -> None:
    path, solver = tmp_path / "table.safetensors", DTWSolver(cold_size=1 << 12)
    solver.calculate_dtw(endgames(Ultimate(), 1, 18, seed=9)[0])
    solver.save(path)
    whole = path.read_bytes()
    damages = {
        "cut": whole[: len(whole) // 2],
        "empty": b"",
        "text": b"hello",
        "flipped": whole[: len(whole) // 2] + b"\x55\xaa" + whole[len(whole) // 2 + 2 :],
    }
    for content in damages.values():
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"table\.safetensors is"):
            solver.load(path)
    _change_an_entry(path, whole)
    with pytest.raises(ValueError, match="checksum is wrong"):
        solver.load(path)
    with pytest.raises(ValueError, match="is missing"):
        solver.load(tmp_path / "missing.npz")


def _change_an_entry(path: Path, whole: bytes) -> None:
    """Write a sound file whose entries differ from its checksum."""
    path.write_bytes(whole)
    with safe_open(path, "np") as file:
        (kind,) = {json.loads(text)["format"] for text in file.metadata().values()}
    arrays, about = weights.read(path, kind)
    arrays["cold"][0] ^= np.uint64(1 << 40)
    weights.write(path, arrays, kind, about)


# ---------------------------------------------------------------------------- keys


def test_packing_a_position_twice_gives_the_same_key() -> None:
    game = Ultimate()
    for state in random_game(game, np.random.default_rng(4))[::7]:
        key = int(negamax.parts(state, 0))
        assert key == int(negamax.parts(pack(unpack(state)), 0))
        for turn in range(8):
            image = symmetry.transform(state[None], turn)[0]
            assert int(negamax.parts(state, turn)) == int(negamax.parts(image, 0))


def from_scratch(state: np.ndarray) -> list[int]:
    """The keys of a state's eight images, each packed state turned and then hashed as a whole."""
    images = [symmetry.transform(state[None], turn)[0] for turn in range(8)]
    return [int(negamax.parts(image, 0)) for image in images]


def no_keys() -> np.ndarray:
    return np.zeros((negamax.DEPTH, 8), np.uint64)


CHANGES = {(True, True), (False, True), (False, False)}
"""Whether a move wins and whether it closes a sub-board: a line, the last empty cell, neither."""


@every_rules
def test_incremental_keys_are_those_from_scratch(name: str) -> None:
    """Along random games, in which moves win sub-boards and fill them."""
    rng, met = np.random.default_rng(8), set()
    for _ in range(40):
        states, image_keys = random_game(Ultimate(name), rng), no_keys()
        key = negamax.root_keys(states[0], image_keys, negamax.SYMMETRIC)
        for ply, (state, after) in enumerate(itertools.pairwise(states)):
            board = int(np.flatnonzero(state[:18] != after[:18])[0]) % 9
            for at, source in ((state, ply), (after, ply + 1)):
                rows = (image_keys, source, ply + 1, negamax.SYMMETRIC)
                key = negamax.toggle_part(at, board, np.uint64(key), *rows)
            assert [key, *image_keys[ply + 1, 1:].tolist()] == from_scratch(after)
            won = (state[META : META + 2] != after[META : META + 2]).any()
            met.add((bool(won), bool(state[OPEN] != after[OPEN])))
    assert met == CHANGES | ({(True, False)} if name == "keep-playing" else set())


@njit
def probe_checked(s, key, image_keys, ply, hot, cold, flags):  # type: ignore[no-untyped-def]
    """The sound part; raises if an image's key or the canonical one differs from scratch."""
    least, same = key ^ negamax.tail(s, 0), key == negamax.parts(s, 0)
    for turn in range(1, 8):
        image_key = negamax.parts(s, turn)
        same &= image_keys[ply, turn] == image_key
        least = min(least, image_key ^ negamax.tail(s, turn))
    found = negamax.probe_entry(s, key, image_keys, ply, hot, cold, flags)
    if not same or found[0] != least:  # numba can't compile an assertion that pytest has rewritten
        raise AssertionError("an incremental key differs")
    return found


@cache
def checked_negamax() -> Callable[..., int]:
    return with_parts(negamax.negamax, probe_entry=probe_checked)


@every_rules
def test_every_node_of_a_search_has_the_keys_from_scratch(name: str) -> None:
    checked, usual = (DTWSolver(name, symmetric=True) for _ in range(2))
    checked.negamax = checked_negamax()
    for state in endgames(Ultimate(name), 40, 20, seed=10):
        assert checked.calculate_dtw(state) == usual.calculate_dtw(state)
        assert checked.searched == usual.searched
    assert (checked.table.hot == usual.table.hot).all()
    assert (checked.table.cold == usual.table.cold).all()


@every_rules
def test_the_images_of_a_position_share_one_canonical_key(name: str) -> None:
    marks = []
    for state in random_game(Ultimate(name), np.random.default_rng(9)):
        found = set()
        for turn in range(8):
            image = symmetry.transform(state[None], turn)[0]
            mark, back = full_key(image, negamax.SYMMETRIC)
            assert full_key(symmetry.transform(image[None], back)[0], 0) == (mark, 0)
            found.add(mark)
        assert len(found) == 1
        marks += found
    assert len(set(marks)) == len(marks), "other positions have other keys"


def full_key(state: np.ndarray, flags: int) -> tuple[int, int]:
    image_keys = no_keys()
    key = np.uint64(negamax.root_keys(state, image_keys, flags))
    return negamax.position_key(state, key, image_keys, 0, flags)


@pytest.mark.parametrize("flags", [0, negamax.NO_TABLE, negamax.NO_TABLE | negamax.SYMMETRIC])
def test_keys_that_nobody_looks_up_are_not_computed(flags: int) -> None:
    image_keys, state = no_keys(), endgames(Ultimate(), 1, 20)[0]
    negamax.toggle_part(state, 0, np.uint64(0), image_keys, 0, 1, flags)
    assert not image_keys.any()


def test_what_a_cut_off_position_would_have_taken_is_not_known() -> None:
    """Neither the greatest number nor a quantile that falls on such positions; medians are."""
    times = solver_times()
    within, beyond = times[times["solved"] == 1], times[times["solved"] < 0.99]
    assert not within.empty
    assert not beyond.empty
    assert within.notna().all(axis=None)
    missing = beyond.columns[beyond.isna().any()]
    assert list(missing) == ["p99 nodes", "p99 ms", "most ms"]
