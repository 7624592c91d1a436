# SPDX-License-Identifier: Apache-2.0
"""Five simulators as judges of one object: placements, twists, bodies, gravity, couplings."""
