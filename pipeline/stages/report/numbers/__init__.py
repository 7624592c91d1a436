# SPDX-License-Identifier: Apache-2.0
"""The numbers that the figures draw: pure functions of the tables."""
