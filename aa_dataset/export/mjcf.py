# SPDX-License-Identifier: Apache-2.0
"""MJCF through MuJoCo's MjSpec; its text has six digits, so the full digits are restored.

MuJoCo cannot read JPEG, so a PNG is written next to each JPEG texture of a material file.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np

from aa_dataset.adapters.common import require
from aa_dataset.adapters.mujoco import make_spec
from aa_dataset.export.parts import ExportError, ExportLook, Parts, numbers

JPEG = (".jpg", ".jpeg")


def files(parts: Parts) -> dict[str, bytes]:
    """Return every file of the export by name."""
    spec = make_spec(parts.files)
    spec.modelname = parts.files.model.name or "object"
    _set_looks(spec, parts)
    exact = _Exact(spec, parts)
    assets = _with_png(parts.mesh_files())
    spec.assets = {n: data for n, data in assets.items() if not n.endswith((".mtl", *JPEG))}
    try:
        spec.compile()
    except ValueError as error:
        raise ExportError(f"MuJoCo cannot load {parts.files.urdf}: {error}") from error
    root = ElementTree.fromstring(spec.to_xml())
    for element in root.iter():
        exact.restore(element)
    ElementTree.indent(root)
    return {"object.xml": ElementTree.tostring(root) + b"\n", **assets}


def _set_looks(spec: Any, parts: Parts) -> None:
    """Set the material and texture of visuals."""
    materials: dict[ExportLook, str] = {}
    for link in parts.files.model.links:
        for shape in link.visuals:
            look = parts.look(shape)
            if look not in materials:
                materials[look] = f"look_{len(materials)}"
                _add_material(spec, materials[look], look)
            spec.geom(shape.name).material = materials[look]


def _add_material(spec: Any, name: str, look: ExportLook) -> None:
    import mujoco

    material = spec.add_material(name=name, rgba=look.rgba)
    if look.texture is not None:
        kind = mujoco.mjtTexture.mjTEXTURE_2D
        spec.add_texture(name=f"{name}_texture", type=kind, file=_png_name(look.texture))
        roles = [""] * int(mujoco.mjtTextureRole.mjNTEXROLE)
        roles[int(mujoco.mjtTextureRole.mjTEXROLE_RGB)] = f"{name}_texture"
        material.textures = roles


def _png_name(name: str) -> str:
    is_jpeg = name.lower().endswith(JPEG)
    return str(PurePosixPath(name).with_suffix(".png")) if is_jpeg else name


def _with_png(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Add the PNG of every JPEG."""
    made = {
        _png_name(name): _as_png(data) for name, data in files.items() if _png_name(name) != name
    }
    return dict(sorted({**files, **made}.items()))


def _as_png(data: bytes) -> bytes:
    image = require("PIL.Image", "the MJCF export of a JPEG texture", "mjcf")
    out = io.BytesIO()
    image.open(io.BytesIO(data)).convert("RGB").save(out, "PNG")
    return out.getvalue()


class _Exact:
    """The numbers of a spec before it is compiled and printed."""

    def __init__(self, spec: Any, parts: Parts):
        self._parts = parts
        self._body = {body.name: np.array(body.pos) for body in spec.bodies}
        self._joint = {
            j.name: (np.array(j.axis), np.array(j.range), np.array(j.actfrcrange))
            for j in spec.joints
        }
        self._terms = {one.name: np.array(one.data[:5]) for one in spec.equalities}
        self._last_body = ""

    def restore(self, element: Element) -> None:
        """Write the full digits into one element; elements come in document order."""
        name = element.get("name", "")
        if element.tag == "body":
            self._last_body = name
            _set_attributes(element, {"pos": self._body[name]})
        elif element.tag == "inertial":
            self._write_inertial(element)
        elif element.tag == "joint" and name in self._joint:
            axis, span, force = self._joint[name]
            _set_attributes(element, {"axis": axis, "actuatorfrcrange": force})
            if "range" in element.attrib:
                _set_attributes(element, {"range": span})
        elif element.tag == "joint" and name in self._terms:
            _set_attributes(element, {"polycoef": self._terms[name]})
        elif element.tag == "geom":
            # The library's shapes are in their link frame; the pose that MuJoCo prints is noise.
            for key in ("pos", "quat"):
                element.attrib.pop(key, None)

    def _write_inertial(self, element: Element) -> None:
        body = self._parts.bodies[self._last_body]
        i = body.inertia
        element.attrib.clear()
        six = [i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]]
        _set_attributes(element, {"mass": body.mass, "pos": body.center, "fullinertia": six})


def _set_attributes(element: Element, values: Mapping[str, Any]) -> None:
    for key, value in values.items():
        element.set(key, numbers(value))
