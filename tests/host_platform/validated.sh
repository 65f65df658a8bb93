#!/bin/bash
# validated.sh PROGRAM: runs the whole catalogue in-process under VK_LAYER_KHRONOS_validation. Fails if the layer reports
# anything, also in a case that expects an error; if a case fails; or if a case that draws was skipped, because without
# the layer or the driver nothing would be validated. Uses simulated time, so that a busy machine fails no case.
set -u
program=${1:?the program agpu_inprocess}
output=$(AGPU_RENDER_VALIDATE=1 "$program" --records --clock manual 2>&1)
status=$?
bad=0

# complain TEXT EVIDENCE: reports an error with at most 20 lines of evidence.
complain() {
    echo "validated: $1"
    printf '%s\n' "$2" | head -n 20
    bad=1
}

[ $status -eq 0 ] ||
    complain "expected exit status 0, found $status" "$(grep -E ';(check|end|log) ' <<<"$output" | grep -v status=PASS)"
said=$(grep -F 'validation: ' <<<"$output")
[ -z "$said" ] || complain "expected no message of the layer, found:" "$said"
skipped=$(grep -E ';end (render|compute)\.[^ ]* .*status=SKIP' <<<"$output")
[ -z "$skipped" ] ||
    complain "expected every rendering case to draw, found these skipped: is the layer here? (tests/deps installs it)" \
        "$skipped"
drawn=$(grep -cE ';end (render|compute)\.[^ ]* .*status=PASS' <<<"$output")
[ "$drawn" -gt 0 ] || complain "expected cases that draw, found none" "$output"
[ $bad -ne 0 ] || echo "validated: $drawn rendering cases, no message"
exit $bad
