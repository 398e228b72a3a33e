"""What people type to find a row of the ledger, for both programs that answer."""

from __future__ import annotations

README = (
    ("437", "dct-label-optimal"),  # ours
    ("4,520", "dct-label-optimal"),
    ("throw value away", "dct-label-optimal"),
    ("67.91", "mlp-accuracy"),  # published with more digits, as a share
    ("67.91%", "mlp-accuracy"),
    ("67.43%", "mlp-accuracy"),  # the reason
    ("0.6743", "mlp-accuracy"),
    ("0.83265", "mlp-late-accuracy"),  # ours, with more digits than are shown
    ("the best function", "mlp-accuracy"),
    ("never loses", "ntuple-never-loses"),
)
"""What the README's findings say, and a row that is about it."""

NUMBERS = (
    "4520", " 4520 ", "67.9", "67.92", "67910", "0.6791", "85.77", "85.77 %", "8577", "0.647",
    "85%", ".9", "0.90", "90%", "-0.5", "\N{MINUS SIGN}0.5", "-1", "1e-9", "1e4", "10,000",
    "1000000", "5", "100.0", "1/2", "166/189", "811/945", "75257/77760", "0.000", "inf", "1_000",
)  # fmt: skip
"""More numbers and fractions, found or not."""
