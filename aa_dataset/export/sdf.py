# SPDX-License-Identifier: Apache-2.0
"""SDF 1.11, written directly, because there is no wheel of sdformat's bindings.

Helical joints become SDF's native screw joints, whose pitch is in meters per turn and positive for
a right-hand thread: 2 pi times ours, with the same sign. Carrier links are omitted.
"""

from __future__ import annotations

import math
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from aa_dataset.export.parts import ExportError, Parts, numbers
from aa_dataset.kinematics.joints import Joint, JointType, Mimic
from aa_dataset.kinematics.urdf import Shape

VERSION = "1.11"
DRAKE = "drake.mit.edu"
KINDS = {JointType.HELICAL: "screw"}


def files(parts: Parts) -> dict[str, bytes]:
    """Return every file of the export by name."""
    root = Element("sdf", {"version": VERSION, "xmlns:drake": DRAKE})
    add_model(root, parts)
    config = {"model.config": _model_config(parts)}
    return {"object.sdf": document_bytes(root), **config, **parts.mesh_files()}


def add_model(parent: Element, parts: Parts) -> Element:
    """Add the model of an object and return it."""
    model = SubElement(parent, "model", {"name": parts.files.model.name or "object"})
    for link in parts.tree.links:
        _add_link(model, parts, link)
    for joint in parts.tree.joints:
        _add_joint(model, parts, joint)
    for pair in parts.files.excluded:
        _add_exclusion(model, pair)
    return model


def document_bytes(root: Element) -> bytes:
    """Return a document as text."""
    ElementTree.indent(root)
    return b'<?xml version="1.0"?>\n' + ElementTree.tostring(root) + b"\n"


def _model_config(parts: Parts) -> bytes:
    """Return the `model.config` that Gazebo requires in a model folder."""
    root = Element("model")
    add_text_element(root, "name", parts.files.model.name or "object")
    SubElement(root, "sdf", {"version": VERSION}).text = "object.sdf"
    return document_bytes(root)


def add_text_element(parent: Element, tag: str, value: object) -> Element:
    """Add an element with a text or numbers and return it."""
    child = SubElement(parent, tag)
    child.text = value if isinstance(value, str) else numbers(value)
    return child


def _add_link(model: Element, parts: Parts, name: str) -> None:
    frame = parts.rest[name]
    if not np.array_equal(frame[:3, :3], np.eye(3)):
        raise ExportError(f"link {name!r} is turned at rest; export a normalized object.")
    link = SubElement(model, "link", {"name": name})
    add_text_element(link, "pose", [*frame[:3, 3], 0, 0, 0])
    if name in parts.bodies:
        body = parts.bodies[name]
        inertial = SubElement(link, "inertial")
        add_text_element(inertial, "pose", [*body.center, 0, 0, 0])
        add_text_element(inertial, "mass", body.mass)
        tensor = SubElement(inertial, "inertia")
        for key, (row, column) in _TENSOR.items():
            add_text_element(tensor, key, body.inertia[row, column])
    source = next(one for one in parts.files.model.links if one.name == name)
    for shape in source.visuals:
        _add_visual(_add_shape(link, "visual", shape), parts, shape)
    for shape in source.collisions:
        _add_shape(link, "collision", shape)


_TENSOR = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}


def _add_shape(link: Element, tag: str, shape: Shape) -> Element:
    element = SubElement(link, tag, {"name": shape.name})
    mesh = SubElement(SubElement(element, "geometry"), "mesh")
    add_text_element(mesh, "uri", shape.geometry.filename)
    return element


def _add_visual(element: Element, parts: Parts, shape: Shape) -> None:
    look = parts.look(shape)
    if look.rgba[3] < 1:
        add_text_element(element, "transparency", 1 - look.rgba[3])
    material = SubElement(element, "material")
    add_text_element(material, "ambient", look.rgba)
    add_text_element(material, "diffuse", look.rgba)
    if look.texture is not None:
        metal = SubElement(SubElement(material, "pbr"), "metal")
        add_text_element(metal, "albedo_map", look.texture)


def _add_joint(model: Element, parts: Parts, joint: Joint) -> None:
    kind = KINDS.get(joint.type, str(joint.type))
    element = SubElement(model, "joint", {"name": joint.name, "type": kind})
    add_text_element(element, "parent", joint.parent)
    add_text_element(element, "child", joint.child)
    if joint.type is JointType.HELICAL:
        add_text_element(element, "screw_thread_pitch", 2 * math.pi * joint.pitch)
    if joint.is_movable:
        _add_axis(element, parts, joint)
    if joint.mimic is not None:
        # Drake reads couplings from its own element.
        SubElement(element, "drake:mimic", _mimic_attributes(joint.mimic))


def _add_axis(element: Element, parts: Parts, joint: Joint) -> None:
    axis, drive = SubElement(element, "axis"), parts.drive(joint.name)
    add_text_element(axis, "xyz", parts.local_axis(joint))
    limit = SubElement(axis, "limit")
    for key, value in (("lower", joint.lower), ("upper", joint.upper)):
        if math.isfinite(value):
            add_text_element(limit, key, value)
    for key, bound in (("effort", drive.effort), ("velocity", drive.velocity)):
        if bound is not None:
            add_text_element(limit, key, bound)
    if drive.dynamics is not None:
        resists = SubElement(axis, "dynamics")
        add_text_element(resists, "damping", drive.dynamics.damping)
        add_text_element(resists, "friction", drive.dynamics.friction)
    if joint.mimic is not None:
        mimic = SubElement(axis, "mimic", {"joint": joint.mimic.joint})
        add_text_element(mimic, "multiplier", joint.mimic.multiplier)
        add_text_element(mimic, "offset", joint.mimic.offset)
        add_text_element(mimic, "reference", 0.0)


def _add_exclusion(model: Element, pair: tuple[str, str]) -> None:
    """Exclude the contacts of two links: SDF has no element for it, so Drake's own is used."""
    names = ["_and_".join(pair), "_and_".join(reversed(pair))]
    for name, link, other in zip(names, pair, reversed(names), strict=True):
        group = SubElement(model, "drake:collision_filter_group", {"name": name})
        add_text_element(group, "drake:member", link)
        add_text_element(group, "drake:ignored_collision_filter_group", other)


def _mimic_attributes(mimic: Mimic) -> dict[str, str]:
    factors = {"multiplier": numbers(mimic.multiplier), "offset": numbers(mimic.offset)}
    return {"joint": mimic.joint, **factors}
