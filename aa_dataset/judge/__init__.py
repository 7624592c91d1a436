# SPDX-License-Identifier: Apache-2.0
"""Checks of one object in five simulators: placements, twists, bodies, gravity, couplings."""
