# SPDX-License-Identifier: Apache-2.0
"""What all tests share: laws are checked on the same examples every time, on any machine."""

from __future__ import annotations

import gc
import os
import signal

from hypothesis import HealthCheck, settings

# Machines are shared: a deadline would test the neighbors. AA_LAW_EXAMPLES=500 looks wider.
settings.register_profile(
    "arena",
    max_examples=int(os.environ.get("AA_LAW_EXAMPLES", "50")),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("arena")

# A shell starts what it puts in the background with Ctrl-C ignored, and `nohup` does the same for a
# closed terminal; children inherit that. The tests that end a program need the usual handling.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_collection_finish() -> None:
    """Take the collected tests out of the garbage collector, which else visits them for ever.

    They are millions of objects that live to the end; one full collection took 0.4 s.
    """
    gc.collect()
    gc.freeze()
