# SPDX-License-Identifier: Apache-2.0
"""The layout of Articulated-Object-Code: a manifest, and `<folder>/generated.urdf` for each row.

The folders contain further copies of the URDF (`pipeline_logs/`, `generated copy.urdf`), so the
manifest lists which folders are objects. Its `object_release_id` is not unique; tier and path
identify an object. Without a manifest, every folder that contains `generated.urdf` is an object.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

from pipeline.base.errors import Rejection
from pipeline.base.reasons import Reason
from pipeline.raw.adapters.facts import read_meta
from pipeline.raw.adapters.folders import object_folders
from pipeline.raw.adapters.manifests import MANIFEST_BYTES, Row, read_manifest
from pipeline.raw.adapters.texts import require_urdf
from pipeline.raw.files import RawFiles
from pipeline.raw.records import Found, RawRecord
from pipeline.raw.walk import find_index_file

MODEL, CAPTION = "generated.urdf", "input_caption.txt"
MANIFESTS = ("manifest.csv", "manifest.parquet")
COLUMNS = (
    "object_release_id", "category", "tier", "status", "rel_path", "caption", "model", "pipeline",
    "gen_date", "reasons",
)  # fmt: skip
FACTS = ("category", "caption")  # columns that are facts of the record itself
FIELDS = frozenset({*COLUMNS, "facts_from"}.difference(FACTS))
TIERS = {"viable": "viable", "loads_only": "loads_only", "broken": "broken", "imperfect": "broken"}
# Maximum depth of an object below the source's folder, without a manifest.
DEPTH = 5
CAPTION_LENGTH = 400
COPIES = "pipeline_logs"
LONGEST = 1000  # characters of a path
_OUTSIDE = re.compile(r"/|\.\.(/|$)|[A-Za-z]:")


def discover(root: Path) -> Iterator[Found]:
    """Yield all rows of the manifest, or without one the folders that contain a URDF."""
    places = (find_index_file(root, name, most_bytes=MANIFEST_BYTES) for name in MANIFESTS)
    manifest = next((path for path in places if path is not None), None)
    if manifest is None:
        yield from _objects_of_folders(root)
    else:
        yield from _objects_of_index(root, read_manifest(manifest, COLUMNS))


def _objects_of_index(root: Path, rows: Iterator[Row]) -> Iterator[Found]:
    """Yield every row once; a row without its own folder carries a problem."""
    names: dict[str, int] = {}
    claimed: dict[str, str] = {}
    for row in rows:
        written = f"{row.get('tier', '')}/{row.get('rel_path', '')}"
        name = _free_name(written, names)
        path, problem = _row_folder(root, row)
        if name != written:
            problem = f"the manifest lists {written[:200]!r} more than once."
        elif path in claimed:
            problem = f"the manifest gives its folder to {claimed[path][:200]!r} as well."
        if problem:
            yield Found(name, (), {**row, "problem": problem})
        else:
            claimed[path] = name
            yield Found(name, (path,), dict(row))


def _free_name(written: str, names: dict[str, int]) -> str:
    """Return a name that no earlier row has, because every row is a separate object.

    `names` counts the uses of each name, so that many equal rows stay fast.
    """
    name = written
    while name in names:
        names[written] += 1
        name = f"{written}#{names[written]}"
    names[name] = 1
    return name


def _row_folder(root: Path, row: Row) -> tuple[str, str]:
    """Return the path of a row's folder, and the problem of the row.

    Archives are unpacked into one folder, or each into the folder of its tier.
    """
    written, tier = row.get("rel_path", ""), row.get("tier", "")
    path = posixpath.normpath(written.replace("\\", "/")) if written else ""
    if not path or path == "." or _OUTSIDE.match(path) or not _is_valid_path(path):
        return "", f"the manifest's path {written[:200]!r} is not one inside the source's folder."
    own = f"{tier}/{path}"
    return (own if tier in TIERS and _is_dir(root / own) else path), ""


def _is_valid_path(path: str) -> bool:
    """Return whether a system call would accept the path."""
    parts = path.encode("utf-8", "replace").split(b"/")
    return "\0" not in path and max(map(len, parts)) <= 255 and len(path) <= LONGEST


def _is_dir(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _objects_of_folders(root: Path) -> Iterator[Found]:
    """Yield folders that contain a URDF, and top folders without any, which are rejected."""
    for top in object_folders(root):
        below = [top] if (root / top).is_symlink() else list(_folders_with_urdf(root, top))
        for path in below or [top]:
            yield Found(path, (path,), _facts_of_path(path))


def _folders_with_urdf(root: Path, top: str) -> Iterator[str]:
    for parent, folders, files in os.walk(root / top):
        path = Path(parent).relative_to(root)
        if MODEL in files:
            folders.clear()  # deeper ones are copies
            yield path.as_posix()
        elif len(path.parts) >= DEPTH:
            folders.clear()
        folders[:] = sorted(name for name in folders if name != COPIES)


def _facts_of_path(path: str) -> dict[str, str]:
    """Return category (without its number) and tier from the names of the folders."""
    *above, last = path.split("/")
    tier = next((TIERS[part] for part in above if part in TIERS), "")
    category = re.sub(r"(_\d+)+$", "", last) or last
    return {"category": category, **({"tier": tier} if tier else {})}


def describe(files: RawFiles, found: Found) -> RawRecord:
    """Read one object's folder."""
    facts = found.facts
    if "problem" in facts:
        raise Rejection(Reason.METADATA_INVALID, facts["problem"])
    require_urdf(files, MODEL)
    label = facts.get("category", "")
    known = {key: facts[key] for key in sorted(facts) if key not in FACTS}
    is_listed = "rel_path" in facts
    return RawRecord(
        model=MODEL,
        name=label.replace("_", " ").strip() or found.name,
        description=" ".join((facts.get("caption") or _caption(files)).split())[:CAPTION_LENGTH],
        label=label,
        provenance={**known, "facts_from": "manifest" if is_listed else "the folder's name"},
    )


def _caption(files: RawFiles) -> str:
    """Return the request that the object was made from, if the folder contains it."""
    return read_meta(files, CAPTION).decode("utf-8", "replace") if files.has(CAPTION) else ""
