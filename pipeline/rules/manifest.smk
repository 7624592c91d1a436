# SPDX-License-Identifier: Apache-2.0
rule manifest:
    """Write the tables and the asset tars of the library."""
    input:
        index="work/inventory/index.json",
        inventories=all_shards("work/inventory/{source}/{shard}.tsv"),
        ingested=all_shards("work/ingest/{source}/{shard}.parquet"),
        normalized=all_shards("work/normalize/{source}/{shard}.parquet"),
        categorized=all_shards("work/categorize/{source}/{shard}.parquet"),
        verified=all_shards("work/verify/{source}/{shard}.parquet"),
        annotated=all_shards("work/annotate/{source}/{shard}.parquet"),
        assets=all_shards("work/annotate/{source}/{shard}.tar"),
        rendered=all_shards("work/render/{source}/{shard}.parquet"),
        pictures=all_shards("work/render/{source}/{shard}.tar"),
        rejects_and_findings=all_rejects_and_findings(),
        duplicates="work/deduplicate/rejects.parquet",
        findings="work/deduplicate/findings.parquet",
        code="work/code/manifest.txt",
        settings="work/settings/manifest.json",
    output:
        objects="library/objects.parquet",
        links="library/links.parquet",
        joints="library/joints.parquet",
        exclusions="library/exclusions.parquet",
        findings="library/findings.parquet",
        rejects="library/rejects.parquet",
        categories="library/categories.parquet",
        assets=all_shards("library/assets/{source}-{shard}.tar"),
        marks="work/manifest/marks.json",
    log:
        "work/logs/manifest.log",
    benchmark:
        "work/benchmarks/manifest/all.tsv"
    shell:
        "{PYTHON:q} -m pipeline manifest --settings {input.settings:q} "
        "--input duplicates={input.duplicates:q} findings={input.findings:q} "
        "--output objects={output.objects:q} links={output.links:q} joints={output.joints:q} "
        "exclusions={output.exclusions:q} "
        "findings={output.findings:q} rejects={output.rejects:q} categories={output.categories:q} "
        "marks={output.marks:q} "
        "> {log:q} 2>&1"
