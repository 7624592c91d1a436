# SPDX-License-Identifier: Apache-2.0
"""Predictions of every kind for the small library: odd, hostile, missing, broken, still, right."""

from __future__ import annotations

import html
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from aa_dataset import load_dataset
from aa_dataset.score.evaluate import evaluate
from aa_dataset.score.readers import open_predictions
from tests.kit.library_objects import LIBRARY_OBJECTS, Part, write_urdf

HOSTILE = "</script><img src=x onerror=document.title='owned'>"
PARTS = {one.object_id: one.parts for one in LIBRARY_OBJECTS}


def write_predictions(folder: Path) -> None:
    """Write a prediction for four of the five objects; the jar is the ground truth."""
    door, _, drawer, _ = PARTS["generated-cabinet"]
    written = {
        "generated-cabinet": (
            replace(door, name="hinge", xyz=(0.35, -0.28, 0.1), rpy=(0.05, 0.1, 0), upper=1.2),
            replace(drawer, name="shelf", upper=0.2),
            Part("lid", "revolute", parent="hinge", upper=0.5),
            Part(html.escape(HOSTILE), "continuous", parent="shelf", xyz=(0.2, 0, 0)),
        ),
        "generated-jar": PARTS["generated-jar"],
        "generated-lamp": (Part("block", "fixed"),),
    }
    for object_id, parts in written.items():
        (folder / object_id).mkdir(parents=True)
        (folder / object_id / "object.urdf").write_bytes(write_urdf("x", parts))
    (folder / "local-stool.urdf").write_bytes(b"<robot><&")


@pytest.fixture(scope="session")
def dataset(pristine_library):
    return load_dataset(pristine_library, verbose=False)


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("explained") / "predictions"
    write_predictions(folder)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def predictions(folder):
    return open_predictions(folder)


@pytest.fixture(scope="session")
def result(dataset, predictions):
    return evaluate(dataset, predictions)
