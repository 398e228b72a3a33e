"""All players side by side: one exact matrix, what it costs, and what each idea adds.

Apart from ``catalog``, the only package that uses several documents' packages; only the command
line and the notebooks build on it.
"""
