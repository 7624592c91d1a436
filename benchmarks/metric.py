# SPDX-License-Identifier: Apache-2.0
"""Speed of the metric: one table, ratios within one run on one thread.

``PYTHONPATH=. python benchmarks/metric.py [--quick]``; absolute times depend on the machine, read
the ratios.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path


def main() -> int:
    """Run every measurement and print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the pairs and trees")
    arguments = parser.parse_args()
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"  # before numpy is imported, hence the imports below
    here = Path(__file__).parent
    sys.path[:0] = [str(here), str(here.parent)]
    from benchmarks.metric_runs import all_rows

    print(f"{'what':<46} {'result':<44} goal")
    for what, result, goal in all_rows(quick=arguments.quick):
        print(f"{what:<46} {result:<44} {goal}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
