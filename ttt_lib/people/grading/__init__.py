"""Exercises for a class: notebooks for students, and grading what comes back (``make grade``).

- ``teach``: both from the command line; ``course``: nbgrader's; ``variants``: one per student
- ``grade``: a folder of submissions, with ``repair``, ``execution``, ``locked_cells``, ``slips``,
  ``marking`` and ``records``
- ``sandbox``: the limits a submission runs under; ``confined`` sets them from inside
"""
