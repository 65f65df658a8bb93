#!/usr/bin/env bash
# bench_capture.sh BENCH_DECODE AGPU_INPROCESS [AGPU IMAGE]: prints the figures of captures as a JSON list: bytes of
# stream printed per second, and the cost of the whole catalogue with a capture of every submission against without, by
# turns. The cost is wall time, and processor time of all processes; in one process, and with AGPU and IMAGE also in
# QEMU. BENCH_CAPTURE_FILTER selects cases.
set -euo pipefail
bench=${1:?usage: bench_capture.sh BENCH_DECODE AGPU_INPROCESS [AGPU IMAGE]} inprocess=${2:?} agpu=${3-} image=${4-}
filter=${BENCH_CAPTURE_FILTER:-*}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# seconds COMMAND...: runs the command; prints wall time and processor time.
seconds() {
    local TIMEFORMAT='%R %U %S'
    { time "$@" >"$work/out" 2>&1; } 2>"$work/time" || { tail -5 "$work/out" >&2 && return 1; }
    awk '{ print $1, $2 + $3 }' "$work/time"
}

# figures NAME TURNS GOAL CAPTURE COMMAND...: NAME.cost (wall) and NAME.cpu of the command with and without the words
# CAPTURE, by turns. Uses the shortest time of each, because other load can only add to it. median and spread are of the
# ratios of the turns. GOAL: of the ratio; null for none.
figures() {
    local name=$1 turns=$2 goal=$3 turn
    local -a capture

    read -r -a capture <<<"$4"
    shift 4
    for ((turn = 0; turn < turns; turn++)); do
        echo "$(seconds "$@") $(seconds "$@" "${capture[@]}")"
    done >"$work/turns"
    for kind in cost:1 cpu:2; do
        awk -v k="${kind#*:}" '{ printf "%.4f %s %s\n", $(k + 2) / $k, $(k + 2), $k }' "$work/turns" | sort -n |
            awk -v name="$name.${kind%:*}" -v goal="$goal" '
            { ratio[NR] = $1 }
            NR == 1 || $2 < captured { captured = $2 }
            NR == 1 || $3 < plain { plain = $3 }
            END {
                m = int((NR + 1) / 2)
                printf ",{\"name\": \"%s\", \"value\": %.3f, \"unit\": \"s\", \"floor\": %.3f, \"ratio\": %.3f, ", name, captured, plain, captured / plain
                printf "\"median\": %.3f, \"spread\": %.3f, ", ratio[m], (ratio[NR] - ratio[1]) / ratio[m]
                printf "\"goal\": %s}\n", goal
            }'
    done
}

times=$("$bench")
echo "${times%]}"
# The goal applies to the image: there the driver under test runs, and a user waits for it. In one process the device
# answers at once, so the same work is a larger part.
figures capture 7 null "--capture $work/capture" "$inprocess" --records --quiet --clock manual --filter "$filter"
if [ -n "${AGPU_QEMU-}" ] && [ -n "$agpu" ] && [ -e "$image" ]; then
    figures capture.qemu 5 1.1 --capture "$agpu" run --image "$image" --accel tcg --out "$work/results" --filter "$filter"
fi
echo ']'
