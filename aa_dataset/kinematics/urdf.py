# SPDX-License-Identifier: Apache-2.0
"""A safe reader of URDF documents: the contents of the file as arrays, without defaults.

`parse_urdf` keeps the document's frames, names and omissions; `kinematics.urdf_tree` builds the
kinematic tree. The pipeline and the scoring code read URDF only through this module.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from aa_dataset.errors import UrdfError
from aa_dataset.kinematics.joints import Mimic
from aa_dataset.kinematics.turns import Turn, rpy_turn
from aa_dataset.untrusted.safe_xml import XmlBudget, parse_xml

Array = NDArray[np.float64]

# Types with several degrees of freedom: parsed, but not allowed in a kinematic tree.
COMPOUND_TYPES = frozenset({"floating", "planar", "ball", "spherical", "universal"})
JOINT_TYPES = COMPOUND_TYPES | {"fixed", "revolute", "continuous", "prismatic"}
CODES = frozenset(
    {
        "xml_too_large",
        "xml_too_deep",
        "xml_entity",
        "xml_invalid",
        "urdf_invalid",
        "number_invalid",
        "joint_type_unknown",
    }
)


@dataclass(frozen=True, slots=True)
class Material:
    """A named color ``rgba`` in [0, 1] and a texture file; either may be absent."""

    name: str
    rgba: tuple[float, float, float, float] | None = None
    texture: str | None = None


@dataclass(frozen=True, slots=True)
class Geometry:
    """A mesh or a primitive: `size` is (x, y, z), (radius, length) or (radius,) in m."""

    kind: str
    size: tuple[float, ...] = ()
    filename: str = ""
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """One visual or collision element; `pose` (4, 4) places it in the link frame."""

    name: str
    pose: Array
    geometry: Geometry
    material: Material | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Inertial:
    """Mass [kg], pose of the center frame in the link frame, inertia (3, 3) in the center frame."""

    mass: float
    pose: Array
    inertia: Array


@dataclass(frozen=True, slots=True, eq=False)
class UrdfLink:
    """A link as written."""

    name: str
    visuals: tuple[Shape, ...] = ()
    collisions: tuple[Shape, ...] = ()
    inertial: Inertial | None = None


@dataclass(frozen=True, slots=True)
class Dynamics:
    """What resists a joint: damping [N m s/rad or N s/m], friction [N m or N], armature.

    Friction is dry (Coulomb's). Armature [kg m^2 or kg] is inertia of the joint itself; it is no
    attribute of standard URDF, and readers that do not know it ignore it.
    """

    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class UrdfJoint:
    """A joint as written; omitted values are None.

    `pose` (4, 4) places the child frame in the parent frame at q = 0; `axis` (3,) is in the child
    frame and not normalized, `second_axis` is the `<axis2>` of a universal joint; `attributes` has
    the attributes of the tag other than name and type.
    """

    name: str
    type: str
    parent: str
    child: str
    pose: Array
    axis: Array | None = None
    lower: float | None = None
    upper: float | None = None
    effort: float | None = None
    velocity: float | None = None
    has_limit: bool = False
    mimic: Mimic | None = None
    attributes: dict[str, str] = field(default_factory=dict)
    second_axis: Array | None = None
    dynamics: Dynamics | None = None


@dataclass(frozen=True, slots=True, eq=False)
class UrdfModel:
    """A whole document."""

    name: str
    links: tuple[UrdfLink, ...]
    joints: tuple[UrdfJoint, ...]


def parse_urdf(data: bytes, *, budget: XmlBudget | None = None, turn: Turn = rpy_turn) -> UrdfModel:
    """Read a URDF document from bytes; `turn` is what the three numbers of an ``rpy`` mean.

    Raises
    ------
    UrdfError
        With one of `CODES` and a message that names the element.
    """
    root = parse_xml(data, budget)
    if root.tag != "robot":
        raise UrdfError("urdf_invalid", f"the root element is <{root.tag}>, expected <robot>.")
    _require_expanded(root)
    _require_few(root, (budget or XmlBudget()).max_links)
    palette = {m.name: m for m in map(_read_material, root.findall("material"))}
    links = tuple(_read_link(element, palette, turn) for element in root.findall("link"))
    joints = tuple(_read_joint(element, turn) for element in root.findall("joint"))
    return UrdfModel(root.get("name", ""), links, joints)


def _require_expanded(root: Element) -> None:
    """Refuse a document with xacro macros, whose content would silently be missing.

    An expanded file may still declare the namespace; that alone is accepted.
    """
    prefixes = {"xacro"}
    for element in root.iter():
        declared = {k: v for k, v in element.attrib.items() if k.startswith("xmlns")}
        spaces = {k for k, v in declared.items() if v.rstrip("/").endswith("/xacro")}
        prefixes |= {key.partition(":")[2] for key in spaces if ":" in key}
        prefix = element.tag.rpartition(":")[0]
        if prefix in prefixes or (element is not root and "xmlns" in spaces):
            raise UrdfError(
                "urdf_invalid",
                f"<{element.tag}> is a macro of xacro, not URDF; expand the file first: "
                "`xacro model.xacro > model.urdf`.",
            )


def _require_few(root: Element, most: int | None) -> None:
    """Refuse more links or joints than the budget allows, before they become arrays."""
    for tag in ("link", "joint"):
        count = len(root.findall(tag))
        if most is not None and count > most:
            raise UrdfError(
                "xml_too_large", f"the file has {count:,} {tag}s; at most {most:,} are read."
            )


def pose_matrix(xyz: tuple[float, ...], rpy: tuple[float, ...], turn: Turn = rpy_turn) -> Array:
    """Return the (4, 4) placement of an ``<origin>``: the turn, then xyz."""
    out = np.eye(4)
    out[:3, 3] = xyz
    if any(rpy):
        out[:3, :3] = turn(rpy)
    return out


def _read_link(element: Element, palette: dict[str, Material], turn: Turn) -> UrdfLink:
    name = _required_attribute(element, "name", "link")
    visuals, collisions = (
        tuple(_read_shapes(element, tag, palette, turn)) for tag in ("visual", "collision")
    )
    found = element.find("inertial")
    inertial = None if found is None else _read_inertial(found, name, turn)
    return UrdfLink(name, visuals, collisions, inertial)


def _read_shapes(
    link: Element, tag: str, palette: dict[str, Material], turn: Turn
) -> Iterator[Shape]:
    for element in link.findall(tag):
        where = f"<{tag}> of link {link.get('name')!r}"
        material = element.find("material")
        yield Shape(
            element.get("name", ""),
            _read_pose(element, where, turn),
            _read_geometry(element, where),
            None if material is None else _resolve_material(_read_material(material), palette),
        )


def _resolve_material(material: Material, palette: dict[str, Material]) -> Material:
    """Resolve a reference to a material declared at robot level."""
    if material.rgba is None and material.texture is None:
        return palette.get(material.name, material)
    return material


def _read_material(element: Element) -> Material:
    name = element.get("name", "")
    color, texture = element.find("color"), element.find("texture")
    rgba = None
    if color is not None and color.get("rgba"):
        numbers = _parse_numbers(color.get("rgba", ""), (3, 4), f"material {name!r}, rgba")
        r, g, b, a = (min(max(x, 0.0), 1.0) for x in (*numbers, 1.0)[:4])
        rgba = (r, g, b, a)
    return Material(name, rgba, None if texture is None else texture.get("filename"))


def _read_geometry(parent: Element, where: str) -> Geometry:
    element = parent.find("geometry")
    child = None if element is None else next(iter(element), None)
    if child is None:
        raise UrdfError("urdf_invalid", f"{where} has no geometry.")
    if child.tag == "mesh":
        scale = child.get("scale")
        factors = (1.0, 1.0, 1.0) if scale is None else _read_scale(scale, where)
        return Geometry(
            "mesh", filename=_required_attribute(child, "filename", where), scale=factors
        )
    fields = {
        "box": ("size",),
        "cylinder": ("radius", "length"),
        "capsule": ("radius", "length"),
        "sphere": ("radius",),
    }
    if child.tag not in fields:
        raise UrdfError("urdf_invalid", f"{where}: unknown geometry <{child.tag}>.")
    count = (3,) if child.tag == "box" else (1,)
    size: list[float] = []
    for name in fields[child.tag]:
        size += _parse_numbers(_required_attribute(child, name, where), count, f"{where}, {name}")
    if min(size) < 0:
        raise UrdfError("number_invalid", f"{where}: a {child.tag} has a negative size.")
    return Geometry(child.tag, size=tuple(size))


def _read_scale(text: str, where: str) -> tuple[float, float, float]:
    numbers = _parse_numbers(text, (1, 3), f"{where}, scale")
    x, y, z = numbers if len(numbers) == 3 else numbers * 3
    return x, y, z


def _read_inertial(element: Element, link: str, turn: Turn) -> Inertial:
    where = f"<inertial> of link {link!r}"
    mass, tensor = element.find("mass"), element.find("inertia")
    if mass is None or tensor is None:
        raise UrdfError("urdf_invalid", f"{where} lacks <mass> or <inertia>.")
    value = _parse_numbers(_required_attribute(mass, "value", where), (1,), f"{where}, mass")[0]
    names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    xx, xy, xz, yy, yz, zz = (
        _parse_numbers(tensor.get(key, "0"), (1,), f"{where}, {key}")[0] for key in names
    )
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return Inertial(value, _read_pose(element, where, turn), inertia)


def _read_joint(element: Element, turn: Turn) -> UrdfJoint:
    name = _required_attribute(element, "name", "joint")
    where = f"joint {name!r}"
    kind = _required_attribute(element, "type", where)
    if kind not in JOINT_TYPES:
        raise UrdfError("joint_type_unknown", f"{where}: the type {kind!r} is not known.")
    axis, second, limit, mimic = map(element.find, ("axis", "axis2", "limit", "mimic"))
    bounds = {
        key: _optional_number(limit, key, where) for key in ("lower", "upper", "effort", "velocity")
    }
    extra = {k: v for k, v in sorted(element.attrib.items()) if k not in ("name", "type")}
    return UrdfJoint(
        name=name,
        type=kind,
        parent=_read_joint_end(element, "parent", where),
        child=_read_joint_end(element, "child", where),
        pose=_read_pose(element, where, turn),
        axis=None if axis is None else _read_axis(axis, where),
        has_limit=limit is not None,
        mimic=None if mimic is None else _read_mimic(mimic, where),
        attributes=extra,
        second_axis=None if second is None else _read_axis(second, where),
        dynamics=_read_dynamics(element.find("dynamics")),
        **bounds,
    )


def _read_joint_end(element: Element, tag: str, where: str) -> str:
    child = element.find(tag)
    if child is None:
        raise UrdfError("urdf_invalid", f"{where} has no <{tag}>.")
    return _required_attribute(child, "link", where)


def _read_axis(element: Element, where: str) -> Array:
    return np.array(
        _parse_numbers(_required_attribute(element, "xyz", where), (3,), f"{where}, axis")
    )


def _read_mimic(element: Element, where: str) -> Mimic:
    return Mimic(
        _required_attribute(element, "joint", where),
        _parse_numbers(element.get("multiplier", "1"), (1,), f"{where}, multiplier")[0],
        _parse_numbers(element.get("offset", "0"), (1,), f"{where}, offset")[0],
    )


def _read_dynamics(element: Element | None) -> Dynamics | None:
    """Return the dynamics; None if a number is not usable, because no source's are kept."""
    if element is None:
        return None
    names = ("damping", "friction", "armature")
    try:
        values = [_parse_number(element.get(name, "0"), "") for name in names]
    except UrdfError:
        return None
    return Dynamics(*values) if all(0 <= value < math.inf for value in values) else None


def _read_pose(element: Element, where: str, turn: Turn) -> Array:
    origin = element.find("origin")
    if origin is None:
        return np.eye(4)
    xyz = _parse_numbers(origin.get("xyz", "0 0 0"), (3,), f"{where}, origin xyz")
    rpy = _parse_numbers(origin.get("rpy", "0 0 0"), (3,), f"{where}, origin rpy")
    return pose_matrix(tuple(xyz), tuple(rpy), turn)


def _optional_number(element: Element | None, key: str, where: str) -> float | None:
    text = None if element is None else element.get(key)
    if text is None:
        return None
    value = _parse_number(text, f"{where}, {key}")
    if math.isnan(value):
        raise UrdfError("number_invalid", f"{where}, {key}: NaN is not a limit.")
    return value


def _required_attribute(element: Element, key: str, where: str) -> str:
    value = element.get(key)
    if not value:
        raise UrdfError("urdf_invalid", f"<{element.tag}> of {where} has no `{key}`.")
    return value


def _parse_numbers(text: str, counts: tuple[int, ...], where: str) -> list[float]:
    words = text.split(None, max(counts))  # just enough to detect too many
    values = [_parse_number(word, where) for word in words[: max(counts)]]
    if len(words) not in counts:
        wanted = " or ".join(map(str, counts))
        raise UrdfError("number_invalid", f"{where}: {_truncated(text)!r} is not {wanted} numbers.")
    if not all(map(math.isfinite, values)):
        raise UrdfError("number_invalid", f"{where}: {_truncated(text)!r} holds NaN or infinity.")
    return values


def _truncated(text: str) -> str:
    """Truncate a text of any length for a message."""
    return text if len(text) <= 80 else text[:77] + "..."


def _parse_number(word: str, where: str) -> float:
    try:
        # Python also accepts 1_000 and digits of other scripts, which other URDF readers refuse.
        return float(word if word.isascii() and "_" not in word else "")
    except ValueError:
        raise UrdfError("number_invalid", f"{where}: {word[:40]!r} is not a number.") from None
