# SPDX-License-Identifier: Apache-2.0
"""One module per raw source, which reads its layout; `records` defines the interface."""
