#!/bin/bash
# no_driver.sh PROGRAM: runs the whole catalogue in-process without a Vulkan driver. Cases that draw are skipped for that
# reason, all others pass.
set -u
program=${1:?the program agpu_inprocess}
export VK_ICD_FILENAMES=/nonexistent.json VK_DRIVER_FILES=/nonexistent.json
output=$("$program" --records --clock manual --require default,-raster 2>&1)
status=$?
bad=0

# complain TEXT EVIDENCE: reports an error with at most 20 lines of evidence.
complain() {
    echo "no_driver: $1"
    printf '%s\n' "$2" | head -n 20
    bad=1
}

[ $status -eq 0 ] ||
    complain "expected exit status 0, found $status" "$(grep -E ';(check|end) ' <<<"$output" | grep -v status=PASS)"
grep -qE ';end render\.triangle\.whole_target status=SKIP .*no Vulkan driver' <<<"$output" ||
    complain "expected the triangle to be skipped for want of a driver, found:" "$(grep -F render.triangle <<<"$output")"
others=$(grep -F ' status=SKIP ' <<<"$output" |
    grep -vE 'no Vulkan driver| skip=(interrupts|capability|functions|bridge) |;summary ')
[ -z "$others" ] || complain "expected no other reason to skip, found:" "$others"
# With drawing required the device fails, because it answers draws with ERROR_BACKEND.
required=$("$program" --records --clock manual --quiet --filter 'render.draws.*' 2>&1)
grep -qE ';end render\.draws\.required status=FAIL ' <<<"$required" ||
    complain "expected render.draws.required to fail on a device that has to draw, found:" "$required"
elsewhere=$(grep -E ';end (ring|vidmm|copy|texture|umd)\..* status=PASS ' <<<"$output" | wc -l)
[ "$elsewhere" -gt 0 ] || complain "expected cases that need no draws to pass, found none" "$(tail -n 1 <<<"$output")"
exit $bad
