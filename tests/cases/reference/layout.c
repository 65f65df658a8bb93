/* layout.c: formats and the packed linear layout of textures (commands.md 5). */
#include "tests/cases/reference/layout.h"

bool agpu_ref_format(uint32_t format, uint32_t *edge, uint32_t *bytes)
{
    switch (format) {
#define AEROGPU_FORMAT(NAME, number, block_edge, block_bytes)                                                \
    case (number):                                                                                           \
        *edge = (block_edge);                                                                                \
        *bytes = (block_bytes);                                                                              \
        return true;
#include "pci/protocol/formats.def"
    default:
        return false;
    }
}

static uint32_t halved(uint32_t size, uint32_t mip)
{
    return size >> mip != 0 ? size >> mip : 1;
}

/* A subresource of layer 0, without its offset. */
static struct agpu_ref_level level_alone(const struct agpu_ref_resource *texture, uint32_t mip)
{
    struct agpu_ref_level level = {.width = halved(texture->width, mip),
                                   .height = halved(texture->height, mip)};

    agpu_ref_format(texture->format, &level.edge, &level.block);
    level.tight = ((uint64_t)level.width + (level.edge - 1)) / level.edge * level.block;
    level.rows = ((uint64_t)level.height + (level.edge - 1)) / level.edge;
    level.pitch = mip == 0 && texture->pitch != 0 ? texture->pitch : level.tight;
    level.size = level.rows < AGPU_REF_HUGE / level.pitch ? level.pitch * level.rows : AGPU_REF_HUGE;
    return level;
}

static uint64_t layer_size(const struct agpu_ref_resource *texture)
{
    uint64_t size = 0;

    for (uint32_t mip = 0; mip < texture->mips; mip++) {
        size += level_alone(texture, mip).size;
    }
    return size;
}

struct agpu_ref_level agpu_ref_level_of(const struct agpu_ref_resource *texture, uint32_t mip, uint32_t layer)
{
    struct agpu_ref_level level = level_alone(texture, mip);

    level.offset = layer * layer_size(texture);
    for (uint32_t i = 0; i < mip; i++) {
        level.offset += level_alone(texture, i).size;
    }
    return level;
}

uint64_t agpu_ref_texture_size(const struct agpu_ref_resource *texture)
{
    const uint64_t layer = layer_size(texture);

    return layer < AGPU_REF_HUGE / texture->layers ? layer * texture->layers : AGPU_REF_HUGE;
}
