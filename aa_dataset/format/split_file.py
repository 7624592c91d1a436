# SPDX-License-Identifier: Apache-2.0
"""A split as one file: members, digests and ground truth, without geometry.

Two groups that have the same raw data find with such a file the same objects in their libraries.
The file is JSON with one object per line; equal splits give equal bytes. A file from elsewhere is
not trusted: its size, names and numbers are checked before anything uses them.
"""

from __future__ import annotations

import json
import math
import os
import re
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from aa_dataset.errors import ArenaError
from aa_dataset.files import write_bytes
from aa_dataset.format.benchmark import VERSION, members_digest
from aa_dataset.format.truth import MIMIC, NAMES, NUMBERS, Truth, Value
from aa_dataset.format.validation import brief, is_object_id, is_split_name
from aa_dataset.untrusted.safe_json import parse_json

FORMAT, VERSION_OF_FORMAT = "articulatearena-split", "1"
MOST_BYTES = 1 << 23  # 200 objects have 0.7 MB
MOST_MEMBERS = 10_000
MOST_TEXT = 1_000  # characters of a name, of a license or of an attribution

# Entries of a number in a file; a single one is no list. Null: a joint without a body.
_SIZES = {"axis": 3, "origin": 3, "body_com": 3, "body_inertia": 9}
_NULLABLE = ("body_mass", "body_com", "body_inertia")
_ENDS = {"lower": -math.inf, "upper": math.inf}  # what null stands for
_DIGEST, _CONTENT = re.compile(r"[0-9a-f]{16}"), re.compile(r"[0-9a-f]{64}")
_SOURCE = re.compile(r"[a-z][a-z0-9_]{0,99}")

Check = Callable[[Any, str], Any]


class SplitFileError(ArenaError):
    """A file is not a split that this package reads."""


@dataclass(frozen=True, slots=True)
class Member:
    """One object of a split.

    Attributes
    ----------
    object_id, source, source_id, license, attribution : str
        Where the object comes from, so that somebody without it can get it.
    content_sha256 : str
        Digest of its files.
    proof : str
        What stands for it in the digest of the members: `content_sha256`, or the digest of the
        frozen list that holds it.
    truth : Truth
        What scoring uses.
    """

    object_id: str
    source: str
    source_id: str
    license: str
    attribution: str
    content_sha256: str
    proof: str
    truth: Truth


@dataclass(frozen=True, slots=True)
class SplitFile:
    """A split of a library: `version` if it is one of the benchmark, and where it was exported."""

    name: str
    version: str | None
    library: str
    revision: str
    members: tuple[Member, ...]

    @property
    def digest(self) -> str:
        """Digest of the members, as results state it."""
        return members_digest((member.object_id, member.proof) for member in self.members)


def is_split_file(split: str | os.PathLike[str]) -> bool:
    """Return whether a split is given as a file; names have neither dots nor slashes."""
    return not isinstance(split, str) or any(mark in split for mark in (".", "/", os.sep))


def write_split_file(split: SplitFile, path: Path) -> None:
    """Write a split as a file that `read_split_file` accepts."""
    try:
        data = split_bytes(split)
        parse_split(data)
    except ValueError as error:
        raise SplitFileError(
            f"the split {split.name!r} cannot be exported: {error}. Export a smaller split, or "
            "build the library again."
        ) from error
    try:
        path.parent.stat()  # never create a folder because of a typo
        write_bytes(path, data)
    except OSError as error:
        raise SplitFileError(
            f"{path} cannot be written ({error.strerror}). Choose another file."
        ) from error


def split_bytes(split: SplitFile) -> bytes:
    """Return the bytes of a file; raise `ValueError` for a number that is not finite."""
    head = {
        "format": FORMAT,
        "format_version": VERSION_OF_FORMAT,
        "name": split.name,
        "version": split.version,
        "members": split.digest,
        "library": split.library,
        "revision": split.revision,
    }
    lines = map(_member_line, sorted(split.members, key=lambda member: member.object_id))
    start = json.dumps(head, indent=1, ensure_ascii=False).removesuffix("\n}")
    body = ",\n".join(f"  {line}" for line in lines)
    return f'{start},\n "objects": [\n{body}\n ]\n}}\n'.encode()


def _member_line(member: Member) -> str:
    try:
        return json.dumps(_member_row(member), ensure_ascii=False, allow_nan=False)
    except ValueError:
        raise ValueError(f"{member.object_id} has a number that is not finite") from None


def _member_row(member: Member) -> dict[str, Any]:
    return {
        **{name: getattr(member, name) for name in _MEMBER_TEXTS},
        "is_metric": member.truth.is_metric,
        "extents": list(member.truth.extents),
        "joints": [_joint_row(joint) for joint in member.truth.joints],
    }


def _joint_row(joint: Mapping[str, Value]) -> dict[str, Any]:
    leader = joint[MIMIC[0]]
    names = ("joint", "multiplier", "offset")
    coupling = (leader, *(_plain_number(joint[name]) for name in MIMIC[1:]))
    return {
        **{name: joint[name] for name in NAMES},
        **{name: _written_number(name, joint[name]) for name in NUMBERS},
        "mimic": dict(zip(names, coupling, strict=True)) if leader is not None else None,
    }


def _written_number(name: str, value: Value) -> Any:
    if name in _SIZES:
        return list(value) if isinstance(value, tuple) else None
    number = _plain_number(value)
    return None if number == _ENDS.get(name, math.nan) else number


def _plain_number(value: Value) -> float | None:
    return value[0] if isinstance(value, tuple) else None


def read_split_file(path: Path) -> SplitFile:
    """Read a file of `aa split export`, or raise `SplitFileError`."""
    try:
        return parse_split(_file_bytes(path))
    except OSError as error:
        raise SplitFileError(
            f"the split file {path} cannot be read ({error.strerror}). Give a file of "
            "`aa split export`, or the name of a split that `aa info` lists."
        ) from error
    except ValueError as error:
        raise SplitFileError(
            f"{path} is not a valid split file: {str(error).rstrip('.')}. Export it again with "
            "`aa split export`."
        ) from error


def _file_bytes(path: Path) -> bytes:
    # Without O_NONBLOCK, opening a pipe without a writer would block.
    place = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(place, "rb") as stream:
        if not stat.S_ISREG(os.fstat(place).st_mode):
            raise ValueError("it is not a regular file")
        return stream.read(MOST_BYTES + 1)


def parse_split(data: bytes) -> SplitFile:
    """Return the split that the bytes of a file hold, or raise `ValueError`."""
    if len(data) > MOST_BYTES:
        raise ValueError(f"it has more than {MOST_BYTES:,} bytes")
    content = parse_json(data)
    _require_format(content)
    head = _record(content, _HEAD, "the file")
    members = tuple(_member(row, f"objects[{k}]") for k, row in enumerate(head["objects"]))
    ids = [member.object_id for member in members]
    if any(first >= second for first, second in pairwise(ids)):
        raise ValueError("its objects are not sorted by id, or one is there twice")
    facts = {name: head[name] for name in ("name", "version", "library", "revision")}
    split = SplitFile(**facts, members=members)
    if split.digest != head["members"]:
        raise ValueError(
            f"members is {head['members']}, but its objects have the digest {split.digest}"
        )
    return split


def _require_format(content: Any) -> None:
    """Refuse other JSON and other versions before their fields are looked at."""
    found = content.get("format") if isinstance(content, dict) else None
    if found != FORMAT:
        raise ValueError(f"format is {brief(found)}, not {FORMAT!r}")
    version = content.get("format_version")
    if version != VERSION_OF_FORMAT:
        raise ValueError(
            f"it has format version {brief(version)}, this package reads {VERSION_OF_FORMAT!r}"
        )


def _member(row: Any, place: str) -> Member:
    found = _record(row, _MEMBER, place)
    if found["proof"] not in (found["content_sha256"], found["proof"][:16]):
        raise ValueError(f"{place}.proof is neither its content_sha256 nor 16 hex digits")
    joints = tuple(_joint(one, f"{place}.joints[{k}]") for k, one in enumerate(found["joints"]))
    truth = Truth(found["is_metric"], found["extents"], joints)
    return Member(**{name: found[name] for name in _MEMBER_TEXTS}, truth=truth)


def _joint(row: Any, place: str) -> dict[str, Value]:
    found = _record(row, _JOINT, place)
    coupling = found.pop("mimic")
    return {**found, **dict(zip(MIMIC, coupling, strict=True))}


def _mimic(value: Any, place: str) -> tuple[Value, ...]:
    """Return leader, multiplier and offset; null: the joint is independent."""
    if value is None:
        return (None,) * len(MIMIC)
    return tuple(_record(value, _COUPLING, place).values())


def _record(value: Any, fields: Mapping[str, Check], place: str) -> dict[str, Any]:
    """Return an object that has exactly these fields, each checked, in their order."""
    if not isinstance(value, dict):
        raise ValueError(f"{place} is {brief(value)}, not an object")
    if wrong := fields.keys() ^ value.keys():
        first = min(wrong)
        what = "lacks the field" if first in fields else "has an unknown field"
        raise ValueError(f"{place} {what} {brief(first)}")
    return {name: check(value[name], f"{place}.{name}") for name, check in fields.items()}


def _text(value: Any, place: str, form: re.Pattern[str] | None = None) -> str:
    if not isinstance(value, str) or len(value) > MOST_TEXT:
        raise ValueError(f"{place} is {brief(value)}, not a text of at most {MOST_TEXT} characters")
    if form is not None and not form.fullmatch(value):
        raise ValueError(f"{place} is {brief(value)}, which is not valid")
    _require_encodable(value, place)
    return value


def _require_encodable(value: str, place: str) -> None:
    """Refuse surrogates, which JSON can escape and no digest or terminal can encode."""
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{place} is {brief(value)}, which is not valid Unicode") from None


def _matching(value: Any, place: str, is_valid: Callable[[str], bool]) -> str:
    if not isinstance(value, str) or not is_valid(value):
        raise ValueError(f"{place} is {brief(value)}, which is not valid")
    return value


def _version(value: Any, place: str) -> str | None:
    return None if value is None else _text(value, place, VERSION)


def _flag(value: Any, place: str) -> bool:
    if type(value) is not bool:
        raise ValueError(f"{place} is {brief(value)}, not true or false")
    return value


def _list(value: Any, place: str, most: int = MOST_BYTES) -> list[Any]:
    if not isinstance(value, list) or len(value) > most:
        raise ValueError(f"{place} is {brief(value)}, not a list of at most {most:,} entries")
    return value


def _number(value: Any, place: str) -> tuple[float, ...]:
    if type(value) not in (int, float):  # the parser refused what is not finite
        raise ValueError(f"{place} is {brief(value)}, not a number")
    return (float(value),)


def _end(value: Any, place: str, infinite: float) -> tuple[float, ...]:
    return (infinite,) if value is None else _number(value, place)


def _numbers(value: Any, place: str, size: int) -> tuple[float, ...]:
    if not isinstance(value, list) or len(value) != size:
        raise ValueError(f"{place} is {brief(value)}, not a list of {size} numbers")
    return tuple(_number(one, f"{place}[{k}]")[0] for k, one in enumerate(value))


def _nullable(value: Any, place: str, check: Check) -> Any:
    return None if value is None else check(value, place)


def _number_check(name: str) -> Check:
    """Return the check of a column of `NUMBERS`."""
    if name in _ENDS:
        return partial(_end, infinite=_ENDS[name])
    check = partial(_numbers, size=_SIZES[name]) if name in _SIZES else _number
    return partial(_nullable, check=check) if name in _NULLABLE else check


_HEAD: dict[str, Check] = {
    "format": _text,
    "format_version": _text,
    "name": partial(_matching, is_valid=is_split_name),
    "version": _version,
    "members": partial(_text, form=_DIGEST),
    "library": _text,
    "revision": partial(_text, form=_DIGEST),
    "objects": partial(_list, most=MOST_MEMBERS),
}
_MEMBER: dict[str, Check] = {
    "object_id": partial(_matching, is_valid=is_object_id),
    "source": partial(_text, form=_SOURCE),
    "source_id": _text,
    "license": _text,
    "attribution": _text,
    "content_sha256": partial(_text, form=_CONTENT),
    "proof": partial(_text, form=re.compile(r"(?:[0-9a-f]{16}|[0-9a-f]{64})")),
    "is_metric": _flag,
    "extents": partial(_numbers, size=3),
    "joints": _list,
}
_MEMBER_TEXTS = ("object_id", "source", "source_id", "license", "attribution", "content_sha256",
                 "proof")  # fmt: skip
_JOINT: dict[str, Check] = {
    **dict.fromkeys(NAMES, _text),
    **{name: _number_check(name) for name in NUMBERS},
    "mimic": _mimic,
}
_COUPLING: dict[str, Check] = {"joint": _text, "multiplier": _number, "offset": _number}
