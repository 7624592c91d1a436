# SPDX-License-Identifier: Apache-2.0
"""Slow and obvious versions of everything, written from the paper's definitions alone."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import mpmath
import numpy as np

from aa_dataset.metric import KineticNorm


def gram(norm):
    """Return the Gram matrix of a norm, entry by entry from eqs. (6) and (7)."""
    if not isinstance(norm, KineticNorm):
        return np.diag([1.0] * 3 + [norm.alpha**2] * 3)

    def inner(z):
        w, v = z[:3], z[3:]
        return w @ norm.body.inertia @ w / norm.body.mass + np.sum(
            (v + np.cross(w, norm.body.center)) ** 2
        )

    unit = np.eye(6)
    return np.array([[(inner(a + b) - inner(a - b)) / 4 for b in unit] for a in unit])


def size(z, norm):
    """Return |z| by eqs. (6) and (7)."""
    w, v = z[:3], z[3:]
    if not isinstance(norm, KineticNorm):
        return math.sqrt(w @ w + norm.alpha**2 * v @ v)
    shift = v + np.cross(w, norm.body.center)
    return math.sqrt(w @ norm.body.inertia @ w / norm.body.mass + shift @ shift)


def endpoints(joint, norm, scale=None):
    """Return both endpoints by Algorithm 1, branch by branch."""
    out = []
    for limit in joint.limits:
        xi = joint.screw
        if not xi.any():
            out.append(np.zeros(6))
        elif scale is None:
            out.append(limit * xi)
        elif math.isinf(limit):
            out.append(math.copysign(1, limit) * xi / size(xi, norm))
        else:
            z = limit * xi
            n = size(z, norm)
            out.append(math.tanh(n / scale) * z / n if n else z)
    return out


def distance(first, second, norm, scale=None):
    """Return E or E^phi by Algorithm 1."""
    a, b = endpoints(first, norm, scale), endpoints(second, norm, scale)
    straight = size(a[0] - b[0], norm) ** 2 + size(a[1] - b[1], norm) ** 2
    crossed = size(a[0] - b[1], norm) ** 2 + size(a[1] - b[0], norm) ** 2
    return math.sqrt(min(straight, crossed))


def precise_distance(first, second, norm, scale=None):
    """Return E or E^phi of the same unit screws and limits in 60 digits."""
    with mpmath.workdps(60):
        a = _precise_endpoints(first, norm, scale)
        b = _precise_endpoints(second, norm, scale)
        pairs = ((a[0], b[0], a[1], b[1]), (a[0], b[1], a[1], b[0]))
        costs = [
            _precise_square(p - q, norm) + _precise_square(r - s, norm) for p, q, r, s in pairs
        ]
        return mpmath.sqrt(min(costs))


def _exact(values):
    return mpmath.matrix([mpmath.mpf(float(x)) for x in values])


def _precise_square(z, norm):
    w, v = list(z[:3]), list(z[3:])
    if not isinstance(norm, KineticNorm):
        alpha = mpmath.mpf(norm.alpha)
        return sum(x * x for x in w) + alpha**2 * sum(x * x for x in v)
    body = norm.body
    c = list(_exact(body.center))
    turn = [
        w[1] * c[2] - w[2] * c[1],
        w[2] * c[0] - w[0] * c[2],
        w[0] * c[1] - w[1] * c[0],
    ]
    spin = sum(
        w[i] * mpmath.mpf(float(body.inertia[i, k])) * w[k] for i in range(3) for k in range(3)
    )
    return spin / mpmath.mpf(body.mass) + sum((x + y) ** 2 for x, y in zip(v, turn, strict=True))


def _precise_endpoints(joint, norm, scale):
    xi = _exact(joint.screw)
    n = mpmath.sqrt(_precise_square(xi, norm))
    out = []
    for limit in joint.limits:
        if n == 0:
            out.append(xi)
        elif scale is None:
            out.append(mpmath.mpf(float(limit)) * xi)
        elif math.isinf(limit):
            out.append(int(np.sign(limit)) * xi / n)
        else:
            out.append(mpmath.tanh(mpmath.mpf(float(limit)) * n / mpmath.mpf(scale)) * xi / n)
    return out


def partial_matchings(n, m):
    """Yield every set of pairs that uses each row and column at most once."""
    for k in range(min(n, m) + 1):
        for rows in itertools.combinations(range(n), k):
            for columns in itertools.permutations(range(m), k):
                yield list(zip(rows, columns, strict=True))


def contracted_vertices(edges, kept):
    """Contract every edge that is not kept; return the multiset of kept labels per vertex.

    `edges` lists pairs of vertices, `kept` maps an edge index to its label.
    """
    parent = {}

    def find(x):
        while parent.setdefault(x, x) != x:
            x = parent[x]
        return x

    for k, (a, b) in enumerate(edges):
        if k not in kept:
            parent[find(a)] = find(b)
    around = {}
    for x in {v for edge in edges for v in edge}:
        around.setdefault(find(x), set())
    for k, label in kept.items():
        for x in edges[k]:
            around[find(x)].add(label)
    return Counter(frozenset(labels) for labels in around.values())


def is_realizable(edges1, edges2, matching):
    """Contract both trees to the matched edges and compare them as labeled trees.

    Labels are distinct, so two trees are isomorphic with labels kept iff their vertices have the
    same sets of labels around them.
    """
    one = contracted_vertices(edges1, {i: k for k, (i, _) in enumerate(matching)})
    two = contracted_vertices(edges2, {j: k for k, (_, j) in enumerate(matching)})
    return one == two or not matching


def tree_edges(tree, fixed=False):
    """Return the link pairs of the moving joints after uniting links that exact welds join."""
    name = {}

    def find(x):
        while name.setdefault(x, x) != x:
            x = name[x]
        return x

    moving = []
    for joint in tree.joints:
        if joint.limits == (0.0, 0.0):
            name[find(joint.child)] = find(joint.parent)
        else:
            moving.append(joint)
    return [(find(j.parent), find(j.child)) for j in moving], moving


def tree_distance(first, second, norm, scale=None, realizable=True):
    """Return E^tree by trying every partial matching (appendix B.5)."""
    edges1, joints1 = tree_edges(first)
    edges2, joints2 = tree_edges(second)
    zero = np.zeros(6)

    def alone(joint):
        return math.sqrt(sum(size(z - zero, norm) ** 2 for z in endpoints(joint, norm, scale)))

    u1, u2 = [alone(j) for j in joints1], [alone(j) for j in joints2]
    cost = [[distance(a, b, norm, scale) for b in joints2] for a in joints1]
    best = math.inf
    for matching in partial_matchings(len(joints1), len(joints2)):
        price = sum(u1) + sum(u2) + sum(cost[i][j] - u1[i] - u2[j] for i, j in matching)
        if price < best and (not realizable or is_realizable(edges1, edges2, matching)):
            best = price
    return best
