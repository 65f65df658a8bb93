#!/bin/bash
# tags.sh SOURCE_DIR: each struct, union and enum tag is defined in one file of the tree, so that a name in a debugger
# or a search means one thing. Prints each tag that has two homes; fails if any. A self-test shows that it can fail.
set -u
cd "${1:?source folder}" || exit 2

# A stand-in for a whole library defines the library's opaque type, behind the same header.
except='^vgpu_device tests/unit/vfio/fake_device\.h$'

# tags FILE...: "tag file" of each definition, once a file; comments are not read.
tags() {
    awk '
    FNR == 1 { comment = 0 }
    {
        line = $0
        text = ""
        while (line != "") {
            if (comment) {
                end = index(line, "*/")
                if (end == 0) { line = ""; continue }
                line = substr(line, end + 2)
                comment = 0
            } else {
                start = index(line, "/*")
                if (start == 0) { text = text line; line = ""; continue }
                text = text substr(line, 1, start - 1) " "
                line = substr(line, start + 2)
                comment = 1
            }
        }
        while (match(text, /(^|[^A-Za-z0-9_])(struct|union|enum)[ \t]+[A-Za-z_][A-Za-z0-9_]*[ \t]*\{/)) {
            split(substr(text, RSTART, RLENGTH), words, /[^A-Za-z0-9_]+/)
            tag = words[1] == "" ? words[3] : words[2]
            if (!((tag, FILENAME) in seen)) {
                seen[tag, FILENAME] = 1
                print tag, FILENAME
            }
            text = substr(text, RSTART + RLENGTH)
        }
    }' "$@"
}

# twice: reads "tag file" lines, prints the tags that stand in more than one file, with the files.
twice() {
    grep -vE "$except" | sort | awk '
    $1 != tag { if (count > 1) print "tags: " tag " is defined in" files; tag = $1; count = 0; files = "" }
    { count++; files = files " " $2 }
    END { if (count > 1) print "tags: " tag " is defined in" files }'
}

self_test() {
    local folder found
    folder=$(mktemp -d) || exit 2
    printf 'struct one {\n    int a;\n};\n/* struct three { */\n' >"$folder/a.h"
    printf 'static struct one { int b; } x;\n    enum two { A };\nstruct three { int c; };\n' >"$folder/b.c"
    found=$(tags "$folder/a.h" "$folder/b.c" | twice)
    rm -r "$folder"
    if [ "$found" != "tags: one is defined in $folder/a.h $folder/b.c" ]; then
        echo "tags: self-test: a tag with two homes was reported as '$found'"
        exit 1
    fi
}

self_test
mapfile -t files < <(find pci ring mm umd-port efi tests -name build -prune -o \( -name '*.c' -o -name '*.h' \) -type f -print)
found=$(tags "${files[@]}" | twice)
[ -z "$found" ] && exit 0
echo "$found"
exit 1
