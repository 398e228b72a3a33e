"""Ultimate Tic-Tac-Toe (document 5): nine boards in one, exact endgames, and tree search.

``board`` states the rules in plain Python, implements them in fast kernels, and writes, draws and
turns positions; ``config`` has the settings, published and ours.  ``solver`` plays endgames
exactly, a ``network`` judges positions; ``search`` grows trees with either; ``learn`` has self-play
(``selfplay``, ``selfplay_batch``; tasks for workers: ``driver``) and training; ``studies`` measures
all of these.  ``players`` has the agents, ``cli_training`` is ``ttt ultimate train`` and
``evaluate``, ``cli_positions`` is ``ttt perft`` and ``ttt solve``, and ``bench`` compares speeds.
The modules that begin with ``claims`` obtain our values of what the document says, those with
``figures`` draw for notebook 05.
Importing this package loads none of them.
"""
