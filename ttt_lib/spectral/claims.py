"""Our side of what document 2 says about accuracy, heatmaps and the method.

Its matches are judged in ``claims_games``, its guide to the weights in ``claims_guide``.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from ttt_lib.evidence import store
from ttt_lib.evidence.claims import Draws, Finding, Value
from ttt_lib.game.board import Grid
from ttt_lib.game.gametree import solve
from ttt_lib.spectral.fidelity import (
    best_move_accuracy,
    calibrate_by_depth,
    chance_accuracy,
    fidelity,
    heatmaps,
)
from ttt_lib.spectral.labels import exact_rows, first, good_moves, value_moves
from ttt_lib.spectral.policy import cross_validate, fit, trained
from ttt_lib.spectral.record import Record, record
from ttt_lib.spectral.theory import ceiling, labelled_agent

GRID = Grid(3)
SEEDS = 20


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


def cross_validated() -> Draws:
    """Held-out accuracy of the standard features, one value a way to fold."""
    return Draws(held_out(False), "logit", "It depends on how the states are folded: 20 ways.")


def rounding_lottery() -> Draws:
    """Accuracy of the symmetric features when rounding picks among equal cells."""
    exact = best_move_accuracy(heatmaps(trained(GRID, symmetric=True))).single
    return Draws(
        table("spectral_rounding.csv")["single"].tolist(),
        "logit",
        f"Symmetric cells score exactly alike, so last digits choose: {exact:.4f} if the lowest "
        "index is taken, and about this over 33 values of lambda if rounding decides.",
    )


def rounding_lottery_percent() -> Draws:
    """The same in per cent."""
    draws = rounding_lottery()
    return Draws([100 * value for value in draws.values], "linear", draws.reason)


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


def above_baseline() -> Finding:
    """Whether the model hits more than a random move does."""
    model = best_move_accuracy(heatmaps(trained(GRID, symmetric=True)))
    chance = chance_accuracy()
    found = (
        f"{model.single:.3f} against {chance.single:.3f}, "
        f"{model.tie_aware:.3f} against {chance.tie_aware:.3f}"
    )
    return Finding(model.single > chance.single and model.tie_aware > chance.tie_aware, found)


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
    """A line of calibration a ply on top of probabilities as labels: squared error, and ranks."""
    maps = heatmaps(trained(GRID, labels="probability"))
    calibrated = calibrate_by_depth(maps)
    before, after = fidelity(maps), fidelity(calibrated)
    hits = [best_move_accuracy(m).tie_aware for m in (maps, calibrated)]
    found = (
        f"MSE {before.mse:.4f} to {after.mse:.4f}, but Spearman {before.spearman:.3f} to "
        f"{after.spearman:.3f} and good moves {hits[0]:.3f} to {hits[1]:.3f}"
    )
    return Finding(after.mse < before.mse and after.spearman >= before.spearman, found)


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
        f"They maximise the chance to win against random play; who follows them perfectly as O "
        f"loses {share} to a perfect player.",
    )


@cache
def labels_followed() -> Record:
    """The exact record of a player that always plays the labelled move."""
    return record(labelled_agent())


def every_optimal_move_labelled() -> Finding:
    """Whether each maximising move carries the label 1."""
    tree = solve(GRID)
    good = good_moves(tree)[~tree.finished]
    several = int((good.sum(axis=1) > 1).sum())
    found = f"one move a state; {several} of 4520 states have several best moves"
    return Finding(several == 0, found, "Only the lowest index is labelled.")


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
    reason = "Same features and labels; 100 neurons, 100 epochs, 5 seeds; neither wears the rule."
    return Finding(bool(ridge["tie_aware"] > network["tie_aware"]), found, reason)


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


def trains_in_milliseconds() -> Finding:
    """The stored time of features and ridge."""
    times = table("spectral_timing.csv").set_index("job")["seconds"]
    seconds = times["3x3: features and ridge at one lambda"]
    return Finding(bool(seconds < 0.1), f"{1000 * seconds:.0f} ms for 16,167 rows on one thread")


def search_time_is_linear() -> Finding:
    """Stored times of a search with 1500 and with 150 iterations."""
    times = table("spectral_timing.csv").set_index("job")["seconds"]
    ratio = times["4x4: one search, 1500 iterations"] / times["4x4: one search, 150 iterations"]
    return Finding(bool(5 < ratio < 20), f"ten times the iterations take {ratio:.1f} times as long")


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
