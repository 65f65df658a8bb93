#!/bin/bash
# figures.sh AGPU_INPROCESS FIGURES: checks that the case named in each row of figures.def measures that figure, in a unit
# that the parser of records accepts, and that perf.* measures no figure without a row.
set -u
program=$1 figures=$2
bad=0

complain() {
    printf 'figures: %s\n' "$*" >&2
    bad=1
}

# With all ways of interrupts, on the real clock.
output=$("$program" --records --clock real --as any --device model,msi=4,msix=8 --filter 'perf.*' 2>&1)
status=$?
[ $status = 0 ] || complain "perf.*: expected exit status 0, found $status: $(grep -E ';(check|end) .*(FAIL|ERROR|expr=)' <<<"$output")"

rows=$(sed -nE 's|^AGPU_FIGURE\(([A-Za-z0-9_]+), "([^"]+)", (ONE\|MANY), "([a-z.]+)".*|\1 \2 \3 \4|p' "$figures")
[ "$(grep -c '^AGPU_FIGURE(' "$figures")" = "$(wc -l <<<"$rows")" ] || complain "$figures has rows that this test cannot read"
while read -r name unit form id; do
    [[ $unit =~ ^[A-Za-z0-9%/]{1,16}$ ]] || complain "$name: unit \"$unit\" is none that a record may have"
    case $name in
    boot_entry_us) continue ;; # a process was not reset
    esac
    [ "$form" = ONE ] || name+=_p50
    grep -qE ";metric $id name=$name value=[0-9]+ unit=\"?$unit\"?\$" <<<"$output" ||
        complain "expected a metric $name in $unit of $id, found none"
done <<<"$rows"

for name in $(grep -oE ';metric perf\.[a-z.]+ name=[A-Za-z0-9_]+' <<<"$output" | sed 's/.*name=//' | sort -u); do
    base=$(sed -E 's/_(min|p10|p50|p90|p99|max|count)$//' <<<"$name")
    case $name in
    interrupts_taken | interrupts_spurious) continue ;; # of every case that takes interrupts
    esac
    grep -qE "^($base|$name) " <<<"$rows" || complain "$name is measured, and no row of $figures names it"
done
exit $bad
