# SPDX-License-Identifier: Apache-2.0
"""The layout of PhysX-Mobility: one object is three siblings of one id.

::

    urdf/<id>.urdf    finaljson/<id>.json    partseg/<id>/

Every id is one of PartNet-Mobility, so an object is declared a duplicate of that object. The label
is the JSON's `category`; `dimension` ("a*b*c") is kept in the provenance unparsed, because neither
its unit nor its order of axes is stated.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from pathlib import Path

from pipeline.base.errors import Rejection
from pipeline.base.reasons import Reason
from pipeline.raw.adapters.facts import read_object, text
from pipeline.raw.files import RawFiles
from pipeline.raw.records import Found, RawRecord

MODELS, FACTS, MESHES = "urdf", "finaljson", "partseg"
SUFFIX = ".urdf"
PARENT = "partnet_mobility"
FIELDS = frozenset({"dimension", "facts_from"})


def discover(root: Path) -> Iterator[Found]:
    """Yield every `urdf/<id>.urdf` with its two siblings, whether they exist or not."""
    folder = root / MODELS
    try:
        names = [] if folder.is_symlink() else sorted(path.name for path in folder.iterdir())
    except OSError:  # absent, not a folder, or not readable: no objects
        names = []
    for identifier in (n.removesuffix(SUFFIX) for n in names if n.endswith(SUFFIX)):
        yield Found(identifier, tuple(sibling_paths(identifier)))


def sibling_paths(identifier: str) -> Iterator[str]:
    """Yield the three paths of one object, relative to the layout's root."""
    yield f"{MODELS}/{identifier}{SUFFIX}"
    yield f"{FACTS}/{identifier}.json"
    yield f"{MESHES}/{identifier}"


def describe(files: RawFiles, found: Found) -> RawRecord:
    """Read one object from its siblings."""
    model, facts, _ = found.paths
    if not files.has(model):
        raise Rejection(Reason.URDF_MISSING, f"{model} does not exist.")
    meta = read_object(files, facts)
    identifier = posixpath.basename(model).removesuffix(SUFFIX)
    return RawRecord(
        model=model,
        name=text(meta, "object_name", facts) or identifier,
        label=text(meta, "category", facts),
        same_as=(f"{PARENT}/{identifier}",),
        provenance={"dimension": text(meta, "dimension", facts), "facts_from": facts},
    )
