/* stream.c: decodes framing, members, handles and problems of a command stream. */
#include "tests/host/decode/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_BYTES 8u
#define STREAM_BYTES 24u
#define STREAM_MOST  (64u << 20)

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const struct aerogpu_packet packets[] = {
#define AEROGPU_PACKET AEROGPU_PACKET_RECORD
#include "ring/protocol/packets.def"
};

/* Names of the structures, in the order of packets. */
static const char *const structures[] = {
#define AEROGPU_PACKET(NAME, lower_name, tag, ...) #tag,
#include "ring/protocol/packets.def"
};

/* Payloads that consist of structures. */
static const struct {
    uint16_t opcode;
    const char *type;
} element_types[] = {
    {AEROGPU_CMD_SET_VERTEX_BUFFERS, "aerogpu_vertex_buffer_binding"},
    {AEROGPU_CMD_SET_CONSTANT_BUFFERS, "aerogpu_constant_buffer_binding"},
    {AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, "aerogpu_shader_resource_buffer_binding"},
    {AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS, "aerogpu_unordered_access_buffer_binding"},
};

struct layout {
    size_t count, element_count;
    struct agpu_member members[AGPU_MEMBERS_MAX];
    struct agpu_member
        element[AGPU_MEMBERS_MAX]; /* members of the payload's elements, if those are structures or words */
};

/* The object that a handle last named. kind 0: the entry is free. */
struct named {
    uint32_t handle;
    uint8_t space; /* see space_of() */
    bool gone;
    char what[58];
};

/* Limit of described objects, so that a hostile file cannot use more memory. */
#define NAMED_MOST (1u << 20)

/* Opcodes are below this. */
#define OPCODES 0x1000u

struct agpu_decoder {
    struct layout layouts[COUNT(packets)];
    uint8_t index[OPCODES]; /* 1 + index in packets, 0 where there is no packet */
    struct named *named;
    size_t capacity, used; /* capacity is a power of two */
};

/* The current call: its position and its output. */
struct walk {
    struct agpu_decoder *decoder;
    const struct agpu_decode_output *output;
    const uint8_t *packet;
    uint64_t offset; /* offset of the packet */
    uint64_t problems;
};

static uint64_t number_at(const uint8_t *bytes, uint32_t size)
{
    uint64_t value = 0;

    memcpy(&value, bytes, size < 8 ? size : 8); /* little-endian, like the host */
    return value;
}

static uint32_t word_at(const uint8_t *bytes)
{
    return (uint32_t)number_at(bytes, 4);
}

static void emit_problem(struct walk *walk, const char *text, const char *rule, bool fatal)
{
    walk->problems++;
    walk->output->problem(walk->output->ctx, walk->offset, text, rule, fatal);
}

static const char *section_of(uint32_t opcode)
{
    switch (opcode >> 8) {
    case 1:
        return "commands.md 6";
    case 2:
        return "commands.md 7";
    case 3:
    case 4:
        return "commands.md 8";
    case 5:
        return opcode < 0x510 ? "commands.md 9" : "commands.md 10";
    case 6:
        return "commands.md 11";
    case 7:
        return opcode >= 0x710 && opcode < 0x720 ? "commands.md 12" : "commands.md 11";
    default:
        return "commands.md 1";
    }
}

/* ---- layouts ---- */

static void mark_handles(const struct aerogpu_packet *packet, struct layout *layout)
{
    for (size_t g = 0; g < AEROGPU_HANDLE_GROUPS && packet->handles[g].kind != AEROGPU_HANDLE_NONE; g++) {
        const struct aerogpu_packet_handles *group = &packet->handles[g];
        struct agpu_member *members = group->words != 0 ? layout->members : layout->element;
        const size_t count = group->words != 0 ? layout->count : layout->element_count;
        const uint32_t words = group->words != 0 ? group->words : 1;

        for (size_t i = 0; i < count; i++) {
            if (members[i].offset / 4 >= group->word && members[i].offset / 4 < group->word + words) {
                members[i].kind = AGPU_MEMBER_HANDLES;
                members[i].handle_kind = group->kind;
                members[i].handle_use = group->use;
            }
        }
    }
}

static void lay_out_elements(const struct aerogpu_packet *packet, struct layout *layout)
{
    for (size_t i = 0; i < COUNT(element_types); i++) {
        if (element_types[i].opcode == packet->opcode) {
            layout->element_count = agpu_members_of(element_types[i].type, layout->element);
            return;
        }
    }
    if (packet->payload.kind == AEROGPU_PAYLOAD_ELEMENTS) {
        const bool floats = packet->opcode == AEROGPU_CMD_SET_SHADER_CONSTANTS_F;

        layout->element_count = 1;
        layout->element[0] = (struct agpu_member){.name = "value",
                                                  .size = packet->payload.element_bytes,
                                                  .kind = floats ? AGPU_MEMBER_FLOATS : AGPU_MEMBER_NUMBER};
        agpu_member_label(&layout->element[0]);
    }
}

/* Adds the fields that longer BIND_SHADERS packets have after the structure. */
static void lay_out_tail(const struct aerogpu_packet *packet, struct layout *layout)
{
    static const char *const names[] = {"gs", "hs", "ds"};

    if (packet->opcode != AEROGPU_CMD_BIND_SHADERS) {
        return;
    }
    for (uint16_t i = 0; i < 3 && layout->count < AGPU_MEMBERS_MAX; i++) {
        layout->members[layout->count] =
            (struct agpu_member){.name = names[i], .offset = (uint16_t)(packet->size + 4 * i), .size = 4};
        agpu_member_label(&layout->members[layout->count++]);
    }
}

struct agpu_decoder *agpu_decoder_create(void)
{
    struct agpu_decoder *decoder = calloc(1, sizeof *decoder);

    if (decoder == NULL) {
        return NULL;
    }
    decoder->capacity = 1024;
    decoder->named = calloc(decoder->capacity, sizeof *decoder->named);
    if (decoder->named == NULL) {
        free(decoder);
        return NULL;
    }
    for (size_t i = 0; i < COUNT(packets); i++) {
        struct layout *layout = &decoder->layouts[i];

        decoder->index[packets[i].opcode] = (uint8_t)(i + 1);
        layout->count = agpu_members_of(structures[i], layout->members);
        lay_out_elements(&packets[i], layout);
        lay_out_tail(&packets[i], layout);
        mark_handles(&packets[i], layout);
    }
    return decoder;
}

void agpu_decoder_destroy(struct agpu_decoder *decoder)
{
    if (decoder != NULL) {
        free(decoder->named);
        free(decoder);
    }
}

/* ---- what handles name ---- */

/* Resources and views share one namespace, each other kind has its own (commands.md 2). */
static uint8_t space_of(uint8_t kind)
{
    return kind == AEROGPU_HANDLE_VIEW ? AEROGPU_HANDLE_RESOURCE : kind;
}

static struct named *place_of(struct named *table, size_t capacity, uint8_t space, uint32_t handle)
{
    size_t at = (handle * 2654435761u ^ space * 40503u) & (capacity - 1);

    while (table[at].space != 0 && (table[at].space != space || table[at].handle != handle)) {
        at = (at + 1) & (capacity - 1);
    }
    return &table[at];
}

static void grow(struct agpu_decoder *decoder)
{
    const size_t capacity = decoder->capacity * 2;
    struct named *table = calloc(capacity, sizeof *table);

    if (table == NULL) {
        return; /* too full: look-ups would be slow */
    }
    for (size_t i = 0; i < decoder->capacity; i++) {
        if (decoder->named[i].space != 0) {
            *place_of(table, capacity, decoder->named[i].space, decoder->named[i].handle) = decoder->named[i];
        }
    }
    free(decoder->named);
    decoder->named = table;
    decoder->capacity = capacity;
}

/* Returns the entry for a new name; NULL when there are too many. */
static struct named *name_handle(struct agpu_decoder *decoder, uint8_t kind, uint32_t handle)
{
    struct named *place;

    if (decoder->used * 2 >= decoder->capacity && decoder->capacity < 2 * NAMED_MOST) {
        grow(decoder);
    }
    place = place_of(decoder->named, decoder->capacity, space_of(kind), handle);
    if (place->space == 0) {
        if (decoder->used + 1 >= decoder->capacity || decoder->used >= NAMED_MOST) {
            return NULL;
        }
        decoder->used++;
        place->space = space_of(kind);
        place->handle = handle;
    }
    place->gone = false;
    return place;
}

static const char *format_name(uint32_t format)
{
    const char *name = agpu_value_name("AEROGPU_FORMAT_", format);

    return name != NULL ? name : "of an unknown format";
}

static void describe_new(struct walk *walk, const struct aerogpu_packet *packet, struct named *named)
{
    const uint8_t *p = walk->packet;
    const char *stage;

    switch (packet->opcode) {
    case AEROGPU_CMD_CREATE_BUFFER:
        snprintf(
            named->what, sizeof named->what, "buffer of %llu bytes",
            (unsigned long long)number_at(p + offsetof(struct aerogpu_cmd_create_buffer, size_bytes), 8));
        break;
    case AEROGPU_CMD_CREATE_TEXTURE2D:
        snprintf(named->what, sizeof named->what, "texture %ux%u %s",
                 word_at(p + offsetof(struct aerogpu_cmd_create_texture2d, width)),
                 word_at(p + offsetof(struct aerogpu_cmd_create_texture2d, height)),
                 format_name(word_at(p + offsetof(struct aerogpu_cmd_create_texture2d, format))));
        break;
    case AEROGPU_CMD_CREATE_TEXTURE_VIEW:
        snprintf(named->what, sizeof named->what, "view of %u as %s",
                 word_at(p + offsetof(struct aerogpu_cmd_create_texture_view, texture_handle)),
                 format_name(word_at(p + offsetof(struct aerogpu_cmd_create_texture_view, format))));
        break;
    case AEROGPU_CMD_CREATE_SHADER_DXBC:
        stage = agpu_value_name("AEROGPU_SHADER_STAGE_",
                                word_at(p + offsetof(struct aerogpu_cmd_create_shader_dxbc, stage)));
        snprintf(named->what, sizeof named->what, "shader %s", stage != NULL ? stage : "of an unknown stage");
        break;
    case AEROGPU_CMD_CREATE_INPUT_LAYOUT:
        snprintf(named->what, sizeof named->what, "input layout");
        break;
    case AEROGPU_CMD_CREATE_SAMPLER:
        snprintf(named->what, sizeof named->what, "sampler");
        break;
    default:
        snprintf(named->what, sizeof named->what, "import");
        break;
    }
}

static void meet_handle(struct walk *walk, const struct agpu_decoded *decoded,
                        const struct agpu_member *member, uint32_t word, uint32_t handle)
{
    struct agpu_decoder *decoder = walk->decoder;
    struct named *named;
    char text[120];

    if (handle == 0) {
        if (member->handle_use != AEROGPU_HANDLE_BINDS) {
            snprintf(text, sizeof text, "%s is 0, which is not a handle", member->name);
            emit_problem(walk, text, "commands.md 2", false);
        }
        return;
    }
    if (member->handle_use == AEROGPU_HANDLE_CREATES) {
        named = name_handle(decoder, member->handle_kind, handle);
        if (named != NULL) {
            describe_new(walk, decoded->packet, named);
        }
        return;
    }
    named = place_of(decoder->named, decoder->capacity, space_of(member->handle_kind), handle);
    if (named->space == 0) {
        return; /* possibly from an earlier submission */
    }
    walk->output->handle(walk->output->ctx, word, handle, named->what);
    if (named->gone) {
        snprintf(text, sizeof text, "%s %u, the %s, was destroyed before", member->name, handle, named->what);
        emit_problem(walk, text, "commands.md 2", false);
    }
    named->gone = named->gone || member->handle_use == AEROGPU_HANDLE_DESTROYS;
}

/* ---- members ---- */

static void check_value(struct walk *walk, const struct agpu_decoded *decoded,
                        const struct agpu_member *member, uint64_t value)
{
    char text[120];

    if (member->kind == AGPU_MEMBER_VALUE && agpu_value_name(member->prefix, value) == NULL) {
        snprintf(text, sizeof text, "%s %llu has no meaning", member->name, (unsigned long long)value);
        emit_problem(walk, text, decoded->section, false);
    } else if (member->kind == AGPU_MEMBER_FLAGS && (value & ~agpu_flags_known(member->prefix)) != 0) {
        snprintf(text, sizeof text, "%s 0x%llx has bits without a meaning", member->name,
                 (unsigned long long)value);
        emit_problem(walk, text, decoded->section, false);
    }
}

static void report_member(struct walk *walk, const struct agpu_decoded *decoded,
                          const struct agpu_member *member, const uint8_t *bytes, int64_t element)
{
    if (member->kind == AGPU_MEMBER_RESERVED && number_at(bytes, member->size) == 0) {
        return;
    }
    walk->output->member(walk->output->ctx, member, bytes, element);
    if (member->kind == AGPU_MEMBER_HANDLES && member->handle_kind != AEROGPU_HANDLE_TOKEN) {
        for (uint32_t word = 0; word < member->size / 4u; word++) {
            meet_handle(walk, decoded, member, word, word_at(bytes + 4 * word));
        }
    } else if (member->prefix != NULL) {
        check_value(walk, decoded, member, number_at(bytes, member->size));
    }
}

static const struct aerogpu_packet *find_packet(const struct agpu_decoder *decoder, uint32_t opcode)
{
    const uint8_t index = opcode < OPCODES ? decoder->index[opcode] : 0;

    return index != 0 ? &packets[index - 1] : NULL;
}

static void report_elements(struct walk *walk, const struct agpu_decoded *decoded,
                            const struct layout *layout, uint64_t count)
{
    const uint32_t bytes = decoded->packet->payload.element_bytes;
    const uint8_t *element = walk->packet + decoded->packet->size;

    for (uint64_t i = 0; i < count; i++, element += bytes) {
        for (size_t m = 0; m < layout->element_count; m++) {
            report_member(walk, decoded, &layout->element[m], element + layout->element[m].offset,
                          (int64_t)i);
        }
    }
}

static void report_payload(struct walk *walk, const struct agpu_decoded *decoded, const struct layout *layout)
{
    const struct aerogpu_packet *packet = decoded->packet;
    const struct aerogpu_packet_payload *payload = &packet->payload;
    const uint64_t room = decoded->size - packet->size;
    uint64_t count;
    char text[120];

    if (payload->kind == AEROGPU_PAYLOAD_NONE) {
        return;
    }
    if (payload->kind == AEROGPU_PAYLOAD_REST) {
        walk->output->payload(walk->output->ctx, walk->packet + packet->size, room);
        return;
    }
    count = number_at(walk->packet + 4u * payload->count_word, 4u * payload->count_words);
    if (count > room / payload->element_bytes) {
        snprintf(text, sizeof text, "%llu %s of payload are announced, the packet has room for %llu",
                 (unsigned long long)count, payload->element_bytes == 1 ? "bytes" : "elements",
                 (unsigned long long)(room / payload->element_bytes));
        emit_problem(walk, text, "commands.md 1", false);
        return;
    }
    if (payload->kind == AEROGPU_PAYLOAD_BYTES) {
        walk->output->payload(walk->output->ctx, walk->packet + packet->size, count);
    } else {
        report_elements(walk, decoded, layout, count);
    }
}

static void report_packet(struct walk *walk, const struct agpu_decoded *decoded)
{
    const struct aerogpu_packet *packet = decoded->packet;
    const struct layout *layout;
    char text[120];

    walk->output->packet(walk->output->ctx, decoded);
    /* An unknown packet is not a problem: devices skip it (commands.md 1), and a later minor may define it. */
    if (packet != NULL && decoded->size < packet->smallest) {
        snprintf(text, sizeof text, "%s needs %u bytes, the packet has %u", packet->name, packet->smallest,
                 decoded->size);
        emit_problem(walk, text, "commands.md 1", false);
    } else if (packet != NULL) {
        layout = &walk->decoder->layouts[packet - packets];
        for (size_t i = 0; i < layout->count; i++) {
            if (layout->members[i].offset + layout->members[i].size <= decoded->size) {
                report_member(walk, decoded, &layout->members[i], walk->packet + layout->members[i].offset,
                              -1);
            }
        }
        if (decoded->size >= packet->size) {
            report_payload(walk, decoded, layout);
        }
    }
    walk->output->packet_end(walk->output->ctx);
}

/* ---- framing ---- */

/* Walks the packets of [bytes, bytes + size). Returns false when the framing ends before them. */
static bool walk_packets(struct walk *walk, const uint8_t *bytes, uint64_t size, uint64_t base)
{
    uint64_t at = 0;
    char text[120];

    while (at < size) {
        struct agpu_decoded decoded;

        walk->offset = base + at;
        if (size - at < HEADER_BYTES) {
            snprintf(text, sizeof text, "%llu bytes are left, a packet has at least 8",
                     (unsigned long long)(size - at));
            emit_problem(walk, text, "commands.md 1", true);
            return false;
        }
        decoded = (struct agpu_decoded){
            .offset = walk->offset, .opcode = word_at(bytes + at), .size = word_at(bytes + at + 4)};
        if (decoded.size < HEADER_BYTES || decoded.size % 4 != 0 || decoded.size > size - at) {
            snprintf(text, sizeof text, "packet 0x%x of %u bytes: expected a multiple of 4 from 8 to %llu",
                     decoded.opcode, decoded.size, (unsigned long long)(size - at));
            emit_problem(walk, text, "commands.md 1", true);
            return false;
        }
        decoded.packet = find_packet(walk->decoder, decoded.opcode);
        decoded.section = section_of(decoded.opcode);
        walk->packet = bytes + at;
        report_packet(walk, &decoded);
        at += decoded.size;
    }
    return true;
}

uint64_t agpu_decode(struct agpu_decoder *decoder, const uint8_t *bytes, uint64_t size, uint64_t base,
                     const struct agpu_decode_output *output)
{
    struct walk walk = {.decoder = decoder, .output = output, .offset = base};
    uint64_t at = 0;
    char text[120];

    if (size < 4 || word_at(bytes) != AEROGPU_CMD_STREAM_MAGIC) {
        walk_packets(&walk, bytes, size, base);
        return walk.problems;
    }
    while (at < size) {
        const uint8_t *header = bytes + at;
        uint32_t length;
        uint64_t here;

        walk.offset = base + at;
        if (size - at < STREAM_BYTES || word_at(header) != AEROGPU_CMD_STREAM_MAGIC) {
            snprintf(text, sizeof text, "%llu bytes after the last stream", (unsigned long long)(size - at));
            emit_problem(&walk, text, "commands.md 1", true);
            break;
        }
        length = word_at(header + 8);
        if (length < STREAM_BYTES || length % 4 != 0 || length > STREAM_MOST) {
            snprintf(text, sizeof text,
                     "the stream's header has size %u: expected a multiple of 4 from 24 to %u", length,
                     STREAM_MOST);
            emit_problem(&walk, text, "ring.md 3.1", true);
            break;
        }
        here = size - at < length ? size - at : length;
        if (here < length) { /* the buffer is too small for the stream, or its capture was truncated */
            snprintf(text, sizeof text, "the stream's header has size %u, but only %llu bytes are present",
                     length, (unsigned long long)here);
            emit_problem(&walk, text, "ring.md 3.1", false);
        }
        output->stream(output->ctx, walk.offset, length, word_at(header + 4));
        if (word_at(header + 4) >> 16 != 1) {
            snprintf(text, sizeof text, "version %u.%u: expected major 1", word_at(header + 4) >> 16,
                     word_at(header + 4) & 0xFFFF);
            emit_problem(&walk, text, "ring.md 3.1", false);
        }
        walk_packets(&walk, header + STREAM_BYTES, here - STREAM_BYTES, base + at + STREAM_BYTES);
        at += here;
    }
    return walk.problems;
}
