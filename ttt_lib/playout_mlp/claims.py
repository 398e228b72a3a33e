"""Our side of every published number and sentence of document 1 (``data/claims/1_*.toml``)."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import numpy as np
import pandas as pd

from ttt_lib.evidence import store
from ttt_lib.evidence.claims import Chance, Count, Draws, Finding, Law, Value
from ttt_lib.game.exact import exact_match
from ttt_lib.game.policy import lookahead, move_scores, random_agent
from ttt_lib.playout_mlp import exact, players, study
from ttt_lib.playout_mlp.data import GRID, PLAYOUTS, TEST_SHARE, examples

PUBLISHED_ROWS = 4144
PUBLISHED_CONFUSION = np.array([[82, 16, 56], [9, 52, 16], [120, 49, 429]])
"""As printed: classes -1, 0, 1 down and across."""

SAMPLE_PLAYOUT = ("........x", "....x..ox", "....xxoox", "x..oxxoox")
SHOWN_ROWS = (
    *("..x......", "..x.o...x", ".ox.o.x.x", ".oxoo.xxx", "x........"),
    *("oxo.x.x..", "oxoxxox..", "...x.....", ".o.x..x.."),
)
SHOWN_EMPTIES = (8, 2, 4, 8, 8, 4, 8, 6, 4, 4)
SHOWN_LABELS = (1, 1, 1, 1, 0, 0, 0, 0, 0, 0)

WORDS = {1: "x wins", 0: "a draw", -1: "o wins"}
WINNERS = {1: "x", -1: "o"}
HEATS = (0.25, 1.0)
"""Temperatures of the network's playouts that the ledger compares."""


@cache
def table(file: str = "playout_mlp_seeds.csv") -> pd.DataFrame:
    """A stored table, read once."""
    return store.read_table(file)


def rows() -> Law:
    """The exact law of the number of rows in the document's data set."""
    counts, chances = exact.law_of_rows(PLAYOUTS)
    mean = exact.population().rows_a_playout
    return Law(
        counts.tolist(),
        chances.tolist(),
        f"A game has 3, 4 or 5 moves of x, {mean} on average; their law is exact.",
    )


def test_rows() -> Value:
    """Rows that scikit-learn puts aside for testing: a fifth, rounded up."""
    return Value(math.ceil(Fraction(str(TEST_SHARE)) * PUBLISHED_ROWS))


def sample_playout() -> Finding:
    """Whether the printed playout could have been played, and ended as labelled."""
    boards = np.concatenate([study.board(text) for text in SAMPLE_PLAYOUT])
    apart = np.abs(np.diff(boards, axis=0)).sum(axis=1) == 2
    ended = GRID.finished(boards).tolist() == [False, False, False, True]
    won = GRID.winner(boards)[-1] == 1
    return Finding(bool(apart.all() and ended and won), "legal, and x wins with its fourth move")


def shown_rows() -> Finding:
    """Whether the printed rows are boards after x's moves in random games."""
    boards = np.concatenate([study.board(text) for text in SHOWN_ROWS])
    exact.tree().index(boards)
    after_x = bool((boards.sum(axis=1) == 1).all())
    return Finding(after_x, f"{len(boards)} boards that play reaches, each after a move of x")


def shown_labels() -> Finding:
    """Whether the first ten labels can be labels of whole playouts."""
    wins, draws = SHOWN_LABELS.count(1), SHOWN_LABELS.count(0)
    # A win of x takes it 3 to 5 moves, a draw always 5; the sixth 0 opens another draw.
    return Finding(wins in (3, 4, 5) and draws > 5, "a win of 4 rows, a draw of 5, and 1 row more")


def shown_empties() -> Finding:
    """Whether the printed numbers of empty cells are those of boards after x's moves."""
    possible = set(exact.by_empties(exact.population(), lambda part: len(part.states)))
    found = ", ".join(map(str, sorted(possible, reverse=True)))
    return Finding(set(SHOWN_EMPTIES) <= possible, f"after a move of x: {found} empty cells")


def labels() -> Finding:
    """Whether a row is labelled 1 exactly if x won its playout."""
    data = examples(rng=0)
    wins = set(data.games[GRID.winner(data.boards) == 1].tolist())
    told = {int(game) for game in data.games[data.outcomes == 1]}
    return Finding(
        told == wins,
        f"{len(wins)} of {PLAYOUTS} playouts won by x, and just their rows labelled 1",
        "And more than the sentence promises: a draw (0) differs from a loss (-1).",
    )


def other_side() -> Finding:
    """Whether ``playout_record('o')`` labels o's boards from o's side."""
    people = exact.population("o")
    won = people.where(exact.tree().winner[people.states] == -1)
    label = int(exact.OUTCOMES[won.joint.sum(axis=0).argmax()])
    return Finding(
        label == 1,
        f"boards on which o has just won are labelled {label:+d}",
        "The label is always x's result, whichever player is recorded.",
    )


def check_win(cells: list[int]) -> Value:
    """What the document's rule check says of a board with x on these cells and nothing else."""
    board = GRID.initial()
    board[0, cells] = 1
    return Value(WINNERS.get(int(GRID.winner(board)[0]), "n"))


def actions(cells: list[int]) -> Value:
    """Empty cells of a board with x on these cells."""
    return Value(str([cell for cell in range(GRID.cells) if cell not in cells]))


def actions_legal(cells: list[int]) -> Finding:
    """Whether anything may be played on a board with x on these cells."""
    board = GRID.initial()
    board[0, cells] = 1
    none = not GRID.legal(board).any()
    return Finding(
        not none,
        "the empty cells; the game is over, so nothing may be played",
        "The function lists empty cells; on this board x already owns a column.",
    )


def utility(fill: int) -> Value:
    """Utility for x of a board filled with one player's stones, or empty."""
    board = np.full((1, GRID.cells), fill, dtype=np.int8)
    return Value(str(int(GRID.winner(board)[0])) if GRID.finished(board)[0] else "None")


# ---------------------------------------------------------------------------- the fit


def draws(column: str, scale: str = "linear") -> Draws:
    """A published number of one run among the same number of every seed."""
    values = table()[column]
    return Draws(
        values.tolist(),
        scale,
        f"Median and 95 % prediction interval of {len(values)} seeds.",
    )


def confusion_count(cell: str) -> Draws:
    """An entry of the confusion matrix, as a share of the test rows times the published 829."""
    total = int(PUBLISHED_CONFUSION.sum())
    scaled = table()[f"count_{cell}"] / table()["test_rows"] * total
    return Draws(
        scaled.tolist(), reason=f"Median and interval of {len(scaled)} seeds, per {total} rows."
    )


def converged() -> Count:
    """Seeds whose training stopped before the iteration limit, as the document's did."""
    count = table()["converged"]
    return Count(
        int(count.sum()), len(count), "Share of seeds that stop before 1000 passes over the data."
    )


def consistent_accuracy() -> Value:
    """The accuracy that the published confusion matrix implies."""
    right, total = published_accuracy().as_integer_ratio()
    # Compared as text: the printed digits are those of a float, not a rounding of the fraction.
    return Value(repr(right / total), f"{right} of {total} lie on the published diagonal.")


def consistent_late_accuracy() -> Value:
    """The one fraction of at most 400 test rows that prints as the late accuracy does."""
    found = Fraction("0.8268398268398268").limit_denominator(400)
    return Value(found, f"{found} is the only fraction of so few rows that prints so.")


def confusion_layout() -> Finding:
    """Which way round the printed matrix is."""
    people = exact.population().joint.sum(axis=0)[::-1]
    shares = people / people.sum()
    down, across = PUBLISHED_CONFUSION.sum(axis=1), PUBLISHED_CONFUSION.sum(axis=0)
    expected = shares * PUBLISHED_CONFUSION.sum()
    true_down = bool(np.abs(down - expected).sum() < np.abs(across - expected).sum())
    return Finding(
        true_down,
        f"columns hold the truth: {across.tolist()}, expected "
        f"{np.rint(expected).astype(int).tolist()}; rows are predictions",
        "The call passes (pred, y) where the library's order is (true, predicted).",
    )


def first_ten() -> Chance:
    """Chance that a test row is predicted correctly, by the document's own accuracy."""
    return Chance(published_accuracy(), "Chance: the document's own accuracy.")


def published_accuracy() -> Fraction:
    """The published accuracy as a fraction of the test rows."""
    return Fraction(int(np.trace(PUBLISHED_CONFUSION)), int(PUBLISHED_CONFUSION.sum()))


def not_great() -> Finding:
    """Whether the published accuracy is low for this task."""
    best = exact.ceiling(exact.population())
    return Finding(
        published_accuracy() < best,
        f"at most {best} = {float(best):.4f} on fresh playouts",
        "No function of the board can expect more; the published run lies even above, "
        "by luck and by rows of one playout in both halves.",
    )


def few_moves() -> Finding:
    """Whether boards with few moves cause most of the unavoidable errors."""
    shares = exact.error_shares(exact.population())
    early = shares[8] + shares[6]
    return Finding(
        early > Fraction(1, 2),
        f"boards with 8 or 6 empty cells: {float(early):.1%} of the unavoidable errors",
    )


def two_left() -> Finding:
    """Whether the filter keeps boards with two cells left to play."""
    late = exact.late(exact.population())
    done = exact.finished_share(late)
    rest = exact.ceiling(late.where(~late.finished))
    return Finding(
        done == 0,
        f"{done} = {float(done):.1%} of these boards are finished games",
        f"Two cells or none; without the finished games at most {float(rest):.3f} can be expected.",
    )


def seconds(what: str, clock: str, scale: float = 1.0) -> Value:
    """A stored time of this compendium's machine."""
    stored = table("playout_mlp_timing.csv").set_index("what")
    return Value(float(stored.loc[what, f"{clock}_seconds"]) * scale)  # type: ignore[arg-type]


# ---------------------------------------------------------------------------- single boards


def predicted_class(place: int, outcome: int) -> Count:
    """How many seeds predict this outcome for example board 1 to 4."""
    same = table()[f"class{place}"] == outcome
    win, draw, loss = study.exact_chances(study.EXAMPLES[place - 1])
    return Count(
        int(same.sum()),
        len(same),
        f"Share of seeds that say so; exactly, x wins {win}, draw {draw}, o wins {loss}.",
    )


def side_to_move(boards: str = "examples") -> Finding:
    """Whether o is to move on the four example boards, or x on the three of the tables."""
    texts, side = (study.EXAMPLES, -1) if boards == "examples" else (study.TABLES, 1)
    sides = {int(GRID.to_move(study.board(text))[0]) for text in texts}
    return Finding(sides == {side}, f"{WINNERS[side]} is to move on all {len(texts)}")


def comment(place: int, value: int) -> Finding:
    """Whether an example board has this value under perfect play."""
    game = exact.tree()
    text = study.EXAMPLES[place - 1]
    found = int(game.value[game.index(study.board(text))[0]])
    expected = study.exact_expected(text)
    return Finding(
        found == value,
        f"perfect play: {WORDS[found]}; random play: {expected} expected",
    )


def move_value(text: str, cell: int) -> int:
    """Minimax value of a board after a move, from X's side."""
    game, boards = exact.tree(), study.board(text)
    return int(game.value[game.index(GRID.play(boards, np.array([cell])))[0]])


def drawing_move() -> Finding:
    """Whether o draws on the third example board by playing 7."""
    text = study.EXAMPLES[2]
    cells = [cell for cell in range(GRID.cells) if text[cell] == "."]
    values = {cell: move_value(text, cell) for cell in cells}
    drawing = [cell for cell, value in values.items() if value == 0]
    return Finding(
        values[7] == 0,
        f"after 7 {WORDS[values[7]]} at once; the drawing move is {drawing[0]}",
        "Cell 7 completes o's middle column.",
    )


def only_move(place: int, cell: int, value: int) -> Finding:
    """Whether a move reaches a value for x under perfect play, and no other move does."""
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
    return Finding(
        int(scores.argmax()) == 4,
        f"expected outcome {Fraction(scores[4]).limit_denominator(1000)} at random, "
        f"next best {Fraction(scores[0]).limit_denominator(1000)}",
        "Best against random play; against perfect play all nine moves draw." if alike else "",
    )


def best_cell(place: int, cell: int) -> Count:
    """How many seeds give this cell the largest predicted utility of a table."""
    columns = [c for c in table().columns if c.startswith(f"u{place}_")]
    best = table()[columns].idxmax(axis=1) == f"u{place}_{cell}"
    return Count(int(best.sum()), len(best), "Share of seeds whose largest value stands there.")


def listed_cells() -> Finding:
    """Whether the printed tables list the legal moves of the boards above them."""
    stored = [
        [int(c.partition("_")[2]) for c in table().columns if c.startswith(f"u{place}_")]
        for place in (1, 2, 3)
    ]
    legal = [np.flatnonzero(GRID.legal(study.board(text))[0]).tolist() for text in study.TABLES]
    return Finding(
        stored == legal,
        f"{', '.join(str(len(cells)) for cells in legal)} moves, as printed",
        "It works here because the argument and the global board it reads are the same.",
    )


# ---------------------------------------------------------------------------- what it is for


def heuristic_minimax() -> Finding:
    """Whether the network helps a depth-limited minimax against a random player, depth by depth."""
    gains = {depth: _gain(depth) for depth in (1, 2, 3, 4)}
    text = ", ".join(f"{gain:+.3f} at depth {depth}" for depth, gain in gains.items())
    return Finding(
        min(gains.values()) > 0,
        text,
        "Gain in expected result against random, mean of both sides and 20 networks, "
        "over the same search that calls every running game even.",
    )


def _gain(depth: int) -> float:
    game, rival, plain = exact.tree(), random_agent(GRID), lookahead(GRID, depth)
    x, o = exact_match(plain, rival, game), exact_match(rival, plain, game).reversed()
    return expected_result(against_random("net x", depth)) - float(x.expected + o.expected) / 2


def against_random(values: str, depth: int = 1) -> pd.DataFrame:
    """Rows of the strength table: one kind of player against random, on both sides."""
    stored = table("playout_mlp_strength.csv")
    wanted = (stored["values"] == values) & (stored["depth"] == depth)
    return stored[wanted & (stored["opponent"] == "random")]


def expected_result(results: pd.DataFrame) -> float:
    """Mean expected result (win 1, draw 0, loss -1) of rows of the strength table."""
    values = [Fraction(w) - Fraction(lost) for w, lost in results[["win", "loss"]].to_numpy()]
    return float(sum(values, Fraction(0)) / len(values))


def better_playouts() -> Finding:
    """Whether playouts by the network improve Pure Monte Carlo in the limit of many playouts."""
    game, rival = exact.tree(), random_agent(GRID)
    plain = players.monte_carlo_limit(players.uniform_chances())
    x, o = exact_match(plain, rival, game), exact_match(rival, plain, game).reversed()
    before = float(x.expected + o.expected) / 2
    gains = {
        heat: expected_result(against_random(f"pmc limit, T={heat}")) - before for heat in HEATS
    }
    text = ", ".join(f"{gain:+.4f} at T = {heat:g}" for heat, gain in gains.items())
    return Finding(
        gains[players.TEMPERATURE] > 0,
        f"expected result against random {before:.4f} with uniform playouts; {text}",
        "Gentle playouts help and sharp ones hurt: exact for endless playouts, mean of both sides "
        "and 20 networks.",
    )
