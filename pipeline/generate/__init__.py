# SPDX-License-Identifier: Apache-2.0
"""The generated collection: procedural articulated objects, deterministic from a seed."""
