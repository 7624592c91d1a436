# SPDX-License-Identifier: Apache-2.0
"""Errors of the authors of families."""

from pipeline.base.errors import PipelineError


class AuthoringError(PipelineError):
    """A family describes an object that cannot exist; the message names the part or joint."""
