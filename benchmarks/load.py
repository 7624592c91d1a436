# SPDX-License-Identifier: Apache-2.0
"""What proving an object costs: a cold load with and without the check of its digest.

CPU time, alternating in one run. The references are the loader before there was a check, which
walked a tar with Python's own reader, and SHA-256 of the same bytes alone, the least that a check
can cost. Objects are as the library's are on average: 75 files, 426 kB.
"""

from __future__ import annotations

import hashlib
import random
import statistics
import tarfile
import tempfile
import time
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from unittest.mock import patch

from aa_dataset import assets
from aa_dataset.assets import Asset
from aa_dataset.contents import Contents, content_digest
from aa_dataset.unpacked import cached_folder
from pipeline.assets import AssetWriter, pack

OBJECTS, FILES, SIZE, ROUNDS = 20, 74, 5760, 11


class Unchecked(Contents):
    """Believes everything, as the loader did."""

    def add(self, name: str, data: bytes) -> None:
        """Look at nothing."""

    def problem(self, expected: str) -> str:
        """Find nothing."""
        return ""


def main() -> None:
    """Print one table."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        objects = write_tar(root / "x.tar")
        rounds = [one_round(root / str(number), objects) for number in range(ROUNDS)]
    names = ("cold, as before", "cold, unchecked", "cold, checked", "warm", "SHA-256 alone")
    middle = [statistics.median(times) for times in zip(*rounds, strict=True)]
    print(f"loading {OBJECTS} objects of {FILES + 1} files, CPU ms per object")
    for name, seconds in zip(names, middle, strict=True):
        print(f"  {name:<24}{1e3 * seconds / OBJECTS:>8.3f}")
    before, bare, checked = middle[:3]
    print(f"  the check costs {100 * (checked - bare) / before:.1f} % of a cold load")
    print(f"  a checked cold load takes {100 * (checked / before - 1):+.1f} % (at most +5 %)")


def write_tar(path: Path) -> list[Asset]:
    """Write one tar of objects and return where each lies."""
    found, draw = [], random.Random(0)
    with path.open("wb") as stream:
        writer = AssetWriter(stream)
        for number in range(OBJECTS):
            files = {f"meshes/m_{k:02d}.obj": draw.randbytes(SIZE) for k in range(FILES)}
            files["object.urdf"] = b"<robot/>"
            place = writer.append(pack(f"generated-{number}", files))[:2]
            found.append(Asset(path, *place, f"generated-{number}", content_digest(files)))
        writer.close()
    return found


def one_round(folder: Path, objects: list[Asset]) -> tuple[float, ...]:
    """Return CPU seconds of three cold loads, a warm one, and the hash."""
    before = timed(lambda: load_as_before(folder / "before", objects))
    with patch.object(assets, "Contents", Unchecked):
        bare = timed(lambda: load(folder / "bare", objects))
    checked = timed(lambda: load(folder / "checked", objects))
    warm = timed(lambda: load(folder / "checked", objects))
    data = [b"x" * SIZE] * (FILES * OBJECTS)
    alone = timed(lambda: [hashlib.sha256(one).hexdigest() for one in data])
    return before, bare, checked, warm, alone


def load(folder: Path, objects: list[Asset]) -> None:
    """Ask for every object's folder in a cache."""
    for asset in objects:
        cached_folder(folder / asset.object_id, asset)


def load_as_before(folder: Path, objects: list[Asset]) -> None:
    """Unpack with Python's reader, which takes a damaged header for the end of the tar."""
    for asset in objects:
        temporary = folder / f".{asset.object_id}"
        with asset.path.open("rb") as stream:
            stream.seek(asset.offset)
            with tarfile.open(fileobj=stream, mode="r:") as tar:
                members = []
                while (one := tar.next()) is not None and one.offset < asset.offset + asset.size:
                    members.append(one)
            for member in members:
                path = temporary.joinpath(*PurePosixPath(member.name).parts[1:])
                path.parent.mkdir(parents=True, exist_ok=True)
                stream.seek(member.offset_data)
                path.write_bytes(stream.read(member.size))
        temporary.rename(folder / asset.object_id)


def timed(work: Callable[[], object]) -> float:
    """Return the CPU seconds of one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    main()
