#!/bin/bash
# tags.sh SOURCE_DIR: each struct, union and enum tag is defined in one file of the tree, and each static function of
# tests/cases has a unique name, so that a name in a debugger, a back trace or a search has one meaning. Prints each
# name with two homes; fails if any. A self-test shows that it can fail.
set -u
cd "${1:?source folder}" || exit 2

# tags FILE...: prints "tag file" for each definition, once per file; ignores comments.
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

# statics FILE...: prints "function file" for each static function that the file defines.
statics() {
    awk '
    FNR == 1 { name = "" }
    /^static / && match($0, /[A-Za-z_][A-Za-z0-9_]*\(/) && $0 !~ /=/ { name = substr($0, RSTART, RLENGTH - 1) }
    /^\{/ && name != "" { print name, FILENAME }
    /^[{}]/ || /;[ \t]*$/ { name = "" }' "$@"
}

# twice: reads "name file" lines, prints the names that occur in more than one file, with the files.
twice() {
    sort | awk '
    $1 != tag { if (count > 1) print "tags: " tag " is defined in" files; tag = $1; count = 0; files = "" }
    { count++; files = files " " $2 }
    END { if (count > 1) print "tags: " tag " is defined in" files }'
}

self_test() {
    local folder found
    folder=$(mktemp -d) || exit 2
    printf 'struct one {\n    int a;\n};\n/* struct three { */\n' >"$folder/a.h"
    printf 'static struct one { int b; } x;\n    enum two { A };\nstruct three { int c; };\n' >"$folder/b.c"
    printf 'static int find(\n    int a)\n{\n}\nstatic int find_it(void);\n' >"$folder/c.c"
    printf 'static bool find(void)\n{\n}\nstatic int find_it(void)\n{\n}\n' >"$folder/d.c"
    found=$(tags "$folder/a.h" "$folder/b.c" | twice; statics "$folder/c.c" "$folder/d.c" | twice)
    rm -r "$folder"
    if [ "$found" != "tags: one is defined in $folder/a.h $folder/b.c
tags: find is defined in $folder/c.c $folder/d.c" ]; then
        echo "tags: self-test: names with two homes were reported as '$found'"
        exit 1
    fi
}

self_test
mapfile -t files < <(find pci ring mm umd-port efi tests -name build -prune -o \( -name '*.c' -o -name '*.h' \) -type f -print)
mapfile -t cases < <(find tests/cases -name '*.c' -type f -print)
found=$(tags "${files[@]}" | twice; statics "${cases[@]}" | twice)
[ -z "$found" ] && exit 0
echo "$found"
exit 1
