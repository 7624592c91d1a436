# SPDX-License-Identifier: Apache-2.0
"""Reading `object.glb`: all pieces are converted at once, and each is checked against its own."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest
import trimesh

from aa_dataset.errors import RenderError
from aa_dataset.render.glb import read_glb
from tests.kit.inputs_library import cabinet_glb, jar_glb

BODY, LID = (len(trimesh.creation.cylinder(1, 1, sections=24).vertices) for _ in range(2))


def stored(data: bytes) -> tuple[dict, bytearray, int]:
    """Return the JSON of a GLB, its bytes, and where the binary chunk begins in them."""
    length = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20 : 20 + length]), bytearray(data), 28 + length


def place_of(tree: dict, mesh: int, name: str, start: int) -> int:
    """Return where the values of a mesh begin in the file."""
    primitive = tree["meshes"][mesh]["primitives"][0]
    index = primitive["indices"] if name == "indices" else primitive["attributes"][name]
    return start + tree["bufferViews"][tree["accessors"][index]["bufferView"]]["byteOffset"]


@pytest.mark.parametrize("mesh", [0, 1])
@pytest.mark.parametrize("textures", [True, False])
def test_a_triangle_cannot_use_the_points_of_another_piece(mesh: int, textures: bool) -> None:
    """The number is below that of all points together, but not below that of the piece."""
    tree, data, start = stored(jar_glb())
    place = place_of(tree, mesh, "indices", start)
    for number, is_refused in ((BODY - 1, False), (BODY, True), (2 * BODY - 1, True)):
        struct.pack_into("<I", data, place + 8, number)
        if is_refused:
            with pytest.raises(RenderError, match="a face names one that does not exist"):
                read_glb(bytes(data), textures=textures)
        else:
            assert int(read_glb(bytes(data), textures=textures).pieces[mesh].faces.max()) < BODY


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize(
    ("mesh", "name", "words"),
    [
        (0, "POSITION", "a vertex is not finite"),
        (2, "POSITION", "a vertex is not finite"),
        (1, "TEXCOORD_0", "texture coordinates do not fit"),
    ],
)
def test_a_number_that_is_not_finite_is_refused(
    value: float, mesh: int, name: str, words: str
) -> None:
    tree, data, start = stored(cabinet_glb())
    struct.pack_into("<f", data, place_of(tree, mesh, name, start) + 4, value)
    with pytest.raises(RenderError, match=words):
        read_glb(bytes(data), textures=False)


@pytest.mark.parametrize("glb", [cabinet_glb, jar_glb])
def test_all_points_and_triangles_are_those_of_the_pieces(glb) -> None:
    model = read_glb(glb())
    one_by_one = np.concatenate([piece.points[piece.faces] for piece in model.pieces])
    np.testing.assert_array_equal(model.points[model.faces], one_by_one)
    tree, data, start = stored(glb())
    for mesh, piece in enumerate(model.pieces):
        own = np.frombuffer(data, "<f4", piece.points.size, place_of(tree, mesh, "POSITION", start))
        shift = piece.points.reshape(-1) - own.astype(float)
        np.testing.assert_allclose(shift.reshape(-1, 3) - shift[:3], 0, atol=1e-12)
        faces = np.frombuffer(data, "<u4", piece.faces.size, place_of(tree, mesh, "indices", start))
        assert piece.faces.reshape(-1).tolist() == faces.tolist()
