"""The table net, its tables and the search with them; the residual network."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import pytest
import torch

from ttt_lib.game.match import match
from ttt_lib.game.policy import random_agent
from ttt_lib.ultimate.board import kernels, symmetry
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.board.kernels import FORCED, FREE, OPEN, RESULT, SIDE, States
from ttt_lib.ultimate.board.rules import BOARD_OF, CELL_OF, legal_moves
from ttt_lib.ultimate.config import LITE, NetworkConfig, TableConfig
from ttt_lib.ultimate.learn.selfplay import search_root
from ttt_lib.ultimate.learn.trainer import play_settings
from ttt_lib.ultimate.network import tablenet_kernels
from ttt_lib.ultimate.network.resnet import AlphaZeroNet, count_parameters, evaluator, planes
from ttt_lib.ultimate.network.tablenet import (
    ARRANGEMENTS,
    CASES,
    DRAWN,
    LOST,
    MOST_CARE,
    ROW_UNIT,
    TOP,
    WON,
    TableNet,
    Tables,
    by_move,
    cases,
    compile_tables,
    inputs,
)
from ttt_lib.ultimate.network.tablenet_kernels import evaluate
from ttt_lib.ultimate.search import puct_table, trees
from ttt_lib.ultimate.search.puct_table import TableSearch, table_agent
from ttt_lib.ultimate.search.tree_search import PuctSearch

GAME = Ultimate()
TINY = TableConfig(body=8, parts=4, over=4, rows=8, value=4, channels=2)
ODD = TableConfig(body=5, parts=6, over=3, rows=4, value=7, channels=3)


def net_of(seed: int, config: TableConfig = TINY) -> TableNet:
    """A network with no zeros left in it."""
    torch.manual_seed(seed)
    net = TableNet(config)
    for parameter in net.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return net


def uniform_tables() -> Tables:
    """The untrained network: every move alike, every value 0."""
    torch.manual_seed(0)
    net = TableNet(TINY)
    for parameter in net.last.parameters():
        torch.nn.init.zeros_(parameter)
    for layer in (net.cells, net.sends):
        torch.nn.init.zeros_(layer.bias)
    return compile_tables(net)


def running_states(count: int, seed: int) -> States:
    """States from random games, all stages."""
    rng, found = np.random.default_rng(seed), []
    while len(found) < count:
        state, line = GAME.initial()[0], []
        while state[RESULT] == 0:
            line.append(state)
            move = rng.choice(np.flatnonzero(GAME.legal(state[None])[0]))
            state = GAME.play(state[None], np.array([move]))[0]
        found += line
    return np.array(found)[rng.permutation(len(found))[:count]]


def wins_in_one(state: States) -> list[int]:
    """Winning moves by trying each."""
    moves = np.flatnonzero(GAME.legal(state[None])[0])
    after = GAME.play(np.repeat(state[None], len(moves), axis=0), moves)
    side = GAME.to_move(state[None])[0]
    return [int(m) for m, winner in zip(moves, GAME.winner(after), strict=True) if winner == side]


@pytest.mark.parametrize("config", [TINY, ODD])
def test_tables_say_what_the_network_says(config: TableConfig) -> None:
    net, states = net_of(1, config), running_states(300, 1)
    logits, values = np.empty((300, 81)), np.empty(300)
    puct_table.evaluate(states, compile_tables(net), logits, values)
    with torch.no_grad():
        wanted, value = net(*inputs(states))
    legal = GAME.legal(states)  # whole numbers in the tables: a little coarser than the network
    assert values == pytest.approx(value.numpy(), abs=0.01)
    assert logits[legal] == pytest.approx(by_move(wanted).numpy()[legal], abs=0.05)
    assert np.ptp(values) > 0.01
    assert compile_tables(net).rows.shape == ((18 * CASES + 1 + ARRANGEMENTS) * config.rows,)


def test_the_search_reads_the_cases_that_the_network_learns_from() -> None:
    """Each sub-board open, won, lost or drawn, seen from either side."""
    states, seen = running_states(2000, 12), np.empty(9, np.uint16)
    wanted, metas = cases(states)
    assert {WON, LOST, DRAWN} < set(np.unique(wanted))
    for state, case, meta in zip(states, wanted, metas, strict=True):
        assert tablenet_kernels.read(state, seen) == meta
        assert seen.tolist() == case.tolist()
        forced = int(state[FORCED])
        own = 9 * CASES if forced == FREE else case[forced]
        assert tablenet_kernels.forced_row(state) == (9 + forced % FREE) * CASES + own


@pytest.mark.parametrize("size", [0.0, 0.4, 0.6, 1.5, 2.4, MOST_CARE - 0.6, 1e4, 1e9])
def test_care_is_a_whole_number_of_limited_size(size: float) -> None:
    """Halves go up; both ends are cut."""
    for x in (size, -size):
        wanted = min(max(np.floor(x + 0.5), -MOST_CARE), MOST_CARE)
        assert tablenet_kernels.round_off(np.float32(x)) == wanted


def test_a_move_weighs_the_exponential_of_its_logit() -> None:
    """Taken from a list in steps of 1/64 whose entries are whole multiples of 2^-40.

    So it is too large by a factor of at most exp(1/64); distances beyond 20 count as just below 20.
    """
    for below in np.linspace(0, 19.9, 400):
        found = tablenet_kernels.liking(np.float32(below * tablenet_kernels.LOGIT_UNIT))
        assert (found * 2**40).is_integer()
        assert np.exp(-below) - 2**-40 < found < np.exp(-below + 1 / 64) + 2**-40
    assert tablenet_kernels.liking(np.float32(50 * tablenet_kernels.LOGIT_UNIT)) == pytest.approx(
        np.exp(-20 + 1 / 64)
    )


def test_every_sum_is_exact() -> None:
    """So that its order, and with it the processor, changes nothing.

    All numbers are whole, and no sum of theirs can leave what single precision holds.
    """
    config = TableConfig(body=8, parts=4, rows=8, value=4, channels=16)
    net = net_of(4, config)
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.mul_(20)
    tables, top = compile_tables(net), round(TOP * ROW_UNIT)
    for table in (tables.weights, tables.bias, tables.last, tables.cells, tables.sends,
                  tables.care, tables.globe, tables.place):  # fmt: skip
        assert (table == np.rint(table)).all()
    layer = np.abs(tables.weights.reshape(8, 4)).sum(axis=0) * top + np.abs(tables.bias)
    assert 0 < layer.max() <= 1 << 24
    assert 0 < np.abs(tables.globe.reshape(32, 8)).sum(axis=1).max() * top <= 1 << 24
    wish = 2 * 16 * 2 * np.abs(tables.care).max() * np.abs(tables.cells).max()
    assert wish + np.abs(tables.place).max() <= 1 << 24
    assert 11 * np.abs(tables.rows.astype(int)).max() < 1 << 15


def test_tables_do_not_change_with_the_network() -> None:
    net = net_of(2)
    tables = compile_tables(net)
    before = [np.array(table) for table in tables]
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.add_(1)
    assert all((a == b).all() for a, b in zip(before, map(np.array, tables), strict=True))


def test_the_view_is_that_of_the_side_to_move() -> None:
    """Exchange the players' stones and the side to move: nothing changes."""
    states = running_states(50, 3)
    swapped = states.copy()
    swapped[:, :9], swapped[:, 9:18] = states[:, 9:18], states[:, :9]
    swapped[:, 18], swapped[:, 19] = states[:, 19], states[:, 18]
    swapped[:, 22] = 1 - states[:, 22]
    evaluate = puct_table.evaluator(compile_tables(net_of(3)))
    for one, other in zip(evaluate(states), evaluate(swapped), strict=True):
        assert (one == other).all()
    assert (planes(states) == planes(swapped)).all()


def test_positions_that_differ_for_the_side_to_move_look_different() -> None:
    """The plane of the last move is empty, and the six others tell all positions apart."""
    states = running_states(2000, 4)
    second = states[:, SIDE] == 1
    swapped = states.copy()
    swapped[:, :9], swapped[:, 9:18] = states[:, 9:18], states[:, :9]
    swapped[:, 18], swapped[:, 19], swapped[:, SIDE] = states[:, 19], states[:, 18], 0
    states[second] = swapped[second]
    states[(states[:, OPEN] & (states[:, OPEN] - 1)) == 0, FORCED] = FREE  # one sub-board is left
    different = np.unique(states, axis=0)
    seen = planes(different)
    assert not seen[:, 5].any()
    assert len(np.unique(seen.reshape(len(seen), -1), axis=0)) == len(different) > 1500


def test_means_stay_numbers_when_results_are_proven() -> None:
    tables, out = compile_tables(net_of(5)), 0
    for state in running_states(400, 6)[-40:]:
        search = TableSearch(GAME, state, tables)
        search.run(150)
        mean = search._forest.mean[0, : int(search._forest.used[0])]
        assert not np.isnan(mean).any()
        out += int(np.isneginf(mean).sum())
    assert out > 0


@dataclass
class PlainNode:
    """A position in the plain search below; its children by move, none before its second visit."""

    prior: float = 1.0
    width: float = np.inf
    mean: float = 0.0
    visits: int = 0
    children: dict[int, PlainNode] = field(default_factory=dict)


def plain_simulation(root: PlainNode, state: States, tables: Tables, c: float, fpu: float) -> None:
    """One simulation of PUCT without proofs that compares all moves at each node."""
    node, path = root, [root]
    while state[RESULT] == 0 and node.visits > 0:
        if not node.children:
            logits, _ = evaluated(state, tables)
            node.children = {move: PlainNode(*prior) for move, prior in priors(state, logits)}
            for child in node.children.values():
                child.mean = -node.mean - fpu
        scale = c * np.sqrt(node.visits)
        bounds = {move: child.mean + scale * child.width for move, child in node.children.items()}
        move = max(bounds, key=bounds.__getitem__)  # the first of equals
        state = GAME.play(state[None], np.array([move]))[0]
        node = node.children[move]
        path.append(node)
    drawn = state[RESULT] == 3
    value = (0.0 if drawn else -1.0) if state[RESULT] else evaluated(state, tables)[1]
    for node in reversed(path):
        value = -value  # for the player who moved into the node
        node.visits += 1
        node.mean += (value - node.mean) / node.visits
        node.width = node.prior / (1 + node.visits)


def evaluated(state: States, tables: Tables) -> tuple[np.ndarray, float]:
    """What the net says of a state: 81 logits and its value."""
    logits, values = np.empty((1, 81)), np.empty(1)
    evaluate(state[None], tables, logits, values)
    return logits[0], float(values[0])


def priors(state: States, logits: np.ndarray) -> list[tuple[int, tuple[float, float]]]:
    """Legal moves by sub-board and cell, each with its prior in single and in double precision."""
    legal = GAME.legal(state[None])[0]
    moves = sorted(np.flatnonzero(legal), key=lambda move: (BOARD_OF[move], CELL_OF[move]))
    below = [(logits[moves].max() - logits[move]) * tablenet_kernels.LOGIT_UNIT for move in moves]
    weights = [float(tablenet_kernels.liking(np.float32(units))) for units in below]
    shares = [weight / sum(weights) for weight in weights]
    return [(int(m), (float(np.float32(p)), p)) for m, p in zip(moves, shares, strict=True)]


def visits_below(forest: trees.Forest, node: int) -> dict[int, tuple[int, dict]]:
    """Visits of each move and of those below it, as far as anything was visited."""
    first, size = int(forest.first[0, node]), int(forest.size[0, node])
    return {
        int(kernels.MOVE[forest.place[0, child]]): (
            int(forest.visits[0, child]),
            visits_below(forest, child),
        )
        for child in range(first, first + size)
        if first >= 0 and forest.visits[0, child]
    }


def plain_visits(node: PlainNode) -> dict[int, tuple[int, dict]]:
    return {
        move: (child.visits, plain_visits(child))
        for move, child in node.children.items()
        if child.visits
    }


def two_kinds_of_moves() -> Tables:
    """As :func:`uniform_tables`, but with one of two priors for each move: ties between some."""
    places = np.random.default_rng(1).choice([-2.0, 0.0], (9, 9)) * tablenet_kernels.LOGIT_UNIT
    return uniform_tables()._replace(place=places.astype(np.float32))


@pytest.mark.parametrize(
    "tables",
    [
        uniform_tables(),
        two_kinds_of_moves(),
        compile_tables(net_of(5)),
        compile_tables(net_of(6, ODD)),
    ],
    ids=["uniform", "two kinds", "tiny", "odd"],
)
def test_the_search_is_one_that_compares_all_moves(tables: Tables) -> None:
    """Passing over untried moves changes no visit count, not even after the tree is kept.

    Some simulations, the move most often visited, some more from there.
    """
    for state in running_states(400, 7)[:12]:
        for simulations in (20, 60, 250):
            search = TableSearch(GAME, state, tables, c=1.3, fpu=0.2, solve=False)
            root, here = PlainNode(), state
            for more in (simulations, 40):
                search.run(more)
                for _ in range(more):
                    plain_simulation(root, here, tables, 1.3, 0.2)
                found = visits_below(search._forest, 0)
                assert found == plain_visits(root)
                move = max(found, key=lambda move: found[move][0])
                here, root = GAME.play(here[None], np.array([move]))[0], root.children[move]
                if here[RESULT]:
                    break
                search.advance(move)


def test_without_exploration_the_likelier_of_untried_moves_comes_first() -> None:
    """Below the root: all are valued alike, so each node tries the highest prior first."""
    search = TableSearch(GAME, GAME.initial()[0], compile_tables(net_of(5)), c=0)
    search.run(300)
    tree = trees.one_of(search._forest, 0)
    inner = [n for n in range(1, int(tree.used[0])) if tree.first[n] >= 0]
    assert len(inner) > 100
    for node in inner:
        begin, end = int(tree.first[node]), int(tree.first[node] + tree.size[node])
        tried = int((tree.visits[begin:end] > 0).sum())
        assert (tree.visits[begin : begin + tried] > 0).all()
        rest = tree.prior[begin + tried : end]
        assert (np.diff(tree.prior[begin : begin + tried]) <= 0).all()
        assert not len(rest) or rest[0] == rest.max()
        assert not (tried and len(rest)) or tree.prior[begin + tried - 1] >= rest[0]


def test_moves_of_one_worth_are_taken_in_order() -> None:
    """Ties between children that stand in another order, as tried ones do below a root."""
    search = TableSearch(GAME, GAME.initial()[0], uniform_tables())
    search.run(2)
    tree = trees.one_of(search._forest, 0)
    begin, end = int(tree.first[0]), int(tree.first[0] + tree.size[0])
    tree.place[begin:end] = tree.place[begin:end][::-1]
    tree.mean[begin:end], tree.width[begin:end], tree.visits[begin:end] = 0, 1, 0
    pick = puct_table.table_child.py_func
    assert pick(tree, begin, end, 1.0, False) == end - 1
    assert pick(tree, begin, end, 1.0, True) == begin  # the first untried child
    tree.visits[begin : begin + 3] = 1
    assert pick(tree, begin, end, 1.0, True) == begin + 3
    tree.width[begin + 1] *= 2
    assert pick(tree, begin, end, 1.0, True) == pick(tree, begin, end, 1.0, False) == begin + 1


def searched(simulations: int = 400) -> trees.Forest:
    """The tree of a search from the empty board, where nothing is proven yet."""
    search = TableSearch(GAME, GAME.initial()[0], compile_tables(net_of(5)))
    search.run(simulations)
    return search._forest


def test_a_bonus_is_the_prior_over_one_more_than_the_visits() -> None:
    """PUCT's exploration term, but for what is the same for all moves of a position."""
    forest = searched()
    used = int(forest.used[0])
    prior, visits, width = (
        table[0, 1:used] for table in (forest.prior, forest.visits, forest.width)
    )
    assert visits.max() > 5
    assert width == pytest.approx(prior / (1 + visits), rel=1e-6)


def test_the_root_of_the_logarithm_by_table_and_beyond() -> None:
    numbers = [0, 1, 2, 3, 1000, len(trees.SQRT_LOG) - 1, len(trees.SQRT_LOG), 10**6]
    found = [trees.sqrt_log(np.int32(n)) for n in numbers]
    assert found == [math.sqrt(math.log(max(n, 1))) for n in numbers]
    assert len(trees.SQRT_LOG) == 16384


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_noise_is_blended_into_the_priors_of_the_roots_moves_alone(share: float) -> None:
    forest = searched()
    begin, used = int(forest.first[0, 0]), int(forest.used[0])
    moves = slice(begin, begin + int(forest.size[0, 0]))
    before, below = forest.prior[0, :used].copy(), np.r_[:begin, moves.stop : used]
    puct_table.add_noise(forest, 0, share, np.uint64(1))
    after = forest.prior[0, :used]
    noise = after[moves] - (1 - share) * before[moves]
    assert noise.sum() == pytest.approx(share, abs=1e-5)
    assert noise.min() >= -1e-6
    assert share == 0 or noise.std() > 0.2 * noise.mean()
    assert (after[below] == before[below]).all()
    assert forest.width[0, moves] == pytest.approx(
        after[moves] / (1 + forest.visits[0, moves]), rel=1e-6
    )


def test_search_takes_a_win_in_one() -> None:
    states = [s for s in running_states(3000, 4) if wins_in_one(s)][:40]
    assert len(states) == 40
    for tables in (uniform_tables(), compile_tables(net_of(4))):
        for state in states:
            for simulations in (2, 30):
                found = TableSearch(GAME, state, tables).run(simulations)
                assert found.scores.argmax() in wins_in_one(state)
                assert found.proven == 1


def threats(state: States) -> tuple[list[int], list[int]]:
    """Moves after which the opponent wins at once, and the others."""
    moves = np.flatnonzero(GAME.legal(state[None])[0])
    after = GAME.play(np.repeat(state[None], len(moves), axis=0), moves)
    lost = [bool(a[RESULT] == 0 and wins_in_one(a)) for a in after]
    return [int(m) for m, bad in zip(moves, lost, strict=True) if bad], [
        int(m) for m, bad in zip(moves, lost, strict=True) if not bad
    ]


def test_search_blocks_a_loss_in_one() -> None:
    states = [s for s in running_states(3000, 5) if not wins_in_one(s) and all(threats(s))][:40]
    assert len(states) == 40
    for tables in (uniform_tables(), compile_tables(net_of(5))):
        for state in states:
            found = TableSearch(GAME, state, tables).run(200)
            assert found.scores.argmax() in threats(state)[1]


def test_values_are_the_tables_in_whole_numbers() -> None:
    """Bit for bit what numpy gets from all rows and all units in 64-bit whole numbers."""
    tables = compile_tables(net_of(9))
    states = running_states(400, 13)
    logits, values = np.empty((len(states), 81)), np.empty(len(states))
    evaluate(states, tables, logits, values)
    rows = tables.rows.reshape(18 * CASES + 1 + ARRANGEMENTS, -1).astype(np.int64)
    case, meta = cases(states)
    forced = states[:, FORCED].astype(np.int64)
    own = case[np.arange(len(states)), np.minimum(forced, 8)]
    top = np.where(forced == FREE, 18 * CASES, (9 + forced) * CASES + own)
    total = rows[np.arange(9) * CASES + case].sum(1) + rows[top] + rows[18 * CASES + 1 + meta]
    hidden = total.clip(0, round(TOP * 256))
    weights = tables.weights.reshape(hidden.shape[1], -1).astype(np.int64)
    inner = (hidden @ weights + tables.bias.astype(np.int64)).clip(0)
    x = (inner @ tables.last[:-1].astype(np.int64) + int(tables.last[-1])) * tables.scale
    assert (values == x / np.sqrt(1 + x * x)).all()


def test_uniform_net_beats_random() -> None:
    found = match(
        table_agent(uniform_tables(), 100), random_agent(Ultimate()), 40, rng=0, openings=4
    )
    assert found.score > 0.8


def test_noise_differs_by_seed_alone() -> None:
    """In the searches of self-play, the only ones with noise at their roots."""
    tables, state = compile_tables(net_of(6)), running_states(1, 6)[0]
    how = play_settings(LITE, LITE.training.stages[-1])._replace(full=200)

    def visits(noise: float, seed: int) -> list[int]:
        forest = trees.allocate(1, 200 * trees.MOST)
        bits, clean = np.uint64(seed), np.ones(81)
        search_root(forest, state, tables, how._replace(noise=noise), True, GAME.code, bits, clean)
        return forest.visits[0, : int(forest.used[0])].tolist()

    assert visits(0.0, 1) == visits(0.0, 2)
    assert visits(0.5, 1) == visits(0.5, 1)
    assert visits(0.5, 1) != visits(0.5, 2)
    assert visits(0.5, 1) != visits(0.0, 1)


@pytest.mark.parametrize("noise", [0.0, 0.25])
def test_a_root_of_self_play_is_searched_as_often_as_the_settings_say(noise: float) -> None:
    tables, state = compile_tables(net_of(6)), GAME.initial()[0]
    how = play_settings(LITE, LITE.training.stages[-1])._replace(full=50, fast=20, noise=noise)
    for fully, wanted in ((True, 50), (False, 20)):
        forest = trees.allocate(1, 50 * trees.MOST)
        search_root(forest, state, tables, how, fully, GAME.code, np.uint64(1), np.ones(81))
        assert forest.visits[0, 0] == wanted


def test_visits_add_up_and_more_room_is_made() -> None:
    state, tables = GAME.initial()[0], compile_tables(net_of(7))
    search = TableSearch(GAME, state, tables)
    found = search.run(5000)
    assert search.simulations == 5000
    assert found.visits.sum() == 4999  # one simulation valued the root
    again = TableSearch(GAME, state, tables)
    again.run(3000)
    assert (again.run(2000).visits == found.visits).all()


def test_tree_is_kept() -> None:
    search = TableSearch(GAME, GAME.initial()[0], compile_tables(net_of(8)))
    found = search.run(500)
    move = int(found.visits.argmax())
    search.advance(move)
    assert search.simulations == found.visits[move]
    assert search.run(10).visits.sum() == search.simulations - 1


def test_bad_searches() -> None:
    tables = uniform_tables()
    with pytest.raises(ValueError, match="not keep-playing"):
        TableSearch(Ultimate("keep-playing"), GAME.initial()[0], tables)
    over = GAME.initial()[0]
    over[RESULT] = 1
    with pytest.raises(ValueError, match="finished"):
        TableSearch(GAME, over, tables)
    with pytest.raises(ValueError, match="not 0"):
        TableSearch(GAME, GAME.initial()[0], tables).run(0)


# ---------------------------------------------------------------------------- residual network


def test_published_size_is_counted_from_its_layers() -> None:
    """By hand: stem, 30 blocks, heads."""
    wide, inner = 512, 32
    block = 2 * (9 * wide * wide + 2 * wide) + (wide * inner + inner) + (inner * wide + wide)
    stem = 9 * 7 * wide + 2 * wide
    policy = 2 * wide + 4 + 162 * 81 + 81
    value = wide + 2 + 81 * 256 + 256 + 256 + 1
    assert count_parameters(NetworkConfig()) == stem + 30 * block + policy + value


def test_planes_by_the_plain_rules() -> None:
    states = running_states(60, 9)
    found = planes(states, np.full(60, 5)).reshape(60, 7, 81)
    for state, plane in zip(states, found, strict=True):
        position = GAME.unpack(state)
        stones = np.array(position.cells) * position.side
        owners = np.array(position.owners)[list(BOARD_OF)] * position.side
        assert (plane[0] == (stones == 1)).all()
        assert (plane[1] == (stones == -1)).all()
        assert (plane[2] == (owners == 1)).all()
        assert (plane[3] == (owners == -1)).all()
        full = {b for b in range(9) if 0 not in position.sub_board(b) and not position.owners[b]}
        assert (plane[4] == np.isin(BOARD_OF, list(full))).all()
        assert np.flatnonzero(plane[5]).tolist() == [5]
        assert (plane[6] == np.isin(BOARD_OF, [BOARD_OF[m] for m in legal_moves(position)])).all()


@pytest.mark.parametrize("size", [(0, 4, 2), (2, 6, 4)])
def test_residual_network_plays(size: tuple[int, int, int]) -> None:
    torch.manual_seed(0)
    net = AlphaZeroNet(NetworkConfig(*size))
    assert sum(p.numel() for p in net.parameters()) == count_parameters(NetworkConfig(*size))
    won = [s for s in running_states(2000, 10) if wins_in_one(s)][:5]
    found = PuctSearch(GAME, np.array(won), evaluator(net)).run(60)
    for state, view in zip(won, found, strict=True):
        assert view.scores.argmax() in wins_in_one(state)
    chances, values = evaluator(net)(running_states(7, 11))
    assert chances.sum(axis=1) == pytest.approx(1)
    assert (np.abs(values) <= 1).all()


def test_symmetry_moves_stones_as_it_moves_moves() -> None:
    """Play, then turn, is turn, then play: what augmentation relies on."""
    rng = np.random.default_rng(0)
    for state in running_states(40, 12):
        move = rng.choice(np.flatnonzero(GAME.legal(state[None])[0]))
        after = GAME.play(state[None], np.array([move]))
        for number in range(8):
            turned = symmetry.transform(state[None], number)
            other = GAME.play(turned, symmetry.MOVE_IMAGES[number][[move]])
            assert (other == symmetry.transform(after, number)).all()
    assert len(CELL_OF) == 81
