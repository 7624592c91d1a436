# SPDX-License-Identifier: Apache-2.0
rule annotate:
    """Compute mass, inertia, screws and moving bodies of one shard."""
    input:
        records="work/normalize/{source}/{shard}.parquet",
        assets="work/normalize/{source}/{shard}.tar",
        verified="work/verify/{source}/{shard}.parquet",
        sources="work/ingest/{source}/{shard}.parquet",
        categories="work/categorize/{source}/{shard}.parquet",
        code="work/code/annotate.txt",
        settings="work/settings/annotate.json",
    output:
        records="work/annotate/{source}/{shard}.parquet",
        assets="work/annotate/{source}/{shard}.tar",
        rejects="work/annotate/{source}/{shard}.rejects.parquet",
        findings="work/annotate/{source}/{shard}.findings.parquet",
    log:
        "work/logs/annotate/{source}/{shard}.log",
    benchmark:
        "work/benchmarks/annotate/{source}/{shard}.tsv"
    shell:
        "{PYTHON:q} -m pipeline annotate --source {wildcards.source:q} --shard {wildcards.shard:q} "
        "--settings {input.settings:q} --workers {threads} "
        "--input records={input.records:q} assets={input.assets:q} verified={input.verified:q} sources={input.sources:q} "
        "categories={input.categories:q} "
        "--output records={output.records:q} assets={output.assets:q} rejects={output.rejects:q} findings={output.findings:q} "
        "> {log:q} 2>&1"
