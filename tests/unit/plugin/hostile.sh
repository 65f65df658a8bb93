#!/bin/bash
# hostile.sh INPROCESS HOSTILE AGPU: hostile devices. Whatever a device does to its process, the tool ends soon, with a
# message that names the act and the call, and never with the status of a pass.
set -euo pipefail
# shellcheck source=tests/unit/sanitized.sh
. "${BASH_SOURCE[0]%/*}/../sanitized.sh"
inprocess=$1 hostile=$2 agpu=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

die() {
    echo "hostile.sh: $*" >&2
    tail -c 2000 "$work/out" >&2
    exit 1
}
run() { # STATUS NAME: expects this exit status
    local status=0
    AGPU_HOSTILE_DEVICE=$2 timeout 60 "$inprocess" --records --device "$hostile" --hang 2 --require fence_page --expect abi=1.0 \
        --filter ring.submit.empty >"$work/out" 2>&1 || status=$?
    [ "$status" = "$1" ] || die "$2: exit status $status, expected $1"
}
expect() { # STATUS NAME TEXT: expects also this text
    run "$1" "$2"
    grep -qF -- "$3" "$work/out" || die "$2: expected: $3"
}
doorbell='in bar_write BAR0 + 0x200, size 0x4'

expect 0 nothing 'summary - status=PASS'
expect 1 exit "device minimal ended the process of the tool by exit() $doorbell"
expect 1 _exit "device minimal ended the process of the tool by _exit() $doorbell"
expect 1 exit_thread 'device minimal ended the process of the tool by exit() on a thread of its own'
expect 1 syscall "device minimal ended the process of the tool, or prevented its work: exit status 0 before it was complete $doorbell"
expect 1 entry "device ${hostile##*/} ended the process of the tool by exit() in agpu_device_plugin"
expect 1 constructor "device ${hostile##*/} ended the process of the tool by _exit() in dlopen"
expect 1 destroy_exit 'device minimal ended the process of the tool by exit() in destroy'
expect 1 handler "device minimal ended the process of the tool by _exit() $doorbell"
expect 1 close 'or prevented its work: exit status 1 before it was complete'
expect 1 stop "device minimal stopped the process of the tool $doorbell"
expect 1 kill "device minimal ended the process of the tool: signal 9 (Killed) $doorbell"
expect 1 mask "device minimal ended the process of the tool: signal 11 (Segmentation fault) $doorbell"
expect 1 recursion 'device minimal crashed: SIGSEGV at address'
if ! sanitized "$inprocess"; then # a sanitizer's own handler may report otherwise
    grep -qF '(its stack ends there: it calls itself without end, or has too large local variables) in bar_write BAR0' "$work/out" ||
        die 'recursion: a stack overflow is not said to be one'
fi
# Records go through a pipe, to which these limits do not apply. A sanitizer's search for leaks gets no memory then.
rights=0
! sanitized "$inprocess" || rights=1
expect $rights rights 'summary - status=PASS'
expect 1 fork "device minimal forked inside a call, and the copy returned from it, too"
expect 1 mask_hang "device minimal hangs: a call did not return $doorbell"
if sanitized "$inprocess"; then # it cannot free the stack of a thread that ends there, and ends the process, soon or late
    expect 1 pthread_exit "$doorbell"
else
    expect 1 pthread_exit "device minimal hangs: a call did not return $doorbell"
fi
expect 1 destroy_hang 'device minimal hangs: a call did not return in destroy'
expect 2 describe 'describe() gave BAR1 0x0 bytes, 32-bit, memory file -1, and at the next call 0x100000 bytes'
expect 2 long_message 'agpu_inprocess: no device: mmm'
# Violates the contract, but without an effect on the machine.
expect 0 past 'summary - status=PASS'
expect 0 destroyed 'a device breaks the contract of agpu_device_plugin.h: it called its host after destroy()'
grep -q 'breaks the contract of agpu_device_plugin.h: 1 of its threads still run' "$work/out" || die 'its thread is not said'
AGPU_HOSTILE_DEVICE=destroyed "$inprocess" --quiet --device "$hostile" --require fence_page --expect abi=1.0 --filter ring.submit.empty \
    --out "$work/results" >"$work/out" 2>&1 || die 'destroyed: the run did not pass'
for text in '1 of its threads still run' 'it called its host after destroy()' '"run.accesses.refused_dma"'; do
    grep -qF -- "$text" "$work/results/summary.json" || die "destroyed: not in the report: $text"
done
expect 0 flood 'the device has logged more than 16 MiB: the rest is dropped'
[ "$(wc -c <"$work/out")" -lt 64000000 ] || die "the device filled the log with $(wc -c <"$work/out") bytes"

# A capture on the same device.
"$inprocess" --filter 'ring.submit.empty' --capture "$work/cap" >"$work/out" || die "no capture"
for way in exit _exit stop kill; do
    case $way in
    stop) expected=1 said='stopped the process of the tool' ;;
    kill) expected=137 said='ended the process of the tool: signal 9 (Killed)' ;;
    *) expected=1 said="ended the process of the tool by $way()" ;;
    esac
    status=0
    AGPU_HOSTILE_DEVICE=$way timeout 60 "$agpu" replay --device "$hostile" "$work/cap" >"$work/out" 2>&1 || status=$?
    [ $status = $expected ] || die "replay: $way: exit status $status, expected $expected"
    grep -qF "device minimal $said $doorbell" "$work/out" || die "replay: $way is not said"
    grep -qE ', in case ring\.submit\.empty, at or after submission 1$' "$work/out" || die "replay: $way: not said where"
done
# Play as in the image.
status=0
AGPU_HOSTILE_DEVICE=exit timeout 60 "$inprocess" --records --quiet --device "$hostile" --replay "$work/cap" >"$work/out" 2>&1 || status=$?
[ $status = 1 ] || die "played: exit status $status, expected 1"
grep -qE ', in case ring\.submit\.empty, at or after submission 1$' "$work/out" || die "played: not said where"
