# SPDX-License-Identifier: Apache-2.0
"""The rules that every URDF of the library follows, and their check."""
