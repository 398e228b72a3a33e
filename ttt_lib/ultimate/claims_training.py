"""Our values for what document 5 says about phases, schedule, replay, memory and cost."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_lib.evidence import store
from ttt_lib.evidence.answers import Finding, agreed
from ttt_lib.evidence.claims import SIGNIFICANCE
from ttt_lib.game.stats import wilson
from ttt_lib.ultimate.board.game import Ultimate, empty, playable
from ttt_lib.ultimate.board.kernels import State, States
from ttt_lib.ultimate.config import (
    LITE,
    PUBLISHED_WEIGHTS,
    DTWConfig,
    NetworkConfig,
    TrainingConfig,
)
from ttt_lib.ultimate.learn.fine_tuning import results
from ttt_lib.ultimate.learn.replay_buffer import phase_weights, weights_of
from ttt_lib.ultimate.learn.trainer import Trainer
from ttt_lib.ultimate.network.tablenet import Tables
from ttt_lib.ultimate.players import stored_tables
from ttt_lib.ultimate.search.puct_table import TableSearch
from ttt_lib.ultimate.solver import plain
from ttt_lib.ultimate.solver.solver import BudgetExceededError, DTWSolver, Solution
from ttt_lib.ultimate.studies import (
    ablations,
    cost,
    endgames,
    gpu_cost,
    random_games,
    replay_sampling,
    transition,
    yardstick_scores,
)
from ttt_lib.ultimate.studies.plain_search import chances

STARTS = np.array([start for start, _ in reversed(PUBLISHED_WEIGHTS)])
"""Minimum empty cells of each phase, ascending."""

TRANSITION, NEAR_ENDGAME, ENDGAME = 26, 20, 10
"""Minimum empty cells of three phases, by which the table names them."""

# ---------------------------------------------------------------------------- phases


def phase_of(cells: NDArray[np.int64]) -> NDArray[np.intp]:
    """The phase of each number of empty cells, 0 the latest."""
    return np.asarray(np.searchsorted(STARTS, cells, side="right") - 1)


TRANSITION_PHASE, NEAR_PHASE, ENDGAME_PHASE = phase_of(
    np.array([TRANSITION, NEAR_ENDGAME, ENDGAME])
)


PRINTED = ((50, 81, 1.0), (40, 49, 1.0), (30, 39, 1.0), (26, 29, 1.2), (20, 25, 1.0),
           (10, 19, 0.6), (0, 9, 0.4))  # fmt: skip
"""The document's table, row by row: least and most empty cells of a phase, and its weight."""


def phase_table() -> Finding:
    """Whether each number of cells stands in one row, whose weight our samples get."""
    cells, states = np.arange(82), cost.sample_states(5000)
    rows = np.array([(low <= cells) & (cells <= high) for low, high, _ in PRINTED])
    once, weights = rows.sum(axis=0) == 1, np.array([row[2] for row in PRINTED]) @ rows
    same = phase_weights(states) == weights[playable(states)]
    text = f"{len(PRINTED)} phases, and {once.sum()} of 82 numbers of cells in just one of them"
    return Finding(bool(once.all() and same.all()), text)


def phases_miscounted(positions: int = 20_000) -> Finding:
    """How many positions of random games get another phase, or weight, if all empty cells count.

    Not testable: the heading of a table claims nothing that could be false.
    """
    states = cost.sample_states(positions)
    right, counted = phase_of(playable(states)), phase_of(empty(states))
    weight = (weights_of(playable(states)) != weights_of(empty(states))).mean()
    phase = (right != counted).mean()
    missed = (counted[right == TRANSITION_PHASE] != TRANSITION_PHASE).mean()
    text = (
        f"{phase:.0%} of positions get another phase and {weight:.0%} another weight; of those "
        f"in transition {missed:.0%} are missed"
    )
    return Finding(None, text)


def guidance_near_the_end(simulations: int = 100, cells: tuple[int, int] = (20, 25)) -> Finding:
    """How often searches with the stored network, and with random playouts, play best near the end.

    Guidance is important if the search with the network makes more of the optimal moves, beyond
    chance (Fisher's exact test), with equal simulations; it is refuted if it makes fewer.
    """
    from scipy.stats import fisher_exact  # slow to import

    table = store.read_table(yardstick_scores.FILE)
    kept = table[(table["simulations"] == simulations) & table["cells"].between(*cells)]
    parts = {str(name): part[["optimal", "one", "two"]] for name, part in kept.groupby("player")}
    net, playouts = (int(parts[name]["optimal"].sum()) for name in ("net", "uct"))
    asked, others = (int(parts[name].to_numpy().sum()) for name in ("net", "uct"))
    text = (
        f"with {simulations} simulations the search with the stored network keeps the exact result "
        f"in {net:,} of {asked:,} endgames of {cells[0]} to {cells[1]} playable cells, UCT with "
        f"random playouts in {playouts:,} of {others:,}"
    )
    chance = fisher_exact([[net, asked - net], [playouts, others - playouts]]).pvalue
    return Finding(net > playouts if chance < SIGNIFICANCE else None, text, tested=True)


def shallow_near_the_end(positions: int = 20_000) -> Finding:
    """Whether the phase near the endgame lies between the thresholds of the two searches.

    Cells of the phase and of the thresholds are counted alike; told is what becomes of positions
    whose phase is counted by all empty cells and whose thresholds by playable ones.
    """
    states, dtw = cost.sample_states(positions), DTWConfig()
    low, high, _ = PRINTED[-1 - int(NEAR_PHASE)]
    mixed = playable(states)[phase_of(empty(states)) == NEAR_PHASE]
    solved = int((mixed <= dtw.endgame_threshold).sum())
    between = dtw.endgame_threshold < low and high <= dtw.midgame_threshold
    text = (
        f"{low} to {high} cells {'' if between else 'do not '}lie between the thresholds "
        f"{dtw.endgame_threshold} and {dtw.midgame_threshold} (counted by all cells in the phase "
        f"and by playable ones in the thresholds, {solved:,} of {len(mixed):,} such positions of "
        "random games would be solved)"
    )
    return Finding(between, text)


def endgames_beyond_the_threshold(positions: int = 20_000) -> Finding:
    """Share of positions in the phase called endgame that lie beyond complete search.

    The document doesn't say which cells are empty: counted as playable ones, and as all empty ones;
    where the two disagree, it is not testable.  It says "empty cells" of the phase and of the
    threshold, so both are counted alike.
    """
    states, limit = cost.sample_states(positions), DTWConfig().endgame_threshold
    few, all_ = playable(states), empty(states)
    (some, of), (more, among), (mixed, _) = (
        _beyond(few, limit, few), _beyond(all_, limit, all_), _beyond(few, limit, all_),
    )  # fmt: skip
    columns = ["positions", "solved", "p99 ms"]
    tried, solved, slow = endgames.solver_times().loc[20, columns].to_numpy(np.float64)
    all_solved = "all" if solved == 1 else f"{solved * tried:.0f}"
    text = (
        f"in random games {some / of:.0%} of {of:,} positions of that phase have more than {limit} "
        f"playable cells. If phase and threshold both count all empty cells, {more / among:.0%} of "
        f"{among:,} have more than {limit}; if the phase counts all and the threshold only "
        f"playable ones, {mixed} of {among:,}. Ours solves {all_solved} of {tried:.0f} "
        f"positions of at most 20 playable cells from UCT games, 99% within {slow:.2g} ms"
    )
    return Finding(agreed({some == 0, more == 0}), text)


def _beyond(cells: NDArray[np.int64], limit: int, by: NDArray[np.int64]) -> tuple[int, int]:
    """How many of the endgame phase, counted ``by`` some cells, complete search misses; and all."""
    found = cells[phase_of(by) == ENDGAME_PHASE] > limit
    return int(found.sum()), len(found)


NODES = 100_000
"""Nodes after which the document's program gives an endgame up (max_nodes, commit 62ff316)."""


def deep_endgames_solved(limit: int = 9, positions: int = 20_000, checked: int = 20) -> Finding:
    """How many endgames of at most ``limit`` cells are solved below threshold and ``NODES``.

    They are counted by playable cells; those of as few empty cells are among them, so the sentence
    holds by either count or by neither.  Some answers are compared with a search of every line.
    """
    solver = DTWSolver(endgame_threshold=DTWConfig().endgame_threshold, nodes=NODES)
    states = cost.sample_states(positions)
    states = states[playable(states) <= limit]
    found = [_solved(solver, state) for state in states]
    lines = [plain.solve(Ultimate().unpack(state)) for state in states[:checked]]
    agreed = sum(
        one is not None and one[:2] == line for one, line in zip(found, lines, strict=False)
    )
    solved = sum(one is not None for one in found)
    text = (
        f"{solved:,} of {len(states):,} endgames of at most {limit} playable cells "
        f"({(empty(states) <= limit).sum()} of at most {limit} empty ones) solved in at most "
        f"{NODES:,} nodes; a search of every line agrees in {agreed} of {len(lines)}"
    )
    return Finding(solved == len(states) and agreed == len(lines), text)


def _solved(solver: DTWSolver, state: State) -> Solution | None:
    """What complete search says of an endgame; None beyond its threshold or its budget."""
    try:
        return solver.calculate_dtw(state) if solver.is_endgame(state) else None
    except BudgetExceededError:
        return None


class Turns(NamedTuple):
    """Decided games by where they are: in all, in the transition, in the band with most of them.

    Attributes
    ----------
    begin : int
        Minimum cells of the band with most; bands are as wide as the transition.
    bands : int
        Number of bands with any of them.
    """

    games: int
    here: int
    most: int
    begin: int
    bands: int

    @property
    def ahead(self) -> bool | None:
        """True: the transition has most; False: disjoint 95% Wilson intervals; else None."""
        low, high = wilson(self.most, self.games)[0], wilson(self.here, self.games)[1]
        return True if self.begin == TRANSITION else False if low > high else None

    @property
    def usual(self) -> bool | None:
        """Whether the transition's share lies above an average band's; None if it may be that."""
        low, high = wilson(self.here, self.games)
        return True if low > 1 / self.bands else False if high < 1 / self.bands else None

    def share(self, count: int) -> str:
        """A count's share of the games with its interval."""
        low, high = wilson(count, self.games)
        return f"{count / self.games:.1%} ({low:.1%} to {high:.1%})"


def _turns(sure: float, width: int) -> Turns:
    cells = transition.decided(sure)
    bands, counts = np.unique((cells - TRANSITION) // width, return_counts=True)
    here, most = int(counts[bands == 0].sum()), int(counts.argmax())
    begin = TRANSITION + width * int(bands[most])
    return Turns(len(cells), here, int(counts[most]), begin, len(bands))


def transition_decides() -> Finding:
    """Where games are decided, by bands of cells as wide as the transition, in a stored run.

    *Often* may mean most often of all bands, or more often than in an average one of those in which
    any game turns.  With each value from which on a winner is called sure, the transition is ahead,
    another band is clearly ahead (disjoint 95% Wilson intervals), or neither; and an average
    band's share lies below the transition's interval, above it, or within.  What all of these say
    is the verdict.  If some hold and others fail, it is not testable, since the document doesn't
    say what *decided* and *often* mean; if intervals leave some open, it is undecided.
    """
    width = int(STARTS[STARTS > TRANSITION][0]) - TRANSITION
    found = {sure: _turns(sure, width) for sure in transition.SURE}
    said = {word for turns in found.values() for word in (turns.ahead, turns.usual)}
    shares = [turns.here / turns.games for turns in found.values()]
    all_ = [turns.here / transition.GAMES for turns in found.values()]
    text = (
        f"{min(shares):.0%} to {max(shares):.0%} of decided games ({min(all_):.0%} to "
        f"{max(all_):.0%} of all) turn at {TRANSITION} to "
        f"{TRANSITION + width - 1} cells, depending on what counts as decided"
    )
    each = "; ".join(f"at {sure}, {_standing(turns, width)}" for sure, turns in found.items())
    reason = (
        "A game is decided when the winner's value stays above a limit; often is read as most "
        "often, and as more often than in an average band (of those in which any game turns); "
        "where the transition's interval contains that average, this reading is undecided. "
        f"In {transition.GAMES:,} games of the stored network from random openings, by playable "
        f"cells, against other bands as wide: {each}."
    )
    return Finding(agreed(said), text, reason, tested=not {True, False} <= said)


def _standing(it: Turns, width: int) -> str:
    """How the transition compares with the band with most."""
    beside = {True: "more than", False: "less than", None: "not clearly other than"}[it.usual]
    of = f"of {it.games:,} decided games ({beside} an average band's {1 / it.bands:.1%})"
    if it.ahead:
        return f"the transition has most, {it.share(it.here)} {of}"
    ends = {None: "the intervals overlap", False: "the intervals are apart"}[it.ahead]
    return (
        f"{it.share(it.here)} {of} against {it.share(it.most)} at {it.begin} to "
        f"{it.begin + width - 1} cells: {ends}"
    )


# ---------------------------------------------------------------------------- sampling, schedule


def weights_focus(positions: int = 20_000) -> Finding:
    """Shares of the phases in the samples, weighted and not, and what the weights are worth.

    *Focus* means a larger share of the transition than without weights.  If its weight is the
    largest, it has one by construction, so there is no answer.
    """
    states = cost.sample_states(positions)
    phases, weights = phase_of(playable(states)), phase_weights(states)
    plain = float((phases == TRANSITION_PHASE).mean())
    shares = np.bincount(phases, weights=weights, minlength=len(STARTS)) / weights.sum()
    weighted, first = float(shares[TRANSITION_PHASE]), int(shares.argmax())
    least, most, _ = PRINTED[::-1][first]
    row = ablations.effects().loc["all phases alike"]
    score, low, high = (0.5 + row[end] for end in ("full", "full_low", "full_high"))
    text = (
        f"the transition gets {weighted:.1%} of the samples instead of {plain:.1%}, and most, "
        f"{shares[first]:.1%}, have {least} to {most} cells; trained without weights, a network "
        f"scores {score:.2f} [{low:.2f}, {high:.2f}] against one with"
    )
    heaviest = weights[phases == TRANSITION_PHASE].min() > weights[phases != TRANSITION_PHASE].max()
    why = (
        "*Focus* means a larger share than without weights: the document says so under the table "
        "(more training focus), and so does the author's program (drawn more often; "
        "ai/utils/position_weighting.py, commit 5493903). With the largest weight it cannot come "
        "out otherwise. Whether the weights make a stronger player, five seeds can't tell (the "
        "interval holds with 95% for all ten changes of the study together)."
    )
    return Finding(None if heaviest else weighted > plain, text, why)


CONSTANT = 2
"""How many times as long a step of constant time may take in a window a hundred times larger."""


def sampling_is_constant() -> Finding:
    """How a batch's time grows when the window grows a hundredfold, three ways, stored.

    The sentence is about the author's buffer, which draws by numpy's choice; so that is judged.
    """
    growth = replay_sampling.growth()
    first, *more = (f"{ratio:.3g} times as long with {name}" for name, ratio in growth.items())
    times = replay_sampling.WINDOWS[-1] // replay_sampling.WINDOWS[0]
    why = (
        f"Read as constant if less than {CONSTANT} times as long. Judged by numpy's choice, with "
        "its chances ready before the clock starts: so the author's buffer draws, and it also "
        "lists the chances of the whole window anew for each batch (`sample` in "
        "ai/utils/position_weighting.py, commit 5493903). "
        f"Any limit up to {int(growth['numpy choice'])} gives the same verdict. How "
        "cumulative sums alone would be judged depends on the limit, but after each change of the "
        "window they must be built anew."
    )
    return Finding(
        growth["numpy choice"] < CONSTANT,
        f"for a window {times} times as large a batch takes {', '.join([first, *more])}",
        why,
    )


def schedule_saves() -> Finding:
    """What the schedule saves against full strength throughout.

    Not testable: whether less suffices early on, only the published run could tell, repeated with
    and without its schedule.
    """
    training = TrainingConfig()
    full = training.num_iterations * training.num_self_play_games * training.num_simulations
    share = cost.simulations(training, plies=1) / full
    text = (
        f"it runs {share:.0%} of the simulations that a run would need with the last stage's games "
        "and simulations throughout"
    )
    return Finding(None, text)


def schedule_rises() -> Finding:
    """Simulations and games of the schedule's stages, one after another.

    Not testable: what the rise is worth, only the published run could tell, repeated with other
    schedules.
    """
    stages = TrainingConfig().stages
    rise = ", ".join(f"{stage.simulations} and {stage.games}" for stage in stages)
    return Finding(None, f"simulations and games by stage: {rise}")


def temperature_is_precise(positions: int = 100, simulations: int = 50) -> Finding:
    """Mean probability of a right move in solved endgames, at the schedule's temperatures.

    A move is right if it keeps the exact result; endgames where all moves do are left out.  A lower
    temperature favours the most visited move, which need not be right.  A sign test over endgames
    compares each temperature with the next one; the sentence holds if every step is up.
    """
    temperatures = sorted({stage.temperature for stage in TrainingConfig().stages}, reverse=True)
    game, solver, tables = Ultimate(), DTWSolver(), stored_tables()
    asked, right = _choices(game, solver, positions)
    visits = np.array([TableSearch(game, s, tables).run(simulations).visits for s in asked])
    found = visits.any(axis=1)  # else the search has proved a move
    shares = [
        np.round((chances(visits[found], t) * right[found]).sum(axis=1), 9) for t in temperatures
    ]
    pairs = ", ".join(f"{p.mean():.3f} at {t}" for t, p in zip(temperatures, shares, strict=True))
    steps = [(int((a < b).sum()), int((a > b).sum())) for a, b in pairwise(shares)]
    moved = ", then ".join(f"{up} up and {down} down" for up, down in steps)
    text = (
        f"probability of a right move in {found.sum()} of {len(asked)} endgames (in the others the "
        f"search proved a move): {pairs}; by endgame {moved}"
    )
    each = {_upwards(*step) for step in steps}
    return Finding(False if False in each else agreed(each), text, tested=True)


def _upwards(up: int, down: int) -> bool | None:
    """Whether more go up than down, by a sign test at .01: None if open, False if none moves."""
    from scipy.stats import binomtest  # slow to import

    if up + down == 0:
        return False
    return up > down if binomtest(up, up + down).pvalue < SIGNIFICANCE else None


def _choices(game: Ultimate, solver: DTWSolver, most: int) -> tuple[States, NDArray[np.bool_]]:
    """Endgames in which some moves are wrong, (B, 24), and which moves are right, (B, moves)."""
    states = cost.sample_states(50 * most)
    states = states[playable(states) <= solver.endgame_threshold]
    asked, right = [], []
    for state in states:
        moves, worth = results(state, solver)
        if worth.min() < worth.max():
            asked.append(state)
            right.append(np.isin(np.arange(game.moves), moves[worth == worth.max()]))
        if len(asked) == most:
            break
    return np.array(asked), np.array(right)


def temperature_explores(games: int = 300, plies: int = 4) -> Finding:
    """Number of different openings at the schedule's highest and lowest temperature.

    Played with the simulations of the first stage, by an untrained network, to which the
    document's sentence refers, and by the stored one.  Visits^(1/temperature) is flatter at a
    higher temperature by construction, so there is nothing to test; it could only fail.
    """
    temperatures = [stage.temperature for stage in TrainingConfig().stages]
    both = (max(temperatures), min(temperatures))
    new, old = (
        [_openings(net, games, plies, temperature) for temperature in both]
        for net in (Trainer(LITE, seed=0).tables, stored_tables())
    )
    text = (
        f"different openings of {plies} plies in {games} games, at {both[0]} and at {both[1]}: "
        f"{new[0]} and {new[1]} before training, {old[0]} and {old[1]} with the stored network"
    )
    return Finding(None if new[0] > new[1] else False, text)


def _openings(net: Tables, games: int, plies: int, temperature: float) -> int:
    """How many positions are reached by games whose moves are drawn from visits^(1/temperature)."""
    game, rng = Ultimate(), np.random.default_rng(0)
    states, simulations = game.initial(games), TrainingConfig().stages[0].simulations
    for _ in range(plies):
        different, which = np.unique(states, axis=0, return_inverse=True)
        visits = [TableSearch(game, state, net).run(simulations).visits for state in different]
        drawn = chances(np.array(visits), temperature)[which]
        moves = [rng.choice(len(chance), p=chance) for chance in drawn]
        states = game.play(states, np.array(moves, dtype=np.intp))
    return len(np.unique(states, axis=0))


def window_slides() -> Finding:
    """How long games of the published run must be to overfill the window, and how long they are."""
    training, plies = TrainingConfig(), float(random_games.results()["plies"]["standard"])
    games = cost.games(training)
    text = (
        f"{games:,} games make more samples than the window of {training.replay_buffer_size:,} "
        "holds if they last more than "
        f"{training.replay_buffer_size / games:.1f} plies on average; random ones last {plies:.1f}"
    )
    return Finding(games * plies > training.replay_buffer_size, text)


def cache_upload() -> Finding:
    """Sending the solver's table to a server.

    Not testable: the sentence is about the author's program, and we have not found at which commit
    the README has it.
    """
    return Finding(None, "our solver saves and loads its table; nothing here is sent anywhere")


# ---------------------------------------------------------------------------- memory, cost


def mixed_precision() -> Finding:
    """Whether 32 bits take 2 times the memory on a GPU, to the nearest whole number."""
    shape, batch = NetworkConfig(), TrainingConfig().batch_size
    plain, mixed = (gpu_cost.gib(batch, amp=amp) for amp in (False, True))
    one = gpu_cost.gib(1, amp=False) / gpu_cost.gib(1, amp=True)
    text = (
        f"memory falls by a factor of {plain / mixed:.2f} at batch size {batch:,} on an "
        f"{gpu_cost.device()} "
        f"({plain:.0f} GiB become {mixed:.0f}; by arithmetic {cost.amp_saving(shape, batch):.2f}); "
        f"at batch size 1, by {one:.2f} (by arithmetic {cost.amp_saving(shape, 1):.2f})"
    )
    return Finding(round(plain / mixed) == 2, text)
