# SPDX-License-Identifier: Apache-2.0
"""Downloads the files of one source in parallel, unpacks them and writes the receipt."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from tqdm import tqdm

from aa_dataset.files import file_sha256
from aa_dataset.untrusted.safe_json import parse_json
from pipeline.engine.access import UnpackRule
from pipeline.tools.fetch.access import Source
from pipeline.tools.fetch.connection import TimeLimit
from pipeline.tools.fetch.download import Remote, difference, download
from pipeline.tools.fetch.errors import FetchError, Interrupted
from pipeline.tools.fetch.layout import FetchLayout
from pipeline.tools.fetch.receipt import read_receipt, unpacked_entry, write_receipt
from pipeline.tools.fetch.unpack import read_record, settle, unpack

WORKERS = 4
SPARE = 100_000_000  # B to leave free on the disk


class Transfer:
    """One run for one source: the wanted files, those present, and the download of the rest."""

    def __init__(
        self, source: Source, remotes: Sequence[Remote], *, place: FetchLayout, limit: TimeLimit
    ) -> None:
        self.source, self.remotes, self.place, self.limit = source, remotes, place, limit
        receipt = read_receipt(place)
        self.old = {entry["path"]: entry for entry in receipt["files"]} if receipt else {}
        self.stop = threading.Event()
        self._moving = threading.Lock()

    def missing(self) -> list[Remote]:
        """Return the files that are missing or differ from the expected ones."""
        bar = tqdm(self.remotes, desc="checking files", unit="file", disable=None, leave=False)
        return [remote for remote in bar if self._valid_entry(remote) is None]

    def run(self, missing: Sequence[Remote]) -> list[dict[str, Any]]:
        """Download the missing files; return the receipt's entries."""
        if missing:
            write_receipt(self.source, list(self.old.values()), self.place, complete=False)
        total = sum(remote.size for remote in missing)
        hidden = None if missing else True  # None: shown in a terminal
        with tqdm(total=total, unit="B", unit_scale=True, disable=hidden) as bar:
            bar.set_description(self.source.name)
            fresh = self._download_all(missing, bar.update)
        entries = [fresh.get(remote.name) or self._valid_entry(remote) for remote in self.remotes]
        self._write_receipt([entry for entry in entries if entry is not None])
        return [entry for entry in entries if entry is not None]

    def _download_all(
        self, missing: Sequence[Remote], tick: Callable[[int], None]
    ) -> dict[str, dict[str, Any]]:
        with ThreadPoolExecutor(WORKERS) as pool:
            futures = [pool.submit(self._download_file, remote, tick) for remote in missing]
            try:
                wait(futures, return_when=FIRST_EXCEPTION)
            finally:  # also if the user interrupts
                if not all(map(_succeeded, futures)):
                    self.stop.set()
                for future in futures:
                    future.cancel()
        _raise_first(futures)
        return {entry["path"]: entry for entry in (future.result() for future in futures)}

    def _download_file(self, remote: Remote, tick: Callable[[int], None]) -> dict[str, Any]:
        rule = self.source.unpack_rule(remote.name)
        if rule is not None:
            return self._download_archive(remote, rule, tick)
        part = download(remote, self.place, tick=tick, stop=self.stop, limit=self.limit)
        facts = self._file_facts(remote, part)
        with self._moving:
            target = self.place.file(remote.name)
            if target.exists() and remote.name not in self.old:
                raise FetchError(
                    f"{target} exists already with other content. Move it away, then run the same "
                    "command again."
                )
            target.parent.mkdir(parents=True, exist_ok=True)
            part.replace(target)
        return facts

    def _download_archive(
        self, remote: Remote, rule: UnpackRule, tick: Callable[[int], None]
    ) -> dict[str, Any]:
        archive = self.place.archive(remote.name)
        if archive.is_file() and not difference(archive, remote):
            tick(remote.size)
        else:
            part = download(remote, self.place, tick=tick, stop=self.stop, limit=self.limit)
            archive.parent.mkdir(parents=True, exist_ok=True)
            part.replace(archive)
        facts = self._file_facts(remote, archive)
        record = unpack(archive, rule, self.place, facts=facts, stop=self.stop, limit=self.limit)
        with self._moving:
            settle(remote.name, record, self.place)
        archive.unlink()
        return unpacked_entry(record, self.place)

    def _file_facts(self, remote: Remote, path: Path) -> dict[str, Any]:
        facts = {
            "path": remote.name,
            "address": remote.address,
            "size": remote.size,
            "sha256": remote.sha256 or file_sha256(path),
            "revision": self.source.access.revision or None,
        }
        return {**facts, "git_sha1": remote.git_sha1} if remote.git_sha1 else facts

    def _valid_entry(self, remote: Remote) -> dict[str, Any] | None:
        """Return the receipt's entry of a file that is present and correct, else None."""
        if self.source.unpack_rule(remote.name) is not None:
            record = read_record(self.place.record(remote.name))
            if record is None or not self._matches_remote(record["archive"], remote):
                return None
            members = ((self.place.file(name), size) for name, size, _ in record["members"])
            whole = all(_has_size(path, size) for path, size in members)
            return unpacked_entry(record, self.place) if whole else None
        path = self.place.file(remote.name)
        if not _has_size(path, remote.size):
            return None
        known = self.old.get(remote.name)
        if known and self._matches_remote(known, remote):
            return dict(known)  # `--verify` reads the bytes
        return None if difference(path, remote) else self._file_facts(remote, path)

    def _matches_remote(self, facts: dict[str, Any], remote: Remote) -> bool:
        key = "sha256" if remote.sha256 else "git_sha1"
        same = facts.get(key) == getattr(remote, key)
        return same and facts.get("revision") == (self.source.access.revision or None)

    def _write_receipt(self, entries: Sequence[dict[str, Any]]) -> None:
        self._require_listed_folders()
        write_receipt(self.source, entries, self.place, complete=True)
        for folder in (self.place.parts, self.place.archives, self.place.unpacking):
            shutil.rmtree(folder, ignore_errors=True)

    def _require_listed_folders(self) -> None:
        """Raise if the publisher's list of folders names one that is missing."""
        listed = self.source.access.roots
        if not listed:
            return
        try:
            chunks = parse_json(self.place.file(listed).read_bytes())["chunks"]
            roots = [root for chunk in chunks for root in chunk["roots"]]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise FetchError(
                f"{listed} does not list the folders of its chunks: {error!r}."
            ) from None
        lost = [root for root in roots if not self.place.file(str(root)).is_dir()]
        if lost:
            raise FetchError(
                f"{len(lost):,} of {len(roots):,} folders that {listed} names are not in the "
                f"archives, such as {lost[0]}. The release is not complete."
            )

    def stale(self) -> list[str]:
        """Return files of an earlier receipt that are no longer wanted."""
        wanted = {remote.name for remote in self.remotes}
        return sorted(name for name in self.old if name not in wanted)


def _succeeded(future: Future[Any]) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None


def _raise_first(futures: Sequence[Future[Any]]) -> None:
    """Raise the error that ended the run, not a consequence of it."""
    ended = [future for future in futures if future.done() and not future.cancelled()]
    errors = [error for future in ended if (error := future.exception()) is not None]
    errors.sort(key=lambda error: isinstance(error, Interrupted))
    if errors:
        raise errors[0]


def _has_size(path: Path, size: int) -> bool:
    return path.is_file() and not path.is_symlink() and path.stat().st_size == size


def require_space(source: Source, remotes: Sequence[Remote], place: FetchLayout) -> None:
    """Raise if the disk has no space for the downloads and the unpacked files."""
    need = needed_space(source, remotes, place)
    free = free_space(place.root)
    if need + SPARE > free:
        raise FetchError(
            f"{source.name} needs about {need / 1e9:,.1f} GB, {place.root} has {free / 1e9:,.1f} "
            "GB free. Free some space, or give another folder with --dest."
        )


def needed_space(source: Source, remotes: Sequence[Remote], place: FetchLayout) -> int:
    """Return approximately how many more bytes are needed on the disk."""
    need = 0.0
    for remote in remotes:
        part, rule = place.part(remote.name), source.unpack_rule(remote.name)
        need += remote.size - (part.stat().st_size if part.is_file() else 0)
        need += remote.size * rule.ratio if rule else 0
    return int(need)


def free_space(folder: Path) -> int:
    """Return the free bytes of the disk that a folder is on, or will be."""
    existing = next(
        path for path in (folder.absolute(), *folder.absolute().parents) if path.exists()
    )
    return shutil.disk_usage(existing).free


def unpack_by_hand(
    source: Source, archive: Path, *, place: FetchLayout, limit: TimeLimit
) -> dict[str, Any]:
    """Unpack an archive that the user downloaded, which is kept. Return the receipt's entry."""
    rule = source.unpack_rule(archive.name)
    if rule is None:
        raise FetchError(
            f"{source.name} has no archive named like {archive.name}; "
            "pipeline/raw/sources.yaml lists them (`unpack`)."
        )
    if not archive.is_file():
        raise FetchError(f"{archive} is not a file. Give the path of a downloaded archive.")
    known, size = source.known(archive.name), archive.stat().st_size
    expected = size if known.size is None else known.size
    remote = Remote(archive.name, "by hand", expected, known.sha256)
    problem = difference(archive, remote)
    if problem:
        raise FetchError(
            f"{archive}: {problem}. It is not the archive that pipeline/raw/sources.yaml describes."
        )
    facts = {
        "path": archive.name,
        "address": "by hand",
        "size": size,
        "sha256": remote.sha256 or file_sha256(archive),
        "revision": None,
    }
    record = unpack(archive, rule, place, facts=facts, stop=threading.Event(), limit=limit)
    settle(archive.name, record, place)
    entry = unpacked_entry(record, place)
    receipt = read_receipt(place)
    others = [e for e in (receipt["files"] if receipt else []) if e["path"] != entry["path"]]
    write_receipt(
        source, [*others, entry], place, complete=receipt is None or bool(receipt.get("complete"))
    )
    return entry
