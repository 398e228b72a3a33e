"""Our side of every published number and sentence of document 1 (``data/claims/1_*.toml``)."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import chisquare, hypergeom, norm, ttest_1samp

from ttt_lib.evidence import significance, store
from ttt_lib.evidence.answers import Distribution, Finding, Repeats, Runs, Setting, Value, agreed
from ttt_lib.evidence.claims import SIGNIFICANCE, declared, load
from ttt_lib.evidence.rounding import agrees, round_up
from ttt_lib.game.board import Boards, Mask
from ttt_lib.game.exact import exact_match
from ttt_lib.game.kept import read_only
from ttt_lib.game.policy import move_scores, random_agent
from ttt_lib.playout_mlp import ceilings, choices, data, model, players, study
from ttt_lib.playout_mlp.choices import ASKED, ENDS, FIXTURES, NETWORK, UNFINISHED, UNIFORM
from ttt_lib.playout_mlp.data import GRID, PLAYOUTS, TEST_SHARE, Examples, examples, split_rows

WORDS = {1: "x wins", 0: "a draw", -1: "o wins"}
WINNERS = {1: "x", -1: "o"}


@cache
def table(file: str = "playout_mlp_seeds.csv") -> pd.DataFrame:
    """A stored table, read once."""
    return store.read_table(file)


def quoted(claim: str) -> str:
    """The words that a claim of this document quotes."""
    return declared(f"mlp-{claim}").quote


def whole_numbers(text: str) -> NDArray[Any]:
    """The whole numbers of a printed list, in order."""
    return np.array([int(number) for number in re.findall(r"-?\d+", text)])


def test_rows() -> Distribution:
    """The exact distribution of the number of test rows: a fifth of the rows, rounded up."""
    counts, chances = ceilings.distribution_of_rows(PLAYOUTS)
    share = Fraction(str(TEST_SHARE))
    tests = -(-counts * share.numerator // share.denominator)
    values, places = np.unique(tests, return_inverse=True)
    mean = ceilings.population().rows_per_playout
    return Distribution(
        values.tolist(),
        np.bincount(places, weights=chances).tolist(),
        f"A game has 3, 4 or 5 moves of x, {mean} on average, so the distribution is exact. 829 "
        "are a fifth of 4141 to 4145 rows; by In [10] there are 4144 (mlp-shown-rows).",
    )


def sample_playout(printed: str) -> Finding:
    """Whether the printed playout could have been played, and ended as labelled."""
    numbers = whole_numbers(printed)
    boards, labels = numbers[:36].reshape(4, 9).astype(np.int8), numbers[36:]
    ended = GRID.finished(boards).tolist() == [False, False, False, True]
    winner = int(GRID.winner(boards)[-1])
    holds = bool(played(boards) and ended and (labels == winner).all())
    text = f"legal, and {WORDS[winner]} with x's fourth move"
    return Finding(holds, text if holds else "no playout that ends as labelled")


def played(boards: NDArray[np.int8]) -> bool:
    """Whether boards come after the first moves of x: each adds a stone of o and one of x."""
    added = np.diff(boards, axis=0, prepend=boards[:1] * 0)
    stones = [np.sort(step[step != 0]).tolist() for step in added]
    kept = (added[1:] * boards[:-1] == 0).all()
    return bool(kept and stones == [[1], *[[-1, 1]] * (len(boards) - 1)])


def shown(printed: str) -> dict[int, NDArray[np.int8]]:
    """The printed rows of the data set, by their number."""
    table = whole_numbers(printed).reshape(-1, 10)
    return dict(zip(table[:, 0].tolist(), table[:, 1:].astype(np.int8), strict=True))


def shown_rows(printed: str) -> Finding:
    """Whether the printed rows are boards after x's moves in random games, in their order."""
    rows = shown(printed)
    boards = np.stack(list(rows.values()))
    ceilings.tree().index(boards)
    after_x = bool((boards.sum(axis=1) == 1).all())
    in_order = all(follows(rows[number], rows[number + 1]) for number in rows if number + 1 in rows)
    return Finding(
        after_x and in_order,
        f"{len(boards)} boards that play reaches, each after a move of x, in the order of games",
        "One x more than o on each, and each row is the next of its game or begins another where "
        "one may have ended. Five rows from the beginning are shown but only "
        f"{len(boards) - 5} from the end, up to number {max(rows)}: its game has two rows and a "
        f"game at least {min(MOVES_OF_X[1])}, so {max(rows) + 1} was lost in copying. With "
        f"five at either end that makes {max(rows) + 2} rows, as in the author's own copy (commit "
        "f649f5c).",
    )


def follows(before: NDArray[np.int8], after: NDArray[np.int8]) -> bool:
    """Whether the second of two boards, both after moves of x, can be the row after the first."""
    if np.abs(after).sum() == 1:  # another game
        return bool(GRID.finished(before[None])[0]) or o_may_win(before)
    added = after - before
    one_each = np.sort(added[added != 0]).tolist() == [-1, 1] and not (added * before).any()
    return bool(one_each and not GRID.finished(before[None])[0])


def o_may_win(board: NDArray[np.int8]) -> bool:
    """Whether o can complete a line with one stone."""
    cells = np.flatnonzero(board == 0)
    boards = np.repeat(board[None], len(cells), axis=0)
    boards[np.arange(len(cells)), cells] = -1
    return bool(line_of(boards, -1).any())


def shown_labels(printed: str) -> Finding:
    """Whether the first ten labels fit the games of the first rows."""
    labels, rows = whole_numbers(printed), shown(quoted("shown-rows"))
    game = np.stack([rows[number] for number in range(4)])
    one = played(game) and GRID.winner(game)[-1] == 1 and played(rows[4][None])
    later = games_of(labels[4:].tolist())
    rest = " and ".join(
        f"{WORDS[label]} ({count} row{'s' * (count != 1)})" for label, count in later or []
    )
    return Finding(
        bool(one and labels[:4].tolist() == [1] * 4 and later is not None),
        f"a win of 4 rows, then {rest}, the last cut off"
        if later
        else "no games that end as labelled",
    )


MOVES_OF_X = {1: (3, 4, 5), 0: (5,), -1: (3, 4)}
"""How many moves x may make in a game that it wins, draws or loses."""


def games_of(labels: list[int]) -> list[tuple[int, int]] | None:
    """Games whose rows may have these labels, as label and rows, the last perhaps cut off.

    None if there are none.
    """
    if not labels:
        return []
    run = next((k for k, label in enumerate(labels) if label != labels[0]), len(labels))
    if run == len(labels) <= max(MOVES_OF_X[labels[0]]):
        return [(labels[0], run)]
    for count in MOVES_OF_X[labels[0]]:
        rest = games_of(labels[count:]) if count <= run else None
        if rest is not None:
            return [(labels[0], count), *rest]
    return None


def shown_empties(printed: str) -> Finding:
    """Whether the printed numbers of empty cells are those of boards after x's moves."""
    possible = set(ceilings.by_empties(ceilings.population(), lambda part: len(part.states)))
    found = ", ".join(map(str, sorted(possible, reverse=True)))
    empties = set(whole_numbers(printed.replace("..", " "))[1::2].tolist())
    return Finding(empties <= possible, f"after a move of x: {found} empty cells")


def labels() -> Finding:
    """Whether the printed labels say who won the games whose rows are printed."""
    one, first = sample_playout(quoted("sample-playout")), shown_labels(quoted("shown-labels"))
    ours = examples(rng=0)
    wins = len(np.unique(ours.games[ours.outcomes == 1]))
    return Finding(
        bool(one.holds and first.holds),
        f"the printed playout: {one.found}; the first ten labels: {first.found}",
        "Judged by the rows and labels of In [9] and In [10]. Labels tell more than win or not: a "
        f"draw is 0 and, in In [14], a loss -1. Of our own {PLAYOUTS} playouts x wins {wins}.",
    )


def recorded_boards() -> Finding:
    """Whether the recorded boards are those after the moves of x, or of o."""
    printed = whole_numbers(quoted("sample-playout"))[:36].reshape(4, 9)
    stones = {side: np.unique(examples(rng=0, record=side).boards.sum(axis=1)) for side in "xo"}
    people = ceilings.population("o")
    won = people.where(ceilings.tree().winner[people.states] == -1)
    label = int(ceilings.OUTCOMES[won.joint.sum(axis=0).argmax()])
    return Finding(
        bool((printed.sum(axis=1) == 1).all())
        and {side: found.tolist() for side, found in stones.items()} == {"x": [1], "o": [0]},
        "one x more than o on each board recorded for x, as many on those for o",
        "For x, so it is on the printed boards, too; for o none are printed, and it is our program "
        "that was run, which keeps a board after the recorded player's moves only, as the listing "
        f"does. The label is x's result for either player: boards that o has just won get "
        f"{label:+d}.",
    )


def four_results() -> Finding:
    """Whether x, o, d and n all occur, and exactly one of them on every reachable board.

    Read off rows, columns and diagonals, as the document's function does, and checked against the
    results in our game tree.
    """
    game = ceilings.tree()
    x, o = (line_of(game.boards, side) for side in WINNERS)
    full = (game.boards != 0).all(axis=1)
    found = {"x": x, "o": o, "d": full & ~x & ~o, "n": ~full & ~x & ~o}
    counts = ", ".join(f"{name} {rows.sum()}" for name, rows in found.items())
    by_tree = [game.winner == 1, game.winner == -1, game.finished & (game.winner == 0),
               ~game.finished]  # fmt: skip
    return Finding(
        all(rows.any() for rows in found.values())
        and all(map(np.array_equal, found.values(), by_tree)),
        f"of the {len(game.boards)} boards that play reaches: {counts}",
        "Every reachable board was looked at by its rows, columns and diagonals, and each has just "
        "one of the four.",
    )


def line_of(boards: Boards, side: int) -> Mask:
    """Whether a side fills a row, a column or a diagonal, shape (B,)."""
    grids = boards.reshape(-1, 3, 3) == side
    rows, columns = grids.all(axis=2), grids.all(axis=1)
    diagonals = [way.diagonal(axis1=1, axis2=2).all(axis=1) for way in (grids, grids[:, ::-1])]
    return np.asarray(np.column_stack([rows, columns, *diagonals]).any(axis=1))


def check_win(cells: list[int]) -> Value:
    """What the document's rule check returns for a board with x on these cells and nothing else."""
    board = GRID.initial()
    board[0, cells] = 1
    return Value(WINNERS.get(int(GRID.winner(board)[0]), "n"))


def actions(cells: list[int]) -> Value:
    """The free cells of a board with x on these cells, whether or not the game is over."""
    board = GRID.initial()
    board[0, cells] = 1
    return Value(str(np.flatnonzero(board[0] == 0).tolist()))


def placed(printed: str) -> Finding:
    """Whether the printed board is the empty one after x has played the position named with it."""
    words, _, board = printed.partition("[[")
    [cell] = whole_numbers(words)
    stones = np.array([STONES[stone] for stone in re.findall("'(.)'", board)])
    after = GRID.play(GRID.initial(), np.array([cell]))[0]
    shown = np.flatnonzero(stones)
    return Finding(
        np.array_equal(stones, after),
        f"the printed board holds a stone on {', '.join(map(str, shown)) or 'no cell'}",
        f"Compared cell by cell with the board after x at {cell}; positions count from 0.",
    )


STONES = {" ": 0, "x": 1, "o": -1}
"""How the document prints cells."""


def utilities() -> Value:
    """Utility for x of a board full of x, of one full of o, and of an empty one."""
    boards = np.repeat(np.array([[1], [-1], [0]], dtype=np.int8), GRID.cells, axis=1)
    ended = zip(GRID.winner(boards).tolist(), GRID.finished(boards).tolist(), strict=True)
    return Value(" ".join(str(winner) if done else "None" for winner, done in ended))


# ---------------------------------------------------------------------------- settings

FEW = 20
"""Playouts used to test whether a setting matters."""


def playouts_read() -> Setting:
    """Whether the number of playouts sets the number of rows."""
    rows = [len(examples(playouts, rng=0)) for playouts in (PLAYOUTS, 2 * PLAYOUTS)]
    return Setting(
        PLAYOUTS, rows[0] != rows[1], f"{rows[0]} rows, with twice the playouts {rows[1]}"
    )


def test_size_read() -> Setting:
    """Whether the share for testing sets the number of test rows."""
    rows = examples(rng=0)
    found = [len(part) for part in split_rows(rows, 0)]
    with patch.object(data, "TEST_SHARE", 0.5):
        other = [len(part) for part in split_rows(rows, 0)]
    text = f"{found[1]} of {len(rows)} rows are for testing, with a half {other[1]}"
    return Setting(TEST_SHARE, found != other, text)


@cache
@read_only
def _plain() -> tuple[Examples, Any]:
    """A few playouts, and the network trained on them with unchanged settings."""
    rows = examples(FEW, rng=0)
    return rows, model.train(rows, 0)


def setting_read(name: str, other: int) -> Setting:
    """Whether a constant of the model affects the trained network, on a few playouts."""
    rows, plain = _plain()
    with patch.object(model, name, other):
        changed = model.train(rows, 0)
    before, after = (model.as_net(fit).expected(rows.boards) for fit in (plain, changed))
    same = before.shape == after.shape and np.allclose(before, after, atol=1e-3)
    return Setting(
        getattr(model, name), not same,
        f"with {other} instead, a network trained on {FEW} playouts predicts otherwise",
    )  # fmt: skip


def policy_read() -> Setting:
    """Whether our playouts choose uniformly, by their first moves, and depend on that choice."""
    boards = examples(rng=0).boards
    counts = (boards[np.abs(boards).sum(axis=1) == 1] == 1).sum(axis=0)
    uniform = float(chisquare(counts).pvalue) >= SIGNIFICANCE
    with patch.object(data, "_random_moves", lambda boards, rng: (boards == 0).argmax(axis=1)):
        first = examples(FEW, rng=0)
    rows, other = (len(np.unique(one.boards, axis=0)) for one in (_plain()[0], first))
    return Setting(
        "np.random.choice(get_actions(state))" if uniform else "another choice", rows != other,
        f"by their first moves {'' if uniform else 'not '}uniform among the cells; {FEW} playouts "
        f"have {rows} different rows, and {other} if the first empty cell is taken instead",
    )  # fmt: skip


def coding_read() -> Setting:
    """How our rows code the cells, and whether a network trained on another code differs."""
    rows, plain = _plain()
    coded = ", ".join(f"'{stone}': {code}" for stone, code in STONES.items())
    after = GRID.play(GRID.play(GRID.initial(), np.array([0])), np.array([1]))[0, [2, 0, 1]]
    changed = model.train(replace(rows, boards=rows.boards % 3), 0)
    before, instead = (
        model.as_net(fit).expected(boards)
        for fit, boards in ((plain, rows.boards), (changed, rows.boards % 3))
    )
    return Setting(
        f"{{{coded}}}" if after.tolist() == [*STONES.values()] else str(after.tolist()),
        not np.allclose(before, instead, atol=1e-3),
        f"with 2 for o instead, a network trained on {FEW} playouts predicts otherwise",
    )


def cells_read() -> Setting:
    """The numbers that a network as built takes of a board, and whether shorter rows change it."""
    rows, fit = _plain()
    changed = model.train(replace(rows, boards=rows.boards[:, :-1]), 0)
    built, instead = (int(model.as_net(one).hidden.shape[0]) for one in (fit, changed))
    return Setting(
        built,
        built != instead,
        f"counted in the network as built; on rows without their last cell, it takes {instead}",
    )


def size_read(other: int) -> Setting:
    """The number of hidden units of a network as built, and whether the setting changes it."""
    rows, fit = _plain()
    with patch.object(model, "HIDDEN", other):
        changed = model.train(rows, 0)
    built, instead = (int(model.as_net(one).hidden.shape[1]) for one in (fit, changed))
    return Setting(
        built,
        built != instead,
        f"counted in the network as built; with {other} instead, it has {instead}",
    )


# ---------------------------------------------------------------------------- the fit


def passes_read(other: int) -> Setting:
    """The same for the largest number of passes, and whether our seeds stop before it."""
    seeds = table()
    return replace(
        setting_read("MAX_ITERATIONS", other),
        reason=f"No warning is shown, so it seems that the published run stopped earlier; of our "
        f"{len(seeds)} seeds {seeds['converged'].sum()} do, after at most "
        f"{seeds['iterations'].max()} passes.",
    )


def draws(column: str, scale: str = "linear") -> Repeats:
    """A published number from one run, among the same number for every seed."""
    values = table()[column]
    repeats = Repeats(values.tolist(), scale)
    low, high = significance.test(repeats, values.median(), None).interval
    reason = (
        f"Median of {len(values)} seeds; 95% of further runs are expected from {low:.3g} to "
        f"{high:.3g}, and one run is one sample."
    )
    return replace(repeats, reason=reason)


def accuracy_draws() -> Repeats:
    """The accuracy on all test rows, beside what a constant and the best function expect."""
    people, found = ceilings.population(), draws("accuracy", "logit")
    least, best = float(ceilings.majority(people)), float(ceilings.ceiling(people))
    return replace(
        found,
        reason=f"{found.reason} On fresh playouts the constant answer *x wins* expects "
        f"{least:.4f} and the best function {best:.4f}; of what lies between, only values close to "
        "the former would have been rejected.",
    )


def late_draws() -> Repeats:
    """The accuracy on late boards, and how much of it is leakage from the split by rows."""
    seeds, best = table(), float(ceilings.ceiling(ceilings.late(ceilings.population())))
    fresh = seeds["population_late_accuracy"]
    leak, error = leakage("late_", best)
    return Repeats(
        seeds["late_accuracy"].tolist(),
        "logit",
        f"Median of {len(seeds)} seeds. On fresh playouts the same networks reach "
        f"{fresh.mean():.3f} and no function more than {round_up(best, 3):.3f}: relative to the "
        f"best function on the same rows, leakage from the split by rows adds {leak:.3f} (standard "
        f"error {error:.3f}).",
    )


def leakage(rows: str, best: float) -> tuple[float, float]:
    """What accuracy on test rows gains by the split, mean over the seeds, and its standard error.

    Parameters
    ----------
    rows : str
        ``"late_"`` for boards with at most two empty cells, ``""`` for all.
    best : float
        The accuracy that the best function of the board can expect on fresh playouts.
    """
    seeds = table()
    seen = seeds[f"{rows}accuracy"] - seeds[f"oracle_{rows}accuracy"]
    gained = seen - (seeds[f"population_{rows}accuracy"] - best)
    return float(gained.mean()), float(gained.std(ddof=1)) / len(gained) ** 0.5


CELLS = [f"count_{p}{t}" for p in "odx" for t in "odx"]
CHANCES = [f"p{place}_{outcome}" for place in (1, 2, 3, 4) for outcome in "odx"]
REPEATED = ("u2_5", "u3_2")
"""Columns of utilities of boards whose chances are also printed."""


def utilities_judged() -> list[str]:
    """The columns of the utilities that no other printed number implies."""
    return [str(c) for c in table() if re.fullmatch(r"u\d_\d", str(c)) and c not in REPEATED]


def published_run() -> dict[str, float]:
    """Every number that the run printed, by its column in our table of seeds."""
    found = {one.id.removeprefix("mlp-"): one.published for one in load() if one.document == 1}
    names = [*CELLS, *CHANCES, *utilities_judged()]
    numbers = [*confusion().ravel(), *str(found["opinions"]).split()]
    run = dict(zip(names, map(float, numbers), strict=True))
    repeated = zip(REPEATED, ("same-net-2", "same-net-3"), strict=True)
    single = {"accuracy": "accuracy", "late_accuracy": "late-accuracy", **dict(repeated)}
    return run | {column: float(found[name]) for column, name in single.items()}


def matrix() -> Runs:
    """The printed confusion matrix, for every seed, scaled to the same number of test rows."""
    seeds, total = table(), int(confusion().sum())
    counts = seeds[CELLS].div(seeds["test_rows"], axis=0) * total
    return Runs(
        counts.to_numpy().tolist(),
        ["linear"] * len(CELLS),
        [(0.0, float(total))] * len(CELLS),
        ranks=False,
    )


def beyond_all() -> list[str]:
    """The printed predictions, by column, that lie outside the range of all our seeds."""
    seeds, printed = table(), published_run()
    names = [*CHANCES, *utilities_judged()]
    return [c for c in names if not seeds[c].min() <= printed[c] <= seeds[c].max()]


def beyond_all_others() -> list[int]:
    """How many of the same predictions of each seed lie outside the range of all other seeds."""
    ranks = table()[[*CHANCES, *utilities_judged()]].rank()
    alone = (ranks == 1) | (ranks == len(ranks))  # equal values share a rank between two numbers
    return [int(count) for count in alone.sum(axis=1)]


def opinions() -> Runs:
    """What the printed run predicts for single boards, compared with every seed's predictions."""
    seeds, judged = table(), utilities_judged()
    ours, beyond = seeds[[*CHANCES, *judged]], len(beyond_all())
    alike = sum(count >= beyond for count in beyond_all_others())
    return Runs(
        ours.to_numpy().tolist(),
        ["logit"] * len(CHANCES) + ["fisher"] * len(judged),
        [(0.0, 1.0)] * len(CHANCES) + [(-1.0, 1.0)] * len(judged),
        ranks=False,
        reason=f"Compared as a whole with {len(seeds)} seeds of ours, which disagree so much among "
        "themselves that most numbers could be changed alone, to nearly anything, and the set "
        "would still pass; as a whole it could fail, since sets drawn at random do. "
        f"{beyond} of the {len(ours.columns)} printed ones lie beyond all of ours; so many of its "
        f"own lie beyond those of all others for {alike} of our seeds.",
    )


def opinions_placed() -> str:
    """Where the printed run lies among ours, by its distance."""
    return significance.test(opinions(), declared("mlp-opinions").published, None).note


@cache
@read_only
def confusion() -> NDArray[np.int64]:
    """The printed confusion matrix: classes -1, 0, 1 predicted (down) and true (across)."""
    matrix = quoted("matrix").partition("Accuracy")[0]
    return whole_numbers(matrix).reshape(3, 3)


def consistent_accuracy() -> Value:
    """The accuracy that the published confusion matrix implies.

    Its test beside our seeds is told, not counted: the accuracy has a test already.
    """
    right, total = published_accuracy().as_integer_ratio()
    whole = significance.test(matrix(), " ".join(map(str, confusion().ravel())), None)
    # Compared as text: the printed digits are those of a float, not a rounding of the fraction.
    return Value(
        repr(right / total),
        f"{right} of {total} lie on the published diagonal, whose rows are predictions, as the "
        "call passes (pred, y). The accuracy has a test of its own, so the comparison of the "
        f"whole matrix with {len(table())} seeds of ours (p = {whole.p_value:.2f}) decides "
        f"nothing. {whole.note}",
    )


LARGEST = 400
"""In every run of ours, fewer of the test rows than this are late boards."""


def printed_shares(printed: str) -> set[Fraction]:
    """The shares of fewer rows than :data:`LARGEST` that print as the last number of a text."""
    digits = printed.split()[-1]
    near = (Fraction(round(float(digits) * rows), rows) for rows in range(1, LARGEST))
    return {share for share in near if repr(float(share)) == digits}


def late_is_a_share(printed: str) -> Finding:
    """Whether exactly one fraction with such a small denominator prints as the late accuracy."""
    found = printed_shares(printed)
    return Finding(
        len(found) == 1,
        ", ".join(f"{share.numerator} of {share.denominator} rows right" for share in found),
        f"No other fraction of fewer than {LARGEST} rows prints so; in our seeds this test has "
        f"{table()['late_rows'].min()} to {table()['late_rows'].max()} rows.",
    )


TEN = 10
"""Printed predictions."""


def first_ten(printed: str, published: int) -> Distribution:
    """The distribution of how many of the first ten test rows a run of ours predicts rightly.

    Raises
    ------
    ValueError
        If another number of the printed predictions is right than published.
    """
    true, predicted = whole_numbers(printed)[: 2 * TEN].reshape(2, TEN)
    if (true == predicted).sum() != published:
        raise ValueError(f"{(true == predicted).sum()} printed predictions are right")
    seeds, right = table(), table()[[f"count_{k}{k}" for k in "odx"]].sum(axis=1)
    counts = np.arange(TEN + 1)
    alone = [
        hypergeom.pmf(counts, rows, hits, TEN)
        for rows, hits in zip(seeds["test_rows"], right, strict=True)
    ]
    return Distribution(
        counts.tolist(),
        np.mean(alone, axis=0).tolist(),
        f"Compared with ten rows drawn at random from the test rows of one of our {len(seeds)} "
        "seeds, each seed equally likely.",
    )


def published_accuracy() -> Fraction:
    """The published accuracy as a fraction of the test rows."""
    return Fraction(int(np.trace(confusion())), int(confusion().sum()))


EARLY = (8, 6)
"""Empty cells of boards with only a few moves."""


MORE = (*EARLY, 4)
"""The same with boards with up to five moves."""


def not_great() -> Finding:
    """Whether boards with a few moves have more than their share of the errors, beyond chance.

    Finished boards can be read off, so the share is that among the unfinished ones.
    """
    people, seeds = ceilings.population(), table()
    share, early = early_share(people), early_errors(EARLY)
    answers = {_more_errors(cut) for cut in (EARLY, MORE)}
    best, one = ceilings.ceiling(people), EARLY[:1]
    missed = int(confusion().sum() - np.trace(confusion()))
    error = (early.mean() * (1 - early.mean()) / missed) ** 0.5
    alone, more = (
        f"{float(early_share(running(), cut)):.1%} of the unfinished ones and have "
        f"{early_errors(cut).mean():.1%} of the errors"
        for cut in (one, MORE)
    )
    return Finding(
        agreed(answers),
        f"boards with {' or '.join(map(str, EARLY))} empty cells are {float(share):.1%} of the "
        f"rows, {float(early_share(running())):.1%} of the unfinished ones, and have "
        f"{early.mean():.1%} of the errors ({early.min():.1%} to {early.max():.1%} over "
        f"{len(seeds)} seeds)",
        "Only the *since* is judged: what is *great* is open, and no function of the board can "
        f"expect more than {best} = {float(best):.3f} on fresh playouts. {_above(best)} Read as "
        "more than their share of the unfinished boards, as finished ones can be read off, beyond "
        f"chance over the seeds (t test), also for up to five moves, which are {more}; if it were "
        f"clearly less, the row would be refuted. It takes many runs to see: in one, with {missed} "
        f"errors, the share has a standard error of {100 * error:.1f} points. One move alone is "
        f"not *a few*: such boards are {alone}. The author later replaced the note by one on a "
        "stochastic problem (commit 34541ae).",
        tested=None in answers,
    )


def early_errors(cut: tuple[int, ...]) -> pd.Series[float]:
    """The share of each seed's errors on fresh playouts that lie on boards with few moves."""
    people, seeds = ceilings.population(), table()
    rows = ceilings.by_empties(people, lambda part: part.rows_per_playout / people.rows_per_playout)
    missed = [float(rows[e]) * (1 - seeds[f"population_accuracy_{e}"]) for e in cut]
    return pd.Series(sum(missed) / (1 - seeds["population_accuracy"]))


def _more_errors(cut: tuple[int, ...]) -> bool | None:
    """Whether they have more than their share; None if chance explains the difference."""
    errors, unfinished = early_errors(cut), float(early_share(running(), cut))
    sure = float(ttest_1samp(errors, unfinished).pvalue) < SIGNIFICANCE
    return bool(errors.mean() > unfinished) if sure else None


def _above(best: Fraction) -> str:
    """How the published accuracy and ours come to lie above what can be expected."""
    seeds, printed = table(), float(published_accuracy())
    leak, error = leakage("", float(best))
    above = (seeds["accuracy"] > float(best)).sum()
    return (
        f"The printed {printed:.3f} lies {'above' if printed > best else 'below'} that value; "
        f"{above} of our {len(seeds)} seeds lie above that value: relative to the best function on "
        f"the same rows, leakage from the split by rows adds {leak:.3f} (standard error "
        f"{error:.3f})."
    )


def without_early() -> Fraction:
    """The best accuracy that any function can expect on the other boards."""
    people = ceilings.population()
    return ceilings.ceiling(people.where(~np.isin(people.empties, EARLY)))


def running() -> ceilings.Population:
    """The boards on which the game goes on."""
    people = ceilings.population()
    return people.where(~people.finished)


def early_share(people: ceilings.Population, cut: tuple[int, ...] = EARLY) -> Fraction:
    """The share of the boards with only a few moves, by their empty cells, among some."""
    early = people.where(np.isin(people.empties, cut))
    return early.rows_per_playout / people.rows_per_playout


def few_moves() -> Finding:
    """Whether boards with a few moves have more than their share of the unavoidable errors.

    As in :func:`not_great`, the share is that among the unfinished boards, and boards of up to
    five moves are tried, too.
    """
    people, rest = ceilings.population(), running()
    shares, early = ceilings.error_shares(people), np.isin(rest.empties, EARLY)
    (errors, unfinished), (errors_more, more) = (
        (sum((shares[e] for e in cut), Fraction(0)), early_share(rest, cut))
        for cut in (EARLY, MORE)
    )
    holds = agreed({errors > unfinished, errors_more > more})
    wrong, other = (float(1 - ceilings.ceiling(rest.where(part))) for part in (early, ~early))
    return Finding(
        holds,
        f"boards with {' or '.join(map(str, EARLY))} empty cells have {float(errors):.1%} of the "
        f"unavoidable errors and are {float(unfinished):.1%} of the unfinished boards",
        "Read as having more than their share of the unfinished boards, as finished ones can be "
        f"read off; of all rows the early ones are {float(early_share(people)):.1%}. The best "
        f"prediction is wrong in {wrong:.1%} of them and in {other:.1%} of the other unfinished "
        f"boards. With boards of up to five moves it is {'not ' * (holds is None)}the same: "
        f"they have {float(errors_more):.1%} of the errors and are {float(more):.1%} of the "
        "unfinished boards.",
    )


def three_results() -> Finding:
    """Whether all three results are possible on most boards with a few moves, and on fewer later.

    *Easily*, which leaves open how likely they must be, is not judged, but told of.
    """
    shares = ceilings.by_empties(running(), lambda part: float(open_share(part)))
    found = ", ".join(f"{part:.1%} with {empties} empty cells" for empties, part in shares.items())
    draws = draws_after_one()
    more = agreed(mostly_open(draws[-1]))
    return Finding(
        agreed(mostly_open(Fraction(0))),
        f"of the unfinished boards, all three results are possible on {found}",
        "Weighted as random play meets them. Read as possible on more than half and more than on "
        "later boards, for up to three moves and for up to five. *Easily* is not judged: after x's "
        f"first move a draw has a chance of {' or '.join(f'{float(p):.1%}' for p in draws)}, and "
        f"if each result had to be likelier than that, this would {'' if more else 'not '}hold.",
    )


def draws_after_one() -> list[Fraction]:
    """The chances of a draw after x's first move, in order."""
    first = running().where(running().empties == EARLY[0])
    return sorted({Fraction(int(row[1]), int(row.sum())) for row in first.joint})


def mostly_open(above: Fraction) -> set[bool]:
    """Whether all results are likelier than a chance on most early boards, for each cut."""
    rest = running()
    return {
        open_share(rest.where(early), above) > max(Fraction(1, 2), open_share(later, above))
        for cut in (EARLY, MORE)
        for early in [np.isin(rest.empties, cut)]
        for later in [rest.where(~early)]
    }


def open_share(people: ceilings.Population, above: Fraction = Fraction(0)) -> Fraction:
    """The share of some boards on which each result is likelier than a chance, in whole numbers."""
    limits = above.numerator * people.weights[:, None]
    likely = np.all(above.denominator * people.joint > limits, axis=1)
    return people.where(likely).rows_per_playout / people.rows_per_playout


def two_left() -> Finding:
    """Whether the rows of the late accuracy are as many as boards with two cells left, or fewer.

    *Only two* may mean at most two, two, or two while the game goes on: which of these it is, the
    number of rows decides, by z tests; if it fits none of them, other boards were kept.
    """
    people = ceilings.population()
    late = ceilings.late(people)
    most, done = int(late.empties.max()), ceilings.finished_share(late)
    full = late.where(late.empties == 0).rows_per_playout / late.rows_per_playout
    rest = ceilings.ceiling(late.where(~late.finished))
    two = ceilings.by_empties(people, ceilings.ceiling)[2]
    [share] = printed_shares(quoted("late-accuracy"))
    rows, tested = share.denominator, int(confusion().sum())
    kept = (late.where(~late.finished & (late.empties == 2)), late.where(late.empties == 2), late)
    shares = [float(one.rows_per_playout / people.rows_per_playout) for one in kept]
    running_two, two_cells, at_most = (
        f"{tested * p:.0f} (p {_told(chance_of(rows, tested, p))})" for p in shares
    )
    fits = sum(chance_of(rows, tested, p) >= SIGNIFICANCE for p in shares)
    wider = len(people.where(people.empties <= 3).states) - len(late.states)
    return Finding(
        {0: False, 1: True}.get(fits),
        f"at most {most} empty cells; {done} = {float(done):.1%} of these boards are finished "
        f"games: {float(full):.1%} are full, {float(done - full):.1%} have two cells and are won",
        "*Only two* may mean two, or at most two, as the filter, <= 2, has it. The "
        f"{rows} rows of the accuracy decide: at most two cells have {at_most} of {tested} test "
        f"rows on average, exactly two {two_cells}, and two in a game that goes on {running_two} "
        "(z tests). Read as exactly two it would be false. Without the finished games at "
        f"most {float(rest):.3f} can be expected. A later version says *three or less*, with <= 3, "
        f"which on these rows keeps {'other' if wider else 'the same'} boards (commit 697daee, "
        "accuracy .8369), a still later one has == 2 (commit 6415d35, accuracy .7586; there the "
        f"ceiling is {two} = {float(two):.4f}).",
        tested=True,
    )


def chance_of(rows: int, tested: int, share: float) -> float:
    """The p-value of a number of rows, if each is one of these with a certain chance."""
    return float(2 * norm.sf(abs(rows - tested * share) / (tested * share * (1 - share)) ** 0.5))


def _told(p_value: float) -> str:
    return f"= {p_value:.2f}" if p_value >= SIGNIFICANCE else f"< {SIGNIFICANCE}"


def seconds(what: str, scale: str = "s") -> Value:
    """A time measured on this compendium's machine and stored, in seconds or milliseconds."""
    stored = table("playout_mlp_timing.csv").set_index("what")
    return Value(float(stored.loc[what, "wall_seconds"]) * {"s": 1, "ms": 1000}[scale])  # type: ignore[arg-type]


# ---------------------------------------------------------------------------- single boards


def chances_printed() -> NDArray[np.float64]:
    """The printed chances of o wins, draw, x wins on the four boards, shape (4, 3)."""
    found = re.findall(r"\[\[(.*?)\]\]", quoted("classes"))
    return np.array([[float(number) for number in row.split()] for row in found])


def classes_printed(printed: str) -> NDArray[Any]:
    """The printed classes of the four boards."""
    return whole_numbers(" ".join(re.findall(r"array\((.*?)\)", printed)))


def classes_of_chances(printed: str) -> Finding:
    """Whether the printed classes are those of the largest printed chances."""
    classes = classes_printed(printed)
    chances = chances_printed()
    said = (chances.argmax(axis=1) - 1 == classes).all()
    sums = np.abs(chances.sum(axis=1) - 1).max()
    agree = {k: int((table()[f"class{k + 1}"] == classes[k]).sum()) for k in range(4)}
    texts = ", ".join(f"{count}" for count in agree.values())
    return Finding(
        bool(said and sums < 2e-8),
        f"so on all four; sums differ from 1 by at most {sums:.0e}",
        f"Of our {len(table())} seeds {texts} predict the same on boards 1 to 4.",
    )


def utility_of_chances(place: int, printed: str) -> Value:
    """Expected utility for x of an example board, by its printed chances."""
    lost, _, won = chances_printed()[place - 1]
    column = REPEATED[place - 3]
    seeds, after = table()[column], int(column[-1])
    same = sum(agrees(printed, value) for value in seeds)
    return Value(
        float(won - lost),
        f"In [{place + 17}] shows board {column[1]} of In [25] after x has taken {after}. One "
        "network must give both prints the same utility; so this asks only whether they agree. Of "
        f"our {len(seeds)} networks {same} give{'s' * (same == 1)} this value.",
    )


def side_to_move(boards: str = "examples") -> Finding:
    """Whether o is to move on the four example boards, or x on the three of the tables."""
    texts, side = (study.EXAMPLES, -1) if boards == "examples" else (study.TABLES, 1)
    sides = {int(GRID.to_move(study.board(text))[0]) for text in texts}
    return Finding(sides == {side}, f"{WINNERS[side]} is to move on all {len(texts)}")


def comment(place: int, value: int) -> Finding:
    """Whether an example board has this value under perfect play."""
    game = ceilings.tree()
    text = study.EXAMPLES[place - 1]
    found = int(game.value[game.index(study.board(text))[0]])
    expected = study.exact_expected(text)
    return Finding(
        found == value, f"perfect play: {WORDS[found]}; random play: {expected} expected"
    )


def move_value(text: str, cell: int) -> int:
    """Minimax value of a board after a move, from X's side."""
    game, boards = ceilings.tree(), study.board(text)
    return int(game.value[game.index(GRID.play(boards, np.array([cell])))[0]])


def drawing_move() -> Finding:
    """Whether o draws on the third example board by playing 7."""
    text = study.EXAMPLES[2]
    cells = [cell for cell in range(GRID.cells) if text[cell] == "."]
    values = {cell: move_value(text, cell) for cell in cells}
    drawing = [cell for cell, value in values.items() if value == 0]
    label, best = int(classes_printed(quoted("classes"))[2]), min(values.values())
    return Finding(
        values[7] == 0,
        f"after 7 {WORDS[values[7]]} at once; the drawing move is {drawing[0]}",
        f"Cell 7 completes o's middle column. The class printed below, {label}, is "
        f"{'right' if label == best else 'wrong'}: {WORDS[best]}. A day earlier the remark was "
        "that x can draw (commit 5e175c4), and the next version has none (4aee453).",
    )


def only_move(place: int, cell: int, value: int) -> Finding:
    """Whether a move reaches this value for x under perfect play and no other move does."""
    text = study.TABLES[place - 1]
    cells = [c for c in range(GRID.cells) if text[c] == "."]
    best = [c for c in cells if move_value(text, c) >= value]
    others = sorted({WORDS[move_value(text, c)] for c in cells if c != cell})
    return Finding(
        best == [cell],
        f"after {cell} {WORDS[move_value(text, cell)]}; after any other move {' or '.join(others)}",
    )


def centre() -> Finding:
    """Whether the centre is the best first move: under random play, not under perfect play."""
    text = study.TABLES[0]
    scores = move_scores(GRID, players.exact_evaluator())(study.board(text))[0]
    alike = {move_value(text, cell) for cell in range(GRID.cells)} == {0}
    others = np.delete(scores, 4).max()
    return Finding(
        int(scores.argmax()) == 4,
        f"expected outcome {Fraction(scores[4]).limit_denominator(1000)} at random, "
        f"{'next' if scores[4] > others else 'the'} best "
        f"{Fraction(others).limit_denominator(1000)}",
        "Best if both sides go on at random; between perfect players all nine draw."
        if alike
        else "",
    )


ADVICE = {1: 4, 2: 7, 3: 4}
"""The move that the document advises above each of its tables."""


def first_moves(runs: pd.DataFrame, place: int) -> list[str]:
    """The column of the largest utility in one of the tables, for each run."""
    columns = [name for name in runs.columns if name.startswith(f"u{place}_")]
    return [str(name) for name in runs[columns].idxmax(axis=1)]


def advised() -> Mask:
    """Whether our networks put the advised move of each table first, shape (tables, networks)."""
    return np.array([
        [name == f"u{place}_{cell}" for name in first_moves(table(), place)]
        for place, cell in ADVICE.items()
    ])  # fmt: skip


def best_moves() -> Finding:
    """Whether the printed tables put the advised moves first, and how many of our networks do."""
    printed, right = pd.DataFrame([published_run()]), advised()
    found = {place: int(first_moves(printed, place)[0][-1]) for place in ADVICE}
    first, second, third = right.sum(axis=1)
    return Finding(
        found == ADVICE,
        f"largest in the printed tables: {', '.join(map(str, found.values()))}; so do "
        f"{first}, {second} and {third} of our {right.shape[1]} networks",
        "This asks only whether the printed tables fit the printed advice. Of our "
        f"{right.shape[1]} networks {(~right.all(axis=0)).sum()} miss at least one of the moves; "
        "the utilities themselves are tested in mlp-opinions.",
    )


def listed_cells(printed: str) -> Finding:
    """Whether the printed tables list the legal moves of the boards above them."""
    cells = [int(cell) for cell in re.findall(r"x chooses (\d)", printed)]
    # Each table counts upwards, so a smaller number begins the next one.
    starts = [place for place in range(1, len(cells)) if cells[place] <= cells[place - 1]]
    ends = zip([0, *starts], [*starts, len(cells)], strict=True)
    tables = [cells[start:end] for start, end in ends]
    legal = [np.flatnonzero(GRID.legal(study.board(text))[0]).tolist() for text in study.TABLES]
    return Finding(
        tables == legal,
        f"{', '.join(str(len(cells)) for cells in tables)} moves are printed, "
        f"{', '.join(str(len(cells)) for cells in legal)} are legal",
        "Compared cell by cell. "
        "It works here because the argument and the global board it reads are the same.",
    )


# ---------------------------------------------------------------------------- what it is for


def heuristic_minimax() -> Finding:
    """Whether the network helps minimax of some depth against a random player, beyond chance."""
    gains = {depth: _gains(depth) for depth in (1, 2, 3, 4)}
    p_values = significance.holm([float(ttest_1samp(gain, 0).pvalue) for gain in gains.values()])
    sure = [
        int(np.sign(gain.mean())) * (p < SIGNIFICANCE)
        for gain, p in zip(gains.values(), p_values, strict=True)
    ]
    clear = sure.count(1)
    [networks] = {len(gain) for gain in gains.values()}
    return Finding(
        True if clear else False if sure.count(-1) == len(sure) else None,
        "gain in expected result over no evaluation, against random play: "
        + ", ".join(f"{gain.mean():+.3f} at depth {depth}" for depth, gain in gains.items()),
        f"Gain in expected result against random, mean of both sides and {networks} networks, "
        "over the same search that calls every running game even (with either, ties go to the "
        "lowest index). *Can* is read as at one depth at "
        f"least, beyond chance; so it is at {clear} of {len(gains)} (t tests over the networks, "
        "Holm). It is refuted if it hurts at all of them.",
        tested=True,
    )


def _gains(depth: int) -> NDArray[np.float64]:
    """What each network gains at a depth, mean of both sides: (networks,).

    Network and control break ties by the lowest index.
    """
    game, rival = ceilings.tree(), random_agent(GRID)
    plain = players.value_agent("blind", lambda after: np.zeros(len(after)), depth)
    x, o = exact_match(plain, rival, game), exact_match(rival, plain, game).reversed()
    rows = against_random("net x", depth)
    own = [expected_result(part) for _, part in rows.groupby("seed")]
    return np.array(own) - float(x.expected + o.expected) / 2


def against_random(values: str, depth: int = 1) -> pd.DataFrame:
    """Rows of the strength table: one kind of player against random, on both sides."""
    stored = table("playout_mlp_strength.csv")
    wanted = (stored["values"] == values) & (stored["depth"] == depth)
    return stored[wanted & (stored["opponent"] == "random")]


def expected_result(results: pd.DataFrame) -> float:
    """Mean expected result (win 1, draw 0, loss -1) of rows of the strength table."""
    values = [Fraction(w) - Fraction(lost) for w, lost in results[["win", "loss"]].to_numpy()]
    return float(sum(values, Fraction(0)) / len(values))


ROUNDING = 1e-9
"""Chances that differ by less are equal."""


def better_playouts(search: str) -> Finding:
    """Whether the network's playouts do better than uniform ones in some match-up of a search.

    Parameters
    ----------
    search : str
        ``"pmc"``, judged by exact chances, or ``"uct"``, by the match-up that was played at length.
        One match-up is enough, as the document says that they *can* be used so.  Told with it are
        all match-ups with random and minimax, as X and as O, at 1 to 100 playouts per move.
    """
    return _by_chances() if search == "pmc" else _by_games()


def _by_chances() -> Finding:
    """The same in Pure Monte Carlo, where the chances of all matches are known."""
    gain, asked = (choices.gains(kind, UNIFORM) for kind in (NETWORK, ASKED))
    better, worse = int((gain > ROUNDING).sum()), int((gain < -ROUNDING).sum())
    return Finding(
        better > 0,
        f"by exact chances, of {len(gain)} match-ups {better} better, {worse} worse",
        "*Can* is read as in one at least; in none, it would be refuted. The network is that of "
        "seed 0; its playouts draw moves with chances proportional to exp(score), and a move that "
        f"ends the game scores its result. They {better_by_chances()} Asked about "
        "finished games, too, as the document's function would be, the network does better in "
        f"{(asked > ROUNDING).sum()}.",
    )


def _by_games() -> Finding:
    """The same in tree search, where matches can only be played."""
    plain, guided = _matches("uct")
    gain, z = mean_result(guided) - mean_result(plain), gains_in_errors("uct")
    better, worse = _clearly(z)
    most = [f"helps most as {_losses(plain, guided, gain.loc[better].idxmax())}"] if better else []
    most += [f"harms most as {_losses(plain, guided, gain.loc[worse].idxmin())}"] if worse else []
    told = f"Beside uniform playouts it {' and '.join(most)}. " if most else ""
    against = [sum(opponent == "minimax" for *_, opponent in some) for some in (better, worse)]
    helps = does_at_length(ASKED) == "helps"
    return Finding(
        True if helps else False if len(worse) == len(gain) else None,
        f"of {len(gain)} match-ups {len(better)} clearly better, {len(worse)} clearly worse "
        f"(of these, {against[0]} and {against[1]} against minimax); {_asked_at_length()}",
        "*Can* is read as in one match-up at least, by the document's own means, a network that is "
        f"asked about finished games, too. So it {'holds' * helps or 'does not hold'} in the one "
        f"that was picked from {len(gain)} and played longer. In all {len(gain)}, of "
        f"{plain['games'].iloc[0]} games each (z tests, Holm; clearly worse in all would refute "
        "it), a move that ends the game scores its result, which uniform playouts are not told. "
        f"{told}{_ends_in_tree_search()}",
        tested=True,
    )


def _matches(search: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Matches with uniform playouts, and with the network's."""
    games = table("playout_mlp_games.csv")
    plain, guided = (
        games[games["player"] == f"{search} {policy}"].set_index(FIXTURES)
        for policy in ("random", "mlp")
    )
    return plain, guided


def gains_in_errors(search: str) -> pd.Series[float]:
    """What the network's playouts add to the mean result, in standard errors, by match."""
    plain, guided = _matches(search)
    return in_errors(guided, plain)


def in_errors(some: pd.DataFrame, others: pd.DataFrame) -> pd.Series[float]:
    """How much larger the mean result of some matches is than that of others, in errors."""
    gain = mean_result(some) - mean_result(others)
    error = (variance(some) + variance(others)) ** 0.5
    return (gain / error).fillna(0)  # equal, with zero variance: no difference


def _clearly(z: pd.Series[float]) -> tuple[list[Any], list[Any]]:
    """The matches that are better beyond chance, and those that are worse (Holm)."""
    sure = (
        pd.Series(significance.holm((2 * norm.sf(z.abs())).tolist()), index=z.index) < SIGNIFICANCE
    )
    better, worse = (z[sure & (sign * z > 0)].index.tolist() for sign in (1, -1))
    return better, worse


def better_by_chances() -> str:
    """In how many matches Pure Monte Carlo gains by some playouts, by the networks."""
    whole, beyond, alone = (
        f"{(choices.gains(*kinds) > ROUNDING).sum()} ({more.min()} to {more.max()})"
        for kinds in ((NETWORK, UNIFORM), (NETWORK, ENDS), (UNFINISHED, UNIFORM))
        for more in [choices.matches_improved(*kinds)]
    )
    return (
        f"have a better mean result (win minus loss) than uniform ones in {whole} of the "
        f"{len(choices.gains(NETWORK, UNIFORM))} matches, and a better one than playouts that know "
        f"only finished games in {beyond}; those that know only the network's opinion of "
        f"unfinished games do better than uniform ones in {alone}. (In parentheses: the range over "
        "all stored networks.)"
    )


def at_length() -> pd.DataFrame:
    """The one match-up that is played at length with every kind of playouts, by kind."""
    stored = table("playout_mlp_controls.csv")
    longest: pd.DataFrame = stored[stored["games"] == stored["games"].max()]
    return longest.set_index("kind")


def lost_by_network() -> pd.DataFrame:
    """Which share of the same match-up each stored network loses: networks down, kinds across."""
    rows = table("playout_mlp_controls_by_network.csv")
    return rows.assign(lost=rows["loss"] / rows["games"]).pivot_table("lost", "seed", "kind")


def fewer_lost() -> int:
    """With how many networks a smaller share is lost there than by knowing finished games alone."""
    ends = at_length().loc[ENDS]
    return int((lost_by_network()[NETWORK] < ends["loss"] / ends["games"]).sum())


def shares_lost_at_length() -> pd.DataFrame:
    """Shares of the same match-up lost: by seed 0, and least and most of all seeds; kinds down."""
    many, each = at_length(), lost_by_network()
    games = table("playout_mlp_controls_by_network.csv")["games"].max()
    shares = {
        f"seed 0 ({many['games'].max():,} games)": many["loss"] / many["games"],
        f"least of {len(each)} ({games:,} games each)": each.min(),
        f"most of {len(each)}": each.max(),
    }
    return pd.DataFrame(shares).rename_axis("playouts")


def changed_by_ends_alone() -> tuple[int, int, int]:
    """How many matches of tree search finished games alone make clearly better, worse; of all."""
    stored = table("playout_mlp_controls.csv")
    played = stored[stored["games"] < stored["games"].max()].set_index(FIXTURES)
    better, worse = _clearly(in_errors(played, _matches("uct")[0]))
    return len(better), len(worse), len(played)


def does_at_length(kind: str, other: str = UNIFORM) -> str:
    """Whether playouts of one kind help there, compared with another."""
    games = at_length()
    z = in_errors(games.loc[[kind]], games.loc[[other]].rename({other: kind}))[kind]
    sure = 2 * norm.sf(abs(z)) < SIGNIFICANCE
    return "makes no clear difference" if not sure else "helps" if z > 0 else "hurts"


def _asked_at_length() -> str:
    """What the document's own means do in the match-up that is played at length."""
    many, each = at_length(), lost_by_network()[ASKED]
    [(games, playouts, side, opponent)] = set(
        many[["games", *FIXTURES]].itertuples(index=False, name=None)
    )
    asked, plain = many["loss"][ASKED], many["loss"][UNIFORM]
    return (
        f"in a longer match, as {_setting(playouts, side, opponent)}, a network that is asked "
        f"about finished games, too, as in the document, loses {asked:,} of {games:,} games, "
        f"uniform playouts {plain:,}: that {does_at_length(ASKED)} (over {len(each)} networks "
        f"{each.min():.1%} to {each.max():.1%} lost instead of {plain / games:.1%})"
    )


def _ends_in_tree_search() -> str:
    """What the network adds to knowing finished games, in the match-up that is played at length."""
    many, each = at_length(), lost_by_network()
    lost = {kind: f"{share:.1%}" for kind, share in (many["loss"] / many["games"]).items()}
    return (
        f"With that knowledge on both sides it loses {lost[NETWORK]} of the longer match with the "
        f"network of seed 0 and {lost[ENDS]} without, so there this network "
        f"{does_at_length(NETWORK, ENDS)}; with {fewer_lost()} of the {len(each)} networks it "
        "loses less than without."
    )


def mean_result(games: pd.DataFrame) -> pd.Series[float]:
    """Mean result of matches: win 1, draw 0, loss -1."""
    return (games["win"] - games["loss"]) / games["games"]


def variance(games: pd.DataFrame) -> pd.Series[float]:
    """Variance of the mean result."""
    squares = (games["win"] + games["loss"]) / games["games"]
    return (squares - mean_result(games) ** 2) / games["games"]


def _losses(plain: pd.DataFrame, guided: pd.DataFrame, fixture: Any) -> str:
    before, after = (int(found.loc[fixture, "loss"]) for found in (plain, guided))
    return f"{_setting(*fixture)} ({after} losses instead of {before})"


def _setting(playouts: int, side: str, opponent: str) -> str:
    """A match of tree search, which has the playouts of every cell for a decision."""
    unit = "playout" if playouts == 1 else "playouts"
    return f"{side} against {opponent} with {playouts} {unit} per cell"
