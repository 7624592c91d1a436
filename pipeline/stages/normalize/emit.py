# SPDX-License-Identifier: Apache-2.0
"""Writes the normalized object: URDF, OBJ meshes with materials and textures, and one GLB.

The URDF only names collision meshes: `annotate` writes them, from the shapes handed over beside it.

Every link frame is parallel to the object frame at rest, with its origin at the link's joint. A
mesh in its link frame is therefore the object-frame geometry minus the joint's origin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from aa_dataset.format.layout import GLB, URDF
from aa_dataset.kinematics import Joint, JointType, KinematicTree, Mimic
from aa_dataset.kinematics.urdf import Material, UrdfJoint, UrdfLink, UrdfModel
from aa_dataset.portable import settled
from pipeline.handover.collisions import COLLISIONS, CollisionShapes
from pipeline.shapes.glb import write_glb
from pipeline.shapes.grid import on_grid
from pipeline.shapes.obj_text import MATERIALS, mtl_bytes, obj_bytes
from pipeline.shapes.pieces import Look, Piece, merged_by_look
from pipeline.shapes.urdf_meshes import collision_shape, mesh_shape
from pipeline.shapes.urdf_text import format_urdf
from pipeline.stages.normalize.structure import free_name
from pipeline.stages.normalize.walls import one_sided_looks


@dataclass(frozen=True, slots=True)
class Drive:
    """Effort [N m or N] and velocity [rad/s or m/s] limits of one joint."""

    effort: float
    velocity: float


@dataclass(frozen=True, slots=True, eq=False)
class NormalObject:
    """Everything that the convention fixes about one object, in the object frame at rest."""

    tree: KinematicTree
    pieces: Mapping[str, Sequence[Piece]]
    drives: Mapping[str, Drive]
    solids: Mapping[str, Sequence[Piece]]  # collision geometry
    decimals: int


def object_files(normal: NormalObject) -> dict[str, bytes]:
    """Return every file of the object by name."""
    looks = _looks(normal)
    files: dict[str, bytes] = {f"meshes/{MATERIALS}": mtl_bytes(looks)}
    files |= {f"meshes/{look.texture.name}": look.texture.data for look in looks if look.texture}
    local = {name: _local_pieces(normal, name) for name in normal.tree.links}
    solids = {name: _local_solids(normal, name) for name in normal.tree.links}
    pieces = {mesh: piece for link in solids.values() for mesh, piece in link.items()}
    files[COLLISIONS] = CollisionShapes(pieces).to_bytes()
    links = [_link(normal, name, local[name], looks, files) for name in normal.tree.links]
    links, joints = _with_carriers(normal, links)
    files[URDF] = format_urdf(UrdfModel(normal.tree.name, tuple(links), tuple(joints)))
    files[GLB] = write_glb(local, looks, one_sided_looks(pieces for _, pieces in local.values()))
    return files


def link_origin(tree: KinematicTree, link: str) -> np.ndarray:
    """Return the origin (3,) of a link frame in the object frame at rest."""
    for joint in tree.joints:
        if joint.child == link:
            return joint.origin
    return np.zeros(3)


def _looks(normal: NormalObject) -> dict[Look, str]:
    """Return the name of every look, in the order in which links use them."""
    looks: dict[Look, str] = {}
    for link in normal.tree.links:
        for piece in normal.pieces[link]:
            looks.setdefault(piece.look, f"material_{len(looks)}")
    return looks


def _local_pieces(normal: NormalObject, name: str) -> tuple[np.ndarray, list[Piece]]:
    """Return the origin of a link frame and the link's pieces in it, one per look."""
    origin = link_origin(normal.tree, name)
    whole = merged_by_look(normal.pieces[name]).values() if normal.pieces[name] else ()
    return origin, [replace(piece, vertices=piece.vertices - origin) for piece in whole]


def _local_solids(normal: NormalObject, name: str) -> dict[str, Piece]:
    """Return a link's collision shapes in its frame, on the grid, by the mesh of their element."""
    origin, found = link_origin(normal.tree, name), {}
    for number, solid in enumerate(normal.solids[name]):
        mesh = collision_shape(name, number).geometry.filename
        found[mesh] = Piece(on_grid(solid.vertices - origin, normal.decimals), solid.faces)
    return found


def _link(
    normal: NormalObject,
    name: str,
    local: tuple[np.ndarray, list[Piece]],
    looks: Mapping[Look, str],
    files: dict[str, bytes],
) -> UrdfLink:
    """Return a link and add its meshes to `files`."""
    visuals = []
    for number, piece in enumerate(local[1]):
        mesh = f"meshes/{name}_{number}.obj"
        files[mesh] = obj_bytes(piece, looks[piece.look], normal.decimals)
        material = Material(looks[piece.look], piece.look.rgba)
        visuals.append(mesh_shape(f"{name}_{number}", mesh, material))
    collisions = [collision_shape(name, number) for number in range(len(normal.solids[name]))]
    return UrdfLink(name, tuple(visuals), tuple(collisions))


def _with_carriers(
    normal: NormalObject, links: Sequence[UrdfLink]
) -> tuple[list[UrdfLink], list[UrdfJoint]]:
    """Write every joint in the URDF; a helical one is a rotation, a carrier link and a slide."""
    taken = {*normal.tree.links, *(joint.name for joint in normal.tree.joints)}
    out, joints = list(links), []
    for joint in normal.tree.joints:
        between = joint.origin - link_origin(normal.tree, joint.parent)
        place = settled(between, normal.decimals)
        drive = normal.drives[joint.name]
        if joint.type is not JointType.HELICAL:
            joints.append(_urdf_joint(joint, place, drive))
            continue
        carrier = free_name(f"{joint.child}_carrier", taken)
        out.insert(out.index(_link_named(out, joint.child)), UrdfLink(carrier))
        slide = free_name(f"{joint.name}_slide", taken)
        joints += _helical_pair(joint, place, drive, carrier, slide)
    return out, joints


def _link_named(links: Sequence[UrdfLink], name: str) -> UrdfLink:
    return next(link for link in links if link.name == name)


def _urdf_joint(joint: Joint, place: np.ndarray, drive: Drive) -> UrdfJoint:
    bounded = joint.type in (JointType.REVOLUTE, JointType.PRISMATIC)
    return UrdfJoint(
        joint.name,
        str(joint.type),
        joint.parent,
        joint.child,
        _translation(place),
        axis=joint.axis if joint.is_movable else None,
        lower=joint.lower if bounded else None,
        upper=joint.upper if bounded else None,
        effort=drive.effort,
        velocity=drive.velocity,
        has_limit=joint.is_movable,
        mimic=joint.mimic,
    )


def _helical_pair(
    joint: Joint, place: np.ndarray, drive: Drive, carrier: str, slide: str
) -> list[UrdfJoint]:
    travel = sorted((joint.lower * joint.pitch, joint.upper * joint.pitch))
    turn = UrdfJoint(
        joint.name, "revolute", joint.parent, carrier, _translation(place), joint.axis,
        joint.lower, joint.upper, drive.effort, drive.velocity, has_limit=True, mimic=joint.mimic,
    )  # fmt: skip
    advance = UrdfJoint(
        slide, "prismatic", carrier, joint.child, np.eye(4), joint.axis,
        travel[0], travel[1], drive.effort, drive.velocity, has_limit=True,
        mimic=Mimic(joint.name, joint.pitch),
    )  # fmt: skip
    return [turn, advance]


def _translation(shift: np.ndarray) -> np.ndarray:
    out = np.eye(4)
    out[:3, 3] = shift
    return out
