# SPDX-License-Identifier: Apache-2.0
"""The palette: named materials with their color, so that families never spell out numbers."""

import difflib

from pipeline.generate.errors import AuthoringError
from pipeline.generate.textures import RGB, Texture

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
    "grass": (0.33, 0.52, 0.22, 1.0),
    "cork": (0.76, 0.58, 0.38, 1.0),
    "tiles": (0.85, 0.88, 0.88, 1.0),
    "canvas": (0.83, 0.77, 0.64, 1.0),
    # printed: two colors of which this is the mean
    "checker": (0.52, 0.52, 0.50, 1.0),
    "hazard_stripes": (0.86, 0.50, 0.45, 1.0),
    "red_label": (0.87, 0.52, 0.48, 1.0),
    "blue_label": (0.55, 0.64, 0.76, 1.0),
    "green_label": (0.60, 0.74, 0.60, 1.0),
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
LABELS = ("red_label", "blue_label", "green_label")
FABRICS = ("gray_fabric", "blue_fabric", "red_fabric", "canvas")
METALS = ("steel", "dark_steel", "brass", "chrome")


def word(name: str) -> str:
    """Return the everyday name of a material or color, e.g. ``"white"`` for white_paint."""
    return name.removesuffix("_paint").removesuffix("_plastic").replace("_", " ")


# Pattern, contrast (share of the color that the shades go up and down) and tile [m]. Brushed steel
# and the rest stay plain where the pattern would be finer than a picture shows.
_PATTERNS: dict[str, tuple[str, float, float]] = {
    "oak": ("wood", 0.22, 0.30),
    "walnut": ("wood", 0.30, 0.30),
    "pine": ("wood", 0.16, 0.35),
    "cherry": ("wood", 0.24, 0.30),
    "plywood": ("wood", 0.10, 0.40),
    "steel": ("brushed", 0.035, 0.2),
    "aluminum": ("brushed", 0.03, 0.2),
    "gray_fabric": ("weave", 0.35, 0.06),
    "blue_fabric": ("weave", 0.35, 0.06),
    "red_fabric": ("weave", 0.35, 0.06),
    "canvas": ("weave", 0.20, 0.06),
    "concrete": ("speckle", 0.15, 0.8),
    "stone": ("speckle", 0.15, 0.5),
    "cork": ("speckle", 0.35, 0.05),
    "grass": ("speckle", 0.30, 0.5),
    "brick": ("bricks", 0.35, 1.0),
    "tiles": ("tiles", 0.12, 0.6),
}
_PRINTS: dict[str, Texture] = {
    "checker": Texture("checker", (24, 24, 24), (240, 238, 230), 0.2),
    "hazard_stripes": Texture("stripes", (200, 32, 28), (240, 240, 236), 2.0),
    "red_label": Texture("label", (190, 30, 28), (250, 244, 228), 0.0),
    "blue_label": Texture("label", (28, 70, 150), (250, 248, 240), 0.0),
    "green_label": Texture("label", (30, 110, 60), (250, 246, 226), 0.0),
}


def texture(name: str) -> Texture | None:
    """Return the pattern of a material, or None if it is plain."""
    if name not in _PATTERNS:
        return _PRINTS.get(name)
    pattern, contrast, tile = _PATTERNS[name]
    return Texture(
        pattern, _shaded_color(name, 1 - contrast), _shaded_color(name, 1 + contrast), tile
    )


def _shaded_color(name: str, factor: float) -> RGB:
    r, g, b = (min(255, round(255 * channel * factor)) for channel in PALETTE[name][:3])
    return r, g, b


def rgba(name: str) -> RGBA:
    """Look up the color of a material, each channel in 0..1."""
    if name not in PALETTE:
        close = difflib.get_close_matches(name, PALETTE, n=3)
        hint = f" Did you mean {', '.join(close)}?" if close else ""
        raise AuthoringError(f"There is no material {name!r} in the palette.{hint}")
    return PALETTE[name]
