# SPDX-License-Identifier: Apache-2.0
"""The errors of the package: every message is a sentence that ends in a next step."""

from __future__ import annotations

from pathlib import PurePath


class ArenaError(Exception):
    """Root of every error that `aa_dataset` raises on purpose."""


class LibraryError(ArenaError):
    """A library folder is missing, half built, mixed, damaged, hostile or of another schema."""


class ShapeError(ArenaError, ValueError):
    """An array does not have the shape that a function documents."""

    def __init__(self, name: str, found: tuple[int, ...], expected: tuple[int | None, ...]):
        wanted = "(" + ", ".join("*" if n is None else str(n) for n in expected) + ")"
        super().__init__(f"`{name}` has shape {found}, expected {wanted}.")


class ArgumentError(ArenaError, TypeError):
    """An argument is of a kind that the function does not take; says what to give instead."""


class JointError(ArenaError, ValueError):
    """A joint's field is not usable; names the joint and the field."""

    def __init__(self, joint: str, field: str, problem: str):
        self.joint, self.field = joint, field
        super().__init__(f"joint {joint!r}, field `{field}`: {problem}")


class TreeError(ArenaError, ValueError):
    """Links and joints do not form one tree; `code` says which rule is broken."""

    def __init__(self, code: str, detail: str):
        self.code, self.detail = code, detail
        super().__init__(detail)


class UrdfError(ArenaError, ValueError):
    """A URDF document is not readable; `code` is one of `kinematics.urdf.CODES`."""

    def __init__(self, code: str, detail: str):
        self.code, self.detail = code, detail
        super().__init__(detail)


class MissingExtraError(ArenaError, ImportError):
    """A feature needs an optional package; the message holds the pip command."""

    def __init__(self, feature: str, extra: str, cause: ImportError):
        super().__init__(
            f"{feature} needs an optional package ({cause.name or cause}). "
            f"Run `pip install 'aa-dataset[{extra}]'`."
        )


class UnboundedRangeError(JointError):
    """Raw E was asked of a joint whose range is infinite."""

    def __init__(self, joint: str):
        super().__init__(
            joint,
            "limits",
            "the range is infinite, where raw E is undefined; pass `compactify=math.pi` for E^phi.",
        )


class NormError(ArenaError, ValueError):
    """An inner product on twists cannot be made from these numbers."""


class SingularBodyError(NormError):
    """A rod or a point: some rotation moves none of its mass, so E_B would be blind to it."""


def shown(value: object) -> str:
    """Return a wrong argument as a message shows it, in a few words."""
    if isinstance(value, str | PurePath):
        return f"the text {str(value)!r}"
    if isinstance(value, bool | int | float) or value is None:
        return repr(value)
    return f"of type {type(value).__name__}"
