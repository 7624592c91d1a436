# SPDX-License-Identifier: Apache-2.0
"""Readers of untrusted bytes, names and text, within counted limits."""
