# SPDX-License-Identifier: Apache-2.0
"""Drake: its own parser and a discrete plant, whose solver handles limits and couplings."""

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
    SimulatorError,
    couplings,
    deepest,
    open_object,
    require,
)
from aa_dataset.adapters.surroundings import FLOOR_COLORS
from aa_dataset.format.layout import ObjectLayout
from aa_dataset.kinematics.bodies import RigidBody

TIMESTEP = 0.002  # s


def load(
    item: ObjectLike,
    *,
    on_floor: bool = False,
    self_contacts: bool = False,
    dynamics: bool = True,
    scene: bool = False,
) -> DrakeObject:
    """Load an object, with `on_floor` resting on z = 0, with `self_contacts` between its parts.

    Without `dynamics` nothing resists its joints; Drake has damping and armature, no dry friction.
    A `scene` has both of the above and a floor.
    """
    drake = require("pydrake.all", "the drake loader", "drake")
    files = open_object(item, dynamics=dynamics)
    builder = drake.DiagramBuilder()
    plant, geometry = drake.AddMultibodyPlantSceneGraph(builder, TIMESTEP)
    (instance,) = drake.Parser(plant).AddModelsFromString(_frictionless_text(files), "urdf")
    up = drake.RigidTransform([0.0, 0.0, files.lift(on_floor or scene)])
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName(files.root, instance), up)
    if plant.num_constraints() != len(couplings(files.model)):
        raise SimulatorError(f"the couplings in drake differ from the `<mimic>`s of {files.urdf}.")
    if scene:
        _add_floor(drake, plant)
    elif not self_contacts:
        bodies = [plant.get_body(k) for k in plant.GetBodyIndices(instance)]
        parts = plant.CollectRegisteredGeometries(bodies)
        apart = drake.CollisionFilterDeclaration().ExcludeWithin(parts)
        geometry.collision_filter_manager().Apply(apart)
    for pair in files.excluded:
        sets = [plant.CollectRegisteredGeometries([plant.GetBodyByName(n, instance)]) for n in pair]
        apart = drake.CollisionFilterDeclaration().ExcludeBetween(*sets)
        geometry.collision_filter_manager().Apply(apart)
    _add_dynamics(plant, instance, files)
    plant.Finalize()
    return DrakeObject(files, drake, builder.Build(), (plant, instance))


def _add_floor(drake: Any, plant: Any) -> None:
    """Add the half space below z = 0."""
    shape, friction = (drake.HalfSpace(), drake.CoulombFriction(1.0, 1.0))
    place = drake.RigidTransform()
    plant.RegisterCollisionGeometry(plant.world_body(), place, shape, "scene-floor", friction)
    color = [*FLOOR_COLORS[0], 1.0]
    plant.RegisterVisualGeometry(plant.world_body(), place, shape, "scene-floor", color)


def _frictionless_text(files: ObjectFiles) -> str:
    """Return the URDF without `<dynamics>`, of which Drake warns, with addresses of meshes."""
    root = ElementTree.fromstring(files.urdf.read_bytes())
    for joint in root.findall("joint"):
        for element in joint.findall("dynamics"):
            joint.remove(element)
    place = ObjectLayout(files.urdf.parent.resolve())
    for mesh in root.iter("mesh"):
        mesh.set("filename", place.file(mesh.get("filename", "")).as_uri())
    return ElementTree.tostring(root, encoding="unicode")


def _add_dynamics(plant: Any, instance: Any, files: ObjectFiles) -> None:
    """Set damping and armature; the latter is the rotor of an actuator, whose input is 0."""
    for name, resists in files.dynamics.items():
        joint = plant.GetJointByName(name, instance)
        joint.set_default_damping(resists.damping)
        if resists.armature:
            motor = plant.AddJointActuator(name, joint)
            motor.set_default_rotor_inertia(resists.armature)
            motor.set_default_gear_ratio(1.0)


class DrakeObject(Simulated):
    """`diagram`, `plant` and `simulator_` are drake's own; `context` is the plant's."""

    simulator = "drake"

    def __init__(self, files: ObjectFiles, drake: Any, diagram: Any, model: tuple[Any, Any]):
        super().__init__(files)
        self.diagram, (self.plant, instance) = diagram, model
        self.simulator_ = drake.Simulator(diagram)
        self.context = self.plant.GetMyMutableContextFromRoot(self.simulator_.get_mutable_context())
        plant = self.plant
        self._body = {n.name: plant.GetBodyByName(n.name, instance) for n in files.model.links}
        self._joint = {name: plant.GetJointByName(name, instance) for name in self._names}
        joints = self._joint.values()
        self._q = np.array([joint.position_start() for joint in joints], dtype=int)
        self._v = np.array([joint.velocity_start() for joint in joints], dtype=int)

    def _write_state(self, values: Mapping[str, float], rates: Mapping[str, float]) -> None:
        q, v = np.zeros(self.plant.num_positions()), np.zeros(self.plant.num_velocities())
        q[self._q] = [values[name] for name in self._names]
        v[self._v] = [rates[name] for name in self._names]
        self.plant.SetPositions(self.context, q)
        self.plant.SetVelocities(self.context, v)

    def coordinates(self) -> dict[str, float]:
        """Return the coordinates."""
        values = self.plant.GetPositions(self.context)[self._q]
        return dict(zip(self._names, values.tolist(), strict=True))

    def frames(self) -> dict[str, Array]:
        """Return the frame of every link."""
        evaluate = self.plant.EvalBodyPoseInWorld
        poses = {n: evaluate(self.context, b).GetAsMatrix4() for n, b in self._body.items()}
        base = poses[self.files.root][:3, 3].copy()
        for pose in poses.values():
            pose[:3, 3] -= base
        return poses

    def bodies(self) -> dict[str, RigidBody]:
        """Return the body of every link."""
        return {name: self._loaded_body(body) for name, body in self._body.items()}

    def _loaded_body(self, body: Any) -> RigidBody:
        inertia = body.CalcSpatialInertiaInBodyFrame(self.context)
        center = inertia.get_com()
        about_center = inertia.Shift(center).CalcRotationalInertia().CopyToFullMatrix3()
        return RigidBody(inertia.get_mass(), center, about_center)

    def step(self, seconds: float) -> None:
        """Simulate."""
        now = self.simulator_.get_context().get_time()
        self.simulator_.AdvanceTo(now + seconds)

    def push(self, joint: str, *, force: float, speed: float) -> None:
        """Push a joint; the others are locked.

        Their followers are held by the coupling: Drake fails if both ends of one are locked.
        """
        self.release()
        for name in self._held(joint):
            self._joint[name].Lock(self.context)
        own, forces = self._joint[joint], np.zeros(self.plant.num_velocities())
        forces[own.velocity_start()] = force
        own.SetDamping(self.context, own.default_damping() + abs(force) / speed)
        self.plant.get_applied_generalized_force_input_port().FixValue(self.context, forces)

    def release(self) -> None:
        """End a push."""
        for joint in self._joint.values():
            joint.Unlock(self.context)
            joint.SetDamping(self.context, joint.default_damping())
        still = np.zeros(self.plant.num_velocities())
        self.plant.get_applied_generalized_force_input_port().FixValue(self.context, still)

    def penetrations(self) -> dict[tuple[str, str], float]:
        """Return the depth of every pair of links in contact.

        Queries the geometry, because the plant's contact results are those of its last step.
        """
        query = self.plant.get_geometry_query_input_port().Eval(self.context)
        owner = {
            shape: name
            for name, body in self._body.items()
            for shape in self.plant.GetCollisionGeometriesForBody(body)
        }
        pairs = query.ComputePointPairPenetration()
        return deepest(
            (owner.get(pair.id_A, "world"), owner.get(pair.id_B, "world"), pair.depth)
            for pair in pairs
        )
