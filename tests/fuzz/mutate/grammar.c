/* grammar.c: packets of every opcode, built from the table of packets (ring/protocol/packets.def), which has
 * the positions of handles, share tokens and counts. A letter for each 32-bit word gives its meaning;
 * value_of() chooses a value. */
#include "tests/fuzz/mutate/grammar.h"

#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/packet_table.h"

static const struct aerogpu_packet packets[] = {
#define AEROGPU_PACKET AEROGPU_PACKET_RECORD
#include "ring/protocol/packets.def"
};
#define PACKETS (sizeof packets / sizeof packets[0])

/* Meaning of the words that the table does not describe, in the structure after the header and in an element:
 * gives better values than DEFAULT_LETTER, which a packet without a hint gets. "." where the table has the
 * meaning. */
struct packet_hint {
    uint32_t opcode;
    const char *words, *element;
};
#define DEFAULT_LETTER 'e'

/* A hint has a letter for every word of the structure; another length does not compile. */
#define HINT(NAME, name, words, element)                                                                     \
    {                                                                                                        \
        AEROGPU_CMD_##NAME +                                                                                 \
            0 * sizeof(char[sizeof(words) - 1 == sizeof(struct aerogpu_cmd_##name) / 4 - 2 ? 1 : -1]),       \
            words, element                                                                                   \
    }
static const struct packet_hint hints[] = {
    HINT(CREATE_BUFFER, create_buffer, ".uZ-aorr", NULL),
    HINT(CREATE_TEXTURE2D, create_texture2d, ".ufwwMMpaorr", NULL),
    HINT(DESTROY_RESOURCE, destroy_resource, ".r", NULL),
    HINT(RESOURCE_DIRTY_RANGE, resource_dirty_range, ".rO-Z-", NULL),
    HINT(UPLOAD_RESOURCE, upload_resource, ".rO-..", NULL),
    HINT(COPY_BUFFER, copy_buffer, "..O-O-Z-er", NULL),
    HINT(COPY_TEXTURE2D, copy_texture2d, "..mmmmkkkkwwer", NULL),
    HINT(CREATE_TEXTURE_VIEW, create_texture_view, "..fmMmMrr", NULL),
    HINT(DESTROY_TEXTURE_VIEW, destroy_texture_view, ".r", NULL),
    HINT(CREATE_SHADER_DXBC, create_shader_dxbc, ".s.x", NULL),
    HINT(DESTROY_SHADER, destroy_shader, ".r", NULL),
    HINT(SET_SHADER_CONSTANTS_F, set_shader_constants_f, "sg.x", "FFFF"),
    HINT(SET_SHADER_CONSTANTS_I, set_shader_constants_i, "sg.x", "iiii"),
    HINT(SET_SHADER_CONSTANTS_B, set_shader_constants_b, "sg.x", "eeee"),
    HINT(CREATE_INPUT_LAYOUT, create_input_layout, "..r", NULL),
    HINT(DESTROY_INPUT_LAYOUT, destroy_input_layout, ".r", NULL),
    HINT(SET_INPUT_LAYOUT, set_input_layout, ".r", NULL),
    HINT(SET_BLEND_STATE, set_blend_state, "eeeeeeeeFFFFi", NULL),
    HINT(SET_DEPTH_STENCIL_STATE, set_depth_stencil_state, "eeeei", NULL),
    HINT(SET_RASTERIZER_STATE, set_rasterizer_state, "eeeeie", NULL),
    HINT(SET_RENDER_TARGETS, set_render_targets, "m.........", NULL),
    HINT(SET_VIEWPORT, set_viewport, "FFFFFF", NULL),
    HINT(SET_SCISSOR, set_scissor, "kkkk", NULL),
    HINT(SET_VERTEX_BUFFERS, set_vertex_buffers, "g.", ".kor"),
    HINT(SET_INDEX_BUFFER, set_index_buffer, ".eor", NULL),
    HINT(SET_PRIMITIVE_TOPOLOGY, set_primitive_topology, "tr", NULL),
    HINT(SET_TEXTURE, set_texture, "sg.x", NULL),
    HINT(SET_SAMPLER_STATE, set_sampler_state, "sgii", NULL),
    HINT(SET_RENDER_STATE, set_render_state, "ii", NULL),
    HINT(DESTROY_SAMPLER, destroy_sampler, ".r", NULL),
    HINT(SET_SAMPLERS, set_samplers, "sg.x", "."),
    HINT(SET_CONSTANT_BUFFERS, set_constant_buffers, "sg.x", ".ozr"),
    HINT(SET_SHADER_RESOURCE_BUFFERS, set_shader_resource_buffers, "sg.x", ".ozr"),
    HINT(SET_UNORDERED_ACCESS_BUFFERS, set_unordered_access_buffers, "sg.x", ".ozi"),
    HINT(CLEAR, clear, "eFFFFFi", NULL),
    HINT(DRAW, draw, "mmmm", NULL),
    HINT(DRAW_INDEXED, draw_indexed, "mmmmm", NULL),
    HINT(DISPATCH, dispatch, "mmmx", NULL),
    HINT(PRESENT, present, "re", NULL),
    HINT(PRESENT_EX, present_ex, "reir", NULL),
    HINT(EXPORT_SHARED_SURFACE, export_shared_surface, ".r..", NULL),
    HINT(IMPORT_SHARED_SURFACE, import_shared_surface, ".r..", NULL),
    HINT(RELEASE_SHARED_SURFACE, release_shared_surface, "..rr", NULL),
    HINT(FLUSH, flush, "rr", NULL),
};
#define HINTS (sizeof hints / sizeof hints[0])

static const struct packet_hint *hint_of(uint32_t opcode)
{
    for (size_t i = 0; i < HINTS; i++) {
        if (hints[i].opcode == opcode) {
            return &hints[i];
        }
    }
    return NULL;
}

/* Returns the letter of a word in an element, or after the structure. */
static char letter_of_element(const struct aerogpu_packet *packet, uint32_t word)
{
    const struct packet_hint *hint = hint_of(packet->opcode);

    for (uint32_t i = 0; i < AEROGPU_HANDLE_GROUPS; i++) {
        if (packet->handles[i].kind != AEROGPU_HANDLE_NONE && packet->handles[i].words == 0 &&
            packet->handles[i].word == word) {
            return 'h';
        }
    }
    return hint != NULL && hint->element != NULL && word < strlen(hint->element) ? hint->element[word]
                                                                                 : DEFAULT_LETTER;
}

/* Returns the letter of a word of the structure, counted from the packet's start. */
static char letter_of(const struct aerogpu_packet *packet, uint32_t word)
{
    const struct aerogpu_packet_payload *payload = &packet->payload;
    const struct packet_hint *hint = hint_of(packet->opcode);

    for (uint32_t i = 0; i < AEROGPU_HANDLE_GROUPS; i++) {
        const struct aerogpu_packet_handles *group = &packet->handles[i];

        if (group->kind != AEROGPU_HANDLE_NONE && word >= group->word && word - group->word < group->words) {
            return group->kind != AEROGPU_HANDLE_TOKEN ? 'h' : word == group->word ? 'T' : '-';
        }
    }
    if (payload->count_words > 0 && word == payload->count_word) {
        return payload->kind == AEROGPU_PAYLOAD_ELEMENTS ? 'n' : 'y';
    }
    if (payload->count_words > 1 && word == payload->count_word + 1u) {
        return '-';
    }
    return hint != NULL && word - 2 < strlen(hint->words) ? hint->words[word - 2] : DEFAULT_LETTER;
}

/* True when handles follow the structure, which only longer packets have. */
static bool has_tail(const struct aerogpu_packet *packet)
{
    for (uint32_t i = 0; i < AEROGPU_HANDLE_GROUPS; i++) {
        if (packet->handles[i].words > 0 && 4u * packet->handles[i].word >= packet->size) {
            return true;
        }
    }
    return false;
}

static uint32_t any_format(struct fuzz_random *random)
{
    static const uint8_t formats[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 32, 33, 64, 65, 66, 68, 70, 71, 0, 11};

    return FUZZ_CHOOSE(random, formats);
}

/* Mostly small: an input that moves megabytes takes the time of a thousand others. */
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

/* Returns a value for a word with this letter. */
static uint32_t value_of(struct fuzz_random *random, char kind)
{
    static const uint8_t topologies[] = {1, 2, 3, 4, 5, 6, 10, 13, 33, 64, 0, 7, 65};
    static const uint8_t slots[] = {0, 0, 1, 2, 7, 8, 13, 14, 15, 16, 31, 32, 127, 128, 255};
    static const uint16_t pitches[] = {0, 0, 4, 16, 64, 256, 1024, 3};

    if (kind == '-') { /* high half of 64 bits */
        return fuzz_random_below(random, 30) ? 0 : fuzz_random_next(random);
    }
    if (fuzz_random_below(random, 40) == 0) {
        return fuzz_random_next(random);
    }
    switch (kind) {
    case 'h': /* handle of any kind: an existing one, or a small number, so that they coincide */
        return random->handle_count > 0 && fuzz_random_below(random, 2)
                   ? random->handles[fuzz_random_below(random, random->handle_count)]
                   : fuzz_random_below(random, 7);
    case 'a': /* allocation */
        return fuzz_random_below(random, 2) ? fuzz_random_below(random, 4) : 0;
    case 'T': /* share token, low half */
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
        return fuzz_random_below(random, 4) * 16 + (fuzz_random_below(random, 4) == 0);
    case 'r': /* reserved */
        return 0;
    default:
        return fuzz_random_next(random);
    }
}

static size_t put(uint8_t *out, size_t at, uint32_t value)
{
    if (at + sizeof value <= FUZZ_MADE_BYTES) {
        memcpy(out + at, &value, sizeof value);
        return at + sizeof value;
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
    for (size_t i = 0; i < PACKETS; i++) {
        const struct aerogpu_packet *made = &packets[i];

        if (made->opcode == words[0] && made->class == AEROGPU_CLASS_OBJECT &&
            made->handles[0].use == AEROGPU_HANDLE_CREATES) {
            random->handles[random->handle_count++] = words[2];
        }
    }
}

/* Writes an input layout, valid by chance. */
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

/* Writes the payload after the packet's structure; count is the value of its count member. Returns the
 * packet's end. */
static size_t put_payload(struct fuzz_random *random, const struct aerogpu_packet *packet, uint8_t *out,
                          uint32_t count)
{
    const struct aerogpu_packet_payload *payload = &packet->payload;
    uint32_t element_words = payload->element_bytes / 4, size;
    size_t at = packet->size;

    if (packet->opcode == AEROGPU_CMD_CREATE_INPUT_LAYOUT) {
        at = put_layout(random, out, at);
        size = (uint32_t)(at - packet->size);
        memcpy(out + offsetof(struct aerogpu_cmd_create_input_layout, blob_size_bytes), &size, sizeof size);
        return at;
    }
    if (has_tail(packet)) {
        for (uint32_t i = fuzz_random_below(random, 5); i > 0; i--) {
            at = put(out, at, value_of(random, 'h'));
        }
    }
    if (payload->kind == AEROGPU_PAYLOAD_REST) {
        at = put(out, at, value_of(random, 'i'));
    }
    for (uint32_t i = 0; payload->kind == AEROGPU_PAYLOAD_BYTES && i < count; i += 4) {
        at = put(out, at, fuzz_random_next(random));
    }
    for (uint32_t i = 0; payload->kind == AEROGPU_PAYLOAD_ELEMENTS && i < count * element_words; i++) {
        at = put(out, at, value_of(random, letter_of_element(packet, i % element_words)));
    }
    return at;
}

size_t fuzz_make_packet(struct fuzz_random *random, uint8_t *out)
{
    const struct aerogpu_packet *packet = &packets[fuzz_random_below(random, PACKETS)];
    uint32_t opcode = packet->opcode, follow = 0, size;
    size_t at = 8;

    if (opcode == AEROGPU_CMD_CREATE_SHADER_DXBC && fuzz_random_below(random, 8) != 0) {
        at = fuzz_make_shader(random, value_of(random, 'h'), out);
        if (at > 0) {
            return at;
        }
        at = 8;
    }
    memset(out, 0, FUZZ_MADE_BYTES);
    memcpy(out, &opcode, sizeof opcode);
    for (uint32_t word = 2; word < packet->size / 4u; word++) {
        const uint32_t value = value_of(random, letter_of(packet, word));

        if (packet->payload.count_words > 0 && word == packet->payload.count_word) {
            follow = value < 64 ? value : 64;
        }
        at = put(out, at, value);
    }
    size = (uint32_t)put_payload(random, packet, out, follow);
    memcpy(out + 4, &size, sizeof size);
    return size;
}

void fuzz_tweak_packet(struct fuzz_random *random, uint8_t *bytes, size_t size)
{
    const struct aerogpu_packet *packet = NULL;
    uint32_t opcode, value, word;

    if (size < 12) {
        return;
    }
    memcpy(&opcode, bytes, sizeof opcode);
    for (size_t i = 0; i < PACKETS; i++) {
        if (packets[i].opcode == opcode) {
            packet = &packets[i];
        }
    }
    if (packet == NULL || packet->size <= 8) {
        return;
    }
    if (opcode == AEROGPU_CMD_CREATE_SHADER_DXBC && fuzz_random_below(random, 2) != 0) {
        fuzz_tweak_shader(random, bytes, size);
        return;
    }
    word = 2 + fuzz_random_below(random, packet->size / 4u - 2);
    if (word * 4 + sizeof value <= size) {
        value = value_of(random, letter_of(packet, word));
        memcpy(bytes + (size_t)word * 4, &value, sizeof value);
    }
}
