# SPDX-License-Identifier: Apache-2.0
"""The records that stages hand to each other: one module per stage that writes records.

A stage imports no other stage. It writes the record class of its module here; its readers import
the same class. `pipeline/base/records.py` converts records to rows of tables.
"""
