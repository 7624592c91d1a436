# SPDX-License-Identifier: Apache-2.0
"""What a drawing consists of, in pixels from its upper left corner, and the text of it as SVG.

Coordinates are integers, styles are classes of `palette.tree_style`, and every text is escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aa_dataset.draw.names import markup
from aa_dataset.draw.palette import tree_style


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle with round corners."""

    x: int
    y: int
    width: int
    height: int
    style: str
    corner: int = 0

    def svg(self) -> str:
        """Return the element."""
        size = f'width="{self.width}" height="{self.height}"'
        corner = f' rx="{self.corner}"' if self.corner else ""
        return f'<rect class="{self.style}" x="{self.x}" y="{self.y}" {size}{corner}/>'


@dataclass(frozen=True, slots=True)
class Disk:
    """A circle."""

    x: int
    y: int
    radius: int
    style: str

    def svg(self) -> str:
        """Return the element."""
        return f'<circle class="{self.style}" cx="{self.x}" cy="{self.y}" r="{self.radius}"/>'


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line, as the path of SVG with absolute commands M, L, H, V, C and A."""

    path: str
    style: str
    x: int = 0
    y: int = 0

    def svg(self) -> str:
        """Return the element."""
        moved = f' transform="translate({self.x} {self.y})"' if self.x or self.y else ""
        return f'<path class="{self.style}"{moved} d="{self.path}"/>'


@dataclass(frozen=True, slots=True)
class Words:
    """A line of text; `anchor` is start, middle or end."""

    x: int
    y: int
    text: str
    style: str = ""
    anchor: str = "start"

    def svg(self) -> str:
        """Return the element."""
        style = f' class="{self.style}"' if self.style else ""
        anchor = f' text-anchor="{self.anchor}"' if self.anchor != "start" else ""
        return f'<text{style} x="{self.x}" y="{self.y}"{anchor}>{markup(self.text)}</text>'


@dataclass(frozen=True, slots=True)
class Group:
    """Shapes that belong together, moved; `title` is what a pointer over them shows."""

    shapes: tuple[Shape, ...]
    x: int = 0
    y: int = 0
    title: str = ""

    def svg(self) -> str:
        """Return the element."""
        moved = f' transform="translate({self.x} {self.y})"' if self.x or self.y else ""
        title = f"<title>{markup(self.title)}</title>" if self.title else ""
        return f"<g{moved}>{title}{''.join(shape.svg() for shape in self.shapes)}</g>"


Shape = Box | Disk | Stroke | Words | Group


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture, in pixels from its upper left corner."""

    width: int
    height: int
    shapes: tuple[Shape, ...]

    def svg(self, *, label: str, style: bool = True) -> str:
        """Return an SVG element; without `style` the page holds `palette.tree_style()`."""
        size = f'width="{self.width}" height="{self.height}"'
        ground = Box(0, 0, self.width, self.height, "paper").svg()
        inside = f"<style>{tree_style()}</style>{ground}" if style else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="aa-tree" role="img" {size} '
            f'viewBox="0 0 {self.width} {self.height}" aria-label="{markup(label)}">'
            f"{inside}{''.join(shape.svg() for shape in self.shapes)}</svg>"
        )

    def moved(self, x: int, y: int) -> Group:
        """Return the picture at another place of a larger one."""
        return Group(self.shapes, x, y)


def beside(pictures: Sequence[Drawing], *, broadest: int, gap: int) -> list[tuple[int, int]]:
    """Return the corners of pictures in a row, or in a column if the row would be too broad.

    Parameters
    ----------
    pictures : sequence of Drawing
        In their order.
    broadest, gap : int
        Pixels of the row at most, and between pictures.
    """
    in_row = sum(one.width for one in pictures) + gap * (len(pictures) - 1) <= broadest
    x = y = 0
    corners = []
    for one in pictures:
        corners.append((x, y))
        x, y = (x + one.width + gap, y) if in_row else (x, y + one.height + gap)
    return corners
