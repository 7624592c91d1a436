# SPDX-License-Identifier: Apache-2.0
"""The errors of the pipeline: a broken object is a `Rejection`, anything else a sentence."""

from __future__ import annotations

from pipeline.reasons import Reason


class PipelineError(Exception):
    """Root of every error that the pipeline raises on purpose."""


class ConfigError(PipelineError):
    """The configuration is not usable; raised before the first job."""


class BooksError(PipelineError):
    """A stage lost or invented an object: ids in differ from ids out and rejects."""


class Rejection(PipelineError):
    """One object cannot go on; the shard does."""

    def __init__(self, reason: Reason, detail: str):
        self.reason, self.detail = reason, detail
        super().__init__(f"{reason}: {detail}")

    def __reduce__(self) -> tuple[type[Rejection], tuple[Reason, str]]:
        return Rejection, (self.reason, self.detail)
