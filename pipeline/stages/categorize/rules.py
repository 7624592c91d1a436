# SPDX-License-Identifier: Apache-2.0
"""The rules that map a source's label to a category, step by step.

Every rule stops as soon as its label is a category or an alias, so a specific row of the table
protects its name from being shortened (`folding_arm_chain` stays, `folding_kick_scooter` does not).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from aa_dataset.format.labels import UNKNOWN, UNKNOWN_RULE, Step, plain_label
from pipeline.raw.taxonomy import Category, Taxonomy, Words, load_taxonomy

# Prefixes of the names of sources without a plain label; every other source states one.
RECORD_ID_SOURCES = ("articraft",)
PROMPT_SOURCES = ("articulated_object_code",)
# Collections, whose models are known by the names of their files and folders.
MODEL_SOURCES = ("tail",)
# Folders that say what kind of file they hold.
PLAIN_FOLDERS = frozenset({"mjcf", "model", "models", "robots", "urdf", "urdfs", "xml"})
# Words of the longest name in models.tsv.
LONGEST_MODEL = 4

_NAMED = re.compile(r"rec_(?P<name>[a-z0-9_]+?)_(?:\d{4}|[0-9a-f]{32})")
_FREE = re.compile(r"rec_(?P<prompt>.+?)_\d{8}_\d{6}(?:_\d{6})?_[0-9a-f]{8}")
PROMPT_LENGTH = 48  # Articraft cuts a prompt to this many characters in the id, also within words
_NUMBERING = re.compile(r"^(?:step_?\d+_)+|(?:_\d+)+$")
_NOT_PLURAL = ("ss", "us", "is")


@dataclass(frozen=True, slots=True)
class Decision:
    """The category of an object, None if no rule found one, and the steps to it."""

    category: Category | None
    steps: tuple[Step, ...]

    @property
    def label(self) -> str:
        """Return the last label of the rules, which is proposed if it is unknown."""
        return self.steps[-1].label


@dataclass(slots=True)
class _Trail:
    """The current label, and the steps to it."""

    taxonomy: Taxonomy
    steps: list[Step] = field(default_factory=list)

    @property
    def label(self) -> str:
        return self.steps[-1].label if self.steps else ""

    def go(self, rule: str, label: str) -> None:
        self.steps.append(Step(rule, label))

    def known(self) -> bool:
        """Return whether the label is known, after resolving an alias or the singular."""
        label = self.label
        if label in self.taxonomy.reviews or label in self.taxonomy.categories:
            return True
        if label in self.taxonomy.aliases:
            self.go("alias", self.taxonomy.aliases[label])
            return True
        one = singular(label)
        if one != label and is_known(self.taxonomy, one):
            self.go("singular", one)
            return self.known()
        return False


def explain(
    label: str,
    *,
    source: str,
    source_id: str,
    name: str = "",
    object_id: str = "",
    taxonomy: Taxonomy | None = None,
) -> list[Step]:
    """Return the steps from a source's label of an object to its category (see `decide`)."""
    decision = decide(
        label,
        source=source,
        source_id=source_id,
        name=name,
        object_id=object_id,
        taxonomy=taxonomy,
    )
    return list(decision.steps)


def decide(
    label: str,
    *,
    source: str,
    source_id: str,
    name: str = "",
    object_id: str = "",
    taxonomy: Taxonomy | None = None,
) -> Decision:
    """Find the category of one object.

    Parameters
    ----------
    label : str
        The source's own label; for Articraft the category slug.
    source, source_id : str
        The raw source and the object's id there, which for Articraft is the record id.
    name : str
        The object's name, used if the source has no label.
    object_id : str
        Id in the library, for reviews; by default ``<source>-<source_id>``.
    taxonomy : Taxonomy, optional
        The repository's unless given.
    """
    tables = taxonomy or load_taxonomy()
    trail = _Trail(tables)
    _read_label(trail, label, name, source, source_id)
    for subject in (object_id or f"{source}-{source_id}", *(s.label for s in trail.steps[::-1])):
        if subject in tables.reviews:
            review = tables.reviews[subject]
            trail.go(f"review by {plain_label(review.reviewer)}", review.category)
            break
    category = tables.categories.get(trail.label)
    if category is None:
        trail.go(UNKNOWN_RULE, trail.label)
    return Decision(category, tuple(trail.steps))


def _read_label(trail: _Trail, label: str, name: str, source: str, source_id: str) -> None:
    """Apply the rules of the source."""
    slug = source.startswith(RECORD_ID_SOURCES)
    if slug and _read_record_id(trail, source_id):
        return
    plain, first = plain_label(label), "category slug" if slug else "metadata"
    if not plain:
        plain, first = plain_label(name), "name"
    trail.go(first, plain)
    if trail.known():
        return
    if slug:
        _shorten_name(trail)
    elif source.startswith(MODEL_SOURCES):
        _read_model_name(trail, name)
    elif source.startswith(PROMPT_SOURCES) or first == "name":
        _shorten_prompt(trail)


def _read_model_name(trail: _Trail, name: str) -> bool:
    """Find a model by the words of its file, its label and the folders above it, in this order.

    Without any, the head noun of label and file counts.
    """
    label, models = trail.label, trail.taxonomy.models
    file, *folders = (plain_label(part) for part in name.split("/")[::-1])
    across = _model_across(models, _own_folder(folders), file)
    found = across or next(filter(None, (_first_model(models, text) for text in
                                         (file, label, *folders))), None)  # fmt: skip
    if found is not None:
        trail.go("model name", found)
        trail.go("model", models[found])
        return True
    for text in (label, file):
        trail.go("name", text)
        if _shorten_prompt(trail):
            return True
    return False


def _first_model(models: Mapping[str, str], text: str) -> str | None:
    """Return the first model in a name, the longest of those that begin there.

    `b1_z1` is a B1 that carries an arm. A name of two characters counts at the beginning only.
    """
    words = text.split("_")
    for start in range(len(words)):
        for end in range(min(len(words), start + LONGEST_MODEL), start, -1):
            candidate = "_".join(words[start:end])
            if candidate in models and (start == 0 or len(candidate) > 2):
                return candidate
    return None


def _own_folder(folders: Sequence[str]) -> str:
    """Return the nearest folder that is named after a model: `franka_description/urdf` is `franka`.

    Packages of ROS end with `_description`.
    """
    named = (folder for folder in folders if folder not in PLAIN_FOLDERS)
    return next(named, "").removesuffix("_description")


def _model_across(models: Mapping[str, str], folder: str, file: str) -> str | None:
    """Return a model whose name begins in the folder and ends with the file: `panda/hand`."""
    words = folder.split("_")
    names = (f"{'_'.join(words[start:])}_{file}" for start in range(len(words)))
    return next((name for name in names if name in models), None)


def _read_record_id(trail: _Trail, record_id: str) -> bool:
    """Take the name from an Articraft record id; return whether it leads to a known label.

    The steps of an unknown name or prompt stay in the trail.
    """
    named, free = _NAMED.fullmatch(record_id), _FREE.fullmatch(record_id)
    if named:
        trail.go("record id", named["name"])
        _shorten_name(trail)
        return True
    if free is None:
        return False
    prompt = free["prompt"]
    trail.go("prompt", plain_label(prompt))
    return _shorten_prompt(trail, complete=len(prompt) < PROMPT_LENGTH)


def _shorten_name(trail: _Trail) -> bool:
    """Cut a descriptive name at connectives, then drop generic words."""
    words = trail.taxonomy.name_words
    return trail.known() or _cut_at_connective(trail, words) or _drop_generic_words(trail, words)


def _shorten_prompt(trail: _Trail, *, complete: bool = True) -> bool:
    """Clean a label that is a request or a sentence; return whether the result is known.

    A prompt that was cut before any connective has lost its last word, and with it the noun.
    """
    words = trail.taxonomy.prompt_words
    bare = _NUMBERING.sub("", trail.label)
    if bare != trail.label:
        trail.go("without numbering", bare)
    if trail.known() or _drop_generic_words(trail, words):
        return True
    before = trail.label
    if _cut_at_connective(trail, words):
        return True
    if trail.label == before and not complete:
        return False
    return _drop_generic_words(trail, words) or _take_head(trail)


def _cut_at_connective(trail: _Trail, words: Words) -> bool:
    """Cut at the first connective that is not the first word."""
    parts = trail.label.split("_")
    for place, part in enumerate(parts):
        if place and part in words.connectives:
            trail.go(f"cut at {part}", "_".join(parts[:place]))
            return trail.known()
    return False


def _drop_generic_words(trail: _Trail, words: Words) -> bool:
    """Drop generic words one by one until the label is known or none is left."""
    choices: Sequence[Callable[[list[str]], int | None]] = (
        lambda parts: next((k for k, part in enumerate(parts) if part in words.anywhere), None),
        lambda parts: 0 if parts[0] in words.leading else None,
        lambda parts: len(parts) - 1 if parts[-1] in words.trailing else None,
    )
    dropped: list[str] = []
    start, parts = len(trail.steps), trail.label.split("_")
    while len(parts) > 1:
        place = next((k for k in (choose(parts) for choose in choices) if k is not None), None)
        if place is None:
            break
        dropped.append(parts.pop(place))
        del trail.steps[start:]
        trail.go(f"without {' '.join(dropped)}", "_".join(parts))
        if trail.known():
            return True
    return False


def _take_head(trail: _Trail) -> bool:
    """Take the longest end of the phrase that is known: `office_desk_lamp` is a `desk_lamp`."""
    parts = trail.label.split("_")
    for start in range(1, len(parts)):
        tail = "_".join(parts[start:])
        if is_known(trail.taxonomy, tail) or is_known(trail.taxonomy, singular(tail)):
            trail.go("head noun", tail)
            return trail.known()
    return False


def is_known(taxonomy: Taxonomy, label: str) -> bool:
    """Return whether a label is a category, an alias or the subject of a review."""
    return any(label in table for table in (taxonomy.categories, taxonomy.aliases,
                                            taxonomy.reviews))  # fmt: skip


def singular(label: str) -> str:
    """Return the label with its last word in the singular, judged by its spelling."""
    if label.endswith("ies"):
        return f"{label[:-3]}y"
    if label.endswith("s") and not label.endswith(_NOT_PLURAL):
        return label[:-1]
    return label


def supercategory_of(decision: Decision) -> str:
    """Return the supercategory, or `uncategorized`."""
    return decision.category.supercategory if decision.category else UNKNOWN
