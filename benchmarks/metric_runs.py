# SPDX-License-Identifier: Apache-2.0
"""The measurements behind `benchmarks/metric.py`."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from aa_dataset.kinematics import Joint, KinematicTree, RigidBody
from aa_dataset.metric import (
    JointArray,
    KineticNorm,
    TreeDistance,
    component_errors,
    contract,
    joint_distance,
    pairwise_distance,
    tree_distance,
)
from aa_dataset.metric._engine import has_numba
from benchmarks.metric_trees import SHAPES, corrupted, knobs, random_tree

Row = tuple[str, str, str]
ENGINES = ("numba", "numpy") if has_numba() else ("numpy",)
MEDIAN_GOAL_MS = {10: 1.0, 20: 3.0, 40: 10.0}


def all_rows(*, quick: bool) -> Iterator[Row]:
    """Yield what was measured, the result and the goal."""
    yield from pairwise_rows(rows=20_000 if quick else 100_000)
    yield from body_rows(rows=5_000 if quick else 20_000)
    yield from tree_rows(count=4 if quick else 20)
    yield from large_tree_rows(count=1 if quick else 5)
    yield from knob_rows()
    yield from unrelated_rows(count=2 if quick else 5)
    yield from yardstick_rows(sizes=(5, 10) if quick else (5, 10, 20, 40))
    yield from object_rows()


def seconds(run: Callable[[], object], repeats: int = 3) -> float:
    """Return the lowest CPU time of a few runs, which other load affects least."""
    best = math.inf
    for _ in range(repeats):
        begin = time.process_time()
        run()
        best = min(best, time.process_time() - begin)
    return best


def random_array(rng: np.random.Generator, count: int) -> JointArray:
    """Return random hinges and slides with finite ranges."""
    axes = rng.normal(size=(count, 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    screws = np.concatenate([axes, np.cross(rng.normal(size=(count, 3)), axes)], axis=1)
    slides = rng.random(count) < 0.3
    screws[slides, :3], screws[slides, 3:] = 0.0, axes[slides]
    return JointArray(screws, np.sort(rng.normal(size=(count, 2)), axis=1))


def broadcast(one: JointArray, two: JointArray, out: np.ndarray, step: int = 500) -> None:
    """Compute the distances with plain numpy broadcasting, for comparison."""
    z1 = one.limits[:, :, None] * one.screws[:, None]
    z2 = two.limits[:, :, None] * two.screws[:, None]
    for k in range(0, len(one), step):
        low1, high1 = z1[k : k + step, None, 0], z1[k : k + step, None, 1]
        low2, high2 = z2[None, :, 0], z2[None, :, 1]
        straight = ((low1 - low2) ** 2).sum(-1) + ((high1 - high2) ** 2).sum(-1)
        crossed = ((low1 - high2) ** 2).sum(-1) + ((high1 - low2) ** 2).sum(-1)
        out[k : k + step] = np.sqrt(np.minimum(straight, crossed))


def pairwise_rows(*, rows: int) -> Iterator[Row]:
    """Measure (rows x 1000) pairs against broadcasting, which runs on a tenth of them."""
    rng = np.random.default_rng(0)
    block, columns = rows // 5, 1000
    parts = [random_array(rng, block) for _ in range(5)]
    two, out = random_array(rng, columns), np.empty((block, columns))
    few = parts[0].take(np.arange(block // 2))
    base = seconds(lambda: broadcast(few, two, out[: len(few)]), 2) * rows / len(few)
    yield f"numpy broadcast, {rows * columns:.0e} pairs", f"{base:.2f} s (scaled up)", "1x"
    for engine in reversed(ENGINES):
        for scale, label in ((None, "E"), (math.pi, "E^phi")):

            def run(engine: str = engine, scale: float | None = scale) -> None:
                for part in parts:
                    pairwise_distance(part, two, compactify=scale, engine=engine, out=out)

            taken = seconds(run)
            goal = ">= 80x" if engine == "numba" else ">= 15x"
            result = f"{taken:.3f} s, {base / taken:.0f}x"
            yield f"pairwise {label}, {engine}, {rows * columns:.0e} pairs", result, goal


def random_bodies(rng: np.random.Generator, count: int) -> list[KineticNorm]:
    """Return norms of bodies from random second moments."""
    found = []
    for _ in range(count):
        points = rng.normal(size=(3, 3))
        spread = points @ points.T + 0.1 * np.eye(3)
        inertia = np.trace(spread) * np.eye(3) - spread
        found.append(KineticNorm(RigidBody(1.0, rng.normal(size=3), inertia)))
    return found


def body_rows(*, rows: int) -> Iterator[Row]:
    """Measure (rows x 1000) pairs with one body per column, numpy first."""
    rng = np.random.default_rng(1)
    one, two = random_array(rng, rows), random_array(rng, 1000)
    norms, out = random_bodies(rng, 1000), np.empty((rows, 1000))
    for scale, label in ((None, "E_B"), (math.pi, "E_B^phi")):
        base = math.nan
        for engine in reversed(ENGINES):

            def run(engine: str = engine, scale: float | None = scale) -> None:
                pairwise_distance(one, two, norm=norms, compactify=scale, engine=engine, out=out)

            run()  # compiles
            taken = seconds(run)
            base = taken if engine == "numpy" else base
            result = f"{taken * 1e5 / rows:.2f} s per 1e8, {base / taken:.1f}x"
            goal = "1x" if engine == "numpy" else ">= 3x"
            yield f"pairwise {label}, one body per column, {engine}", result, goal


def timed(one: KinematicTree, two: KinematicTree, engine: str) -> tuple[float, TreeDistance]:
    """Return CPU milliseconds and the result of one exact tree distance."""
    begin = time.process_time()
    found = tree_distance(one, two, compactify=math.pi, engine=engine)
    return 1e3 * (time.process_time() - begin), found


def summary(times: list[float], results: list[TreeDistance]) -> str:
    """Return median, 90th percentile, maximum and the share that is proven."""
    proven = sum(result.exact for result in results)
    median, high, most = np.percentile(times, [50, 90, 100])
    return f"{median:.2f} / {high:.1f} / {most:.0f} ms, exact {proven}/{len(results)}"


def run_trees(size: int, count: int, engine: str, *, related: bool = True) -> str:
    """Measure `count` pairs of every shape."""
    timed(*knobs(12), engine)  # compile every kernel and import before the clock starts
    times, results = [], []
    for shape in SHAPES:
        rng = np.random.default_rng([size, SHAPES.index(shape)])
        for _ in range(count):
            one = random_tree(rng, size, shape=shape)
            two = corrupted(rng, one) if related else random_tree(rng, size, shape=shape)
            taken, found = timed(one, two, engine)
            times.append(taken)
            results.append(found)
    return summary(times, results)


def tree_rows(*, count: int) -> Iterator[Row]:
    """Measure the corruption mix at furniture sizes."""
    for size, goal in MEDIAN_GOAL_MS.items():
        for engine in ENGINES:
            most = goal if engine == "numba" else 3 * goal
            result = run_trees(size, count, engine)
            what = f"tree, {size} joints, 1-4 edits, {engine}"
            yield what, result, f"median <= {most:g} ms, all exact"


def large_tree_rows(*, count: int) -> Iterator[Row]:
    """Measure the corruption mix at 120 joints."""
    result = run_trees(120, count, ENGINES[0])
    yield f"tree, 120 joints, 1-4 edits, {ENGINES[0]}", result, "exact >= 90 % within the budget"


def knob_rows() -> Iterator[Row]:
    """Measure twenty drawers whose knobs hang on the body."""
    for engine in ENGINES:
        taken, found = min((timed(*knobs(20), engine) for _ in range(3)), key=lambda x: x[0])
        result = f"{taken / 1e3:.3f} s, exact {found.exact}"
        yield f"knobs on the body, 20 drawers, {engine}", result, "< 0.5 s"


def unrelated_rows(*, count: int) -> Iterator[Row]:
    """Measure unrelated pairs, as from bad predictions."""
    for size in (10, 20, 40):
        result = run_trees(size, count, ENGINES[0], related=False)
        yield f"tree, {size} joints, unrelated, {ENGINES[0]}", result, "reported"


def yardstick_rows(*, sizes: tuple[int, ...]) -> Iterator[Row]:
    """Measure packages for ordered rooted trees, which solve an easier problem."""
    for name, run in (("zss", _zss), ("apted", _apted), ("networkx", _networkx)):
        for size in sizes if name != "networkx" else (5,):
            rng = np.random.default_rng(size)
            one = random_tree(rng, size, shape="random")
            two = corrupted(rng, one)
            try:
                taken = seconds(lambda run=run, one=one, two=two: run(one, two), 2)
            except ImportError:
                yield f"{name}, {size} joints", "not installed", "yardstick"
                break
            kind = "graph" if name == "networkx" else "ordered"
            yield f"{name}, {size} joints ({kind})", f"{1e3 * taken:.1f} ms", "yardstick"


def _costs(one: KinematicTree, two: KinematicTree) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    weld = Joint("weld", "fixed", [0, 0, 1], [0, 0, 0])
    matrix = pairwise_distance(
        [*one.joints, weld], [*two.joints, weld], compactify=math.pi, engine="numpy"
    )
    return matrix[:-1, :-1], matrix[:-1, -1], matrix[-1, :-1]


def _nested(tree: KinematicTree, make: Callable[[int, list], object]) -> object:
    """Build an ordered tree whose nodes represent the joint above each link."""
    below: dict[str, list[int]] = {link: [] for link in tree.links}
    for k, joint in enumerate(tree.joints):
        below[joint.parent].append(k)

    def node(k: int) -> object:
        link = tree.root if k < 0 else tree.joints[k].child
        return make(k, [node(child) for child in below[link]])

    return node(-1)


def _zss(one: KinematicTree, two: KinematicTree) -> float:
    import zss

    match, gone, new = _costs(one, two)

    def make(side: int) -> Callable[[int, list], object]:
        return lambda k, kids: zss.Node((side, k), kids)

    def change(a: object, b: object) -> float:
        i, j = a.label[1], b.label[1]
        return 0.0 if i < 0 and j < 0 else 1e9 if i < 0 or j < 0 else match[i, j]

    return zss.distance(
        _nested(one, make(0)),
        _nested(two, make(1)),
        get_children=zss.Node.get_children,
        insert_cost=lambda b: 1e9 if b.label[1] < 0 else new[b.label[1]],
        remove_cost=lambda a: 1e9 if a.label[1] < 0 else gone[a.label[1]],
        update_cost=change,
    )


def _apted(one: KinematicTree, two: KinematicTree) -> float:
    from apted import APTED, Config

    match, gone, new = _costs(one, two)

    class Prices(Config):
        def children(self, node: tuple) -> list:
            return node[2]

        def rename(self, a: tuple, b: tuple) -> float:
            i, j = a[1], b[1]
            return 0.0 if i < 0 and j < 0 else 1e9 if i < 0 or j < 0 else match[i, j]

        def delete(self, node: tuple) -> float:
            return 1e9 if node[1] < 0 else gone[node[1]]

        def insert(self, node: tuple) -> float:
            return 1e9 if node[1] < 0 else new[node[1]]

    trees = [_nested(t, lambda k, kids, s=s: (s, k, kids)) for s, t in enumerate((one, two))]
    return APTED(*trees, Prices()).compute_edit_distance()


def _networkx(one: KinematicTree, two: KinematicTree) -> float:
    import networkx as nx

    match, gone, new = _costs(one, two)
    graphs = []
    for tree in (one, two):
        graph = nx.Graph()
        graph.add_edges_from((j.parent, j.child, {"k": k}) for k, j in enumerate(tree.joints))
        graphs.append(graph)
    return nx.graph_edit_distance(
        *graphs,
        node_subst_cost=lambda a, b: 0.0,
        node_del_cost=lambda a: 0.0,
        node_ins_cost=lambda a: 0.0,
        edge_subst_cost=lambda a, b: match[a["k"], b["k"]],
        edge_del_cost=lambda a: gone[a["k"]],
        edge_ins_cost=lambda b: new[b["k"]],
        timeout=30,
    )


def cabinet(rng: np.random.Generator) -> tuple[KinematicTree, KinematicTree]:
    """Return a ground truth of five finite joints with bodies, and a prediction of it."""
    truth = []
    for k in range(5):
        kind = "revolute" if k % 2 else "prismatic"
        body = RigidBody(1.0, rng.normal(size=3), np.diag([0.1, 0.2, 0.25]))
        origin = rng.uniform(-0.5, 0.5, 3)
        joint = Joint(f"j{k}", kind, np.eye(3)[k % 3], origin, 0.0, 1.0 + 0.1 * k)
        parent = "base" if k < 4 else "l0"
        truth.append(replace(joint, parent=parent, child=f"l{k}", body=body))
    guess = [
        replace(j, axis=j.axis + 0.05 * rng.normal(size=3), upper=j.upper * 1.1, body=None)
        for j in truth
    ]
    links = ("base", *(f"l{k}" for k in range(5)))
    return KinematicTree("guess", links, tuple(guess)), KinematicTree("truth", links, tuple(truth))


def score_object(predicted: KinematicTree, truth: KinematicTree) -> dict[str, object]:
    """Return every score of one object: tree, four joint scores, three component variants."""
    one, two = contract(predicted), contract(truth)
    found = tree_distance(one, two, compactify=math.pi, engine="numpy")
    rows = [one.names.index(a) for a, _ in found.matching]
    columns = [two.names.index(b) for _, b in found.matching]
    first, second = one.array.take(rows), two.array.take(columns)
    bodies = [KineticNorm(two.joints[k].body) for k in columns]
    return {
        "tree": found.value,
        "E_alpha": joint_distance(first, second),
        "E_alpha_phi": joint_distance(first, second, compactify=math.pi),
        "E_B": joint_distance(first, second, norm=bodies),
        "E_B_phi": joint_distance(first, second, norm=bodies, compactify=math.pi),
        "components": [
            component_errors(one.joints[i], two.joints[j], variant=variant)
            for i, j in zip(rows, columns, strict=True)
            for variant in ("strict", "parallel-safe", "released")
        ],
    }


def object_rows() -> Iterator[Row]:
    """Measure all scores of one object of five joints."""
    predicted, truth = cabinet(np.random.default_rng(0))
    score_object(predicted, truth)

    def run() -> None:
        for _ in range(50):
            score_object(predicted, truth)

    yield "one object, 5 joints, all scores", f"{1e3 * seconds(run, 5) / 50:.2f} ms", "< 1 ms"
