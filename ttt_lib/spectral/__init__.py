"""Document 2: a linear policy on cosine features of the board.

The method and the numbers it is compared with come from the document "Pattern-Driven
Spectral Policies for Tic-Tac-Toe (NxN)"; its author and licence are not known to us, so
everything here is written from its description.
"""

LABELS = ("optimal", "value", "minimax", "probability", "mc")
"""What a model can be trained on, see ``labels.targets`` and ``labels.sampled_rows``."""
