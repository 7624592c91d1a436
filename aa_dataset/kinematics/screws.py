# SPDX-License-Identifier: Apache-2.0
"""Twists and their exponentials: se(3) as arrays, rotation part first (paper section 4).

A twist is ``(omega, v)`` with shape ``(..., 6)``. A *unit screw* has ``|omega| = 1``, or
``omega = 0`` and ``|v| = 1``, so that the joint coordinate is an angle in rad or a length in m.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aa_dataset.errors import ShapeError
from aa_dataset.portable import applied, length, product, sin, sine_cosine

Array = NDArray[np.float64]
_MOST_ANGLE = 1e6  # [rad] up to which `sine_cosine` has all digits


def require_shape(name: str, array: Array, expected: tuple[int | None, ...]) -> None:
    """Raise `ShapeError` unless `array` has the expected shape (None matches any length)."""
    same_rank = array.ndim == len(expected)
    if not same_rank or any(
        n is not None and n != found for n, found in zip(expected, array.shape, strict=True)
    ):
        raise ShapeError(name, array.shape, expected)


def revolute_screw(axis: ArrayLike, origin: ArrayLike, pitch: float = 0.0) -> Array:
    """Return the unit screw of a rotation about a line, with pitch (paper eq. 2).

    Parameters
    ----------
    axis : (3,) float
        Unit direction of the line.
    origin : (3,) float [m]
        Any point on the line.
    pitch : float [m/rad]
        Advance along the axis per radian; 0 for a plain hinge.

    Returns
    -------
    (6,) float
        ``(axis, origin x axis + pitch * axis)``, in the frame of `axis` and `origin`.
    """
    a = np.asarray(axis, dtype=float)
    return np.concatenate([a, np.cross(np.asarray(origin, dtype=float), a) + pitch * a])


def prismatic_screw(axis: ArrayLike) -> Array:
    """Return the unit screw ``(0, axis)`` of a translation along a unit direction (paper eq. 2)."""
    return np.concatenate([np.zeros(3), np.asarray(axis, dtype=float)])


def hat(vector: Array) -> Array:
    """Return the ``(..., 3, 3)`` skew matrix with ``hat(a) @ b == cross(a, b)``."""
    x, y, z = np.moveaxis(np.asarray(vector, dtype=float), -1, 0)
    zero = np.zeros_like(x)
    rows = [[zero, -z, y], [z, zero, -x], [-y, x, zero]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def exp_twist(twist: Array) -> Array:
    """Return the rigid displacement that a twist generates in unit time.

    Parameters
    ----------
    twist : (..., 6) float [rad, m]
        Endpoint twists ``q * screw``.

    Returns
    -------
    (..., 4, 4) float
        Elements of SE(3). The coefficients are accurate for small angles.
    """
    twist = np.asarray(twist, dtype=float)
    omega, v = twist[..., :3], twist[..., 3:]
    angle = length(omega)[..., None, None]
    half_sinc = _sinc(angle / 2)
    a, b = _sinc(angle), 0.5 * half_sinc * half_sinc
    c = _sine_defect(angle)
    w = hat(omega)
    ww = product(w, w)
    out = np.zeros((*twist.shape[:-1], 4, 4))
    out[..., :3, :3] = np.eye(3) + a * w + b * ww
    left_jacobian = np.eye(3) + b * w + c * ww
    out[..., :3, 3] = applied(left_jacobian, v)
    out[..., 3, 3] = 1.0
    return out


def _sine(angle: Array) -> Array:
    """Return sines without the C library, whose last digit depends on the processor.

    A placement decides which convex parts meet, so one digit can change the files of an object.
    """
    is_usual = np.abs(angle) < _MOST_ANGLE
    usual, _ = sine_cosine(np.where(is_usual, angle, 0.0))
    return usual if is_usual.all() else np.where(is_usual, usual, sin(angle))


def _sinc(angle: Array) -> Array:
    """Return ``sin t / t``, 1 at 0."""
    safe = np.where(angle == 0, 1.0, angle)
    return np.where(angle == 0, 1.0, _sine(safe) / safe)


def _sine_defect(angle: Array) -> Array:
    """Return ``(t - sin t) / t^3``, by its series where the quotient would cancel."""
    square = np.square(angle)
    series = (1 - square / 20 * (1 - square / 42 * (1 - square / 72))) / 6
    safe = np.where(angle < 0.1, 1.0, angle)
    return np.where(angle < 0.1, series, (safe - _sine(safe)) / (safe * safe * safe))


def adjoint(placement: Array) -> Array:
    """Return the ``(..., 6, 6)`` map that transforms twists to another frame.

    `placement` ``(..., 4, 4)`` is the pose of the old frame in the new one:
    ``exp(Ad_g xi) == g exp(xi) g^-1``.
    """
    placement = np.asarray(placement, dtype=float)
    rotation, shift = placement[..., :3, :3], placement[..., :3, 3]
    out = np.zeros((*placement.shape[:-2], 6, 6))
    out[..., :3, :3] = out[..., 3:, 3:] = rotation
    out[..., 3:, :3] = product(hat(shift), rotation)
    return out
