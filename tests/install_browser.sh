#!/bin/sh
# Install Chromium and its driver, in which the report is tested, from Debian/Ubuntu packages when possible.
# Says in one line what is missing otherwise. Exits 0 either way, unless XCOMPARE_REQUIRE_BROWSER=1.
debian="chromium chromium-driver"

present() { command -v chromium >/dev/null 2>&1 && command -v chromedriver >/dev/null 2>&1; }

present && exit 0
if command -v apt-get >/dev/null 2>&1; then
    if [ "$(id -u)" = 0 ]; then root=""; elif sudo -n true 2>/dev/null; then root="sudo"; else root="no"; fi
    if [ "$root" != no ]; then
        echo "installing Chromium with apt-get, to test the report in"
        log=$(mktemp)
        { $root apt-get update && $root env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y --no-install-recommends $debian; } >"$log" 2>&1 || tail -n 3 "$log"
        rm -f "$log"
    fi
fi
present && exit 0
echo "no Chromium with chromedriver: the report is not tested in a browser. To add it: apt-get install $debian" >&2
[ "${XCOMPARE_REQUIRE_BROWSER:-0}" != 1 ]
