#!/bin/bash
# daily.sh [--qemu] PROGRAM ARGUMENTS...: runs the program with some seeds, different ones every day, and with many if
# AGPU_TEST_LONG is set. Prints the seeds, so that a failure can be repeated.
set -euo pipefail
day=$(date +%j)
day=${day#0} day=${day#0}
if [ "$1" = --qemu ]; then
    shift
    count=2 long=50
    seeds=()
else
    count=20 long=1000
    seeds=(--quiet --seeds)
fi
[ -z "${AGPU_TEST_LONG:-}" ] || count=$long
first=$((day * count + 1))
[ -z "${AGPU_TEST_LONG:-}" ] || first=1
echo "seeds $first-$((first + count - 1))"
exec "$@" "${seeds[@]}" "$first-$((first + count - 1))"
