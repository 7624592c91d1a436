# SPDX-License-Identifier: Apache-2.0
"""Rows of a small library with every kind of joint, made by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest

BODY = {
    "body_mass": 2.5,
    "body_com": [0.1, 0.0, -0.2],
    "body_inertia": [0.02, 0.001, 0.0, 0.001, 0.03, 0.0, 0.0, 0.0, 0.04],
}
NO_BODY = {"body_mass": None, "body_com": None, "body_inertia": None}


def joint(object_id: str, name: str, kind: str, parent: str, **changes: Any) -> dict[str, Any]:
    """Return a row of `joints` as far as scoring uses it, and a column that it does not use."""
    row = {
        "object_id": object_id,
        "joint": name,
        "source_name": name.upper(),
        "type": kind,
        "parent": parent,
        "child": f"{name}_link",
        "axis": [0.0, 0.0, 1.0],
        "origin": [0.25, -0.5, 0.125],
        "pitch": 0.0,
        "lower": 0.0,
        "upper": math.pi / 2,
        "mimic": None,
        **BODY,
    }
    return row | changes


def library() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return rows of `objects` and `joints`: two objects with all five types and a mimic joint."""
    mimic = {"joint": "door", "multiplier": 0.5, "offset": 0.01}
    joints = [
        joint("a-cabinet", "door", "revolute", "base"),
        joint("a-cabinet", "drawer", "prismatic", "base", upper=0.4, mimic=mimic),
        joint("a-cabinet", "plate", "fixed", "base", axis=[0.0] * 3, upper=0.0, **NO_BODY),
        joint("b-press", "wheel", "continuous", "base", lower=-math.inf, upper=math.inf),
        joint("b-press", "screw", "helical", "wheel_link", pitch=0.003, upper=20.0),
    ]
    objects = [
        {
            "object_id": key,
            "source": key[0],
            "content_sha256": digit * 64,
            "is_metric": True,
            "extents": [1.0, 2, 2],
        }
        for key, digit in (("a-cabinet", "1"), ("b-press", "2"), ("c-other", "3"))
    ]
    return objects, joints


@pytest.fixture
def rows() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Give a fresh copy of the rows."""
    return library()
