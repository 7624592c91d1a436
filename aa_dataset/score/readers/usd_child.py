# SPDX-License-Identifier: Apache-2.0
"""Reads the joints of one USD layer in a process of its own, and prints them as JSON.

The library that reads USD can crash or run without end on a damaged file, so `aa score` never loads
a prediction into its own process. Run as ``python -m aa_dataset.score.readers.usd_child FILE``.
"""

from __future__ import annotations

import json
import resource
import sys
from importlib import import_module
from typing import Any

# A last resort: a layer of the largest tree takes a tenth of a second. Memory is address space.
MOST_SECONDS, MOST_MEMORY = 20, 4_000_000_000
UNREADABLE = "it is not a readable USD layer"


def main(path: str) -> int:
    """Print what the layer holds; 3 if USD is not installed."""
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        sdf, tf, usd, geom, physics = (
            import_module(f"pxr.{name}") for name in ("Sdf", "Tf", "Usd", "UsdGeom", "UsdPhysics")
        )
    except ImportError:
        return 3
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    try:
        layer = sdf.Layer.OpenAsAnonymous(path)
        found = _problem(layer) or _content(usd.Stage.Open(layer), usd, geom, physics)
    except tf.ErrorException:
        found = {"problem": UNREADABLE}
    sys.stdout.write(json.dumps(found))
    return 0


def _problem(layer: Any) -> dict[str, str]:
    """Return why a layer is not opened as a stage; empty if it is alone."""
    if layer is None:
        return {"problem": UNREADABLE}
    others = layer.GetCompositionAssetDependencies()
    return {"problem": "it refers to other layers"} if others else {}


def _content(stage: Any, usd: Any, geom: Any, physics: Any) -> dict[str, Any]:
    cache = geom.XformCache(usd.TimeCode.Default())
    joints, bodies = [], {}
    for prim in stage.Traverse():
        if prim.IsA(physics.Joint):
            joints.append(_joint(prim, physics))
        elif prim.HasAPI(physics.RigidBodyAPI):
            place = cache.GetLocalToWorldTransform(prim)
            bodies[str(prim.GetPath())] = [list(row) for row in place]
    return {
        "up": str(geom.GetStageUpAxis(stage)),
        "meters": geom.GetStageMetersPerUnit(stage),
        "bodies": bodies,
        "joints": joints,
    }


def _joint(prim: Any, physics: Any) -> dict[str, Any]:
    joint = physics.Joint(prim)
    ends = [joint.GetBody0Rel().GetTargets(), joint.GetBody1Rel().GetTargets()]
    frames = [
        [_listed(prim.GetAttribute(f"physics:localPos{k}").Get()),
         _quaternion(prim.GetAttribute(f"physics:localRot{k}").Get())]
        for k in (0, 1)
    ]  # fmt: skip
    limits = [prim.GetAttribute(f"physics:{end}Limit").Get() for end in ("lower", "upper")]
    return {
        "name": prim.GetName(),
        "type": str(prim.GetTypeName()),
        "ends": [str(one[0]) if one else "" for one in ends],
        "frames": frames,
        "axis": str(prim.GetAttribute("physics:axis").Get()),
        # JSON has no infinity.
        "limits": [None if one is None or abs(one) == float("inf") else one for one in limits],
        "loop": bool(joint.GetExcludeFromArticulationAttr().Get()),
    }


def _listed(value: Any) -> list[float]:
    return [0.0, 0.0, 0.0] if value is None else [float(one) for one in value]


def _quaternion(value: Any) -> list[float]:
    if value is None:
        return [1.0, 0.0, 0.0, 0.0]
    return [float(value.GetReal()), *map(float, value.GetImaginary())]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
