"""What answers a claim, on other data than the stored: verdicts could have come out otherwise."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from ttt_lib.game.board import Grid
from ttt_lib.ising import claims as ising_claims
from ttt_lib.ising import claims_bias
from ttt_lib.ntuple import claims as ntuple_claims
from ttt_lib.playout_mlp import claims as playout_claims
from ttt_lib.playout_mlp import data
from ttt_lib.spectral import claims as spectral_claims
from ttt_lib.spectral import fidelity

Patch = pytest.MonkeyPatch

# ---------------------------------------------------------------------------- document 1


@pytest.mark.parametrize("share", [0.2, 0.7])
def test_a_share_for_testing_is_read_whichever_is_larger(monkeypatch: Patch, share: float) -> None:
    monkeypatch.setattr(data, "TEST_SHARE", share)
    assert playout_claims.test_size_read().read


def test_a_share_that_changes_nothing_is_not_read(monkeypatch: Patch) -> None:
    monkeypatch.setattr(data, "TEST_SHARE", 0.5)
    assert not playout_claims.test_size_read().read


def test_a_setting_that_changes_nothing_is_not_read() -> None:
    today = playout_claims.model.MAX_ITERATIONS
    assert not playout_claims.setting_read("MAX_ITERATIONS", today).read


def test_playouts_that_do_as_well_are_not_better(monkeypatch: Patch) -> None:
    games = playout_claims.table("playout_mlp_games.csv")
    plain = games[games["player"] == "pmc random"]
    alike = pd.concat([plain, plain.assign(player="pmc mlp")])
    monkeypatch.setattr(playout_claims, "table", lambda name: alike)
    assert not playout_claims.better_playouts("pmc").holds


# ---------------------------------------------------------------------------- document 2


def test_points_of_a_contest_row_count_draws_half() -> None:
    """Of 10 games per match 6 are won and 1 is lost; against perfect play X wins all."""
    matches = ("x_random", "o_random", "x_minimax", "o_minimax")
    row = {f"{rule}{m}_{end}": share for rule in spectral_claims.RULES for m in matches
           for end, share in (("win", 0.6), ("loss", 0.1))}  # fmt: skip
    row |= {"x_minimax_win": 1.0, "x_minimax_loss": 0.0}
    row |= {"tie_aware": 0.9, "misplayed": 7, "safe_misplayed": 3}
    found = spectral_claims.measured(pd.Series(row))
    assert found["x_random"] == found["safe_o_minimax"] == pytest.approx(0.75)
    assert found["x_minimax"] == 1
    assert (found["good moves"], found["kept"], found["safe_kept"]) == (0.9, -7, -3)


@pytest.mark.parametrize(
    ("shift", "won", "holds"), [(0.1, 23, True), (0.1, 22, False), (0.0, 23, False)]
)
def test_features_would_be_shown_by_other_predictions_and_most_comparisons(
    monkeypatch: Patch, shift: float, won: int, holds: bool
) -> None:
    fit = spectral_claims.fit
    monkeypatch.setattr(spectral_claims, "fit", lambda rows: lambda x: fit(rows)(x) + shift)
    monkeypatch.setattr(spectral_claims, "tally", lambda: (won, 0, 44, ""))
    assert spectral_claims.features_over_complexity().holds is holds


@pytest.mark.parametrize(("moves", "holds"), [(29, True), (30, False), (31, False)])
def test_work_is_linear_below_twice_as_many_moves(
    monkeypatch: Patch, moves: int, holds: bool
) -> None:
    def made(grid: Grid, size: int, rng: int) -> int:
        return 15 * size if size < 15_000 else moves * size

    monkeypatch.setattr(spectral_claims, "moves_made", made)
    assert spectral_claims.search_work_is_linear().holds is holds


def test_a_calibration_that_makes_it_worse_is_none(monkeypatch: Patch) -> None:
    def worse(maps: fidelity.Heatmaps) -> fidelity.Heatmaps:
        return fidelity.Heatmaps(maps.scores + 5, maps.truth, maps.ply)

    monkeypatch.setattr(spectral_claims, "calibrate_held_out", worse)
    assert spectral_claims.depth_calibration().holds is False


@pytest.mark.parametrize(
    ("won", "level", "most", "holds"),
    [(23, 0, True, True), (22, 22, True, False), (0, 0, False, False), (0, 1, False, True)],
)
def test_often_is_more_than_half_and_can_is_one(
    monkeypatch: Patch, won: int, level: int, most: bool, holds: bool
) -> None:
    monkeypatch.setattr(spectral_claims, "tally", lambda: (won, level, 44, ""))
    assert spectral_claims.networks_beaten(most).holds is holds


# ---------------------------------------------------------------------------- document 3


def test_another_network_with_more_rank_would_be_better(monkeypatch: Patch) -> None:
    ranks = iter([5, 6])
    monkeypatch.setattr(ntuple_claims, "rank", lambda matrix: next(ranks))
    assert not ntuple_claims.two_networks().holds


@pytest.mark.parametrize(("least", "holds"), [(-1, True), (0, False)])
def test_outputs_must_tell_losses_too(monkeypatch: Patch, least: int, holds: bool) -> None:
    tree = ntuple_claims.analysis.tree3()
    network = SimpleNamespace(predict=lambda boards: np.maximum(tree.value, least))
    monkeypatch.setattr(ntuple_claims, "trained", lambda grid, seed: network)
    assert ntuple_claims.output_means().holds is holds


def test_a_player_with_a_favourite_opening_does_not_pick_any(monkeypatch: Patch) -> None:
    opponent = ntuple_claims.analysis.opponent("perfect").copy()
    opponent[0] = np.arange(9)
    monkeypatch.setattr(ntuple_claims.analysis, "opponent", lambda name: opponent)
    assert not ntuple_claims.openings_drawn().holds


# ---------------------------------------------------------------------------- document 4


def test_ends_of_both_axes() -> None:
    assert ising_claims.limit_numbers(0).value == "0 2 3 5 6 8"
    assert ising_claims.limit_numbers(1).value == "0 1 2 6 7 8"


@pytest.mark.parametrize(("more", "holds"), [(19, True), (18, False), (12, False)])
def test_clearly_more_is_more_than_twice(monkeypatch: Patch, more: int, holds: bool) -> None:
    """Losses of 9/10 at the chosen b."""

    def at(pieces: object, b: float) -> object:
        loss = Fraction(9, 10) if b == claims_bias.CHOSEN else Fraction(more, 10)
        return SimpleNamespace(outcome=SimpleNamespace(loss=loss))

    monkeypatch.setattr(claims_bias.curve, "at", at)
    assert claims_bias.equal_is_losing().holds is holds


def test_printing_a_step_late_moves_the_parabola_by_a_step() -> None:
    late, right = (claims_bias.parabola(shifted=shifted, step=0.01) for shifted in (True, False))
    assert late - right == pytest.approx(0.01)
