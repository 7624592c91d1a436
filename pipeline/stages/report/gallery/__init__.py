# SPDX-License-Identifier: Apache-2.0
"""The data of the gallery: a table as a script, sheets of thumbnails, pictures, details."""

from __future__ import annotations

from pipeline.stages.report.gallery.gallery import Gallery, write_gallery

__all__ = ["Gallery", "write_gallery"]
