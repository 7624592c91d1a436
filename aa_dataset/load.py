# SPDX-License-Identifier: Apache-2.0
"""Open a library by folder or by name, and print what was opened."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from aa_dataset.assets.cache import HOME_VARIABLE, default_library
from aa_dataset.dataset import Dataset
from aa_dataset.errors import LibraryError
from aa_dataset.format.layout import DEMO_NAME, LibraryLayout, demo_folder
from aa_dataset.format.seal import read_seal
from aa_dataset.hub.place import (
    REPO_VARIABLE,
    Access,
    Origin,
    default_repository,
    is_library_revision,
)
from aa_dataset.hub.revisions import find_download, find_origin
from aa_dataset.hub.snapshot import Tell, snapshot
from aa_dataset.library.catalog import Catalog, open_catalog

DEFAULT_NAME = "articulatearena-20k"
TITLES = {DEFAULT_NAME: "ArticulateArena-20K"}
LOCAL_FOLDER = "library"  # what `make library` writes


def _to_stderr(line: str) -> None:
    sys.stderr.write(f"{line}\n")


def load_dataset(
    name: str | os.PathLike[str],
    split: str | os.PathLike[str] | None = None,
    *,
    revision: str | None = None,
    repo_id: str | None = None,
    offline: bool | None = None,
    cache_dir: str | os.PathLike[str] | None = None,
    streaming: bool = False,
    verbose: bool = True,
) -> Dataset:
    """Open a library and return it, or one split of it, as a sequence of objects.

    Parameters
    ----------
    name : str or path
        A library folder, or the name of a dataset. A name is searched in ``$AA_HOME/<name>``, in
        ``./library`` if the library there has that name, on the Hub, and in earlier downloads. The
        name ``"articulatearena-demo"`` is a dozen objects that are part of this package.
    split : str, optional
        A split such as ``"eval200"``, a version of the benchmark such as ``"eval200-v1"``, or a
        file of ``aa split export``, which has a dot or a slash in its name. Default: all objects.
    revision : str, optional
        The required revision: 16 hex digits as printed, or for a download any revision of the
        repository (branch, tag, commit).
    repo_id : str, optional
        Dataset repository on the Hub, ``owner/name``; default ``$AA_REPO``. If the argument is
        given, local folders are ignored. Only the tables are downloaded, and each object when its
        files are first used.
    offline : bool, optional
        Never use the network, or always try; default as ``HF_HUB_OFFLINE`` says.
    cache_dir : path, optional
        Folder for downloads and unpacked objects; default ``$AA_HOME``.
    streaming : bool
        Keep the files that `read` gets from the Hub in memory instead of the cache.
    verbose : bool
        Print to stderr what was opened.

    Returns
    -------
    Dataset
        Loads lazily: only tables are read, and an object's files on first access.

    Raises
    ------
    LibraryError
        If the folder is missing, half built, mixed, or of another schema or revision.
    DownloadError
        If the Hub does not have or send what is needed.
    SelectionError
        If the library has no such split, or not all objects of a split file.
    """
    home = None if cache_dir is None else Path(cache_dir).expanduser().absolute()
    access = Access(home, offline, streaming)
    tell = _to_stderr if verbose else bool
    catalog = _open_library(name, revision=revision, repo_id=repo_id, access=access, tell=tell)
    dataset = Dataset(catalog)
    if split is not None:
        dataset = dataset.split(split)
    if verbose:
        asked = None if split is None else os.fspath(split)
        sys.stderr.write("\n".join(describe(dataset, split=asked)) + "\n")
    return dataset


def load_default(
    library: str | None = None, split: str | os.PathLike[str] | None = None
) -> Dataset:
    """Open `library`, else ``$AA_LIBRARY``, else ``./library``, else the published dataset."""
    return load_dataset(_default_name(library), split)


def load_published(
    repo_id: str, revision: str | None, access: Access, *, tell: Tell = _to_stderr
) -> Dataset:
    """Open what a repository of the Hub holds, whatever its name; see `load_dataset`."""
    origin = find_origin(repo_id, revision, access, tell=tell)
    return Dataset(_open_origin(origin, revision, access, tell))


def default_folder(library: str | None = None) -> Path:
    """Return the folder that `load_default` would open, without opening it or downloading it."""
    name, access = _default_name(library), Access(offline=True)
    folder = _local_folder(name, None, access)
    if folder is None:
        origin = find_download(name, None, access)
        if origin is None:
            raise LibraryError(_not_found(name, None, access))
        return access.cache.snapshot(origin.repo_id, origin.commit)
    return folder


def _default_name(library: str | None) -> str:
    local = LOCAL_FOLDER if Path(LOCAL_FOLDER).is_dir() else DEFAULT_NAME
    return library or default_library() or local


def describe(dataset: Dataset, *, split: str | None = None) -> list[str]:
    """Return lines that describe what was opened, and its share of the full dataset."""
    catalog = dataset.catalog
    seal = catalog.seal
    sources = ", ".join(f"{name} {count:,}" for name, count in seal.sources.items())
    title = TITLES.get(seal.name, seal.name)
    lines = [
        f"{seal.name} revision {seal.revision} ({sources or 'no source'}): "
        f"{seal.objects:,} of the {seal.expected_objects:,} objects of {title}",
        _origin_line(catalog),
    ]
    if split is not None:
        full = dataset.label.removeprefix("split ")
        lines.append(f"split {full}: {len(dataset):,} objects{_split_origin(dataset, full, split)}")
    return lines


def _origin_line(catalog: Catalog) -> str:
    if catalog.origin is None:
        return f"from {catalog.layout.root}"
    return f"from {catalog.origin}, in {catalog.layout.root}; objects are downloaded when used"


def _split_origin(dataset: Dataset, full: str, asked: str) -> str:
    """Describe a split: a version of the benchmark, a file, or a sample of this library."""
    benchmark, exchange = dataset.catalog.seal.benchmark, dataset.exchange
    if exchange is not None:
        return (
            f" of {asked}: {exchange.by_bytes:,} agree by bytes and {exchange.by_numbers:,} by "
            "numbers"
        )
    if benchmark is not None and full == benchmark.split:
        return f", benchmark {benchmark}"
    if full == asked:
        return ""
    return f", sampled from this library, not a benchmark version; selected by {asked!r}"


def _open_library(
    name: str | os.PathLike[str],
    *,
    revision: str | None,
    repo_id: str | None,
    access: Access,
    tell: Tell,
) -> Catalog:
    if repo_id is None:
        folder = _local_folder(name, revision, access)
        if folder is not None:
            return _require_revision(open_catalog(folder, access), revision)
    origin = _find_origin(os.fspath(name), revision, repo_id, access, tell)
    catalog = _open_origin(origin, revision, access, tell)
    if catalog.seal.name != str(name):
        raise LibraryError(
            f"{origin.repo_id} holds the dataset {catalog.seal.name!r}, not {name!r}. "
            "Check `repo_id`, or load it by that name."
        )
    return catalog


def _open_origin(origin: Origin, revision: str | None, access: Access, tell: Tell) -> Catalog:
    layout = LibraryLayout(access.cache.snapshot(origin.repo_id, origin.commit))
    if not access.is_offline:
        snapshot(origin, access, tell=tell)
    catalog = open_catalog(layout.root, access)
    # The Hub resolves branches, tags and commits; a 16-digit content digest is checked here.
    named = revision if revision and is_library_revision(revision) else None
    return _require_revision(catalog, named)


def _find_origin(
    name: str, revision: str | None, repo_id: str | None, access: Access, tell: Tell
) -> Origin:
    """Return what to open of which repository: the given one, the default, or a past download."""
    repository = repo_id or default_repository()
    if repository is not None:
        return find_origin(repository, revision, access, tell=tell)
    origin = find_download(name, revision, access)
    if origin is None:
        raise LibraryError(_not_found(name, revision, access))
    return origin


def _local_folder(
    name: str | os.PathLike[str], revision: str | None, access: Access
) -> Path | None:
    """Return the local folder to open, None if there is none."""
    path = Path(name).expanduser()
    text = os.fspath(name)
    if name == DEMO_NAME:
        return demo_folder()
    if path.is_dir() or not isinstance(name, str) or len(path.parts) > 1 or text.startswith("."):
        return path
    placed = access.cache.library(text)
    if _is_library_named(placed, text, revision):
        return placed
    local = Path(LOCAL_FOLDER)
    return local if _is_library_named(local, text, revision) else None


def _is_library_named(folder: Path, name: str, revision: str | None) -> bool:
    """Return whether a folder is a library of that name and, if given, that revision."""
    layout = LibraryLayout(folder)
    if not layout.seal.is_file():
        return False
    seal = read_seal(layout)
    return seal.name == name and revision in (None, seal.revision)


def _require_revision(catalog: Catalog, revision: str | None) -> Catalog:
    found = catalog.seal.revision
    if revision is not None and revision != found:
        raise LibraryError(
            f"{catalog.layout.root} holds revision {found}, not {revision}. "
            "Omit `revision` to open it, or download the requested one."
        )
    return catalog


def _not_found(name: str, revision: str | None, access: Access) -> str:
    wanted = repr(name) if revision is None else f"{name!r} at revision {revision}"
    home = access.cache.library(name)
    here = "has another name" if Path(LOCAL_FOLDER).exists() else "does not exist"
    return (
        f"no library {wanted}: it is not a folder here, not in {home} (${HOME_VARIABLE}), "
        f"./{LOCAL_FOLDER} {here}, no download has that name, and no repository of the Hub is set "
        f"(${REPO_VARIABLE}). Run `make library` to build one, or pass `repo_id='owner/name'` to "
        f"download it from the Hub. {DEMO_NAME!r} needs neither."
    )
