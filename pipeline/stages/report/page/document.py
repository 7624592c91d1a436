# SPDX-License-Identifier: Apache-2.0
"""The page as HTML text: figures and table are in it, the gallery's data lie beside it.

A content security policy names the style and the script by their digests, so that nothing else
could run even if a name got past the escaping. The script loads the data; `strict-dynamic` lets it.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import groupby

from aa_dataset.draw.glyphs import GLYPHS
from aa_dataset.draw.names import markup
from aa_dataset.draw.palette import tree_style
from pipeline.engine.settings import Report
from pipeline.stages.report.figures import Figure
from pipeline.stages.report.gallery import Gallery
from pipeline.stages.report.page.fragments import BODY
from pipeline.stages.report.paper import PaperRow

SCRIPTS = ("data.js", "address.js", "filters.js", "grid.js", "view.js", "start.js")


@dataclass(frozen=True, slots=True)
class Page:
    """What the page shows besides the data of the gallery.

    Attributes
    ----------
    name, revision : str
        Of the library.
    numbers : sequence of (str, str)
        Count and what is counted, for the head of the page.
    figures, paper
        All figures, and the rows against the paper.
    gallery : Gallery
        What lies beside the page.
    settings : Report
        The settings of the report.
    """

    name: str
    revision: str
    numbers: Sequence[tuple[str, str]]
    figures: Sequence[Figure]
    paper: Sequence[PaperRow]
    gallery: Gallery
    settings: Report


def page_text(page: Page) -> str:
    """Return the text of `index.html`."""
    style, script = _read("page.css") + tree_style(dark=False), _script()
    body = BODY.format(
        name=markup(page.name),
        revision=markup(page.revision),
        numbers="".join(
            f"<li><b>{markup(count)}</b> {markup(what)}</li>" for count, what in page.numbers
        ),
        figures="".join(map(_figure, page.figures)) or "<p>There are no figures.</p>",
        paper="".join(_paper_table(page.paper)),
        footer=markup(_footer(page)),
        glyphs=_symbols(),
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(style, script)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{markup(page.name)}</title>\n<style>{style}</style></head>\n"
        f"<body>\n{body}<script>{script}</script>\n</body></html>\n"
    )


def _read(name: str) -> str:
    return (files("pipeline.stages.report.page") / name).read_text(encoding="utf-8")


def _script() -> str:
    """Return the scripts in one block, so that their names are no globals."""
    return '"use strict";\n{\n' + "\n".join(map(_read, SCRIPTS)) + "}\n"


def _policy(style: str, script: str) -> str:
    first, second = (
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
        for text in (style, script)
    )
    return (
        f"default-src 'none'; img-src 'self' file: data:; style-src 'sha256-{first}'; "
        f"script-src 'sha256-{second}' 'strict-dynamic'; base-uri 'none'; form-action 'none'"
    )


def _figure(figure: Figure) -> str:
    """Return a figure as an embedded picture: its ids and styles are its own."""
    data = base64.b64encode(figure.svg.encode()).decode("ascii")
    title = markup(figure.title)
    return (
        f'<figure id="figure-{markup(figure.name)}"><h3>{title}</h3>'
        f'<div class="wide" tabindex="0"><img alt="{title}" loading="lazy" '
        f'src="data:image/svg+xml;base64,{data}"></div>'
        f"<figcaption>{markup(figure.caption)}</figcaption></figure>\n"
    )


def _paper_table(rows: Sequence[PaperRow]) -> Iterator[str]:
    """Yield the table against the paper, one body per section."""
    yield (
        '<div class="wide" tabindex="0"><table class="paper"><thead><tr><th scope="col">quantity'
        '</th><th scope="col">paper</th><th scope="col">ours</th><th scope="col">difference</th>'
        "</tr></thead>"
    )
    for section, inner in groupby(rows, key=lambda row: row.section):
        yield f'<tbody><tr><th class="section" colspan="4">{markup(section)}</th></tr>'
        for row in inner:
            yield (
                f'<tr><th scope="row">{markup(row.quantity)}</th><td>{row.paper:,}</td>'
                f"<td>{row.ours:,}</td>{_difference(row.ours - row.paper)}</tr>"
            )
        yield "</tbody>"
    yield "</table></div>"


def _difference(value: int) -> str:
    if value == 0:
        return '<td class="same">0</td>'
    return f'<td class="{"more" if value > 0 else "less"}">{value:+,}</td>'.replace("-", "\u2212")


def _symbols() -> str:
    """Return the glyphs of the joint types, which the script refers to."""
    return "".join(
        f'<symbol id="glyph-{kind}" viewBox="-12 -12 24 24"><path d="{path}"/></symbol>'
        for kind, path in GLYPHS.items()
    )


def _footer(page: Page) -> str:
    gallery = page.gallery
    sizes = ", ".join(
        f"{what} {_bytes(size)}"
        for what, size in (
            ("table", gallery.table), ("thumbnails", gallery.thumbnails),
            ("large pictures and strips", gallery.pictures), ("details", gallery.details),
        )
    )  # fmt: skip
    kept = (
        "every object has its large pictures"
        if gallery.large == gallery.objects
        else f"{gallery.large:,} objects, at most {page.settings.large_per_category} per category, "
        "have their large pictures"
    )
    warning = (
        f" It shows {gallery.restricted:,} objects whose files a release may not contain: do not "
        "publish it."
    )
    return (
        f"Beside this page: {sizes}; {_bytes(gallery.per_thousand)} per 1,000 objects. Of "
        f"{gallery.objects:,} objects {kept}. Everything works from the file, without a network."
    ) + warning * bool(gallery.restricted)


def _bytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{size / 1e3:.1f} kB"
