#!/bin/bash
# chain.sh AGPU AGPU_INPROCESS FILTER: captures, decodes and replays a run. A correct device shows no difference, a
# faulty one shows its own, and any damage to the file is reported.
set -u
# shellcheck source=tests/unit/sanitized.sh
. "${BASH_SOURCE[0]%/*}/../sanitized.sh"
agpu=$1 inprocess=$2 filter=$3
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failures=0

# expect WHAT STATUS TEXT COMMAND...: the command must exit with the status and print the text (an extended regular
# expression).
expect() {
    local what=$1 status=$2 text=$3 found
    shift 3
    "$@" >"$work/out" 2>&1
    found=$?
    if [ "$found" -ne "$status" ] || ! grep -qE -- "$text" "$work/out"; then
        echo "capture: $what: expected status $status and \"$text\", found $found and:"
        head -20 "$work/out"
        failures=$((failures + 1))
    fi
}

run() {
    "$inprocess" --records --quiet --clock manual "$@" >"$work/run" 2>&1
}

# The model repeats what the model did.
run --filter "$filter" --capture "$work/right" ||
    { echo "capture: the run failed:"; tail -5 "$work/run"; failures=1; }
expect 'the same device' 0 '^no difference: [0-9]+ cases, [0-9]+ submissions' "$agpu" replay "$work/right"
expect 'up to a submission' 0 '^no difference so far: .* 5 submissions' "$agpu" replay --until 5 "$work/right"
expect 'up to one that there is not' 1 'no submission 999999 to stop after, the last is [0-9]+' \
    "$agpu" replay --until 999999 "$work/right"
! grep -q '^no difference' "$work/out" || { echo "capture: no difference is said of what was not there:"; cat "$work/out"; failures=1; }
run --abi legacy --capture "$work/legacy"
expect 'the retired device' 0 '^no difference: [0-9]+ cases' "$agpu" replay "$work/legacy"

# Play as in the image, on memory at other addresses.
play() {
    "$inprocess" --records --quiet --clock manual "$@"
}
expect 'played' 0 'replay: [0-9]+ cases, [0-9]+ submissions' play --replay "$work/right"
expect 'played up to a submission' 0 ' 5 submissions' play --replay "$work/right" --until 5
expect 'played on a wrong device' 1 'bytes 60 to 63 of allocation [0-9]+ of submission [0-9]+' \
    play --replay "$work/right" --fault copy_drops_tail
expect 'played without fences' 1 'COMPLETED_FENCE: expected [0-9]+, found' \
    play --replay "$work/right" --fault fence_lost
expect 'the retired device, played' 1 'from the retired device' play --replay "$work/legacy"

# Interrupts by message: each one is in the file, occurs again in the replay, and is missed if it does not.
for way in msi msix; do
    [ $way = msi ] || ! sanitized "$inprocess" || continue # the same code
    run --device "model,$way=4" --interrupts $way --filter 'irq.*,fence.basics.*' --capture "$work/$way" ||
        { echo "capture: the run with $way failed:"; tail -5 "$work/run"; failures=1; }
    expect "$way again" 0 '^no difference: ' "$agpu" replay --device "model,$way=4" "$work/$way"
    "$agpu" replay --unpack "$work/$way.copy" "$work/$way" >"$work/out" 2>&1 || failures=$((failures + 1))
    expect "$way copied" 0 '^no difference: ' "$agpu" replay --device "model,$way=4" "$work/$way.copy"
    expect "$way lost" 1 'an interrupt by message: expected one' \
        "$agpu" replay --device "model,fault=message_lost,$way=4" "$work/$way"
    expect "$way printed" 0 'message by vector 0' "$agpu" decode "$work/$way"
    expect "$way as JSON" 0 '"way":"MSI' "$agpu" decode --json --case "irq.taken_$way.only" "$work/$way"
done
expect 'without messages none is missed' 0 '^no difference: ' "$agpu" replay "$work/msi"
expect 'messages, played' 0 'replay: [0-9]+ cases' play --replay "$work/msi" --device model,msi=4

# Printed text: names, tables, packets, results; as JSON; a part.
expect 'text' 0 '^0x[0-9a-f]+  COPY_BUFFER dst_buffer=' "$agpu" decode --case buffer.basics.read_back "$work/right"
expect 'registers' 0 'write RING_GPA_LO = 0x' "$agpu" decode --case ring.basics.bring_up "$work/right"
expect 'a submission' 0 'table\[0\]: allocation' "$agpu" decode --case buffer.basics.read_back "$work/right"
expect 'a submission that there is not' 1 'has no submission 999999' "$agpu" decode --submission 999999 "$work/right"
[ "$(wc -l <"$work/out")" = 1 ] || { echo "capture: more than that a submission is not there:"; head "$work/out"; failures=1; }
expect 'one submission' 0 'submission 5: fence' "$agpu" decode --submission 5 "$work/right"
[ "$(grep -cE '== case| device [0-9A-F]{4}:' "$work/out")" = 2 ] ||
    { echo 'capture: one submission: expected its device and its case alone, found:'; grep -E '== case| device [0-9A-F]{4}:' "$work/out" | head; failures=1; }
for number in -1 0 5x 99999999999999999999; do
    expect "submission $number" 2 "--submission \"$number\": expected the number of a submission, from 1" \
        "$agpu" decode --submission "$number" "$work/right"
    expect "up to $number" 2 "--until \"$number\": expected the number of a submission, from 1" "$agpu" replay --until "$number" "$work/right"
done
expect 'JSON' 0 '"type":"submission"' "$agpu" decode --json --case buffer.basics.read_back "$work/right"
ends() { # STATUS: the last object of the output must report this end of its file
    grep -v '^agpu decode: ' "$work/out" | tail -n 1 | grep -q "^{\"end\":{\"status\":\"$1\",\"records\":[0-9]*,\"bytes\":[0-9]*,\"text\":" ||
        { echo "capture: expected a last object that says $1, found:"; tail -n 2 "$work/out" | cut -c 1-300; failures=1; }
}
ends whole

# A faulty device against a correct capture, and the other way round.
expect 'memory' 1 'bytes 60 to 63 of allocation [0-9]+, which backs buffer [0-9]+ of 65536 bytes' \
    "$agpu" replay --fault copy_drops_tail "$work/right"
expect 'a fence' 1 'COMPLETED_FENCE: expected [0-9]+, found' "$agpu" replay --fault fence_lost "$work/right"
expect 'the fence page' 1 'of the fence page' "$agpu" replay --fault no_fence_page "$work/right"
run --filter 'buffer.*' --fault copy_drops_tail --capture-failures "$work/failures"
expect 'a capture of failures' 1 'difference in buffer\..*submission [0-9]+ \(fence [0-9]+\)' \
    "$agpu" replay "$work/failures"
expect 'the fault that was captured' 0 '^no difference' "$agpu" replay --fault copy_drops_tail "$work/failures"

# No failure, so nothing is stored.
run --filter 'buffer.basics.*' --capture-failures "$work/none"
expect 'a capture of no failure' 1 'it has no device: complete: 0 records' "$agpu" replay "$work/none"

# Incomplete and changed files.
head -c 100000 "$work/right" >"$work/cut"
expect 'a cut file' 1 'is not complete: it ends at byte 100000' "$agpu" replay "$work/cut"
# A difference before the cut is reported, and so is the cut.
head -c -1000 "$work/right" >"$work/cut_behind"
expect 'a difference, and the cut' 1 'is not complete: it ends at byte [0-9]+ within' "$agpu" replay --fault fence_lost "$work/cut_behind"
grep -q '^difference in ' "$work/out" || { echo "capture: a difference before the cut is not said:"; head -20 "$work/out"; failures=1; }
expect 'reduced before the cut' 0 'is not complete: it ends at byte [0-9]+ within' \
    "$agpu" reduce --device model,fault=no_fence_page --case ring.submit.empty --out "$work/reduced" "$work/cut_behind"
{ head -c 60000 "$work/right"; printf 'X'; tail -c +60002 "$work/right"; } >"$work/changed"
expect 'a changed file' 1 'block at byte [0-9]+ (does not unpack|does not match the checksum)' "$agpu" replay "$work/changed"
printf 'no capture at all' >"$work/text"
expect 'a cut file, printed' 1 'is not complete: it ends at byte 100000' "$agpu" decode --case none "$work/cut"
expect 'a cut file, as JSON' 1 '"end":\{"status":"cut","records":[1-9][0-9]*,"bytes":100000,"text":"the capture is not complete' \
    "$agpu" decode --json "$work/cut"
ends cut
expect 'a changed file, as JSON' 1 'block at byte' "$agpu" decode --json "$work/changed"
ends wrong
expect 'another file, as JSON' 1 '"problem"' "$agpu" decode --json "$work/text"
ends whole
expect 'no file, as JSON' 1 'No such file' "$agpu" decode --json "$work/missing"
ends unread
expect 'a cut file, played' 1 'status=ERROR' play --replay "$work/cut"
expect 'a cut file, unpacked' 1 'is not complete: it ends at byte 100000' "$agpu" replay --unpack "$work/out2" "$work/cut"
expect 'unpacked' 0 'that the image plays' "$agpu" replay --unpack "$work/stored" "$work/right"
expect 'the same, unpacked' 0 '^no difference: [0-9]+ cases' "$agpu" replay "$work/stored"
expect 'another file' 1 'not a capture: expected a file that begins with "AGPUCAP"' "$agpu" replay "$work/text"
expect 'no file' 1 'No such file' "$agpu" replay "$work/missing"
expect 'two devices' 2 'cannot be combined' "$agpu" replay --fault fence_lost --device /x "$work/right"

[ "$failures" -eq 0 ]
