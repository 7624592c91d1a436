# SPDX-License-Identifier: Apache-2.0
rule normalize:
    """Bring one shard of one source to the library's URDF convention."""
    input:
        facts="work/sources/{source}.json",
        records="work/ingest/{source}/{shard}.parquet",
        repairs="work/curation/{source}/{shard}.repairs.tsv",
        code="work/code/normalize.txt",
        settings="work/settings/normalize.json",
    output:
        records="work/normalize/{source}/{shard}.parquet",
        assets="work/normalize/{source}/{shard}.tar",
        rejects="work/normalize/{source}/{shard}.rejects.parquet",
        findings="work/normalize/{source}/{shard}.findings.parquet",
    log:
        "work/logs/normalize/{source}/{shard}.log",
    benchmark:
        "work/benchmarks/normalize/{source}/{shard}.tsv"
    shell:
        "{PYTHON:q} -m pipeline normalize --source {wildcards.source:q} --shard {wildcards.shard:q} "
        "--settings {input.settings:q} --workers {threads} "
        "--input facts={input.facts:q} records={input.records:q} repairs={input.repairs:q} "
        "--output records={output.records:q} assets={output.assets:q} rejects={output.rejects:q} findings={output.findings:q} "
        "> {log:q} 2>&1"
