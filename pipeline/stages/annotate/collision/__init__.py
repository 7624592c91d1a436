# SPDX-License-Identifier: Apache-2.0
"""Collision geometry: convex parts that keep a hollow link hollow.

Simulators take the convex hull of a collision mesh. So every shape is taken apart into its
connected components (`convex`), and a component whose hull would fill a hollow is cut into parts
that leave it open (`decomposition`): `cells` tells where the air reaches, `cuts` where to cut.
"""
