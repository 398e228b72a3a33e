"""Tree search: UCT with playouts, PUCT with a network, the hybrid with the solver, Gumbel roots."""
