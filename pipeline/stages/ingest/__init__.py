# SPDX-License-Identifier: Apache-2.0
"""Reads the foreign layouts: one adapter each, which judges nothing and names its evidence."""
