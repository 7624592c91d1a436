# SPDX-License-Identifier: Apache-2.0
"""Replaces an absent mesh by an equivalent file, if the source's adapter names one.

A picture that is named by its path on the author's machine is looked for beside the file.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import replace

from aa_dataset.kinematics.urdf import Shape, UrdfLink, UrdfModel
from pipeline.raw.files import RawFiles

_ABSOLUTE = re.compile(r"/|[A-Za-z]:/")


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


def near_picture(files: RawFiles, name: str, beside: str) -> str:
    """Return the name of a picture; of an absolute path the last part, if that file exists.

    `D:/work/arm/colors.png` in a material file means the `colors.png` beside it. An absolute path
    without such a file stays as it is, and rejects the object.
    """
    plain = name.strip().replace("\\", "/")
    last = posixpath.basename(plain)
    if _ABSOLUTE.match(plain) and last and files.has(files.resolve(last, beside=beside)):
        return last
    return name
