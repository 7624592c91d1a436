# SPDX-License-Identifier: Apache-2.0
"""Settings of the documentation site; `make docs` builds it, and it needs no network to be read."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

import generate  # noqa: E402 - found through the line above

project = "ArticulateArena"
author = "The aa-dataset maintainers"
copyright = "The aa-dataset maintainers, Apache-2.0"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
# Included pages begin with a heading of their own; a type such as "limits" is no reference.
suppress_warnings = ["myst.header", "ref.python"]

html_theme = "furo"
html_title = "ArticulateArena"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_math_renderer = "mathml"

# Docstrings are in numpy style, with names in single backticks.
default_role = "py:obj"
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_default_options = {"members": True}
# Of the renderer and of an adapter; the packages of `make docs` are without them.
autodoc_mock_imports = ["PIL", "torch"]
python_maximum_signature_line_length = 88


def fill(app: Any, name: str, source: list[str]) -> None:
    """Put generated Markdown in the place of comments such as ``<!-- generated: tables -->``."""
    source[0] = re.sub(
        r"<!-- generated: (\w+) -->", lambda found: generate.PARTS[found[1]](), source[0]
    )


def write_inline(translator: Any, node: nodes.math) -> None:
    """Write a formula in a line as MathML, which browsers draw themselves."""
    translator.body.append(convert(node.astext()))
    raise nodes.SkipNode


def write_block(translator: Any, node: nodes.math_block) -> None:
    """Write a formula on lines of its own as MathML."""
    formula = convert(node.astext(), display="block")
    translator.body.append(f'<div class="math-block">{formula}</div>\n')
    raise nodes.SkipNode


def keep_property(app: Any, what: str, name: str, value: Any, options: Any, lines: Any) -> None:
    """Keep the docstring of a property, in which napoleon takes words before a colon as a type."""
    if what == "property":
        PROPERTIES[name] = list(lines)


def restore_property(app: Any, what: str, name: str, value: Any, options: Any, lines: Any) -> None:
    """Put the docstring of a property back after napoleon."""
    lines[:] = PROPERTIES.pop(name, lines)


PROPERTIES: dict[str, list[str]] = {}


def setup(app: Any) -> None:
    """Connect what this file adds to Sphinx."""
    app.connect("source-read", fill)
    app.connect("autodoc-process-docstring", keep_property, priority=100)
    app.connect("autodoc-process-docstring", restore_property, priority=900)
    app.add_html_math_renderer("mathml", (write_inline, None), (write_block, None))
