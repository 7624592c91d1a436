# SPDX-License-Identifier: Apache-2.0
"""The layout of GAPartNet's AKB-48 objects: `akb48_all_annotated_new/<id>/` and a list of ids.

Only the list has the category (`akb48_all_id_list.txt`, lines `Box 100`). An object has up
to four URDFs, each made from the next: GAPartNet's own, `motion_sapien_v2.urdf` with a link `root`
that sets the object upright, `motion_sapien.urdf` without it, and AKB-48's `motion_unity.urdf`,
whose joints use other axes than its meshes. Objects of GAPartNet's other half are copies of
PartNet-Mobility and are declared as such.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from aa_dataset.kinematics.urdf import UrdfModel
from pipeline.base.errors import Rejection
from pipeline.base.reasons import Code, Finding, Reason, Severity
from pipeline.raw.adapters.facts import META_BYTES, read_object, text
from pipeline.raw.adapters.folders import object_folders
from pipeline.raw.adapters.texts import read_semantics, read_urdf
from pipeline.raw.files import RawFiles
from pipeline.raw.records import Found, Frame, RawRecord
from pipeline.raw.walk import find_index_file

ANNOTATED, UPRIGHT, BARE, UNITY = (
    "mobility_annotation_gapartnet.urdf", "motion_sapien_v2.urdf", "motion_sapien.urdf",
    "motion_unity.urdf",
)  # fmt: skip
MODELS = (ANNOTATED, UPRIGHT, BARE, UNITY)
SEMANTICS = ("semantics_gapartnet.txt", "semantics.txt")
PARTNET_META = "meta.json"
LIST = "akb48_all_id_list.txt"
LIST_PLACES = ("", "meta/", "dataset/render_tools/meta/", "render_tools/meta/")
AKB48, PARTNET = "akb48_all_annotated", "partnet_all_annotated"
ROOT = "root"
HEADER_BYTES = 10_000  # of a PLY file
FIELDS = frozenset({"model", "facts_from"})
# The rotations that GAPartNet's authors gave to groups of objects: a box without its root joint
# faces x. Groups of the other categories were rotated differently, and the groups were not
# published.
FRAMES_WITHOUT_ROOT = {"Box": Frame("z", "x")}
UNKNOWN_FRAME = Frame("z")
PARTNET_FRAME = Frame("z", "-x")


def discover(root: Path) -> Iterator[Found]:
    """Yield the folders of AKB-48 objects and, if present, of PartNet's."""
    categories = _categories_by_id(root)
    homes = [home for kind in (AKB48, PARTNET) if (home := _objects_folder(root, kind))]
    for home in homes or [""]:
        is_partnet = posixpath.basename(home).startswith(PARTNET)
        for name in object_folders(root / home):
            if (root / home / name / LIST).is_file():  # the folder of the list is not an object
                continue
            facts = {"category": categories[name]} if name in categories and not is_partnet else {}
            unique = f"partnet/{name}" if is_partnet else name
            yield Found(unique, (posixpath.join(home, name),), facts)


def _objects_folder(root: Path, kind: str) -> str:
    """Return the folder with the objects of a kind; of several, the latest edition."""
    places = [place for place in ("dataset/", "") if (root / place).is_dir()]
    folders = [f"{p}{name}" for p in places for name in object_folders(root / p)]
    homes = [path for path in folders if posixpath.basename(path).startswith(kind)]
    return next((home for home in homes[::-1] if (root / home).is_dir()), "")


def _categories_by_id(root: Path) -> dict[str, str]:
    """Return the category of every id of the list; other lines than `category id` are skipped."""
    lists = (
        find_index_file(root, f"{place}{LIST}", most_bytes=META_BYTES) for place in LIST_PLACES
    )
    path = next((path for path in lists if path is not None), None)
    lines = path.read_text("utf-8", "replace").splitlines() if path else []
    words = [line.split() for line in lines]
    return {pair[1]: pair[0] for pair in words if len(pair) == 2}


def describe(files: RawFiles, found: Found) -> RawRecord:
    """Read one object's folder."""
    is_partnet = files.has(PARTNET_META) and files.has("mobility_v2.json")
    models = (ANNOTATED, "mobility.urdf") if is_partnet else MODELS
    name = next((name for name in models if files.has(name)), None)
    if name is None:
        detail = f"none of {', '.join(models)} exists in the object's folder."
        raise Rejection(Reason.URDF_MISSING, detail)
    model = read_urdf(files, name)
    described: dict[str, Any] = (
        _describe_partnet(files, found) if is_partnet else _describe_akb48(model, name, found)
    )
    substitutes, swapped = _ply_substitutes(files, model, name)
    origin = PARTNET_META if is_partnet else LIST if described["label"] else "the folder's name"
    return RawRecord(
        model=name,
        parts=_part_labels(files),
        substitutes=substitutes,
        provenance={"model": name, "facts_from": origin},
        findings=(*described.pop("findings", ()), *swapped),
        **described,
    )


def _describe_partnet(files: RawFiles, found: Found) -> dict[str, Any]:
    """Describe an object of PartNet-Mobility, with GAPartNet's files beside its own."""
    identifier = posixpath.basename(found.name)
    label = text(read_object(files, PARTNET_META), "model_cat", PARTNET_META)
    return {
        "name": f"{label} {identifier}".strip(),
        "label": label,
        "frame": PARTNET_FRAME,
        "scale": "unit_sphere",
        "same_as": (f"partnet_mobility/{identifier}",),
    }


def _describe_akb48(model: UrdfModel, name: str, found: Found) -> dict[str, Any]:
    label = found.facts.get("category", "")
    has_root = any(link.name == ROOT for link in model.links)
    frame = None if has_root else FRAMES_WITHOUT_ROOT.get(label, UNKNOWN_FRAME)
    return {
        "name": f"{label} {found.name}".strip(),
        "label": label,
        "frame": frame,
        "findings": tuple(_frame_findings(name, frame)),
    }


def _frame_findings(name: str, frame: Frame | None) -> Iterator[Finding]:
    if name == UNITY:
        detail = (
            f"{UNITY} writes its joints in Unity's axes, but not its meshes: axes may be wrong."
        )
        yield Finding(Code.FRAME_UNCERTAIN, detail, Severity.ERROR)
    elif frame == UNKNOWN_FRAME:
        detail = f"{name} lacks the link `{ROOT}`, which sets the object upright."
        yield Finding(Code.FRAME_UNCERTAIN, detail)


def _part_labels(files: RawFiles) -> dict[str, str]:
    name = next((name for name in SEMANTICS if files.has(name)), None)
    meanings = read_semantics(files, name) if name else []
    return {meaning.link: meaning.label for meaning in meanings if meaning.link != ROOT}


def _ply_substitutes(
    files: RawFiles, model: UrdfModel, urdf: str
) -> tuple[dict[str, str], list[Finding]]:
    """Return the PLY twins of OBJ meshes that the URDF names and the folder lacks."""
    shapes = (shape for link in model.links for shape in (*link.visuals, *link.collisions))
    names = dict.fromkeys(s.geometry.filename for s in shapes if s.geometry.kind == "mesh")
    found, findings = {}, []
    for name in names:
        twin = f"{posixpath.splitext(name)[0]}.ply"
        if not name.lower().endswith(".obj") or _mesh_path(files, name, urdf):
            continue
        if _has_faces(files, _mesh_path(files, twin, urdf)):
            found[name] = twin
            detail = f"{name} does not exist; {twin} beside it is read in its place."
            findings.append(Finding(Code.MESH_SUBSTITUTED, detail))
    return found, findings


def _mesh_path(files: RawFiles, name: str, beside: str) -> str:
    """Return the path of a mesh; empty if it is absent or its name leads out of the object."""
    try:
        path = files.resolve(name, beside=beside)
    except Rejection:
        return ""
    return path if files.has(path) else ""


def _has_faces(files: RawFiles, path: str) -> bool:
    """Return whether a PLY file is a mesh; AKB-48 also has point clouds of scanned parts."""
    header, end, _ = files.read(path).partition(b"end_header") if path else (b"", b"", b"")
    faces = re.search(rb"^element\s+face\s+(\d+)", header[:HEADER_BYTES], re.MULTILINE)
    return bool(end and faces and int(faces[1][:12]))
