"""The evidence: claims and verdicts, stored files, figures, and what makes them again.

This package imports no document's package.  The functions it calls are named in ``data/claims/``
and in the manifests of ``data/`` and ``figures/``; ``bench``, ``readme`` and ``profiles`` name a
few documents' functions or notebooks themselves.

- ``documents``: their table, and further published runs
- ``claims`` with ``answers``: the ledger and its verdicts; ``rounding``: numbers as printed;
  ``significance``: the tests behind verdicts; ``scorecard``: verdicts counted; ``verdicts``: their
  names, and how they look
- ``store``: where files are and what makes them; ``weights``: stored arrays; ``figures``;
  ``notebook``: what notebooks call
- ``reproduce`` (``make reproduce``) with ``staging`` and ``changes``; ``readme``; ``crate``:
  checksums for others
- ``provenance`` with ``dependencies``: what stored runs depend on (``make status``)
- ``robustness`` (``make robust``); ``profiles``: as on other processors (``make profiles``)
- ``faults``: exact code with a part replaced on purpose; ``bench`` with ``clock``: speeds
- ``parallel``: tasks in several processes, which resume after being killed; ``command``: how every
  command ends, and what Ctrl-C stops
"""
