# SPDX-License-Identifier: Apache-2.0
"""The workflow: raw sources to library and release. Wiring only; the work is in `pipeline/`."""

import snakemake.benchmark

from pipeline.engine.inventory.dates import date_outputs


configfile: "config.yaml"


include: "pipeline/rules/common.smk"
include: "pipeline/rules/ingest.smk"
include: "pipeline/rules/normalize.smk"
include: "pipeline/rules/categorize.smk"
include: "pipeline/rules/verify.smk"
include: "pipeline/rules/annotate.smk"
include: "pipeline/rules/render.smk"
include: "pipeline/rules/deduplicate.smk"
include: "pipeline/rules/manifest.smk"
include: "pipeline/rules/split.smk"
include: "pipeline/rules/publish.smk"
include: "pipeline/rules/report.smk"


rule all:
    """The complete library and the release."""
    default_target: True
    input:
        # All outputs, not only the last one, so that a deleted file is made again.
        rules.manifest.output,
        rules.split.output,
        rules.publish.output,
        rules.report.output,


onstart:
    # A limit of jobs per second is always set (100). It wakes the scheduler again, a second later, after
    # every evaluation, so that each job that ended adds one more evaluation per second.
    workflow.scheduler.job_rate_limiter = None
    # For work/benchmarks, Snakemake reads the files of every process on the machine, at first twice a second
    # for each job. That was most of its own CPU time.
    snakemake.benchmark.BENCHMARK_INTERVAL_SHORT = 5  # s


# Snakemake plans by modification times; these are set from digests.
if WRITES:
    date_outputs(rules, SHARDS)
