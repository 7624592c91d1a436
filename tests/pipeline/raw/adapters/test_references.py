# SPDX-License-Identifier: Apache-2.0
"""Where the files of a model are: packages, absolute paths, paths of a repository, includes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trimesh
import yaml

from pipeline.base.errors import Rejection
from pipeline.engine.runner import Outcome, Task
from pipeline.raw.adapters import urdf_folder
from pipeline.raw.adapters.collection import read_collection
from pipeline.raw.adapters.references import MOST_NAMES, located, written_names
from pipeline.raw.files import FolderFiles, open_raw
from pipeline.raw.records import Found
from pipeline.stages.ingest.stage import IngestInput, ingest
from pipeline.stages.normalize.stage import NormalizeInput, normalize
from tests.kit import bench
from tests.kit.settings import SETTINGS, facts_of

FACTS = {"title": "Robots", "label": "robotic_arm", "license": "MIT", "attribution": "Somebody",
         "frame": {"up": "z"}, "scale": "metric"}  # fmt: skip
BOX = bench.box_text((1, 1, 1))


def collection(root: Path, files: dict[str, str], **facts: Any) -> list[Found]:
    """Write a collection `robots` and return its objects."""
    for name, text in {"source.yaml": yaml.safe_dump({**FACTS, **facts}), **files}.items():
        path = root / "robots" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return list(urdf_folder.discover(root))


def arm(mesh: str) -> str:
    """Return a box that turns on a mesh."""
    return bench.robot(
        bench.mesh_link("a", mesh), bench.box_link("b"), bench.joint_text("j", "revolute", "a", "b")
    )


def built(root: Path, found: Found) -> Outcome:
    """Ingest and normalize an object."""
    facts = facts_of(root, adapter="urdf_folder")
    raw = ingest(Task("tail-x", IngestInput("tail", facts, found, "", None)), SETTINGS).record
    return normalize(Task("tail-x", NormalizeInput(root, raw)), SETTINGS)


@pytest.mark.parametrize(
    ("model", "mesh", "written"),
    [
        ("arm_description/urdf/arm.urdf", "arm_description/meshes/a.obj",
         "package://arm_description/meshes/a.obj"),
        ("src/arm_description/robots/x/arm.urdf", "src/arm_description/meshes/visual/a.obj",
         "package://arm_description/meshes/visual/a.obj"),
        ("src/one/urdf/arm.urdf", "src/two/meshes/a.obj", "package://two/meshes/a.obj"),
        ("arm/urdf/arm.urdf", "arm/meshes/a.obj", "package://renamed_description/meshes/a.obj"),
        ("arm/urdf/arm.urdf", "arm/meshes/a.obj", "package://repo/arm/meshes/a.obj"),
        ("arm/urdf/arm.urdf", "arm/meshes/a.obj", "model://arm/meshes/a.obj"),
        ("arm/urdf/arm.urdf", "arm/meshes/a.obj", "../meshes/a.obj"),
        ("arm/urdf/arm.urdf", "arm/meshes/a.obj", "..\\meshes\\a.obj"),
        ("arm/urdf/arm.urdf", "arm/meshes/a.obj", "arm/meshes/a.obj"),
        ("arm/urdf/arm.urdf", "arm/meshes/a.obj", "/home/me/ws/src/arm/meshes/a.obj"),
        ("arm/urdf/arm.urdf", "arm/meshes/a.obj", "file:///home/me/ws/src/arm/meshes/a.obj"),
        ("arm/urdf/arm.urdf", "arm/meshes/a.obj", "D:\\ws\\arm\\meshes\\a.obj"),
        ("urdf/arm.urdf", "meshes/a.obj", "package://robots/meshes/a.obj"),
        ("arm/urdf/arm.urdf", "arm/meshes/a.obj", "package:///repo/arm/meshes/a.obj"),
    ],
)  # fmt: skip
def test_the_usual_layouts_are_found(tmp_path: Path, model: str, mesh: str, written: str) -> None:
    (found,) = collection(tmp_path, {model: arm(written), mesh: BOX})
    outcome = built(tmp_path, found)
    # The mesh is a cube of 1 m around the joint, the box of the kit is smaller.
    assert outcome.record.extents == pytest.approx((1, 1, 1))


def test_the_owner_may_say_where_a_package_is(tmp_path: Path) -> None:
    files = {
        "urdf/arm.urdf": arm("package://arm/a.obj"),
        "arm/a.obj": bench.box_text((9, 9, 9)),
        "deep/place of it/a.obj": BOX,
    }
    (found,) = collection(tmp_path, files, packages={"arm": "deep/place of it"})
    assert "robots/deep/place of it" in found.paths
    assert built(tmp_path, found).record.extents == pytest.approx((1, 1, 1))


def test_a_package_may_be_the_collection_itself(tmp_path: Path) -> None:
    files = {
        "urdf/arm.urdf": arm("package://arm/deep/a.obj"),
        "arm/deep/a.obj": bench.box_text((9, 9, 9)),
        "deep/a.obj": BOX,
    }
    (found,) = collection(tmp_path, files, packages={"arm": "."})
    assert built(tmp_path, found).record.extents == pytest.approx((1, 1, 1))


def test_the_package_of_a_mesh_in_a_deep_folder_is_added_with_its_pictures(tmp_path: Path) -> None:
    picture = "mtllib m.mtl\nusemtl m\n"
    files = {
        "src/arm/robots/arm.urdf": arm("package://arm/meshes/left/hand/a.obj"),
        "src/arm/meshes/left/hand/a.obj": picture + BOX,
        "src/arm/meshes/left/hand/m.mtl": "newmtl m\nmap_Kd ../../../materials/absent.png\n",
        "src/leg/meshes/a.obj": BOX,
    }
    (found,) = collection(tmp_path, files)
    assert found.paths[2:] == ("robots/src/arm",)
    assert "texture_missing" in bench.codes(built(tmp_path, found))  # and not `mesh_outside`


@pytest.mark.parametrize(
    "written",
    [
        "/etc/passwd", "file:///etc/passwd", "../../../../etc/passwd", "package://../../etc/passwd",
        "package://x/../../../../etc/passwd", "../../other/meshes/a.obj", "http://x/meshes/a.obj",
        "package://", "package://arm", "/a.obj", "C:\\a.obj", "a.obj\0", "package://other/a.obj",
    ],
)  # fmt: skip
def test_nothing_outside_the_collection_is_found(tmp_path: Path, written: str) -> None:
    other = tmp_path / "other/meshes/a.obj"
    other.parent.mkdir(parents=True)
    other.write_text(BOX)
    text = arm("PLACE").replace("PLACE", written.replace("\0", "&#x1;"))
    objects = collection(tmp_path, {"arm/urdf/arm.urdf": text, "elsewhere/a.obj": BOX})
    (found,) = [one for one in objects if one.name.endswith(".urdf")]
    assert all(path.startswith("robots/") for path in found.paths)
    files = FolderFiles(tmp_path, ("robots",), most_bytes=10**6)
    assert located(files, found.paths[0], written) is None
    with pytest.raises(Rejection):
        built(tmp_path, found)


def test_a_link_that_leads_out_is_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret/a.obj"
    secret.parent.mkdir()
    secret.write_text(BOX)
    (tmp_path / "raw/robots/arm").mkdir(parents=True)
    (tmp_path / "raw/robots/arm/meshes").symlink_to(secret.parent)
    written = {"arm/urdf/arm.urdf": arm("package://arm/meshes/a.obj")}
    (found,) = collection(tmp_path / "raw", written)
    with pytest.raises(Rejection):
        built(tmp_path / "raw", found)


def test_only_what_a_model_names_is_added_to_its_files(tmp_path: Path) -> None:
    files = {
        "one/urdf/arm.urdf": arm("package://one/meshes/a.obj"),
        "one/meshes/a.obj": BOX,
        "two/meshes/a.obj": BOX,
        "meshes/b.obj": BOX,
        "three/plain.urdf": arm("a.obj"),
        "three/a.obj": BOX,
        "three/deep/top.urdf": arm("../../meshes/b.obj"),
    }
    paths = {found.name: found.paths for found in collection(tmp_path, files)}
    assert paths == {
        "robots/one/urdf/arm.urdf": ("robots/one/urdf/arm.urdf", "robots/one/urdf", "robots/one"),
        "robots/three/plain.urdf": ("robots/three/plain.urdf", "robots/three"),
        # Not the whole collection, though `meshes` is in its root.
        "robots/three/deep/top.urdf": (
            "robots/three/deep/top.urdf", "robots/three/deep", "robots/meshes"),
    }  # fmt: skip


def test_names_in_comments_do_not_count_and_the_search_is_bounded(tmp_path: Path) -> None:
    many = "".join(f'<mesh filename="{n}.obj"/>' for n in range(2 * MOST_NAMES))
    (tmp_path / "c").mkdir()
    (tmp_path / "c/m.urdf").write_text(f'<!-- <mesh filename="x"/> --><robot>{many}</robot>')
    files = open_raw(tmp_path, ("c/m.urdf", "c"), most_bytes=10**6)
    names = written_names(files, "c/m.urdf")
    assert names == [f"{n}.obj" for n in range(MOST_NAMES)]


@pytest.mark.parametrize("packages", [{"a": "../x"}, {"a": "/x"}, {"a/b": "x"}, {"a": "x//y"},
                                      {"a": ".."}, {"a": 3}, ["a"]])  # fmt: skip
def test_a_package_leads_into_the_collection(tmp_path: Path, packages: Any) -> None:
    collection(tmp_path, {}, packages=packages)
    with pytest.raises(Rejection, match="metadata_invalid"):
        read_collection(tmp_path / "robots")


def test_includes_and_meshes_of_mjcf_may_be_elsewhere_in_the_collection(tmp_path: Path) -> None:
    model = (
        '<mujoco><include file="../parts/assets.xml"/><worldbody><body name="a">'
        '<geom type="mesh" mesh="m"/><body name="b"><joint name="j" type="hinge" range="0 1" '
        'limited="true"/><geom size="0.1"/></body></body></worldbody></mujoco>'
    )
    files = {
        "models/arm.xml": model,
        "parts/assets.xml": '<mujocoinclude><compiler meshdir="../stl" angle="radian"/>'
        '<asset><mesh name="m" file="a.obj"/></asset></mujocoinclude>',
        "stl/a.obj": BOX,
        "stl/unused/b.obj": BOX,
        "other/c.obj": BOX,
    }
    (found,) = collection(tmp_path, files, format="mjcf")
    assert found.paths == ("robots/models/arm.xml", "robots/models", "robots/parts", "robots/stl")
    assert built(tmp_path, found).record.extents == pytest.approx((1, 1, 1))


@pytest.mark.parametrize(("up", "extents"), [("z", (1, 2, 3)), ("y", (1, 3, 2))])
def test_the_owner_may_say_that_y_is_up_in_gltf(
    tmp_path: Path, up: str, extents: tuple[float, ...]
) -> None:
    """A box of 1 x 2 x 3 in the file: with y up, its 2 are the height."""
    box = trimesh.creation.box(extents=(1, 2, 3))
    (found,) = collection(tmp_path, {"arm.urdf": arm("a.glb")}, gltf_up=up)
    (tmp_path / "robots/a.glb").write_bytes(box.export(file_type="glb"))
    assert built(tmp_path, found).record.extents == pytest.approx(extents)


def test_the_scale_of_a_turned_mesh_is_along_the_axes_of_the_link(tmp_path: Path) -> None:
    box = trimesh.creation.box(extents=(1, 2, 3))
    text = arm("a.glb").replace('"a.glb"', '"a.glb" scale="1 1 2"')
    (found,) = collection(tmp_path, {"arm.urdf": text}, gltf_up="y")
    (tmp_path / "robots/a.glb").write_bytes(box.export(file_type="glb"))
    assert built(tmp_path, found).record.extents == pytest.approx((1, 3, 4))
