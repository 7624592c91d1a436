# SPDX-License-Identifier: Apache-2.0
"""Converts an object of any source to the library's URDF convention."""
