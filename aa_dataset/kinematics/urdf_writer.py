# SPDX-License-Identifier: Apache-2.0
"""The writer to the reader: a kinematic tree as a URDF document without shapes.

Link frames lie at the joints and are parallel to the object frame, so that axes are read as they
are. A helical joint becomes a rotation, a carrier link and a slide that mimics it. Numbers have all
their digits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from xml.sax.saxutils import quoteattr

from aa_dataset.errors import UrdfError
from aa_dataset.kinematics.bodies import RigidBody
from aa_dataset.kinematics.joints import Joint, JointType, LimitSource, Mimic
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.kinematics.urdf_tree import helical_pairs

Point = tuple[float, float, float]

DEFAULT_AXIS = [1.0, 0.0, 0.0]  # what URDF reads without an `<axis>`
# URDF wants both in every limit; a kinematic tree has neither.
DRIVE = 'effort="1" velocity="1"'
# Readers fold only through links without geometry.
SHAPE = '<visual><geometry><sphere radius="1e-06"/></geometry></visual>'
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_urdf(tree: KinematicTree, meshes: Mapping[str, str] | None = None) -> bytes:
    """Return a URDF document that `urdf_tree(parse_urdf(data), absent="unbounded")` reads back.

    The joints, their order and their ranges are the same. URDF has places relative to the parent,
    so an origin is equal to the last bit only if some float leads from the parent's to it; else it
    is within an ulp of the larger coordinate. The body of a moving joint becomes the inertial of
    its child, and what is welded to it weighs nothing.

    Parameters
    ----------
    tree : KinematicTree
        In the object frame at rest. Absent limits are written as a `<limit>` without bounds, and
        infinite ends as ``inf``, which not every reader of URDF takes. Imputed limits and bodies of
        fixed joints have no form in URDF: the first are written as numbers, the others are lost.
    meshes : mapping of link to str, optional
        Files with the visual shapes of links, in the object frame at rest.

    Raises
    ------
    UrdfError
        If a name is empty or not text of XML, a number is not finite, or a helical joint has no
        pitch. `write_joints` writes the last.
    """
    apart = {turn.child for turn, _ in helical_pairs(tree, set(tree.links)).values()}
    names = _Names(tree)
    places: dict[str, Point] = {tree.root: (0.0, 0.0, 0.0)}
    lines = ['<?xml version="1.0" encoding="utf-8"?>', f"<robot name={_text(tree.name, 'tree')}>"]
    lines += _link_lines(tree.root, _mesh(tree.root, meshes, places))
    for joint in tree.joints:
        offset = _offset(joint, places[joint.parent], joint.origin.tolist())
        places[joint.child] = _sum(places[joint.parent], offset)
        content = _mesh(joint.child, meshes, places) + _inertial(joint, places[joint.child])
        if joint.child in apart:
            content += SHAPE
        lines += _link_lines(joint.child, content)
        lines += _helical(joint, offset, names) if joint.pitch else _plain(joint, offset)
    return ("\n".join([*lines, "</robot>"]) + "\n").encode()


class _Names:
    """Names of carriers and slides that no link or joint of the tree has."""

    def __init__(self, tree: KinematicTree):
        self._links = set(tree.links)
        self._joints = {joint.name for joint in tree.joints}
        # A joint that follows a name of nobody must not follow a slide.
        self._joints |= {joint.mimic.joint for joint in tree.joints if joint.mimic is not None}

    def carrier(self, joint: Joint) -> str:
        return _free(f"{joint.child}_carrier", self._links)

    def slide(self, joint: Joint) -> str:
        return _free(f"{joint.name}_slide", self._joints)


def _free(name: str, taken: set[str]) -> str:
    """Return the name, with a number if it is in use, and reserve it."""
    candidate, count = name, 1
    while candidate in taken:
        count += 1
        candidate = f"{name}_{count}"
    taken.add(candidate)
    return candidate


def _plain(joint: Joint, offset: Point) -> Iterator[str]:
    if joint.type is JointType.HELICAL:
        raise UrdfError(
            "urdf_invalid",
            f"joint {joint.name!r}: a helical joint of pitch 0 has no form in URDF. Make it "
            "revolute, or write the tree with `write_joints`.",
        )
    is_stated = joint.type is not JointType.CONTINUOUS
    limits = "" if joint.limit_source is LimitSource.ABSENT else _bounds(*joint.limits)
    yield from _joint_lines(
        joint,
        (joint.name, joint.type, joint.parent, joint.child),
        offset,
        limits=limits if is_stated else "",
        mimic=joint.mimic,
    )


def _helical(joint: Joint, offset: Point, names: _Names) -> Iterator[str]:
    """Yield the rotation to a carrier, the carrier, and the slide that follows the rotation."""
    carrier, slide = names.carrier(joint), names.slide(joint)
    kind, turn, travel = JointType.REVOLUTE, "", ""
    if joint.limits != (-math.inf, math.inf):
        ends = sorted(end * joint.pitch for end in joint.limits)
        turn, travel = _bounds(*joint.limits), _bounds(*ends)
    elif joint.limit_source is not LimitSource.ABSENT:
        kind = JointType.CONTINUOUS  # every reader takes it, unlike infinite ends
    yield from _link_lines(carrier, "")
    ends_of_turn = (joint.name, kind, joint.parent, carrier)
    yield from _joint_lines(joint, ends_of_turn, offset, limits=turn, mimic=joint.mimic)
    yield from _joint_lines(
        joint,
        (slide, JointType.PRISMATIC, carrier, joint.child),
        (0.0, 0.0, 0.0),
        limits=travel,
        mimic=Mimic(joint.name, joint.pitch),
    )


def _bounds(lower: float, upper: float) -> str:
    return f' lower="{lower!r}" upper="{upper!r}"'


def _joint_lines(
    joint: Joint,
    words: tuple[str, JointType, str, str],
    offset: Point,
    *,
    limits: str,
    mimic: Mimic | None,
) -> Iterator[str]:
    name, kind, parent, child = words
    where = f"joint {joint.name!r}"
    yield f'  <joint name={_name(name, "joint")} type="{kind}">'
    yield f"    <parent link={_name(parent, 'link')}/>"
    yield f"    <child link={_name(child, 'link')}/>"
    yield f'    <origin xyz="{_numbers(offset, where)}"/>'
    if joint.is_movable or joint.axis.tolist() != DEFAULT_AXIS:
        yield f'    <axis xyz="{_numbers(joint.axis.tolist(), where)}"/>'
    if joint.is_movable:
        yield f"    <limit{limits} {DRIVE}/>"
    if mimic is not None:
        factor, shift = _number(mimic.multiplier, where), _number(mimic.offset, where)
        leader = _name(mimic.joint, f"leader of {where}")
        yield f'    <mimic joint={leader} multiplier="{factor}" offset="{shift}"/>'
    yield "  </joint>"


def _mesh(link: str, meshes: Mapping[str, str] | None, places: Mapping[str, Point]) -> str:
    """Return the visual of a link, whose frame is parallel to the object frame."""
    if not meshes or link not in meshes:
        return ""
    x, y, z = places[link]
    name = _text(meshes[link], "mesh")
    back = _numbers((-x, -y, -z), f"link {link!r}")
    return f'<visual><origin xyz="{back}"/><geometry><mesh filename={name}/></geometry></visual>'


def _link_lines(name: str, content: str) -> list[str]:
    start = f"  <link name={_name(name, 'link')}"
    return [f"{start}>{content}</link>" if content else f"{start}/>"]


def _inertial(joint: Joint, place: Point) -> str:
    """Return the body in the frame of the moving link, which is parallel to the object frame."""
    body: RigidBody | None = joint.body
    if body is None or not joint.is_movable:
        return ""
    where = f"the body of joint {joint.name!r}"
    center = _numbers(_offset(joint, place, body.center.tolist()), where)
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertia.tolist()
    moments: Mapping[str, float] = {
        "ixx": xx, "ixy": xy, "ixz": xz, "iyy": yy, "iyz": yz, "izz": zz
    }  # fmt: skip
    tensor = " ".join(f'{key}="{_number(value, where)}"' for key, value in moments.items())
    return (
        f'<inertial><origin xyz="{center}"/><mass value="{_number(body.mass, where)}"/>'
        f"<inertia {tensor}/></inertial>"
    )


def _offset(joint: Joint, base: Point, target: list[float]) -> Point:
    """Return what a reader adds to `base` to get `target`."""
    x, y, z = (_difference(one, two) for one, two in zip(base, target, strict=True))
    if not all(map(math.isfinite, (x, y, z))):
        raise UrdfError(
            "number_invalid",
            f"joint {joint.name!r}: its place relative to its parent overflows. Give it in meters.",
        )
    return x, y, z


def _difference(base: float, target: float) -> float:
    """Return the float that `base` needs to become `target`; the nearest if there is none."""
    first = target - base
    if base + first == target or not math.isfinite(first):
        return first
    tried, low, high = [first], first, first
    for _ in range(2):
        low, high = math.nextafter(low, -math.inf), math.nextafter(high, math.inf)
        tried += [low, high]
    return min(tried, key=lambda step: abs((base + step) - target))


def _sum(base: Point, offset: Point) -> Point:
    """Return the place as a reader computes it."""
    return base[0] + offset[0], base[1] + offset[1], base[2] + offset[2]


def _numbers(values: Point | list[float], where: str) -> str:
    return " ".join(_number(value, where) for value in values)


def _number(value: float, where: str) -> str:
    if not math.isfinite(value):
        raise UrdfError("number_invalid", f"{where} has {value}; URDF needs a finite number.")
    return repr(float(value))


def _name(text: str, what: str) -> str:
    if not text:
        raise UrdfError("urdf_invalid", f"a {what} has no name, which URDF needs. Name it.")
    return _text(text, what)


def _text(text: str, what: str) -> str:
    """Return text as the value of an attribute, with its quotes."""
    if found := _NOT_XML.search(text):
        raise UrdfError(
            "urdf_invalid",
            f"the name {text[:80]!r} of a {what} has the character {found[0]!r}, which XML cannot "
            "hold. Rename it.",
        )
    return quoteattr(text, {"\r": "&#13;", "\n": "&#10;", "\t": "&#9;"})
