"""What README, change log, data dictionary and docstrings say, built from the evidence."""

from __future__ import annotations

import inspect
import json
import re
import tomllib
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from importlib.metadata import distributions, version
from math import ceil, factorial, floor, log10
from typing import Any

import numpy as np
import pandas as pd
from safetensors.numpy import load_file

from result_words.ntuple import safe_seeds
from result_words.pages import took
from result_words.playout_mlp import seeds
from result_words.spectral import without_ties
from result_words.tools import (
    ENERGIES,
    NOTEBOOKS,
    ORDINALS,
    ROOT,
    TREE,
    capital,
    drawn,
    header_number,
    ledger,
    listed,
    markdown,
    met,
    piece,
    raw,
    says,
    so,
    stored,
    told,
    way,
    word,
)
from result_words.ultimate import met_in
from ttt_lib import Grid
from ttt_lib.catalog import AGENTS
from ttt_lib.evidence import claims, store
from ttt_lib.evidence.documents import documents
from ttt_lib.evidence.verdicts import VERDICTS
from ttt_lib.game.stats import wilson
from ttt_lib.ising import claims_bias, curve, runs
from ttt_lib.ntuple import runs as ntuple_runs
from ttt_lib.people.book import lessons
from ttt_lib.people.play import trap
from ttt_lib.playout_mlp import study
from ttt_lib.spectral import datafiles
from ttt_lib.ultimate.config import ENDGAME_CELLS, NetworkConfig, config
from ttt_lib.ultimate.studies import (
    agents,
    curves,
    endgames,
    equal_time,
    eviction,
    probes,
    spot_checks,
    uct_constant,
    walkthrough,
    yardstick,
    yardstick_scores,
)

# ---------------------------------------------------------------------------- README and data


@says("README.md")
def readme() -> Iterator[str]:
    """The picture, and counts of documents and lessons."""
    positions, of = trap.game(), len(documents())
    turns = all(insight_wins(session) for session in positions[:-1])
    yield f"A game in {word(len(positions))} pictures, X against document 4's player"
    every = way(turns and positions[-1].result == 1, "at every turn, and wins", "sometimes")
    yield f"X finds a winning move {every}."
    yield f"# {capital(of)} ways to teach a machine Tic-Tac-Toe"
    yield f"{capital(of)} public documents each teach a machine to play"
    gains = [met(x, "random").win - met("minimax:ties=uniform", "random").win for x in ("ntuple",)]
    yield f"why do they win {way(min(gains) > 0, 'more', 'less')} often than perfect play does?"
    yield f"`make slides`: {word(len(lessons.load()))} lessons to show"
    yield f"add a {ORDINALS[of + 1]} document"
    yield f"On all {np.count_nonzero(~TREE.finished)} unfinished states of 3x3 it is a table"


@says("README.md")
def came_out() -> Iterator[str]:
    """A finding of each of documents 1 to 3: what the notebooks print, and what it rests on."""
    best, of = told("01_playout_mlp", r"expected accuracy above (\d+)/(\d+) = ")
    accuracy = float(ledger()["mlp-accuracy"]["published"])
    yield f"can expect to score above {best / of:.2%} on random games."
    luck = way(accuracy > best / of, "luck, and a leak", "no luck")
    yield f"The lesson reports {accuracy:.2%}: {luck}"
    wrong, labels = told("02_spectral_dct", r"(\d+) of (\d+) labelled moves throw away")
    yield f"of {labels:g} moves labelled as optimal, {wrong:g} throw away a win or a draw."
    [same] = told("02_spectral_dct", r"the same moves as the model in all (\d+) states")
    yield so("a fixed list of cells: it takes the first that is free", same == labels)
    matches = without_ties()
    again = {ledger()[match]["verdict"] for match in matches} == {"reproduced"}
    text = "whose options are all printed and whose ties don't depend on rounding come out the same"
    said = f"Of its matches that depend on chance, the {word(len(matches))} {text} to the digit"
    yield so(said, again)
    row, proof = ledger()["ntuple-never-loses"], stored("ntuple_4x4_exact.csv")
    nobody, kept = "Nor against anybody, on either side", "all 100 stored seeds keep to it"
    hundred = row["verdict"] == "reproduced" and all(
        words in row["reason"] for words in (nobody, kept)
    )
    yield so('"never loses" holds for each of the hundred networks', hundred)
    safe = (proof[["worst_x", "worst_o"]] == 0).all(axis=None)
    many = word(proof.seed.nunique())
    yield so(f"on 4x4 for {many} that learned from nothing but games against themselves", safe)


@says("README.md")
def came_out_later() -> Iterator[str]:
    """The same of documents 4 and 5, and of the comparison."""
    pieces, published = curve.named("equation", "o", "random"), piece("equation", 0.647)
    least = published.outcome.loss == min(one.outcome.loss for one in pieces)
    yield so("one of many that lose least", least and published.start < published.end)
    law = stored("ising_law.csv").query("side == -1").set_index(["board", "verdict"])
    never, beaten = (law.xs(name, level="verdict") for name in ("never loses", "can lose"))
    text = "a value of b above which the second player can't lose"
    yield f"we prove for each of {listed(never.index)} {text}"
    below = never["from"] - beaten["from"].groupby("board").max()
    yield so("just below it, it can.", below.between(0, 1e-6).all() and (never["to"] >= 1).all())
    sweeps = stored("ising_sweeps.csv").query("players == 'RI' and b > 0.3")
    lost = sweeps[sweeps.board.isin(never.index)].groupby("energy").win.sum()
    yield so("With the energy of the text", lost["equation"] == 0 < lost["published"])
    rows = met_in("ultimate_hybrid.csv").query("opponent == 'net alone' and shallow == 0")
    even, longer = (rows[(rows.budget > rows.simulations) == more] for more in (False, True))
    helps = (even.score >= 0.5).all() and even.low.max() > 0.5 and even.score.max() < 0.55
    higher = set(longer.cells) == set(sorted(set(even.cells))[-2:])
    longer = longer.join(walkthrough.unequal_pairs(longer))
    clear = {cells: (part.high < 0.5).all() and (part.p < 0.05).all()
             for cells, part in longer.groupby("cells")}  # fmt: skip
    text = "adds a little strength at equal simulations; at equal time it costs strength at the"
    text = f"{text} highest threshold that we tried; at the next lower one the difference may be"
    text = f"{text} chance."
    yield so(text, helps and higher and clear == {20: False, 25: True})
    [hours] = told("05_alphazero_lite", r"training together took ([\d.]+) CPU-hours")
    yield f"after less than {word(ceil(hours))} hours of training on one core"
    played = drawn("05_strength").set_index("opponent")
    playouts = max(int(name[4:].replace(",", "")) for name in played.index if name[:4] == "UCT ")
    rows = played.loc[f"UCT {playouts:,}"]
    beaten = rows.low.min() > 0.5
    yield so(f"beats one with {playouts:,} random playouts per move", beaten)
    yield f"takes about {rows.set_index('simulations').time_ratio[2000]:.0%} of its time"
    [cycles] = told("06_arena", r"There are (\d+) such cycles")
    yield so("there are players who beat one another in a cycle.", cycles > 0)


def insight_wins(session: Any) -> bool:
    return "win" in trap.marks(session).labels


@says("README.md")
def installation() -> Iterator[str]:
    """The version of Python, and the room of an environment without CUDA."""
    needed = tomllib.loads(raw("pyproject.toml"))["project"]["requires-python"]
    yield f"You need Python {needed.removeprefix('>=')} or newer"
    if version("torch").endswith("+cpu"):
        files = (file for one in distributions() for file in one.files or [])
        yield f"some {round(sum(file.size or 0 for file in files) / 1e9)} GB of disk"


@says("CHANGELOG.md")
def found_out() -> Iterator[str]:
    """Results that the changes tell, as they are today."""
    plies = told("05_alphazero_lite", r"shortest game takes (\d+) plies, the longest \*\*(\d+)")
    yield f"against every reply of O ({plies[0]:g} to {plies[1]:g} plies)"
    delays = stored("ultimate_delays.csv")
    none = not delays.forced.any() and delays.plies.max() == plies[1] - 2
    yield so("a search that finds no win forced sooner", none)
    [soonest] = told("04_ising_bias", r"finds how soon: in (\d+) plies")
    yield f"as first player on 4x4x4, in {soonest:g} plies at the earliest"
    [shared] = told("03_ntuple_network", r"symmetry misplay at least (\d+) positions")
    [apart] = told("03_ntuple_network", r"every line (\d+) misplayed position is enough")
    yield f"must misplay at least {shared:g} positions and separate tables at least {apart:g};"
    law = stored("ising_law.csv").query("verdict == 'never loses' and side == -1")
    text = "by true rules and with the text's energy, the second player never loses"
    yield f"proofs that on {listed(law.board)}, {text}"
    safe = safe_seeds()["symmetric"]["constant, averaged"][1_000_000]
    yield f"a constant step {word(safe)} averaged seed of twenty, instead of none, ends unbeatable"


@says("CHANGELOG.md")
def studied() -> Iterator[str]:
    """What the changes tell of document 5's studies, and of the seeds of document 2's networks."""
    [games] = stored("ultimate_rating.csv").games.unique()
    yield f"a ladder of matches of {games} games each"
    hybrid = stored("ultimate_hybrid.csv").query("budget > simulations and opponent == 'net alone'")
    yield so("where it gains nothing", (hybrid.win <= hybrid.loss).all())
    nodes = stored("ultimate_eviction.csv").pivot_table("nodes", ["entries", "number"], "evicted")
    ratio = np.log(nodes["least recently used"] / nodes["least work"]).groupby("entries").mean()
    few, *_, many = np.exp(ratio.dropna())
    yield so("with few entries the least recently used rule, as published, takes more nodes than",
             few > 1.1)  # fmt: skip
    yield so("ours; with many it takes as few.", abs(many - 1) < 0.02)
    seed = stored("ultimate_curves.csv").groupby("seed").cpu_minutes.max().mean()
    yield f"takes {word(round(seed))} minutes"
    one, other = (header_number(f"ultimate_{name}.safetensors", "parts")
                  for name in ("table", "teacher"))  # fmt: skip
    yield so("The stored player is twice as wide as its teacher", one == 2 * other)
    sizes = stored("ultimate_gpu_cost.csv").network.unique()
    net = NetworkConfig()
    included = f"{net.num_res_blocks} x {net.num_channels}" in sizes
    text = f"speed and memory of {word(len(sizes))} sizes, the published one included"
    yield so(text, included)
    networks = stored("spectral_networks.csv").query("hidden > 0").seed.nunique()
    yield f"networks with {networks} seeds instead of five"
    solved = AGENTS["alphazero"].options["solver"]
    yield f"by default those of up to {solved} playable cells"
    tasks = [re.findall(r"^\d+\. ", markdown(path).partition("## Exercises")[2], re.MULTILINE)
             for path in NOTEBOOKS]  # fmt: skip
    yield f"all {sum(map(len, tasks))} exercises at the ends of the notebooks"
    yield f"explanations for each of {word(len(lessons.load()))} lessons"


RELEASED = {1: (95, 69), 2: (131, 89), 3: (58, 35), 4: (87, 39), 5: (13, 1)}
"""Of the ledger of 0.1.0, by document: its rows, and how many of these were merged or are gone."""


@says("CHANGELOG.md")
def verdicts_since_the_release() -> Iterator[str]:
    """Rows by document, then and now; and each list of changed verdicts with today's verdict."""
    yield f"{capital(len(VERDICTS))} verdicts instead of five"
    for number, (before, gone) in RELEASED.items():
        now = sum(row.document == number for row in claims.load())
        yield f"| {number} | {before} | {gone} | {now - before + gone} | {now} |"
    few, of = re.findall(r"\d+", ledger()["dct-guide-high"]["ours"])[:2]
    yield f"{few} of {of} weights of high frequencies are small"
    verdict_of = {name: row["verdict"] for name, row in ledger().items()}
    entry = re.compile(r"^- [a-z, ]+ -> [a-z ]+: (.+(?:\n  .+)*)", re.MULTILINE)
    lists = entry.findall(raw("CHANGELOG.md"))
    assert lists
    for text in lists:
        rows = [name for name in re.findall(r"`([\w-]+)`", text) if name in verdict_of]
        verdict = " or ".join(sorted({verdict_of[name] for name in rows}))
        yield f"-> {verdict}: `{rows[0]}`"


@says("data/README.md")
def sizes_of_tables() -> Iterator[str]:
    """How many players, games, boards and seeds the stored tables hold."""
    small, judged = stored("arena_4x4.csv"), stored("arena_4x4_soundness.csv")
    yield f"of all ordered pairs of {word(small.x.nunique())} players"
    yield f"{capital(len(judged))} players of 4x4"
    boards = stored("ising_boards.csv")
    [games] = boards.games.unique()
    yield f"with themselves, {word(boards.board.nunique())} boards, true rules, {games:,} games"
    large = stored("ising_large.csv").query("players == 'II'")
    [each] = large.games.unique()
    yield f"against itself at {word(large.b.nunique())} values of b, {each} games per row"
    own = stored("ising_self_play.csv")
    step = np.diff(np.sort(own.b.unique())).min()
    yield f"against itself, b from {own.b.min():g} to {own.b.max():g} in steps of {step:.2f}"
    fits = stored("ising_program_fits.csv")
    yield f"What {fits.replay.nunique()} replays of each published sweep would have concluded"
    [replayed] = stored("ising_program_games.csv").games.unique()
    yield f"scored as it scores them, {replayed:,} games per row"


@says("data/README.md")
def games_of_tables() -> Iterator[str]:
    """Games per row of some more tables, boards, sides and steps."""
    games = stored("arena_games.csv")
    [each] = games.games.unique()
    exact = stored("arena_4x4.csv").x.unique()
    small = games[games.board == "3x3"]
    searches = small[["x", "o"]].apply(lambda c: c.str.match("uct|pmc")).any(axis=1).all()
    unknown = not (games.query("board == '4x4'")[["x", "o"]].isin(exact)).all(axis=1).any()
    text = f"{each} games of every ordered pair of players for which no exact result is stored"
    three = small[["x", "o"]].stack().str.extract("^(uct|pmc)(.*)$").dropna().drop_duplicates()
    yield so(f"{text}: on 4x4 and 3x3x3; on 3x3, of", searches and unknown)
    yield f"{word(len(three))} searches by playouts with random play, perfect play and one another"
    sides = stored("arena_formulas.csv").groupby("board").side.unique()
    both = len(sides["4x4"]) == 2 and [*sides["3x3x3"]] == ["x"]
    yield so("4x4 on both sides, 3x3x3 as X", both)
    deeper = stored("ising_deeper.csv")
    [each] = deeper.games.unique()
    boards = way("3x3" in set(deeper.board), "3x3 and larger boards", "larger boards")
    yield f"against the one-ply version on {boards}, {each} games per row"
    sweeps = stored("ising_sweeps.csv")
    [each], step = sweeps.games.unique(), np.diff(np.sort(sweeps.b.unique())).min()
    boards = word(sweeps.board.nunique())
    yield (
        f"in steps of {step:.2f}, both energies, {boards} boards, true rules, {each:,} games per "
        "row; win is"
    )
    [each] = stored("ntuple_4x4_matches.csv").games.unique()
    yield f"4x4 N-tuple networks in {each} games each against random play"
    games = stored("spectral_games.csv").query("player.str.startswith('spectral')")
    [each] = games.games.unique()
    yield f"a row of {each} games for each of {games.seed.nunique()} training runs, or"
    safe = stored("spectral_games.csv").query("player == 'safety+random'")
    yield f"or {safe.seed.nunique()} seeds of the safety rule over random play"
    alone = stored("spectral_games.csv").query("player.str.startswith('uct') and seed == 1")
    [each] = alone.games.unique()
    yield f"both UCTs against random play on {listed(alone.board.unique())}, {each:,} games per row"
    [each] = stored("spectral_transfer.csv").games.unique()
    yield f"random symmetric weights and none; one row of {each} games per seed"


@says("data/README.md")
def ultimate_tables() -> Iterator[str]:
    """Players, seeds, games and positions of the tables of Ultimate."""
    [paired] = stored("ultimate_gumbel.csv").query("games > 0").games.unique()
    yield f"by simulations: {paired} paired games each"
    rating = stored("ultimate_rating.csv")
    names = {*rating.player, *rating.opponent}
    levels = sum(re.fullmatch(r"net, [\d,]+", name) is not None for name in names)
    yield f"the stored table nets at {word(levels)} numbers of simulations"
    strong = stored("ultimate_strength.csv")
    low, high = strong.simulations.min(), strong.simulations.max()
    yield f"The stored table nets at {low} to {high:,} simulations per move against random play"
    curves = stored("ultimate_curves.csv")
    opponents = [f"{number:,}" for number in sorted(curves.opponent.unique())]
    seeds_of = word(curves.seed.nunique())
    yield f"{seeds_of} training seeds: games against UCT with {listed(opponents)} iterations"
    for name, words in (("networks", "small residual network and table net"),
                        ("width", "trained for about the same time")):  # fmt: skip
        yield f"{words}, {word(stored(f'ultimate_{name}.csv').seed.nunique())} seeds"
    more = stored("ultimate_seeds.csv").seed.nunique() - 1
    yield f"The stored self-play net and {word(more)} more trained as it was"
    ends = stored("ultimate_yardstick.csv")
    kept = ends[ends.status == "kept"].cells
    yield f"with {kept.min()} to {kept.max()} playable cells, one per game of {ends.game.nunique()}"
    sampling = stored("ultimate_sampling.csv")
    yield f"from windows of {word(sampling.window.nunique())} sizes, {word(sampling.way.nunique())}"
    faults = stored("ultimate_faults.csv").query("fault != 'none'")
    yield f"Answers made wrong by {word(len(faults))} faults"
    orders = stored("ultimate_orders.csv")
    [cells] = orders.limit.unique()
    yield f"{word(orders.variant.nunique())} move orders, on the first positions of at most {cells}"


@says("data/README.md")
def seeds_of_tables() -> Iterator[str]:
    """Seeds and training runs of the stored tables."""
    curves, epochs = stored("ntuple_curves.csv"), stored("ntuple_epochs.csv")
    yield f"after every fifth epoch, seeds {curves.seed.min()} to {curves.seed.max()}."
    yield f"each of {epochs.epoch.max()} epochs, seeds {epochs.seed.min()} to {epochs.seed.max()}."
    orders = stored("ntuple_orders.csv").groupby("kind").order.nunique()
    regular, drawn = word(orders["regular"]), word(orders["random"])
    yield f"the same in every epoch: {regular} regular ones and {drawn} random ones"
    yield f"{len(seeds())} repetitions of document 1, one row per seed"
    [each] = stored("playout_mlp_games.csv").games.unique()
    yield f"with network playouts, {each} games per row"
    few, many = sorted(set(stored("playout_mlp_controls.csv").games))
    yield f"know finished games only, {few} games per row; and in one match-up, {many:,} games each"
    kept = stored("spectral_kept.csv")
    per = kept.match.nunique()
    yield f"{word(per)} matches of each of {kept.seed.nunique()} training runs"
    yield f"fixed lists of cells as players of 3x3, over all {factorial(9):,} of them"
    networks = stored("spectral_networks.csv").query("hidden > 0").seed.nunique()
    yield f"accuracy and exact strength, {networks} seeds."


@says("data/manifest.toml")
@says("data/README.md")
def one_iteration() -> Iterator[str]:
    games, batches = word(probes.GAMES), word(probes.BATCHES)
    yield f"one iteration of {games} games and {batches} batches by the settings and the seed of"


@says("data/README.md")
def read_by_hand() -> Iterator[str]:
    """The files whose makers return them as they are."""
    files = [f"`{one.file}`" for one in store.manifest() if one.source.startswith("read off")]
    yield f"{capital(len(files))} files were read off published sources by hand"
    yield f"their commands only copy them: {listed(sorted(files))}."


@says("data/README.md")
def digits_of_tables() -> Iterator[str]:
    """As many as tables are written with, but for those in which some number has more."""
    longest = digits_beyond_the_usual()
    assert set(longest) == {"probabilities.csv", "published_elsewhere.csv"}
    yield f"at most {usual_digits()} significant digits"
    yield f"(`probabilities.csv` {longest['probabilities.csv']}; `published_elsewhere.csv` as"


@says("notebooks/book/using.md")
def exceptions() -> Iterator[str]:
    more = len(digits_beyond_the_usual())
    yield f"tables carry at most {usual_digits()} digits, with {word(more)} exceptions"


def usual_digits() -> int:
    """Significant digits of a number in a stored table."""
    [digits] = re.findall(r"\n0\.(3+)\n", store.csv_text(pd.DataFrame({"third": [1 / 3]})))
    return len(digits)


@cache
def digits_beyond_the_usual() -> dict[str, int]:
    """The stored tables with longer numbers, and the digits of their longest."""
    found = {}
    for path in (ROOT / "data").glob("*.csv"):
        numbers = re.findall(r"(?<![^,\n-])(\d+\.\d+)(?=[,e\n])", path.read_text("utf-8"))
        found[path.name] = max((len(n.replace(".", "").strip("0")) for n in numbers), default=0)
    return {name: digits for name, digits in found.items() if digits > usual_digits()}


READING_ERROR = 1
"""Games by which a point read off a published figure may be off: noted when they were read, and
computed by nothing stored."""


@says("data/README.md")
def games_and_limits() -> Iterator[str]:
    """Figures, games, seeds and decimals of the tables of documents 1 to 4."""
    figures = json.loads(raw("data/ising_published_sweeps_digitised.json"))
    [(step, of)] = {runs.PROGRAM_SWEEPS[size][1:3] for size in figures}
    assert {round(float(b) % step, 9) for points in figures.values() for b in points} <= {0, step}
    yield f"Points read off the {word(len(figures))} published figures of lost games over b"
    yield f"the games lost of {of}, null where the point is covered; at most "
    yield f"is covered; at most {word(READING_ERROR)} game off."
    own = stored("ising_self_play.csv")
    [each], boards = own.games.unique(), word(own.board.nunique())
    yield f"both energies, {boards} boards, true rules, {each} games per row."
    lines = len(Grid(4).lines)
    games = ntuple_runs.GAMES_4X4
    yield f"4x4 N-tuple network, {word(lines)} lines, weights shared by symmetry, {games} games of"
    played = stored("ntuple_self_play.csv")
    assert played.games.max() == 1e6
    yield f"after up to a million games, seeds {played.seed.min()} to {played.seed.max()}."
    starts = stored("ntuple_starts.csv").start.str.split().str[0]
    each = starts.value_counts() // stored("ntuple_starts.csv").variant.nunique()
    yield f"from zeros, {each.trained} trained and {each.random} random tables"
    places = re.findall(r"\.(\d+)", raw("data/optimal_decision_tree.json"))
    assert max(map(len, places)) == datafiles.DECIMALS
    yield f"layout of document 2's sample, {datafiles.DECIMALS} decimals."
    yield f"{len(stored('playout_mlp_copying.csv'))} repetitions of document 1 without its network"
    yield f"Weights of the networks of seeds 0 to {networks_of_document_1() - 1}, trained on the"


def networks_of_document_1() -> int:
    """How many networks are stored for each kind of rows."""
    weights = load_file(ROOT / "data/playout_mlp_nets.safetensors").values()
    [of] = {len(each) for each in weights}
    return of


def written(function: Callable[..., object], pattern: str) -> int:
    """The number in the group of a pattern in the source of a function, where it is no constant."""
    [found] = re.findall(pattern, inspect.getsource(function))
    return int(found)


@says("data/README.md")
def games_and_limits_of_ultimate() -> Iterator[str]:
    """Games, simulations, seeds and limits of cells of the tables of Ultimate."""
    games = written(endgames.make_faults, r"uct_games\((\d+),")
    yield f"on the same endgames of {games} UCT games, turned and reflected."
    seeds_of = word(stored("ultimate_curves.csv").seed.nunique())
    against = listed(f"{number:,}" for number in curves.OPPONENTS)
    yield f"under configuration quick, {seeds_of} training seeds: games against UCT with {against}"
    yield f"{against} iterations, at {curves.SIMULATIONS} simulations per move."
    met = stored("ultimate_equal_time.csv")
    numbers = word(met.rival_simulations.nunique())
    yield (
        f"Matches of the stored table nets at {equal_time.SIMULATIONS} simulations with the "
        f"self-play network alone at {numbers} numbers of simulations, "
        f"{word(met.seed.nunique())} seeds:"
    )
    yield f"solve endgames of Ultimate of at most {eviction.LIMIT} playable cells with tables too"
    rating = stored("ultimate_rating.csv")
    names = " | ".join({*rating.player, *rating.opponent})
    uct = [int(n.replace(",", "")) for n in re.findall(r"(?<!\w)UCT ([\d,]+)(?= \| |$)", names)]
    yield f"strength: UCT from {min(uct)} to {max(uct):,} iterations, random play"
    games = inspect.signature(endgames.make_orders).parameters["games"].default
    assert stored("ultimate_orders.csv").number.max() < games
    yield f"playable cells of {games} UCT games, each with an empty table."
    positions = stored("ultimate_orders_random.csv").number.nunique()
    yield f"on the first such positions of {positions:,} games that are played at random."
    yield f"on solved positions of at most {ENDGAME_CELLS} playable cells; its header"


@says("data/README.md")
def meetings_of_agents() -> Iterator[str]:
    """Who met the standard agent, and how often."""
    rows = stored(agents.FILE)
    assert {*rows.player} == {*agents.PLAYERS}
    [games], seeds = rows.games.unique(), word(rows.seed.nunique())
    yield f"paired openings, {seeds} seeds of {games} games, results by pair"


@says("data/README.md")
def constant_and_transition() -> Iterator[str]:
    """The tables of UCT's constant, and of the cells at which games are decided."""
    decided = stored("ultimate_transition.csv")
    sure = [int(name.removeprefix("cells_")) / 100 for name in decided.columns[1:]]
    [openings] = {len(decided), decided.game.nunique()}
    yield f"For {openings:,} games of the stored self-play network with itself, each from another"
    limits = listed(sure, "or")
    cells = decided[decided.columns[1:]].isna()
    drawn = (cells.all(axis=1) == cells.any(axis=1)).all()  # all empty or none: no winner, no value
    empty = way(drawn, "empty in a drawn game", "empty at times")
    yield f"the winner's value stays above {limits} from then on; {empty}."
    rows = stored("ultimate_uct_constant.csv")
    [twice] = rows.games.unique()
    assert twice == 2
    tuned, met = (rows[rows.player == player] for player in ("UCT", "net"))
    [each] = tuned.groupby("c").games.sum().unique()
    tried = word(tuned.c.nunique())
    yield f"UCT with {uct_constant.ITERATIONS:,} iterations and another exploration constant"
    usual = f"with c = {uct_constant.DEFAULT}"
    yield f"against itself {usual}, as everywhere else, {each} games for each of {tried} constants"
    [each] = met.groupby("rival_c").games.sum().unique()
    assert {*met.rival_c} == {uct_constant.best(), uct_constant.DEFAULT}
    shared = {*tuned.seed} & {*met.seed}
    other = way(not shared, "other", "the same")
    yield f"the stored table nets at {uct_constant.SIMULATIONS} simulations against UCT with the"
    yield f"best of them and {usual}, {each} games each on {other} openings: a row per"


@says("data/README.md")
def what_tables_hold() -> Iterator[str]:
    """Energies, pairings, stretches and intervals of the tables of documents 3 and 4, and 06."""
    rows = stored("ising_boards.csv")
    [both], [one] = (rows[rows.energy.isin(names)].b.unique() for names in (ENERGIES, ["2^k"]))
    [pairs] = {frozenset(part.players) for _, part in rows.groupby(["board", "energy"])}
    text = f"Both energies at b = {both:g} and the potential 2^k at b = {one:g}, all pairings with"
    yield so(f"{text} random play and with themselves", pairs == {"RI", "IR", "II"})
    sides = [part.sort_values(["from", "to"]) for _, part in stored(CURVE).groupby("side")]
    whole = all(
        part["from"].iloc[0] == 0 and part.to.iloc[-1] == 1
        and (part["from"].iloc[1:].to_numpy() == part.to.iloc[:-1].to_numpy()).all()
        for part in sides
    )  # fmt: skip
    yield so("Exact chances (fractions) on 4x4 for every b in [0, 1]", whole)
    timed = stored("ising_times.csv").what
    size, large = Grid(3).name, Grid(5, 4).name
    pairings = {f"{size} {x} v {o}" for x in "RMI" for o in "RMI"}
    every = pairings <= {*timed} and timed.str.startswith(f"{large} ").sum() == 1
    text = f"a game of each {size} pairing searched anew at every move, a {large} game."
    yield so(f"the {size} network, {text}", every and f"{size} network as CSV" in set(timed))
    played = stored("ntuple_4x4_matches.csv")
    ends = [wilson(*found) for found in zip(played.win, played.games, strict=True)]
    same = np.allclose([[e.low, e.high] for e in ends], played[["win_low", "win_high"]], atol=1e-6)
    yield so("random play, look-ahead and UCT, with 95% Wilson intervals", same)


CURVE = "ising_curve_4x4.csv"


@says("data/README.md")
def states_and_sources() -> Iterator[str]:
    """States of 3x3 in the files of document 2, and where further runs were published."""
    tree = json.loads(raw("data/optimal_decision_tree.json"))
    chances = json.loads(raw("data/probabilities.json"))
    best = all(
        one["score"] == max(move["score"] for move in one["move_details"]) for one in tree.values()
    )
    running = {board_of(text) for text in tree} == boards(TREE.boards[~TREE.finished])
    text = "Every unfinished 3x3 state: the move that maximises P(mover wins) under random play"
    yield so(text, best and running)
    every = {board_of(text) for text in chances} == boards(TREE.boards)
    yield so("P(X wins), P(O wins), P(draw) under random play from every 3x3 state.", every)
    found = stored("published_elsewhere.csv")
    kept = found[found.playouts.notna()].document.unique()
    archived = found.source.str.endswith(".py")
    kept_at, kept_apart = (found[where].document.unique() for where in (~archived, archived))
    yield f"in the repositories of documents {listed(kept_at)} and in an archived program of"
    yield f"in an archived program of document {listed(kept_apart)}: what each"
    yield f"was noted, the commit; playouts for document {listed(kept)}."
    [games] = re.findall(r": (\d+) games against", " ".join(stored("spectral_timing.csv").job))
    yield f"exact evaluation and {games} games of document 2's policy"


def board_of(text: str) -> tuple[int, ...]:
    """A board written as a list of 1 for X, -1 for O and 0."""
    return tuple(json.loads(text))


def boards(rows: Any) -> set[tuple[int, ...]]:
    return set(map(tuple, rows.tolist()))


@says("data/README.md")
def endgames_and_opponents() -> Iterator[str]:
    """Games behind solved endgames, opponents of the seeds, and the yardstick's reference."""
    yield f"Endgames of Ultimate from {endgames.GAMES} games of UCT players"
    games = written(endgames.make_variants, r"games: int = (\d+)")
    named = ["symmetric keys", "no table", "centre, corners, edges", "lowest index"]
    present = {"ours", *named} == {*stored("ultimate_variants.csv").variant}
    text = f"Endgames solved as for ultimate_solver.csv, from {games} games, with {named[0]}"
    orders = "the document's move order, and the cells by their numbers"
    yield so(f"{text}, {named[1]}, {orders}.", present)
    rows = stored("ultimate_seeds.csv")
    uct = rows.opponent[rows.opponent.str.startswith("UCT")].unique()
    met = rows.opponent.str.startswith("seed").any()
    numbers = listed(name.removeprefix("UCT ") for name in uct)
    yield so(f"their matches with UCT {numbers} and with each other", met)
    _, playouts = yardstick_scores.REFERENCE
    scores = stored("ultimate_yardstick_scores.csv").set_index("player")
    itself = scores.loc["uct"].set_index("simulations").loc[playouts, ["better", "worse"]]
    level = (itself == 0).all(axis=None)
    yield so(f"right where UCT with {playouts:,} iterations is wrong (better)", level)


@says("ttt_lib/playout_mlp/study.py")
def seeds_without_a_network() -> Iterator[str]:
    """How many more seeds are taken where no network has to be trained."""
    more = Fraction(len(study.COPYING_SEEDS), len(study.SEEDS))
    assert len(stored("playout_mlp_copying.csv")) == len(study.COPYING_SEEDS)
    yield f"{capital(float(more))} times as many where no network has to be trained."


# ---------------------------------------------------------------------------- how long runs take


def about(said: float, file: str) -> bool:
    """Whether a stored run took about so many minutes."""
    return 2 / 3 < took(file) / said < 3 / 2


@says("ttt_lib/ising/runs.py")
def time_of_a_game() -> Iterator[str]:
    long = float(ledger()["ising-five-four-time"]["published"]) >= 60 * 30
    yield so("took the document's program over half an hour per game", long)


STUDIES = "ttt_lib/ultimate/studies"


@says(f"{STUDIES}/stored_nets.py")
def time_of_seeds() -> Iterator[str]:
    yield so("some 70 minutes of processor time", about(70, "ultimate_seeds.csv"))


@says(f"{STUDIES}/spot_checks.py")
def drift() -> Iterator[str]:
    """Batches of an iteration, and the power of ten below the difference that is allowed."""
    yield f"within its {config('large').training.num_train_epochs} batches, last digits that depend"
    grown = {-2: "hundredth", -3: "thousandth", -4: "ten-thousandth"}[
        floor(log10(spot_checks.DRIFT))
    ]
    yield f"that depend on the processor grow to a {grown}."


@says(f"{STUDIES}/yardstick.py")
def outcomes_as_text() -> Iterator[str]:
    """An example of a move's outcome, and what it stands for."""
    win, loss = yardstick.Outcome(1, 7), yardstick.Outcome(-1, 8)
    yield f"``{yardstick.write({12: win})}`` wins in {word(win.distance)} plies"
    yield f"``{yardstick.write({40: loss})}`` loses in {word(loss.distance)}."


@says("ttt_lib/ising/claims_bias.py")
def negative_b() -> Iterator[str]:
    """What the exact curves say of b below 0."""
    worse = claims_bias.negative_b().holds
    yield f"Whether every b < 0 loses {way(worse, 'more', 'less')} than b = 0.647."


@says(f"{STUDIES}/equal_time.py")
def time_of_equal_time() -> Iterator[str]:
    yield so("number of simulations; about a minute", about(1, "ultimate_equal_time.csv"))


@says(f"{STUDIES}/width.py")
def time_of_width() -> Iterator[str]:
    yield so("their matches; an hour of processor time", about(60, "ultimate_width.csv"))
    spent = stored("ultimate_width.csv").cpu_minutes.mean()
    yield so("Runs of about nine CPU-minutes each", round(spent) == 9)


@says(f"{STUDIES}/resnet_against_tables.py")
def time_of_networks() -> Iterator[str]:
    yield so("of both networks; some 30 CPU-minutes", about(30, "ultimate_networks.csv"))
    rows = stored("ultimate_networks.csv")
    spent = rows.groupby(["network", "seed"]).cpu_minutes.max().groupby("network").mean()
    table, residual = spent["table net"], round(spent["residual net"])
    yield f"Runs of about {round(2 * table) / 2:g} and {residual} CPU-minutes"


@says(f"{STUDIES}/ablations.py")
def time_of_ablations() -> Iterator[str]:
    rows = stored("ultimate_ablations.csv")
    of, each = rows.variant.nunique(), rows.seed.nunique()
    spent = so("some 20 CPU-minutes", about(20, "ultimate_ablations.csv"))
    yield f"{word(of)} variants, {word(each)} seeds; {spent}"
    yield so("A run takes a quarter of a minute", 0.2 < rows.cpu_minutes.median() < 0.3)


@says(f"{STUDIES}/curves.py")
def time_of_curves() -> Iterator[str]:
    rows = stored("ultimate_curves.csv")
    share = rows.groupby("seed").cpu_minutes.max().sum() / took("ultimate_curves.csv")
    yield so("About twenty CPU-minutes", about(20, "ultimate_curves.csv"))
    yield f"{way(share > 0.5, 'more', 'less')} than half of them for the training"


@says(f"{STUDIES}/fault_costs.py")
def time_of_exhibits() -> Iterator[str]:
    yield so("with the stored network; some seven CPU-minutes", about(7, "ultimate_exhibits.csv"))


@says(f"{STUDIES}/rating.py")
def time_of_rating() -> Iterator[str]:
    yield so("match by match; some 20 minutes", about(20, "ultimate_rating.csv"))


@says(f"{STUDIES}/strength.py")
def time_of_strength() -> Iterator[str]:
    yield so("the stored networks; about seven CPU-minutes", about(7, "ultimate_strength.csv"))


@says(f"{STUDIES}/delays.py")
def time_of_delays() -> Iterator[str]:
    yield so("Regenerate the stored table; some two CPU-minutes", about(2, "ultimate_delays.csv"))


@says(f"{STUDIES}/stored_nets.py")
def time_of_training() -> Iterator[str]:
    """The self-play networks, and the one for endgames."""
    table, teacher = (
        took("ultimate_table.safetensors"),
        header_number("ultimate_teacher.safetensors", "cpu_minutes"),
    )
    both = about(30, "ultimate_table.safetensors") and 50 < teacher < 75
    yield so("retrained; half an hour or an hour of one core", both and table < teacher)
    yield so("two hours of processor time", about(120, "ultimate_endgame.safetensors"))
