# SPDX-License-Identifier: Apache-2.0
"""Replaces an absent mesh by an equivalent file, if the source's adapter names one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from aa_dataset.kinematics.urdf import Shape, UrdfLink, UrdfModel


def with_substitutes(model: UrdfModel, substitutes: Mapping[str, str]) -> UrdfModel:
    """Return the model with other mesh files; `substitutes` is keyed by the name in the model."""
    if not substitutes:
        return model

    def swapped(shapes: tuple[Shape, ...]) -> tuple[Shape, ...]:
        return tuple(_swapped(shape, substitutes) for shape in shapes)

    def changed(link: UrdfLink) -> UrdfLink:
        return replace(link, visuals=swapped(link.visuals), collisions=swapped(link.collisions))

    return replace(model, links=tuple(map(changed, model.links)))


def _swapped(shape: Shape, substitutes: Mapping[str, str]) -> Shape:
    name = shape.geometry.filename
    if name not in substitutes:
        return shape
    return replace(shape, geometry=replace(shape.geometry, filename=substitutes[name]))
