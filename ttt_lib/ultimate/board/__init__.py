"""Ultimate's rules, compiled kernels on bitboards, symmetries, notation and pictures."""
