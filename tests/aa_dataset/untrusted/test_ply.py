# SPDX-License-Identifier: Apache-2.0
"""Binary PLY: what trimesh and Open3D write becomes triangles, everything else a sentence."""

from __future__ import annotations

import struct

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from aa_dataset.untrusted.ply import PlyError, read_ply_triangles
from tests.fuzz.corpus import TRIANGLE_PLY

POINTS = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
FACES = np.array([[0, 1, 2], [0, 3, 1]])


@given(hnp.arrays(np.float32, (5, 3), elements=st.floats(-10, 10, width=32)), st.booleans())
def test_a_file_of_trimesh(points: np.ndarray, has_colors: bool) -> None:
    faces = np.array([[0, 1, 2], [2, 3, 4], [4, 0, 3]])
    mesh = trimesh.Trimesh(points, faces, process=False)
    if has_colors:
        mesh.visual.vertex_colors = np.full((5, 4), 7, dtype=np.uint8)
    found = read_ply_triangles(mesh.export(file_type="ply"))
    assert found.tolist() == points[faces].astype(float).tolist()


def test_a_file_of_open3d_with_normals_and_colors() -> None:
    """Vertices of three doubles, three normals and three bytes, by hand."""
    properties = "".join(f"property double {n}\n" for n in ("x", "y", "z", "nx", "ny", "nz"))
    properties += "".join(f"property uchar {n}\n" for n in ("red", "green", "blue"))
    head = (
        f"ply\nformat binary_little_endian 1.0\nelement vertex 4\n{properties}"
        "element face 2\nproperty list uchar uint vertex_indices\nend_header\n"
    ).encode()
    rows = b"".join(struct.pack("<6d3B", *p, 0, 0, 1, 1, 2, 3) for p in POINTS)
    faces = b"".join(struct.pack("<B3I", 3, *face) for face in FACES)
    assert read_ply_triangles(head + rows + faces).tolist() == POINTS[FACES].tolist()


def test_a_cloud_has_no_triangles() -> None:
    cloud = trimesh.PointCloud(POINTS).export(file_type="ply")
    assert read_ply_triangles(cloud).shape == (0, 3, 3)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (b"ply\n", b"plx\n", "does not start like a PLY file"),
        (b"end_header", b"the_header", "does not start like a PLY file"),
        (b"binary_little_endian", b"binary_big_endian", "not binary in little-endian order"),
        (b"binary_little_endian", b"ascii", "not binary in little-endian order"),
        (b"element vertex 3", b"element point 3", "its first element is not `vertex`"),
        (b"element vertex 3", b"element vertex -3", "its header has the line"),
        (b"element vertex 3", b"element vertex 3000000000", "cut off within its 3,000,000,000"),
        (b"element vertex 3", b"element vertex 0", "faces that are not triangles"),
        (b"double x", b"double a", "its vertices lack x, y or z"),
        (b"double x", b"double y", "a property twice"),
        (b"double x", b"quad x", "its property 'quad x' of `vertex` is not read"),
        (b"double x", b"list uchar int x", "of `vertex` is not read"),
        (b"list uchar uint", b"list int uint", "of `face` is not read"),
        (b"list uchar uint", b"list uchar float", "of `face` is not read"),
        (b"property list uchar uint vertex_indices\n", b"", "its faces have no corners"),
        (b"\3\0\0\0\0\1", b"\4\0\0\0\0\1", "faces that are not triangles"),
        (b"\3\0\0\0\0\1", b"\3\7\0\0\0\1", "names vertices that the file does not have"),
        (b"comment Created", b"element", "its header has the line"),
        (b"comment Created", b"comment\n" * 300, "not binary in little-endian order"),
    ],
)
def test_a_broken_file_is_a_sentence(old: bytes, new: bytes, said: str) -> None:
    assert TRIANGLE_PLY.count(old) == 1
    with pytest.raises(PlyError, match=said) as error:
        read_ply_triangles(TRIANGLE_PLY.replace(old, new))
    assert str(error.value).endswith(".")


@pytest.mark.parametrize("end", [0, 10, 150, -14, -1])
def test_a_cut_file_is_a_sentence(end: int) -> None:
    with pytest.raises(PlyError):
        read_ply_triangles(TRIANGLE_PLY[:end])
