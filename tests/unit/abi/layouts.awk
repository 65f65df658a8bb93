# Turns the tables of tests/abi into static assertions, which a compiler for another machine can check without running
# anything. Rows of ddi.tsv have one value for 32-bit and one for 64-bit builds, those of the others one for both.
# -v include="a.h b.h" lists the headers under test, -v pointers=1 says that the rows have two values.
BEGIN {
    FS = "\t"
    unions["aerogpu_legacy_ring_entry"] = 1
    count = split(include, headers, " ")
    print "#include <stddef.h>"
    for (i = 1; i <= count; i++)
        print "#include \"" headers[i] "\""
    print "#define SAME(what, is) _Static_assert((what) == (is), #what \" is not \" #is)"
    print "#define BY_POINTER(small, large) (sizeof(void *) == 4 ? (small) : (large))"
}
function type(name) { return pointers ? name : (name in unions ? "union " : "struct ") name }
function value() { return pointers ? "BY_POINTER(" $3 ", " $4 ")" : $3 }
/^#/ || /^$/ { next }
$1 == "const" { printf "SAME((unsigned long long)(%s), %s);\n", $2, $3; rows++; next }
$1 == "size" { printf "SAME(sizeof(%s), %s);\n", type($2), value(); rows++; next }
$1 == "field" {
    dot = index($2, ".")
    owner = type(substr($2, 1, dot - 1))
    member = substr($2, dot + 1)
    printf "SAME(offsetof(%s, %s), %s);\n", owner, member, value()
    if (!pointers)
        printf "SAME(sizeof(((%s *)0)->%s), %s);\n", owner, member, $4
    rows++
    next
}
{
    printf "layouts.awk: line %d: expected const, size or field, found \"%s\"\n", NR, $1 > "/dev/stderr"
    exit 1
}
END { printf "enum { layout_rows = %d };\n", rows }
