# SPDX-License-Identifier: Apache-2.0
"""Reads an MJCF model through MuJoCo and converts it to a URDF document with its meshes.

MuJoCo compiles the cleaned document (`mjcf_document`), so that it interprets defaults, units,
angles, frames and limits itself. `aa_dataset.kinematics.mjcf_joints` converts the joints:

* Several top bodies keep their poses, because each is attached to the world. `dissolve_empty` later
  makes the first fixed body with geometry the base, if the world itself has none.
* `loose` decides which free joints below the world only place an object.
* What a URDF cannot express is a finding.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from aa_dataset.kinematics.mjcf_joints import Lost, MjcfJoints, pose, quiet, shift
from aa_dataset.kinematics.urdf import Inertial, UrdfJoint, UrdfLink, UrdfModel
from aa_dataset.portable import product
from pipeline.base.errors import MissingPackageError, Rejection
from pipeline.base.reasons import Code, Finding, Reason
from pipeline.engine.settings import Budgets
from pipeline.raw.files import RawFiles
from pipeline.stages.normalize.given_meshes import GivenMesh
from pipeline.stages.normalize.mjcf_document import MjcfDocument, read_document
from pipeline.stages.normalize.mjcf_shapes import MESH, SDF, MeshMap, ShapeMaker, Written

_FINDINGS = {
    Lost.LIMIT: Code.LIMIT_MISSING,
    Lost.PART: Code.MJCF_PART_IGNORED,
    Lost.COUPLING: Code.COUPLING_IGNORED,
}
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
    try:
        with quiet(mujoco):
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


class _Reader:
    """Turns the compiled model into links and joints."""

    def __init__(self, compiled: Any, written: Written, shapes: ShapeMaker) -> None:
        self._bodies, self._written, self._shapes = range(compiled.nbody), written, shapes
        self._joints = MjcfJoints(compiled)
        self.findings: list[Finding] = []

    def model(self) -> UrdfModel:
        """Return the whole document."""
        links: list[UrdfLink] = []
        joints: list[UrdfJoint] = []
        for body in self._bodies:
            chain = list(self._joints.chain(body)) if body else []
            joints += chain
            links += [UrdfLink(joint.child) for joint in chain[:-1]]
            links.append(self._link(body))
        joints = self._joints.coupled(joints)
        self.findings = [Finding(_FINDINGS[what], text) for what, text in self._joints.losses]
        return UrdfModel("object", tuple(links), tuple(joints))

    def _link(self, body: int) -> UrdfLink:
        """Return a body's link, whose frame is at the anchor of its last joint."""
        inward = shift(-self._joints.anchor(body))
        visuals, collisions = self._shapes.of_body(body)
        inertial = self._written.inertials[body]
        return UrdfLink(
            self._joints.links[body],
            tuple(replace(shape, pose=product(inward, shape.pose)) for shape in visuals),
            tuple(replace(shape, pose=product(inward, shape.pose)) for shape in collisions),
            None if inertial is None else replace(inertial, pose=product(inward, inertial.pose)),
        )
