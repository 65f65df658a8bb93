#!/bin/bash
# devices.sh AGPU_INPROCESS: tests runs on several functions of one machine: each with its own plan, cases and verdict,
# and then all at once. Reports name a faulty function, and a selected one that does not exist.
set -u
program=$1
bad=0

complain() {
    printf 'devices: %s\n' "$@" >&2
    bad=1
}
# expect STATUS OPTIONS...: runs, checks the exit status, and stores the output in $output.
expect() {
    local expected=$1 status=0
    shift
    output=$("$program" --records --clock manual "$@" 2>&1) || status=$?
    [ $status = "$expected" ] || complain "$*: expected exit status $expected, found $status" "$(tail -n 3 <<<"$output")"
}
has() { # REGEX
    grep -qE -- "$1" <<<"$output" || complain "expected a record like: $1, found:" "$(grep -E ';(plan|summary) ' <<<"$output")"
}

expect 0 --device model --device model --device model,abi=legacy --filter 'ring.submit.*,ring.legacy.*,*.together.*'
for at in 00:03.0 00:04.0 00:05.0 together; do
    has ";plan - at=$at count=[1-9]"
    has ";summary - device=$at status=PASS "
done
has ';summary - status=PASS '
has ';plan - at=together count=8 .*device="A3A0:0001 00:03.0 \+ A3A0:0001 00:04.0 \+ 1AED:0001 00:05.0"'
without=$(grep -E ';(start|check|end|metric|choice|heartbeat|artifact) ' <<<"$output" | grep -v ' device=')
[ -z "$without" ] || complain "expected the device in every record of a case, found:" "$without"

# One of two is faulty: the other one passes, the whole run fails.
expect 1 --device model --device model,fault=copy_drops_tail --filter 'buffer.copy.*,*.together.*'
has ';summary - device=00:03.0 status=PASS '
has ';summary - device=00:04.0 status=FAIL '
has ';end buffer.together.same_handles device=together status=FAIL .*reason="00:04.0: '
has ';summary - status=FAIL '

# Selection by identity and by location; one that does not exist is reported as an error.
expect 0 --device model,abi=legacy --device model --select a3a0:0001 --filter 'ring.*submit*'
has ';summary - device=00:04.0 status=PASS '
! grep -q 'device=00:03.0' <<<"$output" || complain "expected the legacy device to be left alone"
expect 1 --device model --device model --select 00:04.0,00:1f.7 --filter 'ring.submit.*'
has ';end discovery.function.usable device=00:1f.7 status=ERROR .*names no AeroGPU function of this machine; there are: A3A0:0001 00:03.0, A3A0:0001 00:04.0'
has ';summary - device=00:04.0 status=PASS '
has ';summary - status=ERROR '

# No case is left for one of them: that is an error for this one only, and the run is no PASS.
expect 1 --device model --device model,abi=legacy --filter ring.submit.empty
has ';summary - device=00:03.0 status=PASS '
has ';plan - at=00:04.0 count=1 .*device="1AED:0001 00:04.0'
has ';end discovery.filter.selects device=00:04.0 status=ERROR .*reason="no case is left for 1AED:0001 00:04.0 .*filter=ring.submit.empty"'
has ';summary - device=00:04.0 status=ERROR '
has ';summary - status=ERROR passed=1 skipped=0 errors=1 failed=0 '
! grep -q '=together' <<<"$output" || complain "expected nothing about cases that nobody asked for"
# The error names tags and shard too; if no function has cases, each is reported.
expect 1 --device model,abi=legacy --device model --filter 'ring.submit.*,*.together.*' --tag '!stress' --shard 1/1
has ';end discovery.filter.selects device=00:03.0 status=ERROR .*: tags=!stress shard=1/1 filter=ring'
has ';summary - device=together status=PASS '
expect 2 --device model --device model --filter no.such
# The registers of a function, not its identity, determine its cases.
expect 0 --device model --device model,abi=legacy-as-a3a0 --filter 'ring.submit.empty,ring.legacy.*'
has ';summary - device=00:04.0 status=PASS passed=[1-9]'
# expect= has one word for each function, in order.
has ';plan - at=00:03.0 .* expect=abi=1.4 '
has ';plan - at=00:04.0 .* expect=abi=legacy '
expect 1 --device model --device model,abi=legacy-as-a3a0 --expect abi=legacy,abi=1.4 --filter 'ring.submit.empty,ring.legacy.*'
has ';summary - device=00:03.0 status=FAIL passed=1 skipped=0 '
# Only cases about several functions are selected: no function needs one of its own.
expect 0 --device model --device model,abi=legacy --filter '*.together.*'
has ';summary - device=together status=PASS '
! grep -qE 'filter.selects|device=00:0' <<<"$output" || complain "expected the cases about several alone"

# One function: the cases about several are skipped, which is acceptable.
expect 0 --select all --filter 'ring.submit.*,*.together.*'
has ';end ring.together.busy device=00:03.0 status=SKIP .*skip=functions '
exit $bad
