# SPDX-License-Identifier: Apache-2.0
"""Finds the files that a model of a collection names, wherever in the collection they are.

A model names its meshes relative to itself, relative to a ROS package (`package://name/...`, or
Gazebo's `model://`), relative to the root of its repository, or by an absolute path on the machine
of its author. All of these are searched below the collection, never elsewhere:

* a package is the folder that `packages` of `source.yaml` states; else a folder of that name among
  the folders above the model or beside one of them; else one of the folders above the model;
* an absolute path counts by its end, two names at least, below one of the folders above the model;
* a relative path counts from the model's folder, else from one of the folders above it.

Only the model and the files that it includes are opened.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from xml.sax.saxutils import unescape

from aa_dataset.untrusted.inside import is_inside
from pipeline.base.errors import Rejection
from pipeline.raw.adapters.mjcf import LOOK_BYTES, included_files, without_comments
from pipeline.raw.files import RawFiles

# Maximum number of names of one model that are searched, of files that it includes, of ends of an
# absolute path that are tried, and of folders that are added to an object.
MOST_NAMES, MOST_INCLUDES, MOST_ENDS, MOST_FOLDERS = 1_000, 200, 6, 64
PACKAGES = ("package", "model")
# Folders in which a package keeps its meshes; what is beside them belongs to the meshes.
MESH_FOLDERS = frozenset(
    {
        "assets", "collision", "collisions", "dae", "materials", "media", "mesh", "meshes",
        "models", "obj", "stl", "stls", "texture", "textures", "visual", "visuals",
    }
)  # fmt: skip
_NAME = re.compile(rb"""\bfilename\s*=\s*(?:"([^"<>]{1,1000})"|'([^'<>]{1,1000})')""")
_MJCF_NAME = re.compile(
    rb"""\b(file\w*|meshdir|texturedir|assetdir)\s*=\s*(?:"([^"<>]{1,1000})"|'([^'<>]{1,1000})')"""
)
_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]+)://")
_DRIVE = re.compile(r"^[A-Za-z]:/")


def written_names(files: RawFiles, model: str) -> list[str]:
    """Return the names of files in a URDF, each once, in the order of the document."""
    try:
        text = without_comments(files.read(model, most=LOOK_BYTES))
    except Rejection:  # a link, a pipe or a huge file, which ingest rejects
        return []
    found = (double or single for double, single in _NAME.findall(text))
    names = dict.fromkeys(unescape(name.decode("utf-8", "replace")) for name in found)
    return list(names)[:MOST_NAMES]


def located(
    files: RawFiles, model: str, written: str, packages: Mapping[str, str] | None = None
) -> str | None:
    """Return the file of the collection that a name in a model means; None if there is none.

    Parameters
    ----------
    files : RawFiles
        Files by names relative to the folder of the source; the first part is the collection.
    model : str
        The model.
    written : str
        The name in it.
    packages : mapping of str to str
        Folders of packages by name, relative to the collection.
    """
    top = model.split("/", 1)[0]
    for candidate in _candidates(model, written, packages or {}):
        name = posixpath.normpath(candidate)
        if is_inside(name) and name.startswith(f"{top}/") and files.has(name):
            return name
    return None


def _candidates(model: str, written: str, packages: Mapping[str, str]) -> Iterator[str]:
    plain = written.replace("\\", "/")
    scheme = _SCHEME.match(plain)
    folders = list(_folders_above(model))
    if scheme and scheme[1].lower() in PACKAGES:
        yield from _in_packages(plain[scheme.end() :], folders, packages)
    elif scheme and scheme[1].lower() != "file":
        return
    elif scheme or plain.startswith("/") or _DRIVE.match(plain):
        parts = [part for part in plain.split("/") if part][-MOST_ENDS:]
        for start in range(len(parts) - 1):
            yield from (posixpath.join(folder, *parts[start:]) for folder in folders)
    else:
        yield posixpath.join(folders[0], plain)
        rest = plain.lstrip("./") if plain.startswith(("./", "../")) else plain
        yield from (posixpath.join(folder, rest) for folder in folders[1:])


def _folders_above(model: str) -> Iterator[str]:
    """Yield the folders above a model, from its own to that of the collection."""
    folder = posixpath.dirname(model)
    while folder:
        yield folder
        folder = posixpath.dirname(folder)


def _in_packages(whole: str, folders: list[str], packages: Mapping[str, str]) -> Iterator[str]:
    package, _, rest = whole.lstrip("/").partition("/")
    if package in packages:
        yield posixpath.join(folders[-1], packages[package], rest)
        return
    for folder in folders:
        if posixpath.basename(folder) == package:
            yield posixpath.join(folder, rest)
        yield posixpath.join(folder, package, rest)
    for folder in folders:
        yield posixpath.join(folder, rest)


def urdf_folders(files: RawFiles, model: str, packages: Mapping[str, str]) -> list[str]:
    """Return the folders, beside the model's own, in which the files of a URDF are."""
    found = (located(files, model, name, packages) for name in written_names(files, model))
    return _homes(model, [name for name in found if name is not None])


def mjcf_folders(files: RawFiles, model: str) -> list[str]:
    """Return the folders, beside the model's own, in which the files of an MJCF model are."""
    texts = _included_texts(files, model)
    names: dict[str, None] = {}
    folders = {""}
    for text in texts.values():
        for key, double, single in _MJCF_NAME.findall(text):
            value = unescape((double or single).decode("utf-8", "replace")).replace("\\", "/")
            if key.endswith(b"dir"):
                folders.add(value)
            else:
                names[value] = None
    beside, top = posixpath.dirname(model), f"{model.split('/', 1)[0]}/"
    whole = (
        posixpath.normpath(posixpath.join(beside, folder, name))
        for name in list(names)[:MOST_NAMES]
        for folder in sorted(folders)[:MOST_ENDS]
    )
    inside = [name for name in whole if is_inside(name) and name.startswith(top)]
    return _homes(model, [*texts, *(name for name in inside if files.has(name))])


def _included_texts(files: RawFiles, model: str) -> dict[str, bytes]:
    """Return the text of an MJCF model and of all files that it includes, by name."""
    texts: dict[str, bytes] = {}
    waiting = [model]
    while waiting and len(texts) < MOST_INCLUDES:
        name = waiting.pop()
        try:
            texts[name] = without_comments(files.read(name, most=LOOK_BYTES))
        except Rejection:  # a link, a pipe or a huge file, which ingest rejects
            texts[name] = b""
        included = included_files(name, texts[name]) | included_files(model, texts[name])
        waiting += sorted(one for one in included - texts.keys() if files.has(one))
    return texts


def _homes(model: str, names: list[str]) -> list[str]:
    """Return the folders of files, without the model's own and those in another."""
    own, top = posixpath.dirname(model), model.split("/", 1)[0]
    homes = {_home(name, top) for name in names if not name.startswith(f"{own}/")}
    apart = [
        home
        for home in sorted(homes)
        if not any(home != other and f"{home}/".startswith(f"{other}/") for other in (*homes, own))
    ]
    return apart[:MOST_FOLDERS]


def _home(name: str, top: str) -> str:
    """Return the package of a mesh, else its folder; never the whole collection.

    A package is what holds the mesh's `meshes` (or a folder of such a name), at any depth.
    """
    folder = posixpath.dirname(name)
    above = [one for one in _folders_above(name) if one != top]
    inner = next((one for one in above if _is_mesh_folder(one)), None)
    last = folder if folder != top else name
    if inner is None:
        return last
    folder = inner
    while _is_mesh_folder(folder) and folder != top:
        last, folder = folder, posixpath.dirname(folder)
    return folder if folder != top else last


def _is_mesh_folder(folder: str) -> bool:
    return posixpath.basename(folder).lower() in MESH_FOLDERS
