# SPDX-License-Identifier: Apache-2.0
"""What every room of the pipeline may use: errors, reasons, paths, tables and tars."""
