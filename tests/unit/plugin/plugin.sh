#!/bin/bash
# The catalogue on devices that came as files: plugin.sh INPROCESS MINIMAL BAD NO_PLUGIN [RUST]. Each says what it is judged
# by; each broken one ends in a sentence that names the fault, never in a run.
set -euo pipefail
inprocess=$1 minimal=$2 bad=$3 no_plugin=$4 rust=${5:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

die() {
    echo "plugin.sh: $*" >&2
    tail -n 20 "$work/out" >&2
    exit 1
}

# What README.md promises of the minimal device.
passes='discovery.identity.*,discovery.config.*,regs.identification,ring.submit.*,ring.wrap.*,fence.order.*,fence.value.*'
verdict_of() { # DEVICE
    "$inprocess" --device "$1" --require fence_page --filter "$passes" >"$work/out" 2>&1 || die "$1: exit status $?"
    grep -o ' end [^ ]* status=[A-Z]*' "$work/out" || grep -o 'end [^ ]* status=[A-Z]*' "$work/out"
}

verdict_of "$minimal" >"$work/c"
[ "$(grep -c 'status=PASS' "$work/c")" -ge 20 ] || die "the minimal device passes only $(grep -c 'status=PASS' "$work/c") cases"
if [ -n "$rust" ]; then
    verdict_of "$rust" >"$work/rust"
    cmp "$work/c" "$work/rust" || die "the device in Rust ends other than the one in C"
fi
AGPU_BAD_DEVICE=threaded verdict_of "$bad" >"$work/threaded"
cmp "$work/c" "$work/threaded" || die "a device with threads ends other than one without"
AGPU_BAD_DEVICE=dma verdict_of "$bad" >"$work/dma"
cmp "$work/c" "$work/dma" || die "absurd DMA changed results"

# expect STATUS TEXT FILE [NAME]: refused, or ended, with this text.
expect() {
    local status=0
    AGPU_BAD_DEVICE=${4:-} timeout 60 "$inprocess" --device "$3" --filter 'ring.submit.empty' >"$work/out" 2>&1 ||
        status=$?
    [ "$status" = "$1" ] || die "${4:-$3}: exit status $status, expected $1"
    grep -qF -- "$2" "$work/out" || die "${4:-$3} does not say: $2"
}

expect 2 'No such file' "$work/nothing.so"
echo 'int main' >"$work/text.so"
expect 2 'shared library for this machine' "$work/text.so"
expect 2 'has no function agpu_device_plugin()' "$no_plugin"
expect 2 'names no file' ',options'
expect 2 'returned no table' "$bad" table
expect 2 'built for version 7.0' "$bad" version
expect 2 'its table has 40 bytes' "$bad" short
expect 2 'poll is NULL' "$bad" null
expect 2 'one word' "$bad" name
expect 2 'sizing its register gives 0x10000 bytes' "$bad" size
expect 2 'a power of two from 16 on' "$bad" odd_size
expect 2 '256 or 4096' "$bad" config
expect 2 'memory file of BAR0' "$bad" memory
expect 2 'this device has none' "$minimal,color=blue"
expect 139 'device minimal crashed: SIGSEGV at address 0x0 in bar_write BAR0 + 0x200, size 0x4' "$bad" crash
expect 134 'device minimal hangs: a call did not return in bar_write BAR0 + 0x200' "$bad" hang
