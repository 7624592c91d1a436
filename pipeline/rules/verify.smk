# SPDX-License-Identifier: Apache-2.0
rule verify:
    """Check every normalized object of one shard."""
    input:
        records="work/normalize/{source}/{shard}.parquet",
        assets="work/normalize/{source}/{shard}.tar",
        categories="work/categorize/{source}/{shard}.parquet",
        reviews="work/curation/{source}/{shard}.tsv",
        ingest_findings="work/ingest/{source}/{shard}.findings.parquet",
        normalize_findings="work/normalize/{source}/{shard}.findings.parquet",
        categorize_findings="work/categorize/{source}/{shard}.findings.parquet",
        code="work/code/verify.txt",
        settings="work/settings/verify.json",
    output:
        records="work/verify/{source}/{shard}.parquet",
        rejects="work/verify/{source}/{shard}.rejects.parquet",
        findings="work/verify/{source}/{shard}.findings.parquet",
    log:
        "work/logs/verify/{source}/{shard}.log",
    benchmark:
        "work/benchmarks/verify/{source}/{shard}.tsv"
    shell:
        "{PYTHON:q} -m pipeline verify --source {wildcards.source:q} --shard {wildcards.shard:q} "
        "--settings {input.settings:q} --workers {threads} "
        "--input records={input.records:q} assets={input.assets:q} categories={input.categories:q} reviews={input.reviews:q} "
        "ingest_findings={input.ingest_findings:q} normalize_findings={input.normalize_findings:q} "
        "categorize_findings={input.categorize_findings:q} "
        "--output records={output.records:q} rejects={output.rejects:q} findings={output.findings:q} "
        "> {log:q} 2>&1"
