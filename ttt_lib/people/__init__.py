"""The people: games in a browser or at the terminal, exercises for a class, the book.

- ``session``: a person's game; ``insight``: what can be said about it; ``text``; ``widget`` and
  ``page`` (``make play``); ``terminal`` (``ttt play``); ``trap``: the README's picture
- ``teach``, ``course`` and ``variants``: exercises for a class
- ``grading`` (``make grade``) with ``sandbox``, which has the limits, ``confined``, which sets them
  from inside, ``execution``, ``given``, ``mending``, ``marking`` and ``records``
- ``lessons``, with the numbers that they state (``lesson_facts``), and ``slides``
- ``book``, its computed pages (``book_pages``) and its players (``book_players``); ``formulas``:
  MathJax without a network
- ``theme``: colours on light and dark ground; ``colour``: at the terminal; ``warmup``: compiles
  kernels ahead for ``make env``
"""
