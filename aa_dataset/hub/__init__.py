# SPDX-License-Identifier: Apache-2.0
"""The Hub: tables of a published library, its objects one by one, and uploads."""
