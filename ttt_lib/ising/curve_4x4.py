"""The exact curve of b on 4x4, from its stored table: ten minutes to compute, none to read."""

from __future__ import annotations

from typing import Any

from ttt_lib.evidence.store import read_table


def as_json(energy: str, side: str, opponent: str) -> dict[str, list[dict[str, Any]]]:
    """The JSON object of ``ttt ising-curve --board 4x4``, as :func:`ttt_lib.ising.curve.as_json`.

    Raises
    ------
    ValueError
        If the curve is not the stored one, of the text's energy against random play.
    """
    if (energy, opponent) != ("equation", "random"):
        raise ValueError("on 4x4 only energy 'equation' against opponent 'random' is stored")
    table = read_table("ising_curve_4x4.csv").query("side == @side")
    return {"pieces": [_piece(row) for row in table.to_dict("records")]}


def _piece(row: dict[Any, Any]) -> dict[str, Any]:
    closed = {"from": row["from_form"], "to": row["to_form"]}
    chances = {name: str(row[name]) for name in ("win", "draw", "loss")}
    return {"from": row["from"], "to": row["to"], **chances, "closed_form": closed}


def as_text(found: dict[str, list[dict[str, Any]]]) -> str:
    """One line per piece; single points have equal ends."""
    return "\n".join(
        f"{p['from']:.6f} to {p['to']:.6f}  win {p['win']}  draw {p['draw']}  loss {p['loss']}"
        for p in found["pieces"]
    )
