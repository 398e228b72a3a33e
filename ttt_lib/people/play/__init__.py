"""Games in a browser (``make play``) and at the terminal (``ttt play``).

- ``session``: a person's game; ``insight``: what can be said about it; ``text``: in words
- ``widget``: the board of ``notebooks/play.ipynb``; ``server``: that notebook as a page, with
  ``jupyter_kernels`` that are quiet
- ``terminal``, with ``terminal_colour``; ``trap``: the README's picture
"""
