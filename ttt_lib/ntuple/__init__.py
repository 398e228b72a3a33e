"""Document 3: an N-tuple network, one look-up table per line, that plays with one-ply search."""

from __future__ import annotations

from ttt_lib.ntuple.network import Network, Patterns
from ttt_lib.ntuple.players import play_with
from ttt_lib.ntuple.storage import load, save
from ttt_lib.ntuple.training import positions, train

__all__ = ["Network", "Patterns", "load", "play_with", "positions", "save", "train"]
