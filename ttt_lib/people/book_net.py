"""The stored table net of document 5 as the book's script reads it: weights and what they are for.

The script lists rows of the tables when it meets them, from the same weights; so the file stays as
small as the network.
"""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_lib.ultimate.learn.checkpoint import load_net
from ttt_lib.ultimate.network import tablenet
from ttt_lib.ultimate.search.puct import C_PUCT, DOUBT, ENOUGH, FPU

Floats = NDArray[np.float32]


def exported() -> dict[str, Any]:
    """The stored table net for ``ultimate.js``.

    Returns
    -------
    dict
        ``sizes``: parts, rows, channels, layer. ``top``: where the total is cut. ``search``: how
        its player searches and chooses. ``arrays``: by name ``[offset, length]`` in ``data``,
        little-endian float32 in base 64.
    """
    net: Any = load_net()[0]
    arrays = {name: np.ascontiguousarray(found, "<f4") for name, found in _arrays(net).items()}
    places, at = {}, 0
    for name, array in arrays.items():
        places[name] = [at, array.size]
        at += array.size
    data = b"".join(array.tobytes() for array in arrays.values())
    config = net.config
    return {
        "sizes": {"parts": config.parts, "rows": config.rows, "channels": config.channels,
                  "layer": config.value},
        "top": tablenet.TOP,
        "search": {"c": C_PUCT, "fpu": FPU, "enough": ENOUGH, "doubt": DOUBT},
        "arrays": places,
        "data": base64.b64encode(data).decode(),
    }  # fmt: skip


def _arrays(net: Any) -> dict[str, Floats]:
    found = {name: t.detach().numpy() for name, t in net.state_dict().items()}
    listed = {
        f"{name}{k}{end}": found[f"{name}.{2 * k}.{end}"]
        for name in ("body", "over") for k in (0, 1) for end in ("weight", "bias")
    }  # fmt: skip
    for name in ("meta", "layer", "last", "cells", "sends", "care"):
        listed |= {f"{name}{end}": found[f"{name}.{end}"] for end in ("weight", "bias")}
    rows = found["rows.weight"].reshape(net.config.rows, 9, -1).transpose(1, 2, 0)
    return {**listed, "rows": rows, "globe": found["globe.weight"],
            **{name: found[name] for name in ("forced", "free", "place")}}  # fmt: skip
