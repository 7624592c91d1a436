# SPDX-License-Identifier: Apache-2.0
"""A small library whose GLBs show something: textures that repeat, glass, walls seen twice."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import trimesh
from PIL import Image

from pipeline.shapes.glb import read_links, write_glb
from pipeline.shapes.pictures import Picture
from pipeline.shapes.pieces import Look, Piece
from tests.kit.library_folder import build_library
from tests.kit.library_objects import LIBRARY_OBJECTS, Part, write_urdf

SECRET = ("secret_base", "secret_door", "secret_drawer", "secret_pane")  # names of links
CABINET, LAMP, JAR, BARE = (
    "generated-cabinet", "generated-lamp", "generated-jar", "generated-bare",
)  # fmt: skip
RED, GREEN = Look((0.8, 0.1, 0.1, 1.0)), Look((0.1, 0.6, 0.2, 1.0))
GLASS = Look((0.3, 0.5, 0.9, 0.35))


def checkers() -> Picture:
    """Return a texture of 8 x 8 pixels in four strong colors."""
    colors = np.array([[[230, 30, 30], [30, 200, 30]], [[30, 30, 230], [240, 220, 40]]], np.uint8)
    stream = io.BytesIO()
    Image.fromarray(np.kron(colors, np.ones((4, 4, 1), np.uint8))).save(stream, format="PNG")
    return Picture(stream.getvalue())


def box(size: tuple[float, float, float], at: tuple[float, float, float], look: Look) -> Piece:
    """Return a box around a point of its link frame."""
    mesh = trimesh.creation.box(size)
    return Piece(np.asarray(mesh.vertices) + at, np.asarray(mesh.faces), look)


def panel(width: float, height: float, repeats: float) -> Piece:
    """Return an upright sheet in the plane x = 0 with a texture that repeats, seen from +x."""
    y, z = width / 2, height / 2
    points = np.array([[0, -y, -z], [0, y, -z], [0, y, z], [0, -y, z]])
    uv = np.array([[0.0, 0], [repeats, 0], [repeats, repeats], [0, repeats]]) - 0.25
    return Piece(points, np.array([[0, 1, 2], [0, 2, 3]]), Look((1, 1, 1, 1), checkers()), uv)


def doubled(piece: Piece, look: Look) -> Piece:
    """Return the same triangles from their other side in another look."""
    return Piece(piece.vertices, piece.faces[:, ::-1], look)


def cabinet_parts() -> tuple[Part, ...]:
    """Return a door about an upright axis, a drawer, and a glass pane about a slanted one."""
    return (
        Part("secret_door", "revolute", xyz=(0.31, -0.2, 0.1), lower=-1.6, upper=0.2),
        Part("secret_drawer", "prismatic", axis=(1.0, 0.0, 0.0), upper=0.35, xyz=(0.0, 0.0, -0.2)),
        Part("secret_pane", "revolute", xyz=(0.0, 0.0, 0.45), axis=(0.6, 0.0, 0.8), upper=0.9),
    )


def cabinet_glb() -> bytes:
    """Return the GLB of `cabinet_parts`: a wall with two looks, a texture, glass before a box."""
    sheet = panel(0.3, 0.4, 2.5)
    door = [replace(sheet, vertices=sheet.vertices + np.array([0.0, 0.2, 0.0]))]
    door.append(doubled(door[0], RED))
    links = {
        "base": (np.zeros(3), [box((0.6, 0.5, 0.7), (0.0, 0.0, 0.0), GREEN)]),
        "secret_door": (np.array([0.31, -0.2, 0.1]), door),
        "secret_drawer": (
            np.array([0.0, 0.0, -0.2]), [box((0.3, 0.3, 0.1), (0.2, 0.0, 0.0), RED)],
        ),
        "secret_pane": (
            np.array([0.0, 0.0, 0.45]), [box((0.4, 0.3, 0.02), (0.0, 0.0, 0.05), GLASS)],
        ),
    }  # fmt: skip
    return packed(links)


def packed(links: dict[str, tuple[np.ndarray, list[Piece]]]) -> bytes:
    """Return a GLB with a material for every look."""
    looks = dict.fromkeys(piece.look for _, pieces in links.values() for piece in pieces)
    return write_glb(links, {look: f"look_{k}" for k, look in enumerate(looks)})


def lamp_glb() -> bytes:
    """Return the GLB of the kit's lamp: balls and rods without any texture."""
    ball = trimesh.creation.icosphere(subdivisions=3, radius=0.12)
    places = {"arm": (0.0, 0.1, 0.2), "elbow": (0.1, 0.2, 0.3), "head": (0.2, 0.1, 0.4)}
    links = {
        name: (np.array(at), [Piece(np.asarray(ball.vertices), np.asarray(ball.faces), GREEN)])
        for name, at in places.items()
    }
    links["base"] = (np.zeros(3), [box((0.3, 0.3, 0.1), (0, 0, 0), RED)])
    return packed(dict(sorted(links.items())))


def jar_glb() -> bytes:
    """Return the GLB of the kit's jar: all of it is glass."""
    body = trimesh.creation.cylinder(0.1, 0.2, sections=24)
    lid = trimesh.creation.cylinder(0.09, 0.03, sections=24)
    links = {
        "base": (np.zeros(3), [Piece(np.asarray(body.vertices), np.asarray(body.faces), GLASS)]),
        "lid": (
            np.array([0, 0, 0.1]), [Piece(np.asarray(lid.vertices), np.asarray(lid.faces), GLASS)],
        ),
    }  # fmt: skip
    return packed(links)


def build_inputs_library(root: Path) -> Path:
    """Write a library of a cabinet, a lamp, a jar of glass, and an object that has no triangle."""
    known = {spec.object_id: spec for spec in LIBRARY_OBJECTS}
    parts = cabinet_parts()
    specs = (
        replace(known[CABINET], parts=parts, extra_files={"object.glb": cabinet_glb()}),
        replace(known[LAMP], extra_files={"object.glb": lamp_glb()}),
        replace(known[JAR], extra_files={"object.glb": jar_glb()}),
        replace(
            known[JAR],
            object_id=BARE,
            parts=(),
            extra_files={
                "object.glb": packed({"base": (np.zeros(3), [])}),
                "object.urdf": write_urdf(BARE, ()),
            },
        ),
    )
    return build_library(root, specs)


def posed_truth(glb: bytes, placements: dict[str, np.ndarray]) -> dict[str, trimesh.Trimesh]:
    """Return one mesh per link in a state, read and posed by trimesh."""
    posed = {}
    for link, meshes in read_links(glb, tuple(placements), looks=False).items():
        for mesh in meshes:
            mesh.apply_transform(placements[link])
        if meshes:
            posed[link] = trimesh.util.concatenate(meshes)
    return posed
