#!/bin/bash
# sample.sh MUTATE BUILD COUNT: tests/mutate on about COUNT faults, others every day, with the build folder as it is.
set -euo pipefail

mutate=$1
build=$2
count=$3
faults=$("$mutate" --list | wc -l)
parts=$(((faults + count - 1) / count))
exec "$mutate" --build "$build" --shard "$((($(date +%s) / 86400) % parts + 1))/$parts"
