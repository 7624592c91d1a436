# SPDX-License-Identifier: Apache-2.0
"""What a Hub on loopback holds: repositories, their listings, and the faults to come."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

LARGE = (".tar", ".parquet")


@dataclass
class Fault:
    """What goes wrong with the next requests whose path matches.

    Attributes
    ----------
    path : str
        Regular expression that is searched in ``METHOD path``.
    kind : str
        ``status`` answers with `value`; ``cut`` closes the connection after `value` bytes of a
        body; ``short`` ends a body there as if it were whole; ``flip`` changes the byte at
        `value`; ``html`` answers with a web page; ``whole`` ignores the range; ``long`` adds
        bytes; ``total`` states another size of the whole file.
    times : int
        How often; -1 is always.
    call : callable
        Called when the fault strikes; may change the Hub.
    """

    path: str
    kind: str
    value: int = 0
    times: int = 1
    headers: dict[str, str] = field(default_factory=dict)
    call: Any = None


@dataclass
class Repository:
    """Commits (path to contents), oldest first, and what the names point to."""

    commits: dict[str, dict[str, bytes]] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    gated: bool = False

    def commit(self, files: Mapping[str, bytes], branch: str = "main") -> str:
        """Add a commit with exactly these files."""
        text = json.dumps([len(self.commits), sorted((k, sha1(v)) for k, v in files.items())])
        name = sha1(text.encode())
        self.commits[name] = dict(files)
        self.branches[branch] = name
        return name

    def find(self, revision: str) -> str | None:
        named = self.branches | self.tags
        return named.get(revision, revision if revision in self.commits else None)


def sha1(data: bytes) -> str:
    return hashlib.sha1(data).hexdigest()


def git_blob(data: bytes) -> str:
    return sha1(b"blob %d\0" % len(data) + data)


def entry(path: str, data: bytes) -> dict[str, Any]:
    facts: dict[str, Any] = {"type": "file", "path": path, "size": len(data), "oid": git_blob(data)}
    if path.endswith(LARGE):
        digest = hashlib.sha256(data).hexdigest()
        facts["lfs"] = {"oid": digest, "size": len(data), "pointerSize": 130}
    return facts


def mode(path: str, files: Mapping[str, bytes]) -> dict[str, Any]:
    kind = "lfs" if path.endswith(LARGE) else "regular"
    old = {"oid": git_blob(files[path])} if path in files and kind == "regular" else {}
    return {"path": path, "uploadMode": kind, "shouldIgnore": False, **old}


def references(repository: Repository) -> dict[str, Any]:
    def listed(names: Mapping[str, str], kind: str) -> list[dict[str, str]]:
        return [
            {"name": name, "ref": f"refs/{kind}/{name}", "targetCommit": commit}
            for name, commit in names.items()
        ]

    branches, tags = listed(repository.branches, "heads"), listed(repository.tags, "tags")
    return {"branches": branches, "tags": tags, "converts": []}
