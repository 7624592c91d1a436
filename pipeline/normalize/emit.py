# SPDX-License-Identifier: Apache-2.0
"""Writes the normalized object: URDF, OBJ meshes with materials and textures, and one GLB.

Every link frame is parallel to the object frame at rest and lies at the link's joint, so a mesh in
its link frame is the object-frame geometry minus the joint's origin.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import trimesh
from PIL import Image
from trimesh.visual.material import PBRMaterial
from trimesh.visual.texture import TextureVisuals

from aa_dataset.kinematics import Joint, JointType, KinematicTree, Mimic
from aa_dataset.kinematics.urdf import Geometry, Material, Shape, UrdfJoint, UrdfLink, UrdfModel
from aa_dataset.layout import GLB, URDF
from pipeline.normalize.collision import Hull, link_hulls
from pipeline.normalize.meshes import Look, Piece
from pipeline.urdf_text import format_urdf

MATERIALS = "object.mtl"
GLB_ROOT = "Object"


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
    decimals: int
    collision_hulls: int


def object_files(thing: NormalObject) -> dict[str, bytes]:
    """Return every file of the object by name."""
    looks = _looks(thing)
    files: dict[str, bytes] = {f"meshes/{MATERIALS}": _mtl(looks)}
    files |= {f"meshes/{_texture_name(look)}": look.texture for look in looks if look.texture}
    links = [_link(thing, name, looks, files) for name in thing.tree.links]
    links, joints = _with_carriers(thing, links)
    files[URDF] = format_urdf(UrdfModel(thing.tree.name, tuple(links), tuple(joints)))
    files[GLB] = _glb(thing, looks)
    return files


def link_origin(tree: KinematicTree, link: str) -> np.ndarray:
    """Return the origin (3,) of a link frame in the object frame at rest."""
    for joint in tree.joints:
        if joint.child == link:
            return joint.origin
    return np.zeros(3)


def _looks(thing: NormalObject) -> dict[Look, str]:
    """Return the name of every look, in the order in which links use them."""
    looks: dict[Look, str] = {}
    for link in thing.tree.links:
        for piece in thing.pieces[link]:
            looks.setdefault(piece.look, f"material_{len(looks)}")
    return looks


def _texture_name(look: Look) -> str:
    return f"texture_{hashlib.sha256(look.texture or b'').hexdigest()[:12]}.png"


def _mtl(looks: Mapping[Look, str]) -> bytes:
    lines = []
    for look, name in looks.items():
        r, g, b, a = look.rgba
        lines += [f"newmtl {name}", f"Kd {r:g} {g:g} {b:g}", f"d {a:g}"]
        lines += [f"map_Kd {_texture_name(look)}"] if look.texture else []
    return ("\n".join(lines) + "\n").encode()


def merged_by_look(pieces: Sequence[Piece]) -> dict[Look, Piece]:
    """Join the pieces of one look into one, in order of first use."""
    groups: dict[Look, list[Piece]] = {}
    for piece in pieces:
        groups.setdefault(piece.look, []).append(piece)
    return {look: _joined(group) for look, group in groups.items()}


def _joined(pieces: Sequence[Piece]) -> Piece:
    starts = np.cumsum([0, *(len(piece.vertices) for piece in pieces)])
    faces = [piece.faces + start for piece, start in zip(pieces, starts[:-1], strict=True)]
    uv = None if pieces[0].uv is None else np.concatenate([piece.uv for piece in pieces])
    vertices = np.concatenate([piece.vertices for piece in pieces])
    return Piece(vertices, np.concatenate(faces), pieces[0].look, uv)


def _link(
    thing: NormalObject, name: str, looks: Mapping[Look, str], files: dict[str, bytes]
) -> UrdfLink:
    """Return a link and put its meshes into `files`."""
    origin = link_origin(thing.tree, name)
    visuals = []
    for number, (look, piece) in enumerate(merged_by_look(thing.pieces[name]).items()):
        local = Piece(piece.vertices - origin, piece.faces, look, piece.uv)
        mesh = f"meshes/{name}_{number}.obj"
        files[mesh] = _obj(local, looks[look], thing.decimals)
        material = Material(looks[look], look.rgba)
        visuals.append(_mesh_shape(f"{name}_{number}", mesh, material))
    collisions = []
    for number, hull in enumerate(_hulls(thing, name)):
        # The hyphen is in no link name, so this is never the visual mesh of a link `x_collision`.
        mesh = f"meshes/{name}-collision_{number}.obj"
        local = Piece(hull.vertices - origin, hull.faces, Look())
        files[mesh] = _obj(local, None, thing.decimals)
        collisions.append(_mesh_shape(f"{name}-collision_{number}", mesh, None))
    return UrdfLink(name, tuple(visuals), tuple(collisions))


def _mesh_shape(name: str, filename: str, material: Material | None) -> Shape:
    return Shape(name, np.eye(4), Geometry("mesh", filename=filename), material)


def _hulls(thing: NormalObject, name: str) -> list[Hull]:
    if not thing.pieces[name]:
        return []
    whole = _joined([Piece(p.vertices, p.faces, Look()) for p in thing.pieces[name]])
    thinnest = 1e4 * 10.0**-thing.decimals
    return link_hulls(whole.vertices, whole.faces, most=thing.collision_hulls, thinnest=thinnest)


def _obj(piece: Piece, material: str | None, decimals: int) -> bytes:
    """Return OBJ text; coordinates are exact on the object's grid."""
    form = f"%.{decimals}f"
    lines = [] if material is None else [f"mtllib {MATERIALS}"]
    rounded = np.round(piece.vertices, decimals) + 0.0
    lines += [f"v {form} {form} {form}" % (x, y, z) for x, y, z in rounded.tolist()]
    if piece.uv is not None:
        uv = np.round(piece.uv, 6) + 0.0
        lines += ["vt %.6f %.6f" % (u, v) for u, v in uv.tolist()]  # noqa: UP031
    lines += [] if material is None else [f"usemtl {material}"]
    corner = "%d/%d" if piece.uv is not None else "%d"
    for a, b, c in (piece.faces + 1).tolist():
        numbers = (a, a, b, b, c, c) if piece.uv is not None else (a, b, c)
        lines.append(f"f {corner} {corner} {corner}" % numbers)
    return ("\n".join(lines) + "\n").encode()


def _with_carriers(
    thing: NormalObject, links: Sequence[UrdfLink]
) -> tuple[list[UrdfLink], list[UrdfJoint]]:
    """Write every joint in the URDF; a helical one is a rotation, a carrier link and a slide."""
    taken_links, taken_joints = set(thing.tree.links), {j.name for j in thing.tree.joints}
    out, joints = list(links), []
    for joint in thing.tree.joints:
        between = joint.origin - link_origin(thing.tree, joint.parent)
        place = np.round(between, thing.decimals) + 0.0
        drive = thing.drives[joint.name]
        if joint.type is not JointType.HELICAL:
            joints.append(_urdf_joint(joint, place, drive))
            continue
        carrier = _free(f"{joint.child}_carrier", taken_links)
        out.insert(out.index(_named(out, joint.child)), UrdfLink(carrier))
        joints += _helical_pair(
            joint, place, drive, carrier, _free(f"{joint.name}_slide", taken_joints)
        )
    return out, joints


def _named(links: Sequence[UrdfLink], name: str) -> UrdfLink:
    return next(link for link in links if link.name == name)


def _free(name: str, taken: set[str]) -> str:
    candidate, count = name, 1
    while candidate in taken:
        count += 1
        candidate = f"{name}_{count}"
    taken.add(candidate)
    return candidate


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


def _glb(thing: NormalObject, looks: Mapping[Look, str]) -> bytes:
    """Return the whole object at rest: one node per link, one mesh per look below it."""
    materials = {look: _pbr(look, name) for look, name in looks.items()}
    # Node names that no link can have: capital letter, dot.
    scene = trimesh.Scene(base_frame=GLB_ROOT)
    for link in thing.tree.links:
        origin = link_origin(thing.tree, link)
        scene.graph.update(link, GLB_ROOT, matrix=_translation(origin))
        for number, (look, piece) in enumerate(merged_by_look(thing.pieces[link]).items()):
            uv = np.zeros((len(piece.vertices), 2)) if piece.uv is None else piece.uv
            mesh = trimesh.Trimesh(piece.vertices - origin, piece.faces, process=False)
            mesh.visual = TextureVisuals(uv=uv if look.texture else None, material=materials[look])
            name = f"{link}_{number}"
            scene.add_geometry(
                mesh, node_name=f"{name}.mesh", geom_name=name, parent_node_name=link
            )
    return trimesh.exchange.gltf.export_glb(scene, include_normals=False)


def _pbr(look: Look, name: str) -> PBRMaterial:
    image = None if look.texture is None else Image.open(io.BytesIO(look.texture))
    return PBRMaterial(
        name=name,
        baseColorFactor=np.round(np.array(look.rgba) * 255).astype(np.uint8),
        baseColorTexture=image,
        metallicFactor=0.0,
        roughnessFactor=0.8,
        # trimesh leaves the mode unset, which glTF reads as opaque.
        alphaMode="BLEND" if look.rgba[3] < 1 else "OPAQUE",
        doubleSided=True,
    )
