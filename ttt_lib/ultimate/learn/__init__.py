"""Learning from self-play: games, replay buffer, training loop, checkpoints.

``trainer`` is the training loop for either kind of network (``networks``), and ``checkpoint`` keeps
what it has reached.  Games come from ``selfplay`` for the table net (compiled) and from
``selfplay_batch`` for a residual network (``graphs``: on a GPU), in tasks that ``driver`` spreads
over workers.  ``replay_buffer`` holds the newest positions and turns them by symmetry;
``fine_tuning`` makes the endgame network.
"""
