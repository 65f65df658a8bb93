/* shade.c: the listed shaders, from their sources in tests/shaders/hlsl, and what they read (commands.md 7, 9, 10,
 * 15.1). */
#include "tests/cases/reference/shade.h"

#include <string.h>

#include "tests/cases/reference/handles.h"
#include "tests/cases/reference/packets.h"

#define POSITION_HASH 0x7808E88Au
#define COLOR_HASH    0xE7C308F8u
#define TEXCOORD_HASH 0x0BC45413u
/* Numbers of DXGI_FORMAT. */
#define FLOAT4 2u
#define UINT4  3u
#define FLOAT2 16u
#define UNORM8 28u
#define UINT8  30u
/* Distance from the edge of a texel, in texels, within which a sampler may take its neighbour. */
#define TEXEL_EDGE 0.0156

enum varying { VARYING_NONE, VARYING_COLOR, VARYING_COORDINATES };

/* Inputs and outputs by program. hash: of the input beside POSITION, 0: none. */
static const struct {
    uint32_t hash;
    bool position;
    enum varying varying; /* output of a vertex shader, input of a pixel shader */
} interfaces[] = {
    [AGPU_REF_VS_COLOR] = {COLOR_HASH, true, VARYING_COLOR},
    [AGPU_REF_VS_WHOLE] = {0, false, VARYING_COLOR},
    [AGPU_REF_VS_TABLE] = {0, false, VARYING_COLOR},
    [AGPU_REF_VS_INSTANCE] = {0, true, VARYING_COLOR},
    [AGPU_REF_VS_INTEGER] = {COLOR_HASH, true, VARYING_COLOR},
    [AGPU_REF_VS_TRANSFORM] = {COLOR_HASH, true, VARYING_COLOR},
    [AGPU_REF_VS_TEXTURED] = {TEXCOORD_HASH, true, VARYING_COORDINATES},
    [AGPU_REF_VS_SLOTS] = {0, true, VARYING_COLOR},
    [AGPU_REF_PS_COLOR] = {0, false, VARYING_COLOR},
    [AGPU_REF_PS_DEPTH] = {0, false, VARYING_COLOR},
    [AGPU_REF_PS_DISCARD] = {0, false, VARYING_COLOR},
    [AGPU_REF_PS_TEXTURED] = {0, false, VARYING_COORDINATES},
    [AGPU_REF_PS_TWO_TEXTURES] = {0, false, VARYING_COORDINATES},
    [AGPU_REF_PS_ARRAY] = {0, false, VARYING_COORDINATES},
    [AGPU_REF_CS_COUNT] = {0, false, VARYING_NONE},
};

/* ---- buffers ---- */

static bool element_at(struct agpu_ref *ref, uint32_t handle, struct agpu_ref_part part, uint64_t at,
                       uint32_t size, bool beyond, void *out)
{
    const struct agpu_ref_resource *buffer = agpu_ref_named(ref, handle);
    uint64_t reach;

    memset(out, 0, size);
    if (handle == 0) {
        return true;
    }
    if (buffer == NULL || buffer->texture || buffer->bytes == NULL) {
        return false;
    }
    reach = part.offset < buffer->size ? buffer->size - part.offset : 0;
    reach = part.size != 0 && part.size < reach ? part.size : reach;
    if (at > reach || size > reach - at) {
        return beyond;
    }
    at += part.offset;
    for (uint32_t i = 0; buffer->states != NULL && i < size; i++) {
        if (buffer->states[at + i] != AGPU_REF_EXACT) {
            return false;
        }
    }
    memcpy(out, buffer->bytes + at, size);
    return true;
}

bool agpu_ref_element(struct agpu_ref *ref, uint32_t buffer, struct agpu_ref_part part, uint64_t at,
                      uint32_t size, void *out)
{
    return element_at(ref, buffer, part, at, size, true, out);
}

bool agpu_ref_constant(struct agpu_ref *ref, uint32_t stage, uint32_t slot, uint32_t index, void *out)
{
    const struct aerogpu_constant_buffer_binding *bound = &ref->pipeline.constants[stage][slot];
    const struct agpu_ref_part part = {bound->offset_bytes, bound->size_bytes};

    if (slot == 0 && bound->buffer == 0) {
        memcpy(out, &ref->pipeline.registers[stage][index * 4], 16);
        return true;
    }
    return element_at(ref, bound->buffer, part, (uint64_t)index * 16, 16, false, out);
}

/* ---- vertices ---- */

static uint32_t input_bytes(uint32_t format)
{
    return format == FLOAT4 || format == UINT4   ? 16
           : format == FLOAT2                    ? 8
           : format == UNORM8 || format == UINT8 ? 4
                                                 : 0;
}

/* Finds an element by its name. Returns false when there is none, or the layout has a format of another size. */
static bool find_input(const struct agpu_ref_layout *layout, uint32_t hash, struct agpu_ref_input *out)
{
    uint32_t ends[32] = {0};

    out->element = NULL;
    for (uint32_t i = 0; i < layout->count; i++) {
        const struct aerogpu_input_layout_element_dxgi *element = &layout->elements[i];
        const uint32_t bytes = input_bytes(element->dxgi_format), stated = element->aligned_byte_offset;
        const uint32_t offset = stated == UINT32_MAX ? ends[element->input_slot] : stated;

        if (bytes == 0 || offset % 4 != 0 || offset > 2048 || element->input_slot_class > 1) {
            return false;
        }
        if (element->semantic_name_hash == hash && element->semantic_index == 0 && out->element == NULL) {
            *out = (struct agpu_ref_input){element, offset};
        }
        ends[element->input_slot] = offset + bytes;
    }
    return out->element != NULL;
}

bool agpu_ref_vertex_stage(struct agpu_ref *ref, struct agpu_ref_vertex_stage *stage)
{
    const struct agpu_ref_object *shader =
        agpu_ref_find(ref, AGPU_REF_SHADERS, ref->pipeline.shaders[AGPU_REF_VERTEX]);
    const struct agpu_ref_object *layout = agpu_ref_find(ref, AGPU_REF_LAYOUTS, ref->pipeline.layout);
    uint32_t hash;

    stage->program = shader != NULL ? shader->program : AGPU_REF_UNKNOWN;
    hash = interfaces[stage->program].hash;
    if (stage->program == AGPU_REF_UNKNOWN || (ref->pipeline.layout != 0 && layout == NULL)) {
        return false;
    }
    if (!interfaces[stage->program].position) {
        return true;
    }
    return layout != NULL && layout->layout != NULL &&
           find_input(layout->layout, POSITION_HASH, &stage->position) &&
           stage->position.element->dxgi_format == FLOAT4 &&
           (hash == 0 || find_input(layout->layout, hash, &stage->second));
}

/* Reads four values, each of them in 8 bits or 32. */
static bool fetch_values(struct agpu_ref *ref, const struct agpu_ref_vertex_stage *stage,
                         const struct agpu_ref_input *input, uint32_t index, uint32_t instance, float out[4])
{
    const struct aerogpu_input_layout_element_dxgi *element = input->element;
    const bool integer = stage->program == AGPU_REF_VS_INTEGER && input == &stage->second;
    const struct aerogpu_vertex_buffer_binding *slot = &ref->pipeline.vertices[element->input_slot];
    const uint32_t rate = element->instance_data_step_rate > 1 ? element->instance_data_step_rate : 1;
    const uint64_t n =
        element->input_slot_class == 1 ? stage->first_instance + (uint64_t)instance / rate : index;
    const uint32_t format = element->dxgi_format;
    uint32_t words[4] = {0, 0, 0, 0x3F800000}; /* components that the format does not have: 0, 0 and 1.0 */
    uint8_t bytes[4];

    if ((slot->offset_bytes | slot->stride_bytes) % 4 != 0 ||
        !agpu_ref_element(ref, slot->buffer, (struct agpu_ref_part){slot->offset_bytes, 0},
                          n * slot->stride_bytes + input->offset, input_bytes(format), words)) {
        return false;
    }
    memcpy(bytes, words, sizeof bytes);
    for (unsigned i = 0; i < 4; i++) {
        if (input_bytes(format) == 4) {
            out[i] = (float)bytes[i] / 255.0f;
        } else if (integer) {
            out[i] = (float)(words[i] & 255u) / 255.0f;
        } else {
            memcpy(&out[i], &words[i], sizeof out[i]);
        }
    }
    return integer ? format == UINT8 || format == UINT4
                   : format == FLOAT4 || format == UNORM8 || format == FLOAT2;
}

/* ---- textures ---- */

/* Finds a texture and a sampler of a stage. */
static bool find_image(struct agpu_ref *ref, uint32_t stage, uint32_t slot, uint32_t sampler,
                       struct agpu_ref_image *image)
{
    const uint32_t texture = ref->pipeline.textures[stage][slot];

    image->sampler = agpu_ref_find(ref, AGPU_REF_SAMPLERS, ref->pipeline.samplers[stage][sampler]);
    image->at.texture =
        texture != 0 ? agpu_ref_texture(ref, texture, &image->at.level, &image->at.format) : NULL;
    return texture == 0 || (image->at.texture != NULL && agpu_ref_is_color(image->at.format));
}

/* Reads a texel of a format whose bytes are the channels. Returns false for others. */
static bool read_texel(const struct agpu_ref_image *image, uint32_t layer, uint64_t x, uint64_t y,
                       float rgba[4])
{
    const struct agpu_ref_resource *texture = image->at.texture;
    const uint32_t format = image->at.format;
    struct agpu_ref_level level = image->at.level;

    memset(rgba, 0, 4 * sizeof *rgba);
    if (texture == NULL) {
        return true;
    }
    if (layer != 0) {
        level = agpu_ref_level_of(texture, 0, layer < texture->layers ? layer : texture->layers - 1);
    }
    if (level.block != 4 || agpu_ref_is_srgb(format)) {
        return false;
    }
    if (x >= level.width || y >= level.height) {
        return !agpu_ref_is_x8(format); /* alpha is 0 or 1 */
    }
    for (unsigned i = 0; i < 4; i++) {
        const uint64_t at = level.offset + y * level.pitch + x * 4 + i;

        if (texture->bytes == NULL || (texture->states != NULL && texture->states[at] != AGPU_REF_EXACT)) {
            return false;
        }
        rgba[agpu_ref_is_blue_first(format) && i < 3 ? 2 - i : i] = (float)texture->bytes[at] / 255.0f;
    }
    rgba[3] = agpu_ref_is_x8(format) ? 1.0f : rgba[3];
    return true;
}

/* Finds the texel of a coordinate. Returns false near the edge of one. */
static bool nearest_texel(double coordinate, uint32_t size, uint32_t address, double tolerance, uint64_t *out)
{
    const double scaled = coordinate * size, edge = TEXEL_EDGE + tolerance * size;
    const int64_t texel = (int64_t)(scaled + 65536.0) - 65536;
    int64_t at = texel;

    if (!(scaled > -65536.0 && scaled < 65536.0) || scaled - (double)texel < edge ||
        (double)texel + 1.0 - scaled < edge) {
        return false;
    }
    if (address == AEROGPU_SAMPLER_ADDRESS_CLAMP_TO_EDGE) {
        at = texel < 0 ? 0 : texel < size ? texel : (int64_t)size - 1;
    } else {
        const int64_t period = address == AEROGPU_SAMPLER_ADDRESS_REPEAT ? size : 2 * (int64_t)size;

        at = (texel % period + period) % period;
        at = at < size ? at : period - 1 - at;
    }
    *out = (uint64_t)at;
    return true;
}

/* Samples the first mip of a texture, or a texture of one, by nearest. */
static bool sample_nearest(const struct agpu_ref_image *image, uint32_t layer,
                           const struct agpu_ref_fragment *in, float rgba[4])
{
    const struct agpu_ref_object *sampler = image->sampler;
    uint64_t texel[2];

    for (unsigned i = 0; image->at.texture != NULL && i < 2; i++) {
        const uint32_t address =
            sampler != NULL ? sampler->address[i] : AEROGPU_SAMPLER_ADDRESS_CLAMP_TO_EDGE;

        if (image->at.texture->mips != 1 || (sampler != NULL && sampler->filter != 0) ||
            !nearest_texel(in->values[i], i == 0 ? image->at.level.width : image->at.level.height, address,
                           in->tolerance, &texel[i])) {
            return false;
        }
    }
    return in->tolerance >= 0 && read_texel(image, layer, texel[0], texel[1], rgba);
}

/* Samples the texture of a slot at u = 1.25, v = 0.25, in the first mip. */
static bool sample_place(struct agpu_ref *ref, uint32_t stage, uint32_t slot, uint32_t sampler, float rgba[4])
{
    static const struct agpu_ref_fragment in = {.values = {1.25f, 0.25f}};
    struct agpu_ref_image image;

    return find_image(ref, stage, slot, sampler, &image) && sample_nearest(&image, 0, &in, rgba);
}

/* The colour of vs_slots: a part from each kind of binding. */
static bool slot_values(struct agpu_ref *ref, float values[4])
{
    float registers[4], tint[4], texel[4];
    const bool known = agpu_ref_constant(ref, AGPU_REF_VERTEX, 0, 1, registers) &&
                       agpu_ref_constant(ref, AGPU_REF_VERTEX, 13, 0, tint) &&
                       sample_place(ref, AGPU_REF_VERTEX, 127, 15, texel) &&
                       agpu_ref_element(ref, ref->pipeline.textures[AGPU_REF_VERTEX][64],
                                        ref->pipeline.texture_parts[AGPU_REF_VERTEX][64], 4, 4, &values[3]);

    values[0] = registers[0];
    values[1] = texel[1];
    values[2] = tint[2];
    return known;
}

/* Multiplies the position by the matrix in constant buffer 0, the colour by that in buffer 1. */
static bool transform_values(struct agpu_ref *ref, float position[4], float values[4])
{
    float row[4], from[4];

    memcpy(from, position, sizeof from);
    for (uint32_t i = 0; i < 4; i++) {
        if (!agpu_ref_constant(ref, AGPU_REF_VERTEX, 0, i, row)) {
            return false;
        }
        position[i] = row[0] * from[0] + row[1] * from[1] + row[2] * from[2] + row[3] * from[3];
    }
    if (!agpu_ref_constant(ref, AGPU_REF_VERTEX, 1, 0, row)) {
        return false;
    }
    for (unsigned i = 0; i < 4; i++) {
        values[i] *= row[i];
    }
    return true;
}

bool agpu_ref_run_vertex(struct agpu_ref *ref, const struct agpu_ref_vertex_stage *stage, uint32_t index,
                         uint32_t instance, float position[4], float values[4])
{
    static const float whole[3][4] = {{-1, 1, 0.5f, 1}, {3, 1, 0.5f, 1}, {-1, -3, 0.5f, 1}};
    static const float corners[4][4] = {
        {-1, 1, 0.5f, 1}, {1, 1, 0.5f, 1}, {-1, -1, 0.5f, 1}, {1, -1, 0.5f, 1}};
    const bool table = stage->program == AGPU_REF_VS_TABLE;

    if (stage->position.element == NULL) {
        for (unsigned i = 0; i < 4; i++) {
            values[i] = !table || i == 3 || (i < 2 && (index >> i & 1) != 0) ? 1.0f : 0.0f;
        }
        memcpy(position, table ? corners[index & 3] : whole[index < 3 ? index : 0], 4 * sizeof *position);
        return stage->plain && (!table || index < 4);
    }
    if (!fetch_values(ref, stage, &stage->position, index, instance, position)) {
        return false;
    }
    if (stage->program == AGPU_REF_VS_INSTANCE) {
        position[0] += (float)instance * 0.5f;
        for (uint32_t i = 0; i < 4; i++) {
            values[i] = i == 3 || instance == i ? 1.0f : 0.0f;
        }
        return stage->plain;
    }
    if (stage->program == AGPU_REF_VS_SLOTS) {
        return slot_values(ref, values);
    }
    return fetch_values(ref, stage, &stage->second, index, instance, values) &&
           (stage->program != AGPU_REF_VS_TRANSFORM || transform_values(ref, position, values));
}

/* ---- pixels ---- */

bool agpu_ref_pixel_stage(struct agpu_ref *ref, enum agpu_ref_program vertex,
                          struct agpu_ref_pixel_stage *stage)
{
    const uint32_t handle = ref->pipeline.shaders[AGPU_REF_PIXEL];
    const struct agpu_ref_object *shader = agpu_ref_find(ref, AGPU_REF_SHADERS, handle);

    stage->program = shader != NULL && shader->stage == AGPU_REF_PIXEL ? shader->program : AGPU_REF_UNKNOWN;
    if (handle == 0 || stage->program == AGPU_REF_UNKNOWN) {
        return handle == 0;
    }
    if (interfaces[stage->program].varying != VARYING_NONE &&
        interfaces[stage->program].varying != interfaces[vertex].varying) {
        return false;
    }
    switch (stage->program) {
    case AGPU_REF_PS_CONSTANT:
        return agpu_ref_constant(ref, AGPU_REF_PIXEL, 0, 0, stage->constant);
    case AGPU_REF_PS_TWO_TEXTURES:
        return find_image(ref, AGPU_REF_PIXEL, 1, 0, &stage->images[0]) &&
               find_image(ref, AGPU_REF_PIXEL, 3, 2, &stage->images[1]);
    case AGPU_REF_PS_LOAD:
    case AGPU_REF_PS_TEXTURED:
    case AGPU_REF_PS_ARRAY:
        /* Layers of a view are not predicted. */
        return find_image(ref, AGPU_REF_PIXEL, 0, 0, &stage->images[0]) &&
               (stage->program != AGPU_REF_PS_ARRAY || stage->images[0].at.texture == NULL ||
                agpu_ref_named(ref, ref->pipeline.textures[AGPU_REF_PIXEL][0]) != NULL);
    default:
        return true;
    }
}

static bool shade_buffer(struct agpu_ref *ref, uint32_t x, uint32_t y, float rgba[4])
{
    uint8_t bytes[4];

    if (!agpu_ref_element(ref, ref->pipeline.textures[AGPU_REF_PIXEL][0],
                          ref->pipeline.texture_parts[AGPU_REF_PIXEL][0], (x + 4 * (uint64_t)y) * 4, 4,
                          bytes)) {
        return false;
    }
    for (unsigned i = 0; i < 4; i++) {
        rgba[i] = (float)bytes[i] / 255.0f;
    }
    return true;
}

static void shade_integer(uint32_t x, uint32_t y, float rgba[4])
{
    const int32_t difference = (int32_t)x - (int32_t)y;

    rgba[0] = (float)((x * 7 + y * 13) & 255u) / 255.0f;
    rgba[1] = (float)((x ^ y << 3) & 255u) / 255.0f;
    rgba[2] = (float)(((x + 1) * (y + 1) / 3 + x % 5) & 255u) / 255.0f;
    rgba[3] = (float)((difference > -3 ? difference : -3) + 128) / 255.0f;
}

/* Column x shows what one slot of many holds; the slots of textures are not all of them. */
static bool shade_slot(struct agpu_ref *ref, enum agpu_ref_program program, uint32_t x, float rgba[4])
{
    static const uint8_t slots[] = {0, 1, 15, 16, 17, 64, 126, 127};
    struct agpu_ref_image image;

    memset(rgba, 0, 4 * sizeof *rgba);
    if (program == AGPU_REF_PS_CONSTANT_SLOTS) {
        return x >= 14 || agpu_ref_constant(ref, AGPU_REF_PIXEL, x, 0, rgba);
    }
    if (program == AGPU_REF_PS_SAMPLER_SLOTS) {
        return x >= 16 || sample_place(ref, AGPU_REF_PIXEL, 0, x, rgba);
    }
    return x >= sizeof slots ||
           (find_image(ref, AGPU_REF_PIXEL, slots[x], 0, &image) && read_texel(&image, 0, 0, 0, rgba));
}

void agpu_ref_run_pixel(struct agpu_ref *ref, const struct agpu_ref_pixel_stage *stage,
                        const struct agpu_ref_fragment *in, struct agpu_ref_shaded *out)
{
    float *rgba = out->rgba[0];

    *out = (struct agpu_ref_shaded){.known = true, .kept = true, .outputs = 1};
    memcpy(rgba, in->values, sizeof in->values);
    switch (stage->program) {
    case AGPU_REF_UNKNOWN:
        out->outputs = 0;
        return;
    case AGPU_REF_PS_CONSTANT:
        memcpy(rgba, stage->constant, sizeof stage->constant);
        return;
    case AGPU_REF_PS_LOAD:
        out->known = read_texel(&stage->images[0], 0, in->x, in->y, rgba);
        return;
    case AGPU_REF_PS_TEXTURE_SLOTS:
    case AGPU_REF_PS_SAMPLER_SLOTS:
    case AGPU_REF_PS_CONSTANT_SLOTS:
        out->known = shade_slot(ref, stage->program, in->x, rgba);
        return;
    case AGPU_REF_PS_BUFFER:
        out->known = shade_buffer(ref, in->x, in->y, rgba);
        return;
    case AGPU_REF_PS_INTEGER:
        shade_integer(in->x, in->y, rgba);
        return;
    case AGPU_REF_PS_TARGETS:
        out->outputs = AEROGPU_MAX_RENDER_TARGETS;
        for (unsigned i = 0; i < AEROGPU_MAX_RENDER_TARGETS; i++) {
            const float red = (float)(i + 1) / 8.0f, color[4] = {red, 1.0f - red, 0.0f, 1.0f};

            memcpy(out->rgba[i], color, sizeof color);
        }
        return;
    case AGPU_REF_PS_TEXTURED:
        out->known = sample_nearest(&stage->images[0], 0, in, rgba);
        return;
    case AGPU_REF_PS_TWO_TEXTURES:
        out->known = sample_nearest(&stage->images[in->values[0] < 0.5f ? 0 : 1], 0, in, rgba) &&
                     (in->tolerance == 0 || in->values[0] < 0.49f || in->values[0] > 0.51f);
        return;
    case AGPU_REF_PS_ARRAY:
        out->known = sample_nearest(&stage->images[0], in->x / 4, in, rgba);
        return;
    default: /* reads the colour */
        out->tolerance = in->tolerance;
        out->known = in->tolerance >= 0;
        break;
    }
    if (stage->program == AGPU_REF_PS_DISCARD) {
        out->discarded = rgba[0] < 0.5f;
        out->kept = !out->discarded;
        if (in->tolerance != 0 && (in->tolerance < 0 || (rgba[0] > 0.49f && rgba[0] < 0.51f))) {
            out->discarded = out->kept = false;
        }
    } else if (stage->program == AGPU_REF_PS_DEPTH) {
        out->has_depth = true;
        out->depth = rgba[3];
        rgba[3] = 1.0f;
    }
}
