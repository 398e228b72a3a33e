"""What people use beside notebooks and commands.

- ``play``: games in a browser or at the terminal
- ``grading``: exercises for a class
- ``book``: the book, its lessons and slides
- ``theme``: colours on light and dark ground; ``formulas``: MathJax without a network; ``warmup``:
  compiles kernels ahead for ``make env``
"""
