# The common part of both readers of the tables in tests/abi: awk -f rows.awk -f layouts.awk, or generate.awk. Prints
# the headers under test (-v include="a.h b.h"), names types as C does, and refuses invalid rows. -v pointers=1: the
# table is of the driver interface, which has type names of its own.
BEGIN {
    FS = "\t"
    unions["aerogpu_legacy_ring_entry"] = 1
    count = split(include, headers, " ")
    print "#include <stddef.h>"
    for (i = 1; i <= count; i++)
        print "#include \"" headers[i] "\""
}
function type(name) { return pointers ? name : (name in unions ? "union " : "struct ") name }
/^#/ || /^$/ { next }
$1 !~ /^(const|size|field)$/ {
    printf "rows.awk: %s line %d: expected const, size or field, found \"%s\"\n", FILENAME, FNR, $1 > "/dev/stderr"
    failed = 1
    exit 1
}
$1 == "field" {
    dot = index($2, ".")
    owner = type(substr($2, 1, dot - 1))
    member = substr($2, dot + 1)
}
{ rows++ }
