# SPDX-License-Identifier: Apache-2.0
"""Reads the GLB that `normalize` wrote: the geometry of every link, without parsing text again."""

from __future__ import annotations

import io

import numpy as np
import trimesh


def read_links(glb: bytes, links: tuple[str, ...]) -> dict[str, list[trimesh.Trimesh]]:
    """Return the meshes of every link, in the object frame at rest.

    A mesh belongs to the link whose node is its parent in the scene.
    """
    scene = trimesh.load_scene(io.BytesIO(glb), file_type="glb", process=False)
    found: dict[str, list[trimesh.Trimesh]] = {link: [] for link in links}
    for node in sorted(scene.graph.nodes_geometry):
        matrix, name = scene.graph[node]
        mesh = scene.geometry[name].copy()
        mesh.apply_transform(matrix)
        found[_link_above(scene, node, found)].append(mesh)
    return found


def _link_above(scene: trimesh.Scene, node: str, links: dict[str, list[trimesh.Trimesh]]) -> str:
    parents = scene.graph.transforms.parents
    while node not in links:
        node = parents[node]
    return node


def link_points(meshes: list[trimesh.Trimesh]) -> np.ndarray:
    """Return the vertices (n, 3) of a link's meshes."""
    return np.concatenate([np.asarray(mesh.vertices) for mesh in meshes] or [np.zeros((0, 3))])
