# SPDX-License-Identifier: Apache-2.0
"""The OBJ reader and writer: fast and unusual lines, compared with trimesh and a loop."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st

from aa_dataset.untrusted.obj import ObjError, ObjText, read_obj
from pipeline.shapes.obj_text import number_lines, obj_bytes
from pipeline.shapes.pieces import Piece, compacted
from tests.kit.places import SAMPLES, skip_without_samples


def corners_of(text: ObjText) -> dict[str | None, list[tuple[float, ...]]]:
    """Return the corners of every triangle by material: x, y, z and, where given, u, v."""
    out: dict[str | None, list[tuple[float, ...]]] = {}
    for group in text.groups:
        rows = out.setdefault(group.material, [])
        for number, place in enumerate(group.corners.reshape(-1)):
            texture = -1 if group.uv_corners is None else group.uv_corners.reshape(-1)[number]
            uv = tuple(text.uv[texture]) if texture >= 0 else ()
            rows.append((*text.points[place], *uv))
    return out


def naive(content: str) -> dict[str | None, list[tuple[float, ...]]]:
    """Read an OBJ file by its specification, one line after the other."""
    points, uvs, material = [], [], None
    out: dict[str | None, list[tuple[float, ...]]] = {}
    for line in content.splitlines():
        words = line.split("#")[0].split()
        if words[:1] == ["v"]:
            points.append(tuple(map(float, words[1:4])))
        elif words[:1] == ["vt"]:
            uvs.append(tuple(map(float, words[1:3])))
        elif words[:1] == ["usemtl"]:
            material = words[1]
        elif words[:1] == ["f"]:
            corners = []
            for word in words[1:]:
                place, texture, *_ = (*word.split("/"), "", "")
                index = int(place) - 1 if int(place) > 0 else len(points) + int(place)
                uv = ()
                if texture:
                    uv = uvs[int(texture) - 1 if int(texture) > 0 else len(uvs) + int(texture)]
                corners.append((*points[index], *uv))
            for number in range(1, len(corners) - 1):
                rows = out.setdefault(material, [])
                rows += [corners[0], corners[number], corners[number + 1]]
    return out


def real_files() -> list[Path]:
    """Return OBJ files of every source, at most twenty per folder that holds objects."""
    found: list[Path] = []
    for source in ("partnet_mobility", "partnet_mobility_edited", "gapartnet", "articraft",
                   "articulated_object_code"):  # fmt: skip
        for folder in sorted((SAMPLES / source).glob("*")):
            small = [p for p in sorted(folder.rglob("*.obj")) if p.stat().st_size < 300_000]
            found += small[:: max(len(small) // 4, 1)][:4]
    return found


def test_real_files_read_as_trimesh_reads_them() -> None:
    files = real_files()
    if not files:
        skip_without_samples()
    compared = 0
    for path in files:
        ours = read_obj(path.read_bytes())
        scene = trimesh.load_scene(path, process=False, maintain_order=True)
        theirs = [mesh for mesh in scene.geometry.values() if isinstance(mesh, trimesh.Trimesh)]
        triangles = np.concatenate([np.asarray(mesh.triangles) for mesh in theirs])
        found = np.concatenate([ours.points[group.corners] for group in ours.groups])
        assert same_rows(found.reshape(-1, 9), triangles.reshape(-1, 9)), path
        compared += len(found)
    assert compared > 10_000


def test_texture_coordinates_of_real_files_are_those_of_trimesh() -> None:
    path = SAMPLES / "partnet_mobility/40147/textured_objs"
    if not path.is_dir():
        skip_without_samples()
    compared = 0
    for file in sorted(path.glob("*.obj")):
        ours = read_obj(file.read_bytes())
        scene = trimesh.load_scene(file, process=False)
        theirs = [m for m in scene.geometry.values() if getattr(m.visual, "uv", None) is not None]
        groups = [group for group in ours.groups if group.uv_corners is not None]
        if not theirs or not groups:
            continue
        found = [
            np.concatenate([ours.points[g.corners], ours.uv[g.uv_corners]], axis=2) for g in groups
        ]
        expected = [
            np.concatenate([m.triangles, np.asarray(m.visual.uv)[m.faces]], axis=2) for m in theirs
        ]
        whole = np.concatenate(found).reshape(-1, 15)
        assert same_rows(whole, np.concatenate(expected).reshape(-1, 15)), file
        compared += len(whole)
    assert compared > 100


def same_rows(one: np.ndarray, two: np.ndarray) -> bool:
    """Tell whether two arrays hold the same rows, in any order."""
    one, two = one.round(9) + 0.0, two.round(9) + 0.0
    return bool(np.array_equal(one[np.lexsort(one.T)], two[np.lexsort(two.T)]))


numbers = st.floats(-1e6, 1e6, allow_nan=False).map(lambda value: round(value, 6))


@st.composite
def obj_files(draw: st.DrawFn) -> str:
    """Return OBJ text of several blocks with every form of corner, absolute and from the end."""
    lines: list[str] = []
    points = uvs = 0
    for block in range(draw(st.integers(1, 3))):
        for _ in range(draw(st.integers(3, 6))):
            lines.append("v " + " ".join(repr(draw(numbers)) for _ in range(3)))
            points += 1
        for _ in range(draw(st.integers(1, 4))):
            lines.append("vt " + " ".join(repr(draw(numbers)) for _ in range(2)))
            uvs += 1
        if draw(st.booleans()):
            lines.append(f"usemtl m{block}")
        form = draw(st.sampled_from(["{0}", "{0}/{1}", "{0}//1", "{0}/{1}/1", "mixed"]))
        count = draw(st.sampled_from([3, 4, 5, 0]))
        for _ in range(draw(st.integers(1, 4))):
            words = []
            for _ in range(count or draw(st.integers(3, 6))):
                kind = draw(st.sampled_from(["{0}", "{0}/{1}", "{0}//1", "{0}/{1}/1"]))
                back = form == "mixed" and draw(st.booleans())
                place = draw(st.integers(-points, -1) if back else st.integers(1, points))
                texture = draw(st.integers(-uvs, -1) if back else st.integers(1, uvs))
                words.append((kind if form == "mixed" else form).format(place, texture))
            comment = " # note" if form == "mixed" and draw(st.booleans()) else ""
            lines.append("f " + " ".join(words) + comment)
    end = draw(st.sampled_from(["\n", "\r\n", "\n\n", " \n"]))
    return end.join(lines) + draw(st.sampled_from(["", "\n"]))


@given(obj_files())
def test_any_mix_of_lines_is_read_by_the_specification(content: str) -> None:
    found, expected = corners_of(read_obj(content.encode())), naive(content)
    assert found == expected


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: text.replace(" ", "\t"),
        lambda text: text.replace(" ", "   "),
        lambda text: text.replace("\n", "  \n"),
        lambda text: text.replace("\n", "\n  "),
        lambda text: text.replace("f 1/1 2/2", "f 1/1 \\\n2/2"),
        lambda text: "\ufeff" + text,
        lambda text: text.rstrip("\n"),
        lambda text: "# café\no x\ns off\n" + text,
        lambda text: text.replace("vt 1 0", "vt 1 0 0"),
        lambda text: text.replace("v 1 0 0", "v 1 0 0 # right"),
        lambda text: text.replace("v 1 0 0", "v 1.0e0 +0 -0.0"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_blanks_line_ends_and_encodings_do_not_matter(change: object, encoding: str) -> None:
    plain = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl a\nf 1/1 2/2 3/3\n"
    changed = change(plain)  # type: ignore[operator]
    if encoding == "utf-16" and changed.startswith("\ufeff"):
        changed = changed[1:]
    found = corners_of(read_obj(changed.encode(encoding)))
    assert found == {"a": [(0, 0, 0, 0, 0), (1, 0, 0, 1, 0), (0, 1, 0, 0, 1)]}


@pytest.mark.parametrize(
    "bad",
    [
        "v 1 2\nf 1 1 1\n",
        "v a b c\nf 1 1 1\n",
        "v 1 2 3\nv 1 2\nf 1 1 2\n",
        "v 0 0 0\nf 0 1 1\n",
        "v 0 0 0\nf 1 1 2\n",
        "v 0 0 0\nf 1 1 -2\n",
        "v 0 0 0\nf 1 x 1\n",
        "v 0 0 0\nf 1.5 1 1\n",
        "v 0 0 0\nf 1 1 99999999999999999999\n",
        "v 0 0 1-2\nf 1 1 1\n",
    ],
)
def test_a_broken_line_is_an_error_with_a_sentence(bad: str) -> None:
    with pytest.raises(ObjError, match=r"\.$"):
        read_obj(bad.encode())


def test_negative_numbers_count_back_from_their_own_line() -> None:
    block = "v {0} 0 0\nv {0} 1 0\nv {0} 0 1\nf -3 -2 -1\n"
    text = read_obj((block.format(0) + block.format(5)).encode())
    assert text.points[text.groups[0].corners][:, :, 0].tolist() == [[0, 0, 0], [5, 5, 5]]


def test_a_seam_gives_one_place_two_texture_coordinates() -> None:
    # A strip around a cylinder: the first and the last column are one place, but u is 0 and 1.
    angles = np.linspace(0, 2 * np.pi, 9)[:-1]
    points = [(np.cos(a), np.sin(a), z) for z in (0, 1) for a in angles]
    uv = [(n / 8, z) for z in (0, 1) for n in range(9)]
    lines = [f"v {x:.17g} {y:.17g} {z}" for x, y, z in points] + [f"vt {u} {v}" for u, v in uv]
    for n in range(8):
        a, b = n + 1, (n + 1) % 8 + 1
        lines.append(f"f {a}/{n + 1} {b}/{n + 2} {b + 8}/{n + 11} {a + 8}/{n + 10}")
    text = read_obj("\n".join(lines).encode())
    group = text.groups[0]
    vertices, faces, places = compacted(text.points, group.corners, text.uv, group.uv_corners)
    assert places is not None
    assert len(vertices) == 18  # 16 places, two of them on the seam
    # Along every edge u changes by one eighth at most: no triangle runs back around the strip.
    spread = np.ptp(places[faces][..., 0], axis=1)
    assert spread.max() == pytest.approx(1 / 8)
    turn = np.arctan2(vertices[:, 1], vertices[:, 0]) / (2 * np.pi) % 1
    assert np.allclose((places[:, 0] - turn + 0.5) % 1, 0.5)


def test_a_corner_without_texture_place_gets_the_origin() -> None:
    text = read_obj(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0.5 0.25\nf 1/1 2 3/1\n")
    group = text.groups[0]
    vertices, faces, uv = compacted(text.points, group.corners, text.uv, group.uv_corners)
    assert uv is not None
    assert uv[faces[0]].tolist() == [[0.5, 0.25], [0, 0], [0.5, 0.25]]
    assert vertices[faces[0]].tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0]]


def test_colors_behind_the_coordinates_are_read() -> None:
    text = read_obj(b"v 0 0 0 1 0 0\nv 1 0 0 0 1 0\nv 0 1 0 0 0 1\nf 1 2 3\n")
    assert text.colors is not None
    assert text.colors.tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


rows = st.integers(1, 4).flatmap(
    lambda width: st.lists(
        st.lists(st.floats(-1e5, 1e5), min_size=width, max_size=width), min_size=1, max_size=6
    )
)


@given(rows, st.integers(0, 9))
def test_numbers_are_written_as_by_format(values: list[list[float]], decimals: int) -> None:
    rounded = np.round(np.array(values), decimals) + 0.0
    lines = ["v " + " ".join(f"{x:.{decimals}f}" for x in row) for row in rounded.tolist()]
    expected = "\n".join(lines) + "\n"
    assert number_lines(b"v", rounded, decimals=decimals).decode() == expected


@pytest.mark.parametrize("size", [2.0**49, 2.0**51, 1e30])
def test_numbers_beyond_the_grid_are_written_in_full(size: float) -> None:
    values = np.array([[size, -size, 0.0]])
    expected = f"v {size:.3f} {-size:.3f} 0.000\n"
    assert number_lines(b"v", values, decimals=3).decode() == expected


def test_nothing_is_written_for_nothing() -> None:
    assert number_lines(b"v", np.zeros((0, 3))) == b""


@given(st.integers(0, 2**32 - 1))
def test_what_is_written_reads_back(seed: int) -> None:
    random = np.random.default_rng(seed)
    vertices = np.round(random.normal(size=(12, 3)) * 10.0 ** random.integers(-3, 4), 6)
    uv = np.round(random.normal(size=(12, 2)), 6)
    faces = np.concatenate([np.arange(12).reshape(4, 3), random.integers(0, 12, (5, 3))])
    text = read_obj(obj_bytes(Piece(vertices, faces, uv=uv), "m", 6))
    assert text.libraries == ["object.mtl"]
    group = text.groups[0]
    found = compacted(text.points, group.corners, text.uv, group.uv_corners)
    assert group.material == "m"
    assert all(np.array_equal(a, b) for a, b in zip(found, (vertices, faces, uv), strict=True))


def test_all_groups_together_are_the_file_without_its_materials() -> None:
    text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0\nusemtl a\nf 1/1 2/2 3/1\n"
    text += b"usemtl b\nf 1 2 4 3\nusemtl a\nf -1/-1 -2/-2 -3/1\n"
    whole = read_obj(text).whole
    (plain,) = read_obj(b"\n".join(x for x in text.split(b"\n") if b"usemtl" not in x)).groups
    assert whole.material is None
    assert np.array_equal(whole.corners, plain.corners)
    assert np.array_equal(whole.uv_corners, plain.uv_corners)
    assert read_obj(b"v 0 0 0\n").whole.corners.shape == (0, 3)
    assert read_obj(b"v 0 0 0\nusemtl a\nf 1 1 1\nusemtl b\nf 1 1 1\n").whole.uv_corners is None
