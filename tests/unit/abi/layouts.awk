# Use after rows.awk: turns the tables of tests/abi into static assertions, which a compiler for another machine can
# check without running anything. Rows of ddi.tsv have one value for 32-bit and one for 64-bit builds, all others have
# one for both.
BEGIN {
    print "#define SAME(what, is) _Static_assert((what) == (is), #what \" is not \" #is)"
    print "#define BY_POINTER(small, large) (sizeof(void *) == 4 ? (small) : (large))"
}
function value() { return pointers ? "BY_POINTER(" $3 ", " $4 ")" : $3 }
$1 == "const" { printf "SAME((unsigned long long)(%s), %s);\n", $2, $3 }
$1 == "size" { printf "SAME(sizeof(%s), %s);\n", type($2), value() }
$1 == "field" {
    printf "SAME(offsetof(%s, %s), %s);\n", owner, member, value()
    if (!pointers)
        printf "SAME(sizeof(((%s *)0)->%s), %s);\n", owner, member, $4
}
END {
    if (!failed)
        printf "enum { layout_rows = %d };\n", rows
}
