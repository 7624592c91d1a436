# SPDX-License-Identifier: Apache-2.0
"""Volume that the shells of a link enclose: solids exactly, open shells by winding number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aa_dataset.kinematics import RigidBody
from aa_dataset.portable import length, second_moments
from pipeline.stages.annotate.accuracy import error_of_masses, error_of_moments
from pipeline.stages.annotate.moments import moments_body, triangle_areas, triangle_moments
from pipeline.stages.annotate.shells import Shells, hole_doubts
from pipeline.stages.annotate.solids import facing_outward, united_moments, voids
from pipeline.stages.annotate.surface import Surface
from pipeline.stages.annotate.winding import STRATA, UNSEEN, Open, Sampled, sample_moments, turns

# Standard errors that the estimate allows for.
SIGMAS = 3.0
# Sampling stops below this relative error.
FINE = 0.01


@dataclass(frozen=True, slots=True, eq=False)
class Enclosed:
    """Moments (10,) of the enclosed volume, and their error.

    Attributes
    ----------
    moments, by_solids : (10,) float
        Of everything, and of the closed shells only.
    by_open : float
        Volume that only open shells enclose, less what sampling may have invented.
    error : float
        Estimate of the relative error of the body.
    exact : bool
        Whether the union of the closed shells is exact.
    """

    moments: np.ndarray
    by_solids: np.ndarray
    by_open: float = 0.0
    error: float = 0.0
    exact: bool = True


def enclosed_moments(surface: Surface, shells: Shells, known: np.ndarray) -> Enclosed:
    """Integrate over the union of what all shells of a link enclose.

    `known` are the moments (10,) of what the link has besides, apart from all these shells.
    """
    signs, owner = facing_outward(surface, shells)
    united, exact = united_moments(surface, shells, signs, owner)
    solids = known + united
    opened = ~shells.solid
    doubtful = opened | (shells.solid & (not exact))
    if not doubtful.any():
        return Enclosed(solids, solids)
    lower, upper = shells.lower[doubtful].min(axis=0), shells.upper[doubtful].max(axis=0)
    if not (upper - lower > 1e-9).all():  # one flat sheet
        return Enclosed(solids, solids, exact=exact)
    capped = (shells.moments * signs[:, None])[opened].sum(axis=0)
    difference = _Difference(surface, shells, signs, voids(shells, owner), exact)
    for strata in STRATA:
        found = sample_moments(lower, upper, difference, strata=strata)
        moments = solids + capped + found.moments
        body = moments_body(moments)
        sampling = 1.0 if body is None else _sampling_error(body, found)
        if sampling < FINE:
            break
    sure = float(moments[0] - solids[0] - SIGMAS * found.errors[0] - UNSEEN * found.grain)
    doubts = 0.0 if body is None else error_of_masses(body, *hole_doubts(surface, shells))
    return Enclosed(moments, solids, sure, sampling + doubts, exact)


class _Difference:
    """Whether points are inside, minus what the exact integrals have counted already."""

    def __init__(
        self, surface: Surface, shells: Shells, signs: np.ndarray, void: np.ndarray, exact: bool
    ) -> None:
        over = (signs < 0)[surface.shells]
        faces = np.where(over[:, None], surface.faces[:, ::-1], surface.faces)
        is_solid, is_void = shells.solid[surface.shells], void[surface.shells]
        self.vertices, self.exact = surface.vertices, exact
        self.solid, self.void = faces[is_solid & ~is_void], faces[is_void]
        over = (signs < 0)[shells.cap_shells]
        caps = np.where(over[:, None, None], shells.caps[:, ::-1], shells.caps)
        self.open = Open(surface.vertices, faces[~is_solid], caps, surface.rims.loops)

    def __call__(self, points: np.ndarray) -> np.ndarray:
        solid = turns(self.vertices, self.solid, points)
        hollow = turns(self.vertices, self.void, points)
        capped, opened = self.open.around(points)
        matter = solid > 0
        counted = (matter if self.exact else solid) + hollow
        return np.asarray((matter | opened & (hollow == 0)) - (counted + capped))


def _sampling_error(body: RigidBody, found: Sampled) -> float:
    """Add the standard error of the samples and the volume between them."""
    farthest = body.center + np.array([[0.5, 0.0, 0.0]])
    unseen = error_of_masses(body, np.array([UNSEEN * found.grain]), farthest)
    return error_of_moments(body, SIGMAS * found.errors) + unseen


def sheet_moments(corners: np.ndarray, thickness: float) -> np.ndarray:
    """Return the moments (10,) of triangles (n, 3, 3) as sheets of some thickness.

    Exact for the midplane; across it every triangle adds its own thickness.
    """
    if not len(corners):
        return np.zeros(10)
    total = thickness * triangle_moments(corners).sum(axis=0)
    areas = triangle_areas(corners)
    out = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = out / np.maximum(length(out), 1e-300)[:, None]
    second = thickness**2 * thickness / 12 * second_moments(normals, areas)
    total[4:] += second[[0, 1, 2, 0, 1, 2], [0, 1, 2, 1, 2, 0]]
    return np.asarray(total)
