#!/bin/bash
# bench_wire.sh AGPU IMAGE: throughput and latency of the network: the image in QEMU with a hook in place of a case
# (efi/measure.h), with a static address and with DHCP. The best of three runs each.
set -euo pipefail
agpu=$1 image=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case_id=discovery.identity.vendor_device

# measure NAME OPTION...: writes the figures of three runs, one line each, to $work/NAME.
measure() {
    local name=$1 i
    shift
    for i in 1 2 3; do
        "$agpu" run --out "$work/$name$i" --accel tcg --image "$image" --filter "$case_id" "$@" >"$work/log" 2>&1 ||
            { cat "$work/log" >&2 && return 1; }
        sed -n 's/^ *"\(wire_[a-z]*\|entry_to_first_record_s\)": \([0-9.]*\),*$/\1 \2/p' "$work/$name$i/summary.json"
    done >"$work/$name"
}

measure static --cfg ip=10.0.2.15/24 --cfg "test_hook=wire:$case_id"
measure dhcp --cfg ip=dhcp

cat "$work/static" <(sed 's/^entry/dhcp_entry/' "$work/dhcp") | awk '
    { if (!($1 in n) || ($1 ~ /frames|udp|tcp/ ? $2 > best[$1] : $2 < best[$1])) best[$1] = $2
      if (!($1 in n) || $2 > most[$1]) most[$1] = $2
      if (!($1 in n) || $2 < least[$1]) least[$1] = $2
      n[$1]++ }
    function spread(key) { return best[key] > 0 ? (most[key] - least[key]) / best[key] : 0 }
    function figure(name, key, unit, floor, goal, scale) {
        printf "%s{\"name\": \"%s\", \"value\": %.3f, \"unit\": \"%s\", \"floor\": %s, \"ratio\": %s, \"spread\": %.3f, \"goal\": %s}",
            sep, name, best[key] * scale, unit, (floor > 0 ? sprintf("%.0f", floor) : "null"),
            (floor > 0 ? sprintf("%.3f", best[key] / floor) : "null"), spread(key), goal
        sep = ",\n "
    }
    END {
        if (n["wire_frames"] != 3 || n["dhcp_entry_to_first_record_s"] != 3) { print "bench_wire: figures are missing" > "/dev/stderr"; exit 1 }
        sep = "["
        figure("stream.udp", "wire_udp", "records/s", best["wire_frames"], 0.5, 1)
        figure("stream.tcp", "wire_tcp", "records/s", best["wire_frames"], 0.5, 1)
        figure("stream.megabyte", "wire_megabyte", "s", 0, 0.2, 0.001)
        figure("stream.first_static", "entry_to_first_record_s", "s", 0, 0.3, 1)
        figure("stream.first_dhcp", "dhcp_entry_to_first_record_s", "s", 0, 1.5, 1)
        print "]"
    }'
