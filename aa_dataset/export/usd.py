# SPDX-License-Identifier: Apache-2.0
"""USD with the UsdPhysics schemas, as one text stage next to its textures.

UsdPhysics has no screw joint: a helical joint is a revolute and a prismatic joint with a carrier
link, as in the URDF. A follower has ``arena:coupling:leader|multiplier|offset`` (rad and m;
authoritative) and the attributes of PhysX's mimic joint, without NVIDIA's schema:
``q + gearing * q_leader + offset = 0`` in degrees and m. The schemas prescribe single precision.
Dynamics are ``arena:dynamics:damping|friction|armature`` (rad, m, kg; authoritative), with damping
also as a drive without stiffness, per degree, and armature as PhysX's attribute.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from aa_dataset.adapters.common import require
from aa_dataset.export.parts import Array, ExportLook, Mesh, Parts
from aa_dataset.kinematics.bodies import RigidBody
from aa_dataset.kinematics.urdf import Dynamics, Shape, UrdfJoint, UrdfLink

ROOT = "/object"


def files(parts: Parts) -> dict[str, bytes]:
    """Return every file of the export by name."""
    pxr = _Pxr()
    writer = _Writer(pxr, parts)
    stage: str = writer.stage.GetRootLayer().ExportToString()
    textures = {name: data for name, data in parts.mesh_files().items() if _is_picture(name)}
    return {"object.usda": stage.encode(), **textures}


def _is_picture(name: str) -> bool:
    return not name.endswith((".obj", ".mtl"))


class _Pxr:
    """The modules of usd-core, imported on use."""

    def __init__(self) -> None:
        self.Gf, self.Sdf, self.Usd, self.UsdGeom, self.UsdPhysics, self.UsdShade, self.Vt = (
            require(f"pxr.{name}", "the USD export", "usd")
            for name in ("Gf", "Sdf", "Usd", "UsdGeom", "UsdPhysics", "UsdShade", "Vt")
        )


class _Writer:
    """Writes one object to one stage."""

    def __init__(self, pxr: _Pxr, parts: Parts):
        self.pxr, self.parts = pxr, parts
        self.stage = pxr.Usd.Stage.CreateInMemory()
        pxr.UsdGeom.SetStageUpAxis(self.stage, pxr.UsdGeom.Tokens.z)
        pxr.UsdGeom.SetStageMetersPerUnit(self.stage, 1.0)
        pxr.UsdPhysics.SetStageKilogramsPerUnit(self.stage, 1.0)
        root = pxr.UsdGeom.Xform.Define(self.stage, ROOT)
        root.GetPrim().SetDisplayName(parts.files.model.name or "object")
        pxr.UsdPhysics.ArticulationRootAPI.Apply(root.GetPrim())
        self.stage.SetDefaultPrim(root.GetPrim())
        for scope in ("looks", "links", "joints"):
            pxr.UsdGeom.Scope.Define(self.stage, f"{ROOT}/{scope}")
        self._looks: dict[ExportLook, Any] = {}
        for link in parts.files.model.links:
            self._write_link(link)
        for joint in parts.files.model.joints:
            self._write_joint(joint)
        for first, second in parts.files.excluded:
            prim = self.stage.GetPrimAtPath(f"{ROOT}/links/{first}")
            pairs = pxr.UsdPhysics.FilteredPairsAPI.Apply(prim).CreateFilteredPairsRel()
            pairs.AddTarget(f"{ROOT}/links/{second}")

    def _write_link(self, link: UrdfLink) -> None:
        pxr, path = self.pxr, f"{ROOT}/links/{link.name}"
        xform = pxr.UsdGeom.Xform.Define(self.stage, path)
        frame = self.parts.rest[link.name]
        xform.AddTranslateOp().Set(pxr.Gf.Vec3d(*frame[:3, 3].tolist()))
        if not np.array_equal(frame[:3, :3], np.eye(3)):
            xform.AddOrientOp().Set(self._quaternion(frame[:3, :3]))
        pxr.UsdPhysics.RigidBodyAPI.Apply(xform.GetPrim())
        if link.name in self.parts.bodies:
            self._write_mass(xform.GetPrim(), self.parts.bodies[link.name])
        for number, shape in enumerate(link.visuals):
            mesh = self._write_mesh(f"{path}/visual_{number}", shape)
            pxr.UsdShade.MaterialBindingAPI.Apply(mesh.GetPrim()).Bind(self._material_of(shape))
        for number, shape in enumerate(link.collisions):
            self._write_collision(self._write_mesh(f"{path}/collision_{number}", shape))

    def _write_mass(self, prim: Any, body: RigidBody) -> None:
        gf = self.pxr.Gf
        moments, axes = principal_axes(body.inertia)
        mass = self.pxr.UsdPhysics.MassAPI.Apply(prim)
        mass.CreateMassAttr(float(body.mass))
        mass.CreateCenterOfMassAttr(gf.Vec3f(*body.center.tolist()))
        mass.CreateDiagonalInertiaAttr(gf.Vec3f(*moments.tolist()))
        mass.CreatePrincipalAxesAttr(self._quaternion(axes))

    def _quaternion(self, rotation: Array) -> Any:
        w, x, y, z = rotation_quaternion(rotation)
        return self.pxr.Gf.Quatf(w, x, y, z)

    def _write_mesh(self, path: str, shape: Shape) -> Any:
        pxr, found = self.pxr, self.parts.mesh(shape.geometry.filename)
        mesh = pxr.UsdGeom.Mesh.Define(self.stage, path)
        mesh.GetPrim().SetDisplayName(shape.name)
        mesh.CreatePointsAttr(pxr.Vt.Vec3fArray.FromNumpy(found.points.astype(np.float32)))
        counts = np.full(len(found.corners), 3, dtype=np.int32)
        mesh.CreateFaceVertexCountsAttr(pxr.Vt.IntArray.FromNumpy(counts))
        corners = found.corners.astype(np.int32).ravel()
        mesh.CreateFaceVertexIndicesAttr(pxr.Vt.IntArray.FromNumpy(corners))
        mesh.CreateSubdivisionSchemeAttr(pxr.UsdGeom.Tokens.none)
        ends = np.stack([found.points.min(axis=0), found.points.max(axis=0)]).astype(np.float32)
        mesh.CreateExtentAttr(pxr.Vt.Vec3fArray.FromNumpy(ends))
        self._texture_coordinates(mesh, found)
        return mesh

    def _texture_coordinates(self, mesh: Any, found: Mesh) -> None:
        if found.uv is None or found.uv_corners is None:
            return
        pxr = self.pxr
        name = ("st", pxr.Sdf.ValueTypeNames.TexCoord2fArray, pxr.UsdGeom.Tokens.faceVarying)
        values = pxr.UsdGeom.PrimvarsAPI(mesh).CreatePrimvar(*name)
        values.Set(pxr.Vt.Vec2fArray.FromNumpy(found.uv.astype(np.float32)))
        corners = found.uv_corners.astype(np.int32).ravel()
        values.SetIndices(pxr.Vt.IntArray.FromNumpy(corners))

    def _write_collision(self, mesh: Any) -> None:
        pxr = self.pxr
        mesh.CreatePurposeAttr(pxr.UsdGeom.Tokens.guide)
        pxr.UsdPhysics.CollisionAPI.Apply(mesh.GetPrim())
        hull = pxr.UsdPhysics.MeshCollisionAPI.Apply(mesh.GetPrim())
        hull.CreateApproximationAttr(pxr.UsdPhysics.Tokens.convexHull)

    def _material_of(self, shape: Shape) -> Any:
        look = self.parts.look(shape)
        if look not in self._looks:
            self._looks[look] = self._new_material(f"{ROOT}/looks/look_{len(self._looks)}", look)
        return self._looks[look]

    def _new_material(self, path: str, look: ExportLook) -> Any:
        pxr, kinds = self.pxr, self.pxr.Sdf.ValueTypeNames
        material = pxr.UsdShade.Material.Define(self.stage, path)
        surface = self._add_shader(f"{path}/surface", "UsdPreviewSurface")
        color = surface.CreateInput("diffuseColor", kinds.Color3f)
        color.Set(pxr.Gf.Vec3f(*look.rgba[:3]))
        surface.CreateInput("opacity", kinds.Float).Set(look.rgba[3])
        surface.CreateInput("roughness", kinds.Float).Set(0.8)
        output = surface.CreateOutput("surface", kinds.Token)
        material.CreateSurfaceOutput().ConnectToSource(output)
        if look.texture is not None:
            color.ConnectToSource(self._write_texture(path, look.texture))
        return material

    def _write_texture(self, path: str, name: str) -> Any:
        kinds = self.pxr.Sdf.ValueTypeNames
        reader = self._add_shader(f"{path}/st", "UsdPrimvarReader_float2")
        reader.CreateInput("varname", kinds.String).Set("st")
        texture = self._add_shader(f"{path}/texture", "UsdUVTexture")
        texture.CreateInput("file", kinds.Asset).Set(self.pxr.Sdf.AssetPath(f"./{name}"))
        texture.CreateInput("st", kinds.Float2).ConnectToSource(
            reader.CreateOutput("result", kinds.Float2)
        )
        for side in ("wrapS", "wrapT"):
            texture.CreateInput(side, kinds.Token).Set("repeat")
        return texture.CreateOutput("rgb", kinds.Float3)

    def _add_shader(self, path: str, kind: str) -> Any:
        shader = self.pxr.UsdShade.Shader.Define(self.stage, path)
        shader.CreateIdAttr(kind)
        return shader

    def _write_joint(self, joint: UrdfJoint) -> None:
        physics, path = self.pxr.UsdPhysics, f"{ROOT}/joints/{joint.name}"
        schema = {
            "fixed": physics.FixedJoint,
            "prismatic": physics.PrismaticJoint,
        }.get(joint.type, physics.RevoluteJoint)
        made = schema.Define(self.stage, path)
        made.CreateBody0Rel().SetTargets([f"{ROOT}/links/{joint.parent}"])
        made.CreateBody1Rel().SetTargets([f"{ROOT}/links/{joint.child}"])
        self._place_joint_frames(made, joint)
        if joint.type != "fixed":
            self._write_limits(made, joint)
        if joint.dynamics is not None:
            self._write_dynamics(made.GetPrim(), joint, joint.dynamics)
        if joint.mimic is not None:
            self._write_mimic(made.GetPrim(), joint)

    def _place_joint_frames(self, made: Any, joint: UrdfJoint) -> None:
        """Place both joint frames at the child's origin, with x along the axis."""
        vector = self.pxr.Gf.Vec3f
        turn = np.eye(3) if joint.axis is None else rotation_from_x(joint.axis)
        made.CreateLocalPos0Attr(vector(*joint.pose[:3, 3].tolist()))
        made.CreateLocalRot0Attr(self._quaternion(joint.pose[:3, :3] @ turn))
        made.CreateLocalPos1Attr(vector(0.0, 0.0, 0.0))
        made.CreateLocalRot1Attr(self._quaternion(turn))

    def _write_limits(self, made: Any, joint: UrdfJoint) -> None:
        made.CreateAxisAttr(self.pxr.UsdGeom.Tokens.x)
        if joint.lower is not None and joint.upper is not None:
            unit = 1.0 if joint.type == "prismatic" else 180 / math.pi
            made.CreateLowerLimitAttr(joint.lower * unit)
            made.CreateUpperLimitAttr(joint.upper * unit)
        double = self.pxr.Sdf.ValueTypeNames.Double
        for key, value in (("effort", joint.effort), ("velocity", joint.velocity)):
            if value is not None:
                made.GetPrim().CreateAttribute(f"arena:limit:{key}", double).Set(value)

    def _write_dynamics(self, prim: Any, joint: UrdfJoint, resists: Dynamics) -> None:
        """Write damping as a drive without stiffness, and all three in rad, m and kg."""
        kinds, is_slide = self.pxr.Sdf.ValueTypeNames, joint.type == "prismatic"
        for key in ("damping", "friction", "armature"):
            value = getattr(resists, key)
            prim.CreateAttribute(f"arena:dynamics:{key}", kinds.Double).Set(value)
        drive = self.pxr.UsdPhysics.DriveAPI.Apply(prim, "linear" if is_slide else "angular")
        drive.CreateStiffnessAttr(0.0)
        drive.CreateDampingAttr(resists.damping * (1.0 if is_slide else math.pi / 180))
        prim.AddAppliedSchema("PhysxJointAPI")
        prim.CreateAttribute("physxJoint:armature", kinds.Float).Set(resists.armature)

    def _write_mimic(self, prim: Any, joint: UrdfJoint) -> None:
        assert joint.mimic is not None  # checked by the caller
        kinds, mimic = self.pxr.Sdf.ValueTypeNames, joint.mimic
        leader = f"{ROOT}/joints/{mimic.joint}"
        prim.CreateRelationship("arena:coupling:leader").SetTargets([leader])
        prim.CreateAttribute("arena:coupling:multiplier", kinds.Double).Set(mimic.multiplier)
        prim.CreateAttribute("arena:coupling:offset", kinds.Double).Set(mimic.offset)
        own = 1.0 if joint.type == "prismatic" else 180 / math.pi
        driver = next(one for one in self.parts.files.model.joints if one.name == mimic.joint)
        other = 1.0 if driver.type == "prismatic" else 180 / math.pi
        axis = "transX" if joint.type == "prismatic" else "rotX"
        prim.AddAppliedSchema(f"PhysxMimicJointAPI:{axis}")
        prefix = f"physxMimicJoint:{axis}"
        prim.CreateRelationship(f"{prefix}:referenceJoint").SetTargets([leader])
        gearing = -mimic.multiplier * own / other
        prim.CreateAttribute(f"{prefix}:gearing", kinds.Float).Set(gearing)
        prim.CreateAttribute(f"{prefix}:offset", kinds.Float).Set(0.0 - mimic.offset * own)


def principal_axes(inertia: Array) -> tuple[Array, Array]:
    """Return moments (3,) and a rotation (3, 3) whose columns are their axes."""
    if np.array_equal(inertia, np.diag(np.diag(inertia))):
        return np.diag(inertia), np.eye(3)  # a solver's axes for equal moments are arbitrary
    moments, axes = np.linalg.eigh(inertia)
    axes[:, 2] *= np.sign(np.linalg.det(axes))
    return moments, axes


def rotation_from_x(axis: Array) -> Array:
    """Return a rotation (3, 3) that turns x onto a direction."""
    first = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    helper = np.eye(3)[int(np.argmin(np.abs(first)))]
    second = np.cross(helper, first)
    second /= np.linalg.norm(second)
    return np.stack([first, second, np.cross(first, second)], axis=1)


def rotation_quaternion(rotation: Array) -> tuple[float, float, float, float]:
    """Return (w, x, y, z) of a rotation matrix, w not negative."""
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_matrix(rotation).as_quat(canonical=True).tolist()
    return w, x, y, z
