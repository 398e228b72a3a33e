"""What the book's pages and the page to play on say, built from the evidence."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from math import ceil, factorial, log10
from os import getpid
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from result_words.playout_mlp import seeds
from result_words.tools import (
    GRID,
    MASTERS,
    ORDINALS,
    ROOT,
    TREE,
    arena,
    capital,
    header_number,
    ledger,
    listed,
    markdown,
    raw,
    says,
    so,
    stored,
    text_of,
    way,
    word,
)
from ttt_lib import agent
from ttt_lib.comparison.matrix import table
from ttt_lib.evidence import claims, dependencies, profiles, provenance
from ttt_lib.evidence.documents import documents
from ttt_lib.evidence.parallel import run_parallel
from ttt_lib.evidence.store import Stored, manifest
from ttt_lib.evidence.verdicts import VERDICTS
from ttt_lib.game import response
from ttt_lib.game.board import MAX_CELLS
from ttt_lib.game.exact import exact_values, policy_table
from ttt_lib.game.policy import TOLERANCE
from ttt_lib.ntuple.network import Patterns
from ttt_lib.people.book import lessons
from ttt_lib.people.book import players as book_players
from ttt_lib.people.play import insight, trap
from ttt_lib.people.play.session import OPPONENTS
from ttt_lib.playout_mlp.players import exact_agent
from ttt_lib.ultimate import config
from ttt_lib.ultimate.config import Config, NetworkConfig
from ttt_lib.ultimate.learn import selfplay
from ttt_lib.ultimate.learn.graphs import GraphTrainer
from ttt_lib.ultimate.studies import cost, gpu_cost, gpu_training, probes

# ---------------------------------------------------------------------------- the book


@says("notebooks/book/verdicts.md")
def levels() -> Iterator[str]:
    """Levels, and what they add up to."""
    level, of = claims.SIGNIFICANCE, len(claims.DOCUMENTS)
    short = f"{level:.2f}".removeprefix("0")
    together = f"{of * level:.2f}".removeprefix("0")
    yield (
        f"its samples *differs* would be at most {short}, insofar as the tests are exact; for all "
        f"{word(of)} documents together, at most {together}."
    )
    yield f"## {capital(len(VERDICTS))} verdicts"
    yield f"Tests are two-sided (one-sided for distances) at {short}."
    rows = claims.load()
    sentences = sum(row.kind == "statement" for row in rows) / len(rows)
    yield f"{way(0.5 < sentences < 0.6, 'More', 'Less')} than half of the rows are sentences."
    judged = {row["verdict"] for row in ledger().values() if row["kind"] == "timing"}
    yield f"The row of a time is *{judged.pop()}*"
    yield so("no sampled row of any document is rejected", not judged and none_rejected())


def none_rejected() -> bool:
    """Whether every sampled row passes its test, or can't tell."""
    verdicts = {row["verdict"] for row in ledger().values() if row["kind"] == "sampled"}
    return "differs" not in verdicts


@says("notebooks/book/verdicts.md")
def one_row() -> Iterator[str]:
    """The worked example."""
    row = ledger()["dct-3-sym-random"]
    won, drawn, lost = map(int, row["published"].split("-"))
    yield f"{won} wins, {drawn} draw and {word(lost)} loss in {row['n']} games of its symmetric"
    yield f"What {row['n']} games can come to is then known"
    win, draw, loss = re.findall(r"\d+(?:/\d+)?", row["ours"])
    yield f"as a fraction: {win}, {draw} and {loss}."
    yield so(
        f"a probability of p = {row['p_value']:.2f} together, because the printed one is the "
        "likeliest.",
        row["p_value"] == 1,
    )
    low, high = row["accepts"]
    few, possible = way((high - low + 1) / (row["n"] + 1) < 0.5, "less", "more"), row["n"] + 1
    yield f"{low:g} to {high:g} wins would have passed, {few} than half of the {possible} possible"
    yield f"the verdict is *{row['verdict']}*"


@says("notebooks/book/paper.md")
def paper() -> Iterator[str]:
    """How many documents, lessons and tasks."""
    taught, of = len(lessons.load()), len(documents())
    yield f"for teachers who need one lesson or {word(taught)}."
    yield f"a guide plans {word(taught)} lessons of 90 minutes"
    yield f"{capital(of)} public documents each teach a machine"
    yield f'"{capital(of)} ways to teach a machine Tic-Tac-Toe'
    tasks = {len(re.findall(r"^## (\d)\. ", markdown(p), re.MULTILINE)) for p in masters()}
    yield f"companion exercise of {listed(map(word, tasks))} graded tasks"
    yield f"which of {word(of)} charming claims about the same small game are true."
    plans = raw("notebooks/book/lessons.md").lower()
    planned = "## one week:" in plans and "## five weeks:" in plans
    yield so("there are plans for one week and for five", planned)


def masters() -> list[Path]:
    return sorted((ROOT / MASTERS).glob("0*.ipynb"))


@says("notebooks/book/paper.md")
def need() -> Iterator[str]:
    """What was published, and what is wrong with some of it."""
    share = 100 * float(ledger()["mlp-accuracy"]["published"])
    best = ledger()["ising-choice"]["published"]
    yield f'"never loses", an accuracy of {share:.0f}% or a best bias b of {best}'
    rows = ledger().values()
    complete = all(row["verdict"] in VERDICTS and row["reason"] for row in rows)
    yield so(
        "gives a verdict on every number that we found in them, computed wherever it can be,",
        complete,
    )
    verdicts = {row["verdict"] for row in rows}
    mean = seeds().mean(numeric_only=True)
    leaks = mean.accuracy > mean.grouped_accuracy + seeds().accuracy.sem()
    faulty = ledger()["ising-second-b"]["verdict"] in ("differs", "refuted")
    wrong = {"within sampling error", "refuted"} <= verdicts and leaks and faulty
    yield so("contains sampling error, leaks between training and test data, programs that differ",
             wrong)  # fmt: skip


@says("notebooks/book/lessons.md")
def lesson_page() -> Iterator[str]:
    found = tomllib.loads(raw("notebooks/exercises/lessons/lessons.toml"))["lesson"]
    [asked] = {len(lesson["questions"]) for lesson in found}
    yield f"{capital(len(found))} lessons of 90 minutes, each with slides to show"
    yield f"a handout of one page to print, and {word(asked)} questions"
    week, weeks = re.split(r"^## Five weeks", raw("notebooks/book/lessons.md"), flags=re.MULTILINE)
    days = len(re.findall(r"^\| \d \| ", week, re.MULTILINE))
    yield f"## One week: {word(days)} meetings of 90 minutes"
    yield f"## {capital(len(re.findall(r'^. [0-9] . ', weeks, re.MULTILINE)))} weeks: one lesson a"
    given = re.findall(r"^\| \d \| Lesson (\d)", week, re.MULTILINE)
    rest = [k for k in range(1, len(found) + 1) if str(k) not in given]
    yield f"Lessons {listed(rest)}, and the other tasks of exercise 0, are for those who want more"


@says("notebooks/book/glossary.md")
def glossary() -> Iterator[str]:
    yield f"with the finished ones there are {len(TREE)} on 3x3"
    never = way(TREE.value[0] == 0, "win, draw or loss", "win or loss")
    yield f"seen from X's side: {never}."


@says("notebooks/book/glossary.md")
def words_of_the_glossary() -> Iterator[str]:
    """Tables and verdicts."""
    tables, lines = len(Patterns(GRID).tuples), len(GRID.lines)
    yield so(f"In document 3 the tuples are the {word(lines)} lines.", tables == lines)
    level = f"{claims.SIGNIFICANCE:.2f}".removeprefix("0")
    yield f"compared with `{level}/m`, the next with `{level}/(m - 1)`, and so on"
    yield f"probability of any false *differs* in the document stays at most {level}."
    yield f"{listed(VERDICTS, 'or').capitalize()}: computed by"


@says("notebooks/book/scale.md")
def tasks() -> Iterator[str]:
    """Where tasks run, how large they are, and what happens when workers die."""
    here = set(run_parallel(getpid, [(), ()])) == {getpid()}
    yield so("By default they run one after the other, in this process", here)
    yield f"the training of one seed, {selfplay.CHUNK} games of self-play"
    test = raw("tests/test_scale.py")
    [workers] = re.findall(r"n_workers=(\d)", test)
    killed = word(test.count("os.kill("))
    yield f"{word(int(workers))} worker processes, {killed} of them killed (SIGKILL)"


@says("notebooks/book/scale.md")
def gpu() -> Iterator[str]:
    """What takes the time of small networks, what graphs are worth, and what a batch needs."""
    table = gpu_cost.read()
    launching = []
    for size in cost.SIZES[:-1]:
        rows = table.loc[("{} x {}".format(*size), "evaluate", False)]
        seconds = rows.index / rows.network_per_second
        computing = seconds[1024] - seconds[1]
        launching.append(seconds[1] > computing < (1024 / rows.per_second - seconds)[1024])
    text = "launching its many kernels takes longer than running them; for large batches, so does"
    yield so(text, all(launching))
    blocks, channels = gpu_cost.GRAPHED
    speed = table.per_second.loc[f"{blocks} x {channels}"].unstack("task")
    ratio = (speed["as a graph"] / speed["evaluate"]).dropna()
    times = f"about {word(round(ratio.min()))} to {word(round(ratio.max()))} times"
    text = f"a network of {blocks} blocks and {channels} channels evaluates"
    yield f"{text} {times} as many positions"
    yield f"A task is {GraphTrainer.side_by_side} games side by side"
    mixed, plain = (gpu_cost.gib(Config().training.batch_size, amp=amp) for amp in (True, False))
    yield f"needs {mixed:.0f} GiB of tensors on a GPU at its peak, and {plain:.0f} GiB without"


@says("notebooks/book/scale.md")
def deaths() -> Iterator[str]:
    """A task is tried once more than it may fail, by dask's own settings."""
    found = find_spec("distributed")
    assert found is not None
    assert found.origin is not None
    settings = Path(found.origin).with_name("distributed.yaml").read_text(encoding="utf-8")
    [retries] = re.findall(r"allowed-failures: (\d+)", settings)
    yield f"gives up on it after {word(int(retries) + 1)} deaths"


@says("notebooks/book/play.md")
def traps() -> Iterator[str]:
    """In how many default players X finds a certain win at the first move."""
    wins = [len(openings_that_win(name)) > 0 for name in DEFAULTS]
    assert len(wins) == len(book_players.FAMILIES)
    most = way(2 * sum(wins) > len(wins), "most", "some")
    yield f"With {most} players' default settings some cell says *win* when you play X"
    fixed = [name for name in DEFAULTS if (table_of(name) > 0).sum(axis=1).max() == 1]
    caught = sum(len(openings_that_win(name)) > 0 for name in fixed)
    yield so("prefers the same move can often be led into a trap", 2 * caught > len(fixed))


DEFAULTS = (
    "ising", "ising:energy=published,b=0", "ntuple", "spectral", "mlp:depth=1", "playouts",
    "lookahead:depth=3", "analytical", "safety+random", "minimax:ties=quick", "random",
)  # fmt: skip
"""The players of the page at their default settings, in its order."""


@cache
def table_of(name: str) -> Any:
    """The weights of a player of the page on every state."""
    if name in set(arena().index):
        return table(name)
    player = exact_agent(1) if name == "playouts" else agent(name)
    return policy_table(player, TREE)


@cache
def openings_that_win(name: str) -> list[int]:
    """First moves after which X, playing its best, wins for certain."""
    theirs = table_of(name)
    values = exact_values(TREE, response.best_response(TREE, theirs, side=1), theirs)
    return [move for move, state in enumerate(TREE.children[0]) if values[int(state)].win == 1]


@says("notebooks/play.ipynb")
def certain_wins() -> Iterator[str]:
    """Whom X beats for certain if it knows how they play."""
    known = [name for name in OPPONENTS["3x3"] if name in set(arena().index)]
    good = [name for name in known if OPPONENTS["3x3"][name].level == "medium"]
    beaten = [name for name in good if openings_that_win(name)]
    players = f"the {word(len(beaten))} players of medium strength"
    only = beaten == [name for name in known if openings_that_win(name)] == good
    yield so(f"Against {players} on 3x3 it says *win, with certainty*", only)


@says("notebooks/book/play_ultimate.md")
def longer_searches() -> Iterator[str]:
    rows = stored("ultimate_rating.csv")
    plain = r"net, [\d,]+"
    steps = rows[rows.player.str.fullmatch(plain) & rows.opponent.str.fullmatch(plain)]
    stronger = way((steps.win > steps.loss).all(), "stronger", "no stronger")
    yield f"search makes the player with both nets {stronger}, as far as notebook 05 measured it"


@says("notebooks/book/using.md")
def taught_by_another() -> Iterator[str]:
    taught = header_number("ultimate_table.safetensors", "taught")
    yield so("from one run, which began with the games of another", taught > 0)


@says("notebooks/book/index.md")
def index() -> Iterator[str]:
    of = len(documents())
    yield f"# {capital(of)} ways to teach a machine Tic-Tac-Toe"
    yield f"{capital(of)} public documents each teach a machine"
    yield f"A game in {word(len(trap.game()))} pictures, X against document 4's player"


@says("notebooks/book/jose_checklist.md")
def checklist() -> Iterator[str]:
    """Lessons, minutes and licences."""
    yield f"has a plan for {word(len(lessons.load()))} lessons of 90 minutes"
    pattern = r"\*\*(?:Minutes|Time):\*\* *(?:about )?(\d+)"
    minutes = [int(re.findall(pattern, markdown(path))[0]) for path in masters()]
    yield f"each exercise states {min(minutes)} to {max(minutes)} minutes"
    of = [one.licence for one in documents().values()]
    silent = sum("not stated" in licence or "no licence" in licence for licence in of)
    yield f"{capital(silent)} of them state no licence"
    yield f"One small game, {word(len(of))} ideas"
    yield so(
        "How to adopt it is described.", "\n# How to adopt it\n" in raw("notebooks/book/paper.md")
    )
    claimed = f"which of {word(len(of))} charming claims about the same small game are true"
    yield so(claimed, claimed in text_of("notebooks/book/paper.md"))


@says("notebooks/book/lists.md")
def all_lists() -> Iterator[str]:
    rows = stored("spectral_orderings.csv").set_index("safety")
    beaten = way(rows.never_lose["no"].sum() == 0, "every list", "not every list")
    yield f"None of the {factorial(9):,} lists stops every threat"
    yield f"and {beaten} without the rule can be beaten"


@says("notebooks/book/checked.md")
def checked() -> Iterator[str]:
    timed = pd.DataFrame({"rows": [1], "seconds": [2.0]})
    slower = provenance.Sample(timed.assign(seconds=9.0), timed)
    ignored = provenance.differences(slower, ("seconds",)) == [] != provenance.differences(slower)
    yield so("are not compared with a new measurement", ignored)


@cache
def records() -> dict[str, dict[str, Any]]:
    """The records of the stored long runs."""
    found: dict[str, dict[str, Any]] = json.loads(raw("data/provenance.json"))
    return found


def took(file: str) -> float:
    """Minutes that a stored run took."""
    return float(records()[file]["made"]["seconds"]) / 60


@says("notebooks/book/checked.md")
def stored_runs() -> Iterator[str]:
    """How long runs took, where they ran, and what has been recomputed."""
    timed = [took(file) for file, one in records().items() if one["made"]["seconds"]]
    hours = sum(minutes > 60 for minutes in timed) > 1
    yield so("Some results take minutes to hours", hours and min(timed) < 60)
    old = [one for one in records().values() if not one["made"]["versions"]]
    assert not any(one["made"]["seconds"] for one in old)
    again = sum(bool(one.get("checked")) for one in old)
    each = way(again == len(old), "each", "most")
    yield f"have no versions and no time; a part of {each} of these has been recomputed since"
    whole = [one["repeated"]["processor"] for one in records().values() if "repeated" in one]
    most = way(2 * len(whole) > len(records()), "most", "some")
    wide = [processor.endswith(provenance.VECTORS["avx512f"]) for processor in whole]
    bare = [not any(text in one for text in provenance.VECTORS.values()) for one in whole]
    assert sum(wide) + sum(bare) == len(whole)
    yield f"So {most} runs have also been repeated as a whole: {sum(bare)} of them on a processor"
    yield so("the others on one with AVX-512.", any(wide))
    made = [str(one["made"]["processor"] or "") for one in records().values()]
    amd, intel = (sum(one.startswith(maker) for one in made) for maker in ("AMD", "Intel"))
    yield f"Of the stored long runs {amd} were made on AMD processors and {intel} on Intel ones"
    yield f"; for {made.count('')} the processor is not on record."
    assert amd + intel + made.count("") == len(made)
    gpu = {f for f, one in records().items() if "NVIDIA" in str(one["made"]["processor"])}
    studies = {e.made_by.partition(":")[0] for e in manifest() if e.file in gpu}
    yield f"{word(len(studies))} studies among the latter on a machine with an NVIDIA GPU"


@says("notebooks/book/checked.md")
def probed() -> Iterator[str]:
    """What a probe consists of."""
    games, batches = word(probes.GAMES), word(probes.BATCHES)
    yield "each runs one iteration with a training run's settings and seed"
    yield f"with {games} games and {batches} batches"
    same = "repeated" in records()[probes.FILE]
    yield so("in double precision, which has come out the same on every processor tried.", same)
    yield so("the games come out the same, and the losses agree to one part in a thousand.)",
             probes.PRECISIONS == {gpu_training.RESIDUAL_NET: 1e-3})  # fmt: skip


@says("notebooks/book/checked.md")
def not_repeated() -> Iterator[str]:
    """Of what has not been repeated: kinds of runs, and how many others there are."""
    left = [one for one in provenance.long_runs() if "repeated" not in records()[one.file]]
    left = [one for one in left if one.file not in UNLIKE_IN_LAST_DIGITS and not one.gpu]
    left = [one for one in left if not provenance.only_times(one)]
    training = [one.file for one in left if trains(one)]
    longest = max(took(file) for file in training if records()[file]["made"]["seconds"])
    assert all(file.startswith("ultimate_") for file in training)
    yield so("which take up to two hours and learn in single precision", 100 < longest < 130)
    trained = (one.file for one in provenance.long_runs() if trains(one))
    all_ = max(took(file) for file in trained if records()[file]["made"]["seconds"]) / 60
    yield f"The training runs of Ultimate take up to {word(ceil(all_))} hours"
    every = [one for one in provenance.long_runs() if not one.gpu and trains(one)]
    again = len(every) - len(training)
    yield f"{word(len(training))} of the {word(len(every))} other runs that train networks of"
    yield f"The other {word(again)} came out the same"
    others = [one.file for one in left if one.file not in training]
    minutes = sorted(map(expected, others))
    least, *_, greatest = (f"{one:.0f}" for one in minutes)
    yield f"- {word(len(others))} others, of {least} and {greatest} minutes, "
    yield f"{word(sum('ultimate_' in file for file in others))} of them about Ultimate."


@says("notebooks/book/checked.md")
def no_part() -> Iterator[str]:
    """Which long runs have no recomputed part."""
    runs = {one.file: one for one in provenance.long_runs()}
    left = {file for file, one in runs.items() if one.unchecked}
    left = {file for file in left if not provenance.only_times(runs[file])}
    nets = {file for file in runs if file.startswith("ntuple_4x4_seed")}
    only = left - nets == {"ultimate_eviction.csv"} and len(nets - left) == 1
    yield f"{word(len(nets & left))} of the {word(len(nets))} 4x4 networks of document 3"
    yield so("study of eviction (a test solves its first positions again) have no recomputed", only)
    training = [one.file for one in runs.values() if trains(one)]
    most = sum(file in set(stored(probes.FILE).file) for file in training) > len(training) / 2
    yield so("For most training runs of Ultimate the part is a probe", most)


UNLIKE_IN_LAST_DIGITS = ("playout_mlp_nets.safetensors", "playout_mlp_seeds.csv")
"""What was repeated and did not come out to the last byte, as the page says."""


def trains(one: Stored) -> bool:
    """Whether a run trains networks of Ultimate, and keeps them or measures them."""
    module, _, name = one.made_by.partition(":")
    learns = ("ttt_lib.ultimate.learn.trainer", "Trainer") in dependencies.reached((module, name))
    return learns or one.file == "ultimate_endgame.safetensors"


def expected(file: str) -> float:
    """Minutes of a run: as recorded, or else extrapolated from its part."""
    if records()[file]["made"]["seconds"] is not None:
        return took(file)
    return float(records()[file]["checked"]["minutes"])


@says("notebooks/book/using.md")
def timed_on_a_gpu() -> Iterator[str]:
    files = [f"`{one.file}`" for one in manifest() if one.gpu and one.times]
    yield f"except for {listed(files)}, which are from a machine with a GPU"


@says("notebooks/book/checked.md")
def processors() -> Iterator[str]:
    names = [f"`{name}`" for name in ("haswell", "zen", "skylakex", "nehalem")]
    assert {name.strip("`") for name in names} == set(profiles.PROFILES)
    yield f"came out identical under the profiles {listed(names)}"
    yield f"The test suite passed under each of the {word(len(names))} profiles, too"
    checkers = re.findall(r"^codechecker: (.*)", raw("codecheck.yml"), re.MULTILINE)
    yield so("its list of checkers is empty", checkers == ["[]"])


@says("notebooks/book/add_a_document.md")
def another_document() -> Iterator[str]:
    following = len(documents()) + 1
    yield f"Suppose it is the {ORDINALS[following]} and called *Corners*"
    yield f"```toml document = {following} [[claim]]"


@says("notebooks/book/jose_checklist.md")
def what_needs_a_gpu() -> Iterator[str]:
    found = {one.made_by.partition(":")[0] for one in manifest() if one.gpu}
    document_5 = all(module.startswith("ttt_lib.ultimate.") for module in found)
    yield so(f"nothing but {word(len(found))} stored studies of document 5 needs a GPU", document_5)


@says("notebooks/book/using.md")
def ties_and_limits() -> Iterator[str]:
    """What counts as a tie, and what became of the published network."""
    exponent = round(log10(TOLERANCE))
    exact = np.isclose(TOLERANCE, 10.0**exponent, rtol=1e-12, atol=0)
    yield so(f"Scores within a relative 1e{exponent} of the best are ties.", exact)
    published = NetworkConfig()
    name = f"{published.num_res_blocks} x {published.num_channels}"
    timed = all(
        name in set(stored(f"ultimate_{file}.csv").network) for file in ("cost", "gpu_cost")
    )
    ours = (one for one in config.CONFIGS.values() if one != Config())
    trained = [one.network for one in (*ours, *gpu_training.RUNS.values())]
    yield so("The published network of document 5 was built and timed, never trained",
             timed and published not in trained)  # fmt: skip


@says("notebooks/book/mutants.md")
def why_equivalent() -> Iterator[str]:
    """A board of two cells along each of so many dimensions, the smallest, is too large."""
    dimensions = 64
    assert f"self.d >= {dimensions} or" in raw("notebooks/book/mutants.md")
    many = way(2**dimensions > MAX_CELLS, "too many", "few enough")
    yield f"a board of {dimensions} dimensions has {many} cells anyway"


# ---------------------------------------------------------------------------- the page to play on


@says("ttt_lib/people/play/trap.py")
def trap_words() -> Iterator[str]:
    word_of = {1: "a win", 0: "a draw", -1: "a loss"}[int(TREE.value[0])]
    yield f'"Against perfect play", "it would be {word_of}."'


def greenness(code: str) -> float:
    """How far green exceeds red and blue in a colour of six digits."""
    red, green, blue = (int(code[k : k + 2], 16) for k in (0, 2, 4))
    return green - (red + blue) / 2


@says("ttt_lib/people/play/text.py")
def key() -> Iterator[str]:
    """What colours mean, in light and dark: shade grows with the chance, green with the shade."""
    shades = insight._shades(np.array([-1.0, -0.4, 0.1, 0.7, 1.0]))
    rising = list(shades) == sorted(set(shades))
    style = raw("ttt_lib/people/play/play.css")
    ground = r"\.ttt \.ttt-cell\.ttt-s(\d)\S* \{ background: light-dark\(#(\w{6}), #(\w{6})\)"
    places, *schemes = zip(*sorted(re.findall(ground, style)), strict=True)
    assert len(places) == insight.SHADES
    greens = [list(map(greenness, codes)) for codes in schemes]
    better = rising and all(found == sorted(found) and found[0] > 0 for found in greens)
    yield f"the greener, the {way(better, 'better', 'worse')} for you"


@says("notebooks/book/_static/three.js")
def rows_of_the_page() -> Iterator[str]:
    """Each label of an exact result, from what is solved for it."""
    script = text_of("notebooks/book/_static/three.js")
    mine = dict(re.findall(r"(\w+): mine\((\S+?)\),", script))
    known = {'"best"': "you play your best against it", "CHANCE": "you move at random"}
    for name, own in mine.items():
        yield f'line("{known[own]}", outcome(known.{name}, row, state.side))'
    [both] = re.findall(r"(\w+) = solve\(\"best\", \"best\"\)", script)
    yield f'line("both play perfectly", outcome({both}, row, state.side))'
    player = r"(its|CHANCE|table.*?1\))"
    for name, x, o in re.findall(rf"(\w+): solve\({player}, {player}\)", script):
        foe = way("CHANCE" in (x, o), "random play", "perfect play")
        side, sign = ("X", 1) if x == "its" else ("O", -1)
        yield f'line("as {side} against {foe}", outcome(known.{name}, 0, {sign}))'


@says("notebooks/book/_static/lists.js")
def rows_of_the_lists() -> Iterator[str]:
    script = text_of("notebooks/book/_static/lists.js")
    labels = {"uniform()": "against random play", '"best"': "against the best reply"}
    for name, foe in re.findall(r"(\w+): against\((uniform\(\)|\"best\")\)", script):
        yield f'line("{labels[foe]}", found.{name})'


@says("ttt_lib/people/play/session.py")
def opponents() -> Iterator[str]:
    best = {1: "win", 0: "hold the draw", -1: "only lose"}[int(TREE.value[0])]
    beaten = way(arena().never_loses["minimax:ties=quick"], "cannot", "can")
    yield f'"Knows every result: you can {best} at best.", "{beaten} be beaten"'
    yield f"Adds up {word(len(Patterns(GRID).tuples))} small tables, one per line"


@says("ttt_lib/people/book/players.py")
def introductions() -> Iterator[str]:
    perfect = arena().against_perfect
    deeper = way(perfect["mlp:depth=3"] < perfect["mlp:depth=2"], "not always", "always")
    yield f"Deeper is {deeper} safer."
    safe = way(arena().never_loses["ntuple"], "never", "seldom")
    yield f"Trained enough, it {safe} loses."
    yield so('"Never loses: you can only hold the draw.", "cannot', TREE.value[0] == 0)
    spectral = [table_of(f"spectral:labels={kind}") for kind in ("optimal", "value", "minimax")]
    single = all((weights > 0).sum(axis=1).max() == 1 for weights in spectral)
    yield so("It always takes the same move: lead it.", single)
    heats = [weights for _, weights in book_players.tables("playouts")]
    lost = [exact_values(TREE, weights, table("random"))[0].loss for weights in heats]
    yield f"The warmer, the {way(lost == sorted(lost), 'more', 'less')} careless."
    made = next(one for one in book_players.FAMILIES if one.name == "hand-crafted")
    yield f"Counts lines as people do, by {word(sum(1 for _ in made.settings(TREE)))} recipes."
