# SPDX-License-Identifier: Apache-2.0
"""Meshes, pictures, and the file formats that contain them."""
