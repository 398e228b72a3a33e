"""The stored table net of document 5 as the book's script reads it: weights and what they are for.

The script lists rows of the tables when it meets them, from the same weights; so the file stays as
small as the network.  What differs between architectures (threats among the inputs, care that the
total adds, where the total is cut, how the last sum is squashed) is said in the layout.
"""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ttt_lib.ultimate.learn import tablenet
from ttt_lib.ultimate.learn.checkpoint import load_net

Floats = NDArray[np.float32]


def exported(net: Any = None) -> dict[str, Any]:
    """A table net (the stored one by default) for ``ultimate.js``.

    Returns
    -------
    dict
        ``sizes``: inputs, parts, rows, channels, layer. ``top``: where the total is cut, None for
        nowhere. ``squash``: ``tanh`` or ``root``. ``arrays``: by name ``[offset, length]`` in
        ``data``, little-endian float32 in base 64.
    """
    net = load_net()[0] if net is None else net
    arrays = {name: np.ascontiguousarray(found, "<f4") for name, found in _arrays(net).items()}
    places, at = {}, 0
    for name, array in arrays.items():
        places[name] = [at, array.size]
        at += array.size
    data = b"".join(array.tobytes() for array in arrays.values())
    cut = getattr(tablenet, "TOP", None)
    return {
        "sizes": {"inputs": net.body[0].in_features, "wide": net.body[0].out_features,
                  "parts": net.body[2].out_features, "over": net.over[2].out_features,
                  "overWide": net.over[0].out_features, "rows": net.config.rows,
                  "channels": net.config.channels, "layer": net.config.value},
        "top": None if cut is None else float(cut),
        "squash": "root" if hasattr(tablenet, "squash") else "tanh",
        "arrays": places,
        "data": base64.b64encode(data).decode(),
    }  # fmt: skip


def _arrays(net: Any) -> dict[str, Floats]:
    found = {name: t.detach().numpy() for name, t in net.state_dict().items()}
    parts, rows, channels = net.body[2].out_features, net.config.rows, net.config.channels
    listed = {
        **{f"{name}{k}{end}": found[f"{name}.{2 * k}.{end}"]
           for name in ("body", "over") for k in (0, 1) for end in ("weight", "bias")},
        "rows": _by_place(found["rows.weight"], parts, rows),
        "forced": found["forced"] if "forced" in found
                  else _by_place(found["forced.weight"], parts, rows),
        "globe": found.get("globe.weight", np.zeros((2 * channels, rows), np.float32)),
        "free": found["free"], "place": found["place"],
        "careweight": _care(found, "weight"), "carebias": _care(found, "bias"),
    }  # fmt: skip
    for name in ("meta", "layer", "last", "cells", "sends"):
        listed |= {f"{name}{end}": found[f"{name}.{end}"] for end in ("weight", "bias")}
    return listed


def _by_place(weight: Floats, parts: int, rows: int) -> Floats:
    """A layer over nine sub-boards side by side, (R, 9 P), as nine of (P, R)."""
    return np.asarray(weight.reshape(rows, 9, parts).transpose(1, 2, 0))


def _care(found: dict[str, Floats], end: str) -> Floats:
    """What the meta-board cares for: cells first, then being sent to."""
    if f"care.{end}" in found:
        return found[f"care.{end}"]
    return np.concatenate([found[f"care_here.{end}"], found[f"care_there.{end}"]])


def expected(states: NDArray[np.uint16]) -> tuple[Floats, Floats]:
    """What the stored network says of packed states: logits by move, (B, 81), and values, (B,)."""
    net = load_net()[0]
    with torch.no_grad():
        logits, values = net(*tablenet.inputs(states))
    return tablenet.by_move(logits).numpy(), values.numpy()
