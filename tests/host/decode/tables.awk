# tables.awk: makes the C tables of tests/host/decode/names.c from tests/abi/abi.tsv: the members of every structure of the
# command stream and the names of the values that its members take.
BEGIN { FS = "\t" }
/^#/ { next }
$1 == "const" && $2 ~ /^AEROGPU_(FORMAT|RESOURCE_USAGE|COPY_FLAG|SHADER_STAGE|INDEX_FORMAT|SAMPLER_(FILTER|ADDRESS)|TOPOLOGY|BLEND|COMPARE|FILL|CULL|RASTERIZER_FLAG|CLEAR|PRESENT_FLAG)_/ {
    names = names sprintf("    {\"%s\", %sull},\n", $2, $3)
}
$1 == "field" {
    dot = index($2, ".")
    type = substr($2, 1, dot - 1)
    member = substr($2, dot + 1)
    if (type !~ /^aerogpu_(cmd_|vertex_buffer_|constant_buffer_|shader_resource_|unordered_access_|blend_state|depth_stencil_state|rasterizer_state)/)
        next
    if (member != "hdr")
        members = members sprintf("    {\"%s\", \"%s\", %d, %d},\n", type, member, $3, $4)
}
END {
    printf "static const struct abi_member abi_members[] = {\n%s};\n\n", members
    printf "static const struct abi_name abi_names[] = {\n%s};\n", names
}
