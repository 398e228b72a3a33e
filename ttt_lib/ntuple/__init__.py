"""Document 3: an N-tuple network, one look-up table per line, that plays with one-ply search.

- ``network``: the tables; ``training`` on labels, ``selfplay``: TD learning on afterstates
- ``analysis``: what a trained network does, exactly; ``optimum`` (the smallest error) and
  ``move_order`` (the fewest misplayed positions): what its tables can represent
- ``players``, ``runs``, ``bench``, ``claims`` and ``figures``
"""
