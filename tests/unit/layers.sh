#!/bin/bash
# layers.sh SOURCE_DIR CC [DEFINES]: checks the rules that hold the tree together: which layer may include which (a file includes
# from its own layer and from layers below), freestanding layers use no libc beyond what the image supplies, headers
# compile alone and say what they are for, and no source file grows past 24 KB. Prints each breach; fails if any.
set -u
cd "${1:?source folder}" || exit 2
cc=${2:?C compiler}
read -ra host_defines <<<"${3-}" # what the build defines for host programs
breaches=0

breach() {
    echo "layers: $*"
    breaches=$((breaches + 1))
}

# files FOLDER...: C sources and headers below the folders.
files() {
    find "$@" -name build -prune -o \( -name '*.c' -o -name '*.h' \) -type f -print | sort
}

# includes FOLDER PATTERN: every quoted include below FOLDER matches the extended regular expression.
includes() {
    local folder=$1 pattern=$2 file line
    [ -d "$folder" ] || return 0
    while IFS=: read -r file line; do
        line=${line#*\"}
        line=${line%%\"*}
        [[ $line =~ ^($pattern) ]] || breach "$file includes \"$line\": $folder may include only $pattern"
    done < <(files "$folder" | xargs -r grep -HE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"')
}

protocol='pci/protocol/|ring/protocol/'
includes pci 'pci/'
includes ring 'ring/|pci/'
includes umd-port "umd-port/|$protocol"
includes mm "mm/|ring/|pci/|umd-port/ddi/"
includes tests/cases 'tests/cases/|tests/shaders/|umd-port/|mm/|ring/|pci/'
includes tests/device "tests/device/|$protocol"

# The rooms of the device model and of the host tool (tests/device/README.md, tests/host/README.md). Of what lies on top
# of the rooms, headers only: the device's record, the clock.
model='tests/device/[a-z_]+\.h'
includes tests/device/bus "tests/device/bus/|$model|$protocol"
includes tests/device/engine "tests/device/(engine|bus)/|$model|$protocol"
includes tests/device/versioned "tests/device/(versioned|engine|bus)/|$model|$protocol"
includes tests/device/legacy "tests/device/(legacy/|engine/trace\.h|bus/)|$model|$protocol"
includes tests/device/inspect "tests/device/(inspect|engine|bus)/|$model|$protocol"
includes tests/device/render "tests/device/(render|engine|bus)/|$model|$protocol"
includes tests/device/vfio "tests/device/(vfio/|device\.h|monotonic\.h)|$protocol"
includes tests/device/shaderc 'tests/device/(shaderc/|render/(shaderc_wire|dxbc)\.h)'
includes tests/host/wire 'tests/host/wire/'
includes tests/host/report 'tests/host/(report|wire)/'
includes tests/host/run 'tests/host/(run/|report/|wire/|monotonic\.h)'
includes tests/host/vdev "tests/host/(vdev/|monotonic\.h)|tests/device/|$protocol"

# The image takes nothing from the device model or the host side.
while IFS=: read -r file line; do
    breach "$file includes from the host side: $line"
done < <(files efi | xargs -r grep -HE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"tests/(device|host|unit|fuzz|benchmarks)')

freestanding='stdint|stddef|stdbool|stdarg|limits|string'
while IFS=: read -r file line; do
    [[ $line =~ \<($freestanding)\.h\> ]] || breach "$file: $line: freestanding layers may include only $freestanding"
done < <(files pci ring umd-port mm tests/cases | xargs -r grep -HE '^[[:space:]]*#[[:space:]]*include[[:space:]]*<')

libc='malloc|calloc|realloc|free|printf|fprintf|sprintf|snprintf|puts|abort|exit|assert|strcpy|strcat|strchr|strstr|memchr|qsort|alloca|setjmp|longjmp'
while IFS= read -r hit; do
    breach "$hit: not in the image's libc (memcpy memmove memset memcmp strlen strcmp strncmp are)"
done < <(files pci ring umd-port mm tests/cases | xargs -r grep -nHE "(^|[^A-Za-z0-9_>.\"])($libc)[[:space:]]*\(" |
    grep -vE ':[0-9]+:[[:space:]]*(/?\*|//)' | grep -vE '/\*[^*]*\b('"$libc"')\b')

# Headers stand alone and open with what they are for.
for header in $(files pci ring umd-port mm tests/cases tests/device tests/host_platform | grep '\.h$'); do
    defines=()
    [[ $header == tests/* ]] && defines=("${host_defines[@]}")
    if ! errors=$(printf '#include "%s"\n' "$header" |
        "$cc" -std=c11 -Wall -Wextra -Werror -I. "${defines[@]}" -fsyntax-only -x c - 2>&1); then
        breach "$header does not compile alone: ${errors%%$'\n'*}"
    fi
done
for file in $(files pci ring umd-port mm efi tests); do
    read -r first <"$file"
    case $file in tests/shaders/* | efi/libc/*) continue ;; esac
    [[ $file == *.c || $first == "/* "* ]] || breach "$file does not open with a comment that says what it is for"
    size=$(stat -c %s "$file")
    [ "$size" -le 24576 ] || breach "$file has $size bytes: split it by subject (24576 is the limit)"
done

while IFS= read -r hit; do
    breach "$hit: unfinished work is not left in the tree"
done < <(files pci ring umd-port mm efi tests | xargs -r grep -nHE '\b(TODO|FIXME|XXX)\b')

[ "$breaches" -eq 0 ] || echo "layers: $breaches breaches"
[ "$breaches" -eq 0 ]
