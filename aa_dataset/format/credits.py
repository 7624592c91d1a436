# SPDX-License-Identifier: Apache-2.0
"""What to cite: the entry of the library itself, and those of its sources in the seal.

The citations of the sources travel in `library.json`, which every copy of a library has: a release
names its sources on a machine that has never seen the repository.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from aa_dataset.format.validation import brief

AUTHORS = (
    "He, Yumeng", "She, Yongfei", "Chen, Huanyu", "Yuan, Chun", "Li, Peihao",
    "Masterjohn, Joseph", "Yang, Yin", "Jiang, Ying", "Jiang, Chenfanfu",
)  # fmt: skip
PAPER = f"""\
@article{{He2026ArticulateArena,
  title = {{{{ArticulateArena}}: A Metric for Articulated Kinematics}},
  author = {{{" and ".join(AUTHORS)}}},
  journal = {{arXiv preprint arXiv:2609.33931}},
  year = {{2026}},
}}"""
TEXT, ENTRIES = 20_000, 50  # characters of one text, entries of one source
_HEAD = re.compile(r"@[A-Za-z]+\{([A-Za-z0-9_.:-]+),")
_TEXTS = ("title", "citation")


@dataclass(frozen=True, slots=True)
class Credit:
    """What to cite for the objects of one source.

    Attributes
    ----------
    title : str
        Name of the source for people.
    citation : str
        The same as `bibtex`, in a sentence; empty if there is nothing to cite.
    bibtex : tuple of str
        BibTeX entries.
    """

    title: str
    citation: str
    bibtex: tuple[str, ...]


NO_CREDIT = Credit("", "", ())


def read_credits(content: Any) -> dict[str, Credit]:
    """Return the credits of a seal by source, or raise `ValueError` if they are not valid."""
    if not isinstance(content, Mapping):
        raise ValueError(f"credits is {brief(content)}, not an object")
    return {source: _credit(source, facts) for source, facts in content.items()}


def _credit(source: str, facts: Any) -> Credit:
    if not isinstance(facts, Mapping) or {*facts} != {*_TEXTS, "bibtex"}:
        raise ValueError(f"credits.{brief(source)} is not an object with title, citation, bibtex")
    entries = facts["bibtex"]
    if not isinstance(entries, list) or len(entries) > ENTRIES:
        raise ValueError(f"credits.{brief(source)}.bibtex is no list of at most {ENTRIES} entries")
    for text in (*(facts[name] for name in _TEXTS), *entries):
        if not isinstance(text, str) or len(text) > TEXT:
            raise ValueError(f"credits.{brief(source)} has {brief(text)}, not a short text")
    for text in entries:
        entry_key(text)
    return Credit(facts["title"], facts["citation"], tuple(entries))


def entry_key(entry: str) -> str:
    """Return the key of a BibTeX entry, or raise `ValueError` if the text is not one entry."""
    head = _HEAD.match(entry)
    depth = 0
    for place, sign in enumerate(entry):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if depth == 0 and sign == "}" and place != len(entry) - 1:
            head = None
    if head is None or depth != 0 or not entry.endswith("}"):
        raise ValueError(f"{brief(entry)} is not one BibTeX entry")
    return head[1]


def parse_bibtex(text: str) -> dict[str, str]:
    """Return the entries of a BibTeX file by key; each ends with a brace on a line of its own.

    Raises `ValueError` for a text that is not an entry, or a key that appears twice.
    """
    plain = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    found: dict[str, str] = {}
    for block in re.split(r"(?<=\n\})\n", plain):
        entry = block.strip()
        if entry:
            key = entry_key(entry)
            if key in found:
                raise ValueError(f"the key {key} appears twice")
            found[key] = entry
    return found


def entries_of(credits: Iterable[Credit]) -> list[str]:
    """Return the entries of some sources, each key once, in the order of their first mention."""
    found: dict[str, str] = {}
    for credit in credits:
        for entry in credit.bibtex:
            found.setdefault(entry_key(entry), entry)
    return list(found.values())


def software_entry(version: str, *, name: str, revision: str, detail: str) -> str:
    """Return an entry that names the exact library: its revision, and what of it was used."""
    return (
        "@misc{aa_dataset,\n"
        "  title = {{aa-dataset}: the {ArticulateArena} library, its loader and metric},\n"
        "  author = {{The aa-dataset maintainers}},\n"
        "  year = {2026},\n"
        f"  note = {{Version {version}; {_escaped(name)} revision {_escaped(revision)}, "
        f"{_escaped(detail)}}},\n"
        "}"
    )


def _escaped(text: str) -> str:
    """Return a text without what ends a field or is a command."""
    plain = re.sub(r"[{}\\\"]", "", text)
    return re.sub(r"([_%&#$])", r"\\\1", plain)
