"""Sphinx settings of the book; `python -m ttt_lib.people.book.site` assembles its sources."""

import gc
import os
import re
import sys
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.domains.python import ObjectEntry, PythonDomain
from sphinx.environment import BuildEnvironment
from sphinx.ext.napoleon import Config, NumpyDocstring

import ttt_lib
from ttt_lib.people.formulas import mathjax

# Nearly all that Sphinx makes, it keeps: looking for garbage there took a third of its time.
gc.set_threshold(20_000, 50, 100)

project = "Five ways to teach a machine Tic-Tac-Toe"
author = "the authors of the compendium"
project_copyright = "the authors; code MIT, text and figures CC BY 4.0"
version = release = ttt_lib.__version__
language = "en"
smartquotes = False  # quotes, commands and boards are shown sign by sign

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
    "sphinxcontrib.bibtex",
]
bibtex_bibfiles = ["references.bib"]
exclude_patterns = ["_static"]

# Notebooks are shown with their stored outputs and never run.
nb_execution_mode = "off"
nb_render_markdown_format = "myst"
nb_merge_streams = True
nb_code_prompt_show = "Show the code"
nb_code_prompt_hide = "Hide the code"
myst_enable_extensions = ["amsmath", "attrs_inline", "colon_fence", "dollarmath"]
myst_heading_anchors = 4

# Docstrings; names of types that are not ours lead nowhere, offline.
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_use_type_comments = False  # there are none, and each function would be parsed for them
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
NUMPY = Config(
    napoleon_use_ivar=True,
    napoleon_use_rtype=False,
    napoleon_custom_sections=["Arguments of the kernels"],
)
# A constant is found where it stands, not where its type does.
viewcode_follow_imported_members = False
toc_object_entries = False  # else the side bars of all pages hold all functions: minutes
nitpick_ignore_regex = [("py:.*", r"(?!ttt_lib\.).*")]
type_variables = ("ttt_lib.evidence.parallel.Result", "ttt_lib.game.kept.T")
nitpick_ignore = [("py:class", name) for name in type_variables]
suppress_warnings = [
    "ref.python",  # fields of NamedTuples name their types without the module
]

# The page makes no request: theme and fonts are local, buttons that lead away are off, and
# MathJax is one file.
mathjax_path = "tex-svg.js"
html_static_path = [str(mathjax())]  # and the assembled _static, see setup
mathjax3_config = {"svg": {"fontCache": "global"}, "options": {"enableMenu": False}}
html_theme = "sphinx_book_theme"
html_title = project
html_favicon = "_static/icon.svg"
html_css_files = ["theme.css", "book.css"]
html_js_files = [("find.js", {"defer": "defer"}), ("page.js", {"defer": "defer"})]
html_copy_source = False
html_show_sourcelink = False
html_last_updated_fmt = None
html_context = {"default_mode": "auto"}
html_theme_options = {
    "use_download_button": False,
    "use_fullscreen_button": False,
    "use_issues_button": False,
    "use_repository_button": False,
    "use_source_button": False,
    "use_edit_page_button": False,
    "launch_buttons": {},
    "article_header_end": ["theme-switcher", "search-button", "toggle-secondary-sidebar"],
    "show_toc_level": 2,
    "home_page_in_toc": True,
}
templates_path = []

# Whoever publishes the book says where its sources are; only then buttons lead there.  Binder
# builds what environment.yml says; TTT_BINDER names another hub, TTT_PROVIDER (github, gitlab or
# bitbucket) what runs at an address that doesn't tell.
if address := os.environ.get("TTT_REPOSITORY"):
    html_theme_options |= {
        "repository_url": address,
        "repository_provider": os.environ.get("TTT_PROVIDER", ""),
        "path_to_docs": "notebooks",
        "use_repository_button": True,
        "use_issues_button": True,
        "launch_buttons": {"binderhub_url": os.environ.get("TTT_BINDER", "https://mybinder.org")},
    }
    html_theme_options["article_header_end"] = [
        "article-header-buttons", *html_theme_options["article_header_end"]
    ]  # fmt: skip


def read_docstring(app: Sphinx, kind: str, name: str, found: object, options: object,
                   lines: list[str]) -> None:  # fmt: skip
    """Read a docstring in numpy's style.

    Unlike napoleon's own listener this takes what stands before a colon in the docstring of a
    constant or property for prose, and the types in a docstring, too: "cells" is no name there.
    """
    what = "object" if kind in ("attribute", "data", "property") else kind
    lines[:] = map(
        plain_field, NumpyDocstring(lines, NUMPY, app, what, name, found, options).lines()
    )


def plain_field(line: str) -> str:
    """Quote the words of a type, and join the names of several attributes into one."""
    line = re.sub(r"^(:(?:type|vartype) [^:]+:) (.+)", r"\1 ``\2``", line)
    return re.sub(r"^:(?:ivar|vartype) [^:]+:", lambda field: field[0].replace(", ", ","), line)


def leave_out(app: Sphinx, kind: str, name: str, found: object, skip: bool,
              options: object) -> bool | None:  # fmt: skip
    """Leave out the fields of named tuples, described by their class, and what is imported.

    Autodoc leaves out the latter itself, but only once it has parsed the library it comes from.
    """
    if str(getattr(found, "__doc__", "")).startswith("Alias for field"):
        return True
    here, home = app.env.temp_data.get("autodoc:module"), getattr(found, "__module__", None)
    if kind != "module" or home in (None, here) or getattr(found, "__name__", None) != name:
        return None
    return None if name in getattr(sys.modules[here], "__all__", ()) else True


class Python(PythonDomain):
    """Sphinx's own domain, but a name in which no object's name ends is not compared with each.

    Most are names of other libraries.
    """

    ends: tuple[int, frozenset[str]] = 0, frozenset()

    def find_obj(self, env: BuildEnvironment, modname: str, classname: str, name: str,
                 *how: Any) -> list[tuple[str, ObjectEntry]]:  # fmt: skip
        """Find the objects that a name may mean."""
        if self.ends[0] != len(self.objects):
            known = frozenset(full.rpartition(".")[2] for full in self.objects)
            self.ends = len(self.objects), known
        if name.removesuffix("()").rpartition(".")[2] not in self.ends[1]:
            return []
        return super().find_obj(env, modname, classname, name, *how)


SIDE_BARS: dict[tuple[object, ...], str] = {}
"""The tables of contents beside pages of source code, by folder."""


def share_side_bar(app: Sphinx, page: str, template: str, context: dict[str, Any],
                   doctree: object) -> None:  # fmt: skip
    """Give pages of source code the table of contents of another one in their folder.

    Only what lists a page itself would differ, and they are not listed.
    """
    if not page.startswith("_modules/"):
        return
    make, folder = context["toctree"], page.rpartition("/")[0]

    def toctree(**options: Any) -> str:
        key = (folder, *sorted(options.items()))
        if key not in SIDE_BARS:
            SIDE_BARS[key] = make(**options)
        return SIDE_BARS[key]

    context["toctree"] = toctree


def setup(app: Sphinx) -> None:
    """Connect what Sphinx calls; scripts and styles lie with the assembled sources."""
    app.config.html_static_path.append(str(Path(app.srcdir) / "_static"))
    app.connect("autodoc-skip-member", leave_out)
    app.connect("autodoc-process-docstring", read_docstring)
    app.connect("html-page-context", share_side_bar, priority=400)  # before the theme asks for it
    app.add_domain(Python, override=True)
    app.connect("build-finished", lambda *_: gc.freeze())  # else the end looks for it once more
