# SPDX-License-Identifier: Apache-2.0
"""What the renderer cannot draw is a rejection or an error of the pipeline, in the same words."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from aa_dataset.errors import CrowdedError
from aa_dataset.render.backend import render_views
from aa_dataset.render.camera import look_at
from pipeline.base.errors import PipelineError, Rejection
from pipeline.base.reasons import Reason
from pipeline.tools.inspect.placed import drawing


def test_too_many_layers_of_triangles_reject_the_object() -> None:
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]) + np.linspace(0, 1, 30_000)[
        :, None, None
    ] * [0, 0, 1e-6]
    sheet = trimesh.Trimesh(corners.reshape(-1, 3), np.arange(90_000).reshape(-1, 3), process=False)
    camera = look_at(sheet.vertices)
    options = {"size": 16, "backend": "embree"}
    with pytest.raises(CrowdedError) as drawn:
        render_views([[(sheet, np.eye(4))]], camera, **options)  # type: ignore[arg-type]
    with pytest.raises(Rejection) as rejected, drawing():
        render_views([[(sheet, np.eye(4))]], camera, **options)  # type: ignore[arg-type]
    assert rejected.value.reason is Reason.TOO_MANY_FACES
    assert rejected.value.detail == str(drawn.value)
    assert "leave out those that lie in one place" in rejected.value.detail


def test_other_trouble_is_an_error_of_the_pipeline() -> None:
    with pytest.raises(PipelineError, match=r"nothing to draw"), drawing():
        render_views([[(trimesh.Trimesh(), np.eye(4))]], look_at(np.eye(3)), backend="embree")
