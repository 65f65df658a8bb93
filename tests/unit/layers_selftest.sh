#!/bin/bash
# layers_selftest.sh LAYERS_SH CC: layers.sh finds each breach in a small tree that has one breach at a time.
set -u
layers=${1:?path of layers.sh}
cc=${2:?C compiler}
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
bad=0

# file PATH: writes a source or header of the small tree; its body comes from standard input.
file() {
    mkdir -p "$tree/${1%/*}"
    { echo "/* ${1##*/}: a file of the self-test. */" && cat; } >"$tree/$1"
}

small_tree() {
    rm -rf "${tree:?}"/*
    mkdir -p "$tree"/{pci/protocol,ring/protocol,umd-port/{ddi,base,entry},mm/{base,vidmm},efi,tests/{capture,cases,device,host,host_platform}}
    file mm/base/slab.h <<<'int agpu_slab(int count);'
    file mm/base/slab.c <<<$'#include "mm/base/slab.h"\nint agpu_slab(int count)\n{\n    return count;\n}'
    file mm/vidmm/lock.h <<<'int agpu_lock(void);'
    file mm/vidmm/lock.c <<<$'#include "mm/vidmm/lock.h"\n#include "mm/base/slab.h"\nint agpu_lock(void)\n{\n    return agpu_slab(1);\n}'
}

# expect NAME PATTERN: the small tree must have a breach that matches; without a pattern it must have none.
expect() {
    local output
    output=$(bash "$layers" "$tree" "$cc" 2>&1)
    if [ -n "${2-}" ] && ! grep -qE "$2" <<<"$output" || [ -z "${2-}" ] && [ -n "$output" ]; then
        printf 'layers_selftest: %s: expected %s, found:\n%s\n' "$1" "${2:-no breach}" "$output"
        bad=1
    fi
}

small_tree
expect "nothing wrong"
file mm/base/slab.c <<<$'#include "mm/base/slab.h"\n#include "mm/vidmm/lock.h"\nint agpu_slab(int count)\n{\n    return count;\n}'
expect "an include upwards" 'mm/base/slab.c includes "mm/vidmm/lock.h": mm/base may include only'
small_tree
file mm/vidmm/share.h <<<'int agpu_share(void);'
file mm/vidmm/share.c <<<$'#include "mm/vidmm/share.h"\n#include "mm/vidmm/lock.h"\nint agpu_share(void)\n{\n    return agpu_lock();\n}'
expect "an arrow, no circle"
file mm/vidmm/lock.c <<<$'#include "mm/vidmm/lock.h"\nint agpu_share(void);\nint agpu_lock(void)\n{\n    return agpu_share();\n}'
expect "a circle of names" 'circle: mm/vidmm/lock -> mm/vidmm/share \(takes agpu_share\)'
small_tree
file mm/vidmm/share.h <<<'#include "mm/vidmm/handle.h"'
file mm/vidmm/handle.h <<<'#include "mm/vidmm/share.h"'
expect "a circle of includes" 'circle: mm/vidmm/share -> mm/vidmm/handle \(includes it\)'
small_tree
file mm/vidmm/lock.c <<<$'/* int agpu_gone(void) { agpu_share(); } */\nstatic const char text[] = "agpu_lock()";\nconst char *agpu_text(void)\n{\n    return text;\n}'
expect "comments and strings"
file mm/vidmm/lock.h <<<'struct later agpu_lock(void), *p = malloc(1);'
expect "libc, and a header that does not compile" "not in the image's libc"
expect "a header that does not compile" 'mm/vidmm/lock.h does not compile alone'
small_tree
file mm/base/latin.c <<<$'/* \xff */'
expect "circles.py cannot read a source" 'circles.py ended with status 1, expected 0'
small_tree
echo 'int x;' >"$tree/mm/base/bare.c"
expect "no first line" 'mm/base/bare.c does not open with'
exit "$bad"
