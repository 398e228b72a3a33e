"""Our side of the document's matches: exact on 3x3, counted on larger boards."""

from __future__ import annotations

from functools import cache
from statistics import mean

import pandas as pd

from ttt_lib.evidence import store
from ttt_lib.evidence.claims import Chance, Count, Finding, Value
from ttt_lib.game.board import Grid
from ttt_lib.game.exact import exact_match
from ttt_lib.game.gametree import solve
from ttt_lib.game.policy import lookahead
from ttt_lib.spectral.policy import spectral
from ttt_lib.spectral.record import Record, record

GRID = Grid(3)
SEEDS = 20
TRANSFERS = ("carried", "trained there", "nothing (lowest index)")


@cache
def table(file: str) -> pd.DataFrame:
    """A stored table, read once."""
    return store.read_table(file)


@cache
def exact_record(symmetric: str = "no", careful: str = "yes", labels: str = "optimal") -> Record:
    """The exact record of the 3x3 agent with these options."""
    return record(spectral(GRID, symmetric, careful, labels))


# ---------------------------------------------------------------------------- games on 3x3


def chance(
    result: str, opponent: str = "random", symmetric: str = "no", careful: str = "yes"
) -> Chance:
    """Exact chance of a result as X on 3x3."""
    found = exact_record(symmetric, careful)
    as_o = getattr(found.matches["o", opponent], result)
    return Chance(
        getattr(found.matches["x", opponent], result),
        f"Exact chance as X, the side the document tried; as O it is {float(as_o):.4f}.",
    )


def repeated(result: str, games: int, symmetric: str = "no", careful: str = "yes") -> Value:
    """Results of ``games`` games, sides alternating, against the perfect lowest-index player."""
    found = exact_record(symmetric, careful).matches
    x, o = (getattr(found[side, "first"], result) for side in ("x", "o"))
    varied = found["o", "minimax"]
    reason = (
        "Both players are deterministic: two games, repeated. Against a perfect player that varies "
        f"among its best moves it loses {varied.loss} of the games as O"
    )
    as_x = found["x", "minimax"].loss
    return Value(games // 2 * (x + o), reason + (f" and {as_x} as X." if as_x else "."))


@cache
def sampled_labels(result: str) -> float:
    """Mean exact chance as X against random play over 20 trainings on sampled labels."""
    agents = (spectral(GRID, labels="mc", samples=200, seed=seed) for seed in range(SEEDS))
    return mean(
        float(getattr(record(a, ("random",)).matches["x", "random"], result)) for a in agents
    )


def chance_sampled_labels(result: str) -> Chance:
    """The same as a row of the ledger."""
    return Chance(sampled_labels(result), "Mean of exact chances as X over 20 trainings.")


def beats_random() -> Finding:
    """Whether the agent wins every game against random play."""
    found = exact_record().matches
    wins = [found[side, "random"].win for side in ("x", "o")]
    losses = [float(found[side, "random"].loss) for side in ("x", "o")]
    return Finding(
        all(win == 1 for win in wins),
        f"it wins {wins[0]} of the games as X and {wins[1]} as O",
        f"Far ahead on average, not always: it loses {losses[0]:.4f} and {losses[1]:.4f} of them.",
    )


def beats_greedy() -> Finding:
    """The bare model against a player that wins at once if it can, and the same with the rule."""
    greedy, tree = lookahead(GRID, 1), solve(GRID)
    shares = {}
    for careful in ("yes", "no"):
        agent = spectral(GRID, safety=careful)
        x, o = exact_match(agent, greedy, tree), exact_match(greedy, agent, tree).reversed()
        shares[careful] = (float(x.win), float(o.win), float(x.loss), float(o.loss))
    yes, no = shares["yes"], shares["no"]
    return Finding(
        yes[0] == yes[1] == 1,
        f"wins as X and O: {yes[0]:.3f} and {yes[1]:.3f} with the safety rule, {no[0]:.3f} and "
        f"{no[1]:.3f} without",
        f"Greedy wins at once if it can, else moves at random; as X it still beats the agent in "
        f"{yes[3]:.3f} of the games with the rule, {no[3]:.3f} without.",
    )


def symmetry_changes_little() -> Finding:
    """Exact strength with and without symmetry averaging."""
    gaps = {}
    for careful in ("yes", "no"):
        pair = [exact_record(sym, careful).matches["x", "random"] for sym in ("no", "yes")]
        gaps[careful] = [float(outcome.win) for outcome in pair]
    yes, no = gaps["yes"], gaps["no"]
    return Finding(
        abs(yes[0] - yes[1]) < 0.02,
        f"wins as X against random play: {yes[0]:.3f} and {yes[1]:.3f} with the safety rule",
        f"The rule hides the difference: without it the wins are {no[0]:.3f} and {no[1]:.3f}.",
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
    reason = "With the rule there are more wins: on both sides, with both kinds of features."
    return Finding(max(gains) > 0, found, reason)


def safety_draws() -> Finding:
    """Whether the safety rule makes for more draws and fewer losses, over both sides."""
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
    return Finding(
        all(holds),
        "; ".join(texts),
        "Means over both sides, rule off to rule on. As X against random play alone draws go from "
        f"{before:.3f} to {after:.3f}.",
    )


# ---------------------------------------------------------------------------- larger boards


def games(player: str, opponent: str, board: str = "4x4") -> pd.Series[int]:
    """One stored match, its counts by result."""
    rows = table("spectral_games.csv")
    wanted = (rows["player"] == player) & (rows["opponent"] == opponent) & (rows["board"] == board)
    return rows[wanted].iloc[0]


def counted(
    result: str, opponent: str = "random", symmetric: str = "no", careful: str = "yes"
) -> Count:
    """Our own games on 4x4, 100 for each of 20 trainings."""
    name = f"spectral:symmetric={symmetric},safety={careful}"
    found = games(name, opponent)
    reason = "2000 games of 20 trainings, as X."
    if opponent.startswith("uct"):
        wrong = games(name, f"{opponent}, wrong sign")
        reason = (
            f"Against a search that works, sides alternating. Against one that credits results to "
            f"the wrong player: {wrong['win']}-{wrong['draw']}-{wrong['loss']} of {wrong['games']}."
        )
    return Count(int(found[result]), int(found["games"]), reason)


def modes_alike(wins: list[int], of: list[int]) -> Finding:
    """Whether chance explains the published differences between the modes, by Fisher's test.

    Parameters
    ----------
    wins, of : list of int
        Wins with standard and with symmetric features against one opponent after another, and
        the games of each pair.
    """
    from scipy.stats import fisher_exact

    pairs = list(zip(wins[::2], wins[1::2], of, strict=True))
    p_values = [fisher_exact([[a, n - a], [b, n - b]]).pvalue for a, b, n in pairs]
    texts = [
        f"{a} and {b} wins of {n}: p = {p:.2f}"
        for (a, b, n), p in zip(pairs, p_values, strict=True)
    ]
    ours = [games(f"spectral:symmetric={s},safety=yes", "random") for s in ("no", "yes")]
    shares = " and ".join(f"{row['win'] / row['games']:.3f}" for row in ours)
    return Finding(
        min(p_values) > 0.05,
        "; ".join(texts),
        f"So few games can't tell them apart. Our {ours[0]['games']} a mode can: against random "
        f"play the win shares are {shares}.",
    )


def competitive_with_search() -> Finding:
    """Points per game against UCT with 150 iterations on 4x4, with and without the rule."""
    names = [f"spectral:symmetric=no,safety={careful}" for careful in ("yes", "no")]
    points = [
        (row["win"] + row["draw"] / 2) / row["games"]
        for row in (games(name, "uct@150") for name in (*names, "safety+random"))
    ]
    return Finding(
        points[0] > 0.45,
        f"points a game: {points[0]:.3f} with the safety rule, {points[1]:.3f} without",
        f"The rule holds the draws, not the model: with random moves it scores {points[2]:.3f}.",
    )


def transfers() -> Finding:
    """Whether weights carried from N to N + 1 beat a list without any learning."""
    rows = table("spectral_transfer.csv")
    bare = rows[rows["safety"] == "no"].set_index(["from", "player"])["win"]
    parts, better = [], []
    for size in ("3x3", "4x4"):
        carried, there, none = (bare[size, name] for name in TRANSFERS)
        better.append(carried > none)
        parts.append(
            f"from {size}: carried {carried} wins of 2000, trained there {there}, none {none}"
        )
    return Finding(
        all(better),
        "; ".join(parts),
        "The basis exists for every N; against random play, filling cells in index order wins more "
        "than either model, because it fills rows.",
    )
