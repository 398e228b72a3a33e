"""The game: boards, the tree of all states, policies, matches and search.

Everything else builds on this package, which knows nothing of documents, claims or files.

- ``board``: cells, lines, symmetries, notation; ``draw``: boards as pictures, the colours of X and
  O; ``scene``: what a person sees
- ``gametree``: every state and its value; ``oracle``: exact results of a game in progress
- ``policy``: what an agent and a game are; random, minimax, lookahead, safety, uct
- ``exact``: matches as fractions, worst cases; ``record``: those of a 3x3 player; ``response``: the
  best response to a player, and the frontier of chances it leaves
- ``match``: played games; ``search``: playouts and tree search; ``stats``: intervals
- ``worst``: can a player lose, on boards too large to list; ``budget``: its positions;
  ``pairing``: pairs of cells that secure a draw
- ``jit``: options and random numbers of compiled loops; ``kept``: results kept for the process;
  ``reference``: slow, readable versions that tests compare with
"""
