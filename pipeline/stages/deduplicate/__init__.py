# SPDX-License-Identifier: Apache-2.0
"""Finds duplicates across the whole library and keeps one object of each."""
