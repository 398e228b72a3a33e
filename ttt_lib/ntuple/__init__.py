"""Document 3: an N-tuple network, one look-up table per line, that plays with one-ply search."""
