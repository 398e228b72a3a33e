"""Ratings: the model, its intervals, and the matches behind them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ttt_lib.evidence import store
from ttt_lib.game.match import random_openings
from ttt_lib.game.policy import choose, random_agent
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.players import stored_tables
from ttt_lib.ultimate.search.puct_table import TableSearch
from ttt_lib.ultimate.studies import matches, rating, strength
from ttt_lib.ultimate.studies.rating import ANCHOR


def table(*rows: tuple[str, str, tuple[int, ...]]) -> pd.DataFrame:
    return pd.DataFrame(
        [(name, rival, *pairs) for name, rival, pairs in rows],
        columns=["player", "opponent", *matches.PAIRS],
    )


def test_odds_of_ten_to_one_are_400_points() -> None:
    """100 pairs, 200 games and an even one: 10 of 11 points."""
    points = 201 * 10 / 11 - rating.EVEN
    first, second = np.array([1]), np.array([0])
    found = rating.fit(first, second, np.array([points + rating.EVEN]), np.array([201.0]))
    assert found[0] == 0
    assert found[1] == pytest.approx(np.log(10))
    rated = rating.rate(table(("strong", ANCHOR, (0, 0, 37, 0, 163))), draws=20)
    assert rated.found["strong"] == pytest.approx(
        400 * np.log10((363 + 0.5) / (37 + 0.5)), abs=1e-6
    )


def test_ratings_do_not_depend_on_who_is_named_first() -> None:
    rows = [("a", ANCHOR, (5, 10, 40, 20, 25)), ("b", "a", (30, 20, 30, 10, 10))]
    turned = [(rival, name, pairs[::-1]) for name, rival, pairs in rows]
    one, other = (rating.rate(table(*found), draws=5) for found in (rows, turned))
    pd.testing.assert_series_equal(one.found, other.found.loc[one.found.index])
    assert one.games["a"] == 400


def test_likelihood_is_greatest_there() -> None:
    """Against scipy, for five players in a random order of matches."""
    from scipy.optimize import minimize

    draw = np.random.default_rng(0)
    first, second = np.array([1, 2, 3, 4, 4, 2]), np.array([0, 1, 1, 3, 0, 0])
    games = np.full(6, 100.0)
    points = draw.integers(20, 80, 6).astype(float)

    def loss(free: np.ndarray) -> float:
        r = np.concatenate([[0.0], free])
        gap = r[first] - r[second]
        return float(
            (points * np.logaddexp(0, -gap) + (games - points) * np.logaddexp(0, gap)).sum()
        )

    found = rating.fit(first, second, points, games)
    assert found[1:] == pytest.approx(minimize(loss, np.zeros(4), tol=1e-12).x, abs=1e-4)


def test_intervals_cover_as_often_as_they_say() -> None:
    """Two players of true distance 100: of 60 matches drawn, most intervals hold it."""
    draw, chance = np.random.default_rng(1), 1 / (1 + 10 ** (-100 / 400))
    hits = 0
    for seed in range(60):
        points = draw.binomial(2, chance, 200)
        pairs = tuple(int((2 * points == n).sum()) for n in range(5))
        row = rating.rate(table(("x", ANCHOR, pairs)), rng=seed, draws=200).table.loc["x"]
        hits += row["low"] <= 100 <= row["high"]
    assert 51 <= hits <= 60


def test_unconnected_players_are_refused() -> None:
    with pytest.raises(ValueError, match="connect all players"):
        rating.rate(table(("a", ANCHOR, (1, 1, 1, 1, 1)), ("b", "c", (1, 1, 1, 1, 1))), draws=1)


def test_a_winner_of_all_games_still_has_a_rating() -> None:
    rated = rating.rate(table(("a", ANCHOR, (0, 0, 0, 0, 100))), draws=5).table
    assert rated.loc["a", "rating"] == round(400 * np.log10(200.5 / 0.5))


def test_without_the_even_game_the_likelihood_alone_decides() -> None:
    strong = table(("strong", ANCHOR, (0, 0, 37, 0, 163)))
    with_it, alone = (
        rating.rate(strong, draws=0, even=n).found["strong"] for n in (rating.EVEN, 0)
    )
    assert alone == pytest.approx(400 * np.log10(363 / 37), abs=1e-6)
    assert with_it < alone
    with pytest.raises(ValueError, match="let nobody win all"):
        rating.rate(table(("a", ANCHOR, (0, 0, 0, 0, 100))), draws=0, even=0)


def test_every_stored_match_of_seeds_and_gpu_runs_is_rated() -> None:
    met = rating.matches()
    known = met.groupby(["player", "opponent"])[list(matches.PAIRS)].sum()
    two, three = rating.self_play_name(2, 200), rating.self_play_name(3, 200)
    seeds, gpu = (store.read_table(f"ultimate_{name}.csv") for name in ("seeds", "gpu_training"))
    row = seeds.query("seed == 2 and opponent == 'seed 3'").iloc[0]
    assert (known.loc[(two, three)] == row[list(matches.PAIRS)]).all()
    stored = met[(met["player"] == rating.SELF_PLAY) & (met["opponent"] == two)]
    assert len(stored) == 1
    row = gpu.query("seed == 3 and opponent == 'table net'").iloc[0]
    ends = gpu.query("seed == 3").groupby("network")["iteration"].max()
    pair = (rating.gpu_name(name, 3, ends[name]) for name in ("residual net", "table net"))
    assert (known.loc[tuple(pair)] == row[list(matches.PAIRS)]).all()
    parts = ("rating", "strength", "seeds", "curves", "networks", "gpu_training")
    assert len(met) == sum(len(store.read_table(f"ultimate_{name}.csv")) for name in parts)


def test_every_player_of_the_ladder_can_be_made() -> None:
    names = {name for pair in rating.ladder() for name in pair}
    made = {rating.player(name).name for name in names if name != strength.OPENSPIEL}
    assert len(made) > 10
    assert ANCHOR in names
    found = rating.play(rating.net_name(25), "random", 4)
    assert found["games"] == 4
    assert sum(found[name] for name in matches.PAIRS) == 2
    assert found["ms"] > found["opponent_ms"] > 0


@pytest.mark.parametrize(
    ("variant", "settings", "by_visits"),
    [
        ("", {}, False),
        ("c = 0.5", {"c": 0.5}, False),
        ("c = 1.2", {"c": 1.2}, False),
        ("FPU 0.2", {"fpu": 0.2}, False),
        ("FPU 0.6", {"fpu": 0.6}, False),
        ("most visited", {}, True),
        ("as in training", {"c": 1.5, "fpu": 0.2}, True),
    ],
)
def test_a_variant_plays_by_the_settings_that_it_is_named_for(
    variant: str, settings: dict[str, float], by_visits: bool
) -> None:
    """And otherwise than ours: each setting changes some of the moves."""
    game, tables = Ultimate(), stored_tables()
    states = random_openings(game, 60, 12, np.random.default_rng(0))

    def moves(name: str) -> list[int]:
        return choose(rating.player(name), states, np.random.default_rng(0)).tolist()

    roots = [TableSearch(game, state, tables, **settings).run(50) for state in states]
    wanted = [(root.scores if by_visits else root.secure).argmax() for root in roots]
    assert moves(rating.net_name(50, variant)) == wanted
    assert (moves(rating.net_name(50)) == wanted) is not bool(variant)


def test_the_gumbel_player_of_the_ladder_draws_no_noise() -> None:
    states = random_openings(Ultimate(), 12, 12, np.random.default_rng(0))
    player = rating.player(rating.GUMBEL)
    one, other = (choose(player, states, np.random.default_rng(seed)) for seed in (1, 2))
    assert one.tolist() == other.tolist()
    assert player.deterministic


def test_stored_ladder_is_the_planned_one_with_all_games() -> None:
    found = pd.DataFrame(rating.store.read_table(rating.FILE))
    planned = {pair for pair in rating.ladder() if strength.OPENSPIEL not in pair}
    played = {*zip(found["player"], found["opponent"], strict=True)}
    assert planned <= played <= {*planned, (strength.OPENSPIEL, ANCHOR)}
    assert (found["games"] == rating.GAMES).all()
    assert (found[["win", "draw", "loss"]].sum(axis=1) == found["games"]).all()
    points = found[list(matches.PAIRS)].to_numpy() @ np.arange(5) / 2
    unequal = found["win"] + found["draw"] / 2 != points
    assert not unequal[~found["player"].str.startswith(("net", "hybrid"))].any()


def test_more_iterations_of_uct_are_rated_higher() -> None:
    rated = rating.read().table["rating"]
    uct = [rated["random"], *(rated[strength.uct_name(n)] for n in rating.ITERATIONS)]
    assert uct == sorted(uct)
    assert rated[ANCHOR] == 0
    gain, interval = rating.read().gain(rating.net_name(200), rating.net_name(25))
    assert interval.low < gain < interval.high
    assert interval.low > 0


def test_a_clock_counts_moves() -> None:
    clock = matches.Clock(random_agent(Ultimate()))
    clock.agent.moves(np.repeat(Ultimate().initial(), 3, axis=0), np.random.default_rng(0))
    assert clock.moves == 3
    assert clock.milliseconds == pytest.approx(clock.nanoseconds / 3e6)


def test_a_killed_ladder_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rating, "ladder", lambda: [("UCT 10", "random")])
    kept = tmp_path / "ladder.jsonl"
    kept.write_text('["[\\"play\\", \\"UCT 10\\", \\"random\\"]", {"player": "kept"}]\n')
    assert rating.make_rating(kept)["player"].tolist() == ["kept"]
