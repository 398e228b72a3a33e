"""The document's two agents, and players with one of their differences only."""

from __future__ import annotations

import numpy as np
import pytest

from ttt_lib.evidence.store import read_table
from ttt_lib.game.stats import pairs_interval
from ttt_lib.ultimate.board import rules
from ttt_lib.ultimate.board.game import pack
from ttt_lib.ultimate.players import create_prediction_agent, create_strong_agent
from ttt_lib.ultimate.studies import agents, matches
from ttt_lib.ultimate.studies.matches import PAIRS


def test_each_player_differs_from_the_standard_agent_as_its_name_says() -> None:
    strong, standard = create_strong_agent(), create_prediction_agent()
    made = {name: agents.player(name) for name in read_table(agents.FILE).player.unique()}
    assert {name: (one.num_simulations, one.temperature) for name, one in made.items()} == {
        agents.STRONG: (strong.num_simulations, strong.temperature),
        agents.SIMULATIONS: (strong.num_simulations, standard.temperature),
        agents.TEMPERATURE: (standard.num_simulations, strong.temperature),
    }
    assert all(one.network is standard.network for one in made.values())
    assert {one.c_puct for one in made.values()} == {strong.c_puct} == {standard.c_puct}
    assert strong.num_simulations > standard.num_simulations
    assert strong.temperature < standard.temperature


def test_moves_are_drawn_as_the_agent_says() -> None:
    agent, start = create_prediction_agent(), rules.play(rules.start(), 40)
    agent.num_simulations, agent.temperature = 30, 4.0
    states = np.repeat(pack(start)[None], 20, axis=0)
    moves = agents.drawing(agent, "some").moves
    assert moves is not None
    found, rng = moves(states, np.random.default_rng(3)), np.random.default_rng(3)
    assert found.tolist() == [agent.select_action(start, rng=rng) for _ in states]
    assert len(set(found.tolist())) > 1


def test_the_strong_agent_meets_the_standard_one(monkeypatch: pytest.MonkeyPatch) -> None:
    met = []

    def match(ours: object, theirs: object, games: int, **how: object) -> None:
        met.append((ours, theirs, games, how))

    monkeypatch.setattr(agents, "drawing", lambda agent, name: (name, agent.num_simulations))
    monkeypatch.setattr(matches, "match", match)
    monkeypatch.setattr(matches, "counts", lambda found: {"games": 6})
    assert agents.play(agents.STRONG, 5) == {"player": "strong", "seed": 5, "games": 6}
    assert met == [(("strong", 800), ("standard", 400), agents.GAMES, {"rng": 5, "openings": 4})]


def test_the_matches_of_all_seeds_are_added_up() -> None:
    table, found = read_table(agents.FILE), agents.read()
    assert found.index.tolist() == [*agents.PLAYERS]
    for name, row in found.iterrows():
        part = table[table.player == name]
        assert part.seed.tolist() == [*agents.SEEDS]
        assert row.games == part.games.sum() == agents.GAMES * len(part)
        points = sum(part[pair].sum() * half / 2 for half, pair in enumerate(PAIRS))
        assert row.score == pytest.approx(points / row.games)
        assert (row.low, row.high) == pairs_interval([part[pair].sum() for pair in PAIRS])
