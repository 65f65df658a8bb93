#!/bin/bash
# layouts.sh SOURCE_DIR CLANG CC WORK_DIR: lays out the structures that cross a boundary as compilers for Windows and
# for 32-bit machines do: protocol, private data, driver interface, every member of every table in tests/abi. Also
# compiles the user-mode driver as a 32-bit program. Runs nothing, so any machine can check it.
set -euo pipefail
cd "${1:?source folder}"
clang=${2:?clang}
cc=${3:?compiler of this machine, which has 32 bits, too}
work=${4:?folder for generated files}
targets=(i686-pc-windows-msvc x86_64-pc-windows-msvc i686-pc-linux-gnu)
# No C library: the image's own headers declare what the driver calls.
flags=(-ffreestanding -std=c11 -I. -isystem efi/libc/include -fsyntax-only -Wall -Wextra -Werror)
mkdir -p "$work"

protocol="pci/protocol/aerogpu_pci.h ring/protocol/aerogpu_ring.h ring/protocol/aerogpu_cmd.h
    ring/protocol/aerogpu_wddm_alloc.h ring/protocol/aerogpu_umd_private.h"
legacy="pci/protocol/aerogpu_legacy_pci.h ring/protocol/aerogpu_legacy_ring.h ring/protocol/aerogpu_legacy_cmd.h"
interface="umd-port/ddi/d3d11umddi.h umd-port/ddi/d3d11contextfuncs.h umd-port/ddi/d3dddicb.h umd-port/ddi/d3dkmt.h"

# generate TABLE HEADERS POINTERS: writes the assertions to $work/TABLE.c.
generate() {
    awk -v "include=$(tr -s ' \n' '  ' <<<"$2")" -v "pointers=$3" -f tests/unit/abi/rows.awk -f tests/unit/abi/layouts.awk "tests/abi/$1.tsv" >"$work/$1.c"
}
generate abi "$protocol" 0
generate abi-legacy "$legacy" 0
generate ddi "$interface" 1

failed=0
compile() {
    "$clang" --target="$1" "${flags[@]}" "$2" || {
        echo "layouts: $2 for $1: correct the header, or the table if the layout was meant to change"
        failed=1
    }
}
for target in "${targets[@]}"; do
    for table in abi abi-legacy; do
        compile "$target" "$work/$table.c"
    done
done
# The interface is that of Windows: 64-bit members are aligned to 8 bytes there, to 4 on 32-bit Linux.
for target in i686-pc-windows-msvc x86_64-pc-windows-msvc; do
    compile "$target" "$work/ddi.c"
done
mapfile -t sources < <(find umd-port -name '*.c' | sort)
"$cc" -m32 "${flags[@]}" "${sources[@]}" || {
    echo "layouts: the driver is no 32-bit program: correct the sources above"
    failed=1
}

# A table with one wrong row must not pass.
awk 'BEGIN { FS = OFS = "\t" } $2 == "D3D11DDI_DEVICECONTEXTFUNCS.pfnDraw" { $3 += 4 } { print }' tests/abi/ddi.tsv >"$work/wrong.tsv"
awk -v "include=$(tr -s ' \n' '  ' <<<"$interface")" -v pointers=1 -f tests/unit/abi/rows.awk -f tests/unit/abi/layouts.awk "$work/wrong.tsv" >"$work/wrong.c"
if "$clang" --target=i686-pc-windows-msvc "${flags[@]}" "$work/wrong.c" 2>/dev/null; then
    echo "layouts: a wrong offset was not noticed"
    failed=1
fi
# All members of the interface must have a row.
for header in $interface umd-port/ddi/d3d10ddiarg.h umd-port/ddi/d3d10umddi.h; do
    while IFS= read -r name; do
        grep -q "^size	$name	" tests/abi/ddi.tsv || {
            echo "layouts: $header has $name, tests/abi/ddi.tsv has not; add its rows"
            failed=1
        }
    done < <(awk '/^typedef (struct|union) .*\{/ { on = 1 } on && /^\} [A-Za-z0-9_]+;/ { sub(/;.*/, "", $2); print $2; on = 0 }' "$header")
done
[ "$failed" -eq 0 ] && echo "layouts: $(cat tests/abi/*.tsv | grep -cv '^#') rows, ${#targets[@]} targets, ${#sources[@]} sources of the driver"
exit "$failed"
