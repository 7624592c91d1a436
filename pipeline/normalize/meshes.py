# SPDX-License-Identifier: Apache-2.0
"""Loads the geometry of links, reading nothing outside the object's own folder."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import trimesh
from PIL import Image
from trimesh.resolvers import Resolver

from aa_dataset.kinematics.urdf import Geometry, Material, Shape, UrdfModel
from pipeline.errors import Rejection
from pipeline.rawfiles import RawFiles
from pipeline.reasons import Code, Finding, Reason

Rgba = tuple[float, float, float, float]
DEFAULT_COLOR: Rgba = (0.7, 0.7, 0.7, 1.0)
MESH_TYPES = frozenset({"obj", "stl", "ply", "glb", "gltf", "dae"})
PICTURE_TYPES = frozenset({".png", ".jpg", ".jpeg", ".bmp", ".tga", ".tif", ".tiff", ".gif"})


@dataclass(frozen=True, slots=True)
class Look:
    """How a piece looks: a color, or a picture (PNG bytes) laid on by texture coordinates."""

    rgba: Rgba = DEFAULT_COLOR
    texture: bytes | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """Triangles of one look: vertices (n, 3) [m], faces (m, 3), uv (n, 2) where textured."""

    vertices: np.ndarray
    faces: np.ndarray
    look: Look
    uv: np.ndarray | None = None

    def moved(self, matrix: np.ndarray) -> Piece:
        """Return the piece after an affine map (4, 4); a mirroring one turns the faces over."""
        vertices = self.vertices @ matrix[:3, :3].T + matrix[:3, 3]
        mirrored = np.linalg.det(matrix[:3, :3]) < 0
        faces = self.faces[:, ::-1] if mirrored else self.faces
        return Piece(vertices, faces, self.look, self.uv)


@dataclass(slots=True)
class MeshReader:
    """Reads the meshes of one object, within its budgets."""

    files: RawFiles
    model: str
    budgets: Mapping[str, Any]
    findings: list[Finding] = field(default_factory=list)
    faces: int = 0
    refused: list[Rejection] = field(default_factory=list)
    _loaded: dict[str, list[Piece]] = field(default_factory=dict)

    def link_pieces(
        self, model: UrdfModel, frames: Mapping[str, np.ndarray]
    ) -> dict[str, list[Piece]]:
        """Return the visual geometry of every link, in the object frame at rest."""
        return {
            link.name: [
                piece.moved(frames[link.name] @ shape.pose)
                for shape in link.visuals
                for piece in self._shape_pieces(shape)
            ]
            for link in model.links
        }

    def _shape_pieces(self, shape: Shape) -> list[Piece]:
        if shape.geometry.kind != "mesh":
            pieces = [_primitive(shape.geometry)]
        else:
            pieces = [p.moved(np.diag([*shape.geometry.scale, 1.0])) for p in self._mesh(shape)]
        self.faces += sum(len(piece.faces) for piece in pieces)
        if self.faces > self.budgets["faces"]:
            limit = self.budgets["faces"]
            raise Rejection(Reason.TOO_MANY_FACES, f"the object has more than {limit} triangles.")
        return [_painted(piece, shape.material) for piece in pieces]

    def _mesh(self, shape: Shape) -> list[Piece]:
        name = shape.geometry.filename
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
            if not any(len(piece.faces) for piece in self._loaded[name]):
                self.findings.append(Finding(Code.MESH_EMPTY, f"{name} holds no triangle."))
        return [piece for piece in self._loaded[name] if len(piece.faces)]

    def _load(self, name: str) -> list[Piece]:
        path = self.files.resolve(name, beside=self.model)
        kind = PurePosixPath(path).suffix.lower().lstrip(".")
        if kind not in MESH_TYPES:
            raise Rejection(Reason.MESH_INVALID, f"{name}: meshes of type {kind!r} are not read.")
        data = self.files.read(path)
        resolver = _Resolver(self, path)
        try:
            scene = trimesh.load_scene(
                io.BytesIO(data), file_type=kind, resolver=resolver, process=False
            )
            self._raise_refused()
            return _scene_pieces(scene)
        except Rejection:
            raise
        except MemoryError:
            raise
        except Exception as error:  # third-party parsers raise whatever they like
            self._raise_refused()
            raise Rejection(
                Reason.MESH_INVALID, f"{name} cannot be read: {type(error).__name__}: {error}"
            ) from error

    def _raise_refused(self) -> None:
        """Say again what a side file was refused for: trimesh swallows what its resolver raises."""
        if self.refused:
            raise self.refused[0]


class _Resolver(Resolver):
    """Lets trimesh open materials and textures, but only inside the object's folder."""

    def __init__(self, reader: MeshReader, beside: str) -> None:
        self._reader, self._beside = reader, beside

    def get(self, name: str) -> bytes:
        """Return a side file's bytes; an absent one is a finding and a plain color."""
        try:
            data = self._reader.files.read(name.strip(), beside=self._beside)
        except Rejection as rejection:
            if rejection.reason is not Reason.MESH_MISSING:
                self._reader.refused.append(rejection)
                raise
            raise self._missing(name, "absent") from None
        if PurePosixPath(name.strip()).suffix.lower() in PICTURE_TYPES and not _is_picture(data):
            raise self._missing(name, "not a readable picture")
        return data

    def _missing(self, name: str, what: str) -> FileNotFoundError:
        detail = f"{name.strip()} is named by a mesh but {what}."
        self._reader.findings.append(Finding(Code.TEXTURE_MISSING, detail))
        return FileNotFoundError(name)

    def namespaced(self, namespace: str) -> _Resolver:
        """Return the same resolver for a folder below."""
        below = f"{namespace}/x"
        return _Resolver(self._reader, self._reader.files.resolve(below, beside=self._beside))

    def write(self, name: str, data: bytes) -> None:
        """Refuse: reading a mesh writes nothing."""
        raise PermissionError(name)

    def keys(self) -> list[str]:
        """Return nothing: files are opened by name alone."""
        return []


def _scene_pieces(scene: trimesh.Scene) -> list[Piece]:
    pieces = []
    for node in sorted(scene.graph.nodes_geometry):
        matrix, name = scene.graph[node]
        mesh = scene.geometry[name]
        if isinstance(mesh, trimesh.Trimesh):
            pieces.append(_piece(mesh).moved(matrix))
    return pieces


def _piece(mesh: trimesh.Trimesh) -> Piece:
    vertices = np.asarray(mesh.vertices, dtype=float)
    if not np.isfinite(vertices).all():
        raise Rejection(Reason.MESH_INVALID, "a mesh has coordinates that are not finite numbers.")
    look, uv = _look(mesh)
    faces = np.asarray(mesh.faces)
    if len(faces) and (faces.min() < 0 or faces.max() >= len(vertices)):
        raise Rejection(Reason.MESH_INVALID, "a mesh names vertices that it does not have.")
    return Piece(vertices, faces, look, uv)


def _look(mesh: trimesh.Trimesh) -> tuple[Look, np.ndarray | None]:
    visual = mesh.visual
    material = visual.material if visual.kind == "texture" else None
    written = _mtl_color(getattr(material, "kwargs", {}))
    if material is not None and visual.uv is not None:
        image = getattr(material, "image", None) or getattr(material, "baseColorTexture", None)
        if image is not None and len(visual.uv) == len(mesh.vertices):
            alpha = 1.0 if written is None else written[3]
            return Look((1.0, 1.0, 1.0, alpha), _png(image)), np.asarray(visual.uv, dtype=float)
    if written is not None:
        return Look(written), None
    if visual.defined:
        color = visual.main_color if material is None else material.main_color
        return Look(_unit_color(color)), None
    return Look(), None


def _mtl_color(entries: Mapping[str, Any]) -> Rgba | None:
    """Return the color of an MTL material as written: trimesh drops `d` and keeps 8 bits of `Kd`.

    Exporters disagree about `Tr`; a material that nobody could see is taken as opaque.
    """
    try:
        r, g, b = (min(max(round(float(value), 4), 0.0), 1.0) for value in entries["kd"])
        dissolve = float(entries["d"][-1]) if "d" in entries else None
        if dissolve is None:
            dissolve = 1.0 - float(entries["tr"][0]) if "tr" in entries else 1.0
    except (KeyError, TypeError, ValueError):
        return None
    alpha = round(dissolve, 4) if 0 < dissolve < 1 else 1.0
    return (r, g, b, alpha) if np.isfinite([r, g, b]).all() else None


def _is_picture(data: bytes) -> bool:
    try:
        with Image.open(io.BytesIO(data)) as image:
            image.load()
    except MemoryError:
        raise
    except Exception:  # decoders raise whatever they like
        return False
    return True


def _png(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    image.convert("RGBA" if "A" in image.getbands() else "RGB").save(buffer, "PNG")
    return buffer.getvalue()


def _unit_color(color: np.ndarray) -> Rgba:
    r, g, b, a = (round(float(value) / 255.0, 4) for value in color)
    return r, g, b, a


def _primitive(geometry: Geometry) -> Piece:
    size = geometry.size
    makers = {
        "box": lambda: trimesh.creation.box(extents=size),
        "sphere": lambda: trimesh.creation.icosphere(subdivisions=3, radius=size[0]),
        "cylinder": lambda: trimesh.creation.cylinder(radius=size[0], height=size[1], sections=48),
        "capsule": lambda: trimesh.creation.capsule(radius=size[0], height=size[1], count=[24, 24]),
    }
    mesh = makers[geometry.kind]()
    return Piece(np.asarray(mesh.vertices, dtype=float), np.asarray(mesh.faces), Look())


def _painted(piece: Piece, material: Material | None) -> Piece:
    """Apply the URDF's color where the mesh brings no look of its own."""
    if material is None or material.rgba is None or piece.look != Look():
        return piece
    r, g, b, a = (round(value, 4) for value in material.rgba)
    return Piece(piece.vertices, piece.faces, Look((r, g, b, a)), piece.uv)
