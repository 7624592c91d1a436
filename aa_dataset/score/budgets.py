# SPDX-License-Identifier: Apache-2.0
"""Limits of one prediction: counts, so that every machine gives the same result.

A prediction beyond a limit is unreadable: it gets a row with an explanation, and scoring continues.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

from aa_dataset.errors import ArenaError, JointError, TreeError, UrdfError
from aa_dataset.kinematics.joints_file import JointsBudget
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.untrusted.safe_xml import XmlBudget

MOST_LINKS = 5000  # five times the limit of an object of the library
MOST_JOINTS = 1000  # movable ones: ten times the largest object of the library
MOST_FILES = 10_000  # in the folder of one prediction
LONGEST_NAME = 256  # characters of a joint's name, which results contain
LONGEST_DETAIL = 400  # characters of a message, which may quote the prediction
LARGEST = 1e70  # m or rad: the square of a product of two such numbers does not overflow
XML = XmlBudget(max_links=MOST_LINKS)
JSON = JointsBudget(XML.max_bytes, XML.max_elements, MOST_LINKS)

# The text in results.
STATED = (
    f"{XML.max_bytes} bytes, {XML.max_elements} elements or JSON values, "
    f"{MOST_LINKS} links or joints, "
    f"{MOST_JOINTS} moving joints, {MOST_FILES} files, numbers up to {LARGEST:g}"
)


class PredictionError(ArenaError):
    """A prediction, or the folder of all of them, cannot be used."""


@contextmanager
def name_file_in_errors(where: str) -> Iterator[None]:
    """Put the file in front of what joints, trees and URDF documents say about themselves."""
    try:
        yield
    except (JointError, TreeError, UrdfError) as error:
        raise PredictionError(f"{where}: {error}") from error


def require_sane(tree: KinematicTree) -> None:
    """Refuse trees that would exhaust the machine, and numbers whose products overflow."""
    moving = tree.movable
    if len(moving) > MOST_JOINTS:
        raise PredictionError(
            f"it has {len(moving):,} movable joints; at most {MOST_JOINTS:,} are scored."
        )
    for joint in moving:
        if len(joint.name) > LONGEST_NAME:
            raise PredictionError(
                f"the name of joint {joint.name[:40]!r}... has {len(joint.name):,} characters; "
                f"at most {LONGEST_NAME} are read."
            )
        limits = [limit for limit in joint.limits if math.isfinite(limit)]
        numbers = [*joint.screw.tolist(), *limits]
        # Not `max(...) > LARGEST`, which a nan would pass.
        if not all(abs(number) <= LARGEST for number in numbers):
            raise PredictionError(
                f"joint {joint.name!r}: an origin, pitch or limit is beyond {LARGEST:g} m or rad."
            )


def shortened(error: Exception) -> str:
    """Return the message of an error, truncated if too long."""
    text = str(error)
    return text if len(text) <= LONGEST_DETAIL else text[: LONGEST_DETAIL - 3] + "..."
