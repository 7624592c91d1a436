# SPDX-License-Identifier: Apache-2.0
"""Loads the geometry of links, reading nothing outside the object's own folder.

Lengths of a mesh are meters times the URDF's `scale`. The unit of a COLLADA file is applied, its up
axis is not, as in ROS. Triangles without area are kept, because `verify` counts them. Normals are
not kept: every reader computes its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TypeVar

import numpy as np

from aa_dataset.kinematics.urdf import Geometry, Material, Shape, UrdfLink, UrdfModel
from aa_dataset.portable import product
from aa_dataset.untrusted.mtl import MtlMaterial, read_mtl
from aa_dataset.untrusted.obj import Group, ObjError, ObjText, read_obj
from pipeline.base.errors import Rejection
from pipeline.base.reasons import Code, Finding, Reason, Severity
from pipeline.engine.settings import Budgets
from pipeline.raw.files import RawFiles
from pipeline.shapes.pictures import (
    NotAPicture,
    Picture,
    PictureBudget,
    read_picture,
    with_mask,
)
from pipeline.shapes.pieces import Look, Piece, compacted, joined
from pipeline.shapes.primitives import Primitive, tessellated
from pipeline.shapes.scenes import SCENE_TYPES, scene_pieces
from pipeline.stages.normalize.given_meshes import GivenMesh
from pipeline.stages.normalize.substitutes import near_picture

T = TypeVar("T")
# Texture coordinates beyond this have no fraction left in single precision, as in a GLB.
LARGEST_UV = 1e6
# Maximum groups of triangles of one look, over all shapes: each costs as much as hundreds of
# triangles.
MOST_PIECES = 100_000
# Maximum number of listed findings per code, and of characters of a file's name in them.
MOST_FINDINGS, LONGEST_NAME = 1_000, 1_000


@dataclass(frozen=True, slots=True, eq=False)
class LinkGeometry:
    """Visual and collision geometry of one link, in the object frame at rest.

    `collisions` has one piece per shape; `source` is whether the source has separate collision
    shapes, or they repeat its visuals. `primitives` has, by the number of its piece in `visuals`,
    every visual that is not a mesh.
    """

    visuals: list[Piece]
    collisions: list[Piece]
    source: bool
    primitives: dict[int, Primitive]


@dataclass(slots=True)
class MeshReader:
    """Reads the meshes of one object, within its budgets.

    `given` has, by name, the meshes of which the document decides the numbers or the look.
    """

    files: RawFiles
    model: str
    budgets: Budgets
    given: Mapping[str, GivenMesh] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    faces: int = 0
    _pieces: int = 0
    _pixels: PictureBudget = field(init=False)
    _loaded: dict[str, list[Piece]] = field(default_factory=dict)
    _texts: dict[str, ObjText] = field(default_factory=dict)
    _by_path: dict[str, list[Piece]] = field(default_factory=dict)
    _pictures: dict[tuple[str, str], Picture | None] = field(default_factory=dict)
    _decoded: dict[bytes, Picture | None] = field(default_factory=dict)
    _libraries: dict[str, dict[str, MtlMaterial]] = field(default_factory=dict)
    _said: set[Finding] = field(default_factory=set)
    _counts: Counter[tuple[Code, Severity]] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._pixels = PictureBudget(self.budgets.pixels)

    @property
    def most_faces(self) -> int:
        """Return the maximum number of triangles of the object."""
        return self.budgets.faces

    def link_geometry(
        self, model: UrdfModel, frames: Mapping[str, np.ndarray]
    ) -> dict[str, LinkGeometry]:
        """Return the geometry of every link."""
        found = {link.name: self._link(link, frames[link.name]) for link in model.links}
        self.findings += self._unlisted()
        return found

    def _unlisted(self) -> list[Finding]:
        """Return one finding per code with more findings than are listed."""
        return [
            Finding(code, f"{count - MOST_FINDINGS} more of these are not listed.", severity)
            for (code, severity), count in self._counts.items()
            if count > MOST_FINDINGS
        ]

    def _link(self, link: UrdfLink, frame: np.ndarray) -> LinkGeometry:
        shapes = [self._placed(shape, frame) for shape in link.visuals]
        visuals = [piece.settled() for pieces in shapes for piece in pieces]
        starts = np.cumsum([0, *map(len, shapes)]).tolist()
        primitives = {
            start: _primitive(shape, frame)
            for shape, pieces, start in zip(link.visuals, shapes, starts[:-1], strict=True)
            if pieces and shape.geometry.kind != "mesh"
        }
        own = None if _same_shapes(link) else self._own_collisions(link, frame)
        copies = [joined(pieces, Look()) for pieces in shapes if pieces]
        if own is None or _same_geometry(own, copies):
            return LinkGeometry(visuals, copies, False, primitives)
        return LinkGeometry(visuals, own, True, primitives)

    def _own_collisions(self, link: UrdfLink, frame: np.ndarray) -> list[Piece] | None:
        """Return the source's collision geometry; None, with a finding, if it is unusable."""
        try:
            shapes = [self._placed(shape, frame) for shape in link.collisions]
        except Rejection as rejection:
            if rejection.reason not in (Reason.MESH_MISSING, Reason.MESH_INVALID):
                raise
            detail = f"link {link.name!r}: {rejection.detail} Hulls of what it shows stand in."
            self._add(Finding(Code.COLLISION_REPLACED, detail))
            return None
        return [joined(pieces, Look()) for pieces in shapes if pieces] or None

    def _placed(self, shape: Shape, frame: np.ndarray) -> list[Piece]:
        pieces = self._shape_pieces(shape)
        self._spend(pieces)
        matrix = product(frame, shape.pose) * [*shape.geometry.scale, 1.0]
        return [self._painted(piece, shape.material).moved(matrix) for piece in pieces]

    def _spend(self, pieces: Sequence[Piece]) -> None:
        """Count triangles and pieces of one more shape; reject what exceeds the budget."""
        self.faces += sum(len(piece.faces) for piece in pieces)
        self._pieces += len(pieces)
        if self.faces > self.budgets.faces:
            limit = self.budgets.faces
            raise Rejection(Reason.TOO_MANY_FACES, f"the object has more than {limit} triangles.")
        if self._pieces > MOST_PIECES:
            detail = f"the object is made of more than {MOST_PIECES} pieces; join some."
            raise Rejection(Reason.TOO_MANY_FACES, detail)

    def _shape_pieces(self, shape: Shape) -> list[Piece]:
        if shape.geometry.kind != "mesh":
            return self._primitive_pieces(shape.geometry)
        name = shape.geometry.filename
        if name not in self._loaded:
            self._loaded[name] = self._load_once(name)
            if not self._loaded[name]:
                self._add(Finding(Code.MESH_EMPTY, f"{name} holds no triangle."))
        return self._loaded[name]

    def _load_once(self, name: str) -> list[Piece]:
        """Return a file's pieces with triangles; a file with several spellings is read once."""
        path = name if name in self.given else self.files.resolve(name, beside=self.model)
        if path not in self._by_path:
            self._by_path[path] = [piece for piece in self._load(name) if len(piece.faces)]
        return self._by_path[path]

    def _primitive_pieces(self, geometry: Geometry) -> list[Piece]:
        is_round = geometry.kind != "box"  # its first size is a radius
        if not is_round or geometry.size[0]:
            piece = Piece(*tessellated(geometry.kind, geometry.size))
            if len(piece.faces):
                return [piece]
        sizes = " x ".join(f"{size:g}" for size in geometry.size)
        self._report(Finding(Code.MESH_EMPTY, f"a {geometry.kind} of {sizes} has no triangle."))
        return []

    def _load(self, name: str) -> list[Piece]:
        try:
            pieces = self._given_pieces(name) if name in self.given else self._of_file(name)
        except ObjError as error:
            raise Rejection(Reason.MESH_INVALID, f"{name} cannot be read: {error}") from None
        for piece in pieces:
            _require_numbers(piece, name)
        return [self._with_finite_uv(piece, name) for piece in pieces]

    def _given_pieces(self, name: str) -> list[Piece]:
        mesh = self.given[name]
        text = self._obj_text(mesh.source) if isinstance(mesh.source, str) else mesh.source
        if not text.groups:
            return []
        return [self._group(text, text.whole, {"": mesh.material}, self.model)]

    def _obj_text(self, path: str) -> ObjText:
        if path not in self._texts:
            self._texts[path] = read_obj(self.files.read(path))
        return self._texts[path]

    def _of_file(self, name: str) -> list[Piece]:
        path = self.files.resolve(name, beside=self.model)
        kind = PurePosixPath(path).suffix.lower().lstrip(".")
        if kind != "obj" and kind not in SCENE_TYPES:
            raise Rejection(Reason.MESH_INVALID, f"{name}: meshes of type {kind!r} are not read.")
        data = self.files.read(path)
        return self._obj(data, path) if kind == "obj" else scene_pieces(self, data, path)

    def _obj(self, data: bytes, path: str) -> list[Piece]:
        text = read_obj(data)
        materials = self._materials(text, path)
        return [self._group(text, group, materials, path) for group in text.groups]

    def _materials(self, text: ObjText, path: str) -> dict[str, MtlMaterial]:
        """Return those materials of an OBJ file's libraries that it uses."""
        found: dict[str, MtlMaterial] = {}
        used = {group.material or "" for group in text.groups}
        lines = dict.fromkeys(reversed(text.libraries))  # the last one counts; each is read once
        names = [name for line in reversed(lines) for name in self._library_names(line, path)]
        for name in reversed(dict.fromkeys(reversed(names))):
            library = self._library(name, path)
            # Iterates over the smaller set, because a library of all materials is common.
            found |= {key: library[key] for key in library.keys() & used}
        return found

    def _library(self, name: str, beside: str) -> dict[str, MtlMaterial]:
        """Return all materials of a file, which is read once for all meshes."""
        path = self._unless_absent(self.files.resolve, name, beside)
        if path is not None and path not in self._libraries:
            data = self.side_file(name, beside)
            if data is not None:  # an absent one is a finding for every mesh that names it
                self._libraries[path] = read_mtl(data)
        return self._libraries.get(path or "", {})

    def _library_names(self, line: str, path: str) -> list[str]:
        """Return the files of a `mtllib` line: one whose name has spaces, or several."""
        words = line.split()
        if len(words) > 1 and self.files.has(self.files.resolve(line, beside=path)):
            return [line]
        return words

    def _group(
        self, text: ObjText, group: Group, materials: Mapping[str, MtlMaterial], path: str
    ) -> Piece:
        material = materials.get(group.material or "", MtlMaterial())
        color, line = material.color(), material.picture
        is_plain = color is not None and line is None  # no picture is applied
        places = None if is_plain else group.uv_corners
        vertices, faces, uv = compacted(text.points, group.corners, text.uv, places)
        if color is None:
            look = Look() if text.colors is None else self.mean_look(text.colors[group.corners])
            return Piece(vertices, faces, look, uv)
        if line is None:
            return Piece(vertices, faces, Look(color))
        picture = self._mtl_picture(material, path)
        if picture is not None and uv is None:
            self._report_unplaced(path, line.name)
        elif picture is not None and uv is not None:
            return Piece(vertices, faces, Look(color, picture), line.placed(uv))
        plain = material.diffuse or Look().rgba[:3]
        return Piece(vertices, faces, Look((*plain, color[3])), uv)

    def _mtl_picture(self, material: MtlMaterial, path: str) -> Picture | None:
        """Return a material's picture, with the brightness of `map_d` as its alpha."""
        base, mask = material.picture, material.mask
        if base is None:
            return None
        picture = self.picture(base.name, path)
        if picture is None or mask is None or mask.name == base.name:
            return picture
        data = self.side_file(mask.name, path)
        key = (f"{base.name}\n{mask.name}", path)
        if data is not None and key not in self._pictures:
            try:
                self._pictures[key] = with_mask(picture, data, mask.name, self._pixels)
            except NotAPicture as error:
                self._texture_missing(mask.name, path, f"not a readable picture: {error}")
                self._pictures[key] = picture
        return self._pictures.get(key, picture)

    def picture(self, name: str, beside: str) -> Picture | None:
        """Return a picture that the file `beside` names; an absent one is a finding."""
        name = near_picture(self.files, name, beside)
        key = (self.files.resolve(name, beside=beside), "")
        if key not in self._pictures:
            data = self.side_file(name, beside)
            self._pictures[key] = None if data is None else self.embedded(data, name, beside)
        return self._pictures[key]

    def embedded(self, data: bytes, name: str, beside: str) -> Picture | None:
        """Return a picture from its bytes; one that cannot be decoded is a finding."""
        if data not in self._decoded:
            try:
                self._decoded[data] = read_picture(data, name, self._pixels)
            except NotAPicture as error:
                self._decoded[data] = None
                self._texture_missing(name, beside, f"not a readable picture: {error}")
        return self._decoded[data]

    def side_file(self, name: str, beside: str) -> bytes | None:
        """Return a material file or picture; an absent one is a finding and None."""
        return self._unless_absent(self.files.read, name, beside)

    def _unless_absent(self, ask: Callable[..., T], name: str, beside: str) -> T | None:
        try:
            return ask(name, beside=beside)
        except Rejection as rejection:
            if rejection.reason is not Reason.MESH_MISSING:
                raise
            self._texture_missing(name, beside, "absent")
            return None

    def mean_look(self, colors: np.ndarray) -> Look:
        """Return one look for many corner colors (..., 3 or 4) in [0, 1]: their mean."""
        flat = np.clip(colors.reshape(-1, colors.shape[-1]), 0.0, 1.0)
        if not len(flat) or not np.isfinite(flat).all():
            return Look()
        if np.ptp(flat, axis=0).max() > 1 / 255:
            detail = "colors of single vertices became their mean."
            self._add(Finding(Code.COLORS_AVERAGED, detail, Severity.INFO))
        r, g, b, a = (*np.round(flat.mean(axis=0), 4).tolist(), 1.0)[:4]
        return Look((r, g, b, a))

    def _painted(self, piece: Piece, material: Material | None) -> Piece:
        """Apply the URDF's color and picture if the mesh has no look of its own."""
        if material is None or piece.look != Look():
            return piece
        picture = None
        if material.texture:
            picture = self.picture(material.texture, self.model)
            if picture is not None and piece.uv is None:
                self._report_unplaced(self.model, material.texture)
                picture = None
        if picture is None and material.rgba is None:
            return piece
        white = (1.0, 1.0, 1.0, 1.0)
        r, g, b, a = (round(value, 4) for value in material.rgba or white)
        return Piece(piece.vertices, piece.faces, Look((r, g, b, a), picture), piece.uv)

    def _with_finite_uv(self, piece: Piece, name: str) -> Piece:
        if piece.uv is None or (np.abs(piece.uv) <= LARGEST_UV).all():  # also catches NaN
            return piece
        if piece.look.texture is not None:
            self._report_unplaced(name, piece.look.texture.name)
        return Piece(piece.vertices, piece.faces, Look(piece.look.rgba))

    def _texture_missing(self, name: str, beside: str, what: str) -> None:
        detail = f"{name.strip()[:LONGEST_NAME]} is named by {beside} but {what}."
        self._report(Finding(Code.TEXTURE_MISSING, detail))

    def _report_unplaced(self, path: str, name: str) -> None:
        name = name[:LONGEST_NAME]
        detail = f"{path}: {name} lies on geometry without usable texture coordinates."
        self._report(Finding(Code.TEXTURE_UNPLACED, detail))

    def _report(self, finding: Finding) -> None:
        if finding not in self._said:
            self._said.add(finding)
            self._add(finding)

    def _add(self, finding: Finding) -> None:
        """List a finding, or only count it if enough of its code are listed."""
        kind = finding.code, finding.severity
        self._counts[kind] += 1
        if self._counts[kind] <= MOST_FINDINGS:
            self.findings.append(finding)


def _require_numbers(piece: Piece, name: str) -> None:
    if not np.isfinite(piece.vertices).all():
        raise Rejection(Reason.MESH_INVALID, f"{name} has coordinates that are not finite numbers.")
    faces = piece.faces
    if len(faces) and (faces.min() < 0 or faces.max() >= len(piece.vertices)):
        raise Rejection(Reason.MESH_INVALID, f"{name} names vertices that it does not have.")


def _same_shapes(link: UrdfLink) -> bool:
    """Return whether a link's collisions are missing or repeat its visuals."""
    keys = [
        [(shape.geometry, shape.pose.tobytes()) for shape in shapes]
        for shapes in (link.visuals, link.collisions)
    ]
    return not link.collisions or keys[0] == keys[1]


def _same_geometry(ones: list[Piece], others: list[Piece]) -> bool:
    """Return whether two lists of shapes have the same triangles, from any files."""
    return len(ones) == len(others) and all(
        np.array_equal(one.faces, other.faces) and np.allclose(one.vertices, other.vertices)
        for one, other in zip(ones, others, strict=True)
    )


def _primitive(shape: Shape, frame: np.ndarray) -> Primitive:
    place = product(frame, shape.pose)
    return Primitive(shape.geometry.kind, shape.geometry.size, place[:3, :3], place[:3, 3])
