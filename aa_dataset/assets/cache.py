# SPDX-License-Identifier: Apache-2.0
"""The cache of downloads and unpacked objects: its location, and safe writes to it."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from aa_dataset.errors import ArenaError

HOME_VARIABLE = "AA_HOME"
LIBRARY_VARIABLE = "AA_LIBRARY"

_CACHE_STEP = f"Free space or repair it, or set {HOME_VARIABLE} to a writable folder."
_GIVEN_STEP = "Free space or choose another folder."
_ATTEMPTS = 100  # to rename a folder into place while other programs do the same


class CacheError(ArenaError, OSError):
    """The cache folder cannot be used."""


@dataclass(frozen=True, slots=True)
class CacheLayout:
    """Every path below ``$AA_HOME``."""

    root: Path

    @property
    def hub(self) -> Path:
        """Downloads, a folder per repository."""
        return self.root / "hub"

    def snapshot(self, repo_id: str, commit: str) -> Path:
        """Return the folder of one commit of a repository ``owner/name``."""
        return self._repository(repo_id) / commit

    def snapshots(self) -> list[Path]:
        """Return the folders of all downloaded commits."""
        return sorted(self.hub.glob("*--*/" + "[0-9a-f]" * 40))

    def reference(self, repo_id: str, revision: str) -> Path:
        """Return the file with the commit that a branch or tag named when it was last asked for."""
        return self._repository(repo_id) / "refs" / quote(revision, safe="")

    def _repository(self, repo_id: str) -> Path:
        return self.hub / repo_id.replace("/", "--")

    def library(self, name: str) -> Path:
        """Return the folder where a user may place a library of that name."""
        return self.root / name

    def unpacked(self, edition: str, object_id: str) -> Path:
        """Return the folder of one unpacked object; `edition` is `Seal.edition`."""
        return self.root / "objects" / edition / object_id


@dataclass(frozen=True, slots=True)
class UnpackLayout:
    """A user's folder that objects are unpacked into."""

    root: Path

    @property
    def owner(self) -> Path:
        """File with the name and revision of the unpacked library."""
        return self.root / ".unpacked-from"

    def object(self, object_id: str) -> Path:
        """Return the folder of one object."""
        return self.root / object_id


def cache_layout() -> CacheLayout:
    """Return the cache folder: ``$AA_HOME``, read on each call, else ``~/.cache/aa-dataset``."""
    home = os.environ.get(HOME_VARIABLE)
    folder = Path(home) if home else Path.home() / ".cache" / "aa-dataset"
    return CacheLayout(folder.expanduser().absolute())


def default_library() -> str | None:
    """Return ``$AA_LIBRARY``, read on each call; None if unset."""
    return os.environ.get(LIBRARY_VARIABLE) or None


def ensure_folder(
    target: Path, fill: Callable[[Path], object], *, is_sound: Callable[[Path], bool] | None = None
) -> bool:
    """Create `target` atomically with `fill`; return whether that was needed.

    `fill` writes to a temporary folder, which is then renamed. If several processes create the same
    folder, the first rename wins and the others discard their copy.

    Parameters
    ----------
    target : Path
        The folder to create. Nothing is done if it exists and is sound; an empty one is filled.
    fill : callable
        Writes the contents into the empty folder passed to it.
    is_sound : callable, optional
        Returns whether a folder exists and holds what `fill` writes; a damaged one is replaced.
        Without it, `target` is a user's folder, whose files are never replaced.
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
    """Create a folder or reuse one of the same owner; refuse any other that is not empty."""
    place = UnpackLayout(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if place.owner.is_file() and place.owner.read_text(encoding="utf-8") == owner:
            return place
        if any(folder.iterdir()):
            raise CacheError(
                f"{folder} is not empty and was not unpacked from {owner}. Choose an empty folder."
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
        folder.chmod(_new_folder_mode(target))
    except OSError as error:
        raise CacheError(
            f"cannot write to {target.parent} ({error.strerror}). {next_step}"
        ) from error
    return folder


def _new_folder_mode(target: Path) -> int:
    """Return the mode of a new folder: that of the empty one it replaces, else the default.

    `mkdtemp` creates private folders, but a cache may be shared.
    """
    return stat.S_IMODE(target.stat().st_mode) if target.is_dir() else 0o777 & ~current_umask()


def current_umask() -> int:
    """Return the permissions that new files lack."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _put_in_place(temporary: Path, target: Path, is_sound: Callable[[Path], bool] | None) -> bool:
    """Rename a finished folder into place; return False if another process was faster."""
    for attempt in range(_ATTEMPTS):
        try:
            temporary.rename(target)
            return True
        except OSError:
            if (is_sound or _has_content)(target):
                return False
            # Stop if the finished folder is gone, or if another program keeps interfering.
            if is_sound is None or not temporary.is_dir() or attempt + 1 == _ATTEMPTS:
                raise
            _remove_old_folder(target)
    raise AssertionError("the last attempt returns or raises")  # pragma: no cover


def _remove_old_folder(target: Path) -> None:
    """Rename the existing folder away atomically, then remove it."""
    aside = Path(tempfile.mkdtemp(prefix=".old-", dir=target.parent))
    try:
        target.rename(aside / target.name)
    except FileNotFoundError:  # another process did the same
        pass
    finally:
        shutil.rmtree(aside, ignore_errors=True)
