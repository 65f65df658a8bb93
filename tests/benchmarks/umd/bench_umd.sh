#!/usr/bin/env bash
# bench_umd.sh BENCH_UMD: prints the figures of the user-mode driver as entries of a JSON list, one per line. callgrind
# counts instructions of the program with N and 2N rounds; the difference is divided by the calls, so that start-up and
# first-time growth drop out. spread compares that with the difference of 3N and 2N.
set -euo pipefail

bench=${1:?usage: bench_umd.sh path/to/bench_umd}
rounds=8
calls=256 # BENCH_CALLS of bench_umd.h
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for tool in valgrind callgrind_annotate; do
    command -v "$tool" >/dev/null || {
        echo "bench_umd: $tool is missing: tests/deps installs it (Debian package valgrind)" >&2
        exit 1
    }
done

# count N: writes "function instructions" lines for N rounds to $work/N.
count() {
    valgrind --tool=callgrind --callgrind-out-file="$work/$1.out" "$bench" instructions "$1" >"$work/$1.log" 2>&1 || {
        cat "$work/$1.log" >&2
        exit 1
    }
    # callgrind_annotate warns of lines that it cannot place in a source file; the totals do not need them.
    callgrind_annotate --inclusive=yes --auto=no --threshold=100 "$work/$1.out" 2>/dev/null |
        sed -nE 's/^ *([0-9,]+) .*:((measured|floor)_[a-z_]+)( .*)?$/\2 \1/p' | tr -d , |
        awk '!seen[$1]++' >"$work/$1" # the first is the function itself, later ones are inlined parts of it
}

# figure NAME FUNCTION FLOOR GOAL [LESS]: prints one entry; the instructions of LESS are subtracted.
figure() {
    awk -v name="$1" -v fn="$2" -v floor="$3" -v goal="$4" -v less="${5:-}" -v calls=$((rounds * calls)) '
        { n[FILENAME, $1] = $2 }
        function per_call(f, from, to) { return (n[to, f] - n[from, f]) / calls }
        END {
            a = ARGV[1]; b = ARGV[2]; c = ARGV[3]
            if (!((c, fn) in n) || !((c, floor) in n)) {
                print "bench_umd: callgrind counted nothing in " fn " or " floor > "/dev/stderr"
                exit 1
            }
            value = per_call(fn, a, b); again = per_call(fn, b, c)
            if (less != "") { value -= per_call(less, a, b); again -= per_call(less, b, c) }
            least = per_call(floor, a, b)
            printf "{\"name\": \"%s\", \"value\": %.1f, \"unit\": \"instructions/call\", \"floor\": %.1f, ", name, value, least
            printf "\"ratio\": %.2f, \"spread\": %.3f, \"goal\": %s}", value / least, (again - value) / value, goal
        }' "$work/$rounds" "$work/$((2 * rounds))" "$work/$((3 * rounds))"
}

# Instructions of the portable reference for the same call, which WDK mode must not exceed either.
declare -A goal=([dynamic_host]=656 [dynamic_guest]=656 [dynamic_wdk]=656 [update_host]=408 [update_guest]=358
    [update_wdk]=1804 [copy_host]=439 [copy_guest]=527 [copy_wdk]=527 [read_host]=431 [read_guest]=457 [read_wdk]=457
    [clear_host]=47496 [clear_guest]=47496 [clear_wdk]=47496)

for n in 1 2 3; do
    count $((n * rounds))
done
{
    figure umd.packet measured_packet floor_packet 15
    echo ,
    figure umd.draw measured_draw_tracking floor_draw 150
    echo ,
    figure umd.draw_same_state measured_draw floor_draw 150
    echo ,
    figure umd.viewport measured_viewport floor_viewport 60
    echo ,
    figure umd.redundant_state measured_topology floor_call 15
    echo ,
    figure umd.redundant_constants measured_constant_buffer floor_call null
    echo ,
    figure umd.dynamic_map measured_dynamic_map floor_dynamic_map 400 measured_write
    echo ,
    figure umd.dynamic_map_host measured_dynamic_map_host floor_dynamic_map 300 measured_write
    echo ,
    figure umd.dynamic_map_renamed measured_dynamic_map_guest floor_dynamic_map null measured_write
    echo ,
    for mode in host guest wdk; do
        figure umd.dynamic_map_flushed.$mode measured_dynamic_flushed_$mode floor_move "${goal[dynamic_$mode]}"
        echo ,
        figure umd.update_256.$mode measured_update_$mode floor_move "${goal[update_$mode]}"
        echo ,
        figure umd.copy_256.$mode measured_copy_$mode floor_move "${goal[copy_$mode]}"
        echo ,
        figure umd.read_idle.$mode measured_read_$mode floor_call "${goal[read_$mode]}"
        echo ,
        figure umd.clear_64.$mode measured_clear_$mode floor_fill "${goal[clear_$mode]}"
        echo ,
    done
    "$bench" upload
} >"$work/entries"
cat "$work/entries"
