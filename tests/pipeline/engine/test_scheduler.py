# SPDX-License-Identifier: Apache-2.0
"""What the Snakefile changes in Snakemake still exists under its name."""

from __future__ import annotations

import inspect

from snakemake import benchmark
from snakemake.scheduling.job_scheduler import JobScheduler

from tests.kit.places import REPOSITORY

SWITCH = "workflow.scheduler.job_rate_limiter = None"
SELDOM = "snakemake.benchmark.BENCHMARK_INTERVAL_SHORT = 5"


def test_the_limit_of_jobs_per_second_can_be_switched_off() -> None:
    """Under another name, setting it would do nothing and the scheduler would loop again."""
    assert SWITCH in (REPOSITORY / "Snakefile").read_text()
    assert "self.job_rate_limiter = " in inspect.getsource(JobScheduler.__init__)
    source = inspect.getsource(JobScheduler)
    assert "if self.job_rate_limiter is not None:" in source
    assert "if self.job_rate_limiter is None:" in source


def test_the_time_between_two_looks_at_all_processes_can_be_set() -> None:
    """It is half a second without: thirty looks per job."""
    assert SELDOM in (REPOSITORY / "Snakefile").read_text()
    assert benchmark.BENCHMARK_INTERVAL_SHORT == 0.5
    source = inspect.getsource(benchmark.ScheduledPeriodicTimer._schedule)
    assert "DaemonTimer(BENCHMARK_INTERVAL_SHORT, self._action)" in source
