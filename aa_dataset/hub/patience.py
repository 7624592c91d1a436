# SPDX-License-Identifier: Apache-2.0
"""How often a request is repeated, and how long the pauses are."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from aa_dataset.hub.errors import is_transport, is_unreachable, status_of

WAITS = (1.0, 2.0, 4.0, 8.0)  # [s] between attempts
LONGEST_WAIT = 300.0  # [s] that the Hub may ask for
_PASSING = (408, 429, 500, 502, 503, 504)  # statuses that may be over soon

_T = TypeVar("_T")


def with_retries(action: Callable[[], _T]) -> _T:
    """Return the result of a request, repeated while the Hub is busy or the line is cut."""
    for wait in WAITS:
        try:
            return action()
        except Exception as error:  # the client and its transport raise many types
            if is_unreachable(error) or not wait_to_retry(error, wait):
                raise
    return action()


def wait_to_retry(error: Exception, wait: float) -> bool:
    """Wait before another attempt; return False if another attempt is of no use.

    The pause is `wait` [s], or what the Hub asks for in ``Retry-After``.
    """
    status = status_of(error)
    if status not in _PASSING and not is_transport(error):
        return False
    asked = _retry_after(error)
    if asked > LONGEST_WAIT:
        return False
    time.sleep(max(wait, asked))
    return True


def _retry_after(error: Exception) -> float:
    headers = getattr(getattr(error, "response", None), "headers", {})
    text = str(headers.get("retry-after", ""))
    return float(text) if text.isdecimal() and len(text) < 10 else 0.0
