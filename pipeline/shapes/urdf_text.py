# SPDX-License-Identifier: Apache-2.0
"""Writes a URDF document: the same model gives the same bytes on every machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.sax.saxutils import quoteattr

import numpy as np

from aa_dataset.kinematics.urdf import (
    Dynamics,
    Geometry,
    Inertial,
    Shape,
    UrdfJoint,
    UrdfLink,
    UrdfModel,
)


def format_urdf(model: UrdfModel) -> bytes:
    """Return the document of a model whose poses are pure translations (our convention)."""
    lines = ['<?xml version="1.0"?>', f"<robot name={quoteattr(model.name)}>"]
    for link in model.links:
        lines += [f"  {line}" for line in _link(link)]
    for joint in model.joints:
        lines += [f"  {line}" for line in _joint(joint)]
    return ("\n".join([*lines, "</robot>"]) + "\n").encode()


def number(value: float, digits: int = 12) -> str:
    """Return a number with so many significant digits, without a negative zero."""
    return format(float(value) + 0.0, f".{digits}g") if value else "0"


def _numbers(values: Iterable[float], digits: int = 12) -> str:
    return " ".join(number(value, digits) for value in values)


def _origin(pose: np.ndarray) -> str:
    if not np.array_equal(pose[:3, :3], np.eye(3)):
        raise ValueError("the convention has translations only, this pose rotates")
    # An axis far from the object needs all digits of its position to be exact on the object's grid.
    return f'<origin xyz="{_numbers(pose[:3, 3], 15)}" rpy="0 0 0"/>'


def _link(link: UrdfLink) -> Iterator[str]:
    yield f"<link name={quoteattr(link.name)}>"
    if link.inertial is not None:
        yield from (f"  {line}" for line in _inertial(link.inertial))
    for tag, shapes in (("visual", link.visuals), ("collision", link.collisions)):
        for shape in shapes:
            yield from (f"  {line}" for line in _shape(tag, shape))
    yield "</link>"


def _inertial(inertial: Inertial) -> Iterator[str]:
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertial.inertia
    keys = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    tensor = " ".join(
        f'{key}="{number(value)}"'
        for key, value in zip(keys, (xx, xy, xz, yy, yz, zz), strict=True)
    )
    yield "<inertial>"
    yield f"  {_origin(inertial.pose)}"
    yield f'  <mass value="{number(inertial.mass)}"/>'
    yield f"  <inertia {tensor}/>"
    yield "</inertial>"


def _shape(tag: str, shape: Shape) -> Iterator[str]:
    yield f"<{tag} name={quoteattr(shape.name)}>"
    yield f"  {_origin(shape.pose)}"
    yield f"  <geometry>{_geometry(shape.geometry)}</geometry>"
    if shape.material is not None and shape.material.rgba is not None:
        color = f'<color rgba="{_numbers(shape.material.rgba)}"/>'
        yield f"  <material name={quoteattr(shape.material.name)}>{color}</material>"
    yield f"</{tag}>"


def _geometry(geometry: Geometry) -> str:
    if geometry.kind == "mesh":
        return f"<mesh filename={quoteattr(geometry.filename)}/>"
    if geometry.kind == "box":
        return f'<box size="{_numbers(geometry.size)}"/>'
    raise ValueError(f"the convention writes meshes and boxes, not {geometry.kind}")


def _joint(joint: UrdfJoint) -> Iterator[str]:
    yield f"<joint name={quoteattr(joint.name)} type={quoteattr(joint.type)}>"
    yield f"  {_origin(joint.pose)}"
    yield f"  <parent link={quoteattr(joint.parent)}/>"
    yield f"  <child link={quoteattr(joint.child)}/>"
    if joint.axis is not None:
        yield f'  <axis xyz="{_numbers(joint.axis)}"/>'
    if joint.has_limit:
        yield f"  <limit {_attributes(joint, ('lower', 'upper', 'effort', 'velocity'))}/>"
    if joint.dynamics is not None:
        yield f"  <dynamics {_attributes(joint.dynamics, ('damping', 'friction', 'armature'))}/>"
    if joint.mimic is not None:
        mimic = joint.mimic
        yield (
            f"  <mimic joint={quoteattr(mimic.joint)} "
            f'multiplier="{number(mimic.multiplier)}" offset="{number(mimic.offset)}"/>'
        )
    yield "</joint>"


def _attributes(holder: UrdfJoint | Dynamics, names: Iterable[str]) -> str:
    values = ((name, getattr(holder, name)) for name in names)
    return " ".join(f'{name}="{number(value)}"' for name, value in values if value is not None)
