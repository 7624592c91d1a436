# SPDX-License-Identifier: Apache-2.0
"""Inner products on twists: split, kinetic-energy and any Riemannian norm (paper section 4.1).

Each norm is given by a square *factor* ``F`` with ``|z|^2 = (F z) . (F z)``, so that every
distance of the package is a Euclidean distance after one small matrix product. `as_norm` converts
every argument to a norm.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aa_dataset.errors import NormError, SingularBodyError, shown
from aa_dataset.kinematics.bodies import RigidBody
from aa_dataset.metric._pairs import apply, square
from aa_dataset.metric.foreign import (
    BodyLike,
    SquaredNorm,
    as_body,
    gram_matrix,
    is_foreign_body,
)

Array = NDArray[np.float64]

# Principal moments whose ratio is below this are a rod or a point in double precision.
SINGULAR_RATIO = 1e-10
# A pivot below this share of its diagonal entry is rounding: the matrix is singular.
SINGULAR_PIVOT = 32 * float(np.finfo(float).eps)
SYMMETRY_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class SplitNorm:
    """``|z|^2 = |omega|^2 + alpha^2 |v|^2`` (paper eq. 6), the same for every joint.

    Attributes
    ----------
    alpha : float [1/m]
        Inverse length that weighs translation against rotation.
    factor : (6, 6) float
        Matrix ``F`` with ``|z| = |F z|_2``.
    """

    alpha: float = 1.0
    factor: Array = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not is_positive(self.alpha):
            raise NormError(
                f"`alpha` is {shown(self.alpha)}; the split norm needs a positive number [1/m]."
            )
        diagonal = [1.0, 1.0, 1.0, self.alpha, self.alpha, self.alpha]
        object.__setattr__(self, "factor", np.diag(diagonal))


@dataclass(frozen=True, slots=True, eq=False)
class KineticNorm:
    """``|z|^2 = omega' I omega / m + |v + omega x c|^2`` [m^2] (paper eq. 7).

    Attributes
    ----------
    body : RigidBody
        The ground truth's moving link, in the frame of the twists.
    regularize : float [m] or None
        If given, this radius of gyration is added in quadrature about every axis, which makes
        the norm of a rod or a point positive definite; state it wherever you report the score.
    factor : (6, 6) float [m]
        Matrix ``F`` with ``|z| = |F z|_2``.
    """

    body: RigidBody
    regularize: float | None = None
    factor: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "body", as_body(self.body))
        if self.regularize is not None and not is_positive(self.regularize):
            raise NormError(
                f"`regularize` is {shown(self.regularize)}; pass a positive length [m] or None."
            )
        root = _upper_cholesky(self._gyration_matrix())
        x, y, z = self.body.center.tolist()
        # Rows 4 to 6 are v + omega x c.
        rows = [[*row, 0.0, 0.0, 0.0] for row in root]
        rows += [[0.0, z, -y, 1.0, 0.0, 0.0], [-z, 0.0, x, 0.0, 1.0, 0.0]]
        rows += [[y, -x, 0.0, 0.0, 0.0, 1.0]]
        object.__setattr__(self, "factor", np.array(rows))

    def _gyration_matrix(self) -> list[list[float]]:
        """Return ``I / m`` [m^2], regularized if asked."""
        (a, d, e), (d2, b, f), (e2, f2, c) = self.body.inertia.tolist()
        extra = 0.0 if self.regularize is None else self.regularize * self.regularize
        mass = self.body.mass
        d, e, f = (d + d2) / (2 * mass), (e + e2) / (2 * mass), (f + f2) / (2 * mass)
        return [[a / mass + extra, d, e], [d, b / mass + extra, f], [e, f, c / mass + extra]]


def _upper_cholesky(gyration: list[list[float]]) -> list[list[float]]:
    """Return the upper triangle ``R`` with ``R' R`` the given matrix, or raise if it is singular.

    ``det / (sum of principal minors)`` is the smallest eigenvalue up to a factor of three.
    """
    (a, d, e), (_, b, f), (_, _, c) = gyration
    minors = a * b - d * d + a * c - e * e + b * c - f * f
    determinant = a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e)
    smallest = determinant / minors if minors > 0 else 0.0
    if min(a, b, c) <= 0 or smallest <= SINGULAR_RATIO * (a + b + c):
        raise SingularBodyError(
            f"the body's smallest squared radius of gyration is about {smallest:.3g} m^2 of "
            f"{a + b + c:.3g} m^2 in total, like that of a rod or a point, so some rotation would "
            "cost nothing. Pass `regularize=<length in m>`, or use `SplitNorm`."
        )
    r11 = math.sqrt(a)
    r12, r13 = d / r11, e / r11
    r22 = math.sqrt(b - r12 * r12)
    r23 = (f - r12 * r13) / r22
    r33 = math.sqrt(c - r13 * r13 - r23 * r23)
    return [[r11, r12, r13], [0.0, r22, r23], [0.0, 0.0, r33]]


@dataclass(frozen=True, slots=True, eq=False)
class RiemannianNorm:
    """``|z|^2 = z' G z`` for any symmetric positive definite matrix (paper section 4.1).

    Attributes
    ----------
    matrix : (6, 6) float
        The metric tensor ``G``, rotation first: rows and columns 0 to 2 belong to ``omega``.
    factor : (6, 6) float
        Upper triangle ``F`` with ``F' F = G``.

    Examples
    --------
    >>> norm = RiemannianNorm(np.diag([1.0, 1.0, 1.0, 4.0, 4.0, 4.0]))
    >>> float(twist_norm([0, 0, 0, 0, 3, 4], norm))
    10.0
    """

    matrix: Array
    factor: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        matrix = _require_symmetric(self.matrix)
        object.__setattr__(self, "matrix", matrix)
        object.__setattr__(self, "factor", np.array(_upper_root(matrix.tolist())))


def is_positive(value: Any) -> bool:
    """Whether a value is a positive finite number."""
    if isinstance(value, bool | str):
        return False
    try:
        return 0.0 < float(value) < math.inf
    except (TypeError, ValueError):
        return False


def _require_symmetric(given: ArrayLike) -> Array:
    """Return a finite matrix (6, 6) made exactly symmetric, or raise."""
    try:
        matrix = np.array(given, dtype=float)
    except (TypeError, ValueError):
        raise NormError(f"`matrix` is {shown(given)}; pass a (6, 6) array of numbers.") from None
    if matrix.shape != (6, 6):
        raise NormError(f"`matrix` has shape {matrix.shape}; an inner product on twists is (6, 6).")
    if not np.isfinite(matrix).all():
        raise NormError("`matrix` holds a number that is not finite.")
    diagonal = np.sqrt(np.abs(np.diagonal(matrix)))
    # Entries have different units, so each is compared with the diagonal of its row and column.
    if np.any(np.abs(matrix - matrix.T) > SYMMETRY_TOLERANCE * diagonal[:, None] * diagonal):
        raise NormError(
            "`matrix` is not symmetric; pass `(matrix + matrix.T) / 2` if it should be."
        )
    return np.asarray((matrix + matrix.T) / 2)


def _upper_root(matrix: list[list[float]]) -> list[list[float]]:
    """Return the Cholesky factor ``R`` with ``R' R`` the given matrix, in plain numbers.

    Uses neither LAPACK, whose last digits depend on the processor, nor `sum`, whose rounding
    depends on the Python version.
    """
    size = len(matrix)
    root = [[0.0] * size for _ in range(size)]
    for k in range(size):
        pivot = matrix[k][k] - math.fsum(root[r][k] * root[r][k] for r in range(k))
        if not pivot > SINGULAR_PIVOT * matrix[k][k] or matrix[k][k] <= 0:
            raise NormError(
                f"`matrix` is not positive definite: its pivot in row {k} is {pivot:.3g}, so "
                "some twist would cost nothing; add a small multiple of the identity to it."
            )
        root[k][k] = math.sqrt(pivot)
        for j in range(k + 1, size):
            inner = math.fsum(root[r][k] * root[r][j] for r in range(k))
            root[k][j] = (matrix[k][j] - inner) / root[k][k]
    return root


Norm = SplitNorm | KineticNorm | RiemannianNorm
AnyNorm = Norm | BodyLike | SquaredNorm  # `as_norm` converts the last two
Norms = AnyNorm | Sequence[AnyNorm]


def as_norm(value: Any) -> Norm:
    """Convert the argument `norm` of any function to one norm.

    Every function of the package that takes a norm uses this function.

    Raises
    ------
    NormError
        If the value is not a norm; the message shows what was probably meant.

    Examples
    --------
    >>> as_norm(SplitNorm(2.0))
    SplitNorm(alpha=2.0)
    """
    if isinstance(value, SplitNorm | KineticNorm | RiemannianNorm):
        return value
    if isinstance(value, RigidBody):
        raise NormError("`norm` is a body; write `KineticNorm(body)` to measure by it.")
    if isinstance(value, np.ndarray) and value.shape == (6, 6):
        raise NormError("`norm` is a matrix; write `RiemannianNorm(matrix)` to measure by it.")
    if is_foreign_body(value):
        return KineticNorm(as_body(value))
    if callable(value) and not isinstance(value, type):
        return RiemannianNorm(gram_matrix(value))
    raise NormError(
        f"`norm` is {shown(value)}; pass `SplitNorm(alpha)`, `KineticNorm(body)` or "
        "`RiemannianNorm(matrix)`."
    )


def one_norm(norm: Any) -> Norm:
    """Return the single norm of a tree distance; raise for a list.

    A list would price joints by their position.
    """
    if isinstance(norm, Sequence) and not isinstance(norm, str):
        raise NormError(
            f"`norm` is a list of {len(norm)}; a tree is measured by one norm, or by the ground "
            "truth's bodies with `BodyNorms()`."
        )
    return as_norm(norm)


def norm_factor(norm: Norms) -> Array:
    """Return ``(6, 6)`` for one norm, ``(k, 6, 6)`` for one norm per joint."""
    if isinstance(norm, Sequence) and not isinstance(norm, str):
        factors = [as_norm(one).factor for one in norm]
        return np.array(factors).reshape(-1, 6, 6)
    return as_norm(norm).factor


def twist_norm(twists: ArrayLike, norm: AnyNorm) -> Array:
    """Return ``|z|`` of twists ``(..., 6)`` under one norm, shape ``(...)``.

    Examples
    --------
    >>> float(twist_norm([0, 0, 1, 0, 0, 0], SplitNorm()))
    1.0
    """
    vectors = apply(as_norm(norm).factor, np.asarray(twists, dtype=float))
    return cast("Array", np.sqrt(square(vectors))[()])
