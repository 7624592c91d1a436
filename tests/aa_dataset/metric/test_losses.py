# SPDX-License-Identifier: Apache-2.0
"""Appendix A.3: smooth stand-ins for E on numpy, torch and jax alike."""

import importlib
import math

import numpy as np
import pytest
from hypothesis import given

from aa_dataset.errors import NormError, UnboundedRangeError
from aa_dataset.kinematics import Joint, RigidBody
from aa_dataset.metric import KineticNorm, SplitNorm, endpoint_twists, joint_distance
from aa_dataset.metric.losses import (
    invariant_loss,
    prismatic_screws,
    revolute_screws,
    smooth_loss,
    soft_min_loss,
)
from tests.kit.metric_strategies import bounded_joints, joints, norms, numbers

LIBRARIES = ("numpy", "torch", "jax")
NORMS = (
    SplitNorm(1.5),
    KineticNorm(RigidBody(1.0, np.array([0.2, 0.1, 0]), np.diag([0.1, 0.2, 0.25]))),
)


def arrays(joint):
    return joint.screw, np.array(joint.limits)


def library(name):
    if name == "numpy":
        return lambda x: np.asarray(x, dtype=float)
    module = pytest.importorskip(name, reason=f"{name} is an optional extra")
    if name == "torch":
        return lambda x: module.tensor(np.asarray(x), dtype=module.float64)
    module.config.update("jax_enable_x64", True)
    return lambda x: module.numpy.asarray(np.asarray(x), dtype=module.numpy.float64)


@given(bounded_joints(), bounded_joints(), norms, numbers(0.01, 1.0))
def test_soft_min_lies_between_the_square_and_t_log_2(first, second, norm, temperature):
    square = joint_distance(first, second, norm=norm) ** 2
    soft = soft_min_loss(arrays(first), arrays(second), temperature=temperature, norm=norm)
    slack = 1e-9 * (1 + square)
    assert square - slack <= soft <= square + temperature * math.log(2) + slack


@given(bounded_joints(), bounded_joints(), norms)
def test_soft_min_anneals_to_the_exact_metric(first, second, norm):
    square = joint_distance(first, second, norm=norm) ** 2
    soft = soft_min_loss(arrays(first), arrays(second), temperature=1e-9, norm=norm)
    assert soft == pytest.approx(square, rel=1e-6, abs=1e-8)


@given(bounded_joints(), bounded_joints(), norms)
def test_losses_do_not_see_the_orientation(first, second, norm):
    for loss in (
        lambda a, b: soft_min_loss(a, b, temperature=0.1, norm=norm),
        lambda a, b: invariant_loss(a, b, norm=norm),
    ):
        kept, turned = (
            loss(arrays(first), arrays(second)),
            loss(arrays(first.reversed()), arrays(second)),
        )
        assert turned == pytest.approx(kept, rel=1e-9, abs=1e-9)


@given(bounded_joints(), bounded_joints(), norms)
def test_invariants_are_the_paper_s_s_and_d(first, second, norm):
    """|s1 - s2|^2 + |D1 - D2|_F^2 with D = d d' written out as matrices."""
    total = []
    for joint in (first, second):
        low, high = (norm.factor @ (q * joint.screw) for q in joint.limits)
        total.append((low + high, np.outer(low - high, low - high)))
    (s1, d1), (s2, d2) = total
    expected = 2 * np.sum((s1 - s2) ** 2) + 3 * np.sum((d1 - d2) ** 2)
    found = invariant_loss(arrays(first), arrays(second), norm=norm, weights=(2.0, 3.0))
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert invariant_loss(arrays(first), arrays(first), norm=norm) == 0


@given(joints(), joints(), norms)
def test_compactified_losses_take_infinite_limits(first, second, norm):
    square = joint_distance(first, second, norm=norm, compactify=2.0) ** 2
    soft = soft_min_loss(arrays(first), arrays(second), temperature=1e-9, norm=norm, compactify=2.0)
    assert soft == pytest.approx(square, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("name", LIBRARIES)
def test_one_code_path_gives_one_value(name):
    make = library(name)
    rng = np.random.default_rng(0)
    axes, origins = rng.normal(size=(5, 3)), rng.normal(size=(5, 3))
    limits = np.sort(rng.normal(size=(5, 2)), axis=1)
    slides = prismatic_screws(axes)
    truth = (slides, limits)
    expected_screws = np.array(
        [Joint("a", "helical", a, o, 0, 1, 0.3).screw for a, o in zip(axes, origins, strict=True)]
    )
    for norm in NORMS:
        screws = revolute_screws(make(axes), make(origins), pitch=0.3)
        assert np.allclose(np.asarray(screws), expected_screws)
        first = (screws, make(limits))
        second = (prismatic_screws(make(axes)), make(limits))
        plain = (expected_screws, limits)
        for loss in (soft_min_loss, invariant_loss):
            extra = {"temperature": 0.2} if loss is soft_min_loss else {}
            for kappa in (None, 2.0):
                found = loss(first, second, norm=norm, compactify=kappa, **extra)
                expected = loss(plain, truth, norm=norm, compactify=kappa, **extra)
                assert np.allclose(np.asarray(found), expected)


def objective(parameters, truth, kind, kappa):
    """Return a scalar loss of (axis, origin, limits) packed in one array of 8 numbers."""
    screws = revolute_screws(parameters[:3], parameters[3:6])
    first = (screws, parameters[6:])
    if kind == "soft":
        return soft_min_loss(first, truth, temperature=0.05, norm=NORMS[1], compactify=kappa)
    return invariant_loss(first, truth, norm=NORMS[1], compactify=kappa)


START = np.array([0.2, -0.1, 1.0, 0.3, 0.2, 0.1, -0.2, 1.3])


@pytest.mark.parametrize("name", ["torch", "jax"])
@pytest.mark.parametrize("kind", ["soft", "invariant"])
@pytest.mark.parametrize("kappa", [None, 2.0])
def test_gradients_equal_finite_differences(name, kind, kappa):
    make = library(name)
    target = Joint("t", "revolute", [0, 0.1, 1], [0.2, 0.3, 0], 0.0, 1.2)
    truth = tuple(make(x) for x in arrays(target))
    if name == "torch":
        import torch

        point = torch.tensor(START, requires_grad=True)
        objective(point, truth, kind, kappa).backward()
        gradient = point.grad.numpy()
    else:
        import jax

        gradient = np.asarray(jax.grad(lambda p: objective(p, truth, kind, kappa))(make(START)))
    plain = arrays(target)
    for k in range(8):
        step = np.zeros(8)
        step[k] = 1e-6
        up, down = (objective(START + s, plain, kind, kappa) for s in (step, -step))
        assert gradient[k] == pytest.approx((up - down) / 2e-6, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("name", ["torch", "jax"])
def test_gradients_at_ties_and_infinite_limits_are_finite(name):
    make = library(name)
    wheel = (np.array([0, 0, 1, 0, 0, 0.0]), np.array([-np.inf, np.inf]))
    tie = (np.array([1.0, 0, 0, 0, 0, 0]), np.array([-1.0, 1.0]))
    second = tuple(make(x) for x in tie)
    if name == "torch":
        screw = make(wheel[0]).requires_grad_()
        soft_min_loss((screw, make(wheel[1])), second, temperature=0.1, compactify=1.0).backward()
        assert bool(screw.grad.isfinite().all())
    else:
        import jax

        gradient = jax.grad(
            lambda s: soft_min_loss((s, make(wheel[1])), second, temperature=0.1, compactify=1.0)
        )(make(wheel[0]))
        assert np.isfinite(np.asarray(gradient)).all()


@pytest.mark.parametrize("kind", ["soft", "invariant"])
def test_descent_recovers_a_perturbed_joint(kind):
    torch = pytest.importorskip("torch", reason="torch is an optional extra")
    target = Joint("t", "revolute", [0, 0.1, 1], [0.2, 0.3, 0], 0.0, 1.2)
    truth = tuple(torch.tensor(x) for x in arrays(target))
    point = torch.tensor(START, requires_grad=True)
    optimizer = torch.optim.LBFGS([point], max_iter=200, line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        loss = objective(point, truth, kind, None)
        loss.backward()
        return loss

    optimizer.step(closure)
    axis, origin, limits = (point.detach().numpy()[s] for s in (slice(3), slice(3, 6), slice(6, 8)))
    found = Joint("f", "revolute", axis, origin, *sorted(limits))
    begin = Joint("s", "revolute", START[:3], START[3:6], *START[6:])
    assert joint_distance(begin, target) > 0.3
    assert joint_distance(found, target) < 1e-3


def test_bad_temperature_and_epsilon_raise():
    hinge = arrays(Joint("t", "revolute", [0, 0, 1], [0, 0, 0], 0.0, 1.2))
    with pytest.raises(ValueError, match="temperature"):
        soft_min_loss(hinge, hinge, temperature=0.0)
    with pytest.raises(ValueError, match="epsilon"):
        smooth_loss(hinge, hinge, epsilon=0.0)


@pytest.mark.parametrize("name", LIBRARIES)
def test_whole_numbers_do_not_round_the_norm_or_the_pitch(name):
    library(name)  # skips where the library is missing
    xp = importlib.import_module("jax.numpy" if name == "jax" else name)
    zero, axis = xp.asarray([0, 0, 0]), xp.asarray([0, 0, 2])
    screw = revolute_screws(axis, zero, pitch=0.25)
    assert np.allclose(np.asarray(screw), [0, 0, 1, 0, 0, 0.25])
    slide, far, near = xp.asarray([0, 0, 0, 0, 0, 1]), xp.asarray([0, 2]), xp.asarray([0, 1])
    loss = invariant_loss((slide, far), (slide, near), weights=(1.0, 0.0), norm=SplitNorm(0.5))
    assert float(loss) == pytest.approx(0.25)


def test_constants_live_where_the_arrays_do():
    """Torch's "meta" device stands in for an accelerator: mixing it with the host raises."""
    torch = pytest.importorskip("torch")
    axis, limits = torch.ones((2, 3), device="meta"), torch.ones((2, 2), device="meta")
    joint = (revolute_screws(axis, axis), limits)
    loss = soft_min_loss(joint, (prismatic_screws(axis), limits), temperature=1.0, compactify=2.0)
    assert loss.device.type == "meta"


def gradient(name, function, point):
    """Return the gradient of a scalar function at a numpy array, by torch or jax."""
    if name == "torch":
        import torch

        leaf = torch.tensor(point, requires_grad=True)
        function(leaf).backward()
        return leaf.grad.numpy()
    import jax

    return np.asarray(jax.grad(function)(library("jax")(point)))


def differences(function, point, step=1e-6):
    """Return the gradient by central differences in numpy."""
    steps = step * np.eye(len(point))
    return np.array([(function(point + s) - function(point - s)) / (2 * step) for s in steps])


@pytest.mark.parametrize("name", ["torch", "jax"])
def test_the_pitch_has_its_gradient(name, monkeypatch):
    make = library(name)
    if name == "torch":
        import torch

        # What torch 2.5 documents: unless asked, the result does not require a gradient.
        real = torch.asarray
        monkeypatch.setattr(torch, "asarray", lambda x, **how: real(x, **how).detach())
    target = arrays(Joint("t", "helical", [0, 0.1, 1], [0.2, 0.3, 0], 0.0, 1.2, 0.1))
    axis, origin = np.array([[0.1, 0, 1], [0, 0.2, 1.0]]), np.array([[0.1, 0.2, 0.3], [0, 0, 0.1]])

    def loss(pitch, make=make):
        screws = revolute_screws(make(axis), make(origin), pitch=pitch)
        first = (screws, make(np.array([[0, 1.0], [-0.5, 1.0]])))
        return soft_min_loss(first, tuple(map(make, target)), temperature=0.1).sum()

    point = np.array([0.3, -0.2])
    expected = differences(lambda p: loss(p, np.asarray), point)
    assert np.abs(expected).min() > 0.1
    assert gradient(name, loss, point) == pytest.approx(expected, rel=1e-6)


DOOR = Joint("d", "revolute", [0, 0.1, 1], [0.2, 0.3, 0], -0.3, 1.2)
WHEEL = Joint("w", "continuous", [0, 1, 0], [0.1, 0, 0.4])
FIXED = Joint("f", "fixed", [0, 0, 1], [0, 0, 0])
LOSSES = {
    "soft": lambda a, b, **how: soft_min_loss(a, b, temperature=1e-9, **how),
    "smooth": lambda a, b, **how: smooth_loss(a, b, epsilon=1e-18, **how),
}


@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize("kind", LOSSES)
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("other", [DOOR, WHEEL, FIXED])
def test_the_loss_of_a_fixed_joint_equals_its_distance(name, kind, norm, other):
    """Tanh of the other joint's ends, in closed form; before, a zero screw made a nan."""
    make = library(name)
    size = math.sqrt(np.square(norm.factor @ other.screw).sum())
    expected = sum(math.tanh(end * size / 2.0) ** 2 for end in other.limits) if size else 0.0
    assert joint_distance(FIXED, other, norm=norm, compactify=2.0) == pytest.approx(
        math.sqrt(expected)
    )
    for limits in (np.zeros(2), np.array([-np.inf, np.inf])):
        pair = (tuple(map(make, (FIXED.screw, limits))), tuple(map(make, arrays(other))))
        for first, second in (pair, pair[::-1]):
            found = float(LOSSES[kind](first, second, norm=norm, compactify=2.0))
            assert found == pytest.approx(expected, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("name", ["torch", "jax"])
@pytest.mark.parametrize("kind", ["soft", "smooth", "invariant"])
def test_gradients_at_a_fixed_joint_are_right(name, kind):
    """Tanh(l n) / n is smooth at n = 0, so differences from both sides tell the truth there."""
    loss = {**LOSSES, "invariant": invariant_loss}
    loss["soft"] = lambda a, b, **how: soft_min_loss(a, b, temperature=0.3, **how)
    loss["smooth"] = lambda a, b, **how: smooth_loss(a, b, epsilon=1e-3, **how)

    def value(point, make):
        first = (point[:6], point[6:])
        return loss[kind](first, tuple(map(make, arrays(DOOR))), compactify=2.0)

    point = np.array([0, 0, 0, 0, 0, 0, -0.5, 0.25])
    found = gradient(name, lambda p: value(p, library(name)), point)
    assert np.isfinite(found).all()
    expected = differences(lambda p: value(p, np.asarray), point)
    assert np.abs(expected[:6]).max() > 0.01
    assert found == pytest.approx(expected, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize("loss", [*LOSSES.values(), invariant_loss])
def test_infinite_limits_without_a_scale_are_refused(name, loss):
    make = library(name)
    many = make([DOOR.screw, WHEEL.screw]), make([DOOR.limits, WHEEL.limits])
    one = tuple(map(make, arrays(DOOR)))
    for pair in ((many, one), (one, many)):
        with pytest.raises(UnboundedRangeError, match=r"'#1'.*compactify=math.pi"):
            loss(*pair)
    assert np.isfinite(np.asarray(loss(many, one, compactify=2.0))).all()
    fixed = make(FIXED.screw), make([-np.inf, np.inf])
    assert np.isfinite(float(loss(fixed, one)))


def test_where_values_are_unknown_infinite_limits_give_no_finite_loss():
    pytest.importorskip("jax", reason="jax is an optional extra")
    import jax

    make = library("jax")
    wheel, door = (tuple(map(make, arrays(j))) for j in (WHEEL, DOOR))
    loss = jax.jit(lambda a, b: soft_min_loss(a, b, temperature=0.1))
    assert not np.isfinite(float(loss(wheel, door)))
    assert np.isfinite(float(loss(door, door)))


BODIES = [
    RigidBody(2.0, np.array([0.1 * k, 0.2, -0.1 * k]), np.diag([0.2, 0.3, 0.25 + 0.05 * k]))
    for k in range(4)
]


@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize("kind", LOSSES)
@pytest.mark.parametrize("kappa", [None, 2.0])
def test_every_pair_has_its_own_body(name, kind, kappa):
    make = library(name)
    rng = np.random.default_rng(1)
    first, second = (
        [
            Joint("j", "revolute", rng.normal(size=3), rng.normal(size=3), -0.4, 0.8)
            for _ in range(4)
        ]
        for _ in range(2)
    )
    norms = [KineticNorm(body) for body in BODIES]
    square = joint_distance(first, second, norm=norms, compactify=kappa) ** 2
    stacked = [
        (make([j.screw for j in side]), make([j.limits for j in side])) for side in (first, second)
    ]
    factors = np.stack([norm.factor for norm in norms])
    for norm in (norms, tuple(norms), make(factors), factors):
        found = LOSSES[kind](*stacked, norm=norm, compactify=kappa)
        assert np.asarray(found) == pytest.approx(square, rel=1e-6)
    with pytest.raises(NormError, match="one per pair"):
        LOSSES[kind](*stacked, norm=norms[:3])
    with pytest.raises(NormError, match=r"RiemannianNorm\(matrix\)"):
        LOSSES[kind](*stacked, norm=factors[0])


@pytest.mark.parametrize("name", ["torch", "jax"])
def test_gradients_with_one_body_per_pair(name):
    norms = [KineticNorm(body) for body in BODIES]
    target = (np.tile(DOOR.screw, (4, 1)), np.tile(DOOR.limits, (4, 1)))

    def value(point, make):
        screws = revolute_screws(point[:3], point[3:6])
        second = tuple(map(make, target))
        return smooth_loss((screws, point[6:]), second, epsilon=1e-4, norm=norms).sum()

    found = gradient(name, lambda p: value(p, library(name)), START)
    expected = differences(lambda p: value(p, np.asarray), START)
    assert found == pytest.approx(expected, rel=1e-5, abs=1e-6)


@given(bounded_joints(), bounded_joints(), norms, numbers(1e-9, 1.0))
def test_smooth_loss_is_the_square_with_a_smooth_absolute_value(first, second, norm, epsilon):
    ends = [endpoint_twists(joint)[0] @ norm.factor.T for joint in (first, second)]
    (a, b), (c, d) = ends
    inner = (a - b) @ (c - d)
    total = sum(z @ z for side in ends for z in side) - (a + b) @ (c + d)
    expected = total - math.sqrt(inner**2 + epsilon)
    found = smooth_loss(arrays(first), arrays(second), epsilon=epsilon, norm=norm)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)
    square = joint_distance(first, second, norm=norm) ** 2
    assert square - math.sqrt(epsilon) - 1e-9 <= found <= square + 1e-9
