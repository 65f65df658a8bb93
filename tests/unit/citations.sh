#!/bin/bash
# citations.sh SOURCE_DIR: holds every citation in the tree to something that exists: sections of the specification
# (`device.md 4.2`, `commands.md 2, 8 to 10`), required behaviours (`DEF-09`), other texts, and files named in comments.
# Prints each breach; fails if any. citations.sh --self-test: shows that each kind of breach is found.
set -u
self=$(cd "$(dirname "$0")" && pwd)/citations.awk
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

texts='pci/device.md ring/ring.md ring/commands.md ring/legacy.md mm/vidmm.md umd-port/umd.md tests/cases/cases.md'

# check FOLDER: every breach of the tree in FOLDER.
check() {
    local list=$scratch/list files
    cd "$1" || return 2
    find . \( -name build -o -name .git -o -name corpus \) -prune -o -type f -print | sed 's|^\./||' | sort >"$list"
    for text in $texts; do
        [ -f "$text" ] || { echo "$text: a text of the specification is not there"; return 1; }
    done
    mapfile -t files < <(grep -E '\.(c|h|sh|tsv|def|txt|md)$' "$list" | grep -vE '^tests/unit/citations\.')
    # shellcheck disable=SC2086 # seven paths without spaces
    awk -v list="$list" -f "$self" phase=1 $texts phase=2 "${files[@]}"
}

# expect COUNT LINE: a tree whose one source holds LINE has so many breaches.
failed=0
expect() {
    local count=$1 found
    printf '%b\n' "$2" >"$scratch/tree/pci/source.c"
    found=$(check "$scratch/tree" | grep -c .)
    [ "$found" -eq "$count" ] || { echo "citations: $found breaches instead of $count in: $2"; failed=1; }
}

self_test() {
    mkdir -p "$scratch"/tree/{pci,ring,mm,umd-port,tests/cases}
    for text in $texts; do
        printf '# Text\n## 1. One\n## 4. Four\n### 4.2 Part\nsee section 4.2 and (4.2), `ring.md` section 1\n' >"$scratch/tree/$text"
    done
    printf '## 6. Steps\n| 6.1 | first |\n| 7.1 | of another number |\n' >>"$scratch/tree/pci/device.md"
    printf -- '- DEF-01. a / b / c\n- DEF-02. a / b / c\n' >>"$scratch/tree/tests/cases/cases.md"
    expect 0 '/* source.c: all of it is there (device.md 1, 4.2 and 6.1; ring.md 4; DEF-01, 02; cases.md DEF-02). */'
    expect 1 '/* device.md 2 */'
    expect 1 '/* device.md 7.1 */'
    expect 1 '/* device.md 4.2, 4.3 */'
    expect 1 '/* commands.md 4 and 5 */'
    expect 2 '/* commands.md 4 to 6 */'
    expect 1 '/* a long comment (umd.md\n * 15) */'
    expect 0 '/* a long comment (umd.md\n * 4, device.md 1) */'
    expect 1 '.spec = "legacy.md 9",'
    expect 1 '/* the state of umd.md */'
    expect 1 '/* dropped (section 4) */'
    expect 1 '/* dropped (4.2) */'
    expect 1 '/* 4.2, 6 DEV: dropped */'
    expect 1 '/* step 3 of 4.2: dropped */'
    expect 0 '/* 2 of them: half (0.5), version (1.4.2) */'
    expect 1 '/* DEF-03 */'
    expect 1 '/* DEF-01, 03 */'
    expect 1 '/* DEF-01 to 03 */'
    expect 1 '/* design.md 4 */'
    expect 1 '/* see pci/missing.c */'
    expect 1 '/* see missing.h */'
    expect 0 '/* see pci/source.c, source.c */ #include <missing.h>'
    printf 'section 9\n' >>"$scratch/tree/ring/ring.md"
    expect 1 ''
    sed -i '$d' "$scratch/tree/ring/ring.md"
    printf '(4.9) and `umd.md` section 7\n' >>"$scratch/tree/ring/ring.md"
    expect 2 ''
    [ "$failed" -eq 0 ] && echo "citations: every kind of breach is found"
    return "$failed"
}

if [ "${1:-}" = --self-test ]; then
    self_test
else
    check "${1:?source folder}"
fi
