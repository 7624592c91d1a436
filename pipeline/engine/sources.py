# SPDX-License-Identifier: Apache-2.0
"""Reads and checks `sources.yaml`, the one description of every raw source."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from aa_dataset.format.credits import Credit, parse_bibtex
from pipeline.base import layout
from pipeline.base.errors import ConfigError
from pipeline.engine.access import Access
from pipeline.engine.checked_yaml import read_yaml, schema_problems
from pipeline.engine.settings import About, Generative, SourceFacts, structured
from pipeline.raw.inventory import adapter_module
from pipeline.raw.records import ADAPTERS, Frame


@dataclass(frozen=True, slots=True)
class Description:
    """One entry of sources.yaml; stages see what `facts` selects, `aa sources` all of it."""

    title: str
    adapter: str
    license: str
    attribution: str
    frame: Frame
    scale: str
    access: Access
    expected: Mapping[str, int]
    citation: str
    redistribution: str
    terms: str
    generative: Generative
    proved: Mapping[str, str]
    cites: tuple[str, ...] = ()
    unit: float = 1.0
    folder: str = ""
    shards: int = 1

    @property
    def credit(self) -> Credit:
        """What to cite for the objects of the source."""
        entries = read_citations()
        return Credit(self.title, self.citation, tuple(entries[key] for key in self.cites))

    def facts(self, folder: str) -> SourceFacts:
        """Return the facts that stages may read, for a source in `folder`."""
        return SourceFacts(
            folder,
            self.adapter,
            self.license,
            self.attribution,
            self.frame,
            self.scale,
            self.unit,
            self.redistribution,
        )

    def about(self) -> About:
        """Return what a release tells about the source."""
        return About(
            self.credit,
            self.terms,
            self.license,
            self.attribution,
            self.redistribution,
            self.generative,
        )


def load_sources() -> dict[str, Description]:
    """Read the description of every raw source, in the file's order."""
    content = read_yaml(layout.SOURCES)
    problems = schema_problems(content, layout.SOURCES, layout.SOURCES_SCHEMA)
    if not problems:
        problems = [
            f"{layout.SOURCES}: {name}.adapter: there is no adapter {entry['adapter']!r}; write "
            f"{ADAPTERS.replace('.', '/')}/{entry['adapter']}.py with `discover` and `describe`."
            for name, entry in content.items()
            if not is_adapter(entry["adapter"])
        ]
        problems += _unknown_citations(content)
    if problems:
        raise ConfigError("\n".join(sorted(problems)))
    found = {name: structured(Description, entry) for name, entry in content.items()}
    return {name: _with_folder(name, entry) for name, entry in found.items()}


def _unknown_citations(content: Mapping[str, Mapping[str, Sequence[str]]]) -> Iterator[str]:
    known = read_citations()
    for name, entry in content.items():
        for key in entry.get("cites", ()):
            if key not in known:
                yield f"{layout.SOURCES}: {name}.cites: {layout.CITATIONS} has no entry {key!r}."


def read_citations() -> dict[str, str]:
    """Return the BibTeX entries that sources may cite, by key."""
    try:
        return parse_bibtex(layout.CITATIONS.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{layout.CITATIONS}: {error}.") from error


def _with_folder(name: str, entry: Description) -> Description:
    folder = entry.folder or layout.raw_folder(name).as_posix()
    return replace(entry, folder=with_home_folder(folder))


def with_home_folder(folder: str) -> str:
    """Replace `~` or `~name` at the beginning of a path; unchanged if there is no such home."""
    try:
        return str(Path(folder).expanduser()) if folder.startswith("~") else folder
    except RuntimeError:
        return folder


def is_adapter(name: str) -> bool:
    """Return whether an adapter of that name exists, and not only a module that adapters share."""
    if importlib.util.find_spec(f"{ADAPTERS}.{name}") is None:
        return False
    module = adapter_module(name)
    return all(hasattr(module, part) for part in ("discover", "describe", "FIELDS"))
