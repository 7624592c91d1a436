# SPDX-License-Identifier: Apache-2.0
"""Inner products on twists: the split norm and the kinetic-energy norm (paper section 4.1).

Each norm is given by a square *factor* ``F`` with ``|z|^2 = (F z) . (F z)``, so that every
distance of the package is a Euclidean distance after one small matrix product.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aa_dataset.errors import NormError, SingularBodyError
from aa_dataset.kinematics.bodies import RigidBody
from aa_dataset.kinematics.screws import hat

Array = NDArray[np.float64]

# Principal moments whose ratio is below this are a rod or a point in double precision.
SINGULAR_RATIO = 1e-10


@dataclass(frozen=True, slots=True)
class SplitNorm:
    """``|z|^2 = |omega|^2 + alpha^2 |v|^2`` (paper eq. 5), the same for every joint.

    Attributes
    ----------
    alpha : float [1/m]
        Inverse length that weighs translation against rotation.
    """

    alpha: float = 1.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.alpha) and self.alpha > 0):
            raise NormError(f"`alpha` is {self.alpha} 1/m; the split norm needs a positive number.")

    @property
    def factor(self) -> Array:
        """Matrix ``F`` with ``|z| = |F z|_2``, (6, 6)."""
        return np.diag([1.0, 1.0, 1.0, self.alpha, self.alpha, self.alpha])


@dataclass(frozen=True, slots=True, eq=False)
class KineticNorm:
    """``|z|^2 = omega' I omega / m + |v + omega x c|^2`` [m^2] (paper eq. 6).

    Attributes
    ----------
    body : RigidBody
        The ground truth's moving link, in the frame of the twists.
    regularize : float [m] or None
        If given, this radius of gyration is added in quadrature about every axis, which makes
        the norm of a rod or a point positive definite; say so wherever you report the score.
    """

    body: RigidBody
    regularize: float | None = None

    def __post_init__(self) -> None:
        if self.regularize is not None and not self.regularize > 0:
            raise NormError(f"`regularize` is {self.regularize} m; give a positive length or None.")
        inertia = self.body.inertia
        if not np.allclose(inertia, inertia.T, rtol=1e-9, atol=1e-12 * np.abs(inertia).max()):
            raise NormError("the inertia tensor of the body is not symmetric.")
        smallest, _, largest = np.linalg.eigvalsh(self._gyration())
        if smallest <= SINGULAR_RATIO * largest:
            raise SingularBodyError(
                f"the body's gyration about its center has eigenvalues from {smallest:.3g} to "
                f"{largest:.3g} m^2, as a rod, a point or no real body has, so some rotation "
                "would cost nothing. Pass `regularize=<length in m>`, or use `SplitNorm`."
            )

    def _gyration(self) -> Array:
        """Return ``I / m`` [m^2], regularized if asked."""
        gyration = (self.body.inertia + self.body.inertia.T) / (2 * self.body.mass)
        if self.regularize is not None:
            gyration = gyration + self.regularize**2 * np.eye(3)
        return np.asarray(gyration)

    @property
    def factor(self) -> Array:
        """Matrix ``F`` with ``|z| = |F z|_2``, (6, 6) [m]."""
        out = np.eye(6)
        out[:3, :3] = np.linalg.cholesky(self._gyration()).T
        out[3:, :3] = -hat(self.body.center)  # v + omega x c = v - c x omega
        return out


Norm = SplitNorm | KineticNorm
Norms = Norm | Sequence[Norm]


def norm_factor(norm: Norms) -> Array:
    """Return ``(6, 6)`` for one norm, ``(k, 6, 6)`` for one norm per joint."""
    if isinstance(norm, SplitNorm | KineticNorm):
        return norm.factor
    if not norm:
        return np.zeros((0, 6, 6))
    return np.stack([one.factor for one in norm])


def twist_norm(twists: Array, norm: Norm) -> Array:
    """Return ``|z|`` of twists ``(..., 6)`` under one norm, shape ``(...)``."""
    return np.asarray(np.linalg.norm(np.asarray(twists, dtype=float) @ norm.factor.T, axis=-1))
