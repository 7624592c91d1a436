# SPDX-License-Identifier: Apache-2.0
"""Writes the release: the redistributable part of the library, with card and checksums."""
