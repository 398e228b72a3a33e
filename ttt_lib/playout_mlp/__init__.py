"""Document 1: learn to score a board from random playouts (M. Hahsler, CC BY-SA 4.0).

Re-implemented from the description.

- ``data``: the playouts' rows; ``model``: trains and stores the networks; ``study``: measures one
- ``ceilings``: bounds that no classifier can beat
- ``players``: values of boards as players; ``lost_games``: how often they lose to random play
- ``runs``, ``choices`` (Pure Monte Carlo with few playouts) and ``controls`` (playouts that know
  less) make the stored tables; ``claims`` and ``figures``
"""
