#!/usr/bin/env bash
# bench_mm.sh BENCH_MM: prints the figures of the memory manager as a JSON list: times, then instructions. callgrind
# counts instructions of the same work N and 2N times; the difference is divided by N, so that start-up drops out.
# callgrind counts a repeated string move or store (page zeroing, the floor of the table) once per byte.
set -euo pipefail

bench=${1:?usage: bench_mm.sh path/to/bench_mm}
command -v valgrind >/dev/null || {
    echo "bench_mm: valgrind is missing: tests/deps installs it (Debian package valgrind)" >&2
    exit 1
}

# total WORK...: prints the instructions of one run.
total() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$bench" "$@" 2>&1 | sed -n 's/.*Collected : *//p'
}
# per N WORK...: prints the instructions of one of N.
per() {
    local n=$1 once twice
    shift
    once=$(total "$@" "$n")
    twice=$(total "$@" $((2 * n)))
    echo $(((twice - once) / n))
}
# figure NAME VALUE FLOOR GOAL
figure() {
    awk -v name="$1" -v value="$2" -v least="$3" -v goal="$4" 'BEGIN {
        printf "{\"name\":\"%s\",\"value\":%d,\"unit\":\"instructions\",\"floor\":%d,\"ratio\":%.3f,", name, value, least, value / least
        printf "\"spread\":0.0,\"goal\":%s}", goal }'
}

times=$("$bench")
echo "${times%]},"
figure vidmm.live_100k_instructions "$(per 1000 cycle 100000)" "$(per 1000 cycle 1000)" 1.3
echo ,
figure vidmm.table_1000_instructions "$(per 50 table)" "$(per 50 copy)" null
echo ']'
