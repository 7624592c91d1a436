# SPDX-License-Identifier: Apache-2.0
"""What a library is on disk: its paths, tables, seal, split versions, labels and licenses."""
