# SPDX-License-Identifier: Apache-2.0
"""The palette: named materials with their color, so that families never spell out numbers."""

import difflib

from pipeline.generate.errors import AuthoringError

RGBA = tuple[float, float, float, float]

# Linear steps of 0.01 are enough for the eye and keep the URDF short.
PALETTE: dict[str, RGBA] = {
    # wood
    "oak": (0.72, 0.53, 0.32, 1.0),
    "walnut": (0.38, 0.25, 0.16, 1.0),
    "pine": (0.86, 0.71, 0.48, 1.0),
    "cherry": (0.55, 0.27, 0.17, 1.0),
    "plywood": (0.80, 0.66, 0.47, 1.0),
    # paint and enamel
    "white_paint": (0.93, 0.93, 0.91, 1.0),
    "cream_paint": (0.92, 0.87, 0.75, 1.0),
    "gray_paint": (0.55, 0.57, 0.59, 1.0),
    "black_paint": (0.10, 0.10, 0.11, 1.0),
    "red_paint": (0.76, 0.13, 0.12, 1.0),
    "orange_paint": (0.90, 0.45, 0.10, 1.0),
    "yellow_paint": (0.94, 0.77, 0.15, 1.0),
    "green_paint": (0.16, 0.45, 0.27, 1.0),
    "mint_paint": (0.62, 0.82, 0.74, 1.0),
    "blue_paint": (0.14, 0.33, 0.63, 1.0),
    "sky_paint": (0.50, 0.70, 0.86, 1.0),
    "purple_paint": (0.42, 0.25, 0.58, 1.0),
    # metal
    "steel": (0.70, 0.72, 0.74, 1.0),
    "dark_steel": (0.32, 0.34, 0.36, 1.0),
    "cast_iron": (0.20, 0.20, 0.21, 1.0),
    "aluminum": (0.80, 0.81, 0.83, 1.0),
    "brass": (0.78, 0.62, 0.26, 1.0),
    "copper": (0.72, 0.45, 0.30, 1.0),
    "chrome": (0.85, 0.87, 0.89, 1.0),
    # plastic and rubber
    "white_plastic": (0.95, 0.95, 0.95, 1.0),
    "gray_plastic": (0.45, 0.47, 0.49, 1.0),
    "black_plastic": (0.08, 0.08, 0.09, 1.0),
    "red_plastic": (0.82, 0.16, 0.15, 1.0),
    "blue_plastic": (0.15, 0.40, 0.75, 1.0),
    "green_plastic": (0.20, 0.60, 0.30, 1.0),
    "yellow_plastic": (0.96, 0.82, 0.20, 1.0),
    "rubber": (0.14, 0.14, 0.14, 1.0),
    # soft and mineral
    "gray_fabric": (0.42, 0.43, 0.46, 1.0),
    "blue_fabric": (0.22, 0.30, 0.48, 1.0),
    "red_fabric": (0.55, 0.18, 0.18, 1.0),
    "leather": (0.36, 0.22, 0.14, 1.0),
    "cardboard": (0.72, 0.56, 0.38, 1.0),
    "paper": (0.96, 0.95, 0.91, 1.0),
    "concrete": (0.63, 0.62, 0.60, 1.0),
    "brick": (0.60, 0.30, 0.23, 1.0),
    "stone": (0.72, 0.69, 0.62, 1.0),
    "ceramic": (0.94, 0.94, 0.93, 1.0),
    # see-through
    "glass": (0.75, 0.87, 0.92, 0.35),
    "smoked_glass": (0.12, 0.14, 0.16, 0.60),
    "green_glass": (0.20, 0.50, 0.30, 0.55),
    "amber_glass": (0.60, 0.32, 0.08, 0.60),
    "clear_plastic": (0.85, 0.90, 0.94, 0.40),
    # light and screens
    "lamp_glow": (1.00, 0.95, 0.75, 1.0),
    "screen": (0.07, 0.10, 0.16, 1.0),
    "screen_blue": (0.20, 0.42, 0.70, 1.0),
}

WOODS = ("oak", "walnut", "pine", "cherry")
PAINTS = ("white_paint", "cream_paint", "gray_paint", "green_paint", "blue_paint", "red_paint")
METALS = ("steel", "dark_steel", "brass", "chrome")


def rgba(name: str) -> RGBA:
    """Look up the color of a material, each channel in 0..1."""
    if name not in PALETTE:
        close = difflib.get_close_matches(name, PALETTE, n=3)
        hint = f" Did you mean {', '.join(close)}?" if close else ""
        raise AuthoringError(f"There is no material {name!r} in the palette.{hint}")
    return PALETTE[name]
