"""All players side by side: one exact matrix, what it costs, and what each idea adds.

Below ``people`` and the command line, only this package and ``catalog`` import from several
documents' packages; notebook 06 and the manifests of data and figures build on it.
"""
