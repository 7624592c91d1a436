# SPDX-License-Identifier: Apache-2.0
"""Make the helpers of this folder and the benchmark's trees importable; calm hypothesis."""

import os
import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

HERE = Path(__file__).parent
for folder in (HERE, HERE.parents[2] / "benchmarks"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

settings.register_profile(
    "laws",
    max_examples=int(os.environ.get("AA_LAW_EXAMPLES", "50")),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("laws")
