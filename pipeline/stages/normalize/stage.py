# SPDX-License-Identifier: Apache-2.0
"""The stage: converts raw objects to the library's URDF convention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from aa_dataset.convention.document import check_convention
from aa_dataset.errors import ArenaError, JointError, TreeError, UrdfError
from aa_dataset.format.layout import URDF
from aa_dataset.kinematics import JointType, KinematicTree
from aa_dataset.kinematics.urdf import UrdfModel
from aa_dataset.kinematics.urdf_tree import rest_frames, urdf_tree
from aa_dataset.portable import length
from aa_dataset.untrusted.safe_xml import XmlBudget
from pipeline.base import layout
from pipeline.base.errors import Rejection
from pipeline.base.reasons import Code, Finding, Reason
from pipeline.base.records import read_records
from pipeline.engine.runner import Job, Outcome, Task, run_shard
from pipeline.engine.settings import (
    Budgets,
    Normalize,
    NormalizeSettings,
    SourceFacts,
    read,
)
from pipeline.handover.collisions import names_with_collisions
from pipeline.handover.ingested import IngestedRecord
from pipeline.handover.normalized import DrawnPrimitive, NormalRecord, SourceInertial
from pipeline.raw.curation.repairs import FILE as REPAIRS
from pipeline.raw.curation.repairs import Repair, apply_repairs, read_repairs
from pipeline.raw.files import RawFiles, open_raw
from pipeline.raw.inventory import object_id, read_marks
from pipeline.raw.untouched import untouched, watch
from pipeline.shapes.pieces import Piece, places_by_look
from pipeline.stages.normalize.emit import Drive, NormalObject, object_files
from pipeline.stages.normalize.frame import FARTHEST, Similarity, all_points, find_similarity
from pipeline.stages.normalize.given_meshes import GivenMesh
from pipeline.stages.normalize.gltf_frames import with_turned_gltf
from pipeline.stages.normalize.mended import line_of_joint, parse_mended
from pipeline.stages.normalize.meshes import LinkGeometry, MeshReader
from pipeline.stages.normalize.mjcf import read_mjcf
from pipeline.stages.normalize.one_dof import OneDof, one_dof_joints
from pipeline.stages.normalize.ranges import (
    lacks_range,
    repair_rows,
    reversed_limits,
    settle_drive,
    settle_range,
    stated_limit,
    without_endless,
)
from pipeline.stages.normalize.still import settle_still
from pipeline.stages.normalize.structure import dissolve_empty, renamed
from pipeline.stages.normalize.substitutes import with_substitutes
from pipeline.stages.normalize.visible import visible_geometry

# Diagonal [m] below which a float cannot represent the digits of the object's grid.
SMALLEST = 1e-6
_JOINT_REASONS = {
    "mimic": Reason.MIMIC_INVALID,
    "name": Reason.MIMIC_INVALID,  # of the joint that a mimic follows
    "axis": Reason.AXIS_ZERO,
}


@dataclass(frozen=True, slots=True)
class NormalizeInput:
    """One raw object to normalize.

    Attributes
    ----------
    root : Path
        Folder of its source.
    record : IngestedRecord
        Its record of `ingest`.
    mark : str or None
        State of its files when they were digested, None if unknown.
    repairs : sequence of Repair
        Manual corrections of it.
    """

    root: Path
    record: IngestedRecord
    mark: str | None = None
    repairs: Sequence[Repair] = ()


def run(job: Job[NormalizeSettings]) -> None:
    """Normalize one shard."""
    root = Path(read(job.inputs["facts"], SourceFacts).folder)
    repairs = read_repairs(job.inputs["repairs"])
    records = read_records(job.inputs["records"], IngestedRecord)
    paths = {key: record.paths for key, record in records.items()}
    watched = watch(root, paths, read_marks(layout.marks(job.source, job.shard)))
    tasks = [
        Task(key, NormalizeInput(root, record, watched.early.get(key), repairs.get(key, ())))
        for key, record in records.items()
    ]
    run_shard(job, tasks, process=normalize, record=NormalRecord, check=watched.check)


def normalize(task: Task[NormalizeInput], settings: NormalizeSettings) -> Outcome[NormalRecord]:
    """Normalize one raw object; pure except for reading its files."""
    given, paths = task.data, task.data.record.paths
    with untouched(task.object_id, given.root, paths, given.mark):
        files = open_raw(given.root, paths, most_bytes=settings.budgets.raw_bytes)
        return normalize_raw(files, given.record, settings, repairs=given.repairs)


def normalize_raw(
    files: RawFiles,
    source: IngestedRecord,
    settings: NormalizeSettings,
    *,
    repairs: Sequence[Repair] = (),
) -> Outcome[NormalRecord]:
    """Normalize the files of one raw object.

    Parameters
    ----------
    files : RawFiles
        Nothing else is read.
    source : IngestedRecord
        The object's record of `ingest`.
    settings : NormalizeSettings
        `budgets` and `normalize` of the config.
    repairs : sequence of Repair
        Manual corrections of this object; applied first.
    """
    model, given, read_findings = _read_any(files, source, settings.budgets)
    model = with_turned_gltf(with_substitutes(model, source.substitutes), source.gltf_up)
    model, source, repaired = apply_repairs(model, source, repairs)
    _require_ordered_limits(files, model, source)
    plain = one_dof_joints(model, source, settings.normalize)
    model = plain.model
    tree, frames = _checked_tree(model)
    tree, still_findings = settle_still(without_endless(tree))
    reader = MeshReader(files, source.model, settings.budgets, given)
    geometry, hidden_findings = visible_geometry(reader.link_geometry(model, frames))
    pieces = {name: parts.visuals for name, parts in geometry.items()}
    tree = dissolve_empty(tree, {name for name, parts in pieces.items() if parts})
    points = all_points(pieces[name] for name in tree.links)
    _require_usable(points, tree)
    similarity = find_similarity(points, source)
    _require_visible(points, similarity)
    normal, names, findings = _normal_object(
        tree, geometry, model, similarity=similarity, settings=settings.normalize
    )
    made = object_files(normal)
    _require_convention(made)
    record = _record(
        normal,
        source,
        similarity=similarity,
        names=names,
        plain=plain,
        tree=tree,
        geometry=geometry,
    )
    early = [*read_findings, *repaired, *plain.findings, *still_findings]
    everything = [*early, *reader.findings, *hidden_findings, *findings]
    return Outcome(record, everything, made)


def _read_any(
    files: RawFiles, source: IngestedRecord, budgets: Budgets
) -> tuple[UrdfModel, dict[str, GivenMesh], list[Finding]]:
    """Read the object's model, of either format, with the meshes that are not files."""
    if source.format == "mjcf":
        return read_mjcf(files, source.model, budgets, source.body)
    model, findings = read_model(files, source.model, budgets)
    return model, {}, findings


def read_model(files: RawFiles, urdf: str, budgets: Budgets) -> tuple[UrdfModel, list[Finding]]:
    """Read the object's URDF within its budgets; findings say what was mended."""
    data = files.read(urdf, most=budgets.urdf_bytes)
    try:
        model, findings = parse_mended(data, XmlBudget(max_bytes=budgets.urdf_bytes))
    except UrdfError as error:
        raise Rejection(Reason(error.code), f"{urdf}: {error.detail}") from None
    if len(model.links) > budgets.links:
        count, most = len(model.links), budgets.links
        raise Rejection(Reason.TOO_MANY_LINKS, f"{count} links, more than the budget of {most}.")
    return model, findings


def _require_ordered_limits(files: RawFiles, model: UrdfModel, source: IngestedRecord) -> None:
    """Reject reversed limits, with the line and the rows that would correct them."""
    joint = reversed_limits(model)
    if joint is None:
        return
    line = None if source.format == "mjcf" else line_of_joint(files.read(source.model), joint.name)
    where = "" if line is None else f"{source.model}, line {line}: "
    rows = repair_rows(joint, object_id(source.source, source.source_id))
    detail = (
        f"{where}joint {joint.name!r}: lower {joint.lower or 0:g} is greater than upper "
        f"{joint.upper or 0:g}. If their order is wrong, and no sign, add to {REPAIRS}: {rows}."
    )
    raise Rejection(Reason.LIMITS_REVERSED, detail)


def _checked_tree(model: UrdfModel) -> tuple[KinematicTree, dict[str, np.ndarray]]:
    try:
        tree = urdf_tree(model)
        tree.placements({})  # follows every mimic, so that an invalid one raises here
        return tree, rest_frames(model)
    except (UrdfError, TreeError) as error:
        raise Rejection(Reason(error.code), error.detail) from None
    except JointError as error:
        reason = _JOINT_REASONS.get(error.field, Reason.JOINT_INVALID)
        raise Rejection(reason, str(error)) from None
    except ArenaError as error:
        raise Rejection(Reason.URDF_INVALID, str(error)) from None


def _require_usable(points: np.ndarray, tree: KinematicTree) -> None:
    if not len(points):
        raise Rejection(Reason.GEOMETRY_NONE, "no link of the object has visual geometry.")
    if not (np.abs(points) <= FARTHEST).all():  # also catches NaN
        raise Rejection(Reason.MESH_INVALID, f"geometry lies farther out than {FARTHEST:g}.")
    movable = {joint.name for joint in tree.movable}
    for joint in tree.joints:
        if not (np.abs(joint.origin) <= FARTHEST).all():
            detail = f"joint {joint.name!r} lies farther out than {FARTHEST:g}."
            raise Rejection(Reason.JOINT_INVALID, detail)
        if any(np.isfinite(limit) and abs(limit) > FARTHEST for limit in joint.limits):
            detail = f"joint {joint.name!r} has a limit beyond {FARTHEST:g}."
            raise Rejection(Reason.JOINT_INVALID, detail)
        coupling = () if joint.mimic is None else (joint.mimic.multiplier, joint.mimic.offset)
        if not all(abs(number) <= FARTHEST for number in (joint.pitch, *coupling)):
            detail = f"joint {joint.name!r} has a pitch or a coupling beyond {FARTHEST:g}."
            raise Rejection(Reason.JOINT_INVALID, detail)
        if joint.is_movable and joint.mimic is not None and joint.mimic.joint not in movable:
            detail = f"joint {joint.name!r} follows {joint.mimic.joint!r}, which cannot move."
            raise Rejection(Reason.MIMIC_INVALID, detail)


def _require_visible(points: np.ndarray, similarity: Similarity) -> None:
    diagonal = similarity.scale * float(length(np.ptp(points, axis=0)))
    if diagonal < SMALLEST:
        raise Rejection(Reason.GEOMETRY_NONE, f"the object's box has a diagonal of {diagonal:g} m.")


@dataclass(frozen=True, slots=True)
class _Names:
    """Our names of links and joints by those in the document."""

    links: dict[str, str]
    joints: dict[str, str]


def _normal_object(
    tree: KinematicTree,
    geometry: Mapping[str, LinkGeometry],
    model: UrdfModel,
    *,
    similarity: Similarity,
    settings: Normalize,
) -> tuple[NormalObject, _Names, list[Finding]]:
    """Map geometry and joints to the object frame, set ranges and drives, assign plain names."""
    moved = _mapped({name: geometry[name].visuals for name in tree.links}, similarity)
    points = all_points(moved.values())
    diagonal = float(length(np.ptp(points, axis=0)))
    written = {joint.name: joint for joint in model.joints}
    joints, findings, drives = [], [], {}
    for joint in tree.joints:
        settled, found = settle_range(similarity.joint(joint), diagonal=diagonal)
        joints.append(settled)
        findings += found + stated_limit(written[joint.name])
        effort, velocity, found = settle_drive(written[joint.name], settings)
        findings += found if joint.is_movable else []
        drives[joint.name] = Drive(effort, velocity)
    mapped = KinematicTree(tree.name, tree.links, tuple(joints))
    named, links, names = renamed(_scaled_mimics(mapped, similarity.scale))
    if not moved[tree.root]:
        findings.append(Finding(Code.BASE_EMPTY, f"the root link {tree.root!r} has no geometry."))
    solids = _mapped({name: geometry[name].collisions for name in tree.links}, similarity)
    normal = NormalObject(
        named,
        {links[name]: parts for name, parts in moved.items()},
        {names[name]: drive for name, drive in drives.items()},
        {links[name]: parts for name, parts in solids.items()},
        similarity.decimals,
    )
    return normal, _Names(links, names), findings


def _mapped(links: Mapping[str, Sequence[Piece]], similarity: Similarity) -> dict[str, list[Piece]]:
    """Map the pieces of every link, all points at once, because there may be hundreds."""
    points = similarity.points(all_points(links.values()))
    sizes = [len(piece.vertices) for pieces in links.values() for piece in pieces]
    parts = iter(np.split(points, np.cumsum(sizes)[:-1]))
    return {
        name: [replace(piece, vertices=next(parts)) for piece in pieces]
        for name, pieces in links.items()
    }


def _collision_source(geometry: LinkGeometry) -> str:
    """Return the origin of a link's collision geometry: `none`, `source` or `hulls`."""
    if not geometry.collisions:
        return "none"
    return "source" if geometry.source else "hulls"


def _primitives(geometry: LinkGeometry, similarity: Similarity) -> tuple[DrawnPrimitive, ...]:
    """Return the visual primitives of a link, in the object frame at rest, and their triangles."""
    turn, scale, shift = similarity.rotation, similarity.scale, -similarity.center
    places = places_by_look(geometry.visuals)
    return tuple(
        DrawnPrimitive(one.mapped(turn, scale, shift).rounded(similarity.decimals), *places[number])
        for number, one in geometry.primitives.items()
    )


def _scaled_mimics(tree: KinematicTree, scale: float) -> KinematicTree:
    """Scale the couplings between a length and an angle."""
    is_length = {joint.name: joint.type is JointType.PRISMATIC for joint in tree.joints}

    def scaled(joint: Any) -> Any:
        if joint.mimic is None or scale == 1.0:
            return joint
        here, there = is_length[joint.name], is_length[joint.mimic.joint]
        ratio = 1.0 if here == there else (scale if here else 1 / scale)
        offset = joint.mimic.offset * (scale if here else 1.0)
        mimic = replace(joint.mimic, multiplier=joint.mimic.multiplier * ratio, offset=offset)
        return replace(joint, mimic=mimic)

    return KinematicTree(tree.name, tree.links, tuple(scaled(joint) for joint in tree.joints))


def _require_convention(files: Mapping[str, bytes]) -> None:
    problems = check_convention(files[URDF], names_with_collisions(files), with_inertials=False)
    if problems:
        raise Rejection(Reason.CONVENTION_BROKEN, " ".join(problems[:3]))


def _record(
    normal: NormalObject,
    source: IngestedRecord,
    *,
    similarity: Similarity,
    names: _Names,
    plain: OneDof,
    tree: KinematicTree,
    geometry: Mapping[str, LinkGeometry],
) -> NormalRecord:
    points = all_points(normal.pieces.values())
    lower, upper = points.min(axis=0), points.max(axis=0)
    links, joints = names.links.items(), names.joints
    return NormalRecord(
        extents=tuple(similarity.rounded(upper - lower).tolist()),
        floor_z=float(similarity.rounded(lower)[2]),
        front="x" if source.frame.front else None,
        scale_factor=similarity.scale,
        rotation=tuple(similarity.rotation.reshape(-1).tolist()),
        center=tuple(similarity.center.tolist()),
        is_metric=source.scale == "metric",
        link_names={new: plain.source_link(old) for old, new in links},
        joint_names={new: plain.source_joint(old) for old, new in joints.items()},
        pitch_sources=_pitch_sources(normal.tree, joints, plain),
        invented_limits=tuple(joints[one.name] for one in tree.movable if lacks_range(one)),
        source_inertials=_source_inertials(plain.model, names.links),
        collision_sources={new: _collision_source(geometry[old]) for old, new in links},
        primitives={new: _primitives(geometry[old], similarity) for old, new in links},
    )


def _pitch_sources(tree: KinematicTree, names: Mapping[str, str], plain: OneDof) -> dict[str, str]:
    """Return the origin of every pitch; a coupling in the URDF itself counts as `source`."""
    found = {joint.name: "source" for joint in tree.joints if joint.type is JointType.HELICAL}
    return found | {
        names[old]: origin for old, origin in plain.pitch_sources.items() if old in names
    }


def _source_inertials(model: UrdfModel, links: Mapping[str, str]) -> dict[str, SourceInertial]:
    """Return the source's own inertials, in its link frames."""
    return {
        links[link.name]: SourceInertial(
            link.inertial.mass,
            tuple(link.inertial.pose[:3, 3].tolist()),
            tuple(link.inertial.inertia.reshape(-1).tolist()),
        )
        for link in model.links
        if link.inertial is not None and link.name in links
    }
