# SPDX-License-Identifier: Apache-2.0
"""Chooses the evaluation split from the manifest, and seals the library."""
