"""Document 2: a linear policy on cosine features of the board.

The method and the numbers it is compared with come from the document "Pattern-Driven
Spectral Policies for Tic-Tac-Toe (NxN)"; its author and licence are not known to us, so
everything here is written from its description.

- ``features``, ``labels``, ``ridge`` (with ``rational``, linear algebra in fractions),
  ``datafiles``: from boards to weights; ``policy``: the player, ``handcrafted`` and
  ``alternatives``: others to compare it with
- ``flags`` and ``cli``: the command ``ttt spectral``; ``explorer``: a game tree to unfold in
  notebook 02; ``seeded_replay``: the document's programs with their own random choices
- ``interpret`` and ``fidelity``: what a model has learned; ``linear_limits``, ``degrees``,
  ``quartic``, ``perceptron``, ``cell_orders``: what a policy of its form can be
- ``rounding``: players on other processors; ``runs``, ``claims`` (five files) and ``figures``
"""

LABELS = ("optimal", "value", "minimax", "probability", "mc")
"""What a model can be trained on, see ``labels.targets`` and ``labels.sampled_rows``."""
