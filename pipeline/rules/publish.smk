# SPDX-License-Identifier: Apache-2.0
rule publish:
    """Write what may be passed on of the library, with card, croissant.json and checksums."""
    input:
        seal="library/library.json",
        code="work/code/publish.txt",
        settings="work/settings/publish.json",
    output:
        card="release/README.md",
        license="release/LICENSE",
        croissant="release/croissant.json",
        seal="release/library.json",
        tables=[
            "release/objects.parquet",
            "release/links.parquet",
            "release/joints.parquet",
            "release/exclusions.parquet",
            "release/findings.parquet",
            "release/rejects.parquet",
            "release/categories.parquet",
            "release/splits.parquet",
        ],
        assets=[
            *all_shards("release/assets/{source}-{shard}.tar"),
            "release/assets/eval200.tar",
        ],
        checksums="release/SHA256SUMS",
    log:
        "work/logs/publish.log",
    benchmark:
        "work/benchmarks/publish/all.tsv"
    shell:
        "{PYTHON:q} -m pipeline publish --settings {input.settings:q} "
        "--output card={output.card:q} license={output.license:q} "
        "croissant={output.croissant:q} checksums={output.checksums:q} > {log:q} 2>&1"
