# SPDX-License-Identifier: Apache-2.0
"""The page of the report; its style and its scripts lie beside the modules that put it together."""

from __future__ import annotations

from pipeline.stages.report.page.document import Page, page_text

__all__ = ["Page", "page_text"]
