#!/bin/bash
# devices.sh AGPU_INPROCESS: several functions in one machine, each with its own plan, cases and verdict, and then all at
# once; a wrong one is named, and so is one that is not there.
set -u
program=$1
bad=0

complain() {
    printf 'devices: %s\n' "$@" >&2
    bad=1
}
# expect STATUS OPTIONS...: runs, and leaves the output in $output.
expect() {
    local expected=$1 status=0
    shift
    output=$("$program" --clock manual "$@" 2>&1) || status=$?
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

# One of two is wrong: the other is not blamed, the sum is.
expect 1 --device model --device model,fault=copy_drops_tail --filter 'buffer.copy.*,*.together.*'
has ';summary - device=00:03.0 status=PASS '
has ';summary - device=00:04.0 status=FAIL '
has ';end buffer.together.same_handles device=together status=FAIL .*reason="00:04.0: '
has ';summary - status=FAIL '

# Picked by identity, by location; what is not there is an error by its name.
expect 0 --device model,abi=legacy --device model --select a3a0:0001 --filter 'ring.*submit*'
has ';summary - device=00:04.0 status=PASS '
! grep -q 'device=00:03.0' <<<"$output" || complain "expected the legacy device to be left alone"
expect 1 --device model --device model --select 00:04.0,00:1f.7 --filter 'ring.submit.*'
has ';end discovery.function.usable device=00:1f.7 status=ERROR .*names no AeroGPU function of this machine; there are: A3A0:0001 00:03.0, A3A0:0001 00:04.0'
has ';summary - device=00:04.0 status=PASS '
has ';summary - status=ERROR '

# No case is left for one of them: it is named, and no part of a PASS; the others are judged as ever.
expect 1 --device model --device model,abi=legacy --filter ring.submit.empty
has ';summary - device=00:03.0 status=PASS '
has ';plan - at=00:04.0 count=1 .*device="1AED:0001 00:04.0'
has ';end discovery.filter.selects device=00:04.0 status=ERROR .*reason="no case is left for 1AED:0001 00:04.0 .*filter=ring.submit.empty"'
has ';summary - device=00:04.0 status=ERROR '
has ';summary - status=ERROR passed=1 skipped=0 errors=1 failed=0 '
! grep -q '=together' <<<"$output" || complain "expected nothing about cases that nobody asked for"
# Of tags and a shard it says so too; of none, each does.
expect 1 --device model,abi=legacy --device model --filter 'ring.submit.*,*.together.*' --tag '!stress' --shard 1/1
has ';end discovery.filter.selects device=00:03.0 status=ERROR .*: tags=!stress shard=1/1 filter=ring'
has ';summary - device=together status=PASS '
expect 2 --device model --device model --filter no.such
# Which cases are for one is told by its registers, not by its identity.
expect 0 --device model --device model,abi=legacy-as-a3a0 --filter 'ring.submit.empty,ring.legacy.*'
has ';summary - device=00:04.0 status=PASS passed=[1-9]'
# What each must be is stated one by one, and another order is wrong.
has ';plan - at=00:03.0 .* expect=abi=1.4 '
has ';plan - at=00:04.0 .* expect=abi=legacy '
expect 1 --device model --device model,abi=legacy-as-a3a0 --expect abi=legacy,abi=1.4 --filter 'ring.submit.empty,ring.legacy.*'
has ';summary - device=00:03.0 status=FAIL passed=1 skipped=0 '
# Nothing but cases about several: no function needs one of its own.
expect 0 --device model --device model,abi=legacy --filter '*.together.*'
has ';summary - device=together status=PASS '
! grep -qE 'filter.selects|device=00:0' <<<"$output" || complain "expected the cases about several alone"

# One function: the cases about several are skipped, and that is fine.
expect 0 --select all --filter 'ring.submit.*,*.together.*'
has ';end ring.together.busy device=00:03.0 status=SKIP .*skip=functions '
exit $bad
