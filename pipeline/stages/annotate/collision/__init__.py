# SPDX-License-Identifier: Apache-2.0
"""Collision geometry: convex parts that keep a hollow link hollow.

Simulators use the convex hull of a collision mesh. Every shape is therefore split into its
connected components (`convex`), and a component whose hull would fill a hollow is cut into parts
that leave it open (`decomposition`). `cells` finds where the air reaches, `cuts` where to cut.
"""
