#!/bin/bash
# plugin.sh INPROCESS MINIMAL BAD NO_PLUGIN AGPU [RUST]: the catalogue on devices from files. Each run names its
# expectations; each broken device gives a message that names the fault, never a run.
set -euo pipefail
inprocess=$1 minimal=$2 bad=$3 no_plugin=$4 agpu=$5 rust=${6:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

die() {
    echo "plugin.sh: $*" >&2
    tail -n 20 "$work/out" >&2
    exit 1
}

# Cases that README.md promises for the minimal device.
passes='discovery.identity.*,discovery.config.*,regs.identification,ring.submit.*,ring.wrap.*,fence.order.*,fence.value.*'
verdict_of() { # DEVICE [EXIT STATUS [OPTIONS]]
    local status=0
    "$inprocess" --records --device "$1" "${@:3}" --require fence_page --expect abi=1.0 --filter "$passes" >"$work/out" 2>&1 || status=$?
    [ "$status" = "${2:-0}" ] || die "$1: exit status $status"
    grep -o ' end [^ ]* status=[A-Z]*' "$work/out" || grep -o 'end [^ ]* status=[A-Z]*' "$work/out"
}

verdict_of "$minimal" >"$work/c"
[ "$(grep -c 'status=PASS' "$work/c")" -ge 20 ] || die "the minimal device passes only $(grep -c 'status=PASS' "$work/c") cases"

# All cases: each that applies to such a device passes, and an optional missing feature is no failure.
all_of() { # DEVICE
    "$inprocess" --records --device "$1" --require none --expect abi=1.0 >"$work/out" 2>&1 || die "$1: all cases: exit status $?"
    grep -o 'end [^ ]* status=[A-Z]*' "$work/out"
}

all_of "$minimal" >"$work/all"
[ "$(grep -c 'status=PASS' "$work/all")" -ge 150 ] || die "the minimal device passes only $(grep -c 'status=PASS' "$work/all") of all cases"
# A capture plays again on the same device, also when the device works long after the write, as in QEMU.
for late in '' --lazy; do
    "$inprocess" --quiet --clock manual $late --device "$minimal" --require none --expect abi=1.0 \
        --capture "$work/capture" >"$work/out" 2>&1 || die "capture $late: exit status $?"
    "$agpu" replay --device "$minimal" "$work/capture" >"$work/out" 2>&1 || die "replay of a capture $late: exit status $?"
done
# A thread of the device may do the memory part of a reset later than the registers show it.
"$inprocess" --quiet --clock manual --device "$minimal" --require none --expect abi=1.0 --filter ring.reset.rewrites_page \
    --capture "$work/reset" >"$work/out" 2>&1 || die "capture of a reset: exit status $?"
AGPU_BAD_DEVICE=threaded_late "$agpu" replay --device "$bad" "$work/reset" >"$work/out" 2>&1 || die 'replay of a reset on a device with a late thread'
if [ -n "$rust" ]; then
    verdict_of "$rust" >"$work/rust"
    cmp "$work/c" "$work/rust" || die "the device in Rust ends other than the one in C"
    all_of "$rust" >"$work/all_rust"
    cmp "$work/all" "$work/all_rust" || die "of all cases, the device in Rust ends other than the one in C"
fi
AGPU_BAD_DEVICE=threaded verdict_of "$bad" >"$work/threaded"
cmp "$work/c" "$work/threaded" || die "a device with threads ends other than one without"
AGPU_BAD_DEVICE=reading verdict_of "$bad" >"$work/reading"
cmp "$work/c" "$work/reading" || die "a device whose threads read memory all the time ends other than one without"
# A crash or a hang costs one case, and the run continues after it.
for defect in crash panic hang; do
    AGPU_BAD_DEVICE=$defect AGPU_BAD_ONCE=$work/$defect verdict_of "$bad" 1 --hang 2 >"$work/one"
    diff <(grep -v ' ring.submit.empty ' "$work/c") <(grep -v ' ring.submit.empty ' "$work/one") >/dev/null ||
        die "a $defect in one case changed others"
    grep -q 'end ring.submit.empty status=CRASH' "$work/one" || die "a $defect in a case is not its verdict"
    grep -qE 'summary - status=CRASH .* crashed=1 ' "$work/out" || die "a $defect is not in the summary"
done
AGPU_BAD_DEVICE=panic AGPU_BAD_ONCE=$work/again "$inprocess" --quiet --device "$bad" --require fence_page --expect abi=1.0 \
    --capture "$work/two" --filter 'ring.submit.empty,fence.order.*' >"$work/out" 2>&1 && die 'a panic in one case is a PASS'
for text in 'CRASH   ring.submit.empty  device minimal crashed: SIGABRT in bar_write BAR0 + 0x200 (DOORBELL)' \
    "in case ring.submit.empty; thread '<unnamed>' panicked at src/ring.rs:7:5: the ring is empty" \
    'restarting the device after ring.submit.empty (1 of 64)' ' 1 crash, 17 of 17 planned'; do
    grep -qF -- "$text" "$work/out" || die "a panic in one case: not said: $text"
done
"$agpu" replay --device "$minimal" "$work/two-1" >"$work/out" 2>&1 || die 'the capture after a crash cannot be played'
# The capture that the crash cut off: the replay reports where it stops, and continues with the one after the crash.
status=0
"$agpu" replay --device "$minimal" "$work/two" >"$work/out" 2>&1 || status=$?
[ $status = 1 ] || die "a capture that a crash cut off: exit status $status"
grep -qE 'it has no device: the capture is not complete: .* without an end block' "$work/out" || die 'the replay does not report where the capture stops'
[ "$(tail -n 1 "$work/out")" = "$("$agpu" replay --device "$minimal" "$work/two-1")" ] ||
    die 'the replay does not continue behind the crash'
# Absurd DMA is refused and changes no case; the run is an ERROR nevertheless.
AGPU_BAD_DEVICE=dma verdict_of "$bad" 1 >"$work/dma"
cmp "$work/c" "$work/dma" || die "absurd DMA changed results"
for text in 'device minimal asked for absurd DMA: to write 18446744073709551615 bytes at 0xfffffffffffffff7' \
    'device minimal at 00:03.0 asked for absurd DMA: more than 2^52 bytes at once, first in ring.submit.' \
    'summary - status=ERROR ' \
    'agpu_inprocess: ERROR: device minimal at 00:03.0 asked for absurd DMA '; do
    grep -qF -- "$text" "$work/out" || die "absurd DMA: not said: $text"
done
grep -q 'log ring.submit.[a-z_.]* level=error text="device minimal at 00:03.0 asked' "$work/out" || die "absurd DMA: no case says it"
# With several devices the one that crashed is named, wherever it is in the list.
for devices in "model $bad" "$bad model"; do
    AGPU_BAD_DEVICE=crash "$inprocess" --records --device "${devices% *}" --device "${devices#* }" --require none --filter ring.submit.empty \
        >"$work/out" 2>&1 && die "a crash of one of two devices is no failure: $devices"
    grep -q '^device minimal crashed: SIGSEGV .* in bar_write BAR0 + 0x200 (DOORBELL)' "$work/out" ||
        die "a crash of one of two devices is not said to be its own: $devices"
done
# With several devices the message names the device.
AGPU_BAD_DEVICE=dma "$inprocess" --records --device "$bad" --device "$minimal" --require none --expect abi=1.0 --filter ring.submit.empty >"$work/out" 2>&1 &&
    die "absurd DMA of one of two devices is no ERROR"
for text in 'summary - device=00:03.0 status=ERROR ' 'summary - device=00:04.0 status=PASS ' 'summary - status=ERROR ' \
    'agpu_inprocess: ERROR: device minimal at 00:03.0 asked for absurd DMA '; do
    grep -qF -- "$text" "$work/out" || die "absurd DMA of one of two: not said: $text"
done
[ "$(grep -c 'asked for absurd DMA: to' "$work/out")" = 1 ] || die "absurd DMA is not told once"

# expect STATUS TEXT FILE [NAME]: refused or ended, with this text.
expect() {
    local status=0
    AGPU_BAD_DEVICE=${4:-} timeout 60 "$inprocess" --records --device "$3" --hang 2 --require fence_page --expect abi=1.0 --filter 'ring.submit.empty' >"$work/out" 2>&1 ||
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
expect 2 'built for version 7.1' "$bad" version
expect 2 'its table has 40 bytes' "$bad" short
expect 2 'poll is NULL' "$bad" null
expect 2 'one word' "$bad" name
expect 2 'sizing its register gives 0x10000 bytes' "$bad" size
expect 2 'a power of two from 16 on' "$bad" odd_size
expect 2 '256 or 4096' "$bad" config
expect 2 'memory file of BAR0' "$bad" memory
expect 2 'this device has none' "$minimal,color=blue"
expect 2 'no device: ?[2Jno ?wish' "$bad" escape_message
expect 0 'device: ?[2Jall is ??well?' "$bad" escape_log
expect 1 'device minimal crashed: SIGSEGV at address 0x0 in bar_write BAR0 + 0x200 (DOORBELL), size 0x4' "$bad" crash
grep -qE 'value 0x[0-9a-f]+ \(call number 0x[0-9a-f]+\), in case ring\.submit\.empty"' "$work/out" || die 'a crash: its case is not said'
expect 1 'device minimal hangs: a call did not return in bar_write BAR0 + 0x200 (DOORBELL)' "$bad" hang
grep -qE 'call number 0x[0-9a-f]+\), in case ring\.submit\.empty"' "$work/out" || die 'a hang: its case is not said'
# Shorter than the default limit of a call, longer than --hang here.
expect 1 'device minimal hangs: a call did not return in bar_read BAR0 + 0x' "$bad" stall
expect 1 'device minimal ended the process of the tool by exit() in bar_write BAR0 + 0x200 (DOORBELL)' "$bad" exit
expect 1 "device ${bad##*/} crashed: SIGABRT in agpu_device_plugin (call number" "$bad" entry
expect 1 ' crashed: SIGSEGV at address 0x0 on a thread of its own, meanwhile' "$bad" thread_crash
expect 2 'describe() gives 1 MSI vectors, but configuration space has no MSI capability' "$bad" msi_none
expect 2 'configuration space has no MSI capability' "$bad" msi_circle
expect 2 'describe() gives 2 MSI vectors; the MSI capability in configuration space offers 4' "$bad" msi_less
AGPU_BAD_DEVICE=msi_vector "$inprocess" --records --device "$bad" --require fence_page --expect abi=1.0 --filter 'ring.submit.*' >"$work/out" 2>&1 ||
    die "a vector that there is not ended the run"
[ "$(grep -c 'send_msi(3) of a device with 0 MSI vectors' "$work/out")" = 1 ] || die "the vector that there is not is not told once"

# Files of other kinds are recognised by their headers, without running any of their code.
header() { # BYTE VALUE...: makes a copy of the minimal device with some header bytes changed
    cp "$minimal" "$work/other.so"
    while [ $# -gt 0 ]; do
        # shellcheck disable=SC2059 # the value is the format
        printf "\\x$2" | dd of="$work/other.so" bs=1 seek="$1" conv=notrunc status=none
        shift 2
    done
}
header 18 b7 19 00
expect 2 'is built for AArch64 (64-bit, machine 183); this tool needs a shared library for' "$work/other.so"
header 4 01 18 28 19 00
expect 2 'is built for ARM (32-bit, machine 40)' "$work/other.so"
header 16 01
expect 2 'is an object file, not a shared library: link it with cc -shared -fPIC' "$work/other.so"
header 16 02
expect 2 'a program, not a shared library' "$work/other.so"
# Cut at any place: access to a missing page would end the tool by SIGBUS.
size=$(stat -c %s "$minimal")
for bytes in 64 100 4096 $((size / 2)) $((size - 1)); do
    head -c $bytes "$minimal" >"$work/cut.so"
    expect 2 "cut.so is not whole: expected the $size bytes that its headers speak of, found $bytes: build or copy it again" "$work/cut.so"
done
: >"$work/empty.so"
expect 2 'shared library for this machine' "$work/empty.so"
expect 2 'shared library for this machine' "$work"
