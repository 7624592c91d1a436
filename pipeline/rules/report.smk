# SPDX-License-Identifier: Apache-2.0
rule report:
    """Write the page that shows the library; it comes last, because it tells what the others took."""
    input:
        seal="library/library.json",
        checksums="release/SHA256SUMS",
        code="work/code/report.txt",
        settings="work/settings/report.json",
    output:
        page="report/index.html",
        table="report/data/table.js",
    log:
        "work/logs/report.log",
    benchmark:
        "work/benchmarks/report/all.tsv"
    threads: 4
    shell:
        "{PYTHON:q} -m pipeline report --settings {input.settings:q} --workers {threads} "
        "--input seal={input.seal:q} --output page={output.page:q} table={output.table:q} "
        "> {log:q} 2>&1"
