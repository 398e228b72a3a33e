"""The pages of the book on which one plays, in a browser: what they compute is the library's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from built_book import Watched
from scipy.stats import binom

from ttt_lib.evidence import significance, store
from ttt_lib.evidence.answers import Chance
from ttt_lib.game.exact import exact_match, exact_values, policy_table
from ttt_lib.game.gametree import GameTree
from ttt_lib.game.policy import choose, random_agent, safety, winning_cells
from ttt_lib.game.record import record
from ttt_lib.people.book import players, site
from ttt_lib.people.play import session as person
from ttt_lib.spectral.linear_limits import list_agent
from ttt_lib.ultimate.board import rules
from ttt_lib.ultimate.board.game import pack
from ttt_lib.ultimate.learn.checkpoint import load_net
from ttt_lib.ultimate.network import tablenet
from ttt_lib.ultimate.players import stored_tables
from ttt_lib.ultimate.search.puct_table import table_agent

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def table(browser: Any, html: Path) -> Iterator[Watched]:
    """The window in which all games are played, one after the other."""
    context = browser.new_context()
    yield Watched(context, html)
    context.close()


@pytest.fixture
def playing(table: Watched) -> Iterator[Watched]:
    table.forget()
    yield table
    assert table.asked == []
    assert table.errors == []


def test_exact_matches_in_the_page_are_those_of_the_library(
    playing: Watched, tree: GameTree
) -> None:
    page = playing.open("play.html")
    rng, families = np.random.default_rng(5), players.FAMILIES
    pairs = [(("ising", 31), ("random", 0)), (("playouts", 3), ("ntuple", 12))]
    for family in families:  # each as X and as O, its parameter somewhere
        settings = [len(players.tables(f.name)) for f in families]
        mine = (family.name, int(rng.integers(settings[families.index(family)])))
        k = int(rng.integers(len(families)))
        other = (families[k].name, int(rng.integers(settings[k])))
        pairs += [(mine, other), (other, mine)]
    for x, o in pairs:
        tables = [players.tables(name)[k][1] for name, k in (x, o)]
        outcome = exact_values(tree, *tables)[0]
        assert page.evaluate("([x, o]) => TTT.match(x, o)", [x, o]) == list(map(str, outcome))


def holds(label: str, b: float) -> bool:
    low, high = map(float, label.split(" < b < "))
    return low < b < high


def test_the_slider_moves_the_board_and_the_fractions(playing: Watched) -> None:
    parts = ("matches", "board", "setting")
    labels = [label for label, _ in players.tables("ising-program")]
    [k] = [k for k, label in enumerate(labels) if "<" in label and holds(label, 0.8)]
    page = playing.open(f"play.html#p=ising-program&k={k}&s=x&m=")
    # Document 4's 85.77%, from the exact table
    assert "811/945" in page.inner_text('[data-part="matches"]')
    page = playing.open("play.html#p=ising&k=25&s=x&m=")
    page.focus('[data-part="slider"]')
    seen = []
    for _ in range(8):
        seen.append([page.inner_text(f'[data-part="{part}"]') for part in parts])
        page.keyboard.press("ArrowLeft")
    matches, boards, settings = (set(column) for column in zip(*seen, strict=True))
    assert len(settings) == 8
    assert len(matches) > 2
    assert len(boards) > 1  # the trap closes at b = 0.2226


def test_hints_lead_into_the_trap_and_the_review_says_so(playing: Watched) -> None:
    """Perfect play only draws against this player; who knows it wins every game."""
    page = playing.open("play.html#p=ising&k=31&s=x&m=")
    assert "both play perfectly" in page.inner_text('[data-part="chances"]')
    for game in range(3):
        while page.locator('.three [aria-disabled="false"]').count():
            page.keyboard.press("h")
            page.click(".three .hint")
        assert page.inner_text('[data-part="status"]') == "You win."
        assert "nothing" in page.inner_text('[data-part="review"]')
        assert page.inner_text('[data-part="score"]').startswith(f"Score: {game + 1} won")
        if game < 2:
            page.keyboard.press("n")
    page.keyboard.press("ArrowLeft")
    assert page.inner_text('[data-part="status"]').startswith("Move ")
    link = page.url
    again = page.context.new_page()
    again.goto(link)
    assert again.get_attribute(".three", "data-moves") == page.get_attribute(".three", "data-moves")
    again.close()


def test_a_mistake_is_where_the_game_turned(playing: Watched) -> None:
    page = playing.open("play.html#p=minimax&k=0&s=o&m=")
    while page.locator('.three [aria-disabled="false"]').count():
        free = page.locator('.three [aria-disabled="false"]')
        labels = free.locator(".label").all_inner_texts()
        free.nth(labels.index("loss") if "loss" in labels else 0).click()
    assert page.inner_text('[data-part="status"]') == "It wins."
    assert "1 (the turning point)" in page.inner_text('[data-part="review"]')


@pytest.mark.parametrize(
    ("link", "line"),
    [
        ("play.html#p=nobody&m=4", "there is no player nobody"),
        ("play.html#p=ising&k=999999", "a setting is a number in 0.."),
        ("play.html#p=ising&k=-1", "a setting is a number in 0.."),
        ("play.html#s=z", "a side is x or o"),
        ("play.html#p=random&m=4,4", "move 2, 4, is not legal there"),
        ("play.html#p=random&m=4,<b>", "move 2, <b>, is not legal there"),
        ("play.html#p=random&m=4,,5", "move 2, nothing, is not legal there"),
        ("play.html#p=random&m=0,3,1,4,2,5", "move 6, 5, is not legal there"),
        ("play_ultimate.html#s=x&m=40,0", "move 2, 0, is not legal there"),
        ("play_ultimate.html#s=x&m=forty", "move 1, forty, is not legal there"),
        ("play_ultimate.html#s=q", "a side is x or o"),
    ],
)
def test_a_link_that_is_wrong_is_told_in_one_line(playing: Watched, link: str, line: str) -> None:
    page = playing.open(link)
    told = page.locator('.play [data-part="status"]', has_text="The link can't be opened")
    told.wait_for()
    assert line in told.inner_text()
    assert "\n" not in told.inner_text().strip()
    page.wait_for_function("document.querySelector('.play').dataset.moves === ''")
    page.locator('.play [aria-disabled="false"]').first.click()
    told.wait_for(state="detached")


def board_of(page: Any) -> str:
    return str(page.get_attribute(".three", "data-board"))


@pytest.mark.parametrize("side", ["x", "o"])
def test_the_perfect_player_never_loses(playing: Watched, side: str) -> None:
    page = playing.open(f"play.html#p=minimax&k=1&s={side}&m=")
    rng, results = np.random.default_rng(7), []
    for _ in range(20):
        while page.locator('.three [aria-disabled="false"]').count():
            free = [i for i, cell in enumerate(board_of(page)) if cell == "."]
            page.keyboard.press(str(rng.choice(free)))
        results.append(page.inner_text('[data-part="status"]'))
        page.keyboard.press("n")
    assert set(results) <= {"It wins.", "A draw."}
    assert results.count("It wins.") > 8


def test_the_page_is_played_by_keyboard_at_once(playing: Watched) -> None:
    page = playing.open("play.html#p=random&k=0&s=x&m=")
    page.keyboard.press("4")
    assert board_of(page)[4] == "x"
    assert board_of(page).count("o") == 1
    page.keyboard.press("4")  # taken: nothing happens
    assert board_of(page).count("x") == 1
    page.keyboard.press("u")
    assert board_of(page) == "........."
    assert page.locator('.three .grid [tabindex="0"]').count() == 1
    page.locator('.three .grid [tabindex="0"]').focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert "row 2 column 2" in page.evaluate("document.activeElement.ariaLabel")
    page.keyboard.press("Enter")
    assert board_of(page)[4] == "x"


def test_the_power_of_a_verdict_in_the_page_is_that_of_the_library(playing: Watched) -> None:
    page = playing.open("verdicts.html")
    for games, ours, level in product((10, 30, 100, 1000), (0.5, 0.27, 0.99), (0.01, 0.001)):
        low, high, _ = significance.test(Chance(ours), 0, games).accepts(level)
        asked = [games, ours, level]
        assert page.evaluate("([n, p, a]) => POWER.accepts(n, p, a)", asked) == [low, high], asked
        told = page.evaluate("([n, p, a]) => POWER.rejected(n, p, a, 0.6)", asked)
        passed = binom.cdf(high, games, 0.6) - binom.cdf(low - 1, games, 0.6)
        assert told == pytest.approx(1 - passed, abs=1e-9)
    told = page.locator('.power [data-part="told"]')
    assert "at least 0.68" in told.inner_text()
    seen = set()
    for name, key in (("games", "ArrowRight"), ("chance", "ArrowLeft")):
        page.focus(f'.power [data-part="{name}"]')
        page.keyboard.press(key)
        seen.add(told.inner_text())
    page.select_option('.power [data-part="level"]', "0.001")
    assert len({*seen, told.inner_text()}) == 3


# ---------------------------------------------------------------------------- lists of cells


def test_lists_in_the_page_play_as_in_the_library(playing: Watched, tree: GameTree) -> None:
    """Random lists and the stored ones: exact results, with and without the rule, on both sides."""
    page = playing.open("lists.html")
    grid, rng = tree.grid, np.random.default_rng(2)
    orders = [row["order"] for row in players.cell_lists()[:3]]
    for order in [*orders, *(rng.permutation(9).tolist() for _ in range(5))]:
        for side, rule in product((1, -1), (False, True)):
            plain = list_agent(order, order)
            agent = safety(plain) if rule else plain
            asked = [order, side, rule]
            found = page.evaluate(RESULT, asked)
            pair = (agent, random_agent(grid)) if side == 1 else (random_agent(grid), agent)
            exact = exact_match(*pair, tree)
            assert found["chance"] == list(map(str, exact if side == 1 else exact.reversed()))
            worst = record(agent).worst["x" if side == 1 else "o"]
            assert found["best"] == [str(int(worst == result)) for result in (1, 0, -1)], asked


RESULT = """([order, side, rule]) => {
  const found = LISTS.result(order, side, rule);
  return {chance: found.chance.map(String), best: found.best.map(String)};
}"""


def stopped_and_all(order: list[int], side: int, tree: GameTree) -> tuple[int, int]:
    """How many threats a list stops, and how many there are for a side."""
    mine = ~tree.finished & (tree.ply % 2 == (side == -1))
    sides = np.full(mine.sum(), side, dtype=np.int8)
    own, threat = (winning_cells(tree.grid, tree.boards[mine], one) for one in (sides, -sides))
    met = ~own.any(axis=1) & (threat.sum(axis=1) == 1)
    takes = policy_table(list_agent(order, order), tree)[mine] > 0
    return int((takes & threat)[met].sum()), int(met.sum())


def test_a_list_meets_a_threat_and_the_sliders_move_it(playing: Watched, tree: GameTree) -> None:
    page = playing.open("lists.html")
    told = page.locator('.lists [data-part="told"]', has_text="and O can win at 7")
    told.wait_for()
    assert page.get_attribute(".lists", "data-board") == "x...x.o.o"  # notebook 02's threat
    assert page.locator(".lists .grid .cell").nth(7).inner_text().split() == ["7", "9"]
    first = players.cell_lists()[0]
    stopped, of = stopped_and_all(first["order"], first["side"], tree)
    assert 0 < stopped < of
    words = page.inner_text('.lists [data-part="order"]')
    assert f"stops {stopped} of the {of} threats on 3x3" in words
    before = page.inner_text('.lists [data-part="results"]')
    page.focus('.lists [data-part="place"]')
    for _ in range(6):  # from the ninth place to the third, the first of which the cell is free
        page.keyboard.press("ArrowLeft")
    page.locator('.lists [data-part="told"]', has_text="takes cell 7 and stops").wait_for()
    assert page.get_attribute(".lists", "data-taken") == "7"
    assert page.inner_text('.lists [data-part="results"]') != before
    page.focus('.lists [data-part="threat"]')
    page.keyboard.press("ArrowLeft")
    page.locator('.lists [data-part="threat-told"]', has_text="threatens: 6").wait_for()
    page.select_option('.lists [data-part="list"]', index=6)
    page.locator('.lists [data-part="threat-told"]', has_text="X threatens: 6").wait_for()
    page.select_option('.lists [data-part="rule"]', "yes")
    page.locator('.lists [data-part="told"]', has_text="stops the line").wait_for()


def test_no_list_stops_every_threat(playing: Watched) -> None:
    """Each of two cells is threatened once while the other is free, so either order misses one."""
    page = playing.open("lists.html")
    for side in (1, -1):
        alone = page.evaluate(
            """side => [[0, 1], [1, 0]].map(([cell, other]) => LISTS.threats(side).filter(
                 (one) => one.cell === cell && TTT.TREE.boards[one.row][other] === 0).length)""",
            side,
        )
        assert min(alone) > 0
    lists = store.read_table("spectral_orderings.csv").query("safety == 'no'")
    assert lists["never_lose"].sum() == 0


# ---------------------------------------------------------------------------- Ultimate in the page


def asked(page: Any, question: str, **rest: Any) -> dict[str, Any]:
    """What the page's worker answers."""
    found = page.evaluate(
        "([ask, rest]) => document.querySelector('.ultimate').ask(ask, rest)", [question, rest]
    )
    assert isinstance(found, dict)
    return found


def random_ultimate(seed: int, plies: int) -> tuple[list[int], Any]:
    """Moves of a random game, up to so many plies, and the position."""
    rng, position, moves = np.random.default_rng(seed), rules.start(), list[int]()
    while rules.legal_moves(position) and len(moves) < plies:
        moves.append(int(rng.choice(rules.legal_moves(position))))
        position = rules.play(position, moves[-1])
    return moves, position


def test_rules_in_the_page_are_those_of_the_library(playing: Watched) -> None:
    page = playing.open("play_ultimate.html")
    assert asked(page, "perft", moves=[], depth=5)["leaves"] == 473_256
    for seed in range(40):
        moves, position = random_ultimate(seed, 81 if seed % 4 else 20)
        found = asked(page, "legal", moves=moves)
        assert found["legal"] == sorted(rules.legal_moves(position))
        assert found["state"] == [int(word) for word in pack(position)][:24]


def test_the_network_in_the_page_is_that_of_the_library(playing: Watched) -> None:
    page, net = playing.open("play_ultimate.html"), load_net()[0]
    for seed in range(40):
        moves, position = random_ultimate(seed, 2 * seed)
        if not rules.legal_moves(position):
            continue
        found = asked(page, "evaluate", moves=moves)
        with torch.no_grad():
            logits, values = net(*tablenet.inputs(pack(position)[None]))
        assert found["value"] == pytest.approx(float(values[0]), abs=1e-4)
        by_move = tablenet.by_move(logits)[0]
        wanted = {str(move): float(by_move[move]) for move in rules.legal_moves(position)}
        assert found["logits"] == pytest.approx(wanted, abs=1e-3)


def test_the_search_in_the_page_is_quick_and_takes_a_win(playing: Watched) -> None:
    page = playing.open("play_ultimate.html")
    asked(page, "think", moves=[], simulations=2000)
    found = asked(page, "think", moves=[40], simulations=5000)
    assert found["done"] / found["seconds"] > 1000
    for seed in range(30):  # one ply before the end of a won game: the win is found and proven
        moves, position = random_ultimate(seed, 81)
        if rules.result(position) in (1, -1):
            found = asked(page, "think", moves=moves[:-1], simulations=500)
            assert (found["low"], found["high"]) == (1, 1)
            last = asked(page, "legal", moves=[*moves[:-1], found["move"]])
            assert last["result"] == (1 if len(moves) % 2 else 2)


def test_the_player_in_the_page_is_that_of_the_library(playing: Watched) -> None:
    """The page's arithmetic is not rounded to tables, so some searches take another turn."""
    page = playing.open("play_ultimate.html")
    ours, same, asked_for = table_agent(stored_tables(), 300), 0, 0
    for seed in range(40):
        moves, position = random_ultimate(seed, seed)
        if rules.legal_moves(position):
            state = pack(position)[None]
            found = asked(page, "think", moves=moves, simulations=300)
            same += found["move"] == choose(ours, state, np.random.default_rng(0))[0]
            asked_for += 1
    assert same >= 0.8 * asked_for


@pytest.mark.parametrize(("seed", "ahead"), [(0, True), (8, False)])
def test_the_share_of_the_points_that_the_page_expects_is_its_own(
    playing: Watched, seed: int, ahead: bool
) -> None:
    """It plays X, whom the library's network finds ahead or behind."""
    moves, position = random_ultimate(seed, 24)
    with torch.no_grad():
        value = float(load_net()[0](*tablenet.inputs(pack(position)[None]))[1][0])
    assert (value > 0) is ahead
    page = playing.open(f"play_ultimate.html#s=o&m={','.join(map(str, moves))}")
    status = page.locator('.ultimate [data-part="status"]', has_text="of the points")
    told = int(re.findall(r"it expects (\d+) % of the points", status.inner_text())[0])
    assert (told > 50) is ahead
    found = asked(page, "think", moves=moves, simulations=1000)
    assert told == pytest.approx(100 * (1 + found["value"]) / 2, abs=0.51)


def test_a_whole_game_of_ultimate_offline(playing: Watched) -> None:
    page = playing.open("play_ultimate.html")
    page.select_option('[data-part="level"]', "100")
    rng = np.random.default_rng(3)
    for _ in range(50):
        page.wait_for_selector('.ultimate[data-busy="false"]')
        if page.get_attribute(".ultimate", "data-result") != "0":
            break
        free = page.locator('.ultimate [aria-disabled="false"]')
        free.nth(int(rng.integers(free.count()))).click()
    played = [int(move) for move in page.get_attribute(".ultimate", "data-moves").split()]
    position = rules.start()
    for move in played:
        assert move in rules.legal_moves(position)
        position = rules.play(position, move)
    assert not rules.legal_moves(position)
    assert page.inner_text('[data-part="status"]').startswith("It wins.")
    page.keyboard.press("u")
    page.wait_for_selector('.ultimate[data-busy="false"]')
    assert len(page.get_attribute(".ultimate", "data-moves").split()) in (
        len(played) - 1,
        len(played) - 2,
    )


def test_levels_of_the_ultimate_page_say_what_they_are() -> None:
    text = (ROOT / site.PAGES / "play_ultimate.md").read_text(encoding="utf-8")
    options = re.findall(r'<option value="(\d+)"[^>]*>([^<]*)</option>', text)
    levels = [(int(value), words) for value, words in options if int(value) > 0]
    assert len(levels) > 3
    for value, words in levels:
        assert words.split()[0] == f"{value:,}", words
    told = {value: re.sub(r".*\((.*)\)", r"\1", words) for value, words in levels}
    alike = person.OPPONENTS["ultimate"]  # as on the page with a server
    assert told[100] == alike["alphazero"].level
    assert told[1000] == alike["alphazero:simulations=1000"].level
