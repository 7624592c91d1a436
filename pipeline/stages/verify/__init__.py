# SPDX-License-Identifier: Apache-2.0
"""Checks every normalized object; findings are rows, and the config says which codes reject."""
