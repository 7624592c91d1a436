# SPDX-License-Identifier: Apache-2.0
"""What is fuzzed: every reader of untrusted files, by the functions that a user calls.

A new reader is a new line in `TARGETS`: seeds of its format, and a function that hands it bytes in
an empty folder. Whatever leaves that function must be an error that we raise on purpose.
"""

from __future__ import annotations

import hashlib
import importlib
import io
import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from aa_dataset.assets.contents import content_digest
from aa_dataset.assets.packed import Asset
from aa_dataset.errors import ArenaError
from aa_dataset.files import FileSeal
from aa_dataset.format.layout import LibraryLayout
from aa_dataset.format.schema import SCHEMA_VERSION
from aa_dataset.format.seal import Seal
from aa_dataset.format.split_file import read_split_file
from aa_dataset.kinematics.similarity import Similarity
from aa_dataset.kinematics.urdf import parse_urdf
from aa_dataset.kinematics.urdf_tree import urdf_tree
from aa_dataset.library.storage import read_table
from aa_dataset.render.glb import read_glb
from aa_dataset.score.method import parse_method
from aa_dataset.score.readers.folder import PredictionFolder
from aa_dataset.score.readers.folder_files import PredictionFiles
from aa_dataset.score.readers.registry import format_named, recognized
from aa_dataset.score.registration.file import parse_registration, write_registration
from aa_dataset.score.registration.inputs import Inputs, shape_content
from aa_dataset.score.registration.normalization import InputShape
from aa_dataset.score.registration.record import Given
from aa_dataset.score.result.record import read_result
from aa_dataset.score.result.record import read_table as read_result_table
from aa_dataset.score.result.tables import PER_OBJECT
from aa_dataset.untrusted.npz import NpzError, NpzFile
from aa_dataset.untrusted.pickled import pickled_items
from aa_dataset.untrusted.ply import read_ply_triangles
from pipeline.base.assets import pack
from pipeline.base.errors import PipelineError
from pipeline.engine.access import UnpackRule
from pipeline.engine.runner import Task
from pipeline.handover.ingested import IngestedRecord
from pipeline.raw.files import MemoryFiles, RawFiles, open_raw
from pipeline.raw.inventory import scan_source
from pipeline.raw.records import Found, Frame
from pipeline.stages.ingest.stage import IngestInput, ingest
from pipeline.stages.normalize.stage import normalize_raw
from pipeline.tools.fetch.connection import TimeLimit
from pipeline.tools.fetch.layout import FetchLayout
from pipeline.tools.fetch.unpack import unpack
from tests.fuzz import corpus, hub_files, prediction_files
from tests.fuzz.methods import method_file
from tests.kit import settings
from tests.kit.inputs_library import cabinet_glb, jar_glb
from tests.kit.settings import changed, facts_of

ON_PURPOSE = (PipelineError, ArenaError)
BUDGETS = replace(settings.BUDGETS, raw_bytes=2_000_000, faces=20_000, pixels=1_000_000)
SETTINGS = changed(replace(settings.SETTINGS, budgets=BUDGETS), normalize={"screw_labels": ()})

_FILES = {"object.urdf": corpus.urdf(), "meshes/base_0.obj": b"v 0 0 0\n"}  # of an object

Run = Callable[[bytes, Path], object]


@dataclass(frozen=True, slots=True)
class Target:
    """One reader: what its files look like, and how it is called.

    The first seed is a good file, which the reader must take, unless `is_good` says otherwise.
    """

    name: str
    seeds: Sequence[bytes]
    run: Run
    is_good: bool = True


def _record(model: str, kind: str) -> IngestedRecord:
    return IngestedRecord("local", "1", ("1",), model, kind, Frame("z"), "metric", 1.0)


def _normalized(files: dict[str, bytes], model: str = "m.urdf", kind: str = "urdf") -> object:
    raw = MemoryFiles(files, most_bytes=BUDGETS.raw_bytes)
    return normalize_raw(raw, _record(model, kind), SETTINGS)


def _mesh(kind: str) -> Run:
    name = f"mesh.{kind}"
    side = {"t.png": corpus.pictures()[0], "m.mtl": corpus.mtl()[0]}
    return lambda data, _: _normalized({"m.urdf": corpus.urdf(name), **side, name: data})


def _side(name: str) -> Run:
    """Read a file beside a textured OBJ."""
    side = {"t.png": corpus.pictures()[0], "m.mtl": corpus.mtl()[0], "o.obj": corpus.obj()[1]}
    return lambda data, _: _normalized({"m.urdf": corpus.urdf("o.obj"), **side, name: data})


def _mjcf(data: bytes, folder: Path) -> object:
    _written(folder, {"c/source.yaml": corpus.source_yaml()[0].replace(b"urdf", b"mjcf"),
                      "c/m.xml": data})  # fmt: skip
    _planned("urdf_folder", folder)
    return _normalized({"m.xml": data}, "m.xml", "mjcf")


def _described(adapter: str, name: str, **others: bytes) -> Run:
    """Read one metadata file of an object whose other files are good."""
    rest = {key.replace("__", "."): value for key, value in others.items()}

    def run(data: bytes, _: Path) -> object:
        files: RawFiles = MemoryFiles({**rest, name: data}, most_bytes=BUDGETS.raw_bytes)
        module = importlib.import_module(f"pipeline.raw.adapters.{adapter}")
        return module.describe(files, Found("1", ("1",)))

    return run


def _planned(adapter: str, folder: Path) -> object:
    """Plan a source and ingest everything in it, as a build does."""
    facts = facts_of(folder, adapter=adapter, license="MIT")
    for raw in scan_source("local", adapter, folder, most_bytes=BUDGETS.raw_bytes):
        data = IngestInput("local", facts, raw.found, raw.digest, raw.mark)
        try:
            ingest(Task(raw.object_id, data), SETTINGS)
        except PipelineError:
            continue
    return None


def _source(adapter: str, name: str, **others: bytes) -> Run:
    def run(data: bytes, folder: Path) -> object:
        _written(folder, {key.replace("__", "/"): value for key, value in others.items()})
        _written(folder, {name: data})
        return _planned(adapter, folder)

    return run


def _written(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _archive(data: bytes, folder: Path) -> object:
    _written(folder, {"rec_a.tar.gz": data})
    files = open_raw(folder, ["rec_a.tar.gz"], most_bytes=BUDGETS.raw_bytes)
    return [files.read(name) for name in files.names()]


def _unpacked(data: bytes, folder: Path) -> object:
    _written(folder, {"archive": data})
    rule = UnpackRule(archives="*", files=100, bytes=1_000_000)
    place = FetchLayout(folder / "raw")
    ends = {"stop": threading.Event(), "limit": TimeLimit()}
    return unpack(folder / "archive", rule, place, facts={"path": "a.tar.gz"}, **ends)


def _library_tar(data: bytes, folder: Path) -> object:
    _written(folder, {"a.tar": data})
    digest = content_digest(_FILES)
    asset = Asset(
        folder / "a.tar", offset=0, size=len(data), object_id="thing", content_sha256=digest
    )
    asset.extract(folder / "out")
    return [asset.read(name) for name in asset.names()]


def _library_table(data: bytes, folder: Path) -> object:
    """Read a table with a valid seal: an attacker can write both."""
    _written(folder, {"splits.parquet": data})
    mark = FileSeal(hashlib.sha256(data).hexdigest(), len(data))
    seal = Seal("a", "0" * 16, SCHEMA_VERSION, 1, 1, {}, {}, None, {"splits.parquet": mark}, "")
    return read_table(LibraryLayout(folder), seal, "splits")


def _prediction(data: bytes, folder: Path) -> object:
    _written(folder, {"a.urdf": data})
    return PredictionFolder(folder).tree("a").placements({})


def _predicted(name: str) -> Run:
    """Read one file of a method, with its meshes if it has some."""

    def run(data: bytes, folder: Path) -> object:
        _written(folder, {f"a/{name}": data})
        predictions = PredictionFolder(folder)
        found = predictions.prediction("a")
        return found.tree.placements(found.rest), found.triangles()

    return run


def _arrays(data: bytes, _: Path) -> object:
    """Read every array of an archive, pickled or not."""
    file = NpzFile(data)
    for name in file.names:
        try:
            file.array(name)
        except NpzError:
            pickled_items(file.pickled(name))
    return None


def _joints(data: bytes, folder: Path) -> object:
    _written(folder, {"a/joints.json": data})
    return PredictionFolder(folder).tree("a").placements({})


def _object_glb(data: bytes, _: Path) -> object:
    """Read the triangles and textures of a library's object."""
    return read_glb(data).surface()


def _read_as(reader: str, name: str) -> Run:
    """Read one file of a prediction, and the triangles of its links.

    The format itself is called: `PredictionFolder` would make a sentence of any exception.
    """

    def run(data: bytes, folder: Path) -> object:
        _written(folder, {f"a/{name}": data})
        files = PredictionFiles(folder, "a", "a")
        recognized(files)
        prediction = format_named(reader).read(files)
        return prediction.triangles(), prediction.tree.placements({})

    return run


def _predicted(name: str) -> Run:
    """Read one file of a method, with its meshes if it has some."""

    def run(data: bytes, folder: Path) -> object:
        _written(folder, {f"a/{name}": data})
        predictions = PredictionFolder(folder)
        found = predictions.prediction("a")
        return found.tree.placements(found.rest), found.triangles()

    return run


def _one_joint_each(data: bytes, folder: Path) -> object:
    """Read a file beside another of one joint each."""
    good = corpus.urdf()
    _written(folder, {"a/x_joint_0.urdf": good, "a/x_joint_1.urdf": data})
    return PredictionFolder(folder).tree("a").placements({})


def _included(data: bytes, folder: Path) -> object:
    """Read a file that an MJCF prediction includes."""
    model = b'<mujoco><worldbody><include file="b.xml"/></worldbody></mujoco>'
    _written(folder, {"a/m.xml": model, "a/b.xml": data})
    return PredictionFolder(folder, reader="mjcf").tree("a").placements({})


def _inputs(data: bytes, folder: Path) -> object:
    _written(folder, {"a/inputs.json": data})
    return Inputs(folder).shape("a")


def _split_file(data: bytes, folder: Path) -> object:
    _written(folder, {"s.json": data})
    return read_split_file(folder / "s.json").digest


def _result(data: bytes, folder: Path) -> object:
    _written(folder, {"summary.json": data, "method.json": b'{"name": "a"}'})
    return read_result(folder)


def _method(data: bytes, _: Path) -> object:
    return parse_method(data, "method.json")


def _result_table(data: bytes, folder: Path) -> object:
    _written(folder, {"per_object.parquet": data})
    try:
        return read_result_table(folder, "per_object")
    except (ValueError, pa.ArrowException) as error:  # which `read_result` turns into a sentence
        raise ArenaError(str(error)) from error


def _result_tables() -> list[bytes]:
    """Return an empty table of objects, as Parquet."""
    stream = io.BytesIO()
    pq.write_table(PER_OBJECT.empty_table(), stream, compression="zstd")
    return [stream.getvalue()]


_OBJECT = {"object.urdf": corpus.urdf(), "a/b.txt": b"text"}
_TARS = [corpus.tar({f"thing/{name}": data for name, data in _OBJECT.items()})]
_PACKED = [corpus.tar({"rec_a/model.urdf": corpus.urdf()}, packed=True)]
_RESULTS = [b'{"result_version": "5", "metric_version": "1", "dataset": {}, "parameters": {}}']
_METHODS = [b'{"name": "a", "reference": "b", "inputs": "c", "imputed": false, "uses_truth": true}']
_REGISTRATIONS = [write_registration(Given(Similarity(2.0), {"door": 0.5}), "a note")]
_SHAPE = InputShape(np.zeros(3), np.ones(3), np.zeros(3), 1.0)
_INPUTS = [json.dumps({"states": {"rest": shape_content(_SHAPE)}}).encode()]

TARGETS: tuple[Target, ...] = (
    Target("urdf", [corpus.urdf(), corpus.urdf(mimics=30)],
           lambda data, _: urdf_tree(parse_urdf(data)).placements({})),
    Target("urdf_object", [corpus.urdf(), corpus.urdf(mimics=30)],
           lambda data, _: _normalized({"m.urdf": data})),
    Target("obj", corpus.obj(), _mesh("obj")),
    Target("mtl", corpus.mtl(), _side("m.mtl")),
    Target("picture", corpus.pictures(), _side("t.png")),
    Target("stl", corpus.stl(), _mesh("stl")),
    Target("ply", corpus.ply(), _mesh("ply")),
    Target("gltf", corpus.gltf(), _mesh("gltf")),
    Target("glb", corpus.glb(), _mesh("glb")),
    Target("dae", [corpus.dae(), corpus.dae(3, 3), corpus.dae(9, 10)], _mesh("dae")),
    Target("mjcf", corpus.mjcf(), _mjcf),
    Target("partnet_json", corpus.partnet_json(),
           _described("partnet_mobility", "mobility_v2.json", mobility__urdf=corpus.urdf())),
    Target("partnet_semantics", [b"l0 static frame\nl1 hinge door\n"],
           _described("partnet_mobility", "semantics.txt", mobility__urdf=corpus.urdf())),
    Target("generated_meta", corpus.meta_json(),
           _source("generated", "a/meta.json", **{"a__model.urdf": corpus.urdf()})),
    Target("articraft_record", [b'{"record_id": "rec_a", "rating": 5, "display": {"title": "t"}}'],
           _source("articraft", "rec_a/record.json", **{"rec_a__model.urdf": corpus.urdf()})),
    Target("akb48_list", [b"Box 100\nBucket 0\n"],
           _source("gapartnet_akb48", "akb48_all_id_list.txt",
                   **{"100__motion_sapien.urdf": corpus.urdf()})),
    Target("physx_json", [b'{"object_name": "a", "category": "b", "dimension": "1*2*3"}'],
           _source("physx_mobility", "finaljson/1.json", **{"urdf__1.urdf": corpus.urdf()})),
    Target("collection", corpus.source_yaml(),
           _source("urdf_folder", "c/source.yaml", **{"c__m.urdf": corpus.urdf()})),
    Target("references", [corpus.urdf("package://c/meshes/a.obj"), corpus.urdf("/x/meshes/a.obj")],
           _source("urdf_folder", "c/urdf/m.urdf",
                   **{"c__source.yaml": corpus.source_yaml()[0], "c__meshes__a.obj": b""})),
    Target("manifest_csv", corpus.manifest_csv(), _source("articulated_object_code",
                                                          "manifest.csv")),
    Target("manifest_parquet", corpus.manifest_parquet(), _source("articulated_object_code",
                                                                  "manifest.parquet")),
    Target("archive", _PACKED, _archive),
    Target("unpack", [*_PACKED, *_TARS], _unpacked),
    Target("library_tar", [pack("thing", _FILES), *_TARS], _library_tar),
    Target("library_table", corpus.splits_parquet(), _library_table),
    Target("origin", hub_files.MARKS, hub_files.read_origin),
    Target("checksums", hub_files.CHECKSUMS, hub_files.read_checksums),
    Target("prediction", [corpus.urdf(), corpus.urdf(mimics=30)], _prediction),
    Target("predicted_shapes", [corpus.urdf("o.obj"), *method_file("urdf", "object.urdf")],
           _predicted("object.urdf"), is_good=False),
    Target("one_joint_each", [corpus.urdf()], _one_joint_each),
    Target("urdformer", method_file("urdformer", "output/image.urdf"),
           _predicted("m.urdf"), is_good=False),
    Target("singapo", method_file("singapo", "object.json"), _predicted("object.json")),
    Target("articraft", method_file("articraft", "model.json"), _predicted("model.json")),
    Target("mjcf_prediction", [*method_file("mjcf", "model.xml"), *corpus.mjcf()],
           _predicted("m.xml")),
    Target("mjcf_include", [b"<mujocoinclude><body><joint name='a'/></body></mujocoinclude>"],
           _included),
    Target("split_file", corpus.split_files(), _split_file),
    Target("object_glb", [cabinet_glb(), jar_glb()], _object_glb),
    Target("method_ply", [corpus.TRIANGLE_PLY], lambda data, _: read_ply_triangles(data)),
    Target("npz", corpus.quant_npz(), _arrays),
    Target("pickle", corpus.pickles(), lambda data, _: pickled_items(data)),
    Target("anymesh", corpus.anymesh_json(), _predicted("mobility.json")),
    Target("artgs", corpus.artgs_json(), _predicted("joint_info.json")),
    Target("paris", corpus.paris_json(), _predicted("it5000_test_motion.json")),
    Target("paris_states", corpus.trans_json(), _predicted("trans.json")),
    Target("dta", corpus.dta_json(), _predicted("init_motion.json")),
    Target("ditto", corpus.quant_npz(), _predicted("quant.npz")),
    Target("joints_json", corpus.joints_json(), _joints),
    Target("real2code", prediction_files.real2code(), _read_as("real2code", "pred.py")),
    Target("real2code joints", prediction_files.mujoco_joints(),
           _read_as("real2code", "joints.json")),
    Target("particulate", prediction_files.particulate(), _read_as("particulate", "pred.npz")),
    Target("physx json", prediction_files.physx_json(),
           _read_as("physx_anything", "basic_info.json")),
    Target("physx text", prediction_files.physx_text(),
           _read_as("physx_anything", "basic_info.txt")),
    Target("physx urdf", prediction_files.physx_urdf(), _read_as("physx_anything", "basic.urdf")),
    Target("urdf_anything", prediction_files.urdf_anything(), _read_as("urdf_anything", "a.json")),
    Target("urdf_anything_plus", prediction_files.urdf_anything_plus(),
           _read_as("urdf_anything_plus", "generated.urdf")),
    Target("result", _RESULTS, _result, is_good=False),
    Target("result table", _result_tables(), _result_table),
    Target("registration", _REGISTRATIONS, lambda data, _: parse_registration(data, "it")),
    Target("inputs", _INPUTS, _inputs),
    Target("method", _METHODS, _method),
)  # fmt: skip
