# SPDX-License-Identifier: Apache-2.0
"""Computes the values for physics and the metric: mass, inertia, screws, moving bodies."""
