# SPDX-License-Identifier: Apache-2.0
"""Full check of a library: seal, tables, tars, every object, every law, its objects in the cache.

Opening a library checks names, sizes and the tables that are read; unpacking an object checks that
object. This module reads every byte once, so that no damage stays undetected, and then checks what
must hold in the tables, between them, and between them and the tars (`aa_dataset.library.laws`).
"""

from __future__ import annotations

import re
import stat
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from aa_dataset.assets.cache import cache_layout
from aa_dataset.assets.contents import PICTURES
from aa_dataset.assets.packed import Asset
from aa_dataset.assets.unpacked import folder_problem, read_receipt
from aa_dataset.errors import LibraryError, SchemaVersionError
from aa_dataset.files import file_sha256
from aa_dataset.format.layout import TABLES, URDF, LibraryLayout, ObjectLayout
from aa_dataset.format.revision import tables_revision
from aa_dataset.format.seal import Seal, read_seal
from aa_dataset.format.validation import SEAL_BYTES, brief
from aa_dataset.hub.place import Access
from aa_dataset.hub.snapshot import read_mark
from aa_dataset.library.agreement import require_agreement
from aa_dataset.library.catalog import Catalog
from aa_dataset.library.laws import LAWS, Subject
from aa_dataset.library.laws.objects import object_problems

NEXT_STEP = (
    "Delete the files listed above, then run `make library`, or download them again; intact files "
    "are kept."
)
# Other files in the checksums of a release.
_BESIDE = re.compile(
    r"library\.json|README\.md|LICENSE|croissant\.json|data/[a-z]+/[a-z0-9_-]+\.parquet"
)


BYTE_LAWS = (
    ("seal", "`library.json` is readable and well formed."),
    ("files", "Every file that the seal lists is there, with its size and digest."),
    ("strays", "No table and no tar is beside those that the seal lists."),
    ("checksums", "`SHA256SUMS` of a release has a correct line for every file."),
    ("schema", "Tables have the columns and types of the schema, and no column more or less."),
    ("agreement", "Ids, counts, benchmark and places agree with the seal."),
    ("revision", "The revision is that of the tables."),
    ("contents", "A byte range holds exactly one object, and its files match its digest."),
    ("cache", "Objects in the cache are those of the library."),
)


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem: the file or folder, a sentence that describes it, and the broken law."""

    file: str
    sentence: str
    law: str = "files"


def verify_library(root: Path, *, advance: Callable[[], object] = bool) -> Iterator[Problem]:
    """Yield the problems of a library.

    Raises `LibraryError` if there is no library, or one with a schema version that this package
    cannot check.

    Parameters
    ----------
    root : Path
        The library's folder.
    advance : callable
        Called after every file and every object.
    """
    layout = LibraryLayout(root.absolute())
    if not layout.seal.is_file():
        read_seal(layout)  # raises `LibraryError`
    try:
        seal = read_seal(layout)
    except SchemaVersionError:  # nothing is damaged; its own sentence has the next step
        raise
    except LibraryError as error:
        yield Problem(str(layout.seal), str(error), "seal")
        return
    problems = list(_file_problems(layout, seal, advance))
    yield from problems
    yield from _stray_files(layout, seal)
    yield from _checksum_problems(layout, seal)
    if not {str(layout.table(name)) for name in TABLES} & {one.file for one in problems}:
        yield from _content_problems(layout, seal, advance)


def _file_problems(
    layout: LibraryLayout, seal: Seal, advance: Callable[[], object]
) -> Iterator[Problem]:
    is_download = read_mark(layout) is not None
    for name, mark in seal.files.items():
        path = layout.root / name
        if is_download and path.parent == layout.assets and not path.exists():
            advance()  # of a download only the objects are here, as far as they were used
            continue
        try:
            status = path.stat()
            if not stat.S_ISREG(status.st_mode):
                yield Problem(str(path), f"{path} is not a regular file.")
            elif status.st_size != mark.size or file_sha256(path) != mark.sha256:
                yield Problem(str(path), f"{path} does not match its digest in {layout.seal.name}.")
        except OSError as error:
            yield Problem(str(path), f"{path} is not readable ({error.strerror}).")
        advance()


def _stray_files(layout: LibraryLayout, seal: Seal) -> Iterator[Problem]:
    for path in sorted([*layout.root.glob("*.parquet"), *layout.assets.glob("*.tar")]):
        if path.relative_to(layout.root).as_posix() not in seal.files:
            yield Problem(
                str(path),
                f"{path} is not listed in the seal; it belongs to another build.",
                "strays",
            )


def _checksum_problems(layout: LibraryLayout, seal: Seal) -> Iterator[Problem]:
    """Compare with the checksum file of a release."""
    path = layout.checksums
    if not path.is_file():
        return
    with path.open("rb") as stream:
        text = stream.read(SEAL_BYTES + 1)
    if len(text) > SEAL_BYTES:
        yield Problem(str(path), f"{path} has more than {SEAL_BYTES:,} bytes.", "checksums")
        return
    absent = {*seal.files, layout.seal.name}
    for line in text.decode("utf-8", "replace").splitlines():
        digest, _, name = line.partition("  ")
        if name in seal.files:
            same = digest == seal.files[name].sha256
        elif _BESIDE.fullmatch(name):
            same = _has_digest(layout.root / name, digest)
        else:
            same = False
        if not same:
            sentence = f"{path} has an incorrect line for {brief(name)}."
            yield Problem(str(path), sentence, "checksums")
        absent.discard(name)
    for name in sorted(absent):
        yield Problem(str(path), f"{path} has no line for {name}.", "checksums")


def _has_digest(path: Path, digest: str) -> bool:
    try:
        return path.is_file() and file_sha256(path) == digest
    except OSError as error:
        raise LibraryError(f"{path} is not readable ({error.strerror}).") from error


def _content_problems(
    layout: LibraryLayout, seal: Seal, advance: Callable[[], object]
) -> Iterator[Problem]:
    catalog = Catalog(layout, seal, Access(offline=True))
    unreadable = list(_schema_problems(catalog))
    yield from unreadable
    if unreadable:
        return
    if tables_revision({name: catalog.table(name) for name in TABLES}) != seal.revision:
        sentence = f"{layout.seal} names revision {seal.revision}, which is not that of its tables."
        yield Problem(str(layout.seal), sentence, "revision")
    yield from _broken_laws(Subject(catalog, is_release=layout.checksums.is_file()))
    try:
        require_agreement(catalog)
    except LibraryError as error:
        yield Problem(str(layout.root), str(error), "agreement")
        return
    for row in range(catalog.objects.num_rows):
        yield from _object_problems(catalog, row)
        advance()


def _schema_problems(catalog: Catalog) -> Iterator[Problem]:
    for name in TABLES:
        try:
            catalog.table(name)
        except LibraryError as error:
            yield Problem(str(catalog.layout.table(name)), str(error), "schema")


def _broken_laws(subject: Subject) -> Iterator[Problem]:
    for law in LAWS:
        try:
            found = list(law.check(subject))
        except (ArithmeticError, ValueError, LookupError) as error:
            found = [("objects", f"the law {law.code!r} cannot be checked: {brief(str(error))}")]
        for table, sentence in found:
            path = str(subject.catalog.layout.table(table))
            text = sentence if path in sentence else f"{path}, {sentence.rstrip('.')}."
            yield Problem(path, text, law.code)


def _object_problems(catalog: Catalog, row: int) -> Iterator[Problem]:
    """Check one object in its tar, its URDF, and its folder in the cache."""
    if not catalog.has_files(row):
        return
    asset = catalog.place(row)
    if catalog.fragments is not None and not asset.path.is_file():
        asset = catalog.fragments.stored(asset)
    files: dict[str, bytes] = {}  # digest of each file in the tar, if it is intact
    if asset.path.is_file():
        try:
            urdf = b""
            for name, data in asset.files():
                files[name] = sha256(data).digest()
                urdf = data if name == URDF else urdf
            yield from _file_laws(catalog, row, asset, files, urdf)
        except LibraryError as error:
            files = {}
            yield Problem(str(asset.path), str(error), "contents")
    folder = cache_layout().unpacked(catalog.seal.edition, asset.object_id)
    if problem := _cache_problem(folder, asset, files):
        sentence = f"{folder} in the cache {problem}; {_remove_receipt(folder)}"
        yield Problem(str(folder), sentence, "cache")


def _file_laws(
    catalog: Catalog, row: int, asset: Asset, files: Collection[str], urdf: bytes
) -> Iterator[Problem]:
    try:
        tree = catalog.tree(row)
    except LibraryError:  # the law `trees` says so
        return
    backend = catalog.objects["preview_backend"][row].as_py()
    for law, problem in object_problems(tree, files, urdf, backend=backend):
        where = f"{asset.path} at byte {asset.offset} (object {asset.object_id!r})"
        yield Problem(str(asset.path), f"{where} {problem}.", law)


def _cache_problem(folder: Path, asset: Asset, files: dict[str, bytes]) -> str:
    """Return how a folder of the cache differs from the object, pictures included."""
    receipt = read_receipt(folder)
    if receipt is None:  # absent, or replaced on the next use
        return ""
    if problem := folder_problem(folder, receipt["files"], asset.content_sha256):
        return problem
    if files and {*receipt["files"]} != {*files}:
        return "has more or fewer files than the library"
    for name in sorted({*PICTURES} & {*files}):
        if sha256((folder / name).read_bytes()).digest() != files[name]:
            return f"has a different {name} than the library"
    return ""


def _remove_receipt(folder: Path) -> str:
    """Remove the receipt of a damaged folder; return what happens next."""
    try:
        ObjectLayout(folder).receipt.unlink(missing_ok=True)
    except OSError as error:
        return f"remove that folder; its receipt cannot be removed ({error.strerror})."
    return "its next use unpacks it again."
