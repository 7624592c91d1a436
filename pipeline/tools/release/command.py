# SPDX-License-Identifier: Apache-2.0
"""`python -m pipeline version --previous FOLDER`: which part of the version must be raised.

It compares the tables of `release/` with those of a previous release, names every difference, and
exits with 1 if the version that the new one states is too low.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from pathlib import Path

from aa_dataset.cli.terminal import say, say_json
from aa_dataset.format.layout import LibraryLayout
from pipeline.base import layout
from pipeline.base.errors import PipelineError
from pipeline.tools.release.compare import Change, VersionPart, changes

Version = tuple[int, int, int]
VERSION = re.compile(r"([0-9]+)\.([0-9]+)\.([0-9]+)")


def main(arguments: list[str]) -> int:
    """Compare two releases; return 1 if the version of the new one is too low."""
    parser = argparse.ArgumentParser(prog="python -m pipeline version")
    parser.add_argument("--previous", type=Path, required=True, help="folder of the last release")
    parser.add_argument("--release", type=Path, default=layout.RELEASE, help="default: release")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args(arguments)
    previous, release = LibraryLayout(given.previous), LibraryLayout(given.release)
    found = changes(previous, release)
    before, stated = _stated_version(previous), _stated_version(release)
    part = max((change.part for change in found), default=VersionPart.NONE)
    least = raised(before, part)
    enough = is_enough(stated, before, part)
    if given.json:
        say_json(
            {
                "previous": _text(before),
                "stated": _text(stated),
                "raise": part.word,
                "least": _text(least),
                "enough": enough,
                "reasons": [{"part": c.part.word, "reason": c.reason} for c in found],
            }
        )
    else:
        say(_report_lines(found, before, stated, least, enough=enough))
    return 0 if enough else 1


def raised(version: Version, part: VersionPart) -> Version:
    """Return the next version if a part is raised; the parts after it begin at 0."""
    major, minor, patch = version
    return {
        VersionPart.NONE: version,
        VersionPart.PATCH: (major, minor, patch + 1),
        VersionPart.MINOR: (major, minor + 1, 0),
        VersionPart.MAJOR: (major + 1, 0, 0),
    }[part]


def is_enough(stated: Version, before: Version, part: VersionPart) -> bool:
    """Return whether a version is at least as high as the changes since `before` demand."""
    return stated >= raised(before, part)


def _report_lines(
    found: Sequence[Change], before: Version, stated: Version, least: Version, *, enough: bool
) -> list[str]:
    lines = [f"previous release {_text(before)}, this release {_text(stated)}"]
    lines += [f"{change.part.word:<6} {change.reason}" for change in found]
    if not found:
        return [*lines, "Nothing differs, so the version stays."]
    if enough:
        return [*lines, f"The version must be at least {_text(least)}, and it is."]
    return [
        *lines,
        f"The version must be at least {_text(least)}. Set publish.version and publish.date in "
        f"{layout.CONFIG}, then run `make library` again.",
    ]


def _text(version: Version) -> str:
    return ".".join(map(str, version))


def _stated_version(release: LibraryLayout) -> Version:
    """Return the version of a release from `croissant.json`, else from the title of its card."""
    text = ""
    if release.croissant.is_file():
        text = _croissant_version(release.croissant)
    elif release.card.is_file():
        card = release.card.read_text(encoding="utf-8", errors="replace")
        text = next((line for line in card.splitlines() if line.startswith("# ")), "").split(" ")[
            -1
        ]
    match = VERSION.fullmatch(text)
    if match is None:
        raise PipelineError(
            f"{release.root} states no version, neither in {release.croissant.name} nor in the "
            f"title of {release.card.name}. Give the folder of a release."
        )
    major, minor, patch = map(int, match.groups())
    return major, minor, patch


def _croissant_version(path: Path) -> str:
    try:
        return str(json.loads(path.read_bytes())["version"])
    except (ValueError, KeyError, TypeError) as error:
        raise PipelineError(
            f"{path} is not readable ({error}). Build or download it again."
        ) from error
