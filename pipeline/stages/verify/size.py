# SPDX-License-Identifier: Apache-2.0
"""Checks the scale: compares the object's size with the usual one of its category."""

from __future__ import annotations

import math
from collections.abc import Iterator

from pipeline.base.reasons import Code, Finding
from pipeline.stages.verify.evidence import Evidence

UNIT_FACTOR = 3.0  # a size within this factor of a wrong unit's counts as that error
# The likely mistake if the object is this many times too large.
UNITS = {
    1000.0: "millimeters that were read as meters",
    100.0: "centimeters that were read as meters",
    0.01: "meters that were divided by 100",
    0.001: "meters that were divided by 1000",
}


def check_size(evidence: Evidence) -> Iterator[Finding]:
    """Compare the diagonal with the category's usual one, for metric objects."""
    category = evidence.category
    if category is None or category.usual_size is None or not evidence.is_metric:
        return
    ratio = max(evidence.diagonal, 1e-12) / category.usual_size
    if max(ratio, 1 / ratio) <= evidence.options.size_factor:
        return
    comparison = (
        f"a diagonal of {evidence.diagonal:.3g} m is far from the {category.usual_size:.3g} m "
        f"that a {category.name} usually has"
    )
    factor = min(UNITS, key=lambda unit: abs(math.log(ratio / unit)))
    if abs(math.log(ratio / factor)) <= math.log(UNIT_FACTOR):
        detail = f"{comparison}; the numbers look like {UNITS[factor]}."
        yield Finding(Code.UNIT_SUSPECTED, detail)
    else:
        yield Finding(Code.SIZE_UNUSUAL, f"{comparison}.")
