# SPDX-License-Identifier: Apache-2.0
"""Replaces an absent mesh by an equivalent file, if the source's adapter names one.

A picture that is named by its path on the author's machine is looked for near the file.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from aa_dataset.kinematics.urdf import Shape, UrdfLink, UrdfModel
from pipeline.raw.files import RawFiles

# Names at the end of an absolute path that are tried.
MOST_ENDS = 6
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
    """Return the name of a picture, for an absolute path that of the file which it means, if any.

    `D:/work/arm/visual/colors.png` in a material file means the `colors.png` beside it, else a
    `visual/colors.png` (two names at least) below one of the folders above it. An absolute path
    that means nothing stays as it is, and rejects the object.
    """
    plain = name.strip().replace("\\", "/")
    parts = plain.split("/")[-MOST_ENDS:]
    if not _ABSOLUTE.match(plain) or not {"", ".", ".."}.isdisjoint(parts[1:]):
        return name
    here = posixpath.dirname(beside)
    ends = [posixpath.join(*parts[start:]) for start in range(1, len(parts) - 1)]
    above = [posixpath.join(folder, end) for folder in _folders_above(here) for end in ends]
    wanted = [posixpath.join(here, parts[-1]), *above]
    found = next((path for path in wanted if files.has(path)), None)
    return name if found is None else posixpath.relpath(found, here or ".")


def _folders_above(folder: str) -> Iterator[str]:
    """Yield a folder and all above it; the last is the object's own."""
    while folder:
        yield folder
        folder = posixpath.dirname(folder)
    yield ""
