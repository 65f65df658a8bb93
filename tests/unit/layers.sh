#!/bin/bash
# layers.sh SOURCE_DIR CC [-DMACRO ...]: checks the rules of the tree: which directory may include from which (the table
# below), no circles among files, freestanding layers use no libc beyond the image's, headers compile alone, the first
# line of each file says what the file is for, no file exceeds 24 KB. The macros are those of the build of host
# programs. Prints each breach; fails if there is any.
set -u
here=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
cd "${1:?source folder}" || exit 2
cc=${2:?C compiler}
host_macros=("${@:3}")
breaches=0

breach() {
    echo "layers: $*"
    breaches=$((breaches + 1))
}

# Reports each line of standard input as a breach.
breaches_of() {
    local line
    while IFS= read -r line; do
        breach "$line"
    done
}

# files FOLDER...: C sources and headers below the directories.
files() {
    find "$@" -name build -prune -o \( -name '*.c' -o -name '*.h' \) -type f -print | sort
}

# Directories from which a directory may include, besides itself. A file belongs to the longest entry that its path
# starts with. A directory on the right means itself and its protocol only, not subdirectories with a line of their own.
protocol='pci/protocol ring/protocol'
model='tests/device/bus tests/device/engine'
umd_base="umd-port/ddi umd-port/base $protocol"
layers="
pci/protocol:
pci/machine:
pci: pci/protocol pci/machine
ring/protocol:
ring: ring/protocol pci pci/protocol pci/machine
umd-port/ddi:
umd-port/base: umd-port/ddi $protocol
umd-port/format: $umd_base
umd-port/state: $umd_base umd-port/format
umd-port/resource: $umd_base umd-port/format umd-port/state
umd-port/draw: $umd_base umd-port/format umd-port/state umd-port/resource
umd-port/deferred: $umd_base umd-port/format umd-port/state umd-port/resource umd-port/draw
umd-port/entry: $umd_base umd-port/format umd-port/state umd-port/resource umd-port/draw umd-port/deferred
mm/base: pci/machine umd-port/ddi
mm/vidmm: mm/base $protocol ring pci/machine umd-port/ddi
mm/kmd: mm/base mm/vidmm $protocol ring pci pci/machine umd-port/ddi
mm/runtime: mm/base mm/vidmm mm/kmd $protocol ring pci pci/machine umd-port/ddi
tests/shaders:
tests/capture: $protocol pci/machine
tests/cases/choice: pci/protocol
tests/cases/protocol:
tests/cases/reference: $protocol
tests/cases/harness: tests/cases/choice tests/cases/protocol $protocol ring pci pci/machine umd-port/ddi
tests/cases/rig: tests/cases/choice tests/cases/harness tests/shaders $protocol pci pci/machine ring mm/base mm/vidmm mm/kmd mm/runtime umd-port/ddi umd-port/entry
tests/cases/random: tests/shaders $protocol pci/machine
tests/cases/explore: tests/cases/random tests/cases/reference tests/cases/choice tests/cases/harness tests/cases/rig tests/shaders $protocol pci pci/machine ring mm/base mm/vidmm mm/kmd mm/runtime umd-port/ddi umd-port/entry
tests/cases/replay: tests/capture tests/cases/choice tests/cases/harness tests/cases/rig $protocol pci pci/machine ring mm/base mm/vidmm mm/kmd mm/runtime umd-port/ddi umd-port/entry
tests/cases: tests/cases/choice tests/cases/harness tests/cases/rig tests/shaders $protocol pci pci/machine ring mm/base mm/vidmm mm/kmd mm/runtime umd-port/ddi umd-port/deferred umd-port/entry
tests/device/bus: $protocol
tests/device/engine: $protocol tests/device/bus
tests/device/versioned: $protocol $model
tests/device/legacy: $protocol $model
tests/device: $protocol $model tests/device/versioned tests/device/legacy
tests/device/inspect: $protocol $model tests/device
tests/device/render: $protocol $model tests/device tests/device/jail
tests/device/jail:
tests/device/shaderc: tests/device/render tests/device/jail
tests/device/plugin: $protocol tests/device tests/device/inspect tests/device/render
tests/device/vfio: $protocol tests/device tests/device/plugin
tests/ddi:
tests/host/wire: tests/cases/choice tests/cases/protocol efi/protocol
tests/host/report: pci/protocol tests/cases/choice tests/host tests/host/decode tests/host/list tests/host/wire
tests/host/history: tests/cases/choice tests/host/wire tests/host/report
tests/host/serve: tests/cases/choice tests/host tests/host/wire tests/host/report tests/host/history
tests/host/ctl: pci/protocol efi/protocol tests/host tests/host/wire tests/host/report tests/host/decode
efi/protocol:
efi:
tests/host/cfg: efi tests/cases/choice tests/host/list
tests/host/list: tests/cases/choice
tests/host/run: tests/cases/choice tests/host/cfg tests/host/list efi/protocol tests/host tests/host/wire tests/host/report
tests/host/listen: efi/protocol tests/host tests/host/wire tests/host/report tests/host/run
tests/host/decode: $protocol tests/capture tests/host tests/host/capture tests/cases/choice
tests/host/capture: tests/capture tests/cases/choice
tests/host/replay: $protocol pci pci/machine tests/capture tests/host tests/host/capture tests/host/decode tests/device tests/device/plugin
tests/host/compare: $protocol tests/capture tests/cases/random tests/host tests/host/capture tests/host/wire tests/host/report tests/device/plugin
tests/host/vdev: $protocol tests/capture tests/host/list tests/host/capture tests/host tests/device tests/device/jail tests/device/plugin tests/device/vfio tests/device/inspect tests/device/render
tests/host: tests/ddi tests/cases/choice tests/host/cfg tests/host/ctl tests/host/list $protocol tests/capture tests/host/capture tests/host/replay tests/host/wire tests/host/report tests/host/history tests/host/serve tests/host/run tests/host/listen tests/host/vdev tests/host/decode tests/host/compare tests/device tests/device/inspect tests/device/plugin tests/device/vfio
"

# Prints "FILE includes HEADER, ..." for each include that the table does not allow.
forbidden_includes() {
    files pci ring umd-port mm tests/capture tests/cases tests/device tests/host |
        xargs grep -HE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' |
        awk -v layers="$layers" '
            function layer(path,   best, i) {
                best = ""
                for (i in allowed)
                    if (index(path, i "/") == 1 && length(i) > length(best))
                        best = i
                return best
            }
            BEGIN {
                count = split(layers, line, "\n")
                for (i = 1; i <= count; i++) {
                    colon = index(line[i], ":")
                    if (colon)
                        allowed[substr(line[i], 1, colon - 1)] = " " substr(line[i], colon + 1) " "
                }
            }
            {
                file = substr($0, 1, index($0, ":") - 1)
                split($0, part, "\"")
                from = layer(file)
                to = layer(part[2])
                if (to != from && (to == "" || index(allowed[from], " " to " ") == 0))
                    printf "%s includes \"%s\": %s may include only itself and%s\n", file, part[2], from, allowed[from]
            }'
}
breaches_of < <(forbidden_includes)

# The image takes nothing from the device model or the host side.
breaches_of < <(files efi | xargs -r grep -HE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"tests/(device|host|unit|fuzz|benchmarks)' |
    sed 's/$/: the image takes nothing from the host side/')

# No circles among files; circles.py defines them.
mapfile -t sources < <(files pci ring mm umd-port efi tests/capture tests/cases tests/device tests/host)
breaches_of < <(python3 "$here/circles.py" "${sources[@]}" || echo "circles.py ended with status $?, expected 0: see its message on stderr")

freestanding='stdint|stddef|stdbool|stdarg|limits|string'
while IFS=: read -r file line; do
    [[ $line =~ \<($freestanding)\.h\> ]] || breach "$file: $line: freestanding layers may include only $freestanding"
done < <(files pci ring umd-port mm tests/capture tests/cases | xargs -r grep -HE '^[[:space:]]*#[[:space:]]*include[[:space:]]*<')

libc='malloc|calloc|realloc|free|printf|fprintf|sprintf|snprintf|puts|abort|exit|assert|strcpy|strcat|strchr|strstr|memchr|qsort|alloca|setjmp|longjmp'
breaches_of < <(files pci ring umd-port mm tests/capture tests/cases | xargs -r grep -nHE "(^|[^A-Za-z0-9_>.\"])($libc)[[:space:]]*\(" |
    grep -vE ':[0-9]+:[[:space:]]*(/?\*|//)' | grep -vE '/\*[^*]*\b('"$libc"')\b' |
    sed "s/\$/: not in the image's libc (memcpy memmove memset memcmp strlen strcmp strncmp are)/")

# Headers compile alone. A header that a source includes first does, because that source was built. Each other one is a
# translation unit of its own here, in which unused definitions are not reported.
mapfile -t whole < <(files pci ring umd-port mm tests/capture tests/cases tests/device tests/host tests/host_platform)
opened_with() { # the first preprocessor line, if it includes a header of ours
    printf '%s\n' "${whole[@]}" | grep '\.c$' |
        xargs awk 'FNR == 1 { open = 1 } open && /^[[:space:]]*#/ { open = 0
            if (match($0, /^#include "[^"]+"/)) { split($0, part, "\""); print part[2] } }'
}
mapfile -t headers < <(printf '%s\n' "${whole[@]}" | grep '\.h$' | grep -vxF -f <(opened_with))
alone() {
    local said lines
    said=$(xargs -r "$cc" -std=c11 -Wall -Wextra -Werror -Wno-unused -I. -fsyntax-only -x c "$@" 2>&1) && return
    lines=$(sed -nE 's/^([^: ]+):[0-9:]+ (fatal )?error: (.*)/\1 does not compile alone: \3/p' <<<"$said")
    echo "${lines:-a header does not compile alone: $said}"
}
breaches_of < <(printf '%s\n' "${headers[@]}" | grep -E '^tests/' | grep -vE '^tests/(cases|capture)/' | alone "${host_macros[@]}")
breaches_of < <(printf '%s\n' "${headers[@]}" | grep -E '^(tests/(cases|capture)/|pci/|ring/|umd-port/|mm/)' | alone)

while read -r size file; do
    case $file in tests/shaders/* | efi/libc/*) continue ;; esac
    IFS= read -r first <"$file"
    [[ $first == "/* ${file##*/}: "* ]] || breach "$file does not open with /* ${file##*/}: and what it is for"
    [ "$size" -le 24576 ] || breach "$file has $size bytes: split it by subject (24576 is the limit)"
done < <(files pci ring umd-port mm efi tests | xargs -r stat -c '%s %n')

breaches_of < <(files pci ring umd-port mm efi tests | xargs -r grep -nHE '\b(TODO|FIXME|XXX)\b' |
    sed 's/$/: unfinished work is not left in the tree/')

[ "$breaches" -eq 0 ] || echo "layers: $breaches breaches"
[ "$breaches" -eq 0 ]
