# SPDX-License-Identifier: Apache-2.0
"""The text of a raw URDF and of its meshes, byte for byte the same for the same assembly."""

from xml.sax.saxutils import quoteattr

import numpy as np

from aa_dataset.portable import settled
from pipeline.generate.assembly import Assembly, Joint, Triple
from pipeline.generate.errors import AuthoringError
from pipeline.generate.layout import MATERIALS, materials_name, mesh_name, texture_name
from pipeline.generate.materials import rgba, texture
from pipeline.generate.shape import Array, Shape
from pipeline.generate.textures import png
from pipeline.generate.unwrap import UV_DIGITS, unwrap
from pipeline.shapes.obj_text import Paint, UvText, mesh_text

MESH_DIGITS = 6
# Axes and pitches get more digits than lengths: they are multiplied by large ranges.
FINE_DIGITS = 9


def number(value: float, digits: int = MESH_DIGITS) -> str:
    """Write a number with a fixed precision, no trailing zeros and no negative zero."""
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def vector(values: Triple, digits: int = MESH_DIGITS) -> str:
    """Write three numbers, separated by blanks."""
    return " ".join(number(value, digits) for value in values)


def urdf_text(assembly: Assembly, name: str) -> str:
    """Write the object as URDF: links with visuals only, joints with ordered limits."""
    assembly.root()
    lines = ['<?xml version="1.0"?>', f"<robot name={quoteattr(name)}>"]
    for part in assembly.order():
        lines += _link_lines(assembly, part)
    for joint in assembly.joints.values():
        offset = _joint_origin(assembly, joint)
        lines += (
            _screw_lines(joint, offset) if joint.kind == "helical" else _joint_lines(joint, offset)
        )
    return "\n".join([*lines, "</robot>", ""])


def mesh_texts(assembly: Assembly) -> dict[str, str]:
    """Write one OBJ per link and material, in the link's frame, keyed by relative path."""
    texts = {}
    for part in assembly.parts.values():
        origin = np.array(_link_origin(assembly, part.name))
        for material in _material_lines(assembly, part.name):
            solids = [s.at(*-origin) for s in part.shapes if s.material == material]
            try:
                texts[mesh_name(part.name, material)] = obj_text(solids)
            except AuthoringError as error:
                where = f"Part {part.name!r} of {assembly.name!r}, {material}"
                raise AuthoringError(f"{where}: {error}") from error
    return texts


def texture_files(assembly: Assembly) -> dict[str, bytes]:
    """Write the pictures of the textured materials and the library that names them."""
    shapes = (shape for part in assembly.parts.values() for shape in part.shapes)
    names = sorted({shape.material for shape in shapes})
    used = {name: look for name in names if (look := texture(name))}
    if not used:
        return {}
    lines = [
        f"newmtl {name}\nKd 1 1 1\nmap_Kd {texture_name(name).rpartition('/')[2]}\n"
        for name in used
    ]
    pictures = {texture_name(name): png(look) for name, look in used.items()}
    return {materials_name(): "".join(lines).encode(), **pictures}


def obj_text(solids: list[Shape]) -> str:
    """Write closed solids of one material as an OBJ; they never share a vertex."""
    rows, faces, taken = [], [], set[bytes]()
    start = 0
    for solid in solids:
        points = _round_without_collisions(solid.vertices, taken)
        rows.append(points)
        faces.append(solid.faces + start)
        start += len(points)
    points, triangles, look = np.vstack(rows), np.vstack(faces), texture(solids[0].material)
    if look is None:
        return mesh_text(points, triangles, decimals=MESH_DIGITS).decode()
    flat = np.vstack([unwrap(solid, look.tile) for solid in solids]).reshape(-1, 2)
    distinct, index = np.unique(flat, axis=0, return_inverse=True)
    uv = UvText(distinct, index.reshape(-1, 3), UV_DIGITS)
    paint = Paint(solids[0].material, MATERIALS)
    return mesh_text(points, triangles, decimals=MESH_DIGITS, paint=paint, uv=uv).decode()


def _round_without_collisions(vertices: Array, taken: set[bytes]) -> Array:
    """Round vertices, shrinking the solid by micrometers until none lies on an earlier one.

    Readers weld equal vertices, and an edge with four faces is not watertight any more.
    """
    middle = (vertices.min(axis=0) + vertices.max(axis=0)) / 2
    reach = float(np.abs(vertices - middle).max())
    for step in range(200):
        scale = 1.0 - step * 1e-5 / reach
        points = settled(middle + (vertices - middle) * scale, MESH_DIGITS)
        keys = {point.tobytes() for point in points}
        if step == 0 and len(keys) < len(points):
            raise AuthoringError("A shape is too fine: some of its vertices meet after rounding.")
        if taken.isdisjoint(keys):
            taken |= keys
            return points
    raise AuthoringError("A shape is the same as another one of its part; draw it once.")


def _material_lines(assembly: Assembly, part: str) -> list[str]:
    return sorted({shape.material for shape in assembly.parts[part].shapes})


def _link_origin(assembly: Assembly, part: str) -> Triple:
    """Return where the link's frame sits at rest: on its parent joint, axes as the object's."""
    for joint in assembly.joints.values():
        if joint.child == part:
            x, y, z = settled(joint.origin, MESH_DIGITS).tolist()
            return x, y, z
    return 0.0, 0.0, 0.0


def _joint_origin(assembly: Assembly, joint: Joint) -> Triple:
    """Return the joint origin in the parent's link frame."""
    parent = _link_origin(assembly, joint.parent)
    child = _link_origin(assembly, joint.child)
    return child[0] - parent[0], child[1] - parent[1], child[2] - parent[2]


def _link_lines(assembly: Assembly, part: str) -> list[str]:
    lines = [f'  <link name="{part}">']
    for material in _material_lines(assembly, part):
        color = " ".join(number(channel) for channel in rgba(material))
        lines += [
            "    <visual>",
            '      <origin xyz="0 0 0" rpy="0 0 0"/>',
            f'      <geometry><mesh filename="{mesh_name(part, material)}"/></geometry>',
            f'      <material name="{material}"><color rgba="{color}"/></material>',
            "    </visual>",
        ]
    return [*lines, "  </link>"]


def _joint_lines(joint: Joint, offset: Triple) -> list[str]:
    """Write a joint that URDF knows by itself."""
    lines = _joint_opening_lines(joint.name, joint.kind, joint.parent, joint.child)
    lines.append(f'    <origin xyz="{vector(offset)}" rpy="0 0 0"/>')
    if joint.kind != "fixed":
        lines.append(f'    <axis xyz="{vector(joint.axis, FINE_DIGITS)}"/>')
        limits = None if joint.kind == "continuous" else (joint.lower, joint.upper)
        lines.append(_limit_line(joint, limits))
    return [*lines, "  </joint>"]


def _screw_lines(joint: Joint, offset: Triple) -> list[str]:
    """Write a helical joint as a turn and a coupled slide through a link without geometry."""
    carrier = f"{joint.child}_carrier"
    pitch = float(settled(joint.pitch, FINE_DIGITS))
    lower, upper = settled((joint.lower, joint.upper), MESH_DIGITS).tolist()
    travel = sorted(angle * pitch for angle in (lower, upper))
    axis = f'    <axis xyz="{vector(joint.axis, FINE_DIGITS)}"/>'
    return [
        f'  <link name="{carrier}"/>',
        *_joint_opening_lines(joint.name, "revolute", joint.parent, carrier),
        f'    <origin xyz="{vector(offset)}" rpy="0 0 0"/>',
        axis,
        _limit_line(joint, (lower, upper)),
        "  </joint>",
        *_joint_opening_lines(f"{joint.name}_travel", "prismatic", carrier, joint.child),
        '    <origin xyz="0 0 0" rpy="0 0 0"/>',
        axis,
        _limit_line(joint, (travel[0], travel[1]), travel=pitch),
        f'    <mimic joint="{joint.name}" multiplier="{number(pitch, FINE_DIGITS)}" offset="0"/>',
        "  </joint>",
    ]


def _joint_opening_lines(name: str, kind: str, parent: str, child: str) -> list[str]:
    return [
        f'  <joint name="{name}" type="{kind}">',
        f'    <parent link="{parent}"/>',
        f'    <child link="{child}"/>',
    ]


def _limit_line(joint: Joint, limits: tuple[float, float] | None, *, travel: float = 0.0) -> str:
    """Write limits and drive; `travel` [m/rad] makes those of a turn into those of its slide."""
    effort, velocity = joint.drive
    digits = FINE_DIGITS if travel else MESH_DIGITS
    if travel:
        effort, velocity = effort / abs(travel), velocity * abs(travel)
    ends = ""
    if limits is not None:
        ends = f'lower="{number(limits[0], digits)}" upper="{number(limits[1], digits)}" '
    return f'    <limit {ends}effort="{number(effort, 3)}" velocity="{number(velocity)}"/>'
