# SPDX-License-Identifier: Apache-2.0
"""The pictures of an object: which there are, in which colors, and what happens without them."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from aa_dataset.assets.contents import PICTURES, content_digest
from aa_dataset.assets.pictures import picture_problem
from aa_dataset.draw.joint_colors import link_colors
from aa_dataset.draw.palette import light_rgb
from aa_dataset.format.layout import PREVIEW, PREVIEW_OPEN, PREVIEW_PARTS, STRIP
from aa_dataset.kinematics.urdf import parse_urdf
from aa_dataset.kinematics.urdf_tree import urdf_tree
from aa_dataset.render.backend import BACKENDS, available
from aa_dataset.render.errors import BackendUnavailableError
from aa_dataset.render.glb import MOST_PIXELS
from pipeline.base.errors import MachineError, Rejection
from pipeline.base.reasons import Code, Reason
from pipeline.engine.runner import Outcome, Task
from pipeline.stages.render import stage
from pipeline.stages.render.stage import RenderInput, render, without_pictures
from tests.kit import bench
from tests.kit.settings import SETTINGS, changed

SMALL = {"size": 96, "strip_frames": 8, "strip_size": 32}


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    if not available(request.param):
        pytest.skip(f"the {request.param} backend does not work on this machine")
    return str(request.param)


def box(name: str, size: float, color: str = "0.8 0.2 0.2 1") -> str:
    return (
        f'<link name="{name}"><visual><geometry><box size="{size} {size} {size}"/></geometry>'
        f'<material name="{name}"><color rgba="{color}"/></material></visual></link>'
    )


def joint(child: str, kind: str = "prismatic", *, at: float = 0.0, upper: float = 1.0) -> str:
    return (
        f'<joint name="{child}_joint" type="{kind}"><parent link="base"/><child link="{child}"/>'
        f'<origin xyz="0 {at} 0"/><axis xyz="0 1 0"/>'
        f'<limit lower="0" upper="{upper}" effort="1" velocity="1"/></joint>'
    )


def drawn(folder: Path, urdf: str, backend: str, **options: Any) -> Outcome[Any]:
    """Normalize a URDF and draw it."""
    outcome = bench.normal(bench.write_object(folder / "raw", urdf))
    _, where = bench.stored(folder / "object.tar", outcome)
    settings = changed(SETTINGS, render={**SMALL, **options})
    return render(Task("test-object", RenderInput(where, backend)), settings)


def shown(outcome: Outcome[Any], name: str) -> np.ndarray:
    assert outcome.files is not None
    return np.asarray(Image.open(io.BytesIO(outcome.files[name])).convert("RGB"))


def model(scale: float = 1.0) -> str:
    """Return a base, and a box beside it that slides away from it."""
    return bench.robot(
        box("base", 0.5 * scale, "0.2 0.6 0.3 1"), box("arm", 0.2 * scale),
        joint("arm", at=0.4 * scale, upper=0.4 * scale),
    )  # fmt: skip


def colored(picture: np.ndarray, color: tuple[float, ...]) -> np.ndarray:
    """Return the pixels of about one hue, whatever the light."""
    given, wanted = picture / np.maximum(picture.sum(axis=2, keepdims=True), 1), np.array(color)
    near = np.abs(given - wanted / wanted.sum()).max(axis=2) < 0.06
    return np.asarray(near & (np.ptp(picture.astype(int), axis=2) > 40))


def test_there_are_four_pictures_of_one_camera(tmp_path: Path, backend: str) -> None:
    outcome = drawn(tmp_path, model(), backend)
    assert outcome.record.preview_backend == backend and not outcome.findings
    assert {*(outcome.files or {})} == {*PICTURES}
    rest, opened, parts = (shown(outcome, n) for n in (PREVIEW, PREVIEW_OPEN, PREVIEW_PARTS))
    assert rest.shape == opened.shape == parts.shape == (96, 96, 3)
    base = (0.2, 0.6, 0.3)
    kept = colored(rest, base) & colored(opened, base)
    assert kept.sum() > 0.6 * colored(rest, base).sum() > 100  # the arm hid a part
    places = [np.argwhere(colored(one, (0.8, 0.2, 0.2))).mean(axis=0) for one in (rest, opened)]
    assert places[1][1] > places[0][1] + 10  # it slid to the viewer's right


def test_every_link_has_the_color_of_its_joint(tmp_path: Path, backend: str) -> None:
    urdf = bench.robot(
        box("base", 0.4), box("arm", 0.3), joint("arm", at=-0.5), box("leg", 0.3),
        joint("leg", at=0.5), box("foot", 0.1, "0 0 0 0.3"),
        '<joint name="f" type="fixed"><parent link="leg"/><child link="foot"/>'
        '<origin xyz="0.2 0 0"/></joint>',
    )  # fmt: skip
    outcome = drawn(tmp_path, urdf, backend)
    files = bench.normal(tmp_path / "raw").files or {}
    colors = link_colors(urdf_tree(parse_urdf(files["object.urdf"])))
    assert colors["foot"] == colors["leg"] != colors["arm"]
    parts = shown(outcome, PREVIEW_PARTS)
    seen = [colored(parts, light_rgb(colors[link])).sum() for link in ("arm", "leg")]
    assert min(seen) > 100
    assert not colored(parts, (0.8, 0.2, 0.2)).any()
    gray = np.ptp(parts.astype(int), axis=2) < 25
    assert (gray & (parts.max(axis=2) < 190)).sum() > 100


def test_the_animation_moves_and_comes_back(tmp_path: Path, backend: str) -> None:
    outcome = drawn(tmp_path, model(), backend)
    data = (outcome.files or {})[STRIP]
    assert picture_problem(data) == ""
    film = Image.open(io.BytesIO(data))
    assert (film.format, film.n_frames, film.size) == ("WEBP", 8, (32, 32))  # type: ignore[attr-defined]
    frames = []
    for number in range(8):
        film.seek(number)
        frames.append(np.asarray(film.convert("RGB")).astype(int))
    change = [np.abs(frame - frames[0]).mean() for frame in frames]
    assert max(change) == max(change[3:6]) > 2 * change[1] > 1
    assert change[7] == pytest.approx(change[1], rel=0.1)  # the way back


def test_the_same_object_has_the_same_bytes(tmp_path: Path, backend: str) -> None:
    first, second = (drawn(tmp_path / name, model(), backend) for name in "ab")
    assert first.files == second.files


def test_no_frames_are_no_animation(tmp_path: Path) -> None:
    outcome = drawn(tmp_path, model(), "embree", strip_frames=0)
    assert {*(outcome.files or {})} == {*PICTURES} - {STRIP}


def test_pictures_are_no_part_of_the_content(tmp_path: Path) -> None:
    files = dict(bench.normal(bench.write_object(tmp_path / "raw", model())).files or {})
    pictures = drawn(tmp_path / "drawn", model(), "embree").files or {}
    assert content_digest({**files, **pictures}) == content_digest(files)


@pytest.mark.parametrize("scale", [2e-5, 200.0])
def test_ten_micrometers_and_a_hundred_meters_look_the_same(
    tmp_path: Path, backend: str, scale: float
) -> None:
    usual, other = (drawn(tmp_path / str(s), model(s), backend) for s in (1.0, scale))
    assert other.record.preview_backend == backend
    for name in (PREVIEW, PREVIEW_OPEN, PREVIEW_PARTS):
        difference = np.abs(shown(usual, name).astype(int) - shown(other, name))
        assert difference.mean() < 1.0


def test_a_slide_of_ten_kilometers_leaves_the_object_in_the_picture(
    tmp_path: Path, backend: str
) -> None:
    urdf = bench.robot(box("base", 0.5), box("arm", 0.2), joint("arm", at=0.4, upper=1e4))
    outcome = drawn(tmp_path, urdf, backend)
    for name in (PREVIEW, PREVIEW_OPEN, PREVIEW_PARTS):
        assert np.ptp(shown(outcome, name)) > 60


def test_links_without_geometry_and_fully_transparent_ones_are_not_seen(
    tmp_path: Path, backend: str
) -> None:
    plain = bench.robot(box("base", 0.5), box("arm", 0.2), joint("arm", at=0.4))
    urdf = plain.replace("</robot>", '<link name="bare"/>' + joint("bare") + "</robot>")
    ghost = box("ghost", 0.45, "1 1 1 0") + joint("ghost")
    outcome = drawn(tmp_path, urdf.replace("</robot>", ghost + "</robot>"), backend)
    expected = drawn(tmp_path / "plain", plain, backend)
    assert outcome.record.preview_backend == backend
    assert np.abs(shown(outcome, PREVIEW).astype(int) - shown(expected, PREVIEW)).mean() < 2.0


def test_an_object_that_nobody_sees_is_kept_with_a_finding(tmp_path: Path, backend: str) -> None:
    clear = "1 1 1 0"
    urdf = bench.robot(box("base", 0.5, clear), box("arm", 0.2, clear), joint("arm"))
    outcome = drawn(tmp_path, urdf, backend)
    assert outcome.record.preview_backend is None and outcome.files == {}
    (finding,) = outcome.findings
    assert finding.code is Code.PREVIEW_FAILED and "fully transparent" in finding.detail


def test_a_worker_without_egl_blames_no_object(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where budgets.memory_gb leaves no room for EGL: else no object would have pictures."""

    def fail() -> None:
        raise BackendUnavailableError("egl")

    monkeypatch.setattr(stage, "prepare_context", fail)
    monkeypatch.setattr(stage, "_drew", set())
    with pytest.raises(MachineError, match=r"Raise budgets\.memory_gb"):
        drawn(tmp_path / "first", model(), "egl")
    monkeypatch.setattr(stage, "_drew", {os.getpid()})
    with pytest.raises(MemoryError):  # another object may be the cause: tried again, alone
        drawn(tmp_path / "later", model(), "egl")
    assert drawn(tmp_path / "embree", model(), "embree").files


def test_a_crash_and_too_much_memory_are_findings_too() -> None:
    rejection = Rejection(Reason.WORKER_CRASHED, "ended its worker process.")
    outcome = without_pictures(rejection)
    assert outcome.record.preview_backend is None and outcome.files == {}
    (finding,) = outcome.findings
    assert finding.code is Code.PREVIEW_FAILED and "worker_crashed: ended" in finding.detail


@pytest.mark.parametrize(("height", "is_drawn"), [(1_000, True), (5_000, False)])
def test_a_texture_of_16000_pixels_is_a_picture_or_a_finding(
    tmp_path: Path, height: int, is_drawn: bool
) -> None:
    stream = io.BytesIO()
    Image.new("1", (16_000, height)).convert("L").save(stream, "PNG")
    assert (16_000 * height <= MOST_PIXELS) == is_drawn
    mesh = (
        "mtllib a.mtl\nusemtl a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 0 1\n"
        "f 1/1 3/2 2/3\nf 1/1 2/2 4/3\nf 2/1 3/2 4/3\nf 3/1 1/2 4/3\n"
    )
    files = {"a.obj": mesh, "a.mtl": "newmtl a\nmap_Kd a.png\n", "a.png": stream.getvalue()}
    urdf = bench.robot(bench.mesh_link("base", "a.obj"), box("arm", 0.2), joint("arm"))
    folder = bench.write_object(tmp_path / "raw", urdf, files)
    outcome = bench.normal(folder, budgets={"pixels": 10**9})
    _, where = bench.stored(tmp_path / "object.tar", outcome)
    settings = changed(SETTINGS, render=SMALL)
    made = render(Task("test-object", RenderInput(where, "embree")), settings)
    assert [finding.code for finding in made.findings] == [Code.PREVIEW_FAILED] * (not is_drawn)
    assert all("textures have more than" in finding.detail for finding in made.findings)
    assert bool(made.files) == is_drawn
