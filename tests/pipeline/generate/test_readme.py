# SPDX-License-Identifier: Apache-2.0
"""Contract: the example family of the README works as printed."""

import re
from pathlib import Path

import pipeline.generate
from pipeline.generate.draw import Draw
from pipeline.generate.urdf import mesh_texts, urdf_text


def test_the_example_family_builds() -> None:
    readme = Path(pipeline.generate.__file__).with_name("README.md").read_text()
    example = next(b for b in re.findall(r"```python\n(.*?)```", readme, re.S) if "def build" in b)
    namespace: dict[str, object] = {}
    exec(compile(example, "README.md", "exec"), namespace)
    assembly = namespace["build"](Draw(0, "box", 0))
    assert urdf_text(assembly, "box_00000").count("<joint") == 1
    assert len(mesh_texts(assembly)) == 2
