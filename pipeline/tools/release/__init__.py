# SPDX-License-Identifier: Apache-2.0
"""What changed between two releases, and which part of the version that raises."""
