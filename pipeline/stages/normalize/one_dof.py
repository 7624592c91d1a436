# SPDX-License-Identifier: Apache-2.0
"""Converts a document to one-DOF joints only, and records the origin of each joint."""

from __future__ import annotations

from dataclasses import dataclass, field

from aa_dataset.kinematics.urdf import UrdfModel
from pipeline.base.reasons import Finding
from pipeline.engine.settings import Normalize
from pipeline.handover.ingested import IngestedRecord
from pipeline.stages.normalize.compound import decompose
from pipeline.stages.normalize.loose import settle_loose
from pipeline.stages.normalize.screws import fold_screws


@dataclass(frozen=True, slots=True)
class OneDof:
    """A document whose screws are coupled pairs and whose joints have one coordinate each.

    Attributes
    ----------
    model : UrdfModel
        The document; `urdf_tree` makes one helical joint of each coupled pair.
    findings : list of Finding
        What was decomposed, folded or left unchanged.
    sources : dict of str
        The source's joint by the name of each joint made from it.
    carriers : list of str
        Links that were added here.
    pitch_sources : dict of str
        `source`, `ranges`, `default` or `none` by joint.
    """

    model: UrdfModel
    findings: list[Finding] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)
    carriers: list[str] = field(default_factory=list)
    pitch_sources: dict[str, str] = field(default_factory=dict)

    def source_joint(self, name: str) -> str:
        """Return the source's name of a joint."""
        return self.sources.get(name, name)

    def source_link(self, name: str) -> str:
        """Return the source's name of a link, empty for a carrier that was made here."""
        return "" if name in self.carriers else name


def one_dof_joints(model: UrdfModel, source: IngestedRecord, settings: Normalize) -> OneDof:
    """Settle a floating root, decompose joints of several degrees of freedom, fold screws."""
    model, loose = settle_loose(model)
    parts = decompose(model)
    screws = fold_screws(parts.model, source, settings)
    return OneDof(
        screws.model,
        [*loose, *parts.findings, *screws.findings],
        parts.sources,
        parts.carriers,
        screws.pitch_sources,
    )
