#!/usr/bin/env bash
# bench_hardening.sh HARDENED PLAIN: what the toolchain's means against mistakes (CMakeLists.txt, AGPU_HARDENED) cost the host
# programs: the same work by programs of two build folders, the second without. Instructions of the whole program, counted
# by callgrind: the same whatever else the machine does.
set -euo pipefail

hardened=${1:?usage: bench_hardening.sh path/to/build/host path/to/build/plain}
plain=${2:?usage: bench_hardening.sh path/to/build/host path/to/build/plain}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v valgrind >/dev/null || {
    echo "bench_hardening: valgrind is missing: tests/deps installs it (Debian package valgrind)" >&2
    exit 1
}

# count FOLDER PROGRAM [ARGUMENT...]: prints the instructions that it takes.
count() {
    local program=$1/tests/benchmarks/$2
    shift 2
    valgrind --tool=callgrind --callgrind-out-file="$work/out" "$program" "$@" >/dev/null 2>"$work/log" || {
        cat "$work/log" >&2
        return 1
    }
    sed -n 's/.*Collected : \([0-9]*\)$/\1/p' "$work/log"
}

# figure NAME PROGRAM [ARGUMENT...]: one entry.
separator=
figure() {
    local name=$1 ours floor
    shift
    ours=$(count "$hardened" "$@")
    floor=$(count "$plain" "$@")
    printf '%s' "$separator"
    separator=$',\n'
    awk -v name="$name" -v ours="$ours" -v floor="$floor" 'BEGIN {
        if (ours <= 0 || floor <= 0) {
            print "bench_hardening: callgrind counted nothing: " name > "/dev/stderr"
            exit 1
        }
        printf "{\"name\": \"%s\", \"value\": %.1f, \"unit\": \"Minstructions\", \"floor\": %.1f, ", name, ours / 1e6, floor / 1e6
        printf "\"ratio\": %.3f, \"spread\": 0, \"goal\": 1.03}", ours / floor }'
}

echo '['
figure hardening.device device/agpu_bench_device device.empty device.small_copy
figure hardening.plugin device/agpu_bench_device plugin.empty plugin.small_copy
figure hardening.decode capture/bench_decode 1
figure hardening.compare compare/agpu_bench_compare
echo
echo ']'
