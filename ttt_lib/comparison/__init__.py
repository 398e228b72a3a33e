"""All players side by side: one exact matrix, what it costs, and what each idea adds.

The one room beside ``catalog`` that looks into several documents' rooms; only the command line
and the notebooks stand above it.
"""
