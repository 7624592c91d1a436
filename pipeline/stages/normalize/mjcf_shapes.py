# SPDX-License-Identifier: Apache-2.0
"""Converts the geoms of a compiled MJCF model to visual and collision shapes, with their meshes.

MuJoCo does not mark visual geoms; it has only contact bits and groups, of which a viewer shows 0 to
2. A shown geom without contacts is a visual. A geom with contacts is a visual as well if there are
no others, or if it is in a group of the visuals (a label on a box). Otherwise it is the collision
copy of a visual (furniture_sim: groups 1 and 4; RoboCasa: 1 and 0). A body without any visual keeps
its collision geoms as visuals. A color of alpha 0 is not visible.
"""

from __future__ import annotations

import functools
import io
import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import trimesh

from aa_dataset.kinematics.mjcf_joints import pose
from aa_dataset.kinematics.urdf import Geometry, Inertial, Material, Shape
from aa_dataset.portable import applied, inverse, product
from pipeline.base.errors import Rejection
from pipeline.base.reasons import Code, Finding, Reason, Severity
from pipeline.raw.files import RawFiles
from pipeline.shapes.pictures import open_picture
from pipeline.stages.normalize.given_meshes import GivenMesh, mesh_of
from pipeline.stages.normalize.mjcf_document import MjcfDocument
from pipeline.stages.normalize.mjcf_meshes import mesh_from_msh, mesh_from_text

PLANE, HFIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH, SDF = range(9)
SHOWN_GROUPS = (0, 1, 2)
# MuJoCo's default color of a geom: the color of its material applies.
UNSET = np.array([0.5, 0.5, 0.5, 1.0])
MOST_PIXELS = 64_000_000
_RGB, _RGBA = 1, 8  # texture roles
_PLACES = re.compile(rb"(?m)^[ \t]*vt[ \t]")


@dataclass(frozen=True, slots=True, eq=False)
class MeshMap:
    """A vertex ``p`` of the file is ``scale * R(refquat)^T (p - refpos)`` in the geom's frame."""

    scale: np.ndarray
    refpos: np.ndarray
    refquat: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """Facts of the document that the compiled model loses: by body, mesh name, geom."""

    inertials: Mapping[int, Inertial | None]
    meshes: Mapping[str, MeshMap]
    fitted: frozenset[int]


class ShapeMaker:
    """Makes the shapes of every body, and collects their meshes and findings.

    `meshes` has, by the name in the shape, every mesh that is not simply a file of the object.
    """

    def __init__(
        self, files: RawFiles, model: str, document: MjcfDocument, compiled: Any, written: Written
    ) -> None:
        self._raw, self._model, self._folder = files, model, posixpath.dirname(model)
        self._document, self._m, self._written = document, compiled, written
        self.meshes: dict[str, GivenMesh] = {}
        self.findings: list[Finding] = []
        self._made: dict[int, tuple[list[Shape], list[Shape]]] = {}
        self._names: dict[tuple[str, str], str] = {}
        self._own: dict[str, GivenMesh | None] = {}
        self._averages: dict[str, np.ndarray | None] = {}
        self._seen = self._seen_geoms()

    def of_body(self, body: int) -> tuple[list[Shape], list[Shape]]:
        """Return the visual and the collision shapes of a body, in its own frame."""
        if body not in self._made:
            geoms = self._geoms(body)
            visuals = [self._shape(g) for g in geoms if g in self._seen and self._has_form(g, body)]
            touching = [g for g in geoms if self._touches(g) and self._is_plain(g, body)]
            self._made[body] = visuals, [self._shape(g, painted=False) for g in touching]
        return self._made[body]

    def _geoms(self, body: int) -> range:
        first = self._m.body_geomadr[body]
        return range(first, first + self._m.body_geomnum[body])

    def _touches(self, geom: int) -> bool:
        return bool(self._m.geom_contype[geom] or self._m.geom_conaffinity[geom])

    def _seen_geoms(self) -> set[int]:
        m = self._m
        shown = [g for g in range(m.ngeom) if m.geom_group[g] in SHOWN_GROUPS and self._alpha(g)]
        visuals = {g for g in shown if not self._touches(g)}
        groups = {int(m.geom_group[g]) for g in visuals}
        visible = {g for g in shown if not groups or int(m.geom_group[g]) in groups}
        for body in range(m.nbody):
            if not visible.intersection(self._geoms(body)):
                visible.update(g for g in self._geoms(body) if g in shown)
        return visible or {g for g in range(m.ngeom) if self._touches(g)}

    def _alpha(self, geom: int) -> bool:
        return bool(self._color(geom)[3] > 0)

    def _color(self, geom: int) -> np.ndarray:
        own = np.array(self._m.geom_rgba[geom], dtype=float)
        material = self._m.geom_matid[geom]
        has_own = material < 0 or not np.allclose(own, UNSET, atol=1e-6)
        return own if has_own else np.array(self._m.mat_rgba[material], dtype=float)

    def _has_form(self, geom: int, body: int) -> bool:
        """Return whether a visible geom can be converted; reject one that the object needs.

        A plane of the world, or an infinite one, is the floor.
        """
        kind = self._m.geom_type[geom]
        if kind == PLANE and (body == 0 or not (self._m.geom_size[geom, :2] > 0).all()):
            self._ignore("a plane is the floor, not a part of the object")
            return False
        if kind in (HFIELD, SDF) or geom in self._written.fitted:
            raise Rejection(
                Reason.MJCF_INVALID,
                f"{self._geom_name(geom)} is a height field, an SDF or fitted to a mesh; "
                "write it as a mesh or a primitive.",
            )
        return True

    def _is_plain(self, geom: int, body: int) -> bool:
        """Return whether a collision geom can be converted; one that cannot is left out."""
        kind = self._m.geom_type[geom]
        if kind in (PLANE, HFIELD, SDF) or geom in self._written.fitted:
            if kind != PLANE or body:
                self._ignore(f"the contact shape {self._geom_name(geom)} is left out")
            return False
        return True

    def _ignore(self, what: str) -> None:
        finding = Finding(Code.MJCF_PART_IGNORED, f"{what}.", Severity.INFO)
        if finding not in self.findings:
            self.findings.append(finding)

    def _geom_name(self, geom: int) -> str:
        return f"geom {self._m.geom(geom).name or geom!r}"

    def _shape(self, geom: int, *, painted: bool = True) -> Shape:
        m = self._m
        place = pose(m.geom_pos[geom], m.geom_quat[geom])
        color, texture = self._look(geom) if painted else (None, "")
        if m.geom_type[geom] == MESH:
            geometry, place = self._mesh(geom, place, texture)
        else:
            geometry = self._primitive(geom)
        material = None if color is None else Material("", color)
        return Shape(m.geom(geom).name, place, geometry, material)

    def _primitive(self, geom: int) -> Geometry:
        x, y, z = (float(value) for value in self._m.geom_size[geom])
        kind = self._m.geom_type[geom]
        if kind == ELLIPSOID:
            return Geometry("mesh", filename=self._given("ball", _ball()), scale=(x, y, z))
        if kind == PLANE:
            name = self._given("square", _unit_square())
            return Geometry("mesh", filename=name, scale=(2 * x, 2 * y, 1.0))
        return {
            SPHERE: Geometry("sphere", (x,)),
            CAPSULE: Geometry("capsule", (x, 2 * y)),
            CYLINDER: Geometry("cylinder", (x, 2 * y)),
            BOX: Geometry("box", (2 * x, 2 * y, 2 * z)),
        }[int(kind)]

    def _given(self, name: str, mesh: GivenMesh) -> str:
        """Add a mesh and return its name; no relative path has two slashes in a row."""
        key = f"{self._model}//{name}"
        self.meshes[key] = mesh
        return key

    def _mesh(self, geom: int, place: np.ndarray, texture: str) -> tuple[Geometry, np.ndarray]:
        """Return a mesh and its pose from the file's frame, not from that of the placeholder."""
        number = int(self._m.geom_dataid[geom])
        name = self._m.mesh(number).name
        stand_in = pose(self._m.mesh_pos[number], self._m.mesh_quat[number])
        inner, scale = _mesh_pose(self._written.meshes[name], name)
        file = self._mesh_file(name, texture)
        return Geometry("mesh", filename=file, scale=scale), product(
            product(place, inverse(stand_in)), inner
        )

    def _mesh_file(self, name: str, texture: str) -> str:
        key = (name, texture)
        if key not in self._names:
            self._names[key] = self._new_mesh_file(name, texture)
        return self._names[key]

    def _new_mesh_file(self, name: str, texture: str) -> str:
        mesh = self._own_mesh(name)
        if mesh is None:
            return self._beside(self._document.meshes[name]["path"])
        if not texture:
            return self._given(repr(name), mesh)
        picture = self._beside(self._document.textures[texture]["path"])
        return self._given(f"{name!r} {texture!r}", replace(mesh, picture=picture))

    def _beside(self, path: str) -> str:
        """Return the path of a file relative to the model's folder."""
        return posixpath.relpath(path, self._folder or ".")

    def _own_mesh(self, name: str) -> GivenMesh | None:
        """Return a mesh without a look; None for formats that `MeshReader` reads as they are."""
        if name not in self._own:
            self._own[name] = self._new_own_mesh(name)
        return self._own[name]

    def _new_own_mesh(self, name: str) -> GivenMesh | None:
        facts = self._document.meshes[name]
        path = facts["path"]
        if not path:
            return mesh_from_text(name, facts)
        if not self._raw.has(path):
            raise Rejection(Reason.MESH_MISSING, f"mesh {name!r}: {path!r} does not exist.")
        kind = posixpath.splitext(path)[1].lower()
        if kind == ".msh":
            return mesh_from_msh(name, self._raw.read(path))
        # MuJoCo ignores the materials that an OBJ names.
        return GivenMesh(path) if kind == ".obj" else None

    def _has_places(self, name: str) -> bool:
        """Return whether a mesh has texture coordinates that a picture can use."""
        mesh = self._own_mesh(name)
        if mesh is None:
            return False
        if isinstance(mesh.source, str):
            return _PLACES.search(self._raw.read(mesh.source)) is not None
        return len(mesh.source.uv) > 0

    def _look(self, geom: int) -> tuple[tuple[float, float, float, float], str]:
        """Return the color of a geom, and the texture that its mesh can carry."""
        color = self._color(geom)
        texture = self._texture(geom)
        if texture and self._can_carry(geom, texture):
            return tuple(color.tolist()), texture
        average = self._average(texture) if texture else None
        if average is not None:
            color[:3] *= average
        return tuple(np.clip(color, 0, 1).round(4).tolist()), ""

    def _texture(self, geom: int) -> str:
        material = self._m.geom_matid[geom]
        if material < 0:
            return ""
        numbers = [int(self._m.mat_texid[material, role]) for role in (_RGB, _RGBA)]
        found = [number for number in numbers if number >= 0]
        return self._m.tex(found[0]).name if found else ""

    def _can_carry(self, geom: int, texture: str) -> bool:
        facts = self._document.textures[texture]
        if self._m.geom_type[geom] != MESH or facts.get("type", "cube") != "2d":
            return False
        has_places = self._has_places(self._m.mesh(int(self._m.geom_dataid[geom])).name)
        return has_places and bool(facts["path"]) and self._raw.has(facts["path"])

    def _average(self, texture: str) -> np.ndarray | None:
        """Return the mean color (3,) of a picture without coordinates, with one finding."""
        if texture not in self._averages:
            self._averages[texture] = self._new_average(texture)
        return self._averages[texture]

    def _new_average(self, texture: str) -> np.ndarray | None:
        facts = self._document.textures[texture]
        if not facts["path"]:
            return _builtin_average(facts)
        mean = None
        if self._raw.has(facts["path"]):
            mean = _picture_average(self._raw.read(facts["path"]))
        if mean is None:
            detail = f"texture {texture!r}: {facts['path']} is absent or not a readable picture."
            self.findings.append(Finding(Code.TEXTURE_MISSING, detail))
            return None
        detail = f"texture {texture!r} has no place on its geometry; its mean color stands in."
        self.findings.append(Finding(Code.TEXTURE_AVERAGED, detail, Severity.INFO))
        return mean


def _mesh_pose(placing: MeshMap, name: str) -> tuple[np.ndarray, tuple[float, float, float]]:
    """Return the rigid pose, and the scale before it, that are equal to a `MeshMap`."""
    scale, turn = placing.scale, pose(np.zeros(3), placing.refquat)[:3, :3].T
    is_turned = not np.allclose(turn, np.eye(3), atol=1e-12)
    if is_turned and np.ptp(scale) > 1e-12 * np.abs(scale).max():
        detail = f"mesh {name!r} is turned by refquat and scaled unevenly; bake it into the file."
        raise Rejection(Reason.MJCF_INVALID, detail)
    out = np.eye(4)
    out[:3, :3] = turn
    out[:3, 3] = -scale * applied(turn, placing.refpos)
    return out, tuple(scale.tolist())


def _builtin_average(facts: Mapping[str, str]) -> np.ndarray | None:
    try:
        first = np.array([float(w) for w in facts.get("rgb1", ".8 .8 .8").split()])
        second = np.array([float(w) for w in facts.get("rgb2", ".5 .5 .5").split()])
    except ValueError:
        return None
    if first.shape != (3,) or second.shape != (3,) or facts.get("builtin", "none") == "none":
        return None
    mean = first if facts["builtin"] == "flat" else (first + second) / 2
    return mean if np.isfinite(mean).all() else None


def _picture_average(data: bytes) -> np.ndarray | None:
    try:
        with open_picture(io.BytesIO(data)) as image:
            if image.width * image.height > MOST_PIXELS:
                return None
            pixels = np.asarray(image.convert("RGB"), dtype=np.uint8)
    except MemoryError:
        raise
    except Exception:  # decoders raise various errors
        return None
    return np.asarray(pixels.reshape(-1, 3).mean(axis=0) / 255.0)


@functools.cache
def _ball() -> GivenMesh:
    mesh = trimesh.creation.icosphere(subdivisions=3, radius=1.0)
    return mesh_of(np.asarray(mesh.vertices), np.asarray(mesh.faces))


@functools.cache
def _unit_square() -> GivenMesh:
    corners = np.array([[-0.5, -0.5, 0], [0.5, -0.5, 0], [0.5, 0.5, 0], [-0.5, 0.5, 0]])
    return mesh_of(corners, np.array([[0, 1, 2], [0, 2, 3]]))
