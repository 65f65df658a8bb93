#!/bin/bash
# reduce.sh AGPU INPROCESS BAD: `agpu reduce` from outside. Captures a failing case and reduces it. The reduced capture
# fails as before on the faulty device, and passes on the model.
set -euo pipefail
# shellcheck source=tests/unit/sanitized.sh
. "${BASH_SOURCE[0]%/*}/../sanitized.sh"
agpu=$1 inprocess=$2 bad=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "reduce.sh: $*" >&2
    cat "$work/out" >&2
    exit 1
}
# run STATUS PROGRAM ARGUMENTS...
run() {
    local status=0
    timeout 120 "${@:2}" >"$work/out" 2>&1 || status=$?
    [ "$status" = "$1" ] || fail "${*:2}: exit status $status, expected $1"
}
says() {
    grep -qF -- "$1" "$work/out" || fail "expected: $1"
}

# chain FAULT CASE MOST: at most this many packets may be left.
chain() {
    run 1 "$inprocess" --records --quiet --clock manual --fault "$1" --filter "$2" --capture "$work/run.cap"
    run 0 "$agpu" reduce "$work/run.cap" --device "model,fault=$1" --seconds 600 --out "$work/least"
    local packets
    packets=$(sed -n 's/.*the smallest that fails: .*, \([0-9]*\) packets.*/\1/p' "$work/out")
    [ "$packets" -le "$3" ] || fail "$1: $packets packets are left, expected $3 at most"
    run 0 "$agpu" replay "$work/least.cap"
    run 1 "$agpu" replay --fault "$1" "$work/least.cap"
    says 'difference in reduced'
    [ -s "$work/least.c" ] || fail "$1: no case was written"
    run 0 "$agpu" decode "$work/least.cap"
}
if ! sanitized "$inprocess"; then # one is enough for the sanitizers
    chain copy_drops_tail buffer.copy.writeback_exact 4
    chain clear_swaps_rb 'render.clear.rgba' 8
fi
chain dirty_ignored 'buffer.dirty.*' 6

run 1 "$agpu" reduce "$work/least.cap" --device model --out "$work/none"
says 'expected a difference'
run 1 "$agpu" reduce "$work/least.cap" --device model --case none
says 'it has no case "none"'

# Cut and damaged files: no incomplete case is used, the problem of the file is reported, and nothing is written. A case
# that was complete before the damage is used.
bytes=$(stat -c %s "$work/least.cap")
for cut in 200 $((bytes / 3)) $((bytes / 2)) $((bytes - 50)); do
    head -c $cut "$work/least.cap" >"$work/cut.cap"
    run 1 "$agpu" reduce "$work/cut.cap" --device model,fault=dirty_ignored --out "$work/half"
    says 'the capture is not complete: it ends at byte'
done
cp "$work/least.cap" "$work/changed.cap"
printf '\x55\xAA' | dd of="$work/changed.cap" bs=1 seek=$((bytes / 2)) conv=notrunc status=none
run 1 "$agpu" reduce "$work/changed.cap" --device model,fault=dirty_ignored --out "$work/half"
says 'the block at byte 16'
[ ! -e "$work/half.cap" ] && [ ! -e "$work/half.c" ] || fail 'half a case was taken'
run 1 "$inprocess" --records --quiet --clock manual --fault copy_drops_tail --filter 'buffer.copy.*' --capture "$work/many.cap"
bytes=$(stat -c %s "$work/many.cap")
head -c $((bytes / 2)) "$work/many.cap" >"$work/cut.cap"
run 0 "$agpu" reduce "$work/cut.cap" --device model,fault=copy_drops_tail --seconds 2
[ ! -e reduced.cap ] || fail 'the result is in the current directory, expected it beside the capture'
run 0 "$agpu" replay "$work/reduced.cap"
run 1 "$agpu" reduce "$inprocess" --device model
says 'not a capture'
run 1 "$agpu" reduce "$work/nothing.cap" --device model
run 1 "$agpu" reduce "$work/least.cap" --device "$work/nothing.so"
run 1 "$agpu" reduce "$work/least.cap" --device model,abi=legacy
says 'retired'
run 2 "$agpu" reduce "$work/least.cap"
run 2 "$agpu" reduce --device model
run 2 "$agpu" reduce "$work/least.cap" --device model --seconds x
says 'expected a number'
run 2 "$agpu" reduce "$work/least.cap" --device model --hang 0
says '--hang 0: expected a number of seconds from 1 to 3600'
run 2 "$agpu" reduce "$work/least.cap" --device model --seconds 18446744074
says '--seconds 18446744074: expected a number of seconds from 1 to 1000000'

if ! sanitized "$inprocess"; then # as above
    # One of the first sessions shows the fault.
    found=
    for session in 0 1 2 3 4 5; do
        if "$agpu" reduce --session $session --device model,fault=upload_shifted --out "$work/random" >"$work/out" 2>&1; then
            found=$session
            break
        fi
    done
    [ -n "$found" ] || fail 'no session shows upload_shifted'
    says "session $found of seed 1"
    run 0 "$agpu" replay "$work/random.cap"
    run 1 "$agpu" replay --fault upload_shifted "$work/random.cap"
fi

# Absurd DMA as the only difference: it is reduced, and this and a replay of the result fail. The model plays it without
# a message.
export AGPU_BAD_DEVICE=dma
run 1 "$agpu" reduce --session 0 --device "$bad" --out "$work/absurd"
says 'the smallest that fails: 1 steps'
says "agpu reduce: ERROR: B, $bad: device minimal asked for absurd DMA: to write 18446744073709551615 bytes"
run 1 "$agpu" replay --device "$bad" "$work/absurd.cap"
says 'no difference: 1 cases'
says 'agpu replay: ERROR: device minimal asked for absurd DMA, more than 2^52 bytes at once'
run 0 "$agpu" replay "$work/absurd.cap"

# The reports of a comparison under the sanitizers too; compare.sh checks their contents.
run 1 "$agpu" compare --inprocess "$inprocess" --device model --device model,fault=copy_drops_tail --random 0 \
    --filter 'buffer.copy.writeback_exact' --json "$work/compare.json" --html "$work/compare.html"
[ -s "$work/compare.json" ] && [ -s "$work/compare.html" ] || fail 'expected two reports'
