# SPDX-License-Identifier: Apache-2.0
"""Scenes: what an export and a loader put around an object, and that it holds what falls on it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from aa_dataset.adapters import SimulatorError, load
from aa_dataset.cli import main
from aa_dataset.export import SCENES, export
from aa_dataset.kinematics.urdf import parse_urdf
from tests.aa_dataset.judge.test_drive import DRAWER, FRAME, PULL, write

RESISTS = '<dynamics damping="4.04" friction="0.3924" armature="0.02"/>'
LOWEST = -0.2  # of FRAME


@pytest.fixture
def cabinet(tmp_path: Path) -> Path:
    """Return a frame with a drawer that has dynamics."""
    pull = PULL.replace("</joint>", f"{RESISTS}</joint>")
    return write(tmp_path / "cabinet", {"base": FRAME, "drawer": DRAWER}, pull)


def rest_height(mujoco: Any, spec: Any, above: float) -> float:
    """Return the height at which a cube of 0.1 m rests that falls beside the object."""
    body = spec.worldbody.add_body(name="cube", pos=[1.0, 1.0, above])
    body.add_freejoint()
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.05, 0.05, 0.05])
    for key in list(spec.keys):  # of the object alone
        spec.delete(key)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, round(2.0 / model.opt.timestep))
    return float(data.body("cube").xpos[2])


def test_a_cube_rests_on_the_floor_of_a_loaded_scene(cabinet: Path) -> None:
    mujoco = pytest.importorskip("mujoco", reason="`make test` installs mujoco")
    loaded = load("mujoco", cabinet, scene=True)
    assert loaded.data.body("base").xpos[2] == 0.0  # before the first step
    loaded.frames()
    assert loaded.data.body("base").xpos[2] == pytest.approx(-LOWEST)
    assert rest_height(mujoco, loaded.spec, 0.3) == pytest.approx(0.05, abs=5e-4)


def test_the_exported_scene_has_floor_light_camera_keys_and_step(
    cabinet: Path, tmp_path: Path
) -> None:
    mujoco = pytest.importorskip("mujoco", reason="`make test` installs mujoco")
    path = export(cabinet, tmp_path / "out", format="mjcf", scene=True)
    assert path.name == "scene.xml"
    model = mujoco.MjModel.from_xml_path(str(path))
    assert (model.nlight, model.ncam, model.opt.timestep) == (1, 1, 0.002)
    assert model.joint("pull").damping[0] == 4.04
    assert model.joint("pull").frictionloss[0] == 0.3924
    assert model.joint("pull").armature[0] == 0.02
    assert model.key("rest").qpos == pytest.approx([0.0])
    assert model.key("open").qpos == pytest.approx([0.4])
    assert model.geom("scene-floor").pos[2] == pytest.approx(LOWEST)
    spec = mujoco.MjSpec.from_file(str(path))
    assert rest_height(mujoco, spec, 0.2) == pytest.approx(LOWEST + 0.05, abs=5e-4)


def test_the_camera_sees_the_object_shut_and_open(cabinet: Path, tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco", reason="`make test` installs mujoco")
    path = export(cabinet, tmp_path / "out", format="mjcf", scene=True)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    way = -data.cam_xmat[0].reshape(3, 3)[:, 2]
    # FRAME begins at -0.3 m, the drawer ends at 0.25 m and moves 0.4 m; z is that of both walls.
    middle = np.array([(0.65 - 0.3) / 2, 0, 0])
    off = np.cross(middle - data.cam_xpos[0], way)
    assert np.linalg.norm(off) == pytest.approx(0.0, abs=1e-5)
    assert way @ (middle - data.cam_xpos[0]) > 0
    look = mujoco.MjvCamera()
    mujoco.mjv_defaultFreeCamera(model, look)  # what the viewer opens with
    turn, rise = np.radians([look.azimuth, look.elevation])
    free = [np.cos(turn) * np.cos(rise), np.sin(turn) * np.cos(rise), np.sin(rise)]
    assert free == pytest.approx(way, abs=1e-5)
    assert look.lookat == pytest.approx(middle, abs=1e-5)
    eye, axes = data.cam_xpos[0], data.cam_xmat[0].reshape(3, 3)
    for key in ("rest", "open"):
        mujoco.mj_resetDataKeyframe(model, data, model.key(key).id)
        mujoco.mj_forward(model, data)
        for box, link in ((FRAME[0], "base"), (FRAME[1], "base"), (DRAWER[0], "drawer")):
            signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
            corners = data.body(link).xpos + box[3:] + signs * np.array(box[:3]) / 2
            right, up, back = ((corners - eye) @ axes).T
            assert (np.abs(right) < -back * np.tan(np.radians(22.5))).all()  # of a square picture
            assert (np.abs(up) < -back * np.tan(np.radians(22.5))).all()


def test_the_loader_of_every_simulator_has_a_floor(cabinet: Path, simulator: str) -> None:
    loaded = load(simulator, cabinet, scene=True)
    loaded.set_motion({}, {"pull": 1.0})
    loaded.step(0.1)
    # Damped with (1 kg + armature) / 4.04 N s/m.
    most = 1.02 / 4.04 * (1 - np.exp(-0.1 * 4.04 / 1.02))
    assert 0.05 < loaded.coordinates()["pull"] < 1.05 * most
    assert loaded.contacts() == []


def test_a_window_of_pybullet_needs_a_display(
    cabinet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pybullet", reason="`make judges` installs pybullet")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    with pytest.raises(SimulatorError, match="needs a display"):
        load("pybullet", cabinet, scene=True, visuals=True)


def test_pinocchio_has_no_scene(cabinet: Path) -> None:
    pytest.importorskip("pinocchio", reason="`make test` installs pin")
    with pytest.raises(SimulatorError, match="omit `scene`"):
        load("pinocchio", cabinet, scene=True)


@pytest.mark.parametrize("format", SCENES)
def test_the_command_prints_the_scene(
    format: str, cabinet: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    module = {"mjcf": "mujoco", "usd": "pxr"}.get(format, "math")
    pytest.importorskip(module, reason="`make test` installs it")
    out = tmp_path / "out"
    options = ["--format", format, "--scene", "--out", str(out)]
    assert main(["export", str(cabinet), *options]) == 0
    assert capsys.readouterr().out.strip() == str(out / SCENES[format])
    assert (out / SCENES[format]).is_file()


def test_the_floor_of_an_sdf_world_comes_last(cabinet: Path, tmp_path: Path) -> None:
    """Before the object, its half space makes Drake crash on the meshes of some objects."""
    root = ElementTree.parse(export(cabinet, tmp_path / "out", format="sdf", scene=True)).getroot()
    assert [one.get("name") for one in root.iter("model")] == ["boxes", "scene-floor"]


def test_the_world_of_sdf_is_what_drake_reads(cabinet: Path, tmp_path: Path) -> None:
    drake = pytest.importorskip("pydrake.all", reason="`make judges` installs drake")
    path = export(cabinet, tmp_path / "out", format="sdf", scene=True)
    plant, _ = drake.AddMultibodyPlantSceneGraph(drake.DiagramBuilder(), 0.002)
    drake.Parser(plant).AddModels(str(path))
    plant.Finalize()
    assert plant.num_positions() == 1  # the frame is fixed, the drawer slides
    joint = plant.GetJointByName("pull")
    assert joint.default_damping() == 4.04
    model = joint.model_instance()
    assert plant.GetBodyByName("base", model).name() == "base"


def test_the_stage_of_usd_has_physics_and_resolves_the_object(
    cabinet: Path, tmp_path: Path
) -> None:
    usd = pytest.importorskip("pxr.Usd", reason="`make test` installs usd-core")
    from pxr import UsdGeom, UsdLux, UsdPhysics

    stage = usd.Stage.Open(str(export(cabinet, tmp_path / "out", format="usd", scene=True)))
    kinds = [UsdPhysics.Scene, UsdLux.DistantLight, UsdGeom.Camera, UsdGeom.Cube]
    for kind in kinds:
        assert sum(prim.IsA(kind) for prim in stage.Traverse()) == 1, kind
    joint = stage.GetPrimAtPath("/scene/object/joints/pull")
    assert UsdPhysics.DriveAPI(joint, "linear").GetDampingAttr().Get() == pytest.approx(4.04)
    assert joint.GetAttribute("arena:dynamics:friction").Get() == 0.3924
    base = stage.GetPrimAtPath("/scene/object/links/base")
    assert base.HasAPI(UsdPhysics.RigidBodyAPI)
    floor = UsdGeom.Cube(stage.GetPrimAtPath("/scene/floor"))
    box = UsdGeom.BBoxCache(0, ["default"]).ComputeWorldBound(floor.GetPrim())
    assert box.ComputeAlignedRange().GetMax()[2] == pytest.approx(LOWEST)


def test_damping_of_a_hinge_is_per_degree_in_usd(tmp_path: Path) -> None:
    usd = pytest.importorskip("pxr.Usd", reason="`make test` installs usd-core")
    from pxr import UsdPhysics

    hinge = PULL.replace('"prismatic"', '"revolute"').replace("</joint>", f"{RESISTS}</joint>")
    folder = write(tmp_path / "door", {"base": FRAME, "drawer": DRAWER}, hinge)
    stage = usd.Stage.Open(str(export(folder, tmp_path / "out", format="usd")))
    joint = stage.GetPrimAtPath("/object/joints/pull")
    found = UsdPhysics.DriveAPI(joint, "angular").GetDampingAttr().Get()
    assert found * 180 / np.pi == pytest.approx(4.04)


def test_sdf_has_damping_and_friction(cabinet: Path, tmp_path: Path) -> None:
    from xml.etree import ElementTree

    path = export(cabinet, tmp_path / "out", format="sdf")
    found = ElementTree.parse(path).getroot().find("model/joint[@name='pull']/axis/dynamics")
    assert found is not None
    written = parse_urdf((cabinet / "object.urdf").read_bytes()).joints[0].dynamics
    assert written is not None
    assert float(found.findtext("damping", "")) == written.damping
    assert float(found.findtext("friction", "")) == written.friction
