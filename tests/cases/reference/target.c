/* target.c: clears and presents of the bound targets (commands.md 11, 15). */
#include "tests/cases/reference/target.h"

#include <string.h>

#include "tests/cases/reference/content.h"
#include "tests/cases/reference/handles.h"
#include "tests/cases/reference/memory.h"
#include "tests/cases/reference/packets.h"

bool agpu_ref_targets(struct agpu_ref *ref, struct agpu_ref_target targets[AGPU_REF_TARGETS], unsigned *count)
{
    *count = 0;
    for (unsigned i = 0; i <= ref->pipeline.color_count; i++) {
        const bool depth = i == ref->pipeline.color_count;
        const uint32_t handle = depth ? ref->pipeline.depth : ref->pipeline.colors[i];
        struct agpu_ref_target *target = &targets[*count];

        if (handle == 0) {
            continue;
        }
        target->depth = depth;
        target->slot = depth ? AEROGPU_MAX_RENDER_TARGETS : i;
        target->texture = agpu_ref_texture(ref, handle, &target->level, &target->format);
        if (target->texture == NULL ||
            !(depth ? agpu_ref_is_depth(target->format) : agpu_ref_is_color(target->format))) {
            return false;
        }
        ++*count;
    }
    return true;
}

void agpu_ref_fill(struct agpu_ref *ref, const struct agpu_ref_target *target, unsigned first, unsigned count,
                   const uint8_t *bytes, enum agpu_ref_byte state)
{
    struct agpu_ref_resource *texture = target->texture;
    const struct agpu_ref_level *level = &target->level;

    for (uint64_t y = 0; y < level->rows; y++) {
        const uint64_t row = level->offset + y * level->pitch;

        if (count == level->block) {
            agpu_ref_mark(ref, texture, row, level->tight, state);
        }
        for (uint64_t x = first; x < level->tight; x += level->block) {
            if (count != level->block) {
                agpu_ref_mark(ref, texture, row + x, count, state);
            }
            if (texture->bytes != NULL && bytes != NULL) {
                memcpy(texture->bytes + row + x, bytes, count);
            }
        }
    }
}

enum aerogpu_error agpu_ref_clear(struct agpu_ref *ref, const struct aerogpu_cmd_clear *cmd)
{
    struct agpu_ref_target targets[AGPU_REF_TARGETS];
    unsigned count;
    uint8_t bytes[4];
    float color[4];
    enum agpu_ref_byte state;

    memcpy(color, cmd->color_rgba_f32, sizeof color);
    if (cmd->flags == 0) {
        return AEROGPU_ERROR_NONE;
    }
    if (!agpu_ref_targets(ref, targets, &count)) {
        return AGPU_REF_INVALID;
    }
    for (unsigned i = 0; i < count; i++) {
        const struct agpu_ref_target *target = &targets[i];

        agpu_ref_open(ref, target->texture);
        if (!target->depth && (cmd->flags & AEROGPU_CLEAR_COLOR) != 0) {
            state = agpu_ref_color(target->format, color, 0, bytes);
            agpu_ref_fill(ref, target, 0, target->level.block, bytes, state);
        }
        if (target->depth && (cmd->flags & AEROGPU_CLEAR_DEPTH) != 0) {
            state = agpu_ref_depth(target->format, cmd->depth_f32, bytes);
            agpu_ref_fill(ref, target, 0, target->format == AEROGPU_FORMAT_D32_FLOAT ? 4 : 3, bytes, state);
        }
        if (target->format == AEROGPU_FORMAT_D24_UNORM_S8_UINT && (cmd->flags & AEROGPU_CLEAR_STENCIL) != 0) {
            bytes[0] = (uint8_t)cmd->stencil;
            agpu_ref_fill(ref, target, 3, 1, bytes, AGPU_REF_EXACT);
        }
    }
    return AEROGPU_ERROR_NONE;
}

void agpu_ref_convert(uint32_t from, const uint8_t *texel, uint32_t to, uint8_t *out)
{
    const bool from_alpha = from == AEROGPU_FORMAT_B5G5R5A1_UNORM,
               to_alpha = to == AEROGPU_FORMAT_B5G5R5A1_UNORM;
    uint32_t channels[4]; /* blue, green, red, alpha */

    if (from_alpha || from == AEROGPU_FORMAT_B5G6R5_UNORM) {
        const uint32_t word = texel[0] | (uint32_t)texel[1] << 8, red = word >> (from_alpha ? 10 : 11) & 31;
        const uint32_t green = word >> 5 & (from_alpha ? 31 : 63);

        channels[0] = (word & 31) << 3 | (word & 31) >> 2;
        channels[1] = from_alpha ? green << 3 | green >> 2 : green << 2 | green >> 4;
        channels[2] = red << 3 | red >> 2;
        channels[3] = from_alpha && word >> 15 == 0 ? 0 : 0xFF;
    } else {
        channels[agpu_ref_is_blue_first(from) ? 0 : 2] = texel[0];
        channels[1] = texel[1];
        channels[agpu_ref_is_blue_first(from) ? 2 : 0] = texel[2];
        channels[3] = agpu_ref_is_x8(from) ? 0xFF : texel[3];
    }
    if (to_alpha || to == AEROGPU_FORMAT_B5G6R5_UNORM) {
        const uint32_t word = channels[0] >> 3 | channels[1] >> (to_alpha ? 3 : 2) << 5 |
                              channels[2] >> 3 << (to_alpha ? 10 : 11) |
                              (to_alpha && channels[3] >= 0x80 ? 0x8000u : 0);

        out[0] = (uint8_t)word;
        out[1] = (uint8_t)(word >> 8);
        return;
    }
    out[0] = (uint8_t)channels[agpu_ref_is_blue_first(to) ? 0 : 2];
    out[1] = (uint8_t)channels[1];
    out[2] = (uint8_t)channels[agpu_ref_is_blue_first(to) ? 2 : 0];
    out[3] = agpu_ref_is_x8(to) ? 0xFF : (uint8_t)channels[3];
}

/* Writes one row of the presented image. */
static void present_row(struct agpu_ref *ref, const struct agpu_ref_target *image, uint64_t offset,
                        uint64_t address, uint32_t width, uint32_t format, uint32_t texel_bytes)
{
    const struct agpu_ref_resource *texture = image->texture;

    for (uint32_t x = 0; x < width; x++) {
        const uint64_t at = offset + (uint64_t)x * image->level.block;
        enum agpu_ref_byte state = texture->bytes != NULL ? agpu_ref_state(ref) : AGPU_REF_ANY;
        uint8_t out[4] = {0};

        for (uint32_t i = 0; texture->bytes != NULL && texture->states != NULL && i < image->level.block;
             i++) {
            state = texture->states[at + i] == AGPU_REF_EXACT ? state : AGPU_REF_ANY;
        }
        if (texture->bytes != NULL) {
            agpu_ref_convert(image->format, texture->bytes + at, format, out);
        }
        agpu_ref_put(ref, address + (uint64_t)x * texel_bytes, out, NULL, state, texel_bytes);
    }
}

enum aerogpu_error agpu_ref_present(struct agpu_ref *ref, const struct aerogpu_cmd_hdr *cmd)
{
    const uint32_t width = *agpu_ref_register(ref, AEROGPU_MMIO_REG_SCANOUT0_WIDTH);
    const uint32_t height = *agpu_ref_register(ref, AEROGPU_MMIO_REG_SCANOUT0_HEIGHT);
    const uint32_t pitch = *agpu_ref_register(ref, AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES);
    const uint32_t format = *agpu_ref_register(ref, AEROGPU_MMIO_REG_SCANOUT0_FORMAT);
    const uint64_t address = ref->scanout.committed;
    struct agpu_ref_target image = {.texture = NULL};
    uint32_t bound = 0, edge, texel_bytes = 0;

    for (uint32_t i = 0; i < ref->pipeline.color_count && bound == 0; i++) {
        bound = ref->pipeline.colors[i];
    }
    (void)cmd;
    if (!ref->work.present || *agpu_ref_register(ref, AEROGPU_MMIO_REG_SCANOUT0_ENABLE) == 0 || bound == 0 ||
        width == 0 || height == 0) {
        return AEROGPU_ERROR_NONE;
    }
    image.texture = agpu_ref_texture(ref, bound, &image.level, &image.format);
    if (image.texture == NULL || !agpu_ref_is_color(image.format) || !agpu_ref_is_color(format) ||
        !agpu_ref_format(format, &edge, &texel_bytes) || address == 0 ||
        pitch < (uint64_t)width * texel_bytes || pitch % texel_bytes != 0 ||
        agpu_ref_wraps(address, (uint64_t)(height - 1) * pitch + (uint64_t)width * texel_bytes) ||
        (uint64_t)width * height > UINT64_C(16) << 20) {
        return AEROGPU_ERROR_BACKEND;
    }
    for (uint32_t y = 0; y < height && y < image.level.height; y++) {
        present_row(ref, &image, image.level.offset + y * image.level.pitch, address + (uint64_t)y * pitch,
                    width < image.level.width ? width : image.level.width, format, texel_bytes);
    }
    return AEROGPU_ERROR_NONE;
}
