# SPDX-License-Identifier: Apache-2.0
rule render:
    """Draw the pictures of every object of one shard."""
    input:
        records="work/annotate/{source}/{shard}.parquet",
        assets="work/annotate/{source}/{shard}.tar",
        code="work/code/render.txt",
        settings="work/settings/render.json",
    output:
        records="work/render/{source}/{shard}.parquet",
        assets="work/render/{source}/{shard}.tar",
        rejects="work/render/{source}/{shard}.rejects.parquet",
        findings="work/render/{source}/{shard}.findings.parquet",
    log:
        "work/logs/render/{source}/{shard}.log",
    benchmark:
        "work/benchmarks/render/{source}/{shard}.tsv"
    shell:
        "{PYTHON:q} -m pipeline render --source {wildcards.source:q} --shard {wildcards.shard:q} "
        "--settings {input.settings:q} --workers {threads} "
        "--input records={input.records:q} assets={input.assets:q} "
        "--output records={output.records:q} assets={output.assets:q} rejects={output.rejects:q} findings={output.findings:q} "
        "> {log:q} 2>&1"
