# SPDX-License-Identifier: Apache-2.0
"""A folder of predictions, written whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from aa_dataset.errors import ArenaError
from aa_dataset.files import refused_as_sentence
from aa_dataset.kinematics.joints_file import write_joints
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.kinematics.urdf_writer import write_urdf
from aa_dataset.score.method import METHOD, Method

WRITERS = {"joints": ("joints.json", write_joints), "urdf": ("object.urdf", write_urdf)}


def require_free(folder: Path) -> None:
    """Raise `ArenaError` unless a folder is absent or empty and its parent exists."""
    if not folder.absolute().parent.is_dir():
        raise ArenaError(f"{folder.parent} is not a folder. Create it or choose another.")
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise ArenaError(f"{folder} is not a folder. Choose another name for the predictions.")
    if folder.is_dir() and any(folder.iterdir()):
        raise ArenaError(f"{folder} is not empty. Remove it or choose another folder.")


def write_predictions(
    folder: Path, predictions: Iterable[tuple[str, KinematicTree]], method: Method, form: str
) -> int:
    """Write ``<object_id>/joints.json`` or ``object.urdf`` of every tree; return their number.

    Everything is written to a folder beside it, which gets the name only if nothing failed.
    """
    name, write = WRITERS[form]
    count = 0
    with new_folder(folder) as temporary:
        for object_id, tree in predictions:
            (temporary / object_id).mkdir()
            (temporary / object_id / name).write_bytes(write(tree))
            count += 1
        (temporary / METHOD).write_bytes(method.as_bytes())
    return count


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Yield a folder beside a free one, which gets its name if nothing fails, else vanishes."""
    require_free(folder)
    target = folder.absolute()
    temporary = target.with_name(f"{target.name}.tmp{os.getpid()}")
    try:
        with refused_as_sentence(target, lambda: 0):
            temporary.mkdir()
            yield temporary
            temporary.replace(target)  # replaces an empty folder only
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
