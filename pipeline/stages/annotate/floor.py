# SPDX-License-Identifier: Apache-2.0
"""A floor for the inertia of moving links, and findings about unusual masses.

MuJoCo refuses a principal moment below 1e-15 kg m^2, and in a chain whose moments differ by more
than eleven digits, a double has few digits left for the smallest. The floor is below what a visible
part has: a cube of 3 mm of wood has 2e-11 kg m^2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from aa_dataset.kinematics import KinematicTree, RigidBody
from aa_dataset.portable import symmetric_eigen
from pipeline.base.reasons import Code, Finding, Severity
from pipeline.handover.categorized import CategoryRecord
from pipeline.stages.annotate.mass import LinkMass

# Least principal moment [kg m^2], and least share of the trace of a moving neighbor's inertia.
LEAST_MOMENT, LEAST_SHARE = 1e-12, 1e-11
# Usual masses [kg] of a link, and of an object whose category has none.
LIGHTEST, HEAVIEST = 1e-4, 5000.0
# A mass this many times beyond the usual ones of its category is far off: the density is a guess,
# and solids of the models are hollow in reality.
FAR_OFF = 10.0


def with_floor(
    tree: KinematicTree, masses: Mapping[str, LinkMass]
) -> tuple[dict[str, LinkMass], list[Finding]]:
    """Return the bodies of all links, those of moving links above the floor, and the findings.

    Parameters
    ----------
    tree : KinematicTree
        The object.
    masses : mapping of str to LinkMass
        The body of every link, in the object frame at rest.
    """
    moving = _moving_links(tree)
    out, findings = dict(masses), []
    for name in masses:
        if name not in moving:
            continue
        near = _neighbors(tree, name) & moving
        sizes = [float(np.trace(masses[other].body.inertia)) for other in sorted(near)]
        floor = max([LEAST_MOMENT, *(LEAST_SHARE * size for size in sizes)])
        least = float(symmetric_eigen(masses[name].body.inertia)[0][0])
        if least < floor:
            detail = f"link {name}: the least moment of inertia was raised from {least:.3g} to "
            detail += f"{floor:.3g} kg m^2, so that simulators can compute with it."
            findings.append(Finding(Code.INERTIA_RAISED, detail))
            out[name] = _raised(masses[name], floor - least)
    return out, findings


def _moving_links(tree: KinematicTree) -> set[str]:
    """Return the links that are not rigidly connected to the root."""
    still = {tree.root}
    for joint in tree.joints:
        if joint.parent in still and not joint.is_movable:
            still.add(joint.child)
    return set(tree.links) - still


def _neighbors(tree: KinematicTree, link: str) -> set[str]:
    pairs = ((joint.parent, joint.child) for joint in tree.joints)
    return {one if other == link else other for one, other in pairs if link in (one, other)}


def _raised(found: LinkMass, amount: float) -> LinkMass:
    """Add the same amount to all three moments, which keeps the triangle inequality."""
    body = found.body
    inertia = body.inertia + amount * np.eye(3)
    return replace(found, body=RigidBody(body.mass, body.center, inertia))


def mass_findings(
    masses: Mapping[str, LinkMass], label: CategoryRecord | None
) -> Iterator[Finding]:
    """Yield findings about the masses of a metric object.

    One about all links below 0.1 g, and one about an object above 5 t or far from the usual masses
    of its category.
    """
    real = {name: one.body.mass for name, one in masses.items() if one.method != "negligible"}
    light = [name for name, mass in real.items() if mass < LIGHTEST]
    if light:
        least = min(light, key=lambda name: real[name])
        detail = f"link {least} has {1000 * real[least]:.3g} g."
        if len(light) > 1:
            detail = f"{len(light)} links have less than 0.1 g each; the lightest {detail}"
        yield Finding(Code.MASS_UNUSUAL, detail, Severity.INFO)
    total = sum(real.values())
    if label is not None and label.lightest is not None and label.heaviest is not None:
        if not label.lightest / FAR_OFF <= total <= label.heaviest * FAR_OFF:
            detail = (
                f"a mass of {total:.3g} kg is far from the {label.lightest:g} to "
                f"{label.heaviest:g} kg that a {label.category} usually has."
            )
            yield Finding(Code.MASS_UNUSUAL, detail)
    elif total > HEAVIEST:
        yield Finding(Code.MASS_UNUSUAL, f"the object has {total / 1000:.3g} t.", Severity.INFO)
