# SPDX-License-Identifier: Apache-2.0
"""The command ``aa``: look at a library, unpack it, score predictions against it.

Exit status: 0 fine, 1 something was found (an unreadable prediction, a broken rule), 2 usage or an
error that one sentence on stderr explains. Results go to stdout, everything else to stderr.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aa_dataset.errors import ArenaError
from aa_dataset.foreign_text import UNPRINTABLE, terminal_line, terminal_text

if TYPE_CHECKING:
    from aa_dataset.dataset import Dataset
    from aa_dataset.objects import ArticulatedObject

WIDTH = 100
SHOWN = 40  # objects that `aa list` shows unless asked for more
_JOINT_COLUMNS = {"revolute": "rev", "continuous": "cont", "prismatic": "pris", "helical": "hel"}
_PIPELINE_COMMANDS = {
    "fetch": "bring a raw source to its folder (in a checkout of the repository)",
    "sources": "raw sources: what is there, how to get the rest (in a checkout)",
}
_LIBRARY_HELP = "library folder or name; default $AA_LIBRARY, else ./library, else by name"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # a name must not end a run on an old terminal
        sys.stdout.reconfigure(errors="replace")
    if argv is None:  # processes that we start must not import what lies in the current folder
        os.environ.setdefault("PYTHONSAFEPATH", "1")
    arguments = _parse(argv)
    try:
        status = int(arguments.run(arguments))
        sys.stdout.flush()
        return status
    except ArenaError as error:
        sys.stderr.write(f"aa: {terminal_text(str(error))}\n")
        return 2
    except BrokenPipeError:  # `aa list | head` closed the pipe, which is no failure
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        sys.stderr.write("aa: interrupted.\n")
        return 130


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the words; those of a command of the pipeline are left for the pipeline to read."""
    parser = _parser()
    arguments, rest = parser.parse_known_args(argv)
    if rest and arguments.command not in _PIPELINE_COMMANDS:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    arguments.rest = rest
    return arguments


def _say(lines: Iterable[str]) -> None:
    """Print lines to stdout: the one place of the package that prints."""
    for line in lines:
        print(terminal_line(line))  # noqa: T201


def _say_json(value: Any) -> None:
    text = json.dumps(_finite(value), indent=1, allow_nan=False, ensure_ascii=False)
    lines = text.split("\n")  # of the indentation; those inside a text are escaped
    _say(UNPRINTABLE.sub(lambda found: json.dumps(found[0])[1:-1], line) for line in lines)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="aa", description="The ArticulateArena library: look, unpack, score."
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and stop")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_info(commands)
    _add_list(commands)
    _add_show(commands)
    _add_unpack(commands)
    _add_score(commands)
    _add_taxonomy(commands)
    _add_check(commands)
    for name, text in _PIPELINE_COMMANDS.items():  # no word is an option here: see `_parse`
        pipeline = commands.add_parser(name, help=text, add_help=False, prefix_chars="\0")
        pipeline.set_defaults(run=_run_pipeline)
    _add_simulation(commands)
    return parser


class _Version(argparse.Action):
    """Print the version when asked, and read it only then."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any, **__: Any) -> None:
        from aa_dataset import __version__

        _say([f"aa-dataset {__version__}"])
        parser.exit()


def _add_info(commands: Any) -> None:
    parser = commands.add_parser("info", help="what a library holds")
    parser.add_argument("library", nargs="?", metavar="LIBRARY", help=_LIBRARY_HELP)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run_info)


def _add_list(commands: Any) -> None:
    parser = commands.add_parser("list", help="objects of a library")
    parser.add_argument("library", nargs="?", metavar="LIBRARY", help=_LIBRARY_HELP)
    for option in ("--category", "--source", "--joint-type", "--license"):
        parser.add_argument(option, action="append", help="may be given several times")
    parser.add_argument("--split", help="objects of one split, such as eval200")
    parser.add_argument("--limit", type=_count, help=f"objects to show, default {SHOWN}; 0: all")
    parser.add_argument("--json", action="store_true", help="print JSON, all objects by default")
    parser.set_defaults(run=_run_list)


def _add_show(commands: Any) -> None:
    parser = commands.add_parser("show", help="one object and its joints")
    parser.add_argument("object", metavar="OBJECT", help="object id")
    parser.add_argument("library", nargs="?", metavar="LIBRARY", help=_LIBRARY_HELP)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run_show)


def _add_unpack(commands: Any) -> None:
    parser = commands.add_parser("unpack", help="write objects as folders with URDF and meshes")
    parser.add_argument("dest", metavar="DEST", type=Path, help="folder to write into")
    parser.add_argument("--split", help="objects of one split only")
    parser.add_argument("--library", metavar="LIBRARY", help=_LIBRARY_HELP)
    parser.set_defaults(run=_run_unpack)


def _add_score(commands: Any) -> None:
    parser = commands.add_parser("score", help="distance of predicted kinematics to a split")
    parser.add_argument(
        "predictions",
        metavar="PREDICTIONS",
        type=Path,
        help="folder with <object_id>/object.urdf or <object_id>.urdf, or a library",
    )
    parser.add_argument("--split", required=True, help="split to score on: eval200, or eval200-v0")
    parser.add_argument("--library", metavar="LIBRARY", help=_LIBRARY_HELP)
    parser.add_argument("--alpha", type=float, default=1.0, help="1/m, split norm; default 1")
    parser.add_argument("--kappa", type=float, default=math.pi, help="scale of E^phi; default pi")
    parser.add_argument(
        "--pairing",
        choices=("tree", "assignment"),
        default="tree",
        help="pair joints by the exact tree matching, or by assignment without trees",
    )
    parser.add_argument("--budget", type=_count, help="steps of work for one tree distance")
    parser.add_argument("--time-limit", type=float, metavar="S", help="wall limit, noted in result")
    parser.add_argument("--objects", action="store_true", help="also print every object")
    parser.add_argument("--json", action="store_true", help="print the result file instead")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the result as JSON")
    parser.set_defaults(run=_run_score)


def _add_taxonomy(commands: Any) -> None:
    usage = (
        "aa taxonomy [LIBRARY] [--all] [--json]\n"
        "       aa taxonomy why OBJECT [LIBRARY] [--json]\n"
        "       aa taxonomy propose [LIBRARY] [--out FILE] [--limit N] [--without-model]"
    )
    parser = commands.add_parser("taxonomy", help="tree of categories, why a label", usage=usage)
    parser.add_argument("words", nargs="*", metavar="WORD", help="see the usage above")
    parser.add_argument("--all", action="store_true", help="also categories without objects")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--out", type=Path, default=Path("taxonomy/proposals.tsv"), metavar="FILE")
    parser.add_argument("--limit", type=_count, default=0, help="objects to ask about; 0: all")
    parser.add_argument("--without-model", action="store_true", help="propose by the label rules")
    parser.set_defaults(run=_run_taxonomy)


def _add_check(commands: Any) -> None:
    parser = commands.add_parser("check", help="does a URDF follow the library's convention")
    parser.add_argument(
        "files", nargs="+", metavar="FILE", type=Path, help="URDF, or folder with object.urdf"
    )
    parser.add_argument(
        "--without-inertials", action="store_true", help="masses may be absent, as after normalize"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run_check)


def _add_simulation(commands: Any) -> None:
    from aa_dataset.cli_export import add_export
    from aa_dataset.cli_judge import add_judge
    from aa_dataset.cli_nearest import add_nearest
    from aa_dataset.cli_verify import add_verify

    add_nearest(commands, _LIBRARY_HELP)
    add_export(commands, _LIBRARY_HELP)
    add_judge(commands, _LIBRARY_HELP)
    add_verify(commands, _LIBRARY_HELP)


def _count(text: str) -> int:
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a count")
    return int(text)


def _run_info(arguments: argparse.Namespace) -> int:
    from aa_dataset.cli_info import run_info

    return run_info(_load(arguments.library), as_json=arguments.json)


def _run_list(arguments: argparse.Namespace) -> int:
    dataset = _load(arguments.library, split=arguments.split).filter(
        category=arguments.category,
        source=arguments.source,
        license=arguments.license,
        joint_type=arguments.joint_type,
    )
    limit = arguments.limit
    if limit is None:
        limit = 0 if arguments.json else SHOWN
    shown = dataset[:limit] if limit else dataset
    if arguments.json:
        _say_json(shown.table("objects").to_pylist())
        return 0
    header = ("object", "category", "license", *_JOINT_COLUMNS.values())
    _say(_table(header, [_list_row(item) for item in shown]))
    rest = len(dataset) - len(shown)
    more = f"; {rest:,} more with --limit 0" if rest else ""
    sys.stderr.write(f"{len(dataset):,} objects{more}\n")
    return 0


def _list_row(item: ArticulatedObject) -> tuple[str, ...]:
    counts = (str(item.fact(f"joints_{kind}") or "") for kind in _JOINT_COLUMNS)
    return item.object_id, item.category, item.license, *counts


def _run_show(arguments: argparse.Namespace) -> int:
    dataset = _load(arguments.library)
    item = dataset[arguments.object]
    if arguments.json:
        rows = dataset.select([item.object_id])
        facts = rows.table("objects").to_pylist()[0]
        joints = rows.table("joints").to_pylist()
        _say_json({**facts, "joints": joints, "files": list(item.files())})
        return 0
    size = " x ".join(f"{length:.3f}" for length in item.extents)
    unit = "m" if item.is_metric else "units (not metric)"
    _say(
        [
            f"{item.object_id}: {item.name}",
            f"{item.category} ({item.supercategory}), {size} {unit}",
            f"stands at z = {item.floor_z:.3f}",
            f"{item.license}, {item.attribution}",
            "",
        ]
    )
    header = ("joint", "type", "parent", "child", "axis", "origin", "range")
    _say(_table(header, [_joint_row(joint) for joint in item.tree.joints]))
    return 0


def _joint_row(joint: Any) -> tuple[str, ...]:
    if not joint.is_movable:
        return joint.name, joint.type.value, joint.parent, joint.child, "", "", ""
    axis, origin = (" ".join(f"{x:.2f}" for x in values) for values in (joint.axis, joint.origin))
    unit = "m" if joint.type.value == "prismatic" else "rad"
    span = f"{joint.lower:.3g}..{joint.upper:.3g} {unit}"
    return joint.name, joint.type.value, joint.parent, joint.child, axis, origin, span


def _finite(value: Any) -> Any:
    """Write infinite limits as text, which JSON has no number for."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list) else value


def _run_unpack(arguments: argparse.Namespace) -> int:
    dataset = _load(arguments.library, split=arguments.split)
    written = dataset.unpack(arguments.dest)
    _say([f"{len(dataset):,} objects in {arguments.dest}, {written:,} of them written now"])
    return 0


def _run_score(arguments: argparse.Namespace) -> int:
    from aa_dataset.metric.tree.work import DEFAULT_BUDGET
    from aa_dataset.score.evaluate import evaluate
    from aa_dataset.score.readers import open_predictions
    from aa_dataset.score.report import report_lines
    from aa_dataset.score.results import Parameters, write_result

    parameters = Parameters(
        arguments.alpha,
        arguments.kappa,
        arguments.pairing,
        DEFAULT_BUDGET if arguments.budget is None else arguments.budget,
        arguments.time_limit,
    )
    if arguments.out is not None and not arguments.out.absolute().parent.is_dir():
        raise ArenaError(f"{arguments.out.parent} is not a folder. Make it or choose another.")
    predictions = open_predictions(arguments.predictions)
    dataset = _load(arguments.library, split=arguments.split)
    result = evaluate(dataset, predictions, parameters=parameters, progress=True)
    if arguments.json:
        _say_json(result.as_dict())
    else:
        _say(report_lines(result, objects=arguments.objects))
    if arguments.out is not None:
        write_result(result, arguments.out)
    return 1 if result.count("unreadable") else 0


def _run_taxonomy(arguments: argparse.Namespace) -> int:
    from aa_dataset.cli_taxonomy import run_taxonomy

    return run_taxonomy(arguments)


def _run_check(arguments: argparse.Namespace) -> int:
    from aa_dataset.cli_check import check_file

    with_inertials = not arguments.without_inertials
    found = {str(path): check_file(path, with_inertials) for path in arguments.files}
    if arguments.json:
        _say_json([{"file": name, "problems": said} for name, said in found.items()])
    else:
        for name, said in found.items():
            _say(f"{name}: {problem}" for problem in said or ["follows the convention."])
    return 1 if any(found.values()) else 0


def _run_pipeline(arguments: argparse.Namespace) -> int:
    from aa_dataset.cli_sources import run_pipeline

    return run_pipeline(arguments.command, arguments.rest)


def _load(library: str | None, *, split: str | None = None) -> Dataset:
    from aa_dataset.load import load_default

    return load_default(library, split)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return aligned lines of at most `WIDTH` columns.

    The widest columns give way, the first one last of all: it holds what people copy.
    """
    cells = [list(header), *(list(row) for row in rows)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(header))]
    while sum(widths) + 2 * (len(widths) - 1) > WIDTH:
        widest = max(range(1, len(widths)), key=widths.__getitem__)
        widths[widest if widths[widest] > 10 else 0] -= 1
    return [
        "  ".join(_cut(text, width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]


def _cut(text: str, width: int) -> str:
    return text.ljust(width) if len(text) <= width else text[: width - 1] + "…"


if __name__ == "__main__":
    sys.exit(main())
