# SPDX-License-Identifier: Apache-2.0
"""Every path inside a library, a release or an object folder: no other module joins paths."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

TABLES = ("objects", "links", "joints", "exclusions", "findings", "rejects", "categories",
          "splits")  # fmt: skip

URDF = "object.urdf"
JOINTS = "joints.json"  # of a prediction, in place of a URDF
SRDF = "object.srdf"
GLB = "object.glb"
PREVIEW = "preview.png"
PREVIEW_OPEN = "preview_open.png"
PREVIEW_PARTS = "preview_parts.png"
STRIP = "strip.webp"
DEMO_NAME = "articulatearena-demo"  # the library in the wheel
ORIGIN = ".aa-origin.json"  # of a library that was downloaded
RECEIPT = ".aa-receipt.json"  # no conflict: names of an object's files never begin with a dot


@dataclass(frozen=True, slots=True)
class LibraryLayout:
    """The files of one library or release folder."""

    root: Path

    @property
    def seal(self) -> Path:
        """The file written last: name, revision, counts, digests of every other file."""
        return self.root / "library.json"

    @property
    def checksums(self) -> Path:
        """Digests of every file of a release, as `sha256sum` writes them."""
        return self.root / "SHA256SUMS"

    @property
    def card(self) -> Path:
        """Description of a release, with the front matter that the Hub reads."""
        return self.root / "README.md"

    @property
    def license(self) -> Path:
        """Terms of a release."""
        return self.root / "LICENSE"

    @property
    def croissant(self) -> Path:
        """Description of a release for machines (mlcommons.org/croissant)."""
        return self.root / "croissant.json"

    @property
    def data(self) -> Path:
        """The tables of a release once more, cut by split, for other libraries."""
        return self.root / "data"

    def view(self, config: str, part: str) -> Path:
        """Parquet file of one table and one part of the objects, below `data`."""
        return self.data / config / f"{part}.parquet"

    @property
    def assets(self) -> Path:
        """Folder of the asset tars."""
        return self.root / "assets"

    @property
    def origin(self) -> Path:
        """In the cache: where the library comes from on the Hub."""
        return self.root / ORIGIN

    @property
    def fragments(self) -> Path:
        """In the cache: folder of the objects that were downloaded."""
        return self.root / "objects"

    def fragment(self, object_id: str) -> Path:
        """In the cache: the part of a tar that holds one object."""
        return self.fragments / f"{object_id}.tar"

    def table(self, name: str) -> Path:
        """Parquet file of one table."""
        return self.root / f"{name}.parquet"

    def asset(self, shard: str) -> Path:
        """Uncompressed tar of one shard; `shard` is the value of the column of that name."""
        return self.assets / f"{shard}.tar"


@dataclass(frozen=True, slots=True)
class ObjectLayout:
    """The files of one unpacked object."""

    root: Path

    def file(self, name: str) -> Path:
        """Return a file by its name relative to the object, such as a mesh of the URDF."""
        return self.root / name

    @property
    def urdf(self) -> Path:
        """The normalized URDF."""
        return self.root / URDF

    @property
    def srdf(self) -> Path:
        """Pairs of links without contacts; absent where there are none."""
        return self.root / SRDF

    @property
    def glb(self) -> Path:
        """The whole object at rest, one node per link."""
        return self.root / GLB

    @property
    def preview(self) -> Path:
        """Picture of the object at rest."""
        return self.root / PREVIEW

    @property
    def preview_open(self) -> Path:
        """Picture of the object with every joint at the end of its travel."""
        return self.root / PREVIEW_OPEN

    @property
    def preview_parts(self) -> Path:
        """Picture of the object at rest, every link in the color of the joint that moves it."""
        return self.root / PREVIEW_PARTS

    @property
    def strip(self) -> Path:
        """Animation that moves the joints one after the other."""
        return self.root / STRIP

    @property
    def receipt(self) -> Path:
        """The receipt that the cache wrote when it unpacked the object."""
        return self.root / RECEIPT


def demo_folder() -> Path:
    """Return the folder of the library that is part of this package."""
    return Path(__file__).parents[1] / "demo" / "library"
