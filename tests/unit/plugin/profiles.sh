#!/bin/bash
# profiles.sh INPROCESS AGPU: devices that execute less than the specification says pass as what they are (--require),
# fail as more, and go through every tool.
set -euo pipefail
inprocess=$1 agpu=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run() { # STATUS COMMAND...
    local status=0
    "${@:2}" >"$work/out" 2>&1 || status=$?
    [ $status = "$1" ] && return
    echo "profiles.sh: ${*:2}: exit status $status, expected $1" >&2
    tail -n 30 "$work/out" >&2
    exit 1
}
says() { # TEXT
    grep -qF -- "$1" "$work/out" || {
        echo "profiles.sh: expected: $1, found:" >&2
        tail -n 30 "$work/out" >&2
        exit 1
    }
}
on() { # STATUS EXECUTOR REQUIRED OPTIONS...
    run "$1" "$inprocess" --quiet --clock manual --as any --device "model,executor=$2,render=off" --require "$3" "${@:4}"
}
some='ring.*,fence.*,irq.*,buffer.*,texture.view.*'

on 0 none fences --out "$work/fences"
on 0 software software,-raster --out "$work/software"
for word in 'no texture views' 'clears the first target only' 'copies 32-bit formats only'; do
    grep -qF "$word" "$work/software/report.html" || {
        echo "profiles.sh: the report does not say: $word" >&2
        exit 1
    }
done
# Less than the profile is a failure, and what is not required is not.
on 1 none software,-raster --filter "$some"
says 'no bytes come back'
on 1 software software,-raster,views --filter 'texture.*'
says 'texture views is required of this device'
on 1 software complete,-raster --filter 'buffer.*,texture.*'
for ability in 'texture views' 'formats without 32 bits'; do
    says "$ability is required of this device"
done

for executor in none software; do
    device=model,executor=$executor,render=off
    on 0 $executor "$([ $executor = none ] && echo fences || echo software,-raster)" --filter 'ring.*,irq.*' --capture "$work/capture"
    run 0 "$agpu" replay --device "$device" "$work/capture"
    run 0 "$agpu" compare --inprocess "$inprocess" --device "$device" --device "$device" --random 300 --filter 'ring.submit.empty' --abi 1.4
done
# What one of them lacks is found, and reduced.
run 0 "$inprocess" --quiet --clock manual --filter buffer.copy.writeback_exact --capture "$work/capture"
run 1 "$agpu" replay --device model,executor=none "$work/capture"
says 'difference in buffer.copy.writeback_exact'
run 0 "$agpu" reduce "$work/capture" --device model,executor=none --out "$work/reduced"
run 0 "$agpu" report "$work/software" --out "$work/report"
