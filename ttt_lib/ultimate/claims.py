"""Our values for what document 5 says about rules, solver, table and symmetry."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ttt_lib.evidence.claims import Finding, Setting, Value
from ttt_lib.ultimate.board.game import Ultimate, perft, playable
from ttt_lib.ultimate.board.rules import result, start
from ttt_lib.ultimate.claims_network import random_endgames
from ttt_lib.ultimate.config import DTWConfig
from ttt_lib.ultimate.solver import plain, table
from ttt_lib.ultimate.solver.solver import DTWSolver
from ttt_lib.ultimate.studies import endgames, random_games

HOT, COLD = DTWConfig.hot_cache_size, DTWConfig.cold_cache_size
ANSWERS = 3 * 82 * 82
"""Number of cases that an entry tells apart: results, distances of 0 to 81, moves or none."""

PLACES = "centre, corners, edges"


def rules_counted(depth: int = 5) -> Finding:
    """Leaf counts of the standard rules against the known ones."""
    leaves = perft(start(), depth)
    known = [1, 81, 720, 6336, 55080, 473256, 4020960][: depth + 1]
    return Finding(leaves == known, "leaves " + ", ".join(map(str, leaves[1:])))


def endgame_solved(limit: int = 15) -> Finding:
    """Whether complete search is feasible at the document's threshold."""
    row = endgames.solver_times().loc[limit]
    text = (
        f"{row['solved']:.1%} of {row['positions']:.0f} positions solved, "
        f"99 % within {row['p99 ms']:.2g} ms"
    )
    return Finding(bool(row["solved"] == 1), text)


def endgame_reached() -> Finding:
    """How often the threshold is reached, counted on playable cells and on all 81.

    The document doesn't say which cells are empty: where the counts disagree, it is not testable.
    """
    shares = random_games.endgame_shares()
    text = (
        f"{shares['playable']:.1%} of random games on playable cells, {shares['all 81']:.2%} on all"
    )
    most = {share > 0.5 for share in shares.values()}
    return Finding(most.pop() if len(most) == 1 else None, text)


def group_order() -> Value:
    """Number of symmetries."""
    from ttt_lib.ultimate.board.symmetry import PLACES

    return Value(len(np.unique(PLACES, axis=0)))


def symmetry_memory(limit: int = 15) -> Finding:
    """Factor by which symmetric keys reduce the entries, where the table is used."""
    row, opening = endgames.variant("symmetric keys", limit), random_games.symmetry_saving()
    saving = 1 / row["entries"]
    first = opening[opening["kind"] == "all positions"].set_index("ply")["saving"]
    text = (
        f"{1 / saving:.3f} times as many entries in endgames of at most {limit} cells, which "
        f"take {row['milliseconds']:.1f} times as long; the number of all positions falls by a "
        f"factor of {first[1]:.1f} after one move, {first[4]:.2f} after four"
    )
    return Finding(saving > 4, text)


def bytes_of_an_entry(published: int) -> Setting:
    """Bytes of a cold entry of our table, and what is to be known of a position, in bits."""
    cold = table.Table(table.SMALLEST, table.SMALLEST).cold
    ours = cold.nbytes // len(cold)
    text = (
        f"result, distance and move take {math.log2(ANSWERS):.1f} of {8 * published} bits; "
        f"an entry of ours takes {ours} bytes, key included"
    )
    return Setting(ours, ours == table.COLD_BYTES, text)


def memory_of_the_table() -> Finding:
    """Memory of tables of the published sizes in our layout."""
    hot, cold = table.power_of_two(HOT, "hot"), table.power_of_two(COLD, "cold")
    total = hot * table.HOT_BYTES + cold * table.COLD_BYTES
    text = f"{hot + cold:,} entries (powers of two) in {total / 2**20:.0f} MiB"
    return Finding(total < 2**30, text)


def place_order(limit: int = 15) -> Finding:
    """Nodes by centre, corners, edges relative to lowest index: geometric mean over positions.

    Told beside it are the numbers of positions and the sums over them, which are dominated by the
    few hardest ones.  Whether it prunes better is decided by a bootstrap interval over positions.
    """
    mean, low, high = endgames.node_ratio(PLACES, "lowest index", limit)
    ours = endgames.node_ratio(PLACES, "ours", limit)[0]
    total, least, most = endgames.total_ratio(PLACES, "lowest index", limit)
    fewer, same, more = endgames.node_counts(PLACES, "lowest index", limit)
    text = (
        f"{mean:.2f} times the nodes of lowest index [{low:.2f}, {high:.2f}] over "
        f"{endgames.positions_of(limit)} positions of at most {limit} cells (fewer nodes on "
        f"{fewer}, as many on {same}, more on {more}; in the sum over them, "
        f"which the hardest dominate, {total:.2f} [{least:.2f}, {most:.2f}]), and {ours:.1f} times "
        "those of an order by threats"
    )
    return Finding(True if high < 1 else False if low > 1 else None, text, tested=True)


def _wrong_answers(row: dict[str, int]) -> str:
    return f"{row['result']} results, {row['distance']} distances, {row['move']} moves"


def perfect_play() -> Finding:
    """Wrong answers of a sound solver, and of one with each of the three faults.

    The stored table takes the solver's own word for the truth; so a search of every line of play by
    the readable rules has to agree with it.
    """
    table_ = endgames.faults()
    rows: dict[str, dict[str, int]] = table_.to_dict("index")  # type: ignore[assignment]
    parts = [f"{name!s}: {_wrong_answers(row)}" for name, row in rows.items() if name != "none"]
    sound = rows["none"]
    most = max(sound[kind] for kind in ("result", "distance", "move"))
    states, agreed = random_endgames(8, 60, rng=5), 0
    for state in states:
        agreed += DTWSolver().calculate_dtw(state)[:2] == plain.solve(Ultimate().unpack(state))
    text = (
        f"{most} of {sound['positions']} wrong when sound; wrong with {'; '.join(parts)}; a search "
        f"of every line agrees in {agreed} of {len(states)} endgames of at most 8 cells"
    )
    return Finding(most == 0 and agreed == len(states), text)


def lookup_cost(keys: int = 300) -> Finding:
    """Places that a look-up reads, in an empty table and in a full one."""
    rng, size = np.random.default_rng(0), table.SMALLEST
    asked = [int(key) for key in rng.integers(1, 2**63, size=keys)]
    empty, full = table.Table(size, size), table.Table(size, size)
    for key in rng.integers(1, 2**63, size=20 * size, dtype=np.uint64):
        table.store(full.hot, full.cold, key, table.pack(1, table.EXACT, 2, 3))
    most = [max(len(_places_read(it, key)) for key in asked) for it in (empty, full)]
    share = sum(full.used) / (2 * size)
    text = f"at most {most[0]} places in an empty table, {most[1]} in one that is {share:.0%} full"
    return Finding(most[1] <= most[0] <= 3, text)


class _Counting:
    """An array that remembers which rows were read."""

    def __init__(self, rows: np.ndarray, number: int, seen: set[tuple[int, int]]) -> None:
        self.rows, self.number, self.seen = rows, number, seen

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: Any) -> Any:
        self.seen.add((self.number, int(place[0] if isinstance(place, tuple) else place)))
        return self.rows[place]


def _places_read(it: table.Table, key: int) -> set[tuple[int, int]]:
    """Rows of both tiers that the kernel, run as plain Python, reads for a key."""
    seen: set[tuple[int, int]] = set()
    tiers = (_Counting(tier, number, seen) for number, tier in enumerate((it.hot, it.cold)))
    kernel: Any = table.probe
    kernel.py_func(*tiers, np.uint64(key))
    return seen


def clone_speed() -> Finding:
    """How many times faster a hand-written copy is than deepcopy, of a board in lists of ours.

    Not testable: the document shows no board, and the ratio depends on what a board carries.
    """
    return Finding(None, f"{endgames.clone_ratio():.0f} times for a board of ours in lists")


def result_is_kept(games: int = 300) -> Finding:
    """Whether the result stored in a state equals the recomputed one, throughout random games."""
    game, rng, agree, count = Ultimate(), np.random.default_rng(0), 0, 0
    states = game.initial(games)
    while len(states):
        over, winner = game.finished(states), game.winner(states)
        kept = [int(who) if done else None for who, done in zip(winner, over, strict=True)]
        anew = [result(game.unpack(state)) for state in states]
        agree += sum(one == other for one, other in zip(kept, anew, strict=True))
        count += len(states)
        states = states[~over]
        moves = [int(rng.choice(np.flatnonzero(legal))) for legal in game.legal(states)]
        states = game.play(states, np.array(moves, dtype=np.intp))
    text = f"a state carries it: right in {agree:,} of {count:,} positions of {games} random games"
    return Finding(agree == count, text)


def near_wins_are_won(plies: int = 5, positions: int = 150) -> Finding:
    """Play near wins by the solver against random replies: each must end in time."""
    game, solver, rng = Ultimate(), DTWSolver(), np.random.default_rng(0)
    late = tried = 0
    while tried < positions:
        for state in _late_states(game, rng):
            found = solver.calculate_dtw(state)
            if found.result == 1 and (found.distance or 0) <= plies:
                tried += 1
                late += not _wins_in_time(game, solver, state, rng)
    return Finding(late == 0, f"{tried - late} of {tried} won within the distance")


def _late_states(game: Ultimate, rng: np.random.Generator) -> np.ndarray:
    state, found = game.initial(), []
    while not game.finished(state)[0]:
        found.append(state[0])
        state = game.play(state, np.array([rng.choice(np.flatnonzero(game.legal(state)[0]))]))
    states = np.array(found)
    return states[playable(states) <= 15]


def _wins_in_time(
    game: Ultimate, solver: DTWSolver, state: np.ndarray, rng: np.random.Generator
) -> bool:
    left, side = int(solver.calculate_dtw(state).distance or 0), game.to_move(state[None])[0]
    batch = state[None]
    for ply in range(left):
        move = solver.calculate_dtw(batch[0]).best_move if ply % 2 == 0 else None
        legal = np.flatnonzero(game.legal(batch)[0])
        batch = game.play(batch, np.array([rng.choice(legal) if move is None else move]))
        if game.finished(batch)[0]:
            return bool(game.winner(batch)[0] == side)
    return False


def shallow_wins(depth: int = 8, positions: int = 60) -> Finding:
    """Whether a search of ``depth`` plies finds the wins within that distance, and no others."""
    shallow, full = DTWSolver(endgame_threshold=0, shallow_depth=depth), DTWSolver()
    states, wrong = random_endgames(15, positions, rng=1), 0
    for state in states:
        found, truth = shallow.get_best_winning_move(state), full.calculate_dtw(state)
        near = truth.distance if truth.result == 1 and (truth.distance or 0) <= depth else None
        wrong += (None if found is None else found[1]) != near
    tried = len(states)
    return Finding(wrong == 0, f"{tried - wrong} of {tried} positions judged as by complete search")
