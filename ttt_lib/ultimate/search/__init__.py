"""Tree search: UCT with playouts, PUCT with a network, the hybrid with the solver, Gumbel roots.

``tree_search`` has UCT and PUCT with any network, on the flat trees of ``trees``; ``puct_table`` is
PUCT with the table net in its loop, ``gumbel`` the same with another rule at the root.  ``hybrid``
asks the solver first where it can see the end.
"""
