# SPDX-License-Identifier: Apache-2.0
"""``aa export``: write one object as MJCF, SDF or USD."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from aa_dataset.cli.arguments import add_json, add_library
from aa_dataset.cli.terminal import say, say_json


def add_to(commands: Any) -> None:
    """Add the command and its options."""
    parser = commands.add_parser("export", help="write an object as MJCF, SDF or USD")
    parser.add_argument("object", metavar="OBJECT", help="object id, or a folder with object.urdf")
    add_library(parser)
    parser.add_argument("--format", required=True, choices=("mjcf", "sdf", "usd"))
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="new folder; default <object>-<format>"
    )
    parser.add_argument(
        "--scene", action="store_true", help="write floor, light, camera and key frames as well"
    )
    add_json(parser)
    parser.set_defaults(run=run_export)


def run_export(arguments: argparse.Namespace) -> int:
    """Write the export and print the path of its main file."""
    from aa_dataset.export import export
    from aa_dataset.format.layout import ObjectLayout
    from aa_dataset.load import load_default

    folder = Path(arguments.object)
    is_folder = ObjectLayout(folder).urdf.is_file()
    item = folder if is_folder else load_default(arguments.library)[arguments.object]
    out = arguments.out or Path(f"{folder.name}-{arguments.format}")
    path = export(item, out, format=arguments.format, scene=arguments.scene)
    if arguments.json:
        say_json({"object": arguments.object, "format": arguments.format, "file": str(path)})
    else:
        say([str(path)])
    return 0
