#!/bin/bash
# bench_report.sh AGPU: report.100k: every report of a run of 100,000 records, from its results.jsonl; the floor is reading and
# writing these bytes. Each is the median of five.
set -euo pipefail
agpu=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# 30,000 cases with three records each, every 50th of which fails; 9,998 measurements.
awk 'BEGIN {
    printf "{\"seq\":0,\"t_us\":0,\"type\":\"plan\",\"id\":\"-\",\"count\":30000,\"build\":\"b\",\"device\":\"d\",\"via\":\"udp\",\"host_us\":1}\n"
    for (i = 1; i <= 30000; i++) {
        id = sprintf("group%02d.part%03d.case%05d", i % 40, i % 700, i)
        where = "\"id\":\"" id "\""
        end = ",\"via\":\"udp\",\"host_us\":" i * 100 "}\n"
        printf "{\"seq\":%d,\"t_us\":%d,\"type\":\"start\",%s,\"index\":%d%s", ++seq, i, where, i, end
        if (i % 50)
            printf "{\"seq\":%d,\"t_us\":%d,\"type\":\"log\",%s,\"level\":\"info\",\"text\":\"a line of this case\"%s", ++seq, i, where, end
        else
            printf "{\"seq\":%d,\"t_us\":%d,\"type\":\"check\",%s,\"expr\":\"row %d, mip 0\",\"file\":\"f.c\",\"line\":3,\"expected\":\"1\",\"actual\":\"2\"%s", ++seq, i, where, i % 64, end
        printf "{\"seq\":%d,\"t_us\":%d,\"type\":\"end\",%s,\"status\":\"%s\",\"us\":%d%s", ++seq, i, where, i % 50 ? "PASS" : "FAIL", i % 977, end
    }
    for (i = 0; i < 9998; i++)
        printf "{\"seq\":%d,\"t_us\":1,\"type\":\"metric\",\"id\":\"-\",\"name\":\"m%d\",\"value\":%d,\"unit\":\"ns\",\"via\":\"udp\",\"host_us\":9}\n", ++seq, i % 100, i
    printf "{\"seq\":%d,\"t_us\":9,\"type\":\"summary\",\"id\":\"-\",\"status\":\"FAIL\",\"passed\":29400,\"failed\":600,\"errors\":0,\"skipped\":0,\"timeouts\":0,\"crashed\":0,\"total\":30000,\"us\":9,\"via\":\"udp\",\"host_us\":9}\n", ++seq
}' >"$work/results.jsonl"
[ "$(wc -l <"$work/results.jsonl")" = 100000 ]

# Seconds of five times COMMAND, sorted.
times() {
    local i start
    for i in 1 2 3 4 5; do
        start=$EPOCHREALTIME
        "$@" >/dev/null || true # the run of these records failed
        printf '%d\n' $((${EPOCHREALTIME/[.,]/} - ${start/[.,]/}))
    done | sort -n
}
copy() {
    cat "$work"/results.jsonl "$work"/summary.json "$work"/*.xml "$work"/*.txt "$work"/report.html >"$work/floor"
}

mapfile -t ours < <(times "$agpu" report "$work")
[ -s "$work/report.html" ]
mapfile -t floor < <(times copy)
awk -v ours="${ours[2]}" -v first="${ours[0]}" -v last="${ours[4]}" -v floor="${floor[2]}" 'BEGIN {
    printf "[{\"name\": \"report.100k\", \"value\": %.3f, \"unit\": \"s\", \"floor\": %.3f, \"ratio\": %.1f, \"spread\": %.3f, \"goal\": 2}]\n",
        ours / 1e6, floor / 1e6, ours / floor, (last - first) / ours }'
