# SPDX-License-Identifier: Apache-2.0
"""MuJoCo: the URDF through MjSpec, without fusing links; couplings as equality constraints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

import numpy as np

from aa_dataset.adapters.common import (
    Array,
    ObjectFiles,
    ObjectLike,
    Simulated,
    couplings,
    deepest,
    frame_matrix,
    open_object,
    principal_body,
    require,
)
from aa_dataset.adapters.surroundings import (
    FIELD_OF_VIEW,
    FLOOR_COLORS,
    LIGHT,
    SHADOW,
    Surroundings,
    key_states,
)
from aa_dataset.format.layout import ObjectLayout
from aa_dataset.kinematics.bodies import RigidBody

# Nothing is fused, dropped or corrected: the model is the URDF.
COMPILER = {
    "strippath": "false",
    "fusestatic": "false",
    "discardvisual": "false",
    "balanceinertia": "false",
}
TIMESTEP = 0.002  # s
# MuJoCo's limits and couplings are springs: as stiff as the time step allows.
STIFF_REFERENCE = (2 * TIMESTEP, 1.0)
STIFF_IMPEDANCE = (0.99, 0.9999, 0.001, 0.5, 2.0)
# Contacts absorb a blow within one step but push apart no harder than MuJoCo's own, (0.02, 1): the
# damping is 2 / (time constant), the stiffness 1 / (time constant * ratio)^2. With its damping a
# ball of 1 cm that falls 30 cm passes a floor of 6 mm; stiffer ones jam parts that just touch.
CONTACT_REFERENCE = (2 * TIMESTEP, 5.0)
VISUAL_GROUP, COLLISION_GROUP = 2, 3  # the viewer shows the first and hides the second
FLOOR, CAMERA = "scene-floor", "scene-camera"  # no link or joint of the library has a hyphen
HOLD = 1e8  # times its own inertia: what a held joint gets


def load(
    item: ObjectLike,
    *,
    on_floor: bool = False,
    self_contacts: bool = False,
    dynamics: bool = True,
    scene: bool = False,
) -> MujocoObject:
    """Load an object, with `on_floor` resting on z = 0, with `self_contacts` between its parts.

    Without `dynamics` nothing resists its joints. A `scene` has both of the above, and a floor,
    a light, a camera and the key frames ``rest`` and ``open``.
    """
    mujoco = require("mujoco", "the mujoco loader", "mjcf")
    files = open_object(item, dynamics=dynamics)
    spec = make_spec(files)
    spec.body(files.root).pos = [0.0, 0.0, files.lift(on_floor or scene)]
    if scene:
        _add_surroundings(mujoco, spec, files)
    elif not self_contacts:
        for geom in spec.geoms:
            geom.contype = geom.conaffinity = 0
    return MujocoObject(files, mujoco, spec)


def make_spec(files: ObjectFiles) -> Any:
    """Return the MjSpec of an object, with couplings and stiff limits."""
    mujoco = require("mujoco", "the mujoco loader", "mjcf")
    root = ElementTree.fromstring(files.urdf.read_bytes())
    ElementTree.SubElement(ElementTree.SubElement(root, "mujoco"), "compiler", COMPILER)
    text = ElementTree.tostring(root, encoding="unicode")
    spec = mujoco.MjSpec.from_string(text, assets=_mesh_files(files))
    spec.option.timestep = TIMESTEP
    for joint in spec.joints:
        joint.solref_limit, joint.solimp_limit = STIFF_REFERENCE, STIFF_IMPEDANCE
        resists = files.dynamics[joint.name]
        joint.damping = np.eye(1, np.size(joint.damping)).ravel() * resists.damping
        joint.frictionloss, joint.armature = resists.friction, resists.armature
    visual = {shape.name for link in files.model.links for shape in link.visuals}
    for geom in spec.geoms:
        geom.group = VISUAL_GROUP if geom.name in visual else COLLISION_GROUP
        if geom.name in visual:
            # MuJoCo requires a volume, which a sheet does not have; the mass is the URDF's anyway.
            spec.mesh(geom.meshname).inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
        else:
            geom.solref, geom.priority = CONTACT_REFERENCE, 1
    _add_mimic_equalities(mujoco, spec, files)
    for first, second in files.excluded:
        spec.add_exclude(bodyname1=first, bodyname2=second)
    return spec


def _mesh_files(files: ObjectFiles) -> dict[str, bytes]:
    shapes = [shape for link in files.model.links for shape in (*link.visuals, *link.collisions)]
    names = sorted({shape.geometry.filename for shape in shapes if shape.geometry.filename})
    place = ObjectLayout(files.urdf.parent)
    return {name: place.file(name).read_bytes() for name in names}


def _add_mimic_equalities(mujoco: Any, spec: Any, files: ObjectFiles) -> None:
    """Replace the importer's equalities for `<mimic>` by one stiff equality per follower."""
    for equality in list(spec.equalities):
        spec.delete(equality)
    for one in couplings(files.model):
        first, second, terms = one.follower, one.leader, (one.offset, one.multiplier)
        if 0 < abs(one.multiplier) < 1:
            # MuJoCo scales a constraint's softness by the inertia of both joints as if the factor
            # were 1; for a fine thread only the inverse, turn by slide, is stiff.
            first, second = second, first
            terms = (-one.offset / one.multiplier, 1 / one.multiplier)
        spec.add_equality(
            name=f"{one.follower}_coupling",
            type=mujoco.mjtEq.mjEQ_JOINT,
            objtype=mujoco.mjtObj.mjOBJ_JOINT,
            name1=first,
            name2=second,
            data=np.concatenate([terms, np.zeros(mujoco.mjNEQDATA - 2)]),
            solref=STIFF_REFERENCE,
            solimp=STIFF_IMPEDANCE,
        )


def _add_surroundings(mujoco: Any, spec: Any, files: ObjectFiles) -> None:
    """Add floor, light, camera and key frames; the floor is z = 0."""
    around, up = Surroundings.of(files), np.array([0.0, 0.0, files.lift(True)])
    world, plane = spec.worldbody, mujoco.mjtGeom.mjGEOM_PLANE
    _add_tiles(mujoco, spec, around.size)
    floor = world.add_geom(name=FLOOR, type=plane, size=[0, 0, 0.05], material="scene-tiles")
    floor.solref, floor.priority = CONTACT_REFERENCE, 1
    sun = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
    world.add_light(name="scene-light", type=sun, dir=LIGHT, pos=around.lamp + up)
    axes = np.stack([around.right, around.up, np.cross(around.right, around.up)], axis=1)
    turn = np.zeros(4)
    mujoco.mju_mat2Quat(turn, axes.ravel())
    world.add_camera(name=CAMERA, pos=around.eye + up, quat=turn, fovy=FIELD_OF_VIEW)
    spec.stat.center, spec.stat.extent = around.middle + up, around.size
    spec.visual.map.shadowclip = SHADOW
    spec.visual.global_.azimuth = around.angles["azimuth"]
    spec.visual.global_.elevation = around.angles["elevation"]
    order = [joint.name for joint in spec.joints]
    for name, values in key_states(files).items():
        spec.add_key(name=name, qpos=[values[joint] for joint in order])


def _add_tiles(mujoco: Any, spec: Any, size: float) -> None:
    """Add the material of a floor with two tiles along the object's diagonal [m]."""
    name, builtin = "scene-tiles", mujoco.mjtBuiltin.mjBUILTIN_CHECKER
    colors = {"rgb1": FLOOR_COLORS[0], "rgb2": FLOOR_COLORS[1]}
    kind = mujoco.mjtTexture.mjTEXTURE_2D
    spec.add_texture(name=name, type=kind, builtin=builtin, width=256, height=256, **colors)
    look = spec.add_material(name=name, texuniform=True, texrepeat=[2 / size, 2 / size])
    roles = [""] * int(mujoco.mjtTextureRole.mjNTEXROLE)
    roles[int(mujoco.mjtTextureRole.mjTEXROLE_RGB)] = name
    look.textures = roles


class MujocoObject(Simulated):
    """`spec`, `model` and `data` are MuJoCo's own."""

    simulator = "mujoco"

    def __init__(self, files: ObjectFiles, mujoco: Any, spec: Any):
        super().__init__(files)
        self._mujoco, self.spec = mujoco, spec
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self._body = {link.name: self.model.body(link.name).id for link in files.model.links}
        joints = {name: self.model.joint(name) for name in self._names}
        self._q = np.array([joint.qposadr[0] for joint in joints.values()], dtype=int)
        self._v = np.array([joint.dofadr[0] for joint in joints.values()], dtype=int)
        self._own = tuple(values.copy() for values in self._changed_by_a_push())

    def _write_state(self, values: Mapping[str, float], rates: Mapping[str, float]) -> None:
        self._mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[self._q] = [values[name] for name in self._names]
        self.data.qvel[self._v] = [rates[name] for name in self._names]

    def coordinates(self) -> dict[str, float]:
        """Return the coordinates."""
        return dict(zip(self._names, self.data.qpos[self._q].tolist(), strict=True))

    def frames(self) -> dict[str, Array]:
        """Return the frame of every link."""
        self._mujoco.mj_kinematics(self.model, self.data)
        base = self.data.xpos[self._body[self.files.root]].copy()
        return {
            name: frame_matrix(self.data.xmat[k], self.data.xpos[k] - base)
            for name, k in self._body.items()
        }

    def bodies(self) -> dict[str, RigidBody]:
        """Return the body of every link."""
        m = self.model
        return {
            name: principal_body(m.body_mass[k], m.body_ipos[k], m.body_iquat[k], m.body_inertia[k])
            for name, k in self._body.items()
        }

    def step(self, seconds: float) -> None:
        """Simulate."""
        self._mujoco.mj_step(self.model, self.data, round(seconds / TIMESTEP))

    def push(self, joint: str, *, force: float, speed: float) -> None:
        """Push a joint; the others are held by an inertia that nothing moves."""
        self.release()
        place = dict(zip(self._names, self._v.tolist(), strict=True))
        held = [place[name] for name in self._held(joint)]
        added = HOLD * self.model.dof_M0[held]
        self.model.dof_armature[held] += added
        self.model.dof_M0[held] += added  # which MuJoCo takes for bodies that slide along an axis
        self.data.qvel[held] = 0.0
        self.model.dof_damping[place[joint]] += abs(force) / speed
        self.data.qfrc_applied[place[joint]] = force

    def _changed_by_a_push(self) -> tuple[Any, ...]:
        """Return the arrays (nv,) of the model that a push writes to."""
        return self.model.dof_armature, self.model.dof_damping, self.model.dof_M0

    def release(self) -> None:
        """End a push."""
        for values, own in zip(self._changed_by_a_push(), self._own, strict=True):
            values[:] = own
        self.data.qfrc_applied[:] = 0.0

    def penetrations(self) -> dict[tuple[str, str], float]:
        """Return the depth of every pair of links in contact."""
        self._mujoco.mj_forward(self.model, self.data)
        owner = {k: name for name, k in self._body.items()}
        bodies = self.model.geom_bodyid[self.data.contact.geom.reshape(-1, 2)]
        return deepest(
            (owner.get(a, "world"), owner.get(b, "world"), max(0.0, -float(gap)))
            for (a, b), gap in zip(bodies.tolist(), self.data.contact.dist, strict=True)
        )
