# SPDX-License-Identifier: Apache-2.0
"""`aa fetch` of an archive by address: interrupted, damaged, closed or unknown."""

from __future__ import annotations

import fcntl
import io
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pipeline.tools.fetch.layout import FetchLayout
from tests.loopback import Loopback
from tests.pipeline.tools.fetch.archives import tar_bytes, zip_bytes
from tests.pipeline.tools.fetch.conftest import Checkout
from tests.pipeline.tools.fetch.served import META, PACKED, sha256


def archive_access(server: Loopback, name: str, data: bytes, **more: Any) -> dict[str, Any]:
    """Serve an archive, and return the access that asks for it."""
    server.files[f"/{name}"] = data
    entry = {"name": name, "url": f"{server.address}/{name}", "size": len(data)}
    return {"kind": "archive", "archives": [{**entry, "sha256": sha256(data)}], **more}


def is_seen(process: subprocess.Popen[bytes], condition: Callable[[], bool]) -> bool:
    """Wait for a condition; return False if the process ended before it was seen."""
    while not condition():
        if process.poll() is not None:
            return False
        time.sleep(0.005)
    return True


def kill(process: Any) -> None:
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def test_a_killed_download_continues(checkout: Checkout, server: Loopback) -> None:
    data = random.Random(5).randbytes(3_000_000)
    checkout.describe(archive_access(server, "objects.bin", data))
    server.hold_at = 1_000_000
    process = checkout.start("fetch", "local")
    part = FetchLayout(checkout.raw).part("objects.bin")
    assert is_seen(process, lambda: part.is_file() and part.stat().st_size > 500_000)
    kill(process)
    have = part.stat().st_size
    assert 500_000 < have < len(data) and part.read_bytes() == data[:have]
    assert checkout.visible() == {}
    assert checkout.sources()["local"]["status"] == "incomplete"

    server.hold_at, server.sent = sys.maxsize, 0
    done = checkout.here("fetch", "local")
    assert done.returncode == 0, done.stderr
    assert checkout.visible() == {"objects.bin": data}
    assert server.requests[-1][2]["range"] == f"bytes={have}-"
    assert server.sent == len(data) - have
    assert not part.parent.exists()


def test_an_interrupted_download_prints_how_to_continue(
    checkout: Checkout, server: Loopback
) -> None:
    data = random.Random(7).randbytes(3_000_000)
    checkout.describe(archive_access(server, "objects.bin", data))
    server.hold_at = 1_000_000
    process = checkout.start("fetch", "local", stderr=subprocess.PIPE)
    part = FetchLayout(checkout.raw).part("objects.bin")
    assert is_seen(process, lambda: part.is_file() and part.stat().st_size > 100_000)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130 and b"run the command again to continue" in said
    assert b"Traceback" not in said
    assert 0 < part.stat().st_size < len(data) and checkout.visible() == {}


def test_killed_while_unpacking_nothing_half_is_left(checkout: Checkout, server: Loopback) -> None:
    files = {f"object_{k:04d}/meta.json": META + b" " * k for k in range(4000)}
    data = tar_bytes(files)
    rule = {"archives": "*.tar.gz", "files": 10_000, "bytes": 100_000_000}
    checkout.describe(archive_access(server, "all.tar.gz", data, unpack=[rule]))
    tree = FetchLayout(checkout.raw).unfinished_tree("all.tar.gz")
    process = checkout.start("fetch", "local")
    while not is_seen(process, lambda: tree.is_dir() and any(tree.iterdir())):
        shutil.rmtree(checkout.raw)  # it was faster than this look
        process = checkout.start("fetch", "local")
    kill(process)
    found = checkout.visible()
    assert all(files[name] == content for name, content in found.items())
    server.requests.clear()
    done = checkout.here("fetch", "local")
    assert done.returncode == 0, done.stderr
    assert server.requests == []  # the archive was whole
    assert checkout.visible() == files
    assert not (checkout.raw / ".fetch/archives").exists()


def test_a_connection_that_breaks_is_taken_up_within_one_run(
    checkout: Checkout, server: Loopback
) -> None:
    data = random.Random(6).randbytes(400_000)
    checkout.describe(archive_access(server, "a.bin", data))
    server.cuts = [150_000, 100_000]
    assert checkout.here("fetch", "local").returncode == 0
    assert checkout.visible() == {"a.bin": data} and server.sent == len(data)


def test_an_archive_with_a_wrong_checksum_is_refused(checkout: Checkout, server: Loopback) -> None:
    access = archive_access(server, "a.tar.gz", tar_bytes(PACKED))
    server.files["/a.tar.gz"] = bytes(len(server.files["/a.tar.gz"]))
    checkout.describe(access)
    done = checkout.here("fetch", "local")
    assert done.returncode == 2 and "its sha256 is" in done.stderr
    assert checkout.visible() == {}


def test_a_closed_archive_names_its_page(checkout: Checkout, server: Loopback) -> None:
    access = archive_access(server, "a.bin", b"a", page="https://example.org/form")
    server.statuses["/a.bin"] = [403]
    checkout.describe(access)
    done = checkout.here("fetch", "local")
    assert done.returncode == 2 and "Request access on https://example.org/form" in done.stderr


def test_another_folder_and_only_there(
    checkout: Checkout, server: Loopback, tmp_path: Path
) -> None:
    checkout.describe(archive_access(server, "a.bin", b"abc"))
    dest = tmp_path / "else where"
    done = checkout.here("fetch", "local", "--dest", str(dest))
    assert done.returncode == 0, done.stderr
    assert (dest / "a.bin").read_bytes() == b"abc" and not checkout.raw.exists()
    (tmp_path / "file").write_bytes(b"")
    done = checkout.here("fetch", "local", "--dest", str(tmp_path / "file"))
    assert done.returncode == 2 and "is a file" in done.stderr


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"receipt": 1}',
        '{"receipt": 1, "files": [3]}',
        '{"receipt": 1, "files": [{}]}',
    ],
)
def test_a_damaged_receipt_is_no_receipt(checkout: Checkout, server: Loopback, text: str) -> None:
    checkout.describe(archive_access(server, "a.bin", b"abc"))
    checkout.here("fetch", "local")
    first = (checkout.raw / ".fetched.json").read_bytes()
    (checkout.raw / ".fetched.json").write_text(text)
    done = checkout.here("fetch", "local", "--verify")
    assert done.returncode == 2 and "cannot be checked" in done.stderr
    assert checkout.here("fetch", "local").returncode == 0
    assert (checkout.raw / ".fetched.json").read_bytes() == first


def test_a_receipt_that_points_elsewhere_is_not_followed(
    checkout: Checkout, server: Loopback
) -> None:
    checkout.describe(archive_access(server, "a.bin", b"abc"))
    checkout.here("fetch", "local")
    receipt = checkout.receipt
    receipt["files"][0]["path"] = "../../config.yaml"
    (checkout.raw / ".fetched.json").write_text(json.dumps(receipt))
    done = checkout.here("fetch", "local", "--verify")
    assert done.returncode == 2 and "leads out of raw/local" in done.stderr


def test_two_fetches_do_not_meet(checkout: Checkout, server: Loopback) -> None:
    checkout.describe(archive_access(server, "a.bin", b"abc"))
    (checkout.raw / ".fetch").mkdir(parents=True)
    with (checkout.raw / ".fetch/lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = checkout.here("fetch", "local")
    assert done.returncode == 2 and "Another fetch is running" in done.stderr


def test_a_disk_that_is_too_small_is_reported_before_the_first_byte(
    checkout: Checkout, server: Loopback
) -> None:
    access = archive_access(server, "a.bin", b"abc")
    access["archives"][0]["size"] = 10**18
    checkout.describe(access)
    done = checkout.here("fetch", "local")
    assert done.returncode == 2 and "needs about 1,000,000,000.0 GB" in done.stderr
    assert server.requests == []


def test_a_time_limit_covers_unpacking(checkout: Checkout) -> None:
    rule = {"archives": "*.zip", "files": 100, "bytes": 10_000}
    checkout.describe({"kind": "manual", "unpack": [rule]})
    (checkout.root / "mine.zip").write_bytes(zip_bytes(PACKED))
    words = ("fetch", "local", "--archive", "mine.zip")
    done = checkout.here(*words, "--time-limit", "1e-9")
    assert done.returncode == 2 and "limit of 1e-09 minutes is over" in done.stderr
    assert checkout.visible() == {}
    assert checkout.here(*words).returncode == 0
    assert checkout.visible() == PACKED


@pytest.mark.parametrize("other", [{"sha256": "3" * 64}, {"size": 7}])
def test_an_archive_by_hand_is_held_to_what_is_known(
    checkout: Checkout, other: dict[str, Any]
) -> None:
    data = tar_bytes(PACKED)
    (checkout.root / "v0.tar.gz").write_bytes(data)
    rule = {"archives": "v0.tar.gz", "files": 100, "bytes": 10_000}
    known = {"v0.tar.gz": {"size": len(data), "sha256": sha256(data), **other}}
    checkout.describe({"kind": "manual", "unpack": [rule], "known": known})
    done = checkout.here("fetch", "local", "--archive", "v0.tar.gz")
    assert done.returncode == 2 and "not the archive that pipeline" in done.stderr
    done = checkout.here("fetch", "local", "--archive", "other.tar.gz")
    assert done.returncode == 2 and "no archive named like other.tar.gz" in done.stderr
    assert checkout.visible() == {}


def test_a_tar_that_claims_more_than_it_has_is_refused(
    checkout: Checkout, server: Loopback
) -> None:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        info = tarfile.TarInfo("huge")
        info.size = 10**9
        archive.addfile(info)
    rule = {"archives": "*.tar", "files": 10, "bytes": 10**10}
    checkout.describe(archive_access(server, "a.tar", stream.getvalue(), unpack=[rule]))
    done = checkout.here("fetch", "local")
    assert done.returncode == 2 and "not a usable archive" in done.stderr
    assert checkout.visible() == {}
