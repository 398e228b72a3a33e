"""Studies: long runs that measure solver, search and learning, and readers of their tables.

``data/ultimate_gumbel.csv`` is made by ``gumbel.make_gumbel``, and so on, but
``ultimate_exhibits.csv`` by ``fault_costs``, ``ultimate_networks.csv`` by
``resnet_against_tables`` and ``ultimate_sampling.csv`` by ``replay_sampling``; ``endgames`` makes
the tables of the solver, ``stored_nets`` the stored networks.  ``random_games``, ``lookups`` and
``plain_search`` (a tree search in plain Python, with optional faults) are quick; ``walkthrough``
has what notebook 05 shows along the way.
"""

OPENING_PLIES = 4
"""Random moves at the beginning of each pair of games, in all studies."""
