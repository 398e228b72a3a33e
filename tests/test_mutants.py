"""The page on mutants says what was recorded."""

from __future__ import annotations

import mutants


def test_the_page_is_what_the_record_says() -> None:
    rows = mutants.results()
    how = 'write it again: make mutants ARGS="--each 0 --write"'
    assert mutants.page(rows) == mutants.PAGE.read_text(encoding="utf-8"), how
    assert len(rows) == len(mutants.recorded())


def test_modules_and_their_tests_exist() -> None:
    for module, tests in mutants.TESTS.items():
        assert (mutants.ROOT / "ttt_lib" / module).is_file()
        assert all((mutants.ROOT / "tests" / t.partition("::")[0]).is_file() for t in tests)


def test_what_is_said_to_compute_the_same_was_not_noticed() -> None:
    missed = {
        (row["module"], row["operator"], row["text"])
        for row in mutants.recorded().values()
        if not row["noticed"]
    }
    assert set(mutants.EQUIVALENT) <= missed
    places = [
        (row["module"], row["operator"], row["text"], row["place"])
        for row in mutants.recorded().values()
        if not row["noticed"] and mutants.reason(row)
    ]
    assert len(set(places)) == len(mutants.EQUIVALENT), "one reason for two places"


def test_a_line_of_a_compiled_function_is_not_changed() -> None:
    """Nor are its decorators, and constants that it reads."""
    source = (
        "LIMIT = 3\nOTHER = 4\n\n"
        "def one():\n    return OTHER\n\n"
        "@njit(cache=True)\ndef two():\n    return LIMIT\n"
    )
    assert mutants.kernel_lines(source) == {1, 7, 8, 9}


def test_a_mutant_that_computes_the_same_is_not_counted() -> None:
    row = {"module": "game/board.py", "operator": "x", "text": "y", "noticed": False}
    assert mutants.score([row, {**row, "noticed": True}]) == (1, 2)
    mutants.EQUIVALENT["game/board.py", "x", "y"] = "it is never reached"
    try:
        assert mutants.score([row, {**row, "noticed": True}]) == (1, 1)
    finally:
        del mutants.EQUIVALENT["game/board.py", "x", "y"]
