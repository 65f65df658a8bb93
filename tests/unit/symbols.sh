#!/bin/bash
# symbols.sh NM --driver LIBRARY... --model LIBRARY... --tools LIBRARY...: driver side and device model are linked into
# the same host programs and must not replace each other's functions. The model's libraries define names with vgpu_, all
# others names with agpu_ (and the entry points that Windows' runtime looks up by name). No name is defined by two
# libraries, and neither side uses a name of the other. Prints each breach; fails if any.
set -euo pipefail
nm=${1:?nm}
shift

# Exports of the user-mode driver whose names the runtime prescribes (umd.md 14).
exports='OpenAdapter10|OpenAdapter10_2|OpenAdapter11'

breaches=0
# Replacements of C library functions: they detect a plug-in that ends the process (tests/device/plugin/guard.c).
instead='_exit|_Exit'
breach() {
    echo "symbols: $*"
    breaches=$((breaches + 1))
}

# names LIBRARY OPTION...: global symbols, without those of compiler and sanitizers.
names() {
    local library=$1
    shift
    "$nm" -P -g "$@" "$library" | awk 'NF >= 2 && $1 !~ /^__|^_Z|^(asan|sancov)\./ { print $1 }' | sort -u
}

declare -A owner=()
side= count=0
for argument in "$@"; do
    case $argument in
    --driver) side=driver prefix=agpu_ foreign=vgpu_ ;;
    --model) side=model prefix=vgpu_ foreign=agpu_ ;;
    --tools) side=tools prefix=agpu_ foreign='' ;;
    *)
        defined=$(names "$argument" --defined-only)
        [ -n "$defined" ] || breach "${argument##*/}: no symbols"
        for name in $defined; do
            count=$((count + 1))
            if [[ $name != "$prefix"* && ! ($side == driver && $name =~ ^($exports)$) &&
                ! ($side == model && $name =~ ^($instead)$) ]]; then
                breach "${argument##*/} ($side) defines $name: its names begin with $prefix"
            fi
            [ -z "${owner[$name]-}" ] || breach "${argument##*/} and ${owner[$name]} both define $name"
            owner[$name]=${argument##*/}
        done
        [ -n "$foreign" ] || continue
        for name in $(names "$argument" --undefined-only); do
            [[ $name != "$foreign"* ]] || breach "${argument##*/} ($side) refers to $name of the other side"
        done
        ;;
    esac
done
echo "symbols: $count names, $breaches breaches"
[ "$breaches" -eq 0 ]
