# SPDX-License-Identifier: Apache-2.0
"""One glyph per joint type, as the path of a stroke around (0, 0) within 10 pixels."""

from __future__ import annotations

from aa_dataset.kinematics.joints import JointType

GLYPHS = {
    # An arc of three quarters with an arrow head.
    JointType.REVOLUTE: "M-6 6A8.5 8.5 0 1 1 6 6M6.9 1.1L6 6L10.9 5.1",
    # A closed ring with an arrow head.
    JointType.CONTINUOUS: "M0 -8A8 8 0 1 1 -0.1 -8M-3 -11.5L1 -8L-3 -4.5",
    # An arrow with two heads.
    JointType.PRISMATIC: "M-9 0H9M-5 -4L-9 0L-5 4M5 -4L9 0L5 4",
    # A spring around its axis, with an arrow head.
    JointType.HELICAL: "M-10 0H-7.5L-6 -6L-3 6L0 -6L3 6L4.5 0H10M7 -3L10 0L7 3",
    # Two plates, bolted.
    JointType.FIXED: "M-3 -8V8M3 -8V8M-3 0H3",
}
