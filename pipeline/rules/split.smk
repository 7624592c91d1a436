# SPDX-License-Identifier: Apache-2.0
rule split:
    """Choose the evaluation split from the manifest and seal the library."""
    input:
        objects="library/objects.parquet",
        tables=[
            "library/links.parquet",
            "library/joints.parquet",
            "library/findings.parquet",
            "library/rejects.parquet",
            "library/categories.parquet",
        ],
        assets=all_shards("library/assets/{source}-{shard}.tar"),
        code="work/code/split.txt",
        settings="work/settings/split.json",
    output:
        splits="library/splits.parquet",
        seal="library/library.json",
    log:
        "work/logs/split.log",
    benchmark:
        "work/benchmarks/split/all.tsv"
    shell:
        "{PYTHON:q} -m pipeline split --settings {input.settings:q} "
        "--input objects={input.objects:q} "
        "--output splits={output.splits:q} seal={output.seal:q} "
        "> {log:q} 2>&1"
