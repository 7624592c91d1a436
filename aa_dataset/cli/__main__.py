# SPDX-License-Identifier: Apache-2.0
"""``python -m aa_dataset.cli`` is ``aa``."""

import sys

from aa_dataset.cli import main

if __name__ == "__main__":
    sys.exit(main())
