# SPDX-License-Identifier: Apache-2.0
"""The visual geometry of one object in any state: points on it, meshes, scenes and pictures."""
