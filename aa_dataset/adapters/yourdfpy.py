# SPDX-License-Identifier: Apache-2.0
"""yourdfpy: the URDF of an object with its textures, posed by joint coordinates.

yourdfpy looks for meshes in several folders and only warns if one is absent. Here every mesh is the
file beside the URDF, and an absent one is an error.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from aa_dataset.adapters.common import ObjectLike, SimulatorError, open_object
from aa_dataset.errors import optional
from aa_dataset.format.layout import ObjectLayout
from aa_dataset.untrusted.inside import is_below


def load(item: ObjectLike, **options: Any) -> Any:
    """Return a `yourdfpy.URDF` (extra ``mesh``).

    Parameters
    ----------
    item : ArticulatedObject, Path or str
        An object of a library, or a folder or URDF.
    options
        Those of `yourdfpy.URDF.load`, such as ``load_collision_meshes=True``.

    Returns
    -------
    yourdfpy.URDF
        ``scene`` has a mesh per link and material, with its texture. ``update_cfg({joint: value})``
        moves it; joints that follow another follow. Without a mapping, ``actuated_joint_names`` is
        the order of the values.
    """
    yourdfpy = optional("yourdfpy", "the yourdfpy adapter", "mesh")
    urdf = open_object(item).urdf
    return yourdfpy.URDF.load(str(urdf), filename_handler=_Place(urdf.parent), **options)


class _Place:
    """Finds the files of one object, and no others."""

    def __init__(self, folder: Path):
        self._layout = ObjectLayout(folder)

    def __call__(self, fname: str) -> str:
        path = self._layout.file(fname)
        if not (is_below(path, self._layout.root) and path.is_file()):
            raise SimulatorError(
                f"the URDF names the mesh {fname!r}, which is not beside it. Run `aa verify`, or "
                "unpack the object again."
            )
        return str(path)
