# SPDX-License-Identifier: Apache-2.0
"""Manual reviews and corrections of raw objects: tables, and the code that reads them."""
