# SPDX-License-Identifier: Apache-2.0
"""Rewrites the declared screws of a source in the convention's form of a screw.

Sources write a screw in three ways: a slide to an empty link followed by a turn (PartNet), a turn
to an empty link followed by a slide (Articraft), one turn with a pitch (Artiverse).
All become a turn, an empty carrier, and a slide that mimics the turn with the pitch as multiplier,
which `aa_dataset.kinematics.urdf_tree` folds into one helical joint. A part that turns and slides
without a declared screw (office chair, lens, mast, a true cylindrical joint) stays two joints.

Matching the ranges: the rest state (turn and slide both at 0) is on the thread, and the travel is
kept, so the turn's range is the travel's range divided by the pitch. The sign of the pitch is the
source's if it states a pitch. If the pitch is the ratio of two ranges of the URDF, the sign is the
one that changes the ends of the turn least: a turn of [-12, 0] and a travel of [0, 0.03] unscrew
together. Otherwise, and in a tie, the thread is right-handed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from aa_dataset.format.labels import plain_label
from aa_dataset.kinematics.joints import Mimic
from aa_dataset.kinematics.urdf import UrdfJoint, UrdfLink, UrdfModel
from aa_dataset.kinematics.urdf_tree import COLLINEAR_TOLERANCE
from aa_dataset.portable import applied, dot, length, product
from pipeline.base.reasons import Code, Finding, Severity
from pipeline.engine.settings import Normalize
from pipeline.handover.ingested import IngestedRecord
from pipeline.raw.records import Screw
from pipeline.stages.normalize.structure import free_name

TURNS = ("revolute", "continuous")
# Axes farther apart than this share of the object are not a screw if only a label declares it.
COAXIAL_SHARE = 2e-3
# An end of the turn that moved by more than this share of its range is a warning.
RANGE_TOLERANCE = 1e-3

Range = tuple[float, float]


@dataclass(slots=True)
class Screws:
    """The document with its screws folded so far, and the findings about them.

    `pitch_sources` is the origin of the pitch by joint: `source`, `ranges`, `default`, or `none`
    for the two joints of a screw without a pitch.
    """

    model: UrdfModel
    findings: list[Finding] = field(default_factory=list)
    pitch_sources: dict[str, str] = field(default_factory=dict)

    def report(self, code: Code, detail: str, severity: Severity = Severity.WARNING) -> None:
        """Add a finding."""
        self.findings.append(Finding(code, detail, severity))


@dataclass(frozen=True, slots=True, eq=False)
class _Pair:
    """Turn and slide of one screw; `slide_axis` (3,) is in the frame of the turn's axis."""

    turn: UrdfJoint
    slide: UrdfJoint
    turn_axis: np.ndarray
    slide_axis: np.ndarray
    turn_first: bool

    @property
    def sense(self) -> float:
        """Return 1 if the slide is along the turn's axis, -1 if it is against it."""
        return 1.0 if float(dot(self.turn_axis, self.slide_axis)) > 0 else -1.0


def fold_screws(model: UrdfModel, source: IngestedRecord, settings: Normalize) -> Screws:
    """Rewrite every declared screw of a document.

    Parameters
    ----------
    model : UrdfModel
        As written.
    source : IngestedRecord
        Its `screws`, `label`, `scale` and `unit` are read.
    settings : Normalize
        `normalize` of the config: `screw_labels`, `default_pitch_m_per_turn`.
    """
    out = Screws(model)
    known = {screw.joint for screw in source.screws}
    listed = [s for s in _listed(model, source.label, settings) if not {s.joint, s.partner} & known]
    default = None
    if source.scale == "metric":
        default = settings.default_pitch_m_per_turn / (2 * math.pi) / source.unit
    for screw in (*source.screws, *listed):
        _fold(out, screw, default)
    return out


def _listed(model: UrdfModel, written: str, settings: Normalize) -> Iterator[Screw]:
    """Yield the pairs that the object's label declares to be screws."""
    label = plain_label(written).removeprefix("rec_")
    words = [w for w in settings.screw_labels if label == w or label.startswith(f"{w}_")]
    if not words:
        return
    above = {joint.child: joint for joint in model.joints}
    apart = COAXIAL_SHARE * _size(model)
    for joint in model.joints:
        partner = above.get(joint.parent)
        if partner is None:
            continue
        if "cylindrical" in {*joint.attributes.values(), *partner.attributes.values()}:
            continue
        pair = _pair(model, partner, joint)
        if isinstance(pair, _Pair) and pair.slide.mimic is None and _is_coaxial(pair, apart):
            yield Screw(joint.name, partner.name, evidence=f"the label {words[0]!r}")


def _size(model: UrdfModel) -> float:
    """Return the largest length of the object [source length] in the document itself.

    Meshes are read later. The position of the object in its world, by a fixed joint, does not
    count.
    """
    moving = [joint for joint in model.joints if joint.type != "fixed"]
    shapes = [shape.geometry for link in model.links for shape in link.visuals]
    travels = [_range(joint) for joint in moving if joint.type == "prismatic"]
    return max(
        0.0,
        *(float(length(joint.pose[:3, 3])) for joint in moving),
        *(math.hypot(*shape.size) for shape in shapes),
        *(ends[1] - ends[0] for ends in travels if ends),
    )


def _is_coaxial(pair: _Pair, most: float) -> bool:
    """Return whether the second axis is at most `most` away from the first."""
    first, second = (pair.turn, pair.slide) if pair.turn_first else (pair.slide, pair.turn)
    shift, along = second.pose[:3, 3], _axis(first) / length(_axis(first))
    return float(length(shift - dot(shift, along) * along)) <= most


def _fold(out: Screws, screw: Screw, default: float | None) -> None:
    pair = _declared_pair(out.model, screw)
    if isinstance(pair, str):
        detail = f"joint {screw.joint}: {screw.evidence} declares a screw, but {pair}"
        out.report(Code.SCREW_UNFOLDED, f"{detail}; its joints stay as they are.")
        return
    found = _multiplier(pair, screw, default)
    if found is None:
        names = [pair.turn.name, *([pair.slide.name] if screw.partner else [])]
        out.pitch_sources |= dict.fromkeys(names, "none")
        detail = f"joint {screw.joint}: {screw.evidence} declares a screw without a pitch"
        out.report(Code.PITCH_UNKNOWN, f"{detail}, and no ratio of ranges; its joints stay.")
        return
    multiplier, origin = found
    turn, slide = _coupled(pair, screw, multiplier)
    out.pitch_sources[turn.name] = origin
    pitch = f"{2 * math.pi * pair.sense * multiplier:.6g} source lengths per turn ({origin})"
    detail = f"joint {turn.name}: {screw.evidence} declares a screw; its pitch is {pitch}"
    moved = _moved(pair.turn, turn)
    severity = Severity.WARNING if moved or origin == "default" else Severity.INFO
    out.report(Code.SCREW_FOLDED, f"{detail}{moved}.", severity)
    out.model = _rewritten(out.model, turn, slide)


def _declared_pair(model: UrdfModel, screw: Screw) -> _Pair | str:
    joints = {joint.name: joint for joint in model.joints}
    joint = joints.get(screw.joint)
    if joint is None:
        return "the URDF has no such joint"
    if not screw.partner:
        return _pair_of_turn(model, joint)
    partner = joints.get(screw.partner)
    if partner is None:
        return f"the URDF has no joint {screw.partner!r}"
    if partner.parent == joint.child:
        joint, partner = partner, joint
    if partner.child != joint.parent:
        return f"{screw.partner!r} is not next to it"
    pair = _pair(model, partner, joint)
    if isinstance(pair, _Pair) and _couples_otherwise(pair):
        return "its slide follows a joint in another way"
    return pair


def _couples_otherwise(pair: _Pair) -> bool:
    """Return whether a mimic contradicts the screw: only slide = multiplier * turn agrees."""
    along, back = pair.slide.mimic, pair.turn.mimic
    if back is not None and back.joint == pair.slide.name:
        return True
    return along is not None and (along.joint != pair.turn.name or along.offset != 0.0)


def _pair_of_turn(model: UrdfModel, turn: UrdfJoint) -> _Pair | str:
    """Return the pair of a source that writes only the turn."""
    if turn.type not in TURNS:
        return f"it is {turn.type}, not a rotation"
    axis = _axis(turn)
    if not axis.any():
        return "its axis is zero"
    carrier = free_name(f"{turn.child}_carrier", {link.name for link in model.links})
    name = free_name(f"{turn.name}_slide", {joint.name for joint in model.joints})
    slide = UrdfJoint(name, "prismatic", carrier, turn.child, np.eye(4), axis)
    return _Pair(replace(turn, child=carrier), slide, axis, axis, turn_first=True)


def _pair(model: UrdfModel, first: UrdfJoint, second: UrdfJoint) -> _Pair | str:
    """Return two consecutive joints as turn and slide, or why they are not a screw."""
    kinds = (first.type in TURNS, second.type in TURNS)
    if {first.type, second.type} - {*TURNS, "prismatic"} or sum(kinds) != 1:
        return f"its joints are {first.type} and {second.type}, not a rotation and a slide"
    middle = next((link for link in model.links if link.name == first.child), UrdfLink(""))
    if middle.visuals or middle.collisions:
        return f"the link {first.child!r} between its joints has geometry"
    if sum(joint.parent == first.child for joint in model.joints) != 1:
        return f"the link {first.child!r} between its joints carries other joints"
    upper, lower = _axis(first), applied(second.pose[:3, :3], _axis(second))
    if not _parallel(upper, lower):
        return "its two axes are not parallel"
    if kinds[0]:
        return _Pair(first, second, upper, lower, turn_first=True)
    back = second.pose[:3, :3].T
    return _Pair(second, first, _axis(second), applied(back, upper), turn_first=False)


def _axis(joint: UrdfJoint) -> np.ndarray:
    return np.array([1.0, 0.0, 0.0]) if joint.axis is None else joint.axis


def _parallel(one: np.ndarray, two: np.ndarray) -> bool:
    both = float(length(one)) * float(length(two))
    if not 0 < both < math.inf:
        return False
    return float(length(np.cross(one, two))) < COLLINEAR_TOLERANCE * both


def _range(joint: UrdfJoint) -> Range | None:
    """Return the range in the URDF, None if it is unbounded or empty."""
    if joint.type == "continuous" or not joint.has_limit:
        return None
    return _bounded((joint.lower or 0.0, joint.upper or 0.0))


def _bounded(limits: Range | None) -> Range | None:
    if limits is None or not all(map(math.isfinite, limits)) or limits[0] >= limits[1]:
        return None
    return limits


def _travel(pair: _Pair, screw: Screw) -> Range | None:
    return _range(pair.slide) or _bounded(screw.travel)


def _multiplier(pair: _Pair, screw: Screw, default: float | None) -> tuple[float, str] | None:
    """Return slide per turn [source length per rad] in joint coordinates, and its origin."""
    found: tuple[float, str] | None
    if pair.slide.mimic is not None:
        found = (pair.slide.mimic.multiplier, "source")
    elif screw.pitch is not None:
        found = (pair.sense * screw.pitch, "source")
    else:
        found = _ratio(pair, screw)
        if found is None and default is not None:
            found = (pair.sense * default, "default")
    return found if found and found[0] != 0.0 and math.isfinite(1 / found[0]) else None


def _ratio(pair: _Pair, screw: Screw) -> tuple[float, str] | None:
    travel, written = _travel(pair, screw), _range(pair.turn)
    # Ranges outside the URDF have only an extent and no zero, such as 180 degrees.
    turn = written or _bounded(screw.turn)
    if travel is None or turn is None:
        return None
    ratio = pair.sense * (travel[1] - travel[0]) / (turn[1] - turn[0])
    if not ratio or not math.isfinite(ratio):
        return None
    if written is not None and 1.01 * _gap(travel, -ratio, turn) < _gap(travel, ratio, turn):
        ratio = -ratio
    return ratio, "ranges"


def _gap(travel: Range, multiplier: float, turn: Range) -> float:
    """Return how far [rad] the ends of the turn would move."""
    lower, upper = sorted(end / multiplier for end in travel)
    return abs(lower - turn[0]) + abs(upper - turn[1])


def _coupled(pair: _Pair, screw: Screw, multiplier: float) -> tuple[UrdfJoint, UrdfJoint]:
    """Return turn and slide with one coordinate: limits, coupling and order by the convention."""
    travel, turn = _travel(pair, screw), _range(pair.turn)
    if travel is not None:
        first, last = sorted(end / multiplier for end in travel)
        turn = (first, last)
    lower, upper = turn or (None, None)
    kind = "continuous" if turn is None else "revolute"
    rotation = replace(pair.turn, type=kind, has_limit=True, lower=lower, upper=upper)
    slide = replace(pair.slide, mimic=Mimic(pair.turn.name, multiplier))
    if not pair.turn_first:
        rotation = replace(
            rotation,
            parent=pair.slide.parent,
            child=pair.slide.child,
            pose=product(pair.slide.pose, pair.turn.pose),
        )
        slide = replace(
            slide,
            pose=np.eye(4),
            axis=pair.slide_axis,
            parent=pair.slide.child,
            child=pair.turn.child,
        )
    return rotation, slide


def _rewritten(model: UrdfModel, turn: UrdfJoint, slide: UrdfJoint) -> UrdfModel:
    changed = {turn.name: turn, slide.name: slide}
    joints = [changed.pop(joint.name, joint) for joint in model.joints]
    links = model.links
    if slide.parent not in {link.name for link in links}:  # the source has only the turn
        links = (*links, UrdfLink(slide.parent))
    return replace(model, links=links, joints=(*joints, *changed.values()))


def _moved(before: UrdfJoint, after: UrdfJoint) -> str:
    """Return how the turn's range changed, empty if it did not."""
    was, now = _range(before), _range(after)
    if was is None or now is None:
        return ""
    change = max(abs(a - b) for a, b in zip(was, now, strict=True))
    if change <= RANGE_TOLERANCE * (was[1] - was[0]):
        return ""
    return f", its range [{was[0]:.6g}, {was[1]:.6g}] became [{now[0]:.6g}, {now[1]:.6g}]"
