#!/bin/bash
# notices.sh ROOT BUILD REPLAY INPUTS...: the replay of the inputs must fail with each fault of tests/faults below, which
# breaks an invariant, and must pass without a fault. Tests every second fault, all with AGPU_TEST_LONG.
set -euo pipefail
root=$1 build=$2 replay=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
missed=0
number=0
export ASAN_OPTIONS=symbolize=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}

"$replay" "$@" >/dev/null
for fault in fence_lost no_fence_page irq_not_masked writeback_to_readonly doorbell_lost error_count_stuck \
    error_stops_fence head_stuck reset_keeps_fence reset_keeps_resources; do
    number=$((number + 1))
    [ -n "${AGPU_TEST_LONG-}" ] || [ $((number % 2)) = 0 ] || continue
    python3 "$root/tests/faults/faults.py" apply "$root" "$build" "$fault" "$work/$fault" "${replay##*/}"
    bash "$work/$fault/build.sh"
    if ("$work/$fault/${replay##*/}" "$@" || exit 1) >/dev/null 2>&1; then
        echo "the replay of $* does not notice the fault $fault: a check of tests/fuzz/machine does nothing"
        missed=1
    fi
done
exit "$missed"
