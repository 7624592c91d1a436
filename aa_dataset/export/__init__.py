# SPDX-License-Identifier: Apache-2.0
"""Export of one object as MJCF, SDF or USD, to a new folder with all its files."""

from __future__ import annotations

import importlib
from pathlib import Path

from aa_dataset.adapters.common import ObjectLike
from aa_dataset.assets.cache import ensure_folder
from aa_dataset.export.parts import ExportError, Parts
from aa_dataset.export.scenes import SCENES, scene_file
from aa_dataset.format.layout import ObjectLayout

FORMATS = {"mjcf": "object.xml", "sdf": "object.sdf", "usd": "object.usda"}

__all__ = ["FORMATS", "SCENES", "ExportError", "export"]


def export(item: ObjectLike, folder: Path, *, format: str, scene: bool = False) -> Path:
    """Write an object as MJCF, SDF or USD and return the main file.

    Parameters
    ----------
    item : object of a library, folder or URDF
        The object to export.
    folder : Path
        Must not exist; it is created atomically, with meshes and textures.
    format : str
        One of `FORMATS`.
    scene : bool
        Whether to write a scene as well: floor, light, camera, time step and key frames around the
        fixed object. Its file is then the main one.
    """
    if format not in FORMATS:
        raise ExportError(f"{format!r} is not a format; choose one of {', '.join(FORMATS)}.")
    if folder.exists():
        raise ExportError(f"{folder} exists. Remove it or choose another folder.")
    if any(above.exists() and not above.is_dir() for above in folder.parents):
        raise ExportError(f"a parent of {folder} is a file. Choose another folder.")
    parts, main = Parts.of(item), FORMATS[format]
    files: dict[str, bytes] = importlib.import_module(f"{__name__}.{format}").files(parts)
    if scene:
        document, main = files[main], SCENES[format]
        files[main] = scene_file(parts, format, document)
    ensure_folder(folder, lambda temporary: _write_files(temporary, files))
    return ObjectLayout(folder).file(main)


def _write_files(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        path = ObjectLayout(folder).file(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
