# SPDX-License-Identifier: Apache-2.0
"""Writes `requirements/*.txt`: the packages of `constraints.txt` with the sha256 of their files.

Run `python .ci/hashes.py` after every change of `constraints.txt` or of the dependencies. It asks
the index that pip is set up for, so that no file of the repository names one.
"""

from __future__ import annotations

import concurrent.futures
import functools
import hashlib
import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from packaging.tags import Tag, compatible_tags, cpython_tags, mac_platforms
from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    canonicalize_name,
    parse_sdist_filename,
    parse_wheel_filename,
)
from packaging.version import Version

ROOT = Path(__file__).parents[1]
CONSTRAINTS, FOLDER = ROOT / "constraints.txt", ROOT / "requirements"
OWN = "aa-dataset"
# What each list is for, as pip is asked; `dev` and `judges` begin with `build`.
LISTS: Mapping[str, Sequence[str]] = {
    "backend": ("setuptools",),
    "build": (".[build]",),
    "docs": (".[docs]",),
    "dev": (".[dev]",),
    "judges": (".[build,judges]", "hypothesis", "pytest", "pytest-timeout"),
}
ALONE = ("backend", "torch")
HEADS = {
    "backend": "builds packages that have no wheel, and this one",
    "build": "`make library`",
    "torch": "`make test`; apart, because pip should choose which build of it comes",
    "docs": "`make docs`",
    "dev": "`make test`",
    "judges": "`make judges`",
}
PYTHONS = ((3, 11), (3, 12), (3, 13), (3, 14))
MACHINES = ("linux_x86_64", "linux_aarch64", "macosx_x86_64", "macosx_arm64")
GLIBC = range(5, 43)  # minor versions that manylinux tags name


@dataclass(frozen=True, order=True, slots=True)
class Target:
    """A Python and a kind of machine that pip may run on."""

    python: tuple[int, int]
    machine: str

    @property
    def title(self) -> str:
        """The target in a comment."""
        return f"cp{self.python[0]}{self.python[1]}-{self.machine}"


TARGETS = tuple(Target(python, machine) for python in PYTHONS for machine in MACHINES)


@functools.cache
def target_tags(target: Target) -> frozenset[Tag]:
    """Return every tag that pip takes on a target with a current C library or system."""
    system, machine = target.machine.split("_", 1)
    if system == "macosx":
        platforms = list(mac_platforms((26, 0), machine))
    else:
        names = [f"manylinux_2_{minor}" for minor in GLIBC]
        names += ["manylinux1", "manylinux2010", "manylinux2014", "linux"]
        platforms = [f"{name}_{machine}" for name in names]
    interpreter = f"cp{target.python[0]}{target.python[1]}"
    return frozenset(
        (
            *cpython_tags(target.python, platforms=platforms),
            *compatible_tags(target.python, interpreter, platforms),
        )
    )


def serves(name: str, target: Target) -> bool:
    """Tell whether a file can be installed on a target; a source archive can on all."""
    if not name.endswith(".whl"):
        return True
    return not parse_wheel_filename(name)[3].isdisjoint(target_tags(target))


def file_version(name: str) -> tuple[str, Version] | None:
    """Return package and version of a file, None for what pip does not install."""
    try:
        if name.endswith(".whl"):
            return parse_wheel_filename(name)[:2]
        return parse_sdist_filename(name)
    except (InvalidSdistFilename, InvalidWheelFilename):
        return None


def chosen_files(names: Iterable[str]) -> list[str]:
    """Return the wheels of all targets, and source archives only where a target has no wheel."""
    names = sorted(names)
    wheels = [name for name in names if name.endswith(".whl")]
    wanted = {name for name in wheels for target in TARGETS if serves(name, target)}
    if all(any(serves(name, target) for name in wheels) for target in TARGETS):
        return sorted(wanted)
    return sorted({*wanted, *(name for name in names if not name.endswith(".whl"))})


class _Links(HTMLParser):
    """The links of an index page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep one link."""
        self.found += [value for key, value in attrs if tag == "a" and key == "href" and value]


def page_files(page: str) -> Iterator[tuple[str, str]]:
    """Yield name and sha256 of the files of an index page."""
    for link in _Links(page).found:
        parts = urlsplit(link)
        digest = re.fullmatch(r"sha256=([0-9a-f]{64})", parts.fragment)
        if digest:
            yield unquote(parts.path.rsplit("/", 1)[-1]), digest[1]


def index_files(package: str, version: str) -> dict[str, str]:
    """Return name and sha256 of every file of a version, by the index and folders of pip."""
    options = _pip_options()
    address = f"{options.index_url.rstrip('/')}/{package}/"
    request = urllib.request.Request(address, headers={"Accept": "text/html"})
    with urllib.request.urlopen(request, timeout=60) as response:
        found = dict(page_files(response.read().decode()))
    names = {name: digest for name, digest in found.items() if _is_of(name, package, version)}
    for path in (path for folder in options.find_links for path in sorted(Path(folder).glob("*"))):
        if _is_of(path.name, package, version):
            names[path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return names


def _is_of(name: str, package: str, version: str) -> bool:
    """Tell whether a file is of a version; builds of it that differ in a local label are too."""
    known = file_version(name)
    return known is not None and (known[0], known[1].public) == (package, Version(version).public)


@functools.cache
def _pip_options() -> Any:
    """Return pip's own settings: its index, and folders with wheels such as torch's for CPUs."""
    from pip._internal.commands import create_command

    return create_command("download").parse_args([])[0]


def read_pins(text: str) -> dict[str, str]:
    """Return the version of every package of `constraints.txt`, by its plain name."""
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    pairs = (line.split("==") for line in lines if line)
    return {str(canonicalize_name(name)): version for name, version in pairs}


def closure(wanted: Sequence[str]) -> set[str]:
    """Return the packages that pip would install for some requirements."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--report", "-"]
    command += ["--ignore-installed", "--constraint", str(CONSTRAINTS), *wanted]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    names = (one["metadata"]["name"] for one in json.loads(done.stdout)["install"])
    return {str(canonicalize_name(name)) for name in names} - {OWN}


def render(package: str, version: str, files: Mapping[str, str]) -> str:
    """Return the lines of one package; the comments name the files, in the order of the hashes."""
    names = chosen_files(files)
    hashes = " \\\n".join(f"    --hash=sha256:{files[name]}" for name in names)
    comments = "\n".join(f"    # {name}" for name in names)
    without = [t.title for t in TARGETS if not any(serves(name, t) for name in names)]
    lack = f"\n    # no file for {' '.join(without)}" if without else ""
    return f"{package}=={version} \\\n{hashes}\n{comments}{lack}\n"


def main() -> int:
    """Write all lists; 1 where `constraints.txt` and the dependencies do not fit."""
    pins = read_pins(CONSTRAINTS.read_text())
    lists = {name: closure(wanted) for name, wanted in LISTS.items()}
    lists["torch"] = {"torch"}  # not what it needs: the rest is in `dev`, or no list can have it
    needed = set.union(*lists.values())
    if pins.keys() != needed:
        sys.stderr.write(
            f"constraints.txt lacks {sorted(needed - pins.keys())} and has "
            f"{sorted(pins.keys() - needed)} that nothing needs.\n"
        )
        return 1
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        packages = sorted(pins)
        found = pool.map(index_files, packages, (pins[name] for name in packages))
        files = dict(zip(packages, found, strict=True))
    FOLDER.mkdir(exist_ok=True)
    for name, members in lists.items():
        nested = name in ("dev", "judges")
        alone = set() if name in ALONE else set.union(*(lists[one] for one in ALONE))
        members = members - alone - (lists["build"] if nested else set())
        head = f"# Made by `python .ci/hashes.py`: {HEADS[name]}.\n"
        head += "-r build.txt\n" if nested else ""
        body = "".join(render(one, pins[one], files[one]) for one in sorted(members))
        (FOLDER / f"{name}.txt").write_text(head + body)
    return 0


if __name__ == "__main__":
    sys.exit(main())
