"""Ultimate Tic-Tac-Toe (document 5): nine boards in one, exact endgames, and tree search.

Module by module: ``rules`` states the game in plain Python; ``notation`` and
``svg`` write and draw it; ``kernels`` plays it fast; ``game`` is what agents and
the arena see; ``symmetry`` turns it; ``solver`` plays endgames exactly, with
``table`` as its memory; ``search`` grows trees.  Importing this package loads
none of them.
"""
