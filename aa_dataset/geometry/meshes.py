# SPDX-License-Identifier: Apache-2.0
"""Meshes and scenes of trimesh from the visual geometry of an object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aa_dataset.errors import optional
from aa_dataset.portable import applied
from aa_dataset.render.glb import GlbLook, Model, Piece
from aa_dataset.triangles import stacked

Array = NDArray[np.float64]


def link_meshes(model: Model, placements: Mapping[str, Array]) -> dict[str, Any]:
    """Return one `trimesh.Trimesh` per link with geometry, object frame [m].

    Parameters
    ----------
    model : Model
    placements : mapping of link name to (4, 4) float [m]
        Displacements from rest.

    Returns
    -------
    dict of str to Trimesh
        Vertices as the GLB has them, faces in the color of their material, without its texture.
    """
    trimesh = optional("trimesh", "a mesh", "mesh")
    pieces: dict[str, list[Piece]] = {}
    for piece in model.pieces:
        pieces.setdefault(piece.link, []).append(piece)
    meshes = {}
    for link, own in pieces.items():
        points, faces = stacked([one.points for one in own], [one.faces for one in own])
        pose = placements[link]
        colors = np.rint([np.multiply(255, model.looks[one.look].rgba) for one in own])
        meshes[link] = trimesh.Trimesh(
            applied(pose[:3, :3], points) + pose[:3, 3],
            faces,
            face_colors=np.repeat(colors.astype(np.uint8), [len(one.faces) for one in own], axis=0),
            process=False,
        )
    return meshes


def posed_scene(model: Model, placements: Mapping[str, Array]) -> Any:
    """Return a `trimesh.Scene`: a node per link, below it a mesh per material, with textures.

    The node of a link has the name of the link, and its displacement from rest [m] as transform.
    """
    trimesh = optional("trimesh", "a scene", "mesh")
    scene = trimesh.Scene(base_frame="object")
    materials = [_material(trimesh, look) for look in model.looks]
    for number, piece in enumerate(model.pieces):
        if piece.link not in scene.graph.nodes:
            scene.graph.update(piece.link, "object", matrix=placements[piece.link])
        uv = np.zeros((len(piece.points), 2)) if piece.uv is None else piece.uv
        visual = trimesh.visual.TextureVisuals(uv=uv, material=materials[piece.look])
        mesh = trimesh.Trimesh(piece.points, piece.faces, visual=visual, process=False)
        name = f"{piece.link}/{number}"
        scene.add_geometry(mesh, name, geom_name=name, parent_node_name=piece.link)
    return scene


def _material(trimesh: Any, look: GlbLook) -> Any:
    image = None
    if look.image is not None:
        image = optional("PIL.Image", "a texture", "mesh").fromarray(look.image)
    clear = look.rgba[3] < 1 or (look.image is not None and bool((look.image[..., 3] < 255).any()))
    return trimesh.visual.material.PBRMaterial(
        baseColorFactor=np.rint(np.multiply(255, look.rgba)).astype(np.uint8),
        baseColorTexture=image,
        alphaMode="BLEND" if clear else "OPAQUE",
        metallicFactor=0.0,
        roughnessFactor=1.0,
    )
