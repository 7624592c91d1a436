# SPDX-License-Identifier: Apache-2.0
rule split:
    """Choose the evaluation split from the manifest and seal the library."""
    input:
        objects="library/objects.parquet",
        joints="library/joints.parquet",
        tables=[
            "library/links.parquet",
            "library/findings.parquet",
            "library/rejects.parquet",
            "library/categories.parquet",
        ],
        assets=all_shards("library/assets/{source}-{shard}.tar"),
        marks="work/manifest/marks.json",
        code="work/code/split.txt",
        settings="work/settings/split.json",
    output:
        splits="library/splits.parquet",
        report="work/split/report.txt",
        figure="work/split/coverage.png",
        seal="library/library.json",
    log:
        "work/logs/split.log",
    benchmark:
        "work/benchmarks/split/all.tsv"
    shell:
        "{PYTHON:q} -m pipeline split --settings {input.settings:q} "
        "--input objects={input.objects:q} joints={input.joints:q} marks={input.marks:q} "
        "--output splits={output.splits:q} report={output.report:q} "
        "figure={output.figure:q} seal={output.seal:q} "
        "> {log:q} 2>&1"
