# SPDX-License-Identifier: Apache-2.0
"""Every fault between here and the Hub ends in a result or in one sentence, and leaves no stump."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from aa_dataset import load_dataset
from aa_dataset.assets.cache import CacheError
from aa_dataset.cli import main
from aa_dataset.errors import ArenaError, LibraryError
from aa_dataset.hub import patience
from aa_dataset.hub.errors import DamagedFileError, DownloadError
from tests.aa_dataset.test_damage import flip
from tests.hub_server import serving
from tests.kit.hub_data import Fault, Repository
from tests.kit.library_folder import write_seal
from tests.kit.library_objects import JAR
from tests.loopback import folder_files

REPO, NAME = "someone/arena", "articulatearena-20k"
ALWAYS, NOBODY = -1, "http://127.0.0.1:9"
RESOLVE, ANY = "GET /datasets/.*tar", ".*"


def opened(**options):
    return load_dataset(NAME, repo_id=REPO, verbose=False, **options)


@pytest.fixture
def sound(pristine_library):
    return load_dataset(pristine_library, verbose=False)[JAR].read("object.urdf")


@pytest.fixture
def item(hub):
    """An object of a library of which the tables are here."""
    found = opened()[JAR]
    hub.clear()
    return found


def stumps(cache: Path) -> list[Path]:
    """Return what is in the cache and is no complete object, table or mark."""
    return [*cache.rglob(".tmp-*"), *cache.rglob("objects/*.tar"), *cache.rglob("objects/*/*/*.*")]


PASSING = {
    "cut in the middle of a range": Fault("GET /cdn/", "cut", 2000),
    "cut again and again": Fault("GET /cdn/", "cut", 2000, times=4),
    "cut before the first byte": Fault("GET /cdn/", "cut", 0, times=3),
    "a body that is short": Fault("GET /cdn/", "short", 700),
    "wrong bytes once": Fault("GET /cdn/", "flip", 520),
    "429": Fault(RESOLVE, "status", 429, headers={"Retry-After": "7"}),
    "429 at the other host": Fault("GET /cdn/", "status", 429),
    "500": Fault(RESOLVE, "status", 500, times=2),
    "an address that expired": Fault("GET /cdn/", "status", 503),
}


@pytest.mark.parametrize("case", PASSING)
def test_a_passing_fault_ends_in_the_object(hub, item, sound, case):
    fault = PASSING[case]
    hub.faults.append(Fault(fault.path, fault.kind, fault.value, fault.times, fault.headers))
    assert item.read("object.urdf") == sound
    assert hub.faults[0].times == 0


def test_the_pause_is_what_the_hub_asks_for(hub, item, monkeypatch):
    pauses = []
    monkeypatch.setattr(patience.time, "sleep", pauses.append)
    hub.faults.append(Fault(RESOLVE, "status", 429, headers={"Retry-After": "7"}))
    hub.faults.append(Fault(RESOLVE, "status", 500))
    item.read("object.urdf")
    assert pauses == [7.0, patience.WAITS[1]]


LASTING = {
    "cut at the same byte": (Fault(ANY, "cut", 0, ALWAYS), "the connection breaks again and again"),
    "short for ever": (Fault("GET /cdn/", "short", 0, ALWAYS), "ends too early again and again"),
    "wrong bytes": (Fault("GET /cdn/", "flip", 520, ALWAYS), "other bytes than objects.parquet"),
    "429": (Fault(RESOLVE, "status", 429, ALWAYS), "limits the number of requests (429)"),
    "a long pause": (
        Fault(RESOLVE, "status", 429, ALWAYS, {"Retry-After": "86400"}),
        "limits the number of requests (429)",
    ),
    "500": (Fault(RESOLVE, "status", 500, ALWAYS), "has a problem (error 500)"),
    "404": (Fault(RESOLVE, "status", 404, ALWAYS), "status 404"),
    "the token expired": (Fault(RESOLVE, "status", 401, ALWAYS), "it is wrong or expired"),
    "no rights": (Fault(RESOLVE, "status", 403, ALWAYS), "denies access (403)"),
    "a web page": (Fault(RESOLVE, "html", 0, ALWAYS), "not one of the Hub (a web page)"),
    "a web page at the other host": (Fault("GET /cdn/", "html", 0, ALWAYS), "(a web page)"),
    "the range is ignored": (Fault("GET /cdn/", "whole", 0, ALWAYS), "to the request of a range"),
    "more bytes than asked": (Fault("GET /cdn/", "long", 0, ALWAYS), "more bytes than the range"),
    "another file": (Fault("GET /cdn/", "total", 0, ALWAYS), "does not match its own tables"),
}


@pytest.mark.parametrize("case", LASTING)
def test_a_lasting_fault_ends_in_a_sentence_and_leaves_nothing(hub, item, cache, sound, case):
    fault, words = LASTING[case]
    hub.faults.append(Fault(fault.path, fault.kind, fault.value, fault.times, fault.headers))
    with pytest.raises(DownloadError) as caught:
        item.urdf_path  # noqa: B018
    text = str(caught.value)
    assert words in text and REPO in text and "\n" not in text
    assert "assets/generated-0000.tar" in text or JAR in text
    assert stumps(cache) == []
    hub.faults.clear()
    assert item.urdf_path.read_bytes() == sound  # the same object heals


def test_nobody_answers_any_more(item, cache, monkeypatch):
    from huggingface_hub import constants

    template = constants.HUGGINGFACE_CO_URL_TEMPLATE.replace(constants.ENDPOINT, NOBODY)
    monkeypatch.setattr(constants, "ENDPOINT", NOBODY)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    with pytest.raises(DownloadError, match=r"127.0.0.1:9 is not reachable .*Check the network"):
        item.urdf_path  # noqa: B018
    assert stumps(cache) == []
    assert opened()[JAR].joints  # what is here opens


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault("GET /api/", "html", 0, ALWAYS), "is not one of the Hub"),
        (Fault("GET /api/", "status", 500, ALWAYS), "has a problem (error 500)"),
        (Fault("POST /api/.*paths-info", "html", 0, ALWAYS), "is not one of the Hub"),
        (Fault("GET .*library.json", "flip", 200, ALWAYS), "library.json of someone/arena"),
        (Fault("GET .*library.json", "html", 0, ALWAYS), "(a web page)"),
        (Fault("GET /cdn/", "flip", 99, ALWAYS), "other bytes than library.json lists"),
        (Fault("GET /cdn/", "status", 500, ALWAYS), "has a problem (error 500)"),
    ],
)
def test_a_fault_while_opening_is_a_sentence_and_heals(hub, cache, fault, words):
    hub.faults.append(fault)
    with pytest.raises(DownloadError) as caught:
        opened()
    assert words in str(caught.value) and REPO in str(caught.value)
    assert not list(cache.rglob(".tmp-*"))
    hub.faults.clear()
    assert len(opened()) == 5


def test_the_revision_moves_between_two_requests(hub, sound):
    """What was opened stays what it was; the next opening sees what is new."""
    repository = hub.repositories[REPO]
    old = repository.branches["main"]
    files = dict(repository.commits[old])
    move = Fault("GET .*library.json", "move", call=lambda: repository.commit({"README.md": b"x"}))
    hub.faults.append(move)
    dataset = opened()
    assert repository.branches["main"] != old and dataset.catalog.origin.commit == old
    assert dataset[JAR].read("object.urdf") == sound
    with pytest.raises(DownloadError, match=r"has no library\.json, so it is not a library"):
        opened()
    repository.commit(files | {"README.md": b"y"})
    assert opened().catalog.origin.commit == repository.branches["main"]


def test_a_commit_that_was_removed_is_a_sentence(hub, item):
    hub.repositories[REPO].commits.clear()
    with pytest.raises(DownloadError, match=r"has no revision '[0-9a-f]{40}'"):
        item.urdf_path  # noqa: B018


def test_a_gated_repository_wants_a_token(pristine_library, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_TOKEN_PATH", str(tmp_path / "no-token"))
    with serving(monkeypatch, token="hf_good") as hub:
        repository = hub.repositories[REPO] = Repository(gated=True)
        repository.commit(folder_files(pristine_library))
        with pytest.raises(DownloadError, match=r"is gated\. Accept its terms at .*hf auth login"):
            opened()
        monkeypatch.setenv("HF_TOKEN", "hf_expired")
        with pytest.raises(DownloadError, match=r"\(401\): it is wrong or expired.*hf auth login"):
            opened()
        monkeypatch.setenv("HF_TOKEN", "hf_good")
        assert opened()[JAR].read("object.urdf")


def test_damage_in_the_cache_heals(hub, item, cache, sound):
    item.urdf_path  # noqa: B018
    root = item.folder
    for path in [*root.rglob("*")]:
        path.unlink() if path.is_file() else None
    flip(next(cache.rglob(f"objects/{JAR}.tar")), 520)
    assert opened()[JAR].urdf_path.read_bytes() == sound
    for name in ("joints", "objects", "splits"):
        flip(opened().root / f"{name}.parquet", 300)
        assert opened()[JAR].joints
    flip(opened().root / "library.json", 300)
    assert opened()[JAR].read("object.urdf") == sound


def test_damage_in_the_cache_without_a_network_is_a_sentence(hub, item, cache):
    item.urdf_path  # noqa: B018
    flip(opened().root / "joints.parquet", 300)
    with pytest.raises(LibraryError, match=r"joints\.parquet do not match"):
        opened(offline=True)[JAR].joints  # noqa: B018


def test_offsets_that_lie_are_refused(hub, library, cache):
    """A table points to another object's bytes: digests and names do not agree."""
    table = pq.read_table(library / "objects.parquet")
    offsets = table["offset"].to_pylist()
    offsets[0], offsets[1] = offsets[1], offsets[0]
    place = table.schema.get_field_index("offset")
    column = pa.array(offsets, pa.int64())
    table = table.set_column(place, table.schema.field(place), column)
    pq.write_table(table, library / "objects.parquet")
    write_seal(library)
    hub.repositories[REPO].commit(folder_files(library))
    dataset = opened()
    with pytest.raises(DamagedFileError, match="other bytes than objects"):
        dataset[0].urdf_path  # noqa: B018
    assert stumps(cache) == []


def test_a_hostile_seal_writes_nothing_elsewhere(hub, library, cache):
    seal = json.loads((library / "library.json").read_text())
    seal["files"]["../../escape.parquet"] = {"sha256": "0" * 64, "size": 3}
    files = folder_files(library) | {"library.json": json.dumps(seal).encode()}
    hub.repositories[REPO].commit(files | {"../../escape.parquet": b"bad"})
    with pytest.raises(LibraryError, match=r"escape\.parquet"):
        opened()
    assert not list(cache.parent.rglob("escape*"))


def test_a_table_of_absurd_size_is_not_downloaded(hub, library):
    seal = json.loads((library / "library.json").read_text())
    seal["files"]["joints.parquet"]["size"] = 1 << 60
    hub.repositories[REPO].commit(
        folder_files(library) | {"library.json": json.dumps(seal).encode()}
    )
    with pytest.raises(DownloadError, match=r"joints\.parquet .* has more than"):
        opened()


FULL = """
import json, resource, signal, sys
from aa_dataset import load_dataset
from aa_dataset.errors import ArenaError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
dataset = load_dataset({name!r}, repo_id={repo!r}, verbose=False)
resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
try:
    dataset[{jar!r}].read("object.urdf")
except ArenaError as error:
    print(json.dumps([type(error).__name__, str(error)]))
"""


def test_a_full_disk_is_a_sentence(hub, cache, tmp_path):
    """A limit of the process stands for the disk; the kernel stops the write either way."""
    code = FULL.format(name=NAME, repo=REPO, jar=JAR)
    env = os.environ | {
        "HF_ENDPOINT": hub.address,
        "HF_HOME": str(tmp_path / "hf"),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    )
    kind, text = json.loads(done.stdout)
    assert kind == "CacheError" and "generated-jar.tar cannot be written" in text
    assert "AA_HOME" in text and stumps(cache) == []


@pytest.mark.parametrize("number", ["ENOSPC", "EROFS", "EACCES"])
def test_a_cache_that_cannot_be_written_is_a_sentence(item, cache, monkeypatch, number):
    def refuse(*_, dir, **__):
        raise OSError(getattr(errno, number), "no", str(dir))

    monkeypatch.setattr("aa_dataset.hub.landing.tempfile.mkstemp", refuse)
    with pytest.raises(CacheError, match=r"generated-jar\.tar cannot be written.*AA_HOME"):
        item.read("object.urdf")
    assert stumps(cache) == []


def test_a_file_where_the_cache_should_be_is_a_sentence(hub, tmp_path):
    (tmp_path / "taken").write_text("not a folder")
    with pytest.raises(ArenaError, match=r"taken.*cannot be written.*AA_HOME"):
        opened(cache_dir=tmp_path / "taken")


def test_a_download_does_not_fill_the_disk_first(hub, cache, capsys, monkeypatch):
    opened()
    monkeypatch.setattr("aa_dataset.library.pull.free_bytes", lambda _: 1000)
    hub.clear()
    assert main(["pull", "--repo", REPO, "--all"]) == 2
    assert "1,000 bytes free, but the objects need" in capsys.readouterr().err
    assert not [path for path in hub.paths() if path.endswith(".tar")]
