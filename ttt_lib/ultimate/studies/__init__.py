"""Studies: long runs that measure solver, search and learning, and readers of their tables.

``data/manifest.toml`` names the module that makes each table.

Training: ``stored_nets`` makes the stored networks; ``curves``, ``ablations``, ``width``,
``resnet_against_tables`` and, on a GPU, ``gpu_training`` compare trainings; ``cost`` and
``gpu_cost`` tell what they take, ``replay_sampling`` what drawing from the replay buffer does.
Solver: ``endgames``, ``eviction`` (of a full table), ``transition`` (from where on games are
decided), ``hybrid`` and ``equal_time`` (what it and its network are worth in play), ``lookups``.
Play: ``strength``, ``agents``, ``gumbel`` and ``uct_constant`` play matches, which ``matches``
counts; ``yardstick`` scores players on endgames, ``rating`` rates all, ``fault_costs`` measures
what faults cost.
Proofs: ``keep_playing`` (X wins), ``delays`` (not sooner).
Tools: ``probes`` and ``spot_checks`` repeat a part of each long run.  ``random_games`` and
``plain_search`` (a tree search in plain Python, with optional faults) are quick; ``walkthrough``
has what notebook 05 shows along the way.
"""

OPENING_PLIES = 4
"""Random moves at the beginning of each pair of games, in all studies."""
