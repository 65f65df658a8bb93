/* test_packets.c: the table of packets against the ABI table (commands.md 1, 2): each opcode once, sizes, and a handle
 * exactly where the name of a member says so. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ring/protocol/packet_table.h"
#include "tests/unit/test.h"

static const struct aerogpu_packet packets[] = {
#define AEROGPU_PACKET AEROGPU_PACKET_RECORD
#include "ring/protocol/packets.def"
};
#define ROWS (sizeof packets / sizeof packets[0])

/* Structures of the rows. */
static const char *const tags[ROWS] = {
#define AEROGPU_PACKET(NAME, name, tag, ...) #tag,
#include "ring/protocol/packets.def"
};

/* A line of abi.tsv: kind, name, value, size. */
struct abi_line {
    char kind[8], name[96];
    unsigned long value, size;
};

/* Calls visit for each line. Returns the number of lines. */
static unsigned each_line(void (*visit)(const struct abi_line *line, void *ctx), void *ctx)
{
    FILE *file = fopen(AGPU_ABI_TABLE, "r");
    char text[512];
    unsigned count = 0;

    assert_non_null(file);
    while (fgets(text, sizeof text, file) != NULL) {
        struct abi_line line;
        char value[32], size[32];

        if (text[0] == '#' || sscanf(text, "%7s %95s %31s %31s", line.kind, line.name, value, size) != 4) {
            continue;
        }
        line.value = strtoul(value, NULL, 0);
        line.size = strtoul(size, NULL, 0); /* 0 for the "-" of constants */
        visit(&line, ctx);
        count++;
    }
    assert_int_equal(fclose(file), 0);
    return count;
}

static bool starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static const struct aerogpu_packet *packet_by_name(const char *name)
{
    const struct aerogpu_packet *found = NULL;

    for (size_t i = 0; i < ROWS; i++) {
        if (strcmp(packets[i].name, name) == 0) {
            assert_null(found);
            found = &packets[i];
        }
    }
    return found;
}

#define OPCODE_PREFIX "AEROGPU_CMD_"

/* Some constants with the same prefix are not opcodes. */
static bool is_opcode(const struct abi_line *line)
{
    return strcmp(line->kind, "const") == 0 && starts(line->name, OPCODE_PREFIX) &&
           !starts(line->name, OPCODE_PREFIX "STREAM_");
}

static void check_opcode(const struct abi_line *line, void *ctx)
{
    const struct aerogpu_packet *packet;

    if (!is_opcode(line)) {
        return;
    }
    packet = packet_by_name(line->name + strlen(OPCODE_PREFIX));
    if (packet == NULL) {
        print_error("%s is not in packets.def\n", line->name);
    }
    assert_non_null(packet);
    assert_int_equal(packet->opcode, line->value);
    ++*(size_t *)ctx;
}

/* Each opcode of abi.tsv has one row, and each row an opcode of abi.tsv. */
TEST(every_opcode_once)
{
    size_t opcodes = 0;

    assert_true(each_line(check_opcode, &opcodes) > 100);
    assert_int_equal(opcodes, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t k = 0; k < i; k++) {
            assert_int_not_equal(packets[i].opcode, packets[k].opcode);
        }
    }
}

static void check_size(const struct abi_line *line, void *ctx)
{
    for (size_t i = 0; i < ROWS; i++) {
        if (strcmp(line->kind, "size") == 0 && strcmp(line->name, tags[i]) == 0) {
            assert_int_equal(packets[i].size, line->value);
            ++*(size_t *)ctx;
        }
    }
}

/* Sizes are those of abi.tsv; only SET_BLEND_STATE may be shorter than its structure (commands.md 1). */
TEST(sizes)
{
    size_t checked = 0;

    (void)each_line(check_size, &checked);
    assert_int_equal(checked, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        bool shorter = packets[i].opcode == AEROGPU_CMD_SET_BLEND_STATE;

        assert_int_equal(packets[i].smallest, shorter ? 28 : packets[i].size);
    }
}

/* Returns whether a member of this name is a handle, or handles. */
static bool names_handle(const char *member)
{
    static const char *const names[] = {
        "dst_buffer", "src_buffer", "dst_texture", "src_texture", "texture", "depth_stencil",
        "colors",     "buffer",     "share_token", "vs",          "ps",      "cs"};
    size_t length = strlen(member), suffix = strlen("_handle");

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(member, names[i]) == 0) {
            return true;
        }
    }
    return length > suffix && strcmp(member + length - suffix, "_handle") == 0;
}

static bool holds_handle(const struct aerogpu_packet *packet, unsigned long word)
{
    for (size_t i = 0; i < AEROGPU_HANDLE_GROUPS; i++) {
        const struct aerogpu_packet_handles *group = &packet->handles[i];

        if (group->kind != AEROGPU_HANDLE_NONE && word >= group->word && word - group->word < group->words) {
            return true;
        }
    }
    return false;
}

/* Compares word by word: the table marks a handle exactly if the name of the member says so. */
static void check_member(const struct abi_line *line, void *ctx)
{
    const char *member = strchr(line->name, '.');

    if (strcmp(line->kind, "field") != 0 || member == NULL) {
        return;
    }
    for (size_t i = 0; i < ROWS; i++) {
        size_t length = (size_t)(member - line->name);
        /* gs in a packet of 24 bytes (commands.md 7) */
        bool is_gs = packets[i].opcode == AEROGPU_CMD_BIND_SHADERS && strcmp(member + 1, "reserved0") == 0;

        if (strlen(tags[i]) != length || strncmp(line->name, tags[i], length) != 0) {
            continue;
        }
        for (unsigned long word = line->value / 4; word < (line->value + line->size) / 4; word++) {
            if (holds_handle(&packets[i], word) != (names_handle(member + 1) || is_gs)) {
                print_error("%s, word %lu: packets.def says that it is %s handle, the member's name says the "
                            "other\n",
                            line->name, word, holds_handle(&packets[i], word) ? "a" : "no");
                fail();
            }
            ++*(size_t *)ctx;
        }
    }
}

TEST(handles_are_the_members_named_so)
{
    size_t words = 0;

    (void)each_line(check_member, &words);
    assert_true(words > 200);
}

/* Handles of elements: the first member of each kind of binding. An element of samplers is a handle. */
TEST(handles_of_elements)
{
    size_t found = 0;

    for (size_t i = 0; i < ROWS; i++) {
        const struct aerogpu_packet *packet = &packets[i];

        for (size_t k = 0; k < AEROGPU_HANDLE_GROUPS; k++) {
            if (packet->handles[k].kind == AEROGPU_HANDLE_NONE || packet->handles[k].words != 0) {
                continue;
            }
            assert_int_equal(packet->payload.kind, AEROGPU_PAYLOAD_ELEMENTS);
            assert_int_equal(packet->handles[k].word, 0);
            assert_int_equal(packet->payload.element_bytes,
                             packet->handles[k].kind == AEROGPU_HANDLE_SAMPLER ? 4 : 16);
            found++;
        }
    }
    assert_int_equal(found, 5);
    assert_int_equal(offsetof(struct aerogpu_vertex_buffer_binding, buffer), 0);
    assert_int_equal(offsetof(struct aerogpu_constant_buffer_binding, buffer), 0);
    assert_int_equal(offsetof(struct aerogpu_shader_resource_buffer_binding, buffer), 0);
    assert_int_equal(offsetof(struct aerogpu_unordered_access_buffer_binding, buffer), 0);
}

/* Only BIND_SHADERS continues after its structure: gs, hs, ds at 24, 28, 32 (commands.md 7). */
TEST(handles_behind_the_structure)
{
    for (size_t i = 0; i < ROWS; i++) {
        const struct aerogpu_packet *packet = &packets[i];

        for (size_t k = 0; k < AEROGPU_HANDLE_GROUPS; k++) {
            const struct aerogpu_packet_handles *group = &packet->handles[k];

            if (group->words == 0 || 4u * (group->word + group->words) <= packet->size) {
                continue;
            }
            assert_int_equal(packet->opcode, AEROGPU_CMD_BIND_SHADERS);
            assert_int_equal(group->word * 4, 24);
            assert_int_equal(group->words, 3);
        }
    }
}
