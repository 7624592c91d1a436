# SPDX-License-Identifier: Apache-2.0
"""Drawings as PNG, through matplotlib, which is imported when it is needed."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from aa_dataset.draw.palette import ink, light_shade
from aa_dataset.draw.paths import corners
from aa_dataset.draw.shapes import Box, Disk, Drawing, Group, Shape, Stroke, Words
from aa_dataset.errors import optional
from aa_dataset.untrusted.foreign_text import terminal_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PER_INCH, SCALE = 100, 2  # pixels of a drawing; pixels of the file for one of them
FONT = "DejaVu Sans Mono"  # which matplotlib brings
SIZES = {"small": 10, "joint": 10, "badge": 11}
WIDTHS = {"edge": 1.5, "glyph": 2.0, "mimic": 1.5, "card": 1.5}


def png(drawing: Drawing, *, scale: int = SCALE) -> bytes:
    """Return a drawing as the bytes of a PNG file, on white; the same bytes every time.

    Letters are those of matplotlib's own font, so a name in another script shows as boxes.
    """
    matplotlib = optional("matplotlib", "drawing a PNG", "figures")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # letters that the font lacks
        matplotlib.rcdefaults()
        matplotlib.rcParams.update({"text.parse_math": False, "font.family": FONT})
        size = (drawing.width / PER_INCH, drawing.height / PER_INCH)
        figure = Figure(figsize=size, dpi=PER_INCH * scale)
        FigureCanvasAgg(figure)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set(xlim=(0, drawing.width), ylim=(drawing.height, 0))
        for order, (shape, x, y) in enumerate(_flat(drawing.shapes, 0, 0)):
            _add(axes, shape, (x, y), order)
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", metadata={"Software": None})
    return buffer.getvalue()


def _flat(shapes: tuple[Shape, ...], x: int, y: int) -> Iterator[tuple[Shape, int, int]]:
    """Yield every shape that is no group, with how far its groups moved it."""
    for shape in shapes:
        if isinstance(shape, Group):
            yield from _flat(shape.shapes, x + shape.x, y + shape.y)
        else:
            yield shape, x, y


def _add(axes: Axes, shape: Shape, moved: tuple[int, int], order: int) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Circle, FancyBboxPatch

    if isinstance(shape, Box):
        style = f"round,pad=0,rounding_size={shape.corner}" if shape.corner else "square,pad=0"
        corner = (shape.x + moved[0], shape.y + moved[1])
        box = FancyBboxPatch(corner, shape.width, shape.height, boxstyle=style, zorder=order)
        box.update(_filled(shape.style))
        axes.add_patch(box)
    elif isinstance(shape, Disk):
        disk = Circle((shape.x + moved[0], shape.y + moved[1]), shape.radius, zorder=order)
        disk.update(_filled(shape.style))
        axes.add_patch(disk)
    elif isinstance(shape, Stroke):
        for line in corners(shape.path):
            xs = [x + shape.x + moved[0] for x, _ in line]
            ys = [y + shape.y + moved[1] for _, y in line]
            axes.add_line(Line2D(xs, ys, zorder=order, **_stroked(shape.style)))
    elif isinstance(shape, Words):
        _add_words(axes, shape, moved, order)


def _add_words(axes: Axes, words: Words, moved: tuple[int, int], order: int) -> None:
    names = words.style.split()
    size = next((SIZES[name] for name in names if name in SIZES), 12)
    color = _ink_of(names)
    axes.text(
        words.x + moved[0],
        words.y + moved[1],
        terminal_line(words.text),
        color=color,
        size=size * 72 / PER_INCH,
        weight="bold" if {"badge", "joint"} & {*names} else "normal",
        ha={"start": "left", "middle": "center", "end": "right"}[words.anchor],
        va="baseline",
        zorder=order,
    )


def _ink_of(names: list[str]) -> str:
    for name in names:
        if name.startswith("fill-"):
            return light_shade(name.removeprefix("fill-"))
    return ink("paper" if "badge" in names else "dim" if "small" in names else "ink")


def _filled(style: str) -> dict[str, Any]:
    names = style.split()
    fills = [name.removeprefix("fill-") for name in names if name.startswith("fill-")]
    if fills:
        return {"facecolor": light_shade(fills[0]), "edgecolor": "none"}
    return {"facecolor": ink("paper"), **_line(names, "edgecolor")}


def _stroked(style: str) -> dict[str, Any]:
    return {**_line(style.split(), "color"), "solid_capstyle": "round"}


def _line(names: list[str], key: str) -> dict[str, Any]:
    """Return color, width and dashes of a line by the classes of its style."""
    colors = [name for name in names if name not in {*WIDTHS, "dashed", "root"}]
    color = light_shade(colors[0]) if colors else ink("dim")
    width = next((WIDTHS[name] for name in names if name in WIDTHS), 1.5)
    dashes = (0, (4, 4)) if "mimic" in names else (0, (5, 3)) if "dashed" in names else "-"
    found = {key: color, "linewidth": width * 72 / PER_INCH}
    return found | ({"linestyle": dashes} if dashes != "-" else {})
