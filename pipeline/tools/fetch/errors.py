# SPDX-License-Identifier: Apache-2.0
"""What can go wrong on the way from a publisher to the raw folder."""

from pipeline.base.errors import PipelineError


class FetchError(PipelineError):
    """A source cannot be had now; the sentence says what to do."""


class Interrupted(FetchError):
    """Another file failed or the user stopped; what is downloaded so far stays."""
