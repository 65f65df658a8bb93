/* input.c: generates the inputs of scenes, mostly those for which all executors agree: flat colours of a palette, one
 * depth, vertices inside the viewport. */
#include "tests/cases/random/input.h"

#include <string.h>

#include "ring/protocol/aerogpu_cmd.h"
#include "tests/cases/random/elements.h"

#define VERTICES 32u
#define INDEXED  14u /* vertices that an index may name */
#define STRIDE   32u /* bytes of a vertex: position, and 16 more */
#define NUMBERS  32u
#define RGBA8UI  30u
#define RGBA32UI 3u

void agpu_gen_send_texture(struct agpu_gen *g, uint32_t handle, uint32_t format, uint32_t width,
                           uint32_t height, uint32_t mips, uint32_t layers)
{
    struct aerogpu_cmd_create_texture2d *create = agpu_gen_packet(g, AEROGPU_CMD_CREATE_TEXTURE2D);

    create->texture_handle = handle;
    create->usage_flags = 0xFF;
    create->format = format;
    create->width = width;
    create->height = height;
    create->mip_levels = mips;
    create->array_layers = layers;
}

void agpu_gen_upload_pattern(struct agpu_gen *g, uint32_t handle, uint32_t offset, uint32_t size)
{
    struct aerogpu_cmd_upload_resource *upload = agpu_gen_packet_with(g, AEROGPU_CMD_UPLOAD_RESOURCE, size);

    upload->resource_handle = handle;
    upload->offset_bytes = offset;
    upload->size_bytes = size;
    agpu_gen_pattern((uint8_t *)(upload + 1), size, agpu_gen_random_u64(&g->random));
}

uint32_t agpu_gen_put_buffer(struct agpu_gen *g, uint32_t size, bool random)
{
    const uint32_t handle = agpu_gen_resource_handle(g);
    struct aerogpu_cmd_create_buffer *create = agpu_gen_packet(g, AEROGPU_CMD_CREATE_BUFFER);

    create->buffer_handle = handle;
    create->usage_flags = 0xFF;
    create->size_bytes = size;
    if (random) {
        agpu_gen_upload_pattern(g, handle, 0, size);
    }
    return handle;
}

void agpu_gen_put_image(struct agpu_gen *g, uint32_t handle)
{
    const uint32_t format = agpu_gen_between(g, 1, 4), layers = agpu_gen_between(g, 1, 3);

    agpu_gen_send_texture(g, handle, format, 8, 8, 1, layers);
    agpu_gen_upload_pattern(g, handle, 0, 8 * 8 * 4 * layers);
}

struct aerogpu_cmd_create_shader_dxbc *
agpu_gen_put_shader(struct agpu_gen *g, uint32_t handle, uint32_t stage, const struct agpu_shader_blob *blob)
{
    struct aerogpu_cmd_create_shader_dxbc *packet =
        agpu_gen_packet_with(g, AEROGPU_CMD_CREATE_SHADER_DXBC, blob->size_bytes);

    packet->shader_handle = handle;
    packet->stage = stage;
    packet->dxbc_size_bytes = blob->size_bytes;
    memcpy(packet + 1, blob->words, blob->size_bytes);
    return packet;
}

/* ---- input ---- */

/* Returns a colour for which executors agree: 0 or 1, or a multiple of 1/255. */
uint32_t agpu_gen_palette_value(struct agpu_gen *g)
{
    return agpu_gen_bits(agpu_gen_one_in(g, 2) ? (float)agpu_gen_below(g, 2)
                                               : (float)agpu_gen_below(g, 6) / 5.0f);
}

/* Writes the second input of a vertex at x, y: the middle of a texel, a place of a picture over the target, or a
 * colour. */
static void choose_values(struct agpu_gen *g, enum agpu_gen_reads reads, float x, float y, bool flat,
                          uint32_t out[4])
{
    for (uint32_t part = 0; part < 4; part++) {
        out[part] = reads == AGPU_GEN_READS_NUMBERS ? (uint32_t)agpu_gen_random_u64(&g->random)
                    : reads == AGPU_GEN_READS_TEXTURE && flat
                        ? agpu_gen_bits((float)(2 * (int32_t)agpu_gen_below(g, 12) - 3) / 16.0f)
                    : reads == AGPU_GEN_READS_TEXTURE ? agpu_gen_bits(((part == 0 ? x : -y) + 1.0f) / 2.0f)
                                                      : agpu_gen_palette_value(g);
    }
}

/* Returns a coordinate in quarters of half the viewport. */
static int32_t place(struct agpu_gen *g, uint32_t reach, bool corner, bool high)
{
    const int32_t inward = (int32_t)agpu_gen_below(g, corner ? 3 : 2 * reach + 1);

    return high ? (int32_t)reach - inward : inward - (int32_t)reach;
}

/* Mostly each triangle of a list, strip or fan has one colour and one depth, and is inside the viewport: then the
 * result is exact. */
void agpu_gen_put_vertices(struct agpu_gen *g, enum agpu_gen_reads reads)
{
    static const uint32_t groups[] = {VERTICES, 4, 3, 1};
    const uint32_t group = groups[agpu_gen_below(g, agpu_gen_one_in(g, 4) ? 4 : 3)];
    const uint32_t reach = agpu_gen_one_in(g, 6) ? 6 : 4;
    const uint32_t offset = agpu_gen_one_in(g, 2) ? 0 : 4 * agpu_gen_below(g, 16),
                   size = offset + VERTICES * STRIDE;
    const uint32_t buffer = agpu_gen_put_buffer(g, size, false);
    struct aerogpu_cmd_upload_resource *upload = agpu_gen_packet_with(g, AEROGPU_CMD_UPLOAD_RESOURCE, size);
    uint32_t *words = (void *)(upload + 1), depth = 0, values[4] = {0};
    struct aerogpu_cmd_set_vertex_buffers *set;
    struct aerogpu_vertex_buffer_binding *binding;

    upload->resource_handle = buffer;
    upload->size_bytes = size;
    words += offset / 4;
    for (uint32_t i = 0; i < VERTICES; i++, words += STRIDE / 4) {
        /* Mostly near a corner, in the order of a strip: most triangles are large. */
        const bool corner = !agpu_gen_one_in(g, 4);
        const int32_t across = place(g, reach, corner, i % 2 != 0);
        const int32_t up = place(g, reach, corner, i / 2 % 2 == 0);
        const float x = (float)across / 4.0f, y = (float)up / 4.0f;

        words[0] = agpu_gen_bits(x);
        words[1] = agpu_gen_bits(y);
        words[3] = agpu_gen_bits(1.0f);
        if (i % group == 0) {
            depth = group > 1 && agpu_gen_one_in(g, 8) ? 10 * agpu_gen_below(g, 2) : 1 + agpu_gen_below(g, 9);
            depth = agpu_gen_bits((float)((int32_t)depth - 1) / 8.0f);
        }
        if (i % group == 0) {
            choose_values(g, reads, x, y, group != 1, values);
        }
        words[2] = depth;
        memcpy(words + 4, values, sizeof values);
    }
    set = agpu_gen_packet_with(g, AEROGPU_CMD_SET_VERTEX_BUFFERS, 2 * sizeof *binding);
    binding = (void *)(set + 1);
    set->buffer_count = 2;
    for (uint32_t i = 0; i < 2; i++) {
        binding[i].buffer = buffer;
        binding[i].stride_bytes = STRIDE;
        binding[i].offset_bytes = offset;
    }
}

void agpu_gen_put_layout(struct agpu_gen *g, enum agpu_gen_reads reads)
{
    const uint32_t handle = agpu_gen_new_handle(g), count = reads == AGPU_GEN_READS_POSITION ? 1 : 2;
    struct aerogpu_input_layout_element_dxgi *elements = agpu_gen_input_layout(g, handle, count);
    struct aerogpu_cmd_set_input_layout *set;

    elements[0] =
        (struct aerogpu_input_layout_element_dxgi){.semantic_name_hash = POSITION, .dxgi_format = RGBA32F};
    if (count == 2) {
        elements[1].semantic_name_hash = reads == AGPU_GEN_READS_TEXTURE ? TEXCOORD : COLOR;
        elements[1].dxgi_format = reads == AGPU_GEN_READS_TEXTURE ? RG32F
                                  : reads == AGPU_GEN_READS_NUMBERS
                                      ? (agpu_gen_one_in(g, 2) ? RGBA8UI : RGBA32UI)
                                  : agpu_gen_one_in(g, 2) ? RGBA8
                                                          : RGBA32F;
        elements[1].aligned_byte_offset = agpu_gen_one_in(g, 3) ? UINT32_MAX : 16;
        elements[1].input_slot = elements[1].aligned_byte_offset == 16 && agpu_gen_one_in(g, 2);
        elements[1].instance_data_step_rate = 1;
    }
    set = agpu_gen_packet(g, AEROGPU_CMD_SET_INPUT_LAYOUT);
    set->input_layout_handle = handle;
}

void agpu_gen_put_indices(struct agpu_gen *g)
{
    const bool wide = agpu_gen_one_in(g, 2);
    const uint32_t first = 4 * agpu_gen_below(g, 8), size = first + (wide ? 128 : 64);
    const uint32_t buffer = agpu_gen_put_buffer(g, size, false);
    struct aerogpu_cmd_upload_resource *upload = agpu_gen_packet_with(g, AEROGPU_CMD_UPLOAD_RESOURCE, size);
    struct aerogpu_cmd_set_index_buffer *set;
    uint8_t *bytes = (uint8_t *)(upload + 1) + first;
    const uint32_t width = wide ? 4 : 2;
    const bool restarts = agpu_gen_one_in(g, 3);

    upload->resource_handle = buffer;
    upload->size_bytes = size;
    for (uint32_t i = 0; i < 32; i++) {
        const uint32_t index = restarts && agpu_gen_one_in(g, 8) ? UINT32_MAX : agpu_gen_below(g, INDEXED);

        memcpy(bytes + i * width, &index, width);
    }
    set = agpu_gen_packet(g, AEROGPU_CMD_SET_INDEX_BUFFER);
    set->buffer = buffer;
    set->format = wide ? AEROGPU_INDEX_FORMAT_UINT32 : AEROGPU_INDEX_FORMAT_UINT16;
    set->offset_bytes = first;
}

/* ---- slots ---- */

void agpu_gen_bind_buffer(struct agpu_gen *g, uint32_t opcode, uint32_t stage, uint32_t slot, uint32_t buffer,
                          uint32_t offset)
{
    struct aerogpu_cmd_set_constant_buffers *packet =
        agpu_gen_packet_with(g, opcode, sizeof(struct aerogpu_constant_buffer_binding));
    struct aerogpu_constant_buffer_binding *binding = (void *)(packet + 1);

    packet->shader_stage = stage;
    packet->start_slot = slot;
    packet->buffer_count = 1;
    binding->buffer = buffer;
    binding->offset_bytes = offset;
    binding->reserved0 = opcode == AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS ? UINT32_MAX : 0;
}

static void choose_numbers(struct agpu_gen *g, uint32_t words[NUMBERS])
{
    for (uint32_t i = 0; i < NUMBERS; i++) {
        words[i] = agpu_gen_bits((float)agpu_gen_below(g, 9) / 8.0f);
    }
}

uint32_t agpu_gen_put_numbers(struct agpu_gen *g, uint32_t offset)
{
    const uint32_t buffer = agpu_gen_put_buffer(g, 256 + NUMBERS * 4, false);
    struct aerogpu_cmd_upload_resource *upload =
        agpu_gen_packet_with(g, AEROGPU_CMD_UPLOAD_RESOURCE, NUMBERS * 4);

    upload->resource_handle = buffer;
    upload->offset_bytes = offset;
    upload->size_bytes = NUMBERS * 4;
    choose_numbers(g, (void *)(upload + 1));
    return buffer;
}

void agpu_gen_put_constants(struct agpu_gen *g, uint32_t stage, uint32_t slot)
{
    if (slot == 0 && agpu_gen_one_in(g, 2)) {
        struct aerogpu_cmd_set_shader_constants_f *packet =
            agpu_gen_packet_with(g, AEROGPU_CMD_SET_SHADER_CONSTANTS_F, NUMBERS * 4);

        packet->stage = stage;
        packet->vec4_count = NUMBERS / 4;
        choose_numbers(g, (void *)(packet + 1));
    } else {
        const uint32_t offset = 256 * agpu_gen_below(g, 2);

        agpu_gen_bind_buffer(g, AEROGPU_CMD_SET_CONSTANT_BUFFERS, stage, slot,
                             agpu_gen_put_numbers(g, offset), offset);
    }
}

/* Sets a matrix that keeps w = 1, and a tint (vs_transform). */
void agpu_gen_put_transform(struct agpu_gen *g)
{
    float rows[16] = {[10] = 1.0f, [15] = 1.0f};
    struct aerogpu_cmd_set_shader_constants_f *packet;
    struct aerogpu_cmd_upload_resource *upload;
    uint32_t tint[4], buffer;

    for (uint32_t axis = 0; axis < 2; axis++) {
        rows[axis * 5] = (float)((int32_t)agpu_gen_below(g, 5) - 2) / 2.0f;
        rows[axis * 4 + 3] = (float)((int32_t)agpu_gen_below(g, 5) - 2) / 4.0f;
    }
    packet = agpu_gen_packet_with(g, AEROGPU_CMD_SET_SHADER_CONSTANTS_F, sizeof rows);
    packet->vec4_count = 4;
    memcpy(packet + 1, rows, sizeof rows);
    for (uint32_t i = 0; i < 4; i++) {
        tint[i] = agpu_gen_palette_value(g);
    }
    buffer = agpu_gen_put_buffer(g, 256, false);
    upload = agpu_gen_packet_with(g, AEROGPU_CMD_UPLOAD_RESOURCE, sizeof tint);
    upload->resource_handle = buffer;
    upload->size_bytes = sizeof tint;
    memcpy(upload + 1, tint, sizeof tint);
    agpu_gen_bind_buffer(g, AEROGPU_CMD_SET_CONSTANT_BUFFERS, AEROGPU_SHADER_STAGE_VERTEX, 0, 0, 0);
    agpu_gen_bind_buffer(g, AEROGPU_CMD_SET_CONSTANT_BUFFERS, AEROGPU_SHADER_STAGE_VERTEX, 1, buffer, 0);
}

const uint8_t agpu_gen_slots[AGPU_GEN_SLOTS] = {0, 1, 3, 2, 15, 16, 17, 64, 126, 127};

uint32_t agpu_gen_put_textures(struct agpu_gen *g, uint32_t stage, uint32_t slots)
{
    uint32_t first = 0;

    for (uint32_t i = 0; i < slots; i++) {
        const uint32_t slot = agpu_gen_slots[i];
        struct aerogpu_cmd_set_texture *set;
        struct aerogpu_cmd_create_sampler *sampler;
        struct aerogpu_cmd_set_samplers *samplers;
        uint32_t image, handle;

        if (slot > 0 && agpu_gen_one_in(g, 3)) {
            continue;
        }
        image = agpu_gen_resource_handle(g);
        agpu_gen_put_image(g, image);
        first = slot == 0 ? image : first;
        set = agpu_gen_packet(g, AEROGPU_CMD_SET_TEXTURE);
        set->shader_stage = stage;
        set->slot = slot;
        set->texture = image;
        handle = agpu_gen_new_handle(g);
        sampler = agpu_gen_packet(g, AEROGPU_CMD_CREATE_SAMPLER);
        sampler->sampler_handle = handle;
        sampler->filter = agpu_gen_one_in(g, 4);
        sampler->address_u = agpu_gen_below(g, 3);
        sampler->address_v = agpu_gen_below(g, 3);
        samplers = agpu_gen_packet_with(g, AEROGPU_CMD_SET_SAMPLERS, 4);
        samplers->shader_stage = stage;
        samplers->start_slot = slot % 16;
        samplers->sampler_count = 1;
        memcpy(samplers + 1, &handle, sizeof handle);
    }
    return first;
}
