#!/bin/sh
# Install R, the R packages that engines use (with the argument "test": also those that tests use), and Python's venv
# where Debian left it out, from Debian/Ubuntu packages, when that is possible here.
# Says in one line what is missing otherwise. Exits 0 either way, unless XCOMPARE_REQUIRE_R=1.
packages="randomForest diptest ranger mclust optparse"
debian="r-base-core r-base-dev r-cran-randomforest r-cran-diptest r-cran-ranger r-cran-mclust r-cran-optparse"
if [ "$1" = test ]; then
    packages="$packages testthat clue MASS jsonlite mlbench palmerpenguins multtest clusterGeneration"
    debian="$debian r-cran-testthat r-cran-clue r-cran-mass r-cran-jsonlite r-cran-mlbench r-cran-palmerpenguins r-bioc-multtest r-cran-clustergeneration"
fi
python3 -c 'import ensurepip' 2>/dev/null || debian="$debian python3-venv"

missing() {
    python3 -c 'import ensurepip' 2>/dev/null || printf 'python3-venv '
    command -v Rscript >/dev/null 2>&1 || { echo R; return; }
    Rscript --vanilla -e 'p <- commandArgs(TRUE); cat(p[!nzchar(vapply(p, function(x) system.file(package = x), ""))])' $packages
}

[ -z "$(missing)" ] && exit 0
if command -v apt-get >/dev/null 2>&1; then
    if [ "$(id -u)" = 0 ]; then root=""; elif sudo -n true 2>/dev/null; then root="sudo"; else root="no"; fi
    if [ "$root" != no ]; then
        echo "installing R and its packages with apt-get"
        log=$(mktemp)
        { $root apt-get update && $root env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y --no-install-recommends $debian; } >"$log" 2>&1 ||
            tail -n 3 "$log"
        rm -f "$log"
    fi
fi
still=$(missing)
[ -z "$still" ] && exit 0
echo "not installed: $still; the native Python engines work without. To add it: apt-get install $debian" >&2
[ "${XCOMPARE_REQUIRE_R:-0}" != 1 ]
