"""Our side of what document 2 says about accuracy, heatmaps and the method.

Its matches are judged in ``claims_games``, its guide to the weights in ``claims_guide``, the
settings that our runs take over in ``claims_settings``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import permutations, product
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import binomtest, t

from ttt_lib.evidence import significance, store
from ttt_lib.evidence.answers import Finding, Repeats, Value, agreed
from ttt_lib.evidence.claims import SIGNIFICANCE, declared
from ttt_lib.evidence.rounding import agrees, listed
from ttt_lib.evidence.significance import holm
from ttt_lib.game.board import Boards, Floats, Grid, Mask
from ttt_lib.game.exact import value_moves
from ttt_lib.game.gametree import GameTree, solve
from ttt_lib.game.kept import read_only
from ttt_lib.game.policy import Agent, first, from_evaluator
from ttt_lib.game.record import Record, record
from ttt_lib.spectral.alternatives import moves_made
from ttt_lib.spectral.features import dct_features, raw_features
from ttt_lib.spectral.fidelity import (
    Fidelity,
    Heatmaps,
    best_move_accuracy,
    best_scored,
    calibrate_held_out,
    chance_accuracy,
    fidelity,
    folds_by_class,
    heatmaps,
    on_lines,
    uniform_ties,
)
from ttt_lib.spectral.handcrafted import hybrid, line_features
from ttt_lib.spectral.labels import exact_rows, good_moves, mover_chances, training_rows
from ttt_lib.spectral.linear_limits import ceiling, labelled_agent
from ttt_lib.spectral.policy import (
    Accuracy,
    accuracy,
    chosen,
    cross_validate,
    fit,
    fit_without,
    held_out_hits,
    trained,
)
from ttt_lib.spectral.rational import on_grid
from ttt_lib.spectral.ridge import exact_ridge
from ttt_lib.spectral.rounding import rounded_accuracy
from ttt_lib.spectral.seeded_replay import ON_4X4, QUICK_3

GRID = Grid(3)
SEEDS = 20
LOTTERIES = 100
FOLDINGS = 10
PROGRAM_LAMBDAS = (1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)
"""The penalties that an archived copy of ``spectral_policy_3x3.py`` tries by default."""
STRONGER = (1.0, 10.0, 100.0)
"""Penalties beyond those, which the document's text does not exclude."""
PENALTIES = PROGRAM_LAMBDAS + STRONGER


@cache
def table(file: str) -> pd.DataFrame:
    """A stored table, read once."""
    return store.read_table(file)


# ---------------------------------------------------------------------------- accuracy


@cache
def held_out(symmetric: bool) -> tuple[float, ...]:
    """Cross-validated accuracy for ``SEEDS`` random splits into folds, at the default lambda."""
    rows = training_rows(GRID, "optimal")
    found = (cross_validate(rows, lams=(0.001,), symmetric=symmetric, rng=s) for s in range(SEEDS))
    return tuple(accuracy[0.001] for accuracy in found)


@cache
def held_out_any(symmetric: bool = False) -> tuple[float, ...]:
    """The same if every best move counts as a hit, in the same ways to fold."""
    good = good_moves(solve(GRID))[~solve(GRID).finished]
    return tuple(_held_out(good, symmetric, seed) for seed in range(SEEDS))


def _held_out(good: Mask, symmetric: bool, seed: int) -> float:
    """Held-out accuracy of a model of the labelled moves in one folding, if these moves count."""
    from sklearn.model_selection import KFold  # slow to import

    rows, shares = training_rows(GRID, "optimal"), []
    state = int(np.random.default_rng(seed).integers(2**31))  # as in cross_validate
    for _, test in KFold(5, shuffle=True, random_state=state).split(rows.states):
        [model] = fit_without(rows, test, (0.001,), symmetric=symmetric)
        moves = chosen(rows.table(model(rows.after)))
        shares.append((moves & good)[test].any(axis=1).mean())
    return float(np.mean(shares))


def _spread_of(shares: Sequence[float]) -> str:
    """The mean of some shares, the least and the greatest."""
    return (
        f"{np.mean(shares):.3f} ({min(shares):.3f} to {max(shares):.3f} in {len(shares)} foldings)"
    )


def any_best_move_hits() -> Finding:
    """Whether the printed cross-validated accuracy counts any best move, or the labelled one."""
    shown = printed("cv-standard")
    shares = {"any best move counts": held_out_any(), "only the labelled one does": held_out(False)}
    p_values = [
        significance.test(Repeats(s, "logit"), shown, None).p_value for s in shares.values()
    ]
    by_any, by_one = (p >= SIGNIFICANCE for p in p_values)
    told = "; ".join(
        f"{_spread_of(share)} if {name}: p = {p:.2g}"
        for (name, share), p in zip(shares.items(), p_values, strict=True)
    )
    word = {
        (True, True): "fits both",
        (True, False): "fits the former",
        (False, True): "fits the latter, so that by the definition as it reads the model does "
        "better than printed; the readings disagree",
        (False, False): "fits neither",
    }
    return Finding(
        True if by_any else None if by_one else False,
        f"held out, {told}",
        "*An optimal move*, beside a *tie-aware* number of its own, most naturally means any best "
        "one, here one that maximises the chance to win; it can mean the one that is labelled 1, "
        "as the section on labels defines it (`dct-label-all`). The printed "
        f"{shown} {word[by_any, by_one]}. (t tests over {SEEDS} foldings, at {SIGNIFICANCE:g}.)",
    )


def cross_validated() -> Repeats:
    """Held-out accuracy of the standard features, one value per split into folds."""
    return Repeats(
        held_out(False),
        "logit",
        f"It depends on how the states are folded: {SEEDS} ways into five folds, the default of "
        f"`spectral_policy_3x3.py` ({ARCHIVED}), which shuffles with a fixed seed the states in "
        "the order of a file that is not published, so that it can't be replayed.",
    )


@cache
def rounded(folds: int = 0) -> tuple[Accuracy, ...]:
    """Accuracy when rounding breaks ties between cells: on the training states, or held out."""
    draws = SEEDS if folds else LOTTERIES
    return tuple(rounded_accuracy(rng=seed, folds=folds) for seed in range(draws))


def lotteries(folds: int = 0) -> tuple[float, ...]:
    """How often rounding hits the labelled move."""
    return tuple(found.single for found in rounded(folds))


def cross_validated_symmetric(printed: str) -> Finding:
    """Held-out accuracy of the symmetric features, whose best cells are tied."""
    found = sorted({round(value, 4) for value in held_out(True)})
    lowest = " to ".join(f"{value:.4f}" for value in sorted({found[0], found[-1]}))
    lowest += f" in {'each of ' * (len(found) == 1)}{SEEDS} ways to fold, at a penalty of 0.001,"
    return by_tie_rule(lowest, float(printed), lotteries(5), "ways to fold, each with another")


def single_symmetric(printed: str) -> Finding:
    """The same on the training states; the printed value is in per cent."""
    maps = heatmaps(trained(GRID, symmetric=True))
    lowest = f"{best_move_accuracy(maps).single:.2%}"
    return by_tie_rule(lowest, float(printed), lotteries(), "choices of an", percent=True)


def by_tie_rule(
    lowest: str, printed: float, drawn: tuple[float, ...], ways: str, *, percent: bool = False
) -> Finding:
    """What symmetric features achieve if ties are broken by index, at random or by rounding.

    Not testable: the text doesn't say which of equal cells is taken, and the ways to take one give
    different numbers.

    Parameters
    ----------
    percent : bool
        Whether the printed number is in per cent; ours are then told so, too.
    """
    lot = float(uniform_ties(heatmaps(trained(GRID, symmetric=True))))
    return Finding(
        None,
        f"{lowest} if the lowest of equal cells is taken, {_share(lot, percent)} if any is as "
        "likely",
        left_to_rounding(printed, drawn, ways, percent=percent),
    )


def _share(share: float, percent: bool) -> str:
    return f"{share:.2%}" if percent else f"{share:.4f}"


def left_to_rounding(
    printed: float, drawn: tuple[float, ...], ways: str, *, percent: bool = False
) -> str:
    """Why ties can't be replayed, and what they give over orders in which to sum a score."""
    unit, low, high = 100 if percent else 1, *(_share(f(drawn), percent) for f in (min, max))
    some = any(agrees(f"{printed:g}", unit * value) for value in drawn)
    shown = f"{printed:g}{'%' * percent}"
    return (
        "Symmetric cells score exactly alike, and the text does not say which is taken. "
        f"`spectral_policy_3x3.py` ({ARCHIVED}) takes `max(scores, key=lambda t: t[0])`, which "
        "leaves it to the rounding of its machine, which can't be replayed: here "
        f"{low} to {high} over {len(drawn)} {ways} order in which to sum a score, "
        f"{'values' if some else 'none'} that {'print' if some else 'prints'} {shown} among them."
    )


ARCHIVED = "an archived copy, repository and commit unknown"
"""What we know about the programs named in our reasons; notebook 02 says more."""


PATTERNS = (
    "The sentence speaks of patterns, and doesn't say whether they play with the safety rule, the "
    "document's default, or alone: judged both ways."
)
"""How one sentence of three claims is read."""


def printed(claim: str) -> str:
    """The published value of a claim of this document."""
    return str(declared(f"dct-{claim}").published)


def in_both_places(published: str, again: str) -> str:
    """Say whether a number that the document prints twice agrees in both places.

    Parameters
    ----------
    published : str
        A match such as ``29-1-0``, or a share such as ``0.638``.
    again : str
        The number as printed in the second place, such as ``W:29 D:1 L:0`` or ``63.8%``.
    """
    if "-" in published:
        second = "W:{} D:{} L:{}".format(*published.split("-"))
    else:
        second = f"{100 * float(published):.1f}%"
    return f"The document prints it twice, and the two {'agree' if second in again else 'differ'}."


def tie_aware() -> Value:
    """Share of states whose chosen move is among the best, on the training states."""
    return Value(
        best_move_accuracy(heatmaps(trained(GRID))).tie_aware,
        "The line begins with *CV acc*, but this is the fit to all states: held out it would be "
        f"{_spread_of(held_out_any())}. The note on heatmaps, too, pairs the tie-aware number of "
        f"symmetric features with {printed('heat-single')}%, not with the cross-validated "
        f"{printed('cv-symmetric')}. {_highest_of_lists()}",
    )


def tie_aware_symmetric(published: str, again: str) -> Finding:
    """The same for symmetric features, whose best cells are tied."""
    maps = heatmaps(trained(GRID, symmetric=True))
    fixed = by_fixed_orders(maps)
    lowest = (
        f"{best_move_accuracy(maps).tie_aware:.4f} if the lowest of equal cells is taken, "
        f"{min(fixed):.4f} to {max(fixed):.4f} by {len(fixed)} other fixed orders of them"
    )
    drawn = tuple(found.tie_aware for found in rounded())
    by_rounding = left_to_rounding(float(published), drawn, "choices of an")
    return Finding(
        None,
        lowest,
        "A fit to the training states; held out, ties by index, it is "
        f"{np.mean(held_out_any(symmetric=True)):.4f} on average. {by_rounding} "
        f"{in_both_places(published, again)}",
    )


def _highest_of_lists() -> str:
    tree = solve(GRID)
    best = ceiling(good_moves(tree), tree)
    return (
        f"No list of cells can hit more than {best.hits} of {best.total} ({float(best.share):.4f})."
    )


def by_fixed_orders(maps: Heatmaps) -> list[float]:
    """The tie-aware share for every order of corners and of edges but that of their indices."""
    good = good_moves(solve(GRID))[~solve(GRID).finished]
    best = best_scored(maps)
    kinds = (permutations(cells) for cells in ((0, 2, 6, 8), (1, 3, 5, 7)))
    found = []
    for corners, edges in [*product(*kinds)][1:]:
        order = np.array([4, *corners, *edges])
        taken = order[best[:, order].argmax(axis=1)]
        found.append(float(good[np.arange(len(good)), taken].mean()))
    return found


def baseline(kind: str) -> Value:
    """Accuracy in per cent of a move chosen at random: ``single`` or ``tie_aware``."""
    return Value(100 * float(getattr(chance_accuracy(), kind)))


def first_free() -> Accuracy:
    """The accuracy of always taking the free cell of lowest index, which needs no training."""
    tree = solve(GRID)
    running = ~tree.finished
    return accuracy(first(tree.legal[running]), good_moves(tree)[running])


def by_lot(maps: Heatmaps) -> Accuracy:
    """The expected accuracy if any of the best-scored cells is as likely as the others."""
    best = best_scored(maps)
    good = good_moves(solve(GRID))[~solve(GRID).finished]
    shares = (best & good).sum(axis=1) / best.sum(axis=1)
    return Accuracy(float(uniform_ties(maps)), float(shares.mean()))


def above_baseline() -> Finding:
    """Whether the model is more accurate than a random move, whichever of equal cells it takes.

    The lowest, or any as likely as the others; if these disagree, there is no answer.
    """
    maps = heatmaps(trained(GRID, symmetric=True))
    model, lot = best_move_accuracy(maps), by_lot(maps)
    chance, control = chance_accuracy(), first_free()
    found = (
        f"{model.single:.3f} against {chance.single:.3f}, "
        f"{model.tie_aware:.3f} against {chance.tie_aware:.3f}"
    )
    above = {
        one.single > chance.single and one.tie_aware > chance.tie_aware for one in (model, lot)
    }
    return Finding(
        agreed(above),
        found,
        "All 4520 states are counted, so chance plays no part. Ours are for the lowest of equal "
        f"cells; if any of them is as likely, they are {lot.single:.3f} and {lot.tie_aware:.3f}. "
        "But the single label is the lowest index among the best moves, so always taking the free "
        f"cell of lowest index already hits {control.single:.3f} (tie-aware "
        f"{control.tie_aware:.3f}).",
    )


def no_exact_heatmap() -> Finding:
    """Whether a linear model must make errors: the ceiling over all lists of cells."""
    tree = solve(GRID)
    best = ceiling(good_moves(tree), tree)
    found = f"the best lists of cells find a best move in {best.hits} of {best.total} states"
    return Finding(best.hits < best.total, found)


def true_probabilities() -> Finding:
    """Training on P(win) instead of 0/1, on states it was not fitted to, folding by folding."""
    plain, symmetric = (
        Calibrated(calibrated("optimal", kind).before, calibrated("probability", kind).before, ())
        for kind in (False, True)
    )
    both = [
        [fold.better("mse") is True and fold.better("spearman") is True for fold in one.apart()]
        for one in (plain, symmetric)
    ]
    holds = _with_any([agreed(set(some)) for some in both])
    ends = zip(symmetric.before, symmetric.after, strict=True)
    same = sum(before.spearman == after.spearman for before, after in ends)
    error, ranks = (_times_better(symmetric, measure) for measure in ("mse", "spearman"))
    folds = len(CLASS_FOLDINGS)
    return Finding(
        holds,
        f"in {folds} foldings Spearman within a state {plain.means('spearman', 3)}, MSE "
        f"{plain.means('mse', 4)} on average; with symmetric features "
        f"{symmetric.means('spearman', 3)} and {symmetric.means('mse', 4)}",
        "*Can* is read as better by both measures with one kind of features at least, in each of "
        f"{folds} foldings of the boards' classes (it fails if in none with either): with standard "
        f"features it is so in {sum(both[0])}. With symmetric ones, which gave the note's "
        f"{printed('heat-single')}% and {float(printed('tie-symmetric')):.1%}, the squared error "
        f"is lower in {error}, and ranks within a state are better in {ranks or 'none'} (the same "
        f"in {same}). Judged on boards held out, as on its own states least squares lowers the "
        "squared error by construction.",
        tested=holds is None,
    )


@cache
@read_only
def held_out_together(
    labels: str, *, symmetric: bool = False, seed: int = 0
) -> tuple[Heatmaps, Heatmaps]:
    """The same, and on a line for each number of stones, fitted to those other classes, too."""
    rows, fold = training_rows(GRID, labels), folds_by_class(rng=seed)
    truth = heatmaps(trained(GRID))
    scores = np.full((2, *truth.scores.shape), np.nan)
    for part in np.unique(fold):
        here = fold == part
        [model] = fit_without(rows, np.flatnonzero(here), (0.001,), symmetric=symmetric)
        maps = heatmaps(model)
        scores[:, here] = maps.scores[here], on_lines(maps, ~here, here)
    return replace(truth, scores=scores[0]), replace(truth, scores=scores[1])


class Calibrated(NamedTuple):
    """What calibration by depth, or another change, does to boards held out, folding by folding.

    Attributes
    ----------
    before, after : tuple of Fidelity
    turned : tuple of float
        Shares of the states whose moves the line puts in the reverse order.
    """

    before: tuple[Fidelity, ...]
    after: tuple[Fidelity, ...]
    turned: tuple[float, ...]

    def better(self, measure: str) -> bool | None:
        """Whether a measure is better in every folding, or in none (False)."""
        sign = -1 if measure == "mse" else 1
        pairs = zip(self.before, self.after, strict=True)
        return agreed({sign * (getattr(b, measure) - getattr(a, measure)) > 0 for a, b in pairs})

    def apart(self) -> list[Calibrated]:
        """Each folding alone."""
        return [Calibrated((b,), (a,), ()) for b, a in zip(self.before, self.after, strict=True)]

    def means(self, measure: str, digits: int) -> str:
        """The mean of a measure before and after."""
        one, other = ([getattr(f, measure) for f in ends] for ends in (self.before, self.after))
        return f"{np.mean(one):.{digits}f} to {np.mean(other):.{digits}f}"

    def told(self, measure: str, digits: int) -> str:
        """The same, and how far it spreads after."""
        other = [getattr(f, measure) for f in self.after]
        spread = f"({min(other):.{digits}f} to {max(other):.{digits}f})"
        return f"{self.means(measure, digits)} {spread}"


@cache
def calibrated(labels: str, symmetric: bool = False) -> Calibrated:
    """Models with and without lines, held out together in each of ``CLASS_FOLDINGS`` foldings."""
    pairs = [held_out_together(labels, symmetric=symmetric, seed=s) for s in CLASS_FOLDINGS]
    before, after = (tuple(map(fidelity, maps)) for maps in zip(*pairs, strict=True))
    return Calibrated(before, after, tuple(turned(*pair) for pair in pairs))


CLASS_FOLDINGS = range(10)
"""Seeds of the ways in which symmetry classes are folded."""


def turned(before: Heatmaps, after: Heatmaps) -> float:
    """The share of states whose moves are ordered the other way round by the scores after."""
    one, other = (
        maps.scores - np.nanmean(maps.scores, axis=1, keepdims=True) for maps in (before, after)
    )
    return float((np.nansum(one * other, axis=1) < -1e-12).mean())


def depth_calibration() -> Finding:
    """A calibration line for each number of stones; model and line are judged on other boards.

    On the states it was fitted to, a least-squares line cannot increase the squared error.
    """
    found = {name: calibrated(labels) for labels, name in LABELLED.items()}
    answers = [_with_any([one.better(m) for one in found.values()]) for m in ("mse", "spearman")]
    texts = [
        f"trained on {name} MSE {one.told('mse', 4)}, Spearman within a state "
        f"{one.told('spearman', 3)}"
        for name, one in found.items()
    ]
    return Finding(
        agreed(set(answers)),
        "; ".join(texts),
        f"Means over {len(CLASS_FOLDINGS)} foldings of the boards' classes, in brackets the least "
        "and the most with lines; model and lines are fitted to the same four fifths and judged on "
        "the rest, as on its own states a fitted line lowers the error by construction. Alignment "
        "may mean the error or the ranks within a state: judged by each, and the readings have to "
        "agree. *Can* is read as better with one kind of labels at least, in every folding; it "
        f"fails if in none with either. {_counted(found)} {_turned(found)} "
        f"{_constants()}",
        tested=None in answers,
    )


LABELLED = {"optimal": "0/1 labels", "probability": "probabilities"}
"""What the models of the heatmap sentence are trained on."""


def _with_any(answers: Collection[bool | None]) -> bool | None:
    """Whether one case at least holds, or none does (False)."""
    return True if True in answers else None if None in answers else False


def _counted(found: Mapping[str, Calibrated]) -> str:
    """In how many foldings each measure is better, by labels."""
    measures = {
        "mse": "the squared error is lower",
        "spearman": "ranks within a state agree better",
    }
    texts = [f"{text} in {_by_labels(found, m)}" for m, text in measures.items()]
    return f"Of the foldings, {'; '.join(texts)}."


def _by_labels(found: Mapping[str, Calibrated], measure: str) -> str:
    texts = [f"{_times_better(one, measure)} ({name})" for name, one in found.items()]
    return " and ".join(texts)


def _times_better(one: Calibrated, measure: str) -> int:
    return sum(fold.better(measure) is True for fold in one.apart())


def _turned(found: Mapping[str, Calibrated]) -> str:
    """How many states have their moves turned round by a line that falls."""
    texts = [f"{np.mean(one.turned):.0%} ({name})" for name, one in found.items()]
    return (
        "Ranks within a state change only where the line falls, which turns the order of the moves "
        f"round: on average in {' and '.join(texts)} of the states."
    )


def _constants() -> str:
    """The squared error of a constant for each number of stones, held out."""
    error = np.mean([constants_error(seed) for seed in CLASS_FOLDINGS])
    return (
        "A constant for each number of stones, held out, has a squared error of "
        f"{error:.4f} on average over the same foldings."
    )


def constants_error(seed: int) -> float:
    """The squared error of the mean truth of other boards with as many stones, in one folding.

    For the empty board, which has no such others, it is the mean over all their moves.
    """
    maps, fold = heatmaps(trained(GRID)), folds_by_class(rng=seed)
    mean = np.nanmean(maps.truth[fold != fold[maps.ply == 0]])
    constant = replace(maps, scores=np.where(maps.legal, mean, np.nan))
    level = calibrate_held_out(constant, rng=seed)  # leaves the empty board as it is
    return float(np.nanmean((level.scores - maps.truth) ** 2))


@cache
def shares_by_board() -> pd.DataFrame:
    """Shares of the heatmap sentence in per cent, by its claims, for every unfinished board."""
    tree = solve(GRID)
    running = ~tree.finished
    legal, good = tree.legal[running], good_moves(tree)[running]
    shares = {
        "heat-base": 1 / legal.sum(axis=1),
        "heat-base-tie": good.sum(axis=1) / legal.sum(axis=1),
    }
    return 100 * pd.DataFrame(shares).astype(float)


def shares_by_class() -> pd.DataFrame:
    """The same, averaged over the boards of each class under symmetry."""
    tree = solve(GRID)
    return shares_by_board().groupby(GRID.canonical_codes(tree.boards[~tree.finished])).mean()


def states_counted() -> Finding:
    """Whether the printed shares are those of all boards, or of boards counted up to symmetry.

    The latter is what *canonical* usually means; in a copy of its program it means the labelled
    move.
    """
    table, classes = shares_by_board(), shares_by_class()
    fits, texts = [], []
    for claim in table:
        text = printed(str(claim))
        shown = text if float(text) > 1 else f"{100 * float(text):.1f}"
        means = [float(part[claim].mean()) for part in (table, classes)]
        fits.append([agrees(shown, mean) for mean in means])
        texts.append(f"{shown}: {means[0]:.1f} and {means[1]:.1f}")
    of_all, of_classes = (sum(column) for column in zip(*fits, strict=True))
    return Finding(
        None if of_all == of_classes == len(fits) else of_all == len(fits),
        f"per cent printed, of all {len(table)} unfinished boards, and of their {len(classes)} "
        f"classes: {'; '.join(texts)}",
        "The printed shares decide. *Canonical* usually means one board for each class under "
        f"symmetry; so read, {of_classes} of {len(fits)} agree with ours. With all boards counted "
        f"{of_all} of {len(fits)} do. Then the word can mean the labelled move, not any best one: "
        f"`spectral_policy_3x3.py` ({ARCHIVED}) prints `Random baseline (canonical): ...` beside "
        "`Random baseline (any optimal): ...`. (A class counts with the mean over its members, "
        f"whichever board stands for it.) {printed('heat-single')} and "
        f"{printed('tie-symmetric')} are left out: they depend on how ties are broken.",
    )


# ---------------------------------------------------------------------------- the method


def penalty_selected() -> Finding:
    """Whether cross-validation prefers any penalty, for 0/1 labels and both kinds of features."""
    found = [hit_states(symmetric, seed) for symmetric in (False, True) for seed in range(FOLDINGS)]
    runs, alike = [*map(apart, found)], sum(map(same_states, found))
    p_values = holm([binomtest(won, won + lost).pvalue if won else 1.0 for won, lost in runs])
    clear = sum(p < SIGNIFICANCE for p in p_values)
    moved = [(won, lost) for won, lost in runs if won]
    return Finding(
        True if clear else None if moved else False,
        f"penalties of {PROGRAM_LAMBDAS[0]:g} to {PROGRAM_LAMBDAS[-1]:g}, as in its program, hit "
        f"the same states in {alike} of {len(runs)} cross-validations; with "
        f"{', '.join(f'{lam:g}' for lam in STRONGER)} added they have the same held-out accuracy "
        f"in {len(runs) - len(moved)} of {len(runs)}, and one is better than another beyond chance "
        f"in {clear}",
        f"Judged in {FOLDINGS} foldings with standard and {FOLDINGS} with symmetric features. The "
        "procedure runs and names a penalty; *can select* is read as more: that in at least one "
        "cross-validation one penalty beats another beyond chance (sign tests on the states that "
        "only one of the two hits, Holm). It is refuted only if no penalty ever does better than "
        f"another. {_by_the_program(alike == len(runs))} The penalty scales the weights, and only "
        f"the order of nine cells decides. {_best_and_worst(moved)}",
        tested=True,
    )


def _by_the_program(alike: bool) -> str:
    """What the penalties of the program would show by themselves."""
    tried = (
        f"The text names no penalties; `spectral_policy_3x3.py` ({ARCHIVED}) tries "
        f"{len(PROGRAM_LAMBDAS)} by default."
    )
    alone = (
        " Those alone would refute the sentence if equal cells go to the lowest index (left to "
        "rounding, as in that copy, each penalty hits slightly other states with symmetric "
        "features), but such a copy can't settle a row."
    )
    return tried + alone * alike


def _best_and_worst(moved: Sequence[tuple[int, int]]) -> str:
    """What only the best and only the worst penalty hit, where they differ."""
    if not moved:
        return "Held-out accuracy differed nowhere."
    won, lost = (listed(map(str, some)) for some in zip(*moved, strict=True))
    return (
        f"Where held-out accuracy differed, the best penalty hit {won} states that the worst "
        f"missed, and missed {lost} that the worst hit."
    )


def same_states(hits: dict[float, Mask]) -> bool:
    """Whether all penalties of the document's program hit the same states."""
    tried = [found for lam, found in hits.items() if lam in PROGRAM_LAMBDAS]
    return all(np.array_equal(tried[0], other) for other in tried)


def hit_states(symmetric: bool, seed: int) -> dict[float, Mask]:
    """Whether each state is hit when held out, by penalty: bool, shape (states,), fold by fold."""
    rows = training_rows(GRID, "optimal")
    parts = list(held_out_hits(rows, lams=PENALTIES, symmetric=symmetric, rng=seed))
    return {lam: np.concatenate([part[lam] for part in parts]) for lam in PENALTIES}


def apart(hits: dict[float, Mask]) -> tuple[int, int]:
    """How many states only the penalty with most hits, or only that with fewest, hits.

    Both numbers are 0 where all penalties have as many hits.
    """
    worst, *_, best = sorted(hits.values(), key=lambda found: int(found.sum()))
    if worst.sum() == best.sum():
        return 0, 0
    return int((best & ~worst).sum()), int((worst & ~best).sum())


def optimal_labels() -> Finding:
    """Whether the labelled moves are optimal: keep the value, or win most against random play.

    The second reading is that of the file which the document names.
    """
    tree = solve(GRID)
    labelled = first(good_moves(tree))[~tree.finished]
    wrong, beaten = (
        int((labelled & ~moves(tree)[~tree.finished]).any(axis=1).sum())
        for moves in (value_moves, most_wins)
    )
    loss = labels_followed().matches["o", "minimax"].loss
    share = "every game" if loss == 1 else f"{loss} of the games"
    return Finding(
        agreed({wrong == 0, beaten == 0}),
        f"{wrong} of 4520 labelled moves throw value away; {beaten} win less against random play "
        f"than another would{' (by construction)' * (not beaten)}",
        "*Optimal* can be read as keeping the value of the game or, as the file's printed entry "
        "means it, as winning most against random play. A player that follows the labels "
        f"perfectly, without the safety rule, as O loses {share} to a perfect player.",
    )


def most_wins(tree: GameTree) -> Mask:
    """Moves after which the mover wins most often in random play, by its chances up to rounding."""
    chances = np.where(tree.legal, mover_chances(tree), -1)
    return np.asarray(chances >= chances.max(axis=1, keepdims=True) - 1e-12)


@cache
def labels_followed() -> Record:
    """The exact record of a player that always plays the labelled move."""
    return record(labelled_agent())


def every_optimal_move_labelled() -> Finding:
    """Whether labels from the tree lead to the printed accuracy: of every best move, or of one.

    The text may mean either; which was taken the number shows, not which is meant.
    """
    tree = solve(GRID)
    good = good_moves(tree)
    best = good[~tree.finished].sum(axis=1)
    several, others = int((best > 1).sum()), int((best - 1).sum())
    state, move = np.nonzero(tree.legal)
    rows = replace(exact_rows(GRID, "optimal"), target=good[state, move].astype(np.float64))
    every = best_move_accuracy(heatmaps(fit(rows))).tie_aware
    one = best_move_accuracy(heatmaps(trained(GRID))).tie_aware
    shown = printed("tie-standard")
    by_every, by_one = agrees(shown, every), agrees(shown, one)
    found = {
        (True, False): "the former",
        (False, True): f"the latter, so that {others} moves as good as the labelled are labelled 0",
        (True, True): "both",
    }
    return Finding(
        True if by_every else None if by_one else False,
        f"with all best moves labelled {every:.4f}, with the lowest index alone {one:.4f}",
        "Most naturally every *optimal* move is labelled 1, here every one that maximises the "
        "chance to win; *from the tree* can mean the one `move` of the tree's entry. "
        f"{several} of 4520 states have several best moves. The printed {shown} fits "
        f"{found.get((by_every, by_one), 'neither')}."
        + " It shows which was run, not which is meant: the sentence states a method, and no "
        "program comes with it. *An* optimal move and tie-aware accuracy, elsewhere, suggest the "
        "former; the readings disagree."
        * (by_one and not by_every)
        + f" `spectral_policy_3x3.py` ({ARCHIVED}) labels the tree's one move, "
        "`1.0 if m==move_opt else 0.0`.",
    )


RULES = ("", "safe_")
"""Prefixes of the columns of ``spectral_networks.csv``: without and with the safety rule."""


def measured(row: pd.Series[float]) -> dict[str, float]:
    """The measures by which a player is compared, larger is better: a stored row of the contest.

    Good moves (tie-aware); then, without and with the safety rule, states not misplayed, and
    points (a draw is half a point) as X and as O against random and against perfect play.
    """
    found = {"good moves": float(row["tie_aware"])}
    for rule in RULES:
        found[f"{rule}kept"] = -float(row[f"{rule}misplayed"])
        for match in ("x_random", "o_random", "x_minimax", "o_minimax"):
            won, lost = row[f"{rule}{match}_win"], row[f"{rule}{match}_loss"]
            found[f"{rule}{match}"] = float(1 + won - lost) / 2
    return found


def tally() -> tuple[int, int, int, str]:
    """Comparisons that ridge regression won, tied and made, and the standing as a sentence."""
    measures, lead = leads()["measure"], leads()["lead"]
    won, level = int((lead > 1e-9).sum()), int((lead.abs() <= 1e-9).sum())
    return won, level, len(lead), _leading(measures[lead > 1e-9])


def _leading(ahead: pd.Series[str]) -> str:
    """In how many comparisons the linear model leads, and in how many of these with the rule."""
    with_rule = int(ahead.str.startswith("safe_").sum())
    return (
        f"By the means alone the linear model leads in {len(ahead)}, of these with the rule in "
        f"{with_rule}."
    )


@cache
def leads() -> pd.DataFrame:
    """By how much ridge regression leads, comparison by comparison.

    Returns
    -------
    DataFrame
        Columns measure; linear, its own value; lead, over the mean of the networks; error, of
        that mean; seeds.
    """
    rows, parts = table("spectral_networks.csv"), []
    linear = {
        row["labels"]: pd.Series(measured(row)) for _, row in rows.iterrows() if not row.hidden
    }
    for (labels, _), part in rows[rows["hidden"] > 0].groupby(["labels", "hidden"]):
        found = pd.DataFrame([measured(row) for _, row in part.iterrows()])
        lead = linear[labels] - found.mean()
        own = {"linear": linear[labels], "lead": lead, "error": found.sem(), "seeds": len(found)}
        parts.append(pd.DataFrame(own))
    return pd.concat(parts).rename_axis("measure").reset_index()


def clear_cut() -> tuple[int, int]:
    """Comparisons in which ridge regression is clearly better, and clearly worse.

    Clear means that a 95% t interval of the networks' mean, over their seeds, excludes its value.
    """
    found = leads()
    half = t.ppf(0.975, found["seeds"] - 1) * found["error"]
    return int((found["lead"] > half).sum()), int((-found["lead"] > half).sum())


class Beyond(NamedTuple):
    """Comparisons that tell more than chance: better, worse; level, and level at a limit.

    By their measures in words, but for the worse, which are counted.
    """

    better: list[str]
    worse: int
    level: list[str]
    capped: list[str]


def beyond_chance() -> Beyond:
    """In how many comparisons ridge regression is better and worse beyond chance over all of them.

    By :func:`sure_leads`.  Then the measures in which it is level with every network of a
    comparison, which leaves nothing to chance: apart those where all have the best or the least
    that there is, so that they could not differ upwards or downwards.
    """
    found, sure = leads(), sure_leads()
    words = found["measure"].map(in_words())
    better, worse = (words[sure == sign] for sign in (1, -1))
    level = found[(found["error"] < 1e-9) & (found["lead"].abs() < 1e-9)]
    ends = level["measure"].map(limits_of)
    pairs = zip(level["linear"], ends, strict=True)
    at_limit = np.array([min(abs(own - end) for end in both) < 1e-9 for own, both in pairs], bool)
    free, capped = (words[level.index[chosen]].tolist() for chosen in (~at_limit, at_limit))
    return Beyond(better.tolist(), len(worse), free, capped)


def sure_leads(level: float = SIGNIFICANCE) -> NDArray[np.int_]:
    """Whether ridge regression is better (1), worse (-1) or can't be told from chance (0), (C,).

    In each comparison of :func:`leads`, by t tests over the networks' seeds, Holm-corrected, at
    a level.
    """
    found = leads()
    gap, alike = found["lead"].abs(), found["error"] < 1e-9
    ratio = gap / found["error"].where(~alike, 1)
    p_values = 2 * t.sf(ratio, found["seeds"] - 1)
    p_values[alike] = np.where(gap[alike] < 1e-9, 1.0, 0.0)
    sure = np.array(holm(p_values.tolist())) < level
    return np.where(sure, np.sign(found["lead"]), 0).astype(int)


def in_most(changes: Sequence[int]) -> bool | None:
    """Whether most are rises (1), or most are falls (-1: False), or neither."""
    half = len(changes) / 2
    return True if changes.count(1) > half else False if changes.count(-1) > half else None


def limits_of(measure: str) -> tuple[float, float]:
    """The least and the best value that a measure can have."""
    if measure.endswith("kept"):
        return -math.inf, 0.0  # minus the states misplayed
    return 0.0, 0.5 if measure.endswith("minimax") else 1.0  # perfect players draw


def in_words() -> dict[str, str]:
    """The measures in words, by their names."""
    ruled = {f"{rule}{name}": f"{text}{' with the rule' if rule else ''}"
             for rule in RULES for name, text in WORDS.items()}  # fmt: skip
    return {"good moves": "good moves", **ruled}


WORDS = {
    "kept": "states not misplayed",
    "x_random": "points as X against random play",
    "o_random": "points as O against random play",
    "x_minimax": "points as X against the perfect player",
    "o_minimax": "points as O against the perfect player",
}


def _compared() -> str:
    """What is compared, in words."""
    return (
        "Same features and labels (0/1 and expected results), 10 and 100 neurons, mean of "
        f"{leads()['seeds'].max()} seeds; eleven measures: good moves, and without and with the "
        "safety rule states not misplayed and points as X and O against random and perfect play."
    )


def networks_beaten(most: bool) -> Finding:
    """In how many comparisons ridge regression does better than networks.

    Parameters
    ----------
    most : bool
        Whether the sentence claims most of them (*often*), or at least one (*can*).
    """
    found = _often() if most else _at_all()
    return replace(found, reason=f"{_compared()} {found.reason} {tally()[-1]}")


def _often() -> Finding:
    """Whether most comparisons are won beyond chance, without the rule and with it."""
    found, sure = leads(), sure_leads()
    with_rule = found["measure"].str.startswith("safe_").to_numpy()
    alone, ruled = ([int(s) for s in part] for part in (sure[~with_rule], sure[with_rule]))
    answers = in_most(alone), in_most(ruled)
    so = {True: "it holds", False: "it fails", None: "these tests can't decide"}
    return Finding(
        agreed(set(answers)),
        f"beyond chance, without the safety rule better in {alone.count(1)} of {len(alone)} "
        f"comparisons and worse in {alone.count(-1)}; with it better in {ruled.count(1)} of "
        f"{len(ruled)} and worse in {ruled.count(-1)}",
        "*Often* is read as better beyond chance (t tests over the seeds, Holm) in most of them; "
        f"it is refuted if worse beyond chance in most. {PATTERNS} Without the rule "
        f"{so[answers[0]]}, with it {so[answers[1]]}.",
        tested=None in answers,
    )


def _at_all() -> Finding:
    """Whether one comparison is won beyond chance, or matched."""
    won, level, total, _ = tally()
    sure = beyond_chance()
    read = (
        "*Can* is read as in one at least: better beyond chance (t tests over the seeds, Holm), or "
        "level with every network at a score that is neither the best nor the least possible; it "
        "is refuted if the linear model is worse beyond chance in all. Beyond chance it is better "
        f"in {len(sure.better)}{_where(sure.better)} and worse in {sure.worse}. {_level(sure)} In "
        "the others the seeds can't tell; how near would be a match the document does not say."
    )
    found = (
        f"better in {won} of {total} comparisons, level in {level}, worse in {total - won - level}"
        f"; beyond chance better in {len(sure.better)} and worse in {sure.worse}"
    )
    holds = True if sure.better or sure.level else False if sure.worse == total else None
    return Finding(holds, found, read, tested=True)


def _where(measures: list[str]) -> str:
    """The measures of some comparisons, with their numbers, in brackets."""
    texts = [f"{name} {count} of 4" for name, count in Counter(measures).items()]
    return f" ({'; '.join(texts)})" * bool(texts)


def _level(sure: Beyond) -> str:
    """In how many comparisons it is level with every network, and where that shows nothing."""
    if not sure.level and not sure.capped:
        return "It is level so in none."
    free, capped = map(_where, (sure.level, sure.capped))
    return (
        f"It is level so in {len(sure.level)}{free}, and level at such a limit, which shows "
        f"nothing, in {len(sure.capped)}{capped}."
    )


def features_over_complexity() -> Finding:
    """Whether the comparison with networks supports what the document infers from it.

    Nothing could, as long as the features compared are a rotation of the bare cells.
    """
    rows = exact_rows(GRID, "optimal")
    cells = raw_features(rows.after, GRID)
    plain = cells @ np.array([float(w) for w in exact_ridge(cells, rows.target, 0.001)])
    gap = float(np.abs(plain - fit(rows)(rows.after)).max())
    won, _, total, _ = tally()
    found = table("spectral_networks.csv")
    neurons = found[found["hidden"] == 100].groupby("labels")["misplayed"].mean()
    lines, mixed = (record(one).misplayed for one in (lines_alone(), hybrid(GRID)))
    rotated = gap <= 1e-6
    return Finding(
        None if rotated else won > total / 2,
        f"cosines instead of bare cells change {'no prediction' if rotated else 'predictions'}, "
        f"and the linear model is better than the networks in {won} of {total} comparisons",
        "The document shows no comparison of features, and ours with networks can't be one: "
        "cosines are a rotation of the cells. The sentence itself may well be true: six features "
        f"of lines alone in a linear model misplay {lines} states, together with the averaged "
        f"cells {mixed}; 100 neurons on the cosines {neurons['optimal']:.0f} (0/1 labels) or "
        f"{neurons['value']:.0f} (the expected results that the lines were trained on).",
    )


def lines_alone() -> Agent:
    """Play by open lines only, with weights learned as those of the agent ``hybrid``."""
    rows = exact_rows(GRID, "value")
    weights = on_grid(exact_ridge(line_features(rows.after, GRID), rows.target, 0.001))

    def evaluator(after: Boards) -> Floats:
        return line_features(after, GRID) @ weights

    return from_evaluator("lines", GRID, evaluator, ends=False, ties="first")


LITTLE = 0.1
"""Less than this share of the unfinished states is little: our limit."""


def little_data(states: int = 100) -> Finding:
    """Whether little is used, by exact and by sampled labels; and whether little suffices.

    The latter by the accuracy on all states after training on a few, mean over random choices.
    """
    rows, chance, free = exact_rows(GRID, "optimal"), chance_accuracy().tie_aware, first_free()
    rng = np.random.default_rng(0)
    found = []
    for _ in range(SEEDS):
        few = rows.part(rng.choice(len(rows.states), states, replace=False))
        found.append(best_move_accuracy(heatmaps(fit(few))).tie_aware)
    every = best_move_accuracy(heatmaps(trained(GRID))).tie_aware
    running = int((~solve(GRID).finished).sum())
    used = len(np.unique(rows.state)), QUICK_3.states
    little = {number < LITTLE * running for number in used}
    exactly = "every unfinished state" if used[0] == running else f"{used[0]} of {running} states"
    return Finding(
        agreed(little | {bool(np.mean(found) > max(chance, free.tie_aware))}),
        f"trained on {states} of the {len(rows.states)} states, the model makes a good move in "
        f"{np.mean(found):.3f} of all unfinished states ({min(found):.3f} to {max(found):.3f} over "
        f"{SEEDS} samples); trained on all of them, in {every:.3f}",
        f"How much is used depends on the labels: exact labels on 3x3 use {exactly}; the quick run "
        f"there uses {used[1]} sampled states of {running}, and the printed matches on 4x4 "
        f"{ON_4X4.states} of millions. Little is read as less than {LITTLE:.0%} of the 3x3 states, "
        f"by each kind of labels. That little suffices is tried with {states} states, a number of "
        f"ours, and read as hitting more on average than random moves ({chance:.3f}) and than the "
        f"first free cell, which needs no data ({free.tie_aware:.3f}).",
    )


def variance_reduced(states: int = 100) -> Finding:
    """Variance of a score over choices of the training states, for averaged and plain features."""
    rows, rng = exact_rows(GRID, "optimal"), np.random.default_rng(0)
    chosen = [rng.choice(len(rows.states), states, replace=False) for _ in range(SEEDS)]
    plain, averaged = (
        np.nanmean(
            np.var([heatmaps(fit(rows.part(few), symmetric=s)).scores for few in chosen], axis=0)
        )
        for s in (False, True)
    )
    text = (
        f"trained on {states} states chosen in {SEEDS} ways, a score's variance is {averaged:.1e} "
        f"with averaging, {plain:.1e} without"
    )
    ranks = [
        np.linalg.matrix_rank(dct_features(rows.after, GRID, symmetric=s)) for s in (True, False)
    ]
    why = f"The averaged features leave {ranks[0]} free parameters instead of {ranks[1]}."
    return Finding(bool(averaged < plain), text, why)


def trains_in_milliseconds() -> Value:
    """The stored time of computing the features and the ridge regression, in seconds."""
    times = table("spectral_timing.csv").set_index("job")["seconds"]
    return Value(
        float(times["3x3: features and ridge at one lambda"]),
        "Ours in seconds: eighteen equations from 16,167 rows, solved without rounding in "
        "fractions, on one thread; in floats, as the document has it, it is faster.",
    )


def search_work() -> Finding:
    """Moves made by the document's search with 150, 1500 and 15,000 iterations from scratch.

    They are told, but decide nothing: a search that plays one game per iteration can't differ much.
    """
    sizes, grid = (150, 1500, 15_000), Grid(4)
    made = [moves_made(grid, size, rng=0) for size in sizes]
    each = [moves / size for moves, size in zip(made, sizes, strict=True)]
    return Finding(
        None,
        f"moves made by a search of {', '.join(map(str, sizes))} iterations on 4x4: "
        f"{', '.join(map(str, made))}",
        "The run time of a program that does not come with the document, on an unnamed machine. "
        "Counted instead, moves say nothing: every iteration is one game from the root to its end, "
        f"of {min(each):.1f} to {max(each):.1f} moves here, and as a game has {2 * grid.n - 1} to "
        f"{grid.cells}, a search that plays one per iteration can hardly fail.",
    )


def no_randomness() -> Finding:
    """Whether two training runs agree, and what the seed does to sampled labels."""
    same, repeated = (
        np.array_equal(fit(one).weights, fit(other).weights)
        for one, other in (
            [training_rows(GRID, labels, seed=0) for _ in range(2)] for labels in ("optimal", "mc")
        )
    )
    lists = {
        tuple(trained(GRID, labels="mc", seed=seed).priorities().ravel()) for seed in range(SEEDS)
    }
    word = {True: "the same", False: "other"}
    return Finding(
        same and repeated,
        f"exact labels: {word[same]} weights again; sampled: {word[repeated]} weights again from "
        f"the same seed, {len(lists)} policies from {SEEDS} seeds",
        "The solution is a formula; sampled labels are random until their seed is given.",
    )
