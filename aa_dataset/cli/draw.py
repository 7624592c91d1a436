# SPDX-License-Identifier: Apache-2.0
"""``aa draw``: draw the kinematic tree of one object, or its truth beside a prediction."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aa_dataset.cli.arguments import LIBRARY_HELP, add_json
from aa_dataset.cli.explain import require_folder
from aa_dataset.cli.reading import add_reading, open_reading
from aa_dataset.cli.terminal import is_ascii_only, note, say, say_json, width
from aa_dataset.errors import ArenaError
from aa_dataset.files import write_document

if TYPE_CHECKING:
    from aa_dataset.dataset import Dataset
    from aa_dataset.draw import Drawing
    from aa_dataset.kinematics.trees import KinematicTree

FORMATS = (".svg", ".png")


def add_to(commands: Any) -> None:
    """Add the command and its options."""
    parser = commands.add_parser("draw", help="draw the kinematic tree of one object")
    parser.add_argument("object", metavar="OBJECT", help="object id, URDF, or its folder")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="picture to write, .svg or .png; default: text on the terminal",
    )
    parser.add_argument(
        "--pred",
        type=Path,
        metavar="PREDICTIONS",
        help="folder of predictions, as for `aa score`: draw both trees with their matching",
    )
    parser.add_argument("--library", metavar="LIBRARY", help=LIBRARY_HELP)
    add_reading(parser)
    add_json(parser, "print what is drawn as JSON instead of text")
    parser.set_defaults(run=run_draw)


def run_draw(arguments: argparse.Namespace) -> int:
    """Draw one object; return 1 if its prediction is missing or unreadable."""
    require_format(arguments.out)
    require_folder(arguments.out)
    if arguments.pred is not None:
        # A folder with the name of an object is its prediction, where this is run among them.
        if Path(arguments.object).is_file():
            raise ArenaError(
                f"{arguments.object} is a file, and predictions are compared with objects of a "
                "library. Give an object id, or leave out --pred."
            )
        return _draw_both(arguments)
    path = _urdf_path(arguments.object)
    tree, semantics = _file_tree(path) if path else _library_tree(arguments)
    _draw_one(arguments, tree, semantics)
    return 0


def require_format(path: Path | None) -> None:
    """Refuse a picture of another format, before work starts."""
    if path is not None and path.suffix.lower() not in FORMATS:
        raise ArenaError(f"{path} is neither .svg nor .png. Choose a name that ends in one.")


def _draw_one(
    arguments: argparse.Namespace, tree: KinematicTree, semantics: dict[str, str]
) -> None:
    from aa_dataset.draw import Marks, tree_drawing, tree_lines
    from aa_dataset.draw.content import tree_content

    marks = Marks(semantics=semantics)
    if arguments.json:
        say_json({"object": arguments.object, **tree_content(tree, marks)})
    elif arguments.out is None:
        say(tree_lines(tree, width=width(), ascii_only=is_ascii_only()))
    if arguments.out is not None:
        _write(arguments.out, tree_drawing(tree, marks), f"kinematic tree of {tree.name}")


def _draw_both(arguments: argparse.Namespace) -> int:
    from aa_dataset.load import load_default
    from aa_dataset.score.explain.picture import object_drawing
    from aa_dataset.score.explain.run import explain_object, subject_json
    from aa_dataset.score.explain.subject import UNREADABLE
    from aa_dataset.score.explain.text import tree_sections
    from aa_dataset.score.parameters import Parameters

    dataset = load_default(arguments.library, None)
    predictions = open_reading(arguments.pred, arguments, dataset)
    parameters = Parameters(registration=predictions.registration)
    subject = explain_object(dataset[arguments.object], predictions, parameters)
    if arguments.json:
        say_json(subject_json(subject))
    elif arguments.out is None:
        say(tree_sections(subject, ascii_only=is_ascii_only()))
    if arguments.out is not None:
        label = f"ground truth and prediction of {arguments.object}"
        drawing = object_drawing(subject, _semantics(dataset, arguments.object))
        _write(arguments.out, drawing, label)
    return 1 if subject.rows.status in UNREADABLE else 0


def _urdf_path(text: str) -> Path | None:
    """Return the URDF that an argument names; None if it is an object id."""
    from aa_dataset.format.layout import ObjectLayout

    path = Path(text)
    if path.suffix == ".urdf" and not path.exists():
        raise ArenaError(f"{path} does not exist. Give a URDF, its folder, or an object id.")
    if not path.is_dir():
        return path if path.is_file() else None
    own = ObjectLayout(path).urdf
    found = [own] if own.is_file() else sorted(path.glob("*.urdf"))
    if len(found) != 1:
        raise ArenaError(
            f"{path} has {len(found)} files .urdf and no {own.name}. Name the file to draw."
        )
    return found[0]


def _file_tree(path: Path) -> tuple[KinematicTree, dict[str, str]]:
    from aa_dataset.kinematics.urdf_tree import read_tree

    return read_tree(path), {}


def _library_tree(arguments: argparse.Namespace) -> tuple[KinematicTree, dict[str, str]]:
    from aa_dataset.load import load_default

    dataset = load_default(arguments.library, None)
    return dataset[arguments.object].tree, _semantics(dataset, arguments.object)


def _semantics(dataset: Dataset, object_id: str) -> dict[str, str]:
    """Return what the links of an object are, by name."""
    import pyarrow.compute as pc

    links = dataset.catalog.read_columns("links", ("object_id", "link", "semantic"))
    own = links.filter(pc.equal(links["object_id"], object_id))
    return dict(zip(own["link"].to_pylist(), own["semantic"].to_pylist(), strict=True))


def _write(path: Path, drawing: Drawing, label: str) -> None:
    """Write a drawing and say its size."""
    if path.suffix.lower() == ".svg":
        size = write_document(path, drawing.svg(label=label) + "\n")
    else:
        from aa_dataset.draw.png import png

        size = write_document(path, png(drawing))
    note(f"{path}: {size:,} bytes")
