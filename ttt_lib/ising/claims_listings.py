"""Our value of what document 4 says about its formula, its listings, and what functions return."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from ttt_lib.evidence.answers import Finding, agreed
from ttt_lib.game.board import Boards, Grid, Mask
from ttt_lib.game.gametree import solve
from ttt_lib.ising.alpha_beta import WIN
from ttt_lib.ising.energy import directions, inward, program_energy
from ttt_lib.ising.program import program_winner
from ttt_lib.ising.state_graph import layers

GRID = Grid(3)
CROSS, NOUGHT, EMPTY = 0, 1, 2
STATES = (CROSS, NOUGHT, EMPTY)
"""The numbers that the document gives to the states of a cell."""

Terms = Counter[str]
"""A sum of spins and ones: how often each occurs."""


def product(i: int, j: int) -> Terms:
    """The product of two spins, term by term as the document prints it."""
    here = Terms()
    here["1"] = (i == j) * (i != EMPTY) * (j != EMPTY)
    here[f"s{j}"] += i != EMPTY
    here[f"s{i}"] += i != EMPTY  # so printed, with i in both
    return +here


def with_squares(i: int, j: int) -> Terms:
    """The same, where each spin's square is 1, as the document prints before the formula."""
    return Terms({"1": 1}) if i == j else product(i, j)


def meant(i: int, j: int) -> Terms:
    """The product as the document's words describe it."""
    if i == j:
        return Terms({"1": 1})
    return Terms({f"s{min(i, j)}": 1}) if EMPTY in (i, j) else Terms()


def _written(terms: Terms) -> str:
    parts = (f"{count} {name}" if count > 1 else name for name, count in sorted(terms.items()))
    return " + ".join(parts) or "0"


def product_as_told() -> Finding:
    """Whether the printed product gives what the text reads out of it, for every pair of states."""
    right, squared, against = products_as_told()
    pairs = len(STATES) ** 2
    text = (
        f"{right} of {pairs} products are as told by the formula alone: {product_examples()}; "
        f"{squared} with s_i^2 = 1, which is printed before it, and which it contradicts for "
        f"{against} of {len(STATES)} states"
    )
    return Finding(agreed({right == pairs, squared == pairs}), text)


def products_as_told() -> tuple[int, int, int]:
    """Products that are as told, by the formula alone and with squares of 1 put before it.

    Last the states whose square, by the formula, is not 1.
    """
    pairs = [(i, j) for i in STATES for j in STATES]
    right = sum(product(*pair) == meant(*pair) for pair in pairs)
    squared = sum(with_squares(*pair) == meant(*pair) for pair in pairs)
    return right, squared, sum(product(i, i) != with_squares(i, i) for i in STATES)


def product_examples() -> str:
    """Some products as the formula gives them, and as the words have them."""
    shown = ((CROSS, NOUGHT), (CROSS, CROSS), (EMPTY, EMPTY))
    return ", ".join(
        f"{pair} gives {_written(product(*pair))} instead of {_written(meant(*pair))}"
        for pair in shown
    )


def equivalent(first: Boards, second: Boards) -> Mask:
    """The document's ``areVectorsEquivalent`` for pairs of grids, both (B, cells): (B,)."""
    return np.asarray(((second == 0) | (first == second)).all(axis=1))


def evolution_found() -> Finding:
    """Whether ``areVectorsEquivalent`` is true just where the second grid is one move ahead."""
    tree = solve(GRID)
    before, moves = np.nonzero(tree.children >= 0)
    after = tree.children[before, moves]
    old, new = tree.boards[before], tree.boards[after]
    grids = tree.boards
    linked, predecessors = np.unique(after[tree.ply[after] > 1], return_counts=True)
    single = int((predecessors == 1).sum())
    ahead, behind, same = (
        int(equivalent(*pair).sum()) for pair in ((old, new), (new, old), (grids, grids))
    )
    text = (
        f"true of {ahead:,} of {len(old):,} moves; with the grids in reverse order of {behind:,}, "
        f"and of {same:,} of {len(grids):,} grids beside themselves; {single:,} of the "
        f"{linked.size:,} grids that get a link have a single predecessor"
    )
    return Finding(ahead == len(old) and not behind and not same, text)


def successors_kept() -> Finding:
    """Whether without copies some states have no successors though they are not terminal.

    As grids a state has a successor if one that is a move ahead is kept.  By its place it has those
    that it was the first to reach: later copies are removed.  If these readings disagree, there is
    no answer.
    """
    tree, kept = solve(GRID), [solve(GRID).index(boards) for boards in layers(GRID)]
    without = np.zeros(2, dtype=np.int64)
    for rows, after in zip(kept, [*kept[1:], kept[0][:0]], strict=True):
        running = ~tree.finished[rows]
        children = tree.children[rows]
        as_grids = np.isin(children, after).any(axis=1)
        found, first = np.unique(children, return_index=True)
        by_place = np.isin(np.arange(len(rows)), first[found >= 0] // GRID.cells)
        without += [(running & ~have).sum() for have in (as_grids, by_place)]
    text = (
        f"of {int((~tree.finished).sum()):,} states of 3x3 that are not terminal, {without[0]:,} "
        "have no grid one move ahead among those kept; if each belongs to the state that was the "
        f"first to reach it, {without[1]:,} are left without"
    )
    return Finding(agreed({bool(count) for count in without}), text)


def end_told(boards: Boards) -> list[str]:
    """What the document's ``Board::End`` returns for each grid, (B, cells)."""
    won = program_winner(GRID, boards, 1) | program_winner(GRID, boards, -1)
    more = (boards == 1).sum(axis=1) > (boards == -1).sum(axis=1)
    return np.where(won, np.where(more, "X", "O"), "-").tolist()  # type: ignore[no-any-return]


def end_is_the_winner() -> Finding:
    """Whether ``Board::End`` tells the winner of each finished game of 3x3, and a tie."""
    tree = solve(GRID)
    told = np.array(end_told(tree.boards))
    ours = np.array(["-", "X", "O"])[tree.winner]
    right = (told == ours)[tree.finished]
    counts = ", ".join(f"{sign} {int((ours[tree.finished] == sign).sum())}" for sign in "XO-")
    text = (
        f"right for {right.sum()} of {len(right)} finished grids of 3x3 ({counts}); it also "
        f"returns '-' for {int((told == '-')[~tree.finished].sum()):,} of "
        f"{int((~tree.finished).sum()):,} unfinished ones"
    )
    return Finding(bool(right.all()), text)


def components() -> Finding:
    """Whether directions consist of 0 and 1 alone, as they are turned into numbers on 3x3."""
    kept = [step for place in GRID.coordinates.tolist() for step in directions(2)
            if inward(GRID, place, step)]  # fmt: skip
    found = sorted({part for step in kept for part in step})
    minus = sum(min(step) < 0 for step in kept)
    text = f"{', '.join(map(str, found))}: {minus} of {len(kept)} directions kept on 3x3 hold a -1"
    return Finding(set(found) <= {0, 1}, text)


AI, PLAYER = "AI_MARKER", "PLAYER_MARKER"
LOSS, DRAW = -WIN, 0
RESULT_NAMES = {WIN: "WIN", DRAW: "DRAW", LOSS: "LOSS"}
TOLD = {PLAYER: LOSS, AI: WIN}
"""What `best_score` begins with, by the sentence that explains the expression."""


def first_score(marker: str) -> int:
    """What `best_score` begins with, by the expression as printed."""
    return LOSS if marker == AI else WIN


def improving(marker: str, best_score: int) -> int:
    """How many of the three results the listing takes for better than a score: AI maximises."""
    return sum(best_score < score if marker == AI else best_score > score for score in RESULT_NAMES)


def first_scores() -> Finding:
    """Whether the expression begins with the values that the sentence reads out of it."""
    printed = {marker: first_score(marker) for marker in TOLD}
    values = " and ".join(f"{RESULT_NAMES[value]} for {name}" for name, value in printed.items())
    better, told = (
        " and ".join(str(improving(*begun)) for begun in of.items()) for of in (printed, TOLD)
    )
    text = (
        f"the expression gives {values}, on which {better} of the {len(RESULT_NAMES)} results "
        f"improve; on the values that the sentence gives, {told} would"
    )
    return Finding(printed == TOLD, text)


BOARDS = (Grid(3), Grid(4), Grid(5), Grid(6), Grid(3, 3), Grid(4, 3), Grid(5, 3))
"""Boards on which the program's energy and its directions are looked at."""


def cut(grid: Grid, cell: int) -> set[tuple[int, ...]]:
    """The directions that "hairdressing" leaves a cell, by the listing; x0 varies fastest."""
    kept = {step[::-1] for step in directions(grid.d)}
    for j in range(grid.d):
        low, high = grid.n**j, grid.n ** (j + 1)
        for end, component in ((low, -1), (high, 1)):
            limit = {end - f - 1 for f in range(low)}
            if cell % high in limit:
                kept = {step for step in kept if step[j] != component}
    return {step[::-1] for step in kept}


def hair_is_cut() -> Finding:
    """Whether the listing leaves every cell just those directions that stay on the board."""
    right = {grid.name: sum(_is_well_cut(grid, cell) for cell in range(grid.cells))
             for grid in BOARDS}  # fmt: skip
    told = ", ".join(f"{right[grid.name]} of {grid.cells} on {grid.name}" for grid in BOARDS)
    holds = all(right[grid.name] == grid.cells for grid in BOARDS)
    return Finding(holds, f"cells that keep just the directions that stay on the board: {told}")


def _is_well_cut(grid: Grid, cell: int) -> bool:
    place = grid.coordinates[cell].tolist()
    return cut(grid, cell) == {step for step in directions(grid.d) if inward(grid, place, step)}


def segments_are_found() -> Finding:
    """Whether the walks of n cells along acceptable directions are just the lines of every board.

    A walk ends where the board does.  If they are, a grid has a full segment if and only if some
    cell finds n equal ones in one of its directions, whatever stones there are.
    """
    pairs = [(_full_walks(grid), {frozenset(line) for line in grid.lines.tolist()})
             for grid in BOARDS]  # fmt: skip
    told = ", ".join(
        f"{len(found & lines)} of {len(lines)} on {grid.name}"
        for grid, (found, lines) in zip(BOARDS, pairs, strict=True)
    )
    others = sum(len(found - lines) for found, lines in pairs)
    text = f"lines along which some cell walks n cells: {told}; {others or 'no'} other walks"
    return Finding(all(found == lines for found, lines in pairs), text)


def _full_walks(grid: Grid) -> set[frozenset[int]]:
    """The cells of each walk of n cells that starts somewhere and keeps one direction."""
    walks = [
        _walk(grid, place, step)
        for place in grid.coordinates.tolist()
        for step in directions(grid.d)
        if inward(grid, place, step)
    ]
    return {frozenset(walk) for walk in walks if len(walk) == grid.n}


def _walk(grid: Grid, place: Sequence[int], step: Sequence[int]) -> list[int]:
    """Cells from a place on in one direction, up to where the board ends."""
    here, cells = tuple(place), list[int]()
    while all(0 <= x < grid.n for x in here):
        cells.append(int(np.ravel_multi_index(here, (grid.n,) * grid.d)))
        here = tuple(x + s for x, s in zip(here, step, strict=True))
    return cells


FILES = (Grid(2), Grid(3), Grid(4), Grid(5), Grid(2, 3), Grid(3, 3))
"""Boards whose states are written as the listing writes its file."""
LAST = 8
"""The index of a cell after which the listing ends a row and writes the link, on every board."""
NAMES = {CROSS: "X", NOUGHT: "O", EMPTY: "[ ]"}


def printed_rows(states: Boards, links: Sequence[int]) -> str:
    """States, (B, cells), as the listing writes them to its file."""
    text = ""
    for state, link in zip(_names(states), links, strict=True):
        for i, name in enumerate(state):
            text += f"{name};{link}\n" if i == LAST else f"{name}, "
    return text


def _names(states: Boards) -> list[list[str]]:
    return [[NAMES[{1: CROSS, -1: NOUGHT, 0: EMPTY}[cell]] for cell in state]
            for state in states.tolist()]  # fmt: skip


def rows_are_states() -> Finding:
    """Whether the listing gives every state a row of its own with a link, whatever n and h are."""
    right = [grid.name for grid in FILES if _one_row_each(grid)]
    wrong = [grid.name for grid in FILES if grid.name not in right]
    text = f"each state has a row with one link on {', '.join(right) or 'no board'}"
    return Finding(not wrong, text + f", not on {', '.join(wrong)}" * bool(wrong))


def _one_row_each(grid: Grid) -> bool:
    """Whether the states after a first stone are written as one row each."""
    states, links = np.eye(grid.cells, dtype=np.int8), range(grid.cells)
    rows = [f"{', '.join(state)};{link}" for state, link in zip(_names(states), links, strict=True)]
    return printed_rows(states, links).splitlines() == rows


def lines_of_the_energy() -> Finding:
    """Whether the program's energy runs along every line of every board.

    "All the line energies" may be those of all lines, or those that the program computes; of these
    its energy is the sum.  If the readings disagree, there is no answer.  Which step repeats is
    left out: walks take steps u, 2u, 3u, ... here.
    """
    found = {grid.name: (len(_walked(grid)), len(grid.lines)) for grid in BOARDS}
    whole = [size for size, (walked, all_) in found.items() if walked == all_]
    others = [f"{found[size][0]} of {found[size][1]} on {size}" for size in found.keys() - whole]
    text = [f"all on {', '.join(whole)}"] * bool(whole) + [", ".join(sorted(others))] * bool(others)
    return Finding(agreed({True, not others}), "; ".join(text))


def whole_lines_only() -> Finding:
    """Whether each direction that `hyper_constrains` keeps of a cell runs along a whole line."""
    kept = [len(starts_cell_by_cell(grid)) for grid in BOARDS]
    whole = [sum(_is_whole(grid, *start) for start in starts_cell_by_cell(grid)) for grid in BOARDS]
    told = ", ".join(
        f"{some} of {all_} on {grid.name}"
        for some, all_, grid in zip(whole, kept, BOARDS, strict=True)
    )
    return Finding(whole == kept, f"of the directions kept, n cells long: {told}")


def starts_cell_by_cell(grid: Grid) -> list[tuple[int, tuple[int, ...]]]:
    """Cells and their directions as `hyper_constrains` keeps them, without a look at lines.

    A corner keeps the directions that the cut leaves it; any other cell one for each of its limit
    numbers, straight away from that border, and so an inner cell none (`directions.cpp` of the
    author's program, commit 054af29).
    """
    edge, found = (0, grid.n - 1), []
    for cell, place in enumerate(grid.coordinates.tolist()):
        corner = all(x in edge for x in place)
        for step in directions(grid.d):
            away = any(s and x in edge for s, x in zip(step, place, strict=True))
            straight = sum(map(abs, step)) == 1 and away
            if inward(grid, place, step) and (corner or straight):
                found.append((cell, step))
    return found


def _is_whole(grid: Grid, cell: int, step: tuple[int, ...]) -> bool:
    """Whether n cells in a direction from a cell, itself included, are a line of the board."""
    stride = sum(s * grid.n ** (grid.d - 1 - axis) for axis, s in enumerate(step))
    reached = {cell + distance * stride for distance in range(grid.n)}
    return reached in [set(line) for line in grid.lines[grid.lines_through[cell]].tolist()]


def _walked(grid: Grid) -> set[frozenset[int]]:
    """The lines along which the program's energy runs, as sets of cells."""
    return {frozenset(cells) for cells in program_energy(grid, stepping=False).walks}
