# SPDX-License-Identifier: Apache-2.0
"""The dataset card: contents of the release, its terms, how to load it. All numbers are counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from aa_dataset.format.benchmark import SPLIT
from aa_dataset.format.credits import PAPER, entries_of
from aa_dataset.format.licenses import Redistribution, license_terms
from aa_dataset.untrusted.foreign_text import markdown_cell, plain_line
from pipeline.stages.publish.annotations import rebuild_command
from pipeline.stages.publish.facts import Facts
from pipeline.stages.publish.front_matter import front_matter
from pipeline.stages.publish.views import NEITHER, TRAIN, is_evaluation

FINDINGS_SHOWN = 8  # of the most frequent findings
UNITS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def dataset_card(facts: Facts) -> str:
    """Return the card of a release as Markdown with the front matter that the Hub reads."""
    parts = (
        front_matter(facts), _head(facts), _load(facts), _contents(facts), _splits(facts),
        _terms(facts), _labels(facts), _generative(facts), _limits(facts), _version(facts),
        _citation(facts),
    )  # fmt: skip
    return "\n".join(line for part in parts for line in part)


def license_text(facts: Facts) -> str:
    """Return the terms of the release: every object keeps those of its source."""
    terms: Counter[tuple[str, str]] = Counter()
    for (_, kind, who, _), count in facts.terms.items():
        terms[kind, who] += count
    return "\n".join(
        [
            "Every object keeps the terms of its source: the columns `license` (SPDX identifier,",
            "text at https://spdx.org/licenses) and `attribution` of objects.parquet. Here:",
            "",
            *(
                f"  {count} objects: {plain_line(kind)}, {plain_line(who)}"
                for (kind, who), count in sorted(terms.items())
            ),
            "",
            "Tables and previews that ArticulateArena computed are CC0-1.0.",
            "",
        ]
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a Markdown table and an empty line; the last column has numbers."""
    rule = [*["---"] * (len(head) - 1), "---:"]
    return [*(f"| {' | '.join(row)} |" for row in (head, rule, *rows)), ""]


def counts(head: str, unit: str, found: Mapping[str, int]) -> list[str]:
    """Return a table of names with their numbers; names are untrusted."""
    return table((head, unit), ((markdown_cell(k), f"{n:,}") for k, n in found.items()))


def size_text(size: int) -> str:
    """Return a number of bytes as people read it."""
    for unit, name in UNITS:
        if size >= unit:
            return f"{size / unit:.3g} {name}"
    return f"{size} B"


def _head(facts: Facts) -> list[str]:
    seal = facts.seal
    return [
        f"# {seal.name} {facts.version}",
        "",
        f"{seal.objects:,} of the {seal.expected_objects:,} articulated objects of "
        f"ArticulateArena-20K, revision `{seal.revision}`: every joint as a screw with limits, "
        "every body with its inertia, in one frame, one unit and one URDF convention.",
        "",
    ]


def _load(facts: Facts) -> list[str]:
    return [
        "```python",
        "from aa_dataset import load_dataset  # pip install aa-dataset",
        "",
        f'dataset = load_dataset("{facts.seal.name}", repo_id="OWNER/NAME")  # of this page',
        "for thing in dataset.split(\"train\"):",
        "    screws = [joint.screw for joint in thing.joints]",
        "```",
        "",
        "The tables alone, with any tool that reads Parquet, or with `datasets`:",
        "",
        "```python",
        "import datasets",
        "",
        'joints = datasets.load_dataset("OWNER/NAME", "joints", split="train")',
        "```",
        "",
    ]  # fmt: skip


def _contents(facts: Facts) -> list[str]:
    lines = ["## Contents", ""]
    lines += table(
        ("file", "content", "rows or size"),
        [
            *((f"`{name}.parquet`", _TABLES[name], f"{n:,}") for name, n in facts.rows.items()),
            ("`assets/*.tar`", "URDF, meshes, textures, GLB and previews, uncompressed",
             size_text(facts.asset_bytes)),
            ("`data/`", "the same tables cut by split, objects with their preview", ""),
        ],
    )  # fmt: skip
    lines += [
        f"{facts.categories:,} categories, {facts.metric:,} objects in true meters, tables of "
        f"{size_text(facts.table_bytes)}. `shard`, `offset` and `size` in `objects.parquet` give "
        "an object's bytes, so one range request reads one object.",
        "",
    ]
    lines += counts("joint type", "joints", facts.joints)
    return lines + counts("supercategory", "objects", facts.supercategories)


_TABLES = {
    "objects": "one row per object",
    "links": "mass, center, inertia and box of every link",
    "joints": "axis, limits, screw, twists to both limits, moving body",
    "exclusions": "pairs of links without contacts",
    "findings": "remarks of the checks",
    "rejects": "raw objects that are not here, and why",
    "categories": "the taxonomy",
    "splits": "which object is in which split",
}


def _splits(facts: Facts) -> list[str]:
    """Return which split is what, with the counts of the view `objects`."""
    lines = ["## Splits", ""]
    held = facts.seal.splits
    view = facts.view("objects").splits
    rows = [(f"`{name}`", _split_meaning(name), _held(facts, name)) for name in view]
    lines += table(("split", "meaning", "objects"), rows)
    lines += _benchmark_lines(facts)
    for name, count in sorted(facts.whole_splits.items()):
        if name.startswith(f"{SPLIT}_") and held.get(name, 0) < count:
            lines += [
                f"`{name}` was sampled from all sources of the library and is no version. "
                f"{held.get(name, 0):,} of its {count:,} objects are here; the others may not be "
                "passed on. Rebuild them, or check your own library with `aa split import`.",
                "",
            ]
    return lines


def _held(facts: Facts, name: str) -> str:
    taken = facts.in_no_split if name == NEITHER else facts.seal.splits.get(name, 0)
    return f"{taken:,}"


def _split_meaning(name: str) -> str:
    if name == TRAIN:
        return "for training; no evaluation object and no near-duplicate of one"
    if name == NEITHER:
        return "too similar to an evaluation object: neither for training nor for evaluation"
    if is_evaluation(name) and name != SPLIT:
        return "for evaluation; sampled, with the digest of its members; no version"
    return "for evaluation"


def _benchmark_lines(facts: Facts) -> list[str]:
    held = facts.seal.benchmark
    if held is None:
        return ["This release holds no version of the benchmark.", ""]
    return [f"`{held.split}` is the benchmark {held}.", ""]


def _terms(facts: Facts) -> list[str]:
    """Return the licenses, and what is here without files; all texts are untrusted."""
    lines = [
        "## License",
        "",
        "Every object keeps the terms of its source; `LICENSE` lists them. What the terms say in "
        "short is no legal advice:",
        "",
    ]
    rows = [(*map(markdown_cell, terms), f"{n:,}") for terms, n in sorted(facts.terms.items())]
    lines += table(("source", "license", "attribution", "here", "objects"), rows)
    kinds = sorted({terms[1] for terms in facts.terms})
    lines += [f"- {markdown_cell(kind)}: {license_terms(kind).note}" for kind in kinds]
    if facts.bare:
        lines += ["", *_bare_lines(facts)]
    if facts.kept_back:
        lines += [
            "",
            f"{facts.kept_back:,} objects of the library are not here, because their terms allow "
            "nothing to be passed on. `make library` builds them from their sources.",
        ]
    return [*lines, ""]


def _bare_lines(facts: Facts) -> list[str]:
    names = sorted({terms[0] for terms in facts.terms if terms[3] == Redistribution.ANNOTATIONS})
    commands = (f"`{rebuild_command(name)}`" for name in names)
    return [
        f"{facts.bare:,} objects are here with their annotations alone: joints, limits, inertia, "
        "ids and digests, without mesh, texture, picture or text of the source. In a checkout of "
        f"the repository, {' or '.join(commands)} makes their files (column `rebuild`); "
        "`content_sha256` tells whether they are the same.",
    ]


def _labels(facts: Facts) -> list[str]:
    sources = ", ".join(f"{_LABELS.get(k, k)} {n:,}" for k, n in sorted(facts.labels.items()))
    ways = ", ".join(f"{name} {count:,}" for name, count in facts.inertia.items())
    return [
        "## How labels were made",
        "",
        "Programs made all of them; `findings` and `label_provenance` tell what each rests on.",
        "",
        "- Joints, axes and limits are those of the source's model, brought to one frame and unit. "
        "Helical joints are recognized by declaration or structure.",
        "- Mass, center and inertia are computed from the meshes at assumed densities. Links by "
        f"method: {markdown_cell(ways)}.",
        f"- Categories come from the source's label through a taxonomy. Objects by what named "
        f"them: {markdown_cell(sources)}.",
        "- Splits are a frozen list, or sampled by a rule that sees no output of any method.",
        "",
    ]


_LABELS = {"": "not stated"}


def _generative(facts: Facts) -> list[str]:
    """Return the share of objects that generative models made, by each source's own word."""
    rows, made, silent = [], 0.0, 0
    for source, count in facts.sources.items():
        stated = facts.about[source].generative
        share = "unknown" if stated.share is None else f"{stated.share:.0%}"
        rows.append((f"`{source}`", share, markdown_cell(stated.word), f"{count:,}"))
        made += count * (stated.share or 0.0)
        silent += count if stated.share is None else 0
    total = max(facts.seal.objects, 1)
    return [
        "## Content made by generative models",
        "",
        f"{made / total:.0%} of the objects here were made by generative models, in the word of "
        f"their sources; of {silent / total:.0%} the sources say nothing that was read.",
        "",
        *table(("source", "share", "its word", "objects"), rows),
    ]


def _limits(facts: Facts) -> list[str]:
    most = sorted(facts.findings.items(), key=lambda item: (-item[1], item[0]))[:FINDINGS_SHOWN]
    total = facts.seal.objects
    lines = [
        "## Known limits",
        "",
        f"- {total - facts.metric:,} of {total:,} objects have no true scale; masses and limits in "
        "meters are then in the unit of the source.",
        "- Masses assume a density per kind of part. They are no measurements.",
        "- Friction, damping and effort are the source's or a default, never measured.",
        "- Pictures may differ between graphics drivers; no digest of contents covers them.",
        "- Categories are unevenly filled; see the table of supercategories.",
        "",
    ]
    if most:
        lines += ["The most frequent findings of the checks:", ""]
        lines += table(("finding", "objects"), ((f"`{k}`", f"{n:,}") for k, n in most))
    return lines


def _version(facts: Facts) -> list[str]:
    return [
        "## Version",
        "",
        f"Version {facts.version} in Croissant's meaning: a new patch has the same data, a new "
        "minor version the same data and more, a new major version changed data. The revision "
        f"`{facts.seal.revision}` is a digest of all tables. `croissant.json` describes the "
        "release for machines, and `sha256sum --check SHA256SUMS` proves a download.",
        "",
    ]


def _citation(facts: Facts) -> list[str]:
    """Return the entry of the paper, and those of the sources."""
    credits = {source: about.credit for source, about in facts.about.items()}
    cited = [
        f"- `{source}`, {markdown_cell(one.title)}: {markdown_cell(one.citation or 'nothing')}"
        for source, one in credits.items()
    ]
    fenced = ["```bibtex", PAPER, *entries_of(credits.values()), "```", ""]
    return ["## Citation", "", *fenced, "Cite the sources as well:", "", *cited, ""]
