#!/bin/bash
# functions.sh AGPU AGPU_INPROCESS FILTER: several functions in one capture. Each is decoded, replayed, unpacked and
# reduced separately, by number or one after the other, and only the faulty one differs.
set -u
agpu=$1 inprocess=$2 filter=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

complain() {
    printf 'functions: %s\n' "$@" >&2
    bad=1
}
# expect STATUS REGEX COMMAND...: runs the command; its output must have the line.
expect() {
    local expected=$1 line=$2 status=0
    shift 2
    "$@" >"$work/out" 2>&1 || status=$?
    [ $status = "$expected" ] || complain "$*: expected exit status $expected, found $status" "$(tail -n 3 "$work/out")"
    [ "$line" = "" ] || grep -qE -- "$line" "$work/out" || complain "$*: expected $line, found:" "$(tail -n 3 "$work/out")"
}
submissions() { "$agpu" decode --json "$@" | grep -c '"type":"submission"'; }

all=$work/all.cap
expect 0 'status=PASS' "$inprocess" --records --quiet --clock manual --device model --device model --device model,abi=legacy \
    --filter "$filter" --capture "$all"

# One after the other, and each by its number; cases about all functions are part of each.
expect 0 '^function 2: no difference: [1-9]' "$agpu" replay "$all"
sum=0
for n in 0 1 2; do
    expect 0 '' "$agpu" decode --function $n "$all"
    [ "$(grep -o 'recorded by .*' "$work/out" | sort -u)" = "recorded by agpu_inprocess, function 00:0$((n + 3)).0" ] ||
        complain "expected function $n to be 00:0$((n + 3)).0 alone, found:" "$(grep -o 'recorded by .*' "$work/out" | sort | uniq -c)"
    grep -q '== case ring.together.busy' "$work/out" || [ $n = 2 ] || complain "function $n: expected a case of all functions"
    expect 0 'no difference: [1-9]' "$agpu" replay --function $n "$all"
    expect 0 '' "$agpu" replay --function $n --unpack "$work/$n.cap" "$all"
    expect 0 '^no difference: [1-9]' "$agpu" replay "$work/$n.cap"
    [ "$(submissions --function $n "$all")" = "$(submissions "$work/$n.cap")" ] ||
        complain "function $n: expected as many submissions unpacked as there are"
    sum=$((sum + $(submissions "$work/$n.cap")))
done
[ "$sum" = "$(submissions "$all")" ] || complain "expected decode to show all functions, one after the other"
expect 1 'it has no records of function 7; its functions: 0, 1, 2' "$agpu" decode --function 7 "$all"
expect 1 'it has no records of function 7; its functions: 0, 1, 2' "$agpu" replay --function 7 "$all"
expect 2 'expected a number from 0 to 7' "$agpu" replay --function x "$all"

# By location instead of by number.
expect 0 'function 00:04.0$' "$agpu" decode --function 00:04.0 "$all"
expect 0 '^function 1: no difference: [1-9]' "$agpu" replay --function 00:04.0 "$all"
expect 1 'function 00:09.0; its functions: 0 at 00:03.0, 1 at 00:04.0, 2 at 00:05.0' "$agpu" replay --function 00:09.0 "$all"
expect 1 'function 00:09.0; its functions: ' "$agpu" decode --function 00:09.0 "$all"

# A part of the cases: replay has exactly the submissions that decode shows of them.
expect 0 '^function 1: no difference: [1-9]' "$agpu" replay --function 1 --case 'buffer.copy.*,!*.overlap*' "$all"
expect 0 '' "$agpu" replay --function 1 --case 'buffer.copy.*,!*.overlap*' --unpack "$work/some.cap" "$all"
expect 0 '^no difference: [1-9]' "$agpu" replay "$work/some.cap"
[ "$(submissions --function 1 --case 'buffer.copy.*,!*.overlap*' "$all")" = "$(submissions "$work/some.cap")" ] ||
    complain "expected the cases that were chosen to be unpacked"
[ "$(submissions "$work/some.cap")" -lt "$(submissions "$work/1.cap")" ] || complain "expected some of the cases, found all"
expect 1 'it has no case "no.such"' "$agpu" replay --case no.such "$all"
expect 1 'it has no case "no.such"' "$agpu" decode --case no.such "$all"
expect 1 'it has no case "no.such"' "$agpu" replay --case no.such --unpack "$work/none.cap" "$all"
[ ! -e "$work/none.cap" ] || complain "expected no file of no cases"

# Only the second function is faulty.
expect 1 'status=FAIL' "$inprocess" --records --quiet --clock manual --device model --device model,fault=copy_drops_tail \
    --filter 'buffer.copy.*' --capture "$work/wrong.cap"
expect 0 '^no difference' "$agpu" replay --function 0 "$work/wrong.cap"
expect 1 '^function 1: difference in buffer.copy' "$agpu" replay "$work/wrong.cap"
expect 1 'agpu decode --submission [0-9]+ --function 1 ' "$agpu" replay --function 1 "$work/wrong.cap"
expect 0 'submission' "$agpu" reduce "$work/wrong.cap" --function 1 --device model,fault=copy_drops_tail --seconds 1 --out "$work/reduced"
expect 0 'buffer.copy' "$agpu" reduce "$work/wrong.cap" --function 00:04.0 --case 'buffer.copy.*' --device model,fault=copy_drops_tail \
    --seconds 1 --out "$work/reduced"
expect 1 'it has no case "ring' "$agpu" reduce "$work/wrong.cap" --function 1 --case 'ring.*' --device model,fault=copy_drops_tail \
    --out "$work/none"
expect 1 '' "$agpu" reduce "$work/wrong.cap" --function 3 --device model,fault=copy_drops_tail --out "$work/none"
exit $bad
