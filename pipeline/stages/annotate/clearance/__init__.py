# SPDX-License-Identifier: Apache-2.0
"""Clearance: convex parts that leave every joint free to move.

Convex parts fill hollows, and parts that touch hold a joint in a simulator. `motions` are the
sweeps of the joints, `separation` tells which parts overlap on the way, `carving` cuts them apart,
`material` tells what is really there, and `clear` decides for every pair of links.
"""
