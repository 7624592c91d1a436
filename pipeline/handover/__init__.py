# SPDX-License-Identifier: Apache-2.0
"""What the stages hand to each other: one module per stage that writes records.

A stage imports no other stage; it writes the record that is named after it here, and those that
read it import the same class. `pipeline/base/records.py` makes tables of the fields.
"""
