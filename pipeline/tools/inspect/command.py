# SPDX-License-Identifier: Apache-2.0
"""`python -m pipeline compare SOURCE FILE`: raw objects beside their normalized form.

The first column is the raw object in the source's frame, as an independent reader shows it
(yourdfpy, for MJCF MuJoCo). Then follow the normalized object at rest, the same with its joints
moved, and its collision parts.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, zip_longest
from pathlib import Path

import numpy as np
import trimesh

from aa_dataset.format.layout import GLB, URDF
from aa_dataset.kinematics.urdf import parse_urdf
from aa_dataset.kinematics.urdf_tree import urdf_tree
from aa_dataset.render.backend import Picture, choose_backend, encode_png, render_views
from aa_dataset.render.camera import look_at
from pipeline.base.errors import PipelineError, Rejection
from pipeline.base.tables import write_bytes
from pipeline.engine.config import load_config
from pipeline.engine.runner import Outcome, Task
from pipeline.engine.settings import (
    Config,
    IngestSettings,
    NormalizeSettings,
    SourceFacts,
    select,
)
from pipeline.handover.ingested import IngestedRecord
from pipeline.handover.normalized import NormalRecord
from pipeline.raw.files import RawFiles, open_raw
from pipeline.raw.inventory import adapter_module
from pipeline.raw.records import Found
from pipeline.shapes.glb import read_links
from pipeline.stages.ingest.stage import IngestInput, ingest
from pipeline.stages.normalize.stage import NormalizeInput, normalize
from pipeline.stages.render.sheet import contact_sheet
from pipeline.stages.render.states import open_state
from pipeline.tools.inspect.collision import collision_meshes
from pipeline.tools.inspect.placed import Parts, drawing, part_points, placed_parts

SIZE = 384  # pixels of one picture
BLANK = np.full((SIZE, SIZE, 3), 255, np.uint8)


def main(arguments: list[str]) -> int:
    """Draw the sheet."""
    parser = argparse.ArgumentParser(prog="python -m pipeline compare")
    parser.add_argument("source", help="a source of pipeline/raw/sources.yaml")
    parser.add_argument("file", type=Path, help="PNG to write")
    parser.add_argument("--folder", type=Path, help="raw folder, if not the usual one")
    parser.add_argument("--most", type=int, default=3, help="objects at most, spread over all")
    given = parser.parse_args(arguments)
    config = load_config()
    if given.source not in config.sources:
        names = ", ".join(config.sources)
        raise PipelineError(f"{given.source!r} is not a source; there are {names}.")
    facts = config.sources[given.source].facts
    if given.folder:
        facts = replace(facts, folder=str(given.folder))
    pictures = _sheet_pictures(given.source, facts, config, most=given.most)
    sheet = contact_sheet(pictures, columns=4, tile=256)
    write_bytes(given.file, encode_png(sheet))
    return 0


def _sheet_pictures(
    source: str, facts: SourceFacts, config: Config, *, most: int
) -> list[tuple[Picture, str]]:
    if not Path(facts.folder).is_dir():
        raise PipelineError(
            f"{facts.folder} is not a folder; `aa sources {source}` shows how to get the source."
        )
    listed = list(adapter_module(facts.adapter).discover(Path(facts.folder)))
    rows: list[list[tuple[Picture, str]]] = []
    for found in _spread(listed, most):
        row = _pictures_or_none(source, facts, config, found)
        rows += [row] if row else []
        if len(rows) == most:
            break
    if not rows:
        raise PipelineError(f"No object of {source} could be drawn from {facts.folder}.")
    return [picture for row in rows for picture in row]


def _spread(listed: Sequence[Found], most: int) -> Iterator[Found]:
    """Yield the first object of each of `most` equal runs, then the second of each, and so on."""
    ends = [round(k * len(listed) / most) for k in range(most + 1)]
    runs = [listed[start:end] for start, end in pairwise(ends)]
    for layer in zip_longest(*runs):
        yield from (found for found in layer if found is not None)


def _pictures_or_none(
    source: str, facts: SourceFacts, config: Config, found: Found
) -> list[tuple[Picture, str]]:
    """Return the pictures of an object; none, with a line, if it is rejected or nothing moves."""
    try:
        row = _object_pictures(source, facts, config, found)
    except Rejection as rejection:
        sys.stderr.write(f"{found.name}: {rejection}\n")
        return []
    if not row:
        sys.stderr.write(f"{found.name}: no joint can move.\n")
    return row


def _object_pictures(
    source: str, facts: SourceFacts, config: Config, found: Found
) -> list[tuple[Picture, str]]:
    """Return four labeled pictures of one object, none if it has no joint that moves."""
    root = Path(facts.folder)
    given = IngestInput(source, facts, found, digest="", mark=None)
    record = ingest(Task(found.name, given), select(config, IngestSettings)).record
    wanted = select(config, NormalizeSettings)
    outcome = normalize(Task(found.name, NormalizeInput(root, record)), wanted)
    if not urdf_tree(parse_urdf((outcome.files or {})[URDF])).movable:
        return []
    files = open_raw(root, found.paths, most_bytes=config.budgets.raw_bytes)
    before = _raw_picture(files, record)
    rest, opened, parts = _normal_pictures(outcome, config)
    name = f"{found.name[-24:]}"
    labels = (f"{name} raw", "normalized", "joints moved", "convex parts")
    return list(zip((before, rest, opened, parts), labels, strict=True))


def _raw_picture(files: RawFiles, record: IngestedRecord) -> Picture:
    """Draw the object as another reader reads it; an empty picture if that fails."""
    with tempfile.TemporaryDirectory() as folder:
        for name in files.names():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(files.read(name))
        try:
            path = Path(folder, record.model)
            is_mjcf = record.format == "mjcf"
            parts = _mjcf_parts(path) if is_mjcf else _urdf_parts(path, record.substitutes)
            return _render_views([parts])[0]
        except Exception as error:  # another reader may fail in any way
            sys.stderr.write(f"{record.model} cannot be drawn: {error}\n")
            return BLANK


def _urdf_parts(path: Path, substitutes: Mapping[str, str]) -> Parts:
    """Return the meshes that yourdfpy reads, in the root link's frame.

    `substitutes` are the files of names that lead nowhere by themselves, such as `package://`.
    """
    import yourdfpy

    def place(fname: str) -> str:
        return str(path.parent / substitutes.get(fname, fname))

    scene = yourdfpy.URDF.load(str(path), filename_handler=place).scene
    meshes = [mesh for mesh in scene.dump() if isinstance(mesh, trimesh.Trimesh)]
    return [(mesh, np.eye(4)) for mesh in meshes]


def _mjcf_parts(path: Path) -> Parts:
    """Return the geoms that MuJoCo reads, in the world frame."""
    from pipeline.tools.inspect.mjcf import mjcf_parts  # an optional package

    return mjcf_parts(path)


def _normal_pictures(outcome: Outcome[NormalRecord], config: Config) -> list[Picture]:
    """Draw a normalized object at rest, moved, and its collision parts when moved."""
    files = outcome.files or {}
    tree = urdf_tree(parse_urdf(files[URDF]))
    shown = read_links(files[GLB], tree.links)
    diagonal = float(np.linalg.norm(outcome.record.extents))
    most = config.annotate.collision_parts
    solid = collision_meshes(files, diagonal=diagonal, most=most)
    moved = open_state(tree)
    rest: dict[str, float] = {}
    views = ((shown, rest), (shown, moved), (solid, moved))
    drawn = [placed_parts(meshes, tree.placements(state)) for meshes, state in views]
    return _render_views(drawn, framed=drawn[:2])  # a source's collision shapes may be anywhere


def _render_views(views: list[Parts], framed: list[Parts] | None = None) -> list[Picture]:
    with drawing():
        camera = look_at(np.concatenate([part_points(parts) for parts in framed or views]))
        return render_views(views, camera, size=SIZE, backend=choose_backend())
