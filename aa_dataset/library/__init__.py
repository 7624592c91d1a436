# SPDX-License-Identifier: Apache-2.0
"""An opened library: its checked files, its tables and indices, and the full check."""
