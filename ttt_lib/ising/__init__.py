"""Document 4: a zero-depth player on n^d boards, and its bias b.

Re-implemented from the description of Rao-mi/Tic_Tac_Toe (2023-24), whose
authors publish their questions with their program; nothing is copied from it.

- ``energy``: the two energies; ``players``; ``program``: the published program's own ways
- ``curve``, with ``surd``: results as a function of b, exactly; ``meaning``: what b is;
  ``thresholds``: from which b on the player never loses
- ``tables`` and ``kernels``: compiled matches; ``sweep``: matches over b; ``study``: small tables
- ``alpha_beta``, ``state_graph``, ``forced_win``: the document's search and network of all plays,
  and wins by threats alone
- ``diagonals`` and ``plane``: diagonals that count more or less; ``runs``, ``bench``, ``claims``
  (four files) and ``figures`` (two)
"""
