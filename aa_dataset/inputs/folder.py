# SPDX-License-Identifier: Apache-2.0
"""Writes the inputs of many objects into a folder: whole objects only, by several processes.

An object is written into a hidden folder, which gets its name when it is complete. A run that was
interrupted continues where it stopped. `settings.json` holds what every object was made with.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aa_dataset.dataset import Dataset
from aa_dataset.errors import RenderError
from aa_dataset.files import flush_disk, free_bytes, refused_as_sentence, write_bytes
from aa_dataset.inputs.layouts import LAYOUTS
from aa_dataset.inputs.make import InputsError, Made, Settings, make
from aa_dataset.inputs.record import RECORD, record, truth_labels, truth_record
from aa_dataset.inputs.seeds import order
from aa_dataset.metric.tree.processes import Workers
from aa_dataset.untrusted.safe_json import JsonError, parse_json

SETTINGS, TRUTH = "settings.json", "truth"
HIDDEN = ".making-"  # begins the name of a folder that is not complete
# Bytes of a pixel, of a point and of an object, as `eval200` has them; benchmarks/inputs.py shows
# both. Meshes of both states are about as large as the object's files in the library.
PICTURE_BYTES = {"rgb": 0.095, "depth": 0.085, "mask": 0.008}
POINT_BYTES, OBJECT_BYTES = 15, 60_000
PICTURES = {
    "plain": ("rgb", "depth", "mask"), "ditto": ("depth",), "paris": ("rgb",),
    "dta": ("rgb", "depth", "mask"), "artgs": ("rgb", "depth"),
}  # fmt: skip
# States of which a layout has a cloud, and a mesh.
CLOUDS = {"plain": 2, "ditto": 2, "particulate": 1, "artllm": 1, "anymesh": 1}
MESHES = {"plain": 2, "particulate": 1, "artllm": 1, "anymesh": 1}


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """What is written where."""

    dataset: Dataset
    out: Path
    settings: Settings

    def names(self) -> dict[str, str]:
        """Return the folder of every object by its id: the id itself, or a neutral number."""
        ids = self.dataset.object_ids
        if not self.settings.blind:
            return {object_id: object_id for object_id in ids}
        numbers = order(len(ids), self.settings.seed, "names")
        return {ids[k]: f"object_{number:05d}" for number, k in enumerate(numbers.tolist(), 1)}

    def folder(self, name: str) -> Path:
        """Return the folder of an object."""
        return self.out / name

    def truth(self, name: str, ending: str) -> Path:
        """Return a file of the truth about an object."""
        return self.out / TRUTH / f"{name}.{ending}"

    @property
    def key(self) -> Path:
        """File of the ids behind neutral names: beside the folder, so that it is not handed on."""
        place = self.out.absolute()
        return place.with_name(f"{place.name}.key.json")


@dataclass(frozen=True, slots=True)
class Refused:
    """An object of which no inputs can be made, and why."""

    object_id: str
    sentence: str


def expected_bytes(settings: Settings, dataset: Dataset) -> int:
    """Return about how many bytes the inputs of all objects of a dataset take."""
    pixels = 2 * settings.views * settings.size**2
    pictures = sum(PICTURE_BYTES[kind] for kind in PICTURES.get(settings.layout, ())) * pixels
    # The object fills about half of a picture at most.
    cloud = POINT_BYTES * min(settings.points, pixels // 4) * CLOUDS.get(settings.layout, 0)
    files = sum(item.fact("size") for item in dataset) * MESHES.get(settings.layout, 0) // 2
    return int(len(dataset) * (OBJECT_BYTES + pictures + cloud) + files)


def require_room(out: Path, needed: int) -> None:
    """Refuse to begin what the disk cannot hold."""
    free = free_bytes(out.absolute())
    if needed > free:
        raise InputsError(
            f"the inputs need about {needed / 1e9:.1f} GB, and {free / 1e9:.1f} GB are free in "
            f"{out}. Free space there, or choose fewer --views, a smaller --size or fewer objects."
        )


def prepare(asked: Order) -> list[str]:
    """Make the folder ready; return the ids of the objects that are still to be made.

    Raises
    ------
    InputsError
        If the folder holds anything else, or inputs with other settings.
    """
    if asked.settings.layout not in LAYOUTS:
        known = ", ".join(LAYOUTS)
        raise InputsError(f"there is no layout {asked.settings.layout!r}; there are {known}.")
    _require_own(asked)
    _require_own_key(asked)
    names = asked.names()
    waiting = [object_id for object_id, name in names.items() if not asked.folder(name).exists()]
    require_room(asked.out, expected_bytes(asked.settings, asked.dataset.select(waiting)))
    write_bytes(asked.out / SETTINGS, _settings_bytes(asked))
    if asked.settings.blind:
        write_bytes(asked.key, _key_bytes(asked))
    for rest in sorted(asked.out.glob(f"{HIDDEN}*")):
        shutil.rmtree(rest)
    return waiting


def _require_own(asked: Order) -> None:
    """Refuse a folder with other content, and one whose objects were made in another way."""
    out, path = asked.out, asked.out / SETTINGS
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise InputsError(f"{out} is not a folder. Choose the name of a new one.")
    if not out.is_dir() or not any(out.iterdir()):
        return
    if not path.is_file():
        raise InputsError(f"{out} holds something else. Choose a new folder.")
    try:
        found = parse_json(path.read_bytes())
    except JsonError as error:
        raise InputsError(f"{path} is not usable: {error}. Choose a new folder.") from error
    if found != parse_json(_settings_bytes(asked)):
        raise InputsError(
            f"{out} holds inputs of other settings, of another library or of other objects "
            f"({path.name} says which). Choose a new folder."
        )


def _require_own_key(asked: Order) -> None:
    """Refuse to replace the key of other names: without it, nobody can score what they name."""
    if not asked.settings.blind or not asked.key.exists():
        return
    if not asked.key.is_file() or asked.key.read_bytes() != _key_bytes(asked):
        raise InputsError(
            f"{asked.key} is the key of other names. Move it away, or choose another folder."
        )


def _key_bytes(asked: Order) -> bytes:
    key = {name: object_id for object_id, name in asked.names().items()}
    return (json.dumps(key, indent=1, sort_keys=True) + "\n").encode()


def _settings_bytes(asked: Order) -> bytes:
    settings, members = asked.settings.as_dict(), asked.dataset.members
    content: dict[str, Any] = {"revision": asked.dataset.revision, "settings": settings}
    if asked.settings.blind:  # the whole list decides the neutral numbers, and the seed tells them
        settings["seed"], secret = None, f"{asked.settings.seed} {members}"
        content |= {"members": members, "seed": hashlib.sha256(secret.encode()).hexdigest()}
    return (json.dumps(content, indent=1) + "\n").encode()


def write_all(
    asked: Order, waiting: Sequence[str], workers: int = 1
) -> Iterator[tuple[str, Refused | None]]:
    """Make and write objects; yield the id of each and, if none can be made, why."""
    job = _Job(asked, asked.names())
    if workers <= 1 or len(waiting) <= 1:
        for object_id in waiting:
            yield object_id, job.write(object_id)
    else:
        with Workers(min(workers, len(waiting)), _begin, job) as crew:
            for object_id, refused in zip(waiting, crew.map(_write, waiting, chunk=1), strict=True):
                yield object_id, refused
    flush_disk(asked.out)


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    """What every process needs."""

    asked: Order
    names: dict[str, str]

    def write(self, object_id: str) -> Refused | None:
        """Make and write one object."""
        name = self.names[object_id]
        try:
            made = make(self.asked.dataset[object_id], name, self.asked.settings)
        except RenderError as error:
            return Refused(object_id, str(error))
        if self.asked.settings.truth:
            write_bytes(self.asked.truth(name, "json"), truth_record(made, object_id))
            write_bytes(self.asked.truth(name, "npz"), truth_labels(made))
        write_object(made, self.asked.folder(name))
        return None


def write_object(made: Made, folder: Path) -> None:
    """Write the files of one object; the folder exists only if all of them do."""
    files = dict(LAYOUTS[made.settings.layout].files(made))
    files[RECORD] = record(made, files)
    hidden = folder.with_name(f"{HIDDEN}{folder.name}-{os.getpid()}")
    try:
        with refused_as_sentence(folder, lambda: sum(map(len, files.values()))):
            for name, data in files.items():
                path = hidden / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
            hidden.rename(folder)
    finally:
        with suppress(OSError):
            shutil.rmtree(hidden)


_job: list[_Job] = []


def _begin(job: _Job) -> None:
    """Keep the work of this process."""
    _job[:] = [job]


def _write(object_id: str) -> Refused | None:
    return _job[0].write(object_id)
