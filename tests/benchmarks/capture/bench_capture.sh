#!/usr/bin/env bash
# bench_capture.sh BENCH_DECODE AGPU_INPROCESS [AGPU IMAGE]: prints the figures of captures as a JSON list: bytes of stream printed
# a second, and what the whole catalogue costs with a capture of every submission against without, by turns: wall time, and
# processor time of all processes; in one process, and, where there are AGPU and IMAGE, in QEMU. BENCH_CAPTURE_FILTER: some cases.
set -euo pipefail
bench=${1:?usage: bench_capture.sh BENCH_DECODE AGPU_INPROCESS [AGPU IMAGE]} inprocess=${2:?} agpu=${3-} image=${4-}
filter=${BENCH_CAPTURE_FILTER:-*}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# seconds COMMAND...: runs it; prints wall time and processor time.
seconds() {
    local TIMEFORMAT='%R %U %S'
    { time "$@" >"$work/out" 2>&1; } 2>"$work/time" || { tail -5 "$work/out" >&2 && return 1; }
    awk '{ print $1, $2 + $3 }' "$work/time"
}

# figures NAME TURNS CAPTURE COMMAND...: NAME.cost (wall) and NAME.cpu of the command with the word CAPTURE behind it and without.
# By the turn with the median ratio; least: the shortest of all with it against the shortest without, which says most where others
# use the machine, too.
figures() {
    local name=$1 turns=$2 turn
    local -a capture

    read -r -a capture <<<"$3"
    shift 3
    for ((turn = 0; turn < turns; turn++)); do
        echo "$(seconds "$@") $(seconds "$@" "${capture[@]}")"
    done >"$work/turns"
    for kind in cost:1 cpu:2; do
        awk -v k="${kind#*:}" '{ printf "%.4f %s %s\n", $(k + 2) / $k, $(k + 2), $k }' "$work/turns" | sort -n | awk -v name="$name.${kind%:*}" '
            { ratio[NR] = $1; captured[NR] = $2; plain[NR] = $3 }
            NR == 1 || $2 < least { least = $2 }
            NR == 1 || $3 < least_plain { least_plain = $3 }
            END {
                m = int((NR + 1) / 2)
                printf ",{\"name\": \"%s\", \"value\": %.3f, \"unit\": \"s\", \"floor\": %.3f, \"ratio\": %.3f, ", name, captured[m], plain[m], ratio[m]
                printf "\"least\": %.3f, ", least / least_plain
                printf "\"spread\": %.3f, \"goal\": 1.1}\n", (ratio[NR] - ratio[1]) / ratio[m]
            }'
    done
}

times=$("$bench")
echo "${times%]}"
figures capture 5 "--capture $work/capture" "$inprocess" --quiet --clock manual --filter "$filter"
if [ -n "${AGPU_QEMU-}" ] && [ -n "$agpu" ] && [ -e "$image" ]; then
    figures capture.qemu 3 --capture "$agpu" run --image "$image" --accel tcg --out "$work/results" --filter "$filter"
fi
echo ']'
