# SPDX-License-Identifier: Apache-2.0
"""Reads raw objects through the adapter of their source."""
