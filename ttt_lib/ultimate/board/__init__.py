"""Ultimate's rules, compiled kernels on bitboards, symmetries, notation and pictures.

``rules`` states the game in plain Python, ``kernels`` plays it fast, ``game`` is what agents and
matches see.  ``notation`` reads and writes positions, ``draw`` pictures them, ``symmetry`` turns
them.
"""
