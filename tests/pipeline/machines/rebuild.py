# SPDX-License-Identifier: Apache-2.0
"""Rebuilds objects through every stage that decides bytes, and prints one digest per result.

Run as a program, so that the environment can choose the kernels before numpy is loaded:
``python rebuild.py OBJECT...``, where an object is the id of a generated one
(``generated-box_00001``) or ``sample:<source>/<folder>/<name>`` for a raw one in
``../shared/samples``; ``verified:`` before it leaves out annotate, which takes longest. Prints
JSON: `kernel`, the kernels of OpenBLAS that were used, and `objects`, for every object the digest
of each result, or why it was rejected.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.kit.places import SAMPLES

SHORT = "verified:"
# Which adapter of ours reads which folder of samples.
SAMPLE_SOURCES = {
    "partnet_mobility": ("partnet_mobility", "partnet_mobility_edited", "gapartnet"),
    "articraft_10k": ("articraft",),
    "articulated_object_code": ("articulated_object_code",),
    "gapartnet_akb48": ("gapartnet_akb48",),
    "tail": ("tail",),
}
# What a person would write about the collections of the tail.
TAIL = {
    "furniture_sim": {"format": "mjcf", "label_from": "file"},
    "simpler_env": {"label": "kitchen"},
    "genesis_assets": {"label": "wheel"},
    "pybullet_data": {"label": "robot"},
    "doorgym_leverknobs": {"label": "door", "unit": 0.001},
}


def rebuild(name: str, root: Path, config: Any) -> dict[str, str]:
    """Return the digest of everything that the stages write about one object."""
    from pipeline.base.assets import AssetRange, pack
    from pipeline.base.errors import Rejection
    from pipeline.engine.runner import Task
    from pipeline.stages.annotate.facts import ObjectFacts
    from pipeline.stages.annotate.stage import AnnotateInput, annotate
    from pipeline.stages.ingest.stage import IngestInput, ingest
    from pipeline.stages.normalize.stage import NormalizeInput, normalize
    from pipeline.stages.verify.stage import VerifyInput, verify

    is_short = name.startswith(SHORT)
    identifier, source, facts, found = _raw(name.removeprefix(SHORT), root, config)
    try:
        raw = ingest(Task(identifier, IngestInput(source, facts, found, "", None)), config).record
        given = NormalizeInput(Path(facts.folder), raw)
        normal = normalize(Task(identifier, given), config)
        tar = root / "normal.tar"
        tar.write_bytes(pack(identifier, normal.files or {}))
        where = AssetRange(tar, 0, tar.stat().st_size)
        checked = verify(Task(identifier, VerifyInput(normal.record, where, "box")), config)
        early = {
            "raw": _digest(_raw_files(facts, found)),
            "normalize": _digest({n: _sha(d) for n, d in (normal.files or {}).items()}),
            "record": _digest(normal.record.to_row()),
        }
        if is_short:
            return early | {"findings": _findings(normal, checked)}
        known = ObjectFacts(normal.record, raw.source, raw.parts)
        done = annotate(Task(identifier, AnnotateInput(known, where)), config)
    except Rejection as refusal:
        return {"rejected": str(refusal)}
    made = done.record.to_row()
    return early | {
        "content": str(made["content_sha256"]),
        "links": _digest(made["links"]),
        "joints": _digest(made["joints"]),
        "fingerprint": _digest(made["fingerprint"]),
        "findings": _findings(normal, checked, done),
    }


def _findings(*outcomes: Any) -> str:
    found = [one for outcome in outcomes for one in outcome.findings]
    return _digest([(str(one.code), one.detail, str(one.severity)) for one in found])


def _raw(name: str, root: Path, config: Any) -> tuple[str, str, Any, Any]:
    """Return id, source, facts and found paths of one raw object, made where it is generated."""
    from pipeline.engine.sources import load_sources
    from pipeline.generate.emit import emit, object_files
    from pipeline.raw.records import Found

    if not name.startswith("sample:"):
        short = name.removeprefix("generated-")
        family, index = short.rsplit("_", 1)
        files = object_files(family, int(index), seed=config.generated.seed)
        emit(root, short, files=files)
        facts = load_sources()["generated"].facts(str(root))
        return name, "generated", facts, Found(short, (short,))
    source, folder, short = name.removeprefix("sample:").split("/", 2)
    raw = tail_collections(root / "raw") if source == "tail" else SAMPLES / folder
    facts = load_sources()[source].facts(str(raw))
    found = next(one for one in _discover(source, raw) if one.name == short)
    return f"{source}-{short.lower().replace('/', '_')}", source, facts, found


def _discover(source: str, folder: Path) -> Iterator[Any]:
    from pipeline.engine.sources import load_sources
    from pipeline.stages.ingest.stage import adapter_module

    yield from adapter_module(load_sources()[source].adapter).discover(folder)


def tail_collections(root: Path) -> Path:
    """Copy the collections of the tail and describe each in a `source.yaml`."""
    for name, facts in TAIL.items():
        shutil.copytree(SAMPLES / "tail" / name, root / name)
        common = {"title": name, "license": "unknown", "frame": {"up": "z"}, "scale": "metric"}
        (root / name / "source.yaml").write_text(json.dumps({**common, **facts}))
    return root


def sample_names() -> list[str]:
    """Return the name of every raw object in the samples; none where they are absent."""
    if not SAMPLES.is_dir():
        return []
    with tempfile.TemporaryDirectory() as temporary:
        tail = tail_collections(Path(temporary))
        return sorted(
            f"sample:{source}/{folder}/{found.name}"
            for source, folders in SAMPLE_SOURCES.items()
            for folder in folders
            for found in _discover(source, tail if source == "tail" else SAMPLES / folder)
        )


def _raw_files(facts: Any, found: Any) -> dict[str, str]:
    paths = [Path(facts.folder) / part for part in found.paths]
    files = sorted(f for p in paths for f in ([p] if p.is_file() else p.rglob("*")) if f.is_file())
    return {str(f.relative_to(facts.folder)): _sha(f.read_bytes()) for f in files}


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _digest(value: Any) -> str:
    return _sha(json.dumps(value, sort_keys=True, default=str).encode())


def main(names: Sequence[str]) -> int:
    """Rebuild the named objects one after the other."""
    from pipeline.engine.config import load_config

    config = replace(load_config(), filters={})
    found = {}
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            found[name] = rebuild(name, Path(folder), config)
    sys.stdout.write(json.dumps({"kernel": _kernel(), "objects": found}))
    return 0


def _kernel() -> str:
    """Return the name of the kernels that numpy's OpenBLAS has chosen; empty where it has none."""
    maps = Path("/proc/self/maps")
    lines = maps.read_text().splitlines() if maps.is_file() else []
    for library in sorted({line.split()[-1] for line in lines if "openblas64_" in line}):
        name = getattr(ctypes.CDLL(library), "scipy_openblas_get_corename64_", None)
        if name is not None:
            name.restype = ctypes.c_char_p
            return str(name().decode())
    return ""


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
