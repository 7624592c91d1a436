# SPDX-License-Identifier: Apache-2.0
"""Functions whose last digit is the same on every processor.

`np.tanh`, `np.exp` and `np.expm1` have several implementations, and numpy picks one by the
processor's instructions; their last digits differ, and a last digit decides between equal parts.
These functions use only additions, multiplications, divisions and scalings by powers of two, which
IEEE 754 rounds in one way. `_compiled_trees` has the same steps for numba.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# 1 / 13!, 1 / 12!, ..., 1 / 2!: on |r| <= log(2) / 2 the next term is below 1e-17 of the sum.
INVERSE_FACTORIALS = tuple(1.0 / math.factorial(k) for k in range(13, 1, -1))
# log(2) in two parts: the first has 21 zero bits at its end, so its product with |k| < 2^21 is
# exact.
LOG2_HIGH = float.fromhex("0x1.62e42feep-1")
LOG2_LOW = float.fromhex("0x1.a39ef35793c76p-33")
PER_LOG2 = float.fromhex("0x1.71547652b82fep+0")  # 1 / log(2)
FEW = 16  # up to this many numbers Python is faster than numpy
SMALLEST = -800.0  # its exp is 0


def exp_parts(values: Array) -> tuple[Array, NDArray[np.intc]]:
    """Return ``p, k`` with ``exp(x) = 2^k (1 + p)`` for x <= 0, also -inf."""
    x = np.maximum(values, SMALLEST)
    whole = np.rint(x * PER_LOG2)
    r = (x - whole * LOG2_HIGH) - whole * LOG2_LOW
    q = np.full_like(r, INVERSE_FACTORIALS[0])
    for coefficient in INVERSE_FACTORIALS[1:]:
        q *= r
        q += coefficient
    return r + r * r * q, whole.astype(np.intc)


def exp_negative(values: Array) -> Array:
    """Return ``exp(x)`` for x <= 0."""
    part, power = exp_parts(values)
    return np.asarray(np.ldexp(1.0 + part, power))


def expm1_negative(values: Array) -> Array:
    """Return ``exp(x) - 1`` for x <= 0, with full relative accuracy."""
    part, power = exp_parts(values)
    scale = np.ldexp(1.0, power)
    return np.asarray(scale * part + (scale - 1.0))


def tanh(values: Array) -> Array:
    """Return ``tanh(x)``, exactly odd, +-1 at +-inf."""
    if values.size <= FEW:
        numbers = [_tanh_number(x) for x in values.ravel().tolist()]
        return np.array(numbers, dtype=float).reshape(values.shape)
    part = expm1_negative(-2.0 * np.abs(values))
    return np.copysign(-part / (2.0 + part), values)


def _tanh_number(value: float) -> float:
    """Like `tanh` for one number, ten times faster than numpy calls."""
    x = max(-2.0 * abs(value), SMALLEST)
    if x != x:
        return value
    whole = round(x * PER_LOG2)
    r = (x - whole * LOG2_HIGH) - whole * LOG2_LOW
    q = INVERSE_FACTORIALS[0]
    for coefficient in INVERSE_FACTORIALS[1:]:
        q = q * r + coefficient
    scale = math.ldexp(1.0, whole)
    part = scale * (r + r * r * q) + (scale - 1.0)
    return math.copysign(-part / (2.0 + part), value)


def ordered_sum(values: Array) -> float:
    """Return the sum from left to right; the order of `np.sum` and `sum` depends on versions."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0
