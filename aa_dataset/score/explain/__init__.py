# SPDX-License-Identifier: Apache-2.0
"""Why an object scores as it does: its edit script, its joints, and drawings of both trees."""

from aa_dataset.score.explain.picture import object_svg
from aa_dataset.score.explain.run import explain_object, object_page, result_page
from aa_dataset.score.explain.subject import Subject
from aa_dataset.score.explain.text import explanation_lines

__all__ = [
    "Subject",
    "explain_object",
    "explanation_lines",
    "object_page",
    "object_svg",
    "result_page",
]
