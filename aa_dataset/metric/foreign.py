# SPDX-License-Identifier: Apache-2.0
"""Joints, bodies, norms and trees of the authors' package, recognized by their attributes.

`articulatearena` (PyPI, by the paper's authors) is never imported. Accepted forms:

- an endpoint pair: ``u`` and ``v``, each a twist with ``data`` of shape (6,), or two arrays (6,);
- a joint: ``xi_hat`` (a twist) with the limits ``a`` and ``b``;
- a body: ``mass``, ``com`` and ``inertia`` about the center of mass;
- a norm: a function of one twist (6,) that returns its squared length;
- a joint tuple of the older protocol: ``type``, ``axis``, ``origin`` and ``limit``;
- a tree: a list of edges ``(node, node, endpoint pair)``, with nodes of any hashable type.

See docs/articulatearena.md for a comparison of the calls.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray

from aa_dataset.errors import ArgumentError, JointError, NormError, TreeError, shown
from aa_dataset.kinematics.bodies import RigidBody
from aa_dataset.kinematics.joints import Joint, JointType
from aa_dataset.kinematics.trees import KinematicTree

Array = NDArray[np.float64]
Limits = tuple[float, float]
SquaredNorm = Callable[[Array], float]

# Two endpoints are multiples of one screw up to this fraction of the larger, far above rounding.
COLLINEAR = 1e-12
ROUNDING = 1e-15
# A function that deviates from its own quadratic form by this fraction is not a squared norm.
QUADRATIC = 1e-9


class TwistLike(Protocol):
    """A twist with its numbers in ``data``."""

    @property
    def data(self) -> Any:
        """Rotation first, (6,)."""


class EndpointPairLike(Protocol):
    """An unordered pair of endpoint twists."""

    @property
    def u(self) -> TwistLike:
        """One end."""

    @property
    def v(self) -> TwistLike:
        """The other end."""


class ScrewJointLike(Protocol):
    """A unit screw with its limits."""

    @property
    def xi_hat(self) -> TwistLike:
        """The unit screw."""

    @property
    def a(self) -> float:
        """Lower limit."""

    @property
    def b(self) -> float:
        """Upper limit."""


class BodyLike(Protocol):
    """The moments of a body."""

    @property
    def mass(self) -> float:
        """Mass [kg]."""

    @property
    def com(self) -> Any:
        """Center of mass [m], (3,)."""

    @property
    def inertia(self) -> Any:
        """Inertia tensor about it [kg m^2], (3, 3)."""


class TupleLike(Protocol):
    """A joint of the older protocol."""

    @property
    def type(self) -> str:
        """Fixed, revolute or prismatic."""

    @property
    def axis(self) -> Any:
        """Unit direction, (3,)."""

    @property
    def origin(self) -> Any:
        """Point [m], (3,)."""

    @property
    def limit(self) -> tuple[float, float]:
        """Lower and upper limit [rad or m]."""


ForeignJoint = EndpointPairLike | ScrewJointLike | tuple[Array, Array]
LabeledEdge = tuple[Hashable, Hashable, ForeignJoint]


def is_foreign_joint(value: object) -> TypeGuard[ForeignJoint]:
    """Whether a value is one joint in the authors' form."""
    if isinstance(value, tuple):
        return len(value) == 2 and all(isinstance(z, np.ndarray) and z.ndim == 1 for z in value)
    has_pair = hasattr(value, "u") and hasattr(value, "v")
    return has_pair or all(hasattr(value, name) for name in ("xi_hat", "a", "b"))


def screw_and_limits(joint: ForeignJoint, name: str) -> tuple[Array, Limits]:
    """Return the unit screw (6,), zero if nothing moves, and the limits of a foreign joint.

    The sign of the screw and the order of the ends are arbitrary, as in E.

    Raises
    ------
    JointError
        If the two ends are not multiples of one screw. E is defined for such a pair, but no
        joint has it.
    """
    given: Any = joint  # one of three forms, distinguished by attributes
    if hasattr(given, "xi_hat"):
        return _from_screw(
            _read_twist(given.xi_hat, name), *_read_limits(given.a, given.b, name), name
        )
    u, v = given if isinstance(given, tuple) else (given.u, given.v)
    return _from_ends(_read_twist(u, name), _read_twist(v, name), name)


def _read_twist(value: Any, name: str) -> Array:
    # The attribute `data` of an array is its memory.
    numbers = value if isinstance(value, np.ndarray) else getattr(value, "data", value)
    try:
        twist = np.array(numbers, dtype=float)
    except (TypeError, ValueError):
        twist = np.empty(0)
    if twist.shape != (6,) or not np.isfinite(twist).all():
        raise JointError(
            name,
            "endpoints",
            f"a twist is six finite numbers, rotation first, but this one is {shown(numbers)}.",
        )
    return twist


def _read_limits(lower: Any, upper: Any, name: str) -> Limits:
    try:
        return float(lower), float(upper)
    except (TypeError, ValueError):
        both = f"{shown(lower)} and {shown(upper)}"
        raise JointError(name, "limits", f"they are {both}; pass two numbers.") from None


def _from_screw(screw: Array, lower: float, upper: float, name: str) -> tuple[Array, Limits]:
    if math.isnan(lower) or math.isnan(upper):
        raise JointError(name, "limits", f"[{lower}, {upper}] holds a NaN.")
    size = _twist_magnitude(screw)
    if size == 0.0:
        return screw, (0.0, 0.0)
    low, high = min(lower, upper), max(lower, upper)
    if abs(size - 1.0) <= ROUNDING:
        return screw, (low, high)  # limits are bit-identical
    return screw / size, (low * size, high * size)


def _from_ends(u: Array, v: Array, name: str) -> tuple[Array, Limits]:
    far, near = (u, v) if np.abs(u).max() >= np.abs(v).max() else (v, u)
    size = _twist_magnitude(far)
    if size == 0.0:
        return np.zeros(6), (0.0, 0.0)
    share = float((near * far).sum() / (far * far).sum())
    if np.abs(near - share * far).max() > COLLINEAR * np.abs(far).max():
        raise JointError(
            name,
            "endpoints",
            "the two twists are not multiples of one screw, so they are not the ends of a joint "
            "with one degree of freedom. Pass the joint's unit screw and limits instead.",
        )
    ends = (size, share * size)
    return far / size, (min(ends), max(ends))


def _twist_magnitude(twist: Array) -> float:
    """Return ``|omega|``, or ``|v|`` of a translation: 1 for a unit screw."""
    turn, shift = math.hypot(*twist[:3].tolist()), math.hypot(*twist[3:].tolist())
    return turn if turn > 0 else shift


def is_foreign_body(value: object) -> TypeGuard[BodyLike]:
    """Whether a value is a body in the authors' form."""
    return all(hasattr(value, name) for name in ("mass", "com", "inertia"))


def as_body(value: RigidBody | BodyLike) -> RigidBody:
    """Convert a body of the authors' package; its frame must be that of the twists.

    Raises
    ------
    ArgumentError
        If the value is not a body.
    """
    if isinstance(value, RigidBody):
        return value
    if not is_foreign_body(value):
        raise ArgumentError(
            f"a body was expected, but the argument is {shown(value)}; pass "
            "`RigidBody(mass, center, inertia)` or `joint.body`, which is None for a joint of a "
            "file without inertials."
        )
    return RigidBody(value.mass, value.com, value.inertia)


def gram_matrix(norm: SquaredNorm) -> Array:
    """Return ``G`` with ``norm(z) = z' G z``, (6, 6), from values of the function alone.

    The basis is scaled to length one first, so that units of angle and length do not affect
    accuracy; each entry of ``G`` has an error of about 1e-16 relative to the diagonal.

    Raises
    ------
    NormError
        If some twist has no length, or the function is not quadratic.
    """
    square = [float(norm(e)) for e in np.eye(6)]
    if not all(math.isfinite(s) and s > 0 for s in square):
        raise NormError(
            f"the squared norm of the six unit twists is {square}; every one must be positive. "
            "For a norm of rotations alone, use `SplitNorm` with a tiny `alpha`."
        )
    root = np.sqrt(square)
    unit = np.eye(6) / root[:, None]
    cosines = np.eye(6)
    for i in range(6):
        for k in range(i):
            gap = float(norm(unit[i] + unit[k])) - float(norm(unit[i] - unit[k]))
            cosines[i, k] = cosines[k, i] = gap / 4
    matrix = cosines * root[:, None] * root
    _require_quadratic(norm, matrix, root)
    return matrix


def _require_quadratic(norm: SquaredNorm, matrix: Array, root: Array) -> None:
    for pattern in ((1, 2, -3, 4, -5, 6), (-2, 1, 1, 3, 1, -4), (5, -1, 2, 0, 7, 0)):
        twist = np.array(pattern) / root
        found, wanted = float(norm(twist)), float((twist[:, None] * matrix * twist).sum())
        if not abs(found - wanted) <= QUADRATIC * float(np.square(pattern).sum()):
            raise NormError(
                "the function given as a norm is not quadratic; it must return the *squared* "
                "length of a twist, as `articulatearena.make_split_norm` does."
            )


def tuple_joint(value: Joint | TupleLike, name: str) -> Joint:
    """Convert a joint tuple of the older protocol to a joint; a joint is returned unchanged.

    Raises
    ------
    JointError
        If it is another form of the authors' package, which has no origin for a translation.
    """
    if isinstance(value, Joint):
        return value
    if not all(hasattr(value, field) for field in ("type", "axis", "origin", "limit")):
        raise JointError(
            name,
            "origin",
            f"{type(value).__name__} has no type, axis, origin and limit; the component errors "
            "need all four. Pass a `Joint`.",
        )
    return Joint(name, JointType(value.type), value.axis, value.origin, *value.limit)


def edges_tree(edges: Iterable[LabeledEdge]) -> KinematicTree:
    """Return labeled edges as a kinematic tree, rooted at the first edge's first node.

    Joints are named ``#0``, ``#1``, ... in the order of the edges.

    Raises
    ------
    TreeError
        If the edges do not form a tree.
    """
    edges = tuple(map(_read_edge, edges))
    if not edges:
        return KinematicTree("edges", ("n0",), ())
    number: dict[Hashable, str] = {}
    for one, two, _ in edges:
        for node in (one, two):
            number.setdefault(node, f"n{len(number)}")
    ends = [(number[one], number[two]) for one, two, _ in edges]
    joints = tuple(
        screw_joint(*screw_and_limits(edges[k][2], f"#{k}"), name=f"#{k}", ends=(parent, child))
        for k, (parent, child) in _edges_from_root(ends, number).items()
    )
    return KinematicTree("edges", tuple(number.values()), joints)


def _read_edge(value: object) -> LabeledEdge:
    if isinstance(value, tuple) and len(value) == 3 and is_foreign_joint(value[2]):
        return value
    raise ArgumentError(
        f"a list was passed as a tree and has a value {shown(value)}; pass a `KinematicTree`, or "
        "edges `(node, node, (u, v))` with the two endpoint twists of each joint."
    )


def _edges_from_root(
    ends: Sequence[tuple[str, str]], number: Mapping[Hashable, str]
) -> dict[int, tuple[str, str]]:
    """Return parent and child of every edge, walking away from the first node."""
    around: dict[str, list[tuple[int, str]]] = {name: [] for name in number.values()}
    for k, (one, two) in enumerate(ends):
        around[one].append((k, two))
        around[two].append((k, one))
    oriented: dict[int, tuple[str, str]] = {}
    queue, visited = [ends[0][0]], {ends[0][0]}
    for node in queue:  # grows while we walk
        for k, other in around[node]:
            if other not in visited:
                oriented[k] = (node, other)
                visited.add(other)
                queue.append(other)
    if len(visited) < len(number) or len(oriented) < len(ends):
        raise TreeError(
            "joint_cycle" if len(visited) == len(number) else "root_several",
            f"the {len(ends)} edges on {len(number)} nodes are no tree; every two nodes need "
            "exactly one path between them.",
        )
    return dict(sorted(oriented.items()))


def screw_joint(
    screw: Array, limits: Limits, *, name: str = "", ends: tuple[str, str] = ("", "")
) -> Joint:
    """Return the joint of a unit screw; its origin is the point on the axis nearest to zero."""
    omega, v = screw[:3], screw[3:]
    if not screw.any():
        kind, axis, origin, pitch = JointType.FIXED, v, np.zeros(3), 0.0
    elif not omega.any():
        kind, axis, origin, pitch = JointType.PRISMATIC, v, np.zeros(3), 0.0
    else:
        pitch = float((omega * v).sum())
        turning = abs(pitch) <= COLLINEAR * (1 + float(np.abs(v).max()))
        kind = JointType.REVOLUTE if turning else JointType.HELICAL
        axis, origin, pitch = omega, np.cross(omega, v), 0.0 if turning else pitch
    return Joint(name, kind, axis, origin, *limits, pitch, parent=ends[0], child=ends[1])
