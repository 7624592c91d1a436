# SPDX-License-Identifier: Apache-2.0
"""Draws raw objects beside what normalize makes of them."""
