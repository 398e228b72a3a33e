"""The evidence: claims and verdicts, stored files, figures, and what makes them again.

This room knows documents only through the functions that the manifests in ``data/``
and ``figures/`` name.
"""
