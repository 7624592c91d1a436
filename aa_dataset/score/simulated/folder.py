# SPDX-License-Identifier: Apache-2.0
"""The ground truth as a folder of a method's files, with what their registration needs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from aa_dataset.dataset import Dataset
from aa_dataset.errors import ArenaError
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.objects import ArticulatedObject
from aa_dataset.score.baselines.folder import new_folder
from aa_dataset.score.method import METHOD, Method
from aa_dataset.score.readers.folder_files import REGISTRATION
from aa_dataset.score.registration.file import write_registration
from aa_dataset.score.registration.inputs import INPUTS, STATE, shape_content
from aa_dataset.score.registration.record import Given
from aa_dataset.score.simulated.object_setting import setting_of
from aa_dataset.score.simulated.registry import simulated_named
from aa_dataset.score.simulated.setting import Setting, Written

TRUTH = "the ground truth"
REFERENCE = "docs/readers.md"
REST_NOTE = "the state of the input, which the format does not tell"


@dataclass(frozen=True, slots=True)
class Simulated:
    """The number of objects that were written, and why others have no file."""

    count: int
    refused: Mapping[str, str]


def inputs_beside(folder: Path) -> Path:
    """Return the folder of `inputs.json` files that belongs to a folder of predictions."""
    return folder.with_name(f"{folder.name}.inputs")


def write_simulated(name: str, dataset: Dataset, folder: Path, *, seed: int = 0) -> Simulated:
    """Write every object in the format of a method; an object that it cannot hold gets no file.

    Parameters
    ----------
    name : str
        One of `registry.NAMES`.
    dataset : Dataset
        The objects.
    folder : Path
        Absent or empty; beside it, ``<folder>.inputs`` receives `inputs.json` files.
    seed : int
        For what a format leaves open.
    """
    count, refused = 0, dict[str, str]()
    with new_folder(inputs_beside(folder)) as inputs, new_folder(folder) as predictions:
        for item in dataset:
            setting = setting_of(item, seed)
            try:
                written = write_in_format(name, item.tree, setting)
            except ArenaError as error:
                refused[item.object_id] = str(error)
                continue
            _put(predictions / item.object_id, dict(_files(written)))
            if written.saved is None:  # else the method was given another mesh than that at rest
                _put(inputs / item.object_id, {INPUTS: _inputs_bytes(setting)})
            count += 1
        method = Method(f"{name} (simulated)", REFERENCE, TRUTH, uses_truth=True)
        (predictions / METHOD).write_bytes(method.as_bytes())
    return Simulated(count, refused)


def write_in_format(name: str, tree: KinematicTree, setting: Setting) -> Written:
    """Return the files of a tree in a format, or raise `ArenaError` if it cannot hold it."""
    method = simulated_named(name)
    return method.write(method.keep_expressible(tree, setting), setting)


def expressible_tree(name: str, item: ArticulatedObject, seed: int = 0) -> KinematicTree:
    """Return what a format can express of an object, in the object frame at rest."""
    return simulated_named(name).keep_expressible(item.tree, setting_of(item, seed))


def _files(written: Written) -> Iterator[tuple[str, bytes]]:
    yield from written.files.items()
    if written.rest or written.saved is not None:
        given = Given(written.saved, written.rest)
        yield REGISTRATION, write_registration(given, REST_NOTE)


def _put(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _inputs_bytes(setting: Setting) -> bytes:
    """Return what the registration reads of the `inputs.json` of `aa inputs`."""
    content = {"unit": "m", "states": {STATE: shape_content(setting.shape)}}
    return (json.dumps(content, indent=1) + "\n").encode()
