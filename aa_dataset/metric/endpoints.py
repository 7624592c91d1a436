# SPDX-License-Identifier: Apache-2.0
"""Joints as arrays: unit screws, limits, and the endpoint pairs they span (paper eqs. 2, 4, 8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aa_dataset.errors import ArgumentError, JointError, UnboundedRangeError, shown
from aa_dataset.kinematics.joints import Joint, JointType
from aa_dataset.kinematics.screws import require_shape
from aa_dataset.metric._pairs import apply, ones_for_zeros, radius, square
from aa_dataset.metric.foreign import ForeignJoint, is_foreign_joint, screw_and_limits

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]

UNIT_TOLERANCE = 1e-6
FULL_TURN = 2 * np.pi


@dataclass(frozen=True, slots=True, eq=False)
class JointArray:
    """Many joints in one frame, as arrays for the metric.

    Attributes
    ----------
    screws : (n, 6) float
        Unit screws ``(omega, v)``; a zero row is a fixed joint.
    limits : (n, 2) float [rad or m]
        ``lower <= upper``, infinite allowed; set to 0 for a fixed joint.
    names : tuple of str
        For messages and matchings; ``#0``, ``#1``, ... if not given.
    """

    screws: Array
    limits: Array
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        screws = np.array(self.screws, dtype=float)
        limits = np.array(self.limits, dtype=float)
        require_shape("screws", screws, (None, 6))
        require_shape("limits", limits, (len(screws), 2))
        names = self.names or tuple(f"#{k}" for k in range(len(screws)))
        if len(names) != len(screws):
            raise JointError(names[-1], "name", f"{len(names)} names for {len(screws)} joints.")
        _check_screws(screws, names)
        _check_limits(limits, names)
        limits[~screws.any(axis=1)] = 0.0
        self._store_arrays(screws, limits, names)

    def _store_arrays(self, screws: Array, limits: Array, names: tuple[str, ...]) -> None:
        object.__setattr__(self, "screws", screws)
        object.__setattr__(self, "limits", limits)
        object.__setattr__(self, "names", names)

    @classmethod
    def of(cls, joints: Iterable[Joint]) -> JointArray:
        """Stack joints without checking again: each was checked when it was created."""
        joints = tuple(joints)
        out = cls.__new__(cls)
        out._store_arrays(
            _stack_screws(joints), _stack_limits(joints), tuple(j.name for j in joints)
        )
        return out

    @classmethod
    def ready(cls, screws: Array, limits: Array, names: tuple[str, ...]) -> JointArray:
        """Wrap arrays of other `JointArray` objects without checking again."""
        out = cls.__new__(cls)
        out._store_arrays(screws, limits, names)
        return out

    def __len__(self) -> int:
        return len(self.screws)

    def take(self, rows: Sequence[int] | NDArray[np.intp]) -> JointArray:
        """Return the joints at `rows`, in that order."""
        rows = np.asarray(rows, dtype=np.intp)
        out = JointArray.__new__(JointArray)
        out._store_arrays(self.screws[rows], self.limits[rows], tuple(self.names[k] for k in rows))
        return out


OneJoint = Joint | ForeignJoint
Joints = OneJoint | JointArray | Sequence[OneJoint]


def as_joint_array(joints: Joints) -> JointArray:
    """Convert any accepted form of joints to one `JointArray`.

    Every function of the package that takes joints uses this function.

    Raises
    ------
    ArgumentError
        If the value is neither a joint, a `JointArray` nor a list of joints.
    """
    if isinstance(joints, JointArray):
        return joints
    if isinstance(joints, Joint):
        return JointArray.of((joints,))
    if is_foreign_joint(joints):
        return _joint_array_of_mixed((joints,))
    if not isinstance(joints, Iterable) or isinstance(joints, str | bytes | np.ndarray):
        raise _not_joints_error(joints)
    many = tuple(joints)
    ours = [one for one in many if isinstance(one, Joint)]
    return JointArray.of(ours) if len(ours) == len(many) else _joint_array_of_mixed(many)


def _joint_array_of_mixed(joints: Sequence[object]) -> JointArray:
    """Stack joints, some of them in the form of the authors' package."""
    rows = []
    for k, one in enumerate(joints):
        if isinstance(one, Joint):
            rows.append((one.screw, one.limits, one.name))
        elif is_foreign_joint(one):
            rows.append((*screw_and_limits(one, f"#{k}"), f"#{k}"))
        else:
            raise _not_joints_error(one)
    screws, limits, names = zip(*rows, strict=True)
    return JointArray(np.array(screws), np.array(limits), tuple(names))


def is_single(joints: Joints) -> bool:
    """Return whether an argument is one joint, so that the result is a number, not an array."""
    return isinstance(joints, Joint) or is_foreign_joint(joints)


def _not_joints_error(value: object) -> ArgumentError:
    hint = "pass a `Joint`, a list of them or a `JointArray(screws, limits)`."
    if hasattr(value, "movable"):
        hint = "pass its joints, `tree.movable`, or use `tree_distance`."
    elif isinstance(value, str | PurePath):
        hint = "read the file first and pass its joints, `read_tree(path).movable`."
    return ArgumentError(f"a joint was expected, but the argument is {shown(value)}; {hint}")


def endpoint_twists(joints: Joints) -> Array:
    """Scale unit screws by both ends of their range (paper eq. 4).

    Returns
    -------
    (n, 2, 6) float [rad, m]
        ``z_minus`` and ``z_plus``; the order of the pair has no meaning.

    Raises
    ------
    UnboundedRangeError
        If a limit is infinite; `compactified_endpoints` supports such joints.

    Examples
    --------
    >>> drawer = Joint("drawer", "prismatic", [1, 0, 0], [0, 0, 0], 0.0, 0.4)
    >>> endpoint_twists(drawer)[0, 1].tolist()
    [0.0, 0.0, 0.0, 0.4, 0.0, 0.0]
    """
    array = as_joint_array(joints)
    require_bounded(array)
    return np.asarray(array.limits[:, :, None] * array.screws[:, None, :])


def compactified_endpoints(joints: Joints, *, factor: Array, scale: float) -> Array:
    """Return the endpoint pairs inside the unit ball of the norm (paper eq. 8), (n, 2, 6).

    Parameters
    ----------
    joints : joints
        Infinite and one-sided ranges included: an infinite end lies on the unit sphere.
    factor : (6, 6) float
        Factor of the norm, see `norms.norm_factor`.
    scale : float [unit of the norm]
        The paper's kappa.

    Examples
    --------
    >>> wheel = Joint("wheel", "continuous", [0, 0, 1], [0, 0, 0])
    >>> compactified_endpoints(wheel, factor=np.eye(6), scale=3.14)[0, :, 2].tolist()
    [-1.0, 1.0]
    """
    array = as_joint_array(joints)
    size = np.sqrt(square(apply(factor, array.screws)))
    unit = array.screws / ones_for_zeros(size)[:, None]
    return np.asarray(radius(array.limits, size, scale)[:, :, None] * unit[:, None, :])


def require_bounded(joints: JointArray) -> None:
    """Raise `UnboundedRangeError` naming the first joint with an infinite limit."""
    infinite = np.isinf(joints.limits).any(axis=1)
    if infinite.any():
        raise UnboundedRangeError(joints.names[int(infinite.argmax())])


def turn_representatives(joints: JointArray) -> tuple[JointArray, JointArray]:
    """Shift revolute ranges by whole turns so that their middle lies in [-pi, pi).

    This rule alone breaks orientation invariance if the middle is pi: [0, 2 pi] becomes
    [-2 pi, 0], but the reversed joint is unchanged. Such a joint therefore has two representatives;
    all others are returned twice (paper Remark Re-anchoring and our interpretation of its seam).
    """
    turns = _is_pure_rotation(joints.screws) & np.isfinite(joints.limits).all(axis=1)
    middle = np.where(turns, np.where(np.isfinite(joints.limits), joints.limits, 0).mean(axis=1), 0)
    shift = FULL_TURN * np.floor((middle + np.pi) / FULL_TURN)
    wrapped = middle - shift
    seam = turns & (np.abs(np.abs(wrapped) - np.pi) < 1e-9)
    other = np.where(seam, shift + np.copysign(FULL_TURN, wrapped), shift)
    return _shifted_joints(joints, shift), _shifted_joints(joints, other)


def _shifted_joints(joints: JointArray, shift: Array) -> JointArray:
    out = JointArray.__new__(JointArray)
    out._store_arrays(joints.screws, joints.limits - shift[:, None], joints.names)
    return out


def _is_pure_rotation(screws: Array) -> Bools:
    omega, v = screws[:, :3], screws[:, 3:]
    pitch = np.abs((omega * v).sum(axis=1))
    return np.asarray(omega.any(axis=1) & (pitch <= 1e-12 * (1 + np.sqrt(square(v)))))


def _stack_screws(joints: tuple[Joint, ...]) -> Array:
    """Return the screws of many joints (paper eq. 2).

    Uses plain numbers: objects have few joints, and the overhead of numpy calls would dominate.
    """
    rows = []
    for joint in joints:
        ax, ay, az = joint.axis.tolist()
        if joint.type is JointType.FIXED:
            rows.append((0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
        elif joint.type is JointType.PRISMATIC:
            rows.append((0.0, 0.0, 0.0, ax, ay, az))
        else:
            px, py, pz = joint.origin.tolist()
            h = joint.pitch
            vx, vy, vz = py * az - pz * ay, pz * ax - px * az, px * ay - py * ax
            rows.append((ax, ay, az, vx + h * ax, vy + h * ay, vz + h * az))
    return np.array(rows, dtype=float).reshape(-1, 6)


def _stack_limits(joints: tuple[Joint, ...]) -> Array:
    return np.array([(j.lower, j.upper) for j in joints], dtype=float).reshape(-1, 2)


def _check_screws(screws: Array, names: Sequence[str]) -> None:
    bad = ~np.isfinite(screws).all(axis=1)
    _raise_for_first(bad, names, "screw", "holds a number that is not finite.")
    omega = np.sqrt(square(screws[:, :3]))
    size = np.where(omega > 0, omega, np.sqrt(square(screws[:, 3:])))
    bad = (size > 0) & (np.abs(size - 1) > UNIT_TOLERANCE)
    _raise_for_first(
        bad, names, "screw", "is not a unit screw: |omega| = 1, or omega = 0 and |v| = 1."
    )


def _check_limits(limits: Array, names: Sequence[str]) -> None:
    _raise_for_first(np.isnan(limits).any(axis=1), names, "limits", "hold a NaN.")
    lower, upper = limits.T
    _raise_for_first(lower > upper, names, "limits", "have a lower end above the upper end.")
    same = np.isinf(lower) & (lower == upper)
    _raise_for_first(same, names, "limits", "are both the same infinity, which is not a range.")


def _raise_for_first(bad: ArrayLike, names: Sequence[str], field: str, problem: str) -> None:
    if np.any(bad):
        raise JointError(names[int(np.argmax(bad))], field, problem)
