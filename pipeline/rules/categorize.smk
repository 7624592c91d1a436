# SPDX-License-Identifier: Apache-2.0
rule categorize:
    """Give every object of one shard its category."""
    input:
        records="work/ingest/{source}/{shard}.parquet",
        code="work/code/categorize.txt",
        settings="work/settings/categorize.json",
    output:
        records="work/categorize/{source}/{shard}.parquet",
        rejects="work/categorize/{source}/{shard}.rejects.parquet",
        findings="work/categorize/{source}/{shard}.findings.parquet",
        proposals="work/categorize/{source}/{shard}.proposals.tsv",
    log:
        "work/logs/categorize/{source}/{shard}.log",
    benchmark:
        "work/benchmarks/categorize/{source}/{shard}.tsv"
    shell:
        "{PYTHON:q} -m pipeline categorize --source {wildcards.source:q} --shard {wildcards.shard:q} "
        "--settings {input.settings:q} --workers {threads} "
        "--input records={input.records:q} "
        "--output records={output.records:q} rejects={output.rejects:q} findings={output.findings:q} "
        "proposals={output.proposals:q} "
        "> {log:q} 2>&1"
