/* names.c: looks up names in the tables generated from abi.tsv. */
#include "tests/host/decode/names.h"

#include <stdio.h>
#include <string.h>

struct abi_member {
    const char *type, *member;
    uint16_t offset, size;
};

struct abi_name {
    const char *name;
    uint64_t value;
};

#include <decode_tables.inc> /* generated: tables.awk */

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Members that are printed in another way than as a number. type NULL: in every structure. */
static const struct {
    const char *type, *member, *prefix;
    uint8_t kind;
} shown[] = {
    {"aerogpu_cmd_set_index_buffer", "format", "AEROGPU_INDEX_FORMAT_", AGPU_MEMBER_VALUE},
    {NULL, "format", "AEROGPU_FORMAT_", AGPU_MEMBER_VALUE},
    {NULL, "usage_flags", "AEROGPU_RESOURCE_USAGE_", AGPU_MEMBER_FLAGS},
    {NULL, "stage", "AEROGPU_SHADER_STAGE_", AGPU_MEMBER_VALUE},
    {NULL, "shader_stage", "AEROGPU_SHADER_STAGE_", AGPU_MEMBER_VALUE},
    {NULL, "topology", "AEROGPU_TOPOLOGY_", AGPU_MEMBER_VALUE},
    {NULL, "filter", "AEROGPU_SAMPLER_FILTER_", AGPU_MEMBER_VALUE},
    {NULL, "address_u", "AEROGPU_SAMPLER_ADDRESS_", AGPU_MEMBER_VALUE},
    {NULL, "address_v", "AEROGPU_SAMPLER_ADDRESS_", AGPU_MEMBER_VALUE},
    {NULL, "address_w", "AEROGPU_SAMPLER_ADDRESS_", AGPU_MEMBER_VALUE},
    {NULL, "src_factor", "AEROGPU_BLEND_", AGPU_MEMBER_VALUE},
    {NULL, "dst_factor", "AEROGPU_BLEND_", AGPU_MEMBER_VALUE},
    {NULL, "src_factor_alpha", "AEROGPU_BLEND_", AGPU_MEMBER_VALUE},
    {NULL, "dst_factor_alpha", "AEROGPU_BLEND_", AGPU_MEMBER_VALUE},
    {NULL, "blend_op", "AEROGPU_BLEND_OP_", AGPU_MEMBER_VALUE},
    {NULL, "blend_op_alpha", "AEROGPU_BLEND_OP_", AGPU_MEMBER_VALUE},
    {NULL, "depth_func", "AEROGPU_COMPARE_", AGPU_MEMBER_VALUE},
    {NULL, "fill_mode", "AEROGPU_FILL_", AGPU_MEMBER_VALUE},
    {NULL, "cull_mode", "AEROGPU_CULL_", AGPU_MEMBER_VALUE},
    {"aerogpu_cmd_clear", "flags", "AEROGPU_CLEAR_", AGPU_MEMBER_FLAGS},
    {"aerogpu_cmd_copy_buffer", "flags", "AEROGPU_COPY_FLAG_", AGPU_MEMBER_FLAGS},
    {"aerogpu_cmd_copy_texture2d", "flags", "AEROGPU_COPY_FLAG_", AGPU_MEMBER_FLAGS},
    {"aerogpu_cmd_present", "flags", "AEROGPU_PRESENT_FLAG_", AGPU_MEMBER_FLAGS},
    {"aerogpu_cmd_present_ex", "flags", "AEROGPU_PRESENT_FLAG_", AGPU_MEMBER_FLAGS},
    {"aerogpu_rasterizer_state", "flags", "AEROGPU_RASTERIZER_FLAG_", AGPU_MEMBER_FLAGS},
    {NULL, "depth_bias", NULL, AGPU_MEMBER_SIGNED},
    {NULL, "base_vertex", NULL, AGPU_MEMBER_SIGNED},
    {"aerogpu_cmd_set_scissor", "x", NULL, AGPU_MEMBER_SIGNED},
    {"aerogpu_cmd_set_scissor", "y", NULL, AGPU_MEMBER_SIGNED},
};

/* Structures inside packets. */
static const struct {
    const char *type, *inner;
} nested[] = {
    {"aerogpu_cmd_set_blend_state", "aerogpu_blend_state"},
    {"aerogpu_cmd_set_depth_stencil_state", "aerogpu_depth_stencil_state"},
    {"aerogpu_cmd_set_rasterizer_state", "aerogpu_rasterizer_state"},
};

static void choose_kind(const char *type, struct agpu_member *member)
{
    if (strncmp(member->name, "reserved", 8) == 0) {
        member->kind = AGPU_MEMBER_RESERVED;
        return;
    }
    if (strstr(member->name, "_f32") != NULL) {
        member->kind = AGPU_MEMBER_FLOATS;
        return;
    }
    for (size_t i = 0; i < COUNT(shown); i++) {
        if (strcmp(shown[i].member, member->name) == 0 &&
            (shown[i].type == NULL || strcmp(shown[i].type, type) == 0)) {
            member->kind = shown[i].kind;
            member->prefix = shown[i].prefix;
            return;
        }
    }
}

void agpu_member_label(struct agpu_member *member)
{
    const int length = snprintf(member->label, sizeof member->label, " %s=", member->name);

    member->label_length =
        (uint8_t)(length < (int)sizeof member->label ? length : (int)sizeof member->label - 1);
}

static size_t add_members(const char *type, uint16_t base, struct agpu_member *out, size_t count)
{
    for (size_t i = 0; i < COUNT(abi_members) && count < AGPU_MEMBERS_MAX; i++) {
        if (strcmp(abi_members[i].type, type) != 0) {
            continue;
        }
        out[count] = (struct agpu_member){.name = abi_members[i].member,
                                          .offset = (uint16_t)(base + abi_members[i].offset),
                                          .size = abi_members[i].size};
        agpu_member_label(&out[count]);
        choose_kind(type, &out[count]);
        count++;
    }
    return count;
}

size_t agpu_members_of(const char *type, struct agpu_member out[AGPU_MEMBERS_MAX])
{
    for (size_t i = 0; i < COUNT(nested); i++) {
        if (strcmp(nested[i].type, type) == 0) {
            return add_members(nested[i].inner, 8, out, 0);
        }
    }
    return add_members(type, 0, out, 0);
}

static const char *find_value_name(const char *prefix, uint64_t value)
{
    const size_t length = strlen(prefix);

    for (size_t i = 0; i < COUNT(abi_names); i++) {
        if (abi_names[i].value == value && strncmp(abi_names[i].name, prefix, length) == 0) {
            return abi_names[i].name + length;
        }
    }
    return NULL;
}

/* Cache of recent look-ups, by address: streams use the same few names repeatedly. */
#define REMEMBERED 256u

const char *agpu_value_name(const char *prefix, uint64_t value)
{
    static _Thread_local struct {
        const char *prefix, *name;
        uint64_t value;
    } remembered[REMEMBERED];
    const size_t at = (value * 31 + ((uintptr_t)prefix >> 2)) % REMEMBERED;

    if (remembered[at].prefix != prefix || remembered[at].value != value) {
        remembered[at].prefix = prefix;
        remembered[at].value = value;
        remembered[at].name = find_value_name(prefix, value);
    }
    return remembered[at].name;
}

static uint64_t find_flags(const char *prefix)
{
    const size_t length = strlen(prefix);
    uint64_t known = 0;

    for (size_t i = 0; i < COUNT(abi_names); i++) {
        if (strncmp(abi_names[i].name, prefix, length) == 0) {
            known |= abi_names[i].value;
        }
    }
    return known;
}

uint64_t agpu_flags_known(const char *prefix)
{
    static _Thread_local struct {
        const char *prefix;
        uint64_t known;
    } remembered[16];
    const size_t at = ((uintptr_t)prefix >> 2) % COUNT(remembered);

    if (remembered[at].prefix != prefix) {
        remembered[at].prefix = prefix;
        remembered[at].known = find_flags(prefix);
    }
    return remembered[at].known;
}
