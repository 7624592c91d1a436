# SPDX-License-Identifier: Apache-2.0
"""The layouts of Articraft-10K: released archives, and records with their compiled output.

- `rec_*.tar.gz`, or the same unpacked: `rec_*/model.urdf`, `assets/meshes/`. No metadata.
- `rec_*/` with `record.json`, `prompt.txt` and the compiled `model.urdf` in one folder.
- a checkout: `data/records/<id>/record.json` and, compiled beside it by Articraft's own tool,
  `data/cache/record_materialization/<id>/model.urdf`. A record's `model.py` is never run here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from aa_dataset.untrusted.foreign_text import one_line
from pipeline.base.errors import Rejection
from pipeline.base.reasons import Code, Finding, Reason
from pipeline.raw.adapters.facts import read_object, text
from pipeline.raw.adapters.folders import object_folders
from pipeline.raw.adapters.texts import mapping, number, read_text
from pipeline.raw.files import ARCHIVES, RawFiles
from pipeline.raw.records import Found, RawRecord

MODEL, RECORD, REPORT = "model.urdf", "record.json", "compile_report.json"
PREFIX = "rec_"
RECORDS = "data/records"
COMPILED = "data/cache/record_materialization"
DESCRIPTION_LENGTH = 400
TITLE_LENGTH = 120
TEXTS = ("model_id", "provider", "author", "kind", "created_at", "active_revision_id")
RATINGS = ("rating", "secondary_rating")
FIELDS = frozenset(
    {*TEXTS, *RATINGS, "lowest_rating", "record_schema", "compile_status", "facts_from"}
)
_TAIL = re.compile(r"_(?:\d{4}|[0-9a-f]{32}|(?P<date>\d{8})_\d{6}(?:_\d{6})?_[0-9a-f]{8})$")


def discover(root: Path) -> Iterator[Found]:
    """Yield every record once: compiled if present, else its archive, else the bare record."""
    records = {name: f"{RECORDS}/{name}" for name in _object_folders_below(root, RECORDS)}
    folders = {name: name for name in object_folders(root) if name.startswith(PREFIX)}
    found = {name: Found(name, (path,)) for name, path in (records | folders).items()}
    found |= _record_archives(root)
    found |= {name: Found(name, (name,)) for name in folders if (root / name / MODEL).is_file()}
    for name in _object_folders_below(root, COMPILED):
        compiled = f"{COMPILED}/{name}"
        found[name] = Found(name, (records[name], compiled) if name in records else (compiled,))
    yield from (found[name] for name in sorted(found))


def _record_archives(root: Path) -> dict[str, Found]:
    """Return the archives of the source's folder and of its plain subfolders."""
    places = ["", *(f"{name}/" for name in object_folders(root) if not name.startswith(PREFIX))]
    found: dict[str, Found] = {}
    for place in places:
        for path in sorted((root / place).glob(f"{PREFIX}*")):
            name = _without_archive_suffix(path.name)
            if name and path.is_file():
                found.setdefault(name, Found(name, (f"{place}{path.name}",)))
    return found


def _without_archive_suffix(name: str) -> str:
    """Return an archive's name without its ending, or an empty string for another file."""
    ending = next((ending for ending in ARCHIVES if name.endswith(ending)), None)
    return name.removesuffix(ending) if ending else ""


def _object_folders_below(root: Path, place: str) -> list[str]:
    folder = root / place
    return object_folders(folder) if folder.is_dir() else []


def describe(files: RawFiles, found: Found) -> RawRecord:
    """Read one archive or folder, with its record if there is one."""
    places = [f"{path}/" for path in found.paths] if len(found.paths) == 2 else ["", ""]
    record_place, model_place = places
    model = f"{model_place}{MODEL}"
    if not files.has(model):
        raise Rejection(
            Reason.URDF_MISSING,
            f"{MODEL} does not exist; compile the record with Articraft's own tool first.",
        )
    path = f"{record_place}{RECORD}"
    record = read_object(files, path) if files.has(path) else {}
    return RawRecord(
        model=model,
        name=_readable_name(found.name, record),
        description=_prompt_paragraph(files, record, path),
        label=text(record, "category_slug", RECORD) if record.get("category_slug") else "",
        provenance=_provenance(record) | _compile_facts(files, f"{model_place}{REPORT}"),
        findings=tuple(_disagreements(record, found)),
    )


def _readable_name(record_id: str, record: dict[str, Any]) -> str:
    """Return the words of a record id without its prefix and number.

    The id of a free prompt contains only a part of it, so its name is the record's title.
    """
    tail = _TAIL.search(record_id)
    display = mapping(record.get("display"), f"{RECORD}: `display`")
    if tail and tail["date"] and display.get("title"):
        return one_line(text(display, "title", RECORD), TITLE_LENGTH)
    words = re.sub(r"[_-]+", " ", _TAIL.sub("", record_id).removeprefix(PREFIX)).strip()
    return words[:1].upper() + words[1:] or record_id


def _prompt_paragraph(files: RawFiles, record: dict[str, Any], path: str) -> str:
    """Return the first paragraph of the prompt, on one line.

    A record of schema 3 keeps its prompt below `revisions/` and names the path.
    """
    artifacts = mapping(record.get("artifacts"), f"{RECORD}: `artifacts`")
    named = text(artifacts, "prompt_txt", RECORD) if artifacts.get("prompt_txt") else "prompt.txt"
    where = files.resolve(named, beside=path)
    if not files.has(where):
        return ""
    paragraphs = re.split(r"\n\s*\n", read_text(files, where).strip())
    line = " ".join(paragraphs[0].split())
    if len(line) <= DESCRIPTION_LENGTH:
        return line
    start = line[:DESCRIPTION_LENGTH]
    return f"{start.rpartition(' ')[0] or start} ..."


def _provenance(record: dict[str, Any]) -> dict[str, Any]:
    """Return rating, model and origin for filters; without a record there are none."""
    if not record:
        return {"facts_from": "the name of the record"}
    known = {field: text(record, field, RECORD) for field in TEXTS if record.get(field)}
    ratings = {field: number(record, field, RECORD) for field in RATINGS}
    both = [value for value in ratings.values() if value is not None]
    return {
        **known,
        **ratings,
        "lowest_rating": min(both, default=None),
        "record_schema": number(record, "schema_version", RECORD),
        "facts_from": RECORD,
    }


def _compile_facts(files: RawFiles, path: str) -> dict[str, Any]:
    """Return the report of Articraft's own tool about the URDF that it made."""
    if not files.has(path):
        return {}
    report = read_object(files, path)
    return {"compile_status": text(report, "status", REPORT)} if report.get("status") else {}


def _disagreements(record: dict[str, Any], found: Found) -> Iterator[Finding]:
    stated = record.get("record_id", found.name)
    if stated != found.name:
        detail = f"{RECORD} is about {str(stated)[:200]!r}, but is in the folder of {found.name!r}."
        yield Finding(Code.SOURCE_DISAGREES, detail)
