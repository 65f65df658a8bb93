# Use after rows.awk: turns a table of the ABI (tests/abi/*.tsv) into the C table that abi_check.c compares with it.
# Each row becomes an entry that names the constant, type or member, so that a name missing from the headers does not
# compile.
BEGIN {
    print "#include \"tests/unit/abi/abi_check.h\""
    print "const struct abi_row abi_rows[] = {"
}
$1 == "const" { printf "    {\"const\", \"%s\", (unsigned long long)(%s), 0},\n", $2, $2 }
$1 == "size" { printf "    {\"size\", \"%s\", sizeof(%s), sizeof(%s)},\n", $2, type($2), type($2) }
$1 == "field" {
    printf "    {\"field\", \"%s\", offsetof(%s, %s), sizeof(((%s *)0)->%s)},\n", $2, owner, member, owner, member
}
END {
    if (failed)
        exit 1
    print "};"
    printf "const unsigned abi_row_count = %du;\n", rows
}
