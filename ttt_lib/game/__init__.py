"""The game: boards, the tree of all states, policies, matches and search.

Everything else builds on this package, which knows nothing of documents, claims or files.
"""
