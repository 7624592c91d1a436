# SPDX-License-Identifier: Apache-2.0
"""Kinematic trees as pictures (SVG) and as text; pure functions with the same bytes everywhere."""

from aa_dataset.draw.joint_colors import joint_colors, link_colors
from aa_dataset.draw.palette import Color
from aa_dataset.draw.shapes import Drawing
from aa_dataset.draw.text import tree_lines
from aa_dataset.draw.trees import Marks, draw_tree, tree_drawing

__all__ = [
    "Color",
    "Drawing",
    "Marks",
    "draw_tree",
    "joint_colors",
    "link_colors",
    "tree_drawing",
    "tree_lines",
]
