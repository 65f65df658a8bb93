/* field_objects.c: targets, textures, buffers and shaders with the contents that make each field of fields.def visible
 * (commands.md 5 to 7). */
#include "tests/cases/random/field_objects.h"

#include "tests/cases/random/input.h"
#include "tests/cases/random/read_back.h"
#include "tests/shaders/shaders.h"

static struct aerogpu_cmd_create_texture_view *put_level(struct agpu_gen *g, uint32_t handle,
                                                         uint32_t texture, uint32_t format, uint32_t mip,
                                                         uint32_t layer)
{
    struct aerogpu_cmd_create_texture_view *view = agpu_gen_packet(g, AEROGPU_CMD_CREATE_TEXTURE_VIEW);

    view->view_handle = handle;
    view->texture_handle = texture;
    view->format = format;
    view->base_mip_level = mip;
    view->base_array_layer = layer;
    view->mip_level_count = view->array_layer_count = 1;
    return view;
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

uint32_t *agpu_gen_put_words(struct agpu_gen *g, uint32_t handle, uint32_t offset, uint32_t size)
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
    return agpu_gen_put_words(g, handle, 0, size);
}

static const uint8_t shapes[3][ROW_VERTICES][2] = {{{0, 0}, {2, 0}, {0, 1}, {0, 1}, {2, 0}, {2, 1}},
                                                   {{0, 0}, {1, 0}, {0, 1}, {2, 0}, {2, 1}, {1, 0}},
                                                   {{0, 0}, {2, 0}, {0, 1}, {0, 1}, {2, 0}, {2, 1}}};

static void put_positions(struct agpu_gen *g, uint32_t handle, float width)
{
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

static void put_coordinates(struct agpu_gen *g)
{
    static const uint8_t levels[LEVELS_TAKEN] = {3, 5, 7, 9, 11, 12};
    float *at = (void *)put_data(g, COORDINATES, AT_LEVEL(LEVELS_TAKEN));

    for (uint32_t i = 0; i < (2 + LEVELS_TAKEN) * VERTICES; i++, at += 4) {
        const uint32_t part = i / VERTICES, right = shapes[0][i % VERTICES % ROW_VERTICES][0] / 2;

        at[0] = part == 0   ? 1.3125f
                : part == 1 ? 0.34375f
                            : (float)(right * (16u << levels[part - 2])) / (float)(1u << MIPS_EXPONENT);
        at[1] = -0.1875f;
        at[3] = 1.0f;
    }
}

/* Numbers at some powers of two, the first indices at others. */
static void put_big(struct agpu_gen *g)
{
    static const uint32_t numbers_at[] = {1u << 17, 1u << 18, 1u << 20}, indices_at[] = {2u << 18, 2u << 20};
    struct aerogpu_cmd_create_buffer *create = agpu_gen_packet(g, AEROGPU_CMD_CREATE_BUFFER);

    create->buffer_handle = BIG;
    create->usage_flags = 0xFF;
    create->size_bytes = (2u << 20) + AGPU_GEN_RESULT_BYTES;
    for (uint32_t i = 0; i < sizeof numbers_at / sizeof numbers_at[0]; i++) {
        uint32_t *word = agpu_gen_put_words(g, BIG, numbers_at[i], AGPU_GEN_RESULT_BYTES);

        for (uint32_t n = 0; n < AGPU_GEN_RESULT_BYTES / 4; n++) {
            word[n] = FIFTH;
        }
    }
    for (uint32_t i = 0; i < sizeof indices_at / sizeof indices_at[0]; i++) {
        uint16_t *index = (void *)agpu_gen_put_words(g, BIG, indices_at[i], VERTICES * sizeof *index);

        for (uint16_t vertex = 0; vertex < VERTICES; vertex++) {
            index[vertex] = vertex;
        }
    }
}

static void put_inputs(struct agpu_gen *g)
{
    static const float alphas[] = {0.2f, 0.6f, 0.8f};
    const float blue = (float)agpu_gen_between(g, 1, 4) / 5.0f;
    const float color[4] = {1.0f, 0.0f, blue, alphas[agpu_gen_below(g, 3)]};
    static const float other[4] = {0.0f, 1.0f, 1.0f, 1.0f};
    uint32_t *words;

    put_positions(g, POSITIONS, 1.0f);
    put_positions(g, POSITIONS1, 0.5f);
    words = put_data(g, COLORS, VALUES * POINT);
    for (uint32_t i = 0; i < VALUES; i++) {
        memcpy(words + 4 * i, i < QUADS || i >= VERTICES ? other : color, POINT);
    }
    put_coordinates(g);
    put_big(g);
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
        words = agpu_gen_put_words(g, SMALL0 + i, 0, 2 * 2 * 4);
        for (uint32_t n = 0; n < 4; n++) {
            words[n] = 0x01010101u * (50 * n + 25 * i + agpu_gen_below(g, 25));
        }
    }
    agpu_gen_send_texture(g, LAYERS, IMAGE, 8, 8, 1, 4);
    agpu_gen_upload_pattern(g, LAYERS, 0, 8 * 8 * 4 * 4);
    agpu_gen_send_texture(g, IMAGES, IMAGE, WIDTH, HEIGHT, 2, 2);
    for (uint32_t part = 0, offset = 0; part < 4; part++) { /* mip by mip, layer by layer */
        const uint32_t size = WIDTH * HEIGHT * 4 >> (part % 2 == 0 ? 0 : 2);

        memset(agpu_gen_put_words(g, IMAGES, offset, size), (int)(50 * part + 1 + agpu_gen_below(g, 50)),
               size);
        offset += size;
    }
    put_level(g, LAYERS_LAST, LAYERS, IMAGE, 0, 1)->array_layer_count = 3;
    put_level(g, LAYERS_TWO, LAYERS, IMAGE, 0, 0)->array_layer_count = 2;
    agpu_gen_send_texture(g, MIPS, IMAGE, 1u << MIPS_EXPONENT, 1, MIPS_EXPONENT + 1, 1);
    for (uint32_t mip = 0, offset = 0; mip <= MIPS_EXPONENT; mip++) {
        const uint32_t size = 4u << MIPS_EXPONENT >> mip;

        memset(agpu_gen_put_words(g, MIPS, offset, size), (int)(18 * mip + 1 + agpu_gen_below(g, 18)), size);
        offset += size;
    }
    put_level(g, MIPS_SIX, MIPS, IMAGE, 0, 0)->mip_level_count = 6;
    put_level(g, IMAGES_FIRST, IMAGES, IMAGE, 0, 0);
    put_level(g, IMAGES_SRGB, IMAGES, AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB, 0, 0);
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
    agpu_gen_put_shader(g, GS_SLOTS, COMPUTE, &agpu_gs_slots_5_0)->reserved0 =
        AEROGPU_SHADER_STAGE_EX_GEOMETRY;
    agpu_gen_put_shader(g, GS_EXPAND, COMPUTE, &agpu_gs_expand_4_0)->reserved0 =
        AEROGPU_SHADER_STAGE_EX_GEOMETRY;
    agpu_gen_put_shader(g, HS_SLOTS, COMPUTE, &agpu_hs_slots_5_0)->reserved0 = AEROGPU_SHADER_STAGE_EX_HULL;
    agpu_gen_put_shader(g, HS_POINTS, COMPUTE, &agpu_hs_points_5_0)->reserved0 = AEROGPU_SHADER_STAGE_EX_HULL;
    agpu_gen_put_shader(g, DS_SLOTS, COMPUTE, &agpu_ds_slots_5_0)->reserved0 = AEROGPU_SHADER_STAGE_EX_DOMAIN;
    agpu_gen_put_shader(g, DS_COLOR, COMPUTE, &agpu_ds_color_5_0)->reserved0 = AEROGPU_SHADER_STAGE_EX_DOMAIN;
    agpu_gen_put_shader(g, CS_SCALE, COMPUTE, &agpu_cs_scale_4_0);
}

void agpu_gen_field_objects(struct agpu_gen *g)
{
    put_inputs(g);
    put_all_textures(g);
    put_all_shaders(g);
}
