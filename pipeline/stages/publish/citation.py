# SPDX-License-Identifier: Apache-2.0
"""How a release asks to be cited; a test compares it with CITATION.cff."""

from __future__ import annotations

TITLE = "ArticulateArena: A Metric for Articulated Kinematics"
AUTHORS = (
    "He, Yumeng", "She, Yongfei", "Chen, Huanyu", "Yuan, Chun", "Li, Peihao",
    "Masterjohn, Joseph", "Yang, Yin", "Jiang, Ying", "Jiang, Chenfanfu",
)  # fmt: skip
JOURNAL, YEAR = "arXiv preprint arXiv:2609.33931", 2026


def bibtex() -> str:
    """Return the entry for the paper."""
    return "\n".join(
        [
            "@article{he2026articulatearena,",
            f"  title = {{{TITLE}}},",
            f"  author = {{{' and '.join(AUTHORS)}}},",
            f"  journal = {{{JOURNAL}}},",
            f"  year = {{{YEAR}}}",
            "}",
        ]
    )
