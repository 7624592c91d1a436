# SPDX-License-Identifier: Apache-2.0
"""Errors of fetching a raw source."""

from pipeline.base.errors import PipelineError


class FetchError(PipelineError):
    """A source cannot be fetched; the message states what to do."""


class Interrupted(FetchError):
    """Another file failed or the user stopped; partial downloads are kept."""
