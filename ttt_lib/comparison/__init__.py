"""All players side by side: one exact matrix, what it costs, and what each idea adds.

Apart from ``catalog``, the only room that uses several documents' rooms; only the command line
and the notebooks stand above it.
"""
