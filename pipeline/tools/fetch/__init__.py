# SPDX-License-Identifier: Apache-2.0
"""Getting raw sources: download, check, unpack, and a receipt of what came from where."""
