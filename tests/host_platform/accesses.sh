#!/bin/bash
# accesses.sh AGPU_INPROCESS: what a case costs in accesses to the device, each of which is a message to another process or a
# trip over a bus, counted and not timed: cases that do work, on the simulated clock, where the count is the same each time.
set -u
program=$1
# Averages over all cases, in hundredths, so that a new case moves them little: between cases (2.0 when this was written), and
# with their bodies (17.6).
between_most=240 all_most=1900
bad=0

filter='buffer.*,texture.*,copy.*,map.*,shared.*,error.*,umd.*,render.win7.*,render.umd.*,!*.many*,!umd.deferred.random*'
output=$("$program" --clock manual --filter "$filter" 2>&1) || { printf 'accesses: the cases fail\n' >&2; exit 1; }

metric() {
    grep -oE "name=run\.accesses\.$1 value=[0-9]+" <<<"$output" | sed 's/.*=//'
}

cases=$(grep -oE ';summary .* total=[0-9]+' <<<"$output" | sed 's/.*=//')
up=$(metric bring_up) body=$(metric cases) down=$(metric take_down)
if ! [[ "$cases $up $body $down" =~ ^[1-9][0-9]*( [0-9]+){3}$ ]]; then
    printf 'accesses: expected a summary and three metrics, found "%s" cases, "%s" "%s" "%s"\n' "$cases" "$up" "$body" "$down" >&2
    exit 1
fi

# WHAT ACCESSES MOST
judge() {
    local found=$(($2 * 100 / cases))

    printf '%s: %s accesses of %s cases, %s.%02d a case\n' "$1" "$2" "$cases" $((found / 100)) $((found % 100))
    if [ $found -gt "$3" ]; then
        printf 'accesses: %s: expected at most %s hundredths a case, found %s: what is known of the device is read again, or a\n' "$1" "$3" "$found" >&2
        printf '  case that left it clean is followed by a restart (tests/cases/rig/keep.h)\n' >&2
        bad=1
    fi
}
judge 'between cases' $((up + down)) $between_most
judge 'with their bodies' $((up + body + down)) $all_most
exit $bad
