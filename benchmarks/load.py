# SPDX-License-Identifier: Apache-2.0
"""Cost of checking an object's digest, compared with a cold load, and cost of a warm load.

CPU time, alternating in one run. The references are a loader without a check, which reads a tar
with Python's own reader, and SHA-256 of the same bytes, the minimum cost of a check. The check is
timed separately, because a difference of two loads is below the noise of the file system. Objects
have the library's average size: 75 files, 426 kB. `TMPDIR=/dev/shm` shows the worst case, a cache
in memory, where files cost almost nothing.
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

from aa_dataset.assets.contents import Contents, content_digest
from aa_dataset.assets.packed import Asset
from aa_dataset.assets.unpacked import KnownFolders, cached_folder
from pipeline.base.assets import AssetWriter, pack

OBJECTS, FILES, SIZE, ROUNDS = 20, 74, 5760, 11


def main() -> None:
    """Print one table."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        objects = write_tar(root / "x.tar")
        rounds = [one_round(root / str(number), objects) for number in range(ROUNDS)]
    names = (
        "cold, as before",
        "cold, checked",
        "the check alone",
        "SHA-256 alone",
        "warm, the first time",
        "warm, from then on",
    )
    middle = [statistics.median(times) for times in zip(*rounds, strict=True)]
    print(f"loading {OBJECTS} objects of {FILES + 1} files, CPU ms per object")
    for name, seconds in zip(names, middle, strict=True):
        print(f"  {name:<24}{1e3 * seconds / OBJECTS:>8.3f}")
    before, checked, check = middle[:3]
    print(f"  the check costs {100 * check / checked:.1f} % of a cold load (at most 5 %)")
    print(f"  a checked cold load takes {100 * (checked / before - 1):+.1f} % (at most +5 %)")


def write_tar(path: Path) -> list[Asset]:
    """Write one tar of objects and return their ranges."""
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
    """Return CPU seconds of two cold loads, of the check and the hash alone, of two warm loads."""
    known = KnownFolders()
    before = timed(lambda: load_as_before(folder / "before", objects))
    checked = timed(lambda: load(folder / "checked", objects, KnownFolders()))
    read = [(asset, list(asset.files())) for asset in objects]
    check = timed(lambda: [prove(asset, files) for asset, files in read])
    alone = timed(lambda: [hashlib.sha256(data).digest() for _, files in read for _, data in files])
    first = timed(lambda: load(folder / "checked", objects, known))
    again = timed(lambda: load(folder / "checked", objects, known))
    return before, checked, check, alone, first, again


def load(folder: Path, objects: list[Asset], known: KnownFolders) -> None:
    """Ask for every object's folder in a cache, as `ArticulatedObject.folder` does."""
    for asset in objects:
        target = folder / asset.object_id
        if target not in known:
            cached_folder(target, asset)
            known.add(target)


def prove(asset: Asset, files: list[tuple[str, bytes]]) -> None:
    """Do only the additional work of a checked load."""
    contents = Contents()
    for name, data in files:
        contents.add(name, data)
    assert not contents.problem(asset.content_sha256)


def load_as_before(folder: Path, objects: list[Asset]) -> None:
    """Unpack with Python's reader, which reads a damaged header as the end of the tar."""
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
