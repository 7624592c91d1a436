# SPDX-License-Identifier: Apache-2.0
"""Reads meshes other than OBJ through trimesh: STL, PLY, GLB, glTF and COLLADA."""

from __future__ import annotations

import io
import re
import struct
import zipfile
from pathlib import PurePosixPath
from typing import Any, Protocol
from xml.etree.ElementTree import Element

import numpy as np
import trimesh
from PIL import Image
from trimesh.resolvers import Resolver

from aa_dataset.errors import UrdfError
from aa_dataset.portable import product
from aa_dataset.untrusted.safe_json import parse_json
from aa_dataset.untrusted.safe_xml import XmlBudget, parse_xml
from pipeline.base.errors import Rejection
from pipeline.base.reasons import Reason
from pipeline.shapes.pictures import Picture, named_formats, opaque
from pipeline.shapes.pieces import Look, Piece, Rgba
from pipeline.shapes.scene_budgets import require_collada, require_gltf

SCENE_TYPES = frozenset({"stl", "ply", "glb", "gltf", "dae"})
_PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".tga", ".tif", ".tiff", ".gif", ".webp")
_COMPRESSED = ("KHR_draco_mesh_compression", "EXT_meshopt_compression")
_GLB_HEAD = struct.Struct("<4sIIII")


class Host(Protocol):
    """The methods of the object's reader that a scene uses."""

    @property
    def most_faces(self) -> int:
        """Maximum number of triangles of the object."""

    def side_file(self, name: str, beside: str) -> bytes | None:
        """Return a file that the mesh names, or None with a finding."""

    def embedded(self, data: bytes, name: str, beside: str) -> Picture | None:
        """Return a picture, or None with a finding."""

    def mean_look(self, colors: np.ndarray) -> Look:
        """Return one look for many colors."""


def scene_pieces(host: Host, data: bytes, path: str) -> list[Piece]:
    """Return the pieces of one file; any error becomes a rejection."""
    kind = PurePosixPath(path).suffix.lower().lstrip(".")
    resolver = _Resolver(host, path)
    try:
        _require_honest(host, kind, data, path)
        with named_formats():
            scene = trimesh.load_scene(
                io.BytesIO(data), file_type=kind, resolver=resolver, process=False
            )
        resolver.raise_refused()
        return _Scene(host, path, scene).pieces()
    except (Rejection, MemoryError):
        raise
    except ImportError as error:
        detail = f"{path}: reading .{kind} needs a package that is absent: {error}."
        raise Rejection(Reason.MESH_INVALID, detail) from error
    except Exception as error:  # third-party parsers raise various errors
        resolver.raise_refused()
        raise Rejection(
            Reason.MESH_INVALID, f"{path} cannot be read: {type(error).__name__}: {error}"
        ) from error


class _Scene:
    """Converts trimesh geometry to pieces."""

    def __init__(self, host: Host, path: str, scene: trimesh.Scene) -> None:
        self._host, self._path, self._scene = host, path, scene
        self._pictures: dict[int, Picture | None] = {}

    def pieces(self) -> list[Piece]:
        graph = self._scene.graph
        nodes = [
            (node, mesh)
            for node in sorted(graph.nodes_geometry)
            if isinstance(mesh := self._mesh(node), trimesh.Trimesh)
        ]
        self._require_few(sum(len(mesh.faces) for _, mesh in nodes))
        return [self._piece(mesh).moved(_placement(graph, node)) for node, mesh in nodes]

    def _mesh(self, node: str) -> Any:
        return self._scene.geometry[self._scene.graph.transforms.node_data[node]["geometry"]]

    def _require_few(self, faces: int) -> None:
        """Reject a mesh with too many instances, before it is copied for each of them."""
        most = self._host.most_faces
        if faces > most:
            detail = f"{self._path} has {faces} triangles with all copies, more than {most}."
            raise Rejection(Reason.TOO_MANY_FACES, detail)

    def _piece(self, mesh: trimesh.Trimesh) -> Piece:
        vertices = np.asarray(mesh.vertices, dtype=float) * _unit(mesh)
        faces = np.asarray(mesh.faces)
        uv = getattr(mesh.visual, "uv", None)
        if uv is not None and len(uv) != len(vertices):
            uv = None
        look = self._look(mesh, has_uv=uv is not None)
        return Piece(vertices, faces, look, None if uv is None else np.asarray(uv, dtype=float))

    def _look(self, mesh: trimesh.Trimesh, *, has_uv: bool) -> Look:
        visual: Any = mesh.visual
        if visual.kind == "texture":
            return self._material_look(visual.material, has_uv=has_uv)
        if visual.kind == "vertex":
            return self._host.mean_look(visual.vertex_colors[mesh.faces] / 255.0)
        return self._host.mean_look(visual.face_colors / 255.0) if visual.defined else Look()

    def _material_look(self, material: Any, *, has_uv: bool) -> Look:
        image = getattr(material, "baseColorTexture", None) or getattr(material, "image", None)
        picture = self._picture(image) if image is not None and has_uv else None
        rgba = _color(material, white=picture is not None)
        # A glTF surface is translucent only if declared; COLLADA and PLY have no such declaration.
        if getattr(material, "alphaMode", "BLEND") in (None, "OPAQUE") and self._is_gltf():
            picture = None if picture is None else opaque(picture)
            rgba = (*rgba[:3], 1.0)
        return Look(rgba, picture)

    def _is_gltf(self) -> bool:
        return self._path.lower().endswith((".glb", ".gltf"))

    def _picture(self, image: Image.Image) -> Picture | None:
        if id(image) not in self._pictures:
            # Pillow reads lazily: until then the stream has the file's own bytes.
            stream = getattr(image, "fp", None)
            if isinstance(stream, io.BytesIO):
                data = stream.getvalue()
            else:
                buffer = io.BytesIO()
                image.save(buffer, "PNG")
                data = buffer.getvalue()
            self._pictures[id(image)] = self._host.embedded(data, "a picture", self._path)
        return self._pictures[id(image)]


def _color(material: Any, *, white: bool) -> Rgba:
    color = getattr(material, "baseColorFactor", None)
    if color is None:
        color = [255] * 4 if white else getattr(material, "main_color", None)
    if color is None:
        return Look().rgba
    r, g, b, a = (round(float(value) / 255.0, 4) for value in color)
    return r, g, b, a


def _placement(graph: Any, node: str) -> np.ndarray:
    """Return the pose (4, 4) of a node in the scene; trimesh would use BLAS for the product."""
    matrix = np.eye(4)
    while node != graph.base_frame:
        above = graph.transforms.parents[node]
        edge = graph.transforms.edge_data[above, node].get("matrix")
        matrix = matrix if edge is None else product(edge, matrix)
        node = above
    return matrix


def _unit(mesh: trimesh.Trimesh) -> float:
    """Return meters per unit of a COLLADA file, which trimesh records but does not apply."""
    match = re.fullmatch(r"([0-9.eE+-]+) \* meters", str(mesh.metadata.get("units", "")))
    return float(match[1]) if match else 1.0


class _Resolver(Resolver):
    """Lets trimesh open side files, but only inside the object's folder."""

    def __init__(self, host: Host, beside: str) -> None:
        self._host, self._beside = host, beside
        self._refused: list[Rejection] = []

    def get(self, name: str) -> bytes:
        """Return a side file's bytes; an absent one is a finding and a plain color."""
        try:
            data = self._host.side_file(name.strip(), self._beside)
            if data is not None and name.strip().lower().endswith(_PICTURES):
                # Decoded here once, because trimesh does not report a broken or huge one.
                self._host.embedded(data, name.strip(), self._beside)
        except Rejection as rejection:
            self._refused.append(rejection)
            raise
        if data is None:
            raise FileNotFoundError(name)
        return data

    def raise_refused(self) -> None:
        """Raise the rejection of a side file again: trimesh catches what its resolver raises."""
        if self._refused:
            raise self._refused[0]

    def namespaced(self, namespace: str) -> _Resolver:
        """Refuse: no supported format has folders."""
        raise PermissionError(namespace)

    def write(self, name: str, data: bytes) -> None:
        """Refuse: reading a mesh writes nothing."""
        raise PermissionError(name)

    def keys(self) -> list[str]:
        """Return nothing: files are opened only by name."""
        return []


def _require_honest(host: Host, kind: str, data: bytes, path: str) -> None:
    """Reject headers that claim more than the file contains, before memory is allocated."""
    if kind == "dae":
        require_collada(_plain_xml(data, path), path, faces=host.most_faces)
    elif kind == "stl":
        _require_stl(data, path)
    elif kind == "ply":
        _require_ply(data, path)
    elif kind in ("glb", "gltf"):
        _require_gltf(host, *_gltf_parts(data, kind), path)


def _invalid(path: str, what: str) -> Rejection:
    return Rejection(Reason.MESH_INVALID, f"{path} {what}")


def _plain_xml(data: bytes, path: str) -> Element:
    """Return the root of a COLLADA document without entities, and with valid numbers."""
    if zipfile.is_zipfile(io.BytesIO(data)):  # pycollada would read another document in it
        raise _invalid(path, "is an archive; unpack it.")
    try:
        root = parse_xml(data, XmlBudget(max_bytes=len(data), max_elements=2_000_000))
    except UrdfError as error:
        raise Rejection(Reason(error.code), f"{path}: {error.detail}") from None
    for element in root.iter():  # pycollada reads an invalid number as zero
        if element.tag.endswith("float_array") and re.search("nan|inf", element.text or "", re.I):
            raise _invalid(path, "has coordinates that are not finite numbers.")
    return root


def _require_stl(data: bytes, path: str) -> None:
    if data.lstrip().startswith(b"solid") and b"facet" in data:
        return  # text has no header
    count = int.from_bytes(data[80:84], "little")
    if len(data) != 84 + 50 * count:
        raise _invalid(path, f"claims {count} triangles in {len(data)} bytes.")


def _require_ply(data: bytes, path: str) -> None:
    head, found, body = data.partition(b"end_header")
    if not found:
        raise _invalid(path, "has no end of its PLY header.")
    least = 0  # every property of every element takes at least one byte
    for count, properties in re.findall(
        rb"^element +\S+ +(\S+)\s*\n((?:(?:property|comment|obj_info) .*\n)*)", head, re.MULTILINE
    ):
        if not count.isdigit():
            raise _invalid(path, f"claims {count[:20]!r} elements.")
        least += int(count) * properties.count(b"property ")
    if least > len(body):
        raise _invalid(path, f"claims {least} numbers in {len(body)} bytes.")


def _gltf_parts(data: bytes, kind: str) -> tuple[Any, bytes]:
    """Return the JSON document of a glTF file and the binary chunk behind it."""
    if kind == "gltf":
        return parse_json(data), b""
    magic, _, _, length, _ = _GLB_HEAD.unpack_from(data)
    if magic != b"glTF" or length > len(data) - _GLB_HEAD.size:
        raise ValueError("the GLB header is not one, or claims more bytes than there are.")
    end = _GLB_HEAD.size + length
    return parse_json(data[_GLB_HEAD.size : end]), data[end + 8 :]


def _require_gltf(host: Host, tree: Any, binary: bytes, path: str) -> None:
    for name in tree.get("extensionsRequired", []):
        if name in _COMPRESSED:
            raise _invalid(path, f"needs {name}, which is not read; export it uncompressed.")
    require_gltf(tree, path, faces=host.most_faces)
    views = tree.get("bufferViews", [])
    for number, image in enumerate(tree.get("images", [])):
        inside = "bufferView" in image
        view: dict[str, Any] = views[image["bufferView"]] if inside else {"buffer": None}
        if view["buffer"] == 0 and binary:
            start = view.get("byteOffset", 0)
            host.embedded(binary[start : start + view["byteLength"]], f"image {number}", path)
