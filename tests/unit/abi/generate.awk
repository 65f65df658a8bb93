# Turns a table of the ABI (tests/abi/*.tsv) into the C table that abi_check.c compares with it: one entry a row,
# each naming the constant, type or member, so that a name missing from the headers does not compile.
# -v include="a.h b.h" lists the headers under test.
BEGIN {
    FS = "\t"
    unions["aerogpu_legacy_ring_entry"] = 1
    count = split(include, headers, " ")
    print "#include <stddef.h>"
    for (i = 1; i <= count; i++)
        print "#include \"" headers[i] "\""
    print "#include \"tests/unit/abi/abi_check.h\""
    print "const struct abi_row abi_rows[] = {"
}
function type(name) { return (name in unions ? "union " : "struct ") name }
/^#/ || /^$/ { next }
$1 == "const" { printf "    {\"const\", \"%s\", (unsigned long long)(%s), 0},\n", $2, $2; rows++; next }
$1 == "size" { printf "    {\"size\", \"%s\", sizeof(%s), sizeof(%s)},\n", $2, type($2), type($2); rows++; next }
$1 == "field" {
    dot = index($2, ".")
    owner = type(substr($2, 1, dot - 1))
    member = substr($2, dot + 1)
    printf "    {\"field\", \"%s\", offsetof(%s, %s), sizeof(((%s *)0)->%s)},\n", $2, owner, member, owner, member
    rows++
    next
}
{
    printf "generate.awk: line %d: expected const, size or field, found \"%s\"\n", NR, $1 > "/dev/stderr"
    failed = 1
    exit 1
}
END {
    if (failed)
        exit 1
    print "};"
    printf "const unsigned abi_row_count = %du;\n", rows
}
