"""What notebook 05 and its figures say of document 5, built from the evidence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise
from math import ceil, floor
from typing import Any

import numpy as np
import pandas as pd

from result_words.pages import took
from result_words.tools import (
    GRID,
    ORDINALS,
    capital,
    drawn,
    ledger,
    listed,
    raw,
    says,
    so,
    stored,
    told,
    way,
    word,
)
from ttt_lib.evidence.figures import true_minus
from ttt_lib.game.stats import pairs_interval, wilson
from ttt_lib.ultimate import claims, claims_network, config
from ttt_lib.ultimate.board import rules
from ttt_lib.ultimate.learn import fine_tuning
from ttt_lib.ultimate.solver import table as solver_table
from ttt_lib.ultimate.studies import (
    OPENING_PLIES,
    agents,
    cost,
    endgames,
    equal_time,
    eviction,
    fault_costs,
    gpu_cost,
    gpu_training,
    gumbel,
    hybrid,
    matches,
    random_games,
    resnet_against_tables,
    strength,
    transition,
    uct_constant,
    walkthrough,
    width,
    yardstick_scores,
)


@says("notebooks/05_alphazero_lite.ipynb")
def counts_of_the_game() -> Iterator[str]:
    """Plies, first moves and replies, counted."""
    shortest, longest = told(
        "05_alphazero_lite", r"shortest game takes (\d+) plies, the longest \*\*(\d+)"
    )
    yield f"At most {longest:g} moves, at least {shortest:g}: optimal strategies and bounds"
    classes = drawn("05_symmetry").query("ply == 1 and kind == 'all positions'").classes
    yield f"Why are there {word(classes.iloc[0])} classes of first moves"
    yield f"$3^9 + 3$, or {3**9 + 3:,}, cases"
    replies = drawn("05_symmetry").query("ply == 2 and kind == 'all positions'").positions
    yield f"minus one for each of the {word(81 * 9 - replies.iloc[0])} first moves that do so"


@says("notebooks/05_alphazero_lite.ipynb")
def a_move_not_turned_back() -> Iterator[str]:
    """What a fault in the symmetry of the table leaves right."""
    faults = stored("ultimate_faults.csv").set_index("fault")
    moves = faults.loc["move not turned back"]
    hundred = moves.move >= 100 and moves.result == moves.distance == 0
    yield so("wrong by the hundred, and yet the values stay right", hundred)


@says("notebooks/05_alphazero_lite.ipynb")
def all_phases_alike() -> Iterator[str]:
    """Which variant of the training has the highest mean."""
    runs = stored("ultimate_ablations.csv").groupby("variant")[["uct_score", "full_score"]].mean()
    best = (runs.drop(index="nothing changed").idxmax() == "all phases alike").all()
    yield so(f"the mean is even the highest of the {word(len(runs) - 1)}", best)


@says("notebooks/05_alphazero_lite.ipynb")
def gumbel_roots_behind() -> Iterator[str]:
    """With how many simulations Gumbel roots fell behind PUCT."""
    high, target = gumbel.summary()["score_high"], gumbel.summary()["target"]
    noisy, plain = (high[root][high[root] < 0.5].index for root in ("published", "no noise"))
    few = {16, 32, 64} == set(noisy)
    text = "with few simulations Gumbel roots with noise, as their authors train, fell behind PUCT"
    yield so(text, few)
    yield f"without noise, only with {' and '.join(map(str, plain))} simulations"
    tenth, aim = high["no noise, scale 0.1"], target["no noise, scale 0.1"] < target["PUCT"]
    yield so("At a tenth of the scale they fell behind with every number that we tried",
             (tenth < 0.5).all())  # fmt: skip
    yield so("and there their target is worse as well", aim.all())
    yield f"one network, {word(high.dropna().size)} matches, single intervals"


@says("notebooks/05_alphazero_lite.ipynb")
def moves_to_choose_from() -> Iterator[str]:
    """How many moves most positions have, and a few."""
    later = random_games.choices(20, 45)
    fewer, typical = (later.moves < 8).mean() > 0.5, later.groupby("free").moves.median()
    yield so(
        "the average hides that most have fewer, and a few have dozens",
        fewer and typical[True] >= 24 and later.free.mean() < 0.1,
    )


@says("notebooks/05_alphazero_lite.ipynb")
def the_score_in_all_games() -> Iterator[str]:
    """The score against UCT in all games, below that of the first ones."""
    every, first = (
        uct_constant.all_games(),
        strength.summary().set_index(["opponent", "simulations"]),
    )
    lucky = first.loc[(strength.uct_name(uct_constant.ITERATIONS), uct_constant.SIMULATIONS)]
    others = uct_constant.read().loc[uct_constant.DEFAULT]
    yield so(
        "the score is lower than in the figure above",
        every.high < lucky.score and others.score < lucky.score,
    )


DOCUMENT_5 = "05_alphazero_lite"
ULTIMATE = f"notebooks/{DOCUMENT_5}.ipynb"


def met_in(file: str) -> Any:
    """Stored matches, with scores and their intervals."""
    return matches.read(file)


@says(ULTIMATE)
def random_play() -> Iterator[str]:
    """Who wins at random, and how many choices there are."""
    results = random_games.results(20_000)
    first = (results["X wins"] > results["O wins"]).all()
    yield so(f"X wins more often under all {word(len(results))} rules", first)
    rows = drawn("05_phases").set_index("ply")
    choices = sorted(set(rows.moves[1:46].round()))
    fewer = way(choices[-1] < 16, "fewer", "more")
    yield (
        f"a player has {listed(map(word, choices), 'or')} choices on average for a long time, "
        f"{fewer} than on the empty 4 x 4 board"
    )
    norm = rows.free[60:].min() > 0.5
    yield so(
        "The game is long rather than wide", rows.running.sum() > 50 > 10 > rows.moves[1:].max()
    )
    yield so("rare at first and then take over", rows.free[1:21].max() < 0.05 and norm)
    late = rows.index[rows.free <= 0.5].max() + 1
    yield f"In games that last so long, more than half of the moves from ply {late} on are free"
    played, counted = told(DOCUMENT_5, r"\*\*([\d.]+)%\*\* of random games.*?\*\*([\d.]+)%")
    often = played > 50 and counted < 25
    text = "one whose solver gets to work in most random games, and one whose solver seldom does"
    yield so(text, often)
    yield so("The author's is the first kind: it counts playable cells", often)
    six, kept = told(DOCUMENT_5, r"\*\*([\d,]+)\*\* sequences, and ([\d,]+) under keep-playing")
    plies = 2 * GRID.n - 1
    apart = six > kept
    yield so(f"The two rules diverge only at the {ORDINALS[plies + 1]} move", apart)
    yield f"it takes X {word(GRID.n)} stones in one sub-board, {word(plies)} plies, to win"


@says(ULTIMATE)
def solver() -> Iterator[str]:
    """How far it sees, what makes it quick, and what its table should keep."""
    modest = endgames.solver_times().loc[:25].solved.min() == 1
    yield so("For a compiled solver, then, the document's threshold is modest", modest)
    fixed = "centre, corners, edges"
    usual = fixed, "lowest index", 15
    kinds = (endgames.ORDERS, endgames.RANDOM_ORDERS)
    means = [endgames.node_ratio(*usual, file) for file in kinds]
    fewer = all(high < 1 for *_, high in means)
    yield so("by its mean ratio the old rule of thumb does prune better;", fewer)
    sums = [endgames.total_ratio(*usual, file) for file in kinds]
    apart = not all(least < 1 < most for _, least, most in sums)
    text = "the two rules can't be told apart in either kind of games."
    yield so(f"which the hardest dominate, {text}", not apart)
    yield so("compared with which order, so its sentence stays undecided.", not apart)
    both = all(
        ratio(fixed, other, 15)[2] < 1
        for ratio in (endgames.node_ratio, endgames.total_ratio)
        for other in (endgames.AT_RANDOM, endgames.EDGES_FIRST)
    )
    yield so("Against a random order, or edges first, it is better by both measures.", both)
    counts = [endgames.node_counts(*usual, file) for file in kinds]
    few = all(fewer < same + more for fewer, same, more in counts)
    yield so("on most positions it saves our solver nothing", few)
    better = endgames.node_ratio(fixed, "ours", 15)[1] > 2
    yield so("Ordering by threats does far better", better)
    yield f"the one that lies on {word(sum(4 in line for line in GRID.lines))} lines of sub-boards"
    most = drawn("05_symmetry").query("kind == 'all positions'").saving.max()
    nearly = so(f"nearly {word(ceil(most))}fold", ceil(most) - most < 0.2)
    yield f"the count of *all* positions does shrink {nearly}"
    size = float(ledger()["alphazero-hot-cache-size"]["published"])
    evicted = stored("ultimate_solver.csv").entries.max() > size
    yield f"{way(evicted, 'much', 'hardly anything')} would be evicted at the published size"


@says(ULTIMATE)
def bits_of_an_entry() -> Iterator[str]:
    """Where the parts of a packed entry begin, by packing one with a single bit of each."""
    one_of_each = ((1, 0, 0), (0, 1, 0), (0, 0, 1))  # bound, move, work; -128 is no bit of score
    begins = [int(solver_table.pack(-128, *part)).bit_length() - 1 for part in one_of_each]
    size, content = solver_table.COLD_BYTES, int(solver_table._LOW).bit_length()
    score, bound, move, work = (end - begin for begin, end in pairwise([0, *begins, content]))
    yield (
        f"{size} bytes per entry: {8 * size - content} bits of key, {score} of score, {bound} that "
        f"say whether the score is exact or a bound, {move} of move and {work} of effort."
    )


@says(ULTIMATE)
def full_tables() -> Iterator[str]:
    """Which entry to evict, in small tables and in larger ones."""
    pairs = eviction.compared()
    small, large = pairs.iloc[0], pairs.iloc[-1]
    yield so("**In small tables it pays to keep what took work;", small["low"] > 1)
    told_apart = "in the largest of these our endgames can't tell the two rules apart.**"
    yield so(told_apart, large["low"] < 1 < large["high"])
    kept = way(ledger()["ultimate-lru"]["ours"] == "least work", "more", "less")
    yield f"Ours keeps what took {kept} work"


def reads_of_a_look_up(content: int) -> int:
    """Entries read for a key that isn't there, in tables full of a content."""
    whole = solver_table.Table(1, 1)
    whole.hot[:], whole.cold[:] = content, content
    assert solver_table.probe(whole.hot, whole.cold, np.uint64(1 << 63)) == 0
    return len(claims.places_read(whole, 1 << 63))


def links_changed_by_use() -> int:
    """Kinds of links that change when an entry is found in a table that evicts the oldest."""
    table, some = eviction.LeastRecentlyUsed(4), [np.uint64(key) for key in (1, 2, 3)]
    for key in some:
        eviction.store_lru(table.hot, table.cold, key, np.uint64(1))
    before = table.cold.copy()
    eviction.find(table.hot, table.cold, some[0])
    return int((table.cold != before).any(axis=1).sum())


@says(ULTIMATE)
def entries_and_links() -> Iterator[str]:
    """What a look-up reads, and what the order of use takes."""
    most = max(map(reads_of_a_look_up, (0, 1)))
    yield f"A look-up reads at most {word(most)} entries, however full the table is"
    yield f"LRU keeps its order in {word(links_changed_by_use())} more links per entry"
    at_once = claims_network.kept_if_won_at_once().value == "None for a win in one"
    yield so("A position that is won at once gets no entry", at_once)


@says(ULTIMATE)
def broken_solvers() -> Iterator[str]:
    faults = stored("ultimate_faults.csv").set_index("fault")
    told_ = ledger()["ultimate-perfect-play"]["ours"]
    [agreed] = re.findall(
        r"a search of every position that can follow agrees (on .* endgames of .*)$", told_
    )
    yield f"a search of every position that can follow agrees with it {agreed}."
    key, bounds = faults.loc["key without forced sub-board"], faults.loc["bounds stored as exact"]
    rarely = 0 < key.result < 0.02 * key.positions and 0 < key.distance < 0.02 * key.positions
    yield so("give wrong *results* and distances, though rarely", rarely)
    first = bounds.distance > 10 * max(bounds.result, bounds.move)
    yield so("Bounds taken for values give wrong *distances* first", first)
    delays = stored("ultimate_delays.csv")
    [longest] = told(DOCUMENT_5, r"the longest \*\*(\d+)")
    sooner = delays.forced.any() or delays.plies.max() < longest - 2
    yield f"{way(sooner, 'some', 'no')} play forces the win sooner"


@says(ULTIMATE)
def sizes_of_networks() -> Iterator[str]:
    """Networks, and the document's schedule."""
    wide, teacher = (config.config(name).network.body for name in ("large", "lite"))
    times = {2: "twice", 4: "four times"}[wide // teacher]
    yield f"also called the self-play network, is {times} as wide, began with the teacher's games"
    yield f"trained a net {times} as wide; at first"
    [minutes] = told(DOCUMENT_5, r"which had been trained for (\d+) CPU-minutes")
    yield so("trained for about an hour", 50 < minutes < 75)
    stages = pd.DataFrame(config.PUBLISHED_STAGES)
    rising = stages.simulations.is_monotonic_increasing and stages.games.is_monotonic_increasing
    falling = stages.temperature.is_monotonic_decreasing and stages.temperature.nunique() > 1
    text = "grows with the run: more simulations, more games, and a falling temperature"
    yield so(text, rising and falling)
    bill = cost.published_cost()
    yield so("A move takes hundreds of evaluations", 100 <= stages.simulations.min() < 1000)
    yield so("and training many thousands of games", bill["games"] > 10_000)
    weights = dict(config.PUBLISHED_WEIGHTS)
    [begins] = re.findall(r"turn at (\d+)", ledger()["alphazero-transition"]["ours"])
    most, least = (end(weights, key=weights.__getitem__) for end in (max, min))
    phases = (most, least) == (int(begins), min(weights))
    yield so("what it calls *transition* counts most, the last moves least", phases)
    length = bill["samples"] / bill["games"]
    shorter = way(length < drawn("05_phases").running.sum(), "shorter", "longer")
    yield f"games of {length:.0f} plies, somewhat {shorter} than those of random play"


@says(ULTIMATE)
def short_run() -> Iterator[str]:
    """The network that the notebook trains beside the teacher, and how it learns."""
    source = raw(ULTIMATE)
    [(body, parts)] = re.findall(r"TableConfig\(body=(\d+), parts=(\d+)\)", source)
    teacher, usual = config.config("lite").network, config.config("notebook").training
    half = {2 * int(body) / teacher.body, 2 * int(parts) / teacher.parts} == {1}
    yield f"except that the network is {way(half, 'half', 'not half')} as wide as the teacher's"
    [(batch, step)] = re.findall(r"short\.training, batch_size=(\d+), lr=([\d.]+)\)", source)
    smaller = way(int(batch) < usual.batch_size, "smaller", "larger")
    larger = way(float(step) > usual.lr, "larger", "smaller")
    yield f"and learns from {smaller} batches in {larger} steps"


@says(ULTIMATE)
def searches_with_faults() -> Iterator[str]:
    """Leaves in batches, and openings, as stored."""
    rows = drawn("05_exhibits").dropna(subset=["batch"])
    lossy, none = (rows[rows.virtual_loss == loss].set_index("batch") for loss in (True, False))
    largest, alone = rows.batch.max(), none.nodes[1]
    yield so("Without virtual loss the tree hardly grows", none.nodes.drop(1).max() < alone / 4)
    less = way(lossy.score[8] > none.score[8], "less", "more")
    scored = stored(fault_costs.FILE).query("exhibit == @fault_costs.BATCH")
    [games] = scored[scored.quantity.str.startswith("score")].n.unique()
    yield f"a batch of eight costs {less} strength, in {games} games each"
    level = lossy.low[largest] < none.score[largest] < lossy.high[largest]
    yield so("In batches of the largest size virtual loss brings no visible gain in play", level)
    yield so("although it still fills the tree", lossy.nodes.min() > alone / 2)
    openings = fault_costs.read(fault_costs.OPENINGS)
    yield so("sampling alone leaves its main line late", openings["ply 12"]["neither"] < 0.25)
    tried = openings["legal moves tried"][["neither", "noise", "noise and random openings"]]
    more = tried.is_monotonic_increasing and tried.is_unique and tried.iloc[0] < 0.5
    yield so("add moves that it seldom tries by itself", more)
    played = fault_costs.read(fault_costs.TEMPERATURE)["best move, as played"]
    effect = way(played.nunique() == 1, "no effect", "an effect")
    yield f"the falling temperature has {effect} on its games"
    ratio, found, proven = fault_costs.read(fault_costs.SHALLOW).iloc[0]
    alike = 0.5 < ratio < 0.6 and 0.8 < found / proven < 1.25
    text = "in little more than half the time, finds about as many wins as the tree search proves"
    yield so(text, alike)


@says(ULTIMATE)
def solving_or_evaluating() -> Iterator[str]:
    """Milliseconds of a complete search and of an evaluation."""
    solving = stored("ultimate_solver.csv").query("limit == 15").milliseconds
    speed = stored("ultimate_cost.csv").set_index("network")
    published, tables = 1000 / speed.alone[["30 x 512", "table net"]]
    quicker = way(solving.max() < published, "quicker", "slower")
    made = json.loads(raw("data/provenance.json"))
    core, other = (made[f"ultimate_{file}.csv"]["made"]["processor"] for file in ("solver", "cost"))
    alike = way(core == other, "of the same kind", "of another kind")
    yield f"is {quicker} than one evaluation of its network on a core {alike}"
    gpu = stored("ultimate_gpu_cost.csv")
    gpu = gpu[(gpu.network == "30 x 512") & (gpu.task == "evaluate")]
    processor = 1000 / gpu.per_second[gpu.batch == gpu.batch.max()].max()
    average = solving.mean()
    text = "about as long as an evaluation on a graphics processor in the largest batches"
    yield so(f"On average it takes {text} that we timed", 2 / 3 < average / processor < 3 / 2)
    quickest = 5 * tables < min(average, processor)
    yield so("our tables answer far more quickly than either", quickest)
    slower = claims_network.SLOWER
    long, longer = (slower * average / one for one in (published, processor))
    times = {1000: "a thousand"}[slower]
    yield f"A solver in plain Python, like the document's, may be {times} times slower"
    yield so("On a core it still takes a time of the order of one such evaluation", 0.1 < long < 10)
    yield so("on a graphics processor hundreds of evaluations take no longer", 200 < longer < 1000)


@says(ULTIMATE)
def strong_player() -> Iterator[str]:
    """How strong, by matches, by the yardstick and by what is new."""
    rows = drawn("05_strength").set_index(["opponent", "simulations"])
    row = rows.loc[("UCT 100,000", 200)]
    yield so("So one simulation with the network is worth many random playouts", row.low > 0.5)
    [hours] = told(DOCUMENT_5, r"the player's training together took ([\d.]+) CPU-hours")
    yield f"in less than {word(ceil(hours))} hours of training on one core"
    best = rows.loc[("UCT 100,000", 2000)]
    small = best.low > 0.5 and best.time_ratio < 0.1
    yield so("tree search with random playouts that we tried, in a small fraction of its", small)
    new, random = of_kind(".*iteration 0"), rated().loc["random"]
    yield so("Even with random weights it beats random play", new.low.min() > random.high)
    share = right_moves()
    alone, least = share["policy alone"].min(), share["uct"].min()
    yield f"is already worth {way(alone > least, 'more', 'less')} than a small search with random"
    gains = [share[name] - share[f"{name} without proofs"] for name in ("uct", "net")]
    uct, net = (gain.dropna() for gain in gains)
    proofs = uct.min() > 0.03 and net.max() < 0.01
    text = "proofs help tree search with random playouts, while the network's search hardly needs"
    yield so(text, proofs)
    others = stored("ultimate_seeds.csv").seed.nunique() - 1
    yield f"The same recipe was run with {word(others)} more seeds"


@says(ULTIMATE)
def targets() -> Iterator[str]:
    """What the networks learned from, by the settings of their training runs."""
    styles = fine_tuning.STYLES
    small = max(one.full for one in styles) < 50
    several = len({one.temperature for one in styles}) > 2
    text = "from games of the self-play network with small searches at several temperatures"
    yield so(text, small and several)
    stored_net, tables, residual = (
        config.config(name).training for name in ("large", "quick", "resnet")
    )
    corrected = stored_net.endgame == "relabel"
    yield so("In self-play the solver corrects only values", corrected)
    minute = config.config("notebook").training.endgame == "relabel"
    yield so("it has learned everything else from its games and the solver", minute)
    improved = stored_net.q_scale > 0 and tables.q_scale > 0 == residual.q_scale
    yield so(
        "it learned the visits, as in the document, where the tables learned improved policies "
        "and endgames corrected by the solver",
        improved and tables.endgame == "relabel" and residual.endgame == "play",
    )


def by_cells() -> Any:
    """The figure of the solver's worth, by simulations and cells from which it solves."""
    return drawn("05_hybrid").pivot(index="simulations", columns="cells")


def with_a_solver() -> Any:
    """The stored matches of the hybrid against the net alone."""
    rows = met_in("ultimate_hybrid.csv").query("opponent == 'net alone'")
    return rows.join(walkthrough.unequal_pairs(rows))


@says(ULTIMATE)
def solver_at_equal_simulations() -> Iterator[str]:
    """What the solver adds to a search by as many simulations."""
    even, rows = by_cells(), with_a_solver()
    equal = rows[(rows.budget == rows.simulations) & (rows.shallow == 0)]
    gains = 100 * (even.score - 0.5)
    few, many = (word(gains[25].agg(end).round()) for end in ("min", "max"))
    about = gains[20].between(0.5, 1.7).all() and (gains[20] < gains[25]).all()
    yield (
        f"the solver lost {word(equal.lost.sum())} pair of games in {word(len(equal))} matches and "
        f"won {equal.won.sum()}: it adds {few} to {many} percentage points from 25 cells, about "
        f"{way(about, 'one', 'some')} from 20, and from 15 at most {gains[15].max():.1f}, though "
        f"{way(even.high[15].max() > 0.51, 'one', 'more')} can't be excluded there"
    )
    published = rows[rows.shallow > 0].iloc[0]
    few = published.lost == 0 < published.won < 10 and 1.5 < published.time_ratio < 1.8
    text = "no pair was lost, and a few were won, in more than one and a half times the time"
    yield so(text, few)
    fewest = (even.score.idxmax() == even.index.min()).all()
    yield so("its mean gain is largest with the fewest simulations", fewest)
    both = all(
        (even[what].diff(axis=1).iloc[:, 1:] > 0).all(axis=None) for what in ("score", "time_ratio")
    )
    yield so("solving earlier brings more and costs more", both)


@says(ULTIMATE)
def solver_at_equal_time() -> Iterator[str]:
    """What the solver costs a search with as much time."""
    even, rows = by_cells(), with_a_solver()
    equal = rows[(rows.budget == rows.simulations) & (rows.shallow == 0)]
    gains = 100 * (even.score - 0.5)
    timed = rows[rows.budget > rows.simulations]
    slower = way(timed.time_ratio.between(1, 1.1).all(), "at least as much", "other")
    behind = (timed.high < 0.5).all() and (timed.time_ratio > 1).all()
    text = f"the hybrid was behind in all {word(len(timed))} matches"
    yield so(f"Even with {slower} time as the net alone, {text}", behind)
    chance = timed.p.iloc[0] > 0.05 > timed.p.iloc[1:].max()
    yield so("in the first by so little that it may be chance", chance)
    *untried, low, high = sorted(set(equal.cells))
    both = [low, high] == sorted(set(timed.cells)) and len(untried) == 1
    text = "with nets as fast as ours its time seems better spent on more simulations"
    yield so(f"when it solves from {high} cells, {text}", behind and both)
    published = untried == [int(ledger()["alphazero-solver-threshold"]["published"])]
    text = f"(from {low} that may be chance; from {untried[0]}, the published threshold, equal time"
    yield so(f"{text} was not tried)", published and chance)
    adds = gains.min(axis=None) >= 0 and (even.low[25] > 0.5).all() and gains.max(axis=None) < 5
    text = "adds a little strength at equal simulations; with as much time for both sides it costs"
    text = f"{text} strength at the highest threshold that we tried, and at the one below the"
    yield so(f"{text} difference may be chance", adds and behind and both and chance)


@says(ULTIMATE)
def look_ups_that_hit() -> Iterator[str]:
    """What look-ups found of the same game and of earlier ones."""
    counts = re.findall(
        r"([\d.]+)% of ([\d,]+) look-ups.*?and ([\d,]+) more what earlier games had",
        ledger()["alphazero-cache-hits"]["ours"],
    )
    shares = [float(own) for own, _, _ in counts]
    high, low = (
        100 * int(earlier.replace(",", "")) / int(asked.replace(",", ""))
        for _, asked, earlier in counts
    )
    yield so(
        "found a little of what the same game had just solved", 0 < min(shares) < max(shares) < 10
    )
    found = f"it found {way(high == 0, 'nothing', 'a little')} that earlier games had solved"
    yield f"At the temperature with which the published schedule begins, {found}"
    text = "at the one with which it ends, nearly half as much as it found from the same game"
    yield so(text, 0.35 < low / shares[1] < 0.5)


@says(ULTIMATE)
def worth_of_the_parts() -> Iterator[str]:
    """Changes of the training one by one, and symmetry."""
    rows, runs = effects(), stored("ultimate_ablations.csv")
    only = list(rows.index[clear(rows)]) == ["no turned samples"]
    yield so("**Symmetry is the one part whose worth shows.**", only)
    yield so("only data augmentation by symmetry has a visible effect", only)
    saved = endgames.variants().query("variant == 'symmetric keys'").entries.min() < 0.95
    helps = rows.uct.idxmin() == rows.full.idxmin() == "no turned samples"
    text = "saves nothing where it was meant to and helps most where the document does not"
    yield so(text, helps and not saved)
    seeds = word(runs.seed.nunique())
    solved = clear(rows.loc[["endgames relabelled", "endgames cut off"]]).any()
    yield so(f"makes no difference that {seeds} seeds could show", not solved)
    yield so("though its interval includes zero", not clear(rows)["all phases alike"])
    yield f"The intervals of a panel hold for all {word(len(rows))} changes at once"
    unchanged = runs[runs.variant == "nothing changed"].uct_score
    by_chance = (rows.uct.abs() < unchanged.std()).mean() > 0.5
    yield so(
        "Scores vary between seeds, and from game to game, by more than most of the differences "
        "that we see",
        by_chance,
    )
    curves = word(stored("ultimate_curves.csv").seed.nunique()).capitalize()
    yield f"{curves} seeds for the curves and for the stored network's recipe, {seeds} very short"
    yield from turns()


def turns() -> Iterator[str]:
    """Where games are decided, by three values from which on a winner may be called sure."""
    first, width, found, shares = 26, 4, {}, {}
    for sure in transition.SURE:
        bands = pd.Series((transition.decided(sure) - first) // width).value_counts()
        here, most = (wilson(int(n), int(bands.sum())) for n in (bands.get(0, 0), bands.max()))
        found[sure] = (bands.idxmax(), most.low - here.high)
        shares[sure] = bands.get(0, 0) / bands.mean()
    (_, lax), (band, usual), (_, strict) = (found[sure] for sure in (0.5, 0.7, 0.9))
    twice = all(1.75 < shares[sure] < 2.25 for sure in (0.5, 0.7))
    text = "about twice as many games turn in the transition as in an average band"
    three = word(len(transition.SURE))
    yield so(f"With the two laxer of these {three} meanings of *sure*, {text}", twice)
    yield so(
        "with the middle one a later band holds more, and the intervals are apart", band < 0 < usual
    )
    yield so("(with the laxest they overlap)", lax < 0)
    average = 0.9 < shares[0.9] < 1.1
    yield so("With the strictest the transition is about average", average)
    yield so("about average, and the gap is wider", strict > usual)
    never = {transition.GAMES - len(transition.decided(sure)) for sure in transition.SURE}
    drawn_ones = len(never) == 1 and min(never) > transition.GAMES / 2
    text = "most of the network's games with itself, the drawn ones, never do"
    yield so(text, drawn_ones)


@says(ULTIMATE)
def refuted_claims() -> Iterator[str]:
    """How many are false, and what those are about that a stopwatch or a count could show."""
    rows = {name for name, row in ledger().items()
            if row["document"] == 5 and row["verdict"] == "refuted"}  # fmt: skip
    measured = rows & {"ultimate-d4-memory", "alphazero-sampling"}
    some, all_ = word(len(measured)).capitalize(), word(len(rows))
    yield f"{some} of the {all_} refuted claims concern memory and time"


@says(ULTIMATE)
def tables_or_residual() -> Iterator[str]:
    rows = drawn("05_networks")
    ends = rows[rows.iteration == rows.groupby("network").iteration.transform("max")]
    scores = ends.groupby(["network", "opponent"]).score
    low, high = scores.min()["table net"], scores.max()["residual net"]
    yield so("With every seed the tables win", (low > high).all())
    text = (
        "came much further in a few minutes on a CPU than a small residual one that was not tuned"
    )
    yield so(text, low[1_000] > 2 * high[1_000])
    times = rows.groupby(["network", "seed"]).cpu_minutes.max()
    more = way(times["residual net"].min() > times["table net"].max(), "more", "less")
    yield f"and for {more} CPU time than a net of tables"


@says(ULTIMATE)
def machine_with_a_gpu() -> Iterator[str]:
    """What learned there, with how many processes, threads and seeds."""
    blocks, channels = gpu_cost.GRAPHED
    yield f"a residual network of {blocks} blocks and {channels} channels learned on one, an NVIDIA"
    processes, threads = (word(gpu_training.WORKERS[n]) for n in ("residual net", "table net"))
    yield f"an {gpu_cost.device()}, with {processes} processes of self-play, and a table net at the"
    seeds = word(len(gpu_training.SEEDS))
    yield f"with {threads} threads of the same machine, with {seeds} seeds each"


@says(ULTIMATE)
def recipe_on_a_gpu() -> Iterator[str]:
    """What both networks have in common there, and what not."""
    tables, residual = (run.training for run in gpu_training.RUNS.values())
    same = replace(
        residual, num_iterations=tables.num_iterations, stages=tables.stages, lr=tables.lr,
        num_self_play_games=tables.num_self_play_games, use_amp=tables.use_amp,
        q_scale=tables.q_scale,
    )  # fmt: skip
    solver = tables.endgame == "relabel" and same == tables
    yield so("Both followed the recipe of the tables, endgames corrected by the solver", solver)
    differs = tables.q_scale > 0 == residual.q_scale
    rate, games = residual.lr != tables.lr, cost.games(residual) != cost.games(tables)
    apart = differs and rate and games and residual.use_amp != tables.use_amp
    text = "apart from learning rate, precision and the number of games and batches, only the"
    yield so(f"{text} policy target differs, as in the comparison on a CPU", apart)


@says(ULTIMATE)
def table_net_ahead_beside_a_gpu() -> Iterator[str]:
    """How a residual network on a GPU compares with a table net in the same minutes."""
    table, other = (gpu_training.final_scores(name) for name in gpu_training.RUNS)
    wins = (other.low > 0.5).all()
    yield so("learns to beat tree search with 1,000 playouts within minutes", wins)
    rivals = gpu_training.against_rival()
    behind = (rivals.network == "residual net").all() and (rivals.high < 0.25).all()
    yield so("and the table net is still far ahead", behind)
    gpu = pd.merge_asof(
        other.sort_values("minutes"), gpu_training.along("table net").sort_values("minutes"),
        on="minutes", by="seed", suffixes=("", "_table"),
    )  # fmt: skip
    nearly = 0.8 < other.minutes.min() / table.minutes.max() < 1
    text = "of the samples; on a GPU in nearly as many minutes"
    yield so(text, behind and nearly and (gpu.score_table > gpu.score).all())
    made = cost.simulations(gpu_training.RUNS["residual net"].training) / (
        60 * other.minutes.mean()
    )
    share = made / gpu_cost.best("as a graph", gpu_training.NAME)
    yield so("uses a small part of what its network can do there", share < 0.2)
    assert (table.low > other.high).all()


@says(ULTIMATE)
def table_net_ahead_on_a_cpu() -> Iterator[str]:
    """How a residual network that learned on a CPU compares with a table net."""
    rows = drawn("05_networks")
    times = rows.groupby(["network", "seed"]).cpu_minutes.max()
    cpu = times["residual net"].min() > times["table net"].max()
    scores = rows[rows.opponent == rows.opponent.max()].groupby(["network", "seed"]).last().score
    twice = 1.8 < times["residual net"].mean() / times["table net"].mean() < 2.2
    quick, slow = (
        cost.draws(resnet_against_tables.RUNS[name].training)
        for name in ("table net", "residual net")
    )
    few = cpu and twice and round(quick / slow) == 50
    text = "With every seed a residual network whose settings were not tuned ends behind the"
    text = f"{text} tables: on a CPU in twice the time, with a"
    low, high = scores["table net"].min(), scores["residual net"].max()
    yield so(f"{text} fiftieth of the samples", few and low > high)
    rates = {run.training.lr for run in resnet_against_tables.RUNS.values()}
    yield so("with the learning rate of the tables, not tuned for it", len(rates) == 1)


def stored_scores() -> dict[str, dict[int, float]]:
    """Shares of right moves in endgames of the yardstick, by network and simulations."""
    return {
        who: {
            n: yardstick_scores.up_to(config.ENDGAME_CELLS, who, n).share
            for n in (25, 50, 100, 200, 400, 800, 2000)
        }
        for who in ("self-play net", "net")
    }


@says(ULTIMATE)
def constant_of_uct() -> Iterator[str]:
    """What tuning UCT's exploration constant changes."""
    met, first = uct_constant.read(), strength.summary()
    ours, usual = met.loc[uct_constant.best()], met.loc[uct_constant.DEFAULT]
    level = ours.low < usual.score and usual.low < ours.score
    yield so(
        "makes no visible difference to our player's score with this number of playouts", level
    )
    row = first.query("opponent == 'UCT 10,000' and simulations == 200").iloc[0]
    rows = met_in("ultimate_hybrid.csv").query("opponent == 'UCT 10,000' and cells == 0")
    below = max(ours.score, usual.score, rows.score.max()) < row.score
    yield so("On these openings the score is lower than in the figure above, and so it is", below)
    half = 2 * rows.games.item() == row.games and hybrid.SEED == strength.SEED
    yield so("match below, which used half of the figure's own openings", half)
    tuned = uct_constant.tuning().loc[uct_constant.best()]
    yield so("The better constant, whose own lead may be luck", 0.49 < tuned.low < 0.51)
    yield f"has c = {uct_constant.DEFAULT}, half the usual exploration on our scale of results"


@says(ULTIMATE)
def strong_and_standard() -> Iterator[str]:
    """The document's two agents, and players with one of their differences only."""
    met = agents.read()
    more, cooler = (agents.player(name) for name in (agents.SIMULATIONS, agents.TEMPERATURE))
    yield so("So the strong agent is stronger, and each of its advantages", met.low.min() > 0.5)
    two = word(len(met) - 1)
    yield f"and so did {two} more players, each with only one of the strong agent's {two}"
    half = 2 * cooler.temperature == more.temperature
    yield so("ours is half the standard agent's, the only one tried", half)


@says(ULTIMATE)
def players_told_apart() -> Iterator[str]:
    """Which players the ratings and the matches tell apart."""
    rows = rated()
    ours = rows.loc["net, 200"]
    others = rows.loc[["hybrid, 200", "Gumbel, 200", "self-play net, 200"]]
    alike = (others.low < ours.high).all() and (ours.low < others.high).all()
    text = "By the intervals of the table alone, the player with 200 simulations can't be told"
    yield so(f"{text} apart from the same nets", alike)
    played = met_in("ultimate_rating.csv").set_index(["player", "opponent"])
    own = played.loc[("net, 200", "self-play net, 200")]
    met = [played.loc[(name, "net, 200")] for name in ("hybrid, 200", "Gumbel, 200")]
    level = met[1].low < 0.5 < met[1].high
    yield so(
        "only that with the self-play network has an interval on one side of one half",
        own.low > 0.5,
    )
    yield so("with the Gumbel root the player is about level", level)
    won = met[0][list(matches.PAIRS[:2])].sum() == 0
    yield so("the hybrid won every pair of games that did not end level", won)
    yield so("a lead too small for the interval", met[0].low < 0.5 < met[0].score)
    times = word(100_000 / 200 / 100)
    above = ours.low > rows.high["UCT 100,000"]
    yield so(f"The player is, however, rated above UCT with {times} hundred times as many", above)


@says(ULTIMATE)
def lead_at_equal_time() -> Iterator[str]:
    """What is left of the lead at equal simulations when times are equal."""
    times = equal_time.read()
    ahead = times.low[equal_time.SIMULATIONS] > 0.5
    yield f"So the lead at equal simulations is {way(ahead, 'real', 'not shown')}, but"
    most = times.iloc[-1]
    even = 0.9 < most.time_ratio < 1.05 and most.low < 0.5 < most.high
    near = times[times.time_ratio.between(0.9, 1.1)]
    little = len(near) > 1 and near.score.between(0.5, 0.52).all() and times.score.iloc[0] > 0.54
    yield so("about the same thinking time, little of it is left in whole games", little)
    closest = times.loc[(times.time_ratio - 1).abs().idxmin()]
    yield so("The match nearest to equal time is won, if narrowly", 0.5 < closest.low < 0.51)
    less = even and most.time_ratio < 1
    yield so("the next, in which the pair had a little less time, ends about level", less)
    text = "in whole games it is ahead at equal simulations; at equal time little of that is left"
    yield so(text, ahead and little)
    quarter = even and times.index[-1] == 1.25 * equal_time.SIMULATIONS
    yield so("worth about as much as a quarter more simulations on every move", quarter)


@says(ULTIMATE)
def moves_right_in_endgames() -> Iterator[str]:
    """What the endgame network is worth in endgames."""
    scores = stored_scores()
    more = all(share > scores["self-play net"][n] for n, share in scores["net"].items())
    often = way(more, "more", "less")
    taught = "A wider copy of the net that the solver has taught (one run)"
    yield f"{taught} is right {often} often in endgames"
    yield f"With the endgame network {way(more, 'more', 'fewer')} moves are right in endgames"
    needed = next(n for n, s in scores["self-play net"].items() if s >= scores["net"][200])
    yield so("the self-play network needs several times as many simulations", needed >= 3 * 200)


@says(ULTIMATE)
def ratings_along_the_training() -> Iterator[str]:
    """What the last iterations of a run, and further training, add."""
    start, late, end = (
        of_kind(rf"table net \d, iteration {at}").sort_index().reset_index() for at in (16, 64, 80)
    )
    gained = (start.high < end.low).all() and (end.low < late.high).all()
    text = "improves a lot within a few minutes, but over its last iterations by no more than"
    yield so(text, gained)
    self_play = rated().loc["self-play net, 200"]
    ahead = self_play.low > end.high.max()
    yield so("still add to that", ahead)
    stored_body, short_body = (config.config(name).network.body for name in ("large", "quick"))
    lead = "the lead of the stored self-play network, which is wider, over its end"
    yield so(lead, ahead and stored_body > short_body)


@says(ULTIMATE)
def settings_of_play() -> Iterator[str]:
    """Other settings of the search against ours, and wide nets against narrow ones."""
    rows = met_in("ultimate_rating.csv").set_index("player")
    own, uct = (rows[rows.opponent == name] for name in ("net, 200", "UCT 5,000"))
    single = own.index.str.match(r"net, 200, (c|FPU)")
    level = ((own.low < 0.5) & (own.high > 0.5))[single].all()
    both = uct[uct.index.str.match(r"net, 200(, c|, FPU|$)")]
    level = level and both.low.max() < both.high.min()
    yield so("no change of $c$ or FPU alone makes a clear difference", level)
    secure, training = own.loc["net, 200, most visited"], own.loc["net, 200, as in training"]
    behind = max(secure.high, training.high) < 0.5
    yield so("Both players that choose the most visited move are behind ours", behind)
    overlap = secure.low < training.high and training.score < secure.score
    yield so("scores less still, but the two intervals overlap", overlap)
    others = own.index.str.startswith("net, 200, ").sum()
    yield f"and these are two of {word(others)} comparisons"
    alike = uct.loc[["net, 200", *own.index[own.index.str.startswith("net, 200, ")]]]
    yield so("Against UCT no change makes a visible difference", alike.low.max() < alike.high.min())
    nets = met_in("ultimate_width.csv").set_index(["network", "opponent"])
    even, longer = nets.loc[("wide", "narrow")], nets.loc[("wide", "narrow, more simulations")]
    yield so("it is ahead with most of them, and", (even.low > 0.5).mean() > 0.5)
    slower = (longer.ms / longer.opponent_ms).mean()
    still = (longer.low > 0.5).mean() > 0.5 and 1 < slower < 1.1
    yield so("still ahead when the narrow net gets nearly as much time per move", still)
    wide, narrow = (nets.loc[(name, "UCT")].set_index("seed") for name in ("wide", "narrow"))
    ahead = (wide.score > narrow.score).all()
    yield so("against UCT it scores more with every seed", ahead)
    chance = (wide.low < narrow.high).all()
    yield so("though with no seed by more than chance could explain", chance)


@says(ULTIMATE)
def first_moves() -> Iterator[str]:
    """Choices of the first move, and what each leaves the opponent, by the readable rules."""
    start = rules.start()
    moves = rules.legal_moves(start)
    left: dict[bool, set[int]] = {False: set(), True: set()}
    for move in moves:
        back = rules.BOARD_OF[move] == rules.CELL_OF[move]
        left[back].add(len(rules.legal_moves(rules.play(start, move))))
    [usual], [fewer] = left[False], left[True]
    yield f"The first move has {len(moves)} choices"
    yield f"and each leaves the opponent {word(usual)} cells"
    yield f"or {word(fewer)} if X sends O to the sub-board where X has just played"


@says(ULTIMATE)
def matches_of_the_run() -> Iterator[str]:
    """Games at each checkpoint of the short run, as its cell plays them."""
    [(simulations, games)] = re.findall(
        r"measured\(trainer\.tables, simulations=(\d+), games=(\d+)\)", raw(ULTIMATE)
    )
    *_, few, many = walkthrough.RIVALS
    few, many = (name.removeprefix("UCT ") for name in (few, many))
    yield (
        f"At each checkpoint it plays {games} games, with {simulations} simulations per move, "
        f"against each of {word(len(walkthrough.RIVALS))} opponents: random play, and tree "
        f"searches with {few} and with {many} random playouts per move."
    )


@says(ULTIMATE)
def matches_of_the_tables() -> Iterator[str]:
    """How the stored matches of seeds, ratings and widths were played, and how often."""
    strong, runs = met_in("ultimate_strength.csv"), met_in("ultimate_seeds.csv")
    paired = (2 * strong[list(matches.PAIRS)].sum(axis=1) == strong.games).all()
    sides = way(paired, "both sides", "one side")
    yield f"each opening of {word(OPENING_PLIES)} random moves is played from {sides}."
    half = (strong.win + strong.draw / 2).div(strong.games).round(9).equals(strong.score.round(9))
    yield so("search budgets, a draw counting half, with 95% intervals", half)
    of = ["opponent", "simulations", "games"]
    plain = runs[runs.opponent.str.startswith("UCT")]
    per = plain.groupby("seed")[of].apply(lambda rows: {*map(tuple, rows.to_numpy())})
    [same] = {frozenset(rows) for rows in per}
    again = same <= {*map(tuple, strong[of].to_numpy())}
    text = f"played tree search in the same {word(len(same))} matches as above"
    yield so(text, again)
    [simulations] = runs[~runs.opponent.str.startswith("UCT")].simulations.unique()
    others = way(runs.seed.nunique() > 2, "networks", "network")
    yield f"and then, with {simulations} simulations per move, the other {others}"
    rows = met_in("ultimate_width.csv")
    yield (
        f"meet, at {width.SIMULATIONS} simulations per move unless stated otherwise; "
        f"{word(rows.seed.nunique())} seeds of each."
    )
    yield so('"no turned samples"]))` takes about a minute', 2 / 3 < 2 * minutes_of_a_run() < 3 / 2)


def minutes_of_a_run() -> float:
    """Minutes for one short training of the stored table and its matches."""
    return took("ultimate_ablations.csv") / len(stored("ultimate_ablations.csv"))


@says(ULTIMATE)
def rungs_of_the_ladder() -> Iterator[str]:
    """Whom each player of the ladder meets, by the ratings that came out, and how often."""
    rows = stored("ultimate_rating.csv")
    [games] = rows.games.unique()
    met = {*zip(rows.player, rows.opponent, strict=True)}
    chains = [of_kind(kind).index for kind in (r"random|UCT (?!5,000)[\d,]+", r"net, [\d,]+")]
    weaker = all((above, below) in met for chain in chains for below, above in pairwise(chain))
    yield so(f"each player meets the next weaker one in {games} games", weaker)


@says("figures/05_symmetry")
def savings() -> Iterator[str]:
    rows = drawn("05_symmetry").query("kind == 'all positions'").set_index("ply").saving
    plies = word(rows.index.max())
    nearly = so(f"nearly {ceil(rows.iloc[-1])}", ceil(rows.iloc[-1]) - rows.iloc[-1] < 0.2)
    yield f"rises from {rows[0]:g} to {nearly} in {plies} moves"
    games = drawn("05_symmetry").query("kind == 'random games'").set_index("ply").saving
    ended = games.index[games < 1.05].min()
    stays = way((games[games.index >= ended] < 1.05).all(), "stays there", "rises again")
    least = f"{games[ended]:.0f} by ply {ended}"
    yield f"falls from {games[2]:.0f} at ply 2 to about {least} and {stays}"


@says("figures/05_order")
def orders() -> Iterator[str]:
    rows = drawn("05_order").set_index(["variant", "limit"])
    names = ["centre, corners, edges", "lowest index"]
    nodes, fixed = rows.nodes, rows.loc[names]
    rising = all(nodes[name].is_monotonic_increasing for name in names)
    yield so("cost the solver more the more cells are playable", rising)
    counts = drawn("05_order").groupby("limit").positions.unique().explode()
    yield f"{listed(counts)} positions (at most {listed(counts.index)} cells)"
    at15, at20 = (
        " or ".join(f"{ratio:.1f}" for ratio in sorted(fixed.nodes.xs(limit, level="limit")))
        for limit in (15, 20)
    )
    yield f"in fixed orders {at15} times at 15 cells and {at20} times at 20"
    ends = fixed.xs(20, level="limit")
    yield f"where the intervals reach from {ends.low.min():.1f} to {ends.high.max():.1f}"
    none = nodes["no table"]
    yield f"takes {none.min():.1f} to {none.max():.1f} times the nodes"
    keys = rows.loc["symmetric keys"]
    level = keys.low.min() > 0.98 and keys.high.max() < 1.02
    yield f"symmetric positions save {way(level, 'hardly anything', 'something')}"
    yield so("Symmetric keys lie at one", level)


@cache
def effects() -> Any:
    """What changing one part of the training does, by change."""
    return drawn("05_ablations").set_index("variant")


def clear(rows: Any) -> Any:
    """Which changes have an interval without zero, by either measure."""
    above, below = rows[["uct_low", "full_low"]] > 0, rows[["uct_high", "full_high"]] < 0
    return above.any(axis=1) | below.any(axis=1)


@says("figures/05_ablations")
def one_part_at_a_time() -> Iterator[str]:
    rows = effects()
    turned, others = rows.loc["no turned samples"], rows.drop(index="no turned samples")
    quarter = abs(turned.uct + 0.25) < 0.03 and abs(turned.full + 0.25) < 0.03
    yield so("the score falls by about 0.25 in both panels", quarter)
    yield so("the intervals of all other changes include zero", not clear(others).any())
    yield f"95% for all {word(len(rows))} changes of a panel at once"


@says("figures/05_curves")
def short_trainings() -> Iterator[str]:
    rows = drawn("05_curves")
    start, end = (rows[rows.iteration == at] for at in (rows.iteration.min(), rows.iteration.max()))
    medians = [part.groupby("opponent").score.median() for part in (start, end)]
    early = start.cpu_minutes.max() < 1 and medians[0].min() > 0.5
    yield so("Within the first minute both medians are above one half", early)
    yield so("The one against UCT 1,000 comes close to 1", medians[1][1_000] > 0.95)
    many = rows[rows.opponent == 10_000]
    best = many.loc[many.groupby("seed").score.idxmax()].set_index("seed").cpu_minutes
    more = (best - many.groupby("seed").cpu_minutes.min()).round()
    last = end[end.opponent == 10_000].score
    yield (
        f"the seeds go on rising for {listed(map(word, sorted(set(more))), 'or')} minutes more and "
        f"end at {last.min():.2f} to {last.max():.2f}"
    )
    yield f"the medians of {word(len(last))} seeds"


@says("figures/05_exhibits")
def faults_of_search() -> Iterator[str]:
    """A wrong sign, and leaves chosen in batches."""
    rows = drawn("05_exhibits").set_index("setting")
    sign, batches = rows[rows.index.notna()], rows[rows.index.isna()]
    wrong = sign.index.str.startswith("wrong")
    missed, won = sign["wins in one missed"], sign["score against random"]
    beaten = missed[wrong].min() > 0.5 > won[wrong].max()
    yield so("with the wrong sign most wins in one are missed and random play wins", beaten)
    yield so("with the right sign hardly any is missed", missed[~wrong].max() < 0.05)
    lossy, none = (
        batches[batches.virtual_loss == loss].set_index("batch").score for loss in (True, False)
    )
    falls = lossy.is_monotonic_decreasing and none.is_monotonic_decreasing
    yield so("the score against UCT falls as batches grow", falls)
    saved = (lossy - none).dropna() / (none[1] - none.drop(1))
    few, some, many = map(int, saved.index)
    yield so(
        f"virtual loss saves most of the loss at {few} leaves, less at {some} and next to nothing "
        f"at {many}",
        saved[few] > 0.5 > saved[some] > 0.1 > saved[many],
    )


@says("figures/05_gumbel")
def gumbel_roots() -> Iterator[str]:
    """Where Gumbel roots are clearly behind PUCT, and what would be learned."""
    rows = drawn("05_gumbel").set_index(["root", "simulations"])
    [positions] = rows.n.unique()
    yield f"(means over {positions:,} positions, without intervals)"
    behind = rows.score_high.dropna() < 0.5
    noisy, plain = behind["published"], behind["no noise"]
    yield f"behind PUCT at {listed(plain.index[noisy & plain])} simulations"
    yield f"not clearly behind from {plain.index[~plain].min()} simulations on, with noise they"
    yield f"with noise they are behind up to {noisy.index[noisy].max()}; a small scale"
    small = rows.score_high["no noise, scale 0.1"]
    yield so("a small scale is far behind at every budget", small.max() < 0.45)
    target = rows.target
    larger = all((target[root] > target["PUCT"]).all() for root in ("published", "no noise"))
    yield so("the improved policy puts a larger share on optimal moves than visits do", larger)


@says("figures/05_hybrid")
def solver_in_play() -> Iterator[str]:
    """What the solver adds with as many simulations, and what it costs."""
    rows = drawn("05_hybrid").pivot(index="simulations", columns="cells")
    score, time = rows.score, rows.time_ratio
    points = (100 * (score - 0.5)).round()
    early = [word(n) for n in sorted(set(points[25]))]
    clear = rows.low > 0.5
    yield so(
        f"adds {early[0]} to {early[-1]} percentage points when it solves from 25 cells on",
        clear[25].all(),
    )
    gains, level = 100 * (score - 0.5), pairs_interval([0, 0, hybrid.GAMES // 2, 0, 0])
    one = gains[20].between(0.5, 1.7).all() and gains[15].between(0, 0.49).all()
    yield so("From 20 the gain is about one point, from 15 the means are below half a point", one)
    least = 100 * (level.high - 0.5)
    yield f"these intervals can't be narrower than ±{least:.1f} points, so see the pairs"
    fewer = all(score[cells].is_monotonic_decreasing for cells in (20, 25))
    yield so("From 20 and 25 cells on the mean is higher the fewer the simulations", fewer)
    yield so("Scores rise with the threshold", (score.diff(axis=1).iloc[:, 1:] > 0).all(axis=None))
    few, most = score[25].iloc[0], score[25].iloc[-1]
    yield (
        f"from {score[15].mean():.2f} at 15 cells to {most:.2f} with {score.index[-1]} and "
        f"{few:.2f} with {score.index[0]} simulations at 25"
    )
    within = time[[15, 20]].max(axis=None) < 1.5
    yield so("Time stays within one and a half times the net's up to 20 cells", within)
    where = way(time[25].is_monotonic_decreasing, "few", "many")
    yield f"and is {time[25].min():.1f} to {time[25].max():.1f} times it at 25, most where"
    yield f"most where simulations are {where}"


def spread(numbers: Any, digits: int = 2) -> str:
    """The least and the greatest, rounded outwards."""
    shift = 10**digits
    low, high = (round(float(end), 6) * shift for end in (numbers.min(), numbers.max()))
    return f"{floor(low) / shift:.{digits}f} to {ceil(high) / shift:.{digits}f}"


@says("figures/05_networks")
def two_networks() -> Iterator[str]:
    """Scores of tables and of a residual network before, during and after training."""
    rows = drawn("05_networks")
    new = rows[rows.iteration == 0].groupby("opponent").score
    yield f"score {new.min()[100]:.1f} to {new.max()[100]:.1f} against 100 playouts"
    yield so("100 playouts and next to nothing against 1,000", new.max()[1_000] < 0.05)
    tables, residual = (rows[rows.network == name] for name in ("table net", "residual net"))
    first = tables[tables.iteration == tables.iteration[tables.iteration > 0].min()]
    stops = [first, *(part[part.iteration == part.iteration.max()] for part in (tables, residual))]
    texts = [[spread(s.score[s.opponent == n]) for n in (100, 1_000)] for s in stops]
    early, late, other = map(listed, texts)
    half, five = (stop.cpu_minutes.mean() for stop in (first, stops[-1]))
    yield f"After {half:.1f} minutes the table net scores {early}, at the end {late}"
    yield f"the residual network, after {five:.0f} minutes, {other}"


@says("figures/05_gpu")
def on_a_gpu_by_minutes() -> Iterator[str]:
    """Scores of both networks by minutes of training."""
    rows = drawn("05_gpu")
    table, other = (rows[rows.network == name] for name in ("table net", "residual net"))
    first, last = (other.groupby("seed").nth(place) for place in (0, -1))
    wins = len(last) == len(gpu_training.SEEDS) and (last.low > 0.5).all()
    yield so("learns to beat tree search with 1,000 random playouts within minutes", wins)
    near = pd.merge_asof(
        other.sort_values("minutes"), table.sort_values("minutes"),
        on="minutes", by="seed", suffixes=("", "_table"), direction="nearest",
    )  # fmt: skip
    yield so("the table nets score higher throughout", (near.score_table > near.score).all())
    yield f"on an {gpu_cost.device()}, and at the same time a table net with eight threads"
    yield f"The table nets score {spread(table.score)} from the first measurement on"
    begin, end = (
        f"{spread(s.score)}, after {' to '.join(map(str, sorted({*s.minutes.round(1)})))}"
        for s in (first, last)
    )
    yield f"the residual networks begin at {begin} minutes, and end at {end}."


@says("figures/05_phases")
def random_games_by_ply() -> Iterator[str]:
    rows = drawn("05_phases").set_index("ply")
    moves = rows.moves.round()
    about = sorted(set(moves[1:51]))
    assert moves[51:].is_monotonic_decreasing
    yield f"On average, legal moves fall from {moves[0]:.0f} to about {word(moves[1])} at once"
    yield f"stay at {listed(map(word, about), 'or')} until ply 50, and dwindle"
    late = rows.free[1:21].max() < 0.05 and rows.free[60:].min() > 0.5
    yield so("free moves become common late", late)
    apart = (rows["empty"] - rows.playable)[:50]
    further = apart.is_monotonic_increasing and apart.iloc[10:].is_unique
    yield so("fall ever further below the count of all empty cells", further)


@says("figures/05_planes")
def planes() -> Iterator[str]:
    cells = drawn("05_planes").set_index("plane").cells
    whole = (cells[["won", "lost", "drawn"]] % 9 == 0).sum()
    yield f"{capital(len(cells))} small grids side by side"
    yield f"the next {word(whole)} whole sub-boards"
    last = list(cells.index).index("last move") + 1
    yield so(f"the {ORDINALS[last]} a single cell", cells["last move"] == 1)
    yield so("the last one sub-board", cells.iloc[-1] == 9)
    yield so("and is the first that leaves no plane empty", cells.min() > 0)


@says("figures/05_solver")
def times_to_solve() -> Iterator[str]:
    rows, curves = endgames.solver_times(), drawn("05_solver").groupby("limit").ms
    yield f"{capital(len(curves))} cumulative curves over logarithmic time"
    yield so(
        f"from tens of microseconds at {rows.index[0]} cells to {curves.max().iloc[-1] / 1000:.1f} "
        f"seconds at {rows.index[-1]} cells",
        0.02 < rows["median ms"].iloc[0] < 0.1,
    )
    unsolved = 1 - rows.solved.iloc[-1]
    yield f"where one position in {word(round(1 / unsolved, 6))} is cut off unsolved"
    yield so("nodes cuts off the hardest", unsolved > 0)


@cache
def rated() -> Any:
    """Ratings and times of the players of document 5."""
    return drawn("05_rating").set_index("player")


def of_kind(pattern: str) -> Any:
    """Ratings of the players whose whole names match, from the weakest."""
    return rated()[rated().index.str.fullmatch(pattern)].sort_values("rating")


@says("figures/05_rating")
def ratings() -> Iterator[str]:
    """By time per move, and during training."""
    nets, uct = of_kind(r"net, [\d,]+"), of_kind(r"UCT [\d,]+")
    longest, enough = uct.iloc[-1], nets[nets.rating >= uct.rating.max()].ms.min()
    yield so(
        "reach the rating of the longest tree search in a small fraction of its time",
        50 * enough < longest.ms,
    )
    for rows in (uct, nets):
        steps = [int(step.replace(",", "")) for step in rows.index.str.split().str[-1]]
        assert steps == sorted(steps)
        assert rows.rating.is_unique
    (few, *_, many), (quick, *_, slow) = (rows.index.str.split().str[-1] for rows in (uct, nets))
    least, random = (true_minus(str(one)) for one in (uct.rating.min(), rated().rating["random"]))
    yield (
        f"UCT rises from {least} points with {few} playouts to {uct.rating.max()} "
        f"with {many}, which takes it {uct.ms.min():.2f} to {uct.ms.max():.1f} milliseconds"
    )
    yield (
        f"the table nets from {nets.rating.min()} with {quick} simulations to {nets.rating.max()} "
        f"with {slow}, in {nets.ms.min():.1f} to {nets.ms.max():.1f} milliseconds; random play "
        f"lies at {random}."
    )


@says("figures/05_rating")
def ratings_in_training() -> Iterator[str]:
    """Ends of the training runs, between whom they lie."""
    ends, short = of_kind(r"table net \d, iteration 80"), of_kind(r"table net .short.* 56")
    rating, minutes = rated().rating, ceil(drawn("05_curves").cpu_minutes.max())
    between = ends.rating.between(rating["UCT 10,000"], rating["net, 200"], inclusive="neither")
    yield so(
        f"after {minutes} minutes the {word(len(ends))} table nets lie between UCT 10,000 and the "
        "stored nets with 200 simulations",
        between.all(),
    )
    times = drawn("05_networks").groupby(["network", "seed"]).cpu_minutes.max()
    spent = times["table net"]
    below = short.rating.between(rating["UCT 1,000"], rating["UCT 10,000"], inclusive="neither")
    yield so(
        "the tables lie between UCT 1,000 and UCT 10,000 after "
        f"{floor(spent.min())} to {ceil(spent.max())} minutes",
        below.all(),
    )
    near = of_kind(r"residual net .short.*").rating.between(rating["UCT 30"], rating["UCT 300"])
    last = times["residual net"].mean()
    yield so(f"residual networks stay near UCT 100 for {last:.0f} minutes", near.all())


@says("figures/05_strength")
def by_simulations() -> Iterator[str]:
    score = drawn("05_strength").set_index(["opponent", "simulations"]).score
    strong, strongest = score["UCT 10,000"], score["UCT 100,000"]
    steps = strong.diff()
    dips = so(f"{word((steps < 0).sum())} small dip", steps.min() > -0.02)
    yield (
        f"the score rises, except for {dips}, from {strong.iloc[0]:.2f} with 25 simulations "
        f"to {strong.iloc[-1]:.2f} with 2,000"
    )
    yield f"it is {strongest[200]:.2f} with 200 and {strongest[2000]:.2f} with 2,000"
    weaker = score.drop(["UCT 10,000", "UCT 100,000"], level="opponent")
    yield so("against weaker opponents it is above 0.9 throughout", weaker.min() > 0.9)


@cache
def right_moves() -> Any:
    """Shares of optimal moves on the yardstick, by player and simulations."""
    rows = drawn("05_yardstick").query("panel == 'left'")
    return rows.set_index(["player", "simulations"]).share


@says("figures/05_yardstick")
def more_simulations() -> Iterator[str]:
    """How the curves rise, and fall with the number of cells."""
    share = right_moves()
    rising = all(part.is_monotonic_increasing for _, part in share.groupby("player"))
    yield so("all curves rise with simulations", rising)
    net, uct, alone = share["net"], share["uct"], share["self-play net"]
    far = all(10 * net.index[net >= right].min() < n for n, right in uct.items())
    taught = (net[alone.index] > alone).all()
    yield so(
        "the table nets need far fewer of them than UCT for the same share, and fewer still where "
        "the solver has taught one of them",
        far and taught,
    )
    cells = drawn("05_yardstick").query("panel == 'right'").sort_values("cells")
    ends = [100 * cells[cells.player == player].share for player in ("net", "uct")]
    (high, *_, low), (other, *_, least) = ends
    yield f"the net from {high:.0f}% to {low:.0f}%, UCT from {other:.0f}% to {least:.0f}%"
    falls = all(part[:4].min() > part[-4:].max() for part in ends)
    yield so("on the whole both fall as the number of playable cells grows", falls)


@says("figures/scorecard")
def longest_parts() -> Iterator[str]:
    rows = drawn("scorecard").pivot(index="document", columns="verdict", values="claims")
    named = list(dict.fromkeys(drawn("scorecard").verdict))
    yield f"{capital(len(rows))} horizontal stacked bars, one per document"
    yield f"split into {listed(named)}."
    longest = rows.idxmax(axis=1)
    others = longest[longest != "reproduced"]
    if others.empty:
        yield "In all of them reproduced is the longest part."
        return
    [(other, part)] = others.items()
    yield f"In {word(len(longest) - 1)} of them reproduced is the longest part"
    yield f"for document {other} it is {part}."
