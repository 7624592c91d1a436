# SPDX-License-Identifier: Apache-2.0
"""One family of objects per file; the file name is the family name and `build` makes one object."""
