# SPDX-License-Identifier: Apache-2.0
"""The stage: writes the final URDF with inertials and convex collisions, and the table rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import trimesh

from aa_dataset.assets.contents import content_digest
from aa_dataset.convention.document import check_convention
from aa_dataset.format.layout import GLB, SRDF, URDF
from aa_dataset.kinematics import KinematicTree
from aa_dataset.kinematics.srdf import format_srdf
from aa_dataset.kinematics.urdf import Inertial, UrdfLink, UrdfModel, parse_urdf
from aa_dataset.kinematics.urdf_tree import rest_frames, urdf_tree
from pipeline.base.assets import AssetRange, asset_ranges, read_range
from pipeline.base.errors import Rejection
from pipeline.base.reasons import Code, Finding, Reason, Severity
from pipeline.base.records import read_records
from pipeline.engine.runner import Job, Outcome, Task, run_shard
from pipeline.engine.settings import Annotate, AnnotateSettings
from pipeline.handover.annotated import AnnotatedRecord, JointRow
from pipeline.handover.categorized import CategoryRecord
from pipeline.handover.ingested import IngestedRecord
from pipeline.handover.normalized import DrawnPrimitive, NormalRecord
from pipeline.handover.verified import VerifiedRecord
from pipeline.shapes.glb import link_points, mesh_order, read_links
from pipeline.shapes.urdf_text import format_urdf
from pipeline.stages.annotate.clearance.objects import cleared_parts, exclusion_findings
from pipeline.stages.annotate.collision.links import (
    convex_parts,
    part_findings,
    with_collisions,
)
from pipeline.stages.annotate.dynamics import with_dynamics
from pipeline.stages.annotate.facts import ObjectFacts
from pipeline.stages.annotate.fingerprint import fingerprint
from pipeline.stages.annotate.floor import mass_findings, with_floor
from pipeline.stages.annotate.mass import LinkMass, link_mass
from pipeline.stages.annotate.rounding import rounded_body, rounded_to, rounded_up
from pipeline.stages.annotate.rows import joint_rows, link_row
from pipeline.stages.annotate.sheets import NARROW

# Half a step of the last digit of a coordinate in the GLB.
SINGLE_PRECISION = 2.0**-24
# Rounding to ten digits of the trace changes an inertia by up to this share of its norm.
ROUNDED = 3e-9
# Estimated relative errors of a link's body above which a finding is written, and is a warning.
NOTABLE_ERROR, POOR_ERROR = 0.01, 0.1
# Methods that use the complete geometry of a link.
EXACT = ("primitive", "volume")


@dataclass(frozen=True, slots=True)
class AnnotateInput:
    """One object that passed verification: its facts, and the range of its files."""

    facts: ObjectFacts
    where: AssetRange


def run(job: Job[AnnotateSettings]) -> None:
    """Annotate the objects of one shard that passed verification."""
    kept = read_records(job.inputs["verified"], VerifiedRecord)
    raw = read_records(job.inputs["sources"], IngestedRecord)
    labels = read_records(job.inputs["categories"], CategoryRecord)
    places = asset_ranges(job.inputs["records"], job.inputs["assets"])
    tasks = []
    for key, normal in read_records(job.inputs["records"], NormalRecord).items():
        if key in kept:
            facts = ObjectFacts(normal, raw[key].source, raw[key].parts, labels[key])
            tasks.append(Task(key, AnnotateInput(facts, places[key])))
    run_shard(job, tasks, process=annotate, record=AnnotatedRecord)


def annotate(task: Task[AnnotateInput], settings: AnnotateSettings) -> Outcome[AnnotatedRecord]:
    """Compute the inertials and table rows of one object."""
    facts, files = task.data.facts, read_range(task.data.where)
    model = parse_urdf(files[URDF])
    meshes = read_links(files[GLB], tuple(link.name for link in model.links))
    most, diagonal = settings.annotate.collision_parts, facts.diagonal
    parts = convex_parts(model, files, diagonal=diagonal, most=most)
    hulls = {link: found.hulls for link, found in parts.items()}
    cleared = cleared_parts(model, hulls, meshes, diagonal=diagonal, most=most)
    model, files = with_collisions(model, files, cleared.hulls, diagonal=diagonal)
    masses = _link_masses(model, meshes, facts, settings.annotate)
    masses, raised = with_floor(urdf_tree(model, fold=False), masses)
    model = with_dynamics(_with_inertials(model, masses, diagonal))
    files[URDF] = format_urdf(model)
    if cleared.exclusions:
        pairs = [(row.first, row.second) for row in cleared.exclusions]
        files[SRDF] = format_srdf(model.name, pairs)
    _require_convention(files)
    tree = urdf_tree(parse_urdf(files[URDF]))
    joints = joint_rows(tree, {j.name: j for j in model.joints}, source=facts)
    record = AnnotatedRecord(
        content_sha256=content_digest(files),
        fingerprint=fingerprint(tree, meshes, is_metric=facts.normal.is_metric),
        depth=tree.depth,
        links=tuple(link_row(n, masses[n], meshes[n], source=facts) for n in tree.links),
        joints=joints,
        exclusions=cleared.exclusions,
    )
    findings = [
        *part_findings(parts, most),
        *exclusion_findings(cleared.exclusions),
        *_mass_findings(tree, masses, joints),
        *raised,
        *(mass_findings(masses, facts.category) if facts.normal.is_metric else ()),
    ]
    return Outcome(record, findings, files)


def _link_masses(
    model: UrdfModel,
    meshes: Mapping[str, Sequence[trimesh.Trimesh]],
    facts: ObjectFacts,
    settings: Annotate,
) -> dict[str, LinkMass]:
    diagonal, frames = facts.diagonal, rest_frames(model)
    # For a tiny object, a shell must not be thicker than the object.
    thickness = min(settings.shell_thickness, 0.01 * diagonal)
    found = {}
    for name, parts in meshes.items():
        one = link_mass(
            parts,
            density=_density(name, facts, settings),
            thickness=thickness,
            narrow=NARROW * diagonal,
            resolution=_resolution(parts, frames[name][:3, 3]),
            primitives=_primitives(facts.normal, name, len(parts)),
        )
        body, error = rounded_body(one.body, diagonal), max(one.error, ROUNDED)
        found[name] = replace(one, body=body, error=error)
    return found


def _primitives(normal: NormalRecord, link: str, meshes: int) -> list[DrawnPrimitive]:
    """Return the primitives of a link; their meshes are counted as `read_links` orders them."""
    place = {number: at for at, number in enumerate(mesh_order(meshes))}
    return [replace(one, mesh=place[one.mesh]) for one in normal.primitives.get(link, ())]


def _density(link: str, facts: ObjectFacts, settings: Annotate) -> float:
    """Return the density [kg/m^3] of a link: by its part label, else by its source."""
    default = settings.density_by_source.get(facts.source, settings.density)
    return float(settings.density_by_part.get(facts.part(link), default))


def _resolution(meshes: Sequence[trimesh.Trimesh], origin: np.ndarray) -> float:
    """Return the largest error [m] of a vertex, because the GLB has single precision."""
    points = link_points(list(meshes)) - origin
    return float(np.abs(points).max(initial=0.0)) * SINGLE_PRECISION


def _with_inertials(model: UrdfModel, masses: Mapping[str, LinkMass], diagonal: float) -> UrdfModel:
    frames = rest_frames(model)
    links = tuple(
        _with_inertial(link, masses[link.name], frames[link.name], diagonal) for link in model.links
    )
    return replace(model, links=links)


def _with_inertial(link: UrdfLink, found: LinkMass, frame: np.ndarray, diagonal: float) -> UrdfLink:
    """Write the body in the link frame, which is parallel to the object frame."""
    pose = np.eye(4)
    # A link without geometry has no center, so the origin of its frame is used.
    if found.method != "negligible" or link.visuals:
        # Both terms are on a grid; rounding removes the error of the subtraction.
        pose[:3, 3] = rounded_to(found.body.center - frame[:3, 3], diagonal)
    return replace(link, inertial=Inertial(found.body.mass, pose, found.body.inertia))


def _require_convention(files: Mapping[str, bytes]) -> None:
    problems = check_convention(files[URDF], files)
    if problems:
        raise Rejection(Reason.CONVENTION_BROKEN, " ".join(problems[:3]))


def _mass_findings(
    tree: KinematicTree, masses: Mapping[str, LinkMass], joints: Sequence[JointRow]
) -> Iterator[Finding]:
    for name in tree.links:
        found = masses[name]
        if found.method not in EXACT or found.error > NOTABLE_ERROR:
            detail = (
                f"link {name}: mass and inertia come from the method {found.method!r}, with an "
                f"error of up to {100 * rounded_up(found.error):.3g} % by estimate."
            )
            severity = Severity.WARNING if found.error > POOR_ERROR else Severity.INFO
            yield Finding(Code.MASS_APPROXIMATE, detail, severity)
    for row in joints:
        if row.body_mass is not None and row.motion_kinetic is None:
            detail = f"joint {row.joint}: its body is a line, so the kinetic norm is undefined."
            yield Finding(Code.BODY_LINE, detail)
