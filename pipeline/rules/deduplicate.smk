# SPDX-License-Identifier: Apache-2.0
rule deduplicate:
    """Find duplicate objects across the whole library."""
    input:
        index="work/inventory/index.json",
        sources=all_shards("work/ingest/{source}/{shard}.parquet"),
        records=all_shards("work/annotate/{source}/{shard}.parquet"),
        code="work/code/deduplicate.txt",
        settings="work/settings/deduplicate.json",
    output:
        rejects="work/deduplicate/rejects.parquet",
        findings="work/deduplicate/findings.parquet",
    log:
        "work/logs/deduplicate.log",
    benchmark:
        "work/benchmarks/deduplicate/all.tsv"
    shell:
        "{PYTHON:q} -m pipeline deduplicate --settings {input.settings:q} "
        "--output rejects={output.rejects:q} findings={output.findings:q} "
        "> {log:q} 2>&1"
