#!/bin/bash
# profiles.sh INPROCESS AGPU DEVICES...: models that execute less than the specification says pass as what they are
# (--require), and fail as more. They and the other devices go through every tool.
set -euo pipefail
inprocess=$1 agpu=$2
shift 2
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

# Every tool on a device of each kind: DEVICE REQUIRED ABI CASE; the case needs what the device lacks.
tools() {
    local device=$1 case=$4
    run 0 "$inprocess" --quiet --clock manual --as any --device "$device" --require "$2" --expect "abi=$3" --filter 'ring.*,irq.*' \
        --capture "$work/capture" --out "$work/results"
    run 0 "$agpu" report "$work/results" --out "$work/report"
    run 0 "$agpu" replay --device "$device" "$work/capture"
    run 0 "$agpu" compare --inprocess "$inprocess" --device "$device" --device "$device" --random 300 --filter ring.submit.empty
    # What it lacks is found, and reduced.
    run 0 "$inprocess" --quiet --clock manual --filter "$case" --capture "$work/capture"
    run 1 "$agpu" replay --device "$device" "$work/capture"
    says "difference in $case"
    run 0 "$agpu" reduce "$work/capture" --device "$device" --out "$work/reduced"
    [ "$3" != 1.0 ] || return 0 # which has no ERROR_COUNT to compare
    run 1 "$agpu" replay --device "$device" "$work/reduced.cap"
    says 'difference in reduced'
}
tools model,executor=none,render=off fences 1.4 buffer.copy.writeback_exact
tools model,executor=software,render=off software,-raster 1.4 texture.view_fault.no_mips
for device in "$@"; do # the examples
    tools "$device" fence_page 1.0 error.packet.size_zero
done
