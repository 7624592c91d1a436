# SPDX-License-Identifier: Apache-2.0
"""`inputs.json`, which says what the files of an object are, and the truth, which is kept apart."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from aa_dataset.inputs.layouts import LAYOUTS, mesh_name
from aa_dataset.inputs.make import Made
from aa_dataset.inputs.states import MOVED, REST

RECORD = "inputs.json"
VERSION = 1


def record(made: Made, files: Mapping[str, bytes]) -> bytes:
    """Return `inputs.json`: where the object is, how large, and the digest of every other file.

    All places and lengths are in the object frame of the library, also where the files of the
    layout are in another one: `frame` leads back, ``meters = given * scale + center``.
    """
    rest = made.states[REST].extent
    content = {
        "version": VERSION,
        "object": made.name,
        "revision": made.revision,
        "unit": "m",
        "up": "z",
        "front": made.front,
        # With the library, the seed of neutral names tells whose they are.
        "seed": None if made.settings.blind else made.settings.seed,
        "layout": made.settings.layout,
        "views": made.settings.views,
        "size": made.settings.size,
        "frame": LAYOUTS[made.settings.layout].frame(made).as_dict(),
        "center": (rest.center + 0.0).tolist(),
        "extents": rest.extents.tolist(),
        "radius": rest.radius,
        "sphere_radius": rest.sphere_radius,
        "mesh_center": rest.centroid.tolist(),
        "depth_scale": made.depth_scale,
        "states": {
            name: {"mesh": mesh_name(made, name), **state.extent.as_dict()}
            for name, state in made.states.items()
        },
        "files": {name: hashlib.sha256(data).hexdigest() for name, data in sorted(files.items())},
    }
    return _json(content)


def truth_record(made: Made, object_id: str) -> bytes:
    """Return the joint values of the second state, and the links that `truth_labels` numbers."""
    links = sorted(set(made.links))
    return _json({"object": object_id, "joints": dict(made.coordinates), "links": links})


def truth_labels(made: Made) -> bytes:
    """Return the link of every triangle, in the order of the meshes, as npz: `rest` and `moved`."""
    links = sorted(set(made.links))
    numbers = np.array([links.index(link) for link in made.links], dtype=np.int32)
    stream = io.BytesIO()
    named = {name: numbers[made.states[name].mesh.pieces] for name in (REST, MOVED)}
    np.savez(stream, **named)  # type: ignore[arg-type]
    return stream.getvalue()


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, allow_nan=False) + "\n").encode()
