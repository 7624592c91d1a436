# SPDX-License-Identifier: Apache-2.0
"""The GLB of a normalized object: written by `normalize`, read by every later stage.

Libraries that write glTF re-encode every picture; here the bytes of pictures are kept.

By its specification glTF is y-up with its front to +z; the object frame is z-up with its front to
+x. The root node rotates one into the other, so that every viewer shows an object upright and from
its front. Below the root all coordinates are those of the object frame. `read_links` reads only
below it, so that no matrix product rounds a coordinate.
"""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Container, Mapping, Sequence
from typing import Any

import numpy as np
import trimesh

from pipeline.shapes.pictures import Picture, named_formats
from pipeline.shapes.pieces import Look, Piece

GLB_ROOT = "Object"
# Unit quaternion (x, y, z, w) that maps (x, y, z) to (y, z, x): a quarter turn about x, which makes
# z up, and one about the new vertical, which turns the front forward. Halves are exact.
GLTF_TURN = (-0.5, -0.5, -0.5, 0.5)
# Component types and buffer targets of the glTF 2.0 specification.
_FLOAT, _UNSIGNED = 5126, 5125
_VERTICES, _INDICES = 34962, 34963


def write_glb(
    links: Mapping[str, tuple[np.ndarray, Sequence[Piece]]],
    looks: Mapping[Look, str],
    one_sided: Container[Look] = (),
) -> bytes:
    """Return a whole object at rest: one node per link, one mesh per piece below it.

    Parameters
    ----------
    links : mapping
        Origin (3,) [m] of every link frame, and the link's pieces in that frame.
    looks : mapping
        Name of every look.
    one_sided : container of Look
        Looks whose faces are visible only from their front.
    """
    file = _Glb(looks, one_sided)
    for name, (origin, pieces) in links.items():
        file.add_link(name, origin, pieces)
    return file.packed()


class _Glb:
    """A glTF document to which links are added."""

    def __init__(self, looks: Mapping[Look, str], one_sided: Container[Look]) -> None:
        self._chunks: list[bytes] = []
        self._size = 0
        self._pictures: dict[Picture, int] = {}
        self._numbers = {look: number for number, look in enumerate(looks)}
        self._tree: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": "aa-dataset"},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            # Node names that no link can have: capital letter, dot.
            "nodes": [{"name": GLB_ROOT, "rotation": list(GLTF_TURN), "children": []}],
            "meshes": [], "accessors": [], "bufferViews": [], "materials": [],
            "textures": [], "images": [],
        }  # fmt: skip
        for look, name in looks.items():
            sides = {"doubleSided": look not in one_sided}
            self._tree["materials"].append(self._material(look, name) | sides)

    def add_link(self, name: str, origin: np.ndarray, pieces: Sequence[Piece]) -> None:
        """Add a link's node and the meshes below it."""
        nodes = self._tree["nodes"]
        nodes[0]["children"].append(len(nodes))
        node: dict[str, Any] = {"name": name, "translation": origin.tolist()}
        nodes.append(node)
        for number, piece in enumerate(pieces):
            node.setdefault("children", []).append(len(nodes))
            mesh = self._append("meshes", self._mesh(f"{name}_{number}", piece))
            nodes.append({"name": f"{name}_{number}.mesh", "mesh": mesh})

    def packed(self) -> bytes:
        """Return the file."""
        tree = {key: value for key, value in self._tree.items() if value != []}
        tree |= {"buffers": [{"byteLength": self._size}]} if self._size else {}
        text = json.dumps(tree, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        binary = b"".join(self._chunks)
        body = struct.pack("<II", len(text), 0x4E4F534A) + text
        body += struct.pack("<II", len(binary), 0x004E4942) + binary if binary else b""
        return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body

    def _append(self, key: str, value: Any) -> int:
        self._tree[key].append(value)
        return len(self._tree[key]) - 1

    def _view(self, data: bytes, **more: int) -> int:
        view = {"buffer": 0, "byteOffset": self._size, "byteLength": len(data), **more}
        padded = data + b"\0" * (-len(data) % 4)
        self._chunks.append(padded)
        self._size += len(padded)
        return self._append("bufferViews", view)

    def _accessor(self, values: np.ndarray, target: int, **more: Any) -> int:
        shape = {1: "SCALAR", 2: "VEC2", 3: "VEC3"}[
            values.ndim if values.ndim == 1 else len(values[0])
        ]
        view = self._view(values.tobytes(), target=target)
        component = _FLOAT if values.dtype == np.float32 else _UNSIGNED
        return self._append(
            "accessors",
            {"bufferView": view, "componentType": component, "count": len(values), "type": shape}
            | more,
        )

    def _mesh(self, name: str, piece: Piece) -> dict[str, Any]:
        places = piece.vertices.astype("<f4")
        box = {"min": places.min(axis=0).tolist(), "max": places.max(axis=0).tolist()}
        attributes = {"POSITION": self._accessor(places, _VERTICES, **box)}
        if piece.uv is not None:
            # The origin of a picture is its lower edge in OBJ, its upper edge in glTF.
            flipped = np.column_stack([piece.uv[:, 0], 1.0 - piece.uv[:, 1]]).astype("<f4")
            attributes["TEXCOORD_0"] = self._accessor(flipped, _VERTICES)
        primitive = {
            "attributes": attributes,
            "indices": self._accessor(piece.faces.astype("<u4").reshape(-1), _INDICES),
            "material": self._numbers[piece.look],
        }
        return {"name": name, "primitives": [primitive]}

    def _material(self, look: Look, name: str) -> dict[str, Any]:
        surface: dict[str, Any] = {
            "baseColorFactor": list(look.rgba), "metallicFactor": 0.0, "roughnessFactor": 0.8
        }  # fmt: skip
        if look.texture is not None:
            surface["baseColorTexture"] = {"index": self._texture(look.texture)}
        mode = "BLEND" if look.is_translucent else "OPAQUE"
        return {"name": name, "pbrMetallicRoughness": surface, "alphaMode": mode}

    def _texture(self, picture: Picture) -> int:
        if picture not in self._pictures:
            image = {"bufferView": self._view(picture.data), "mimeType": picture.mime}
            source = self._append("images", {"name": picture.name, **image})
            self._pictures[picture] = self._append("textures", {"source": source})
        return self._pictures[picture]


def read_links(
    glb: bytes, links: tuple[str, ...], *, looks: bool = True
) -> dict[str, list[trimesh.Trimesh]]:
    """Return the meshes of every link, in the object frame (z up) at rest.

    A mesh belongs to the link whose node is its parent. Without looks no texture is decoded, which
    saves most of the time for a textured object.
    """
    with named_formats():
        scene = trimesh.load_scene(io.BytesIO(glb), file_type="glb", process=False)
    owners = _owners(glb)
    found: dict[str, list[trimesh.Trimesh]] = {link: [] for link in links}
    for node in sorted(scene.graph.nodes_geometry):
        link, origin = owners[node]
        # Every mesh of our files is used once, so none is copied, and no picture with it.
        mesh = scene.geometry[scene.graph.transforms.node_data[node]["geometry"]]
        mesh = mesh if looks else _without_look(mesh)
        # A sum, not `apply_transform`: a product with the root's rotation would round coordinates.
        mesh.vertices = np.asarray(mesh.vertices) + origin
        found[link].append(mesh)
    return found


def mesh_order(count: int) -> list[int]:
    """Return the numbers of a link's meshes in the order of `read_links`: that of their names."""
    return sorted(range(count), key=lambda number: f"{number}.mesh")


def _owners(glb: bytes) -> dict[str, tuple[str, np.ndarray]]:
    """Return, for every mesh node, its link and the link's origin (3,) [m], object frame."""
    length = struct.unpack_from("<I", glb, 12)[0]
    nodes = json.loads(glb[20 : 20 + length])["nodes"]
    return {
        nodes[child]["name"]: (node["name"], np.array(node["translation"]))
        for node in nodes[1:]
        for child in node.get("children", ())
    }


def _without_look(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    return trimesh.Trimesh(mesh.vertices.copy(), mesh.faces.copy(), process=False)


def link_points(meshes: list[trimesh.Trimesh]) -> np.ndarray:
    """Return the vertices (n, 3) of a link's meshes."""
    return np.concatenate([np.asarray(mesh.vertices) for mesh in meshes] or [np.zeros((0, 3))])
