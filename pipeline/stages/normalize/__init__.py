# SPDX-License-Identifier: Apache-2.0
"""Brings an object of any source to the library's one URDF convention."""
