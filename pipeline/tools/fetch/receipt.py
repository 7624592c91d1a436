# SPDX-License-Identifier: Apache-2.0
"""The receipt of a fetch: which file came from where, so that it can be checked later.

It is stored beside the data and contains no time and no local path: the same fetch writes the
same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tqdm import tqdm

from aa_dataset.files import file_sha256
from pipeline.base.tables import dump_json, write_bytes
from pipeline.tools.fetch.access import Source
from pipeline.tools.fetch.errors import FetchError
from pipeline.tools.fetch.layout import FetchLayout
from pipeline.tools.fetch.unpack import read_record

VERSION = 1


def write_receipt(
    source: Source, entries: Sequence[Mapping[str, Any]], place: FetchLayout, *, complete: bool
) -> None:
    """Write the receipt of everything that was fetched."""
    receipt = {
        "receipt": VERSION,
        "source": source.name,
        "kind": source.kind,
        "repo_id": source.access.repo_id or None,
        "revision": source.access.revision or None,
        "complete": complete,
        "files": sorted(entries, key=lambda entry: entry["path"]),
    }
    write_bytes(place.receipt, dump_json(receipt))


def read_receipt(place: FetchLayout) -> dict[str, Any] | None:
    """Read the receipt of a folder, None if there is no usable one."""
    try:
        receipt = json.loads(place.receipt.read_bytes())
    except (OSError, ValueError):
        return None
    if not isinstance(receipt, dict) or receipt.get("receipt") != VERSION:
        return None
    keys = {"path": str, "size": int, "sha256": str}
    files = receipt.get("files")
    usable = isinstance(files, list) and all(
        isinstance(entry, dict) and all(isinstance(entry.get(k), t) for k, t in keys.items())
        for entry in files
    )
    return receipt if usable else None


def unpacked_entry(record: Mapping[str, Any], place: FetchLayout) -> dict[str, Any]:
    """Return the entry of an unpacked archive; its record lists the files."""
    facts, members = record["archive"], record["members"]
    path = place.record(facts["path"])
    unpacked = {
        "files": len(members),
        "bytes": sum(size for _, size, _ in members),
        "links_left_out": record["left_out"],
        "list": place.relative(path),
        "list_sha256": file_sha256(path),
    }
    return {**facts, "unpacked": unpacked}


def verify(source: Source, place: FetchLayout) -> tuple[int, list[str]]:
    """Read every fetched file again; return their number and a message per difference."""
    receipt = read_receipt(place)
    if receipt is None:
        raise FetchError(
            f"{place.receipt} does not exist, so the files of {source.name} cannot be checked. "
            f"`aa fetch {source.name}` writes it."
        )
    problems = [] if receipt.get("complete") else ["The fetch was not finished; run it again."]
    if receipt.get("revision") != (source.access.revision or None):
        problems.append(
            f"The files are of revision {receipt.get('revision')}, but pipeline/raw/sources.yaml "
            f"names {source.access.revision}; `aa fetch {source.name}` downloads that one."
        )
    rows = list(_receipt_files(receipt, place, problems))
    for path, size, sha256 in tqdm(rows, desc=f"verify {source.name}", unit="file", disable=None):
        problem = _file_problem(path, size, sha256)
        problems += [f"{path}: {problem}. Remove it and fetch again."] if problem else []
    return len(rows), problems


def _receipt_files(
    receipt: Mapping[str, Any], place: FetchLayout, problems: list[str]
) -> Iterator[tuple[Path, int, str]]:
    """Yield path, size and sha256 of every file; add a message if a list is not usable."""
    for entry in receipt["files"]:
        unpacked = entry.get("unpacked")
        if not isinstance(unpacked, dict):
            yield place.file(entry["path"]), entry["size"], entry["sha256"]
            continue
        listed = place.record(entry["path"])
        record = read_record(listed)
        if record is None or file_sha256(listed) != unpacked.get("list_sha256"):
            problems.append(f"{listed}: the list of unpacked files is missing or changed.")
            continue
        for name, size, sha256 in record["members"]:
            yield place.file(name), size, sha256


def _file_problem(path: Path, size: int, sha256: str) -> str:
    if path.is_symlink() or not path.is_file():
        return "it is missing"
    if path.stat().st_size != size:
        return f"it has {path.stat().st_size:,} bytes instead of {size:,}"
    return "" if file_sha256(path) == sha256 else "its content changed"
