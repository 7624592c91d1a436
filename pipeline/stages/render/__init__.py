# SPDX-License-Identifier: Apache-2.0
"""Stage `render`: preview pictures of every object, at rest and opened."""
