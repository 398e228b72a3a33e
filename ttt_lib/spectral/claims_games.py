"""Our side of the document's matches: exact on 3x3, counted on larger boards."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
import pandas as pd
from scipy import stats

from ttt_lib.evidence import sampling
from ttt_lib.evidence.claims import SIGNIFICANCE, Chances, Counts, Finding, Value
from ttt_lib.game.board import Grid
from ttt_lib.game.exact import Outcome, exact_match, policy_table
from ttt_lib.game.gametree import solve
from ttt_lib.game.match import match
from ttt_lib.game.policy import lookahead, minimax, random_agent, safety, uct
from ttt_lib.spectral.claims import ARCHIVED, in_both_places, table
from ttt_lib.spectral.exhibits import kept_search
from ttt_lib.spectral.features import dct_features
from ttt_lib.spectral.labels import exact_rows
from ttt_lib.spectral.policy import Model, player, spectral
from ttt_lib.spectral.record import Record, record

GRID = Grid(3)
SEEDS = 20
PRINTED_GAMES = 30
"""Games of each printed 3x3 match (`dct-3-random` and its like)."""


@cache
def exact_record(symmetric: str = "no", careful: str = "yes", labels: str = "optimal") -> Record:
    """The exact record of the 3x3 agent with these options."""
    return record(spectral(GRID, symmetric, careful, labels))


# ---------------------------------------------------------------------------- games on 3x3


def chances(opponent: str = "random", symmetric: str = "no", careful: str = "yes") -> Chances:
    """Exact chances as X on 3x3."""
    found = exact_record(symmetric, careful).matches
    as_x, as_o = found["x", opponent], found["o", opponent]
    return Chances(
        (as_x.win, as_x.draw, as_x.loss),
        "Exact chances as X, the only side that `spectral_policy_3x3.py` plays against random "
        f"play ({ARCHIVED}); as O it would win "
        f"{float(as_o.win):.3f} and lose {float(as_o.loss):.3f}.",
    )


def repeated(games: int, symmetric: str = "no", careful: str = "yes") -> Value:
    """Results of ``games`` games, sides alternating, against the perfect lowest-index player."""
    found = exact_record(symmetric, careful).matches
    x, o = found["x", "first"], found["o", "first"]
    counts = [games // 2 * (getattr(x, r) + getattr(o, r)) for r in ("win", "draw", "loss")]
    as_x, as_o = found["x", "minimax"].loss, found["o", "minimax"].loss
    return Value(
        "-".join(map(str, counts)),
        "Both players are deterministic: two games, repeated. Against a perfect player that varies "
        f"among its best moves it loses {as_o} of the games as O"
        + (f" and {as_x} as X." if as_x else "."),
    )


@cache
def by_seed() -> tuple[tuple[float, ...], ...]:
    """Exact chances against random play, sides alternating, of 20 trainings on sampled labels."""
    agents = (spectral(GRID, labels="mc", samples=200, seed=seed) for seed in range(SEEDS))
    found = [record(agent, ("random",)).matches for agent in agents]
    pairs = [(one["x", "random"], one["o", "random"]) for one in found]
    return tuple(tuple(float(a + b) / 2 for a, b in zip(x, o, strict=True)) for x, o in pairs)


def chances_sampled_labels() -> Chances:
    """The same, as a ledger entry."""
    return Chances(
        by_seed(),
        f"Exact chances of {SEEDS} trainings, one of them at random; sides alternate, as in "
        f"`spectral_policy_nxn.py` ({ARCHIVED}).",
    )


def beats_random() -> Finding:
    """Whether the agent wins more games against random play than it loses, on both sides."""

    def outcomes(careful: str) -> list[Outcome]:
        record = exact_record(careful=careful)
        return [record.matches[side, "random"] for side in ("x", "o")]

    note = "Read as winning more games than it loses, on both sides; not every game is won."
    return _beats(outcomes, note)


def beats_greedy() -> Finding:
    """The same against a player that wins at once if it can."""
    greedy, tree = lookahead(GRID, 1), solve(GRID)

    def outcomes(careful: str) -> list[Outcome]:
        agent = spectral(GRID, safety=careful)
        return [exact_match(agent, greedy, tree), exact_match(greedy, agent, tree).reversed()]

    return _beats(
        outcomes,
        "Read as winning more games than it loses, on both sides; greedy wins at once if it can, "
        "else moves at random. It is the hand-made rule that beats it as O, not what was learned.",
    )


def _beats(outcomes: Callable[[str], list[Outcome]], note: str) -> Finding:
    """Whether outcomes as X and as O, with and without the safety rule, are all in its favour."""
    texts, ahead = [], []
    for careful, name in (("yes", "with"), ("no", "without")):
        found = outcomes(careful)
        ahead += [one.win > one.loss for one in found]
        wins = " and ".join(f"{float(one.win):.3f} ({float(one.loss):.3f})" for one in found)
        texts.append(f"{wins} {name} the safety rule")
    return Finding(all(ahead), f"wins (and losses) as X and O: {'; '.join(texts)}", note)


def trained_without_rules() -> Finding:
    """Whether all that is learned comes from the labelled rows, whatever rule is applied on top."""
    rows, tree = exact_rows(GRID, "optimal"), solve(GRID)
    waves = dct_features(rows.after, GRID)
    direct = np.linalg.solve(
        waves.T @ waves + 0.001 * np.eye(waves.shape[1]), waves.T @ rows.target
    )
    learned, ruled = player(Model(GRID, np.asarray(direct, dtype=np.float64))), spectral(GRID)
    same = [
        np.array_equal(policy_table(agent, tree), policy_table(whole, tree))
        for agent, whole in ((learned, spectral(GRID, safety="no")), (safety(learned), ruled))
    ]
    bare, full = (
        exact_record(careful=careful).matches["o", "minimax"].loss for careful in ("no", "yes")
    )
    random = exact_match(minimax(GRID), safety(random_agent(GRID)), tree).win
    return Finding(
        all(same),
        f"the formula of ridge regression on {len(rows.after)} labelled moves gives every move "
        "of the policy; the safety rule is laid over it and changes no weight",
        "So it is trained. How much of its play is the optional rule is another matter, which the "
        f"document leaves open: as O it loses to the perfect player {float(full):.3f} of the games "
        f"with the rule and {float(bare):.3f} without; random moves with the rule "
        f"{float(random):.3f}.",
    )


def symmetry_changes_little() -> Finding:
    """Exact strength with and without symmetry averaging."""
    gaps = {}
    for careful in ("yes", "no"):
        pair = [exact_record(sym, careful).matches["x", "random"] for sym in ("no", "yes")]
        gaps[careful] = [float(outcome.win) for outcome in pair]
    yes, no = gaps["yes"], gaps["no"]
    error = math.sqrt(sum(win * (1 - win) for win in yes) / PRINTED_GAMES)
    return Finding(
        abs(yes[0] - yes[1]) < error,
        f"wins as X against random play: {yes[0]:.3f} and {yes[1]:.3f} with the safety rule; "
        f"the standard error of the difference in {PRINTED_GAMES} games each is {error:.3f}",
        "Little is read as less than the printed matches can tell. The rule hides the difference: "
        f"without it the wins are {no[0]:.3f} and {no[1]:.3f}.",
    )


def safety_costs_wins() -> Finding:
    """Whether switching the safety rule off increases wins anywhere."""
    gains = [
        float(exact_record(sym, "no").matches[side, "random"].win)
        - float(exact_record(sym, "yes").matches[side, "random"].win)
        for sym in ("no", "yes")
        for side in ("x", "o")
    ]
    found = (
        f"against random play wins change by {max(gains):+.3f} at best, {min(gains):+.3f} at worst"
    )
    reason = "On 3x3 there are more wins with the rule: on both sides, with both kinds of features."
    return Finding(max(gains) > 0, found, reason)


def safety_draws() -> Finding:
    """Whether the safety rule leads to more draws and fewer losses, over both sides."""
    off, on = (exact_record("no", careful).matches for careful in ("no", "yes"))
    holds, texts = [], []
    for other, name in (("random", "random play"), ("minimax", "the perfect player")):
        draws, losses = (
            [sum(getattr(found[side, other], result) for side in "xo") / 2 for found in (off, on)]
            for result in ("draw", "loss")
        )
        holds.append(draws[1] > draws[0] and losses[1] < losses[0])
        texts.append(
            f"against {name} draws {float(draws[0]):.3f} to {float(draws[1]):.3f}, "
            f"losses {float(losses[0]):.3f} to {float(losses[1]):.3f}"
        )
    before, after = (float(found["x", "random"].draw) for found in (off, on))
    lost = on["o", "minimax"].loss
    return Finding(
        all(holds),
        "; ".join(texts),
        "Means over both sides, rule off to rule on. As X against random play alone draws go from "
        f"{before:.3f} to {after:.3f}; and not all blunders are avoided: as O it still loses "
        f"{lost} of its games to the perfect player.",
    )


# ---------------------------------------------------------------------------- larger boards


def matches(player: str, opponent: str) -> pd.DataFrame:
    """The stored matches on 4x4 of a player against an opponent, one row per training."""
    rows = table("spectral_games.csv")
    mine = (rows["player"] == player) & (rows["opponent"] == opponent) & (rows["board"] == "4x4")
    return rows[mine]


def triples(rows: pd.DataFrame) -> list[list[int]]:
    """Wins, draws and losses of each row."""
    found: list[list[int]] = rows[["win", "draw", "loss"]].to_numpy().tolist()
    return found


def against_search(
    opponent: str, printed: str, symmetric: str = "no", careful: str = "yes", again: str = ""
) -> Counts:
    """Our own matches against tree search on 4x4, training by training."""
    found = matches(f"spectral:symmetric={symmetric},safety={careful}", opponent)
    kept = kept_matches(int(opponent.partition("@")[2]), symmetric, careful)
    text = "-".join(map(str, np.sum(kept, axis=0)))
    total = sum(map(int, printed.split("-")))
    p_value = sampling.test(Counts(kept), printed, total).p_value
    reason = (
        f"Against a search that works; sides alternate, 100 games for each of {len(found)} "
        f"trainings. The search in `spectral_policy_4x4.py` ({ARCHIVED}) credits results to the "
        "wrong player and keeps its statistics from game to game; against that search, rebuilt, "
        f"ours win, draw and lose {text}, where the printed match has p = {p_value:.2g}."
    )
    return Counts(triples(found), f"{reason} {in_both_places(printed, again)}" if again else reason)


def kept_matches(iterations: int, symmetric: str, careful: str) -> list[list[int]]:
    """Wins, draws and losses against the document's own search, training by training."""
    rows = table("spectral_kept.csv")
    case = (rows["symmetric"] == symmetric) & (rows["safety"] == careful)
    mine = rows[case & (rows["iterations"] == iterations)]
    return triples(mine.groupby("seed")[["win", "draw", "loss"]].sum())


def against_random(player: str) -> Counts:
    """Our own matches against random play on 4x4, training by training."""
    mine = matches(player, "random")
    wins = mine["win"]
    return Counts(
        triples(mine),
        f"100 games on alternating sides, as `spectral_policy_4x4.py` plays "
        f"({ARCHIVED}), for each of {len(mine)} trainings, which win {wins.min()} to "
        f"{wins.max()}; the published games are those of one training.",
    )


def modes_alike(wins: list[int], of: list[int]) -> Finding:
    """Whether chance explains the published differences between the modes, by Fisher's test.

    Parameters
    ----------
    wins, of : list of int
        Wins with standard and with symmetric features, opponent by opponent, and the number of
        games of each pair.
    """
    pairs = list(zip(wins[::2], wins[1::2], of, strict=True))
    p_values = [stats.fisher_exact([[a, n - a], [b, n - b]]).pvalue for a, b, n in pairs]
    texts = [
        f"{a} and {b} wins of {n}: p = {p:.2f}"
        for (a, b, n), p in zip(pairs, p_values, strict=True)
    ]
    ours = [matches(f"spectral:symmetric={s},safety=yes", "random")["win"] for s in ("no", "yes")]
    trainings = stats.mannwhitneyu(*ours).pvalue
    return Finding(
        bool(min(p_values) > 0.05),
        "; ".join(texts),
        "Games of one training are alike, so that chance explains even more than these p-values "
        f"say. Our {len(ours[0])} training runs per mode win {ours[0].mean():.1f} and "
        f"{ours[1].mean():.1f} of 100 games against random play: training by training "
        f"p = {trainings:.2g} (rank test).",
    )


def more_iterations_are_stronger(few: int = 15, many: int = 150, games: int = 100) -> Finding:
    """Scores of the program's search against random play on 4x4, with few and many iterations."""
    grid, opponent = Grid(4), random_agent(Grid(4))
    found = [match(kept_search(grid, count), opponent, games, rng=0) for count in (few, many)]
    sound = [match(uct(grid, count), opponent, games, rng=0).score for count in (few, many)]
    (low, high), (least, most) = (result.score_interval for result in found)
    text = (
        f"in {games} games against random play on 4x4 its search scores {found[0].score:.3f} "
        f"[{low:.3f}, {high:.3f}] with {few} iterations, {found[1].score:.3f} [{least:.3f}, "
        f"{most:.3f}] with {many}; a sound one {sound[0]:.3f} and {sound[1]:.3f}"
    )
    return Finding(True if least > high else False if most < low else None, text)


def competitive_with_search() -> Finding:
    """Points per game against UCT with 150 iterations on 4x4, with and without the rule.

    An even score is 1/2; random play's points against the same search mark the lower end.
    """
    names = [f"spectral:symmetric=no,safety={careful}" for careful in ("yes", "no")]
    points = [
        (rows["win"].sum() + rows["draw"].sum() / 2) / rows["games"].sum()
        for rows in (matches(name, "uct@150") for name in (*names, "safety+random"))
    ]
    row = matches("uct", "random").iloc[0]
    lowest = (row["loss"] + row["draw"] / 2) / row["games"]
    return Finding(
        bool(0.5 - points[0] < points[0] - lowest),
        f"points per game (even: 0.5): {points[0]:.3f} with the safety rule, "
        f"{points[1]:.3f} without",
        f"Read as nearer to an even score than to the {lowest:.3f} of random play. The rule holds "
        f"the draws, not the model: random moves under it score {points[2]:.3f}.",
    )


def transfers() -> Finding:
    """Whether weights transferred from N to N + 1 win more than random ones of the same kind."""
    rows, texts, better = table("spectral_transfer.csv"), [], []
    rows = rows[rows["safety"] == "no"]
    for board in ("4x4", "5x5"):
        wins = rows[rows["board"] == board].groupby("player")["win"]
        own, drawn = (wins.get_group(name).to_numpy() for name in ("carried", "random weights"))
        p_value = stats.mannwhitneyu(own, drawn, alternative="greater").pvalue
        better.append(bool(p_value < SIGNIFICANCE / 2))
        texts.append(
            f"{board}: carried {own.mean():.0f} wins of 100, random weights {drawn.mean():.0f} "
            f"({drawn.min()} to {drawn.max()}), p = {p_value:.1g}"
        )
    none = rows[rows["player"] == "first free"].groupby("board")["win"].mean()
    index = " and ".join(f"{wins:.0f}" for wins in none)
    return Finding(
        all(better),
        "; ".join(texts),
        "Symmetric weights, equal cells by index, no safety rule, sides alternating; tested "
        "training by training. The basis itself exists for every N. The first free cell, which "
        f"fills rows, wins {index} without any weights.",
    )
