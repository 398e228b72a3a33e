"""Document 1: learn to score a board from random playouts (M. Hahsler, CC BY-SA 4.0).

Re-implemented from the description: ``data`` makes the playouts' rows, ``model`` trains and
stores the networks, ``ceilings`` holds the bounds no classifier can beat, ``players`` turns values
of boards into players, ``study`` measures a trained network, ``runs`` makes the stored tables.
"""
