# SPDX-License-Identifier: Apache-2.0
"""The scene of an export: floor, light, camera, time step and key frames around the object."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from aa_dataset.adapters.common import require
from aa_dataset.adapters.mujoco import CAMERA, CONTACT_REFERENCE, FLOOR, TIMESTEP
from aa_dataset.adapters.surroundings import (
    FIELD_OF_VIEW,
    FLOOR_COLORS,
    LIGHT,
    SHADOW,
    Surroundings,
    key_states,
)
from aa_dataset.export.parts import Array, Parts, numbers
from aa_dataset.export.sdf import VERSION, add_model, add_text_element, document_bytes
from aa_dataset.export.usd import rotation_quaternion

SCENES = {"mjcf": "scene.xml", "sdf": "scene.sdf", "usd": "scene.usda"}
TILES = 10  # diagonals of the object's box along a floor that is not endless


def scene_file(parts: Parts, format: str, document: bytes) -> bytes:
    """Return the scene beside the main file of an export, whose text is `document`."""
    around = Surroundings.of(parts.files)
    if format == "mjcf":
        return _mjcf(parts, around, document)
    return _sdf(parts, around) if format == "sdf" else _usd(parts, around)


def _mjcf(parts: Parts, around: Surroundings, document: bytes) -> bytes:
    name = parts.files.model.name or "object"
    root = Element("mujoco", {"model": f"{name} scene"})
    SubElement(root, "include", {"file": "object.xml"})
    SubElement(root, "option", {"timestep": numbers(TIMESTEP)})
    extent = {"center": numbers(around.middle), "extent": numbers(around.size)}
    SubElement(root, "statistic", extent)
    visual = SubElement(root, "visual")
    look = {name: numbers(angle) for name, angle in around.angles.items()}
    SubElement(visual, "global", {"offwidth": "1280", "offheight": "960", **look})
    SubElement(visual, "map", {"shadowclip": numbers(SHADOW)})
    SubElement(visual, "headlight", {"ambient": "0.3 0.3 0.3", "diffuse": "0.4 0.4 0.4"})
    _add_mjcf_floor(root, around)
    world = root.find("worldbody")
    assert world is not None  # just added
    sun = {"name": "scene-light", "type": "directional", "dir": numbers(LIGHT)}
    SubElement(world, "light", {**sun, "pos": numbers(around.lamp)})
    axes = numbers([*around.right, *around.up])
    view = {"pos": numbers(around.eye), "xyaxes": axes, "fovy": numbers(FIELD_OF_VIEW)}
    SubElement(world, "camera", {"name": CAMERA, **view})
    _add_keys(root, parts, document)
    ElementTree.indent(root)
    return ElementTree.tostring(root) + b"\n"


def _add_mjcf_floor(root: Element, around: Surroundings) -> None:
    assets, name = SubElement(root, "asset"), "scene-tiles"
    tiles = {"type": "2d", "builtin": "checker", "width": "256", "height": "256"}
    colors = {"rgb1": numbers(FLOOR_COLORS[0]), "rgb2": numbers(FLOOR_COLORS[1])}
    SubElement(assets, "texture", {"name": name, **tiles, **colors})
    look = {"texture": name, "texuniform": "true", "texrepeat": numbers([2 / around.size] * 2)}
    SubElement(assets, "material", {"name": name, **look})
    place = {"pos": numbers([0, 0, around.floor]), "size": "0 0 0.05", "material": name}
    touch = {"solref": numbers(CONTACT_REFERENCE), "priority": "1"}
    world = SubElement(root, "worldbody")
    SubElement(world, "geom", {"name": FLOOR, "type": "plane", **place, **touch})


def _add_keys(root: Element, parts: Parts, document: bytes) -> None:
    """Add the key frames; coordinates are in the order of the joints in the object's document."""
    bodies = ElementTree.fromstring(document).find("worldbody")
    order = [] if bodies is None else [one.get("name", "") for one in bodies.iter("joint")]
    keys = SubElement(root, "keyframe")
    for name, values in key_states(parts.files).items():
        SubElement(keys, "key", {"name": name, "qpos": numbers([values[j] for j in order])})


def _sdf(parts: Parts, around: Surroundings) -> bytes:
    root = Element("sdf", {"version": VERSION, "xmlns:drake": "drake.mit.edu"})
    world = SubElement(root, "world", {"name": "scene"})
    physics = SubElement(world, "physics", {"name": "step", "type": "ignored"})
    add_text_element(physics, "max_step_size", TIMESTEP)
    add_text_element(physics, "real_time_factor", 1.0)
    add_text_element(world, "gravity", [0, 0, -9.81])
    sun = SubElement(world, "light", {"name": "scene-light", "type": "directional"})
    add_text_element(sun, "cast_shadows", "true")
    add_text_element(sun, "pose", [*around.lamp, 0, 0, 0])
    add_text_element(sun, "diffuse", [0.8, 0.8, 0.8, 1])
    add_text_element(sun, "direction", LIGHT)
    camera = SubElement(SubElement(world, "gui"), "camera", {"name": "scene-camera"})
    add_text_element(camera, "pose", [*around.eye, 0, *_pitch_and_yaw(around)])
    model = add_model(world, parts)
    weld = SubElement(model, "joint", {"name": "scene-weld", "type": "fixed"})
    add_text_element(weld, "parent", "world")
    add_text_element(weld, "child", parts.files.root)
    # Last: Drake 1.51 crashes on the meshes of some objects after a half space.
    _add_sdf_floor(world, around)
    return document_bytes(root)


def _add_sdf_floor(world: Element, around: Surroundings) -> None:
    floor = SubElement(world, "model", {"name": "scene-floor"})
    add_text_element(floor, "static", "true")
    add_text_element(floor, "pose", [0, 0, around.floor, 0, 0, 0])
    link = SubElement(floor, "link", {"name": "link"})
    for tag in ("visual", "collision"):
        shape = SubElement(link, tag, {"name": tag})
        plane = SubElement(SubElement(shape, "geometry"), "plane")
        add_text_element(plane, "normal", [0, 0, 1])
        add_text_element(plane, "size", [TILES * around.size] * 2)
        if tag == "visual":
            add_text_element(SubElement(shape, "material"), "diffuse", [*FLOOR_COLORS[0], 1])


def _pitch_and_yaw(around: Surroundings) -> tuple[float, float]:
    """Return the angles [rad] of a camera that looks along its x axis."""
    way = around.middle - around.eye
    level = float(np.hypot(way[0], way[1]))
    return float(np.arctan2(-way[2], level)), float(np.arctan2(way[1], way[0]))


def _usd(parts: Parts, around: Surroundings) -> bytes:
    gf, usd, geom, lux, physics = (
        require(f"pxr.{name}", "the USD export", "usd")
        for name in ("Gf", "Usd", "UsdGeom", "UsdLux", "UsdPhysics")
    )
    stage = usd.Stage.CreateInMemory()
    geom.SetStageUpAxis(stage, geom.Tokens.z)
    geom.SetStageMetersPerUnit(stage, 1.0)
    physics.SetStageKilogramsPerUnit(stage, 1.0)
    root = geom.Xform.Define(stage, "/scene")
    stage.SetDefaultPrim(root.GetPrim())
    stage.DefinePrim("/scene/object").GetReferences().AddReference("./object.usda")
    world = physics.Scene.Define(stage, "/scene/physics")
    world.CreateGravityDirectionAttr(gf.Vec3f(0, 0, -1))
    world.CreateGravityMagnitudeAttr(9.81)
    weld = physics.FixedJoint.Define(stage, "/scene/weld")
    weld.CreateBody1Rel().SetTargets([f"/scene/object/links/{parts.files.root}"])
    half = TILES * around.size / 2
    floor = geom.Cube.Define(stage, "/scene/floor")
    floor.CreateSizeAttr(2.0)
    floor.AddTranslateOp().Set(gf.Vec3d(0, 0, around.floor - 0.05))
    floor.AddScaleOp().Set(gf.Vec3f(half, half, 0.05))
    floor.CreateDisplayColorAttr([gf.Vec3f(*FLOOR_COLORS[0])])
    physics.CollisionAPI.Apply(floor.GetPrim())
    light = lux.DistantLight.Define(stage, "/scene/light")
    light.CreateIntensityAttr(2000.0)
    _orient(gf, light, _rotation_to(np.array(LIGHT)))
    _add_usd_camera(gf, geom.Camera.Define(stage, "/scene/camera"), around)
    text: str = stage.GetRootLayer().ExportToString()
    return text.encode()


def _add_usd_camera(gf: Any, camera: Any, around: Surroundings) -> None:
    camera.CreateVerticalApertureAttr(20.955)
    camera.CreateFocalLengthAttr(float(20.955 / 2 / np.tan(np.radians(FIELD_OF_VIEW) / 2)))
    camera.CreateClippingRangeAttr(gf.Vec2f(0.01 * around.size, 100 * around.size))
    camera.AddTranslateOp().Set(gf.Vec3d(*around.eye.tolist()))
    axes = [around.right, around.up, np.cross(around.right, around.up)]
    _orient(gf, camera, np.stack(axes, axis=1))


def _orient(gf: Any, prim: Any, rotation: Array) -> None:
    w, x, y, z = rotation_quaternion(rotation)
    prim.AddOrientOp().Set(gf.Quatf(w, x, y, z))


def _rotation_to(way: Array) -> Array:
    """Return a rotation (3, 3) that turns -z, along which USD's lights shine, to a direction."""
    back = -way / np.linalg.norm(way)
    right = np.cross([0.0, 1.0, 0.0], back)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(back, right), back], axis=1)
