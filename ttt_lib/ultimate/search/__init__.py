"""Tree search: UCT with playouts, PUCT with a network, and Gumbel roots."""
