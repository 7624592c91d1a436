# SPDX-License-Identifier: Apache-2.0
"""What the large view tells of an object: tree, joints, findings, license and provenance.

A script has the details of `PER_FILE` objects; the page loads it when one of them is opened.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from aa_dataset.draw import Marks, joint_colors, tree_drawing
from aa_dataset.draw.values import motion_text
from aa_dataset.files import write_bytes
from aa_dataset.kinematics import Joint, JointType, KinematicTree
from pipeline.base.layout import ReportLayout
from pipeline.stages.report.gallery.scripts import plain, script
from pipeline.stages.report.tables import LibraryTables
from pipeline.stages.report.trees import tree_of_rows

PER_FILE = 50
_FACTS = (
    "object_id", "attribution", "redistribution", "label_provenance", "extents", "scale_factor",
    "front", "content_sha256", "rebuild", "provenance", "links",
    "preview_backend",
)  # fmt: skip
_JOINTS = (
    "joint", "parent", "child", "type", "axis", "origin", "pitch", "pitch_source", "lower", "upper",
    "mimic",
)  # fmt: skip
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Grouped:
    """A table whose rows belong to objects: those of object k are `order[starts[k]:...]`."""

    table: pa.Table
    order: Rows
    starts: Rows

    @classmethod
    def of(cls, table: pa.Table, ids: pa.ChunkedArray, columns: Sequence[str]) -> _Grouped:
        owner = pc.index_in(table["object_id"], ids).to_numpy()
        order = np.argsort(owner, kind="stable")
        starts = np.searchsorted(owner[order], np.arange(len(ids) + 1))
        return cls(table.select(columns), order, starts)

    def rows(self, first: int, last: int) -> Iterator[list[dict[str, Any]]]:
        """Yield the rows of the objects from `first` to before `last`."""
        begin = self.starts[first]
        rows = self.table.take(pa.array(self.order[begin : self.starts[last]])).to_pylist()
        for k in range(first, last):
            yield rows[self.starts[k] - begin : self.starts[k + 1] - begin]


def write_details(tables: LibraryTables, report: ReportLayout) -> None:
    """Write the details of all objects, in the order of the objects table."""
    ids = tables.objects["object_id"]
    findings = _Grouped.of(tables.findings, ids, ("stage", "code", "severity", "detail"))
    links = _Grouped.of(tables.links, ids, ("link", "semantic", "mass"))
    joints = _Grouped.of(tables.joints, ids, _JOINTS)
    for number, first in enumerate(range(0, len(ids), PER_FILE)):
        last = min(first + PER_FILE, len(ids))
        facts = tables.objects.select(_FACTS).slice(first, last - first).to_pylist()
        groups = (part.rows(first, last) for part in (findings, links, joints))
        objects = [_object_details(*one) for one in zip(facts, *groups, strict=True)]
        write_bytes(report.details(number), script("details", [number, objects]), lasting=False)


def details_file(row: int) -> int:
    """Return the number of the script with the details of a row of the objects table."""
    return row // PER_FILE


def _object_details(
    fact: Mapping[str, Any],
    findings: Sequence[Mapping[str, Any]],
    links: Sequence[Mapping[str, Any]],
    joints: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """Return the details of one object as the page reads them."""
    tree = tree_of_rows(fact["object_id"], joints, [row["link"] for row in links])
    parts = {row["link"]: plain(row["semantic"]) for row in links}
    pitches = {row["joint"]: plain(row["pitch_source"]) for row in joints}
    colors = {} if tree is None else joint_colors(tree)
    told = [] if tree is None else tree.joints
    return {
        "id": plain(fact["object_id"]),
        "attribution": plain(fact["attribution"]),
        "redistribution": plain(fact["redistribution"]),
        "label": plain(fact["label_provenance"]),
        "extents": [_rounded(length) for length in fact["extents"]],
        "scale": _rounded(fact["scale_factor"]),
        "front": plain(fact["front"]),
        "sha256": plain(fact["content_sha256"]),
        "rebuild": plain(fact["rebuild"]),
        "provenance": [[plain(name), plain(value)] for name, value in fact["provenance"]],
        "links": fact["links"],
        "backend": plain(fact["preview_backend"]),
        "mass": _rounded(sum(row["mass"] for row in links)),
        "joints": [[str(colors[one.name]), *_joint_row(one, parts, pitches)] for one in told],
        "findings": [
            [plain(row[name]) for name in ("severity", "code", "stage", "detail")]
            for row in findings
        ],
        "tree": "" if tree is None else _tree_svg(tree, parts),
    }


def _joint_row(joint: Joint, parts: Mapping[str, str], pitches: Mapping[str, str]) -> list[str]:
    """Return name, type, moving link, what that is, parent link, range and coupling."""
    motion = motion_text(joint)
    source = pitches.get(joint.name, "")
    if joint.type is JointType.HELICAL and source not in ("", "source"):
        motion = f"{motion} ({source})"
    texts = (joint.name, str(joint.type), joint.child, parts.get(joint.child, ""), joint.parent)
    return [*map(plain, texts), motion, plain(_coupling(joint))]


def _coupling(joint: Joint) -> str:
    if joint.mimic is None:
        return ""
    offset = f" + {joint.mimic.offset:.4g}" if joint.mimic.offset else ""
    return f"{joint.mimic.multiplier:.4g} * {joint.mimic.joint}{offset}"


def _tree_svg(tree: KinematicTree, parts: Mapping[str, str]) -> str:
    drawing = tree_drawing(tree, Marks(semantics=parts))
    return drawing.svg(label=f"kinematic tree of {tree.name}", style=False)


def _rounded(value: float | None) -> float | None:
    """Return a finite number with four digits, else None, for which the page says so."""
    if value is None or not np.isfinite(value):
        return None
    return float(f"{value:.4g}")
