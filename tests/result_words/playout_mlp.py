"""What notebook 01 and its figures say of document 1, built from the evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from math import ceil
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import norm

from result_words.ntuple import shown
from result_words.tools import (
    GRID,
    TREE,
    capital,
    drawn,
    ledger,
    listed,
    says,
    so,
    stored,
    told,
    way,
    word,
)
from ttt_lib.evidence import significance
from ttt_lib.evidence.claims import SIGNIFICANCE
from ttt_lib.evidence.documents import published_elsewhere
from ttt_lib.game.board import parse
from ttt_lib.game.exact import policy_table, random_outcome, worst_case
from ttt_lib.game.policy import lookahead, winning_cells
from ttt_lib.game.stats import mean_interval
from ttt_lib.playout_mlp import ceilings, choices, claims, players
from ttt_lib.playout_mlp.controls import CLOSER
from ttt_lib.playout_mlp.data import TEST_SHARE
from ttt_lib.playout_mlp.lost_games import losses, of_networks, saved_by_both, told_of_ends
from ttt_lib.playout_mlp.model import evaluator, net
from ttt_lib.playout_mlp.runs import BUDGETS, sampled_player
from ttt_lib.playout_mlp.study import EXAMPLES, TABLES, on_own_rows


@cache
def seeds() -> Any:
    return stored("playout_mlp_seeds.csv")


def asked_within_chance() -> Any:
    """Networks that are asked about finished games and do as uniform playouts, but for chance."""
    rows = stored("playout_mlp_controls_by_network.csv")
    asked = rows[rows.kind == choices.ASKED].set_index("seed")
    plain = claims.at_length().loc[[choices.UNIFORM] * len(asked)].set_index(asked.index)
    z = claims.in_errors(asked, plain)
    return z[2 * norm.sf(z.abs()) >= SIGNIFICANCE].index


@cache
def strength() -> Any:
    """Exact results of the players of document 1 against random play."""
    rows = stored("playout_mlp_strength.csv")
    rows = rows[rows.opponent == "random"]
    return rows.assign(lost=[float(Fraction(text)) for text in rows.loss])


def assert_little_was_rejected() -> None:
    """What the reason of ``mlp-accuracy`` says: only values close to the constant answer's."""
    people, row = ceilings.population(), ledger()["mlp-accuracy"]
    least, best = float(ceilings.majority(people)), float(ceilings.ceiling(people))
    assert "only values close to the former would have been rejected" in row["reason"]
    low, high = row["accepts"]
    assert least < low < least + (best - least) / 5
    assert high > best


def unbeatable(values: str) -> list[int]:
    """The depths at which nobody beats the player, on either side."""
    rows = strength()[strength()["values"] == values]
    return [int(d) for d, part in rows.groupby("depth") if (part.worst >= 0).all()]


@says("notebooks/01_playout_mlp.ipynb")
def bounds() -> Iterator[str]:
    """The best that any function can do, and what was published."""
    people = ceilings.population()
    published = float(ledger()["mlp-accuracy"]["published"])
    side = way(published > ceilings.ceiling(people), "above", "below")
    yield f'The accuracy that "is not great" lies *{side}* the expected accuracy of the best'
    assert_little_was_rejected()
    boards = int((people.empties == 6).sum())
    each = round(1000 * (1 - TEST_SHARE) / boards)
    yield f"there are {boards} of these boards, each occurs some {word(each)} times in the training"
    share = float(sum(ceilings.error_shares(people)[e] for e in claims.EARLY))
    shares = ceilings.by_empties(
        people, lambda part: part.rows_per_playout / people.rows_per_playout
    )
    few = sum(shares[e] for e in claims.EARLY)
    unfinished = float(few / (1 - ceilings.finished_share(people)))
    early_rows = np.isin(claims.running().empties, claims.EARLY)
    yield so("boards with few stones have more than their share of the errors", share > unfinished)
    open_ = claims.open_share(claims.running().where(early_rows))
    yield so("and on most of them all three results are possible", open_ > Fraction(1, 2))
    yield so("It is not much more, though, if only boards on which the game goes on are counted",
             0 < share - unfinished < 0.05)  # fmt: skip
    rows = sorted(ceilings.moves_of_x())
    yield f"One playout gives {word(rows[0])} to {word(rows[-1])} rows"
    fair = seeds().population_accuracy - float(ceilings.ceiling(people))
    apart = (seeds().grouped_accuracy - seeds().grouped_oracle_accuracy) - fair
    least = ceil(abs(apart.mean()) / apart.sem())
    yield f"the two shortfalls differ by less than {word(max(2, least))} standard errors"


@says("notebooks/01_playout_mlp.ipynb")
def runs() -> Iterator[str]:
    """Seeds, mistakes, and runs printed elsewhere."""
    yield f"repeat it {word(len(seeds()))} times"
    first = seeds().iloc[0]
    wrong = ["count_od", "count_ox", "count_do", "count_dx", "count_xo", "count_xd"]
    to_x = first[["count_xo", "count_xd"]].sum() / first[wrong].sum()
    yield f"{way(to_x > 0.5, 'More', 'Less')} than half of the mistakes are rows that the network"
    others = published_elsewhere(1)
    accuracy = others.accuracy.astype(float)
    more = int((others.playouts.astype(int) > 1000).sum())
    yield f"{word(len(others))} more runs of the same network can be read in them"
    yield f"{capital(more)} of them use more playouts than the thousand"
    low, high = seeds().accuracy.min(), seeds().accuracy.max()
    inside = accuracy.between(low + (high - low) / 10, high - (high - low) / 10)
    yield f"{way(inside.all(), 'All', 'Not all')} {word(len(others))} lie well within the range"


@says("notebooks/01_playout_mlp.ipynb")
def forecasts() -> Iterator[str]:
    """How far the networks come from quoting shares to the best forecast."""
    people, middle = (
        ceilings.population(),
        seeds()[["log_loss", "brier", "regressor_rmse"]].median(),
    )
    shares = ceilings.class_shares(people)
    best = [
        ceilings.log_loss_floor(people),
        float(ceilings.brier_floor(people)),
        ceilings.rmse_floor(people),
    ]
    flat = ceilings.rmse(people, shares[:, 0] - shares[:, 2])
    base = [
        ceilings.log_loss(people, shares),
        ceilings.brier(people, shares),
        np.hypot(best[2], flat),
    ]
    gained = (np.array(base) - middle) / (np.array(base) - best)
    about_half = (gained - 0.5).abs().max() < 0.1
    yield so("The networks cover about half of that way", about_half)
    number, classes = gained["regressor_rmse"], gained.drop("regressor_rmse")
    yield so("trained on the outcome as a number, fares much the same",
             classes.min() - 0.05 < number < classes.max() + 0.05)  # fmt: skip
    half = way(number < 0.5, "less", "more")
    yield f"and it removes {half} than half of the rest"


@says("notebooks/01_playout_mlp.ipynb")
def second_test() -> Iterator[str]:
    """What finished boards do for the test on late ones, and what a lost side prefers."""
    kept = seeds().late_finished_share > 0
    flattered = seeds().late_accuracy.mean() > seeds().late_running_accuracy.mean()
    easy = seeds().late_finished_accuracy.mean() > 0.95
    text = '"boards that have only two cells left to play", looks better than it is.'
    yield so(text, kept.all() and flattered)
    meant = ledger()["mlp-two-left"]["verdict"] == "reproduced"
    more = int(ceilings.late(ceilings.population()).empties.max())
    yield so(f"In its program that is *at most {word(more)}*: full boards are kept, too, and "
             "boards on which a line is already complete.", meant and kept.all())  # fmt: skip
    yield so("Reading a finished board takes no foresight.", easy)
    lost = (TREE.value == 1) & (TREE.ply % 2 == 1) & ~TREE.finished
    chosen = policy_table(players.exact_agent(6), TREE)[lost] > 0
    yield so("once the search has proven a loss, all moves are alike to it, and o need not even "
             "defend", np.array_equal(chosen, TREE.legal[lost]))  # fmt: skip


@cache
def given_up(depth: int) -> float:
    """What share of its losses o avoids if it chooses among lost moves by expectation."""
    lost, less, _ = players.lost_by_ties(depth).values()
    return float(1 - less / lost)


@says("notebooks/01_playout_mlp.ipynb")
def forgetting() -> Iterator[str]:
    """What of the losses of a deeper search is forgetting, and what giving up."""
    tables = [players.tie_broken(depth) for depth in (3, 4, 5)]
    yield so("If every tie is broken by the expectation right after the move, o can't be beaten",
             all(worst_case(TREE, one, -1).worst == 0 for one in tables))  # fmt: skip
    few = [depth for depth in (3, 4, 5) if given_up(depth) < 0.5]
    yield so("giving up explains less than half of the losses to random play at depth three, but "
             "most at depths four and five", few == [3])  # fmt: skip


@says("notebooks/01_playout_mlp.ipynb")
def guesses() -> Iterator[str]:
    """What the likeliest outcome is, and how likely."""
    openings = [random_outcome(TREE, int(state)) for state in TREE.children[0]]
    likeliest = all(one.win > max(one.draw, one.loss) for one in openings)
    yield so('the best guess is "x wins" wherever the stone is', likeliest)
    majority = random_outcome(TREE, 0).win > Fraction(1, 2)
    yield so("x wins the majority of random games", majority)
    ceiling = drawn("01_accuracy_by_empties").set_index("empty").ceiling[6]
    constant = float(ceilings.by_empties(ceilings.population(), ceilings.majority)[6])
    yield so(f"the board hardly helps to guess the label (the best function is right less than one "
             f"point more often than “x wins”: {ceiling:.3f} against {constant:.3f})",
             constant < ceiling < constant + 0.01)  # fmt: skip
    told, foretold = np.array([on_own_rows(seed, empties=6) for seed in range(20)]).T
    yield so("learn part of that noise by heart, as the accuracy on the networks' own training "
             "rows shows", constant < foretold.mean() + 0.03 < told.mean())  # fmt: skip


@says("notebooks/01_playout_mlp.ipynb")
def flattered() -> Iterator[str]:
    """What the leak is worth, and to whom."""
    mean = seeds().mean(numeric_only=True)
    rows = mean.oracle_accuracy - mean.accuracy
    yield so("Tested the lesson's way (first row), it seems closer. That is the leak",
             rows < mean.grouped_oracle_accuracy - mean.grouped_accuracy)  # fmt: skip
    [whole] = told("01_playout_mlp", r"flatters a network by \*\*([\d.]+)")
    [late] = told("01_playout_mlp", r"flatters the network by \*\*([\d.]+)")
    yield f"headline number is flattered too, and by {way(late > whole, 'more', 'less')}"
    copier = stored("playout_mlp_copying.csv")
    known = copier.accuracy - copier.oracle_accuracy
    gain = known - (copier.grouped_accuracy - copier.grouped_oracle_accuracy)
    profits = gain.mean() > 3 * gain.sem()
    yield f"should profit from the leak. It {way(profits, 'does', 'does not show that it does')}"
    assert copier.seed[: len(seeds())].equals(seeds().seed)
    seen = seeds().accuracy - seeds().oracle_accuracy
    same = seen - (seeds().grouped_accuracy - seeds().grouped_oracle_accuracy)
    more = same - gain[: len(seeds())]
    yield so("It does, though less than the network by the same measure",
             profits and more.mean() > 1.96 * more.sem())  # fmt: skip
    shared = gain[: len(seeds())]
    yield so("on the seeds that both share, copying happens to gain nothing",
             shared.mean() < shared.sem() < gain.mean())  # fmt: skip
    found, half = shown(r"adjusted by regression +([\d.]+) +([\d.]+)", "01_playout_mlp")[0]
    yield so(
        "Adjusted for what copying gains over all its seeds it is smaller, and still clear",
        half < found < more.mean(),
    )
    fair = seeds().population_accuracy
    below = float(ceilings.ceiling(ceilings.population())) - fair.max() > np.ptp(fair)
    narrow = fair.std() < seeds().accuracy.std() / 2
    yield so("a narrow cluster well below the ceiling", below and narrow)
    others = published_elsewhere(1).astype({"playouts": float, "accuracy": float})
    more = others.accuracy[others.playouts > 1000]
    gained = more.mean() - seeds().accuracy.mean()
    none = gained < 2 * seeds().accuracy.std() / len(more) ** 0.5
    yield so(f"The {word(len(more))} with more playouts show no clear gain", none)
    hidden = 2 * seeds().accuracy.std() / len(more) ** 0.5 > 0.01
    yield so("and a gain of a point would not show", hidden)


@says("notebooks/01_playout_mlp.ipynb")
def remarks() -> Iterator[str]:
    """Remarks and advice of the lesson that hold."""
    names = ("mlp-x-will-win", "mlp-o-will-win", "mlp-draw-at-7", "mlp-bad-for-x")
    held = sum(ledger()[name]["verdict"] == "reproduced" for name in names)
    yield f"The other {word(held)} hold"
    likeliest = drawn("01_boards").set_index("outcome").groupby("board").published.idxmax()
    told_winner = likeliest.map({"x": 1, "d": 0, "o": -1})
    truth = TREE.value[TREE.index(np.stack([parse(text, GRID) for text in EXAMPLES]))]
    right = (told_winner.to_numpy() == truth).sum()
    every = so("all of these boards", right == len(truth) and truth.all())
    yield f"on {every} the lesson's network predicts the player who wins"
    given = [ledger()[f"mlp-{name}"]["quantity"] for name in ("avoid-loss", "play-to-win")]
    moves = [re.findall(r"([xo.]{9}): play (\d)", text) for text in given]
    alone = all(only_move(board, int(cell)) for [(board, cell)] in moves)
    yield so("strongest sense: every other move loses.", alone)
    advice = [ledger()[f"mlp-{name}"] for name in ("centre", "avoid-loss", "play-to-win")]
    sound = sum(row["verdict"] == "reproduced" for row in advice)
    strict = sum("any other move o wins" in row["ours"] for row in advice)
    yield f"All {word(sound)} pieces of advice are sound, {word(strict)} of them in the strongest"
    found, of = told("01_playout_mlp", r"\*\*(\d+) of (\d+)\*\* where x must play 7")
    few = way(found < 2 * of / 3, "many", "few")
    run = pd.DataFrame([claims.published_run()])
    first = [int(claims.first_moves(run, place)[0][-1]) for place in claims.ADVICE]
    yield so("The published network finds all three moves", first == [*claims.ADVICE.values()])
    yield f"including the one that avoids the loss; {few} of ours do not"
    ends = [told("01_playout_mlp", rf"surest of {side} .*? expects ([−+\d.]+) .*?\*\*([−+\d.]+)")
            for side in "ox"]  # fmt: skip
    over = all(abs(expected) > abs(true) for expected, true in ends)
    rows = drawn("01_calibration").query("panel == 'left'")
    sure = rows[rows.predicted.abs() > 0.8]
    gap = (sure.predicted - sure.exact) * sure.visits * np.sign(sure.predicted)
    both = (gap.groupby(np.sign(sure.predicted)).sum() > 0).all()
    yield so("the networks are **overconfident** at both ends", over and both)


def only_move(board: str, cell: int) -> bool:
    """Whether X loses by every move but one, and not by that."""
    state = int(TREE.index(parse(board, GRID)[None])[0])
    held = (TREE.value[TREE.children[state]] >= 0) & TREE.legal[state]
    return np.flatnonzero(held).tolist() == [cell]


@says("notebooks/01_playout_mlp.ipynb")
def preferred() -> Iterator[str]:
    """What o does in the states in which it prefers a losing move at depth one."""
    open_rows, longer = [], []
    for state in players.faulty(1)[0]:
        after = TREE.children[state][policy_table(players.exact_agent(1), TREE)[state] > 0]
        wins = winning_cells(GRID, TREE.boards[after], np.ones(len(after), dtype=np.int8))
        (open_rows if wins.any(axis=1).all() else longer).append(state)
        assert wins.any(axis=1).all() or not wins.any()
    before = winning_cells(GRID, TREE.boards[open_rows], np.ones(len(open_rows), dtype=np.int8))
    yield so("in some states it leaves x's two in a row open", len(before) and before.any(1).all())
    yield so("and in the others it walks into a defeat that takes longer", longer)


@says("notebooks/01_playout_mlp.ipynb")
def apart() -> Iterator[str]:
    """How many of our networks stand out among the others as the published one does among ours."""
    beyond = claims.beyond_all_others()
    alike = sum(count >= len(claims.beyond_all()) for count in beyond)
    few = so("at most a little unusual", 0.1 < alike / len(beyond) < 0.25)
    yield f"this one is {few}: {word(alike)} of our {word(len(beyond))} stand out as often among"


@cache
def mean_lost() -> Any:
    """Mean chance of losing to random play, by values, depth and side."""
    return strength().groupby(["values", "depth", "side"]).lost.mean()


def lost_with_exact_values() -> dict[str, Any]:
    """The same with exact values, by rule for ties."""
    return {rule: mean_lost()[f"exact, ties {rule}"] for rule in ("first", "uniform")}


@cache
def networks_by_lot() -> dict[int, Any]:
    """What the networks lose if they break ties at random, by depth."""
    return {depth: of_networks(depth, "uniform") for depth in (1, 2, 3, 4)}


@says("notebooks/01_playout_mlp.ipynb")
def networks_told_of_ends() -> Iterator[str]:
    """What networks lose that are asked about finished games, too, or told their values."""
    net, ends = (mean_lost()[f"net {kind}"] for kind in ("x", "x, ends too"))
    more = (ends > net[ends.index]).all()
    text = "on average, because a network that"
    yield f"Then the networks lose {way(more, 'more', 'less')} {text}"
    won, drew = (told_of_ends(winner).mean(axis=0) for winner in (True, False))
    yield so("Only the won games matter here: if only they get their exact value, the networks "
             "lose exactly as often as in the row *trained on boards after x's moves* at depth "
             "one; if only drawn games do, as often as in the bottom row.",
             np.allclose(won, [net[1, "x"], net[1, "o"]])
             and np.allclose(drew, [ends[1, "x"], ends[1, "o"]]))  # fmt: skip
    less, wide = saved_by_both()
    yield so("yet as o it does not lose measurably less", abs(less) < wide)
    cut = net[1, "o"] - mean_lost()["exact, ties uniform", 1, "o"]
    yield so("Exact values, below, cut its loss far more", cut > 2 * (less + wide))


@says("notebooks/01_playout_mlp.ipynb")
def no_table_ends_a_game() -> Iterator[str]:
    """The moves in the tables of states."""
    running = [not GRID.finished(GRID.play(board, np.array([cell]))).any()
               for board in (parse(text, GRID)[None] for text in TABLES)
               for cell in np.flatnonzero(board[0] == 0)]  # fmt: skip
    yield so("(no move in its tables ends a game)", all(running))


@says("notebooks/01_playout_mlp.ipynb")
def losses_due_to_errors() -> Iterator[str]:
    """How much of the loss goes with exact values, by depth and rule for ties."""
    net, exact, by_lot = mean_lost()["net x"], lost_with_exact_values(), networks_by_lot()
    lots = {depth: both[:, 1] for depth, both in by_lot.items()}
    left = [exact["first"][depth, "o"] / net[depth, "o"] for depth in (1, 2, 3)]
    left += [exact["uniform"][depth, "o"] / lots[depth].mean() for depth in (1, 2, 3)]
    most = "Up to depth three, most of what the network still loses as o is due to its errors"
    yield so(most, max(left) < 0.5)
    none = exact["first"][4, "o"] == 0 < net[4, "o"]
    error = mean_interval(lots[4]).high - lots[4].mean()
    alike = abs(lots[4].mean() - exact["uniform"][4, "o"]) < error
    yield so("At depth four the answer depends on the rule for ties: by the lowest index, as the "
             "networks play, all of it; if both break ties at random, the mean loss is not "
             "measurably different without them, though single networks lose less or more.",
             none and alike and min(lots[4]) < exact["uniform"][4, "o"] < max(lots[4]))  # fmt: skip
    moved = [abs(lots[depth].mean() / net[depth, "o"] - 1) for depth in lots]
    yield so("(To them it makes little difference, to this player a great one.)",
             max(moved) < 0.1 and exact["first"][4, "o"] == 0)  # fmt: skip


@says("notebooks/01_playout_mlp.ipynb")
def what_it_learned() -> Iterator[str]:
    """The answer to the question of the beginning: as a judge, and as a player."""
    people, right = ceilings.population(), seeds().population_accuracy.mean()
    least, most = float(ceilings.majority(people)), float(ceilings.ceiling(people))
    yield f"“x wins” is right in {100 * least:.1f}% of the rows, the best possible function in"
    yield f"in {100 * most:.1f}%, and such networks close"
    yield so("close well over half of that gap", 0.6 < (right - least) / (most - least) < 0.7)
    yield f"they are right in {100 * right:.1f}% on average"
    lost = mean_lost()["net x"][1, "o"]
    yield so("it loses games even to random play", lost > 0.05)
    left = [values[1, "o"] / lost for values in lost_with_exact_values().values()]
    yield so("still lose more than a third as often", all(1 / 3 < share < 1 / 2 for share in left))


@says("notebooks/01_playout_mlp.ipynb")
def the_tie_at_depth_four() -> Iterator[str]:
    """Which answer the rule for ties decides at depth four."""
    [tied] = players.faulty(4)[1]
    centre = TREE.index(parse("....x....", GRID)[None])[0]
    yield so("its one tie between a losing and a drawing move is the answer to the centre, and the "
             "lowest index is a corner", tied == centre and (held_at(centre) >= 0)[0])  # fmt: skip


@says("notebooks/01_playout_mlp.ipynb")
def networks_beside_no_network() -> Iterator[str]:
    """What the networks save beside a search that sees only ends of games."""
    net, by_lot = mean_lost()["net x"], networks_by_lot()
    blind = drawn("01_strength_by_depth").set_index(["values", "depth", "side"]).loc["lookahead"]
    fewer = (net < blind["mean"][net.index]).all()
    yield so("(As o that search, too, loses more at depth four than at three.)",
             blind["mean"][4, "o"] > blind["mean"][3, "o"])  # fmt: skip
    deepest = word(net.index.get_level_values("depth").max())
    fewer = fewer and all(
        (both.mean(axis=0) < losses(lookahead(GRID, depth))).all() for depth, both in by_lot.items()
    )
    fewer = fewer and all(
        net[depth, side] < lost
        for depth in sorted({depth for depth, _ in net.index})
        for side, lost in zip("xo", lost_blind(depth), strict=True)
    )
    yield so("it cuts the mean losses to random play at depths one to "
             f"{deepest}, on both sides and by either rule for ties", fewer)  # fmt: skip


@says("notebooks/01_playout_mlp.ipynb")
def no_fault_at_depth_two() -> Iterator[str]:
    """That the published depth prefers no losing move."""
    yield so("At depth two it sees one reply, and never prefers a losing move, nor takes one for "
             "as good as a drawing move; both are facts", players.faults(2) == (0, 0))  # fmt: skip


@says("notebooks/01_playout_mlp.ipynb")
def temperatures_of_playouts() -> Iterator[str]:
    """What guided playouts save or cost Pure Monte Carlo in the limit."""
    uniform = mean_lost()["exact, ties uniform", 1]
    mild, sharp = (mean_lost()[f"pmc limit, T={heat}", 1, "o"] for heat in (1.0, 0.05))
    yield so("As o, gentle guidance cuts the losses, and the sharpest is on average worse than "
             "none;", mild < uniform["o"] < sharp)  # fmt: skip
    yield so("as x uniform playouts already lose nothing", uniform["x"] == 0)
    by_index, by_lot = mean_lost()["exact, ties first", 1, "o"], uniform["o"]
    yield so("but are broken at random in the row *uniform*; by the index it would lose "
             "hardly less",
             by_lot - 0.002 < by_index < by_lot)  # fmt: skip
    sharpest, warm = told("01_playout_mlp", r"themselves .*?\*\*([-+\d.]+).*?\*\*([-+\d.]+)")
    yield so("the sharpest playouts play far better themselves than those of T = 1, and yet make "
             "the worse player", sharpest > warm + 0.5 and sharp > mild)  # fmt: skip
    known = losses(players.monte_carlo_limit(choices.kinds()[choices.ENDS]))[1]
    yield so("(Most of the cut at T = 1 needs no network: see the last row, of playouts that know "
             "finished games and call all others even.)",
             uniform["o"] - known > (uniform["o"] - mild) / 2)  # fmt: skip


@says("notebooks/01_playout_mlp.ipynb")
def matches_with_guided_playouts() -> Iterator[str]:
    """In how many matches guided playouts help, and how the ledger judges that."""
    better = [int(n) for n in re.findall(r"\d+", ledger()["mlp-playouts-pmc"]["ours"])]
    yield so(
        "improve Pure Monte Carlo's mean result (win minus loss) in most of these matches",
        2 * better[1] > better[0],
    )
    of, up, down = map(int, re.findall(r"\d+", ledger()["mlp-playouts-uct"]["ours"])[:3])
    yield so("most matches show no clear difference, and of the others more get worse than "
             "better.", up < down < up + down < of / 2)  # fmt: skip
    verdict = ledger()["mlp-playouts-uct"]["verdict"]
    yield f"The ledger says *{verdict}* all the same: the lesson says that the predictions *can*"
    least = min(stored("playout_mlp_games.csv").playouts)
    asked, opinion, ends = (
        claims.does_at_length(kind) for kind in (choices.ASKED, choices.UNFINISHED, choices.ENDS)
    )
    lost = claims.at_length()["loss"] / claims.at_length()["games"]
    [fixture] = set(claims.at_length()[choices.FIXTURES].itertuples(index=False, name=None))
    yield so("and in one match, x against perfect play with the smallest budget, playouts by a "
             "network that is asked about finished games, too, help beyond chance (the table above "
             "is of this match)",
             asked == "helps" and fixture == (least, "x", "minimax"))  # fmt: skip
    alone = [asked, opinion, ends] == ["helps", "hurts", "helps"] and least == CLOSER[0]
    guided = claims.does_at_length(choices.NETWORK) == "helps"
    yield so("In it, the network's playouts lose fewer games than uniform ones, even if the "
             "network must judge finished games, too, as the lesson's function would; by its "
             "opinion of unfinished games alone they lose more.", alone and guided)  # fmt: skip
    each, less = claims.lost_by_network(), claims.fewer_lost()
    yield so("There, knowing finished games alone helps more than both together with this network, "
             "but with some of the stored networks both together lose less still.",
             lost.idxmin() == choices.ENDS and 0 < less < len(each) / 2)  # fmt: skip
    fewer, by_chance = each[choices.ASKED] < lost[choices.UNIFORM], asked_within_chance()
    yield so("Asked about finished games, each stored network lost a smaller share than uniform "
             "playouts did, most of them beyond chance.",
             fewer.all() and len(by_chance) < len(each) / 2)  # fmt: skip


@says("notebooks/01_playout_mlp.ipynb")
def one_share_of_late_rows() -> Iterator[str]:
    """How many shares of few rows print as the late accuracy."""
    shares = claims.printed_shares(str(ledger()["mlp-late-consistent"]["published"]))
    yield so("only one fraction of so few rows can be meant (`mlp-late-consistent` names it)",
             len(shares) == 1)  # fmt: skip


@says("notebooks/01_playout_mlp.ipynb")
def the_first_ten_hits() -> Iterator[str]:
    """How little ten positions tell."""
    few = ledger()["mlp-first-ten"]
    yield so(f"most numbers of hits would have passed, so the ledger calls them *{few['verdict']}*",
             few["accepts"][1] - few["accepts"][0] + 1 > (few["n"] + 1) / 2)  # fmt: skip


def lost_blind(depth: int) -> tuple[float, float]:
    """Losses of a search that calls running games even; ties go to the lowest index."""
    return losses(players.value_agent("blind", lambda after: np.zeros(len(after)), depth))


def held_at(state: int) -> Any:
    """What O's moves lead to with perfect play, from O's side; -9 where there is none."""
    return np.where(TREE.legal[state], -TREE.value[TREE.children[state]], -9)


@says("notebooks/01_playout_mlp.ipynb")
def depths() -> Iterator[str]:
    """Which depths are safe."""
    safe = unbeatable("exact, ties uniform")
    between = [d for d in range(safe[0] + 1, 10) if d not in safe]
    after = between[-1] + 1
    assert between == [*range(between[0], after)]
    yield (
        f"Depth {word(safe[0])} is safe, {word(between[0])} to {word(between[-1])} are not, and "
        f"only from {word(after)} plies on"
    )
    also = way(4 in unbeatable("exact, ties first"), "safe as well", "not safe")
    yield f"with the lowest index instead of a random choice, depth four is {also}"
    nets = strength().query("values == 'net x' and depth == 4").groupby("seed").worst.min() >= 0
    yield so(
        "At depth four a few networks are safe on both sides and most are not",
        0 < nets.mean() < 0.25,
    )
    limits = strength()[strength()["values"].str.startswith("pmc limit")]
    heat = limits["values"].str.partition("T=")[2].astype(float)
    lost = limits[limits.side == "o"].lost.groupby(heat).mean()
    columns = r"\n([\d.]+) +[\d.]+ +[\d.]+ +[\d.]+ +([\d.]+) +-?[\d.]+ +-?[\d.]+(?=\n)"
    heats, apart = zip(*shown(columns, "01_playout_mlp"), strict=True)
    off = pd.Series(apart, heats)
    assert lost.index.equals(off.index)
    best, balanced = lost.idxmin(), off.idxmin()
    choice = way(best == balanced, "chooses", "doesn't choose")
    by_seed = limits[limits.side == "o"].assign(heat=heat).pivot(
        index="seed", columns="heat", values="lost")  # fmt: skip
    errors = pd.DataFrame({T: [players.imbalance(players.playout_chances(evaluator(net(seed)), T))
                               for seed in by_seed.index] for T in lost.index})  # fmt: skip
    often = so("for most networks", 0.5 < (errors.idxmin(axis=1) == balanced).mean() < 1)
    most = so("for most", (by_seed.idxmin(axis=1) == best).mean() > 0.5)
    yield (
        f"But {often} those at T = {balanced:g} are the best balanced, while {most} those at "
        f"T = {best:g} lose least: **balance {choice} the temperature**"
    )
    yield so("the sharpest playouts are the worst balanced and on average lose most",
             off.idxmax() == lost.idxmax() == lost.index.min())  # fmt: skip


@says("notebooks/01_playout_mlp.ipynb")
def guided() -> Iterator[str]:
    """Games with uniform playouts and with the network's."""
    games = stored("playout_mlp_games.csv")
    lost = games.pivot(index=["side", "opponent", "playouts"], columns="player", values="loss")
    fewer = lost["pmc mlp"] < lost["pmc random"]
    x = fewer["x"]["minimax"]
    good, bad = x.index[x], x.index[~x]
    yield (
        f"As x against perfect play it does so up to {good.max()} playouts per free cell; at "
        f"{listed(bad)} it is the other way round"
    )
    always = way(fewer["o"].all(), "every budget, against both opponents", "some budgets")
    yield f"loses fewer games with the network's playouts at {always}"
    named = [sampled_player("uct random", budget).name for budget in BUDGETS]
    searched = [int(name.partition("iterations=")[2]) for name in named]
    [times] = {both / one for both, one in zip(searched, BUDGETS, strict=True)}
    free = TREE.legal.sum(axis=1)
    later = so("the same total on the empty board, and more on every later one",
               times == free[0] > free[1:].max())  # fmt: skip
    yield f"gets {word(times)} times the number per free cell for each decision: {later}"
    tree_worse = (
        lost["uct mlp"]["o"]["minimax"].iloc[-1] > lost["uct random"]["o"]["minimax"].iloc[-1]
    )
    yield f"the playouts of this network make it {way(tree_worse, 'worse', 'better')} at this"


@says("notebooks/01_playout_mlp.ipynb")
def what_ends_are_worth() -> Iterator[str]:
    """What playouts owe to finished games, by exact chances of Pure Monte Carlo."""
    uniform, network, ends = choices.UNIFORM, choices.NETWORK, choices.ENDS
    unfinished = choices.UNFINISHED
    whole, alone = choices.gains(network, uniform), choices.gains(ends, uniform)
    yield so("**Most of that needs no network:**", (alone > whole.clip(lower=0) / 2).all())
    yield so("knowing finished games alone helps in every match", (alone > 0).all())
    both = choices.matches_improved(network, ends)
    yield so("and mostly more than both together",
             (alone > whole).mean() > 0.5 and both.max() <= len(alone) / 2)  # fmt: skip
    opinion, most = (
        choices.gains(unfinished, uniform),
        choices.matches_improved(unfinished, uniform),
    )
    o = opinion.xs(("o", "minimax"), level=["side", "opponent"])
    few = most.max() < len(opinion) / 2 < (opinion < 0).sum() == len(opinion) - most[0]
    yield so("The network's opinion of unfinished games alone helps in a minority, mostly as o "
             "against perfect play, and harms in the others",
             few and (o > 0).all() and 2 * len(o) > most[0])  # fmt: skip


@says("notebooks/01_playout_mlp.ipynb")
def alone_and_together() -> Iterator[str]:
    """Which other sets of opinions would have passed."""
    ours, printed = claims.opinions(), opinions_printed()
    free = 0
    for place, (low, high) in enumerate(ours.spans):
        tried = np.linspace(low, high, 21)
        sets = [[*printed[:place], value, *printed[place + 1 :]] for value in tried]
        free += sum(map(would_pass, sets)) > 0.85 * len(sets)
    verdict = ledger()["mlp-opinions"]["verdict"]
    most = so("most of the printed numbers, each changed alone, could have been almost anything",
              2 * free > len(printed))  # fmt: skip
    yield f"{most}; so the ledger calls them *{verdict}*"
    rng, boards = np.random.default_rng(0), len(claims.CHANCES) // 3
    drawn_sets = [
        [*rng.dirichlet([1, 1, 1], boards).ravel(), *rng.uniform(-1, 1, len(printed) - 3 * boards)]
        for _ in range(100)
    ]
    yield so("(The test can fail: a set of numbers drawn at random would have been rejected.)",
             not any(map(would_pass, drawn_sets)))  # fmt: skip


def opinions_printed() -> list[float]:
    """The chances and utilities that the lesson prints."""
    return significance.numbers(ledger()["mlp-opinions"]["published"])


def would_pass(opinions: Sequence[float]) -> bool:
    """Whether a set of chances and utilities would pass as a whole, by its distance from ours."""
    told = significance.test(claims.opinions(), " ".join(map(str, opinions)), None).note
    [far] = re.findall(r"at distance ([\d.]+) from", told)
    return bool(float(far) <= ledger()["mlp-opinions"]["accepts"][1])


@says("figures/01_strength_by_depth")
def depths_in_the_figure() -> Iterator[str]:
    rows = strength()[strength()["values"] == "exact, ties uniform"]
    o = rows[rows.side == "o"].set_index("depth").lost
    lost = o.index[o > 0]
    [held], safe = o.index[(o == 0) & (o.index < lost.max())], lost.max() + 1
    assert (o[o.index >= safe] == 0).all()
    never = way((rows[rows.side == "x"].lost == 0).all(), "never lose at any depth", "lose")
    safer = o[o.index <= 6].sort_index().is_monotonic_decreasing
    yield f"As o, looking further ahead is {way(safer, 'always', 'not always')} safer."
    yield f"As x the exact values {never}; as o they lose at depths {listed(lost)}"
    first = strength()[strength()["values"] == "exact, ties first"]
    first = first[first.side == "o"].set_index("depth").lost
    [fewer] = set(lost) - set(first.index[first > 0])
    text = so("by the lowest index not at", set(first.index[first > 0]) < set(lost))
    yield f"but not at {held}, nor from {safe} on, with ties at random; {text} {fewer} either."
    most = [depth for depth in lost if given_up(depth) > 0.5]
    yield (
        "With ties broken at random, most of what the player with exact expectations loses "
        f"at depths {listed(most)} is lost by not defending"
    )


@says("figures/01_calibration")
def overconfident() -> Iterator[str]:
    """How steep the curve of the bins is, and where its ends lie."""
    rows = drawn("01_calibration")
    bins = rows[rows.panel == "right"].sort_values("predicted")
    slope = np.polyfit(bins.predicted, bins.exact, 1)[0]
    yield f"a curve {way(slope < 1, 'flatter', 'steeper')} than the diagonal"
    first, *_, last = bins.itertuples()
    over = first.low > first.predicted and last.high < last.predicted
    yield so("The networks are overconfident at both ends.", over)
    yield so("than the diagonal: the networks are overconfident at both ends.", over)


@says("figures/01_leak")
def leak() -> Iterator[str]:
    mean = seeds().mean(numeric_only=True)
    grouped, whole = mean.grouped_accuracy, mean.population_accuracy
    assert f"{grouped:.3f}" == f"{whole:.3f}"
    ceiling = float(ceilings.ceiling(ceilings.population()))
    published = float(ledger()["mlp-accuracy"]["published"])
    flatters = seeds().accuracy - seeds().grouped_accuracy
    does = way(flatters.mean() > 3 * flatters.sem(), "flatters", "does not flatter")
    yield f"Splitting by rows {does} the network"
    yield (
        f"Split by rows centres near {mean.accuracy:.2f}, split by playouts and all boards near "
        f"{whole:.3f}, the best function near {mean.oracle_accuracy:.3f}; the ceiling is "
        f"{ceiling:.3f} and the published value {published:.3f}."
    )


@says("figures/01_accuracy_by_empties")
def below_the_ceiling() -> Iterator[str]:
    rows = drawn("01_accuracy_by_empties").set_index("empty").sort_index(ascending=False)
    below = [word(e) for e in rows.index[rows.net_mid < rows.ceiling - 1e-9]]
    yield f"On boards with {listed(below, 'or')} empty cells the networks stay below the ceiling"
    low, high = rows.ceiling[8], rows.ceiling[0]
    text = f"The ceiling rises from {low:.2f} at eight empty cells to {high:g}"
    yield so(text, rows.ceiling.is_monotonic_increasing)
    ends = (rows.ceiling - rows.net_mid).loc[[8, 0]].abs().max() < 1e-6
    yield so(f"lie below it at {listed(below)} empty cells, and their medians reach it", ends)


@says("figures/01_monte_carlo")
def searches() -> Iterator[str]:
    wide = drawn("01_monte_carlo").pivot(
        index=["side", "opponent", "playouts"], columns="player", values="loss"
    )
    pairs = [(wide[f"uct {kind}"], wide[f"pmc {kind}"]) for kind in ("random", "mlp")]
    never_more = all((tree <= plain).all() for tree, plain in pairs)
    yield f"per decision, loses {way(never_more, 'no', 'some')} more games than Pure Monte Carlo"
    far = sum(int((tree < plain / 2).sum()) for tree, plain in pairs)
    few = way(2 * far > sum(len(tree) for tree, _ in pairs), "fewer", "more")
    yield f"with the same kind of playouts, and mostly far {few}."
    x = wide.loc["x", "minimax"]
    helps = (x["pmc mlp"] < x["pmc random"])[x["pmc mlp"] != x["pmc random"]]
    good, bad = helps.index[helps], helps.index[~helps]
    assert good.max() < bad.min()
    yield (f"which as x helps it up to {good.max()} playouts and costs it games at {listed(bad)}.")
    against = wide.xs("random", level="opponent")
    fall = all((part.diff().iloc[1:] <= 0).all(axis=None) for _, part in against.groupby("side"))
    most = int(wide.index.get_level_values("playouts").max())
    last = against.xs(most, level="playouts")[["uct random", "uct mlp"]].to_numpy().max()
    yield so("Against random play all fall and tree search comes close to zero losses",
             fall and last < 0.001 * 4000)  # fmt: skip
    o = wide.loc["o", "minimax"]
    high = o[["pmc random", "pmc mlp"]].to_numpy().min() > 0.25 * 4000
    less = way((o["pmc mlp"] < o["pmc random"]).all(), "less", "more")
    text = f"Against perfect play Pure Monte Carlo playing o stays high, {less} so with the network"
    yield so(text, high)
    uct, budget = sampled_player("uct random", BUDGETS[0]).name, BUDGETS[0]
    times = int(uct.partition("iterations=")[2]) / budget
    same = so("which is what Pure Monte Carlo spends", times == TREE.legal[0].sum())
    yield f"tree search has {word(times)} times the number on the axis, {same} on the empty board."


@says("figures/01_utilities")
def scattered() -> Iterator[str]:
    """How much of the scale from -1 to 1 the bars of the later boards span."""
    rows = drawn("01_utilities")
    later = rows[rows.board != "." * 9]
    span = (later.high - later.low) / 2
    wide, rest = (span > 0.5).sum(), later[span <= 0.5]
    yield f"the two later boards {word(wide)} of {word(len(later))} span more than half of the"
    few = so("except for one move", len(rest) == 1)
    yield f"On the later boards the seeds scatter over more than half of the scale, {few}"
    [(board, cell)] = rest[["board", "cell"]].to_numpy()
    third = 1 / 3 < span.min() < 0.4
    yield so(f"and the other, cell {cell} on {board}, a little more than a third", third)
    empty = rows[rows.board == "." * 9]
    widest = (empty.high - empty.low).max() / 2
    yield f"on the empty board the bars are {way(widest < span.min(), 'short', 'long')}, on the two"


@says("figures/01_published_among_seeds")
def published_accuracies() -> Iterator[str]:
    """Where the published accuracies, and those of other runs, lie among the seeds."""
    rows = drawn("01_published_among_seeds")
    own, others = rows[rows.seed.notna()], rows[rows.seed.isna()]
    first = {name: float(ledger()[row]["published"]) for name, row in ACCURACIES.items()}
    inside = all(
        own[name].quantile(0.025) < value < own[name].quantile(0.975)
        for name in ACCURACIES
        for value in [first[name], *others[name].dropna()]
    )
    text = "both published values, and the diamonds of other published runs, lie well inside"
    yield so(text, inside)
    usual = way(inside, "ordinary", "unusual")
    yield f"The published accuracies are {usual} among those of other seeds"
    tops = [float(ceilings.ceiling(people)) for people in
            (ceilings.population(), ceilings.late(ceilings.population()))]  # fmt: skip
    above = [first[name] > top for name, top in zip(ACCURACIES, tops, strict=True)]
    yield so("the first published value lies above its ceiling", above == [True, False])


ACCURACIES = {"accuracy": "mlp-accuracy", "late_accuracy": "mlp-late-accuracy"}
"""Claims of the two accuracies, by their columns."""


@says("figures/01_boards")
def opinions() -> Iterator[str]:
    """How far the seeds differ on each board."""
    rows = drawn("01_boards")
    widest = (rows.high - rows.low).groupby(rows.board).max()
    wide = widest.index[widest > 0.5]
    yield f"On boards {wide.min()} to {wide.max()} seeds disagree widely"
    beyond = np.maximum(rows.low - rows.published, rows.published - rows.high)
    yield so("lie inside the wide bars of the seeds or just beyond an end", beyond.max() < 0.01)
    theirs = [seeds()[f"p{row.board}_{row.outcome}"] for row in rows.itertuples()]
    least, most = ([end(values) for values in theirs] for end in (min, max))
    [wider] = rows[~rows.published.between(least, most)].itertuples()
    yield f"lie within the range of the {len(seeds())} seeds or, in one of {word(len(rows))} cases"
    yield f"(board {wider.board}, {wider.outcome} wins), just beyond"
    bars = zip(theirs, rows.low, rows.high, strict=True)
    left_out = {((values < low).sum(), (values > high).sum()) for values, low, high in bars}
    yield so("The bars leave out the outermost seed at each end", left_out == {(1, 1)})
    outside = (beyond > 0).sum() - 1
    yield f"so {word(outside)} more lie outside a bar"
    last = rows[rows.board == rows.board.max()]
    order = last.sort_values("exact")
    ends = order.published.iloc[-1] > order.exact.iloc[-1]
    yield so(f"on board {rows.board.max()} they are more extreme than the exact ones", ends)


@says("notebooks/01_playout_mlp.ipynb")
def opinions_and_horizons() -> Iterator[str]:
    """How far networks agree, what o must answer, and where deeper search forgets."""
    rows = drawn("01_utilities")
    width, empty = rows.high - rows.low, rows.board == "." * 9
    near = rows["median"] - rows.exact
    agree = width[empty].max() < 0.5 and abs(near[empty]).max() < 0.1
    yield so("On the empty board the networks roughly agree with each other and with the truth",
             agree)  # fmt: skip
    later = width[~empty] / 2  # shares of the scale, from -1 to 1
    wide, [narrow] = later[later > 0.5], later[later <= 0.5]
    yield so(f"{word(len(wide))} of the {word(len(later))} bars span more than half of the scale, "
             "and only one spans less", len(later) == 10 and narrow < 1 / 2)  # fmt: skip
    lucky = (seeds().oracle_accuracy > float(ceilings.ceiling(ceilings.population()))).any()
    yield so("and on a lucky one the best function scores above its expectation", lucky)
    centre = TREE.children[0][4]
    corner, edge = (
        TREE.value[TREE.children[centre][list(c)]] for c in ((0, 2, 6, 8), (1, 3, 5, 7))
    )
    yield so("o must answer in a corner, because an edge loses by force",
             (corner == 0).all() and (edge == 1).all())  # fmt: skip
    ties = players.faults(1)[1]
    yield f"In {word(ties)} further states at depth one the average of the losing move just equals"
    faults = {depth: players.faults(depth) for depth in range(2, 7)}
    forgets = [depth for depth, (_, tied) in faults.items() if tied]
    never = way(not any(faults[depth][0] for depth in forgets), "never", "sometimes")
    span = f"{word(forgets[0])} to {word(forgets[-1])}"
    yield f"At depths *{span}* the fault is forgetting: o {never} prefers a losing move"
    wrong = mean_lost()["exact, ties uniform", 1, "o"] > 0
    yield f"the method converges to the {way(wrong, 'wrong', 'right')} answer"
