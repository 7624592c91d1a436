# SPDX-License-Identifier: Apache-2.0
"""Computes what physics and the metric need: mass, inertia, screws, moving bodies."""
