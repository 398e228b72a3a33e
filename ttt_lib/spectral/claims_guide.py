"""Our side of the document's interpretation guide, worked examples, sample entry and contract."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from inspect import signature
from itertools import compress, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import ttest_1samp

from ttt_lib.evidence.answers import Finding, Value, agreed
from ttt_lib.evidence.claims import SIGNIFICANCE, declared
from ttt_lib.evidence.rounding import listed, round_up
from ttt_lib.game.board import Boards, Floats, Grid, Mask, parse
from ttt_lib.game.exact import policy_table, random_expected
from ttt_lib.game.gametree import solve
from ttt_lib.game.policy import Agent
from ttt_lib.spectral.claims import ARCHIVED, GRID, PENALTIES, PROGRAM_LAMBDAS, printed
from ttt_lib.spectral.datafiles import (
    decision,
    key,
    make_optimal_decision_tree,
    make_probabilities_json,
)
from ttt_lib.spectral.features import basis, dct_features, low_pass, on_cells
from ttt_lib.spectral.interpret import after_each, balance, contributions, score_grid, weight_table
from ttt_lib.spectral.labels import Rows, exact_rows, good_moves, training_rows
from ttt_lib.spectral.linear_limits import averaged_rank, surviving_frequencies
from ttt_lib.spectral.policy import Model, choose_move, chosen, player, spectral, trained
from ttt_lib.spectral.ridge import ridge
from ttt_lib.spectral.seeded_replay import ON_4X4, SEED, Worth, sampled_labels

EXAMPLES = {"first": "x...o....", "second": "x...o...x"}
"""The two boards of the document, one with X and one with O to move."""


# ---------------------------------------------------------------------------- the basis


def feature_count(n: int = 3) -> Value:
    """Length of the feature vector."""
    return Value(dct_features(Grid(n).initial(), Grid(n)).shape[1])


def images() -> Value:
    """Number of symmetries averaged over: transformations of the board that map lines to lines.

    It is 0 if the symmetric features of some state are not the average over these.
    """
    lines = {frozenset(line) for line in GRID.lines.tolist()}
    kept = {
        tuple(image)
        for image in np.asarray(GRID.symmetries).tolist()
        if {frozenset(image[cell] for cell in line) for line in lines} == lines
    }
    boards = solve(GRID).boards
    images = [dct_features(boards[:, list(image)], GRID) for image in sorted(kept)]
    averaged = dct_features(boards, GRID, symmetric=True)
    return Value(len(kept) if np.allclose(averaged, np.mean(images, axis=0)) else 0)


def orthonormal() -> Finding:
    """Whether the matrix of the formula is orthogonal, for N = 3 to 6."""
    gaps = [np.abs(basis(n) @ basis(n).T - np.eye(n)).max() for n in (3, 4, 5, 6)]
    return Finding(
        max(gaps) < 1e-12,
        "C C^T = 1 for N = 3 to 6",
        "So ridge regression on cosines predicts exactly what it predicts on the bare cells.",
    )


def orthonormal_is_stabler(gain: float = 2.0, alike: float = 0.1) -> Finding:
    """Condition numbers of the fits with the orthonormal and with the unscaled transform.

    Parameters
    ----------
    gain : float
        By what factor the number must be smaller, at least, to make a difference.
    alike : float
        By what share it may be smaller and still make none.
    """
    boards = {3: training_rows(GRID, "optimal"), 4: training_rows(Grid(4), "mc")}
    found = {n: [conditions(rows, lam) for lam in PENALTIES] for n, rows in boards.items()}
    by_penalty = list(zip(*found.values(), strict=True))  # on both boards
    same = [[one.bare / one.ours for one in both] for both in by_penalty]
    enlarged = [[one.scaled / one.ours for one in both] for both in by_penalty]
    readings = [_stabler(factors, gain, 1 / (1 - alike)) for factors in same + enlarged]
    return Finding(
        agreed(set(readings)),
        f"condition numbers of X'X + lambda I on {_conditions_told(found)}",
        f"Stabler is read as a condition number smaller by a factor of more than {gain:g} on both "
        f"boards; the sentence is refuted if it is on neither smaller by more than {alike:.0%}. "
        f"{_penalties_told(same, enlarged, readings)}",
        tested=set(readings) == {None},
    )


def _conditions_told(found: Mapping[int, Sequence[Conditions]]) -> str:
    """By board, the numbers at the largest penalty of the programs and at the largest of ours."""
    told = (PROGRAM_LAMBDAS[-1], PENALTIES[-1])
    return "; ".join(
        f"{n}x{n}, {numbers[0].moves:,} moves of {numbers[0].states:,} states: "
        + ", ".join(
            f"lambda {lam:g}: {one.ours:.2f} (without the factors {one.bare:.2f})"
            for lam, one in zip(PENALTIES, numbers, strict=True)
            if lam in told
        )
        for n, numbers in found.items()
    )


def _penalties_told(
    same: Sequence[Sequence[float]],
    enlarged: Sequence[Sequence[float]],
    readings: Sequence[bool | None],
) -> str:
    """Which penalties were tried, and what they say of the sentence.

    Parameters
    ----------
    same, enlarged : sequences of float
        For each of ``PENALTIES``, kept and enlarged: the factors on both boards.
    readings : sequence of bool or None
        What each of ``same`` and then each of ``enlarged`` says.
    """
    most, most_enlarged = (max(map(max, factors)) for factors in (same, enlarged))
    programs = 2 * [lam in PROGRAM_LAMBDAS for lam in PENALTIES]  # kept and enlarged
    usual = list(compress(readings, programs))
    most_usual = max(map(max, compress([*same, *enlarged], programs)))
    return (
        f"The text leaves lambda open. `spectral_policy_3x3.py` ({ARCHIVED}) tries "
        f"{len(PROGRAM_LAMBDAS)}, from {PROGRAM_LAMBDAS[0]:g} to {PROGRAM_LAMBDAS[-1]:g}, and the "
        "programs for larger boards take 0.001; we tried those on both boards, and "
        f"{len(PENALTIES) - len(PROGRAM_LAMBDAS)} stronger ones up to {PENALTIES[-1]:g}, each also "
        "enlarged as the squares of the features are without the factors. With the program's the "
        f"factor is at most {round_up(most_usual, 3):.3f}: {usual.count(True)} of {len(usual)} "
        f"readings confirm the sentence and {usual.count(False)} refute it, but such a copy can't "
        f"settle a row. Of all {len(readings)} readings {readings.count(True)} confirm the "
        f"sentence, {readings.count(False)} refute it, and {readings.count(None)} do neither. "
        f"The largest factor is {most:.2f} with the same lambda and {most_enlarged:.2f} with the "
        "enlarged one. What the orthonormal variant does bring: the fit is the one on bare cells."
    )


def _stabler(ratios: Sequence[float], gain: float, none: float) -> bool | None:
    """Whether a number is smaller on all boards; False if on none, None between."""
    return True if min(ratios) > gain else False if max(ratios) <= none else None


class Conditions(NamedTuple):
    """Condition numbers of a fit with the orthonormal transform and without its factors.

    ``bare`` has the same penalty, ``scaled`` one that is larger by as much as the features' squares
    are on average.
    """

    moves: int
    states: int
    ours: float
    bare: float
    scaled: float


def conditions(rows: Rows, lam: float) -> Conditions:
    """Those of ridge regression on the waves of some rows."""
    ours, n = dct_features(rows.after, rows.grid), rows.grid.n
    scale = np.where(np.arange(n) == 0, np.sqrt(n), np.sqrt(n / 2))
    bare = ours * np.tile(np.outer(scale, scale).ravel(), 2)  # without the matrix's own factors
    fits = (ours, lam), (bare, lam), (bare, lam * float(np.mean(bare**2) / np.mean(ours**2)))
    found = [float(np.linalg.cond(x.T @ x + penalty * np.eye(2 * n * n))) for x, penalty in fits]
    return Conditions(len(rows.after), len(np.unique(rows.state)), *found)


def separable() -> Finding:
    """Whether C A C^T is what the library's transform computes."""
    boards = solve(GRID).boards
    ours = dct_features(boards, GRID).reshape(-1, 2, 3, 3)
    stones = np.stack([boards == 1, boards == -1], axis=1).reshape(-1, 2, 3, 3)
    same = bool(np.abs(basis() @ stones @ basis().T - ours).max() < 1e-12)
    word = "agree on all" if same else "do not agree on all"
    return Finding(same, f"the formula and scipy.fft.dctn {word} {len(boards)} states")


def handful(most: int = 5) -> Finding:
    """How many products of matrices the scores of all moves take, by the document's formulas.

    Parameters
    ----------
    most : int
        The largest number that we call a handful: fingers of a hand.
    """
    after, model, made = exact_rows(GRID, "optimal").after, trained(GRID), []

    def times(left: Floats, right: Floats) -> Floats:
        made.append(1)
        return np.asarray(left @ right)

    grids = ((after == side).reshape(-1, 3, 3).astype(float) for side in (1, -1))
    waves = [times(times(basis(), grid), basis().T).reshape(-1, 9) for grid in grids]
    scores = times(np.concatenate(waves, axis=1), model.weights)
    gap = np.abs(scores - model(after)).max()
    return Finding(
        bool(gap < 1e-9 and len(made) <= most),
        f"{len(made)} products, by which all {len(after)} moves get the scores of the model"
        if gap < 1e-9
        else f"{len(made)} products give other scores",
        "Two for the waves of each channel and one for the score, as many for all moves of a state "
        f"as for one, since the boards after them can be stacked. A handful is read as at most "
        f"{most}. Judged without symmetry averaging, the default: with it, as the document defines "
        f"it, the waves of {len(GRID.symmetries)} boards are averaged, which takes "
        f"{4 * len(GRID.symmetries) + 1}, unless the weights are averaged beforehand.",
    )


def closed_form() -> Finding:
    """Whether the formula of the solution is what scikit-learn returns."""
    boards = solve(GRID).boards[1:]
    features, target = dct_features(boards, GRID), solve(GRID).value[1:].astype(float)
    direct = np.linalg.solve(features.T @ features + 0.1 * np.eye(18), features.T @ target)
    gap = np.abs(direct - ridge(features, target, 0.1)).max()
    same = bool(gap < 1e-9)
    return Finding(same, f"the formula and scikit-learn {'agree' if same else 'differ'}")


def invariance() -> Finding:
    """Whether averaged features are the same on all images of every state."""
    boards = solve(GRID).boards
    plain = dct_features(boards, GRID, symmetric=True)
    gaps = [
        np.abs(dct_features(boards[:, image], GRID, symmetric=True) - plain).max()
        for image in GRID.symmetries
    ]
    rank = averaged_rank(3)
    alive = ", ".join(map(str, surviving_frequencies(3)))
    same = bool(max(gaps) < 1e-12)
    return Finding(
        same,
        f"{'equal' if same else 'not equal'} on all images of all {len(boards)} states",
        f"{rank} numbers per channel are left; odd frequencies vanish (u <= v left: {alive}).",
    )


WORTHS: tuple[Worth, ...] = ((1, 0, -1), (1, 0, 0), (1, 0.5, 0), (0, 0, -1), (1, -1, -1))
"""What a win, a draw and a loss might count in a label: by the document, and otherwise."""


def labels_are_mean_results(samples: int = 200, rollouts: int = 6) -> Finding:
    """Whether sampled labels are means of results 1, 0 and -1: by printed matches, and in ours.

    The matches are those on 4x4 that can be replayed.  Ours are compared with the expected result
    on 3x3, where it is known exactly for every move under random play.
    """
    shown = printed("4-random"), printed("4-mcts")
    played = {worth: sampled_labels(ON_4X4._replace(worth=worth)) for worth in WORTHS}
    fits = [worth for worth, found in played.items() if found == shown]
    by_print = None if len(fits) != 1 else fits == [WORTHS[0]]
    rows, tree = training_rows(GRID, "mc", samples=samples, rollouts=rollouts), solve(GRID)
    expected = -GRID.to_move(rows.after) * random_expected(tree)[tree.index(rows.after)]
    sums = rows.target * rollouts
    means = bool((np.abs(sums - sums.round()) < 1e-9).all() and np.abs(rows.target).max() <= 1)
    gaps = rows.target - expected
    p_value = float(ttest_1samp(gaps, 0).pvalue)
    told = [f"{' and '.join(found)} ({_worth(worth)})" for worth, found in played.items()]
    return Finding(
        by_print if means and p_value >= SIGNIFICANCE else False,
        f"of {len(WORTHS)} ways to count win, draw and loss, {len(fits)} fit"
        f"{'s' * (len(fits) == 1)} both printed matches on 4x4"
        f"{': ' * bool(fits)}{'; '.join(map(_worth, fits))}; {len(sums)} sampled labels of ours "
        f"from {rows.target.min():g} to {rows.target.max():g}, "
        f"{'all' if means else 'not all'} of them sums of {rollouts} results over {rollouts}; from "
        f"the exact expected results they differ by {gaps.mean():+.3f} on average (p = "
        f"{p_value:.2f})",
        f"The printed matches, {' and '.join(shown)}, decide. Replayed with the document's seed, "
        f"{SEED}, and the same random choices, `spectral_policy_4x4.py` ({ARCHIVED}) gives, by "
        f"what win, draw and loss count in a label: {'; '.join(told)}. The definition was also "
        "checked on labels of our own program, which is written to it (both sides play the rest at "
        "random, and the result counts from the mover's side); the p-value is that of a t test, "
        "which is our choice.",
    )


def _worth(worth: Worth) -> str:
    return ", ".join(f"{points:g}" for points in worth)


# ---------------------------------------------------------------------------- the guide


def weights(places: list[int]) -> Value:
    """Weights of the standard model."""
    return Value(" ".join(f"{trained(GRID).weights[place]:+.4f}" for place in places))


def mean_is_total() -> Finding:
    """What the coefficient u = v = 0 is."""
    board = parse("xx.oo.x..", GRID)[None]
    found = float(dct_features(board, GRID)[0, 0])
    return Finding(
        bool(np.isclose(found, 3)),
        f"three X's give {found:.3f}",
        "It is the number of stones divided by N, or N times their mean: up to a factor it does "
        "count them.",
    )


def vertical_gradient() -> Finding:
    """Whether (u = 0, v = 1) distinguishes the top row from the bottom row."""
    names = "cells 0 and 6, top left and bottom left,"
    turned = _told_apart((0, 6), GRID.n, names, "").holds
    reason = (
        "The document writes X[r,c], C_{u,x} and C A C^T, so u belongs to the rows and v to the "
        "columns, and (u = 0, v = 1) tells left from right. (Image formats often call the "
        "horizontal frequency u. Read so, against the document's notation, the sentence would "
        f"{'hold' if turned else 'fail, too'}.)"
    )
    return _told_apart((0, 6), 1, names, reason)


def _told_apart(cells: tuple[int, int], place: int, names: str, reason: str) -> Finding:
    """Whether one coefficient differs between two boards that each hold one stone of X."""
    boards = np.eye(GRID.cells, dtype=np.int8)[list(cells)]
    same = np.isclose(*dct_features(boards, GRID)[:, place])
    told = "the same coefficient" if same else "different coefficients"
    return Finding(not same, f"{names} have {told}", reason)


def favours_top_rows() -> Finding:
    """Whether a positive weight of (u = 0, v = 1) alone makes X's stones count more on top.

    The reason tells the same of (u = 1, v = 0), which has index 1 if `vec` stacks columns.
    """
    cells, stacked = (_alone(place, hypothetical()[1]) for place in (1, GRID.n))
    top, bottom = cells[0].mean(), cells[-1].mean()
    left, right = cells[:, 0].mean(), cells[:, -1].mean()
    return Finding(
        _on_top(cells),
        f"with the hypothetical weight {hypothetical()[1]:+g} alone, X's stone adds on average "
        f"{top:+.3f} in the top row, {bottom:+.3f} in the bottom row; {left:+.3f} in the left "
        f"column, {right:+.3f} in the right one",
        "Index 1 is (u = 0, v = 1) if the grid is flattened row by row. The guide takes it so: it "
        "calls both of them the vertical gradient. By the document's own formula C A C^T a "
        "positive weight there favours the left. (If `vec` stacked columns, w[1] would be "
        f"(u = 1, v = 0), which does{'' if _on_top(stacked) else ' not'} favour the top, but is "
        "the guide's horizontal gradient. Only with u for the horizontal frequency, too, against "
        "the document's notation, would this sentence and `dct-guide-vertical` both hold; w[2] "
        "would still be no gradient, `dct-guide-second`.)",
    )


def upper_rows_less_threatening() -> Finding:
    """Whether a negative weight of O's (u = 0, v = 1) alone makes its stones cost less on top."""
    place = 1 + GRID.cells
    cells, stacked = (
        _alone(where, hypothetical()[place]) for where in (place, GRID.n + GRID.cells)
    )
    top, bottom = cells[0].mean(), cells[-1].mean()
    by_x, by_o = ("holds" if _on_top(sign * stacked) else "fails" for sign in (1, -1))
    return Finding(
        _on_top(cells),
        f"with the hypothetical weight {hypothetical()[place]:+g} alone, O's stone adds to the "
        f"score on average {top:+.3f} in the top row, {bottom:+.3f} in the bottom row",
        "Less threatening is read as lowering X's score less. The guide reads the same weight as "
        "*slight aversion to O in top area*, too, which is the opposite. And O's stones are the "
        "same for all moves of X. Index 1 is (u = 0, v = 1), as in `dct-guide-top`. With columns "
        f"stacked the sentence {by_x} if the score is X's, as the guide takes it, and {by_o} if it "
        "is O's, after a move of O.",
    )


def favours_a_direction() -> Finding:
    """Whether a weight of either gradient favours an end of the direction that the guide names.

    Left or right for (u = 1, v = 0), top or bottom for (u = 0, v = 1).
    """
    (rows, columns), (rows_v, columns_v) = (_tilts(_alone(place, 1.0)) for place in (GRID.n, 1))
    named, swapped = (
        min(abs(one), abs(other)) > 1e-9 for one, other in ((columns, rows_v), (rows, columns_v))
    )
    return Finding(
        named,
        f"with a weight of +1 for (u = 1, v = 0) alone X's stone adds {columns:.3f} more on the "
        f"left than on the right and {rows:.3f} more in the top row than in the bottom row; for "
        f"(u = 0, v = 1) {columns_v:.3f} and {rows_v:.3f}",
        "To favour a direction is read as to add more at one of its ends than at the other; with a "
        "negative weight the ends change places. By the document's formula the two directions are "
        "interchanged (`dct-guide-vertical`). Read with u for the horizontal frequency, against "
        f"its notation, the sentence would {'hold' if swapped else 'fail, too'}.",
    )


def _tilts(cells: Floats) -> list[float]:
    """How much more a stone adds on top than at the bottom, and left than right, on average."""
    means = np.stack([cells.mean(axis=1), cells.mean(axis=0)])
    found: list[float] = ((means[:, 0] - means[:, -1]).round(9) + 0.0).tolist()
    return found


def _on_top(cells: Floats) -> bool:
    """Whether a stone adds more in the top row than in the bottom row, on average."""
    return bool(cells[0].mean() > cells[-1].mean() + 1e-9)


def _alone(place: int, weight: float) -> Floats:
    """What a stone adds to the score, cell by cell, if only one weight is not 0, shape (n, n)."""
    weights = np.zeros(2 * GRID.cells)
    weights[place] = weight
    channel = place // GRID.cells
    return np.asarray(on_cells(weights, GRID)[channel])


def cues_removed() -> Finding:
    """Whether averaged features give a move and its mirror images one score, and plain ones don't.

    All legal moves of all states, each with its eight images.
    """
    after = exact_rows(GRID, "optimal").after
    plain, averaged = (_spread(trained(GRID, symmetric=kind), after) for kind in (False, True))
    return Finding(
        averaged < 1e-9 < plain,
        f"scores of {len(after)} moves and of their mirror images differ by at most "
        f"{averaged:.1g} with averaging, {plain:.3f} without",
        "A directional cue is read as another score for a move turned or reflected with its "
        "board. What is left is no cue of the model: of equal cells the one of lowest index is "
        "taken.",
    )


def _spread(model: Model, after: Boards) -> float:
    """By how much the scores of a board's images differ, at most."""
    found = np.stack([model(after[:, image]) for image in np.asarray(GRID.symmetries)])
    return float(np.ptp(found, axis=0).max())


def second_is_gradient() -> Finding:
    """Whether coefficient 2 distinguishes the left edge from the right edge."""
    names = "a stone on the left edge and one on the right"
    reason = "Index 2 is (u = 0, v = 2), which tells the middle column from both edges."
    return _told_apart((0, 2), 2, names, reason)


def already_symmetric() -> Finding:
    """Whether the standard model treats mirror images alike; and whether the game itself does."""
    found, tree = balance(trained(GRID)), solve(GRID)
    images = (tree.index(tree.boards[:, turn]) for turn in GRID.symmetries)
    same = all((tree.value[image] == tree.value).all() for image in images)
    model = abs(found.down) < 1e-6 and abs(found.right) < 1e-6
    return Finding(
        agreed({model, same}),
        f"gradient weights {found.down:+.3f} from top to bottom, {found.right:+.3f} from left to "
        f"right; {'' if same else 'not '}all images of a position have the same value",
        "It does not say which patterns. Those of the game are symmetric; those that the standard "
        "features learn prefer the top and the left, since labels go to the lowest index among "
        "equal moves.",
    )


def control_against_threat(cases: Sequence[tuple[float, float]]) -> Finding:
    """Whether the weights of the two means, of X's and of O's stones, change any choice.

    Parameters
    ----------
    cases : sequence of (float, float)
        Pairs of such weights to put in the place of the trained ones.
    """
    boards = solve(GRID).boards[~solve(GRID).finished]
    before = _moves(trained(GRID).weights, boards)
    changes = [not np.array_equal(before, _moves(_with_means(*pair), boards)) for pair in cases]
    told = ", ".join(f"({own:g}, {other:g})" for own, other in cases)
    found = (
        f"other moves, by {sum(changes)} of these, in some of"
        if any(changes)
        else "no other move in any of"
    )
    return Finding(
        any(changes),
        f"(w[0], w[9]) = {told} in place of the trained weights give {found} {len(boards)} states",
        "Every move adds one stone, so the terms of w[0] and w[9] are the same for all moves of a "
        "state, whatever these weights.",
    )


def _with_means(own: float, other: float) -> Floats:
    """The trained weights, those of X's and of O's mean replaced, shape (2 * cells,)."""
    weights = trained(GRID).weights.copy()
    weights[[0, GRID.cells]] = own, other
    return weights


def _moves(weights: Floats, boards: Boards) -> Mask:
    """The move that weights choose on each board, shape (B, cells)."""
    scores = player(Model(GRID, weights)).scores
    assert scores is not None
    return chosen(scores(boards))


def favoured() -> Value:
    """Gradient weights and top-ranked cells of the standard model, against the document's story."""
    found = balance(trained(GRID))
    first = trained(GRID).priorities()[0][:3].tolist()
    return Value(
        f"gradient weights {found.down:+.3f} from top to bottom, {found.right:+.3f} from left to "
        f"right; X takes cells {', '.join(map(str, first))} first"
    )


def high_frequencies_small() -> Finding:
    """How many weights of high frequencies are below a quarter of the largest weight."""
    rows = weight_table(trained(GRID))
    size = rows["weight"].abs() / rows["weight"].abs().max()
    high = rows[["u", "v"]].max(axis=1) >= 2
    small = size[high] < 1 / 4
    rest = rows[high][~small]
    names = ", ".join(
        f"{c} u={u} v={v}" for c, u, v in zip(rest.channel, rest.u, rest.v, strict=True)
    )
    return Finding(
        bool(small.mean() > 1 / 2),
        f"{small.sum()} of {high.sum()} are below a quarter of the largest weight; not {names}",
        "Those that are large matter: the highest frequency tells the centre, then corners, from "
        "edges.",
    )


def kinds_told_by_high_frequencies() -> Finding:
    """Whether corners, edges and centre differ on average by high frequencies alone, both sides."""
    weights = trained(GRID).weights
    low = low_pass(weights, GRID, 1)
    by_low, by_high = (_apart(part) for part in (low, weights - low))
    return Finding(
        bool(by_low.max() < 1e-9 < by_high.min()),
        "what stones on corners, edges and the centre add on average differs by "
        f"{by_low.max():.3f} with the weights of u, v <= 1 alone, and by {by_high[0]:.3f} for X's "
        f"stones and {by_high[1]:.3f} for O's with the others",
        "Edges are read as the cells between corners, and a preference as one for a kind of cell. "
        "One corner before another can be preferred by low frequencies, too.",
    )


def _apart(weights: Floats) -> Floats:
    """How far the mean contributions of the three kinds of cells are apart, shape (2,)."""
    cells = on_cells(weights, GRID).reshape(2, -1)
    kinds = ([0, 2, 6, 8], [1, 3, 5, 7], [4])
    means = np.stack([cells[:, kind].mean(axis=1) for kind in kinds])
    return np.asarray(np.ptp(means, axis=0))


def balanced_by_symmetry() -> Finding:
    """Whether symmetric weights prefer no direction."""
    grid = trained(GRID, symmetric=True).weights.reshape(2, 3, 3)
    odd = max(np.abs(grid[:, 1, :]).max(), np.abs(grid[:, :, 1]).max())
    gap = np.abs(grid - grid.swapaxes(1, 2)).max()
    even, alike = bool(odd < 1e-9), bool(gap < 1e-6)
    found = (
        f"odd frequencies have {'weight 0' if even else 'weights of their own'}, u and v are "
        f"{'' if alike else 'not '}interchangeable"
    )
    return Finding(even and alike, found)


def centre_is_valuable() -> Finding:
    """Whether the wave that is largest in the centre has the greatest weight in both channels.

    The mean, (u = 0, v = 0), is left out: it is the same for all moves of a state.
    """
    middle = basis()[:, GRID.n // 2]
    wave = int(np.outer(middle, middle).argmax())
    weights = trained(GRID).weights.reshape(2, -1)
    greatest = weights[:, 1:].argmax(axis=1) + 1
    u, v = divmod(wave, GRID.n)
    return Finding(
        bool((greatest == wave).all()),
        f"(u = {u}, v = {v}), which is largest in the centre, has the weights "
        + " and ".join(
            f"{row[wave]:+.3f} for {player} (number {1 + (row[1:] > row[wave]).sum()} of "
            f"{len(row) - 1} in size)"
            for player, row in zip("XO", weights, strict=True)
        ),
        "Of the weights for X's and for O's stones, without that of the mean, which is the same "
        "for all moves of a state.",
    )


# ---------------------------------------------------------------------------- worked examples


def scores(example: str) -> Value:
    """Scores of the moves in a worked example, by the standard model."""
    grid = score_grid(trained(GRID), parse(EXAMPLES[example], GRID))
    legal = grid.ravel()[~np.isnan(grid.ravel())]
    return Value(" ".join(f"{value:.4f}" for value in legal))


def first_scores() -> Value:
    """Scores of the first example, and why the printed ones don't follow from the text."""
    parts, chosen = declared("dct-parts-a"), declared("dct-chosen")
    weights = np.zeros(2 * GRID.cells)
    weights[[*hypothetical()]] = [*hypothetical().values()]
    grid = score_grid(Model(GRID, weights), parse(EXAMPLES["first"], GRID)).ravel()
    best = np.flatnonzero(grid >= np.nanmax(grid) - 1e-9).tolist()
    told = f"move{'s' * (len(best) > 1)} {listed(map(str, best))}"
    total = sum(map(Decimal, str(parts.published).split()))
    [score] = re.findall(r"[\d.]+", chosen.quote.partition(":")[2])
    return Value(
        scores("first").value,
        f"It is presented as output, but of {len(weights)} weights the document supposes "
        f"{len(hypothetical())}, by which {told} would score highest; and the products "
        f"that it prints for move {chosen.published} add up to {total}, not {score}, though it "
        "calls all others small.",
    )


def chosen_move() -> Value:
    """The move the agent takes in the first worked example."""
    board = parse(EXAMPLES["first"], GRID)
    return Value(choose_move(spectral(GRID), board.tolist(), 1))


def five_is_centre() -> Finding:
    """Whether move 5 is the centre."""
    board = parse(EXAMPLES["first"], GRID)
    row, column = GRID.coordinates[5]
    taken = board[4] != 0
    return Finding(
        (row, column) == (1, 1),
        f"cell 5 is row {row}, column {column}; the centre is cell 4"
        + (" and taken" if taken else ""),
    )


def legal_moves() -> Value:
    """The free cells of the first worked example."""
    return Value(str(np.flatnonzero(parse(EXAMPLES["first"], GRID) == 0).tolist()))


def moves_scored() -> Value:
    """How many moves the second worked example has a score for."""
    return Value(int((~np.isnan(score_grid(trained(GRID), parse(EXAMPLES["second"], GRID)))).sum()))


def grids() -> Value:
    """The stones of the second worked example, X's and O's, cell by cell."""
    board = parse(EXAMPLES["second"], GRID)
    return Value(" ".join(str(int(stone)) for side in (1, -1) for stone in board == side))


def parts(places: list[int], move: int, example: str) -> Value:
    """Products of weights and features of a move in a worked example."""
    rows = contributions(trained(GRID), parse(EXAMPLES[example], GRID), move)
    return Value(" ".join(f"{float(rows['product'].loc[p]):.4f}" for p in places))


def without_weights(places: list[int], move: int, product: int) -> Value:
    """Features of the first worked example, a product of the second: what no weight decides.

    The product is 0 if its feature is, whichever move is taken.
    """
    board = parse(EXAMPLES["first"], GRID)[None]
    found = dct_features(GRID.play(board, np.array([move])), GRID)[0, places]
    second = parse(EXAMPLES["second"], GRID)
    after = after_each(GRID, second, np.flatnonzero(second == 0))
    zero = np.allclose(dct_features(after, GRID)[:, product], 0)
    told = [f"{float(value) + 0.0:.2f}" for value in found.round(9)]
    return Value(" ".join([*told, "0.00" if zero else "open"]))


def centre_is_neutral() -> Finding:
    """Whether a stone in the centre adds nothing to either gradient, whatever the weights."""
    stones = np.eye(GRID.cells, dtype=np.int8)[[4, 5]]
    centre, five = dct_features(stones, GRID)[:, [1, GRID.n]].round(9) + 0.0
    product = str(declared("dct-parts-a").published).split()[1]
    return Finding(
        not centre.any(),
        f"a stone in the centre adds {centre[0]:.2f} to the coefficient (u = 0, v = 1), and "
        f"{centre[1]:.2f} to (u = 1, v = 0)",
        "Judged of the centre, which the words name, and of either gradient. The product beside "
        f"them, {float(product):+g}, is that of move 5, which is not the centre "
        f"(`dct-five-centre`): its stone adds {five[0]:.2f} to the former coefficient.",
    )


def mean_explains() -> Finding:
    """Whether X's mean and gradient favour the choice most, by both sets of weights."""
    found = [_by_mean_and_gradient(w[0], w[1]) for w in (hypothetical(), trained(GRID).weights)]
    favoured = [move in cells for move, cells, _ in found]
    first, second = (" or ".join(map(str, cells)) for _, cells, _ in found)
    return Finding(
        favoured[0] if favoured[0] == favoured[1] else None,
        "leads of move 5 over the average move by mean and gradient: "
        f"{found[0][2]} with the hypothetical weights, {found[1][2]} with the learned",
        "X's mean and all of O's coefficients are the same for every move of X; the gradient "
        "(u = 0, v = 1) tells left from right, and move 5 lies on the right. By these two weights "
        f"alone X would take cell {first} (hypothetical), or {second} (learned).",
    )


def products_influence() -> Finding:
    """Whether the largest product of the move taken, first in such a list, differs by move."""
    model, tree = trained(GRID), solve(GRID)
    choice = tree.legal.sum(axis=1) > 1
    boards, moves = tree.boards[choice], policy_table(player(model), tree)[choice].argmax(axis=1)
    differ = sum(_largest_differs(model, *state) for state in zip(boards, moves, strict=True))
    return Finding(
        2 * differ > len(boards),
        f"in {len(boards) - differ} of {len(boards)} states with a choice the largest product of "
        "the move taken is the same for every move",
        "However large, what is the same for every move can't influence which is taken. For X to "
        "move that is X's mean and all that belongs to O; for O to move, O's mean and all that "
        "belongs to X. The product that the document prints first, w[0]*ϕ[0], is X's mean. What "
        "tells moves apart is how far a product exceeds its mean over all moves.",
    )


def _largest_differs(model: Model, board: NDArray[np.int8], move: int) -> bool:
    """Whether the largest product after a move would have been another after another move."""
    legal = np.flatnonzero(GRID.legal(board[None])[0])
    products = dct_features(after_each(GRID, board, legal), GRID) * model.weights
    largest = np.abs(products[legal == move][0]).round(9).argmax()
    return bool(np.ptp(products[:, largest]) > 1e-9)


def hypothetical() -> dict[int, float]:
    """The weights that the document supposes, by their places."""
    claim = declared("dct-weights")
    values = map(float, str(claim.published).split())
    return dict(zip(claim.args["places"], values, strict=True))


def _by_mean_and_gradient(mean: float, gradient: float) -> tuple[int, list[int], str]:
    """The document's move 5, the moves favoured by these two weights alone, and its two leads."""
    weights = np.zeros(2 * GRID.cells)
    weights[:2] = mean, gradient
    model, board, move = Model(GRID, weights), parse(EXAMPLES["first"], GRID), 5
    scores = score_grid(model, board).ravel()
    leads = contributions(model, board, move)["lead"]
    favoured = np.flatnonzero(scores >= np.nanmax(scores) - 1e-9).tolist()
    return move, favoured, " and ".join(f"{leads.loc[place]:.3g}" for place in (0, 1))


# ---------------------------------------------------------------------------- data and contract


def sample() -> Value:
    """The empty board's entry in ``optimal_decision_tree.json``."""
    tree = solve(GRID)
    entry = decision(tree, 0, good_moves(tree)[0])
    return Value(" ".join(f"{entry[f]:.15f}" if isinstance(entry[f], float) else str(entry[f])
                          for f in FIELDS))  # fmt: skip


FIELDS = ("move", "player", "score", "move_count", "good_moves", "p_x_win", "p_o_win", "p_draw")


NO_FILE = "No file comes with the document, so its own can't be read."


def exhaustive() -> Finding:
    """How many running states have an entry in our decision tree, with chances that add up to 1."""
    tree = solve(GRID)
    running = {key(board) for board in tree.boards[~tree.finished]}
    return Finding(
        None,
        f"ours has {_complete(json.loads(make_optimal_decision_tree()), running)} of the "
        f"{len(running)} unfinished states",
        f"{NO_FILE} Ours is rebuilt from exact counts; whether the moves are optimal is judged by "
        "the labels, in dct-label-optimal.",
    )


def probabilities() -> Finding:
    """How many states have a row in our table of probabilities, with chances that add up to 1."""
    tree = solve(GRID)
    states = {key(board) for board in tree.boards}
    return Finding(
        None,
        f"ours has {_complete(json.loads(make_probabilities_json()), states)} of the "
        f"{len(states)} states, with the side to move",
        f"{NO_FILE} Ours is rebuilt from exact counts. In each state only one side can be to move, "
        "so that states and combinations of state and player are as many.",
    )


def move_probabilities() -> Finding:
    """How many legal moves lead to a state that has a row in our table of probabilities."""
    tree, entries = solve(GRID), json.loads(make_probabilities_json())
    after = [key(tree.boards[state]) for state in tree.children[tree.children >= 0]]
    held = sum(_complete(entries, {name}) for name in after)
    return Finding(
        None,
        f"ours has a row for each of {len(entries)} states, none of its own for a move; {held} of "
        f"{len(after)} moves lead to one of them",
        f"{NO_FILE} It speaks of states and moves here, of states and players elsewhere "
        "(`dct-probabilities`). In ours the probabilities after a move are those of the board that "
        "it leads to.",
    )


def _complete(entries: dict[str, dict[str, float]], wanted: set[str]) -> int:
    """How many of the wanted states have an entry whose chances add up to 1."""
    sums = [sum(entries[name][f] for f in FIELDS[-3:]) for name in wanted & entries.keys()]
    return int(np.isclose(sums, 1).sum())


def _refuses(agent: Agent, board: NDArray[np.int8]) -> bool:
    """Whether no move is chosen on a board, whoever is to move."""
    for side in (1, -1):
        try:
            choose_move(agent, board.tolist(), side)
        except ValueError:
            continue
        return False
    return True


def _moves_alike(agent: Agent, board: NDArray[np.int8]) -> bool:
    """Whether a move is legal, and the same again."""
    side = 1 - 2 * int(board.sum())
    move, again = (choose_move(agent, board.tolist(), side) for _ in range(2))
    return bool(board[move] == 0) and move == again


def contract() -> Finding:
    """Whether ours gives every running state a legal move, twice the same, a full board an error.

    Ours is written to this interface; of the document's own function that says nothing.
    """
    tree = solve(GRID)
    boards, full = tree.boards[~tree.finished], tree.boards[(tree.boards != 0).all(axis=1)]
    answers = ("no", "yes")
    agents = [spectral(GRID, averaged, rule) for averaged, rule in product(answers, answers)]
    kept = all(
        all(_moves_alike(agent, board) for board in boards)
        and all(_refuses(agent, board) for board in full)
        for agent in agents
    )
    return Finding(
        kept,
        f"ours {'keeps' if kept else 'breaks'} it: a legal move in each of {len(boards)} states, "
        f"the same again, and an error on each of {len(full)} full boards, with and without "
        "averaging and the safety rule",
        "A promise of an interface, judged on ours, which is written to it: the document's "
        "program does not come with it. In archived copies of its three programs, repository and "
        "commit unknown, `choose_move` as we read it returns the index of an empty cell on every "
        "board that has one, always the same, and on a full board `best=moves[0]` is an index "
        "error.",
    )


def contract_input() -> Value:
    """What our ``choose_move`` takes, and how many finished boards with free cells it refuses."""
    tree = solve(GRID)
    over = tree.boards[tree.finished]
    free = over[(over == 0).any(axis=1)]
    refused = sum(_refuses(spectral(GRID), board) for board in free)
    names = [name for name in signature(choose_move).parameters if name != "agent"]
    return Value(
        "game object" if names == ["game"] else f"{' and '.join(names)} as arguments of their own",
        "A list of numbers and 1 or -1, which the document has as fields of a game object. Ours "
        f"also refuses {refused} of the {len(free)} finished boards that have free cells: the "
        "document lets callers check for these.",
    )
