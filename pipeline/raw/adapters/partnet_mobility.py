# SPDX-License-Identifier: Apache-2.0
"""The layout of PartNet-Mobility: `<id>/mobility.urdf`, `mobility_v2.json`, `semantics.txt`.

The URDF is authoritative. The JSON adds two facts: which sliders also turn, and by how much
(`rotates`, `rotationLimit` in degrees). In the URDF such a part has an empty helper link:
`body -(prismatic)-> link_i_helper -(continuous)-> link_i`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from aa_dataset.kinematics.urdf import UrdfJoint, UrdfModel
from pipeline.base.reasons import Code, Finding
from pipeline.raw.adapters.facts import read_json, read_object, text
from pipeline.raw.adapters.folders import object_folders
from pipeline.raw.adapters.partnet_motion import Motion, disagreements, read_motions
from pipeline.raw.adapters.texts import Meaning, read_semantics, read_urdf
from pipeline.raw.files import RawFiles
from pipeline.raw.records import Found, RawRecord, Screw

MODEL, META = "mobility.urdf", "meta.json"
MOTIONS, SEMANTICS = "mobility_v2.json", "semantics.txt"
# Folder of the objects in the archive of the old release.
INNER = "dataset"
SCREW_KIND = "slider+"
TEXTS = ("anno_id", "model_id", "version", "original_model_cat")  # of `meta.json`
FIELDS = frozenset({*TEXTS, "absent", "facts_from"})


def discover(root: Path) -> Iterator[Found]:
    """Yield every folder of the source, also those without a URDF, so that they are accounted for.

    The objects are in the source's folder, or in its subfolder `dataset`.
    """
    inner = root / INNER
    is_nested = inner.is_dir() and not inner.is_symlink() and not (inner / MODEL).is_file()
    for name in object_folders(root):
        if not (is_nested and name == INNER):
            yield Found(name, (name,))
    for name in object_folders(inner) if is_nested else []:
        if not (root / name).is_dir():
            yield Found(name, (f"{INNER}/{name}",))


def describe(files: RawFiles, found: Found) -> RawRecord:
    """Read one object's folder."""
    model = read_urdf(files, MODEL)
    meta = read_object(files, META) if files.has(META) else {}
    meanings = read_semantics(files, SEMANTICS) if files.has(SEMANTICS) else []
    motions = read_motions(read_json(files, MOTIONS), MOTIONS) if files.has(MOTIONS) else []
    screws, findings = find_screws(model, meanings, motions)
    label = text(meta, "model_cat", META)
    return RawRecord(
        model=MODEL,
        name=f"{label} {found.name}".strip(),
        label=label,
        parts={meaning.link: meaning.label for meaning in meanings},
        screws=screws,
        provenance=_provenance(files, meta),
        findings=(*findings, *disagreements(model, motions)),
    )


def _provenance(files: RawFiles, meta: Mapping[str, Any]) -> dict[str, Any]:
    known = {field: text(dict(meta), field, META) for field in TEXTS if field in meta}
    absent = [name for name in (META, MOTIONS, SEMANTICS) if not files.has(name)]
    return {**known, **({"absent": absent} if absent else {}), "facts_from": META}


def find_screws(
    model: UrdfModel, meanings: list[Meaning], motions: list[Motion]
) -> tuple[tuple[Screw, ...], list[Finding]]:
    """Return the declared screws whose pair of joints the URDF has, and findings about others."""
    turning = {motion.link: motion for motion in motions if motion.rotates}
    kinds = {meaning.link: meaning.kind for meaning in meanings}
    declared = [*(link for link, kind in kinds.items() if kind == SCREW_KIND), *turning]
    parents = {joint.child: joint for joint in model.joints}
    empty = {link.name for link in model.links if not link.visuals and not link.collisions}
    screws, findings = [], []
    for link in dict.fromkeys(declared):
        evidence = _screw_evidence(kinds.get(link), turning.get(link))
        pair = _helper_pair(link, parents, empty)
        if pair is None:
            detail = f"{evidence} makes {link} a screw, but {MODEL} has no pair of joints for it."
            findings.append(Finding(Code.SOURCE_DISAGREES, detail))
            continue
        turn = _turn_range(turning.get(link))
        screws.append(Screw(pair[0].name, pair[1].name, turn=turn, evidence=evidence))
    return tuple(screws), findings


def _screw_evidence(kind: str | None, motion: Motion | None) -> str:
    evidence = [f"{SEMANTICS}: {kind}"] if kind == SCREW_KIND else []
    evidence += [f"{MOTIONS}: rotates"] if motion is not None else []
    return "; ".join(evidence)


def _helper_pair(
    link: str, parents: Mapping[str, UrdfJoint], empty: set[str]
) -> tuple[UrdfJoint, UrdfJoint] | None:
    """Return the turning and the sliding joint of a part with an empty helper link."""
    turn = parents.get(link)
    slide = None if turn is None else parents.get(turn.parent)
    if turn is None or slide is None or turn.parent not in empty:
        return None
    if turn.type not in ("continuous", "revolute") or slide.type != "prismatic":
        return None
    return turn, slide


def _turn_range(motion: Motion | None) -> tuple[float, float] | None:
    """Return the range of the turn [rad], None if the source does not bound it."""
    if motion is None or not motion.turn_degrees:
        return None
    end = math.radians(motion.turn_degrees)
    return min(0.0, end), max(0.0, end)
