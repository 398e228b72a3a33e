"""The numbers that slides, questions and handouts state, each by a name.

A text says ``{{ceiling}}``; the number is computed here, or read from the stored output of a
notebook, which the tests run again.  So none is typed by hand.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from itertools import count
from math import comb, factorial, floor, log10, sqrt

from ttt_lib.evidence import claims, significance, store
from ttt_lib.evidence.answers import Chance
from ttt_lib.evidence.rounding import format_value, listed
from ttt_lib.evidence.significance import test as put_to_the_test
from ttt_lib.game.board import Grid
from ttt_lib.game.reference import Cells, successors, winner
from ttt_lib.ising import curve
from ttt_lib.ising.energy import energy_of, gains, power_energy, total
from ttt_lib.playout_mlp import ceilings
from ttt_lib.spectral.linear_limits import cell_kinds
from ttt_lib.ultimate.board.notation import parse
from ttt_lib.ultimate.board.rules import legal_moves, play
from ttt_lib.ultimate.solver.plain import solve

FIELD = re.compile(r"\{\{(\w+)\}\}")
"""The name of a number in a text."""


def filled(text: str) -> str:
    """A text with its numbers.

    Raises
    ------
    ValueError
        If there is no number of that name.
    """
    known = facts()
    if unknown := sorted(set(FIELD.findall(text)) - set(known)):
        raise ValueError(f"no number is called {unknown[0]!r}: {', '.join(sorted(known))}")
    return FIELD.sub(lambda found: known[found[1]], text)


@cache
def facts() -> dict[str, str]:
    """Every number by its name, as it is printed."""
    return _judge() | _list() | _tables() | _bias() | _search() | _court()


def printed(notebook: str, pattern: str) -> str:
    """What the group of a pattern matches in the sentences that a stored notebook printed.

    Raises
    ------
    ValueError
        If no output says so.
    """
    if found := re.search(pattern, _outputs(notebook)):
        return found[1]
    raise ValueError(f"{notebook} says nothing like {pattern!r}")


def sentence(notebook: str, words: str) -> str:
    """The sentence with certain words that a stored notebook printed.

    Raises
    ------
    ValueError
        If not exactly one output has them.
    """
    found = [line for line in _outputs(notebook).splitlines() if words in line]
    if len(found) != 1:
        raise ValueError(f"{len(found)} sentences of {notebook} have the words {words!r}")
    return found[0].removeprefix("- ")


@cache
def _outputs(notebook: str) -> str:
    cells = store.cells(store.root() / "notebooks" / f"{notebook}.ipynb")
    shown = (output.get("data", {}) for cell in cells for output in cell.get("outputs", ()))
    return "\n".join("".join(data.get("text/markdown", "")) for data in shown)


def percent(share: float | Fraction, digits: int = 1) -> str:
    """A share in percent."""
    return f"{100 * float(share):.{digits}f}%"


# ---------------------------------------------------------------------------- 1: a judge

THREE_LEFT: Cells = (1, -1, 1, -1, 0, 1, 0, -1, 0)
"""X to move, three cells free: counting endings and going through moves give different chances."""


CORNER: Cells = (1, 0, 0, 0, 0, 0, 0, 0, 0)
"""The first row of the game on the slide: x has taken a corner."""


@cache
def win_chance(board: Cells) -> Fraction:
    """Chance that X wins if both sides go on at random."""
    below = successors(board).values()
    if not below:
        return Fraction(winner(board) == 1)
    return sum((win_chance(after) for after in below), Fraction(0)) / len(below)


def endings(board: Cells) -> list[int]:
    """The result of every way to go on, each listed once."""
    below = successors(board).values()
    return [end for after in below for end in endings(after)] if below else [winner(board)]


def _judge() -> dict[str, str]:
    people, notebook = ceilings.population(), "01_playout_mlp"
    ends, ceiling = endings(THREE_LEFT), float(ceilings.ceiling(people))
    odds = win_chance(CORNER)
    after = successors(THREE_LEFT)
    grouped = store.read_table("playout_mlp_seeds.csv").grouped_accuracy
    return {
        "ceiling": format_value(round(ceiling, 3)),
        "published_accuracy": f"{float(claims.declared('mlp-accuracy').published):.3f}",
        "rows_of_seven": str(len(range(1, 7 + 1, 2))),
        "three_left_chance": str(win_chance(THREE_LEFT)),
        "three_left_endings": str(Fraction(ends.count(1), len(ends))),
        "three_left_count": str(len(ends)),
        "three_left_cells": listed(map(str, after)),
        "three_left_after": listed(str(win_chance(board)) for board in after.values()),
        "three_left_wins": str(ends.count(1)),
        "row_fails": f"{odds.denominator - odds.numerator} of {odds.denominator}",
        "leak": printed(notebook, r"flatters a network by \*\*([\d.]+) ±"),
        "leak_error": printed(notebook, r"by \*\*[\d.]+ ± ([\d.]+\*\* \(95%\))").replace("*", ""),
        "luck": printed(notebook, r"luck moves one test by ± ([\d.]+)"),
        "seen_games": printed(notebook, r"\*\*(\d+%)\*\* come from a playout"),
        "sure": printed(notebook, r"network is ([\d.]+%) sure"),
        "sure_truth": printed(notebook, r"true probability is ([\d/]+) ="),
        "seeds": printed(notebook, r"\*\*\d+ of (\d+) seeds do at least"),
        "seeds_above_grouped": str((grouped > ceiling).sum()),
        "seeds_above": printed(notebook, r"(\d+) seeds lie above the ceiling"),
    }


# ---------------------------------------------------------------------------- 2: a list


def _list() -> dict[str, str]:
    notebook = "02_spectral_dct"
    return {
        "lists": f"{factorial(9):,}",
        "lists_that_hold": printed(notebook, r"without the safety rule: (\d+)\."),
        "kinds_3": str(cell_kinds(3)),
        "kinds_4": str(cell_kinds(4)),
        "kinds_5": str(cell_kinds(5)),
        "agreement": printed(notebook, r"in all (\d+) states"),
    }


# ---------------------------------------------------------------------------- 3: tables


def entry(line: str, side: str) -> int:
    """The number of a table's entry: base 3, first cell counts nine; 27 more with O to move."""
    digits = [".xo".index(letter) for letter in line]
    return 9 * digits[0] + 3 * digits[1] + digits[2] + 27 * (side == "o")


def step(target: float, value: float) -> float:
    """How far one step of lesson 3 moves a weight, at a learning rate of 0.1."""
    return 0.1 * (target - value) * (1 - value**2)


def _tables() -> dict[str, str]:
    notebook = "03_ntuple_network"
    return {
        "entry_o": str(entry("x.o", "o")),
        "entry_x": str(entry("x.o", "x")),
        "missing_entries": ", ".join(
            f"{entry(line, 'x')} and {entry(line, 'o')}" for line in (".xx", "oo.")
        ),
        "sheet_rows": listed(str(entry(line, "x")) for line in ("x.o", ".x.", "..o")),
        "sheet_columns": listed(str(entry(line, "x")) for line in ("x..", ".x.", "o.o")),
        "sheet_diagonals": listed(str(entry(line, "x")) for line in ("xxo", "ox.")),
        "step_unsure": f"{step(1, 0.6):.4f}",
        "step_sure": f"{step(-1, 0.99):.4f}".replace("-", "−"),
        "entry_backwards": str(entry("o.x", "o")),
        "misplayed": printed(notebook, r"misplays (\d+) of the \d+ positions"),
        "to_move": printed(notebook, r"misplays \d+ of the (\d+) positions"),
        "own_positions": printed(notebook, r"of the (\d+) in which it has to move"),
        "own_misplayed": printed(notebook, r"but (\d+) of the \d+ in which it has to move"),
        "numbers": printed(notebook, r"Of (\d+) numbers, only"),
        "independent": printed(notebook, r"only \*\*(\d+)\*\* are independent"),
    }


# ---------------------------------------------------------------------------- 4: b


TWO_STONES: Cells = (1, 0, 0, 0, -1, 0, 0, 0, 0)
"""The board of lesson 4: x in a corner, o in the centre."""


def worth_at_one(cell: int) -> int:
    """What a move of o is worth at b = 1 between two stones of x, corner, centre, corner."""
    moves = gains(power_energy(Grid(3), Fraction(3)), (1, 0, 0, 0, -1, 0, 0, 0, 1), -1)
    one = next(move for move in moves if move.move == cell)
    both = (sum(n * 3**k for k, n in enumerate(part)) for part in (one.own, one.other))
    return sum(both)


def crossing(one: tuple[int, int], other: tuple[int, int]) -> Fraction:
    """The b at which two moves, each worth P + bQ, are worth the same."""
    return Fraction(one[0] - other[0], other[1] - one[1])


def _bias() -> dict[str, str]:
    pieces = curve.named("equation", "o", "random")
    plateau = curve.at(pieces, 0.647)
    program = curve.at(curve.named("published", "o", "random"), 0.647)
    first, second, third = (9, 3), (6, 9), (7, 4)  # moves worth P + bQ
    weights = energy_of("equation", Grid(3)).weights
    step_1, step_2 = weights[2] - weights[1], weights[3] - weights[2]
    energy = power_energy(Grid(3), Fraction(3))
    own = {
        one.move: sum(number * 3**power for power, number in enumerate(one.own))
        for one in gains(energy, TWO_STONES, 1)
    }
    return {
        "program_plateau_from": f"{float(program.start):.4f}",
        "program_plateau_loss": str(program.outcome.loss),
        "program_loss": f"{float(program.outcome.loss):.4f}",
        "text_loss": f"{float(plateau.outcome.loss):.4f}",
        "plateau_from": f"{float(plateau.start):.3f}",
        "step_1": f"{step_1:.2f}",
        "step_2": f"{step_2:.2f}",
        "step_ratio": f"{step_1 / step_2:.3f}",
        "plateau_loss": str(plateau.outcome.loss),
        "plateau_loss_percent": percent(plateau.outcome.loss, 2),
        "loss_at_zero": percent(pieces[0].outcome.loss),
        "pieces": str(len(pieces)),
        "crossing": str(crossing(first, second)),
        "crossing_below": str(crossing(second, third)),
        "crossing_beyond": str(crossing(first, third)),
        "energy_x": f"{float(total(energy, TWO_STONES, 1)):g}",
        "energy_o": f"{float(total(energy, TWO_STONES, -1)):g}",
        "gain_edge": str(own[1]),
        "gain_corner": str(own[2]),
        "corner_at_one": str(worth_at_one(2)),
        "tenths": repr(0.1 + 0.2),
    }


# ---------------------------------------------------------------------------- 5: search


def score(plies: int, *, wins: bool) -> int:
    """A solver's score: a win in d plies is 100 - d, a loss d - 100."""
    return (100 - plies) if wins else plies - 100


PRIORS, VISITS, TOTALS = (0.5, 0.3, 0.2), (4, 1, 0), (-2.0, 1.0, 0.0)
"""The moves a, b and c of lesson 5; totals as seen by the player to move after each."""


def puct(sign: int) -> list[float]:
    """Scores of the three moves with c = 1; a sign of -1 turns the totals to the chooser's side."""
    root = sqrt(sum(VISITS))
    means = [sign * total / max(visits, 1) for total, visits in zip(TOTALS, VISITS, strict=True)]
    return [q + p * root / (1 + n) for q, p, n in zip(means, PRIORS, VISITS, strict=True)]


LATE = "o.o.xoxx.oxx.oox..xxx.xox.xoox..xx.oxoooox..o.xoxo.x.oooooxoxx....oxxx.....ooxx.o o -"
"""The position of lesson 5 with three cells left."""


def late_scores() -> list[int]:
    """Scores of its moves, the best first."""
    position, found = parse(LATE), []
    for move in legal_moves(position):
        result, plies = solve(play(position, move))
        found.append(score(1 + (plies or 0), wins=result < 0))
    return sorted(found, reverse=True)


def _search() -> dict[str, str]:
    notebook = "05_alphazero_lite"
    right, wrong = puct(-1), puct(1)
    now, soon, lost = (str(one).replace("-", "−") for one in late_scores())
    broken = store.read_table("ultimate_faults.csv").query("fault != 'none'")
    rows = broken[["result", "distance", "move"]].to_numpy()
    measured = store.read_table("ultimate_exhibits.csv").set_index(["quantity", "setting"]).value
    missed = measured["wins in one missed"]
    return {
        "puct_scores": ", ".join(f"{one:.2f}" for one in right).replace("-", "−"),
        "puct_choice": "abc"[right.index(max(right))],
        "puct_wrong": "abc"[wrong.index(max(wrong))],
        "late_now": now,
        "late_soon": soon,
        "late_lost": lost,
        "child_score": str(score(2, wins=False)).replace("-", "−"),
        "parent_score": str(score(3, wins=True)),
        "parent_forgot": str(score(2, wins=True)),
        "child_won": str(score(3, wins=True)),
        "parent_lost": str(score(4, wins=False)).replace("-", "−"),
        "fault_positions": str(broken.positions.unique().item()),
        "fault_rows": "; ".join(", ".join(map(str, row)) for row in rows),
        "missed_new": percent(missed["wrong sign, new network"], 0),
        "missed_trained": percent(missed["wrong sign, trained network"], 0),
        "parent_twice": str(score(4, wins=True)),
        "right_sign": printed(notebook, r"right sign scores \*\*(\d+%)\*\*"),
        "wrong_sign": printed(notebook, r"the wrong one \*\*(\d+%)\*\*"),
    }


# ---------------------------------------------------------------------------- 6: a court


def can_fail(alpha: float) -> int:
    """The fewest games, each won with a chance of 3/4, of which some count is rejected."""
    chance = Chance(Fraction(3, 4))
    return next(
        games
        for games in count(1)
        if any(put_to_the_test(chance, won, games).p_value < alpha for won in range(games + 1))
    )


def power(games: int, alpha: float) -> Fraction:
    """The chance that a claim of 1/2 is rejected if each game is won with a chance of 3/4."""
    claim, wins = Chance(Fraction(1, 2)), range(games + 1)
    rejected = [won for won in wins if put_to_the_test(claim, won, games).p_value < alpha]
    return sum((Fraction(comb(games, won) * 3**won, 4**games) for won in rejected), Fraction(0))


def powerful(alpha: float) -> list[int]:
    """Numbers of games, below 100, with which the power of that test is at least 80%."""
    return [games for games in range(1, 100) if power(games, alpha) >= Fraction(4, 5)]


def from_on(found: list[int]) -> int:
    """The number from which on no number is left out."""
    return next(n for n in found if found[-1] - n == len(found) - 1 - found.index(n))


SHEET = (
    (29, 30, Fraction(373, 384)), (1, 30, Fraction(11, 384)), (29, 30, Fraction(185, 192)),
    (11, 20, Fraction(1, 2)), (64, 100, Fraction(1, 2)), (0, 10, Fraction(1, 10)),
    (0, 100, Fraction(1, 10)), (1, 1, Fraction(3, 4)), (40, 100, Fraction(1, 3)),
    (3, 10, Fraction(1, 2)),
)  # fmt: skip
"""The claims of lesson 6: counts, games, chances of one game."""


def brief(p_value: float) -> str:
    """A p-value with two decimals, or to its first digit that is not 0; 1 where it rounds to 1."""
    decimals = max(2, -floor(log10(p_value)))
    return f"{p_value:.{decimals}f}".replace("1.00", "1")


def undecided(games: int, chance: Fraction) -> bool:
    """Whether more counts than the ledger allows would have passed."""
    _, _, share = put_to_the_test(Chance(chance), 0, games).accepts(claims.SIGNIFICANCE)
    return share > claims.BLUNT


def _court() -> dict[str, str]:
    one, enough = put_to_the_test(Chance(Fraction(3, 4)), 1, 1), powerful(0.05)
    many = put_to_the_test(Chance(Fraction(1, 3)), 40, 100)
    passing = many.accepts(0.05)
    fair, notebook = Chance(Fraction(1, 2)), "06_arena"
    players = int(printed(notebook, r"such cycles among the (\d+) players"))
    heads = [n for n in range(11) if put_to_the_test(fair, n, 10).p_value <= 0.05]
    coin = Fraction(sum(comb(10, n) for n in heads), 2**10)
    p_values = (0.004, 0.03, 0.04)
    rejected = sum(p <= 0.05 for p in significance.holm(p_values))
    return {
        "any_of_ten": percent(1 - 0.95**10, 0),
        "any_of_ten_coins": percent(1 - (1 - coin) ** 10, 0),
        "coin_rejected": percent(coin),
        "three_heads_p": brief(put_to_the_test(fair, 3, 10).p_value),
        "cycles": printed(notebook, r"There are (\d+) such cycles"),
        "triples": f"{comb(players, 3):,}",
        "can_fail_5": str(can_fail(0.05)),
        "can_fail_1": str(can_fail(0.01)),
        "sheet_p_values": listed(
            brief(put_to_the_test(Chance(p), k, n).p_value) for k, n, p in SHEET
        ),
        "sheet_undecided": listed(f"{k} of {n}" for k, n, p in SHEET if undecided(n, p)),
        "power_5": str(from_on(enough)),
        "power_1": str(from_on(powerful(0.01))),
        "power_first_5": str(enough[0]),
        "one_of_one_p": format_value(one.p_value),
        "forty_p": f"{many.p_value:.2f}",
        "forty_low": f"{passing.low:.0f}",
        "forty_high": f"{passing.high:.0f}",
        "level": percent(claims.SIGNIFICANCE, 0),
        "holm_rejected": {0: "None", 1: "One", 2: "Two", 3: "Three"}[rejected],
        "holm_limits": f"{0.05 / 3:.4f}, {0.05 / 2:.3f} and {0.05:.2f}",
        "no_loss_in_ten": percent(Fraction(9, 10) ** 10, 0),
    }
