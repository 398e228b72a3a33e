"""Measure one trained network as the document does, and against the exact population."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game.board import Ints, parse
from ttt_lib.game.exact import Outcome, random_outcome
from ttt_lib.game.policy import move_scores
from ttt_lib.playout_mlp import ceilings
from ttt_lib.playout_mlp.data import GRID, Examples, examples, split_games, split_rows
from ttt_lib.playout_mlp.model import Net, Run, as_net, evaluator, net, train, train_regressor

SEEDS = range(40)
COPYING_SEEDS = range(400)
"""Ten times as many where no network has to be trained."""

EXAMPLES = ("xx.ox.o..", "ox.xox...", "xox.ox...", "oxx..x..o")
"""The document's four boards, O to move."""

TABLES = (".........", "xox.o....", "ox...x..o")
"""The document's three boards whose moves are valued, X to move."""


def board(text: str) -> NDArray[np.int8]:
    """One board as a batch, shape (1, 9)."""
    return parse(text, GRID)[None]


def share(hits: Any) -> float:
    """Share of true entries; nan where there is nothing to count."""
    return float(np.mean(hits)) if len(hits) else math.nan


def confusion(predicted: NDArray[np.int8], true: NDArray[np.int8]) -> Ints:
    """Counts as the document prints them: rows predicted, columns true, -1, 0, 1; shape (3, 3)."""
    from sklearn.metrics import confusion_matrix

    found = confusion_matrix(true, predicted, labels=[-1, 0, 1])
    return np.asarray(found.T, dtype=np.int64)


def expected_utilities(network: Net, text: str) -> dict[int, float]:
    """What the network expects after each empty cell is taken, for the side to move."""
    values = move_scores(GRID, evaluator(network), ends=False)(board(text))[0]
    return {int(cell): float(values[cell]) for cell in np.flatnonzero(values > -np.inf)}


@dataclass(frozen=True, eq=False)
class Scored:
    """Predictions for test rows, with the rows' true outcomes."""

    test: Examples
    predicted: NDArray[np.int8]

    def accuracy(self, keep: Any = slice(None)) -> float:
        """Share of correct predictions among the rows to keep."""
        return share((self.predicted == self.test.outcomes)[keep])


def scored(network: Net, test: Examples) -> Scored:
    """Predict the outcomes of test rows."""
    return Scored(test, network.classes(test.boards))


def on_own_rows(seed: int, empties: int) -> tuple[float, float]:
    """Accuracy on a network's training rows with so many empty cells: its own, the best function's.

    Raises
    ------
    ValueError
        If the seed is negative.
    """
    data = examples(rng=seed)
    rows = data[split_rows(data, seed)[0]]
    keep = rows.empties == empties
    return scored(net(seed), rows).accuracy(keep), oracle(rows).accuracy(keep)


def published_quantities(run: Run) -> dict[str, float]:
    """Every number the document prints, for one seed."""
    network, test = run.net, run.test
    result, late = scored(network, test), test.empties <= 2
    found: dict[str, float] = {
        "rows": len(run.train) + len(test),
        "test_rows": len(test),
        "iterations": run.model.n_iter_,
        "converged": int(run.model.n_iter_ < run.model.max_iter),
        "accuracy": result.accuracy(),
        "late_rows": int(late.sum()),
        "late_accuracy": result.accuracy(late),
    }
    counts = confusion(result.predicted, test.outcomes)
    found |= {
        f"count_{p}{t}": int(counts[i, j]) for i, p in enumerate("odx") for j, t in enumerate("odx")
    }
    for place, text in enumerate(EXAMPLES, start=1):
        chances = network.chances(board(text))[0]
        found |= {f"p{place}_{k}": float(p) for k, p in zip("xdo", chances, strict=True)}
        found[f"class{place}"] = int(network.classes(board(text))[0])
    for place, text in enumerate(TABLES, start=1):
        found |= {f"u{place}_{cell}": u for cell, u in expected_utilities(network, text).items()}
    return found


def leak_quantities(run: Run, seed: int) -> dict[str, float]:
    """How optimistic the split by rows is: repeated boards, and a split by whole playouts."""
    data = examples(rng=seed)
    train_rows, test_rows = split_games(data, seed)
    apart = data[train_rows], data[test_rows]
    grouped = as_net(train(apart[0], seed))
    seen = repeated(run.train, run.test)
    result, people = scored(run.net, run.test), ceilings.population()
    held_out = scored(grouped, apart[1])
    return {
        "repeated_share": share(seen),
        "repeated_accuracy": result.accuracy(seen),
        "new_accuracy": result.accuracy(~seen),
        "playout_in_train_share": share(np.isin(run.test.games, run.train.games)),
        "oracle_accuracy": oracle(run.test).accuracy(),
        "oracle_late_accuracy": oracle(run.test).accuracy(run.test.empties <= 2),
        "grouped_accuracy": held_out.accuracy(),
        "grouped_late_accuracy": held_out.accuracy(apart[1].empties <= 2),
        "grouped_oracle_accuracy": oracle(apart[1]).accuracy(),
        "grouped_population_accuracy": float(
            ceilings.accuracy(people, grouped.classes(people.boards))
        ),
    }


def repeated(train_rows: Examples, test_rows: Examples) -> NDArray[np.bool_]:
    """Whether each test row's board also occurs in the training rows, shape (R,)."""
    return np.isin(GRID.codes(test_rows.boards), GRID.codes(train_rows.boards))


def oracle(test: Examples) -> Scored:
    """The Bayes-optimal prediction of test rows."""
    game = ceilings.tree()
    best = ceilings.OUTCOMES[game.random_play[game.index(test.boards)].argmax(axis=1)]
    return Scored(test, np.asarray(best))


def copying_quantities(seed: int) -> dict[str, float]:
    """What copying the most similar training row gains from the leak; nothing is trained.

    Accuracies of the copier and, on the same test rows, of the best function: under the split by
    rows, and under the split by whole playouts.
    """
    data, found = examples(rng=seed), {"seed": float(seed)}
    for name, split in {"": split_rows, "grouped_": split_games}.items():
        train_rows, test_rows = split(data, seed)
        found[f"{name}accuracy"] = neighbour(data[train_rows], data[test_rows])
        found[f"{name}oracle_accuracy"] = oracle(data[test_rows]).accuracy()
    return found


def neighbour(train_rows: Examples, test_rows: Examples) -> float:
    """Expected accuracy of copying the outcome of a nearest training row, drawn at random.

    Nearest are the rows whose boards differ in the fewest cells; mostly there are several, often
    copies of one board.  A library's search returns one of them, and which one can depend on the
    processor; here all count alike.
    """
    differing = np.array([(train_rows.boards != b).sum(axis=1) for b in test_rows.boards])
    nearest = differing == differing.min(axis=1, keepdims=True)
    right = nearest & (train_rows.outcomes == test_rows.outcomes[:, None])
    pairs = zip(right.sum(axis=1).tolist(), nearest.sum(axis=1).tolist(), strict=True)
    return float(sum(Fraction(hits, count) for hits, count in pairs) / len(test_rows))


def late_quantities(run: Run) -> dict[str, float]:
    """What makes up the accuracy on boards with at most two empty cells."""
    late = run.test[run.test.empties <= 2]
    done, result = GRID.finished(late.boards), scored(run.net, late)
    return {
        "late_finished_share": share(done),
        "late_finished_accuracy": result.accuracy(done),
        "late_running_accuracy": result.accuracy(~done),
    }


def population_quantities(network: Net) -> dict[str, float]:
    """The network on every board it could meet, weighted by how often random play meets it."""
    people = ceilings.population()
    late = ceilings.late(people)
    chances, values = network.chances(people.boards), network.expected(people.boards)
    found = {
        "population_accuracy": float(ceilings.accuracy(people, network.classes(people.boards))),
        "population_late_accuracy": float(ceilings.accuracy(late, network.classes(late.boards))),
        "log_loss": ceilings.log_loss(people, chances),
        "brier": ceilings.brier(people, chances),
        "rmse": ceilings.rmse(people, values),
        "correlation": ceilings.correlation(people, values),
    }
    for count, part in ceilings.by_empties(people, lambda part: part).items():
        guess = network.expected(part.boards)
        correct = ceilings.accuracy(part, network.classes(part.boards))
        found[f"population_accuracy_{count}"] = float(correct)
        found[f"rmse_{count}"] = ceilings.rmse(part, guess)
        found[f"correlation_{count}"] = ceilings.correlation(part, guess)
    return found


def accuracy_by_empties(run: Run) -> dict[str, float]:
    """Test accuracy for each number of empty cells."""
    result = scored(run.net, run.test)
    return {
        f"accuracy_{count}": result.accuracy(run.test.empties == count) for count in (8, 6, 4, 2, 0)
    }


def regressor_quantities(run: Run, seed: int) -> dict[str, float]:
    """A regression on the outcome, compared with the irreducible error."""
    model, people = train_regressor(run.train, seed), ceilings.population()
    on_test = model.predict(run.test.boards.astype(np.float64)) - run.test.outcomes
    distance = ceilings.rmse(people, model.predict(people.boards.astype(np.float64)))
    return {
        "regressor_test_rmse": math.sqrt(float(np.mean(on_test**2))),
        "regressor_distance": distance,
        "regressor_rmse": math.hypot(distance, ceilings.rmse_floor(people)),
    }


def quantities(run: Run, seed: int) -> dict[str, float]:
    """All of the above in one row of the stored table."""
    return {
        "seed": seed,
        **published_quantities(run),
        **late_quantities(run),
        **accuracy_by_empties(run),
        **leak_quantities(run, seed),
        **population_quantities(run.net),
        **regressor_quantities(run, seed),
    }


def exact_chances(text: str) -> Outcome:
    """Exact chances of X win, draw and O win when a board is played out at random."""
    game = ceilings.tree()
    return random_outcome(game, int(game.index(board(text))[0]))


def exact_expected(text: str) -> Fraction:
    """Exact expected outcome from X's side when a board is played out at random."""
    return exact_chances(text).expected
