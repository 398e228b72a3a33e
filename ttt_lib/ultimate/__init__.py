"""Ultimate Tic-Tac-Toe (document 5): nine boards in one, exact endgames, and tree search.

Room by room: ``board`` states the rules in plain Python, plays them fast, writes, draws and
turns positions; ``solver`` plays endgames exactly; ``search`` grows trees; ``learn`` has the
networks, self-play (``driver``) and training; ``studies`` measure all that.  ``players`` are the
agents.  Importing this package loads none of them.
"""
