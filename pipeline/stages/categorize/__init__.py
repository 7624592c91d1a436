# SPDX-License-Identifier: Apache-2.0
"""Gives every object a category and supercategory of the taxonomy."""
