# SPDX-License-Identifier: Apache-2.0
"""Human verdicts about raw objects: tables, and the code that reads them."""
