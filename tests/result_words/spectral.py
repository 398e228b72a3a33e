"""What notebook 02 and its figures say of document 2, built from the evidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import product
from math import ceil, factorial
from statistics import mean
from typing import Any

import numpy as np
from scipy.stats import mannwhitneyu

from result_words.tools import (
    GRID,
    KINDS,
    ORDINALS,
    TREE,
    capital,
    counted,
    drawn,
    ledger,
    listed,
    says,
    so,
    stored,
    way,
    word,
)
from ttt_lib import Grid
from ttt_lib.evidence.figures import true_minus
from ttt_lib.game.board import parse
from ttt_lib.game.exact import policy_table, value_moves
from ttt_lib.game.policy import first, safety, winning_cells
from ttt_lib.game.record import record
from ttt_lib.spectral import (
    LABELS,
    claims,
    claims_games,
    claims_guide,
    claims_replay,
    fidelity,
    linear_limits,
    quartic,
    seeded_replay,
)
from ttt_lib.spectral.cell_orders import all_orders, play_lists
from ttt_lib.spectral.claims_replay import INDEX
from ttt_lib.spectral.degrees import classes, line_classes
from ttt_lib.spectral.features import dct_features, low_pass, raw_features
from ttt_lib.spectral.labels import good_moves
from ttt_lib.spectral.perceptron import never_losing
from ttt_lib.spectral.policy import LAMBDAS, Model, player, trained
from ttt_lib.spectral.ridge import ridge
from ttt_lib.the_game.facts import running_chances


def almost(share: float) -> str:
    """Tenths of which a share falls short by less than a quarter of one."""
    tenths = ceil(10 * share)
    return so(f"almost {word(tenths)}", tenths - 10 * share < 0.25)


@cache
def transfer(rule: str) -> Any:
    """Mean wins of a hundred games on the next size."""
    rows = stored("spectral_transfer.csv")
    return rows[rows.safety == rule].groupby(["from", "player"]).win.mean().unstack()


@says("notebooks/02_spectral_dct.ipynb")
def linear() -> Iterator[str]:
    """What a linear policy wins and loses."""
    bars = drawn("02_tree_search").set_index(["opponent", "player"])
    bare = bars.loss["uct@150"]["spectral:symmetric=no,safety=no"]
    yield f"the bare model loses {almost(bare)} games in ten"
    measures, kinds, sizes = compared()
    yield (
        f"so the ledger counts {word(measures)} measures, for {word(kinds)} kinds of labels and "
        f"{word(sizes)} sizes of network"
    )
    wins = [
        claims_games.matches(f"spectral:symmetric={mode},safety=yes", "random").win.mean()
        for mode in claims_games.KINDS
    ]
    yield f"the symmetric ones win {way(wins[1] > wins[0], 'more', 'less')}."
    yield f"There are {word(factorial(3))} such orders, and ties within a kind"
    best = stored("spectral_orderings.csv").query("side == 'x' and safety == 'no'").best_list
    yield f"The best list as X without the rule begins {listed_cells(best.iloc[0].split()[:3])}."


UPPER, MIDDLE = "upper left|upper edge|upper right", "left edge|centre|right edge"
CELLS = f"{UPPER}|{MIDDLE}|lower left|lower edge|lower right".split("|")
"""The cells of 3x3 in words, in order."""


def listed_cells(cells: Iterable[str]) -> str:
    return ", ".join(CELLS[int(cell)] for cell in cells)


def compared() -> tuple[int, int, int]:
    """Measures, kinds of labels and sizes of network in the comparison of document 2."""
    runs = stored("spectral_networks.csv").query("hidden > 0")
    kinds, sizes = runs.labels.nunique(), runs.hidden.nunique()
    totals = re.findall(r"better in \d+ of (\d+)", ledger()["dct-networks"]["ours"])
    return sum(map(int, totals)) // (kinds * sizes), kinds, sizes


@says("notebooks/02_spectral_dct.ipynb")
def reversed_sign() -> Iterator[str]:
    """What the search with its sign reversed loses to random play."""
    games = stored("spectral_games.csv").query("opponent == 'random'").set_index("player")
    lost = (games.loss / games.games)["uct, wrong sign"].min()
    most = way(lost > 0.5, "most", "few")
    yield f"it loses {most} of its games to a player that moves at random"


@says("notebooks/02_spectral_dct.ipynb")
def carried() -> Iterator[str]:
    """Weights carried to the next size, beside others."""
    bare, ruled = transfer("no"), transfer("yes")
    better = (bare.carried > bare["random weights"]).all()
    yield f"they win {way(better, 'more', 'less')} than random weights of the same kind"
    won = stored("spectral_transfer.csv").set_index(["safety", "from", "player"]).win
    chance = {
        case: mannwhitneyu(*(won[(*case, name)] for name in ("carried", "random weights")),
                           alternative="greater").pvalue
        for case in product(("no", "yes"), ("3x3", "4x4"))
    }  # fmt: skip
    unclear = [case for case, p in chance.items() if p > 0.005]
    yield so("judged by both, the sentence can't be tested",
             ledger()["dct-transfer"]["verdict"] == "not testable")  # fmt: skip
    yield so("on both boards (with it, the lead on neither board passes the ledger's level of "
             ".005)",
             unclear == [("yes", "3x3"), ("yes", "4x4")])  # fmt: skip
    plan = bare["first free"] > bare[["carried", "trained there"]].max(axis=1)
    yield f"in index order, wins {way(plan.all(), 'more', 'less')} than either without the rule"
    ahead = ruled["first free"] - ruled[["carried", "trained there"]].max(axis=1)
    alike = so("about as much", abs(ahead["3x3"]) < 3)
    more = way(ahead["4x4"] > 10, "far more", "not much more")
    yield f"With the rule it wins {alike} on 4x4, and {more} on 5x5"


@says("notebooks/02_spectral_dct.ipynb")
def draws_against_search() -> Iterator[str]:
    """How the safety rule does against tree search, whatever model is behind it."""
    bars = drawn("02_tree_search").set_index(["opponent", "player"]).draw["uct@150"]
    ruled = bars[[not name.endswith("safety=no") for name in bars.index]]
    yield so("the rule holds nearly every game to a draw, with or without a model behind it",
             "safety+random" in ruled and ruled.min() > 0.95)  # fmt: skip


@says("notebooks/02_spectral_dct.ipynb")
def beaten_with_the_rule() -> Iterator[str]:
    """Whom the player beats with the safety rule, and whom without it."""
    greedy = ledger()["dct-beats-greedy"]
    won, lost = re.findall(r"([\d.]+) \(([\d.]+)\)", greedy["ours"])[-1]
    held = way(greedy["verdict"] == "not testable", "holds", "holds or fails, either way,")
    yield f"{held} in the same sense with the rule, which is on unless it is switched off"
    told = re.findall(r"so do (\d+) of (\d+) training runs with the rule and (\d+)",
                      ledger()["dct-beats-random"]["reason"])  # fmt: skip
    ruled, trainings, bare = map(int, told[0])
    yield (
        f"Of {word(trainings)} training runs on sampled labels "
        f"{so('all', ruled == trainings)} do so "
        f"with the safety rule, but without it {so('some', bare < trainings)} lose more"
    )
    yield "but not without: as O the bare"
    yield f"policy loses {way(lost > won, 'more', 'less')} than it wins"


@says("notebooks/02_spectral_dct.ipynb")
def draws_by_the_rule() -> Iterator[str]:
    """Where the safety rule brings more draws, and where the losses go."""
    rises, of = re.findall(r"\d+", ledger()["dct-off-losses"]["ours"])[:2]
    yield so("while losses rise in every setting", rises == of)
    cases = claims_games.with_and_without()
    draws = claims_games.safety_draws()
    rises, careless, of = map(int, re.findall(r"\d+", draws.found.partition("draws in")[2])[:3])
    yield so("The rule brings more draws, as the document says, in most settings",
             rises > len(cases) / 2)  # fmt: skip
    everywhere = so(f"in all {word(len(cases) - of)}", rises - careless == len(cases) - of)
    yield (
        f"{everywhere} against perfect play and search, where hardly anything can be won, but in "
        f"only {word(careless)} of the {word(of)} against random play"
    )
    yield so("so the row is *undecided*", ledger()["dct-on-draws"]["verdict"] == "undecided")
    start = "3x3, {}, as X against random play"
    fewer = [one.name for one in cases if not one.draws and one.drawn_more < 0]
    yield so("(as X on 3x3 it even brings fewer)",
             fewer == [start.format(kind) for kind in claims_games.KINDS.values()])  # fmt: skip


@says("notebooks/02_spectral_dct.ipynb")
def search_read_as_uct() -> Iterator[str]:
    """How the printed matches with search fare if it is UCT, or moves at random."""
    printed = claims_games.printed_against_search()
    plain = claims_games.search_is_uct()
    constants = claims_games.CONSTANTS
    chances = [one.chance(claims_games.against_uct(one, c)) for one in printed for c in constants]
    fails = max(chances) < 0.0001 and "The first fails" in plain.reason
    yield so(f"Against UCT, with each of {word(len(constants))} exploration constants "
             f"(one training run each), each of the {word(len(printed))} matches that it prints "
             "with its search would be most improbable: that reading fails", fails)  # fmt: skip
    [by_lot] = re.findall(r"if it moved at random, p = (.*)", plain.found)
    least = min(map(float, by_lot.split(", ")))
    yield f"(Against a search that moves at random the least of the {word(len(printed))} p-values"
    yield f"would be {least:g}.)"
    yield so("As the words may also mean a program written as UCT, faults and all, the row is *not "
             "testable*", plain.holds is None and not plain.tested)  # fmt: skip


@says("notebooks/02_spectral_dct.ipynb")
def matches_with_random_play() -> Iterator[str]:
    """What the printed matches with random play can tell."""
    vague = [row["verdict"] for row in ledger().values()
             if row["document"] == 2 and "against random play: win-draw-loss" in row["quantity"]
             and row["verdict"] != "reproduced"]  # fmt: skip
    yield (
        f"of the {word(len(vague))} that are judged as samples {word(vague.count('undecided'))} "
        "are *undecided*, so more than half of all results would have passed"
    )
    yield so("The document's matches with random play don't contradict ours",
             min(claims_games._players_alike()) > 0.05)  # fmt: skip


@says("notebooks/02_spectral_dct.ipynb")
def the_match_that_is_replayed() -> Iterator[str]:
    """The row of the printed matches with the search that the next section plays again."""
    rows = stored("spectral_kept.csv").groupby(["symmetric", "safety", "iterations"]).size().index
    [match] = [one for one in claims_replay.PROGRAMS if one.endswith("-mcts")]
    quantity = ledger()[match]["quantity"]
    [iterations] = re.findall(r"4x4, standard, against MCTS with (\d+) iterations", quantity)
    row = ORDINALS[rows.get_loc(("no", "yes", int(iterations))) + 1]
    yield f"The next section plays the match in the {row} row again, with its seed."


@says("notebooks/02_spectral_dct.ipynb")
def iterations_of_the_search() -> Iterator[str]:
    """How strength goes with iterations, of UCT and of the rebuilt search."""
    yield so("it loses to random play, so what it measures is not what UCT would",
             claims_games.search_scores(150).mean() < 0.5)  # fmt: skip
    more = claims_games.more_iterations_are_stronger()
    sound = so("more iterations make UCT stronger", more.found.endswith(": more"))
    whole, late = claims_games.search_trend(), claims_games.search_trend(150)
    level = f"{claims.SIGNIFICANCE:g}".removeprefix("0")
    falls = whole.correlation < 0 and late.correlation < 0 and "): less. Such" in more.reason
    text = (
        ", while with the rebuilt search the score falls, clearly over all its budgets, though "
        "from 150 iterations, the document's own number, upwards not beyond the ledger's level of"
    )
    unclear = whole.p_value < claims.SIGNIFICANCE < late.p_value
    yield sound + so(f"{text} {level}", falls and unclear)
    yield so("nothing in print could decide, the row is *not testable*. Nor is the one on run time",
             more.holds is None and not more.tested
             and claims.search_work().holds is None)  # fmt: skip


@says("notebooks/02_spectral_dct.ipynb")
def wins_without_the_rule() -> Iterator[str]:
    """Who wins less without the safety rule."""
    wins = drawn("02_strength").set_index(["opponent", "player", "side"]).win["random"]
    kinds = ("standard", "symmetric")
    fewer = all((wins[f"{kind}, no rule"] < wins[f"{kind} + rule"]).all() for kind in kinds)
    yield so("Switching the rule off costs wins as well, on both sides and with both kinds", fewer)
    yield f"(*{ledger()['dct-off-aggressive']['quantity']}*, in the table below)"


@says("notebooks/02_spectral_dct.ipynb")
def hits_of_symmetric_features() -> Iterator[str]:
    """Our accuracy beside the printed one."""
    ours = float(ledger()["dct-heat-single"]["ours"].split("%")[0])
    more = ours - float(ledger()["dct-heat-single"]["published"])
    yield f"where our symmetric features give a little {way(0 < more < 1, 'more', 'less')}."


@says("notebooks/02_spectral_dct.ipynb")
def penalties() -> Iterator[str]:
    """Whether cross-validation tells penalties apart."""
    found = claims.penalty_selected()
    (alike, runs), (same, _) = (
        map(int, pair) for pair in re.findall(r"in (\d+) of (\d+)", found.found)
    )
    clear = int(found.found.split()[-1])
    yield so(f"With other folds the {word(len(claims.PROGRAM_LAMBDAS))} penalties of its program "
             "still hit the same states", alike == runs)  # fmt: skip
    seldom = runs / 2 < same < runs
    yield so("a stronger one moves the accuracy now and then, but not beyond chance",
             seldom and not clear and alike == runs)  # fmt: skip
    yield so("so the ledger leaves *undecided* whether $\\lambda$ can be", found.holds is None)


@says("notebooks/02_spectral_dct.ipynb")
def stability() -> Iterator[str]:
    """How much the orthonormal transform does for the condition of the fit."""
    found = claims_guide.orthonormal_is_stabler()
    pairs = re.findall(r": ([\d.]+) \(without the factors ([\d.]+)\)", found.found)
    weak, strong, weak_4, strong_4 = (float(bare) / float(ours) for ours, bare in pairs)
    tried = claims.PROGRAM_LAMBDAS
    yield f"({word(len(tried))} for 3x3, none above {max(tried):g})"
    yield so(f"the number is larger by about {word(round(100 * (weak_4 - 1)))} per cent on 4x4, "
             "and by even less on 3x3", 1 < weak < weak_4 < 1.02)  # fmt: skip
    factor = float(re.findall(r"factor of more than ([\d.]+)", found.reason)[0])
    yield so(f"it is larger by a factor of {word(round(strong_4))} on 4x4, and of less than "
             f"{word(factor)} on 3x3", weak < strong < factor < strong_4)  # fmt: skip
    [alike] = re.findall(r"([\d.]+) with the enlarged one", found.reason)
    yield f"if the penalty grows with their squares, the factor is at most {alike}"
    yield f"asks for a factor of more than {word(factor)} on both boards"
    confirm, refute, neither = map(int, re.findall(
        r"(\d+) confirm the sentence, (\d+) refute it, and (\d+) do neither", found.reason)[0]
    )  # fmt: skip
    of, own = re.findall(r"of (\d+) readings confirm the sentence and (\d+) refute", found.reason)[
        0
    ]
    yield so("No penalty reaches it. With the programs' penalties the sentence is clearly refuted",
             confirm == 0 and of == own and refute > int(own))  # fmt: skip
    yield so("and with some stronger penalties the answer is neither yes nor no. Hence *not "
             "testable*",
             neither > 0 and not found.tested)  # fmt: skip


@says("notebooks/02_spectral_dct.ipynb")
def comparisons_with_networks() -> Iterator[str]:
    """In how many comparisons the linear model is better than networks with the same labels."""
    sure = claims.beyond_chance()
    often, can = ledger()["dct-networks"], ledger()["dct-networks-end"]
    counts = re.findall(r"better in (\d+) of (\d+).*? worse in (\d+)", often["ours"])
    (won, of, lost), (ruled, among, behind) = counts
    yield so(f"Without the rule the linear model is better in {won} of {of} and worse in {lost}: "
             "a majority.", 2 * int(lost) > int(of))  # fmt: skip
    most = 2 * max(int(ruled), int(behind)) > int(among)
    yield so("With it, the document's default, it is better in "
             f"{ruled} of {among} and worse in {behind}: no majority.", not most)  # fmt: skip
    with_rule = claims.leads().measure.str.startswith("safe_").to_numpy()
    looser = claims.sure_leads(0.05)
    alike = [claims.in_most(part.tolist()) for part in (looser[~with_rule], looser[with_rule])]
    yield so("it fails in one reading, and the tests can't decide the other, so the ledger leaves "
             "it *undecided* at its level of .01, and would at .05 (below).",
             often["verdict"] == "undecided" and claims.SIGNIFICANCE == 0.01
             and alike == [False, None])  # fmt: skip
    leads = claims.leads().query("lead > 1e-9").measure.str.startswith("safe_")
    yield so(f"(By the means alone the linear model leads in {len(leads)}, most of them with the "
             "rule.)", leads.mean() > 0.5)  # fmt: skip
    yield so(f"There are {word(len(sure.better))} of the first kind, all as O, and none of the "
             "second.", not sure.level and all("as O" in one for one in sure.better))  # fmt: skip
    yield so(f"So this sentence holds, although the linear model is worse beyond chance in "
             f"{word(sure.worse)} of the comparisons", can["verdict"] == "reproduced")  # fmt: skip


@says("notebooks/02_spectral_dct.ipynb")
def networks_ahead() -> Iterator[str]:
    """What networks gain on the linear model, and lose to a perfect player."""
    rows = stored("spectral_networks.csv").groupby(["labels", "hidden"]).mean(numeric_only=True)
    nets = rows.drop(index=0, level="hidden")
    lead = nets.sub(rows.xs(0, level="hidden"), level="labels")
    ahead = (lead[["tie_aware", "x_random_win", "o_random_win"]] > 0).all(axis=None)
    ahead = ahead and (lead.misplayed < 0).all()
    yield so("Without the rule the networks are ahead in accuracy, in states misplayed and in wins",
             ahead)  # fmt: skip
    less = (lead.safe_o_minimax_loss > 0).all()
    text = "often than its networks do on average, whatever the labels"
    yield f"the *linear* model loses {way(less, 'less', 'more')} {text}"
    need_not = "so fitting them more closely need not help against a perfect player"
    yield so(need_not, ahead and less)
    each = stored("spectral_networks.csv").set_index(["labels", "hidden"]).safe_o_minimax_loss
    linear = each.xs(0, level="hidden")
    below = each.drop(index=0, level="hidden").sub(linear, level="labels") < 0
    (few, small), (none, large) = (
        (int(part.sum()), len(part)) for _, part in below.groupby("hidden")
    )
    yield so(f"though {word(few)} of the networks with ten neurons lose less often "
             "still, and none of those with a hundred",
             none == 0 < few and small == large)  # fmt: skip


@says("notebooks/02_spectral_dct.ipynb")
def coefficients_by_degree() -> Iterator[str]:
    """Coefficients and misplayed states of sums over lines, beside those of whole degrees."""
    known = drawn("02_degree_spectrum").drop_duplicates(["side to move", "degree"])
    by = known.set_index(["side to move", "degree"]).coefficients.unstack("degree")
    yield so(
        "have far fewer coefficients than degree three",
        (by["lines"] < by["3"] / 2).all(),
    )
    plain, ending = (
        rows.set_index("degree").misplayed
        for rows in (
            known.rename(columns={"states misplayed": "misplayed"}).query(
                "target == 'minimax' and `side to move` == 'yes'"
            ),
            drawn("06_tables_ladder")
            .query("taught == 'least squares'")
            .assign(degree=["1", "2", "lines", "3", "4", "5"]),
        )
    )
    apart = [degree for degree in plain.index if plain[degree] != ending[degree]]
    yield so("so their counts at degrees one and two differ.)", apart == ["1", "2"])


@says("notebooks/02_spectral_dct.ipynb")
def weights_carried_to_larger_boards() -> Iterator[str]:
    """How weights from another board fare beside those trained on the board itself."""
    games = stored("spectral_transfer.csv")
    won = games.pivot_table("win", ["safety", "from", "seed"], "player")
    ahead = (won.carried - won["trained there"]).groupby(["safety", "from"]).agg(["mean", "sem"])
    most, others = ahead.loc["no", "3x3"], ahead.drop(index=("no", "3x3"))["mean"]
    yield so("and about as much as weights trained on the board itself", others.abs().max() < 3)
    yield so("on 4x4 without the rule even more", most["mean"] > 3 * most["sem"])


@says("notebooks/02_spectral_dct.ipynb")
def labels_and_waves() -> Iterator[str]:
    """What following the labels is worth, and what single waves order."""
    lost = claims.labels_followed().matches["o", "minimax"].loss
    won = [claims.labels_followed().matches[side, "random"].win for side in "xo"]
    ruled = record(safety(linear_limits.labelled_agent())).matches["o", "minimax"].loss
    yield so("would play well against random opponents, on whom the labels rest, and as O, without "
             "the safety rule, lose every game to a perfect one, and with it about half of them",
             lost == 1 and min(won) > 0.9 and abs(ruled - 0.5) < 0.01)  # fmt: skip
    wave = drawn("02_waves").set_index(["u", "v", "row", "column"]).value.loc[2, 2].to_numpy()
    centre, corner, edge = sorted(KINDS, key=lambda cell: -wave[cell])
    signs = wave[corner] > 0 > wave[edge]
    yield so(f"is largest in the {KINDS[centre]}, smaller in the {KINDS[corner]}s and negative on "
             f"the {KINDS[edge]}s", signs)  # fmt: skip
    maps = drawn("02_weight_maps").query("features == 'symmetric'")
    values = maps.cell.round(9).groupby(maps.channel).nunique()
    kinds = listed([KINDS[centre], *(f"{KINDS[cell]}s" for cell in (corner, edge))])
    yield so(f"can only order {kinds}.", (values == len(KINDS)).all())
    standard = drawn("02_weight_maps").query("features == 'standard'")
    size, high = standard.weight.abs(), standard[["row_or_u", "column_or_v"]].max(axis=1) == 2
    small = size[high] < size.max() / 5
    yield so("high frequencies usually small, as most of them are", 0.5 < small.mean() < 1)
    hits = claims.first_free().single
    yield so("and still hits nearly half of the labels", 0.45 < hits < 0.5)


@cache
def fits() -> dict[str, Model]:
    """The standard and the symmetric model of 0/1 labels, and that of probabilities."""
    symmetric, soft = trained(GRID, symmetric=True), trained(GRID, labels="probability")
    return {"hard": trained(GRID), "symmetric": symmetric, "soft": soft}


@cache
def agreement() -> tuple[Any, Any]:
    """Agreement with the exact chances of the models of 0/1 labels and of probabilities.

    Each as it is and with a line for each depth: first row and second row.
    """
    maps = [fidelity.heatmaps(fits()[name]) for name in ("hard", "soft")]
    lines = [fidelity.calibrate_by_depth(found) for found in maps]
    return tuple(
        [{**vars(fidelity.fidelity(m)), **vars(fidelity.best_move_accuracy(m))} for m in some]
        for some in (maps, lines)
    )


@says("notebooks/02_spectral_dct.ipynb")
def probabilities_as_labels() -> Iterator[str]:
    """What probabilities as labels improve, and what of that is symmetry."""
    hard, soft = agreement()[0]
    better = {"spearman": 1, "mse": -1, "brier": -1, "single": 1, "tie_aware": 1}
    worse = [name for name, sign in better.items() if sign * (soft[name] - hard[name]) <= 0]
    yield so("every measure improves on the first row, except hits of the labelled move",
             worse == ["single"])  # fmt: skip
    second = fidelity.heatmaps(fits()["symmetric"])
    fair = {**vars(fidelity.fidelity(second)), **vars(fidelity.best_move_accuracy(second))}
    apart = {name for name in better if abs(fair[name] - soft[name]) > 1e-6}
    yield so("For ranks and hits that is symmetry alone, which probabilities have and 0/1 labels "
             "lack: 0/1 labels with symmetric features (second row) have the same.",
             apart == {"mse", "brier"})  # fmt: skip
    part = (hard["mse"] - fair["mse"]) / (hard["mse"] - soft["mse"])
    yield so("Of the fall in squared error symmetry brings less than a tenth.", 0 < part < 0.1)


@says("notebooks/02_spectral_dct.ipynb")
def a_line_for_each_depth() -> Iterator[str]:
    """What a line for each depth changes in error and ranks."""
    (hard, soft), (hard_line, soft_line) = agreement()
    maps = fidelity.heatmaps(fits()["soft"])
    known = [maps.truth[maps.ply == ply] for ply in np.unique(maps.ply)]
    flat = sum(np.nansum((part - np.nanmean(part)) ** 2) for part in known) / maps.legal.sum()
    close = all(line["mse"] < flat < 1.02 * line["mse"] for line in (hard_line, soft_line))
    yield so("and the mean probability for each number of stones, which ignores the scores, has "
             "one that is hardly larger", close)  # fmt: skip
    lower = hard_line["mse"] < hard["mse"] and soft_line["mse"] < soft["mse"]
    yield so("lowers the squared error of both models", lower)
    kept = abs(hard_line["spearman"] - hard["spearman"]) < 1e-9
    much = way(soft_line["spearman"] < soft["spearman"], "worse", "better")
    yield so(f"the lines leave the ranks of the 0/1 model as they are and make those of the other "
             f"{much}", kept)  # fmt: skip
    found = [claims.calibrated(labels) for labels in claims.LABELLED]
    lower = so("the squared error of both kinds of models is lower each time",
               all(one.better("mse") for one in found))  # fmt: skip
    less = so("the ranks of both within a state agree less each time",
              all(one.better("spearman") is False for one in found))  # fmt: skip
    yield f"in {word(len(claims.CLASS_FOLDINGS))} different splits: {lower}, and {less}"
    times = [claims._times_better(one, "pooled") for one in found]
    yield so("where the lines set the level of each depth, ranks agree better in most of the "
             "splits.)", min(times) > len(claims.CLASS_FOLDINGS) / 2)  # fmt: skip
    said = "can further enhance alignment"
    yield so(f"that calibration per depth *{said}*", said in ledger()["dct-heat-depth"]["quote"])
    yield so("As *alignment* may mean error or ranks, the sentence is *not testable*",
             ledger()["dct-heat-depth"]["verdict"] == "not testable")  # fmt: skip
    both = [(row["mse"], row["brier"]) for row in (hard, soft, hard_line, soft_line)]
    apart = [brier - mse for mse, brier in both]
    yield so(
        "the Brier score of the truth itself, so the two rank models alike", np.ptp(apart) < 1e-9
    )


@says("notebooks/02_spectral_dct.ipynb")
def ties() -> Iterator[str]:
    """Hits by rounding and at random, and what orders of the kinds of cells allow."""
    row = ledger()["dct-heat-single"]
    [fair] = re.findall(r"([\d.]+)% if any is as likely", row["ours"])
    ends = re.findall(r"here ([\d.]+)% to ([\d.]+)% over", row["reason"])[0]
    low, high = map(float, ends)
    less = way(float(fair) < low - 2, "less", "more")
    yield f"Nor is rounding a choice at random, which would hit clearly {less} often."
    inside = low <= float(row["published"]) <= high
    yield so("and the published number lies among the results", inside)
    held = ledger()["dct-cv-symmetric"]
    low, high = map(float, re.findall(r"here ([\d.]+) to ([\d.]+) over", held["reason"])[0])
    yield so(f"so does the cross-validated {float(held['published']):.1%}",
             low <= float(held["published"]) <= high)  # fmt: skip
    best = good_moves(TREE)
    wanted = (first(best), best, value_moves(TREE))
    limits = [float(linear_limits.class_ceiling(m, TREE, "lowest index")) for m in wanted]
    moves = policy_table(player(fits()["symmetric"]), TREE) > 0
    hits = [(moves & m)[~TREE.finished].any(axis=1).mean() for m in wanted]
    yield so("can't mean one board for each class under symmetry: counted that way, its "
             "tie-aware baseline would be different (above).",
             claims.states_counted().holds is True)  # fmt: skip
    yield so("our fit reaches all three numbers of its row", np.allclose(hits, limits, atol=1e-9))


@says("notebooks/02_spectral_dct.ipynb")
def rows_of_the_ledger() -> Iterator[str]:
    """The entry that is shown, lines beside degree one, weights that vanish, and verdicts."""
    entry = ledger()["dct-data"]
    yield so("ours agrees with it in every digit", entry["ours"] == entry["published"])
    gained = drawn("02_degree_spectrum").groupby("degree").R2.min()
    yield so("By its share of the variance, looking at whole lines and nothing else gets most of "
             "the way with few coefficients", gained["lines"] > 0.5)  # fmt: skip
    lost = drawn("02_degree_spectrum").query("degree == '2' and target == 'minimax'")
    badly = lost["loss as X, perfect"].min() == 1 and lost["loss as O, perfect"].min() > 0.9
    yield so("and the least-squares fit of degree two plays badly", badly)
    others = never_losing(classes(2), [1]), never_losing(line_classes(), [1, -1])
    found = all(one is not None for one in others) and never_losing(classes(2), [-1]) is None
    yield so("As X the fault lies with the fit, not with the degree: other weights on products of "
             "two stones never lose as X (as O we found none), and other weights on the eight "
             "lines lose on neither side", found)  # fmt: skip
    apart = len(quartic.kept_terms()) / len(quartic.terms())
    yield so("Mirror images make most of the weights equal or zero", apart < 0.5)
    rows = [row for row in ledger().values() if row["document"] == 2]
    cold = [row["reason"] for row in rows if row["verdict"] == "not testable"]
    own = set(LABELS) - {"mc", "optimal"}
    named = ("value", "minimax", "probability")
    yield so(f"and the labels {listed([f'`{name}`' for name in named])}.", own == {*named})
    made = sum(reason.startswith("An example that explains") for reason in cold)
    yield f"{capital(made)} of the untestable ones are worked examples"
    refuted = {row["id"].removeprefix("dct-") for row in rows if row["verdict"] == "refuted"}
    told = [REFUTED[fact] for fact in ("wins", "direction", "means", "both")]
    two, three, more, one = (capital(len(names)) for names in told)
    alone = refuted - set().union(*told)
    yield so(f"The {word(len(refuted))} refuted rows rest on {word(len(alone) + 3)} facts. {two} "
             "rows: without the safety rule wins are lost, not gained. "
             f"{three}: $(u = 0, v = 1)$ runs from left to right, not from top to bottom. {more}: "
             f"the means never decide a move. {one}, about the chosen move, rests on both the "
             f"direction and the means. The other {word(len(alone))} stand alone: what the "
             "coefficient $u = v = 0$ counts, what index 2 is, which cell is the centre, and which "
             "products influence a choice.",
             alone == {"guide-total", "guide-second", "five-centre", "guide-influence"}
             and refuted > alone)  # fmt: skip
    differ = {row["id"]: row for row in rows if row["verdict"] == "differs"}
    known = {"dct-contract-input", "dct-parts-features", "dct-scored-moves"}
    settings = [row for name, row in differ.items() if name not in known]
    own = all((row["kind"], row["where"]) == ("adopted", "How to run") for row in settings)
    yield so(f"Of those that *differ* {word(len(settings))} are settings of its "
             "example commands, which none of our runs uses, and one is the input of our "
             "`choose_move`", own and known <= differ.keys())  # fmt: skip
    numbers = differ["dct-parts-features"]["quantity"]
    yield so("The others hold numbers of the worked examples that depend on no weight",
             len(known) == 3
             and "features 0, 1, 9" in numbers and "x...o...x" in numbers)  # fmt: skip
    marked = ledger()["dct-label-all"]
    yield so("it can also mean the one that the tree names, which the printed accuracy fits. So "
             "the ledger calls that sentence *not testable*", marked["verdict"] == "not testable"
             and "fits the latter" in marked["reason"])  # fmt: skip
    any_best, labelled = claims.held_out_any(), claims.held_out(False)
    said = ledger()["dct-cv-measure"]
    fits = min(any_best) > max(labelled) and "fits the latter" in said["reason"]
    yield so(
        "lies within the spread of ours over many choices of folds, provided that only the "
        "labelled move counts as a hit",
        fits,
    )
    more = min(any_best) > float(said["reason"].split("The printed ")[1].split()[0])
    yield so("if any best move counts, the accuracy is clearly higher", more)
    yield so("Since the words allow both, that definition is *not testable*",
             said["verdict"] == "not testable")  # fmt: skip
    as_fit = claims.best_move_accuracy(claims.heatmaps(trained(GRID))).tie_aware
    yield so("held out, that of the standard features would be lower", max(any_best) < as_fit)


REFUTED: dict[str, set[str]] = {
    "wins": {"trade-off", "off-aggressive"},
    "direction": {"guide-vertical", "guide-direction", "guide-top", "guide-upper"},
    "means": {"guide-control", "guide-occupy"},
    "both": {"mean-explains"},
}
"""Refuted rows that share a fact."""


@says("notebooks/02_spectral_dct.ipynb")
def transforms() -> Iterator[str]:
    """What a rotation of the cells leaves alone, and what symmetry leaves of the waves."""
    boards, values = TREE.boards[1:], TREE.value[1:].astype(float)
    kinds = (dct_features(boards, GRID), raw_features(boards, GRID))
    apart = [np.ptp([x @ ridge(x, values, lam) for x in kinds], axis=0).max() for lam in LAMBDAS]
    yield so("it is the same problem in the raw cells", max(apart) < 1e-9)
    single = np.eye(GRID.cells, dtype=np.int8)
    waves = dct_features(single, GRID)[:, : GRID.cells].T.reshape(4 * (GRID.n,))
    signs = (-1.0) ** np.arange(GRID.n)
    turned = np.allclose(waves[:, :, ::-1], signs[:, None, None, None] * waves)
    yield so("Mirroring turns the wave $u$ into $(-1)^u$ times itself", turned)
    left = dct_features(single, GRID, symmetric=True)[:, : GRID.cells].reshape(-1, GRID.n, GRID.n)
    odd = np.arange(GRID.n) % 2 == 1
    cancels = np.abs(left[:, odd]).max() < 1e-9 < np.abs(left[:, ~odd][:, :, ~odd]).min()
    level = np.allclose(left, left.transpose(0, 2, 1))
    yield so("so every coefficient with odd $u$ or $v$ cancels, and transposition makes $(u, v)$ "
             "and $(v, u)$ equal", cancels and level)  # fmt: skip
    smooth = Model(GRID, low_pass(fits()["hard"].weights, GRID, 1)).priorities()
    waves_cut = low_pass(np.ones(2 * GRID.cells), GRID, 1)[: GRID.cells] == 0
    others = word(waves_cut.sum() - waves_cut[-1])
    yield so(f"loses this wave, with {others} others, and the strategy with it:",
             waves_cut[-1] and (smooth == np.arange(GRID.cells)).all())  # fmt: skip
    zero = ((np.abs(waves[:, :, 1, 1]) < 1e-9) == (odd | odd[:, None])).all()
    yield so("Without $u = 2$ or $v = 2$ the model can't see the centre: a cosine of one half "
             "period is zero there", zero and np.ptp(waves[0, 0]) < 1e-9)  # fmt: skip
    lists = stored("spectral_orderings.csv").set_index(["side", "safety"]).never_lose
    yield so("no such list is safe: without the safety rule somebody beats it on either side, and "
             "with the rule as O", lists["x", "no"] == lists["o", "no"] == lists["o", "yes"] == 0
             and lists["x", "yes"] > 0)  # fmt: skip
    orders, subsets = stored("spectral_orderings.csv").lists.max(), 2**GRID.cells
    yield (
        f"So the best accuracy over all {orders:,} lists is found by dynamic programming over the "
        f"{subsets} subsets of cells"
    )
    top = linear_limits.ceiling(good_moves(TREE), TREE).share
    below = all(row["tie_aware"] <= top for row in agreement()[0])
    bound = "and no linear score without further rules can exceed it if ties go by a fixed order"
    yield so(bound, below and linear_limits.class_ceiling(good_moves(TREE), TREE, "luckiest") > top)


@says("notebooks/02_spectral_dct.ipynb")
def against_searches() -> Iterator[str]:
    """What was printed against a tree search, how often that was played, and what holds it."""
    row = ledger()["dct-4-mcts"]
    won, _, lost = counted("dct-4-mcts")
    [iterations] = re.findall(r"with (\d+) iterations", row["quantity"])
    nothing = way(lost == 0, "nothing", word(lost))
    yield f"with {iterations} iterations {word(won)} to {nothing}."
    searched = [ledger()[f"dct-{name}mcts"] for name in ("4-", "4-sym-", "n4-", "off-")]
    yield so("with so few games they are *undecided*, and the reasons state how improbable each",
             {one["verdict"] for one in searched[1:]} == {"undecided"})  # fmt: skip
    soundly = [float(re.findall(r"has p = (\S+\d)\.", one["reason"])[0]) for one in searched]
    yield so("nothing like what a working search gives", max(soundly) < 0.001)
    usual = _as_printed(searched)
    yield so("The rebuilt search shows why the matches look as they do", min(usual) >= 0.1)
    yield so(f"**To lose {word(won)} to {nothing} is not unusual for a search that looks for its "
             "opponent's best moves**, even when the policy plays without its rule",
             searched[0]["published"] == searched[3]["published"]
             and min(usual[0], usual[3]) >= 0.1)  # fmt: skip
    games = stored("spectral_games.csv").query(f"opponent == 'uct@{iterations}'")
    [each], trainings = set(games.games), games.seed.nunique()
    yield f"{each} games for each of {trainings} training runs"
    bars = drawn("02_tree_search").set_index(["opponent", "player"]).draw
    enough = 0.95 < bars[f"uct@{iterations}", "safety+random"] < 1
    yield so(f"At {iterations} iterations, completing and blocking lines is enough for a draw on "
             "4x4, nearly always.", enough)  # fmt: skip
    kept = stored("spectral_kept.csv")
    yield f"{word(kept.match.nunique())} of them for each of {kept.seed.nunique()} training runs"
    nets = stored("spectral_networks.csv").query("hidden > 0")
    scores = claims_games.competitive_with_search()
    both = claims_games.competitive_with_search(["no", "yes"], ruled=True)
    row = ledger()["dct-competitive"]
    bare = float(re.findall(r"without the safety rule ([\d.]+)", scores.found)[0])
    yield so(f"So *{row['quantity']}* (first row) holds with the rule, which the player has by "
             "default, and fails without it", row["verdict"] == "reproduced"
             and scores.holds is True and bare < 0.25)  # fmt: skip
    yield so("(*Both modes are competitive*, the row on standard and symmetric features, sums up "
             "matches with the rule, and holds.)", both.holds is True)  # fmt: skip
    wide, narrow = sorted(nets.hidden.unique(), reverse=True)
    seeds = nets.seed.nunique()
    yield f"({wide} neurons as in document 1, or {word(narrow)}; {seeds} seeds each)"


def _as_printed(rows: list[dict[str, Any]]) -> list[float]:
    """The shares of the matches against the rebuilt search that end as each match is printed."""
    settings = [("no", "yes", 150), ("yes", "yes", 150), ("no", "yes", 100), ("no", "no", 150)]
    kept = stored("spectral_kept.csv").set_index(["symmetric", "safety", "iterations"])
    ends = kept.win.astype(str) + "-" + kept.draw.astype(str) + "-" + kept.loss.astype(str)
    pairs = zip(settings, rows, strict=True)
    return [(ends.loc[case] == row["published"]).mean() for case, row in pairs]


def without_ties() -> list[str]:
    """The matches that depend on chance with all options in print, and no cells that score alike.

    All options are in print if nothing is open but which of equal cells is taken.
    """
    by_index = [match for match, one in claims_replay.OPEN.items() if {*one.results} == {INDEX}]
    assert by_index
    return [match for match in (*claims_replay.PROGRAMS, *by_index) if not _scores_tie(match)]


def _scores_tie(match: str) -> bool:
    """Whether the player of a match has cells that score alike, X's or O's."""
    symmetric, n = "sym" in match, 4 if "4" in match else 3
    cells = trained(Grid(n), symmetric=symmetric, labels="mc" if n > 3 else "optimal").cells
    return any(len(np.unique(side.round(9))) < side.size for side in cells)


@says("notebooks/02_spectral_dct.ipynb")
def replayed() -> Iterator[str]:
    """Which printed matches come out again with the document's seed, and which don't."""
    settled, rest = without_ties(), claims_replay.readings()
    text = "have all options of the command in print and no ties left to rounding, and the ledger"
    yield so(f"depend on chance, {word(len(settled))} {text} judges them by their replay",
             {*settled} == {*claims_replay.PROGRAMS})  # fmt: skip
    yield f"For each of the other {word(len(rest))} something is left open"
    same = all(ledger()[match]["verdict"] == "reproduced" for match in settled)
    seven = claims_replay.as_printed()
    rare = claims_replay.by_chance(*seven) * claims_replay.combinations_to_choose_from()
    rare *= claims_replay.selections_to_choose_from()
    only = seven.index[seven.all(axis=1)].tolist() == [seeded_replay.SEED]
    text = "or others that choose alike, probably made these numbers, with the reversed sign in"
    yield so(f"{text} their search", same and only and rare < 0.01)
    fits = [rest["as printed"][f"dct-{rule}-random"].split("; ") for rule in ("on", "off")]
    yield so(
        "no one program gives both matches of ten games on 3x3", not set(fits[0]) & set(fits[1])
    )
    games = f"after {seeded_replay.ON_4X4.games} games"
    yield so("comes out as printed only with another number of games before it",
             games not in rest["as printed"]["dct-off-mcts"].split("; "))  # fmt: skip
    yield so("of the matches with symmetric features, the one against the search comes out "
             "differently",
             [one for one in rest.index if "sym" in one
              and INDEX not in rest["as printed"][one].split("; ")]
             == ["dct-4-sym-mcts"])  # fmt: skip
    both = tuple(ledger()[f"dct-4-sym-{name}"]["published"] for name in ("random", "mcts"))
    yield so("though with some orders of summation both come out as printed",
             0 < claims_replay.summed().count(both) < claims_replay.ORDERS)  # fmt: skip


@says("notebooks/02_spectral_dct.ipynb")
def overlooked() -> Iterator[str]:
    """A win and a block that a list walks past, and what is wrong with an example."""
    rows = drawn("02_heatmaps").pivot(index="board", columns="cell", values="score_01")
    boards = np.stack([parse(board, GRID) for board in rows.index])
    sides = np.where(boards.sum(axis=1) == 0, 1, -1).astype(np.int8)
    mine, theirs = (winning_cells(GRID, boards, sign * sides) for sign in (1, -1))
    theirs &= ~mine.any(axis=1, keepdims=True)
    chosen = np.arange(GRID.cells) == np.nanargmax(rows.to_numpy(), axis=1)[:, None]
    missed = [(cells.any(axis=1) & ~(cells & chosen).any(axis=1)).any() for cells in (mine, theirs)]
    yield so("watch the row of 0/1 labels overlook a win and a block", all(missed))
    [orders] = re.findall(r"over (\d+) choices of an order", ledger()["dct-heat-single"]["reason"])
    yield f"so we draw {orders} orders"
    wave = drawn("02_waves").set_index(["u", "v", "row", "column"]).value.loc[0, 1].unstack()
    across = np.ptp(wave, axis=0).max() < 1e-9 < np.ptp(wave, axis=1).min()
    yield so("$(u=0, v=1)$ runs across the columns", across)
    [move], centre = counted("dct-five-centre"), CELLS.index("centre")
    said = f"move {move} (center)"
    shown = so(f"the example's *{said}* is", said in ledger()["dct-five-centre"]["quote"])
    yield f"{shown} the {CELLS[move]}, while the centre is cell {centre}"
    best, printed = claims_guide.first_scores().reason, ledger()["dct-chosen"]["published"]
    others = re.findall(r"by which moves? (.*?) would score highest", best)[0]
    yield so("but by the weights supposed the first would show another choice",
             str(printed) not in re.findall(r"\d", others))  # fmt: skip
    scores = ledger()["dct-scores-b"]
    shown, [board] = len(scores["published"].split()), re.findall(r"[xo.]{9}", scores["quantity"])
    stones = int((parse(board, GRID) != 0).sum())
    over = shown - (GRID.cells - stones)
    yield (
        f"a grid of {word(shown)} scores for a board with {word(stones)} stones, has {word(over)} "
        "scores too many"
    )
    samples = counted("dct-samples")[0]
    lasting = round(samples * mean(running_chances(Grid(4))))
    yield f"so that {samples} samples leave them {lasting} states on average on 4x4"


@says("figures/02_degree_spectrum")
def degrees() -> Iterator[str]:
    rows = drawn("02_degree_spectrum").rename(columns={"states misplayed": "misplayed"})
    share = rows.misplayed / (~TREE.finished).sum()
    one, two, lines = (rows.degree == name for name in ("1", "2", "lines"))
    [first] = rows.R2[one].round(1).unique()
    yield f"Explained variance is about {first} at degree 1"
    assert share[two].round(1).eq(0.3).all()
    yield so("between 0.2 and 0.3 at degree 2", rows.R2[two].between(0.2, 0.3).all())
    least = rows.R2[lines].min()
    yield f"to about {least:.1f} and more with the eight lines"
    yield f"misplayed states is about {share[one].max():.1f} at degree 1"
    yield f"about {share[two].mean():.1f} at degree 2"
    yield so("falls below 0.05 with the eight lines", share[lines].max() < 0.05)
    steps = rows.groupby(["target", "side to move"], sort=False)[["R2", "misplayed"]].diff().abs()
    largest = steps.groupby([rows.target, rows["side to move"]]).idxmax().to_numpy().ravel()
    yield so("The largest step comes with the eight lines", set(largest) <= set(rows.index[lines]))
    yield so("(at degree 1 all four agree)", rows.misplayed[one].nunique() == 1)
    yield so(
        "products of two stones that share no line are left out.",
        not {*classes(2)} <= {*line_classes()},
    )


@says("figures/02_heatmaps")
def orders_of_cells() -> Iterator[str]:
    """Whether each board ranks its free cells as the empty board does, and where X or O wins."""
    rows = drawn("02_heatmaps")
    wide = rows.pivot(index="board", columns="cell").round(9)

    def alike(kind: str) -> bool:
        chances = wide[kind]
        order = chances.loc["." * 9].sort_values(ascending=False, kind="stable").index
        return all((np.diff(row.dropna()) <= 0).all() for _, row in chances[order].iterrows())

    same = alike("score_01") and alike("score_probability")
    exact = way(alike("exact"), "do too", "do not")
    keep = way(same, "keep the same", "change the")
    yield f"the scores of the linear models {keep} order of cells on every board"
    yield so(f"ranks cells alike on every board with the same side to move; the exact "
             f"probabilities {exact}", same)  # fmt: skip
    boards = np.stack([parse(board, GRID) for board in wide.index])
    sides = np.where(boards.sum(axis=1) == 0, 1, -1).astype(np.int8)
    completes = winning_cells(GRID, boards, sides)
    assert completes.any()
    certain = ((wide["exact"] == 1) == completes).all(axis=None)
    yield so("The exact probabilities jump to 1 where a line can be completed", certain)


@says("figures/02_reliability")
def reliability() -> Iterator[str]:
    """How far the scores of each model lie from the chances."""
    rows = drawn("02_reliability").set_index("model")
    hard, soft, calibrated = (rows.loc[name] for name in rows.index.unique())
    yield so("scores that say hardly anything about probabilities", np.ptp(hard.truth) < 0.1)
    yield f"The curve of 0/1 labels is flat near {np.average(hard.truth, weights=hard.moves):.2f}"
    gaps = [model.truth - model.score for model in (soft, calibrated)]
    zigzag = all((np.diff(np.sign(gap)) != 0).sum() > 2 for gap in gaps)
    near, nearer = (gap.abs().mean() for gap in gaps)
    yield so("the other two zigzag around the dashed diagonal", zigzag)
    close = max(near, nearer) < (hard.truth - hard.score).abs().mean() / 4
    bring = way(close, "bring them near", "leave them far from")
    yield so(f"probabilities as labels {bring} the diagonal, around which both curves zigzag",
             zigzag)  # fmt: skip
    closer = way(nearer < near, "closer", "farther away")
    yield so(f"the calibrated one a little {closer}", abs(near - nearer) < 0.02)


@says("figures/02_weight_maps")
def weights_of_cells() -> Iterator[str]:
    """Which cells and which frequencies have weight."""
    rows = drawn("02_weight_maps").assign(cell=lambda t: t.cell.round(9))
    ranked = rows.groupby(["features", "channel"]).cell
    first = {int(np.argmax(cells)) for _, cells in ranked}
    where = KINDS[first.pop()] if len(first) == 1 else "no cell"
    yield f"By cell, the {where} counts most in all {word(len(ranked))}"
    yield f"By cell, the {where} counts most. The learned weights"
    standard = rows[rows.features == "standard"]
    second = {
        int(np.argsort(-cells.to_numpy())[1]) for _, cells in standard.groupby("channel").cell
    }
    yield f"standard weights also favour the {' or '.join(CELLS[c] for c in second)}"
    spread = (standard.weight.abs() > 1e-3).all()
    yield so("Standard weights are spread over all frequencies", spread)
    symmetric = rows[(rows.features == "symmetric") & (rows.weight.abs() > 1e-9)]
    even = ((symmetric.row_or_u % 2 == 0) & (symmetric.column_or_v % 2 == 0)).all()
    yield f"symmetric ones only over {way(even, 'even', 'some')} u and v"


@says("figures/02_tree_search")
def tree_search() -> Iterator[str]:
    bars = drawn("02_tree_search").set_index("opponent")
    wrong, few = bars.loc["uct@150, wrong sign"], bars.loc["uct@150"].win.max() < 0.1
    tenth = word(int(10 * wrong.win.min()))
    yield so(f"Every player here wins more than {tenth} games in ten against the search with its "
             "sign reversed, and few against a search that works", few)  # fmt: skip
    right = bars.loc["uct@150"].set_index("player")
    bare = right.index.str.endswith("safety=no")
    yield so("nearly all games with the rule are draws", right.draw[~bare].min() > 0.95)
    yield f"{almost(right.loss[bare].mean())} in ten without it are lost"
    yield f"more than {word(int(10 * wrong.win.min()))} in ten are won"


@says("figures/02_priority_lists")
def lists() -> Iterator[str]:
    rows = drawn("02_priority_lists").set_index(["list", "place"]).cell.unstack("place")
    [start] = rows[1].unique()
    [second] = {CELLS[c] for name, c in rows[2].items() if str(name).startswith("learned")}
    best = CELLS[rows[2][next(name for name in rows.index if "as X" in str(name))]]
    yield f"All put the {CELLS[start]} first."
    corner = second.replace("upper left", "top left corner")
    yield f"The learned lists continue with the {corner}, the best list as X with the {best}."
    found = stored("spectral_orderings.csv").query("safety == 'no'").set_index("side").best_list
    drawn_lists = {side: rows.loc[f"best list as {side.upper()}"] for side in "xo"}
    margin = all([*map(int, found[side].split())] == [*drawn_lists[side]] for side in "xo")
    yield so("The two lists on the right have, up to turning and reflecting the board, the", margin)
    [*first, eighth, last] = x = [*drawn_lists["x"]]
    swapped = sorted(as_good(1)) == sorted([x, [*first, last, eighth]])
    alone = as_good(-1) == [[*drawn_lists["o"]]]
    yield so("(as X the last two cells may change places)", swapped and alone)
    weights = drawn("02_weight_maps").groupby(["features", "channel"]).cell
    orders = {key: tuple(np.argsort(-cells.round(9), kind="stable")) for key, cells in weights}
    alike = all(
        orders[kind, "X"] == orders[kind, "O"] == tuple(rows.loc[f"learned, {kind}"])
        for kind in ("standard", "symmetric")
    )
    yield so("each of the learned lists is the same for X as for O", alike)
    symmetric = weights.get_group(("symmetric", "X")), weights.get_group(("symmetric", "O"))
    equal = all(np.ptp(cells.to_numpy()[kind]) < 1e-9 for cells in symmetric for kind in ALIKE)
    yield so("With symmetric features all corners weigh the same, and so do all edges", equal)
    order = [*rows.loc["learned, symmetric"]]
    rising = all(sorted(kind, key=order.index) == kind for kind in ALIKE)
    yield so("; the lowest index goes first.", rising)


ALIKE = ([0, 2, 6, 8], [1, 3, 5, 7])
"""Corners, and edges."""


def as_good(side: int) -> list[list[int]]:
    """Lists without the rule of the largest margin, one for each class of symmetric lists."""
    found = play_lists(all_orders(up_to_symmetry=True), side, safe=False)
    ahead = found.wins - found.losses
    best: list[list[int]] = found.orders[ahead == ahead.max()].tolist()
    return best


@says("figures/02_strength")
def strength_of_lists() -> Iterator[str]:
    """Against the perfect player, without the rule and with it."""
    rows = drawn("02_strength").set_index(["opponent", "side", "player"]).loc["minimax"]
    o, x = rows.loc["o"], rows.loc["x"]
    least = o.loss.idxmin()
    text = f"also draw every game as X, and {least} loses the fewest as O"
    yield so(text, (x.draw[["analytical", "hybrid"]] == 1).all())
    plain = ["random", "standard, no rule", "symmetric, no rule"]
    mostly = (x.loss[plain] > 0.5).all() and (o.loss[plain] > 0.5).all()
    yield so("Without the rule, random play and the learned lists lose most games", mostly)
    yield so("random play and the learned lists lose most games without the rule", mostly)
    ruled = ["standard + rule", "symmetric + rule"]
    drew = (x.draw[ruled] == 1).all() and (o.loss[ruled] > 0).all()
    yield so("with it the learned lists draw every game as X and lose some as O", drew)
    lines = ["analytical", "hybrid"]
    most = min(x.draw[lines].min(), o.draw[lines].min()) > 0.5
    yield so("which count lines and have no rule either, draw most", most)
    yield f"Exact results on 3x3 of {word(len(x))} players, on both sides"


@says("notebooks/02_spectral_dct.ipynb")
def settings_of_commands() -> Iterator[str]:
    """How the ledger judges two settings of the document's commands."""
    used, unused = (ledger()[f"dct-{row}"]["verdict"] for row in ("samples-n3", "games-n4-mcts"))
    yield f"what a run of ours takes over is *{used}* (`dct-samples-n3`)"
    yield f"none of ours plays *{unused.removesuffix('s')}* (`dct-games-n4-mcts`)"


@says("figures/02_waves")
def waves() -> Iterator[str]:
    rows = drawn("02_waves").set_index(["u", "v", "row", "column"]).value
    high = rows.loc[2, 2]
    yield (
        f"u=2, v=2 is {high[1, 1]:.2f} in the centre, {high[0, 0]:.2f} in the corners and "
        f"{true_minus(f'{high[0, 1]:.2f}')} on the edges"
    )
    ends = rows.loc[0, 1]
    right = true_minus(f"{ends[0, 2]:.2f}")
    yield f"falls from {ends[0, 0]:.2f} on the left to {right} on the right"
    [flat] = set(rows.loc[0, 0])
    yield f"u=0, v=0 is one {ORDINALS[round(1 / flat)]} everywhere"
