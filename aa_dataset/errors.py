# SPDX-License-Identifier: Apache-2.0
"""The errors of the package; every message ends with a next step."""

from __future__ import annotations

import importlib
from pathlib import PurePath
from typing import Any


class ArenaError(Exception):
    """Base class of all errors that `aa_dataset` raises deliberately."""


class LibraryError(ArenaError):
    """A library folder is missing, incomplete, mixed, damaged, malicious or of another schema."""


class SchemaVersionError(LibraryError):
    """A library was written with another schema version than this package reads."""


class FilesNotHeldError(LibraryError):
    """A release has the annotations of an object alone, because its terms allow no more."""

    def __init__(self, name: str, object_id: str, command: str):
        super().__init__(
            f"{name} has the annotations of {object_id!r} but no files, because the terms of its "
            f"source do not allow to pass these on. Make them yourself: `{command}` (in a checkout "
            "of the repository)."
        )


class ShapeError(ArenaError, ValueError):
    """An array does not have the shape that a function documents."""

    def __init__(self, name: str, found: tuple[int, ...], expected: tuple[int | None, ...]):
        wanted = "(" + ", ".join("*" if n is None else str(n) for n in expected) + ")"
        super().__init__(f"`{name}` has shape {found}, expected {wanted}.")


class ArgumentError(ArenaError, TypeError):
    """An argument has the wrong type; the message states the expected one."""


class JointError(ArenaError, ValueError):
    """A joint's field is invalid; the message names the joint and the field."""

    def __init__(self, joint: str, field: str, problem: str):
        self.joint, self.field = joint, field
        super().__init__(f"joint {joint!r}, field `{field}`: {problem}")


class TreeError(ArenaError, ValueError):
    """Links and joints do not form one tree; `code` identifies the broken rule."""

    def __init__(self, code: str, detail: str):
        self.code, self.detail = code, detail
        super().__init__(detail)


class UrdfError(ArenaError, ValueError):
    """A URDF document cannot be read; `code` is one of `kinematics.urdf.CODES`."""

    def __init__(self, code: str, detail: str):
        self.code, self.detail = code, detail
        super().__init__(detail)


class MissingExtraError(ArenaError, ImportError):
    """A feature needs an optional package; the message contains the pip command."""

    def __init__(self, feature: str, extra: str, cause: ImportError):
        super().__init__(
            f"{feature} needs an optional package ({cause.name or cause}). "
            f"Run `pip install 'aa-dataset[{extra}]'`."
        )


def optional(module: str, feature: str, extra: str) -> Any:
    """Import a module that needs an extra, or raise with the command that installs it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(feature, extra, error) from error


class UnboundedRangeError(JointError):
    """Raw E was requested for a joint with an infinite range."""

    def __init__(self, joint: str):
        super().__init__(
            joint,
            "limits",
            "the range is infinite, where raw E is undefined; pass `compactify=math.pi` for E^phi.",
        )


class RenderError(ArenaError, ValueError):
    """Meshes, poses or options cannot be drawn."""


class CrowdedError(RenderError):
    """Triangles cover the picture so often that drawing them would take for ever."""


class NormError(ArenaError, ValueError):
    """These numbers do not define an inner product on twists."""


class SingularBodyError(NormError):
    """A rod or a point: some rotation moves none of its mass, so E_B would not measure it."""


def shown(value: object) -> str:
    """Describe a wrong argument briefly, for an error message."""
    if isinstance(value, str | PurePath):
        return f"the text {str(value)!r}"
    if isinstance(value, bool | int | float) or value is None:
        return repr(value)
    return f"of type {type(value).__name__}"
