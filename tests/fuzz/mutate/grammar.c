/* grammar.c: packets by template. A letter a field; what it stands for is in field(). */
#include "tests/fuzz/mutate/grammar.h"

#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"

struct packet_template {
    uint32_t opcode;
    const char *fields;
    const char *element; /* repeated as often as field 'n' says; "b": bytes, as many as field 'y' says */
};

static const struct packet_template templates[] = {
    {AEROGPU_CMD_NOP, "", NULL},
    {AEROGPU_CMD_DEBUG_MARKER, "i", NULL},
    {AEROGPU_CMD_CREATE_BUFFER, "huZaorr", NULL},
    {AEROGPU_CMD_CREATE_TEXTURE2D, "hufwwMMpaorr", NULL},
    {AEROGPU_CMD_DESTROY_RESOURCE, "hr", NULL},
    {AEROGPU_CMD_RESOURCE_DIRTY_RANGE, "hrOZ", NULL},
    {AEROGPU_CMD_UPLOAD_RESOURCE, "hrOY", "b"},
    {AEROGPU_CMD_COPY_BUFFER, "hhOOZer", NULL},
    {AEROGPU_CMD_COPY_TEXTURE2D, "hhmmmmkkkkwwer", NULL},
    {AEROGPU_CMD_CREATE_TEXTURE_VIEW, "hhfmMmMrr", NULL},
    {AEROGPU_CMD_DESTROY_TEXTURE_VIEW, "hr", NULL},
    {AEROGPU_CMD_CREATE_SHADER_DXBC, "hsyx", "b"},
    {AEROGPU_CMD_DESTROY_SHADER, "hr", NULL},
    {AEROGPU_CMD_BIND_SHADERS, "hhhn", "h"},
    {AEROGPU_CMD_SET_SHADER_CONSTANTS_F, "sgnx", "FFFF"},
    {AEROGPU_CMD_SET_SHADER_CONSTANTS_I, "sgnx", "iiii"},
    {AEROGPU_CMD_SET_SHADER_CONSTANTS_B, "sgnx", "eeee"},
    {AEROGPU_CMD_CREATE_INPUT_LAYOUT, "hyr", "I"},
    {AEROGPU_CMD_DESTROY_INPUT_LAYOUT, "hr", NULL},
    {AEROGPU_CMD_SET_INPUT_LAYOUT, "hr", NULL},
    {AEROGPU_CMD_SET_BLEND_STATE, "eeeeeeeeFFFFi", NULL},
    {AEROGPU_CMD_SET_DEPTH_STENCIL_STATE, "eeeei", NULL},
    {AEROGPU_CMD_SET_RASTERIZER_STATE, "eeeeie", NULL},
    {AEROGPU_CMD_SET_RENDER_TARGETS, "mhhhhhhhhh", NULL},
    {AEROGPU_CMD_SET_VIEWPORT, "FFFFFF", NULL},
    {AEROGPU_CMD_SET_SCISSOR, "kkkk", NULL},
    {AEROGPU_CMD_SET_VERTEX_BUFFERS, "gn", "hkor"},
    {AEROGPU_CMD_SET_INDEX_BUFFER, "heor", NULL},
    {AEROGPU_CMD_SET_PRIMITIVE_TOPOLOGY, "tr", NULL},
    {AEROGPU_CMD_SET_TEXTURE, "sghx", NULL},
    {AEROGPU_CMD_SET_SAMPLER_STATE, "sgii", NULL},
    {AEROGPU_CMD_SET_RENDER_STATE, "ii", NULL},
    {AEROGPU_CMD_CREATE_SAMPLER, "heeee", NULL},
    {AEROGPU_CMD_DESTROY_SAMPLER, "hr", NULL},
    {AEROGPU_CMD_SET_SAMPLERS, "sgnx", "h"},
    {AEROGPU_CMD_SET_CONSTANT_BUFFERS, "sgnx", "hozr"},
    {AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, "sgnx", "hozr"},
    {AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS, "sgnx", "hozi"},
    {AEROGPU_CMD_CLEAR, "eFFFFFi", NULL},
    {AEROGPU_CMD_DRAW, "mmmm", NULL},
    {AEROGPU_CMD_DRAW_INDEXED, "mmmmm", NULL},
    {AEROGPU_CMD_DISPATCH, "mmmx", NULL},
    {AEROGPU_CMD_PRESENT, "re", NULL},
    {AEROGPU_CMD_PRESENT_EX, "reir", NULL},
    {AEROGPU_CMD_EXPORT_SHARED_SURFACE, "hrT", NULL},
    {AEROGPU_CMD_IMPORT_SHARED_SURFACE, "hrT", NULL},
    {AEROGPU_CMD_RELEASE_SHARED_SURFACE, "Trr", NULL},
    {AEROGPU_CMD_FLUSH, "rr", NULL},
};
#define TEMPLATES (sizeof templates / sizeof templates[0])

static uint32_t any_format(struct fuzz_random *random)
{
    static const uint8_t formats[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 32, 33, 64, 65, 66, 68, 70, 71, 0, 11};

    return FUZZ_CHOOSE(random, formats);
}

/* Mostly small: an input that moves megabytes is one where a thousand others could have been. */
static uint32_t length_or_offset(struct fuzz_random *random)
{
    static const uint32_t small[] = {0, 4, 8, 16, 64, 256, 1024, 4096, 3, 20, 0xFF, 4092, 4100};
    static const uint32_t large[] = {0x4000, 0x10000, 0xFFFFFFFC, UINT32_MAX, 0x40000000, 0x80000000};

    return fuzz_random_below(random, 16) ? FUZZ_CHOOSE(random, small) : FUZZ_CHOOSE(random, large);
}

static uint32_t any_float(struct fuzz_random *random)
{
    static const uint32_t values[] = {0,          0x3F800000, 0x3F000000, 0xBF800000, 0x42C80000,
                                      0x7FC00000, 0x7F800000, 0xFF800000, 0x00000001, 0x437F0000};

    return FUZZ_CHOOSE(random, values);
}

static uint32_t edge_length(struct fuzz_random *random)
{
    static const uint32_t small[] = {1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 32, 64};
    static const uint32_t large[] = {0, 100, 256, 4096, 65536, UINT32_MAX};

    return fuzz_random_below(random, 32) ? FUZZ_CHOOSE(random, small) : FUZZ_CHOOSE(random, large);
}

/* Value of a field, its low half for those of 64 bits. */
static uint32_t field(struct fuzz_random *random, char kind)
{
    static const uint8_t topologies[] = {1, 2, 3, 4, 5, 6, 10, 13, 33, 64, 0, 7, 65};
    static const uint8_t slots[] = {0, 0, 1, 2, 7, 8, 13, 14, 15, 16, 31, 32, 127, 128, 255};
    static const uint16_t pitches[] = {0, 0, 4, 16, 64, 256, 1024, 3};

    if (fuzz_random_below(random, 40) == 0) {
        return fuzz_random_next(random);
    }
    switch (kind) {
    case 'h': /* handle of any kind: one that there is, or few, so that they meet */
        return random->handle_count > 0 && fuzz_random_below(random, 2)
                   ? random->handles[fuzz_random_below(random, random->handle_count)]
                   : fuzz_random_below(random, 7);
    case 'a': /* allocation */
        return fuzz_random_below(random, 2) ? fuzz_random_below(random, 4) : 0;
    case 'T': /* share token */
        return fuzz_random_below(random, 4);
    case 'u': /* usage */
        return fuzz_random_below(random, 256);
    case 'f':
        return any_format(random);
    case 'w': /* edge of a texture or rectangle */
        return edge_length(random);
    case 'k': /* coordinate */
        return fuzz_random_below(random, 2) ? 0 : edge_length(random);
    case 'm': /* small count or index */
        return fuzz_random_below(random, 4);
    case 'M': /* mips, layers */
        return 1 + fuzz_random_below(random, 3);
    case 'p': /* pitch */
        return FUZZ_CHOOSE(random, pitches);
    case 'o': /* offset */
    case 'O':
        return fuzz_random_below(random, 2) ? 0 : length_or_offset(random);
    case 'z': /* size */
    case 'Z':
        return length_or_offset(random);
    case 'F':
        return any_float(random);
    case 's': /* shader stage */
        return fuzz_random_below(random, fuzz_random_below(random, 8) ? 4 : 7);
    case 'x': /* stage_ex */
        return fuzz_random_below(random, 2) ? 0 : fuzz_random_below(random, 7);
    case 'g': /* slot */
        return FUZZ_CHOOSE(random, slots);
    case 't':
        return FUZZ_CHOOSE(random, topologies);
    case 'e': /* enumeration, flags */
        return fuzz_random_below(random, fuzz_random_below(random, 4) ? 3 : 10);
    case 'n': /* elements that follow */
        return fuzz_random_below(random, 5);
    case 'y': /* bytes that follow */
    case 'Y':
        return fuzz_random_below(random, 4) * 16 + (fuzz_random_below(random, 4) == 0);
    case 'r': /* reserved */
        return 0;
    default:
        return fuzz_random_next(random);
    }
}

static bool is_wide(char kind)
{
    return kind == 'Z' || kind == 'O' || kind == 'T' || kind == 'Y';
}

static size_t put(uint8_t *out, size_t at, uint32_t value)
{
    if (at + sizeof value <= FUZZ_MADE_BYTES) {
        memcpy(out + at, &value, sizeof value);
        return at + sizeof value;
    }
    return at;
}

static size_t put_fields(struct fuzz_random *random, uint8_t *out, size_t at, const char *fields,
                         uint32_t *follow)
{
    for (; *fields != '\0'; fields++) {
        const uint32_t value = field(random, *fields);

        if (*fields == 'n' || *fields == 'y' || *fields == 'Y') {
            *follow = value;
        }
        at = put(out, at, value);
        if (is_wide(*fields)) {
            at = put(out, at, fuzz_random_below(random, 30) ? 0 : fuzz_random_next(random));
        }
    }
    return at;
}

void fuzz_note_handle(struct fuzz_random *random, const uint8_t *packet, size_t size)
{
    uint32_t words[3];

    if (size < sizeof words || random->handle_count == FUZZ_HANDLES) {
        return;
    }
    memcpy(words, packet, sizeof words);
    switch (words[0]) {
    case AEROGPU_CMD_CREATE_BUFFER:
    case AEROGPU_CMD_CREATE_TEXTURE2D:
    case AEROGPU_CMD_CREATE_TEXTURE_VIEW:
    case AEROGPU_CMD_CREATE_SHADER_DXBC:
    case AEROGPU_CMD_CREATE_INPUT_LAYOUT:
    case AEROGPU_CMD_CREATE_SAMPLER:
        random->handles[random->handle_count++] = words[2];
        break;
    default:
        break;
    }
}

/* An input layout, as good as these get by chance. */
static size_t put_layout(struct fuzz_random *random, uint8_t *out, size_t at)
{
    static const uint8_t formats[] = {2, 6, 16, 28, 34, 41, 87, 0, 99};
    const uint32_t count = fuzz_random_below(random, 4);

    at = put(out, at, AEROGPU_INPUT_LAYOUT_BLOB_MAGIC);
    at = put(out, at, AEROGPU_INPUT_LAYOUT_BLOB_VERSION);
    at = put(out, at, count);
    at = put(out, at, 0);
    for (uint32_t i = 0; i < count; i++) {
        at = put(out, at, fuzz_random_next(random));
        at = put(out, at, fuzz_random_below(random, 2));
        at = put(out, at, FUZZ_CHOOSE(random, formats));
        at = put(out, at, fuzz_random_below(random, 3));
        at = put(out, at, fuzz_random_below(random, 2) ? UINT32_MAX : i * 16);
        at = put(out, at, fuzz_random_below(random, 3));
        at = put(out, at, fuzz_random_below(random, 2));
    }
    return at;
}

size_t fuzz_make_packet(struct fuzz_random *random, uint8_t *out)
{
    const struct packet_template *template = &templates[fuzz_random_below(random, TEMPLATES)];
    uint32_t follow = 0, size;
    size_t at = 8, fixed;

    if (template->opcode == AEROGPU_CMD_CREATE_SHADER_DXBC && fuzz_random_below(random, 8) != 0) {
        fixed = fuzz_make_shader(random, field(random, 'h'), out);
        if (fixed > 0) {
            return fixed;
        }
    }
    memset(out, 0, FUZZ_MADE_BYTES);
    memcpy(out, &template->opcode, sizeof template->opcode);
    at = put_fields(random, out, at, template->fields, &follow);
    fixed = at;
    follow = follow < 64 ? follow : 64;
    if (template->element != NULL && template->element[0] == 'b') {
        for (uint32_t i = 0; i < follow; i += 4) {
            at = put(out, at, fuzz_random_next(random));
        }
    } else if (template->element != NULL && template->element[0] == 'I') {
        at = put_layout(random, out, at);
        size = (uint32_t)(at - fixed);
        memcpy(out + 12, &size, sizeof size); /* blob_size_bytes */
    } else {
        for (uint32_t i = 0; template->element != NULL && i < follow; i++) {
            at = put_fields(random, out, at, template->element, &size);
        }
    }
    size = (uint32_t)at;
    memcpy(out + 4, &size, sizeof size);
    return at;
}

void fuzz_tweak_packet(struct fuzz_random *random, uint8_t *packet, size_t size)
{
    const struct packet_template *template = NULL;
    uint32_t opcode, value;
    size_t at = 8;

    if (size < 12) {
        return;
    }
    memcpy(&opcode, packet, sizeof opcode);
    for (size_t i = 0; i < TEMPLATES; i++) {
        if (templates[i].opcode == opcode) {
            template = &templates[i];
        }
    }
    if (template == NULL || template->fields[0] == '\0') {
        return;
    }
    if (opcode == AEROGPU_CMD_CREATE_SHADER_DXBC && fuzz_random_below(random, 2) != 0) {
        fuzz_tweak_shader(random, packet, size);
        return;
    }
    const uint32_t chosen = fuzz_random_below(random, (uint32_t)strlen(template->fields));
    for (uint32_t i = 0; i < chosen; i++) {
        at += is_wide(template->fields[i]) ? 8 : 4;
    }
    if (at + sizeof value <= size) {
        value = field(random, template->fields[chosen]);
        memcpy(packet + at, &value, sizeof value);
    }
}
