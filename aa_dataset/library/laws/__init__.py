# SPDX-License-Identifier: Apache-2.0
"""The laws of a library: what must hold in its tables, between them, and in its tars.

`docs/laws.md` lists them with the damage that each one catches.
"""

from aa_dataset.library.laws.law import Law, Subject
from aa_dataset.library.laws.numbers import NUMBER_LAWS
from aa_dataset.library.laws.places import PLACE_LAWS
from aa_dataset.library.laws.rows import ROW_LAWS
from aa_dataset.library.laws.sets import SET_LAWS
from aa_dataset.library.laws.terms import TERM_LAWS

LAWS: tuple[Law, ...] = (*ROW_LAWS, *NUMBER_LAWS, *SET_LAWS, *TERM_LAWS, *PLACE_LAWS)

__all__ = ["LAWS", "Law", "Subject"]
