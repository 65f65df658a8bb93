#!/bin/bash
# hardening.sh PROGRAM...: reads back from built programs and plug-ins the hardening options that CMakeLists.txt sets.
# Prints each missing one; fails if any. Programs are built with -g, without sanitizers.
set -euo pipefail

# Per translation unit: the compiler records its options in the debug information (gcc only).
unit_options="-fstack-protector-strong -fstack-clash-protection -fcf-protection=full -ftrivial-auto-var-init=zero"

lacks=0
lack() {
    printf 'hardening: %s\n' "$*"
    lacks=$((lacks + 1))
}

check() {
    local program=$1 name=${1##*/} headers dynamic symbols unit option last
    headers=$(readelf -hlW "$program")
    dynamic=$(readelf -dW "$program")
    symbols=$(readelf -W --dyn-syms "$program")
    [[ $name == *.so || $dynamic == *"Flags:"*PIE* ]] || lack "$name: expected a position-independent program (-fPIE, -pie)"
    [[ $headers == *GNU_RELRO* ]] || lack "$name: expected a segment GNU_RELRO (-z relro)"
    [[ $dynamic == *BIND_NOW* || $dynamic == *"Flags:"*NOW* ]] || lack "$name: expected all symbols bound at the start (-z now)"
    grep -Eq 'GNU_STACK .* RW +0(x|$)' <<<"$headers" || lack "$name: expected a stack that is not executable (-z noexecstack)"
    [[ $symbols == *" __stack_chk_fail@"* ]] || lack "$name: expected calls of __stack_chk_fail (-fstack-protector-strong)"
    grep -Eq ' __[a-z]+_chk@' <<<"$symbols" || lack "$name: expected checked calls like __memcpy_chk (-D_FORTIFY_SOURCE=3)"
    while IFS= read -r unit; do
        [[ $unit == *"GNU C"* ]] || continue
        for option in $unit_options; do
            # For an option with a value the last one counts.
            last=$(grep -oE -- "${option%=*}(=[^ ]*)? " <<<"$unit " | tail -n 1) || true
            [ "${last% }" = "$option" ] || lack "$name: expected $option for each source, one has:${unit#*: }"
        done
    done < <(readelf --debug-dump=info --dwarf-depth=1 "$program" 2>/dev/null | grep DW_AT_producer | sed 's/.*): //' | sort -u)
}

# Asserts of the codec prevent that a client writes past a buffer.
check_asserts() {
    readelf -W --dyn-syms "$1" | grep ' __assert_fail@' >/dev/null || lack "${1##*/}: expected asserts (-UNDEBUG)"
}

[ $# -gt 0 ] || { echo "usage: hardening.sh PROGRAM..." && exit 2; }
for program in "$@"; do
    check "$program"
    [ "${program##*/}" != agpu ] || check_asserts "$program"
done
echo "hardening: $# programs, $lacks lacks"
[ "$lacks" -eq 0 ]
