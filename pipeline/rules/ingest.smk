# SPDX-License-Identifier: Apache-2.0
rule ingest:
    """Read the raw objects of one shard through their source's adapter."""
    input:
        facts="work/sources/{source}.json",
        inventory="work/inventory/{source}/{shard}.tsv",
        code="work/code/ingest/{source}.txt",
        settings="work/settings/ingest.json",
    output:
        records="work/ingest/{source}/{shard}.parquet",
        rejects="work/ingest/{source}/{shard}.rejects.parquet",
        findings="work/ingest/{source}/{shard}.findings.parquet",
    log:
        "work/logs/ingest/{source}/{shard}.log",
    benchmark:
        "work/benchmarks/ingest/{source}/{shard}.tsv"
    shell:
        "{PYTHON:q} -m pipeline ingest --source {wildcards.source:q} --shard {wildcards.shard:q} "
        "--settings {input.settings:q} --workers {threads} "
        "--input facts={input.facts:q} inventory={input.inventory:q} "
        "--output records={output.records:q} rejects={output.rejects:q} findings={output.findings:q} "
        "> {log:q} 2>&1"
