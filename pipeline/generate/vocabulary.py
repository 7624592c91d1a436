# SPDX-License-Identifier: Apache-2.0
"""Everything a family needs, in one import."""

from pipeline.generate.assembly import Assembly
from pipeline.generate.draw import Draw
from pipeline.generate.errors import AuthoringError
from pipeline.generate.materials import FABRICS, LABELS, METALS, PAINTS, WOODS, word
from pipeline.generate.polygons import (
    circle,
    gear,
    rectangle,
    rounded_path,
    rounded_rectangle,
    sector,
)
from pipeline.generate.shape import Shape
from pipeline.generate.shapes import (
    box,
    capsule,
    cone,
    cylinder,
    extrude,
    lathe,
    loft,
    plate,
    rounded_box,
    sphere,
    sweep,
    torus,
    tray,
    tube,
    vessel,
)

__all__ = [
    "FABRICS",
    "LABELS",
    "METALS",
    "PAINTS",
    "WOODS",
    "Assembly",
    "AuthoringError",
    "Draw",
    "Shape",
    "box",
    "capsule",
    "circle",
    "cone",
    "cylinder",
    "extrude",
    "gear",
    "lathe",
    "loft",
    "plate",
    "rectangle",
    "rounded_box",
    "rounded_path",
    "rounded_rectangle",
    "sector",
    "sphere",
    "sweep",
    "torus",
    "tray",
    "tube",
    "vessel",
    "word",
]
