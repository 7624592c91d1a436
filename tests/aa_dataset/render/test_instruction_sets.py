# SPDX-License-Identifier: Apache-2.0
"""Embree finds the same triangle with every instruction set, so inputs have the same bytes.

Embree chooses its code by the processor. Here its library is called with the sets that this
processor has, one after another, and compared with what `embreex` finds.
"""

from __future__ import annotations

import ctypes
from ctypes import c_int, c_size_t, c_ssize_t, c_uint, c_void_p
from pathlib import Path

import numpy as np
import pytest

from aa_dataset.render.backend import embree_hits
from aa_dataset.render.glb import read_glb
from aa_dataset.render.hits import Triangles
from aa_dataset.render.views import views_around
from tests.kit.inputs_library import cabinet_glb, lamp_glb

SETS = ("sse2", "sse4.2", "avx", "avx2", "avx512")
_TRIANGLES, _INDICES, _VERTICES, _UINT3, _FLOAT3 = 0, 0, 1, 0x5003, 0x9003  # of rtcore.h
_NOTHING = 0xFFFFFFFF
_SIGNATURES = {
    "rtcNewDevice": (c_void_p, [ctypes.c_char_p]),
    "rtcGetDeviceError": (c_int, [c_void_p]),
    "rtcGetDeviceProperty": (c_ssize_t, [c_void_p, c_int]),
    "rtcNewScene": (c_void_p, [c_void_p]),
    "rtcNewGeometry": (c_void_p, [c_void_p, c_int]),
    "rtcSetNewGeometryBuffer": (
        c_void_p, [c_void_p, c_int, c_uint, c_int, c_size_t, c_size_t],
    ),
    "rtcCommitGeometry": (None, [c_void_p]),
    "rtcAttachGeometry": (c_uint, [c_void_p, c_void_p]),
    "rtcCommitScene": (None, [c_void_p]),
    "rtcIntersect1": (None, [c_void_p, c_void_p, c_void_p]),
}  # fmt: skip


@pytest.fixture(scope="module")
def embree() -> ctypes.CDLL:
    embreex = pytest.importorskip("embreex")
    folder = Path(embreex.__file__).parent.with_name("embreex.libs")
    found = sorted(folder.glob("libembree4*"))
    if not found:
        pytest.skip("this build of embreex has no library of its own")
    library = ctypes.CDLL(str(found[0]))
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def hits(
    embree: ctypes.CDLL, words: str, corners: np.ndarray, rays: tuple[np.ndarray, np.ndarray]
) -> np.ndarray:
    """Return the first triangle along rays, as Embree finds it with an instruction set."""
    device = embree.rtcNewDevice(words.encode())
    if not device or embree.rtcGetDeviceError(device):
        pytest.skip(f"this processor has no {words}")
    scene, geometry = embree.rtcNewScene(device), embree.rtcNewGeometry(device, _TRIANGLES)
    numbers = np.arange(3 * len(corners), dtype=np.uint32)
    for kind, form, count, data in (
        (_VERTICES, _FLOAT3, 3 * len(corners), np.ascontiguousarray(corners, np.float32)),
        (_INDICES, _UINT3, len(corners), numbers),
    ):
        buffer = embree.rtcSetNewGeometryBuffer(geometry, kind, 0, form, 12, count)
        ctypes.memmove(buffer, data.ctypes.data, data.nbytes)
    embree.rtcCommitGeometry(geometry)
    embree.rtcAttachGeometry(scene, geometry)
    embree.rtcCommitScene(scene)
    space = ctypes.create_string_buffer(96 + 64)
    place = ctypes.addressof(space) + -ctypes.addressof(space) % 64
    query = np.frombuffer((ctypes.c_char * 96).from_address(place), dtype=np.float32)
    words_of = query.view(np.uint32)
    found = np.empty(len(rays[0]), np.int64)
    for k, (origin, direction) in enumerate(zip(*rays, strict=True)):
        query[:] = 0
        query[0:3], query[4:7], query[8] = origin, direction, np.inf
        words_of[9] = words_of[17] = words_of[18] = words_of[19] = _NOTHING
        embree.rtcIntersect1(scene, place, None)
        found[k] = -1 if words_of[18] == _NOTHING else words_of[17]
    return found


@pytest.mark.parametrize("words", SETS)
@pytest.mark.parametrize("glb", [cabinet_glb, lamp_glb])
def test_every_instruction_set_finds_the_same_triangles(
    embree: ctypes.CDLL, glb: object, words: str
) -> None:
    model = read_glb(glb())  # type: ignore[operator]
    triangles = Triangles(model.surface(), np.tile(np.eye(4), (len(model.pieces), 1, 1)))
    corners = triangles.corners.astype(np.float32)
    y, x = (axis.ravel() for axis in np.mgrid[:96, :96] + 0.5)
    for view in views_around(np.zeros(3), 0.8, 2, 96):
        directions = view.rays(x, y).astype(np.float32)
        origins = np.tile(view.eye.astype(np.float32), (len(x), 1))
        expected = embree_hits(corners)(origins, directions)
        assert (expected >= 0).sum() > 500
        assert np.array_equal(
            hits(embree, f"isa={words}", corners, (origins, directions)), expected
        )
