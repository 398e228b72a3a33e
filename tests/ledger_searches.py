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

EXAMPLES = (
    ("a share of 0.007", "0.7%", True),  # 0.7 / 100 is another number in binary
    ("\N{MINUS SIGN}0.5 points", "-0.5", True),
    ("-0.5 points", "\N{MINUS SIGN}0.5", True),
    ("-0.5 points", "0.5", False),
    ("8577-1381-42", "1381", True),  # a hyphen between numbers is no sign
    ("8577-1381-42", "-1381", False),
    ("12k games", "12000", True),
    ("3M games", "3,000,000", True),
    ("1.0015", "1.001", True),  # a tie
    ("1.0015", "1.002", True),
    ("0.0012344", "1.234e-3", True),
    ("0.0016", "1.234e-3", False),
    ("it is 166/189.", "166/189", True),
    ("166/1890", "166/189", False),
    ("1166/189", "166/189", False),
    ("0.166/189", "166/189", False),
    ("166/189/2", "166/189", False),
)
"""What a row says, what is looked for, and whether it is found there."""
