# SPDX-License-Identifier: Apache-2.0
"""Chooses the evaluation split from the manifest alone, and seals the library."""
