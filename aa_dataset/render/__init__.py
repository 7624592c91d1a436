# SPDX-License-Identifier: Apache-2.0
"""Pictures of placed meshes: camera, light and two backends, OpenGL and ray casting."""
