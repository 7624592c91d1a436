# SPDX-License-Identifier: Apache-2.0
"""The parts of an object that every export needs: bodies, joints, shapes, colors, textures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

import numpy as np
from numpy.typing import NDArray

from aa_dataset.adapters.common import ObjectFiles, ObjectLike, open_object
from aa_dataset.errors import ArenaError
from aa_dataset.format.layout import ObjectLayout
from aa_dataset.kinematics.bodies import RigidBody
from aa_dataset.kinematics.joints import Joint, JointType
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.kinematics.urdf import Shape, UrdfJoint
from aa_dataset.kinematics.urdf_tree import link_bodies, rest_frames, urdf_tree
from aa_dataset.untrusted.inside import is_below
from aa_dataset.untrusted.mtl import read_mtl
from aa_dataset.untrusted.obj import ObjError, read_obj

Array = NDArray[np.float64]
Rgba = tuple[float, float, float, float]


class ExportError(ArenaError):
    """An object cannot be written in that format or to that folder."""


@dataclass(frozen=True, slots=True)
class ExportLook:
    """Color and optional path of the texture, relative to the object."""

    rgba: Rgba = (0.7, 0.7, 0.7, 1.0)
    texture: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """Triangles of an OBJ file: points (n, 3) [m], corners (m, 3), texture coordinates or None.

    `uv` (k, 2) is indexed by `uv_corners` (m, 3).
    """

    points: Array
    corners: NDArray[np.int64]
    uv: Array | None
    uv_corners: NDArray[np.int64] | None


@dataclass(frozen=True)
class Parts:
    """One object, ready to be written in another format."""

    files: ObjectFiles

    @classmethod
    def of(cls, item: ObjectLike) -> Parts:
        """Open an object and check that all its shapes are meshes."""
        parts = cls(open_object(item))
        for link in parts.files.model.links:
            for shape in (*link.visuals, *link.collisions):
                if shape.geometry.kind != "mesh":
                    raise ExportError(
                        f"link {link.name!r} has a {shape.geometry.kind}; only objects of the "
                        "library, whose shapes are meshes, can be exported."
                    )
        return parts

    @cached_property
    def tree(self) -> KinematicTree:
        """The tree with helical joints folded."""
        return urdf_tree(self.files.model)

    @cached_property
    def rest(self) -> dict[str, Array]:
        """Frames (4, 4) of all links at rest, object frame."""
        return rest_frames(self.files.model)

    @cached_property
    def bodies(self) -> dict[str, RigidBody]:
        """Body of every link, in its own frame."""
        bodies = link_bodies(self.files.model, self.rest)
        inward = {name: np.asarray(np.linalg.inv(self.rest[name]), float) for name in bodies}
        return {name: body.moved(inward[name]) for name, body in bodies.items()}

    def drive(self, joint: str) -> UrdfJoint:
        """Return the joint as written in the URDF, with effort and velocity."""
        return next(one for one in self.files.model.joints if one.name == joint)

    def local_axis(self, joint: Joint) -> Array:
        """Return the axis in the child link's frame, which is the joint frame at rest."""
        return np.asarray(self.rest[joint.child][:3, :3].T @ joint.axis)

    @cached_property
    def helical(self) -> tuple[Joint, ...]:
        """The helical joints."""
        return tuple(joint for joint in self.tree.joints if joint.type is JointType.HELICAL)

    def look(self, shape: Shape) -> ExportLook:
        """Return color and texture of a visual, from its URDF material and its MTL file."""
        rgba = ExportLook().rgba
        if shape.material is not None and shape.material.rgba is not None:
            rgba = shape.material.rgba
        mesh = PurePosixPath(shape.geometry.filename)
        words = {line.split()[0]: line.split()[-1] for line in self._material_lines(str(mesh))}
        if "mtllib" not in words:
            return ExportLook(rgba)
        texture = self._texture_file(str(mesh.with_name(words["mtllib"])), words.get("usemtl", ""))
        return ExportLook(rgba, None if texture is None else str(mesh.with_name(texture)))

    def _material_lines(self, name: str) -> Iterator[str]:
        for line in self.read(name).decode().splitlines():
            if line.startswith(("mtllib ", "usemtl ")):
                yield line

    def _texture_file(self, library: str, material: str) -> str | None:
        found = read_mtl(self.read(library)).get(material)
        return found.picture.name if found is not None and found.picture is not None else None

    def read(self, name: str) -> bytes:
        """Return a file of the object; names outside its folder are refused."""
        root = self.files.urdf.parent
        path = ObjectLayout(root).file(name)
        if not is_below(path, root):
            raise ExportError(f"{name!r} is outside the object's folder.")
        if not path.is_file():
            raise ExportError(f"{self.files.urdf} names {name}, which does not exist.")
        return path.read_bytes()

    def mesh_files(self) -> dict[str, bytes]:
        """Return the meshes of all shapes, with their materials and textures."""
        names: set[str] = set()
        for link in self.files.model.links:
            for shape in (*link.visuals, *link.collisions):
                mesh = PurePosixPath(shape.geometry.filename)
                names.add(str(mesh))
                heads = (line.split() for line in self._material_lines(str(mesh)))
                names |= {str(mesh.with_name(w[-1])) for w in heads if w[0] == "mtllib"}
            names |= {t for t in (self.look(s).texture for s in link.visuals) if t}
        return {name: self.read(name) for name in sorted(names)}

    def mesh(self, name: str) -> Mesh:
        """Read an OBJ file of triangles."""
        try:
            text = read_obj(self.read(name))
        except ObjError as error:
            raise ExportError(
                f"{self.files.urdf} names {name}, which is not usable: {error}"
            ) from None
        corners, uv_corners = text.whole.corners, text.whole.uv_corners
        if uv_corners is None or (uv_corners < 0).any():  # no picture can lie on it
            return Mesh(text.points, corners, None, None)
        return Mesh(text.points, corners, text.uv, uv_corners)


def numbers(values: object) -> str:
    """Format numbers so that parsing restores the same bits."""
    flat = np.atleast_1d(np.asarray(values, dtype=float)).ravel() + 0.0
    return " ".join(repr(value).removesuffix(".0") for value in flat.tolist())
