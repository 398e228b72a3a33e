"""MathJax from a file of this environment, so that pages ask nothing of the network."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

FROM_NETWORK = re.compile(
    r"<!-- Load mathjax -->.*?<!-- End of mathjax configuration -->", re.DOTALL
)
"""What nbconvert writes into a page."""

FROM_FILE = """\
<script>MathJax = {{tex: {{inlineMath: [["$", "$"], ["\\\\(", "\\\\)"]], processEscapes: true}},
  options: {{enableMenu: false}}}}</script>
<script src="{script}"></script>"""
"""The same from a file; MathJax's menu would load more of them."""


def mathjax() -> Path:
    """The file of MathJax 3 that the package sphinx-mathjax-offline brings along."""
    return folder_of("sphinx-mathjax-offline") / "static" / "mathjax" / "tex-svg.js"


def folder_of(name: str) -> Path:
    """The folder of an installed package, for the files that it brings along.

    Raises
    ------
    ValueError
        If the package is missing.
    """
    package = find_spec(name)
    if package is None or package.origin is None:
        raise ValueError(f"the package {name} is missing: make env")
    return Path(package.origin).parent


def offline(page: str, script: str) -> str:
    """A page of nbconvert that takes MathJax from a place beside it.

    Parameters
    ----------
    page : str
        HTML.
    script : str
        Where a copy of :func:`mathjax` lies, as seen from the page.
    """
    return FROM_NETWORK.sub(lambda _: FROM_FILE.format(script=script), page, count=1)
