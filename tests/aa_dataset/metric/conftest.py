# SPDX-License-Identifier: Apache-2.0
"""Make the helpers of this folder and the benchmark's trees importable."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
for folder in (HERE, HERE.parents[2] / "benchmarks"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
