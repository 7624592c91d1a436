# SPDX-License-Identifier: Apache-2.0
"""The generic source: any folder of URDF or MJCF models with a small `source.yaml`.

Every subfolder of the source is a collection, described by its `source.yaml` (see `collection`).

* An object is a model: every `*.urdf` at any depth; of a collection in MJCF every `*.xml` that is a
  complete model (see `mjcf`). Its id is the path of the model, so that adding a model changes no
  other id. An MJCF scene is several objects (see `mjcf_objects`), whose ids end with `#` and the
  name of a root body.
* Its files are those of its folder, subfolders included, those of the folders in `shared`, and
  those of the packages and folders that it names (see `references`), all within the collection.
  Several models in one folder share its files. A reference beyond the collection rejects the
  object.
* `layout: physx` is the preset for siblings (see `physx_mobility`).
* A collection that cannot be used (no `source.yaml`, a bad one, no model) is one reject row.

Hidden folders and links are not walked; a model that is a link is listed and then rejected.
"""

from __future__ import annotations

import dataclasses
import posixpath
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from aa_dataset.errors import UrdfError
from aa_dataset.untrusted.safe_xml import parse_xml
from pipeline.base.errors import Rejection
from pipeline.base.reasons import Reason
from pipeline.base.tables import encodable
from pipeline.raw.adapters import physx_mobility
from pipeline.raw.adapters.collection import FILE, read_collection
from pipeline.raw.adapters.folders import object_folders
from pipeline.raw.adapters.mjcf import LOOK_BYTES, find_models
from pipeline.raw.adapters.references import (
    located,
    mjcf_folders,
    urdf_folders,
    written_names,
)
from pipeline.raw.files import FolderFiles, RawFiles
from pipeline.raw.mjcf_includes import read_included
from pipeline.raw.mjcf_objects import scene_objects
from pipeline.raw.records import Found, Frame, RawRecord
from pipeline.raw.walk import MOST_ENTRIES, list_folder

SUFFIXES = {"urdf": ".urdf", "mjcf": ".xml"}
# Maximum nesting of folders in a collection.
DEEPEST = 24
# Maximum number of files and folders of one collection.
MOST_NAMES = 1_000_000
FIELDS = frozenset({"facts_from", "collection"}) | physx_mobility.FIELDS


def discover(root: Path) -> Iterator[Found]:
    """Yield every model of every collection, and one problem per collection that has none."""
    for entry in sorted(root.iterdir()):
        if entry.suffix.lower() == SUFFIXES["urdf"] and not entry.is_dir():
            detail = f"{entry.name} lies outside a collection; put it into a folder with a {FILE}."
            yield _object_with_problem(entry.name, Rejection(Reason.METADATA_MISSING, detail))
    for name in object_folders(root):
        yield from _collection_objects(root, name)


def _collection_objects(root: Path, name: str) -> Iterator[Found]:
    if (root / name).is_symlink():
        yield Found(name, (name,))  # ingest rejects a link before anything else
        return
    try:
        facts = read_collection(root / name)
        found = list(_listed_models(root, name, facts))
        if not found:
            wanted = SUFFIXES[facts.get("format", "urdf")]
            detail = f"the collection {name!r} holds no model ({wanted}); meshes alone do not move."
            raise Rejection(Reason.URDF_MISSING, detail)
    except Rejection as rejection:
        found = [_object_with_problem(name, rejection)]
    yield from found


def _object_with_problem(name: str, rejection: Rejection) -> Found:
    """Return an object that `describe` will reject with that detail."""
    facts = {"problem": encodable(rejection.detail), "code": str(rejection.reason)}
    return Found(name, (name,), facts)


def _listed_models(root: Path, name: str, facts: dict[str, Any]) -> Iterator[Found]:
    if facts.get("layout") == "physx":
        for inner in physx_mobility.discover(root / name):
            paths = tuple(f"{name}/{path}" for path in inner.paths)
            yield Found(f"{name}/{inner.name}", paths, facts)
        return
    shared = [f"{name}/{folder}" for folder in facts.get("shared", ())]
    files, packages = FolderFiles(root, (name,), most_bytes=1), facts.get("packages", {})
    for model in _model_names(root / name, facts.get("format", "urdf")):
        # The model itself comes first: with two paths, names are relative to the source's folder,
        # and `../<collection>/...` keeps its meaning.
        path = f"{name}/{model}"
        is_mjcf = facts.get("format") == "mjcf"
        more = mjcf_folders(files, path) if is_mjcf else urdf_folders(files, path, packages)
        own = posixpath.dirname(path)
        paths = tuple(dict.fromkeys([path, own, *shared, *more]))
        bodies = _scene_bodies(files, path) if is_mjcf and not facts.get("one_object") else []
        if not bodies:
            yield Found(path, paths, facts)
        yield from (Found(f"{path}#{body}", paths, facts | {"body": body}) for body in bodies)


def _scene_bodies(files: RawFiles, model: str) -> list[str]:
    """Return the keys of the objects of an MJCF scene; none if the model is one object."""
    try:
        return scene_objects(read_included(files, model, LOOK_BYTES)[0])
    except Rejection:  # ingest and normalize say why
        return []


def _model_names(folder: Path, kind: str) -> list[str]:
    """Return the names of the models of a collection, relative to it, sorted."""
    suffix = SUFFIXES[kind]
    names = [name for name in _file_names(folder) if name.lower().endswith(suffix)]
    if kind == "urdf":
        return names
    return find_models(FolderFiles(folder, most_bytes=1), names)


def _file_names(folder: Path) -> list[str]:
    """Return the names of all files below a folder; links to folders are not followed."""
    found: list[str] = []
    waiting, total = [("", 0)], 0
    while waiting:
        below, depth = waiting.pop()
        folders, files = list_folder(folder / below, MOST_ENTRIES)
        total += len(folders) + len(files)
        if total > MOST_NAMES:
            detail = f"{folder.name!r} holds more than {MOST_NAMES} files; make several of it."
            raise Rejection(Reason.FOLDER_INVALID, detail)
        found += [f"{below}{name}" for name in files]
        if depth < DEEPEST:
            waiting += [(f"{below}{n}/", depth + 1) for n in folders if not n.startswith(".")]
    return sorted(found)


def describe(files: RawFiles, found: Found) -> RawRecord:
    """Return the facts from the collection's `source.yaml` and the model's path."""
    facts = found.facts
    if "problem" in facts:
        raise Rejection(Reason(facts["code"]), facts["problem"])
    if encodable(found.name) != found.name:
        raise Rejection(Reason.FOLDER_INVALID, "a folder's name is not UTF-8; rename it.")
    if not files.has(found.paths[0]):
        raise Rejection(Reason.URDF_MISSING, f"{found.paths[0]} is not a file of the object.")
    is_physx = facts.get("layout") == "physx"
    record = physx_mobility.describe(files, found) if is_physx else _describe_model(files, found)
    collection = PurePosixPath(found.name).parts[0]
    provenance = {"facts_from": f"{collection}/{FILE}", "collection": facts["title"]}
    return dataclasses.replace(
        record,
        license=facts["license"],
        attribution=facts.get("attribution", ""),
        frame=Frame(**facts["frame"]),
        scale=facts["scale"],
        unit=float(facts["unit"]) if "unit" in facts else None,
        gltf_up=facts.get("gltf_up", "z"),
        provenance={**provenance, **record.provenance},
    )


def _describe_model(files: RawFiles, found: Found) -> RawRecord:
    model, kind = PurePosixPath(found.paths[0]), found.facts.get("format", "urdf")
    elsewhere = {} if kind == "mjcf" else _meshes_elsewhere(files, found)
    body = found.facts.get("body", "")
    return RawRecord(
        model=found.paths[0],
        # A scene's file is named after something else, such as the robot in it.
        name=body or "/".join(model.with_suffix("").parts[1:]),
        label=_model_label(files, model, found.facts),
        format=kind,
        body=body,
        substitutes=elsewhere,
    )


def _meshes_elsewhere(files: RawFiles, found: Found) -> dict[str, str]:
    """Return, by the name in a URDF, where each file is that is not simply where the name leads."""
    model, meshes = found.paths[0], {}
    for written in written_names(files, model):
        place = located(files, model, written, found.facts.get("packages"))
        if place is not None and not _is_plain(files, model, written):
            meshes[written] = posixpath.relpath(place, posixpath.dirname(model))
    return meshes


def _is_plain(files: RawFiles, model: str, written: str) -> bool:
    """Return whether a name leads to a file of the object as it is."""
    try:
        return files.has(files.resolve(written, beside=model))
    except Rejection:
        return False


def _model_label(files: RawFiles, model: PurePosixPath, facts: dict[str, Any]) -> str:
    places = {"file": model.stem, "folder": model.parent.name, "parent": model.parent.parent.name}
    if "body" in facts and facts.get("label_from") in ("file", "robot"):
        return str(facts["body"])  # the file and its document name the scene
    if facts.get("label_from") == "robot":
        return _robot_name(files, str(model))
    return facts["label"] if "label" in facts else places[facts["label_from"]]


def _robot_name(files: RawFiles, model: str) -> str:
    """Return the name in the document's root: `name` in URDF, `model` in MJCF."""
    try:
        root = parse_xml(files.read(model))
    except UrdfError as error:
        raise Rejection(Reason(error.code), f"{model}: {error.detail}") from None
    return root.get("name") or root.get("model") or ""
