/* fields.c: draws with a state, with another value in one of its fields, and with the first state again, with nothing
 * between the draws but that packet (commands.md 7 to 11). Each draw fills another row of the target. */
#include "tests/cases/random/fields.h"

#include "tests/cases/random/field_objects.h"
#include "tests/cases/random/function.h"

#define DRAWS 3u
#define WORDS 24u
/* Seven words of a layout: one vertex takes one value. */
#define ELEMENT(name, slot) name, 0, RGBA32F, slot, 0, 0, 1

/* The packets of a state, in the order in which they are sent; the last three draw. */
enum field_packet {
    COPY_DATA, /* random scenes do not send these two again: what they name may be gone */
    UPLOAD_TARGET,
    UPLOAD_DATA,
    SHADERS,
    TARGETS,
    CLEAR,
    BLEND,
    RASTER,
    DEPTH,
    VIEWPORT,
    SCISSOR,
    TOPOLOGY,
    LAYOUT,
    SET_LAYOUT,
    BUFFERS,
    INDICES,
    SAMPLER,
    SAMPLERS,
    TEXTURE,
    DATA,
    REGISTERS,
    CONSTANTS,
    CREATE_SAMPLER,
    CREATE_TEXTURE,
    CREATE_BUFFER,
    VERTEX_SAMPLERS, /* from here on those of other stages too */
    VERTEX_TEXTURE,
    VERTEX_DATA,
    VERTEX_REGISTERS,
    VERTEX_CONSTANTS,
    VERTEX_GONE_SAMPLER,
    VERTEX_GONE_TEXTURE,
    VERTEX_GONE_BUFFER,
    DESTROY_SAMPLER,
    DESTROY_TEXTURE,
    DESTROY_BUFFER,
    COMPUTE_DATA,
    COMPUTE_REGISTERS,
    COMPUTE_CONSTANTS,
    WRITABLE,
    DRAW,
    INDEXED,
    DISPATCH,
    PACKETS
};

static const uint32_t base[PACKETS][WORDS] = {
    [COPY_DATA] = {AEROGPU_CMD_COPY_BUFFER, 48, DATA0, DATA1, 1008, 0, 0, 0, 16},
    [UPLOAD_TARGET] = {AEROGPU_CMD_UPLOAD_RESOURCE, 96, COLOR0, 0, 3 * AGPU_GEN_RESULT_ROW, 0,
                       AGPU_GEN_RESULT_ROW},
    [UPLOAD_DATA] = {AEROGPU_CMD_UPLOAD_RESOURCE, 48, DATA0, 0, 0, 0, 16, 0, ONE, ONE, ONE, ONE},
    [SHADERS] = {AEROGPU_CMD_BIND_SHADERS, 36, VS_COLOR, PS_COLOR, CS_SCALE},
    [TARGETS] = {AEROGPU_CMD_SET_RENDER_TARGETS, 48, 1, DEPTH0, COLOR0},
    [CLEAR] = {AEROGPU_CMD_CLEAR, 36, 7, 0, ONE, 0, TWO_FIFTHS, HALF, 7},
    [BLEND] = {AEROGPU_CMD_SET_BLEND_STATE, 60, 0, 1, 0, 0, 15, 1, 0, 0, ONE, ONE, ONE, ONE, 1},
    [RASTER] = {AEROGPU_CMD_SET_RASTERIZER_STATE, 32},
    [DEPTH] = {AEROGPU_CMD_SET_DEPTH_STENCIL_STATE, 28, 0, 0, AEROGPU_COMPARE_ALWAYS},
    [VIEWPORT] = {AEROGPU_CMD_SET_VIEWPORT, 32, 0, 0, SIXTEEN, FOUR, 0, ONE},
    [SCISSOR] = {AEROGPU_CMD_SET_SCISSOR, 24, 0, 0, WIDTH, HEIGHT},
    [TOPOLOGY] = {AEROGPU_CMD_SET_PRIMITIVE_TOPOLOGY, 16, AEROGPU_TOPOLOGY_TRIANGLELIST},
    [LAYOUT] = {AEROGPU_CMD_CREATE_INPUT_LAYOUT, 92, INPUTS, 72, 0, AEROGPU_INPUT_LAYOUT_BLOB_MAGIC,
                AEROGPU_INPUT_LAYOUT_BLOB_VERSION, 2, 0, ELEMENT(POSITION, 0), ELEMENT(COLOR, 1)},
    [SET_LAYOUT] = {AEROGPU_CMD_SET_INPUT_LAYOUT, 16, INPUTS},
    [BUFFERS] = {AEROGPU_CMD_SET_VERTEX_BUFFERS, 64, 0, 3, POSITIONS, POINT, 0, 0, COLORS, POINT, 0, 0,
                 COLORS, POINT, OTHERS},
    [INDICES] = {AEROGPU_CMD_SET_INDEX_BUFFER, 24, INDICES0, AEROGPU_INDEX_FORMAT_UINT32},
    [SAMPLER] = {AEROGPU_CMD_CREATE_SAMPLER, 28, SAMPLER0},
    [SAMPLERS] = {AEROGPU_CMD_SET_SAMPLERS, 36, PIXEL, 0, 3, 0, SAMPLER0, SAMPLER0, SAMPLER0},
    [TEXTURE] = {AEROGPU_CMD_SET_TEXTURE, 24, PIXEL, 0, IMAGE0},
    [DATA] = {AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, 40, PIXEL, 8, 1},
    [REGISTERS] = {AEROGPU_CMD_SET_SHADER_CONSTANTS_F, 40, PIXEL, 0, 1, 0, ONE, 0, FOUR_FIFTHS, ONE},
    [CONSTANTS] = {AEROGPU_CMD_SET_CONSTANT_BUFFERS, 40, PIXEL, 0, 1},
    [VERTEX_SAMPLERS] = {AEROGPU_CMD_SET_SAMPLERS, 28, VERTEX, 15, 1, 0, SAMPLER0},
    [VERTEX_TEXTURE] = {AEROGPU_CMD_SET_TEXTURE, 24, VERTEX, 127, SMALL0},
    [VERTEX_DATA] = {AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, 40, VERTEX, 64, 1, 0, DATA0},
    [VERTEX_REGISTERS] = {AEROGPU_CMD_SET_SHADER_CONSTANTS_F, 40, VERTEX, 1, 1, 0, ONE},
    [VERTEX_CONSTANTS] = {AEROGPU_CMD_SET_CONSTANT_BUFFERS, 40, VERTEX, 13, 1, 0, DATA0},
    [CREATE_SAMPLER] = {AEROGPU_CMD_CREATE_SAMPLER, 28, GONE_SAMPLER},
    [CREATE_TEXTURE] = {AEROGPU_CMD_CREATE_TEXTURE2D, 56, GONE_TEXTURE, 0xFF, IMAGE, 1, 1, 1, 1},
    [CREATE_BUFFER] = {AEROGPU_CMD_CREATE_BUFFER, 40, GONE_BUFFER, 0xFF, 16},
    [VERTEX_GONE_SAMPLER] = {AEROGPU_CMD_SET_SAMPLERS, 28, VERTEX, 14, 1, 0, GONE_SAMPLER},
    [VERTEX_GONE_TEXTURE] = {AEROGPU_CMD_SET_TEXTURE, 24, VERTEX, 126, GONE_TEXTURE},
    [VERTEX_GONE_BUFFER] = {AEROGPU_CMD_SET_CONSTANT_BUFFERS, 40, VERTEX, 12, 1, 0, GONE_BUFFER},
    [DESTROY_SAMPLER] = {AEROGPU_CMD_DESTROY_SAMPLER, 16, GONE_SAMPLER},
    [DESTROY_TEXTURE] = {AEROGPU_CMD_DESTROY_RESOURCE, 16, GONE_TEXTURE},
    [DESTROY_BUFFER] = {AEROGPU_CMD_DESTROY_RESOURCE, 16, GONE_BUFFER},
    [COMPUTE_DATA] = {AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, 40, COMPUTE, 2, 1, 0, DATA0},
    [COMPUTE_REGISTERS] = {AEROGPU_CMD_SET_SHADER_CONSTANTS_F, 40, COMPUTE, 0, 1, 0, 3},
    [COMPUTE_CONSTANTS] = {AEROGPU_CMD_SET_CONSTANT_BUFFERS, 40, COMPUTE, 0, 1},
    [WRITABLE] = {AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS, 40, COMPUTE, 1, 1, 0, RESULT0, 0, 0, UINT32_MAX},
    [DRAW] = {AEROGPU_CMD_DRAW, 24, ROW_VERTICES, 1, QUADS},
    [INDEXED] = {AEROGPU_CMD_DRAW_INDEXED, 28, ROW_VERTICES, 1, QUADS},
    [DISPATCH] = {AEROGPU_CMD_DISPATCH, 24, 1, 1, 1},
};

/* States in which a change of a field is visible, and its result exact. */
enum field_scene {
    PLAIN,
    APART,  /* two triangles that do not touch */
    BEYOND, /* depths that are clipped */
    CULLED,
    CCW,
    CLIPPED,
    SCISSORED,
    HALVED,
    BIASED,
    BIASED_ALONE, /* without color target */
    NEVER,
    LESS,
    LESS_EQUAL,
    NOT_EQUAL,
    WRITES,
    ADDS,
    REPLACES, /* blends with ONE, ZERO */
    KEEPS,    /* blends with ZERO, ONE */
    ZEROES,   /* blends with ZERO, ZERO */
    BLENDS,   /* with the constant */
    TWO_COLORS,
    THIRD_COLOR,
    FIFTH_COLOR,
    SIXTH_COLOR,
    SEVENTH_COLOR,
    EIGHTH_COLOR,
    SECOND_ALONE,
    EIGHTH_ALONE,
    ONLY_DEPTH, /* without pixel shader */
    VIEWED,
    INSTANCE,
    INSTANCES,
    SWAPPED, /* the second value comes first */
    SWAPPED_INSTANCES,
    TEXTURED,
    OTHER_SAMPLER,
    TWO_TEXTURES,
    LAYERED,
    LAYERS_SHOWN,
    BETWEEN_TEXELS,
    MIPS_3, /* sampled at that level */
    MIPS_5,
    MIPS_7,
    MIPS_9,
    MIPS_11,
    LOADED,
    BUFFER,
    REGISTER,
    CONSTANT,
    BIG_CONSTANTS,
    BIG_VIEW,
    SLOTS,
    GEOMETRY, /* slots of these stages */
    HULL,
    DOMAIN,
    EXPANDED, /* geometry that blends */
    BY_INDEX, /* from here on draws are indexed */
    NARROW,
    BIG_INDICES,
    CULLED_BY_INDEX,
    INSTANCE_BY_INDEX,
    COMPUTES, /* from here on dispatches */
    ELSEWHERE,
    FARTHER,
    SHORT,
};

/* A field, and a value in a scene. */
struct field_value {
    uint8_t scene, packet, word;
    uint32_t value;
    uint32_t more; /* times that its packet is sent again */
};
#define FIELD_VALUE(scene, packet, word, value, more, ...) {scene, packet, word, value, more},

static const struct field_value scenes[] = {
#define AGPU_GEN_SCENE(...) FIELD_VALUE(__VA_ARGS__, 0, )
#define AGPU_GEN_FIELD(...)
#include "tests/cases/random/fields.def"
};

static const struct field_value fields[] = {
#define AGPU_GEN_SCENE(...)
#define AGPU_GEN_FIELD(...) FIELD_VALUE(__VA_ARGS__, 0, )
#include "tests/cases/random/fields.def"
};
#define FIELDS ((uint32_t)(sizeof fields / sizeof fields[0]))

static const char *const rows[FIELDS] = {
#define AGPU_GEN_SCENE(...)
#define AGPU_GEN_FIELD(...) #__VA_ARGS__,
#include "tests/cases/random/fields.def"
};

/* ---- draws ---- */

static void put_open(struct agpu_gen *g)
{
    agpu_gen_open(g);
    agpu_gen_entry_add(g->program, &(struct agpu_gen_entry){
                                       .id = ID, .region = AGPU_GEN_READ_REGION, .size = AGPU_GEN_READ_BACK});
}

static void put_packet(struct agpu_gen *g, const uint32_t *words)
{
    memcpy(agpu_gen_packet_add(g->program, words[0], words[1]), words, words[1]);
}

static void read_mip(struct agpu_gen *g, uint32_t texture, uint32_t mip, uint32_t result)
{
    struct aerogpu_cmd_copy_texture2d *copy = agpu_gen_packet(g, AEROGPU_CMD_COPY_TEXTURE2D);

    copy->dst_texture = result;
    copy->src_texture = texture;
    copy->src_mip_level = mip;
    copy->width = WIDTH >> mip;
    copy->height = HEIGHT >> mip;
    copy->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
}

/* Copies a target, or both mips of the first layer of that of a view. */
static void read_result(struct agpu_gen *g, uint32_t target, uint32_t result)
{
    if (target == FIRST_LEVEL) {
        read_mip(g, LEVELS, 0, result);
        read_mip(g, LEVELS, 1, READ_COLOR1);
    } else if (target != 0) {
        read_mip(g, target, 0, result);
    }
}

/* Draws to a row, or dispatches and copies the result to a row. */
static void put_work(struct agpu_gen *g, const uint32_t *words, uint32_t row)
{
    struct aerogpu_cmd_copy_buffer *copy;

    put_packet(g, words);
    if (words[0] == AEROGPU_CMD_DISPATCH) {
        copy = agpu_gen_packet(g, AEROGPU_CMD_COPY_BUFFER);
        copy->dst_buffer = READ_BUFFER;
        copy->src_buffer = RESULT0;
        copy->dst_offset_bytes = row * AGPU_GEN_RESULT_ROW;
        copy->size_bytes = AGPU_GEN_RESULT_ROW;
        copy->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
    }
}

/* Returns whether the scene has another stage than vertex, pixel and compute. */
static bool is_of_stage(uint32_t scene)
{
    return scene >= GEOMETRY && scene <= EXPANDED;
}

/* Returns whether a device other than the model may refuse the row, or move a viewport that is partly outside
 * (commands.md 8, 15). */
static bool is_choice(const struct field_value *field)
{
    return field->scene == ONLY_DEPTH ||
           (field->packet == SHADERS && field->word == 3 && field->value == 0) ||
           (field->packet == VIEWPORT && field->scene == PLAIN && field->word != 4);
}

/* viewport: one was set, else it is that of a target without one until a field needs another. */
static void put_field(struct agpu_gen *g, const struct field_value *field, bool *viewport)
{
    const enum field_packet work = field->scene >= COMPUTES   ? DISPATCH
                                   : field->scene >= BY_INDEX ? INDEXED
                                                              : DRAW;
    uint32_t state[PACKETS][WORDS], now[WORDS];

    memcpy(state, base, sizeof state);
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        if (scenes[i].scene == field->scene) {
            state[scenes[i].packet][scenes[i].word] = scenes[i].value;
        }
    }
    for (uint32_t i = VERTEX_SAMPLERS; i <= VERTEX_GONE_BUFFER && is_of_stage(field->scene); i++) {
        state[i][2] = COMPUTE;
        state[i][5] = AEROGPU_SHADER_STAGE_EX_GEOMETRY + (uint32_t)(field->scene - GEOMETRY) % 3;
    }
    *viewport = *viewport || field->packet == VIEWPORT ||
                memcmp(state[VIEWPORT], base[VIEWPORT], sizeof base[VIEWPORT]) != 0;
    put_open(g);
    for (uint32_t i = 0; i < DRAW; i++) {
        if (i != VIEWPORT || *viewport) {
            put_packet(g, state[i]);
        }
    }
    if (work == DISPATCH) {
        (void)agpu_gen_put_words(g, RESULT0, 0, 512);
    }
    for (uint32_t row = 0; row < DRAWS; row++) {
        memcpy(now, state[field->packet], sizeof now);
        now[field->word] = row == 1 ? field->value : now[field->word];
        if (field->packet != work) {
            for (uint32_t sent = row == 0 ? 1 : 0; sent <= (row == 1 ? field->more : 0); sent++) {
                put_packet(g, now);
            }
            memcpy(now, state[work], sizeof now);
        }
        if (row != 0 && work != DISPATCH && !(field->packet == work && field->word == 4 && row == 1)) {
            now[4] += row * ROW_VERTICES;
        }
        put_work(g, now, row);
    }
    read_result(g, work == DISPATCH ? 0 : state[TARGETS][4], READ_COLOR0);
    for (uint32_t slot = 1; slot < AEROGPU_MAX_RENDER_TARGETS; slot++) {
        read_result(g, state[TARGETS][4 + slot], READ_COLOR1);
    }
    read_result(g, work == DISPATCH ? 0 : state[TARGETS][3], READ_DEPTH);
    agpu_gen_close(g, true);
}

uint32_t agpu_gen_fields_count(void)
{
    return FIELDS;
}

uint32_t agpu_gen_fields_sessions(void)
{
    return (FIELDS + AGPU_GEN_FIELDS_ONCE - 1) / AGPU_GEN_FIELDS_ONCE;
}

uint32_t agpu_gen_fields_of(uint32_t session)
{
    const uint32_t first = session * AGPU_GEN_FIELDS_ONCE;

    return first >= FIELDS                         ? 0
           : FIELDS - first < AGPU_GEN_FIELDS_ONCE ? FIELDS - first
                                                   : AGPU_GEN_FIELDS_ONCE;
}

/* Takes one of the values that rows have in the same word of packets of the same kind; random scenes have no stages but
 * vertex, pixel and compute. */
static void choose_value(struct agpu_gen *g, const struct field_value *list, uint32_t count, uint32_t *seen,
                         struct agpu_gen_variation *field)
{
    for (uint32_t i = 0; i < count; i++) {
        if (base[list[i].packet][0] == field->opcode && list[i].word == field->word &&
            !is_of_stage(list[i].scene)) {
            field->is_handle =
                field->is_handle || (list[i].value >= VS_COLOR && list[i].value <= READ_BUFFER);
            field->value = agpu_gen_one_in(g, ++*seen) ? list[i].value : field->value;
        }
    }
}

struct agpu_gen_variation agpu_gen_variation(struct agpu_gen *g)
{
    const struct field_value *chosen = &fields[agpu_gen_below(g, FIELDS)];
    const struct field_value *row = chosen->packet < UPLOAD_DATA ? &fields[0] : chosen;
    struct agpu_gen_variation field = {.opcode = base[row->packet][0],
                                       .word = row->word,
                                       .value = base[row->packet][row->word],
                                       .in_slots = row->packet >= SAMPLER && row->packet <= WRITABLE};
    uint32_t seen = 1;

    choose_value(g, fields, FIELDS, &seen, &field);
    choose_value(g, scenes, sizeof scenes / sizeof scenes[0], &seen, &field);
    return field;
}

const char *agpu_gen_field_row(uint32_t row)
{
    return rows[row];
}

void agpu_gen_fields_session(struct agpu_gen *g, uint32_t session)
{
    bool viewport = false;

    agpu_gen_fence_page(g);
    agpu_gen_ring_set(g);
    put_open(g);
    agpu_gen_field_objects(g);
    put_packet(g, (const uint32_t[]){AEROGPU_CMD_CREATE_SAMPLER, 28, SAMPLER1, 0,
                                     AEROGPU_SAMPLER_ADDRESS_REPEAT, AEROGPU_SAMPLER_ADDRESS_REPEAT, 0});
    agpu_gen_close(g, true);
    for (uint32_t i = 0; i < agpu_gen_fields_of(session); i++) {
        const struct field_value *field = &fields[session * AGPU_GEN_FIELDS_ONCE + i];
        const bool compared = agpu_gen_may(g, AGPU_GEN_CHOICE_DRAWS) || !is_choice(field);

        put_field(g, compared ? field : &fields[0], &viewport); /* each number of a row has its draws */
    }
    agpu_gen_compare(g);
}
