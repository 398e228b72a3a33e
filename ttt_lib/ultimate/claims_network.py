"""Our values for what document 5 says about network, search, agents and their interface."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from ttt_lib.evidence import bench
from ttt_lib.evidence.answers import Finding, Setting, Value, agreed
from ttt_lib.ultimate.board import rules
from ttt_lib.ultimate.board.game import Ultimate, pack
from ttt_lib.ultimate.board.kernels import FORCED, FREE, OPEN, RESULT, SIDE, State
from ttt_lib.ultimate.board.rules import legal_moves
from ttt_lib.ultimate.claims_settings import HAVING
from ttt_lib.ultimate.config import PUBLISHED_STAGES, Config, DTWConfig, NetworkConfig
from ttt_lib.ultimate.learn.networks import ResidualLearner, evaluator_of
from ttt_lib.ultimate.learn.replay_buffer import Replay
from ttt_lib.ultimate.learn.trainer import Trainer
from ttt_lib.ultimate.network.resnet import AlphaZeroNet, ResidualBlock, SEBlock, planes
from ttt_lib.ultimate.players import AlphaZeroAgent, stored_tables, with_lookup
from ttt_lib.ultimate.solver import layers, plain
from ttt_lib.ultimate.solver.solver import DTWSolver, Solution
from ttt_lib.ultimate.studies import agents, cost, endgames, gpu_cost, gpu_training, plain_search
from ttt_lib.ultimate.studies.lookups import count_lookups
from ttt_lib.ultimate.studies.plain_search import untrained
from ttt_lib.ultimate.studies.random_games import LATE_MIDGAME, late_midgames, random_endgames

GAME = Ultimate()

# ---------------------------------------------------------------------------- the network


@cache
def _published_net() -> AlphaZeroNet:
    """The published network, without memory for its weights."""
    with torch.device("meta"):
        return AlphaZeroNet(NetworkConfig())


def _built(name: str, count: Callable[[AlphaZeroNet], int]) -> Setting:
    """A number counted in the network as built, and whether half the setting changes it."""
    half = getattr(NetworkConfig(), name) // 2
    with torch.device("meta"):
        other = AlphaZeroNet(replace(NetworkConfig(), **{name: half}))
    sizes = [sum(part.numel() for part in net.parameters()) for net in (_published_net(), other)]
    timed = int((gpu_cost.read().index.get_level_values("network") == gpu_cost.PUBLISHED).sum())
    return Setting(
        count(_published_net()),
        count(other) == half and timed > 0,
        f"counted in the network as built, which has {sizes[0]:,} weights, with {half} instead "
        f"{sizes[1]:,}; we {'timed it' if timed else 'did not even time it'} on a GPU, and trained "
        "none of this size",
    )


def blocks() -> Setting:
    """Residual blocks of the network as built."""
    return _built(
        "num_res_blocks", lambda net: sum(isinstance(p, ResidualBlock) for p in net.modules())
    )


def channels() -> Setting:
    """Channels of every 3 x 3 convolution."""

    def count(net: AlphaZeroNet) -> int:
        parts = [p for p in net.modules() if isinstance(p, nn.Conv2d) and p.kernel_size == (3, 3)]
        [found] = {part.out_channels for part in parts}
        return found

    return _built("num_channels", count)


def reduction() -> Setting:
    """How many times narrower the squeezed layer is than the channels it scales."""

    def count(net: AlphaZeroNet) -> int:
        gates = [part for part in net.modules() if isinstance(part, SEBlock)]
        [found] = {gate.squeeze.in_features // gate.squeeze.out_features for gate in gates}
        return found

    return _built("reduction", count)


def input_planes() -> Setting:
    """Number of planes that the network as built takes, and whether it heeds each of them.

    A smaller one of its kind is given positions in which one plane is filled.
    """
    made = planes(cost.sample_states(200))
    first = next(part for part in _published_net().modules() if isinstance(part, nn.Conv2d))
    heeded = _heeded(made[:5])
    found = (
        f"the network as built reads {first.in_channels} planes, and a smaller one of its kind "
        f"answers otherwise when one plane is filled, for {heeded} of the {made.shape[1]}"
    )
    return Setting(first.in_channels, first.in_channels == made.shape[1] == heeded, found)


def _heeded(made: NDArray[np.float32]) -> int:
    """How many planes change the answers of an untrained network when they are filled."""
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        net = AlphaZeroNet(NetworkConfig(1, 8, 4)).eval()
        usual, count = net(torch.from_numpy(made))[0], 0
        for number in range(made.shape[1]):
            filled = made.copy()
            filled[:, number] = 1
            count += not torch.equal(net(torch.from_numpy(filled))[0], usual)
    return count


LAST_MOVE = 5
"""The channel for which the document lists the last move."""


def last_move_shown(games: int = 5) -> Setting:
    """What channel 5 shows along random games, and which channels show what is listed for them."""
    positions, last = [], list[int]()
    rng = np.random.default_rng(0)
    for _ in range(games):
        position, before = rules.start(), -1
        while moves := legal_moves(position):
            positions.append(position)
            last.append(before)
            before = int(rng.choice(moves))
            position = rules.play(position, before)
    made = planes(np.array([pack(position) for position in positions]))
    wanted = np.array([_listed(*pair) for pair in zip(positions, last, strict=True)])
    alike = (made.reshape(wanted.shape) == wanted).all(axis=(0, 2))
    named = ", ".join(map(str, np.flatnonzero(alike)))
    shown = "Last move position" if alike[LAST_MOVE] else "something else"
    found = f"in {len(positions)} positions of random games, channels {named} show what is listed"
    return Setting(shown if made[:, LAST_MOVE].any() else "nothing", bool(alike.any()), found)


def _listed(position: rules.Position, last: int) -> NDArray[np.bool_]:
    """The seven planes that the document lists, shape (7, 81); ``last``: the move before, or -1."""
    cells, side = np.array(position.cells), position.side
    owner = np.array(position.owners)[list(rules.BOARD_OF)]
    is_open = np.array([rules.is_open(position, board) for board in rules.BOARD_OF])
    allowed = {rules.BOARD_OF[move] for move in legal_moves(position)}
    return np.array([
        cells == side, cells == -side, owner == side, owner == -side, (owner == 0) & ~is_open,
        np.arange(81) == last, np.isin(rules.BOARD_OF, list(allowed)),
    ])  # fmt: skip


def policy_outputs(positions: int = 20) -> Setting:
    """Layers and outputs of the policy head, whether each stands for a move, and what it ends in.

    The probabilities are looked at in a smaller network of its kind.
    """
    made, states = _heads()[0].shape[1], cost.sample_states(positions)
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        net = AlphaZeroNet(NetworkConfig(1, 8, 4)).eval()
        wanted = torch.softmax(net(torch.from_numpy(planes(states)))[0], dim=1).numpy()
    ends = " (softmax)" * bool(np.allclose(evaluator_of(net)(states)[0], wanted, atol=1e-6))
    found = (
        f"the network as built has {made} outputs for moves; the search is given "
        f"{'their' if ends else 'not their'} softmax (tried on a smaller one of its kind)"
    )
    value = f"{_layers(_published_net().policy)} → {made} outputs{ends}"
    return Setting(value, bool(ends) and made == GAME.moves, found)


def _layers(head: nn.Module) -> str:
    """Convolutions and fully connected layers of a head, in the document's words."""
    names = []
    for part in head.modules():
        if isinstance(part, nn.Conv2d):
            names.append(f"Conv {'×'.join(map(str, part.kernel_size))}")
        elif isinstance(part, nn.Linear):
            names.append("FC")
    return " → ".join(names)


def _heads() -> tuple[torch.Tensor, torch.Tensor]:
    with torch.device("meta"):
        found: tuple[torch.Tensor, torch.Tensor] = _published_net()(torch.empty(2, 7, 9, 9))
    return found


def value_output(positions: int = 200) -> Setting:
    """Values per position and what the value head ends in; without that, the values change.

    That is tried on a smaller network of its kind, with large weights in that head.
    """
    count, last = _heads()[1].numel() // 2, _published_net().value[-1]
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        net = AlphaZeroNet(NetworkConfig(1, 8, 4)).eval()
        for parameter in net.value.parameters():
            nn.init.normal_(parameter, std=3.0)
        made = torch.from_numpy(planes(cost.sample_states(positions)))
        values = net(made)[1]
        net.value[-1] = nn.Identity()
        bare = net(made)[1]
    changed = not torch.equal(values, bare)
    ends = f" ({type(last).__name__.lower()})" if isinstance(last, nn.Tanh) else ""
    found = (
        f"the network as built has {count} value per position; a smaller one of its kind, with "
        f"large weights, gives values in [{values.min():.2f}, {values.max():.2f}], and "
        f"{'other' if changed else 'the same'} ones without the function at its end"
    )
    value = f"{_layers(_published_net().value)} → {count} output{ends}"
    return Setting(value, bool(ends) and changed, found)


# ---------------------------------------------------------------------------- search


def _published_milliseconds() -> float:
    """Time of one evaluation of the published network alone, by the stored table."""
    return 1e3 / cost.stored_rate(gpu_cost.PUBLISHED, "alone")


SLOWDOWN = 10.0
"""How many evaluations a complete search must cost on average before we speak of an exponential
slowdown; the document names no number."""

SLOWER = 1000.0
"""How many times slower than our compiled solver one in plain Python, as the document's, may be."""


def search_in_the_tree(limit: int = 15) -> Finding:
    """Whether solving an endgame costs many times the evaluation that it would replace.

    It does or doesn't if that is so of our solver and of one ``SLOWER`` times slower, on a core
    and beside the cheapest evaluation on a GPU; otherwise that is not testable, since the document
    names neither processor nor batch, and no speed of its solver.
    """
    found, mean = endgames.solver_times().loc[limit], endgames.mean_milliseconds(limit)
    alone, cheapest = _published_milliseconds(), 1e3 / gpu_cost.best("evaluate")
    text = (
        f"in endgames of at most {limit} playable cells complete search takes {mean:.2g} ms on "
        f"average on one core (99%: {found['p99 ms']:.2g} ms); a single evaluation of the "
        f"published network takes {alone:.0f} ms on a core of the same kind, and {cheapest:.2g} ms "
        f"in batches of {gpu_cost.best_batch('evaluate'):,} on an {gpu_cost.device()}"
    )
    ratios = {times: [times * mean / one for one in (alone, cheapest)] for times in (1, SLOWER)}
    slow = {bool(ratio > SLOWDOWN) for both in ratios.values() for ratio in both}
    return Finding(agreed(slow), text, _why_in_the_tree(ratios[1], ratios[SLOWER]))


def _why_in_the_tree(ours: list[float], slower: list[float]) -> str:
    """What a complete search takes beside an evaluation on a core and one in large batches."""
    on_a_core, batched = map(_as_long, ours)
    told = (
        f"{on_a_core} of the published network, on a core of the same kind or in large batches on "
        "a GPU"
        if on_a_core == batched
        else f"{on_a_core} of the published network on a core of the same kind, and {batched} in "
        "large batches on a GPU"
    )
    would = "would" if max(ours) > SLOWDOWN else "would not"
    return (
        f"With our compiled solver it {would}: a complete search at the document's own threshold "
        f"takes on average {told} (we would call more than {SLOWDOWN:g} evaluations a slowdown). A "
        f"solver {SLOWER:,.0f} times slower, as one in plain Python may be, would take "
        f"{_as_long(slower[1])} in large batches, and {_as_long(slower[0])} on a core. The "
        "solver's time does grow exponentially with the cells; the threshold is what keeps it "
        "small."
    )


def _as_long(ratio: float) -> str:
    """A time as a number of evaluations, to one digit."""
    if ratio < 1:
        return "less time than one evaluation"
    if ratio < 1.5:
        return "about as long as one evaluation"
    return f"about {float(f'{ratio:.1g}'):,.0f} times as long as one evaluation"


def lookup_overhead() -> Finding:
    """Nodes that a look-up searches; its time beside an evaluation is information.

    The sentence is about the search that a look-up spares: elsewhere the document puts it as
    "O(1), no search".
    """
    solver, [state] = DTWSolver(), random_endgames(DTWConfig().endgame_threshold, 1)
    solver.calculate_dtw(state)
    before = solver.searched
    solver.lookup_cache(state)
    searched = solver.searched - before
    rates = {row["name"]: row["rate"] for row in bench.read()["rows"]}
    took = 1e6 / rates["look-up in the solver's table"]
    told = f"takes {took:.1f} microseconds when called from Python ({_of_an_evaluation(took)})"
    return Finding(searched == 0, f"it searches {searched or 'no'} nodes and {told}")


def _of_an_evaluation(microseconds: float) -> str:
    """A time as shares of an evaluation, on a core and at its cheapest on a GPU."""
    alone, batched = _published_milliseconds(), 1e3 / gpu_cost.best("evaluate")
    shares = [microseconds / 1e3 / milliseconds for milliseconds in (alone, batched)]
    return (
        f"{100 * shares[0]:.2g}% of an evaluation on a core, {100 * shares[1]:.2g}% of one in "
        "batches of "
        f"{gpu_cost.best_batch('evaluate'):,} on an {gpu_cost.device()}"
    )


def second_copy(positions: int = 60) -> Finding:
    """Whether one copy of the board for each child is enough; its time beside an evaluation.

    Our plain search expands nodes so.  Each child must come out as by the readable rules, and the
    parent must stay as it was.  The author's program copied twice before (the row's reason has the
    commits); the document does not say how much time the second copy took.
    """
    right = count = kept = 0
    for state in cost.sample_states(positions):
        node, board = plain_search.Node(state.copy()), GAME.unpack(state)
        plain_search.expand(node, np.ones(GAME.moves))
        moves = legal_moves(board)
        if sorted(node.children) == moves:
            right += sum(
                np.array_equal(node.children[move].state, pack(rules.play(board, move)))
                for move in moves
            )
        count += len(moves)
        kept += np.array_equal(node.state, state)
    copy = endgames.copies()["by hand"]
    text = (
        f"with one copy for each, {right} of {count} children are right, and their parents as "
        f"before in {kept} of {positions} expansions; a copy by hand takes {copy:.1f} "
        f"microseconds, {_of_an_evaluation(copy)}"
    )
    return Finding(right == count and kept == positions, text)


def lookup_is_exact(positions: int = 100) -> Finding:
    """Whether looked-up values are those of complete search, and cost no search."""
    solver, states = DTWSolver(), random_endgames(DTWConfig().endgame_threshold, positions)
    truth = np.array([solver.calculate_dtw(state).result for state in states])
    known = np.array([solver.lookup_cache(state) is not None for state in states])
    before = solver.searched
    values = with_lookup(untrained, solver)(states)[1]
    exact = int((values[known] == truth[known]).sum())
    right = exact == known.sum() and solver.searched == before
    at_once = sum(_won_at_once(solver.calculate_dtw(state)) for state in states[~known])
    text = (
        f"{known.sum()} of {len(states)} solved endgames found again, "
        f"{'all' if exact == known.sum() else exact} with their exact value; of the other "
        f"{(~known).sum()}, {at_once} are won at once, which needs no entry"
    )
    return Finding(bool(right and not values[~known].any()), text)


def missed_lookups(positions: int = 100) -> Finding:
    """Whether endgames that the table does not know keep the network's value, without a search."""
    solver, states = DTWSolver(), random_endgames(DTWConfig().endgame_threshold, positions)
    for state in states[::2]:
        solver.calculate_dtw(state)
    missed = np.array([solver.lookup_cache(state) is None for state in states])
    predict = evaluator_of(stored_tables())
    before, predicted = solver.searched, predict(states)[1]
    values = with_lookup(predict, solver)(states)[1]
    kept, searched = int((values == predicted)[missed].sum()), solver.searched != before
    text = (
        f"of {missed.sum()} endgames that the table does not know, {kept} keep the network's "
        f"value, and {'something' if searched else 'nothing'} is searched"
    )
    return Finding(kept == missed.sum() > 0 and not searched, text)


def _won_at_once(found: Solution) -> bool:
    """Whether the side to move wins with its next move, which a search sees without the table."""
    return found.result == 1 and found.distance == 1


JUST_SOLVED = (
    "Below a root that the same game has just solved some look-ups must hit, so there is nothing "
    "to test. How many hit what earlier games have solved depends on how alike games are, and so "
    "on the temperature; the document names no share. Its schedule ends at the lower one; its "
    "program draws as at temperature 1 throughout (commit 05c0bd8). It clears the cache every 20 "
    "iterations at 05c0bd8 and cb97dff, but not at 62ff316 (train.py), whose README is closer to "
    "this text. "
)
HOW_PLAYED = (
    "Played as its program plays (calculate_dtw before the search, wins within 5 plies played at "
    "once, in ai/training/self_play.py, commits 5493903 and 05c0bd8), by the stored network. A "
    "search's look-up of its own root is not counted; a leaf that is won at once has no entry."
)


def lookups_that_hit(games: int = 40, simulations: int = 100) -> Finding:
    """Whether leaves of the search are found among what roots of self-play have left.

    A root's own look-up is left out.  What the present game has just solved must be found, and
    what earlier games have solved is, if there are enough of them; so nothing is left to test.
    """
    temperatures = [PUBLISHED_STAGES[k].temperature for k in (0, -1)]
    counted = [count_lookups(games, simulations, temperature) for temperature in temperatures]
    texts = [
        f"at temperature {temperature:g}, {it.own / it.asked:.1%} of {it.asked:,} look-ups hit "
        f"what the same game had solved, and {it.earlier:,} more what earlier games had"
        for temperature, it in zip(temperatures, counted, strict=True)
    ]
    limit = DTWConfig().endgame_threshold
    text = (
        f"{'; '.join(texts)}: leaves with at most {limit} playable cells, in {games} games each of "
        f"{simulations} simulations per move with symmetric keys"
    )
    if not any(it.own + it.earlier for it in counted):
        return Finding(False, text, HOW_PLAYED)
    return Finding(None, text, JUST_SOLVED + HOW_PLAYED)


def excluded_moves_lose(depth: int = 8) -> Finding:
    """Moves that a shallow search excludes, and how many of them complete search finds lost.

    Where it would exclude all of them, none is left to play, and these positions don't count.
    """
    shallow, full = DTWSolver(endgame_threshold=0, shallow_depth=depth - 1), DTWSolver()
    excluded = lost = positions = hopeless = 0
    for state in late_midgames():
        moves = np.flatnonzero(GAME.legal(state[None])[0])
        after = GAME.play(np.repeat(state[None], len(moves), axis=0), moves)
        running = after[after[:, RESULT] == 0]
        bad = [reply for reply in running if shallow.get_best_winning_move(reply) is not None]
        if len(bad) == len(moves):
            hopeless += 1
            continue
        positions += bool(bad)
        excluded += len(bad)
        lost += sum(full.calculate_dtw(reply).result == 1 for reply in bad)
    least, most = LATE_MIDGAME
    text = (
        f"{lost} of {excluded} excluded moves lose, in {positions} midgames of {least} to {most} "
        f"playable cells where another move remains; the {hopeless} where none does are left out"
    )
    return Finding(lost == excluded > 0, text)


# ---------------------------------------------------------------------------- agents


def strong_is_stronger() -> Finding:
    """Stored match of both agents, and what each difference between them scores alone."""
    met = agents.read()
    told = {
        name: f"{row['score']:.3f} [{row['low']:.3f}, {row['high']:.3f}]"
        for name, row in met.iterrows()
    }
    games, low, high = met.loc[agents.STRONG, ["games", "low", "high"]].to_numpy(np.float64)
    text = (
        f"score {told[agents.STRONG]} in {games:,.0f} stored games; with its simulations alone "
        f"{told[agents.SIMULATIONS]}, with its temperature alone {told[agents.TEMPERATURE]}"
    )
    return Finding(True if low > 0.5 else False if high < 0.5 else None, text, tested=True)


def actions(boards: int = 12) -> Finding:
    """Whether select_action gives its search's favourite, and where the stone of that move goes.

    The favourite is the likeliest move at temperature 1.  The stone is looked for in the packed
    sub-boards, where row and column aren't computed as 9 row + column.
    """
    agent, best, there = AlphaZeroAgent(stored_tables(), 60), 0, 0
    for state in cost.sample_states(boards):
        board = GAME.unpack(state)
        action, again = (agent.select_action(board, temperature=0, rng=rng) for rng in (0, 1))
        chances = agent.get_action_probs(board, temperature=1.0)
        best += action == again and bool(chances[action] == chances.max() > 0)
        there += _lands(state, action, action // 9, action % 9)
    text = (
        f"the same move twice, likeliest by the player's own chances, on {best} of {boards} "
        f"boards; its stone at that row and column, sending the opponent on, on {there}"
    )
    return Finding(best == there == boards, text)


def _lands(state: State, action: int, row: int, column: int) -> bool:
    """Whether a move is legal, puts a stone at this row and column, and sends the opponent on."""
    if not GAME.legal(state[None])[0, action]:
        return False
    after = GAME.play(state[None], np.array([action]))[0]
    board, cell = 3 * (row // 3) + column // 3, 3 * (row % 3) + column % 3
    word = board if state[SIDE] == 0 else 9 + board
    sent = cell if after[OPEN] >> cell & 1 and not after[RESULT] else FREE
    return bool(after[word] ^ state[word] == 1 << cell and after[FORCED] == sent)


def action_chances(boards: int = 12) -> Finding:
    """Whether get_action_probs is a distribution over the legal moves."""
    agent, right = AlphaZeroAgent(stored_tables(), 60), 0
    for state in cost.sample_states(boards, rng=1):
        board = GAME.unpack(state)
        chances = agent.get_action_probs(board, temperature=1.0)
        legal = np.isin(np.arange(GAME.moves), legal_moves(board))
        right += bool(abs(chances.sum() - 1) < 1e-9 and not chances[~legal].any())
    return Finding(right == boards, f"{right} of {boards} boards: sum 1, illegal moves 0")


def solver_answers(positions: int = 60) -> Finding:
    """Play endgames out by the solver's moves: result, distance and move must be confirmed.

    As the solver plays both sides, a search of every position that can follow must agree, too.  A
    draw is given no distance; :func:`distance_of_draws` judges that.
    """
    solver, states = DTWSolver(), random_endgames(15, positions, rng=2)
    right, drawn = 0, 0
    for state in states:
        found, (plies, result) = solver.calculate_dtw(state), _played_out(solver, state)
        ended = result, plies if result else None
        told = (found.result, found.distance) == ended == layers.solve(state)
        right += bool(told and found.cell and _lands(state, int(found.best_move or 0), *found.cell))
        drawn += result == 0
    text = f"{right} of {len(states)} endgames end as said"
    if right == len(states):
        text += (
            f", and the {len(states) - drawn} decided ones after as many plies as said; a search "
            "of every position that can follow says the same of all"
        )
    return Finding(right == len(states), text)


ARGUMENTS = (
    *("use_cache", "hot_size", "cold_size"),
    *("endgame_threshold", "midgame_threshold", "shallow_depth"),
)
"""What the document's solver is given, by its names."""


def name_of_the_solver() -> Value:
    """The name of our solver's class, and how many of the document's arguments it takes."""
    taken = [name in inspect.signature(DTWSolver).parameters for name in ARGUMENTS]
    reason = (
        f"It takes {sum(taken)} of the {len(taken)} printed arguments, by the same names. The name "
        "is our departure; an agent is given it as `dtw_calculator`, as in the document."
    )
    return Value(DTWSolver.__name__, reason)


def form_of_moves(positions: int = 60) -> Value:
    """Whether the solver names its move by row and column, or how else."""
    solver, states = DTWSolver(), random_endgames(15, positions, rng=2)
    answers = [solver.calculate_dtw(state) for state in states]
    tuples = sum(isinstance(found.best_move, tuple) for found in answers)
    reason = (
        f"The best move is a tuple in {tuples} of {len(answers)} endgames. All our players name "
        "moves by 9 row + column, as the document's select_action does, and so does our solver: "
        "our departure. The tuple stands beside it, as its cell."
    )
    return Value("(row, col) tuple" if tuples == len(answers) else "9 row + column", reason)


def distance_of_draws(positions: int = 60) -> Value:
    """Whether the solver gives draws a distance."""
    solver, states = DTWSolver(), random_endgames(15, positions, rng=2)
    draws = [found for found in map(solver.calculate_dtw, states) if found.result == 0]
    told = sum(found.distance is not None for found in draws)
    reason = (
        f"A draw is one of the results, and the line below asks for moves to the outcome; ours "
        f"gives a distance in {told} of {len(draws)} drawn endgames, while the author's program "
        "counts a draw's plies (calculate_dtw, commit 62ff316). Our departure: neither side gains "
        "by a shorter draw or a longer one, so ours does not choose between them."
    )
    return Value("moves to outcome" if told == len(draws) else "none for a draw", reason)


def _played_out(solver: DTWSolver, state: np.ndarray) -> tuple[int, int]:
    """Plies until the end under the solver's moves, and the result for the side to move."""
    plies, now = 0, state[None]
    while not now[0, RESULT]:
        move = solver.calculate_dtw(now[0]).best_move
        now, plies = GAME.play(now, np.array([move])), plies + 1
    return plies, int(GAME.winner(now)[0] * GAME.to_move(state[None])[0])


def endgame_is_told(positions: int = 2000) -> Finding:
    """Whether is_endgame applies the threshold to playable cells, as the readable rules count."""
    solver, right = DTWSolver(), 0
    for state in cost.sample_states(positions):
        few = rules.playable(GAME.unpack(state)) <= solver.endgame_threshold
        right += solver.is_endgame(state) == few
    return Finding(right == positions, f"{right:,} of {positions:,} positions")


def winning_moves(positions: int = 60) -> Finding:
    """Whether get_best_winning_move gives a quickest win where there is one, and only there.

    The truth comes from a search of every line of play.
    """
    solver, states = DTWSolver(), random_endgames(8, positions, rng=3)
    wins = right = 0
    for state in states:
        board, found = GAME.unpack(state), solver.get_best_winning_move(state)
        result, distance = plain.solve(board)
        wins += result == 1
        if found is None:
            right += result != 1
        else:
            after = plain.solve(rules.play(board, found[0]))
            right += result == 1 and found[1] == distance == 1 + (after[1] or 0)
    text = f"{right} of {len(states)} endgames of at most 8 cells, {wins} of them won"
    return Finding(right == len(states), text)


def no_win_unpacks(positions: int = 60) -> Value:
    """Whether the printed line can take get_best_winning_move's answer where there is no win."""
    solver, states = DTWSolver(), random_endgames(8, positions, rng=3)
    answers = [solver.get_best_winning_move(s) for s in states if solver.calculate_result(s) != 1]
    pairs = sum(isinstance(found, tuple) and len(found) == 2 for found in answers)
    reason = (
        f"The printed line can take our answer in {len(states) - len(answers)} of {len(states)} "
        f"endgames, those that are won, and in {pairs} of the {len(answers)} others: there ours is "
        "None, which can be asked for but not unpacked, while the author's is the pair None, "
        "infinity (commit 62ff316). Our departure."
    )
    return Value("move, distance" if pairs == len(answers) else "None", reason)


def cache_remembers(positions: int = 60) -> Finding:
    """Whether lookup_cache knows nothing before a search and the whole solution after it.

    Of the positions that are not won at once all must be found; :func:`kept_if_won_at_once` judges
    the others.
    """
    before, pairs = _remembered(positions)
    found = [(truth, known) for truth, known in pairs if known is not None]
    same = sum(truth == known for truth, known in found)
    at_once = sum(known is None and _won_at_once(truth) for truth, known in pairs)
    lost = len(pairs) - len(found) - at_once
    text = (
        f"{before} of {len(pairs)} known before a search, {len(found)} after it, "
        f"{'all' if same == len(found) else same} with its answer; "
        f"{_others_won_at_once(at_once + lost, at_once)}"
    )
    return Finding(before == 0 and lost == 0 and len(found) == same > 0, text)


def _others_won_at_once(others: int, at_once: int) -> str:
    """How many of the positions that the table does not know are won at once."""
    if others == at_once > 1:
        return f"the other {others} are all won at once"
    return f"of the other {others}, {at_once} are won at once"


def _remembered(positions: int) -> tuple[int, list[tuple[Solution, Solution | None]]]:
    """How many endgames an empty table knows, and of each its solution and what is known then."""
    solver, before = DTWSolver(), 0
    pairs = list[tuple[Solution, Solution | None]]()
    for state in random_endgames(15, positions, rng=4):
        solver.table.clear()
        before += solver.lookup_cache(state) is not None
        pairs.append((solver.calculate_dtw(state), solver.lookup_cache(state)))
    return before, pairs


def kept_if_won_at_once(positions: int = 60) -> Value:
    """What lookup_cache gives for a solved position that is won with the next move."""
    _, pairs = _remembered(positions)
    known = sum(found is not None for _, found in pairs)
    won = [found for truth, found in pairs if _won_at_once(truth)]
    missing = sum(found is None for found in won)
    reason = (
        f"After calculate_dtw our look-up knows {known} of {len(pairs)} endgames; "
        f"{_others_won_at_once(len(pairs) - known, missing)} and are not stored, while the "
        "author's program stores every position that it solves (calculate_dtw, commit 62ff316). "
        "Our departure; the printed lines ask whether there is an answer."
    )
    kept = "result, distance, best_move" if won else "no win in one was met"
    return Value("None for a win in one" if missing else kept, reason)


# ---------------------------------------------------------------------------- training's interface


@contextmanager
def _tiny_run() -> Iterator[Any]:
    """A trainer with the document's arguments at a tiny size, after one iteration, and a folder."""
    trainer = Trainer(
        replace(Config(), network=NetworkConfig(1, 4, 2)), lr=0.002, batch_size=16,
        num_simulations=8, replay_buffer_size=500, device="cpu", use_amp=True,
    )  # fmt: skip
    trainer.train_iteration(
        num_self_play_games=2, num_train_epochs=2, temperature=1.0, num_simulations=8
    )
    with TemporaryDirectory() as folder:
        yield trainer, Path(folder) / "model"


def trainer_interface() -> Finding:
    """Train, save and load under the document's names; what is loaded is what was saved."""
    with _tiny_run() as (trainer, path):
        trainer.save(path)
        saved = {k: t.clone() for k, t in trainer.net.state_dict().items()}
        trainer.train_iteration(num_self_play_games=2, num_train_epochs=2, num_simulations=2)
        moved = any(not torch.equal(t, saved[k]) for k, t in trainer.net.state_dict().items())
        trainer.load(path)
        back = all(torch.equal(t, saved[k]) for k, t in trainer.net.state_dict().items())
    text = (
        f"{'weights' if moved else 'no weight'} changed in training; what is loaded is "
        f"{'' if back else 'not '}what was saved"
    )
    return Finding(moved and back, text)


def path_of_a_checkpoint() -> Value:
    """Whether save takes a file's name as text, or only as a path."""
    with _tiny_run() as (trainer, path):
        try:
            trainer.save(str(path))
        except AttributeError:
            trainer.save(path)
        else:
            return Value("./model/model.pth")
    return Value("a pathlib.Path", "As load does; the functions that create a player take either.")


def data_persists() -> Finding:
    """Whether the window holds the samples of more than one iteration, and other positions then."""
    with _tiny_run() as (trainer, _):
        first = _different(trainer.replay)
        trainer.train_iteration(num_self_play_games=2, num_train_epochs=1, num_simulations=8)
        counts, held = [int(row["samples"]) for row in trainer.log], trainer.replay.size
        both = _different(trainer.replay)
    return Finding(
        held == sum(counts) and both > first,
        f"{counts[0]} and {counts[1]} samples, {held} in the window; {first} different positions "
        f"after the first iteration, {both} after the second",
    )


def _different(replay: Replay) -> int:
    """Number of different positions in the window."""
    return len(np.unique(replay.samples.states[: replay.size], axis=0))


def device() -> Setting:
    """Where the recorded residual networks were trained, and whether a trainer goes where told."""
    there = {kind: _place_of_network(kind) for kind in ("cpu", "meta")}
    read = all(found == {kind} for kind, found in there.items())
    found = (
        f"a trainer's network lies {'' if read else 'not always '}on the device that it is told "
        f"(tried with a processor, and with PyTorch's device without memory); {HAVING}: "
        f"`{gpu_training.NAME}`, on an {gpu_cost.device()}"
    )
    return Setting(gpu_training.DEVICE, read, found, f"{_on_a_gpu()} By default ours is cpu.")


def _place_of_network(kind: str) -> set[str]:
    """The kinds of device on which a trainer's network lies that is told to be on one."""
    config = replace(Config(), network=NetworkConfig(1, 8, 4))
    learner = Trainer(config, seed=1, device=kind).learner
    assert isinstance(learner, ResidualLearner)
    return {weight.device.type for weight in learner.net.parameters()}


def _on_a_gpu() -> str:
    """What the networks that were trained on a GPU score at first and in the end, by seed."""
    runs = gpu_training.along("residual net").groupby("seed")
    changes = "; ".join(
        f"{begin.score:.3f}, then {end.score:.3f}"
        for begin, end in zip(runs.first().itertuples(), runs.last().itertuples(), strict=True)
    )
    minutes = runs["minutes"].last().max()
    return (
        f"Scores there against {gpu_training.ALONG.opponent} at the first measurement and after "
        f"{minutes:.0f} minutes, by seed: {changes}."
    )
