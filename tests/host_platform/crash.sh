#!/bin/bash
# crash.sh PROGRAM: agpu_inprocess with a driver that crashes in map.dynamic.own_entry_points. This case is a CRASH with
# the signal and the functions, or with the report of a sanitizer; the cases after it run, and the run fails.
set -u
program=$1
case=map.dynamic.own_entry_points
bad=0

expect() { # WORDS...: the output of the last run has them
    local words
    for words; do
        grep -qE -- "$words" <<<"$output" || {
            printf 'crash: expected "%s", found:\n%s\n' "$words" "$output"
            bad=1
        }
    done
}
run() { # OPTIONS...
    local status=0
    output=$("$program" --clock manual "$@" 2>&1) || status=$?
    [ $status -eq 1 ] || expect "exit status 1, not $status"
}

words="device model: the driver or a case (crashed: SIGSEGV at address 0x0; not inside a call|ended .*; SUMMARY: )"
run --filter 'map.dynamic*'
expect "CRASH   $case" "$words" '__wrap_agpu_dynamic_ia_map_discard|stack= 0x' \
    'PASS    map.dynamic_texture.no_overwrite' '^CRASH  [0-9]+ pass 1 crash'
run --filter 'map.dynamic*' --records
expect ";end $case status=CRASH .*reason=\"device model: the driver or a case " ';end map.dynamic_texture.no_overwrite status=PASS' \
    ';summary - status=CRASH .* crashed=1 '
# The last case: only the summary comes after it.
run --filter $case
expect "CRASH   $case" '^CRASH  0 pass 1 crash'
exit $bad
