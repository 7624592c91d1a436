# SPDX-License-Identifier: Apache-2.0
"""``aa info``, ``list``, ``show``, ``unpack``: inspect and unpack a library."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from aa_dataset.cli.arguments import LIBRARY_HELP, add_json, add_library, parse_count
from aa_dataset.cli.selection import add_selection, open_selection
from aa_dataset.cli.terminal import note, say, say_json, table, width
from aa_dataset.errors import ArenaError
from aa_dataset.files import refused_as_sentence, write_bytes
from aa_dataset.format.benchmark import SPLIT
from aa_dataset.format.layout import PREVIEW, PREVIEW_OPEN, PREVIEW_PARTS, STRIP

if TYPE_CHECKING:
    from aa_dataset.dataset import Dataset
    from aa_dataset.kinematics.joints import Joint
    from aa_dataset.objects import ArticulatedObject

SHOWN = 40  # default limit of `aa list`
PICTURES = {
    "rest": (PREVIEW, "at rest"),
    "open": (PREVIEW_OPEN, "with its joints at the end of their travel"),
    "parts": (PREVIEW_PARTS, "in the colors of its joints"),
    "strip": (STRIP, "in motion"),
}
_JOINT_COLUMNS = {"revolute": "rev", "continuous": "cont", "prismatic": "pris", "helical": "hel"}
_NO_VERSION = "none; the library has only sampled splits"


def add_to(commands: Any) -> None:
    """Add the four commands and their options."""
    _add_info(commands)
    _add_list(commands)
    _add_show(commands)
    _add_unpack(commands)


def _add_info(commands: Any) -> None:
    parser = commands.add_parser("info", help="summarize a library")
    add_library(parser)
    add_json(parser)
    parser.set_defaults(run=_run_info)


def _add_list(commands: Any) -> None:
    parser = commands.add_parser("list", help="list the objects of a library")
    add_library(parser)
    add_selection(parser)
    parser.add_argument(
        "--limit", type=parse_count, help=f"objects to show; default {SHOWN}, 0 for all"
    )
    add_json(parser, "print JSON, all objects by default")
    parser.set_defaults(run=_run_list)


def _add_show(commands: Any) -> None:
    parser = commands.add_parser("show", help="show one object and its joints")
    parser.add_argument("object", metavar="OBJECT", help="object id")
    add_library(parser)
    add_json(parser)
    parser.add_argument("--picture", type=Path, metavar="FILE", help="save a picture")
    parser.add_argument(
        "--kind", choices=PICTURES, default="rest",
        help="which picture: at rest, opened, in the colors of its joints, or a WebP animation",
    )  # fmt: skip
    parser.set_defaults(run=_run_show)


def _add_unpack(commands: Any) -> None:
    parser = commands.add_parser("unpack", help="write objects as folders of URDF and meshes")
    parser.add_argument("dest", metavar="DEST", type=Path, help="folder to write into")
    parser.add_argument("--split", help="unpack one split only, by its name or a split file")
    parser.add_argument(
        "--object", action="append", metavar="ID", help="unpack only this object; may be repeated"
    )
    parser.add_argument("--library", metavar="LIBRARY", help=LIBRARY_HELP)
    add_json(parser)
    parser.set_defaults(run=_run_unpack)


def _run_info(arguments: argparse.Namespace) -> int:
    """Print a summary of a library."""
    dataset = _open_dataset(arguments.library)
    facts = _library_facts(dataset)
    if arguments.json:
        say_json(facts)
        return 0
    titles = ("categories", "supercategories", "sources", "licenses", "joints", "splits")
    plain = ("name", "revision", "schema_version", "objects", "links")
    lines = [f"{key:<16} {_format_value(facts[key])}" for key in plain]
    lines[3] += f" of the {facts['expected_objects']:,} in the full dataset"
    held = dataset.catalog.seal.benchmark
    lines.append(f"{'benchmark':<16} {held.title if held else _NO_VERSION}")
    lines += [f"{'':<16} {held.agreement}"] if held else []
    facts = facts | {"joints": {kind: n for kind, n in facts["joints"].items() if n}}
    lines += [line for key in titles for line in _count_lines(key, facts[key])]
    for name, sources in facts["sampled"].items():
        lines.append(f"{'sampled split':<16} {name}: {_counts_that_fit(sources)}")
    say(lines)
    return 0


def _library_facts(dataset: Dataset) -> dict[str, Any]:
    import pyarrow.compute as pc

    objects, benchmark = dataset.table("objects"), dataset.catalog.seal.benchmark
    return {
        "name": dataset.name,
        "revision": dataset.revision,
        "schema_version": dataset.catalog.seal.schema_version,
        "objects": len(dataset),
        "expected_objects": dataset.expected_objects,
        "links": int(pc.sum(objects["links"]).as_py() or 0),
        "joints": dataset.joint_counts(),
        "categories": dataset.categories,
        "supercategories": dataset.counts("supercategory"),
        "sources": dataset.sources,
        "licenses": dataset.licenses,
        "splits": dataset.splits,
        "sampled": {
            name: dataset.split(name).sources
            for name in dataset.splits
            if name.startswith(f"{SPLIT}_")
        },
        "benchmark": None if benchmark is None else asdict(benchmark),
    }


def _format_value(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def _count_lines(title: str, counts: dict[str, int]) -> list[str]:
    """Return counts under a title: all joint types and splits, of others as many as fit."""
    if title not in ("joints", "splits"):
        return [f"{title:<16} {_counts_that_fit(counts)}"]
    text = ", ".join(f"{name} {number:,}" for name, number in counts.items()) or "none"
    shown = wrap(text, max(width() - 17, 20), break_long_words=False)
    return [f"{title if k == 0 else '':<16} {line}" for k, line in enumerate(shown)]


def _counts_that_fit(counts: dict[str, int]) -> str:
    """Return as many counts as fit into a line, and the number of the rest."""
    shown: list[str] = []
    for name, number in counts.items():
        entry = f"{name} {number:,}"
        # The title before it takes 17 columns, the number of the rest after it up to 15.
        if shown and len(", ".join([*shown, entry])) > width() - 32:
            break
        shown.append(entry)
    rest = len(counts) - len(shown)
    return (", ".join(shown) or "none") + (f" and {rest:,} more" if rest else "")


def _run_list(arguments: argparse.Namespace) -> int:
    dataset = open_selection(arguments)
    limit = arguments.limit
    if limit is None:
        limit = 0 if arguments.json else SHOWN
    shown = dataset[:limit] if limit else dataset
    if arguments.json:
        say_json(shown.table("objects").to_pylist())
        return 0
    header = ("object", "category", "license", *_JOINT_COLUMNS.values())
    say(table(header, [_list_row(item) for item in shown]))
    rest = len(dataset) - len(shown)
    more = f"; {rest:,} more with --limit 0" if rest else ""
    note(f"{len(dataset):,} objects{more}")
    return 0


def _list_row(item: ArticulatedObject) -> tuple[str, ...]:
    counts = (str(item.fact(f"joints_{kind}") or "") for kind in _JOINT_COLUMNS)
    return item.object_id, item.category, item.license, *counts


def _run_show(arguments: argparse.Namespace) -> int:
    dataset = _open_dataset(arguments.library)
    item = dataset[arguments.object]
    if arguments.picture is not None:
        _save_picture(item, arguments.picture, arguments.kind)
    if arguments.json:
        rows = dataset.select([item.object_id])
        facts = rows.table("objects").to_pylist()[0]
        joints = rows.table("joints").to_pylist()
        say_json({**facts, "joints": joints, "files": list(item.files())})
        return 0
    size = " x ".join(f"{length:.3f}" for length in item.extents)
    unit = "m" if item.is_metric else "units (not metric)"
    say(
        [
            f"{item.object_id}: {item.name}",
            f"{item.category} ({item.supercategory}), {size} {unit}",
            f"lowest point at z = {item.floor_z:.3f}",
            f"{item.license}, {item.attribution}",
            "",
        ]
    )
    header = ("joint", "type", "parent", "child", "axis", "origin", "range")
    say(table(header, [_joint_row(joint) for joint in item.tree.joints]))
    return 0


def _save_picture(item: ArticulatedObject, path: Path, kind: str) -> None:
    """Write a picture to a new file."""
    if path.exists() or path.is_symlink():
        raise ArenaError(f"{path} exists. Choose another name for the picture.")
    if not path.absolute().parent.is_dir():
        raise ArenaError(f"{path.parent} is not a folder. Create it or choose another.")
    name, told = PICTURES[kind]
    if name not in item.files():
        failed = item.fact("preview_backend") is None
        raise ArenaError(
            f"{item.object_id} has no {name}: "
            + ("it could not be drawn." if failed else "this library was built without it.")
        )
    data = item.read(name)
    with refused_as_sentence(path, lambda: len(data)):
        write_bytes(path, data)
    note(f"{path}: {item.object_id} {told}")


def _joint_row(joint: Joint) -> tuple[str, ...]:
    if not joint.is_movable:
        return joint.name, joint.type.value, joint.parent, joint.child, "", "", ""
    axis, origin = (" ".join(f"{x:.2f}" for x in values) for values in (joint.axis, joint.origin))
    unit = "m" if joint.type.value == "prismatic" else "rad"
    span = f"{joint.lower:.3g}..{joint.upper:.3g} {unit}"
    return joint.name, joint.type.value, joint.parent, joint.child, axis, origin, span


def _run_unpack(arguments: argparse.Namespace) -> int:
    dataset = _open_dataset(arguments.library, split=arguments.split)
    if arguments.object:
        dataset = dataset.select(dict.fromkeys(arguments.object))
    written = dataset.unpack(arguments.dest)
    if arguments.json:
        folder = str(arguments.dest)
        say_json({"folder": folder, "objects": dataset.object_ids, "newly_written": written})
        return 0
    say([f"{len(dataset):,} objects in {arguments.dest}, {written:,} newly written"])
    return 0


def _open_dataset(library: str | None, *, split: str | None = None) -> Dataset:
    from aa_dataset.load import load_default

    return load_default(library, split)
