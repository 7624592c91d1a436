# SPDX-License-Identifier: Apache-2.0
"""Makes the release: the part of the library whose licenses allow it, with card and checksums."""
