# SPDX-License-Identifier: Apache-2.0
"""Writes one generated object as a raw source folder, all or nothing."""

import json
import shutil
from functools import partial
from pathlib import Path

from aa_dataset.files import refused_as_sentence
from pipeline.generate.draw import Draw
from pipeline.generate.layout import META, URDF, SourceLayout, object_name
from pipeline.generate.registry import family
from pipeline.generate.urdf import mesh_texts, texture_files, urdf_text

LICENSE = "CC0-1.0"


def object_files(name: str, index: int, *, seed: int) -> dict[str, bytes]:
    """Build one object and return its files, keyed by path within the object folder.

    Parameters
    ----------
    name : str
        A family.
    index : int
        Which object of the family.
    seed : int
        Seed of the collection.
    """
    draw = Draw(seed, name, index)
    assembly = family(name)(draw)
    meta = {
        "name": assembly.name,
        "description": assembly.description,
        "category": assembly.category,
        "family": name,
        "license": LICENSE,
        "seed": seed,
        "parameters": draw.parameters,
        "parts": {part.name: part.label for part in assembly.parts.values()},
    }
    texts = {
        META: json.dumps(meta, indent=2, sort_keys=True, ensure_ascii=False) + "\n",
        URDF: urdf_text(assembly, object_name(name, index)),
        **mesh_texts(assembly),
    }
    encoded = {path: text.encode() for path, text in texts.items()}
    return {**encoded, **texture_files(assembly)}


def emit(root: Path, name: str, *, files: dict[str, bytes]) -> bool:
    """Put an object folder in place by a rename; return False if it exists with the same bytes.

    Parameters
    ----------
    root : Path
        Folder of the raw source.
    name : str
        Folder name of the object.
    files : dict of str to bytes
        Content by path within the object folder.
    """
    layout = SourceLayout(root)
    folder, incoming = layout.folder(name), layout.incoming(name)
    if _holds_exactly(layout, folder, files):
        return False
    shutil.rmtree(incoming, ignore_errors=True)
    for path, content in files.items():
        target = layout.file(incoming, path)
        with refused_as_sentence(target, partial(len, content)):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    remove(root, name)
    incoming.rename(folder)
    return True


def remove(root: Path, name: str) -> None:
    """Remove an object folder: first rename it, then delete it."""
    layout = SourceLayout(root)
    folder, outgoing = layout.folder(name), layout.outgoing(name)
    if folder.exists():
        shutil.rmtree(outgoing, ignore_errors=True)
        folder.rename(outgoing)
        shutil.rmtree(outgoing)


def _holds_exactly(layout: SourceLayout, folder: Path, files: dict[str, bytes]) -> bool:
    """Return whether a folder has exactly these files with these bytes."""
    if not folder.is_dir():
        return False
    present = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    if present != set(files):
        return False
    return all(layout.file(folder, path).read_bytes() == data for path, data in files.items())
