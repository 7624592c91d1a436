# SPDX-License-Identifier: Apache-2.0
"""What tests share: typed helpers, one module per subject. Tests import them by name."""
