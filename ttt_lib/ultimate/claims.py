"""Our values for what document 5 says about rules, solver, table and symmetry."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise, product
from typing import Any

import numpy as np

from ttt_lib.evidence.answers import Finding, Value, agreed
from ttt_lib.ultimate.board import symmetry
from ttt_lib.ultimate.board.game import Ultimate, perft, playable
from ttt_lib.ultimate.board.rules import (
    BOARD_OF,
    CELL_OF,
    FREE,
    MOVE_OF,
    Position,
    has_line,
    legal_moves,
    play,
    result,
    start,
)
from ttt_lib.ultimate.config import DTWConfig
from ttt_lib.ultimate.solver import layers, table
from ttt_lib.ultimate.solver.solver import DTWSolver
from ttt_lib.ultimate.studies import cost, endgames, random_games
from ttt_lib.ultimate.studies.random_games import LATE_MIDGAME, late_midgames, random_endgames

ANSWER = (3, 82, 82)
"""How many results, distances (0 to 81) and moves (or none) an entry tells apart."""

PLACES = "centre, corners, edges"
POSITIONS = 20_000


LEAVES = (1, 81, 720, 6336, 55080, 473256, 4020960)
"""Known leaf counts of the standard rules, from depth 0."""


def rules_counted() -> Finding:
    """Leaf counts of the standard rules against the known ones."""
    depth = len(LEAVES) - 1
    leaves, other = perft(start(), depth), perft(start("keep-playing"), depth)
    return Finding(
        tuple(leaves) == LEAVES,
        f"leaves {', '.join(map(str, leaves[1:]))}; if won sub-boards were played on, {other[-1]}",
        "The document states its rules by this link only. Counted are our standard rules, as deep "
        "as counts are known to us. "
        f"Depth {depth} tells whether won sub-boards are closed; it reaches no end of a game.",
    )


def endgame_solved(limit: int = 15) -> Finding:
    """Whether complete search is feasible at the document's threshold."""
    row = endgames.solver_times().loc[limit]
    text = (
        f"{row['solved']:.1%} of {row['positions']:.0f} positions solved, "
        f"99% within {row['p99 ms']:.2g} ms"
    )
    return Finding(bool(row["solved"] == 1), text)


def endgame_reached() -> Finding:
    """How often random games and games between UCT players reach the threshold.

    Not testable: the heading of a phase claims nothing that could be false.
    """
    shares = random_games.endgame_shares()
    games, by_uct = endgames.GAMES, int(endgames.solver_times()["positions"][15])
    text = (
        f"{shares['playable']:.1%} of random games on playable cells, {shares['all 81']:.1%} on "
        f"all; {by_uct} of {games} games between UCT players on playable cells"
    )
    return Finding(None, text)


def group_order(positions: int = 60) -> Value:
    """In how many ways the board can be turned so that the rules are turned with it.

    Tried are all ways to turn the sub-boards by one symmetry of the square and the cells within
    them by another, on random positions, with a random move in each.
    """
    rng, found = np.random.default_rng(0), cost.sample_states(positions, rng=6)
    boards = [Ultimate().unpack(state) for state in found]
    cases = [(board, int(rng.choice(legal_moves(board)))) for board in boards]
    square = np.unique(symmetry.PLACES, axis=0).tolist()
    kept = [
        (outer, inner)
        for outer, inner in product(square, repeat=2)
        if all(_commutes(board, move, outer, inner) for board, move in cases)
    ]
    alike = sum(outer == inner for outer, inner in kept)
    reason = (
        f"Of {len(square) ** 2} ways to turn the sub-boards by one symmetry and the cells within "
        f"them by another, {len(kept)} keep legal moves, next position and result in "
        f"{len(cases)} random positions; {'all' if alike == len(kept) else alike} of these turn "
        "both alike, as the sending rule demands."
    )
    return Value(len(kept), reason)


def _commutes(board: Position, move: int, outer: list[int], inner: list[int]) -> bool:
    """Whether turning first and moving then is the same as moving first and turning then."""
    turned, images = _turned(board, outer, inner), _images(outer, inner)
    if legal_moves(turned) != sorted(images[legal] for legal in legal_moves(board)):
        return False
    one, two = _turned(play(board, move), outer, inner), play(turned, images[move])
    return one == two and result(play(board, move)) == result(two)


def _images(outer: list[int], inner: list[int]) -> list[int]:
    """Where each move goes."""
    return [MOVE_OF[outer[b]][inner[c]] for b, c in zip(BOARD_OF, CELL_OF, strict=True)]


def _turned(board: Position, outer: list[int], inner: list[int]) -> Position:
    """A position with its sub-boards turned in one way and the cells within them in another."""
    cells, owners = [0] * len(board.cells), [0] * len(board.owners)
    for move, image in enumerate(_images(outer, inner)):
        cells[image] = board.cells[move]
    for place, image in enumerate(outer):
        owners[image] = board.owners[place]
    forced = FREE if board.forced == FREE else outer[board.forced]
    return Position(tuple(cells), board.side, forced, tuple(owners), board.rules)


MUCH = 4
"""A factor that we would still have taken for the document's eight."""


def symmetry_memory(limit: int = 15) -> Finding:
    """Factor by which symmetric keys reduce the entries, where the table is used.

    Two tables may be meant: that of one search, as stored, and one kept from game to game, judged
    by the endgames of many random games.  If they disagree, the sentence is not testable.
    """
    row, opening = endgames.variant("symmetric keys", limit), random_games.symmetry_saving()
    saving, (different, classes) = 1 / row["entries"], _met(limit)
    first = opening[opening["kind"] == "all positions"].set_index("ply")["saving"]
    text = (
        f"{1 / saving:.3f} times as many entries in endgames of at most {limit} cells, which "
        f"take {row['milliseconds']:.1f} times as long; the number of all positions falls by a "
        f"factor of {first[1]:.1f} after one move, {first[4]:.2f} after four; among {POSITIONS:,} "
        f"positions of random games are {different:,} different endgames, {classes:,} up to "
        "symmetry"
    )
    much = {saved > MUCH for saved in (saving, different / classes)}
    limit_told = f"We would have let any factor above {MUCH} pass."
    cause = (
        "Two positions of one endgame are hardly ever images of each other, nor are endgames of "
        "different games. A factor near eight holds for the count of all positions after a few "
        "moves, not for what a solver stores. "
    )
    return Finding(agreed(much), text, limit_told if any(much) else cause + limit_told)


def _met(limit: int) -> tuple[int, int]:
    """Number of different endgames among positions of random games, and that up to symmetry."""
    states = cost.sample_states(POSITIONS)
    different = np.unique(states[playable(states) <= limit], axis=0)
    return len(different), len(np.unique(symmetry.canonical(different), axis=0))


def bytes_of_an_entry() -> Value:
    """Bytes of what an entry says, if result, distance and move have their own; by arithmetic."""
    bits = [math.log2(cases) for cases in ANSWER]
    whole, together = sum(math.ceil(one / 8) for one in bits), math.ceil(sum(bits) / 8)
    reason = (
        "This says how long the value is, which the author's program compresses so "
        "(compress_entry, commit 62ff316), not what an entry takes in memory. "
        f"Result, distance and move take {sum(bits):.1f} bits: {whole} bytes if each has its own, "
        f"as there, {together} if they share them. The key, by which a position is found again, "
        "comes on top: in that program it is "
        "a dictionary's, of 91 bytes (get_canonical_bytes, commit cb97dff). Entries of ours take "
        f"{table.COLD_BYTES} bytes in the cold table and {table.HOT_BYTES} in the hot one, key "
        "included."
    )
    return Value(whole, reason)


def place_order(limit: int = 15) -> Finding:
    """Nodes by centre, corners, edges relative to lowest index, in positions of two kinds of games.

    In one kind it prunes better if both the geometric mean of the ratios and the ratio of the sums,
    which the few hardest positions dominate, lie below 1 with their bootstrap intervals over
    positions; worse if both lie above.  What both kinds say is the verdict; if they disagree, it is
    not testable.  Other orders that one might start from stand beside it, in the first kind.
    """
    ours = endgames.node_ratio(PLACES, "ours", limit)[0]
    text = (
        f"{_beside_lowest(limit, endgames.ORDERS, 'games between UCT players')}, and {ours:.1f} "
        f"times those of an order by threats; {_beside_lowest(limit, endgames.RANDOM_ORDERS)}; in "
        f"the former likewise {_against(endgames.AT_RANDOM, limit)} a random order, and "
        f"{_against(endgames.EDGES_FIRST, limit)} {endgames.EDGES_FIRST}"
    )
    said = {_prunes_better(limit, file) for file in (endgames.ORDERS, endgames.RANDOM_ORDERS)}
    return Finding(agreed(said), text, tested=not {True, False} <= said)


def _prunes_better(limit: int, file: str) -> bool | None:
    """Whether the rule of places is better than lowest index by both measures; False: worse."""
    bounds = [
        ratio(PLACES, "lowest index", limit, file)[1:]
        for ratio in (endgames.node_ratio, endgames.total_ratio)
    ]
    better, worse = all(high < 1 for _, high in bounds), all(low > 1 for low, _ in bounds)
    return True if better else False if worse else None


def _beside_lowest(limit: int, file: str, games: str = "random games") -> str:
    """The rule's nodes beside those of lowest index, by both measures and by position."""
    mean, low, high = endgames.node_ratio(PLACES, "lowest index", limit, file)
    total, least, most = endgames.total_ratio(PLACES, "lowest index", limit, file)
    fewer, same, more = endgames.node_counts(PLACES, "lowest index", limit, file)
    return (
        f"{mean:.2f} times the nodes of lowest index [{low:.2f}, {high:.2f}] over "
        f"{endgames.positions_of(limit, file):,} positions of at most {limit} cells from {games} "
        f"(fewer nodes on {fewer:,}, as many on {same:,}, more on {more:,}; in the sum over them, "
        f"which the hardest dominate, {total:.2f} [{least:.2f}, {most:.2f}])"
    )


def _against(other: str, limit: int) -> str:
    """Ratios of nodes to those of another order, by the mean of the ratios and by the sums."""
    mean, total = (
        f"{ratio:.2f} [{low:.2f}, {high:.2f}]"
        for ratio, low, high in (
            endgames.node_ratio(PLACES, other, limit),
            endgames.total_ratio(PLACES, other, limit),
        )
    )
    return f"{mean} (sum: {total}) against"


def _wrong_answers(row: dict[str, int]) -> str:
    return ", ".join(
        f"{row[what]} {what}{'s' * (row[what] != 1)}" for what in ("result", "distance", "move")
    )


def perfect_play() -> Finding:
    """Wrong answers of a sound solver, and of one with each of the three faults.

    The stored table takes the solver's own word for the truth; so a search of every position that
    can follow has to agree with it, in endgames of as many cells as the document's: on result and
    distance, and on those that the solver's move leaves.
    """
    table_ = endgames.faults()
    rows: dict[str, dict[str, int]] = table_.to_dict("index")  # type: ignore[assignment]
    parts = [f"{name!s}: {_wrong_answers(row)}" for name, row in rows.items() if name != "none"]
    sound = rows["none"]
    most = max(sound[kind] for kind in ("result", "distance", "move"))
    cells, agreed = DTWConfig().endgame_threshold, 0
    states = random_endgames(cells, 60, rng=5)
    for state in states:
        won, plies, move = DTWSolver().calculate_dtw(state)
        left = -won, None if plies is None else plies - 1
        after = Ultimate().play(state[None], np.array([move]))[0]
        agreed += layers.solve(state) == (won, plies) and layers.solve(after) == left
    text = (
        f"sound, it agrees with itself on {sound['positions'] - most} of {sound['positions']}; "
        f"wrong with {'; '.join(parts)}; a search of every position that can follow agrees on "
        f"result, distance and move in {agreed} of {len(states)} endgames of at most {cells} cells"
    )
    return Finding(most == 0 and agreed == len(states), text)


def lookup_cost(keys: int = 300) -> Finding:
    """Places that a look-up reads in empty tables and in full ones, small and larger."""
    rng, sizes = np.random.default_rng(0), (table.SMALLEST, 64 * table.SMALLEST)
    asked = [int(key) for key in rng.integers(1, 2**63, size=keys)]
    most, shares = [], []
    for size in sizes:
        empty, full = table.Table(size, size), table.Table(size, size)
        for key in rng.integers(1, 2**63, size=20 * size, dtype=np.uint64):
            table.store(full.hot, full.cold, key, table.pack(1, table.EXACT, 2, 3))
        most.append([max(len(places_read(it, key)) for key in asked) for it in (empty, full)])
        shares.append(sum(full.used) / (2 * size))
    told = "; ".join(
        f"{size:,} entries in each tier: at most {of_empty} places if empty, {of_full} if "
        f"{share:.0%} full"
        for size, (of_empty, of_full), share in zip(sizes, most, shares, strict=True)
    )
    return Finding(all(full <= empty <= 3 for empty, full in most), told)


class _Counting:
    """An array that remembers which rows were read."""

    def __init__(self, rows: np.ndarray, number: int, seen: set[tuple[int, int]]) -> None:
        self.rows, self.number, self.seen = rows, number, seen

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: Any) -> Any:
        self.seen.add((self.number, int(place[0] if isinstance(place, tuple) else place)))
        return self.rows[place]


def places_read(it: table.Table, key: int) -> set[tuple[int, int]]:
    """Rows of both tiers that the kernel, run as plain Python, reads for a key."""
    seen: set[tuple[int, int]] = set()
    tiers = (_Counting(tier, number, seen) for number, tier in enumerate((it.hot, it.cold)))
    kernel: Any = table.probe
    kernel.py_func(*tiers, np.uint64(key))
    return seen


def clone_speed() -> Finding:
    """How many times faster a copy by hand is than deepcopy, of a board in lists like the author's.

    Not testable: the document prints no times, and the ratio depends on what a board carries.
    """
    times = endgames.copies()
    ratio = times["deepcopy"] / times["by hand"]
    return Finding(None, f"{ratio:.0f} times for a board in lists, built like the author's")


def result_is_kept(games: int = 300) -> Finding:
    """Whether the result stored in a state equals the recomputed one, throughout random games."""
    game, rng, agree, count = Ultimate(), np.random.default_rng(0), 0, 0
    states = game.initial(games)
    while len(states):
        over, winner = game.finished(states), game.winner(states)
        kept = [int(who) if done else None for who, done in zip(winner, over, strict=True)]
        anew = [result(_owned_anew(game.unpack(state))) for state in states]
        agree += sum(one == other for one, other in zip(kept, anew, strict=True))
        count += len(states)
        states = states[~over]
        moves = [int(rng.choice(np.flatnonzero(legal))) for legal in game.legal(states)]
        states = game.play(states, np.array(moves, dtype=np.intp))
    text = f"a state carries it: right in {agree:,} of {count:,} positions of {games} random games"
    return Finding(agree == count, text)


def _owned_anew(board: Position) -> Position:
    """The position with the winners of its sub-boards found from their cells."""
    cells = map(board.sub_board, range(9))
    return replace(board, owners=tuple(has_line(one, 1) - has_line(one, -1) for one in cells))


def near_wins_are_won(plies: int = 5, positions: int = 150) -> Finding:
    """Play near wins by the solver: against random replies each must end in time.

    Against an opponent who delays the end as long as possible, it must last just as long as said.
    """
    game, solver, rng = Ultimate(), DTWSolver(), np.random.default_rng(0)
    lines, delayed = list[tuple[bool, list[int]]](), 0
    while len(lines) < positions:
        for state in _late_states(game, rng):
            found = solver.calculate_dtw(state)
            if found.result == 1 and (found.distance or 0) <= plies:
                lines.append(_played_out(game, solver, state, rng))
                won, falls = _played_out(game, solver, state)
                delayed += won and set(falls) == {1}
    won, longer = (sum(column) for column in zip(*((w, len(f) > 1) for w, f in lines), strict=True))
    falls = [fall for _, line in lines for fall in line]
    text = (
        f"{won} of {len(lines)} won within the distance, {longer} of them in more than one ply; "
        f"{delayed} won in just as many plies if the opponent delays the end"
    )
    more = sum(fall > 1 for fall in falls)
    fell = (
        " Against random replies the distance fell by at least one with every ply, in "
        f"{more} of {len(falls)} by more."
    )
    reason = "Tried against random replies, and against the longest defence, our solver's own." + (
        fell * (min(falls) >= 1)
    )
    return Finding(won == delayed == len(lines), text, reason)


def _late_states(game: Ultimate, rng: np.random.Generator) -> np.ndarray:
    state, found = game.initial(), []
    while not game.finished(state)[0]:
        found.append(state[0])
        state = game.play(state, np.array([rng.choice(np.flatnonzero(game.legal(state)[0]))]))
    states = np.array(found)
    return states[playable(states) <= 15]


def _played_out(
    game: Ultimate, solver: DTWSolver, state: np.ndarray, rng: np.random.Generator | None = None
) -> tuple[bool, list[int]]:
    """Whether a win comes in time; by how much each ply shortens it.

    Parameters
    ----------
    rng : Generator or None
        Draws the opponent's replies; None: the solver replies, too, and so delays the end.
    """
    left, side = int(solver.calculate_dtw(state).distance or 0), game.to_move(state[None])[0]
    batch, distances = state[None], [left]
    for ply in range(left):
        if rng is None or ply % 2 == 0:
            move = solver.calculate_dtw(batch[0]).best_move
        else:
            move = rng.choice(np.flatnonzero(game.legal(batch)[0]))
        batch = game.play(batch, np.array([move]))
        distances.append(int(solver.calculate_dtw(batch[0]).distance or 0))
        if game.finished(batch)[0]:
            break
    won = bool(game.finished(batch)[0] and game.winner(batch)[0] == side)
    return won, [before - after for before, after in pairwise(distances)]


def shallow_wins(depth: int = 8) -> Finding:
    """Whether a search of ``depth`` plies finds the wins within that distance, and no others."""
    shallow, full = DTWSolver(endgame_threshold=0, shallow_depth=depth), DTWSolver()
    states, wrong, counts = late_midgames(), 0, [0, 0, 0]
    for state in states:
        found, truth = shallow.get_best_winning_move(state), full.calculate_dtw(state)
        near = truth.distance if truth.result == 1 and (truth.distance or 0) <= depth else None
        wrong += (None if found is None else found[1]) != near
        counts[0 if near is not None else 1 if truth.result == 1 else 2] += 1
    least, most = LATE_MIDGAME
    text = (
        f"{len(states) - wrong} of {len(states)} positions of {least} to {most} playable cells "
        f"judged as by complete search: {counts[0]} are won within {depth} plies, {counts[1]} "
        f"later, {counts[2]} not"
    )
    return Finding(wrong == 0, text)
