# SPDX-License-Identifier: Apache-2.0
"""The JSON in the words of a language model."""

from __future__ import annotations

import re
from typing import Any

from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.readers.json_values import json_text


def json_in(words: str, where: str) -> Any:
    """Return the first object of JSON in a text; commas before a bracket are forgiven."""
    start, end = words.find("{"), _end_of_object(words)
    if end < 0:
        raise PredictionError(f"{where} has no complete object of JSON: the answer is cut off.")
    found = words[start:end]
    try:
        return json_text(found.encode("utf-8", "surrogatepass"), where)
    except PredictionError:
        return json_text(re.sub(r",\s*([}\]])", r"\1", found).encode(errors="replace"), where)


def _end_of_object(words: str) -> int:
    """Return where the first object ends, -1 if it does not."""
    depth, is_text, is_escaped = 0, False, False
    for place in range(max(words.find("{"), 0), len(words)):
        letter = words[place]
        if is_text:
            is_text = is_escaped or letter != '"'
            is_escaped = letter == "\\" and not is_escaped
        elif letter == '"':
            is_text = True
        elif letter == "{":
            depth += 1
        elif letter == "}":
            depth -= 1
            if depth == 0:
                return place + 1
    return -1
