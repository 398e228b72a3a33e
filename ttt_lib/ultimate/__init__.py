"""Ultimate Tic-Tac-Toe (document 5): nine boards in one, exact endgames, and tree search.

``board`` states the rules in plain Python, implements them in fast kernels, and writes, draws and
turns positions; ``solver`` plays endgames exactly; ``search`` grows trees; ``learn`` has the
networks, self-play (``driver``) and training; ``studies`` measures all of these.  ``players`` has
the agents.  Importing this package loads none of them.
"""
