"""Our side of what document 2 says about accuracy, heatmaps and the method.

Its matches are judged in ``claims_games``, its guide to the weights in ``claims_guide``.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd

from ttt_lib.evidence import store
from ttt_lib.evidence.claims import Finding, Repeats, Setting, Value, agrees, load
from ttt_lib.game.board import Grid
from ttt_lib.game.gametree import solve
from ttt_lib.spectral.features import raw_features
from ttt_lib.spectral.fidelity import (
    Heatmaps,
    best_move_accuracy,
    calibrate_by_depth,
    chance_accuracy,
    fidelity,
    heatmaps,
    slopes,
    uniform_ties,
)
from ttt_lib.spectral.labels import exact_rows, first, good_moves, value_moves
from ttt_lib.spectral.policy import Accuracy, accuracy, cross_validate, fit, trained
from ttt_lib.spectral.record import Record, record
from ttt_lib.spectral.ridge import exact_ridge
from ttt_lib.spectral.rounding import rounded_accuracy
from ttt_lib.spectral.theory import ceiling, labelled_agent

GRID = Grid(3)
SEEDS = 20
LOTTERIES = 100


@cache
def table(file: str) -> pd.DataFrame:
    """A stored table, read once."""
    return store.read_table(file)


# ---------------------------------------------------------------------------- accuracy


@cache
def held_out(symmetric: bool) -> tuple[float, ...]:
    """Cross-validated accuracy for ``SEEDS`` ways to fold, at the default lambda."""
    rows = exact_rows(GRID, "optimal")
    found = (cross_validate(rows, lams=(0.001,), symmetric=symmetric, rng=s) for s in range(SEEDS))
    return tuple(accuracy[0.001] for accuracy in found)


def cross_validated() -> Repeats:
    """Held-out accuracy of the standard features, one value a way to fold."""
    return Repeats(held_out(False), "logit", "It depends on how the states are folded: 20 ways.")


@cache
def lotteries() -> tuple[float, ...]:
    """Accuracy where rounding picks among equal cells, for ``LOTTERIES`` orders of a sum."""
    return tuple(rounded_accuracy(rng=seed) for seed in range(LOTTERIES))


def cross_validated_symmetric(printed: str) -> Finding:
    """Held-out accuracy of the symmetric features, whose best cells come in equals."""
    found = sorted({round(value, 4) for value in held_out(True)})
    return by_tie_rule(f"{found[0]:.4f} to {found[-1]:.4f} in {SEEDS} ways to fold", float(printed))


def single_symmetric(printed: str) -> Finding:
    """The same on the training states, in per cent."""
    maps = heatmaps(trained(GRID, symmetric=True))
    return by_tie_rule(f"{best_move_accuracy(maps).single:.4f}", float(printed) / 100)


def by_tie_rule(lowest: str, printed: float) -> Finding:
    """What symmetric features reach if equal cells are told apart by index, or by lot."""
    lot = float(uniform_ties(heatmaps(trained(GRID, symmetric=True))))
    low, high = min(lotteries()), max(lotteries())
    return Finding(
        None,
        f"{lowest} if the lowest of equal cells is taken, {lot:.4f} if any is as likely",
        "Symmetric cells score exactly alike, and the text does not say which is taken; the public "
        "program takes the largest float, which leaves it to rounding. Last digits give "
        f"{low:.3f} to {high:.3f} over {LOTTERIES} orders in which a score can be summed; the "
        f"printed {printed:g} is of that kind.",
    )


@cache
def printed(claim: str) -> str:
    """The published value of a claim of this document."""
    return next(str(one.published) for one in load() if one.id == f"dct-{claim}")


def printed_twice(printed: str, claim: str) -> Finding:
    """Whether a sentence gives the same match, or the same share in per cent, as another row."""
    before = _printed(claim)
    match = re.search(r"W:(\d+) D:(\d+) L:(\d+)", printed)
    if match:
        here = "-".join(match.groups())
        return Finding(here == before, f"{here} in both places", NO_SECOND_TEST)
    share = f"{100 * float(before):.1f}"
    return Finding(f"{share}%" in printed, f"{before} there, {share} % here", NO_SECOND_TEST)


NO_SECOND_TEST = "Printed twice, so judged once."


_printed = printed
"""The function, where an argument has its name."""


def tie_aware(symmetric: bool = False, scale: int = 1) -> Value:
    """Share of states whose chosen move is among the best, on the training states."""
    share = best_move_accuracy(heatmaps(trained(GRID, symmetric=symmetric))).tie_aware
    tree = solve(GRID)
    best = ceiling(good_moves(tree), tree)
    reason = (
        f"A fit to the training states, not a cross-validation; no list of cells can hit more "
        f"than {best.hits} of {best.total} ({float(best.share):.4f})."
    )
    return Value(scale * share, reason)


def baseline(kind: str) -> Value:
    """Accuracy in per cent of a move chosen at random: ``single`` or ``tie_aware``."""
    return Value(100 * float(getattr(chance_accuracy(), kind)))


def first_free() -> Accuracy:
    """The accuracy of always taking the first free cell, which no training is needed for."""
    tree = solve(GRID)
    running = ~tree.finished
    return accuracy(first(tree.legal[running]), good_moves(tree)[running])


def above_baseline() -> Finding:
    """Whether the model hits more than a random move does, and than the first free cell."""
    model = best_move_accuracy(heatmaps(trained(GRID, symmetric=True)))
    chance, control = chance_accuracy(), first_free()
    found = (
        f"{model.single:.3f} against {chance.single:.3f}, "
        f"{model.tie_aware:.3f} against {chance.tie_aware:.3f}"
    )
    return Finding(
        model.single > chance.single and model.tie_aware > chance.tie_aware,
        found,
        "All 4520 states are counted, so chance plays no part. But labels go to the lowest "
        f"index among the best: always taking the first free cell hits {control.single:.3f} and "
        f"{control.tie_aware:.3f}.",
    )


def no_exact_heatmap() -> Finding:
    """Whether a linear model must miss: the ceiling over all lists of cells."""
    tree = solve(GRID)
    best = ceiling(good_moves(tree), tree)
    found = f"the best lists of cells hit {best.hits} of {best.total} states"
    return Finding(best.hits < best.total, found)


def true_probabilities() -> Finding:
    """Training on P(win) instead of 0/1: ranks, squared error, and the moves themselves."""
    before, after = (
        fidelity(heatmaps(trained(GRID, labels=la))) for la in ("optimal", "probability")
    )
    there = trained(GRID, labels="probability").priorities()
    same = np.array_equal(there, trained(GRID, symmetric=True).priorities())
    found = (
        f"Spearman {before.spearman:.3f} to {after.spearman:.3f}, MSE {before.mse:.3f} to "
        f"{after.mse:.3f}; {'the same' if same else 'other'} lists as symmetric 0/1 training"
    )
    return Finding(after.mse < before.mse and after.spearman > before.spearman, found)


def depth_calibration() -> Finding:
    """A line of calibration for each number of stones, on 0/1 labels and on probabilities."""
    texts, holds = [], []
    for labels in ("optimal", "probability"):
        maps = heatmaps(trained(GRID, labels=labels))
        before, after = fidelity(maps), fidelity(calibrate_by_depth(maps))
        holds.append(after.mse < before.mse and after.spearman >= before.spearman - 1e-12)
        texts.append(
            f"trained on {'0/1 labels' if labels == 'optimal' else 'probabilities'} MSE "
            f"{before.mse:.3f} to {after.mse:.3f}, Spearman {before.spearman:.3f} to "
            f"{after.spearman:.3f}"
        )
    pooled, within = slopes(maps), slopes(centred(maps))
    stones = [ply for ply, slope in pooled.items() if slope < 0 < within[ply]]
    return Finding(
        any(holds),
        "; ".join(texts),
        "It can, as the document says. Where it hurts, Simpson's paradox is at work: with "
        f"{' and '.join(map(str, stones))} stones the line through all states falls (slope "
        f"{pooled[stones[0]]:.2f} at {stones[0]}), though within each state it rises "
        f"({within[stones[0]]:+.2f}).",
    )


def centred(maps: Heatmaps) -> Heatmaps:
    """Scores and chances as differences from the mean of their state's moves."""
    scores, truth = (
        table - np.nanmean(table, axis=1, keepdims=True) for table in (maps.scores, maps.truth)
    )
    return Heatmaps(scores, truth, maps.ply)


# ---------------------------------------------------------------------------- the method


def optimal_labels() -> Finding:
    """Whether the labelled moves are optimal: keep the value of the game."""
    tree = solve(GRID)
    labelled = first(good_moves(tree))[~tree.finished]
    wrong = int((labelled & ~value_moves(tree)[~tree.finished]).any(axis=1).sum())
    loss = labels_followed().matches["o", "minimax"].loss
    share = "every game" if loss == 1 else f"{loss} of the games"
    return Finding(
        wrong == 0,
        f"{wrong} of 4520 labelled moves throw value away",
        "They maximise the chance to win against random play; a player that follows them perfectly "
        f"as O loses {share} to a perfect player.",
    )


@cache
def labels_followed() -> Record:
    """The exact record of a player that always plays the labelled move."""
    return record(labelled_agent())


def every_optimal_move_labelled() -> Finding:
    """Whether the printed accuracy arises when each maximising move carries the label 1."""
    tree = solve(GRID)
    good = good_moves(tree)
    several = int((good[~tree.finished].sum(axis=1) > 1).sum())
    state, move = np.nonzero(tree.legal)
    rows = replace(exact_rows(GRID, "optimal"), target=good[state, move].astype(np.float64))
    every = best_move_accuracy(heatmaps(fit(rows))).tie_aware
    one = best_move_accuracy(heatmaps(trained(GRID))).tie_aware
    return Finding(
        agrees(printed("tie-standard"), every),
        f"with all best moves labelled {every:.4f}, with the lowest index alone {one:.4f}",
        f"{several} of 4520 states have several best moves, and the printed .623 needs one label "
        "per state, which is what the document's public program sets.",
    )


@cache
def contest() -> tuple[pd.Series[float], pd.Series[float]]:
    """Stored results of ridge, and the mean over networks of 100 neurons, on the same labels."""
    rows = table("spectral_networks.csv")
    rows = rows[rows["labels"] == "optimal"].drop(columns=["model", "labels"])
    return rows[rows["hidden"] == 0].mean(), rows[rows["hidden"] == 100].mean()


def networks_beaten() -> Finding:
    """Ridge against networks on the same features and labels, without the safety rule."""
    ridge, network = contest()
    found = (
        f"good moves {ridge['tie_aware']:.3f} against {network['tie_aware']:.3f}, "
        f"states misplayed {ridge['misplayed']:.0f} against {network['misplayed']:.0f}"
    )
    reason = (
        "Same features and labels; 100 neurons, 100 epochs, 5 seeds; both play without the rule."
    )
    return Finding(bool(ridge["tie_aware"] > network["tie_aware"]), found, reason)


def features_over_complexity() -> Finding:
    """What the features change with one model, and the model with one set of features."""
    rows = exact_rows(GRID, "optimal")
    cells = raw_features(rows.after, GRID)
    plain = cells @ np.array([float(w) for w in exact_ridge(cells, rows.target, 0.001)])
    gap = float(np.abs(plain - fit(rows)(rows.after)).max())
    ridge, network = contest()
    return Finding(
        gap > 1e-6 or bool(ridge["tie_aware"] > network["tie_aware"]),
        f"cosines instead of bare cells change no prediction; 100 neurons instead of none raise "
        f"good moves from {ridge['tie_aware']:.3f} to {network['tie_aware']:.3f}",
        "The cosines are a rotation of the cells, so ridge regression sees the same features.",
    )


def little_data(states: int = 100) -> Finding:
    """Accuracy on all states after training on few of them, mean over ways to choose them."""
    rows, chance = exact_rows(GRID, "optimal"), chance_accuracy().tie_aware
    rng = np.random.default_rng(0)
    found = []
    for _ in range(SEEDS):
        few = rows.part(rng.choice(len(rows.states), states, replace=False))
        found.append(best_move_accuracy(heatmaps(fit(few))).tie_aware)
    every = best_move_accuracy(heatmaps(trained(GRID))).tie_aware
    return Finding(
        min(found) > chance,
        f"trained on {states} of {len(rows.states)} states, good moves {np.mean(found):.3f} "
        f"({min(found):.3f} to {max(found):.3f} in {SEEDS} samples); on all {every:.3f}",
        f"Read as more than the {chance:.3f} of random moves from every sample: a list of nine "
        "cells has little to learn.",
    )


def sampling_read() -> Setting:
    """Whether samples and rollouts of the labels change the weights, on 3x3."""
    given = {"samples": 400, "rollouts": 6}
    ours, same, fewer, shorter = (
        trained(GRID, labels="mc", **more).weights
        for more in ({}, given, {"samples": 200}, {"rollouts": 3})
    )
    read = not np.allclose(ours, fewer) and not np.allclose(ours, shorter)
    shown = " ".join(map(str, given.values())) if np.array_equal(ours, same) else "others"
    return Setting(shown, read, "half the samples, or half the rollouts, give other weights")


def networks_matched() -> Finding:
    """The same under the safety rule, as O against the perfect player."""
    ridge, network = contest()
    lost = [row["safe_o_minimax_loss"] for row in (ridge, network)]
    won = [row["safe_x_random_win"] for row in (ridge, network)]
    return Finding(
        bool(lost[0] < lost[1]),
        f"under the safety rule, as O against the perfect player: losses {lost[0]:.3f} against "
        f"{lost[1]:.3f}",
        "The labels are wrong for O, and the networks learn them better; as X against random play "
        f"both win alike ({won[0]:.3f} and {won[1]:.3f}).",
    )


def trains_in_milliseconds() -> Value:
    """The stored seconds of features and ridge."""
    times = table("spectral_timing.csv").set_index("job")["seconds"]
    return Value(
        float(times["3x3: features and ridge at one lambda"]),
        "Ours in seconds: eighteen equations from 16,167 rows, on one thread.",
    )


def search_time_is_linear() -> Finding:
    """Stored times of a search with 1500 and with 150 iterations."""
    times = table("spectral_timing.csv").set_index("job")["seconds"]
    ratio = times["4x4: one search, 1500 iterations"] / times["4x4: one search, 150 iterations"]
    return Finding(
        bool(5 < ratio < 20),
        f"ten times the iterations take {ratio:.1f} times as long",
        "Every iteration is one walk down the tree and one playout; 5 to 20 times count as about "
        "linear, on stored times of one machine.",
    )


def no_randomness() -> Finding:
    """Whether two trainings agree, and what the seed does to sampled labels."""
    rows = exact_rows(GRID, "optimal")
    same = np.array_equal(fit(rows).weights, fit(exact_rows(GRID, "optimal")).weights)
    lists = {
        tuple(trained(GRID, labels="mc", seed=seed).priorities().ravel()) for seed in range(SEEDS)
    }
    return Finding(
        same,
        f"exact labels: the same weights again; sampled: {len(lists)} policies from {SEEDS} seeds",
        "The solution is a formula; sampled labels are random until their seed is given.",
    )
