# SPDX-License-Identifier: Apache-2.0
"""Where the files of the raw generated source are; no other module here joins paths."""

import re
from dataclasses import dataclass
from pathlib import Path

_OBJECT = re.compile(r"(?P<family>[a-z][a-z0-9_]*)_(?P<index>\d{5,})")
_LEFTOVER = re.compile(r"\.[a-z][a-z0-9_]*_\d{5,}\.(new|old)")

META = "meta.json"
URDF = "model.urdf"
MATERIALS = "object.mtl"


def object_name(family: str, index: int) -> str:
    """Return the id of an object within this source, e.g. ``bottle_00012``."""
    return f"{family}_{index:05d}"


def mesh_name(link: str, material: str) -> str:
    """Return the path of one mesh, relative to the object folder."""
    return f"meshes/{link}-{material}.obj"


def materials_name() -> str:
    """Return the path of the material library that the textured meshes name."""
    return f"meshes/{MATERIALS}"


def texture_name(material: str) -> str:
    """Return the path of a material's picture, relative to the object folder."""
    return f"meshes/{material}.png"


@dataclass(frozen=True, slots=True)
class SourceLayout:
    """Every path of the raw source under one root."""

    root: Path

    def folder(self, name: str) -> Path:
        """Return the folder of an object."""
        return self.root / name

    def incoming(self, name: str) -> Path:
        """Return the folder in which an object is written before it is renamed."""
        return self.root / f".{name}.new"

    def outgoing(self, name: str) -> Path:
        """Return the name under which an old object waits for its removal."""
        return self.root / f".{name}.old"

    def file(self, folder: Path, relative: str) -> Path:
        """Return a file of an object folder."""
        return folder / relative

    def objects(self) -> list[str]:
        """Return the names of the folders that look like objects of this source."""
        found = self.root.iterdir() if self.root.is_dir() else ()
        return sorted(p.name for p in found if _OBJECT.fullmatch(p.name) and (p / META).is_file())

    def leftovers(self) -> list[Path]:
        """Return the temporary folders that a killed run left behind."""
        found = self.root.iterdir() if self.root.is_dir() else ()
        return sorted(p for p in found if _LEFTOVER.fullmatch(p.name))
