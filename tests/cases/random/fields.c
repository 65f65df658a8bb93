/* fields.c: draws with a state, with another value in one of its fields, and with the first state again, with nothing
 * between the draws but that packet (commands.md 7 to 11). Each draw fills another row of the target. */
#include "tests/cases/random/fields.h"

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/cases/random/function.h"
#include "tests/cases/random/input.h"
#include "tests/shaders/shaders.h"

#define DRAWS    3u
#define WIDTH    16u
#define HEIGHT   4u
#define ID       0xFFFFFD00u /* allocation of the read-back memory */
#define WORDS    24u
#define VERTEX   AEROGPU_SHADER_STAGE_VERTEX
#define PIXEL    AEROGPU_SHADER_STAGE_PIXEL
#define COMPUTE  AEROGPU_SHADER_STAGE_COMPUTE
#define TARGET   AEROGPU_FORMAT_B8G8R8A8_UNORM
#define IMAGE    AEROGPU_FORMAT_R8G8B8A8_UNORM
#define POSITION 0x7808E88Au
#define COLOR    0xE7C308F8u
#define TEXCOORD 0x0BC45413u
#define RGBA32F  2u
#define RG32F    16u
#define RGBA8    28u
/* Seven words of a layout: one vertex takes one value. */
#define ELEMENT(name, slot) name, 0, RGBA32F, slot, 0, 0, 1

/* Numbers as floats. */
#define FIFTH       0x3E4CCCCDu
#define MORE        0x3EA00000u /* than the depth of a vertex, and less than that with BIAS: 0.3125 */
#define TWO_FIFTHS  0x3ECCCCCDu
#define FOUR_FIFTHS 0x3F4CCCCDu
#define HALF        0x3F000000u
#define ONE         0x3F800000u
#define TWO         0x40000000u
#define FOUR        0x40800000u
#define EIGHT       0x41000000u
#define SIXTEEN     0x41800000u
#define BIAS        (1u << 22)

/* Vertices: six of one point, then quads, pairs of triangles that do not touch, quads that are too far away; each of
 * them for all rows of the target. */
#define ROW_VERTICES 6u
#define QUADS        6u
#define TRIANGLES    30u
#define FAR          54u
#define VERTICES     78u
/* Their second values: those of the first six and after the last vertex differ from the others. */
#define VALUES     (2 * VERTICES)
#define POINT      16u /* bytes of either */
#define OTHERS     (VERTICES * POINT)
#define LAST_OTHER ((QUADS - 1) * POINT) /* the last one in front of the others */

/* Handles. */
enum {
    VS_COLOR = 0x101,
    VS_TEXTURED,
    VS_SLOTS,
    PS_COLOR,
    PS_CONSTANT,
    PS_TEXTURED,
    PS_TWO_TEXTURES,
    PS_ARRAY,
    PS_LOAD,
    PS_BUFFER,
    PS_TARGETS,
    CS_SCALE,
    INPUTS, /* a layout */
    SAMPLER0,
    SAMPLER1,
    COLOR0, /* targets */
    COLOR1,
    COLOR2,
    COLOR_RGBA,
    LEVELS, /* two mips of two layers */
    FIRST_LEVEL,
    FIRST_SRGB,
    SECOND_MIP,
    SECOND_LAYER,
    DEPTH0,
    DEPTH1,
    POSITIONS, /* buffers */
    POSITIONS1,
    COLORS,
    COORDINATES,
    INDICES0,
    INDICES1,
    DATA0,
    DATA1,
    RESULT0,
    RESULT1,
    IMAGE0, /* textures */
    IMAGE1,
    SMALL0,
    SMALL1,
    IMAGES, /* two mips of two layers, each of one colour */
    IMAGES_MIP,
    IMAGES_LAYER,
    IMAGES_FIRST,
    LAYERS,
    READ_COLOR0,
    READ_COLOR1,
    READ_DEPTH,
    READ_BUFFER,
};

/* The packets of a state, in the order in which they are sent; the last three draw. */
enum field_packet {
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
    VERTEX_SAMPLERS,
    VERTEX_TEXTURE,
    VERTEX_DATA,
    VERTEX_REGISTERS,
    VERTEX_CONSTANTS,
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
    [SHADERS] = {AEROGPU_CMD_BIND_SHADERS, 24, VS_COLOR, PS_COLOR, CS_SCALE},
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
    BLENDS,   /* with the constant */
    TWO_COLORS,
    EIGHTH_COLOR,
    VIEWED,
    INSTANCE,
    INSTANCES,
    SWAPPED, /* the second value comes first */
    SWAPPED_INSTANCES,
    TEXTURED,
    OTHER_SAMPLER,
    TWO_TEXTURES,
    LAYERED,
    LOADED,
    BUFFER,
    REGISTER,
    CONSTANT,
    SLOTS,
    BY_INDEX, /* from here on draws are indexed */
    NARROW,
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
};

static const struct field_value scenes[] = {
#define AGPU_GEN_SCENE(...) {__VA_ARGS__},
#define AGPU_GEN_FIELD(...)
#include "tests/cases/random/fields.def"
};

static const struct field_value fields[] = {
#define AGPU_GEN_SCENE(...)
#define AGPU_GEN_FIELD(...) {__VA_ARGS__},
#include "tests/cases/random/fields.def"
};
#define FIELDS ((uint32_t)(sizeof fields / sizeof fields[0]))

static const char *const rows[FIELDS] = {
#define AGPU_GEN_SCENE(...)
#define AGPU_GEN_FIELD(...) #__VA_ARGS__,
#include "tests/cases/random/fields.def"
};

/* ---- objects ---- */

static void put_level(struct agpu_gen *g, uint32_t handle, uint32_t texture, uint32_t format, uint32_t mip,
                      uint32_t layer)
{
    struct aerogpu_cmd_create_texture_view *view = agpu_gen_packet(g, AEROGPU_CMD_CREATE_TEXTURE_VIEW);

    view->view_handle = handle;
    view->texture_handle = texture;
    view->format = format;
    view->base_mip_level = mip;
    view->base_array_layer = layer;
    view->mip_level_count = view->array_layer_count = 1;
}

/* Creates the texture that takes a result into the read-back memory. */
static void put_result(struct agpu_gen *g, uint32_t handle, uint32_t format, uint32_t result)
{
    struct aerogpu_cmd_create_texture2d *create = agpu_gen_packet(g, AEROGPU_CMD_CREATE_TEXTURE2D);

    create->texture_handle = handle;
    create->format = format;
    create->width = WIDTH;
    create->height = HEIGHT;
    create->mip_levels = create->array_layers = 1;
    create->row_pitch_bytes = AGPU_GEN_RESULT_ROW;
    create->backing_alloc_id = ID;
    create->backing_offset_bytes = result * AGPU_GEN_RESULT_BYTES;
}

/* Uploads size bytes; returns the place for them. */
static uint32_t *put_words(struct agpu_gen *g, uint32_t handle, uint32_t offset, uint32_t size)
{
    struct aerogpu_cmd_upload_resource *upload = agpu_gen_packet_with(g, AEROGPU_CMD_UPLOAD_RESOURCE, size);

    upload->resource_handle = handle;
    upload->offset_bytes = offset;
    upload->size_bytes = size;
    return (void *)(upload + 1);
}

static uint32_t *put_data(struct agpu_gen *g, uint32_t handle, uint32_t size)
{
    struct aerogpu_cmd_create_buffer *create = agpu_gen_packet(g, AEROGPU_CMD_CREATE_BUFFER);

    create->buffer_handle = handle;
    create->usage_flags = 0xFF;
    create->size_bytes = size;
    return put_words(g, handle, 0, size);
}

static void put_positions(struct agpu_gen *g, uint32_t handle, float width)
{
    static const uint8_t shapes[3][ROW_VERTICES][2] = {{{0, 0}, {2, 0}, {0, 1}, {0, 1}, {2, 0}, {2, 1}},
                                                       {{0, 0}, {1, 0}, {0, 1}, {2, 0}, {2, 1}, {1, 0}},
                                                       {{0, 0}, {2, 0}, {0, 1}, {0, 1}, {2, 0}, {2, 1}}};
    float *at = (void *)put_data(g, handle, VERTICES * POINT);

    for (uint32_t i = 0; i < VERTICES; i++, at += 4) {
        const uint32_t n = i < QUADS ? 0 : i - QUADS, row = n / ROW_VERTICES % HEIGHT;
        const uint8_t *corner = shapes[n / (ROW_VERTICES * HEIGHT)][i < QUADS ? 0 : n % ROW_VERTICES];

        at[0] = (float)corner[0] * width - 1.0f;
        at[1] = 1.0f - (float)(row + corner[1]) / 2.0f;
        at[2] = i < FAR ? 0.25f : 1.5f;
        at[3] = 1.0f;
    }
}

/* Fills with one value, then with another. */
static void put_two_values(struct agpu_gen *g, uint32_t handle, uint32_t one, uint32_t other)
{
    uint32_t *words = put_data(g, handle, 1024);

    for (uint32_t i = 0; i < 256; i++) {
        words[i] = i < 128 ? one : other;
    }
}

static void put_inputs(struct agpu_gen *g)
{
    static const float alphas[] = {0.2f, 0.6f, 0.8f};
    const float blue = (float)agpu_gen_between(g, 1, 4) / 5.0f;
    const float color[4] = {1.0f, 0.0f, blue, alphas[agpu_gen_below(g, 3)]};
    static const float other[4] = {0.0f, 1.0f, 1.0f, 1.0f}, place[4] = {1.3125f, -0.1875f, 0.0f, 1.0f};
    uint32_t *words;

    put_positions(g, POSITIONS, 1.0f);
    put_positions(g, POSITIONS1, 0.5f);
    words = put_data(g, COLORS, VALUES * POINT);
    for (uint32_t i = 0; i < VALUES; i++) {
        memcpy(words + 4 * i, i < QUADS || i >= VERTICES ? other : color, POINT);
    }
    words = put_data(g, COORDINATES, VERTICES * POINT);
    for (uint32_t i = 0; i < VERTICES; i++) {
        memcpy(words + 4 * i, place, POINT);
    }
    for (uint32_t list = 0; list < 2; list++) {
        words = put_data(g, INDICES0 + list, VERTICES * 4);
        for (uint32_t i = 0; i < VERTICES; i++) {
            words[i] = (i + 2 * ROW_VERTICES * list) % VERTICES;
        }
    }
    put_two_values(g, DATA0, ONE, FIFTH);
    put_two_values(g, DATA1, 0, 0);
    put_two_values(g, RESULT0, 0, 0);
    put_two_values(g, RESULT1, 0, 0);
}

static void put_all_textures(struct agpu_gen *g)
{
    struct aerogpu_cmd_create_buffer *buffer;
    uint32_t *words;

    agpu_gen_send_texture(g, COLOR0, TARGET, WIDTH, HEIGHT, 1, 1);
    agpu_gen_send_texture(g, COLOR1, TARGET, WIDTH, HEIGHT, 1, 1);
    agpu_gen_send_texture(g, COLOR2, TARGET, WIDTH, HEIGHT, 1, 1);
    agpu_gen_send_texture(g, COLOR_RGBA, IMAGE, WIDTH, HEIGHT, 1, 1);
    agpu_gen_send_texture(g, LEVELS, TARGET, WIDTH, HEIGHT, 2, 2);
    put_level(g, FIRST_LEVEL, LEVELS, TARGET, 0, 0);
    put_level(g, FIRST_SRGB, LEVELS, AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB, 0, 0);
    put_level(g, SECOND_MIP, LEVELS, TARGET, 1, 0);
    put_level(g, SECOND_LAYER, LEVELS, TARGET, 0, 1);
    agpu_gen_send_texture(g, DEPTH0, AEROGPU_FORMAT_D32_FLOAT, WIDTH, HEIGHT, 1, 1);
    agpu_gen_send_texture(g, DEPTH1, AEROGPU_FORMAT_D32_FLOAT, WIDTH, HEIGHT, 1, 1);
    for (uint32_t i = 0; i < 2; i++) {
        agpu_gen_send_texture(g, IMAGE0 + i, IMAGE, 8, 8, 1, 1);
        agpu_gen_upload_pattern(g, IMAGE0 + i, 0, 8 * 8 * 4);
        agpu_gen_send_texture(g, SMALL0 + i, IMAGE, 2, 2, 1, 1);
        words = put_words(g, SMALL0 + i, 0, 2 * 2 * 4);
        for (uint32_t n = 0; n < 4; n++) {
            words[n] = 0x01010101u * (50 * n + 25 * i + agpu_gen_below(g, 25));
        }
    }
    agpu_gen_send_texture(g, LAYERS, IMAGE, 8, 8, 1, 4);
    agpu_gen_upload_pattern(g, LAYERS, 0, 8 * 8 * 4 * 4);
    agpu_gen_send_texture(g, IMAGES, IMAGE, WIDTH, HEIGHT, 2, 2);
    for (uint32_t part = 0, offset = 0; part < 4; part++) { /* mip by mip, layer by layer */
        const uint32_t size = WIDTH * HEIGHT * 4 >> (part % 2 == 0 ? 0 : 2);

        memset(put_words(g, IMAGES, offset, size), (int)(50 * part + 1 + agpu_gen_below(g, 50)), size);
        offset += size;
    }
    put_level(g, IMAGES_FIRST, IMAGES, IMAGE, 0, 0);
    put_level(g, IMAGES_MIP, IMAGES, IMAGE, 1, 0);
    put_level(g, IMAGES_LAYER, IMAGES, IMAGE, 0, 1);
    put_result(g, READ_COLOR0, TARGET, 0);
    put_result(g, READ_COLOR1, TARGET, 1);
    put_result(g, READ_DEPTH, AEROGPU_FORMAT_D32_FLOAT, 2);
    buffer = agpu_gen_packet(g, AEROGPU_CMD_CREATE_BUFFER);
    buffer->buffer_handle = READ_BUFFER;
    buffer->size_bytes = AGPU_GEN_RESULT_BYTES;
    buffer->backing_alloc_id = ID;
    buffer->backing_offset_bytes = 3 * AGPU_GEN_RESULT_BYTES;
}

static void put_all_shaders(struct agpu_gen *g)
{
    agpu_gen_put_shader(g, VS_COLOR, VERTEX, &agpu_vs_color_4_0);
    agpu_gen_put_shader(g, VS_TEXTURED, VERTEX, &agpu_vs_textured_4_0);
    agpu_gen_put_shader(g, VS_SLOTS, VERTEX, &agpu_vs_slots_5_0);
    agpu_gen_put_shader(g, PS_COLOR, PIXEL, &agpu_ps_color_4_0);
    agpu_gen_put_shader(g, PS_CONSTANT, PIXEL, &agpu_ps_constant_4_0);
    agpu_gen_put_shader(g, PS_TEXTURED, PIXEL, &agpu_ps_textured_4_0);
    agpu_gen_put_shader(g, PS_TWO_TEXTURES, PIXEL, &agpu_ps_two_textures_4_0);
    agpu_gen_put_shader(g, PS_ARRAY, PIXEL, &agpu_ps_array_4_0);
    agpu_gen_put_shader(g, PS_LOAD, PIXEL, &agpu_ps_load_4_0);
    agpu_gen_put_shader(g, PS_BUFFER, PIXEL, &agpu_ps_buffer_4_0);
    agpu_gen_put_shader(g, PS_TARGETS, PIXEL, &agpu_ps_targets_4_0);
    agpu_gen_put_shader(g, CS_SCALE, COMPUTE, &agpu_cs_scale_4_0);
}

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

/* Copies a target's first mip and layer, or that of a view. */
static void read_result(struct agpu_gen *g, uint32_t target, uint32_t result)
{
    struct aerogpu_cmd_copy_texture2d *copy;

    if (target != 0) {
        copy = agpu_gen_packet(g, AEROGPU_CMD_COPY_TEXTURE2D);
        copy->dst_texture = result;
        copy->src_texture = target == FIRST_LEVEL ? LEVELS : target;
        copy->width = WIDTH;
        copy->height = HEIGHT;
        copy->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
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

static void put_field(struct agpu_gen *g, const struct field_value *field)
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
    put_open(g);
    for (uint32_t i = 0; i < DRAW; i++) {
        put_packet(g, state[i]);
    }
    if (work == DISPATCH) {
        (void)put_words(g, RESULT0, 0, 512);
    }
    for (uint32_t row = 0; row < DRAWS; row++) {
        memcpy(now, state[field->packet], sizeof now);
        now[field->word] = row == 1 ? field->value : now[field->word];
        if (field->packet != work) {
            if (row != 0) {
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
    read_result(g, state[TARGETS][5] | state[TARGETS][11], READ_COLOR1);
    read_result(g, work == DISPATCH ? 0 : state[TARGETS][3], READ_DEPTH);
    agpu_gen_close(g, true);
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

/* Takes one of the values that rows have in the same word of packets of the same kind. */
static void choose_value(struct agpu_gen *g, const struct field_value *list, uint32_t count, uint32_t *seen,
                         struct agpu_gen_variation *field)
{
    for (uint32_t i = 0; i < count; i++) {
        if (base[list[i].packet][0] == field->opcode && list[i].word == field->word) {
            field->is_handle =
                field->is_handle || (list[i].value >= VS_COLOR && list[i].value <= READ_BUFFER);
            field->value = agpu_gen_one_in(g, ++*seen) ? list[i].value : field->value;
        }
    }
}

struct agpu_gen_variation agpu_gen_variation(struct agpu_gen *g)
{
    const struct field_value *row = &fields[agpu_gen_below(g, FIELDS)];
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
    agpu_gen_fence_page(g);
    agpu_gen_ring_set(g);
    put_open(g);
    put_inputs(g);
    put_all_textures(g);
    put_all_shaders(g);
    put_packet(g, (const uint32_t[]){AEROGPU_CMD_CREATE_SAMPLER, 28, SAMPLER1, 0,
                                     AEROGPU_SAMPLER_ADDRESS_REPEAT, AEROGPU_SAMPLER_ADDRESS_REPEAT, 0});
    agpu_gen_close(g, true);
    for (uint32_t i = 0; i < agpu_gen_fields_of(session); i++) {
        put_field(g, &fields[session * AGPU_GEN_FIELDS_ONCE + i]);
    }
    agpu_gen_compare(g);
}
