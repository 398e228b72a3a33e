"""The game: boards, the tree of all states, policies, matches and search.

Everything else stands on this room, and it knows nothing of documents, claims or files.
"""
