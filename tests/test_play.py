"""A person's game as pure values: moves, undo, opinions, exact chances, hints, what is said."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import toy_game
from result_words.tools import word
from ultimate_positions import endgames
from ultimate_positions import exact as brute_force

from ttt_lib import catalog
from ttt_lib.comparison import results
from ttt_lib.evidence import store
from ttt_lib.evidence.documents import of_player
from ttt_lib.game.board import Grid, Ints, parse
from ttt_lib.game.exact import Outcome, exact_values, outcome_as, policy_table
from ttt_lib.game.gametree import GameTree, enumerate_states
from ttt_lib.game.match import match
from ttt_lib.game.oracle import Exact
from ttt_lib.game.policy import Agent, from_scores, lookahead, minimax, random_agent, safety
from ttt_lib.game.response import response_outcome, worst_result
from ttt_lib.game.scene import blocks
from ttt_lib.people.book import players
from ttt_lib.people.play import insight, server
from ttt_lib.people.play import session as person
from ttt_lib.people.play import text as texts
from ttt_lib.people.play.session import Session
from ttt_lib.ultimate.board import notation
from ttt_lib.ultimate.board.game import Ultimate, pack
from ttt_lib.ultimate.board.rules import MOVE_OF
from ttt_lib.ultimate.solver import oracle
from ttt_lib.ultimate.solver.solver import DTWSolver
from ttt_lib.ultimate.studies import rating

GRID = Grid(3)


def at(board: str, side: int = 1, agent: Agent | None = None, grid: Grid = GRID) -> Session:
    """A session whose present state is that board."""
    session = person.start(agent or random_agent(grid), side)
    return replace(session, states=(parse(board, grid)[None],))


def at_random(session: Session, rng: np.random.Generator) -> Session:
    """The session after a random legal move of the person, or the agent's answer."""
    if session.yours:
        return person.play(session, int(rng.choice(session.legal)))
    return person.answer(session, rng=rng)


def game_of(board: str) -> Session:
    return person.start(person.opponent("random", board), 1)


# ---------------------------------------------------------------------------- playing


@pytest.mark.parametrize("board", person.BOARDS)
@pytest.mark.parametrize("side", [1, -1])
def test_a_game_goes_on_until_it_ends_and_every_step_can_be_undone(board: str, side: int) -> None:
    rng = np.random.default_rng(5)
    session = person.start(person.opponent("random", board), side)
    own = []
    while not session.finished:
        if session.yours:
            own.append(session)
        session = at_random(session, rng)
        assert len(session.states) == len(session.moves) + 1
        movers = [int(session.game.to_move(state)[0]) for state in session.states[:-1]]
        its = [ply for ply, mover in enumerate(movers) if mover == -side]
        assert session.answered == (its[-1] if its else None)
    assert session.legal == []
    wanted = {1: "You win.", 0: "A draw.", -1: "The random player wins."}
    assert texts.ending(session) == wanted[session.result]
    for before in reversed(own):
        session = person.undo(session)
        assert session.moves == before.moves
        assert (session.state == before.state).all()
        assert session.yours
    with pytest.raises(ValueError, match="no move of yours"):
        person.undo(session)


def test_sessions_do_not_change() -> None:
    first = person.start(minimax(GRID, "first"))
    after = person.answer(person.play(first, 4))
    assert first.moves == ()
    assert not first.state.any()
    assert after.moves == (4, 0)
    assert person.answer(after) is after, "the agent answers only when it is to move"


def test_undo_while_the_agent_thinks_takes_back_one_move() -> None:
    assert person.undo(person.play(person.start(random_agent(GRID)), 4)).moves == ()


@pytest.mark.parametrize(
    ("session", "move", "line"),
    [
        (at("........."), 9, "there is no cell 9: 0 to 8"),
        (at("........."), -1, "there is no cell -1: 0 to 8"),
        (at("x...o...."), 4, "cell 4 is taken"),
        (at("x........"), 1, "it is the turn of the random player"),
        (at("xxxoo...."), 8, "the game is over: begin a new one, or undo"),
    ],
)
def test_an_illegal_move_is_refused_in_one_line(session: Session, move: int, line: str) -> None:
    with pytest.raises(ValueError, match=line):
        person.play(session, move)


def test_ultimate_says_where_to_play() -> None:
    session = person.play(game_of("ultimate"), 40)
    session = replace(session, side=-1)
    with pytest.raises(ValueError, match="cell 0 is not open: play in sub-board 4"):
        person.play(session, 0)
    with pytest.raises(ValueError, match="cell 40 is taken"):
        person.play(session, 40)
    assert person.scene(session).targets == (4,)


def test_a_closed_cell_is_refused_with_all_that_is_open_instead() -> None:
    """Sub-board 4 is won, so one may move anywhere else; Nim has no sub-boards."""
    cells = ["."] * 81
    for place in MOVE_OF[4][:3]:
        cells[place] = "x"
    for board in (0, 1, 2):
        cells[MOVE_OF[board][4]] = "o"
    position = notation.parse(f"{''.join(cells)} x -")
    session = replace(game_of("ultimate"), states=(pack(position)[None],))
    line = "cell 50 is not open: play in sub-board 0 or 1 or 2 or 3 or 5 or 6 or 7 or 8"
    assert person.refusal(session, MOVE_OF[4][8]) == line
    nim = person.start(toy_game.perfect(toy_game.Nim(2)))
    assert person.refusal(nim, 2) == "2 is no move now: 0 1"


def test_a_side_is_one_of_two() -> None:
    with pytest.raises(ValueError, match="not 0"):
        person.start(random_agent(GRID), 0)


@pytest.mark.parametrize("text", ["", "x", "-1", "1.0", "²", "1" * 10, "4 4", "<b>"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no cell: type its number"):
        person.read_cell(text)


def test_a_typed_cell() -> None:
    assert person.read_cell(" 40 ") == 40


# ---------------------------------------------------------------------------- the board


@pytest.mark.parametrize("board", person.BOARDS)
def test_blocks_hold_every_cell_once(board: str) -> None:
    game = game_of(board).game
    cells = [cell for block in blocks(game) for cell in block.cells]
    assert sorted(cells) == list(range(game.moves))


def test_layers_of_a_cube_are_planes() -> None:
    layers = blocks(Grid(3, 3))
    assert [layer.name for layer in layers] == ["layer 0", "layer 1", "layer 2"]
    assert {int(Grid(3, 3).coordinates[cell, 0]) for cell in layers[1].cells} == {1}
    with pytest.raises(ValueError, match="two or three dimensions"):
        blocks(Grid(2, 4))


def test_winning_cells() -> None:
    assert person.scene(at("xxxoo....")).line == {0, 1, 2}
    assert person.scene(at("xxxxo.xoo.o....."[:16], grid=Grid(4))).line >= {0, 1, 2, 3}
    assert person.scene(at("xx.oo....")).line == frozenset()


def test_winning_sub_boards() -> None:
    rng = np.random.default_rng(0)
    session = game_of("ultimate")
    while not session.result:
        session = at_random(session, rng) if not session.finished else game_of("ultimate")
    lit, owners = person.scene(session).line, person.scene(session).owners
    boards = [board for board in range(9) if MOVE_OF[board][0] in lit]
    assert len(boards) >= 3
    assert {owners[board] for board in boards} == {session.result}
    assert len(lit) == 9 * len(boards)


# ---------------------------------------------------------------------------- opponents


@pytest.mark.parametrize("board", person.BOARDS)
def test_offered_opponents_exist(board: str) -> None:
    for name in person.OPPONENTS[board]:
        base, _, options = name.removeprefix(catalog.SAFETY).partition(":")
        catalog.options(base, options)
        entry = catalog.AGENTS[base]
        assert entry.builder(board if board == "ultimate" else catalog.BOARDS)


@pytest.mark.parametrize(
    ("name", "board", "line"),
    [
        ("minmax", "3x3", "unknown agent 'minmax': random, minimax"),
        ("", "3x3", "unknown agent ''"),
        ("minmax", "ultimate", "unknown agent 'minmax': random, uct, alphazero$"),
        ("minimax:", "3x3", "an option is missing"),
        ("uct:iterations=x", "3x3", "must be a whole number"),
        ("uct:iterations=1000000", "3x3", "iterations=1000000 would take too long: at most"),
        ("safety+uct:iterations=1000000", "3x3", "would take too long"),
        ("safety+safety+uct:iterations=1000000", "3x3", "would take too long"),
        ("lookahead:depth=9", "4x4", "depth=9 would take too long: at most 4"),
        ("spectral:rollouts=21", "4x4", "rollouts=21 would take too long: at most 20"),
        ("spectral:samples=1001", "4x4", "samples=1001 would take too long: at most 1000$"),
        ("pmc:playouts=10001", "3x3", "playouts=10001 would take too long: at most 10000$"),
        ("uct:iterations=50001", "3x3", "iterations=50001 would take too long: at most 50000$"),
        ("alphazero:simulations=10001", "ultimate", "would take too long: at most 10000$"),
        ("alphazero:solver=28", "ultimate", "solver=28 would take too long: at most 27"),
        ("alphazero:shallow=15", "ultimate", "shallow=15 would take too long: at most 14"),
        ("alphazero", "3x3", "can't play 3x3"),
        ("minimax", "ultimate", "can't play ultimate"),
        ("minimax", "3x3x3", "too large"),
        ("safety+" * 1000 + "random", "3x3", "at most 200 characters"),
        ("alphazero:net=/etc/passwd", "ultimate", "option net of alphazero can't be set here"),
        ("safety+alphazero:device=cuda", "ultimate", "option device of alphazero can't be set"),
        ("safety+safety+alphazero:net=/etc/passwd", "ultimate", "option net of alphazero can't be"),
        ("alphazero:net=safety+", "ultimate", "option net of alphazero can't be set here"),
        ("random", "9x9", "unknown board '9x9': 3x3, 4x4, 3x3x3, ultimate"),
    ],
)
def test_a_bad_opponent_is_refused_in_one_line(name: str, board: str, line: str) -> None:
    with pytest.raises(ValueError, match=line) as error:
        person.opponent(name, board)
    assert "\n" not in str(error.value)


def test_networks_that_the_server_offers_are_opponents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    teacher = store.data_dir() / "ultimate_teacher.safetensors"
    (mine := tmp_path / "mine.safetensors").symlink_to(teacher)
    monkeypatch.setenv(person.NETS, "")
    server.offer([])
    assert person.on_offer("ultimate") == person.OPPONENTS["ultimate"]
    server.offer([mine])
    assert person.on_offer("3x3") == person.OPPONENTS["3x3"]
    added = person.on_offer("ultimate").keys() - person.OPPONENTS["ultimate"].keys()
    assert added == {"alphazero:net=mine.safetensors"}
    session = person.start(person.opponent(f"{added.pop()},simulations=20", "ultimate"), -1)
    answered = person.answer(session, rng=0)
    assert person.resume(person.read_link(person.link(answered))).moves == answered.moves
    with pytest.raises(ValueError, match="simulations=1001 would take too long: at most 1000"):
        person.opponent("alphazero:net=mine.safetensors,simulations=1001", "ultimate")
    with pytest.raises(ValueError, match="unknown agent 'net=mine"):
        person.opponent("net=mine.safetensors", "ultimate")
    plain = catalog.agent(f"alphazero:net={teacher},simulations=20", "ultimate")
    assert answered.moves == person.answer(person.start(plain, -1), rng=0).moves
    for hidden in (teacher.name, str(teacher), f"../{tmp_path.name}/mine.safetensors"):
        with pytest.raises(ValueError, match="option net of alphazero can't be set here"):
            person.opponent(f"alphazero:net={hidden}", "ultimate")


def test_an_opponent_by_name() -> None:
    assert person.opponent(" ising:b=1 ", "3x3").name == "ising:b=1"
    assert person.opponent("lookahead:depth=9", "3x3").name == "lookahead:depth=9"


@pytest.mark.parametrize("board", person.BOARDS)
def test_every_opponent_is_introduced_in_a_sentence_with_a_difficulty(board: str) -> None:
    for name, one in person.OPPONENTS[board].items():
        assert one.about.endswith(".")
        assert one.level in ("very easy", "easy", "medium", "hard", "very hard", "cannot be beaten")
        assert person.title(person.opponent(name, board)) == f"the {one.title}"
    unnamed = person.introduced("ising:b=0.1", "3x3")
    assert (unnamed.title, unnamed.level) == ("ising:b=0.1", "")
    assert unnamed.about


PLAYABLE = {
    name: board
    for name, entry in catalog.AGENTS.items()
    for family, board in (("ultimate", "ultimate"), (catalog.BOARDS, "3x3"))
    if entry.builder(family)
}
"""Players that a person can meet, and where: on 3x3 if they play there."""


@pytest.mark.parametrize("name", [*PLAYABLE, "ising:b=1", "safety+spectral"])
def test_an_introduction_names_the_notebook_that_examines_the_player(name: str) -> None:
    board = PLAYABLE.get(name, "3x3")
    told, one = texts.about(person.start(person.opponent(name, board))), of_player(name)
    assert re.findall(r"Notebook (\d+) examines it", told) == ([one.notebook[:2]] if one else [])
    assert not re.search(r"document \d", told)


def test_the_books_players_name_the_notebook_of_their_document() -> None:
    told = {f.name.split("-")[0]: f"{f.title}: {f.about}" for f in players.FAMILIES}
    named = {name: found[1] for name, words in told.items()
             if (found := re.search(r"notebook (\d+)", words))}  # fmt: skip
    assert named == {name: one.notebook[:2] for name in told if (one := of_player(name))}
    assert not re.search(r"document \d", " ".join(told.values()))


def setting(name: str, option: str) -> int:
    """What an opponent's name sets an option to, or its default."""
    base, _, options = name.partition(":")
    return int(catalog.options(base, options)[option])


def test_introductions_tell_the_opponents_settings() -> None:
    learned, longer = person.OPPONENTS["ultimate"], "alphazero:simulations=1000"
    ratio = Fraction(setting(longer, "simulations"), setting("alphazero", "simulations"))
    assert f"with {word(float(ratio))} times the search." in learned[longer].about
    [ahead] = [name for name in person.OPPONENTS["3x3x3"] if name.startswith("lookahead")]
    plies, one = word(setting(ahead, "depth")), person.OPPONENTS["3x3x3"][ahead]
    assert one.title == f"{plies}-move player"
    assert one.about == f"Sees {plies} moves ahead and no farther."


# ---------------------------------------------------------------------------- links


@pytest.mark.parametrize("board", person.BOARDS)
@pytest.mark.parametrize("side", [1, -1])
def test_a_link_leads_to_its_position(board: str, side: int) -> None:
    rng = np.random.default_rng(1)
    session = person.start(person.opponent("safety+random" if board != "ultimate" else "random",
                                           board), side)  # fmt: skip
    for _ in range(6):
        again = person.resume(person.read_link(person.link(session)))
        assert (again.game, again.side, again.moves) == (session.game, side, session.moves)
        assert again.agent.name == session.agent.name
        assert np.array_equal(np.asarray(again.state), np.asarray(session.state))
        session = at_random(session, rng)


def test_an_address_without_a_position_is_a_new_game() -> None:
    assert person.read_link("") == person.read_link("theme=dark") == person.Link(name="ising")


def test_what_a_link_says_twice_counts_as_said_last() -> None:
    found = person.read_link("board=4x4&side=x&moves=1,2&board=3x3&side=o&moves=4")
    assert found == person.Link("3x3", "ising", -1, (4,))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("board=9x9", "unknown board '9x9'"),
        ("side=z", "a side is x or o, not 'z'"),
        ("moves=4,five", "'five' is no cell"),
        ("moves=4,,5", "'' is no cell"),
        ("moves=4,4", "move 2, cell 4, is not legal there"),
        ("moves=99", "move 1, cell 99, is not legal there"),
        ("opponent=minmax", "unknown agent 'minmax'"),
        ("opponent=uct:iterations=99999999", "would take too long"),
        ("board=ultimate&moves=40,0", "move 2, cell 0, is not legal there"),
        ("moves=" + "4," * 3000, "a link has at most 2000 characters"),
    ],
)
def test_a_bad_link_is_one_line(text: str, line: str) -> None:
    with pytest.raises(ValueError, match=line) as error:
        person.resume(person.read_link(text))
    assert "\n" not in str(error.value)


# ---------------------------------------------------------------------------- opinions


def test_scores_are_drawn_and_the_choice_marked() -> None:
    marks = insight.opinion(minimax(GRID, "first"), at("xx.oo....").state)
    assert marks.about == "scores"
    assert marks.labels[2] == "1"
    assert marks.labels[0] == ""
    assert marks.labels[8] == "\N{MINUS SIGN}1"
    assert marks.picks == {2}
    assert (marks.shades[2], marks.shades[8]) == (insight.SHADES, 0)


def test_exact_marks_shade_a_draw_between_win_and_loss() -> None:
    found = insight.exact(GRID, at("xx.oo....").state)
    assert found is not None
    marks, middle = insight.exact_marks(found, GRID.cells), insight.SHADES // 2
    shades = {(found.moves[move], marks.shades[move]) for move in found.moves}
    assert shades == {(1, insight.SHADES), (0, middle), (-1, 0)}


@pytest.mark.parametrize(
    ("win", "draw", "told"),
    [("1", "0", "win"), ("0", "1", "draw"), ("0", "0", "loss"), ("0", "1/2", "0%"),
     ("1/2", "0", "50%"), ("1/300", "0", "<1%"), ("299/300", "0", ">99%"), ("99/100", "0", "99%")],
)  # fmt: skip
def test_what_is_not_certain_is_not_rounded_to_certainty(win: str, draw: str, told: str) -> None:
    chances = Fraction(win), Fraction(draw)
    assert insight._chance(Outcome(*chances, 1 - sum(chances))) == told


def test_an_agent_without_scores_shows_its_chances_and_else_its_choice() -> None:
    chances = insight.opinion(random_agent(GRID), at("xx.oo....").state)
    assert chances.about == "chances"
    assert chances.labels == ("", "", "20%", "", "", "20%", "20%", "20%", "20%")
    assert set(chances.shades) == {0}, "all alike: none is darker"
    silent = replace(random_agent(GRID), weights=None)
    silent = replace(silent, policy=lambda states, rng: np.eye(9)[[5]])
    choice = insight.opinion(silent, at(".........").state)
    assert (choice.about, choice.labels[5], choice.picks) == ("choice", "here", {5})
    session = person.answer(person.play(person.start(silent), 0))
    assert insight.look(session, "thought", np.random.default_rng(0)).marks is None


def test_the_safety_rule_chooses_what_the_scores_may_not_like() -> None:
    worst_first = from_scores(
        "last", GRID, lambda boards: np.where(GRID.legal(boards), 0.5, -np.inf)
    )
    marks = insight.opinion(safety(worst_first), at("xx.oo....").state)
    assert marks.picks == {2}
    assert marks.labels[5] == "0.50"


@pytest.mark.parametrize(
    ("scores", "labels", "shades"),
    [
        ([0.25, -3.0, np.nan], ("0.25", "−3.00", ""), (5, 0, 0)),
        ([25.5, 3.0, 0.0], ("25.5", "3.0", "0.0"), (5, 1, 0)),
        ([1e12 + 7, 3.0, -1e12], ("sure", "3", "no"), (5, 0, 0)),
        ([-0.0, 0.0, 0.0], ("0", "0", "0"), (0, 0, 0)),
        ([1e12, np.nan, np.nan], ("sure", "", ""), (5, 0, 0)),
    ],
)
def test_numbers_on_cells_are_short(
    scores: list[float], labels: tuple[str, ...], shades: tuple[int, ...]
) -> None:
    assert insight._numbers(np.array(scores)) == labels
    assert insight._shades(np.array(scores)) == shades


def test_labels_that_stand_for_a_proof_are_explained_where_they_stand() -> None:
    """The learned search has proven nothing in the opening."""
    game = game_of("ultimate")
    learned = replace(game, agent=person.opponent("alphazero", "ultimate"))
    opening = insight.look(learned, "advice", np.random.default_rng(0))
    assert opening.marks is not None
    assert not {*opening.marks.labels} & {*texts.PROOFS}
    assert "proven" not in texts.truth(learned, opening)
    for labels, told in (
        (("sure", "3"), ["sure"]), (("7", "no"), ["no"]), (("sure", "no"), ["sure", "no"]),
    ):  # fmt: skip
        shown = texts.truth(learned, insight.View(insight.Marks("scores", labels, (0, 0))))
        assert re.findall("<b>(sure|no)</b>", shown) == told


def test_zeros_do_not_crowd_a_large_board() -> None:
    visits = np.where(np.arange(81) % 9 == 4, np.arange(81.0), 0.0)
    game = Ultimate()
    agent = from_scores("fake", GRID, lambda states: np.tile(visits, (len(states), 1)))
    marks = insight.opinion(replace(agent, game=game), game.initial())
    assert {cell for cell, label in enumerate(marks.labels) if label} == set(range(4, 81, 9))
    assert marks.picks == {76}


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([-0.004, 0.5, 1], ("0.00", "0.50", "1.00")),
        ([-0.04, 20.5, -1], ("0.0", "20.5", "\N{MINUS SIGN}1.0")),
        ([-0.0, np.nan, -2], ("0", "", "\N{MINUS SIGN}2")),
    ],
)
def test_no_zero_has_a_sign(values: list[float], labels: tuple[str, ...]) -> None:
    assert insight._numbers(np.array(values)) == labels


@pytest.mark.parametrize(("stones", "shown"), [(5, 1), (6, 30)])
def test_thirty_moves_are_no_crowd(stones: int, shown: int) -> None:
    """On a board of 36 cells all moves but the last have score 0."""
    grid, last = Grid(6), np.arange(36) == 35
    state = grid.initial()
    for cell in range(stones):
        state = grid.play(state, np.array([cell]))
    agent = from_scores(
        "fake", grid, lambda states: np.where(grid.legal(states), 1.0 * last, -np.inf)
    )
    labels = insight.opinion(agent, state).labels
    assert sum(label != "" for label in labels) == shown


def test_in_a_crowd_only_zeros_stay_blank() -> None:
    grid, cells = Grid(6), np.arange(36)
    agent = from_scores(
        "fake", grid, lambda states: np.where(grid.legal(states), cells % 3 - 1.0, -np.inf)
    )
    labels = insight.opinion(agent, grid.initial()).labels
    assert labels == ("\N{MINUS SIGN}1", "", "1") * 12


# ---------------------------------------------------------------------------- exact truth


def test_a_tree_from_a_state_on_agrees_with_the_whole_tree(tree: GameTree) -> None:
    for row in range(0, len(tree), 97):
        part = enumerate_states(GRID, start=tree.boards[row : row + 1])
        whole = tree.index(part.boards)
        assert part.value.tolist() == tree.value[whole].tolist()
        assert part.distance.tolist() == tree.distance[whole].tolist()
        assert (part.children >= 0).tolist() == (tree.children[whole] >= 0).tolist()


def test_a_tree_from_a_state_on_counts_empty_cells_only() -> None:
    with pytest.raises(ValueError, match="too large"):
        enumerate_states(Grid(4), start=parse("xoxoxo..........", Grid(4))[None])
    assert len(enumerate_states(Grid(4), start=parse("xoxoxoxooxoxoxox", Grid(4))[None])) == 1


def test_exact_results_agree_with_the_tree(tree: GameTree) -> None:
    for row in np.flatnonzero(~tree.finished)[::61]:
        found = insight.exact(GRID, tree.boards[row : row + 1])
        assert found is not None
        side = 1 - 2 * (int(tree.ply[row]) % 2)
        assert found.result == side * tree.value[row]
        assert found.distance == tree.distance[row]
        children = tree.children[row]
        assert found.moves == {
            int(m): int(side * tree.value[children[m]]) for m in np.flatnonzero(children >= 0)
        }
        assert found.moves[found.best] == found.result
        assert tree.distance[children[found.best]] == tree.distance[row] - 1


def test_a_finished_game_has_no_exact_results() -> None:
    session = at("xxxoo....")
    assert insight.exact(GRID, session.state) is None
    assert insight.against(session) is None


@pytest.mark.parametrize("side", [1, -1])
def test_chances_from_the_start_are_those_of_the_match(side: int, tree: GameTree) -> None:
    """The tree from the empty board is the whole game, so the fractions must be the arena's."""
    for agent in (random_agent(GRID), lookahead(GRID, 1), minimax(GRID)):
        found = insight.against(person.start(agent, side))
        assert found is not None
        table = policy_table(agent, tree)
        assert found.outcome(0) == response_outcome(tree, table, side)
        chance = tree.legal.astype(np.int64)
        pair = (chance, table) if side == 1 else (table, chance)
        outcome = exact_values(tree, *pair)[0]
        assert found.random == (outcome if side == 1 else outcome.reversed())


def test_chances_in_an_endgame_of_4x4_by_hand() -> None:
    """X wins on cell 5; after 12 O takes 5, and it is a draw."""
    grid, half = Grid(4), Fraction(1, 2)
    session = at("oxoox.xxooxx.xoo", 1, random_agent(grid), grid)
    known = insight.against(session)
    assert known is not None
    assert known.outcome(0) == Outcome(Fraction(1), Fraction(0), Fraction(0))
    assert known.random == Outcome(half, half, Fraction(0))
    found = insight.exact(grid, session.state)
    assert found == Exact(1, 1, {5: 1, 12: 0}, 5)
    assert found.sentence == "a win at once"


@pytest.mark.parametrize(
    ("result", "distance", "sentence"),
    [(1, 3, "a win in 3 plies"), (-1, 4, "a loss in 4 plies"), (0, 3, "a draw")],
)
def test_only_a_win_or_a_loss_is_told_in_plies(result: int, distance: int, sentence: str) -> None:
    assert Exact(result, distance, {}, 0).sentence == sentence


def test_large_boards_wait_until_few_cells_are_empty() -> None:
    session = game_of("4x4")
    rng = np.random.default_rng(1)
    known = []
    while not session.finished:
        empty = 16 - np.count_nonzero(session.state)
        known.append((empty <= 9, insight.exact(session.game, session.state) is not None))
        session = at_random(session, rng)
    assert all(expected == found for expected, found in known)
    assert len(set(known)) == 2


def test_exact_results_of_ultimate_endgames_agree_with_brute_force() -> None:
    game = Ultimate()
    for state in endgames(game, 12, 7):
        found = insight.exact(game, state[None])
        assert found is not None
        assert (found.result, found.distance) == brute_force(state, game)
        for move, result in found.moves.items():
            after = game.play(state[None], np.array([move]))[0]
            assert result == -brute_force(after, game)[0]
        assert found.moves[found.best] == found.result
        assert sorted(found.moves) == np.flatnonzero(game.legal(state[None])[0]).tolist()


def test_a_solver_that_runs_out_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oracle, "NODES", 1)
    oracle._solver.cache_clear()
    game = Ultimate()
    assert insight.exact(game, game.initial()) is None
    assert insight.exact(game, endgames(game, 1, 12)) is None
    oracle._solver.cache_clear()


def test_a_move_that_ends_the_game_costs_the_solver_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The budget is what is searched, and no node more."""
    game, tried = Ultimate(), 0
    for state in endgames(game, 40, 9):
        moves = np.flatnonzero(game.legal(state[None])[0])
        after = game.play(np.repeat(state[None], len(moves), axis=0), moves)
        ends = game.finished(after)
        solver = DTWSolver()
        solver.calculate_dtw(state)
        needed = solver.searched
        for child, end in zip(after, ends, strict=True):
            solver.calculate_result(child)
            needed += 0 if end else solver.searched
        monkeypatch.setattr(oracle, "NODES", needed)
        oracle._solver.cache_clear()
        assert insight.exact(game, state[None]) is not None
        tried += bool(ends[:-1].any())
    oracle._solver.cache_clear()
    assert tried


def test_exact_results_on_the_cells() -> None:
    session = at("xx.oo....")
    truth = insight.exact(GRID, session.state)
    assert truth is not None
    marks = insight.exact_marks(truth, 9)
    assert marks.labels == ("", "", "win", "", "", "draw", "loss", "loss", "loss")
    assert marks.picks == {2}
    win, draw, loss = (marks.shades[cell] for cell in (2, 5, 6))
    assert win > draw > loss == 0
    assert marks.shades == (0, 0, win, 0, 0, draw, loss, loss, loss)


# ---------------------------------------------------------------------------- hints


def test_a_hint_is_perfect_where_the_truth_is_known() -> None:
    found = insight.hint(at("xx.oo...."))
    assert found.move == 2
    assert found.reason == "cell 2: against the random player you win with probability 1, draw 0"
    silent = replace(random_agent(GRID), weights=None)
    plain = insight.hint(at("xx.oo....", 1, silent))
    assert plain.reason == "cell 2: a win at once under perfect play"


def test_a_hint_tells_the_chances_of_winning_and_of_a_draw() -> None:
    """A position that can also be lost, so that a draw is not all that is no win."""
    session = at("..x..xo.o")
    known = insight.against(session)
    assert known is not None
    assert known.after(7) == Outcome(Fraction(1, 2), Fraction(3, 8), Fraction(1, 8))
    said = "cell 7: against the random player you win with probability 1/2, draw 3/8"
    assert insight.hint(session) == insight.Hint(7, said)


def test_a_hint_exploits_the_opponent_and_the_cells_say_where_the_trap_is() -> None:
    """Both sides at their best draw; who knows this player wins every game."""
    session = person.start(person.opponent("ising:b=0.1", "3x3"), 1)
    truth = insight.exact(GRID, session.state)
    assert truth is not None
    assert truth.result == 0
    marks = insight.look(session, "trap", np.random.default_rng(0)).marks
    assert marks is not None
    assert "win" in marks.labels
    for seed in range(5):
        game, rng = session, np.random.default_rng(seed)
        while not game.finished:
            if game.yours:
                known = insight.against(game)
                assert known is not None
                assert insight.trap_marks(game, known).labels[insight.hint(game).move] == "win"
                game = person.play(game, insight.hint(game).move)
            else:
                game = person.answer(game, rng=rng)
        assert game.result == 1
        assert {made.cost for made in insight.review(game)} == {0}


def test_shades_follow_points_and_not_wins() -> None:
    """A person who knows a careful beginner; a move may win more often and yet bring less."""
    agent, rng, ranks = catalog.agent("safety+random"), np.random.default_rng(0), 0
    for _ in range(40):
        game = person.start(agent, 1)
        while not game.finished:
            known = insight.against(game)
            if game.yours and known is not None:
                marks = insight.trap_marks(game, known)
                found = {int(move): known.after(int(move)) for move in game.legal}
                points, wins = np.full((2, 9), np.nan)
                for move, one in found.items():
                    points[move], wins[move] = float(one.expected), float(one.win)
                assert marks.shades == insight._shades(points)
                ranks += insight._shades(wins) != insight._shades(points)
                game = person.play(game, int(rng.choice(game.legal)))
            else:
                game = person.answer(game, rng=rng)
    assert ranks > 0


ORDER = ("very easy", "easy", "medium", "hard", "very hard", "cannot be beaten")


@cache
def tables_on_offer() -> dict[str, Ints]:
    """On 3x3, of each opponent that states its weights."""
    agents = {name: catalog.agent(name) for name in person.OPPONENTS["3x3"]}
    tree = enumerate_states(GRID)
    return {name: policy_table(agent, tree) for name, agent in agents.items() if agent.weights}


def points(its: Ints) -> Fraction:
    """The mean result against random play over both sides, exactly."""
    tree = enumerate_states(GRID)
    dull = policy_table(random_agent(GRID), tree)
    return sum((outcome_as(tree, side, its, dull).expected for side in (1, -1)), Fraction(0)) / 2


def unbeaten(its: Ints) -> bool:
    """Whether nobody wins from the empty board."""
    return all(worst_result(enumerate_states(GRID), its, side) >= 0 for side in (1, -1))


@cache
def scores_by_level() -> dict[str, list[Fraction]]:
    """Of the opponents that somebody beats, from easy to hard."""
    levels = {name: person.OPPONENTS["3x3"][name].level for name in tables_on_offer()}
    return {
        level: [points(tables_on_offer()[name]) for name in levels if levels[name] == level]
        for level in ORDER[:-1]
        if level in levels.values()
    }


def test_levels_are_by_the_score_against_random_play() -> None:
    """First whether anyone wins from the empty board, then the exact score; on 3x3."""
    known = person.OPPONENTS["3x3"]
    for name, its in tables_on_offer().items():
        assert (known[name].level == ORDER[-1]) == unbeaten(its)
    assert all(max(low) < min(high) for low, high in pairwise(scores_by_level().values()))
    assert [name for name in known if name not in tables_on_offer()] == ["uct"]
    assert known["uct"].level == "hard"
    beaten = match(catalog.agent("uct"), catalog.agent("safety+random"), 60, rng=0)
    assert beaten.win > 2 * beaten.loss


def test_levels_in_the_book_are_those_on_offer() -> None:
    """Of the setting that a player begins with."""
    places = {ORDER.index(level): scores for level, scores in scores_by_level().items()}
    for family in players.FAMILIES:
        if family.level not in ORDER:  # as the visitor sets it
            continue
        its = players.tables(family.name)[family.start][1]
        assert (family.level == ORDER[-1]) == unbeaten(its)
        if family.level != ORDER[-1]:
            mine, found = ORDER.index(family.level), points(its)
            assert all(max(scores) < found for place, scores in places.items() if place < mine)
            assert all(found < min(scores) for place, scores in places.items() if place > mine)
    named = {one.name: one.level for one in players.FAMILIES}
    alike = {"safety": "safety+random", "minimax": "minimax:ties=quick"}
    for name in ("ising", "mlp", "spectral", "safety", "minimax", "random"):
        assert named[name] == person.OPPONENTS["3x3"][alike.get(name, name)].level


def test_the_table_player_of_the_book_becomes_unbeatable_with_training() -> None:
    [family] = (one for one in players.FAMILIES if one.name == "ntuple")
    settings = [its for _, its in players.tables("ntuple")]
    held = [unbeaten(its) for its in settings]
    assert family.level == "hard to unbeatable"
    assert held == sorted(held)
    assert not held[0]
    assert held[family.start]
    assert person.OPPONENTS["3x3"]["ntuple"].level == ORDER[-1]
    assert min(map(points, settings)) > max(scores_by_level()["medium"])


def levels(board: str, *groups: tuple[str, ...]) -> None:
    """Hold that each group of players has one level, harder than the group's before."""
    known = {name: one.level for name, one in person.OPPONENTS[board].items()}
    assert sorted(known) == sorted(name for group in groups for name in group)
    ranks = [{ORDER.index(known[name]) for name in group} for group in groups]
    assert all(len(rank) == 1 for rank in ranks)
    assert all(max(lower) < min(higher) for lower, higher in pairwise(ranks))


def test_levels_on_4x4_are_by_what_is_stored() -> None:
    """First whether anyone wins from the empty board, then the score against random play.

    Held is the order; UCT of 1,000 iterations stands for that of 2,000.
    """
    levels("4x4", ("random",), ("safety+random",), ("potential",), ("uct:iterations=2000",),
           ("ising", "ntuple"))  # fmt: skip
    scores = results.both_sides("4x4")["random"].drop("random")
    order = ["safety+random", "potential", "uct:iterations=1000"]
    assert all(0 < lower < higher for lower, higher in pairwise(scores[order]))
    rows = store.read_table("arena_4x4_soundness.csv").set_index("player")[["worst_x", "worst_o"]]
    for name, one in person.OPPONENTS["4x4"].items():
        if not name.startswith("uct"):  # not known of a sampled player
            assert (one.level == ORDER[-1]) == bool((rows.loc[name] >= 0).all())


def test_levels_on_3x3x3_are_by_games_against_each_other() -> None:
    """Held is the order; UCT of 1,000 iterations stands for that of 2,000."""
    levels("3x3x3", ("random",), ("safety+random",), ("lookahead:depth=3",),
           ("ising", "uct:iterations=2000"))  # fmt: skip
    steps = [("random", "safety+random", 20), ("safety+random", "lookahead:depth=3", 60),
             ("lookahead:depth=3", "uct:iterations=1000", 60),
             ("lookahead:depth=3", "ising", 20)]  # fmt: skip
    for lower, higher, games in steps:
        pair = (catalog.agent(name, "3x3x3") for name in (higher, lower))
        assert match(*pair, games, rng=0).score_interval.low > 0.5, (higher, lower)


def test_levels_of_ultimate_are_by_the_rating() -> None:
    """Held is the order; rated players near by stand for those on offer."""
    levels("ultimate", ("random",), ("uct:iterations=2000",), ("alphazero",),
           ("alphazero:simulations=1000",))  # fmt: skip
    elo = rating.read().found
    assert elo["random"] < elo["UCT 3,000"] < elo["net, 100"] < elo["net, 800"]


def test_the_review_finds_the_move_that_lost() -> None:
    game = person.start(minimax(GRID, "quick"), -1)
    rng = np.random.default_rng(0)
    while not game.finished:
        if game.yours:
            worst = min(game.legal, key=lambda move: insight.against(game).after(move).expected)  # type: ignore[union-attr]
            game = person.play(game, worst)
        else:
            game = person.answer(game, rng=rng)
    made = insight.review(game)
    assert game.result == -1
    assert sum(one.cost for one in made) == 1
    shown = texts.truth(game, insight.look(game, "trap", rng))
    assert shown.count("the turning point") == 1


def test_of_moves_that_cost_alike_the_game_turned_at_the_first() -> None:
    chances = [Outcome(Fraction(won, 4), Fraction(0), Fraction(4 - won, 4)) for won in (3, 2, 1)]
    made = [insight.Made(ply, ply, *chances[ply // 2 : ply // 2 + 2]) for ply in (0, 2)]
    assert made[0].cost == made[1].cost > 0
    first, second = texts.review(made).split("</tr>")[1:3]
    assert "(the turning point)" in first
    assert "(the turning point)" not in second


def test_a_chance_is_that_to_win_unless_a_result_is_certain() -> None:
    quarter, half = Fraction(1, 4), Fraction(1, 2)
    assert insight._chance(Outcome(quarter, half, quarter)) == "25%"
    certain = [
        insight._chance(Outcome(*map(Fraction, row))) for row in np.eye(3, dtype=int).tolist()
    ]
    assert certain == list(insight.WORDS.values())


def test_how_sure_it_was_is_its_weight_among_all() -> None:
    game = person.answer(person.play(person.start(random_agent(GRID)), 4), rng=0)
    chosen, legal = game.moves[-1], [0, 1, 2, 3, 5, 6, 7, 8]
    uneven = replace(game.agent, weights=lambda boards: (boards == 0) * np.arange(1, 10))
    found = insight.how_sure(replace(game, agent=uneven))
    assert found == Fraction(chosen + 1, sum(cell + 1 for cell in legal))
    never = replace(game.agent, weights=lambda boards: (boards == 0) * (np.arange(9) != chosen))
    assert insight.how_sure(replace(game, agent=never)) is None, "a link told the move"


def test_it_says_how_sure_it_was_and_tree_search_shows_its_visits() -> None:
    game = person.answer(person.play(person.start(random_agent(GRID)), 4), rng=0)
    view = insight.look(game, "trap", np.random.default_rng(0))
    assert view.sure == Fraction(1, 8)
    assert "with probability 1/8" in texts.describe(game, view)
    uct, rng = person.opponent("uct", "4x4"), np.random.default_rng(0)
    found = insight.opinion(uct, Grid(4).initial(), rng=rng)
    visits = list(map(int, found.labels))
    assert found.about == "visits"
    assert sum(visits) == 150
    assert found.picks == {visits.index(max(visits))}  # what is picked and shown is one search


@pytest.mark.parametrize("board", ["3x3", "4x4", "3x3x3"])
def test_what_a_tree_search_thought_is_the_search_that_chose(board: str) -> None:
    game = person.play(person.start(person.opponent("uct:iterations=300", board)), 0)
    game, rng = person.answer(game, rng=7), np.random.default_rng(1)
    found = insight.look(game, "thought", rng).marks
    assert found is not None
    assert found == insight.look(game, "thought", rng).marks, "looked at again, not searched anew"
    assert sum(int(label) for label in found.labels if label) == 300
    assert found.picks == {game.moves[-1]}
    told = person.resume(person.read_link(person.link(game)))
    assert insight.look(told, "thought", rng).marks is None, "a link knows no search"


def test_after_an_undo_the_search_that_is_shown_is_still_the_one_that_chose() -> None:
    start, rng = person.start(person.opponent("uct:iterations=40", "3x3")), np.random.default_rng(1)
    game = person.answer(person.play(start, 0), rng=rng)
    for cell in range(1, GRID.cells):
        game = person.answer(person.play(person.undo(game), cell), rng=rng)
        found = insight.thought(game)
        assert found is not None
        assert found.picks == {game.moves[-1]}


def test_where_no_exact_chance_is_known_the_cells_show_the_opponents_view() -> None:
    game, rng = person.start(person.opponent("uct:iterations=300", "4x4")), np.random.default_rng(0)
    found = insight.look(game, "trap", rng).marks
    assert found is not None
    assert "in your place" in found.about
    assert sum(map(int, found.labels)) == 300
    assert insight.look(game, "nothing", rng).marks is None


def test_what_moves_by_chance_has_no_view_to_stand_in_for_exact_chances() -> None:
    """Equal shares of every open cell are no advice, so the cells stay plain."""
    assert looked(game_of("ultimate"), "trap").marks is None


def test_what_can_be_expected_is_found_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, right = [], insight.against
    monkeypatch.setattr(insight, "against", lambda one: asked.append(one) or right(one))
    view = insight.look(at("xx.oo...."), "trap", np.random.default_rng(0))
    assert len(asked) == 1
    assert view.marks is not None
    assert view.against is not None


def test_a_hint_elsewhere_comes_from_a_search() -> None:
    grid = Grid(4)
    session = at("xxx.ooo.........", 1, random_agent(grid), grid)
    said = "cell 3 is what a tree search of 3000 playouts prefers"
    assert insight.hint(session, rng=0) == insight.Hint(3, said)


def test_where_no_search_plays_the_hint_is_the_opponents_own_move(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(catalog.GAMES, "nim", catalog.Family("toy_game:parse"))
    session = person.start(toy_game.perfect(toy_game.Nim(6)))
    assert insight.hint(session) == insight.Hint(1, "cell 1 is what perfect itself would play")


def test_no_hint_without_a_turn() -> None:
    for session in (at("x........"), at("xxxoo....")):
        with pytest.raises(ValueError, match="no move for you"):
            insight.hint(session)


# ---------------------------------------------------------------------------- what is said


def test_the_truth_as_a_table() -> None:
    session = at(".........", 1, random_agent(GRID))
    shown = texts.truth(session, insight.look(session, "nothing", np.random.default_rng(0)))
    for part in ("<td>737/1260<small>0.585</small></td>", "both play perfectly", "You have a draw"):
        assert part in shown


def rows_of(table: str) -> list[dict[str, str]]:
    """The rows of an HTML table: each cell by its head."""
    heads = re.findall(r'<th scope="col">(.*?)</th>', table)
    rows = re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', table)
    cells = ((name, *re.findall("<td>(.*?)</td>", row)) for name, row in rows)
    return [dict(zip(heads, row, strict=True)) for row in cells]


@pytest.mark.parametrize("side", [1, -1])
def test_heads_cells_and_bars_of_the_truth_agree(side: int) -> None:
    session = at("x...o....", side)
    view = looked(session)
    assert view.against is not None
    rows = rows_of(texts.truth(session, view))
    who = person.title(session.agent)
    for name, outcome in (
        ("both play perfectly", Outcome(Fraction(0), Fraction(1), Fraction(0))),
        (f"you at your best against {who}", view.against.outcome(0)),
        (f"you moving at random against {who}", view.against.random),
    ):
        [row] = [row for row in rows if row[""].partition("<")[0] == name]
        bars = dict(re.findall(r'<span class="(\w+)" style="width:([\d.]+)%">', row[""]))
        for kind, share in outcome._asdict().items():
            cell = row[kind]
            assert cell.partition("<")[0] == str(share)
            assert [float(one) for one in re.findall("<small>(.*?)<", cell)] == (
                [] if share.denominator == 1 else [pytest.approx(float(share), abs=5e-4)]
            )
            assert float(bars[kind]) == pytest.approx(100 * float(share), abs=1e-3)
    assert len({*view.against.random}) == 3


@pytest.mark.parametrize(("name", "silent"), [("ising", False), ("uct:iterations=50", True)])
def test_only_a_player_that_cannot_state_its_chances_is_called_so(name: str, silent: bool) -> None:
    session = at("x...o....", agent=person.opponent(name, "3x3"))
    shown = texts.truth(session, looked(session))
    assert "under perfect play" in shown
    assert ("can't state its chances" in shown) == silent


def test_names_are_escaped() -> None:
    nasty = replace(random_agent(GRID), name="<script>")
    session = at(".........", 1, nasty)
    view = insight.look(session, "exact", np.random.default_rng(0))
    assert "<script>" not in texts.truth(session, view)


def test_an_unknown_truth_says_when_it_comes() -> None:
    for board, words in (("4x4", "at most 9 cells"), ("ultimate", "about 18 open cells")):
        session = game_of(board)
        view = insight.look(session, "thought", np.random.default_rng(0))
        assert words in texts.truth(session, view)


def test_no_truth_is_promised_for_a_game_that_nothing_solves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(catalog.GAMES, "nim", catalog.Family("toy_game:parse"))
    session = person.start(toy_game.perfect(toy_game.Nim(5)))
    words = "<p><b>Exact results</b> are not known for this game.</p>"
    assert texts.truth(session, looked(session)) == words


def test_every_cell_has_a_name() -> None:
    names = texts.cell_names(at("x...o...."))
    assert names[:2] == ["cell 0: X", "cell 1: empty"]
    labels = ["", "-1.5", *[""] * 7]
    assert texts.cell_names(at("x...o...."), labels)[1] == "cell 1, -1.5: empty"
    assert texts.cell_names(game_of("ultimate"))[40] == "cell 40, sub-board 4: empty"
    assert texts.cell_names(game_of("3x3x3"))[26] == "cell 26, layer 2: empty"


def test_whose_turn_it_is() -> None:
    assert texts.turn(at(".........")) == "Your move: you are X."
    session = game_of("ultimate")
    assert texts.turn(session) == "Your move, in any open sub-board: you are X."
    after = replace(person.play(session, 40), side=-1)
    assert texts.turn(after) == "Your move, in sub-board 4: you are O."
    assert [c for c in texts.block_classes(after) if c] == [["ttt-target"]]


def test_what_breaks_is_one_line() -> None:
    assert texts.failure(ValueError("two\nlines")) == "two lines"
    assert texts.failure(MemoryError()) == "this failed: MemoryError"


def test_before_the_visitors_come_every_opponent_has_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    moved = []
    monkeypatch.setattr(
        person, "OPPONENTS", {"3x3": {"random": person.RANDOM}, "4x4": {"potential": person.ISING}}
    )
    monkeypatch.setattr(person, "BOARDS", ("3x3", "4x4"))
    monkeypatch.setattr(server.os, "nice", lambda _: 0)
    monkeypatch.setattr(insight, "look", lambda session, *_: moved.append(session))
    server.warm()
    assert [one.agent.name for one in moved] == ["random", "potential"]
    assert [len(one.moves) for one in moved] == [1, 1]


# ---------------------------------------------------------------------------- words that follow


WON, DRAWN = at("xxxoo...."), at("xoxxoooxx")


def looked(session: Session, wish: str = "nothing") -> insight.View:
    return insight.look(session, wish, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("board", "side", "says", "chances"),
    [
        ("xx.oo....", 1, "You have a win at once", "100"),
        ("xx.oo....", -1, "It has a win at once", "001"),
        ("xx.oo.x..", -1, "You have a win at once", "100"),
        ("xx.oo.x..", 1, "It has a win at once", "001"),
    ],
)
def test_the_truth_is_told_from_your_side_whoever_is_to_move(
    board: str, side: int, says: str, chances: str
) -> None:
    session = at(board, side)
    shown = texts.truth(session, looked(session))
    assert says in shown
    row = shown.partition("both play perfectly")[2].partition("</tr>")[0]
    assert "".join(f"<td>{share}</td>" for share in chances) in row


def test_the_best_play_stands_above_play_by_chance() -> None:
    session = at(".........")
    shown = texts.truth(session, looked(session))
    parts = ("you at your best", "<td>191/192", "you moving at random", "<td>737/1260")
    places = [shown.index(part) for part in parts]
    assert places == sorted(places)


def test_a_row_of_the_review_tells_before_and_after_and_where_it_turned() -> None:
    high, mid, low = (Outcome(Fraction(w, 4), Fraction(4 - w, 4), Fraction(0)) for w in (4, 3, 1))
    made = [insight.Made(*row) for row in ((0, 4, high, mid), (2, 7, mid, low), (4, 1, low, low))]
    rows = [{**row, "your move": re.sub("<.*?>", "", row["your move"])}
            for row in rows_of(texts.review(made))]  # fmt: skip
    heads = ("your move", "win before", "after", "cost")
    assert rows == [
        dict(zip(heads, row, strict=True))
        for row in (
            ("1: cell 4", "1", "3/4", "1/4"),
            ("3: cell 7", "3/4", "1/4", "1/2 (the turning point)"),
            ("5: cell 1", "1/4", "1/4", "nothing"),
        )
    ]


def test_a_game_in_which_no_move_cost_anything_never_turned() -> None:
    same = Outcome(Fraction(3, 4), Fraction(1, 4), Fraction(0))
    shown = texts.review([insight.Made(ply, ply, same, same) for ply in (0, 2)])
    assert shown.count("<td>nothing</td>") == 2
    assert "turned" not in shown


def test_results_are_counted_and_named_from_your_side() -> None:
    assert texts.score({1: 3, 0: 2, -1: 1}) == "So far: 3 won, 2 drawn, 1 lost."
    ends = [texts.ending(one) for one in (WON, DRAWN, replace(WON, side=-1))]
    assert ends == ["You win.", "A draw.", "The random player wins."]


def test_a_closed_cell_is_named_so() -> None:
    after = replace(person.play(game_of("ultimate"), 40), side=-1)
    assert texts.cell_names(after)[0] == "cell 0, sub-board 0: not open"
    assert texts.cell_names(after)[30] == "cell 30, sub-board 4: empty"


def test_it_says_always_only_of_what_is_certain() -> None:
    game = person.answer(person.play(person.start(random_agent(GRID)), 4), rng=0)
    for sure, words in (
        (Fraction(1), "as it always does"),
        (Fraction(2, 3), "with probability 2/3"),
    ):
        assert words in texts.describe(game, insight.View(sure=sure))


def test_no_trap_is_shown_while_the_opponent_is_to_move() -> None:
    assert looked(at("x........"), "trap").marks is None
    assert looked(at("........."), "trap").marks is not None


def test_frames_show_owners_full_boards_and_the_line() -> None:
    rng, session = np.random.default_rng(0), game_of("ultimate")
    while not session.result:
        session = at_random(session, rng) if not session.finished else game_of("ultimate")
    seen, frames = person.scene(session), texts.block_classes(session)
    for owner, name in ((1, "ttt-won-x"), (-1, "ttt-won-o")):
        assert [name in frame for frame in frames] == [one == owner for one in seen.owners]
    on_line = [block.cells[0] in seen.line for block in blocks(session.game)]
    assert ["ttt-on-line" in frame for frame in frames] == on_line
    assert sum(on_line) < sum(one != 0 for one in seen.owners)


def test_a_drawn_sub_board_looks_closed_and_belongs_to_nobody() -> None:
    """X O X, X O O, O X X in the centre; no other sub-board has more than a few stones."""
    cells = ["."] * 81
    for place, stone in zip(MOVE_OF[4], "xoxxoooxx", strict=True):
        cells[place] = stone
    cells[MOVE_OF[0][8]] = "o"
    position = notation.parse(f"{''.join(cells)} x 8")
    session = replace(game_of("ultimate"), states=(pack(position)[None],))
    frames = texts.block_classes(session)
    assert frames[4] == ["ttt-full"]
    assert frames[8] == ["ttt-target"]
    assert not any("ttt-full" in frame for place, frame in enumerate(frames) if place != 4)
