# SPDX-License-Identifier: Apache-2.0
"""``aa judge``: check how five simulators load the objects of a library."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aa_dataset.cli.arguments import add_json, add_library, parse_positive
from aa_dataset.cli.terminal import note, progress, say, say_json, table
from aa_dataset.errors import ArenaError

if TYPE_CHECKING:
    from aa_dataset.adapters.common import ObjectLike
    from aa_dataset.judge.run import Drive, Judgement

REPORT = "judge.parquet"
SHOWN = 40  # rows of the table; failures are always shown


def add_to(commands: Any) -> None:
    """Add the command and its options."""
    parser = commands.add_parser("judge", help="check how simulators load the objects")
    add_library(parser, alternative="or a folder of URDF folders")
    parser.add_argument(
        "--objects", type=parse_positive, metavar="N", help="check N evenly spaced objects"
    )
    parser.add_argument("--ids", nargs="+", metavar="OBJECT", help="check only these objects")
    parser.add_argument(
        "--simulators", "--only", nargs="+", metavar="NAME", help="default: all installed"
    )
    parser.add_argument(
        "--drive", action="store_true", help="push every joint through its range, contacts on"
    )
    parser.add_argument(
        "--joints",
        type=parse_positive,
        metavar="N",
        help="with --drive: drive at most N evenly spaced joints of an object",
    )
    parser.add_argument(
        "--ball", action="store_true", help="drop a ball into every hollow link (MuJoCo)"
    )
    parser.add_argument(
        "--configurations",
        type=parse_positive,
        default=200,
        help="random joint states per object; default 200",
    )
    parser.add_argument(
        "--workers", type=parse_positive, default=1, help="worker processes; default 1"
    )
    add_json(parser, "print JSON, one row per check")
    parser.add_argument(
        "--out",
        type=Path,
        default=Path(REPORT),
        metavar="FILE",
        help=f"report file; default {REPORT} in the current folder",
    )
    parser.set_defaults(run=run_judge)


def run_judge(arguments: argparse.Namespace) -> int:
    """Run the checks, print and write the report; return 1 if a check failed."""
    from aa_dataset.judge.report import write_report
    from aa_dataset.judge.run import choose_simulators, judge_many

    simulators = choose_simulators(arguments.simulators)
    items = _selected_objects(_objects_by_id(arguments.library), arguments)
    if arguments.drive or arguments.ball:
        return _run_drives(items, simulators, arguments)
    results = judge_many(
        items, simulators, configurations=arguments.configurations, workers=arguments.workers
    )
    judgements = []
    with progress(len(items) * len(simulators), "object") as bar:
        for judgement in results:
            judgements.append(judgement)
            bar.update()
    write_report(judgements, arguments.out)
    _print_judgements(judgements, simulators, as_json=arguments.json)
    note(f"report: {arguments.out}")
    return int(any(one.failed for one in judgements))


def _run_drives(
    items: dict[str, ObjectLike], simulators: list[str], arguments: argparse.Namespace
) -> int:
    """Push joints and drop balls, print and write the report; return 1 if there is a finding."""
    from aa_dataset.judge.drive_report import write_drive_report
    from aa_dataset.judge.known import lacks
    from aa_dataset.judge.run import drive_many

    able = [name for name in simulators if not lacks(name, "contacts")]
    able = able if arguments.drive else [name for name in able if name == "mujoco"]
    if not able:
        choices = "mujoco, drake, pybullet or sapien" if arguments.drive else "mujoco"
        raise ArenaError(f"no chosen simulator has contacts; choose {choices}.")
    options = {"drive": arguments.drive, "ball": arguments.ball, "most": arguments.joints}
    drives = []
    with progress(len(items) * len(able), "object") as bar:
        for one in drive_many(items, able, workers=arguments.workers, **options):
            drives.append(one)
            bar.update()
    write_drive_report(drives, arguments.out)
    _print_drives(drives, able, as_json=arguments.json)
    note(f"report: {arguments.out}")
    return int(any(one.failed for one in drives))


def _print_drives(drives: list[Drive], simulators: list[str], *, as_json: bool) -> None:
    from aa_dataset.judge.drive_report import HEAD, drive_rows, finding_lines, simulator_cells

    if as_json:
        say_json(drive_rows(drives))
        return
    lines = list(finding_lines(drives))
    say([*lines[:SHOWN], *([f"... and {len(lines) - SHOWN:,} more"] if lines[SHOWN:] else [])])
    say(["", *table(HEAD, simulator_cells(drives, simulators))])


def _objects_by_id(library: str | None) -> dict[str, ObjectLike]:
    """Return objects by id, from a library or from a folder of URDF folders."""
    from aa_dataset.format.layout import LibraryLayout, ObjectLayout
    from aa_dataset.load import load_default

    folder = Path(library) if library else None
    if folder is not None and folder.is_dir() and not LibraryLayout(folder).seal.is_file():
        folders = {p.name: p for p in sorted(folder.iterdir()) if ObjectLayout(p).urdf.is_file()}
        if folders:
            return dict(folders)
    return {item.object_id: item for item in load_default(library)}


def _selected_objects(
    items: dict[str, ObjectLike], arguments: argparse.Namespace
) -> dict[str, ObjectLike]:
    if arguments.ids:
        for name in arguments.ids:
            if name not in items:
                raise ArenaError(f"there is no object {name!r}; `aa list` lists the ids.")
        return {name: items[name] for name in arguments.ids}
    from aa_dataset.judge.drive import evenly_spaced

    if arguments.objects is None:
        return items
    return {name: items[name] for name in evenly_spaced(sorted(items), arguments.objects)}


def _print_judgements(judgements: list[Judgement], simulators: list[str], *, as_json: bool) -> None:
    from aa_dataset.judge.report import object_cells, rows, summary_lines

    if as_json:
        say_json(rows(judgements))
        return
    cells = object_cells(judgements, simulators)
    failed = [row for row in cells if any("FAIL" in cell for cell in row)]
    shown = failed if len(cells) > SHOWN else cells
    if shown:
        say(["largest deviation of a link frame [m, 1], or the failed check", ""])
        say([*table(("object", *simulators), shown), ""])
    say(summary_lines(judgements, simulators))
