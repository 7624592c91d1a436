# SPDX-License-Identifier: Apache-2.0
"""Baselines that anyone can beat, ``aa baseline NAME --out DIR``; see docs/baselines.md."""

from __future__ import annotations

from aa_dataset.score.baselines.registry import (
    BASELINES,
    Baseline,
    Options,
    by_name,
    write_baseline,
)

__all__ = ["BASELINES", "Baseline", "Options", "by_name", "write_baseline"]
