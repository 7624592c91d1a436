# SPDX-License-Identifier: Apache-2.0
"""The parts of the documentation that come from code; `docs/generate.py tables` prints one."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from pipeline.tools.fetch.access import Source

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

# What one row of a table describes.
ROWS = {
    "objects": "one object of the library",
    "links": "one link of an object",
    "joints": "one joint of an object; a helical joint is one row",
    "exclusions": "one pair of links of an object that is excluded from contacts",
    "findings": "one remark of a check about an object",
    "rejects": "one raw object that is not in the library",
    "categories": "one category of the taxonomy",
    "splits": "the membership of one object in one split",
}
TESTED = {
    "real_bytes": "real objects",
    "fixture": "a fixture only",
    "made_here": "objects made here",
}


def grid(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; columns in which no row has a text are left out."""
    rows = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    kept = [k for k in range(len(head)) if any(row[k] for row in rows)]
    lines = [head, ["---"] * len(head), *rows]
    lines = [[line[k] for k in kept] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def type_name(kind: pa.DataType) -> str:
    """Return an Arrow type as a reader of numpy would write it: `float64[3]`."""
    if pa.types.is_fixed_size_list(kind):
        return f"{type_name(kind.value_type)}[{kind.list_size}]"
    if pa.types.is_list(kind):
        return f"{type_name(kind.value_type)}[]"
    return {"double": "float64", "float": "float32"}.get(str(kind), str(kind))


def tables() -> str:
    """Return every table of a library, column by column, from the schema."""
    from aa_dataset.format.schema import SCHEMA_VERSION, TABLES

    parts = [f"The schema has version {SCHEMA_VERSION}.\n"]
    for name, schema in TABLES.items():
        parts.append(f"### {name}\n")
        parts.append(f"A row of `{name}.parquet` is {ROWS[name]}.\n")
        parts.append(grid(("column", "type", "unit", "frame", "null", "meaning"), _columns(schema)))
    return "\n".join(parts)


def results() -> str:
    """Return the tables of a result, column by column, from their schemas."""
    from aa_dataset.score.result.tables import ORDER, TABLES

    parts = []
    for name, schema in TABLES.items():
        parts.append(f"### {name}\n")
        parts.append(f"Rows are sorted by {', '.join(f'`{key}`' for key in ORDER[name])}.\n")
        parts.append(grid(("column", "type", "unit", "null", "meaning"), _result_columns(schema)))
    return "\n".join(parts)


def _result_columns(schema: pa.Schema) -> Iterator[tuple[str, ...]]:
    for name, kind, unit, _, null, meaning in _columns(schema):
        yield name, kind, unit, null, meaning


def _columns(schema: pa.Schema) -> Iterator[tuple[str, ...]]:
    for field in schema:
        notes = {key.decode(): value.decode() for key, value in (field.metadata or {}).items()}
        unit, frame = notes.get("unit", ""), notes.get("frame", "")
        null = "yes" if field.nullable else ""
        yield f"`{field.name}`", f"`{type_name(field.type)}`", unit, frame, null, notes["meaning"]


def sources() -> str:
    """Return the raw sources: how to get them, how many objects they have, their terms."""
    head = ("source", "title", "access", "objects", "license", "released at most", "scale")
    return grid(head, (_source(name, source) for name, source in _sources()))


def _source(name: str, source: Source) -> tuple[str, ...]:
    ways = {"hub": "`aa fetch`", "archive": "`aa fetch`", "generated": "`make library`"}
    way = ways.get(source.kind, "by hand") + (", gated" if source.access.gated else "")
    about = source.described
    expected = about.expected.get("objects")
    count = f"{expected:,}" if expected else ""
    kept = {"none": "nothing"}.get(about.redistribution, about.redistribution)
    return f"`{name}`", about.title, way, count, about.license, kept, about.scale


def proofs() -> str:
    """Return what the adapter of every source was tested on."""
    rows = (
        (f"`{name}`", TESTED[source.described.proved["by"]], source.described.proved["note"])
        for name, source in _sources()
    )
    return grid(("source", "tested on", "note"), rows)


def _sources() -> list[tuple[str, Source]]:
    """Return every source by name, as `aa sources` knows it."""
    from pipeline.engine.config import load_config
    from pipeline.tools.fetch.access import load_all

    with contextlib.chdir(ROOT):
        return list(load_all(load_config()).items())


def reasons() -> str:
    """Return the codes of the tables `rejects` and `findings`, from the comments of their enums."""
    text = (ROOT / "pipeline/base/reasons.py").read_text()
    parts = []
    for name, enum in (("rejects", "Reason"), ("findings", "Code")):
        body = re.search(rf"^class {enum}\(StrEnum\):\n(.*?)(?=^\S)", text, re.M | re.S)
        assert body is not None, enum
        found = re.findall(r'^    \w+ = "(\w+)"(?:  # (.*))?$', body[1], re.M)
        parts.append(f"### Codes of {name}\n")
        parts.append(grid(("code", "meaning"), ((f"`{code}`", note) for code, note in found)))
    return "\n".join(parts)


def presets() -> str:
    """Return what every preset of `aa score --preset` reports, and its quirks."""
    from aa_dataset.score.presets import PRESETS

    parts = []
    for preset in PRESETS:
        parts.append(f"## {preset.name}\n")
        parts.append(
            f"{preset.project}. Source: {preset.reference}. Protocol: {preset.protocol}.\n"
        )
        cells = (
            (f"`{column.key}`", column.unit, column.meaning, column.average.value)
            for column in preset.columns
        )
        parts.append(grid(("value", "unit", "meaning", "average"), cells))
        parts.append("\n".join(f"- {quirk}" for quirk in preset.quirks) + "\n")
    return "\n".join(parts)


def readers() -> str:
    """Return every reader of predictions: methods, files, proof, and what its format loses."""
    from aa_dataset.score.readers.registry import formats

    head = ("reader", "methods", "reads", "proof", "cannot express")
    return grid(
        head,
        (
            (f"`{one.name}`", one.methods, one.reads, one.stated_proof, "; ".join(one.cannot))
            for one in formats()
        ),
    )


def commands() -> str:
    """Return every command of `aa` with what its help says."""
    from aa_dataset.cli.completion import described_commands
    from aa_dataset.cli.program import argument_parser

    found = [one for one in described_commands(argument_parser()) if one.path]
    return grid(("command", "purpose"), ((f"`aa {one.name}`", one.help) for one in found))


def demo() -> str:
    """Return the notebook of the tutorials as a page."""
    import notebook

    return notebook.markdown(notebook.read(ROOT / "docs/tutorials/demo.ipynb"))


PARTS: dict[str, Callable[[], str]] = {
    one.__name__: one
    for one in (tables, results, sources, proofs, reasons, presets, readers, commands, demo)
}

if __name__ == "__main__":
    sys.stdout.write(PARTS[sys.argv[1]]())
