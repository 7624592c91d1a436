# SPDX-License-Identifier: Apache-2.0
"""Reads the GLB that `normalize` wrote: the geometry of every link, without parsing text again."""

from __future__ import annotations

import io

import numpy as np
import trimesh


def read_links(
    glb: bytes, links: tuple[str, ...], *, looks: bool = True
) -> dict[str, list[trimesh.Trimesh]]:
    """Return the meshes of every link, in the object frame at rest.

    A mesh belongs to the link whose node is its parent in the scene. Without looks no texture is
    decoded, which for a textured object is most of the time.
    """
    scene = trimesh.load_scene(io.BytesIO(glb), file_type="glb", process=False)
    found: dict[str, list[trimesh.Trimesh]] = {link: [] for link in links}
    for node in sorted(scene.graph.nodes_geometry):
        matrix, name = scene.graph[node]
        mesh = scene.geometry[name]
        mesh = mesh.copy() if looks else _bare(mesh)
        mesh.apply_transform(matrix)
        found[_link_above(scene, node, found)].append(mesh)
    return found


def _bare(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    return trimesh.Trimesh(mesh.vertices.copy(), mesh.faces.copy(), process=False)


def _link_above(scene: trimesh.Scene, node: str, links: dict[str, list[trimesh.Trimesh]]) -> str:
    parents = scene.graph.transforms.parents
    while node not in links:
        node = parents[node]
    return node


def link_points(meshes: list[trimesh.Trimesh]) -> np.ndarray:
    """Return the vertices (n, 3) of a link's meshes."""
    return np.concatenate([np.asarray(mesh.vertices) for mesh in meshes] or [np.zeros((0, 3))])
