# SPDX-License-Identifier: Apache-2.0
"""USDZ of Articraft: local frames, degrees, loops; damaged layers crash a child process only."""

from __future__ import annotations

import io
import math
import random
import zipfile
from pathlib import Path
from typing import Any

import pytest

from aa_dataset.kinematics import JointType
from aa_dataset.score.budgets import PredictionError
from tests.kit.method_files import format_of, read_files, refused_files

pxr = pytest.importorskip("pxr", reason="pip install 'aa-dataset[usd]'")
from pxr import Gf, Usd, UsdGeom, UsdPhysics  # noqa: E402

HALF = math.sqrt(0.5)  # the halves of a quarter turn's quaternion


def stage(up: str = "Z", unit: float = 1.0, more: tuple[str, ...] = ()) -> Usd.Stage:
    """Return a stage with two bodies or more; each stands at (0, 0, 1)."""
    made = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(made, up)
    UsdGeom.SetStageMetersPerUnit(made, unit)
    for name in ("base", "lid", *more):
        body = UsdGeom.Xform.Define(made, f"/World/parts/{name}")
        UsdPhysics.RigidBodyAPI.Apply(body.GetPrim())
        body.AddTranslateOp().Set(Gf.Vec3d(0, 0, 1))
    return made


def joint(made: Usd.Stage, kind: str, name: str, ends: tuple[str, str], **values: Any) -> Any:
    """Define a joint; `pos0`, `rot0` and so on are its frames."""
    one = getattr(UsdPhysics, kind).Define(made, f"/World/joints/{name}")
    for number, body in enumerate(ends):
        if body:
            getattr(one, f"CreateBody{number}Rel")().SetTargets([f"/World/parts/{body}"])
        if f"pos{number}" in values:
            getattr(one, f"CreateLocalPos{number}Attr")(Gf.Vec3f(*values[f"pos{number}"]))
        if f"rot{number}" in values:
            getattr(one, f"CreateLocalRot{number}Attr")(Gf.Quatf(*values[f"rot{number}"]))
    if "axis" in values:
        one.CreateAxisAttr(values["axis"])
    if "limits" in values:
        one.CreateLowerLimitAttr(values["limits"][0])
        one.CreateUpperLimitAttr(values["limits"][1])
    return one


def text(made: Usd.Stage) -> bytes:
    return made.GetRootLayer().ExportToString().encode()


def packaged(layer: bytes, name: str = "model.usda", how: int = zipfile.ZIP_STORED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", how) as package:
        package.writestr(name, layer)
    return stream.getvalue()


def usdz(made: Usd.Stage) -> dict[str, bytes]:
    return {"usdz/0000.usdz": packaged(text(made))}


def hinged(*more: str, **values: Any) -> Usd.Stage:
    made = stage(more=more)
    joint(made, "RevoluteJoint", "h", ("base", "lid"), **{"axis": "X", **values})
    return made


def test_local_frames_and_degrees(tmp_path):
    """The hinge's x is the body's y; its second frame moves the slide that hangs on the lid."""
    turn = (HALF, 0, 0, HALF)  # a quarter turn about z: x to y
    made = hinged("tray", pos0=(1, 2, 3), rot0=turn, rot1=turn, pos1=(0, 0, -1), limits=(-90, 45))
    joint(made, "PrismaticJoint", "s", ("lid", "tray"), pos0=(1, 0, 0), axis="Z", limits=(0, 0.5))
    found = read_files(tmp_path, usdz(made))
    hinge, slide = found.tree.joints
    assert hinge.axis == pytest.approx([0, 1, 0], abs=1e-6)
    assert hinge.origin == pytest.approx([1, 2, 4], abs=1e-6)
    assert hinge.limits == pytest.approx((-math.pi / 2, math.pi / 4))
    # Both frames are turned alike, so the lid is parallel to the base, 1 above the hinge.
    assert slide.origin == pytest.approx([2, 2, 5], abs=1e-6)
    assert slide.axis == pytest.approx([0, 0, 1], abs=1e-6) and slide.limits == (0, 0.5)
    assert format_of(tmp_path) == "articraft"


def test_a_hinge_without_limits_is_continuous_and_y_up_is_turned(tmp_path):
    made = stage(up="Y", unit=0.01)
    joint(made, "RevoluteJoint", "h", ("base", "lid"), axis="Y", pos0=(100, 0, 0))
    joint(made, "FixedJoint", "f", ("", "base"))
    weld, hinge = read_files(tmp_path, usdz(made)).tree.joints
    assert (weld.type, hinge.type) == (JointType.FIXED, JointType.CONTINUOUS)
    assert hinge.axis == pytest.approx([0, 0, 1], abs=1e-6)


def test_the_manifest_comes_before_the_package(tmp_path):
    manifest = (
        b'{"meters_per_unit": 1, "up_axis": "Z", "parts": [{"name": "a"}], "articulations": []}'
    )
    found = read_files(tmp_path, {"model.json": manifest, "usdz/0000.usdz": b"PK broken"})
    assert found.tree.links == ("a",)


def loop() -> Usd.Stage:
    made = hinged("tray", limits=(0, 1))
    joint(made, "RevoluteJoint", "r", ("base", "tray")).CreateExcludeFromArticulationAttr(True)
    return made


def other(kind: str) -> Usd.Stage:
    made = stage()
    joint(made, kind, "h", ("base", "lid"))
    return made


def with_reference() -> Usd.Stage:
    made = hinged()
    made.DefinePrim("/World/x").GetReferences().AddReference("/etc/passwd")
    return made


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (packaged(text(loop())), "closes a loop"),
        (packaged(text(other("SphericalJoint"))), "no fixed, revolute or prismatic joint"),
        (packaged(text(with_reference())), "refers to other layers"),
        (packaged(text(hinged(rot0=(0, 0, 0, 0)))), "it is no rotation"),
        (packaged(text(hinged(pos0=(math.nan, 0, 0)))), "what is no number"),
        (
            packaged(text(other("RevoluteJoint")).replace(b"parts/lid>", b"parts/none>")),
            "not exist",
        ),
        (packaged(text(hinged()), how=zipfile.ZIP_DEFLATED), "no plain USD layer"),
        (packaged(text(hinged()), name="a.txt"), "no plain USD layer"),
        (packaged(b"#usda 1.0\ndef broken"), "not a readable USD layer"),
        (packaged(text(hinged()))[:-30], "no USDZ package"),
        (b"", "no USDZ package"),
    ],
)
def test_broken_packages_are_refused(tmp_path, data, words):
    assert words in refused_files(tmp_path, {"a.usdz": data})


def test_damaged_binary_layers_end_in_a_sentence(tmp_path):
    """In one process, some of these stop USD's own reader with a fault."""
    path = Path(tmp_path) / "good.usdc"
    made = hinged(limits=(0, 90))
    made.GetRootLayer().Export(str(path))
    good, draw = path.read_bytes(), random.Random(3)
    assert read_files(tmp_path / "good", {"a.usdz": packaged(good, "m.usdc")}).tree.movable
    for number in range(8):
        data = bytearray(good)
        for _ in range(draw.choice([1, 5, 20])):
            at = draw.randrange(len(data) - 8)
            data[at : at + 8] = draw.randbytes(8)
        try:
            read_files(tmp_path / str(number), {"a.usdz": packaged(bytes(data), "m.usdc")})
        except PredictionError as error:
            assert str(error).endswith(".")


def test_without_usd_the_command_that_installs_it_is_said(tmp_path, monkeypatch):
    (tmp_path / "absent").mkdir()
    (tmp_path / "absent" / "pxr.py").write_text("")  # no package: nothing can be imported from it
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "absent"))
    with pytest.raises(PredictionError, match=r"pip install .*aa-dataset\[usd\]"):
        read_files(tmp_path, usdz(hinged()))
