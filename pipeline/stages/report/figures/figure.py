# SPDX-License-Identifier: Apache-2.0
"""One figure of the report, as a file that stands alone."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of the report.

    Attributes
    ----------
    name : str
        Stem of its file, ``category_sizes``: ``[a-z_]+``.
    title, caption : str
        A few words, and sentences that say what is drawn; plain text, not markup.
    svg : str
        The text of an SVG file on white. Show it as an image (``<img src="category_sizes.svg">``):
        its style sheet and ids are its own, and two figures in one document would share them.
    """

    name: str
    title: str
    caption: str
    svg: str
