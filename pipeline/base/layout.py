# SPDX-License-Identifier: Apache-2.0
"""Every path of one build, so that no other module joins paths.

All paths are relative to the repository's root, which is where Snakemake and every stage run.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from aa_dataset.format.layout import LibraryLayout

WORK = Path("work")
LIBRARY = Path("library")
RELEASE = Path("release")
REPORT = Path("report")

CONFIG = Path("config.yaml")
CONFIG_SCHEMA = Path("pipeline/engine/config.schema.json")
SOURCES = Path("pipeline/raw/sources.yaml")
CITATIONS = Path("pipeline/raw/citations.bib")
SOURCES_SCHEMA = Path("pipeline/raw/sources.schema.json")
REVIEWS = Path("pipeline/raw/curation/reviews.tsv")
REPAIRS = Path("pipeline/raw/curation/repairs.tsv")
TAXONOMY = Path("taxonomy")
PROPOSALS = TAXONOMY / "proposals.tsv"
CONSTRAINTS = Path("constraints.txt")

BUILD_LOCK = WORK / "build.lock"
JOBS_LOCK = WORK / "jobs.lock"
SNAKEMAKE_LOG = WORK / "logs" / "snakemake.log"
SNAKEMAKE_EVENTS = WORK / "logs" / "events.jsonl"
SPLIT_REPORT = WORK / "split" / "report.txt"
INDEX = WORK / "inventory" / "index.json"
WIRING = WORK / "wiring.json"
RAW = WORK / "raw"
SNAKEMAKE = Path(".snakemake")
SNAKEMAKE_MEMORY = (SNAKEMAKE / "metadata", SNAKEMAKE / "incomplete")
SNAKEMAKE_LOCKS = SNAKEMAKE / "locks"


def shard_name(number: int) -> str:
    """Return the four-digit name of a shard."""
    return f"{number:04d}"


def raw_folder(source: str) -> Path:
    """Default folder of a raw source."""
    return Path("raw") / source


def inventory(source: str, shard: str) -> Path:
    """Object ids of one shard with the digests of their raw files."""
    return WORK / "inventory" / source / f"{shard}.tsv"


def marks(source: str, shard: str) -> Path:
    """Digests of sizes, times and inodes of raw files by object; not an input of any rule."""
    return WORK / "inventory" / source / f"{shard}.marks.tsv"


def source_facts(source: str) -> Path:
    """Facts about one source that stages read (`SourceFacts`)."""
    return WORK / "sources" / f"{source}.json"


def digest_cache(source: str) -> Path:
    """Digests of raw files by size and times, so that unchanged files are not read again."""
    return WORK / "inventory" / source / "digests.json"


def curation(source: str, shard: str) -> Path:
    """Rows of the curation file about one shard."""
    return WORK / "curation" / source / f"{shard}.tsv"


def repairs(source: str, shard: str) -> Path:
    """Corrections of the raw objects of one shard."""
    return WORK / "curation" / source / f"{shard}.repairs.tsv"


def code(stage: str, source: str = "") -> Path:
    """Digests of a stage's code; `ingest` has one file per source, for its adapter."""
    return WORK / "code" / (f"ingest/{source}.txt" if stage == "ingest" else f"{stage}.txt")


def settings(stage: str) -> Path:
    """Part of the config that a stage reads."""
    return WORK / "settings" / f"{stage}.json"


# Folders that a stage fills besides the outputs of its rule: with which files, the objects decide.
FILLED = {"publish": (LibraryLayout(RELEASE).data,)}


def made(stage: str, source: str, shard: str) -> Path:
    """Digests of a job's inputs and outputs; source and shard are empty for library stages."""
    return WORK / "made" / stage / source / f"{shard or 'all'}.json"


def made_before(source: str, shard: str) -> list[Path]:
    """Return the records of the jobs whose output a job may read."""
    pattern = f"*/{source}/{shard}.json" if shard else "**/*.json"
    return sorted((WORK / "made").glob(pattern))


def progress() -> Path:
    """Folder of the counters of running jobs."""
    return WORK / "progress"


def counter(stage: str, source: str, shard: str) -> Path:
    """Counter file of one running job."""
    return progress() / f"{stage}.{source}.{shard}"


def benchmarks(stage: str) -> Path:
    """Folder of Snakemake's benchmark files of one stage."""
    return WORK / "benchmarks" / stage


def benchmark(stage: str, source: str, shard: str) -> Path:
    """Snakemake's benchmark file of one job, as the rules name it."""
    return benchmarks(stage) / source / f"{shard or 'all'}.tsv"


def stage_folders() -> list[Path]:
    """Folders that the stages write to, without the raw sources."""
    return [path for path in sorted(WORK.glob("*")) if path.name != "raw"]


def records(stage: str, source: str, shard: str) -> Path:
    """Record table of one shard of one stage."""
    return WORK / stage / source / f"{shard}.parquet"


def generator_stamp(root: Path) -> Path:
    """Record of the code, settings and count that made a generated raw folder."""
    return root / ".generated.json"


@dataclass(frozen=True, slots=True)
class ReportLayout:
    """The files of one report; the page's script knows the same names."""

    root: Path

    @property
    def page(self) -> Path:
        """The page; it is written last."""
        return self.root / "index.html"

    @property
    def data(self) -> Path:
        """Folder of what the page loads; every file in it is the report's."""
        return self.root / "data"

    @property
    def table(self) -> Path:
        """The table of all objects, as a script."""
        return self.data / "table.js"

    @property
    def sheets(self) -> Path:
        """Folder of the sheets of thumbnails."""
        return self.data / "sheets"

    @property
    def pictures(self) -> Path:
        """Folder of large pictures and strips."""
        return self.data / "pictures"

    @property
    def detail_scripts(self) -> Path:
        """Folder of the scripts with the details of objects."""
        return self.data / "details"

    def sheet(self, number: int) -> Path:
        """Return one sheet of thumbnails."""
        return self.sheets / f"{number:04d}.webp"

    def details(self, number: int) -> Path:
        """Return the script with the details of some objects."""
        return self.detail_scripts / f"{number:04d}.js"

    def picture(self, row: int, name: str) -> Path:
        """Return a large picture, or the strip, of one row of the gallery."""
        return self.pictures / f"{row:05d}-{name}.webp"
