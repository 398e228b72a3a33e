"""Three networks of one recipe: their matches, and what the stored run says."""

from __future__ import annotations

import pytest

from ttt_lib.evidence import store
from ttt_lib.ultimate.learn import checkpoint
from ttt_lib.ultimate.players import stored_tables
from ttt_lib.ultimate.studies import matches, stored_nets, strength
from ttt_lib.ultimate.studies.matches import PAIRS


def test_every_network_meets_tree_search_and_every_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_nets, "AGAINST_UCT", ((20, 50, 4), (25, 60, 2)))
    monkeypatch.setattr(stored_nets, "GAMES", 2)
    rows = list(stored_nets.matches(dict.fromkeys((7, 8, 9), stored_tables())))
    met = [(row["seed"], row["opponent"], row["simulations"], row["games"]) for row in rows]
    plain = [(s, f"UCT {n}", k, g) for s in (7, 8, 9) for k, n, g in ((20, 50, 4), (25, 60, 2))]
    pairs = [(7, "seed 8", 200, 2), (7, "seed 9", 200, 2), (8, "seed 9", 200, 2)]
    assert met == plain + pairs
    assert all(row["win"] == row["loss"] for row in rows[-3:])  # a network against itself


def test_networks_go_by_the_seed_they_were_trained_with(monkeypatch: pytest.MonkeyPatch) -> None:
    class Trained:
        def __init__(self, config: object, seed: int) -> None:
            assert config is stored_nets.LARGE
            self.tables = f"net {seed}"

    monkeypatch.setattr(stored_nets, "trained", Trained)
    found = stored_nets.networks()
    assert list(found) == [checkpoint.load_net()[1]["seed"], *stored_nets.OTHERS]
    assert [found[seed] for seed in stored_nets.OTHERS] == ["net 2", "net 3"]
    assert found[1] is stored_tables()


@pytest.mark.parametrize(
    ("file", "config", "part"),
    [
        (checkpoint.TEACHER, "lite", 0),
        (stored_nets.TEACHER_LOG, "lite", 1),
        (checkpoint.STORED, "large", 0),
        (stored_nets.LOG, "large", 1),
    ],
)
def test_stored_networks_and_their_logs_are_of_one_training(
    file: str, config: str, part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_nets, "_made", lambda name: (f"net {name}", f"log {name}"))
    made_by = {entry.file: entry.made_by for entry in store.manifest()}
    assert store.resolve(made_by[file])() == f"{['net', 'log'][part]} {config}"


def test_the_stored_networks_matches_resemble_those_of_the_strength_table() -> None:
    """There another network plays the endgames of the same openings: a few points at most."""
    rows, known = matches.read(stored_nets.SEEDS_FILE), matches.read(strength.FILE)
    ours = rows.query("seed == 1 and opponent.str.startswith('UCT')")
    assert len(ours) == len(stored_nets.AGAINST_UCT)
    both = ours.merge(known, on=["opponent", "simulations"], suffixes=("", "_taught"))
    assert (both["games"] == both["games_taught"]).all()
    assert len(both) == len(ours)
    assert ((both["score"] - both["score_taught"]).abs() < 0.05).all()
    assert (both["low"].lt(both["high_taught"]) & both["low_taught"].lt(both["high"])).all()


def test_the_stored_rows_are_whole() -> None:
    rows = store.read_table(stored_nets.SEEDS_FILE)
    assert (rows[["win", "draw", "loss"]].sum(axis=1) == rows["games"]).all()
    assert (rows[list(PAIRS)].sum(axis=1) * 2 == rows["games"]).all()
    points = rows[list(PAIRS)].to_numpy() @ [0, 1, 2, 3, 4]
    assert (points == 2 * rows["win"] + rows["draw"]).all()
