# SPDX-License-Identifier: Apache-2.0
"""Reads an MJCF model through MuJoCo and converts it to a URDF document with its meshes.

MuJoCo compiles the cleaned document (`mjcf_document`), so that it interprets defaults, units,
angles, frames and limits itself. The conversion:

* The world is the root link; every top body is attached to it. A top body without a joint is fixed
  to it, so several top bodies keep their poses. `dissolve_empty` later makes the first fixed body
  with geometry the base, if the world itself has none.
* A free joint is a `floating` joint; `loose` decides which of those below the world only place an
  object.
* Several joints of a body become a chain through empty carrier links, in MuJoCo's order.
* `q = 0` is the state of the document: limits are counted from `ref`.
* A `<joint>` equality with a linear polynomial is a mimic; another one is a finding.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from aa_dataset.kinematics.joints import Mimic
from aa_dataset.kinematics.urdf import Inertial, UrdfJoint, UrdfLink, UrdfModel
from aa_dataset.portable import product
from pipeline.base.errors import MissingPackageError, Rejection
from pipeline.base.reasons import Code, Finding, Reason
from pipeline.engine.settings import Budgets
from pipeline.raw.files import RawFiles
from pipeline.stages.normalize.given_meshes import GivenMesh
from pipeline.stages.normalize.mjcf_document import MjcfDocument, read_document
from pipeline.stages.normalize.mjcf_shapes import MESH, SDF, MeshMap, ShapeMaker, Written, pose

FREE, BALL, SLIDE, HINGE = range(4)
_CHECKED = (
    "body_pos", "body_quat", "jnt_pos", "jnt_axis", "jnt_range", "qpos0", "geom_pos", "geom_quat",
    "geom_size", "geom_rgba", "mat_rgba", "eq_data",
)  # fmt: skip


def read_mjcf(
    files: RawFiles, model: str, budgets: Budgets, body: str = ""
) -> tuple[UrdfModel, dict[str, GivenMesh], list[Finding]]:
    """Read an MJCF model; of a scene with several objects, the one with the key `body`.

    Returns
    -------
    UrdfModel
        The same motion and geometry; mesh names are relative to the model's folder.
    dict of str to GivenMesh
        The meshes that the model defines itself or whose looks it replaces, by name.
    list of Finding
        What the model has and a URDF cannot express.
    """
    document = read_document(files, model, budgets, body)
    compiled, written = _compiled(document, model)
    shapes = ShapeMaker(files, model, document, compiled, written)
    reader = _Reader(compiled, written, shapes)
    urdf = reader.model()
    if len(urdf.links) > budgets.links:
        count, most = len(urdf.links), budgets.links
        raise Rejection(Reason.TOO_MANY_LINKS, f"{count} links, more than the budget of {most}.")
    findings = [*document.findings, *reader.findings, *shapes.findings]
    return urdf, shapes.meshes, findings


def _compiled(document: MjcfDocument, model: str) -> tuple[Any, Written]:
    """Return MuJoCo's model, and the facts of the document that compiling loses."""
    mujoco = _mujoco()
    previous = mujoco.get_mju_user_warning()
    # Otherwise MuJoCo writes its warnings to a file in the working directory.
    mujoco.set_mju_user_warning(lambda _: None)
    try:
        spec = mujoco.MjSpec.from_string(document.text)
        inertials = [(body, _inertial(body)) for body in spec.bodies]
        meshes = {mesh.name: _mesh_map(mesh) for mesh in spec.meshes}
        _settle(spec, mujoco)
        with warnings.catch_warnings():  # about masses and solvers, which are not used
            warnings.simplefilter("ignore")
            compiled = spec.compile()
        written = Written({body.id: one for body, one in inertials}, meshes, _fitted(spec))
    except (ValueError, TypeError, mujoco.FatalError, mujoco.UnexpectedError) as error:
        words = " ".join(str(error).split())[:300]
        raise Rejection(Reason.MJCF_INVALID, f"{model}: MuJoCo says: {words}.") from None
    finally:
        mujoco.set_mju_user_warning(previous)
    for name in _CHECKED:
        if not np.isfinite(getattr(compiled, name)).all():
            raise Rejection(Reason.NUMBER_INVALID, f"{model}: {name} holds NaN or infinity.")
    return compiled, written


def _inertial(body: Any) -> Inertial | None:
    """Return the document's own inertial of a body, in the body's frame."""
    numbers = [body.mass, *body.ipos, *body.iquat, *body.inertia]
    if not body.explicitinertial or not np.isfinite(numbers).all() or not any(body.iquat):
        return None
    full = np.array(body.fullinertia, dtype=float)
    tensor = np.diag(body.inertia)
    if np.isfinite(full).all():
        xx, yy, zz, xy, xz, yz = full
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return Inertial(float(body.mass), pose(body.ipos, body.iquat), tensor)


def _mesh_map(mesh: Any) -> MeshMap:
    return MeshMap(*(np.array(v, dtype=float) for v in (mesh.scale, mesh.refpos, mesh.refquat)))


def _fitted(spec: Any) -> frozenset[int]:
    """Return the geoms that are primitives fitted to a mesh, which the placeholder cannot give."""
    return frozenset(g.id for g in spec.geoms if g.meshname and int(g.type) not in (MESH, SDF))


def _mujoco() -> Any:
    try:
        import mujoco
    except ImportError:
        raise MissingPackageError("MJCF models", "mjcf") from None
    return mujoco


def _settle(spec: Any, mujoco: Any) -> None:
    """Keep every body and every frame as written; `annotate` computes the masses."""
    compiler = spec.compiler
    compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
    compiler.boundmass, compiler.boundinertia, compiler.balanceinertia = 1e-3, 1e-6, True
    compiler.fusestatic = compiler.discardvisual = compiler.alignfree = False
    compiler.usethread = False
    for body in spec.bodies:
        body.explicitinertial = False
    for mesh in spec.meshes:  # of the placeholder; ShapeMaker applies the real ones
        mesh.scale, mesh.refpos, mesh.refquat = [1, 1, 1], [0, 0, 0], [1, 0, 0, 0]


def _shift(offset: np.ndarray) -> np.ndarray:
    out = np.eye(4)
    out[:3, 3] = offset
    return out


class _Reader:
    """Turns the compiled model into links and joints."""

    def __init__(self, compiled: Any, written: Written, shapes: ShapeMaker) -> None:
        self._m, self._written, self._shapes = compiled, written, shapes
        self.findings: list[Finding] = []
        self._links = _unique_names(compiled.body, compiled.nbody, "body")
        self._joints = _unique_names(compiled.jnt, compiled.njnt, "joint")
        self._taken = set(self._links)

    def model(self) -> UrdfModel:
        """Return the whole document."""
        links, joints = [], []
        for body in range(self._m.nbody):
            chain = list(self._chain(body)) if body else []
            joints += chain
            links += [UrdfLink(joint.child) for joint in chain[:-1]]
            links.append(self._link(body))
        joints = self._coupled(joints)
        return UrdfModel("object", tuple(links), tuple(joints))

    def _link(self, body: int) -> UrdfLink:
        """Return a body's link, whose frame is at the anchor of its last joint."""
        inward = _shift(-self._anchor(body))
        visuals, collisions = self._shapes.of_body(body)
        inertial = self._written.inertials[body]
        return UrdfLink(
            self._links[body],
            tuple(replace(shape, pose=product(inward, shape.pose)) for shape in visuals),
            tuple(replace(shape, pose=product(inward, shape.pose)) for shape in collisions),
            None if inertial is None else replace(inertial, pose=product(inward, inertial.pose)),
        )

    def _own_joints(self, body: int) -> range:
        first = self._m.body_jntadr[body]
        return range(first, first + self._m.body_jntnum[body])

    def _anchor(self, body: int) -> np.ndarray:
        """Return the anchor of a body's last joint, in the body's own frame [m]."""
        joints = self._own_joints(body)
        is_anchored = len(joints) and self._m.jnt_type[joints[-1]] != FREE
        return self._m.jnt_pos[joints[-1]] if is_anchored else np.zeros(3)

    def _chain(self, body: int) -> Iterator[UrdfJoint]:
        """Yield the joints from a body's parent to the body, through carriers if several."""
        parent = int(self._m.body_parentid[body])
        joints = self._own_joints(body)
        own = pose(self._m.body_pos[body], self._m.body_quat[body])
        start = product(_shift(-self._anchor(parent)), own)
        if not len(joints):
            name = _free_name(f"{self._links[body]}_weld", self._joints)
            yield UrdfJoint(name, "fixed", self._links[parent], self._links[body], start)
            return
        above = self._links[parent]
        before = np.zeros(3)
        for number in joints:
            anchor = self._m.jnt_pos[number] if self._m.jnt_type[number] != FREE else np.zeros(3)
            below = self._links[body]
            if number != joints[-1]:
                below = _free_name(f"{self._links[body]}_carrier", self._taken)
            yield self._joint(number, above, below, product(start, _shift(anchor - before)))
            above, before, start = below, anchor, np.eye(4)

    def _joint(self, number: int, parent: str, child: str, place: np.ndarray) -> UrdfJoint:
        m, name = self._m, self._joints[number]
        kind = m.jnt_type[number]
        if kind == FREE:
            return UrdfJoint(name, "floating", parent, child, place)
        limited = bool(m.jnt_limited[number])
        if kind == BALL:
            return self._ball_joint(number, UrdfJoint(name, "spherical", parent, child, place))
        lower, upper = m.jnt_range[number] - m.qpos0[m.jnt_qposadr[number]]
        if not limited and lower > upper:
            detail = f"joint {name}: the range is reversed, which MuJoCo takes for none."
            self.findings.append(Finding(Code.LIMIT_MISSING, detail))
        hinge = "revolute" if limited else "continuous"
        return UrdfJoint(
            name,
            "prismatic" if kind == SLIDE else hinge,
            parent,
            child,
            place,
            axis=np.array(m.jnt_axis[number]),
            lower=float(lower) if limited else None,
            upper=float(upper) if limited else None,
            effort=self._effort(number),
            has_limit=limited,
        )

    def _effort(self, number: int) -> float | None:
        if not self._m.jnt_actfrclimited[number]:
            return None
        return float(np.abs(self._m.jnt_actfrcrange[number]).max())

    def _ball_joint(self, number: int, joint: UrdfJoint) -> UrdfJoint:
        if self._m.jnt_limited[number]:
            most = self._m.jnt_range[number, 1]
            detail = (
                f"joint {joint.name}: the limit of the ball joint, {most:.6g} rad, is not kept."
            )
            self.findings.append(Finding(Code.MJCF_PART_IGNORED, detail))
        return joint

    def _coupled(self, joints: list[UrdfJoint]) -> list[UrdfJoint]:
        """Give joints their mimic if an active equality is linear."""
        couplings: dict[str, Mimic] = {}
        for number in range(self._m.neq):
            self._couple(number, couplings)
        return [replace(joint, mimic=couplings.get(joint.name)) for joint in joints]

    def _couple(self, number: int, couplings: dict[str, Mimic]) -> None:
        m = self._m
        if not m.eq_active0[number]:
            return
        follower, leader = int(m.eq_obj1id[number]), int(m.eq_obj2id[number])
        offset, slope, *higher = m.eq_data[number, :5].tolist()
        name = self._joints[follower]
        if leader >= 0 and slope and not any(higher) and name not in couplings:
            couplings[name] = Mimic(self._joints[leader], slope, offset)
            return
        detail = f"joint {name}: an equality constraint that is no line, or a second one, is lost."
        self.findings.append(Finding(Code.COUPLING_IGNORED, detail))


def _unique_names(view: Any, count: int, word: str) -> list[str]:
    """Return a unique name for every element; those without one are numbered."""
    given = [view(number).name for number in range(count)]
    taken = set(given)
    return [name or _free_name(f"{word}_{number}", taken) for number, name in enumerate(given)]


def _free_name(base: str, taken: set[str] | list[str]) -> str:
    """Return an unused name, and add it if the collection is a set."""
    name, count = base, 1
    while name in taken:
        count += 1
        name = f"{base}_{count}"
    if isinstance(taken, set):
        taken.add(name)
    return name
