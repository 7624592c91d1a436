# SPDX-License-Identifier: Apache-2.0
"""What every adapter says about a raw object."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class RawRecord:
    """Facts of one raw object, as its source states them.

    Attributes
    ----------
    urdf : str
        Path of the URDF inside the object's folder.
    name, description, label : str
        Name, one sentence, and the source's own category label.
    parts : dict
        Semantic label by link name of the source.
    license : str
        SPDX identifier where the object has one of its own, else empty.
    provenance : dict
        Where the facts came from, and what else the source tells.
    """

    urdf: str
    name: str
    description: str
    label: str
    parts: dict[str, str] = field(default_factory=dict)
    license: str = ""
    provenance: dict[str, Any] = field(default_factory=dict)
