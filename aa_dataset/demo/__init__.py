# SPDX-License-Identifier: Apache-2.0
"""A first walk through the package, on a library of a dozen objects that is part of it."""
