# SPDX-License-Identifier: Apache-2.0
"""Archives for the tests of unpacking, and what was unpacked of them."""

from __future__ import annotations

import io
import stat
import tarfile
import zipfile

from pipeline.engine.access import UnpackRule
from pipeline.tools.fetch.layout import FetchLayout
from tests.loopback import folder_files

FILES = {"data/a/one.txt": b"one", "data/b/two.bin": bytes(5000), "top.txt": b"top"}


RULE = UnpackRule(archives="*", files=100, bytes=1_000_000)


def tar_bytes(files: dict[str, bytes], *more: tarfile.TarInfo, mode: str = "w:gz") -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for info in more:
            archive.addfile(info)
    return stream.getvalue()


def zip_bytes(files: dict[str, bytes], *links: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
        for name in links:
            info = zipfile.ZipInfo(name)
            info.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(info, "/etc/passwd")
    return stream.getvalue()


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def visible(place: FetchLayout) -> dict[str, bytes]:
    """Return the files outside of the working folder."""
    found = folder_files(place.root) if place.root.is_dir() else {}
    return {name: data for name, data in found.items() if not name.startswith(".fetch/")}
