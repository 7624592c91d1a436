# SPDX-License-Identifier: Apache-2.0
"""Objects of a downloaded library: one range request each, checked by the digest in the tables.

An object is stored as the part of the tar that holds it. It is compared with its digest when a
process first uses it, so that damage in the cache is found and downloaded again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from aa_dataset.assets.packed import Asset
from aa_dataset.errors import LibraryError
from aa_dataset.format.layout import LibraryLayout
from aa_dataset.format.seal import Seal
from aa_dataset.hub.client import damaged
from aa_dataset.hub.errors import DamagedFileError, DownloadError, NotCachedError
from aa_dataset.hub.landing import land
from aa_dataset.hub.place import Access, Origin
from aa_dataset.hub.ranges import RemoteFile, read_range

RUN_BYTES = 64 << 20  # neighbors in a tar are downloaded together up to this size [B]
STREAM_BYTES = 1 << 30  # larger objects go through the disk [B]


@dataclass(frozen=True, slots=True)
class Run:
    """Objects that are neighbors in a tar, in order; one request brings them all."""

    assets: tuple[Asset, ...]

    @property
    def size(self) -> int:
        """Bytes of the run."""
        return sum(asset.size for asset in self.assets)


class Fragments:
    """The objects of one downloaded library, got when they are needed."""

    def __init__(self, layout: LibraryLayout, seal: Seal, origin: Origin, access: Access):
        self._layout, self._seal, self._origin, self._access = layout, seal, origin, access
        self._known: set[str] = set()
        self._last: Asset | None = None  # of a stream

    def get(self, packed: Asset) -> Asset:
        """Return an object from the cache, downloaded if it is absent or damaged.

        Parameters
        ----------
        packed : Asset
            Its place in a tar of the repository.
        """
        if self._last is not None and self._last.object_id == packed.object_id:
            return self._last
        if self.has(packed):
            return self._cached_copy(packed)
        if self._access.is_offline:
            raise self._not_cached(packed)
        streams = self._access.streaming and packed.size <= STREAM_BYTES
        return self._stream(packed) if streams else self._fetch(packed)

    def stored(self, packed: Asset) -> Asset:
        """Return where the cache keeps an object, which need not be there."""
        return self._cached_copy(packed)

    def has(self, packed: Asset) -> bool:
        """Return whether the cache has an object; it is checked once."""
        own = self._cached_copy(packed)
        if packed.object_id in self._known and own.path.is_file():
            return True
        if not _is_sound(own):
            return False
        self._known.add(packed.object_id)
        return True

    def fetch_run(self, run: Run, *, advance: Callable[[int], object] = bool) -> list[Asset]:
        """Download neighbors with one request; return those that arrived damaged.

        Parameters
        ----------
        run : Run
            Objects without a gap between them.
        advance : callable
            Is given the number of bytes of every object that is done.
        """
        first, wrong = run.assets[0], []
        pieces = _Pieces(read_range(self._file(first), first.offset, run.size))
        for asset in run.assets:
            try:
                self._land(asset, pieces.take(asset.size))
            except DamagedFileError:
                wrong.append(asset)
            advance(asset.size)
        return wrong

    def _fetch(self, packed: Asset) -> Asset:
        """Download one object; once more if it arrives damaged."""
        for last in (False, True):
            try:
                self._land(packed, read_range(self._file(packed), packed.offset, packed.size))
                break
            except DamagedFileError:
                if last:
                    raise
        return self._cached_copy(packed)

    def _land(self, packed: Asset, chunks: Iterable[bytes]) -> None:
        own = self._cached_copy(packed)

        def check(temporary: Path) -> None:
            self._check(replace(own, path=temporary), packed)

        land(own.path, chunks, size=packed.size, check=check)
        self._known.add(packed.object_id)

    def _stream(self, packed: Asset) -> Asset:
        """Return one object in memory."""
        for last in (False, True):
            data = b"".join(read_range(self._file(packed), packed.offset, packed.size))
            own = replace(self._cached_copy(packed), data=data)
            try:
                self._check(own, packed)
                break
            except DamagedFileError:
                if last:
                    raise
        self._last = own
        return own

    def _check(self, own: Asset, packed: Asset) -> None:
        try:
            own.check()
        except LibraryError as error:
            file = replace(self._file(packed), path=f"object {packed.object_id!r}")
            raise damaged(file, "objects.parquet states") from error

    def _cached_copy(self, packed: Asset) -> Asset:
        return replace(packed, path=self._layout.fragment(packed.object_id), offset=0)

    def _file(self, packed: Asset) -> RemoteFile:
        name = packed.path.relative_to(self._layout.root).as_posix()
        return RemoteFile(self._origin, name, self._seal.files[name].size)

    def _not_cached(self, packed: Asset) -> DownloadError:
        return NotCachedError(
            f"object {packed.object_id!r} of {self._origin} is not in the cache, and offline mode "
            f"is on. Run `aa pull --repo {self._origin.repo_id} --revision {self._origin.commit} "
            f"--ids {packed.object_id}` with a network."
        )


def runs(assets: Iterable[Asset], *, most: int = RUN_BYTES) -> Iterator[Run]:
    """Yield objects in the order of the tars, neighbors together up to `most` bytes."""
    held: list[Asset] = []
    for asset in sorted(assets, key=lambda asset: (asset.path, asset.offset)):
        if held:
            last = held[-1]
            joins = asset.path == last.path and asset.offset == last.offset + last.size
            if not joins or asset.offset + asset.size - held[0].offset > most:
                yield Run(tuple(held))
                held = []
        held.append(asset)
    if held:
        yield Run(tuple(held))


class _Pieces:
    """Cuts a stream of chunks into pieces of given sizes."""

    def __init__(self, chunks: Iterator[bytes]):
        self._chunks = chunks

    def take(self, size: int) -> Iterator[bytes]:
        """Yield the next `size` bytes."""
        while size:
            chunk = next(self._chunks)
            if len(chunk) > size:
                self._chunks = chain([chunk[size:]], self._chunks)
                chunk = chunk[:size]
            size -= len(chunk)
            yield chunk


def _is_sound(asset: Asset) -> bool:
    try:
        if asset.path.stat().st_size != asset.size:
            return False
        asset.check()
    except (LibraryError, OSError):
        return False
    return True
