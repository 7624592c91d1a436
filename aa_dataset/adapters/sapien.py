# SPDX-License-Identifier: Apache-2.0
"""SAPIEN on PhysX: single precision; visuals only with a rendering device.

SAPIEN couples joints by tendons, springs that support only parents and siblings. Instead, `step`
projects the velocities after each PhysX step onto the coupled motion, weighted by the mass matrix,
like a rigid gear. Use `step`, not the step function of the scene.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from aa_dataset.adapters.common import (
    Array,
    ObjectFiles,
    ObjectLike,
    Simulated,
    SimulatorError,
    couplings,
    deepest,
    frame_matrix,
    open_object,
    principal_body,
    require,
)
from aa_dataset.adapters.surroundings import LIGHT
from aa_dataset.kinematics.bodies import RigidBody
from aa_dataset.portable import quaternion_rotation
from aa_dataset.untrusted.obj import read_obj

TIMESTEP = 0.002  # s
GRAVITY = 9.81  # m/s^2
HOLD = 1e9  # N m s/rad or N s/m, drag of a held joint
MOST_EXCLUSIONS = 31  # bits of PhysX's collision groups that SAPIEN's loader uses
CONTACT = 1e-4  # m, distance of two parts below which PhysX looks at them; its 1 cm stops gears
FASTEST = 1e4  # rad/s or m/s; PhysX clips at 50 to 100, which a hand-turned spindle reaches


def load(
    item: ObjectLike,
    *,
    on_floor: bool = False,
    self_contacts: bool = False,
    dynamics: bool = True,
    scene: bool = False,
    visuals: bool = False,
) -> SapienObject:
    """Load an object; `visuals` needs a rendering device, other options as in all adapters.

    A `scene` has contacts, a floor and, with `visuals`, lights.
    """
    with warnings.catch_warnings():  # a missing Vulkan driver affects only visuals
        warnings.simplefilter("ignore")
        sapien = require("sapien", "the sapien loader", "sapien")
    files = open_object(item, dynamics=dynamics)
    systems = [_physics(sapien)]
    if visuals:
        systems.append(sapien.render.RenderSystem())
    stage = sapien.Scene(systems)
    stage.set_timestep(TIMESTEP)
    touch = self_contacts or scene
    articulation = _build_articulation(stage, files, visuals=visuals, collisions=touch)
    articulation.set_root_pose(sapien.Pose([0.0, 0.0, files.lift(on_floor or scene)]))
    if scene:
        stage.add_ground(0.0, render=visuals)
    if scene and visuals:
        stage.set_ambient_light([0.4, 0.4, 0.4])
        stage.add_directional_light(LIGHT, [1.0, 1.0, 1.0])
    return SapienObject(files, stage, articulation)


def _physics(sapien: Any) -> Any:
    """Return PhysX with contacts from the faces of convex parts.

    Its other method, persistent manifolds, finds parts of a few millimeters that are apart
    centimeters deep in each other.
    """
    config = sapien.physx.get_scene_config()  # the user's, which a new scene takes
    usual, config.enable_pcm = config.enable_pcm, False
    sapien.physx.set_scene_config(config)
    try:
        return sapien.physx.PhysxCpuSystem()
    finally:
        config.enable_pcm = usual
        sapien.physx.set_scene_config(config)


def _build_articulation(scene: Any, files: ObjectFiles, *, visuals: bool, collisions: bool) -> Any:
    """Build the articulation without SAPIEN's tendons."""
    root = ElementTree.fromstring(files.urdf.read_bytes())
    unwanted = [tag for tag, keep in (("visual", visuals), ("collision", collisions)) if not keep]
    for link in root.findall("link"):
        for tag in unwanted:
            for shape in link.findall(tag):
                link.remove(shape)
    for joint in root.findall("joint"):  # SAPIEN would add its reading of them to ours
        for element in joint.findall("dynamics"):
            joint.remove(element)
    loader = scene.create_urdf_loader()
    loader.fix_root_link = True
    loader.urdf_dir, loader.package_dir = str(files.urdf.parent), None
    loader.ignore_pairs = [set(pair) for pair in files.excluded]
    # `parse` reads a file; this is what it does with the file's text.
    _require_few_exclusions(files)
    (builder,), _, _ = loader._parse_urdf(ElementTree.tostring(root, encoding="unicode"))
    shapes = {one.name: _convex_shapes(one) for one in builder.link_builders}
    articulation = builder.build(build_mimic_joints=False)
    for link in articulation.get_links():
        for shape in shapes[link.name]:
            link.attach(shape)
        for shape in link.get_collision_shapes():
            shape.set_contact_offset(CONTACT)
    return articulation


def _convex_shapes(link: Any) -> list[Any]:
    """Take the OBJ files out of the builder of a link and return them as shapes of PhysX.

    PhysX leaves out corners of a hull within 0.7 mm of the others, and blows up thinner hulls. So a
    hull gets a size of 1 m, and its shape the scale that it needs.
    """
    meshes = [one for one in link.collision_records if one.filename.lower().endswith(".obj")]
    link.collision_records = [one for one in link.collision_records if one not in meshes]
    return [_convex_shape(one, link.collision_groups) for one in meshes]


def _convex_shape(record: Any, groups: Any) -> Any:
    """Return the shape of one convex mesh, with all corners of its hull."""
    physx = require("sapien", "the sapien loader", "sapien").physx
    points = read_obj(Path(record.filename).read_bytes()).points * np.asarray(record.scale)
    size = float(np.ptp(points, axis=0).max(initial=0.0)) or 1.0
    vertices, scale = np.asarray(points / size, np.float32), np.full(3, size, np.float32)
    shape = physx.PhysxCollisionShapeConvexMesh(vertices, scale, record.material)
    shape.local_pose = record.pose
    shape.set_collision_groups(groups)
    shape.set_density(record.density)
    return shape


def _require_few_exclusions(files: ObjectFiles) -> None:
    """Raise if SAPIEN has no collision group left for a pair of links without contacts."""
    adjacent = {frozenset((joint.parent, joint.child)) for joint in files.model.joints}
    count = sum(frozenset(pair) not in adjacent for pair in files.excluded)
    if count > MOST_EXCLUSIONS:
        raise SimulatorError(
            f"{files.urdf} excludes the contacts of {count} pairs of links that no joint connects, "
            f"but SAPIEN supports {MOST_EXCLUSIONS}; load it with mujoco, drake or pybullet."
        )


class SapienObject(Simulated):
    """`scene` and `articulation` are SAPIEN's own."""

    simulator = "sapien"

    def __init__(self, files: ObjectFiles, scene: Any, articulation: Any):
        super().__init__(files)
        self.scene, self.articulation = scene, articulation
        order = [joint.name for joint in articulation.get_active_joints()]
        place = {name: k for k, name in enumerate(order)}
        self._index = np.array([place[name] for name in self._names], dtype=int)
        coupled = couplings(files.model)
        self._leaders = np.array([place[one.leader] for one in coupled], dtype=int)
        self._followers = np.array([place[one.follower] for one in coupled], dtype=int)
        self._factors = np.array([one.multiplier for one in coupled])
        self._offsets = np.array([one.offset for one in coupled])
        free = np.delete(np.arange(articulation.dof), self._followers)
        # All rates from the independent ones.
        self._reduction = np.eye(articulation.dof)
        self._reduction[self._followers, self._followers] = 0.0
        self._reduction[self._followers, self._leaders] = self._factors
        self._reduction = self._reduction[:, free]
        self._joint = {joint.name: joint for joint in articulation.get_active_joints()}
        self._weights = _carried_weights(files)
        _remove_damping(articulation)
        self.release()
        self._masses = articulation.create_pinocchio_model() if coupled else None

    def _write_state(self, values: Mapping[str, float], rates: Mapping[str, float]) -> None:
        q, v = np.zeros(self.articulation.dof), np.zeros(self.articulation.dof)
        q[self._index] = [values[name] for name in self._names]
        v[self._index] = [rates[name] for name in self._names]
        self.articulation.set_qpos(q)
        self.articulation.set_qvel(v)

    def coordinates(self) -> dict[str, float]:
        """Return the coordinates."""
        values = np.asarray(self.articulation.get_qpos(), dtype=float)[self._index]
        return dict(zip(self._names, values.tolist(), strict=True))

    def frames(self) -> dict[str, Array]:
        """Return the frame of every link."""
        base = self.articulation.get_root_pose().inv()
        poses = {link.name: base * link.entity_pose for link in self.articulation.get_links()}
        return {
            name: frame_matrix(quaternion_rotation(pose.q), pose.p) for name, pose in poses.items()
        }

    def bodies(self) -> dict[str, RigidBody]:
        """Return the body of every link."""
        return {link.name: _loaded_body(link) for link in self.articulation.get_links()}

    def step(self, seconds: float) -> None:
        """Simulate."""
        for _ in range(round(seconds / TIMESTEP)):
            self.scene.step()
            self._project_on_coupled_motion()

    def _project_on_coupled_motion(self) -> None:
        """Project onto the coupled motion nearest in kinetic energy, and place the followers."""
        if self._masses is None:
            return
        q = np.asarray(self.articulation.get_qpos(), dtype=float)
        v = np.asarray(self.articulation.get_qvel(), dtype=float)
        weighted = self._reduction.T @ self._masses.compute_generalized_mass_matrix(q)
        q[self._followers] = self._factors * q[self._leaders] + self._offsets
        self.articulation.set_qpos(q)
        free = np.linalg.solve(weighted @ self._reduction, weighted @ v)
        self.articulation.set_qvel(self._reduction @ free)

    def push(self, joint: str, *, force: float, speed: float) -> None:
        """Push a joint; the others are held by a drag that nothing moves."""
        self.release()
        for name in self._held(joint):
            self._joint[name].set_drive_properties(0.0, HOLD, mode="force")
        drag = self.files.dynamics[joint].damping + abs(force) / speed
        self._joint[joint].set_drive_properties(0.0, drag, mode="force")
        self._joint[joint].set_drive_velocity_target(force / drag if force else 0.0)

    def release(self) -> None:
        """End a push; what is left is the joint's own damping, friction and armature."""
        for name, resists in self.files.dynamics.items():
            joint = self._joint[name]
            joint.set_drive_properties(0.0, resists.damping, mode="force")
            joint.set_drive_velocity_target(0.0)
            joint.set_friction(resists.friction / self._weights[name])
            joint.set_armature([resists.armature])

    def penetrations(self) -> dict[tuple[str, str], float]:
        """Return the depth of every pair of links in contact, computed by one step."""
        self.scene.step()
        return deepest(
            (c.bodies[0].entity.name, c.bodies[1].entity.name, -point.separation)
            for c in self.scene.get_contacts()
            for point in c.points
            if point.separation <= 0
        )


def _loaded_body(link: Any) -> RigidBody:
    pose = link.cmass_local_pose
    return principal_body(link.mass, pose.p, pose.q, link.inertia)


def _carried_weights(files: ObjectFiles) -> dict[str, float]:
    """Return the weight [N] behind every movable joint.

    PhysX has friction as a share of the force that a joint carries, which at rest is this weight.
    """
    masses = {n.name: n.inertial.mass if n.inertial else 0.0 for n in files.model.links}
    parents = {joint.child: joint.parent for joint in files.model.joints}
    carried = dict.fromkeys(masses, 0.0)
    for link, mass in masses.items():
        above: str | None = link
        while above is not None:
            carried[above] += mass
            above = parents.get(above)
    return {joint.name: GRAVITY * carried[joint.child] or 1.0 for joint in files.movable}


def _remove_damping(articulation: Any) -> None:
    """Remove damping of links, sleep and speed limit, which PhysX adds to the URDF."""
    articulation.set_sleep_threshold(0.0)
    for link in articulation.get_links():
        link.set_linear_damping(0.0)
        link.set_angular_damping(0.0)
        link.set_max_angular_velocity(FASTEST)
    for joint in articulation.get_active_joints():
        joint.set_max_velocity(FASTEST)
