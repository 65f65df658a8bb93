#!/usr/bin/env bash
# bench_capture.sh BENCH_DECODE AGPU_INPROCESS: prints the figures of captures as a JSON list: bytes of stream printed a second,
# and the wall time of the whole catalogue with a capture of every submission against that without, by turns.
set -euo pipefail
bench=${1:?usage: bench_capture.sh BENCH_DECODE AGPU_INPROCESS} inprocess=${2:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# seconds OPTIONS...: one run of the catalogue.
seconds() {
    local start=$EPOCHREALTIME
    "$inprocess" --quiet --clock manual "$@" >"$work/out" || { tail -5 "$work/out" >&2 && return 1; }
    awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.3f\n", b - a }'
}

times=$("$bench")
echo "${times%]},"
for _ in 1 2 3; do
    echo "$(seconds) $(seconds --capture "$work/capture")"
done | awk '{ printf "%.4f %s %s\n", $2 / $1, $2, $1 }' | sort -n | awk '
    { ratio[NR] = $1; captured[NR] = $2; plain[NR] = $3 }
    END {
        printf "{\"name\": \"capture.cost\", \"value\": %.3f, \"unit\": \"s\", \"floor\": %.3f, \"ratio\": %.3f, ", captured[2], plain[2], ratio[2]
        printf "\"spread\": %.3f, \"goal\": 1.1}\n", (ratio[3] - ratio[1]) / ratio[2]
    }'
echo ']'
