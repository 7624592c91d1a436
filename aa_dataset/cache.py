# SPDX-License-Identifier: Apache-2.0
"""The folder of downloads and unpacked objects: where it is, and how to add to it safely."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from aa_dataset.errors import ArenaError

HOME_VARIABLE = "AA_HOME"
LIBRARY_VARIABLE = "AA_LIBRARY"

_CACHE_STEP = f"Make room or repair it, or set {HOME_VARIABLE} to a folder that you can write to."
_GIVEN_STEP = "Make room or choose another folder."
_ATTEMPTS = 100  # to put a folder in place, while other programs put theirs there


class CacheError(ArenaError, OSError):
    """The cache folder cannot be used."""


class DownloadError(ArenaError, OSError):
    """The Hub did not give the library."""


@dataclass(frozen=True, slots=True)
class CacheLayout:
    """Every path below ``$AA_HOME``."""

    root: Path

    @property
    def hub(self) -> Path:
        """Downloads, in huggingface_hub's own layout: `snapshots/<revision>` per repository."""
        return self.root / "hub"

    def library(self, name: str) -> Path:
        """Return the folder where a library of that name may be placed by hand."""
        return self.root / name

    def unpacked(self, edition: str, object_id: str) -> Path:
        """Return the folder of one unpacked object; `edition` is `Seal.edition`."""
        return self.root / "objects" / edition / object_id


@dataclass(frozen=True, slots=True)
class UnpackLayout:
    """A folder that objects are unpacked into at a user's wish."""

    root: Path

    @property
    def owner(self) -> Path:
        """Names the library and revision that the folder holds."""
        return self.root / ".unpacked-from"

    def object(self, object_id: str) -> Path:
        """Return the folder of one object."""
        return self.root / object_id


def cache_layout() -> CacheLayout:
    """Return the cache folder: ``$AA_HOME`` when called, else ``~/.cache/aa-dataset``."""
    home = os.environ.get(HOME_VARIABLE)
    folder = Path(home) if home else Path.home() / ".cache" / "aa-dataset"
    return CacheLayout(folder.expanduser().absolute())


def default_library() -> str | None:
    """Return ``$AA_LIBRARY`` at the moment of the call, None when unset."""
    return os.environ.get(LIBRARY_VARIABLE) or None


def ensure_folder(
    target: Path, fill: Callable[[Path], object], *, is_sound: Callable[[Path], bool] | None = None
) -> bool:
    """Make `target` by `fill` in a temporary folder, rename it, and tell whether that was needed.

    Several processes may ask for the same folder: the first rename wins, the others throw their
    copy away, and nobody ever sees a half-filled folder.

    Parameters
    ----------
    target : Path
        The folder to make; when it exists and is sound, nothing is done. An empty folder is filled.
    fill : callable
        Writes the contents into the empty folder that it is given.
    is_sound : callable, optional
        Tells whether a folder is there and holds what `fill` writes. One that does not, because a
        disk or a person damaged it, is replaced; without this, a folder of the user is meant, of
        which nothing ever is.
    """
    if (is_sound or _has_content)(target):
        return False
    next_step = _GIVEN_STEP if is_sound is None else _CACHE_STEP
    temporary = _temporary_sibling(target, next_step)
    try:
        fill(temporary)
        return _put_in_place(temporary, target, is_sound)
    except ArenaError:
        raise
    except OSError as error:
        raise CacheError(f"cannot write {target} ({error.strerror}). {next_step}") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _has_content(folder: Path) -> bool:
    try:
        return folder.is_dir() and any(folder.iterdir())
    except OSError as error:
        raise CacheError(f"cannot read {folder} ({error.strerror}). {_GIVEN_STEP}") from error


def claim_folder(folder: Path, owner: str) -> UnpackLayout:
    """Make a folder, or take up one that the same owner made; refuse any other that has content."""
    place = UnpackLayout(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if place.owner.is_file() and place.owner.read_text(encoding="utf-8") == owner:
            return place
        if any(folder.iterdir()):
            raise CacheError(
                f"{folder} is not empty and was not unpacked from {owner}. "
                "Choose an empty folder, so that nothing is mixed."
            )
        place.owner.write_text(owner, encoding="utf-8")
    except CacheError:
        raise
    except OSError as error:
        raise CacheError(
            f"cannot write to {folder} ({error.strerror}). Choose another folder."
        ) from error
    return place


def _temporary_sibling(target: Path, next_step: str) -> Path:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=".tmp-", dir=target.parent))
        folder.chmod(_mode(target))
    except OSError as error:
        raise CacheError(
            f"cannot write to {target.parent} ({error.strerror}). {next_step}"
        ) from error
    return folder


def _mode(target: Path) -> int:
    """Return the rights of a new folder: those of the empty one that it replaces, else usual ones.

    `mkdtemp` makes it private, but a cache may be shared.
    """
    return stat.S_IMODE(target.stat().st_mode) if target.is_dir() else 0o777 & ~_umask()


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _put_in_place(temporary: Path, target: Path, is_sound: Callable[[Path], bool] | None) -> bool:
    """Rename a finished folder to its name, unless another process was faster; tell which."""
    for attempt in range(_ATTEMPTS):
        try:
            temporary.rename(target)
            return True
        except OSError:
            if (is_sound or _has_content)(target):
                return False
            # Without the finished folder, or against a program that never rests, this must end.
            if is_sound is None or not temporary.is_dir() or attempt + 1 == _ATTEMPTS:
                raise
            _remove_unsound(target)
    raise AssertionError("the last attempt returns or raises")  # pragma: no cover


def _remove_unsound(target: Path) -> None:
    """Move whatever has the name away in one step, then remove it."""
    aside = Path(tempfile.mkdtemp(prefix=".old-", dir=target.parent))
    try:
        target.rename(aside / target.name)
    except FileNotFoundError:  # another process did the same
        pass
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def download_library(repo_id: str, *, revision: str | None = None) -> Path:
    """Return the folder of a dataset repository of the Hub, downloaded where needed.

    The files land in ``$AA_HOME/hub``, in a folder named by the Hub's commit, so that two
    revisions never mix. ``HF_HUB_OFFLINE``, ``HF_ENDPOINT`` and ``HF_TOKEN`` are the Hub client's
    own and are respected; without a network a finished download is used.
    """
    from huggingface_hub import snapshot_download

    try:
        folder = snapshot_download(
            repo_id, repo_type="dataset", revision=revision, cache_dir=cache_layout().hub
        )
    except Exception as error:  # the client raises many kinds, also of the transport below it
        where = repo_id if revision is None else f"{repo_id} at revision {revision!r}"
        raise DownloadError(
            f"cannot download {where} from the Hub: {_first_line(error)} "
            "Check the name, the revision, the network, HF_TOKEN and HF_HUB_OFFLINE."
        ) from error
    return Path(folder)


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = ": ".join([type(error).__name__, *lines[:1]])
    return text if text.endswith(".") else text + "."
