# SPDX-License-Identifier: Apache-2.0
"""Writes the example of ``docs/explain.md``: its text, and ``docs/_static/explained.svg``.

``PYTHONPATH=. python docs/explained.py`` explains a cabinet of the test library against a
prediction with a misplaced door, a short drawer, a forgotten tray and an invented lid.
"""

from __future__ import annotations

import re
import tempfile
from dataclasses import replace
from pathlib import Path

from aa_dataset import load_dataset
from aa_dataset.score.explain import explain_object, explanation_lines, object_svg
from aa_dataset.score.readers import open_predictions
from tests.kit.library_folder import build_library
from tests.kit.library_objects import LIBRARY_OBJECTS, Part, write_urdf

DOCS = Path(__file__).parent
PAGE, PICTURE = DOCS / "explain.md", DOCS / "_static" / "explained.svg"
OBJECT = "generated-cabinet"
BLOCK = re.compile(r"^```text\nobject .*?^```\n", re.S | re.M)


def main() -> None:
    """Write the picture, and the text into the page."""
    text, picture = example()
    PICTURE.write_text(picture)
    PAGE.write_text(BLOCK.sub(lambda _: f"```text\n{text}```\n", PAGE.read_text()))


def example() -> tuple[str, str]:
    """Return the text and the picture of the example."""
    with tempfile.TemporaryDirectory() as place:
        library, predictions = Path(place, "library"), Path(place, "predictions")
        build_library(library)
        (predictions / OBJECT).mkdir(parents=True)
        (predictions / OBJECT / "object.urdf").write_bytes(write_urdf("cabinet", predicted()))
        item = load_dataset(library, verbose=False)[OBJECT]
        subject = explain_object(item, open_predictions(predictions))
        return "".join(f"{line}\n" for line in explanation_lines(subject)), object_svg(subject)


def predicted() -> tuple[Part, ...]:
    """Return the joints of the prediction."""
    parts = next(one.parts for one in LIBRARY_OBJECTS if one.object_id == OBJECT)
    door, _, drawer, _ = parts
    return (
        replace(door, name="door_1", xyz=(0.3, -0.12, 0.1), upper=1.9),
        replace(drawer, name="drawer_1", upper=0.3),
        Part("lid", "revolute", parent="door_1", axis=(1.0, 0.0, 0.0), upper=0.5),
    )


if __name__ == "__main__":
    main()
