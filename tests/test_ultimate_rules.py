"""Rules, notation, kernels and symmetries of Ultimate, held to each other and to known counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from ultimate_positions import RULES, random_game, random_games

from ttt_lib.game.jit import advance
from ttt_lib.game.match import play_games
from ttt_lib.game.policy import random_agent
from ttt_lib.ultimate.board import kernels, notation, rules, symmetry
from ttt_lib.ultimate.board.draw import UltimateBoard
from ttt_lib.ultimate.board.game import Ultimate, leaves, pack, perft, playable, unpack

EMPTY = "." * 81
every_rules = pytest.mark.parametrize("name", RULES)


def grid(**stones: list[int]) -> str:
    """81 characters with stones at moves, e.g. ``grid(x=[0], o=[1])``."""
    cells = [*EMPTY]
    for symbol, moves in stones.items():
        for move in moves:
            cells[move] = symbol
    return "".join(cells)


def counted(position: rules.Position, depth: int) -> int:
    """Number of different sequences of ``depth`` moves, by the readable rules."""
    if depth == 0:
        return 1
    after = (rules.play(position, move) for move in rules.legal_moves(position))
    return sum(counted(one, depth - 1) for one in after)


# ---------------------------------------------------------------------------- known counts


def test_perft_of_the_start() -> None:
    assert perft(rules.start(), 6) == [1, 81, 720, 6336, 55080, 473256, 4020960]


def test_perft_differs_where_the_rules_first_do() -> None:
    """Three stones of X in one sub-board take five plies, so depth 6 is the first to differ."""
    counts = {name: perft(rules.start(name), 6) for name in RULES}
    assert counts["codingame"] == counts["standard"]
    assert counts["keep-playing"][:6] == counts["standard"][:6]
    assert counts["keep-playing"][6] == 4017888


@every_rules
def test_perft_of_the_reference(name: str) -> None:
    assert [counted(rules.start(name), depth) for depth in range(4)] == [1, 81, 720, 6336]
    for state in random_game(Ultimate(name), np.random.default_rng(3))[10::12]:
        position = unpack(state, name)
        assert perft(position, 2) == [counted(position, depth) for depth in range(3)]
        assert (state == pack(position)).all(), "perft restores the state"


@every_rules
def test_negative_depth(name: str) -> None:
    with pytest.raises(ValueError, match="depth can't be negative: -1"):
        perft(rules.start(name), -1)
    with pytest.raises(ValueError, match="depth can't be negative: -1"):
        leaves(rules.start(name), -1)


# ---------------------------------------------------------------------------- kernels


@every_rules
@given(seed=st.integers(0, 10**6))
def test_kernels_follow_the_reference_at_every_ply(name: str, seed: int) -> None:
    game, rng = Ultimate(name), np.random.default_rng(seed)
    position, state = rules.start(name), game.initial()
    while True:
        moves, result = rules.legal_moves(position), rules.result(position)
        assert (state[0] == pack(position)).all()
        assert game.unpack(state[0]) == position
        assert np.flatnonzero(game.legal(state)[0]).tolist() == moves
        assert game.finished(state)[0] == (result is not None) == (not moves)
        assert game.winner(state)[0] == (result or 0)
        assert game.to_move(state)[0] == position.side
        assert playable(state)[0] == rules.playable(position) <= position.cells.count(0)
        if not moves:
            return
        move = int(rng.choice(moves))
        position, state = rules.play(position, move), game.play(state, np.array([move]))


@every_rules
def test_undo_restores_every_word(name: str) -> None:
    game = Ultimate(name)
    for state in random_game(game, np.random.default_rng(8)):
        for move in np.flatnonzero(game.legal(state[None])[0]):
            copy = state.copy()
            place = int(kernels.BOARD[move]), int(kernels.CELL[move])
            before = kernels.do.py_func(copy, *place, game.code)
            assert (copy == game.play(state[None], np.array([move]))[0]).all()
            kernels.undo.py_func(copy, *place, before)
            assert (copy == state).all()


def plain_playout(state: np.ndarray, game: Ultimate, bits: int) -> int:
    """The same random game by the rules alone: a draw from the legal moves, a move, and so on."""
    s = state.copy()
    while s[kernels.RESULT] == 0:
        bits ^= bits >> 12
        bits ^= bits << 25 & (1 << 64) - 1
        bits ^= bits >> 27
        top = (bits * 0x2545F4914F6CDD1D & (1 << 64) - 1) >> 32
        places = [
            (board, cell)
            for board in range(9)
            for cell in range(9)
            if int(kernels.targets.py_func(s)) >> board & 1
            and int(kernels.vacant.py_func(s, board)) >> cell & 1
        ]
        board, cell = places[top * len(places) >> 32]
        s = game.play(s[None], np.array([kernels.MOVE[9 * board + cell]]))[0]
    return int(s[kernels.RESULT])


@every_rules
def test_playouts_are_games_of_random_moves(name: str) -> None:
    """Draw for draw those of the plain rules, from the start, later on, and near the end."""
    game, words = Ultimate(name), np.zeros(kernels.WORDS, np.uint64)
    line = random_game(game, np.random.default_rng(3))
    found = []
    for number, state in enumerate([*line[:40:8], *line[40:]] * 6):
        bits = 77 + 1_000_003 * number
        result, _ = kernels.playout(state.copy(), game.code, np.uint64(bits), words)
        assert result == plain_playout(state, game, bits)
        found.append(result)
    assert set(found) == {1, 2, 3}


@every_rules
def test_playouts_are_those_recorded(name: str) -> None:
    """Two kernels: one keeps lists of empty cells, one uses ``pick`` and ``do``."""
    game = Ultimate(name)
    state, bits = game.initial()[0], np.uint64(77)
    counts = kernels.playouts(state, 3000, game.code, bits)
    sums, ends = kernels.records(state, 3000, game.code, bits)
    assert counts.tolist() == ends.sum(axis=0).tolist()
    assert sums[0, :3].tolist() == [3000, 81 * 3000, 3000]
    assert sums[0, 0] == ends.sum()
    over = game.finished(state[None])
    assert not over[0]


@every_rules
def test_what_is_recorded_of_random_games(name: str) -> None:
    """The sums of thirty games, taken again from their positions by the readable rules."""
    game, bits, wanted = Ultimate(name), np.uint64(77), np.zeros((82, 5), np.int64)
    sums, _ = kernels.records(game.initial()[0], 30, game.code, bits)
    for _ in range(30):
        state, ply = game.initial()[0], 0
        while not state[kernels.RESULT]:
            cells = int(playable(state[None])[0])
            legal = len(rules.legal_moves(unpack(state, name)))
            free = state[kernels.FORCED] == kernels.FREE
            wanted[ply] += [1, legal, free, cells, cells <= 15]
            bits = np.uint64(advance(bits))
            board, cell = kernels.pick(state, bits)
            kernels.do(state, board, cell, game.code)
            ply += 1
    assert sums.tolist() == wanted.tolist()


def test_playouts_agree_with_the_arena_in_distribution() -> None:
    """4,000 games of the arena's random agents against 200,000 compiled ones."""
    player, games = random_agent(Ultimate()), 4000
    winners = play_games(player, player, games, rng=0)
    fast = random_games(200_000, rng=1) / 200_000
    for winner, share in zip((1, -1, 0), fast, strict=True):
        assert binomtest(int((winners == winner).sum()), games, share).pvalue > 1e-3


def test_a_finished_root_keeps_its_result() -> None:
    over = unpack(random_game(Ultimate(), np.random.default_rng(0))[-1])
    while rules.result(over) is None:
        over = rules.play(over, rules.legal_moves(over)[0])
    counts = random_games(10, position=over)
    assert counts.sum() == 10 == counts.max()
    with pytest.raises(ValueError, match="negative: -1"):
        random_games(-1)


# ---------------------------------------------------------------------------- variants


def test_sent_to_a_won_sub_board() -> None:
    """X owns sub-board 0 and sends O there: free under standard, forced under keep-playing."""
    text = grid(x=[0, 1, 2, 27], o=[3, 4, 12]) + " o -"
    standard = notation.parse(text)
    assert len(rules.legal_moves(standard)) == 81 - 9 - 4
    kept = notation.parse(text.replace("-", "0"), "keep-playing")
    assert rules.legal_moves(kept) == [9, 10, 11, 18, 19, 20]
    with pytest.raises(ValueError, match="sub-board 0 is closed under standard"):
        notation.parse(text.replace("-", "0"))
    with pytest.raises(ValueError, match="keep-playing rules: "):
        notation.parse(text, "keep-playing")


def test_majority_decides_only_in_codingame() -> None:
    found = {name: random_games(4000, position=rules.start(name), rng=2) for name in RULES}
    assert found["codingame"][2] < found["standard"][2] / 2
    assert found["codingame"].sum() == found["standard"].sum()


def test_illegal_moves_name_the_legal_ones() -> None:
    position = rules.play(rules.start(), 40)
    with pytest.raises(ValueError, match="illegal move 0: 30 31 32 39 41 48 49 50"):
        rules.play(position, 0)
    with pytest.raises(ValueError, match="illegal move 0: 30 31 32 39 41 48 49 50"):
        Ultimate().play(pack(position)[None], np.array([0]))


@pytest.mark.parametrize(("states", "moves"), [(1, []), (3, [40]), (1, [40, 41, 42])])
def test_every_state_needs_one_move(states: int, moves: list[int]) -> None:
    with pytest.raises(ValueError, match="every state needs one move"):
        Ultimate().play(Ultimate().initial(states), np.array(moves))


@pytest.mark.parametrize("words", [9, 23, 25])
def test_states_of_another_game_are_refused(words: int) -> None:
    states = np.zeros((1, words), np.uint16)
    for ask in (Ultimate().legal, lambda states: Ultimate().play(states, np.array([0]))):
        with pytest.raises(ValueError, match="a state of Ultimate has 24 words"):
            ask(states)


def test_unknown_rules() -> None:
    for make in (Ultimate, rules.start, lambda name: Ultimate.parse(f"ultimate:{name}")):
        with pytest.raises(ValueError, match="unknown rules 'chess': standard, keep-playing"):
            make("chess")


# ---------------------------------------------------------------------------- notation


@every_rules
@given(seed=st.integers(0, 10**6))
def test_notation_round_trip(name: str, seed: int) -> None:
    position = rules.start(name)
    rng = np.random.default_rng(seed)
    while (moves := rules.legal_moves(position)) and rng.random() > 0.02:
        position = rules.play(position, int(rng.choice(moves)))
    text = notation.write(position)
    assert notation.parse(text, name) == position
    assert len(text.split()) in ((3, 4) if name == "keep-playing" else (3,))


WON_TWICE = grid(x=[0, 1, 2, 30, 57], o=[9, 10, 11, 3, 27])


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("", "standard", "needs 3 fields"),
        (f"{EMPTY} x - .........", "standard", "needs 3 fields"),
        (f"{EMPTY} x  -", "standard", "one space apart"),
        (f"{EMPTY}\tx -", "standard", "needs 3 fields"),
        (f"{EMPTY} x -\n", "standard", "unknown forced sub-board"),
        (f"{EMPTY[1:]} x -", "standard", "81 cells, not 80"),
        (f"{EMPTY[1:]}b x -", "standard", "unknown cell 'b': x, o or ."),
        (f"{EMPTY} z -", "standard", "unknown side to move 'z'"),
        (f"{EMPTY} x 9", "standard", "unknown forced sub-board '9'"),
        (f"{EMPTY} x 10", "standard", "unknown forced sub-board '10'"),
        (f"{EMPTY} o -", "standard", "one x more than o, not 0 x and 0 o"),
        (f"{grid(x=[0, 1])} x -", "standard", "as many x as o, not 2 x and 0 o"),
        (f"{EMPTY} x 4", "standard", "the first move is free"),
        (f"{grid(x=[0])} o 3", "standard", "no last move of x forces 3"),
        (f"{grid(x=[0])} o -", "standard", "no last move of x forces -"),
        (f"{EMPTY} x - xo.", "keep-playing", "nine letters"),
        (f"{EMPTY} x - x........", "keep-playing", "says 'x' of sub-board 0, its stones say ."),
        (f"{WON_TWICE} x 0", "standard", "both players have a line in sub-board 0"),
        (f"{WON_TWICE} x 0", "keep-playing", "a fourth field must say who won it"),
        (f"{WON_TWICE} x 0 d........", "keep-playing", "its stones say x or o"),
        (
            f"{grid(x=[0, 1, 2, 9, 18], o=[31, 32, 40, 50, 61])} x -",
            "codingame",
            "no last move of o forces -",
        ),
        (
            f"{grid(x=[0, 1, 2, 18, 19, 20], o=[30, 31, 40, 50, 60, 70])} x -",
            "standard",
            "sub-board 0 holds a stone played after it was won",
        ),
        (
            grid(
                x=[0, 1, 2, 3, 4, 5, 6, 7, 8],
                o=[27, 28, 29, 30, 31, 32, 33, 34, 35],
            )
            + " x -",
            "standard",
            "both players have a line of sub-boards",
        ),
        (
            grid(
                x=[0, 1, 2, 3, 4, 5, 6, 7, 8],
                o=[27, 28, 30, 31, 33, 34, 54, 55, 57],
            )
            + " x -",
            "standard",
            "x is to move but has already won",
        ),
        (f"{EMPTY} x -", "chess", "unknown rules 'chess'"),
    ],
)
def test_impossible_positions(text: str, name: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        notation.parse(text, name)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_first_owner_keeps_a_sub_board() -> None:
    for letter, owner in (("x", 1), ("o", -1)):
        position = notation.parse(f"{WON_TWICE} x 0 {letter}........", "keep-playing")
        assert position.owners[0] == owner
        assert notation.write(position).endswith(f"{letter}........")


def test_letters_are_needed_only_where_several_are_possible() -> None:
    """Sub-board 4 holds both lines, but had X won it first, X would have won the game."""
    stones = "xxxoo.o...ooxoxoxxoxxxooxo.xooox.oxx.x.oooxo..oxxxx.xo.xoxxxo.oo.o.xoxxx.o.xoo.o."
    position = notation.parse(f"{stones} x 7", "keep-playing")
    assert notation.write(position) == f"{stones} x 7 xo.xoo.xx"
    assert notation.parse(notation.write(position), "keep-playing") == position
    with pytest.raises(ValueError, match="x is to move but has already won"):
        notation.parse(f"{stones} x 7 xo.xxo.xx", "keep-playing")


def test_a_finished_game_may_name_where_it_would_go_on() -> None:
    """O's last move completes a line of sub-boards; the forced field is then without meaning."""
    state = next(
        s for seed in range(99) for s in [random_game(Ultimate(), np.random.default_rng(seed))[-1]]
    )
    over = unpack(state)
    while rules.result(over) is None:
        move = rules.legal_moves(over)[0]
        over = rules.play(over, move)
    text = notation.write(over)
    assert text.split()[2] == "-"
    assert notation.parse(f"{text[:-1]}{rules.CELL_OF[move]}") == over


def test_pictures() -> None:
    position = rules.play(rules.start(), 40)
    picture = UltimateBoard.of(position)._repr_svg_()
    assert picture.count('fill-opacity="0.3"') == 1
    assert UltimateBoard.of(rules.start())._repr_svg_().count('fill-opacity="0.3"') == 9
    assert "x" in Ultimate().picture(pack(position))
    assert Ultimate().picture(pack(position)).endswith("o moves in sub-board 4")
    with pytest.raises(ValueError, match="3 given for 81"):
        UltimateBoard.of(position, labels=["1"] * 3)


@pytest.mark.parametrize(
    ("moves", "last"),
    [([], "x moves anywhere"), ([0], "o moves in sub-board 0"), ([8], "o moves in sub-board 2")],
)
def test_the_last_line_of_a_picture_tells_where_to_move(moves: list[int], last: str) -> None:
    position = rules.start()
    for move in moves:
        position = rules.play(position, move)
    assert notation.draw(position).splitlines()[-1] == last


def test_a_diagram_in_text_has_nine_rows_of_stones_moves_and_dots() -> None:
    """Stones, the numbers of moves into open sub-boards, and a dot in place of any other one."""
    shown = set()
    for state in random_game(Ultimate(), np.random.default_rng(0)):
        position = unpack(state)
        *lines, told = notation.draw(position).split("\n")
        assert [number for number, line in enumerate(lines) if "+" in line] == [3, 7]
        rows = [[part.split() for part in line.split("|")] for line in lines if "|" in line]
        assert np.shape(rows) == (9, 3, 3)
        for move, name in enumerate(np.ravel(rows).tolist()):
            in_play = rules.BOARD_OF[move] in rules.open_boards(position)
            empty = str(move) if in_play else "."
            assert name == {1: "x", -1: "o", 0: empty}[position.cells[move]]
            shown.add(name)
        place = "anywhere" if position.forced == rules.FREE else f"in sub-board {position.forced}"
        assert told == f"{'x' if position.side == 1 else 'o'} moves {place}"
    assert shown >= {"x", "o", ".", "0", "80"}


# ---------------------------------------------------------------------------- symmetries


@every_rules
def test_symmetries_commute_with_play(name: str) -> None:
    game = Ultimate(name)
    for state in random_game(game, np.random.default_rng(5)):
        legal = np.flatnonzero(game.legal(state[None])[0])
        after = game.play(state[None], legal[:1])
        for turn in range(8):
            image = symmetry.transform(state[None], turn)
            moves = symmetry.MOVE_IMAGES[turn][legal]
            assert set(np.flatnonzero(game.legal(image)[0])) == set(moves)
            played = game.play(image, moves[:1])
            assert (played == symmetry.transform(after, turn)).all()
            assert (symmetry.transform(image, int(symmetry.INVERSE[turn])) == state).all()
            assert (symmetry.canonical(image) == symmetry.canonical(state[None])).all()


def test_first_moves_fall_into_fifteen_classes() -> None:
    game = Ultimate()
    states = game.play(game.initial(81), np.arange(81))
    assert len(np.unique(symmetry.canonical(states), axis=0)) == 15
